/* perform.c: the primitives that the bridge's core asks of a back end, done through the device
 * vtable. A failure of the vtable becomes a reply by refuse.c. */
#include "driver/embedded/serve/impl.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One request on its way through the phone. */
struct doing {
    struct ia_serve *s;
    struct ia_device *phone;
    const struct ia_wire_request *req;
    struct ia_deadline deadline;
    struct ia_wire_reply *reply;
};

typedef void perform_fn(const struct doing *d);

/* ---- failures ---------------------------------------------------------------------------- */

/* An effect that failed without an outcome may have happened. */
static void finish(const struct doing *d, enum ia_rc rc, struct ia_err *err)
{
    if (rc == IA_OK) {
        ia_wire_reply_ok(d->reply, ia_wire_has_effect(d->req));
        return;
    }
    if (err->outcome == IA_OUTCOME_NONE && ia_wire_has_effect(d->req)) {
        err->outcome = IA_OUTCOME_UNKNOWN;
    }
    ia_serve_refuse(d->reply, err);
}

static void refuse(const struct doing *d, enum ia_wire_code code, const char *what)
{
    bool effect = ia_wire_has_effect(d->req);
    ia_wire_reply_fail(d->reply, code, effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, false, "%s",
                       what);
}

static struct ia_point point(struct ia_wire_point p)
{
    return (struct ia_point){p.x, p.y};
}

/* What is too long for an int is refused by the phone, as what is longer than it allows. */
static int milliseconds(double seconds)
{
    double ms = rint(seconds * 1000);
    return ms >= 0 && ms < INT32_MAX ? (int)ms : ms < 0 ? -1 : INT32_MAX;
}

/* ---- looking ----------------------------------------------------------------------------- */

static void walk(struct ia_bridge_tree *t, const struct ia_node *n)
{
    struct ia_wire_node node = {.type = n->type,
                                .flags = n->flags,
                                .frame = {n->frame.x, n->frame.y, n->frame.w, n->frame.h},
                                .identifier = n->identifier,
                                .label = n->label,
                                .value = n->value,
                                .placeholder = n->placeholder};
    if (!ia_bridge_tree_enter(t, &node)) {
        return;
    }
    for (const struct ia_node *child = n->first_child; child; child = child->next) {
        walk(t, child);
    }
    ia_bridge_tree_leave(t);
}

/* Only what is on the screen has a tree. */
static void perform_tree(const struct doing *d)
{
    const char *app = d->req->u.tree.app;
    if (app[0] != '\0' && !ia_serve_installed(d->s, app)) {
        ia_wire_reply_fail(d->reply, IA_WIRE_E_NO_APP, IA_WIRE_NONE, false,
                           "no app has the bundle id \"%.100s\"", app);
        return;
    }
    if (app[0] != '\0' && !ia_serve_in_front(d->s, app)) {
        ia_wire_reply_fail(d->reply, IA_WIRE_E_TREE_EMPTY, IA_WIRE_NONE, false,
                           "%.100s is not in front; %s is", app, ia_serve_front(d->s));
        return;
    }
    struct ia_err err = {0};
    struct ia_tree *tree = NULL;
    enum ia_rc rc = ia_device_tree(d->phone, &d->deadline, &tree, &err);
    if (rc == IA_OK && ia_bridge_cancelled(d->s->call)) { /* what was waited for did not end */
        ia_tree_free(tree);
        rc = ia_err_set(&err, IA_E_CANCELLED, "cancelled while the tree was taken");
        err.retry_safe = true;
    }
    if (rc != IA_OK) {
        ia_serve_refuse(d->reply, &err);
        return;
    }
    struct ia_bridge_tree t;
    ia_bridge_tree_begin(&t, &d->req->u.tree, d->reply);
    walk(&t, ia_tree_root(tree));
    ia_bridge_tree_end(&t, ia_tree_app(tree));
    ia_tree_free(tree);
}

