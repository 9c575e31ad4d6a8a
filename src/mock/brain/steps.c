/* steps.c: the steps that touch what is on the screen, and the table of what does each kind of step.
 * A step is a small machine: now.phase says what its last calls were for, and every move looks at
 * the screen as it is now. */
#include "mock/brain/know.h"
#include "mock/brain/state.h"
#include "mock/brain/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START, RESULT, HOME_RESULT, OPENED };
enum { HOME_PAGES_MAX = 3, WAIT_SECONDS = 10, HOLD_MS = 1000, ALERTS_MAX = 6, CODE_DIGITS = 6 };

/* ---- opening ---- */

/* From wherever we are to the app's icon, page by page. */
static enum ia_walk open_from_home(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *icon = ia_brain_find(&b->screen, IA_WANT_ICON, s->a);
    if (icon) {
        b->now.phase = OPENED;
        return ia_brain_tap(b, icon);
    }
    if (b->now.tries++ < HOME_PAGES_MAX) {
        return ia_brain_swipe(b, "left");
    }
    return ia_brain_block(b, "there is no app named \"%s\"", s->a);
}

static enum ia_walk launch(struct ia_brain *b, const char *bundle, int phase)
{
    b->now.phase = phase;
    return ia_brain_call(b, "launch_app", json_pack("{s:s}", "bundle_id", bundle));
}

/* The app's own place is kept where the goal has been in it before. */
static enum ia_walk app_in_front(struct ia_brain *b, bool was_in_front)
{
    return was_in_front && b->now.at > 0 ? IA_WALK_DONE : ia_brain_to_first_page(b);
}

static enum ia_walk do_open_app(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_known_app *app = ia_known_app(ia_str(s->a));
    const struct ia_brain_item *icon = ia_brain_find_exact(&b->screen, IA_WANT_ICON, s->a);
    if (app && strcmp(b->screen.app, app->bundle) == 0) {
        return app_in_front(b, b->now.phase == START);
    }
    if (b->now.phase == HOME_RESULT) {
        return open_from_home(b, s);
    }
    /* What did not open by its icon may open by its bundle id: a run that is locked to an app
     * may bring it to the front, but not touch the home screen. */
    if (b->now.phase == OPENED) {
        bool tried = b->now.altered || !app;
        b->now.altered = true;
        return tried ? ia_brain_block(b, "\"%s\" did not open: %s", s->a, b->last_error)
                     : launch(b, app->bundle, OPENED);
    }
    if (icon) {
        b->now.phase = OPENED;
        return ia_brain_tap(b, icon);
    }
    if (app && b->now.phase == START) {
        return launch(b, app->bundle, RESULT);
    }
    b->now.phase = HOME_RESULT;
    return ia_brain_press(b, "home");
}

/* The new page says what was opened, somewhere. */
static enum ia_walk opened(struct ia_brain *b, const struct ia_step *s, const char *name)
{
    struct ia_str key = ia_text_key(ia_str(name));
    char word[IA_STEP_TEXT_MAX];
    const char *quote;
    (void)snprintf(word, sizeof(word), "%.*s", (int)key.n, key.p);
    if (!ia_brain_all_ok(b)) {
        return ia_brain_retry(b, START, "it did not open");
    }
    bool says = b->screen.title && ia_brain_contains(b->screen.title, word);
    if (!says && !ia_brain_shown(&b->screen, name, &quote) && !ia_brain_alert(&b->screen)) {
        return ia_brain_block(b, "what opened does not say \"%s\"", s->a);
    }
    return IA_WALK_DONE;
}

