/* classic.c: the operations of driver/device.h as classic requests, for an agent that knows no others.
 *
 * Coordinates are whole points. An app cannot be started, only looked at once it is in front;
 * hardware buttons, URLs, alerts, orientation and reset are not there. */
#include "driver/adapt/adapt.h"
#include "driver/bridge/impl.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DELETE_MAX = 4096 };

static struct ia_bridge_client_device *self(struct ia_device *d)
{
    return (struct ia_bridge_client_device *)d;
}

/* A request whose answer says nothing but that it worked. */
static enum ia_rc act(struct ia_device *d, const struct ia_deadline *deadline,
                      const struct ia_wire_request *req, struct ia_err *err)
{
    struct ia_wire_answer answer;
    enum ia_rc rc = ia_bridge_client_classic(&self(d)->client, deadline, req, &answer, err);
    if (rc == IA_OK) {
        ia_wire_answer_fini(&answer);
    }
    return rc;
}

/* A question that only one kind of answer answers. */
static enum ia_rc ask(struct ia_device *d, const struct ia_deadline *deadline, uint8_t op,
                      enum ia_wire_answer_kind kind, struct ia_wire_answer *ret,
                      struct ia_err *err)
{
    struct ia_wire_request req = {.op = op};
    enum ia_rc rc = ia_bridge_client_classic(&self(d)->client, deadline, &req, ret, err);
    if (rc == IA_OK && ret->kind != kind) {
        rc = ia_err_set(err, IA_E_PROTO, "%s got an answer of the wrong kind (%02x)",
                        ia_wire_op_name(op), (unsigned)ret->kind);
        ia_err_hint(err, "the agent has a version that this program does not know");
        ia_wire_answer_fini(ret);
    }
    return rc;
}

/* ---- reading ---------------------------------------------------------------------------- */

static enum ia_rc op_tree(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_tree **ret_tree, struct ia_err *err)
{
    struct ia_wire_answer answer;
    enum ia_rc rc = ask(d, deadline, IA_WIRE_OP_DUMP_TREE, IA_WIRE_ANSWER_TREE, &answer, err);
    if (rc == IA_OK) {
        rc = ia_adapt(IA_SOURCE_BRIDGE, ia_str(answer.text), ret_tree, err);
        ia_wire_answer_fini(&answer);
    }
    if (rc == IA_OK && self(d)->client.target[0] != '\0') {
        ia_tree_set_app(*ret_tree, self(d)->client.target);
    }
    return rc;
}

static enum ia_rc op_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    struct ia_wire_answer answer;
    enum ia_rc rc = ask(d, deadline, IA_WIRE_OP_CLASSIC_SCREENSHOT, IA_WIRE_ANSWER_SCREENSHOT,
                        &answer, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (ia_bridge_client_is_png(answer.png, answer.png_n)) {
        ia_buf_put(ret_png, answer.png, answer.png_n);
        rc = ia_buf_check(ret_png, "a screenshot", err);
    } else {
        rc = ia_err_set(err, IA_E_PROTO, "screenshot: %u bytes that are not a PNG",
                        (unsigned)answer.png_n);
        ia_err_hint(err, "the agent has a version that this program does not know");
    }
    ia_wire_answer_fini(&answer);
    return rc;
}

/* ---- touching --------------------------------------------------------------------------- */

/* Whole points. What is on no screen is refused here: the agent would not refuse it. */
static enum ia_rc whole(struct ia_point p, int32_t *ret_x, int32_t *ret_y, struct ia_err *err)
{
    enum { SCREEN_MAX = 100000 };
    if (!(p.x >= 0 && p.y >= 0 && p.x < SCREEN_MAX && p.y < SCREEN_MAX)) {
        return ia_bridge_client_outcome(
            ia_err_set(err, IA_E_USAGE, "%g, %g is not a point on the screen", p.x, p.y),
            IA_OUTCOME_NOT_SENT, err);
    }
    *ret_x = (int32_t)lround(p.x);
    *ret_y = (int32_t)lround(p.y);
    return IA_OK;
}

static enum ia_rc op_tap(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_point at, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TAP_COORD};
    enum ia_rc rc = whole(at, &req.u.tap_coord.x, &req.u.tap_coord.y, err);
    return rc == IA_OK ? act(d, deadline, &req, err) : rc;
}

