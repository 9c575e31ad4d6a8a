/* device.c: the operations of driver/device.h as requests of the extensions.
 *
 * Each is one request. When one fails in a way that an ended app would explain, the bridge is
 * asked once whether the app that was launched last still runs (blame_app). */
#include "driver/bridge/impl.h"

#include "driver/native.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ia_bridge_client_device *self(struct ia_device *d)
{
    return (struct ia_bridge_client_device *)d;
}

/* ---- requests --------------------------------------------------------------------------- */

/* Many failures only mean that the app has ended: asks whether the app that was launched last
 * still runs, and if not says so instead. */
static enum ia_rc blame_app(struct ia_bridge_client *h, const struct ia_deadline *deadline,
                            enum ia_rc rc, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_STATE, .u.bundle.bundle_id = h->target};
    struct ia_wire_reply reply;
    bool may_be = rc == IA_E_DEVICE || rc == IA_E_TREE_EMPTY || rc == IA_E_TREE_MALFORMED ||
                  rc == IA_E_INTERNAL;
    if (!may_be || h->target[0] == '\0' || !ia_bridge_client_serves(h, IA_WIRE_OP_STATE) ||
        ia_bridge_client_request(h, deadline, &req, &reply, NULL) != IA_OK) {
        return rc;
    }
    if (reply.u.state.state == IA_WIRE_APP_NOT_RUNNING) {
        struct ia_err why = *err;
        rc =
            ia_err_set(err, IA_E_APP_GONE, "%s is no longer running: it exited or crashed (%s)",
                       h->target, why.msg);
        ia_err_hint(err, "launch it again; its crash report says why");
        err->outcome = why.outcome;
        err->retry_safe = false;
    }
    ia_wire_reply_fini(&reply);
    return rc;
}

static enum ia_rc request(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_wire_request *req, struct ia_wire_reply *ret,
                          struct ia_err *err)
{
    struct ia_bridge_client *h = &self(d)->client;
    struct ia_err local_err = {.code = IA_OK};
    struct ia_err *e = err ? err : &local_err;
    enum ia_rc rc = ia_bridge_client_request(h, deadline, req, ret, e);
    return rc == IA_OK ? IA_OK : blame_app(h, deadline, rc, e);
}

/* A request whose reply says nothing but that it worked. */
static enum ia_rc act(struct ia_device *d, const struct ia_deadline *deadline,
                      struct ia_wire_request *req, struct ia_err *err)
{
    struct ia_wire_reply reply;
    enum ia_rc rc = request(d, deadline, req, &reply, err);
    if (rc == IA_OK) {
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

static enum ia_rc op_tree(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_tree **ret_tree, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE, .u.tree.app = ""};
    struct ia_wire_reply reply;
    struct ia_err local_err = {.code = IA_OK};
    struct ia_err *e = err ? err : &local_err;
    enum ia_rc rc = request(d, deadline, &req, &reply, e);
    if (rc != IA_OK) {
        return rc;
    }
    self(d)->client.status.cut = reply.u.tree.cut;
    rc = ia_bridge_client_tree(&reply.u.tree, ret_tree, e);
    ia_wire_reply_fini(&reply);
    return rc == IA_OK ? IA_OK : blame_app(&self(d)->client, deadline, rc, e);
}

static enum ia_rc picture(struct ia_device *d, const struct ia_deadline *deadline,
                          enum ia_wire_scale scale, struct ia_buf *ret_png, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_SCREENSHOT,
                                  .u.screenshot.scale = (uint8_t)scale};
    struct ia_wire_reply reply;
    enum ia_rc rc = request(d, deadline, &req, &reply, err);
    if (rc != IA_OK) {
        return rc;
    }
    const struct ia_wire_screenshot_reply *u = &reply.u.screenshot;
    if (ia_bridge_client_is_png(u->png, u->png_n)) {
        ia_buf_put(ret_png, u->png, u->png_n);
        rc = ia_buf_check(ret_png, "a screenshot", err);
    } else {
        rc = ia_err_set(err, IA_E_PROTO, "screenshot: %u bytes that are not a PNG",
                        (unsigned)u->png_n);
        ia_err_hint(err, "see the bridge's log: ios-agent bridge logs");
    }
    ia_wire_reply_fini(&reply);
    return rc;
}

static enum ia_rc op_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    return picture(d, deadline, IA_WIRE_SCALE_PIXELS, ret_png, err);
}

