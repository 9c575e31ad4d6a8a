/* steps.c: the steps that touch one thing. A step is a small machine: b->phase says what
 * its last calls were for, and every move looks at the screen as it is now. */
#include "mock/brain/state.h"

#include <stdio.h>
#include <string.h>

enum { START, RESULT, HOME_RESULT, OPENED };
enum { HOME_PAGES_MAX = 3, WAIT_SECONDS = 10, HOLD_MS = 1000 };

static enum ia_walk after_action(struct ia_brain *b)
{
    return ia_brain_all_ok(b) ? IA_WALK_DONE : ia_brain_again(b, START);
}

static enum ia_walk tap_or_hold(struct ia_brain *b, const struct ia_step *s)
{
    if (b->phase == RESULT) {
        return after_action(b);
    }
    const struct ia_brain_item *item = ia_brain_find(b, IA_WANT_TAP, s->a);
    if (!item) {
        return ia_brain_seek(b, "something to tap named", s->a);
    }
    if (item->disabled) {
        return ia_brain_fail(b, "%s \"%s\" is disabled", item->role, item->label);
    }
    b->phase = RESULT;
    if (s->kind == IA_STEP_HOLD) {
        return ia_brain_call(
            b, "long_press",
            json_pack("{s:I, s:i}", "ref", (json_int_t)item->ref, "ms", HOLD_MS));
    }
    return ia_brain_tap(b, item);
}

/* From wherever we are to the app's icon, page by page. */
static enum ia_walk open_from_home(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *icon = ia_brain_find(b, IA_WANT_ICON, s->a);
    if (icon) {
        b->phase = OPENED;
        return ia_brain_tap(b, icon);
    }
    if (b->tries++ < HOME_PAGES_MAX) {
        return ia_brain_call(b, "swipe", json_pack("{s:s}", "direction", "left"));
    }
    return ia_brain_block(b, "there is no app named \"%s\"", s->a);
}

static enum ia_walk open_start(struct ia_brain *b, const struct ia_step *s)
{
    const char *bundle = ia_brain_bundle(s->a);
    const struct ia_brain_item *icon = ia_brain_find(b, IA_WANT_ICON, s->a);
    if (icon) {
        b->phase = OPENED;
        return ia_brain_tap(b, icon);
    }
    if (bundle) {
        b->phase = RESULT;
        return ia_brain_call(b, "launch_app", json_pack("{s:s}", "bundle_id", bundle));
    }
    const struct ia_brain_item *item = ia_brain_find(b, IA_WANT_TAP, s->a);
    if (item && !item->disabled) {
        b->phase = OPENED;
        return ia_brain_tap(b, item);
    }
    if (b->screen.outside && !b->sought) {
        return ia_brain_seek(b, "an app or entry named", s->a);
    }
    b->phase = HOME_RESULT;
    return ia_brain_press_home(b);
}

/* What did not open by its icon may open by its bundle id: a run that is locked to an app may
 * bring it to the front, but not touch the home screen. */
static enum ia_walk open_failed(struct ia_brain *b, const struct ia_step *s)
{
    const char *bundle = ia_brain_bundle(s->a);
    if (!bundle || b->altered) {
        return ia_brain_fail(b, "\"%s\" did not open: %s", s->a, b->last_error);
    }
    b->altered = true;
    return ia_brain_call(b, "launch_app", json_pack("{s:s}", "bundle_id", bundle));
}

static enum ia_walk step_open(struct ia_brain *b, const struct ia_step *s)
{
    switch (b->phase) {
    case START:
        return open_start(b, s);
    case RESULT:
        if (ia_brain_all_ok(b)) {
            return IA_WALK_DONE;
        }
        b->phase = HOME_RESULT;
        return ia_brain_press_home(b);
    case HOME_RESULT:
        return open_from_home(b, s);
    default:
        return ia_brain_all_ok(b) ? IA_WALK_DONE : open_failed(b, s);
    }
}

static enum ia_walk step_close(struct ia_brain *b, const struct ia_step *s)
{
    const char *bundle = ia_brain_bundle(s->a);
    if (b->phase == RESULT) {
        return after_action(b);
    }
    if (!bundle) {
        return ia_brain_block(b, "I do not know the bundle id of \"%s\"", s->a);
    }
    b->phase = RESULT;
    return ia_brain_call(b, "terminate_app", json_pack("{s:s}", "bundle_id", bundle));
}

/* A setting may stand behind a row of its name. */
static enum ia_walk toggle_missing(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *row = ia_brain_find(b, IA_WANT_ROW, s->a);
    if (row && !b->altered) {
        b->altered = true;
        return ia_brain_tap(b, row);
    }
    return ia_brain_seek(b, "a switch named", s->a);
}

static enum ia_walk step_switch(struct ia_brain *b, const struct ia_step *s, bool on)
{
    const struct ia_brain_item *item = ia_brain_find(b, IA_WANT_TOGGLE, s->a);
    if (!item) {
        return toggle_missing(b, s);
    }
    if (on ? item->on : item->off) {
        ia_brain_quote(b, item->label);
        return IA_WALK_DONE;
    }
    if (item->disabled) {
        return ia_brain_fail(b, "switch \"%s\" is disabled", item->label);
    }
    if (b->phase == RESULT && b->tries++ >= IA_BRAIN_TRIES_MAX) {
        return ia_brain_fail(b, "switch \"%s\" is still %s", item->label, on ? "off" : "on");
    }
    b->phase = RESULT;
    return ia_brain_tap(b, item);
}

