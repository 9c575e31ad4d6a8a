/* device.c: the operations of driver/device.h, each as one request with an effect, or none. Touches go to
 * points: an element's id would cost a look-up and could scroll the screen behind our back. */
#include "driver/wda/impl.h"

#include "base/base64.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 4 << 20, STATE_TRIES = 15, STATE_WAIT_US = 200000 };

static struct ia_wda_client *self(struct ia_device *d)
{
    return (struct ia_wda_client *)d;
}

/* ---- arguments -------------------------------------------------------------------------- */

/* The arguments of one request as they are written. */
struct args {
    struct ia_buf text;
    struct ia_jsonw out;
};

static struct ia_jsonw *args_begin(struct args *a)
{
    a->text = IA_BUF(ARGS_MAX);
    ia_jsonw_init(&a->out, &a->text);
    ia_jsonw_object(&a->out);
    return &a->out;
}

/* Ends and sends them. */
static enum ia_rc args_send(struct args *a, struct ia_device *d,
                            const struct ia_deadline *deadline, enum ia_wda_client_kind kind,
                            int64_t more_ms, json_t **ret_value, struct ia_err *err)
{
    ia_jsonw_end_object(&a->out);
    const struct ia_wda_client_request r = {.kind = kind, .more_ms = more_ms};
    return ia_wda_client_args(self(d), deadline, r, &a->text, ret_value, err);
}

/* With one text. */
static enum ia_rc send_text(struct ia_device *d, const struct ia_deadline *deadline,
                            enum ia_wda_client_kind kind, const char *key, const char *value,
                            json_t **ret_value, struct ia_err *err)
{
    struct args a;
    ia_jsonw_kv(args_begin(&a), key, value);
    return args_send(&a, d, deadline, kind, 0, ret_value, err);
}

/* ---- touches ---------------------------------------------------------------------------- */

static enum ia_rc check_point(struct ia_device *d, struct ia_point at, struct ia_err *err)
{
    const struct ia_device_info *i = &self(d)->info;
    /* Either way round: the screen may be turned. */
    double most = i->width_pt > i->height_pt ? i->width_pt : i->height_pt;
    if (at.x >= 0 && at.y >= 0 && (most <= 0 || (at.x < most && at.y < most))) {
        return IA_OK;
    }
    return ia_wda_client_refuse(IA_E_USAGE, err, "the point (%g, %g) is outside the screen",
                                at.x, at.y);
}

static enum ia_rc check_number(int n, int min, int max, const char *what, struct ia_err *err)
{
    return n >= min && n <= max
               ? IA_OK
               : ia_wda_client_refuse(IA_E_USAGE, err, "%s is %d; it must be %d to %d", what, n,
                                      min, max);
}

static void put_point(struct ia_jsonw *out, struct ia_point at)
{
    ia_jsonw_kv_real(out, "x", at.x);
    ia_jsonw_kv_real(out, "y", at.y);
}

static enum ia_rc op_tap(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_point at, struct ia_err *err)
{
    struct args a;
    enum ia_rc rc = check_point(d, at, err);
    if (rc != IA_OK) {
        return rc;
    }
    put_point(args_begin(&a), at);
    return args_send(&a, d, deadline, IA_WDA_ASK_TAP, 0, NULL, err);
}

static enum ia_rc op_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_point at, int duration_ms, struct ia_err *err)
{
    struct args a;
    enum ia_rc rc = check_point(d, at, err);
    rc = rc == IA_OK
             ? check_number(duration_ms, 1, IA_WDA_DURATION_MAX_MS, "the duration in ms", err)
             : rc;
    if (rc != IA_OK) {
        return rc;
    }
    put_point(args_begin(&a), at);
    ia_jsonw_kv_real(&a.out, "duration", duration_ms / 1000.0);
    return args_send(&a, d, deadline, IA_WDA_ASK_HOLD, duration_ms, NULL, err);
}

static void put_move(struct ia_jsonw *out, struct ia_point to, int duration_ms)
{
    ia_jsonw_object(out);
    ia_jsonw_kv(out, "type", "pointerMove");
    ia_jsonw_kv_int(out, "duration", duration_ms);
    ia_jsonw_kv(out, "origin", "viewport");
    put_point(out, to);
    ia_jsonw_end_object(out);
}

static void put_button(struct ia_jsonw *out, const char *type)
{
    ia_jsonw_object(out);
    ia_jsonw_kv(out, "type", type);
    ia_jsonw_kv_int(out, "button", 0);
    ia_jsonw_end_object(out);
}

