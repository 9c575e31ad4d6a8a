/* effect.c: whether a screen shows that a step was done: what the app says, never what was typed into
 * a field that is not saved yet. The acting brain ends a step by it, and the verifying one judges
 * by it. */
#include "mock/brain/state.h"
#include "mock/brain/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum ia_effect yes_if(bool yes)
{
    return yes ? IA_EFFECT_YES : IA_EFFECT_NO;
}

static bool titled(const struct ia_brain_screen *s, const char *name)
{
    return s->title && ia_text_same(ia_str(s->title), name);
}

/* ---- settings ---- */

static enum ia_effect switched(const struct ia_brain_screen *s, const char *name, bool on)
{
    const struct ia_brain_item *item = ia_brain_find_exact(s, IA_WANT_TOGGLE, name);
    if (item) {
        return yes_if(on ? item->on : item->off);
    }
    item = ia_brain_find_exact(s, IA_WANT_CELL, name);
    bool says_off = item && strcasecmp(item->value, "Off") == 0;
    bool says_on = item && strcasecmp(item->value, "On") == 0;
    return says_on || says_off ? yes_if(on == says_on) : IA_EFFECT_UNKNOWN;
}

/* On the page of the options, or on the row that leads there. */
static enum ia_effect chosen(const struct ia_brain_screen *s, const char *name,
                             const char *option)
{
    const struct ia_brain_item *row = ia_brain_find_exact(s, IA_WANT_CELL, name);
    const struct ia_brain_item *choice = ia_brain_find_exact(s, IA_WANT_CELL, option);
    const struct ia_brain_item *search = ia_brain_role(s, "search");
    bool searching = search && *search->value;
    if (row && *row->value && !searching) {
        return yes_if(ia_text_same(ia_str(row->value), option));
    }
    bool page = choice && (titled(s, name) || choice->selected);
    return page ? yes_if(choice->selected) : IA_EFFECT_UNKNOWN;
}

int ia_brain_level(const struct ia_brain_item *item)
{
    char *end;
    long v = item ? strtol(item->value, &end, 10) : -1;
    return item && end != item->value && *end == '%' && v >= 0 && v <= 100 ? (int)v : -1;
}

int ia_brain_level_wanted(const struct ia_step *step, int now)
{
    static const struct {
        const char *words;
        int percent;
    } names[] = {{"max maximum full", 100}, {"half", 50}, {"min minimum", 0}};
    size_t n = strcspn(step->b, "%");
    long v = ia_word_number((struct ia_str){step->b, n});
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        /* "Lower it by half" is half of what it is, which no row means. */
        bool named = ia_word_in(ia_str(step->b), names[i].words);
        v = !named ? v : *step->c ? -1 : names[i].percent;
    }
    if (v < 0 || v > 100 || (*step->c && now < 0)) {
        return -1;
    }
    v = *step->c == '+' ? now + v : *step->c == '-' ? now - v : v;
    return v < 0 ? 0 : v > 100 ? 100 : (int)v;
}

static enum ia_effect levelled(const struct ia_brain_screen *s, const struct ia_step *step)
{
    const struct ia_brain_item *item =
        ia_brain_find_exact(s, IA_WANT_SLIDER, ia_brain_setting(step->a));
    int wanted = *step->c ? -1 : ia_brain_level_wanted(step, -1);
    return !item || wanted < 0 ? IA_EFFECT_UNKNOWN : yes_if(ia_brain_level(item) == wanted);
}

/* ---- lists ---- */

/* A name's own page shows what was stored. */
static enum ia_effect contact_is(const struct ia_brain_screen *s, const struct ia_step *step)
{
    bool form = ia_brain_role(s, "field") != NULL;
    const char *const values[] = {step->b, step->c};
    const struct ia_brain_item *head = ia_brain_find_exact(s, IA_WANT_ANY, step->a);
    bool page = titled(s, step->a) || (head && ia_brain_role_is(head, "heading"));
    if (!page || form) {
        return IA_EFFECT_UNKNOWN;
    }
    for (size_t i = 0; i < IA_COUNTOF(values); i++) {
        bool found = !*values[i];
        for (size_t k = 0; !found && k < s->count; k++) {
            found = strcmp(s->items[k].value, values[i]) == 0;
        }
        if (!found) {
            return IA_EFFECT_NO;
        }
    }
    return IA_EFFECT_YES;
}

