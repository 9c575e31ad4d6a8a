/* op_check.c: what a phone refuses. Runs before the operation is logged, so a log holds only
 * operations that can be replayed. */
#include "driver/embedded/op/op.h"

#include "base/utf8.h"
#include "driver/embedded/apps/native/native.h"
#include "driver/embedded/fault/knobs.h"
#include "driver/native.h"

#include <jansson.h>

static enum ia_rc check_point(const struct ia_phone *p, double x, double y, struct ia_err *err)
{
    const struct ia_display *d = ia_phone_display(p);
    if (x >= 0 && y >= 0 && x < d->w && y < d->h) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "the point (%g, %g) is outside the screen", x, y);
    ia_err_hint(err, "the screen is %g by %g points", d->w, d->h);
    return rc;
}

static enum ia_rc check_number(int n, int min, int max, const char *what, struct ia_err *err)
{
    if (n >= min && n <= max) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_USAGE, "%s is %d; it must be %d to %d", what, n, min, max);
}

/* controls: the control characters that it may have; newline is a key. */
static enum ia_rc check_text(struct ia_str text, const char *controls, const char *what,
                             struct ia_err *err)
{
    if (text.n > IA_OP_TEXT_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "%s has %zu bytes; the limit is %d", what, text.n,
                          IA_OP_TEXT_MAX);
    }
    if (!ia_utf8_printable(text, controls)) {
        return ia_err_set(err, IA_E_USAGE,
                          "%s is not UTF-8 or has control characters that no key types", what);
    }
    return IA_OK;
}

static enum ia_rc check_keyboard(const struct ia_phone *p, struct ia_err *err)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    if (a && a->focus >= 0 && !p->system_alert) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NO_KEYBOARD, "no text field has the keyboard");
    ia_err_hint(err, "tap a text field first");
    return rc;
}

static enum ia_rc check_app(struct ia_str bundle, struct ia_err *err)
{
    for (int i = 0; ia_apps[i]; i++) {
        if (ia_str_is(bundle, ia_apps[i]->bundle_id)) {
            return IA_OK;
        }
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NO_APP, "no app has the bundle id \"%.*s\"",
                               (int)(bundle.n < 100 ? bundle.n : 100), bundle.p);
    struct ia_buf list = IA_BUF(300);
    for (int i = 0; ia_apps[i]; i++) {
        ia_buf_printf(&list, "%s%s", i ? ", " : "", ia_apps[i]->bundle_id);
    }
    ia_err_hint(err, "installed: %s", ia_buf_cstr(&list));
    ia_buf_fini(&list);
    return rc;
}

static enum ia_rc check_url(struct ia_str url, struct ia_err *err)
{
    enum ia_rc rc = check_text(url, "", "the URL", err);
    struct ia_str query;
    struct ia_knobs ignored;
    if (rc == IA_OK && ia_knobs_url(url, &query)) {
        return ia_knobs_parse(query, &ignored, err);
    }
    for (int i = 0; rc == IA_OK && ia_apps[i]; i++) {
        if (ia_apps[i]->takes_url && ia_apps[i]->takes_url(url)) {
            return IA_OK;
        }
    }
    if (rc == IA_OK) {
        rc = ia_err_set(err, IA_E_NO_APP, "no installed app opens the URL \"%.*s\"",
                        (int)(url.n < 100 ? url.n : 100), url.p);
        ia_err_hint(err, "known: prefs:root=NAME[&path=NAME], contacts://, "
                         "x-apple-reminderkit://, shop://[add/ITEM/PIECES], sketch://, "
                         "uikitcatalog:, sms:[NUMBER], bank:, calshow:, music:, "
                         "shortcuts://, embedded://?bugs=…");
    }
    return rc;
}

static enum ia_rc check_bugs(struct ia_str list, struct ia_err *err)
{
    uint32_t ignored;
    return ia_bugs_parse(list, &ignored, err);
}

static enum ia_rc check_changes(struct ia_str list, struct ia_err *err)
{
    struct ia_changes ignored;
    enum ia_rc rc = check_text(list, "", "the list of changes", err);
    return rc == IA_OK ? ia_changes_parse(list, &ignored, err) : rc;
}

static int button_index(const struct ia_alert *alert, struct ia_str label)
{
    for (int i = 0; i < ia_alert_count(alert); i++) {
        if (ia_str_is(label, alert->buttons[i].label)) {
            return i;
        }
    }
    return -1;
}