/* One finger along a line. WebDriverAgent takes pointers of type touch only. */
static void put_finger(struct ia_jsonw *out, const char *id, struct ia_point from,
                       struct ia_point to, int duration_ms)
{
    ia_jsonw_object(out);
    ia_jsonw_kv(out, "type", "pointer");
    ia_jsonw_kv(out, "id", id);
    ia_jsonw_key(out, "parameters");
    ia_jsonw_object(out);
    ia_jsonw_kv(out, "pointerType", "touch");
    ia_jsonw_end_object(out);
    ia_jsonw_key(out, "actions");
    ia_jsonw_array(out);
    put_move(out, from, 0);
    put_button(out, "pointerDown");
    put_move(out, to, duration_ms);
    put_button(out, "pointerUp");
    ia_jsonw_end_array(out);
    ia_jsonw_end_object(out);
}

/* Not dragfromtoforduration, whose duration is that of the press before the drag. */
static enum ia_rc op_drag(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_point from, struct ia_point to, int duration_ms,
                          struct ia_err *err)
{
    struct args a;
    enum ia_rc rc = check_point(d, from, err);
    rc = rc == IA_OK ? check_point(d, to, err) : rc;
    rc = rc == IA_OK
             ? check_number(duration_ms, 0, IA_WDA_DURATION_MAX_MS, "the duration in ms", err)
             : rc;
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_key(args_begin(&a), "actions");
    ia_jsonw_array(&a.out);
    put_finger(&a.out, "finger1", from, to, duration_ms);
    ia_jsonw_end_array(&a.out);
    return args_send(&a, d, deadline, IA_WDA_ASK_ACTIONS, duration_ms, NULL, err);
}

/* Two fingers along the longer side of `in`, which together end (or begin) near its edges. */
static enum ia_rc pinch_in(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_rect in, double scale, struct ia_err *err)
{
    struct args a;
    bool wide = in.w >= in.h;
    double wide_apart = 0.4 * (wide ? in.w : in.h);
    double from = scale > 1 ? wide_apart / scale : wide_apart;
    double to = scale > 1 ? wide_apart : wide_apart * scale;
    struct ia_point middle = {in.x + in.w / 2, in.y + in.h / 2};
    ia_jsonw_key(args_begin(&a), "actions");
    ia_jsonw_array(&a.out);
    for (int side = -1; side <= 1; side += 2) {
        struct ia_point begin = {middle.x + (wide ? side * from : 0),
                                 middle.y + (wide ? 0 : side * from)};
        struct ia_point end = {middle.x + (wide ? side * to : 0),
                               middle.y + (wide ? 0 : side * to)};
        put_finger(&a.out, side < 0 ? "finger1" : "finger2", begin, end, IA_WDA_PINCH_MS);
    }
    ia_jsonw_end_array(&a.out);
    return args_send(&a, d, deadline, IA_WDA_ASK_ACTIONS, IA_WDA_PINCH_MS, NULL, err);
}

/* The whole screen has a request of its own; its velocity has the sign of the change. */
static enum ia_rc op_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_rect in, double scale, struct ia_err *err)
{
    const struct ia_device_info *i = &self(d)->info;
    struct args a;
    if (!(scale >= 0.1 && scale <= 10) || !(in.w > 0 && in.h > 0)) {
        return ia_wda_client_refuse(
            IA_E_USAGE, err, "a pinch has a scale of 0.1 to 10 and an area; %g is none", scale);
    }
    /* As large as the screen, however the device is held. */
    if (in.w * in.h < i->width_pt * i->height_pt) {
        return pinch_in(d, deadline, in, scale, err);
    }
    ia_jsonw_kv_real(args_begin(&a), "scale", scale);
    ia_jsonw_kv_real(&a.out, "velocity", scale > 1 ? 1 : -1);
    return args_send(&a, d, deadline, IA_WDA_ASK_PINCH, 0, NULL, err);
}

/* ---- keys ------------------------------------------------------------------------------- */

/* WebDriverAgent types without looking whether anything takes it. */
static enum ia_rc need_keyboard(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_err *err)
{
    struct ia_tree *t = NULL;
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    enum ia_rc rc = ia_wda_client_source(self(d), deadline, &t, e);
    if (rc == IA_OK && !ia_wda_client_node(t, IA_EL_KEYBOARD)) {
        rc = ia_err_set(e, IA_E_NO_KEYBOARD, "no text field has the keyboard");
        ia_err_hint(e, "tap a text field first");
    }
    ia_tree_free(t);
    return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, rc == IA_OK ? NULL : e);
}

