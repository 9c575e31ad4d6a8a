/* actions.c: what a step can do: call a tool, end, look for a thing, quote the screen. */
#include "mock/brain/state.h"

#include "base/utf8.h"
#include "mock/brain/know.h"
#include "mock/brain/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BACKS_MAX = 8, SEARCHES_MAX = 3 };

void ia_brain_copy(char *dst, size_t size, const char *text)
{
    size_t n = strlen(text);
    n = n < size ? n : ia_utf8_cut(text, size - 1);
    memcpy(dst, text, n);
    dst[n] = '\0';
}

/* ---- calls ---- */

enum ia_walk ia_brain_call(struct ia_brain *b, const char *tool, json_t *input)
{
    if (b->call_count == IA_BRAIN_CALLS_MAX) {
        json_decref(input);
        return IA_WALK_ACTED;
    }
    b->calls[b->call_count].tool = tool;
    b->calls[b->call_count++].input = input;
    return IA_WALK_ACTED;
}

enum ia_walk ia_brain_tap(struct ia_brain *b, const struct ia_brain_item *item)
{
    return ia_brain_call(b, "tap", json_pack("{s:I}", "ref", (json_int_t)item->ref));
}

enum ia_walk ia_brain_snapshot(struct ia_brain *b)
{
    return ia_brain_call(b, "snapshot", json_object());
}

enum ia_walk ia_brain_back(struct ia_brain *b)
{
    return ia_brain_call(b, "back", json_object());
}

enum ia_walk ia_brain_swipe(struct ia_brain *b, const char *direction)
{
    return ia_brain_call(b, "swipe", json_pack("{s:s}", "direction", direction));
}

enum ia_walk ia_brain_type(struct ia_brain *b, const struct ia_brain_item *item,
                           const char *text)
{
    json_t *input = json_pack("{s:I, s:s}", "ref", (json_int_t)item->ref, "text", text);
    if (*item->value) {
        json_object_set_new(input, "replace", json_true());
    }
    return ia_brain_call(b, "type_text", input);
}

enum ia_walk ia_brain_press(struct ia_brain *b, const char *button)
{
    return ia_brain_call(b, "press_button", json_pack("{s:s}", "button", button));
}

enum ia_walk ia_brain_answer_alert(struct ia_brain *b, const struct ia_brain_item *button)
{
    return ia_brain_call(b, "alert",
                         json_pack("{s:s, s:s}", "action", "button", "button", button->label));
}

/* ---- ends of a step ---- */

bool ia_brain_all_ok(const struct ia_brain *b)
{
    return (b->now.asked & ~b->now.ok) == 0;
}

static void set_reason(struct ia_brain *b, const char *fmt, va_list args) IA_PRINTF(2, 0);

static void set_reason(struct ia_brain *b, const char *fmt, va_list args)
{
    char text[2 * IA_BRAIN_REASON_MAX];
    vsnprintf(text, sizeof(text), fmt, args);
    ia_brain_copy(b->reason, sizeof(b->reason), text);
}

enum ia_walk ia_brain_fail(struct ia_brain *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_reason(b, fmt, args);
    va_end(args);
    return IA_WALK_FAILED;
}

enum ia_walk ia_brain_block(struct ia_brain *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_reason(b, fmt, args);
    va_end(args);
    return IA_WALK_BLOCKED;
}

enum ia_walk ia_brain_again(struct ia_brain *b, int phase)
{
    if (b->now.tries++ >= IA_BRAIN_TRIES_MAX) {
        return ia_brain_block(b, "the action did not succeed: %s", b->last_error);
    }
    b->now.phase = phase;
    return ia_brain_snapshot(b);
}

enum ia_walk ia_brain_retry(struct ia_brain *b, int phase, const char *what)
{
    if (b->now.tries < IA_BRAIN_TRIES_MAX) {
        return ia_brain_again(b, phase);
    }
    const char *says = *b->last_alert ? b->last_alert : NULL;
    return ia_brain_block(b, "%s%s%s%s", what, says ? "; the phone says \"" : "",
                          says ? says : "", says ? "\"" : "");
}

/* Scrolls to the name or looks again; false when that was done already. */
static bool sought(struct ia_brain *b, const char *name)
{
    if (b->now.sought) {
        return false;
    }
    b->now.sought = true;
    (void)(b->screen.outside ? ia_brain_call(b, "scroll_to", json_pack("{s:s}", "text", name))
                             : ia_brain_snapshot(b));
    return true;
}

static enum ia_walk missing(struct ia_brain *b, enum ia_walk end, const char *what,
                            const char *name)
{
    struct ia_buf seen = IA_BUF(4096);
    ia_brain_list(&b->screen, &seen);
    (void)ia_brain_block(b, "I looked for %s \"%s\" and saw: %s", what, name,
                         ia_buf_cstr(&seen));
    ia_buf_fini(&seen);
    return end;
}

enum ia_walk ia_brain_seek(struct ia_brain *b, const char *what, const char *name)
{
    return sought(b, name) ? IA_WALK_ACTED : missing(b, IA_WALK_BLOCKED, what, name);
}

