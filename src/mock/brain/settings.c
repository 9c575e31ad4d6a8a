/* settings.c: the steps that look at a setting or change it. A setting is found on the screen, behind a
 * row of its name, or by the app's search. */
#include "mock/brain/know.h"
#include "mock/brain/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START, CHANGED, LEFT };
enum { ROWS_MAX = 6, SWIPES_MAX = 6, LEVEL_MIN = 10 };

static bool searching(const struct ia_brain *b)
{
    const struct ia_brain_item *search = ia_brain_role(&b->screen, "search");
    return search && *search->value;
}

/* On the list of a search's results a row only leads to the setting. */
static bool is_it(const struct ia_brain *b, enum ia_want want, const struct ia_brain_item *item)
{
    bool row = item && ia_brain_role_is(item, "row");
    return item && (want == IA_WANT_CELL || !row || (*item->value && !searching(b)));
}

/* The n-th row with the label. */
static const struct ia_brain_item *nth_row(const struct ia_brain *b, const char *label, int n)
{
    for (size_t i = 0; i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        bool same = ia_brain_role_is(item, "row") && strcmp(item->label, label) == 0;
        if (same && n-- == 0) {
            return item;
        }
    }
    return NULL;
}

/* A row that leads on: the next of the results of a search, or one that a tap would not leave as it
 * is. */
static const struct ia_brain_item *row_to(const struct ia_brain *b, const char *label)
{
    return searching(b)       ? nth_row(b, label, b->now.rows)
           : b->now.unchanged ? NULL
                              : ia_brain_find_exact(&b->screen, IA_WANT_CELL, label);
}

enum ia_walk ia_brain_reach(struct ia_brain *b, enum ia_want want, const struct ia_step *s,
                            const struct ia_brain_item **ret_item)
{
    const char *name = ia_brain_setting(s->a);
    const struct ia_known_setting *known = ia_known_setting(ia_str(s->a));
    bool switches = s->kind == IA_STEP_SWITCH_ON || s->kind == IA_STEP_SWITCH_OFF;
    const char *page = switches && *s->b ? ia_brain_setting(s->b) : known ? known->page : NULL;
    *ret_item = ia_brain_find_exact(&b->screen, want, name);
    if (is_it(b, want, *ret_item)) {
        return IA_WALK_DONE;
    }
    const struct ia_brain_item *row = row_to(b, page ? page : name);
    if (row && b->now.rows < ROWS_MAX) {
        b->now.rows += searching(b);
        return ia_brain_tap(b, row);
    }
    if (!searching(b) && b->now.rows > 0 && b->now.rows < ROWS_MAX &&
        b->now.moves >= IA_BRAIN_LOOKED) {
        b->now.moves = 0; /* that result led elsewhere */
    }
    return ia_brain_look_for(b, "a setting named", name, page ? page : name);
}

/* ---- switches ---- */

enum ia_walk ia_brain_do_switch(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const confirms[] = {"Turn Off", "Turn On", "Disable", "Enable",
                                           "Continue", "OK",      NULL};
    bool on = s->kind == IA_STEP_SWITCH_ON;
    const struct ia_brain_item *item, *confirm;
    if (ia_brain_alert(&b->screen)) {
        confirm = ia_brain_find_any(&b->screen, IA_WANT_ROW, confirms);
        return confirm && b->now.tries++ < IA_BRAIN_TRIES_MAX
                   ? ia_brain_answer_alert(b, confirm)
                   : ia_brain_block(b, "I do not know what to answer to \"%s\"",
                                    ia_brain_alert(&b->screen)->label);
    }
    enum ia_walk w = ia_brain_reach(b, IA_WANT_TOGGLE, s, &item);
    if (w != IA_WALK_DONE) {
        return w;
    }
    if (on ? item->on : item->off) {
        ia_brain_quote_item(b, item);
        return IA_WALK_DONE;
    }
    if (item->disabled) {
        return ia_brain_block(b, "switch \"%s\" is disabled", item->label);
    }
    if (b->now.phase == CHANGED && b->now.tries++ >= IA_BRAIN_TRIES_MAX) {
        return ia_brain_fail(b, "switch \"%s\" is still %s", item->label, on ? "off" : "on");
    }
    b->now.phase = CHANGED;
    return ia_brain_tap(b, item);
}

/* ---- one of several ---- */