static void put_key(struct ia_jsonw *out, const char *type, struct ia_str key)
{
    ia_jsonw_object(out);
    ia_jsonw_kv(out, "type", type);
    ia_jsonw_key(out, "value");
    ia_jsonw_str(out, key);
    ia_jsonw_end_object(out);
}

/* One key after the other: `text` cut into characters, `times` times. */
static void put_keys(struct ia_jsonw *out, bool appium, struct ia_str text, int times)
{
    for (; times > 0; times--) {
        for (size_t i = 0, n; i < text.n; i += n) {
            n = ia_utf8_valid_len(text.p + i, text.n - i);
            n = n > 0 ? n : 1;
            struct ia_str key = {text.p + i, n};
            if (appium) {
                put_key(out, "keyDown", key);
                put_key(out, "keyUp", key);
            } else {
                ia_jsonw_str(out, key);
            }
        }
    }
}

/* Appium has no request for keys as such; its actions take them. */
static enum ia_rc type_keys(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_str text, int times, int64_t more_ms, struct ia_err *err)
{
    bool appium = self(d)->dialect == IA_WDA_APPIUM;
    struct args a;
    struct ia_jsonw *out = args_begin(&a);
    if (appium) {
        ia_jsonw_key(out, "actions");
        ia_jsonw_array(out);
        ia_jsonw_object(out);
        ia_jsonw_kv(out, "type", "key");
        ia_jsonw_kv(out, "id", "keyboard");
    }
    ia_jsonw_key(out, appium ? "actions" : "value");
    ia_jsonw_array(out);
    put_keys(out, appium, text, times);
    ia_jsonw_end_array(out);
    if (appium) {
        ia_jsonw_end_object(out);
        ia_jsonw_end_array(out);
    } else {
        ia_jsonw_kv_int(out, "frequency", self(d)->pace > 0 ? self(d)->pace : IA_WDA_FREQUENCY);
    }
    return args_send(&a, d, deadline, appium ? IA_WDA_ASK_ACTIONS : IA_WDA_ASK_KEYS, more_ms,
                     NULL, err);
}

/* What becomes of it through Appium is Appium's. */
static enum ia_rc op_typing_pace(struct ia_device *d, int per_second, struct ia_err *err)
{
    if (self(d)->dialect == IA_WDA_APPIUM) {
        return ia_device_cannot("type at another pace", err);
    }
    self(d)->pace = per_second;
    return IA_OK;
}

static enum ia_rc op_type_text(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_str text, struct ia_err *err)
{
    enum { MS_PER_BYTE = 150 };
    if (text.n > IA_WDA_TEXT_MAX) {
        return ia_wda_client_refuse(IA_E_LIMIT, err, "the text has %zu bytes; the limit is %d",
                                    text.n, IA_WDA_TEXT_MAX);
    }
    if (!ia_utf8_printable(text, "\n")) {
        return ia_wda_client_refuse(
            IA_E_USAGE, err,
            "the text is not UTF-8 or has control characters that no key "
            "types");
    }
    enum ia_rc rc = need_keyboard(d, deadline, err);
    return rc == IA_OK && text.n > 0
               ? type_keys(d, deadline, text, 1, (int64_t)text.n * MS_PER_BYTE, err)
               : rc;
}

static enum ia_rc op_delete_text(struct ia_device *d, const struct ia_deadline *deadline,
                                 int count, struct ia_err *err)
{
    enum { MS_PER_KEY = 150 };
    bool appium = self(d)->dialect == IA_WDA_APPIUM;
    enum ia_rc rc = check_number(count, 1, IA_WDA_DELETE_MAX, "the count", err);
    rc = rc == IA_OK ? need_keyboard(d, deadline, err) : rc;
    /* U+E003 is WebDriver's backspace. */
    return rc == IA_OK ? type_keys(d, deadline, ia_str(appium ? "\xEE\x80\x83" : "\b"), count,
                                   (int64_t)count * MS_PER_KEY, err)
                       : rc;
}

/* ---- buttons, apps, orientation --------------------------------------------------------- */

static enum ia_rc op_press(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_button button, struct ia_err *err)
{
    static const char *const names[] = {[IA_BUTTON_HOME] = "home",
                                        [IA_BUTTON_VOLUME_UP] = "volumeUp",
                                        [IA_BUTTON_VOLUME_DOWN] = "volumeDown"};
    if (button == IA_BUTTON_LOCK) {
        const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_LOCK};
        return ia_wda_client_call(self(d), deadline, &r, NULL, err);
    }
    return send_text(d, deadline, IA_WDA_ASK_PRESS, "name", names[button], NULL, err);
}