enum ia_walk ia_brain_expect(struct ia_brain *b, const char *what, const char *name)
{
    return sought(b, name) ? IA_WALK_ACTED : missing(b, IA_WALK_FAILED, what, name);
}

/* ---- finding the way ---- */

static bool on_first_page(const struct ia_brain *b, const struct ia_known_app *app)
{
    const struct ia_brain_item *search = ia_brain_role(&b->screen, "search");
    const struct ia_brain_item *tab = ia_brain_find_exact(&b->screen, IA_WANT_TAP, app->name);
    bool other_tab = tab && ia_brain_role_is(tab, "tab") && !tab->selected;
    return ia_known_in(app->first, ia_str(b->screen.title ? b->screen.title : "")) &&
           !(search && (search->focused || *search->value)) && !other_tab &&
           !ia_brain_alert(&b->screen);
}

/* What leaves the page: a tab, the button that throws a draft away, Cancel, Done. */
static const struct ia_brain_item *way_out(const struct ia_brain *b,
                                           const struct ia_known_app *app)
{
    static const char *const outs[] = {"Discard Changes", "Cancel", NULL};
    const struct ia_brain_item *out = NULL;
    const struct ia_brain_item *tab = ia_brain_find_exact(&b->screen, IA_WANT_TAP, app->name);
    for (size_t i = 0; !out && outs[i]; i++) {
        out = ia_brain_find_exact(&b->screen, IA_WANT_ROW, outs[i]);
    }
    return out ? out : tab && ia_brain_role_is(tab, "tab") ? tab : NULL;
}

enum ia_walk ia_brain_to_first_page(struct ia_brain *b)
{
    const struct ia_known_app *app = ia_known_bundle(b->screen.app);
    if (!app || !app->first || on_first_page(b, app)) {
        return IA_WALK_DONE;
    }
    const struct ia_brain_item *out = way_out(b, app);
    const struct ia_brain_item *done = ia_brain_find_exact(&b->screen, IA_WANT_ROW, "Done");
    if (b->now.moves++ >= BACKS_MAX) {
        return ia_brain_block(b, "I do not find the way back to the first page of %s",
                              app->name);
    }
    if (out) {
        return ia_brain_alert(&b->screen) ? ia_brain_answer_alert(b, out)
                                          : ia_brain_tap(b, out);
    }
    /* Done closes what has no other way out, but it also saves: not in a form. */
    bool form = ia_brain_role(&b->screen, "field") != NULL;
    return done && !form ? ia_brain_tap(b, done) : ia_brain_back(b);
}

/* In this order: the app's first page, its search field, scrolling. */
enum ia_walk ia_brain_look_for(struct ia_brain *b, const char *what, const char *name,
                               const char *query)
{
    const struct ia_known_app *app = ia_known_bundle(b->screen.app);
    const struct ia_brain_item *search = ia_brain_role(&b->screen, "search");
    bool empty = search && !*search->value;
    if (app && app->first && b->now.moves < IA_BRAIN_LOOKED) {
        enum ia_walk w = ia_brain_to_first_page(b);
        if (w != IA_WALK_DONE) {
            return w;
        }
        b->now.moves = IA_BRAIN_LOOKED;
    }
    if (app && app->first && empty && b->now.moves++ < IA_BRAIN_LOOKED + SEARCHES_MAX) {
        char text[IA_STEP_TEXT_MAX];
        struct ia_str key = ia_text_key(ia_str(query));
        (void)snprintf(text, sizeof(text), "%.*s", (int)key.n, key.p);
        return ia_brain_type(b, search, *text ? text : query);
    }
    return ia_brain_seek(b, what, name);
}

/* ---- evidence ---- */

void ia_brain_quote(struct ia_brain *b, const char *text)
{
    size_t i = 0;
    while (i < b->quote_count && strcmp(b->quotes[i].text, text) != 0) {
        i++;
    }
    if (i < IA_BRAIN_EVIDENCE_MAX && *text && strlen(text) < IA_STEP_TEXT_MAX) {
        struct ia_brain_quote *q = &b->quotes[i];
        b->quote_count = i == b->quote_count ? i + 1 : b->quote_count;
        ia_brain_copy(q->text, sizeof(q->text), text);
        q->step = b->shown_step;
    }
}

void ia_brain_quote_item(struct ia_brain *b, const struct ia_brain_item *item)
{
    char line[IA_STEP_TEXT_MAX];
    bool state = item->on || item->off;
    int n = snprintf(line, sizeof(line), "%s%s %s", item->role,
                     item->on    ? ":on"
                     : item->off ? ":off"
                                 : "",
                     item->label);
    bool more_states = item->selected || item->disabled || item->focused;
    bool as_it_stands = state && !more_states && item->label[0] != '"' && n < (int)sizeof(line);
    ia_brain_quote(b, as_it_stands ? line : item->label);
    ia_brain_quote(b, item->value);
}

void ia_brain_say(struct ia_brain *b, const char *fmt, ...)
{
    char text[IA_BRAIN_ANSWER_MAX];
    size_t have = strlen(b->answer);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (!strstr(b->answer, text) && have + strlen(text) + 2 < sizeof(b->answer)) {
        (void)snprintf(b->answer + have, sizeof(b->answer) - have, "%s%s", have ? " " : "",
                       text);
    }
}