static void perform_screenshot(const struct doing *d)
{
    bool points = d->req->u.screenshot.scale == IA_WIRE_SCALE_POINTS;
    struct ia_buf png = IA_BUF(IA_WIRE_PNG_MAX);
    struct ia_device_info info = {.scale = 1};
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_info(d->phone, &info, &err);
    if (rc == IA_OK) {
        rc = points ? ia_device_screenshot_pt(d->phone, &d->deadline, &png, &err)
                    : ia_device_screenshot(d->phone, &d->deadline, &png, &err);
    }
    uint8_t *copy = rc == IA_OK ? ia_wire_alloc(&d->reply->arena, png.len) : NULL;
    if (copy) {
        double scale = points ? 1 : info.scale;
        memcpy(copy, png.p, png.len);
        d->reply->u.screenshot =
            (struct ia_wire_screenshot_reply){.width_px = (uint32_t)(info.width_pt * scale),
                                              .height_px = (uint32_t)(info.height_pt * scale),
                                              .scale = scale,
                                              .png = copy,
                                              .png_n = (uint32_t)png.len};
    }
    ia_buf_fini(&png);
    finish(d, rc, &err);
}

static void perform_info(const struct doing *d)
{
    ia_serve_info(d->s, d->reply);
}

static void perform_list_apps(const struct doing *d)
{
    ia_serve_apps(d->s, d->reply);
}

static void perform_alerts(const struct doing *d)
{
    ia_serve_alerts(d->s, d->reply);
}

/* ---- touching ---------------------------------------------------------------------------- */

static void perform_tap(const struct doing *d)
{
    const struct ia_wire_tap_point *r = &d->req->u.tap_point;
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    int done = 0;
    for (; rc == IA_OK && done < (r->taps > 0 ? r->taps : 1); done++) {
        rc = ia_device_tap(d->phone, &d->deadline, point(r->at), &err);
    }
    if (rc != IA_OK && done > 1 && err.outcome == IA_OUTCOME_NOT_SENT) {
        err.outcome = IA_OUTCOME_SENT; /* those before it were */
        err.retry_safe = false;
    }
    finish(d, rc, &err);
}

static void perform_long_press(const struct doing *d)
{
    const struct ia_wire_long_press_point *r = &d->req->u.long_press_point;
    struct ia_err err = {0};
    finish(d,
           ia_device_long_press(d->phone, &d->deadline, point(r->at),
                                milliseconds(r->duration_s), &err),
           &err);
}

static void perform_drag(const struct doing *d)
{
    const struct ia_wire_drag *r = &d->req->u.drag;
    double seconds = r->duration_s == 0 ? 0.3 : r->duration_s;
    if (r->velocity > 0) {
        seconds = hypot(r->to.x - r->from.x, r->to.y - r->from.y) / r->velocity;
    }
    struct ia_err err = {0};
    finish(d,
           ia_device_drag(d->phone, &d->deadline, point(r->from), point(r->to),
                          milliseconds(seconds), &err),
           &err);
}

static void perform_pinch(const struct doing *d)
{
    const struct ia_wire_node *on = d->s->call->element;
    struct ia_device_info info;
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_info(d->phone, &info, &err);
    struct ia_rect in = {0, 0, info.width_pt, info.height_pt};
    if (on) {
        in = (struct ia_rect){on->frame.x, on->frame.y, on->frame.w, on->frame.h};
    }
    if (rc == IA_OK) {
        rc = ia_device_pinch(d->phone, &d->deadline, in, d->req->u.pinch.scale, &err);
    }
    finish(d, rc, &err);
}

static void perform_press(const struct doing *d)
{
    static const struct {
        uint8_t from, to;
    } buttons[] = {
        {IA_WIRE_BUTTON_HOME, IA_BUTTON_HOME},
        {IA_WIRE_BUTTON_LOCK, IA_BUTTON_LOCK},
        {IA_WIRE_BUTTON_VOLUME_UP, IA_BUTTON_VOLUME_UP},
        {IA_WIRE_BUTTON_VOLUME_DOWN, IA_BUTTON_VOLUME_DOWN},
    };
    for (size_t i = 0; i < IA_COUNTOF(buttons); i++) {
        if (buttons[i].from == d->req->u.press_button.button) {
            struct ia_err err = {0};
            enum ia_button button = (enum ia_button)buttons[i].to;
            finish(d, ia_device_press(d->phone, &d->deadline, button, &err), &err);
            return;
        }
    }
    refuse(d, IA_WIRE_E_UNSUPPORTED, "this phone has no such button");
}

