/* op_act.c: what operations do. The only writer of a phone's state; every rule that could refuse
 * was checked before (op_check.c), so nothing here fails but typing into a keyboard that went away.
 *
 * Each operation is one step of the phone: the sequence number and the clock advance, then
 * it acts, then what it set going settles. The scene that it touches is built from the state
 * before it, so coordinates mean what the caller saw. */
#include "driver/embedded/op/op.h"

#include "base/utf8.h"
#include "driver/embedded/apps/messages/messages.h"
#include "driver/embedded/apps/native/native.h"
#include "driver/embedded/fault/knobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 20, SWIPE_MIN = 80, PULL_MIN = 100, VOLUME_STEP = 6 };

static void touch_view(struct ia_phone *p, const struct ia_scene *s, int32_t i, float x,
                       float y)
{
    if (i >= 0 && s->views[i].tap) {
        struct ia_touch t = ia_scene_touch(&s->views[i], x, y);
        s->views[i].tap(p, &t);
    }
}

static bool takes_text(const struct ia_view *v)
{
    return v->type == IA_EL_TEXT_FIELD || v->type == IA_EL_SECURE_TEXT_FIELD ||
           v->type == IA_EL_SEARCH_FIELD;
}

/* Whether it was a text field that was touched. */
static bool tap(struct ia_phone *p, const struct ia_op *op)
{
    struct ia_scene s;
    ia_phone_scene(p, &s);
    float x = (float)op->x, y = (float)op->y;
    int32_t i = ia_scene_hit(&s, x, y);
    bool field = i >= 0 && takes_text(&s.views[i]);
    touch_view(p, &s, i, x, y);
    ia_scene_fini(&s);
    return field;
}

/* Dragging an adjustable view (a slider, an index) touches it where the finger ends. */
static bool drag_adjustable(struct ia_phone *p, const struct ia_scene *s,
                            const struct ia_op *op)
{
    int32_t i = ia_scene_hit(s, (float)op->x, (float)op->y);
    if (i < 0 ||
        (s->views[i].flags & (IA_VIEW_ADJUSTABLE | IA_VIEW_DRAWS)) != IA_VIEW_ADJUSTABLE) {
        return false;
    }
    touch_view(p, s, i, (float)op->to_x, (float)op->to_y);
    return true;
}

/* A drag on a view that draws is one touch. */
static bool drag_drawing(struct ia_phone *p, const struct ia_scene *s, const struct ia_op *op)
{
    int32_t i = ia_scene_hit(s, (float)op->x, (float)op->y);
    if (i < 0 || !(s->views[i].flags & IA_VIEW_DRAWS)) {
        return false;
    }
    struct ia_touch from = ia_scene_touch(&s->views[i], (float)op->x, (float)op->y);
    struct ia_touch t = ia_scene_touch(&s->views[i], (float)op->to_x, (float)op->to_y);
    t.from_fx = from.fx;
    t.from_fy = from.fy;
    s->views[i].tap(p, &t);
    return true;
}

/* The sheet's bar pulled down is its Cancel. */
static bool pull_sheet(struct ia_phone *p, const struct ia_scene *s, const struct ia_op *op)
{
    int32_t i = ia_scene_hit(s, (float)op->x, (float)op->y);
    const struct ia_nav_entry *e = ia_nav_top(p);
    bool on_bar = i >= 0 && s->views[i].type == IA_EL_NAVIGATION_BAR;
    if (!e || !e->sheet || !on_bar || op->to_y - op->y < PULL_MIN) {
        return false;
    }
    if (e->screen->cancel) {
        e->screen->cancel(p, &(struct ia_touch){.arg = e->arg});
    } else {
        ia_nav_pop(p);
    }
    return true;
}

/* The content follows the finger, on the half-point grid, up to its ends. */
static void scroll(struct ia_phone *p, const struct ia_scene *s, const struct ia_op *op)
{
    const struct ia_scroller *sc = ia_scene_scroller_at(s, (float)op->x, (float)op->y);
    if (sc) {
        float *offset = &ia_phone_front(p)->nav[sc->entry].scroll;
        float moved = *offset + rintf((float)(op->y - op->to_y) * 2) / 2;
        *offset = fminf(fmaxf(moved, 0), sc->max);
    }
}

static void drag(struct ia_phone *p, const struct ia_op *op)
{
    /* The system's gestures come before the app's. A locked phone only goes home. */
    bool from_foot = op->y >= ia_phone_display(p)->h - EDGE && op->y - op->to_y >= SWIPE_MIN;
    bool from_edge = op->x <= EDGE && op->to_x - op->x >= SWIPE_MIN;
    if (from_foot) {
        ia_phone_home(p);
        return;
    }
    if (p->locked) {
        return;
    }
    if (from_edge && !ia_alert_shown(p)) {
        ia_nav_swipe_back(p);
        return;
    }
    struct ia_scene s;
    ia_phone_scene(p, &s);
    if (!drag_adjustable(p, &s, op) && !drag_drawing(p, &s, op) && !pull_sheet(p, &s, op)) {
        scroll(p, &s, op);
    }
    ia_scene_fini(&s);
}