static enum ia_rc op_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_point at, int duration_ms, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_LONG_PRESS,
                                  .u.long_press.duration_s = duration_ms / 1000.0};
    enum ia_rc rc = whole(at, &req.u.long_press.x, &req.u.long_press.y, err);
    return rc == IA_OK ? act(d, deadline, &req, err) : rc;
}

static enum ia_rc op_drag(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_point from, struct ia_point to, int duration_ms,
                          struct ia_err *err)
{
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_SWIPE, .u.swipe.duration_s = {.has = true, .v = duration_ms / 1000.0}};
    enum ia_rc rc = whole(from, &req.u.swipe.x0, &req.u.swipe.y0, err);
    if (rc == IA_OK) {
        rc = whole(to, &req.u.swipe.x1, &req.u.swipe.y1, err);
    }
    return rc == IA_OK ? act(d, deadline, &req, err) : rc;
}

static enum ia_rc type(struct ia_device *d, const struct ia_deadline *deadline,
                       const char *text, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_CLASSIC_TYPE_TEXT,
                                  .u.classic_text.text = text};
    return act(d, deadline, &req, err);
}

static enum ia_rc op_type_text(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_str text, struct ia_err *err)
{
    char *s = NULL;
    enum ia_rc rc = ia_bridge_client_typed(text, &s, err);
    if (rc == IA_OK) {
        rc = type(d, deadline, s, err);
    }
    free(s);
    return rc;
}

/* The delete key is a character to XCTest: U+0008 (XCUIKeyboardKeyDelete). */
static enum ia_rc op_delete_text(struct ia_device *d, const struct ia_deadline *deadline,
                                 int count, struct ia_err *err)
{
    char keys[DELETE_MAX + 1];
    if (count < 0 || count > DELETE_MAX) {
        return ia_bridge_client_outcome(
            ia_err_set(err, IA_E_LIMIT, "cannot delete %d characters; the limit is %d", count,
                       DELETE_MAX),
            IA_OUTCOME_NOT_SENT, err);
    }
    memset(keys, '\b', (size_t)count);
    keys[count] = '\0';
    return type(d, deadline, keys, err);
}

/* ---- apps ------------------------------------------------------------------------------- */

/* Whether the target is in front, by {"state":"running_foreground",…}. */
static enum ia_rc in_front(struct ia_device *d, const struct ia_deadline *deadline, bool *ret,
                           struct ia_err *err)
{
    struct ia_wire_answer answer;
    enum ia_rc rc =
        ask(d, deadline, IA_WIRE_OP_GET_TARGET_INFO, IA_WIRE_ANSWER_TARGET_INFO, &answer, err);
    if (rc == IA_OK) {
        json_t *info = json_loads(answer.text ? answer.text : "", 0, NULL);
        const char *state = json_string_value(json_object_get(info, "state"));
        *ret = state && strcmp(state, "running_foreground") == 0;
        json_decref(info);
        ia_wire_answer_fini(&answer);
    }
    return rc;
}

static enum ia_rc op_launch(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_err *err)
{
    struct ia_bridge_client *h = &self(d)->client;
    struct ia_wire_request req = {.op = IA_WIRE_OP_SET_TARGET,
                                  .u.classic_text.text = bundle_id};
    bool front = false;
    enum ia_rc rc = act(d, deadline, &req, err);
    if (rc == IA_OK) {
        /* From now on a new stream makes it the target again (ladder.c). */
        (void)snprintf(h->target, sizeof(h->target), "%s", bundle_id);
        rc = in_front(d, deadline, &front, err);
    }
    if (rc != IA_OK || front) {
        return rc;
    }
    rc = ia_bridge_client_unsupported(h, "launching an app", err);
    ia_err_hint(err,
                "start it with `xcrun simctl launch %s %.100s`, then launch it here again; or "
                "use this program's bridge: ios-agent bridge start",
                h->status.udid[0] != '\0' ? h->status.udid : "booted", bundle_id);
    return rc;
}

/* ---- what it cannot do ------------------------------------------------------------------ */

static enum ia_rc op_press(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_button button, struct ia_err *err)
{
    (void)deadline;
    (void)button;
    return ia_bridge_client_unsupported(&self(d)->client, "pressing a button", err);
}

static enum ia_rc op_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, struct ia_err *err)
{
    (void)deadline;
    (void)bundle_id;
    return ia_bridge_client_unsupported(&self(d)->client, "ending an app", err);
}

static enum ia_rc op_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *url, struct ia_err *err)
{
    (void)deadline;
    (void)url;
    return ia_bridge_client_unsupported(&self(d)->client, "opening a URL", err);
}