static enum ia_rc check_alert(const struct ia_phone *p, const struct ia_op *op,
                              struct ia_err *err)
{
    const struct ia_alert *alert = ia_alert_shown(p);
    if (!alert) {
        return ia_err_set(err, IA_E_NO_ALERT, "no alert is on the screen");
    }
    if (op->n == IA_ALERT_BUTTON && button_index(alert, op->text) < 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND, "the alert has no button \"%.*s\"",
                                   (int)(op->text.n < 100 ? op->text.n : 100), op->text.p);
        struct ia_buf list = IA_BUF(300);
        for (int i = 0; i < ia_alert_count(alert); i++) {
            ia_buf_printf(&list, "%s\"%s\"", i ? ", " : "", alert->buttons[i].label);
        }
        ia_err_hint(err, "its buttons: %s", ia_buf_cstr(&list));
        ia_buf_fini(&list);
        return rc;
    }
    return check_number(op->n, IA_ALERT_ACCEPT, IA_ALERT_BUTTON, "the alert action", err);
}

static enum ia_rc check_drag(const struct ia_phone *p, const struct ia_op *op,
                             struct ia_err *err)
{
    enum ia_rc rc = check_point(p, op->x, op->y, err);
    if (rc == IA_OK) {
        rc = check_point(p, op->to_x, op->to_y, err);
    }
    if (rc == IA_OK) {
        rc = check_number(op->n, 0, IA_OP_DURATION_MAX_MS, "the duration in ms", err);
    }
    return rc;
}

static enum ia_rc check_bar(struct ia_str json, struct ia_err *err)
{
    struct ia_status_bar bar;
    json_t *o = json.n > 0 ? json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    enum ia_rc rc = IA_OK;
    if (o && ia_status_bar_read(o, &bar)) {
        rc = ia_status_bar_check(&bar, err);
    } else if (json.n > 0) {
        rc = ia_err_set(err, IA_E_USAGE, "that is nothing that a status bar shows");
    }
    json_decref(o);
    return rc;
}

static enum ia_rc check_privacy(const struct ia_op *op, struct ia_err *err)
{
    enum ia_rc rc = check_number(op->n, IA_PRIVACY_GRANT, IA_PRIVACY_RESET, "the change", err);
    if (rc == IA_OK && ia_privacy_service_find(op->text) < 0) {
        rc = ia_err_set(err, IA_E_UNSUPPORTED, "there is no such service to permit");
    }
    bool all = op->app.n == 0 && op->n == IA_PRIVACY_RESET;
    all = all || ia_str_is(op->app, IA_NATIVE_APP);
    return rc == IA_OK && !all ? check_app(op->app, err) : rc;
}

static enum ia_rc check_push(const struct ia_op *op, struct ia_err *err)
{
    enum ia_rc rc = ia_push_check(op->text, err);
    return rc == IA_OK ? check_app(op->app, err) : rc;
}

static enum ia_rc check_place(const struct ia_op *op, struct ia_err *err)
{
    struct ia_location at = {.latitude = op->y, .longitude = op->x};
    enum ia_rc rc = ia_location_check(&at, err);
    return rc == IA_OK ? check_number(op->n, 0, 1, "whether a place is set", err) : rc;
}

static enum ia_rc check_media(const struct ia_phone *p, struct ia_str name, struct ia_err *err)
{
    enum ia_rc rc = check_text(name, "", "the name of the file", err);
    if (rc == IA_OK && p->system.media_count == IA_MEDIA_MAX) {
        rc = ia_err_set(err, IA_E_LIMIT, "the phone has room for %d photos and videos",
                        IA_MEDIA_MAX);
        ia_err_hint(err, "start a new phone: --fresh, or embedded:NAME");
    }
    return rc;
}

/* Upright is what every screen can be. */
static enum ia_rc check_rotation(const struct ia_phone *p, int to, struct ia_err *err)
{
    const struct ia_app *app = p->locked ? NULL : ia_phone_app(p);
    if (to == IA_UPSIDE_DOWN) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "no screen of an iPhone turns upside down");
    }
    if (to != IA_PORTRAIT && (!app || !app->rotates)) {
        enum ia_rc rc =
            app ? ia_err_set(err, IA_E_UNSUPPORTED, "app %s supports portrait only", app->name)
                : ia_err_set(err, IA_E_UNSUPPORTED, "the %s screen supports portrait only",
                             p->locked ? "lock" : "home");
        struct ia_buf list = IA_BUF(300);
        for (int i = 0; ia_apps[i]; i++) {
            if (ia_apps[i]->rotates) {
                ia_buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", ia_apps[i]->name);
            }
        }
        ia_err_hint(err, "these apps rotate while they are in front: %s", ia_buf_cstr(&list));
        ia_buf_fini(&list);
        return rc;
    }
    return check_number(to, IA_PORTRAIT, IA_LANDSCAPE_RIGHT, "the orientation", err);
}

