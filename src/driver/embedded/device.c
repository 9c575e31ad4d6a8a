/* device.c: the phone behind the device vtable, and its oracle. */
#include "driver/embedded.h"

#include "driver/embedded/oplog.h"
#include "driver/embedded/paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_CHARS = 32 };

struct embedded {
    struct ia_device device; /* first: the vtable */
    struct ia_phone *phone;
    struct ia_oplog *log; /* NULL: in memory only */
    const struct ia_clock *clock;
    char name[NAME_MAX_CHARS + 1];
};

static struct embedded *self(struct ia_device *d)
{
    return (struct embedded *)d;
}

/* A call that is cancelled or late touches nothing. */
static enum ia_rc begin(const struct embedded *e, const struct ia_call *call,
                        struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (call && ia_cancel_fired(call->cancel)) {
        rc = ia_err_set(err, IA_E_CANCELLED, "cancelled before anything was sent");
    } else if (call && call->deadline_us != IA_NO_DEADLINE &&
               ia_mono_us(e->clock) >= call->deadline_us) {
        rc = ia_err_set(err, IA_E_TIMEOUT, "the time was over before anything was sent");
    }
    if (rc != IA_OK && err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
        err->retry_safe = true;
    }
    return rc;
}

/* The one way an operation reaches the phone: checked, logged, then done. */
static enum ia_rc submit(struct ia_device *d, const struct ia_call *call,
                         const struct ia_op *op, struct ia_err *err)
{
    struct embedded *e = self(d);
    enum ia_rc rc = begin(e, call, err);
    if (rc == IA_OK) {
        rc = ia_op_check(e->phone, op, err);
    }
    if (rc == IA_OK && e->log) {
        rc = ia_oplog_append(e->log, e->phone, op, err);
    }
    return rc == IA_OK ? ia_op_act(e->phone, op, err) : rc;
}

static enum ia_rc op_info(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err)
{
    (void)err;
    *ret = (struct ia_device_info){.width_pt = IA_SCREEN_W,
                                   .height_pt = IA_SCREEN_H,
                                   .scale = IA_PAINT_SCALE,
                                   .simulated = true,
                                   .instant = true};
    (void)snprintf(ret->kind, sizeof(ret->kind), "embedded");
    (void)snprintf(ret->id, sizeof(ret->id), "embedded:%s", self(d)->name);
    (void)snprintf(ret->name, sizeof(ret->name), "iPhone (simulated)");
    (void)snprintf(ret->os, sizeof(ret->os), "iOS 18.5");
    return IA_OK;
}

static enum ia_rc op_tree(struct ia_device *d, const struct ia_call *call,
                          struct ia_tree **ret_tree, struct ia_err *err)
{
    enum ia_rc rc = begin(self(d), call, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_scene s;
    ia_phone_scene(self(d)->phone, &s);
    struct ia_tree *t = ia_tree_new();
    ia_scene_to_tree(&s, t);
    ia_scene_fini(&s);
    *ret_tree = t;
    return IA_OK;
}

static enum ia_rc draw(struct ia_device *d, const struct ia_call *call, int scale,
                       struct ia_buf *ret_png, struct ia_err *err)
{
    enum ia_rc rc = begin(self(d), call, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_scene s;
    ia_phone_scene(self(d)->phone, &s);
    rc = ia_paint_png(&s, scale, ret_png, err);
    ia_scene_fini(&s);
    return rc;
}

static enum ia_rc op_screenshot(struct ia_device *d, const struct ia_call *call,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    return draw(d, call, IA_PAINT_SCALE, ret_png, err);
}

static enum ia_rc op_screenshot_pt(struct ia_device *d, const struct ia_call *call,
                                   struct ia_buf *ret_png, struct ia_err *err)
{
    return draw(d, call, 1, ret_png, err);
}

static enum ia_rc op_tap(struct ia_device *d, const struct ia_call *call, struct ia_point at,
                         struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_TAP, .x = at.x, .y = at.y};
    return submit(d, call, &op, err);
}

static enum ia_rc op_long_press(struct ia_device *d, const struct ia_call *call,
                                struct ia_point at, int duration_ms, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_LONG_PRESS, .x = at.x, .y = at.y, .n = duration_ms};
    return submit(d, call, &op, err);
}

