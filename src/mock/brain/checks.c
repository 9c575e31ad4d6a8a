/* checks.c: the steps that check. Each quotes what it saw, or fails with what it expected. */
#include "mock/brain/know.h"
#include "mock/brain/state.h"

#include <stdio.h>
#include <string.h>

enum { CHECK_START, CHECK_SCROLLED };

static enum ia_walk check_visible(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    if (ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
        return IA_WALK_DONE;
    }
    return ia_brain_expect(b, "the text", s->a);
}

/* Twins come from a goal that was run twice: no failure, but worth saying. */
static void say_twins(struct ia_brain *b, const struct ia_brain_item *row)
{
    size_t twins = 0;
    for (size_t i = 0; i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        twins += ia_brain_role_is(item, "row") && strcmp(item->label, row->label) == 0;
    }
    if (twins > 1) {
        ia_brain_say(b,
                     "There are %zu rows named \"%s\" now: run with --fresh to begin with a "
                     "new phone.",
                     twins, row->label);
    }
}

/* A name on a card or in a heading is no row of a list: go back to the list once. */
static enum ia_walk check_list(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    const struct ia_brain_item *row = ia_brain_find(&b->screen, IA_WANT_ROW, s->a);
    if (row) {
        ia_brain_quote(b, row->label);
        say_twins(b, row);
        return IA_WALK_DONE;
    }
    if (!b->now.altered && ia_brain_shown(&b->screen, s->a, &quote)) {
        b->now.altered = true;
        return ia_brain_back(b);
    }
    return ia_brain_expect(b, "a row named", s->a);
}

static enum ia_walk still_there(struct ia_brain *b, const struct ia_step *s, const char *quote)
{
    return ia_brain_fail(b, "I expected \"%s\" to be gone, and saw \"%s\"", s->a, quote);
}

static enum ia_walk check_gone(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    enum ia_walk w = *s->b ? ia_brain_to_first_page(b) : IA_WALK_DONE;
    if (w != IA_WALK_DONE) {
        return w;
    }
    quote = ia_brain_still(&b->screen, s->a);
    if (quote) {
        return still_there(b, s, quote);
    }
    if (!ia_brain_absent(&b->screen, s)) {
        return ia_brain_block(b, "this page does not show whether \"%s\" is gone", s->a);
    }
    if (b->now.phase == CHECK_START && b->screen.outside) {
        b->now.phase = CHECK_SCROLLED;
        return ia_brain_call(b, "scroll_to", json_pack("{s:s}", "text", s->a));
    }
    return b->now.phase == CHECK_SCROLLED && ia_brain_all_ok(b) ? still_there(b, s, s->a)
                                                                : IA_WALK_DONE;
}

static enum ia_walk check_toggle(struct ia_brain *b, const struct ia_step *s, bool on)
{
    const char *name = ia_brain_setting(s->a);
    const struct ia_brain_item *item = ia_brain_find_exact(&b->screen, IA_WANT_TOGGLE, name);
    bool settings = strcmp(b->screen.app, "com.apple.Preferences") == 0;
    if (!item && settings && ia_known_setting(ia_str(s->a))) {
        return ia_brain_reach(b, IA_WANT_TOGGLE, s, &item);
    }
    if (!item) {
        return ia_brain_expect(b, "a switch named", name);
    }
    if (on ? item->on : item->off) {
        ia_brain_quote_item(b, item);
        return IA_WALK_DONE;
    }
    return ia_brain_fail(b, "I expected \"%s\" to be %s, and it is %s", item->label,
                         on ? "on" : "off", on ? "off" : "on");
}

/* "Wi-Fi, Not Connected" says its value in the label. */
static enum ia_walk check_value(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *item = ia_brain_find(&b->screen, IA_WANT_ANY, s->a);
    if (!item) {
        return ia_brain_expect(b, "an element named", s->a);
    }
    if (ia_brain_contains(item->value, s->b) || ia_brain_contains(item->label, s->b)) {
        ia_brain_quote(b, ia_brain_contains(item->value, s->b) ? item->value : item->label);
        return IA_WALK_DONE;
    }
    return ia_brain_fail(b, "I expected \"%s\" to say \"%s\", and it says \"%s\"", item->label,
                         s->b, item->value);
}

static enum ia_walk check(struct ia_brain *b, const struct ia_step *s)
{
    switch (s->kind) {
    case IA_STEP_CHECK_LIST:
        return check_list(b, s);
    case IA_STEP_CHECK_GONE:
        return check_gone(b, s);
    case IA_STEP_CHECK_ON:
        return check_toggle(b, s, true);
    case IA_STEP_CHECK_OFF:
        return check_toggle(b, s, false);
    case IA_STEP_CHECK_VALUE:
        return check_value(b, s);
    default:
        return check_visible(b, s);
    }
}

enum ia_walk ia_brain_check(struct ia_brain *b, const struct ia_step *s)
{
    enum ia_walk w = check(b, s);
    bool missed = s->kind == IA_STEP_CHECK_GONE      ? w == IA_WALK_DONE
                  : s->kind == IA_STEP_CHECK_VISIBLE ? false /* what the home screen shows */
                                                     : w == IA_WALK_FAILED;
    return missed && ia_brain_nowhere(&b->screen)
               ? ia_brain_block(b, "the goal does not say where to look: write \"open "
                                   "Contacts\", for example")
               : w;
}
