/* snapshot: what the model sees of a screen: of a device, or of a tree that another tool
 * printed. */
#include "app/setup.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/sim.h"
#include "cli/sys/treefile.h"
#include "driver/image/annotate.h"
#include "driver/image/image.h"
#include "driver/registry/device_registry.h"
#include "driver/session/session.h"

enum { DEADLINE_S = 30 };

/* A snapshot and, with --screenshot, the picture that belongs to it. */
struct view {
    struct ia_snapshot *snapshot;
    struct ia_buf png;
};

/* ---- where it comes from --------------------------------------------------------------- */

static enum ia_rc view_file(const struct ia_args *a, struct view *v, struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_treefile_read(a, ia_args_text(a, "from"), &t, err);
    if (rc == IA_OK) {
        struct ia_refs *refs = ia_refs_new();
        v->snapshot = ia_snapshot_new(t, refs, 0, 0);
        ia_snapshot_name_containers(v->snapshot, refs);
        ia_refs_free(refs);
    }
    ia_tree_free(t);
    return rc;
}

static bool wants_picture(const struct ia_args *a)
{
    return ia_args_has(a, "annotate") || ia_args_has(a, "screenshot");
}

static enum ia_rc view_device(const struct ia_args *a, struct ia_device *d, struct view *v,
                              struct ia_err *err)
{
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) +
                                             DEADLINE_S * INT64_C(1000000)};
    struct ia_session *session = ia_session_new(d, NULL);
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(session, &deadline, &s, err);
    if (rc == IA_OK && wants_picture(a)) {
        rc = ia_args_has(a, "screenshot")
                 ? ia_session_screenshot(session, &deadline, &v->png, err)
                 : ia_session_picture(session, &deadline, &v->png, err);
    }
    if (rc == IA_OK) {
        ia_session_name_containers(session);
        v->snapshot = ia_snapshot_ref(s);
    }
    ia_session_free(session);
    return rc;
}

static enum ia_rc view_phone(const struct ia_args *a, struct view *v, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_device *d = NULL;
    enum ia_rc rc = ia_setup_config(&setup, err);
    if (rc == IA_OK) {
        rc = ia_args_configure(a, "device", setup.config, IA_CFG_RUN_DEVICE, err);
    }
    if (rc == IA_OK) {
        rc = ia_cli_sim_device(setup.config, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_spec_find(ia_config_str(setup.config, IA_CFG_RUN_DEVICE), &setup.paths,
                                 &spec, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_spec_open(&spec, NULL, false, &d, err);
    }
    if (rc == IA_OK) {
        rc = view_device(a, d, v, err);
    }
    ia_device_close(d);
    ia_device_spec_fini(&spec);
    ia_setup_close(&setup);
    return rc;
}

/* ---- where it goes --------------------------------------------------------------------- */

static void put_text(struct ia_cli *c, const struct view *v)
{
    struct ia_buf text = IA_BUF(IA_CLI_OUTPUT_MAX);
    c->verbatim = true;
    if (ia_args_has(&c->args, "rows")) {
        ia_snapshot_rows(v->snapshot, &text);
    } else {
        size_t max = (size_t)ia_args_int(&c->args, "max-bytes", 0);
        ia_snapshot_text(v->snapshot, max, &text);
    }
    if (ia_args_has(&c->args, "status")) {
        ia_snapshot_unlisted(v->snapshot, &text);
    }
    if (ia_args_has(&c->args, "next")) {
        ia_snapshot_next(v->snapshot, &text);
    }
    ia_clean(&c->text, ia_buf_str(&text), IA_CLEAN_TEXT);
    ia_buf_fini(&text);
}

static enum ia_rc annotate(const struct view *v, const char *path, struct ia_err *err)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = ia_snapshot_annotate(v->snapshot, ia_buf_str(&v->png), &png, err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(path, png.p, png.len, 0644, err);
    }
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc put(struct ia_cli *c, const struct view *v, struct ia_err *err)
{
    const char *picture = ia_args_text(&c->args, "annotate");
    enum ia_rc rc = picture ? annotate(v, picture, err) : IA_OK;
    if (rc != IA_OK) {
        return rc;
    }
    put_text(c, v);
    if (c->json && ia_args_has(&c->args, "rows")) {
        ia_snapshot_json_rows(v->snapshot, &c->w);
    } else if (c->json) {
        bool embed = ia_args_has(&c->args, "screenshot");
        struct ia_str png = embed ? ia_buf_str(&v->png) : ia_str("");
        ia_snapshot_json(v->snapshot, ia_wall_ms(ia_clock_system()), png, &c->w);
    }
    return IA_OK;
}

/* Rejects options that exclude each other. */
static enum ia_rc check_options(const struct ia_cli *c, struct ia_err *err)
{
    static const char *const pairs[][2] = {
        {"text", "rows"}, {"rows", "max-bytes"}, {"from", "device"}, {"from", "screenshot"}};
    for (size_t i = 0; i < IA_COUNTOF(pairs); i++) {
        if (ia_args_has(&c->args, pairs[i][0]) && ia_args_has(&c->args, pairs[i][1])) {
            return ia_err_set(err, IA_E_USAGE, "--%s and --%s cannot be used together",
                              pairs[i][0], pairs[i][1]);
        }
    }
    if (ia_args_has(&c->args, "screenshot") && !c->json) {
        return ia_err_set(err, IA_E_USAGE, "--screenshot needs --json");
    }
    if (ia_args_has(&c->args, "source") && !ia_args_has(&c->args, "from")) {
        return ia_err_set(err, IA_E_USAGE, "--source needs --from");
    }
    return IA_OK;
}

enum ia_rc ia_cmd_snapshot(struct ia_cli *c, struct ia_err *err)
{
    struct view v = {.png = IA_BUF(IA_PNG_BYTES_MAX)};
    enum ia_rc rc = check_options(c, err);
    if (rc == IA_OK) {
        rc = ia_args_has(&c->args, "from") ? view_file(&c->args, &v, err)
                                           : view_phone(&c->args, &v, err);
    }
    if (rc == IA_OK) {
        rc = put(c, &v, err);
    }
    ia_snapshot_free(v.snapshot);
    ia_buf_fini(&v.png);
    return rc;
}