static enum ia_rc op_alert(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_alert_action action, const char *button, struct ia_err *err)
{
    (void)deadline;
    (void)action;
    (void)button;
    return ia_bridge_client_unsupported(&self(d)->client, "answering an alert", err);
}

static enum ia_rc op_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                 enum ia_orientation o, struct ia_err *err)
{
    (void)deadline;
    (void)o;
    return ia_bridge_client_unsupported(&self(d)->client, "turning the device", err);
}

static enum ia_rc op_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_rect in, double scale, struct ia_err *err)
{
    (void)deadline;
    (void)in;
    (void)scale;
    return ia_bridge_client_unsupported(&self(d)->client, "pinching", err);
}

static enum ia_rc op_set_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_str text, struct ia_err *err)
{
    (void)deadline;
    (void)text;
    return ia_bridge_client_unsupported(&self(d)->client, "the pasteboard", err);
}

static enum ia_rc op_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_text, struct ia_err *err)
{
    (void)ret_text;
    return op_set_pasteboard(d, deadline, ia_str(""), err);
}

static enum ia_rc op_native(struct ia_device *d, const struct ia_deadline *deadline,
                            enum ia_native native, struct ia_str json,
                            struct ia_buf *ret_answer, struct ia_err *err)
{
    (void)deadline;
    (void)json;
    (void)ret_answer;
    return ia_bridge_client_unsupported(&self(d)->client, ia_native_actions[native].name, err);
}

/* ---- what it is ------------------------------------------------------------------------- */

/* Width of a PNG in its header: big-endian, behind the signature and "IHDR". */
static double png_width(const struct ia_buf *png)
{
    enum { WIDTH_AT = 16, WIDTH_BYTES = 4 };
    const unsigned char *p = (const unsigned char *)png->p + WIDTH_AT;
    double w = 0;
    if (png->len < WIDTH_AT + WIDTH_BYTES) {
        return 0;
    }
    for (size_t i = 0; i < WIDTH_BYTES; i++) {
        w = w * 256 + p[i];
    }
    return w;
}

static enum ia_rc measure(struct ia_bridge_client_device *d, const struct ia_deadline *deadline,
                          struct ia_err *err)
{
    struct ia_tree *t = NULL;
    struct ia_buf png = IA_BUF(IA_WIRE_PNG_MAX);
    enum ia_rc rc = op_tree(&d->device, deadline, &t, err);
    if (rc == IA_OK) {
        rc = op_screenshot(&d->device, deadline, &png, err);
    }
    if (rc == IA_OK) {
        struct ia_rect frame = ia_tree_root(t)->frame;
        double scale = frame.w > 0 ? round(png_width(&png) / frame.w) : 0;
        d->info.width_pt = frame.w;
        d->info.height_pt = frame.h;
        d->info.scale = scale >= 1 ? scale : 1;
    }
    ia_tree_free(t);
    ia_buf_fini(&png);
    return rc;
}

/* The agent says who it is, but not how large its screen is:
 * that is in a tree and a picture. */
enum ia_rc ia_classic_learn(struct ia_bridge_client_device *d,
                            const struct ia_deadline *deadline, struct ia_err *err)
{
    struct ia_device_info *to = &d->info;
    char where[IA_BRIDGE_CLIENT_ADDRESS_MAX + 16];
    ia_bridge_client_where(&d->client, where, sizeof(where));
    *to = (struct ia_device_info){.scale = 1};
    enum ia_rc rc = measure(d, deadline, err);
    if (rc != IA_OK) {
        return ia_err_wrap(err, rc, "cannot determine the size of the screen");
    }
    (void)snprintf(to->kind, sizeof(to->kind), "bridge");
    (void)snprintf(to->id, sizeof(to->id), "bridge:%.55s",
                   d->client.status.udid[0] != '\0' ? d->client.status.udid : where);
    (void)snprintf(to->name, sizeof(to->name), "iPhone (classic agent, no extensions)");
    (void)snprintf(to->os, sizeof(to->os), "iOS");
    d->known = true;
    return IA_OK;
}

const struct ia_device_ops ia_classic_ops = {
    .info = ia_bridge_client_op_info,
    .tree = op_tree,
    .screenshot = op_screenshot,
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
    .pinch = op_pinch,
    .set_pasteboard = op_set_pasteboard,
    .pasteboard = op_pasteboard,
    .native = op_native,
    .close = ia_bridge_client_op_close,
};