/* ---- text -------------------------------------------------------------------------------- */

/* The next part of a text: as many backspaces, or as much of anything else, as there is. */
static enum ia_rc type_part(const struct doing *d, struct ia_str rest, size_t *ret_n,
                            struct ia_err *err)
{
    bool back = rest.p[0] == '\b';
    size_t n = 0;
    while (n < rest.n && (rest.p[n] == '\b') == back) {
        n++;
    }
    *ret_n = n;
    return back ? ia_device_delete_text(d->phone, &d->deadline, (int)n, err)
                : ia_device_type_text(d->phone, &d->deadline, (struct ia_str){rest.p, n}, err);
}

/* A backspace in the text deletes, as it does in XCTest. */
static void perform_type(const struct doing *d)
{
    struct ia_str text = ia_str(d->req->u.type_text.text);
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    size_t at = 0;
    do {
        size_t n = 0;
        rc = type_part(d, (struct ia_str){text.p + at, text.n - at}, &n, &err);
        at += rc == IA_OK ? n : 0;
    } while (rc == IA_OK && at < text.n);
    if (rc == IA_OK) {
        d->reply->u.typed.count = (uint32_t)ia_utf8_count(text);
    } else if (at > 0 && err.outcome == IA_OUTCOME_NOT_SENT) {
        err.outcome = IA_OUTCOME_SENT; /* the parts before it were */
        err.retry_safe = false;
    }
    finish(d, rc, &err);
}

static void perform_delete(const struct doing *d)
{
    uint32_t count = d->req->u.delete_text.count;
    int n = count < INT32_MAX ? (int)count : INT32_MAX;
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_delete_text(d->phone, &d->deadline, n, &err);
    if (rc == IA_OK) {
        d->reply->u.typed.count = count;
    }
    finish(d, rc, &err);
}

/* ---- apps -------------------------------------------------------------------------------- */

static void finish_state(const struct doing *d, const char *bundle_id, enum ia_rc rc,
                         struct ia_err *err)
{
    if (rc == IA_OK) {
        d->reply->u.state.state = (uint8_t)ia_serve_state(d->s, bundle_id);
    }
    finish(d, rc, err);
}

static void perform_launch(const struct doing *d)
{
    const struct ia_wire_launch *r = &d->req->u.launch;
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    bool ended = false;
    if (r->args_n > 0 || r->env_n > 0) {
        refuse(d, IA_WIRE_E_UNSUPPORTED,
               "the apps of this phone take neither arguments nor an environment");
        return;
    }
    if (r->mode == IA_WIRE_LAUNCH_FRESH &&
        ia_serve_state(d->s, r->bundle_id) >= IA_WIRE_APP_SUSPENDED) {
        rc = ia_device_terminate(d->phone, &d->deadline, r->bundle_id, &err);
        ended = rc == IA_OK;
    }
    if (rc == IA_OK) {
        rc = ia_device_launch(d->phone, &d->deadline, r->bundle_id, &err);
    }
    if (rc == IA_OK) {
        ia_serve_set_target(d->s, r->bundle_id);
    } else if (ended && err.outcome == IA_OUTCOME_NOT_SENT) {
        err.outcome = IA_OUTCOME_SENT; /* it was ended */
        err.retry_safe = false;
    }
    finish_state(d, r->bundle_id, rc, &err);
}

static void perform_terminate(const struct doing *d)
{
    const char *app = d->req->u.bundle.bundle_id;
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_terminate(d->phone, &d->deadline, app, &err);
    if (rc == IA_OK && strcmp(app, d->s->target) == 0) {
        ia_serve_set_target(d->s, "");
    }
    finish_state(d, app, rc, &err);
}

static void perform_state(const struct doing *d)
{
    struct ia_err err = {0};
    finish_state(d, ia_serve_app(d->s, d->req->u.bundle.bundle_id), IA_OK, &err);
}

static void perform_target(const struct doing *d)
{
    const char *app = d->req->u.bundle.bundle_id;
    if (!ia_serve_installed(d->s, app)) {
        refuse(d, IA_WIRE_E_NO_APP, "no app has that bundle id");
        return;
    }
    ia_serve_set_target(d->s, app);
    struct ia_err err = {0};
    finish_state(d, app, IA_OK, &err);
}