enum ia_walk ia_brain_do_choose(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *row, *option = NULL;
    bool page = b->screen.title && !searching(b) &&
                !ia_brain_find_exact(&b->screen, IA_WANT_TOGGLE, "Airplane Mode");
    if (ia_brain_effect(&b->screen, s) == IA_EFFECT_YES) {
        option = ia_brain_find_exact(&b->screen, IA_WANT_CELL, s->b);
        row = option ? option
                     : ia_brain_find_exact(&b->screen, IA_WANT_CELL, ia_brain_setting(s->a));
        ia_brain_quote_item(b, row);
        return IA_WALK_DONE;
    }
    option = page ? ia_brain_find_exact(&b->screen, IA_WANT_CELL, s->b) : NULL;
    if (option) {
        b->now.phase = CHANGED;
        return b->now.tries++ > IA_BRAIN_TRIES_MAX
                   ? ia_brain_fail(b, "\"%s\" cannot be chosen", s->b)
                   : ia_brain_tap(b, option);
    }
    if (b->now.altered &&
        !ia_brain_find_exact(&b->screen, IA_WANT_CELL, ia_brain_setting(s->a))) {
        return ia_brain_seek(b, "an option named", s->b);
    }
    enum ia_walk w = ia_brain_reach(b, IA_WANT_CELL, s, &row);
    if (w == IA_WALK_DONE) {
        bool again = b->now.number++ >= ROWS_MAX;
        b->now.altered = true;
        w = again ? ia_brain_block(b, "\"%s\" does not open", row->label)
                  : ia_brain_tap(b, row);
    }
    return w;
}

/* ---- levels ---- */

/* A swipe moves the knob by a tenth of its way at least: a smaller move is made of two. */
static int move_for(int by, int now)
{
    if (abs(by) >= LEVEL_MIN) {
        return by;
    }
    int there = by > 0 ? by + LEVEL_MIN : by - LEVEL_MIN;
    int other = by > 0 ? by - 2 * LEVEL_MIN : by + 2 * LEVEL_MIN;
    return now + there >= 0 && now + there <= 100 ? there : other;
}

enum ia_walk ia_brain_do_level(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *item;
    enum ia_walk w = ia_brain_reach(b, IA_WANT_SLIDER, s, &item);
    if (w != IA_WALK_DONE) {
        return w;
    }
    int now = ia_brain_level(item);
    if (b->now.phase == START) {
        b->now.number = ia_brain_level_wanted(s, now);
        b->now.phase = CHANGED;
    }
    if (now < 0 || b->now.number < 0) {
        return ia_brain_block(b, "the level is \"%s\" and should be \"%s\"", item->value, s->b);
    }
    if (now == b->now.number) {
        ia_brain_quote_item(b, item);
        return IA_WALK_DONE;
    }
    if (b->now.tries++ >= SWIPES_MAX) {
        return ia_brain_block(b, "\"%s\" is %d%% and does not become %d%%", item->label, now,
                              b->now.number);
    }
    int by = move_for(b->now.number - now, now);
    return ia_brain_call(b, "swipe",
                         json_pack("{s:I, s:s, s:f}", "ref", (json_int_t)item->ref, "direction",
                                   by > 0 ? "right" : "left", "distance", abs(by) / 100.0));
}

/* ---- texts ---- */

/* What was typed is kept when the page shows it again after it was left. */
enum ia_walk ia_brain_do_set_text(struct ia_brain *b, const struct ia_step *s)
{
    const char *name = ia_brain_setting(s->a);
    const struct ia_brain_item *field = ia_brain_find_exact(&b->screen, IA_WANT_FIELD, name);
    const struct ia_brain_item *row;
    if (field && strcmp(field->value, s->b) == 0) {
        ia_brain_quote(b, field->value);
        if (b->now.phase != CHANGED) {
            return IA_WALK_DONE;
        }
        b->now.phase = LEFT;
        b->now.rows = 0;
        return ia_brain_back(b);
    }
    if (field) {
        b->now.phase = CHANGED;
        return b->now.tries++ > IA_BRAIN_TRIES_MAX
                   ? ia_brain_block(b, "the field shows \"%s\"", field->value)
                   : ia_brain_type(b, field, s->b);
    }
    enum ia_walk w = ia_brain_reach(b, IA_WANT_CELL, s, &row);
    if (w != IA_WALK_DONE) {
        return w;
    }
    return b->now.number++ < ROWS_MAX
               ? ia_brain_tap(b, row)
               : ia_brain_fail(b, "\"%s\" is still \"%s\"", row->label, row->value);
}

/* ---- questions ---- */

enum ia_walk ia_brain_do_read_setting(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *item;
    enum ia_walk w = ia_brain_reach(b, IA_WANT_ANY, s, &item);
    if (w != IA_WALK_DONE) {
        return w;
    }
    ia_brain_quote_item(b, item);
    ia_brain_say(b, "%s: %s.", item->label, item->on ? "on" : item->off ? "off" : item->value);
    return IA_WALK_DONE;
}