/* Only a view that zooms takes two fingers. */
static void pinch(struct ia_phone *p, const struct ia_op *op)
{
    struct ia_scene s;
    ia_phone_scene(p, &s);
    float x = (float)op->x, y = (float)op->y;
    int32_t i = ia_scene_hit(&s, x, y);
    if (i >= 0 && s.views[i].tap && (s.views[i].flags & IA_VIEW_ZOOMS)) {
        struct ia_touch t = ia_scene_touch(&s.views[i], x, y);
        t.pinch = (float)op->n / 100;
        s.views[i].tap(p, &t);
    }
    ia_scene_fini(&s);
}

/* Characters that came after the keyboard had gone are lost; returns how many. */
static size_t type_text(struct ia_phone *p, struct ia_str text)
{
    size_t lost = 0;
    /* A fault swallows this one text, and the phone does not say so. */
    if (p->mute) {
        p->mute = false;
        return 0;
    }
    for (size_t i = 0; i < text.n;) {
        size_t len = ia_utf8_valid_len(text.p + i, text.n - i);
        if (ia_phone_front(p)->focus >= 0) {
            ia_edit_type(p, text.p + i, len);
        } else {
            lost++;
        }
        i += len;
    }
    return lost;
}

static void change_volume(struct ia_phone *p, int by)
{
    int level = p->prefs.level[IA_LEVEL_VOLUME] + by;
    p->prefs.level[IA_LEVEL_VOLUME] = (uint8_t)(level < 0 ? 0 : level > 100 ? 100 : level);
}

static void press(struct ia_phone *p, enum ia_button button)
{
    switch (button) {
    case IA_BUTTON_HOME:
        ia_phone_home(p);
        break;
    case IA_BUTTON_LOCK:
        p->locked = !p->locked;
        break;
    case IA_BUTTON_VOLUME_UP:
        change_volume(p, VOLUME_STEP);
        break;
    case IA_BUTTON_VOLUME_DOWN:
        change_volume(p, -VOLUME_STEP);
        break;
    }
}

static void set_changes(struct ia_phone *p, struct ia_str list)
{
    free(p->changes);
    p->changes = list.n > 0 && !ia_str_is(list, "none") ? ia_strndup(list.p, list.n) : NULL;
    p->answered = 0;
}

static void open_url(struct ia_phone *p, struct ia_str url)
{
    struct ia_str query;
    struct ia_knobs k = {0};
    if (ia_knobs_url(url, &query) && ia_knobs_parse(query, &k, NULL) == IA_OK) {
        if (k.seed && !k.has_faults) {
            ia_phone_reset(p, k.seed);
        }
        p->bugs = k.has_bugs ? k.bugs : p->bugs;
        if (k.has_changes) {
            set_changes(p, k.changes);
        }
        return;
    }
    for (int i = 0; ia_apps[i]; i++) {
        if (ia_apps[i]->takes_url && ia_apps[i]->takes_url(url)) {
            ia_phone_launch(p, i);
            ia_nav_to_root(p);
            if (ia_apps[i]->open_url) {
                ia_apps[i]->open_url(p, url);
            }
            return;
        }
    }
}

static void answer_alert(struct ia_phone *p, const struct ia_op *op)
{
    const struct ia_alert *alert = ia_alert_shown(p);
    int i = ia_alert_dismiss_index(alert);
    if (op->n == IA_ALERT_ACCEPT) {
        i = ia_alert_accept_index(alert);
    }
    for (int b = 0; op->n == IA_ALERT_BUTTON && b < ia_alert_count(alert); b++) {
        i = ia_str_is(op->text, alert->buttons[b].label) ? b : i;
    }
    ia_alert_press(p, i);
}

static void set_dark(struct ia_phone *p, bool dark)
{
    if (ia_prefs_on(&p->prefs, IA_PREF_DARK_APPEARANCE) != dark) {
        ia_prefs_toggle(&p->prefs, IA_PREF_DARK_APPEARANCE);
    }
}

/* What is told to the system and touches nothing on the screen. */
static void tell_system(struct ia_phone *p, const struct ia_op *op)
{
    struct ia_system *s = &p->system;
    switch ((enum ia_op_kind)op->kind) {
    case IA_OP_STATUS_BAR:
        ia_system_set_bar(s, op->text);
        break;
    case IA_OP_PRIVACY:
        ia_system_permit(s, (enum ia_privacy)op->n, ia_system_holder(op->app),
                         ia_system_service(op->text));
        break;
    case IA_OP_LOCATION:
        s->placed = op->n != 0;
        s->location = (struct ia_location){.latitude = op->y, .longitude = op->x};
        break;
    case IA_OP_PUSH:
        ia_phone_notify(p, ia_system_holder(op->app), op->text);
        break;
    case IA_OP_MEDIA:
        ia_system_add_media(s, op->text, p->now_ms);
        break;
    case IA_OP_PASTEBOARD:
        ia_system_set_pasteboard(s, op->text);
        break;
    default:
        break;
    }
}