static void perform_open_url(const struct doing *d)
{
    struct ia_err err = {0};
    finish(d, ia_device_open_url(d->phone, &d->deadline, d->req->u.open_url.url, &err), &err);
}

static void perform_reset(const struct doing *d)
{
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_reset(d->phone, &d->deadline, &err);
    if (rc == IA_OK) {
        ia_serve_set_target(d->s, "");
    }
    finish(d, rc, &err);
}

/* ---- alerts and settings ----------------------------------------------------------------- */

static void perform_alert(const struct doing *d)
{
    static const enum ia_alert_action actions[] = {
        [IA_WIRE_ALERT_ACCEPT] = IA_ALERT_ACCEPT,
        [IA_WIRE_ALERT_DISMISS] = IA_ALERT_DISMISS,
        [IA_WIRE_ALERT_BUTTON] = IA_ALERT_BUTTON,
    };
    const struct ia_wire_alert_act *r = &d->req->u.alert_act;
    struct ia_embedded_alert alert = {.system = false};
    bool shown = ia_embedded_device_alert(d->phone, &alert);
    if (shown && r->owner != IA_WIRE_OWNER_ANY &&
        alert.system != (r->owner == IA_WIRE_OWNER_SYSTEM)) {
        refuse(d, IA_WIRE_E_NO_ALERT,
               alert.system ? "the alert on the screen is the system's, not the app's"
                            : "the alert on the screen is the app's, not the system's");
        return;
    }
    const char *names[] = {alert.accept, alert.dismiss, r->button};
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_alert(d->phone, &d->deadline, actions[r->action],
                                    r->action == IA_WIRE_ALERT_BUTTON ? r->button : NULL, &err);
    if (rc == IA_OK) {
        d->reply->u.alert_act.button = ia_wire_str(&d->reply->arena, names[r->action]);
    }
    finish(d, rc, &err);
}

static void perform_orientation(const struct doing *d)
{
    static const enum ia_orientation orientations[] = {
        [IA_WIRE_ORIENTATION_READ] = IA_PORTRAIT,
        [IA_WIRE_PORTRAIT] = IA_PORTRAIT,
        [IA_WIRE_LANDSCAPE_LEFT] = IA_LANDSCAPE_LEFT,
        [IA_WIRE_LANDSCAPE_RIGHT] = IA_LANDSCAPE_RIGHT,
        [IA_WIRE_UPSIDE_DOWN] = IA_UPSIDE_DOWN,
    };
    uint8_t mode = d->req->u.orientation.mode;
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    if (mode != IA_WIRE_ORIENTATION_READ) {
        rc = ia_device_orientation(d->phone, &d->deadline, orientations[mode], &err);
    }
    if (rc == IA_OK) {
        d->reply->u.mode.mode = ia_serve_orientation(d->phone);
    }
    finish(d, rc, &err);
}

static void perform_appearance(const struct doing *d)
{
    uint8_t mode = d->req->u.appearance.mode;
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    if (mode != IA_WIRE_APPEARANCE_READ) {
        rc = ia_embedded_device_set_dark(d->phone, &d->deadline, mode == IA_WIRE_DARK, &err);
    }
    if (rc == IA_OK) {
        bool dark = ia_embedded_device_dark(d->phone);
        d->reply->u.mode.mode = dark ? IA_WIRE_DARK : IA_WIRE_LIGHT;
    }
    finish(d, rc, &err);
}

/* Written first where that is asked for, then read. */
static void perform_pasteboard(const struct doing *d)
{
    const struct ia_wire_pasteboard *r = &d->req->u.pasteboard;
    struct ia_buf text = IA_BUF(IA_WIRE_TYPED_MAX);
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    if (r->mode == IA_WIRE_PASTEBOARD_WRITE) {
        rc = ia_device_set_pasteboard(d->phone, &d->deadline, ia_str(r->text), &err);
    }
    if (rc == IA_OK) {
        rc = ia_device_pasteboard(d->phone, NULL, &text, &err);
    }
    if (rc == IA_OK) {
        d->reply->u.pasteboard.text = ia_wire_str(&d->reply->arena, ia_buf_cstr(&text));
    }
    ia_buf_fini(&text);
    finish(d, rc, &err);
}