static enum ia_walk step_scroll(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    if (ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
        return IA_WALK_DONE;
    }
    if (b->phase == RESULT) {
        return ia_brain_fail(b, "scrolling did not show \"%s\"", s->a);
    }
    b->phase = RESULT;
    return ia_brain_call(b, "scroll_to", json_pack("{s:s}", "text", s->a));
}

/* Steps that are one call, whatever is on the screen. Takes input. */
static enum ia_walk call_once(struct ia_brain *b, const char *tool, json_t *input)
{
    if (b->phase == RESULT) {
        json_decref(input);
        return ia_brain_all_ok(b) ? IA_WALK_DONE
                                  : ia_brain_fail(b, "%s failed: %s", tool, b->last_error);
    }
    b->phase = RESULT;
    return ia_brain_call(b, tool, input);
}

static enum ia_walk step_swipe(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const directions[] = {"up", "down", "left", "right"};
    for (size_t i = 0; i < IA_COUNTOF(directions); i++) {
        if (strcmp(s->a, directions[i]) == 0) {
            return call_once(b, "swipe", json_pack("{s:s}", "direction", s->a));
        }
    }
    return ia_brain_block(b, "a swipe goes up, down, left or right");
}

static enum ia_walk step_wait(struct ia_brain *b, const struct ia_step *s)
{
    json_t *input = *s->a ? json_pack("{s:s, s:s, s:i}", "until", "text", "text", s->a,
                                      "seconds", WAIT_SECONDS)
                          : json_pack("{s:s}", "until", "settled");
    enum ia_walk w = call_once(b, "wait_for", input);
    const char *quote;
    if (w == IA_WALK_DONE && *s->a && ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
    }
    return w;
}

static enum ia_walk step_alert(struct ia_brain *b, const char *action)
{
    return call_once(b, "alert", json_pack("{s:s}", "action", action));
}

static enum ia_walk step_check(struct ia_brain *b, const struct ia_step *s)
{
    switch (s->kind) {
    case IA_STEP_CHECK_LIST:
        return ia_brain_check_list(b, s);
    case IA_STEP_CHECK_GONE:
        return ia_brain_check_gone(b, s);
    case IA_STEP_CHECK_ON:
        return ia_brain_check_toggle(b, s, true);
    case IA_STEP_CHECK_OFF:
        return ia_brain_check_toggle(b, s, false);
    case IA_STEP_CHECK_VALUE:
        return ia_brain_check_value(b, s);
    default:
        return ia_brain_check_visible(b, s);
    }
}

static enum ia_walk step_key(struct ia_brain *b, const struct ia_step *s)
{
    switch (s->kind) {
    case IA_STEP_BACK:
        return call_once(b, "back", json_object());
    case IA_STEP_HOME:
        return call_once(b, "press_button", json_pack("{s:s}", "button", "home"));
    case IA_STEP_SCREENSHOT:
        return call_once(b, "screenshot", json_object());
    case IA_STEP_ACCEPT:
        return step_alert(b, "accept");
    case IA_STEP_DISMISS:
        return step_alert(b, "dismiss");
    default:
        return step_check(b, s);
    }
}

/* Something is being loaded: what a step looks for may come with it. */
static bool loading(const struct ia_brain *b)
{
    for (size_t i = 0; i < b->screen.count; i++) {
        if (ia_brain_role_is(&b->screen.items[i], "progress")) {
            return true;
        }
    }
    return false;
}

static enum ia_walk await_loading(struct ia_brain *b)
{
    b->waited = true;
    return ia_brain_call(b, "wait_for",
                         json_pack("{s:s, s:s, s:i}", "until", "gone", "element", "progress",
                                   "seconds", WAIT_SECONDS));
}

static enum ia_walk step_task(struct ia_brain *b, const struct ia_step *s)
{
    switch (s->kind) {
    case IA_STEP_LOGIN:
        return ia_brain_step_login(b, s);
    case IA_STEP_ADD_TO_CART:
        return ia_brain_step_add_to_cart(b, s);
    case IA_STEP_TAKE_OUT:
        return ia_brain_step_take_out(b, s);
    case IA_STEP_COUPON:
        return ia_brain_step_coupon(b, s);
    case IA_STEP_ADD_REMINDER:
        return ia_brain_step_add_reminder(b, s);
    case IA_STEP_COMPLETE:
        return ia_brain_step_complete(b, s);
    default:
        return step_key(b, s);
    }
}

enum ia_walk ia_brain_step(struct ia_brain *b, const struct ia_step *s)
{
    if (b->phase == START && !b->waited && loading(b)) {
        return await_loading(b);
    }
    switch (s->kind) {
    case IA_STEP_OPEN:
        return step_open(b, s);
    case IA_STEP_CLOSE:
        return step_close(b, s);
    case IA_STEP_ADD_CONTACT:
        return ia_brain_step_contact(b, s);
    case IA_STEP_TAP:
    case IA_STEP_HOLD:
        return tap_or_hold(b, s);
    case IA_STEP_SWITCH_ON:
        return step_switch(b, s, true);
    case IA_STEP_SWITCH_OFF:
        return step_switch(b, s, false);
    case IA_STEP_TYPE:
        return ia_brain_step_type(b, s);
    case IA_STEP_CLEAR:
        return ia_brain_step_clear(b, s);
    case IA_STEP_SEARCH:
        return ia_brain_step_search(b, s);
    case IA_STEP_SCROLL:
        return step_scroll(b, s);
    case IA_STEP_SWIPE:
        return step_swipe(b, s);
    case IA_STEP_WAIT:
        return step_wait(b, s);
    case IA_STEP_DELETE:
        return ia_brain_step_delete(b, s);
    default:
        return step_task(b, s);
    }
}