static enum ia_walk do_open(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_known_app *front = ia_known_bundle(b->screen.app);
    bool settings = front && strcmp(front->name, "Settings") == 0;
    const char *name = settings ? ia_brain_setting(s->a) : s->a;
    if (b->now.phase == OPENED) {
        return b->now.altered       ? opened(b, s, name)
               : ia_brain_all_ok(b) ? IA_WALK_DONE
                                    : ia_brain_retry(b, START, "it did not open");
    }
    if (b->now.phase == HOME_RESULT) {
        return open_from_home(b, s);
    }
    const struct ia_brain_item *item = ia_brain_find_exact(&b->screen, IA_WANT_ICON, name);
    item = item ? item : ia_brain_find(&b->screen, IA_WANT_TAP, name);
    if (item && !item->disabled) {
        b->now.phase = OPENED;
        b->now.altered = ia_brain_role_is(item, "row");
        return ia_brain_tap(b, item);
    }
    if (settings && !b->now.sought) {
        return ia_brain_look_for(b, "a page named", name, name);
    }
    if (b->screen.outside && !b->now.sought) {
        return ia_brain_seek(b, "an app or entry named", name);
    }
    b->now.phase = HOME_RESULT;
    return ia_brain_press(b, "home");
}

static enum ia_walk do_close(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_known_app *app = ia_known_app(ia_str(s->a));
    if (b->now.phase == RESULT) {
        return ia_brain_all_ok(b) ? IA_WALK_DONE : ia_brain_again(b, START);
    }
    if (!app) {
        return ia_brain_block(b, "I do not know the bundle id of \"%s\"", s->a);
    }
    b->now.phase = RESULT;
    return ia_brain_call(b, "terminate_app", json_pack("{s:s}", "bundle_id", app->bundle));
}

/* ---- touching ---- */

static bool wants_alert(const struct ia_brain *b, size_t at, int phase);

/* What was tapped shows something new. An alert that nobody asked for may have caught the tap. */
static enum ia_walk tapped(struct ia_brain *b, const struct ia_brain_item *item)
{
    if (!ia_brain_all_ok(b)) {
        return ia_brain_again(b, START);
    }
    if (b->now.intruded && item && b->now.tries++ < IA_BRAIN_TRIES_MAX) {
        b->now.intruded = false;
        b->now.phase = START;
        return ia_brain_snapshot(b);
    }
    bool chosen = item && item->selected;
    if (b->now.unchanged && !chosen) {
        return ia_brain_block(b, "tapping it changed nothing that can be seen");
    }
    return IA_WALK_DONE;
}

static enum ia_walk do_tap(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *item = ia_brain_find(&b->screen, IA_WANT_TAP, s->a);
    if (b->now.phase == RESULT) {
        return tapped(b, item);
    }
    if (!item) {
        return ia_brain_seek(b, "something to tap named", s->a);
    }
    if (item->disabled) {
        return ia_brain_block(b, "%s \"%s\" is disabled", item->role, item->label);
    }
    b->now.phase = RESULT;
    if (s->kind == IA_STEP_HOLD) {
        return ia_brain_call(
            b, "long_press",
            json_pack("{s:I, s:i}", "ref", (json_int_t)item->ref, "ms", HOLD_MS));
    }
    return ia_brain_alert(&b->screen) && ia_brain_role_is(item, "button")
               ? ia_brain_answer_alert(b, item)
               : ia_brain_tap(b, item);
}

/* ---- typing ---- */

static const struct ia_brain_item *field_for(const struct ia_brain *b, const char *name)
{
    return *name ? ia_brain_find(&b->screen, IA_WANT_FIELD, name)
                 : ia_brain_only_field(&b->screen);
}

static enum ia_walk do_type(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *field = field_for(b, s->b);
    const char *quote;
    if (b->now.phase == RESULT) {
        if (!ia_brain_all_ok(b) || b->now.intruded) {
            b->now.intruded = false;
            return ia_brain_again(b, START);
        }
        if (ia_brain_shown(&b->screen, s->a, &quote)) {
            ia_brain_quote(b, quote);
        }
        return IA_WALK_DONE;
    }
    if (!field && !*s->b) {
        return ia_brain_block(
            b, "there is not exactly one field, and none has the keyboard focus");
    }
    if (!field) {
        return ia_brain_seek(b, "a field named", s->b);
    }
    b->now.phase = RESULT;
    return ia_brain_type(b, field, s->a);
}