static void perform_native(const struct doing *d)
{
    const struct ia_wire_native *r = &d->req->u.native;
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    struct ia_err err = {0};
    enum ia_rc rc = ia_device_native(d->phone, &d->deadline, (enum ia_native)r->action,
                                     ia_str(r->args), &answer, &err);
    if (rc == IA_OK) {
        d->reply->u.native.answer = ia_wire_str(&d->reply->arena, ia_buf_cstr(&answer));
    }
    ia_buf_fini(&answer);
    finish(d, rc, &err);
}

/* ---- the table --------------------------------------------------------------------------- */

/* What becomes of the target. SCREEN: the request means what is on it. FOLLOW: it may bring
 * another app to the front. */
enum { SCREEN = 1, FOLLOW = 2 };

#define OPS(X)                                                                                 \
    X(INFO, perform_info, 0)                                                                   \
    X(TREE, perform_tree, SCREEN)                                                              \
    X(TYPE_TEXT, perform_type, SCREEN | FOLLOW)                                                \
    X(DELETE_TEXT, perform_delete, SCREEN | FOLLOW)                                            \
    X(TAP_POINT, perform_tap, SCREEN | FOLLOW)                                                 \
    X(LONG_PRESS_POINT, perform_long_press, SCREEN | FOLLOW)                                   \
    X(DRAG, perform_drag, SCREEN | FOLLOW)                                                     \
    X(PINCH, perform_pinch, SCREEN | FOLLOW)                                                   \
    X(PRESS_BUTTON, perform_press, FOLLOW)                                                     \
    X(ORIENTATION, perform_orientation, 0)                                                     \
    X(LAUNCH, perform_launch, 0)                                                               \
    X(TERMINATE, perform_terminate, 0)                                                         \
    X(STATE, perform_state, 0)                                                                 \
    X(LIST_APPS, perform_list_apps, 0)                                                         \
    X(OPEN_URL, perform_open_url, FOLLOW)                                                      \
    X(ALERTS, perform_alerts, 0)                                                               \
    X(ALERT_ACT, perform_alert, FOLLOW)                                                        \
    X(APPEARANCE, perform_appearance, 0)                                                       \
    X(PASTEBOARD, perform_pasteboard, 0)                                                       \
    X(NATIVE, perform_native, 0)                                                               \
    X(SCREENSHOT, perform_screenshot, 0)                                                       \
    X(RESET, perform_reset, 0)                                                                 \
    X(TARGET, perform_target, 0)

#define BIT(op, fn, flags) | IA_WIRE_BIT(IA_WIRE_OP_##op)
const uint64_t ia_serve_can = 0 OPS(BIT);

static void run(const struct doing *d, perform_fn *fn, int target)
{
    char front[IA_WIRE_NAME_MAX + 1];
    bool named = d->req->op == IA_WIRE_OP_TREE && d->req->u.tree.app[0] != '\0';
    if ((target & SCREEN) && !named && !ia_serve_reach_target(d->s, d->req, d->reply)) {
        return;
    }
    (void)snprintf(front, sizeof(front), "%s", ia_serve_front(d->s));
    fn(d);
    if (target & FOLLOW) {
        ia_serve_follow_target(d->s, front);
    }
}

void ia_serve_perform(void *ctx, const struct ia_wire_request *req,
                      const struct ia_bridge_call *call, struct ia_wire_reply *reply)
{
    static const struct {
        uint8_t op, target;
        perform_fn *fn;
    } rows[] = {
#define ROW(op, fn, flags) {IA_WIRE_OP_##op, flags, fn},
        OPS(ROW)
#undef ROW
    };
    struct ia_serve *s = ctx;
    struct doing d = {.s = s, .phone = s->phone, .req = req, .reply = reply};
    d.deadline.cancel = s->cancel;
    d.deadline.at_us = ia_mono_us(s->clock) + (call->deadline_us - ia_bridge_now_us());
    s->call = call;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (rows[i].op == req->op) {
            run(&d, rows[i].fn, rows[i].target);
            s->call = NULL;
            return;
        }
    }
    s->call = NULL;
    refuse(&d, IA_WIRE_E_UNSUPPORTED, "the simulated phone cannot do that");
}