/* A bridge that cannot draw it small is asked only once. */
static enum ia_rc op_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_buf *ret_png, struct ia_err *err)
{
    struct ia_bridge_client_device *b = self(d);
    if (b->no_points) {
        return ia_bridge_client_unsupported(&b->client, "a screenshot in points", err);
    }
    enum ia_rc rc = picture(d, deadline, IA_WIRE_SCALE_POINTS, ret_png, err);
    b->no_points = rc == IA_E_UNSUPPORTED;
    return rc;
}

static struct ia_wire_point point(struct ia_point p)
{
    return (struct ia_wire_point){p.x, p.y};
}

static enum ia_rc op_tap(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_point at, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TAP_POINT, .u.tap_point.at = point(at)};
    return act(d, deadline, &req, err);
}

static enum ia_rc op_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_point at, int duration_ms, struct ia_err *err)
{
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_LONG_PRESS_POINT,
        .u.long_press_point = {.at = point(at), .duration_s = duration_ms / 1000.0}};
    return act(d, deadline, &req, err);
}

static enum ia_rc op_drag(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_point from, struct ia_point to, int duration_ms,
                          struct ia_err *err)
{
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_DRAG,
        .u.drag = {.from = point(from), .to = point(to), .duration_s = duration_ms / 1000.0}};
    return act(d, deadline, &req, err);
}

static enum ia_rc send_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                             const struct ia_wire_signature *on, double scale,
                             struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_PINCH,
                                  .u.pinch = {.target.signature = on, .scale = scale}};
    return act(d, deadline, &req, err);
}

/* The wire pinches elements, as XCTest does: the one that has the frame now, found in a fresh tree. */
static enum ia_rc op_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_rect in, double scale, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE, .u.tree.app = ""};
    struct ia_wire_reply reply;
    struct ia_device_info info;
    enum ia_rc rc = ia_bridge_client_op_info(d, &info, err);
    if (rc == IA_OK && in.w >= info.width_pt && in.h >= info.height_pt) {
        return send_pinch(d, deadline, NULL, scale, err);
    }
    rc = rc == IA_OK ? request(d, deadline, &req, &reply, err) : rc;
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_wire_signature on;
    if (ia_bridge_client_sign(&reply.u.tree, in, &on)) {
        rc = send_pinch(d, deadline, &on, scale, err);
    } else {
        rc = ia_err_set(err, IA_E_MOVING, "the element to pinch has moved or is gone");
        rc = ia_bridge_client_outcome(rc, IA_OUTCOME_NOT_SENT, err);
    }
    ia_wire_reply_fini(&reply);
    return rc;
}

static enum ia_rc op_type_text(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_str text, struct ia_err *err)
{
    char *s = NULL;
    enum ia_rc rc = ia_bridge_client_typed(text, &s, err);
    if (rc == IA_OK) {
        struct ia_wire_request req = {.op = IA_WIRE_OP_TYPE_TEXT, .u.type_text.text = s};
        rc = act(d, deadline, &req, err);
    }
    free(s);
    return rc;
}

static enum ia_rc op_delete_text(struct ia_device *d, const struct ia_deadline *deadline,
                                 int count, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_DELETE_TEXT,
                                  .u.delete_text.count = count > 0 ? (uint32_t)count : 0};
    return act(d, deadline, &req, err);
}

static enum ia_rc op_press(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_button button, struct ia_err *err)
{
    static const uint8_t of[] = {[IA_BUTTON_HOME] = IA_WIRE_BUTTON_HOME,
                                 [IA_BUTTON_LOCK] = IA_WIRE_BUTTON_LOCK,
                                 [IA_BUTTON_VOLUME_UP] = IA_WIRE_BUTTON_VOLUME_UP,
                                 [IA_BUTTON_VOLUME_DOWN] = IA_WIRE_BUTTON_VOLUME_DOWN};
    struct ia_wire_request req = {.op = IA_WIRE_OP_PRESS_BUTTON,
                                  .u.press_button.button = of[button]};
    return act(d, deadline, &req, err);
}

/* The target is the app that blame_app asks about. There is none while a launch is under way: the
 * old app no longer explains a failure, and the new one may not run yet. */
