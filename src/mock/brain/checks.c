/* checks.c: the steps that check. Each quotes what it saw, or fails with what it expected. */
#include "mock/brain/state.h"

#include <stdio.h>
#include <string.h>

enum { CHECK_START, CHECK_SCROLLED };

enum ia_walk ia_brain_check_visible(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    if (ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
        return IA_WALK_DONE;
    }
    return ia_brain_seek(b, "the text", s->a);
}

/* A name on a card or in a heading is no row of a list: go back to the list once. */
enum ia_walk ia_brain_check_list(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    const struct ia_brain_item *row = ia_brain_find(b, IA_WANT_ROW, s->a);
    if (row) {
        ia_brain_quote(b, row->label);
        return IA_WALK_DONE;
    }
    if (!b->altered && ia_brain_shown(&b->screen, s->a, &quote)) {
        b->altered = true;
        return ia_brain_call(b, "back", json_object());
    }
    return ia_brain_seek(b, "a row named", s->a);
}

static enum ia_walk still_there(struct ia_brain *b, const struct ia_step *s, const char *quote)
{
    return ia_brain_fail(b, "I expected \"%s\" to be gone, and saw \"%s\"", s->a, quote);
}

enum ia_walk ia_brain_check_gone(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    if (ia_brain_shown(&b->screen, s->a, &quote)) {
        return still_there(b, s, quote);
    }
    if (b->phase == CHECK_START && b->screen.outside) {
        b->phase = CHECK_SCROLLED;
        return ia_brain_call(b, "scroll_to", json_pack("{s:s}", "text", s->a));
    }
    return b->phase == CHECK_SCROLLED && ia_brain_all_ok(b) ? still_there(b, s, s->a)
                                                            : IA_WALK_DONE;
}

/* The label alone does not prove a state: quotes both, as they stand on the screen. */
static void quote_toggle(struct ia_brain *b, const struct ia_brain_item *item, bool on)
{
    char line[IA_STEP_TEXT_MAX];
    int n =
        snprintf(line, sizeof(line), "%s:%s %s", item->role, on ? "on" : "off", item->label);
    bool more_states = item->selected || item->disabled || item->focused;
    bool as_it_stands = !more_states && item->label[0] != '"' && n < (int)sizeof(line);
    ia_brain_quote(b, as_it_stands ? line : item->label);
}

enum ia_walk ia_brain_check_toggle(struct ia_brain *b, const struct ia_step *s, bool on)
{
    const struct ia_brain_item *item = ia_brain_find(b, IA_WANT_TOGGLE, s->a);
    if (!item) {
        return ia_brain_seek(b, "a switch named", s->a);
    }
    if (on ? item->on : item->off) {
        quote_toggle(b, item, on);
        return IA_WALK_DONE;
    }
    return ia_brain_fail(b, "I expected \"%s\" to be %s, and it is %s", item->label,
                         on ? "on" : "off", on ? "off" : "on");
}

/* "Wi-Fi, Not Connected" says its value in the label. */
enum ia_walk ia_brain_check_value(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *item = ia_brain_find(b, IA_WANT_ANY, s->a);
    if (!item) {
        return ia_brain_seek(b, "an element named", s->a);
    }
    if (ia_brain_contains(item->value, s->b) || ia_brain_contains(item->label, s->b)) {
        ia_brain_quote(b, ia_brain_contains(item->value, s->b) ? item->value : item->label);
        return IA_WALK_DONE;
    }
    return ia_brain_fail(b, "I expected \"%s\" to say \"%s\", and it says \"%s\"", item->label,
                         s->b, item->value);
}