/* The six digits that a message tells, or 0. */
static long code_shown(const struct ia_brain_screen *s)
{
    long code = 0;
    for (size_t i = 0; i < s->count; i++) {
        const char *at = strstr(s->items[i].label, " is your code");
        code = at && at - s->items[i].label >= CODE_DIGITS ? strtol(at - CODE_DIGITS, NULL, 10)
                                                           : code;
    }
    return code;
}

/* To Messages, where the newest message stands in the list, and back. A banner would do, but is there for a
 * moment only. */
static enum ia_walk do_code(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *field = ia_brain_find(&b->screen, IA_WANT_FIELD, s->a);
    char text[16];
    if (b->now.phase == RESULT) {
        return ia_brain_all_ok(b) && !b->now.intruded ? IA_WALK_DONE : ia_brain_again(b, START);
    }
    if (b->now.phase == START) {
        return launch(b, ia_known_app(ia_str("Messages"))->bundle, HOME_RESULT);
    }
    if (b->now.phase == OPENED) {
        b->now.phase = field ? RESULT : OPENED;
        (void)snprintf(text, sizeof(text), "%d", b->now.number);
        return field ? ia_brain_type(b, field, text) : ia_brain_seek(b, "a field named", s->a);
    }
    b->now.number = (int)code_shown(&b->screen);
    if (b->now.number > 0) {
        return launch(b, ia_known_app(ia_str("Bank"))->bundle, OPENED);
    }
    return b->now.moves++ > 0
               ? ia_brain_block(b, "no message with a code came")
               : ia_brain_call(b, "wait_for",
                               json_pack("{s:s, s:s, s:i}", "until", "text", "text",
                                         "is your code", "seconds", WAIT_SECONDS));
}

static enum ia_walk do_clear(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *field = field_for(b, s->a);
    if (b->now.phase == RESULT) {
        return ia_brain_all_ok(b) && !b->now.intruded ? IA_WALK_DONE : ia_brain_again(b, START);
    }
    if (!field) {
        return ia_brain_seek(b, "a field named", s->a);
    }
    b->now.phase = RESULT;
    return ia_brain_call(b, "clear_text", json_pack("{s:I}", "ref", (json_int_t)field->ref));
}

/* The search field may be behind a button, or above the top of a list. */
static enum ia_walk do_search(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *field = ia_brain_role(&b->screen, "search");
    field = field ? field : ia_brain_find(&b->screen, IA_WANT_FIELD, "Search");
    if (b->now.phase == RESULT) {
        return ia_brain_all_ok(b) && !b->now.intruded ? IA_WALK_DONE : ia_brain_again(b, START);
    }
    if (field) {
        b->now.phase = RESULT;
        return ia_brain_type(b, field, s->a);
    }
    const struct ia_brain_item *button = ia_brain_find(&b->screen, IA_WANT_TAP, "Search");
    if (button && !b->now.altered) {
        b->now.altered = true;
        return ia_brain_tap(b, button);
    }
    if (!b->now.sought) {
        b->now.sought = true;
        return ia_brain_swipe(b, "down");
    }
    return ia_brain_block(b, "I looked for a search field and saw none");
}

/* ---- moving ---- */

static enum ia_walk do_scroll(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    if (ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
        return IA_WALK_DONE;
    }
    if (b->now.phase == RESULT) {
        return ia_brain_block(b, "scrolling did not show \"%s\"", s->a);
    }
    b->now.phase = RESULT;
    return ia_brain_call(b, "scroll_to", json_pack("{s:s}", "text", s->a));
}

/* Steps that are one call, whatever is on the screen. Takes input. */
static enum ia_walk call_once(struct ia_brain *b, const char *tool, json_t *input)
{
    if (b->now.phase == RESULT) {
        json_decref(input);
        return ia_brain_all_ok(b) ? IA_WALK_DONE
                                  : ia_brain_block(b, "%s failed: %s", tool, b->last_error);
    }
    b->now.phase = RESULT;
    return ia_brain_call(b, tool, input);
}

static enum ia_walk do_wait(struct ia_brain *b, const struct ia_step *s)
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