static enum ia_effect contact_changed(const struct ia_brain_screen *s,
                                      const struct ia_step *step)
{
    bool name = ia_brain_contains(step->b, "name"), form = ia_brain_role(s, "field") != NULL;
    bool page = s->title && !form && ia_brain_role(s, "row");
    if (name) {
        return page && ia_brain_has_words(s->title, step->c) &&
                       ia_brain_find_exact(s, IA_WANT_TAP, "Edit")
                   ? IA_EFFECT_YES
                   : IA_EFFECT_UNKNOWN;
    }
    /* The step may name the contact by a part: "Nora's number". */
    if (!page || !ia_text_tells(s->title, ia_str(step->a))) {
        return IA_EFFECT_UNKNOWN;
    }
    for (size_t k = 0; k < s->count; k++) {
        if (strcmp(s->items[k].value, step->c) == 0) {
            return IA_EFFECT_YES;
        }
    }
    return IA_EFFECT_NO;
}

static enum ia_effect deleted(const struct ia_brain_screen *s, const char *name)
{
    size_t count;
    bool there = titled(s, name) || ia_brain_find_akin(s, IA_WANT_CELL, name, &count) || count;
    bool form = ia_brain_role(s, "field") || ia_brain_alert(s);
    return form ? IA_EFFECT_UNKNOWN : yes_if(!there);
}

static enum ia_effect reminder_is(const struct ia_brain_screen *s, const struct ia_step *step,
                                  bool akin)
{
    size_t count;
    const struct ia_brain_item *row = akin
                                          ? ia_brain_find_akin(s, IA_WANT_CELL, step->a, &count)
                                          : ia_brain_find_exact(s, IA_WANT_CELL, step->a);
    if (!row || ia_brain_role(s, "field")) {
        return IA_EFFECT_UNKNOWN;
    }
    /* A day further on is named by its date. */
    bool named = !*step->c || ia_brain_contains(step->c, "week")
                     ? !*step->c || strpbrk(row->value, "0123456789")
                     : ia_brain_contains(row->value, step->c);
    return yes_if(named && (!*step->d || ia_brain_contains(row->value, step->d)));
}

static enum ia_effect completed(const struct ia_brain_screen *s, const char *name)
{
    size_t count;
    const struct ia_brain_item *row = ia_brain_find_akin(s, IA_WANT_CELL, name, &count);
    return row ? yes_if(strcmp(row->value, "Completed") == 0) : IA_EFFECT_UNKNOWN;
}

bool ia_brain_absent(const struct ia_brain_screen *s, const struct ia_step *step)
{
    const struct ia_brain_item *search = ia_brain_role(s, "search");
    bool page = s->title && (!*step->b || titled(s, step->b));
    bool filtered = search && *search->value && !ia_brain_contains(step->a, search->value);
    return page && !filtered && !ia_brain_alert(s);
}

const char *ia_brain_still(const struct ia_brain_screen *s, const char *text)
{
    const struct ia_brain_item *search = ia_brain_role(s, "search");
    bool searching = search && *search->value;
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        /* What is searched for stands in the field, and where nothing was found. */
        if (item == search || (searching && !ia_brain_role_is(item, "row"))) {
            continue;
        }
        if (ia_brain_contains(item->label, text) || ia_brain_contains(item->value, text)) {
            return ia_brain_contains(item->label, text) ? item->label : item->value;
        }
    }
    return s->title && !searching && ia_brain_contains(s->title, text) ? s->title : NULL;
}

bool ia_brain_nowhere(const struct ia_brain_screen *s)
{
    return strcmp(s->app, "com.apple.springboard") == 0;
}

/* ---- the shop ---- */