static enum ia_rc op_launch(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_err *err)
{
    struct ia_bridge_client *h = &self(d)->client;
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_LAUNCH,
        .u.launch = {.bundle_id = bundle_id, .mode = IA_WIRE_LAUNCH_FRONT}};
    h->target[0] = '\0';
    enum ia_rc rc = act(d, deadline, &req, err);
    if (rc == IA_OK) {
        (void)snprintf(h->target, sizeof(h->target), "%s", bundle_id);
    }
    return rc;
}

static enum ia_rc op_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, struct ia_err *err)
{
    struct ia_bridge_client *h = &self(d)->client;
    struct ia_wire_request req = {.op = IA_WIRE_OP_TERMINATE, .u.bundle.bundle_id = bundle_id};
    if (strcmp(h->target, bundle_id) == 0) {
        h->target[0] = '\0'; /* that it does not run is no crash */
    }
    return act(d, deadline, &req, err);
}

static enum ia_rc op_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *url, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_OPEN_URL, .u.open_url.url = url};
    return act(d, deadline, &req, err);
}

static enum ia_rc op_alert(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_alert_action action, const char *button, struct ia_err *err)
{
    static const uint8_t of[] = {[IA_ALERT_ACCEPT] = IA_WIRE_ALERT_ACCEPT,
                                 [IA_ALERT_DISMISS] = IA_WIRE_ALERT_DISMISS,
                                 [IA_ALERT_BUTTON] = IA_WIRE_ALERT_BUTTON};
    struct ia_wire_request req = {.op = IA_WIRE_OP_ALERT_ACT,
                                  .u.alert_act = {.owner = IA_WIRE_OWNER_ANY,
                                                  .action = of[action],
                                                  .button = button ? button : ""}};
    return act(d, deadline, &req, err);
}

static enum ia_rc op_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                 enum ia_orientation o, struct ia_err *err)
{
    static const uint8_t of[] = {[IA_PORTRAIT] = IA_WIRE_PORTRAIT,
                                 [IA_LANDSCAPE_LEFT] = IA_WIRE_LANDSCAPE_LEFT,
                                 [IA_LANDSCAPE_RIGHT] = IA_WIRE_LANDSCAPE_RIGHT,
                                 [IA_UPSIDE_DOWN] = IA_WIRE_UPSIDE_DOWN};
    struct ia_wire_request req = {.op = IA_WIRE_OP_ORIENTATION, .u.orientation.mode = of[o]};
    self(d)->known = false; /* width and height may change places */
    return act(d, deadline, &req, err);
}

static enum ia_rc op_reset(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_RESET};
    self(d)->client.target[0] = '\0';
    return act(d, deadline, &req, err);
}

/* One request reads and writes; the text is that after it. */
static enum ia_rc exchange(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_wire_pasteboard_mode mode, const char *text,
                           struct ia_buf *ret_text, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_PASTEBOARD,
                                  .u.pasteboard = {.mode = (uint8_t)mode, .text = text}};
    struct ia_wire_reply reply;
    enum ia_rc rc = request(d, deadline, &req, &reply, err);
    if (rc == IA_OK) {
        if (ret_text) {
            ia_buf_puts(ret_text, reply.u.pasteboard.text);
            rc = ia_buf_check(ret_text, "the pasteboard", err);
        }
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

static enum ia_rc op_set_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_str text, struct ia_err *err)
{
    char *s = NULL;
    enum ia_rc rc = ia_bridge_client_typed(text, &s, err);
    if (rc == IA_OK) {
        rc = exchange(d, deadline, IA_WIRE_PASTEBOARD_WRITE, s, NULL, err);
    }
    free(s);
    return rc;
}

static enum ia_rc op_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_text, struct ia_err *err)
{
    return exchange(d, deadline, IA_WIRE_PASTEBOARD_READ, "", ret_text, err);
}

