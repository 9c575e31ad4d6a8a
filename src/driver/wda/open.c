/* open.c: a device from its options, and one line on what would be opened. */
#include "driver/wda/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ia_rc send_by_link(void *ctx, const struct ia_ask_request *request,
                               struct ia_ask_answer *ret, struct ia_err *err)
{
    return ia_ask(ctx, request, ret, err);
}

static struct ia_wda_client *new_device(const struct ia_wda_options *opt)
{
    struct ia_wda_client *w = ia_calloc(1, sizeof(*w));
    w->ops = ia_wda_client_ops;
    w->device.ops = &w->ops;
    w->url = ia_strdup(opt->url);
    w->udid = ia_strdup(opt->udid);
    w->capabilities = ia_strdup(opt->capabilities);
    w->session_file = ia_strdup(opt->session_file);
    w->clock = opt->clock ? opt->clock : ia_clock_system();
    w->take = opt->take;
    w->dialect = opt->dialect;
    w->depth = w->full_depth = IA_WDA_DEPTH;
    w->lock_fd = -1;
    w->info = (struct ia_device_info){.kind = "wda", .scale = 1};
    (void)snprintf(w->info.id, sizeof(w->info.id), "%s", opt->lane ? opt->lane : opt->url);
    (void)snprintf(w->info.name, sizeof(w->info.name), "iPhone");
    (void)snprintf(w->info.os, sizeof(w->info.os), "iOS");
    return w;
}

static enum ia_rc connect_link(struct ia_wda_client *w, const struct ia_wda_options *opt,
                               struct ia_err *err)
{
    const struct ia_ask_place place = {
        .url = opt->url, .unix_socket = opt->unix_socket, .authorization = opt->authorization};
    enum ia_rc rc = ia_ask_open(&place, &w->link, err);
    w->send = send_by_link;
    w->send_ctx = w->link;
    return rc;
}

/* ---- what it is ------------------------------------------------------------------------- */

static void take_screen(struct ia_wda_client *w, const json_t *screen)
{
    const json_t *size = json_object_get(screen, "screenSize");
    double scale = json_number_value(json_object_get(screen, "scale"));
    w->info.width_pt = json_number_value(json_object_get(size, "width"));
    w->info.height_pt = json_number_value(json_object_get(size, "height"));
    w->info.scale = scale > 0 ? scale : 1;
}

/* The name is nice to have: a real device behind Appium tells it only over USB. */
static enum ia_rc learn(struct ia_wda_client *w, const struct ia_deadline *deadline,
                        struct ia_err *err)
{
    const struct ia_wda_client_request screen = {.kind = IA_WDA_ASK_SCREEN};
    const struct ia_wda_client_request about = {.kind = IA_WDA_ASK_ABOUT};
    struct ia_err ignored = {.code = IA_OK};
    json_t *value = NULL, *more = NULL;
    enum ia_rc rc = ia_wda_client_call(w, deadline, &screen, &value, err);
    if (rc == IA_OK && ia_wda_client_call(w, deadline, &about, &more, &ignored) == IA_OK) {
        ia_wda_client_text(w->info.name, sizeof(w->info.name), "", ia_json_text(more, "name"));
    }
    take_screen(w, value);
    json_decref(value);
    json_decref(more);
    return rc;
}

/* ---- open ------------------------------------------------------------------------------- */

/* Nothing was there from the start: that is another matter than a device that went. */
static enum ia_rc absent(const struct ia_wda_client *w, enum ia_rc rc, struct ia_err *err)
{
    if (rc != IA_E_DEVICE_LOST || w->dialect_known) {
        return rc;
    }
    struct ia_err why = *err;
    rc = ia_err_set(err, IA_E_NO_DEVICE, "nothing answers: %s", why.msg);
    ia_err_hint(err, w->dialect == IA_WDA_APPIUM
                         ? "start it: appium server; then check the address"
                         : "start WebDriverAgent on the phone, and forward its port 8100: "
                           "docs/devices.md");
    return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, err);
}

static enum ia_rc meet(struct ia_wda_client *w, const struct ia_deadline *deadline,
                       struct ia_err *err)
{
    enum ia_rc rc = ia_wda_client_begin(w, deadline, err);
    rc = rc == IA_OK ? learn(w, deadline, err) : rc;
    return rc == IA_OK ? IA_OK
                       : ia_wda_client_outcome(absent(w, rc, err), IA_OUTCOME_NOT_SENT, err);
}

enum ia_rc ia_wda_client_open_with(const struct ia_wda_options *opt,
                                   ia_wda_client_send_fn *send, void *ctx,
                                   const struct ia_deadline *deadline, struct ia_device **ret,
                                   struct ia_err *err)
{
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    struct ia_wda_client *w = new_device(opt);
    w->send = send;
    w->send_ctx = ctx;
    enum ia_rc rc = send ? IA_OK : connect_link(w, opt, e);
    rc = rc == IA_OK ? meet(w, deadline, e) : rc;
    if (rc != IA_OK) {
        ia_device_close(&w->device);
        return rc;
    }
    *ret = &w->device;
    return IA_OK;
}

enum ia_rc ia_wda_open(const struct ia_wda_options *opt, const struct ia_deadline *deadline,
                       struct ia_device **ret, struct ia_err *err)
{
    return ia_wda_client_open_with(opt, NULL, NULL, deadline, ret, err);
}

/* ---- describe --------------------------------------------------------------------------- */

static void put_description(const struct ia_wda_client *w, const json_t *status,
                            const char *session, struct ia_buf *out)
{
    const char *version = ia_json_text(json_object_get(status, "build"), "version");
    const json_t *os = json_object_get(status, "os");
    bool appium = w->dialect == IA_WDA_APPIUM;
    ia_buf_printf(out, "%s%s%.40s at %s", appium ? "Appium" : "WebDriverAgent",
                  version[0] != '\0' ? " " : "", version, w->url);
    if (!appium) {
        ia_buf_printf(out, ", %.20s %.20s, %s%s", ia_json_text(os, "name"),
                      ia_json_text(os, "version"),
                      session[0] != '\0' ? "driven by session " : "no session", session);
    }
}

enum ia_rc ia_wda_describe(const struct ia_wda_options *opt, const struct ia_deadline *deadline,
                           struct ia_buf *out, struct ia_err *err)
{
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    struct ia_wda_client *w = new_device(opt);
    char session[IA_WDA_ID_MAX + 1];
    json_t *status = NULL;
    enum ia_rc rc = connect_link(w, opt, e);
    rc = rc == IA_OK ? ia_wda_client_look(w, deadline, session, &status, e) : rc;
    if (rc == IA_OK) {
        put_description(w, status, session, out);
    } else {
        rc = absent(w, rc, e);
    }
    json_decref(status);
    ia_device_close(&w->device);
    return rc;
}