int ia_brain_pieces(const struct ia_step *step)
{
    long n = ia_word_number(ia_str(step->b));
    return *step->b ? (int)n : 1;
}

static enum ia_effect logged_in(const struct ia_brain_screen *s)
{
    /* A bank goes on to ask for a code. */
    bool in = ia_brain_role(s, "tab") || ia_brain_find_exact(s, IA_WANT_FIELD, "Code");
    return ia_brain_role(s, "password") ? IA_EFFECT_NO : in ? IA_EFFECT_YES : IA_EFFECT_UNKNOWN;
}

/* "2 in your cart" on the thing's own page, "2 × $12.50" in the cart. */
static enum ia_effect in_cart(const struct ia_brain_screen *s, const struct ia_step *step)
{
    size_t count;
    const struct ia_brain_item *row = ia_brain_find_akin(s, IA_WANT_CELL, step->a, &count);
    bool page = s->title && ia_text_tells(s->title, ia_str(step->a));
    for (size_t i = 0; page && i < s->count; i++) {
        if (ia_brain_contains(s->items[i].label, " in your cart")) {
            return yes_if(strtol(s->items[i].label, NULL, 10) >= ia_brain_pieces(step));
        }
    }
    return row && titled(s, "Cart")
               ? yes_if(strtol(row->value, NULL, 10) >= ia_brain_pieces(step))
               : IA_EFFECT_UNKNOWN;
}

static enum ia_effect taken_out(const struct ia_brain_screen *s, const char *name)
{
    size_t count;
    bool there = ia_brain_find_akin(s, IA_WANT_CELL, name, &count) || count;
    return titled(s, "Cart") ? yes_if(!there) : IA_EFFECT_UNKNOWN;
}

static enum ia_effect ordered(const struct ia_brain_screen *s)
{
    const char *quote;
    return ia_brain_shown(s, "Thank you for your order", &quote) ? IA_EFFECT_YES
                                                                 : IA_EFFECT_UNKNOWN;
}

static enum ia_effect coupon_taken(const struct ia_brain_screen *s)
{
    const char *quote;
    return ia_brain_find_exact(s, IA_WANT_CELL, "Discount")   ? IA_EFFECT_YES
           : ia_brain_shown(s, "coupon is not valid", &quote) ? IA_EFFECT_NO
                                                              : IA_EFFECT_UNKNOWN;
}

enum ia_effect ia_brain_effect(const struct ia_brain_screen *s, const struct ia_step *step)
{
    switch (step->kind) {
    case IA_STEP_SWITCH_ON:
    case IA_STEP_SWITCH_OFF:
        return switched(s, ia_brain_setting(step->a), step->kind == IA_STEP_SWITCH_ON);
    case IA_STEP_CHOOSE:
        return chosen(s, ia_brain_setting(step->a), step->b);
    case IA_STEP_LEVEL:
        return levelled(s, step);
    case IA_STEP_ADD_CONTACT:
        return contact_is(s, step);
    case IA_STEP_EDIT_CONTACT:
        return contact_changed(s, step);
    case IA_STEP_DELETE:
        return deleted(s, step->a);
    case IA_STEP_TAKE_OUT:
        return taken_out(s, step->a);
    case IA_STEP_ADD_REMINDER:
        return reminder_is(s, step, false);
    case IA_STEP_DUE:
        return reminder_is(s, step, true);
    case IA_STEP_ADD_LIST:
        return ia_brain_find_exact(s, IA_WANT_CELL, step->a) ? IA_EFFECT_YES
                                                             : IA_EFFECT_UNKNOWN;
    case IA_STEP_COMPLETE:
        return completed(s, step->a);
    case IA_STEP_LOGIN:
        return logged_in(s);
    case IA_STEP_ADD_TO_CART:
        return in_cart(s, step);
    case IA_STEP_CHECK_OUT:
        return ordered(s);
    case IA_STEP_COUPON:
        return coupon_taken(s);
    default:
        return IA_EFFECT_UNKNOWN;
    }
}