/* Arguments that the device would refuse are refused here, and so is an answer that is no object. */
static enum ia_rc op_native(struct ia_device *d, const struct ia_deadline *deadline,
                            enum ia_native native, struct ia_str json,
                            struct ia_buf *ret_answer, struct ia_err *err)
{
    char *args = NULL;
    enum ia_rc rc = ia_native_parse(native, json, NULL, err);
    rc = rc == IA_OK ? ia_bridge_client_typed(json, &args, err) : rc;
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_wire_request req = {.op = IA_WIRE_OP_NATIVE,
                                  .u.native = {.action = (uint8_t)native, .args = args}};
    struct ia_wire_reply reply;
    rc = request(d, deadline, &req, &reply, err);
    if (rc == IA_OK) {
        struct ia_str answer = ia_str(reply.u.native.answer);
        if (ia_json_depth_ok(answer, IA_NATIVE_DEPTH_MAX) && ia_json_ok(answer) &&
            answer.p[0] == '{') {
            ia_buf_put(ret_answer, answer.p, answer.n);
            rc = ia_buf_check(ret_answer, "the answer", err);
        } else {
            rc = ia_err_set(err, IA_E_PROTO, "%s: the answer is no JSON object",
                            ia_native_actions[native].name);
            ia_err_hint(err, "see the bridge's log: ios-agent bridge logs");
            bool effect = ia_native_actions[native].effect;
            rc = ia_bridge_client_outcome(rc, effect ? IA_OUTCOME_SENT : IA_OUTCOME_NONE, err);
        }
        ia_wire_reply_fini(&reply);
    }
    free(args);
    return rc;
}

/* ---- apps and appearance ---------------------------------------------------------------- */

_Static_assert((int)IA_APP_FRONT == (int)IA_WIRE_APP_FOREGROUND, "one numbering");

static enum ia_rc op_app_state(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, enum ia_application_state *ret_state,
                               struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_STATE, .u.bundle.bundle_id = bundle_id};
    struct ia_wire_reply reply;
    enum ia_rc rc = request(d, deadline, &req, &reply, err);
    if (rc == IA_OK) {
        *ret_state = (enum ia_application_state)reply.u.state.state;
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

static enum ia_rc op_appearance(struct ia_device *d, const struct ia_deadline *deadline,
                                const bool *set_dark, bool *ret_dark, struct ia_err *err)
{
    uint8_t mode = !set_dark   ? IA_WIRE_APPEARANCE_READ
                   : *set_dark ? IA_WIRE_DARK
                               : IA_WIRE_LIGHT;
    struct ia_wire_request req = {.op = IA_WIRE_OP_APPEARANCE, .u.appearance.mode = mode};
    struct ia_wire_reply reply;
    enum ia_rc rc = request(d, deadline, &req, &reply, err);
    if (rc == IA_OK) {
        *ret_dark = reply.u.mode.mode == IA_WIRE_DARK;
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

/* ---- what it is ------------------------------------------------------------------------- */

static void cut(char *dst, size_t size, const char *s)
{
    (void)snprintf(dst, size, "%s", s && s[0] != '\0' ? s : "unknown");
}

static void take_info(struct ia_bridge_client_device *d, const struct ia_wire_info_reply *u)
{
    const struct ia_bridge_client *h = &d->client;
    struct ia_device_info *to = &d->info;
    const char *udid = h->status.udid[0] != '\0' ? h->status.udid : u->udid;
    char where[IA_BRIDGE_CLIENT_ADDRESS_MAX + 16];
    ia_bridge_client_where(h, where, sizeof(where));
    udid = udid && udid[0] != '\0' ? udid : h->called;
    *to = (struct ia_device_info){.width_pt = u->width_pt,
                                  .height_pt = u->height_pt,
                                  .scale = u->scale > 0 ? u->scale : 1,
                                  .simulated = h->status.features & IA_WIRE_FEATURE_SIMULATED,
                                  .instant = h->status.features & IA_WIRE_FEATURE_INSTANT};
    (void)snprintf(to->kind, sizeof(to->kind), "bridge");
    (void)snprintf(to->id, sizeof(to->id), "bridge:%.55s", udid[0] != '\0' ? udid : where);
    cut(to->name, sizeof(to->name), u->name);
    cut(to->os, sizeof(to->os), u->os);
    d->known = true;
}

enum ia_rc ia_bridge_client_learn(struct ia_bridge_client_device *d,
                                  const struct ia_deadline *deadline, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_INFO};
    struct ia_wire_reply reply;
    enum ia_rc rc = ia_bridge_client_request(&d->client, deadline, &req, &reply, err);
    if (rc == IA_OK) {
        take_info(d, &reply.u.info);
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

const struct ia_device_ops ia_bridge_client_ops = {
    .info = ia_bridge_client_op_info,
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
    .pinch = op_pinch,
    .app_state = op_app_state,
    .appearance = op_appearance,
    .set_pasteboard = op_set_pasteboard,
    .pasteboard = op_pasteboard,
    .native = op_native,
    .close = ia_bridge_client_op_close,
};