static enum ia_rc check_link(const struct ia_op *op, struct ia_err *err)
{
    struct ia_peers peers;
    enum ia_rc rc = ia_peers_parse(op->text, &peers, err);
    if (rc == IA_OK && op->app.n >= IA_LINK_ID_BYTES) {
        rc = ia_err_set(err, IA_E_LIMIT, "the id of a link is too long");
    }
    return rc;
}

/* A line that is no message has no sender. */
static enum ia_rc check_received(const struct ia_phone *p, const struct ia_op *op,
                                 struct ia_err *err)
{
    if (op->n <= p->link.received) {
        return ia_err_set(err, IA_E_STATE, "message %d was received before", op->n);
    }
    return check_text(op->text, "\n\t", "the message", err);
}

static enum ia_rc check(const struct ia_phone *p, const struct ia_op *op, struct ia_err *err)
{
    enum ia_rc rc;
    switch ((enum ia_op_kind)op->kind) {
    case IA_OP_TAP:
        return check_point(p, op->x, op->y, err);
    case IA_OP_LONG_PRESS:
        rc = check_point(p, op->x, op->y, err);
        return rc == IA_OK
                   ? check_number(op->n, 1, IA_OP_DURATION_MAX_MS, "the duration in ms", err)
                   : rc;
    case IA_OP_DRAG:
        return check_drag(p, op, err);
    case IA_OP_TYPE:
        rc = check_text(op->text, "\n", "the text", err);
        return rc == IA_OK ? check_keyboard(p, err) : rc;
    case IA_OP_DELETE:
        rc = check_number(op->n, 1, IA_OP_COUNT_MAX, "the count", err);
        return rc == IA_OK ? check_keyboard(p, err) : rc;
    case IA_OP_PRESS:
        return check_number(op->n, IA_BUTTON_HOME, IA_BUTTON_VOLUME_DOWN, "the button", err);
    case IA_OP_LAUNCH:
    case IA_OP_TERMINATE:
        return check_app(op->text, err);
    case IA_OP_OPEN_URL:
        return check_url(op->text, err);
    case IA_OP_ALERT:
        return check_alert(p, op, err);
    case IA_OP_BUGS:
        return check_bugs(op->text, err);
    case IA_OP_CHANGES:
        return check_changes(op->text, err);
    case IA_OP_FAULT:
        return check_number(op->n, 0, IA_OP_FAULTS - 1, "the fault", err);
    case IA_OP_APPEARANCE:
        return check_number(op->n, 0, 1, "the appearance", err);
    case IA_OP_PINCH:
        rc = check_point(p, op->x, op->y, err);
        return rc == IA_OK ? check_number(op->n, IA_OP_PINCH_MIN, IA_OP_PINCH_MAX,
                                          "the scale of a pinch in percent", err)
                           : rc;
    case IA_OP_STATUS_BAR:
        return check_bar(op->text, err);
    case IA_OP_PRIVACY:
        return check_privacy(op, err);
    case IA_OP_LOCATION:
        return check_place(op, err);
    case IA_OP_PUSH:
        return check_push(op, err);
    case IA_OP_MEDIA:
        return check_media(p, op->text, err);
    case IA_OP_PASTEBOARD:
        return check_text(op->text, "\n\t", "the text", err);
    case IA_OP_ROTATE:
        return check_rotation(p, op->n, err);
    case IA_OP_NATIVE:
        return ia_phone_native_check(p, (enum ia_native)op->n, op->text, err);
    case IA_OP_ASK:
        return ia_phone_native_may_ask(p, op->text, err);
    case IA_OP_LINK:
        return check_link(op, err);
    case IA_OP_RECEIVE:
    case IA_OP_RECEIVE_PICTURE:
        return check_received(p, op, err);
    case IA_OP_RESET:
    case IA_OP_TICK:
        return IA_OK;
    case IA_OP_COUNT:
        break;
    }
    return ia_err_set(err, IA_E_INTERNAL, "unknown operation %u", op->kind);
}

enum ia_rc ia_op_check(const struct ia_phone *p, const struct ia_op *op, struct ia_err *err)
{
    enum ia_rc rc = check(p, op, err);
    if (rc != IA_OK && err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}