static enum ia_walk do_once(struct ia_brain *b, const struct ia_step *s)
{
    char swipe[IA_STEP_TEXT_MAX];
    for (size_t i = 0; i <= strlen(s->a); i++) {
        swipe[i] = (char)(s->a[i] >= 'A' && s->a[i] <= 'Z' ? s->a[i] + 32 : s->a[i]);
    }
    switch (s->kind) {
    case IA_STEP_SWIPE:
        return call_once(b, "swipe", json_pack("{s:s}", "direction", swipe));
    case IA_STEP_BACK:
        return call_once(b, "back", json_object());
    case IA_STEP_HOME:
        return call_once(b, "press_button", json_pack("{s:s}", "button", "home"));
    case IA_STEP_LOCK:
        return call_once(b, "press_button", json_pack("{s:s}", "button", "lock"));
    case IA_STEP_ACCEPT:
        return call_once(b, "alert", json_pack("{s:s}", "action", "accept"));
    case IA_STEP_DISMISS:
        return call_once(b, "alert", json_pack("{s:s}", "action", "dismiss"));
    default:
        return call_once(b, "screenshot", json_object());
    }
}

static enum ia_walk do_cannot(struct ia_brain *b, const struct ia_step *s)
{
    return ia_brain_block(b, "%s", s->a);
}

/* ---- what comes between ---- */

/* Something is being loaded: what a step looks for may come with it. */
static enum ia_walk await_loading(struct ia_brain *b)
{
    b->now.waited = true;
    return ia_brain_call(b, "wait_for",
                         json_pack("{s:s, s:s, s:i}", "until", "gone", "element", "progress",
                                   "seconds", WAIT_SECONDS));
}

/* True when a step, in that phase, is about the alert on the screen. */
static bool wants_alert(const struct ia_brain *b, size_t at, int phase)
{
    static const char *const confirms[] = {"Delete Contact", "Delete Reminder", "Delete",
                                           "Remove", NULL};
    const struct ia_step *s = &b->steps[at];
    const struct ia_brain_item *alert = ia_brain_alert(&b->screen);
    const char *quote;
    switch (s->kind) {
    case IA_STEP_ACCEPT:
    case IA_STEP_DISMISS:
    case IA_STEP_SCREENSHOT:
    case IA_STEP_WAIT:
        return true;
    case IA_STEP_TAP:
    case IA_STEP_HOLD:
    case IA_STEP_OPEN:
        return ia_brain_find_exact(&b->screen, IA_WANT_TAP, s->a) != NULL;
    case IA_STEP_CHECK_VISIBLE:
        return ia_brain_shown(&b->screen, s->a, &quote);
    case IA_STEP_SWITCH_ON:
    case IA_STEP_SWITCH_OFF:
        return phase > START && ia_text_tells(alert->label, ia_str(ia_brain_setting(s->a)));
    case IA_STEP_DELETE:
    case IA_STEP_DELETE_DONE:
        return phase > START && ia_brain_find_any(&b->screen, IA_WANT_ROW, confirms);
    default:
        return ia_brain_find_exact(&b->screen, IA_WANT_ROW, "Discard Changes") != NULL;
    }
}

/* An alert that the goal does not speak of and no step caused: it is closed, and the step goes on. What
 * a tap itself brought up is left to the next step. */
static bool intruder(const struct ia_brain *b)
{
    const struct ia_brain_item *alert = ia_brain_alert(&b->screen);
    enum ia_step_kind kind = b->steps[b->now.at].kind;
    if (!alert || wants_alert(b, b->now.at, b->now.phase)) {
        return false;
    }
    if (b->now.phase == RESULT && (kind == IA_STEP_TAP || kind == IA_STEP_HOLD)) {
        bool last = b->now.at + 1 == b->count;
        return last ? strcmp(b->last_alert, alert->label) != 0
                    : !wants_alert(b, b->now.at + 1, START);
    }
    return true;
}