static enum ia_rc op_drag(struct ia_device *d, const struct ia_call *call, struct ia_point from,
                          struct ia_point to, int duration_ms, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_DRAG,
                       .x = from.x,
                       .y = from.y,
                       .to_x = to.x,
                       .to_y = to.y,
                       .n = duration_ms};
    return submit(d, call, &op, err);
}

static enum ia_rc op_type_text(struct ia_device *d, const struct ia_call *call,
                               struct ia_str text, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_TYPE, .text = text};
    return submit(d, call, &op, err);
}

static enum ia_rc op_delete_text(struct ia_device *d, const struct ia_call *call, int count,
                                 struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_DELETE, .n = count};
    return submit(d, call, &op, err);
}

static enum ia_rc op_press(struct ia_device *d, const struct ia_call *call,
                           enum ia_button button, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_PRESS, .n = (int)button};
    return submit(d, call, &op, err);
}

static enum ia_rc op_launch(struct ia_device *d, const struct ia_call *call,
                            const char *bundle_id, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_LAUNCH, .text = ia_str(bundle_id)};
    return submit(d, call, &op, err);
}

static enum ia_rc op_terminate(struct ia_device *d, const struct ia_call *call,
                               const char *bundle_id, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_TERMINATE, .text = ia_str(bundle_id)};
    return submit(d, call, &op, err);
}

static enum ia_rc op_open_url(struct ia_device *d, const struct ia_call *call, const char *url,
                              struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_OPEN_URL, .text = ia_str(url)};
    return submit(d, call, &op, err);
}

static enum ia_rc op_alert(struct ia_device *d, const struct ia_call *call,
                           enum ia_alert_action action, const char *button, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_ALERT, .n = (int)action, .text = ia_str(button)};
    return submit(d, call, &op, err);
}

static enum ia_rc op_orientation(struct ia_device *d, const struct ia_call *call,
                                 enum ia_orientation o, struct ia_err *err)
{
    enum ia_rc rc = begin(self(d), call, err);
    if (rc == IA_OK && o != IA_PORTRAIT) {
        rc = ia_err_set(err, IA_E_UNSUPPORTED, "the simulated iPhone stays in portrait");
        if (err) {
            err->outcome = IA_OUTCOME_NOT_SENT;
        }
    }
    return rc;
}

static enum ia_rc op_reset(struct ia_device *d, const struct ia_call *call, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_RESET};
    return submit(d, call, &op, err);
}

static void op_close(struct ia_device *d)
{
    struct embedded *e = self(d);
    ia_oplog_close(e->log);
    ia_phone_free(e->phone);
    free(e);
}

static const struct ia_device_ops ops = {
    .info = op_info,
    .tree = op_tree,
    .screenshot = op_screenshot,
    .screenshot_pt = op_screenshot_pt,
    .tap = op_tap,
    .long_press = op_long_press,
    .drag = op_drag,
    .type_text = op_type_text,
    .delete_text = op_delete_text,
    .press = op_press,
    .launch = op_launch,
    .terminate = op_terminate,
    .open_url = op_open_url,
    .alert = op_alert,
    .orientation = op_orientation,
    .reset = op_reset,
    .close = op_close,
};

static enum ia_rc check_name(const char *name, struct ia_err *err)
{
    size_t n = name ? strlen(name) : 0;
    if (n >= 1 && n <= NAME_MAX_CHARS &&
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "\"%.40s\" is not a name for a phone", name ? name : "");
    ia_err_hint(err, "1 to %d of a-z, 0-9 and \"-\"", NAME_MAX_CHARS);
    return rc;
}