static void link_phones(struct ia_phone *p, const struct ia_op *op)
{
    struct ia_peers peers;
    if (ia_peers_parse(op->text, &peers, NULL) == IA_OK) {
        ia_phone_link_set(&p->link, &peers, op->app);
    }
}

/* From a phone that is linked; anything else is passed over. */
static void receive(struct ia_phone *p, const struct ia_op *op)
{
    int peer = ia_peers_find(&p->link.peers, op->app);
    if (peer >= 0) {
        char *text = ia_strndup(op->text.p, op->text.n);
        ia_messages_receive(p, p->link.peers.name[peer], text,
                            op->kind == IA_OP_RECEIVE_PICTURE);
        free(text);
    }
}

static size_t act(struct ia_phone *p, const struct ia_op *op)
{
    switch ((enum ia_op_kind)op->kind) {
    case IA_OP_TAP:
        (void)tap(p, op);
        break;
    case IA_OP_LONG_PRESS:
        p->system.menu = tap(p, op) && p->system.pasteboard;
        break;
    case IA_OP_DRAG:
        drag(p, op);
        break;
    case IA_OP_TYPE:
        return type_text(p, op->text);
    case IA_OP_DELETE:
        for (int i = 0; i < op->n; i++) {
            ia_edit_delete(p);
        }
        break;
    case IA_OP_PRESS:
        press(p, (enum ia_button)op->n);
        break;
    case IA_OP_LAUNCH:
        ia_phone_launch(p, ia_system_holder(op->text));
        break;
    case IA_OP_TERMINATE:
        ia_phone_terminate(p, ia_system_holder(op->text));
        break;
    case IA_OP_OPEN_URL:
        open_url(p, op->text);
        break;
    case IA_OP_ALERT:
        answer_alert(p, op);
        break;
    case IA_OP_RESET:
        ia_phone_reset(p, 0);
        break;
    case IA_OP_BUGS:
        (void)ia_bugs_parse(op->text, &p->installed, NULL);
        p->bugs = p->installed;
        break;
    case IA_OP_CHANGES:
        set_changes(p, op->text);
        break;
    case IA_OP_FAULT:
        ia_phone_fault(p, op->n);
        break;
    case IA_OP_APPEARANCE:
        set_dark(p, op->n != 0);
        break;
    case IA_OP_PINCH:
        pinch(p, op);
        break;
    case IA_OP_ROTATE:
        p->held = (uint8_t)op->n;
        break;
    case IA_OP_NATIVE:
        ia_phone_native_act(p, (enum ia_native)op->n, op->text);
        break;
    case IA_OP_ASK:
        ia_phone_native_ask(p, op->text);
        break;
    case IA_OP_LINK:
        link_phones(p, op);
        break;
    case IA_OP_RECEIVE:
    case IA_OP_RECEIVE_PICTURE:
        p->link.received = op->n;
        receive(p, op);
        break;
    case IA_OP_TICK:
    case IA_OP_COUNT:
        break;
    default:
        tell_system(p, op);
        break;
    }
    return 0;
}

/* What is in front, to see whether an operation led to another screen. */
struct screen {
    int app;
    uint8_t depth;
    const struct ia_screen *top;
};

static struct screen screen_of(struct ia_phone *p)
{
    const struct ia_nav_entry *e = ia_nav_top(p);
    return (struct screen){.app = p->foreground,
                           .depth = e ? ia_phone_front(p)->depth : 0,
                           .top = e ? e->screen : NULL};
}

/* Where the content of a screen is planted to come late. */
static void arrive(struct ia_phone *p, struct screen was)
{
    struct screen now = screen_of(p);
    int32_t ms = ia_changes_late_ms(p->changes);
    bool same = now.app == was.app && now.depth == was.depth && now.top == was.top;
    if (ms > 0 && now.top && !same) {
        ia_phone_busy(p, ms);
    }
}

enum ia_rc ia_op_act(struct ia_phone *p, const struct ia_op *op, struct ia_err *err)
{
    p->seq++;
    p->now_ms += IA_OP_MS;
    bool menu = p->system.menu;
    struct screen before = screen_of(p);
    size_t lost = act(p, op);
    ia_phone_pass(p);
    arrive(p, before);
    /* It is gone after whatever was done while it was there, its own command included. */
    p->system.menu = p->system.menu && (!menu || op->kind == IA_OP_TICK);
    ia_phone_settle(p);
    if (lost == 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NO_KEYBOARD,
                               "the keyboard went away before the last %zu characters", lost);
    ia_err_hint(err, "look at the screen: the text before them was typed");
    if (err) {
        err->outcome = IA_OUTCOME_SENT;
    }
    return rc;
}