static enum ia_rc op_app_state(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, enum ia_application_state *ret_state,
                               struct ia_err *err)
{
    json_t *value = NULL;
    enum ia_rc rc =
        send_text(d, deadline, IA_WDA_ASK_APP_STATE, "bundleId", bundle_id, &value, err);
    json_int_t state = json_integer_value(value);
    if (rc == IA_OK) {
        *ret_state = state >= IA_APP_NOT_RUNNING && state <= IA_APP_FRONT
                         ? (enum ia_application_state)state
                         : IA_APP_UNKNOWN;
    }
    json_decref(value);
    return rc;
}

/* Nothing says that an app did not come up but its state. */
static enum ia_rc wait_for_front(struct ia_device *d, const struct ia_deadline *deadline,
                                 const char *bundle_id, struct ia_err *err)
{
    const struct ia_clock *clock = self(d)->clock;
    struct ia_cancel *cancel = deadline ? deadline->cancel : NULL;
    enum ia_application_state state = IA_APP_UNKNOWN;
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < STATE_TRIES && rc == IA_OK && state != IA_APP_FRONT; i++) {
        rc = i > 0 ? ia_clock_wait(clock, cancel, ia_mono_us(clock) + STATE_WAIT_US) : IA_OK;
        rc = rc == IA_OK ? op_app_state(d, deadline, bundle_id, &state, err)
                         : ia_err_set(err, rc, "launch: cancelled while the app came up");
    }
    if (rc == IA_OK && state != IA_APP_FRONT) {
        rc =
            ia_err_set(err, IA_E_NO_APP, "%.200s was launched and %s", bundle_id,
                       state > IA_APP_NOT_RUNNING ? "stays in the background" : "does not run");
        ia_err_hint(err, "it may have crashed: its crash report says why");
    }
    return ia_wda_client_outcome(rc, IA_OUTCOME_SENT, rc == IA_OK ? NULL : err);
}

/* Not apps/launch: this one starts an app, too, and has no arguments that a running one would lose. */
static enum ia_rc op_launch(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_err *err)
{
    if (bundle_id[0] == '\0') {
        return ia_wda_client_refuse(IA_E_USAGE, err, "the bundle id is empty");
    }
    enum ia_rc rc =
        send_text(d, deadline, IA_WDA_ASK_ACTIVATE, "bundleId", bundle_id, NULL, err);
    return rc == IA_OK ? wait_for_front(d, deadline, bundle_id, err) : rc;
}

static enum ia_rc op_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, struct ia_err *err)
{
    return send_text(d, deadline, IA_WDA_ASK_TERMINATE, "bundleId", bundle_id, NULL, err);
}

static enum ia_rc op_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *url, struct ia_err *err)
{
    if (url[0] == '\0') {
        return ia_wda_client_refuse(IA_E_USAGE, err, "the URL is empty");
    }
    return send_text(d, deadline, IA_WDA_ASK_URL, "url", url, NULL, err);
}

/* Appium knows the first two only. */
static enum ia_rc op_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                 enum ia_orientation o, struct ia_err *err)
{
    static const char *const names[] = {
        [IA_PORTRAIT] = "PORTRAIT",
        [IA_LANDSCAPE_LEFT] = "LANDSCAPE",
        [IA_LANDSCAPE_RIGHT] = "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT",
        [IA_UPSIDE_DOWN] = "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN"};
    if ((unsigned)o >= IA_COUNTOF(names)) {
        return ia_wda_client_refuse(IA_E_USAGE, err, "there is no orientation %d", (int)o);
    }
    if (self(d)->dialect == IA_WDA_APPIUM && o != IA_PORTRAIT && o != IA_LANDSCAPE_LEFT) {
        return ia_wda_client_refuse(
            IA_E_UNSUPPORTED, err,
            "Appium turns a phone to portrait and to landscape left only");
    }
    return send_text(d, deadline, IA_WDA_ASK_ORIENTATION, "orientation", names[o], NULL, err);
}

/* ---- pictures --------------------------------------------------------------------------- */

static bool is_png(const struct ia_buf *b, size_t from)
{
    static const char head[] = "\x89PNG\r\n\x1a\n";
    return b->len - from > sizeof(head) && memcmp(b->p + from, head, sizeof(head) - 1) == 0;
}