enum ia_rc ia_embedded_open(const struct ia_embedded_options *opt, struct ia_device **ret,
                            struct ia_err *err)
{
    enum ia_rc rc = check_name(opt->name, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct embedded *e = ia_calloc(1, sizeof(*e));
    e->device.ops = &ops;
    e->clock = opt->clock ? opt->clock : ia_clock_system();
    (void)snprintf(e->name, sizeof(e->name), "%s", opt->name);
    if (opt->folder) {
        rc = ia_oplog_open(opt->folder, opt->name, opt->fresh, opt->seed, &e->log, &e->phone,
                           err);
    } else {
        e->phone = ia_phone_new(opt->seed);
    }
    if (rc != IA_OK) {
        free(e);
        return rc;
    }
    *ret = &e->device;
    return IA_OK;
}

static void running_json(const struct ia_phone *p, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "running");
    ia_jsonw_array(w);
    for (int i = 0; i < p->app_count; i++) {
        if (p->apps[i].running) {
            ia_jsonw_string(w, ia_apps[i]->bundle_id);
        }
    }
    ia_jsonw_end_array(w);
}

static void state_json(const struct ia_phone *p, struct ia_jsonw *w)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    const struct ia_app *app = ia_phone_app(p);
    ia_jsonw_object(w);
    for (int i = 0; i < p->app_count; i++) {
        if (ia_apps[i]->state_json) {
            ia_apps[i]->state_json(p->apps[i].data, w);
        }
    }
    ia_jsonw_key(w, "settings");
    ia_prefs_json(&p->prefs, w);
    ia_jsonw_kv(w, "foreground", app ? app->bundle_id : IA_SPRINGBOARD);
    ia_jsonw_kv(w, "screen", ia_phone_title(p));
    ia_jsonw_kv(w, "alert", a && a->alert ? a->alert->title : NULL);
    ia_jsonw_kv_bool(w, "keyboard", a && a->focus >= 0);
    ia_jsonw_kv_bool(w, "locked", p->locked);
    running_json(p, w);
    ia_jsonw_kv_int(w, "seq", p->seq);
    ia_jsonw_kv_int(w, "time_ms", p->now_ms);
    ia_jsonw_end_object(w);
}

/* Reads the log of a phone that is not ours to touch, and makes a phone from it to look at. */
static enum ia_rc read_phone(const struct ia_embedded_options *opt, struct ia_buf *bytes,
                             struct ia_phone **ret, struct ia_err *err)
{
    enum ia_rc rc = check_name(opt->name, err);
    struct ia_buf path = IA_BUF(4096);
    size_t good;
    if (rc == IA_OK && opt->folder) {
        ia_buf_printf(&path, "%s/%s.log", opt->folder, opt->name);
        rc = ia_oplog_read(opt->folder, opt->name, bytes, err);
    }
    if (rc == IA_OK) {
        rc = ia_oplog_replay(ia_buf_str(bytes), ia_buf_cstr(&path), opt->seed, ret, &good, err);
    }
    ia_buf_fini(&path);
    return rc;
}

enum ia_rc ia_embedded_state_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                  struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_OPLOG_BYTES_MAX);
    struct ia_phone *p = NULL;
    enum ia_rc rc = read_phone(opt, &bytes, &p, err);
    if (rc == IA_OK) {
        state_json(p, w);
    }
    ia_phone_free(p);
    ia_buf_fini(&bytes);
    return rc;
}

enum ia_rc ia_embedded_log_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_OPLOG_BYTES_MAX);
    struct ia_phone *p = NULL;
    enum ia_rc rc = read_phone(opt, &bytes, &p, err);
    if (rc == IA_OK) {
        ia_oplog_json(ia_buf_str(&bytes), w);
    }
    ia_phone_free(p);
    ia_buf_fini(&bytes);
    return rc;
}

void ia_embedded_device_state_json(struct ia_device *d, struct ia_jsonw *w)
{
    state_json(self(d)->phone, w);
}
