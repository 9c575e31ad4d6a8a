/* verb_look.c: snapshot and screenshot: the screen as text, JSON and picture. */
#include "server/verbs/verb_look.h"

#include "base/clean.h"
#include "base/clock.h"
#include "driver/image/annotate.h"
#include "driver/image/image.h"
#include "server/verbs/verb_impl.h"

#include <string.h>

static void put_text(const struct ia_args *a, const struct ia_snapshot *s, struct ia_buf *out)
{
    struct ia_buf text = IA_BUF(IA_VERB_BYTES_MAX);
    if (ia_args_has(a, "rows")) {
        ia_snapshot_rows(s, &text);
    } else {
        ia_snapshot_text(s, (size_t)ia_args_int(a, "max-bytes", 0), &text);
    }
    if (ia_args_has(a, "status")) {
        ia_snapshot_unlisted(s, &text);
    }
    if (ia_args_has(a, "next")) {
        ia_snapshot_next(s, &text);
    }
    ia_clean(out, ia_buf_str(&text), IA_CLEAN_TEXT);
    ia_buf_fini(&text);
}

enum ia_rc ia_verb_put_snapshot(const struct ia_args *a, const struct ia_snapshot *s,
                                struct ia_str png, struct ia_verb_result *ret,
                                struct ia_err *err)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, &ret->result);
    put_text(a, s, &ret->text);
    ret->fence = true;
    if (ia_args_has(a, "rows")) {
        ia_snapshot_json_rows(s, &w);
    } else {
        ia_snapshot_json(s, ia_wall_ms(ia_clock_system()),
                         ia_args_has(a, "screenshot") ? png : ia_str(""), &w);
    }
    return ia_args_has(a, "annotate") ? ia_snapshot_annotate(s, png, &ret->file, err) : IA_OK;
}

enum ia_rc ia_verb_check_snapshot(const struct ia_args *a, struct ia_err *err)
{
    static const char *const pairs[][2] = {{"text", "rows"}, {"rows", "max-bytes"}};
    for (size_t i = 0; i < IA_COUNTOF(pairs); i++) {
        if (ia_args_has(a, pairs[i][0]) && ia_args_has(a, pairs[i][1])) {
            return ia_err_set(err, IA_E_USAGE, "--%s and --%s cannot be used together",
                              pairs[i][0], pairs[i][1]);
        }
    }
    return IA_OK;
}

/* Whoever is shown the whole screen is told only what changes from here on. */
static void shown(struct ia_verb_call *call, const struct ia_snapshot *s)
{
    ia_snapshot_free(call->lane->shown);
    call->lane->shown = ia_snapshot_ref(s);
}

enum ia_rc ia_verb_do_snapshot(struct ia_verb_call *call, struct ia_verb_result *ret,
                               struct ia_err *err)
{
    struct ia_session *session = call->lane->session;
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(session, &call->deadline, &s, err);
    if (rc == IA_OK && ia_args_has(call->args, "screenshot")) {
        rc = ia_session_screenshot(session, &call->deadline, &ret->image, err);
    } else if (rc == IA_OK && ia_args_has(call->args, "annotate")) {
        rc = ia_session_picture(session, &call->deadline, &ret->image, err);
    }
    if (rc == IA_OK) {
        ia_session_name_containers(session);
        rc = ia_verb_put_snapshot(call->args, s, ia_buf_str(&ret->image), ret, err);
    }
    if (rc == IA_OK) {
        shown(call, s);
    }
    return rc;
}

/* ---- screenshot -------------------------------------------------------------------------- */

/* Where a command line has it saved, NULL. */
static const char *saved_as(const struct ia_verb_call *call)
{
    const struct ia_opt *o = call->args->opts;
    while (o->name && !o->fallback) {
        o++;
    }
    const char *given = ia_args_text(call->args, "out");
    return given ? given : strcmp(call->request->actor, "cli") == 0 ? o->fallback : NULL;
}

static enum ia_rc put_size(const struct ia_verb_call *call, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    const char *path = saved_as(call);
    int width = 0, height = 0;
    struct ia_jsonw w;
    enum ia_rc rc = ia_png_size(ia_buf_str(&ret->file), &width, &height, err);
    if (rc == IA_OK) {
        ia_clean(&ret->text, ia_str(path ? path : ""), IA_CLEAN_LINE);
        ia_buf_printf(&ret->text, "%s%d x %d pixels\n", path ? ": " : "", width, height);
        ia_jsonw_init(&w, &ret->result);
        ia_jsonw_object(&w);
        ia_jsonw_kv_int(&w, "width", width);
        ia_jsonw_kv_int(&w, "height", height);
        ia_jsonw_kv_int(&w, "bytes", (int64_t)ret->file.len);
        ia_jsonw_end_object(&w);
    }
    return rc;
}

/* Refs belong to a snapshot, so that picture shows the same screen as one. */
static enum ia_rc annotated(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    struct ia_session *session = call->lane->session;
    const struct ia_snapshot *s = NULL;
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = ia_session_snapshot(session, &call->deadline, &s, err);
    if (rc == IA_OK) {
        rc = ia_session_picture(session, &call->deadline, &png, err);
    }
    if (rc == IA_OK) {
        rc = ia_snapshot_annotate(s, ia_buf_str(&png), &ret->file, err);
    }
    ia_buf_fini(&png);
    return rc;
}

enum ia_rc ia_verb_do_screenshot(struct ia_verb_call *call, struct ia_verb_result *ret,
                                 struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (ia_args_has(call->args, "annotate")) {
        rc = annotated(call, ret, err);
    } else if (ia_args_has(call->args, "points")) {
        rc = ia_session_screenshot(call->lane->session, &call->deadline, &ret->file, err);
    } else {
        rc = ia_session_picture(call->lane->session, &call->deadline, &ret->file, err);
    }
    return rc == IA_OK ? put_size(call, ret, err) : rc;
}

/* ---- audit ------------------------------------------------------------------------------- */

/* Whether there are findings as grave as the caller does not accept. */
static bool too_grave(const struct ia_args *a, const struct ia_audit *audit)
{
    const char *word = ia_args_text(a, "fail-on");
    static const char *const words[] = {"error", "warning", "notice", "never", NULL};
    int least = word ? ia_verb_index(words, word) : 0;
    for (int i = 0; i <= least && i < (int)IA_COUNTOF(audit->counts); i++) {
        if (strcmp(words[least], "never") != 0 && audit->counts[i] > 0) {
            return true;
        }
    }
    return false;
}

enum ia_rc ia_verb_do_audit(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    struct ia_audit audit;
    struct ia_jsonw w;
    struct ia_buf text = IA_BUF(IA_VERB_TEXT_MAX);
    enum ia_rc rc = ia_session_audit(call->lane->session, &call->deadline, &audit, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_audit_text(&audit, &text);
    ia_clean(&ret->text, ia_buf_str(&text), IA_CLEAN_TEXT);
    ret->fence = true;
    ia_jsonw_init(&w, &ret->result);
    ia_audit_json(&audit, &w);
    if (too_grave(call->args, &audit)) {
        const char *least = ia_args_text(call->args, "fail-on");
        rc = ia_err_set(err, IA_E_NOT_MET, "the screen has findings of severity %s or worse",
                        least ? least : "error");
    }
    ia_audit_fini(&audit);
    ia_buf_fini(&text);
    return rc;
}