static enum ia_rc op_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_SCREENSHOT};
    json_t *value = NULL;
    size_t from = ret_png->len;
    enum ia_rc rc = ia_wda_client_call(self(d), deadline, &r, &value, err);
    if (rc == IA_OK) {
        bool good = ia_base64_decode(ia_json_str(value), ret_png) && is_png(ret_png, from);
        rc = ia_buf_check(ret_png, "a screenshot", err);
        if (rc == IA_OK && !good) {
            ia_buf_cut(ret_png, from);
            rc = ia_err_set(err, IA_E_PROTO, "screenshot: the answer is not a PNG as base64");
        }
    }
    json_decref(value);
    return rc;
}

/* ---- the pasteboard --------------------------------------------------------------------- */

static enum ia_rc op_set_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_str text, struct ia_err *err)
{
    struct args a;
    ia_jsonw_key(args_begin(&a), "content");
    ia_jsonw_base64(&a.out, text.p, text.n);
    ia_jsonw_kv(&a.out, "contentType", "plaintext");
    return args_send(&a, d, deadline, IA_WDA_ASK_PASTE_SET, 0, NULL, err);
}

static enum ia_rc op_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_text, struct ia_err *err)
{
    json_t *value = NULL;
    enum ia_rc rc =
        send_text(d, deadline, IA_WDA_ASK_PASTE_GET, "contentType", "plaintext", &value, err);
    if (rc == IA_OK && !ia_base64_decode(ia_json_str(value), ret_text) && ia_buf_ok(ret_text)) {
        rc = ia_err_set(err, IA_E_PROTO, "pasteboard: the answer is not base64");
    }
    json_decref(value);
    return rc == IA_OK ? ia_buf_check(ret_text, "the pasteboard", err) : rc;
}

/* ---- where it is ------------------------------------------------------------------------ */

static enum ia_rc op_location(struct ia_device *d, const struct ia_deadline *deadline,
                              const struct ia_location *place, struct ia_err *err)
{
    const struct ia_wda_client_request back = {.kind = IA_WDA_ASK_UNPLACE};
    struct args a;
    if (!place) {
        return ia_wda_client_call(self(d), deadline, &back, NULL, err);
    }
    enum ia_rc rc = ia_location_check(place, err);
    if (rc != IA_OK) {
        return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, err);
    }
    ia_jsonw_kv_real(args_begin(&a), "latitude", place->latitude);
    ia_jsonw_kv_real(&a.out, "longitude", place->longitude);
    return args_send(&a, d, deadline, IA_WDA_ASK_PLACE, 0, NULL, err);
}

/* ---- the rest --------------------------------------------------------------------------- */

static enum ia_rc op_info(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err)
{
    (void)err;
    *ret = self(d)->info;
    return IA_OK;
}

static enum ia_rc op_release(struct ia_device *d, struct ia_err *err)
{
    struct ia_wda_client *w = self(d);
    (void)err;
    w->released = true;
    ia_wda_client_let_go(w);
    return IA_OK;
}

static enum ia_rc op_acquire(struct ia_device *d, const struct ia_deadline *deadline,
                             bool *ret_changed, struct ia_err *err)
{
    struct ia_wda_client *w = self(d);
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    enum ia_rc rc = ia_wda_client_hold(w, e);
    *ret_changed = false;
    if (rc == IA_OK && w->session[0] != '\0' && !ia_wda_client_in_file(w)) {
        *ret_changed = true;
        w->session[0] = '\0';
        rc = ia_wda_client_begin(w, deadline, e);
    }
    if (rc != IA_OK) {
        ia_wda_client_let_go(w);
        return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, e);
    }
    w->released = false;
    return IA_OK;
}

static void op_close(struct ia_device *d)
{
    struct ia_wda_client *w = self(d);
    ia_wda_client_end(w);
    ia_wda_client_let_go(w);
    ia_ask_close(w->link);
    free(w->url);
    free(w->udid);
    free(w->capabilities);
    free(w->session_file);
    free(w->before);
    free(w);
}

const struct ia_device_ops ia_wda_client_ops = {
    .info = op_info,
    .tree = ia_wda_client_op_tree,
    .screenshot = op_screenshot,
    .tap = op_tap,
    .long_press = op_long_press,
    .drag = op_drag,
    .type_text = op_type_text,
    .typing_pace = op_typing_pace,
    .delete_text = op_delete_text,
    .press = op_press,
    .launch = op_launch,
    .terminate = op_terminate,
    .open_url = op_open_url,
    .alert = ia_wda_client_op_alert,
    .orientation = op_orientation,
    .pinch = op_pinch,
    .set_pasteboard = op_set_pasteboard,
    .pasteboard = op_pasteboard,
    .app_state = op_app_state,
    .location = op_location,
    .release = op_release,
    .acquire = op_acquire,
    .close = op_close,
};