static enum ia_walk close_alert(struct ia_brain *b)
{
    const struct ia_brain_item *alert = ia_brain_alert(&b->screen);
    ia_brain_copy(b->last_alert, sizeof(b->last_alert), alert->label);
    b->now.intruded = true;
    if (b->alerts++ >= ALERTS_MAX) {
        return ia_brain_block(b, "the phone keeps showing \"%s\"", alert->label);
    }
    return ia_brain_call(b, "alert", json_pack("{s:s}", "action", "dismiss"));
}

enum ia_walk ia_brain_step(struct ia_brain *b, const struct ia_step *s)
{
    static ia_brain_machine *const machines[] = {
        [IA_STEP_CANNOT] = do_cannot,
        [IA_STEP_OPEN_APP] = do_open_app,
        [IA_STEP_OPEN] = do_open,
        [IA_STEP_CLOSE] = do_close,
        [IA_STEP_TAP] = do_tap,
        [IA_STEP_HOLD] = do_tap,
        [IA_STEP_TYPE] = do_type,
        [IA_STEP_CLEAR] = do_clear,
        [IA_STEP_CODE] = do_code,
        [IA_STEP_SEARCH] = do_search,
        [IA_STEP_SCROLL] = do_scroll,
        [IA_STEP_SWIPE] = do_once,
        [IA_STEP_BACK] = do_once,
        [IA_STEP_HOME] = do_once,
        [IA_STEP_LOCK] = do_once,
        [IA_STEP_SCREENSHOT] = do_once,
        [IA_STEP_WAIT] = do_wait,
        [IA_STEP_ACCEPT] = do_once,
        [IA_STEP_DISMISS] = do_once,
        [IA_STEP_CHECK_VISIBLE] = ia_brain_check,
        [IA_STEP_CHECK_LIST] = ia_brain_check,
        [IA_STEP_CHECK_GONE] = ia_brain_check,
        [IA_STEP_CHECK_ON] = ia_brain_check,
        [IA_STEP_CHECK_OFF] = ia_brain_check,
        [IA_STEP_CHECK_VALUE] = ia_brain_check,
        [IA_STEP_SWITCH_ON] = ia_brain_do_switch,
        [IA_STEP_SWITCH_OFF] = ia_brain_do_switch,
        [IA_STEP_CHOOSE] = ia_brain_do_choose,
        [IA_STEP_LEVEL] = ia_brain_do_level,
        [IA_STEP_SET_TEXT] = ia_brain_do_set_text,
        [IA_STEP_READ_SETTING] = ia_brain_do_read_setting,
        [IA_STEP_ADD_CONTACT] = ia_brain_do_form,
        [IA_STEP_EDIT_CONTACT] = ia_brain_do_edit,
        [IA_STEP_READ_CONTACT] = ia_brain_do_read,
        [IA_STEP_COUNT] = ia_brain_do_count,
        [IA_STEP_DELETE] = ia_brain_do_delete,
        [IA_STEP_ADD_REMINDER] = ia_brain_do_form,
        [IA_STEP_ADD_LIST] = ia_brain_do_form,
        [IA_STEP_COMPLETE] = ia_brain_do_complete,
        [IA_STEP_COMPLETE_ALL] = ia_brain_do_all,
        [IA_STEP_DELETE_DONE] = ia_brain_do_all,
        [IA_STEP_DUE] = ia_brain_do_edit,
        [IA_STEP_READ_LIST] = ia_brain_do_list,
        [IA_STEP_LOGIN] = ia_brain_do_form,
        [IA_STEP_ADD_TO_CART] = ia_brain_do_cart,
        [IA_STEP_CHECK_OUT] = ia_brain_do_form,
        [IA_STEP_TAKE_OUT] = ia_brain_do_take_out,
        [IA_STEP_COUPON] = ia_brain_do_form,
        [IA_STEP_READ_PRICE] = ia_brain_do_read,
    };
    ia_brain_machine *machine = s->kind < IA_COUNTOF(machines) ? machines[s->kind] : NULL;
    if (intruder(b)) {
        return close_alert(b);
    }
    if (b->now.phase == START && !b->now.waited && ia_brain_role(&b->screen, "progress")) {
        return await_loading(b);
    }
    return machine ? machine(b, s) : ia_brain_block(b, "there is no way to do this");
}
