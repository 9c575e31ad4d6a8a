/* things.c: the steps about one row of a list, or all of them: a contact, a reminder, what a shop
 * sells. The row is found on the screen or by the app's search; its page must say that it is the
 * right one before anything is done there. */
#include "mock/brain/know.h"
#include "mock/brain/state.h"
#include "mock/brain/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START, PAGE, ASKED, DONE };
enum { CLICKS_MAX = 20, ROUNDS_MAX = 60, SWIPES_MAX = 12 };

/* ---- finding ---- */

static bool complete_list(const struct ia_brain *b)
{
    const struct ia_brain_item *search = ia_brain_role(&b->screen, "search");
    return !b->screen.outside || (search && *search->value);
}

/* DONE with the only row that the name means; one that has only some of the words must be the only
 * one in all of the list. */
static enum ia_walk locate(struct ia_brain *b, const char *what, const char *name,
                           const struct ia_brain_item **ret_row)
{
    size_t count;
    *ret_row = ia_brain_find_akin(&b->screen, IA_WANT_CELL, name, &count);
    if (*ret_row &&
        (complete_list(b) || ia_brain_find_exact(&b->screen, IA_WANT_CELL, name) == *ret_row)) {
        return IA_WALK_DONE;
    }
    if (count > 1 && complete_list(b)) {
        return ia_brain_block(b, "%zu rows fit \"%s\"", count, name);
    }
    if (ia_brain_role(&b->screen, "password")) {
        return ia_brain_block(b, "a log-in is asked for: add \"log in as USER with password "
                                 "PASSWORD\"");
    }
    return ia_brain_look_for(b, what, name, name);
}

/* The page of the thing has its name as title, or in a field. */
static bool page_of(const struct ia_brain *b, const char *name)
{
    bool says = b->screen.title && ia_text_tells(b->screen.title, ia_str(name));
    for (size_t i = 0; !says && i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        says = (ia_brain_role_is(item, "field") || ia_brain_role_is(item, "heading")) &&
               (ia_text_tells(item->value, ia_str(name)) ||
                ia_text_tells(item->label, ia_str(name)));
    }
    return says && !ia_brain_role(&b->screen, "search");
}

/* Opens the row's page; DONE when it is open. */
static enum ia_walk open_page(struct ia_brain *b, const char *what, const char *name)
{
    const struct ia_brain_item *row;
    if (page_of(b, name)) {
        return IA_WALK_DONE;
    }
    enum ia_walk w = locate(b, what, name, &row);
    if (w != IA_WALK_DONE) {
        return w;
    }
    return b->now.tries++ > IA_BRAIN_TRIES_MAX
               ? ia_brain_block(b, "the page of \"%s\" does not open", name)
               : ia_brain_tap(b, row);
}

static enum ia_walk press(struct ia_brain *b, const char *const *names, int next_phase)
{
    const struct ia_brain_item *button = ia_brain_find_any(&b->screen, IA_WANT_TAP, names);
    if (!button) {
        return ia_brain_seek(b, "a button named", names[0]);
    }
    if (button->disabled) {
        return ia_brain_block(b, "button \"%s\" is disabled", button->label);
    }
    b->now.phase = next_phase;
    return ia_brain_tap(b, button);
}

/* ---- delete ---- */

static const char *const delete_names[] = {"Delete Contact", "Delete Reminder", "Delete",
                                           "Remove", NULL};

/* On the page: the delete button, perhaps behind Edit, perhaps further down; then what it asks. */
static enum ia_walk delete_here(struct ia_brain *b)
{
    const struct ia_brain_item *button =
        ia_brain_find_any(&b->screen, IA_WANT_ROW, delete_names);
    const struct ia_brain_item *edit = ia_brain_find_exact(&b->screen, IA_WANT_TAP, "Edit");
    if (ia_brain_alert(&b->screen)) {
        b->now.phase = DONE;
        return ia_brain_answer_alert(b, button);
    }
    if (button) {
        b->now.phase = ASKED;
        return ia_brain_tap(b, button);
    }
    if (edit && !b->now.altered) {
        b->now.altered = true;
        return ia_brain_tap(b, edit);
    }
    return ia_brain_seek(b, "a button named", delete_names[0]);
}

enum ia_walk ia_brain_do_delete(struct ia_brain *b, const struct ia_step *s)
{
    bool alert = ia_brain_alert(&b->screen) != NULL;
    if (b->now.phase >= ASKED && !alert) {
        if (ia_brain_effect(&b->screen, s) == IA_EFFECT_YES) {
            return IA_WALK_DONE;
        }
        bool same =
            page_of(b, s->a) || ia_brain_find_any(&b->screen, IA_WANT_ROW, delete_names);
        if (b->now.number++ > IA_BRAIN_TRIES_MAX) {
            return ia_brain_retry(b, START, "it is still there");
        }
        b->now.phase = same ? PAGE : START;
    }
    if (b->now.phase == START) {
        enum ia_walk w = open_page(b, "an entry named", s->a);
        if (w != IA_WALK_DONE) {
            return w;
        }
        b->now.phase = PAGE;
        b->now.sought = false;
    }
    /* The layout may have moved under the finger. */
    if (b->now.phase == PAGE && !alert && !b->now.altered && !page_of(b, s->a)) {
        b->now.phase = START;
        return b->now.tries++ > IA_BRAIN_TRIES_MAX
                   ? ia_brain_block(b, "the page of \"%s\" does not open", s->a)
                   : ia_brain_back(b);
    }
    return delete_here(b);
}

/* ---- change ---- */

/* The one thing that is to be changed on the page; DONE when it is. */
static enum ia_walk change(struct ia_brain *b, const struct ia_step *s)
{
    if (s->kind == IA_STEP_DUE) {
        const struct ia_brain_item *day = ia_brain_find_exact(&b->screen, IA_WANT_CELL, s->c);
        return !day            ? ia_brain_seek(b, "a day named", s->c)
               : day->selected ? IA_WALK_DONE
                               : ia_brain_tap(b, day);
    }
    const struct ia_brain_item *field = ia_brain_find_exact(&b->screen, IA_WANT_FIELD, s->b);
    const struct ia_brain_item *edit = ia_brain_find_exact(&b->screen, IA_WANT_TAP, "Edit");
    if (!field && edit) {
        return ia_brain_tap(b, edit);
    }
    return !field                            ? ia_brain_seek(b, "a field named", s->b)
           : strcmp(field->value, s->c) == 0 ? IA_WALK_DONE
                                             : ia_brain_type(b, field, s->c);
}

enum ia_walk ia_brain_do_edit(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const saves[] = {"Done", "Save", NULL};
    const char *quote;
    if (ia_brain_effect(&b->screen, s) == IA_EFFECT_YES) {
        if (ia_brain_shown(&b->screen, s->c, &quote)) {
            ia_brain_quote(b, quote);
        }
        return IA_WALK_DONE;
    }
    if (b->now.phase == DONE) {
        bool gone = !ia_brain_role(&b->screen, "field");
        return gone && ia_brain_all_ok(b) && !b->now.intruded
                   ? ia_brain_fail(b, "it was saved, and is not what was typed")
                   : ia_brain_retry(b, START, "it was not saved");
    }
    if (b->now.phase == START) {
        enum ia_walk w = open_page(b, "a row named", s->a);
        if (w != IA_WALK_DONE) {
            return w;
        }
        b->now.phase = PAGE;
        b->now.sought = false;
    }
    if (b->now.number++ > CLICKS_MAX) {
        return ia_brain_block(b, "the change is not taken: %s", b->last_error);
    }
    enum ia_walk w = change(b, s);
    return w == IA_WALK_DONE ? press(b, saves, DONE) : w;
}

/* ---- reminders ---- */

/* "Complete Milk" beside the row Milk. */
static const struct ia_brain_item *button_for(const struct ia_brain *b, const char *verb,
                                              const char *name)
{
    char label[2 * IA_STEP_TEXT_MAX];
    (void)snprintf(label, sizeof(label), "%s %s", verb, name);
    return ia_brain_find_exact(&b->screen, IA_WANT_TAP, label);
}

enum ia_walk ia_brain_do_complete(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *row;
    enum ia_walk w = locate(b, "a reminder named", s->a, &row);
    if (w != IA_WALK_DONE) {
        return w;
    }
    if (ia_brain_effect(&b->screen, s) == IA_EFFECT_YES) {
        ia_brain_quote_item(b, row);
        return IA_WALK_DONE;
    }
    const struct ia_brain_item *button = button_for(b, "Complete", row->label);
    button = button ? button : ia_brain_find_exact(&b->screen, IA_WANT_TOGGLE, row->label);
    if (!button || b->now.number++ > IA_BRAIN_TRIES_MAX) {
        return ia_brain_seek(b, "a button that completes", row->label);
    }
    return ia_brain_tap(b, button);
}

static const struct ia_brain_item *button_that(const struct ia_brain *b, const char *verb)
{
    size_t n = strlen(verb);
    for (size_t i = 0; i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        if (ia_brain_role_is(item, "button") && strncmp(item->label, verb, n) == 0 &&
            item->label[n] == ' ') {
            return item;
        }
    }
    return NULL;
}

/* Opens a list from the first page; DONE when it is open. */
static enum ia_walk open_list(struct ia_brain *b, const char *name)
{
    const struct ia_brain_item *row = ia_brain_find_exact(&b->screen, IA_WANT_CELL, name);
    if (b->screen.title && ia_text_same(ia_str(b->screen.title), name)) {
        return IA_WALK_DONE;
    }
    if (row && ia_brain_find_exact(&b->screen, IA_WANT_TAP, "Add List")) {
        return b->now.tries++ > IA_BRAIN_TRIES_MAX
                   ? ia_brain_block(b, "the list \"%s\" does not open", name)
                   : ia_brain_tap(b, row);
    }
    enum ia_walk w = ia_brain_to_first_page(b);
    return w == IA_WALK_DONE ? ia_brain_seek(b, "a list named", name) : w;
}

/* Every reminder of a list, one after the other, until there is none. */
enum ia_walk ia_brain_do_all(struct ia_brain *b, const struct ia_step *s)
{
    bool deletes = s->kind == IA_STEP_DELETE_DONE;
    bool form = ia_brain_role(&b->screen, "field") || ia_brain_alert(&b->screen);
    if (b->now.number++ > ROUNDS_MAX) {
        return ia_brain_block(b, "there is no end to the list");
    }
    if (deletes && form) {
        return delete_here(b);
    }
    enum ia_walk w = open_list(b, deletes ? "Completed" : s->a);
    if (w != IA_WALK_DONE) {
        return w;
    }
    const struct ia_brain_item *next = button_that(b, deletes ? "Reopen" : "Complete");
    if (!next) {
        ia_brain_quote(b, b->screen.title);
        return b->screen.outside ? ia_brain_swipe(b, "up") : IA_WALK_DONE;
    }
    const struct ia_brain_item *row =
        ia_brain_find(&b->screen, IA_WANT_CELL, next->label + strlen("Reopen "));
    return deletes && row ? ia_brain_tap(b, row) : ia_brain_tap(b, next);
}

enum ia_walk ia_brain_do_list(struct ia_brain *b, const struct ia_step *s)
{
    enum ia_walk w = open_list(b, s->a);
    if (w != IA_WALK_DONE) {
        return w;
    }
    size_t open = 0;
    for (size_t i = 0; i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        if (ia_brain_role_is(item, "row") && strcmp(item->value, "Completed") != 0) {
            ia_brain_quote(b, item->label);
            ia_brain_say(b, "%s: %s%s%s.", s->a, item->label, *item->value ? ", " : "",
                         item->value);
            open++;
        }
    }
    if (!open) {
        ia_brain_say(b, "%s: nothing to do.", s->a);
    }
    return IA_WALK_DONE;
}

/* ---- questions ---- */

enum ia_walk ia_brain_do_read(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *row;
    bool price = s->kind == IA_STEP_READ_PRICE;
    enum ia_walk w =
        price ? locate(b, "an item named", s->a, &row) : open_page(b, "a contact named", s->a);
    if (w != IA_WALK_DONE) {
        return w;
    }
    if (!price) {
        row = ia_brain_find_exact(&b->screen, IA_WANT_CELL, s->b);
    }
    if (!row) {
        return ia_brain_block(b, "\"%s\" shows no \"%s\"", s->a, s->b);
    }
    ia_brain_quote(b, row->value);
    ia_brain_quote(b, price ? row->label : b->screen.title);
    ia_brain_say(b, "%s: %s.", price ? row->label : b->screen.title, row->value);
    return IA_WALK_DONE;
}

/* The list says at its end how many rows it has: "30 Contacts". */
enum ia_walk ia_brain_do_count(struct ia_brain *b, const struct ia_step *s)
{
    for (size_t i = 0; i < b->screen.count; i++) {
        const char *label = b->screen.items[i].label;
        size_t digits = strspn(label, "0123456789");
        if (digits && label[digits] == ' ' &&
            ia_word_akin(ia_str(label + digits + 1), ia_str(s->a))) {
            ia_brain_quote(b, label);
            ia_brain_say(b, "%s.", label);
            return IA_WALK_DONE;
        }
    }
    return b->now.number++ < SWIPES_MAX
               ? ia_brain_swipe(b, "up")
               : ia_brain_block(b, "the list does not say how many %s there are", s->a);
}

/* ---- a cart ---- */

static const char *const cart_buttons[] = {"Add to Cart", "Add to Basket", "Add to Bag", NULL};

static bool on_page_of(const struct ia_brain *b, const char *name)
{
    return b->screen.title && ia_text_tells(b->screen.title, ia_str(name)) &&
           ia_brain_find_exact(&b->screen, IA_WANT_ANY, "Quantity");
}

/* One more or one less, until the quantity is right; then into the cart. */
static enum ia_walk cart_count(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const more[] = {"Increase", "Increment", "+", NULL};
    static const char *const less[] = {"Decrease", "Decrement", "-", NULL};
    const struct ia_brain_item *quantity =
        ia_brain_find_exact(&b->screen, IA_WANT_ANY, "Quantity");
    long want = ia_brain_pieces(s), have = quantity ? strtol(quantity->value, NULL, 10) : 1;
    if (have == want) {
        const struct ia_brain_item *sold_out =
            ia_brain_find_exact(&b->screen, IA_WANT_TAP, "Sold Out");
        return sold_out ? ia_brain_block(b, "\"%s\" is sold out", s->a)
                        : press(b, cart_buttons, DONE);
    }
    if (b->now.number++ >= CLICKS_MAX) {
        return ia_brain_block(b, "the quantity is still %ld and should be %ld", have, want);
    }
    return press(b, have < want ? more : less, PAGE);
}

enum ia_walk ia_brain_do_cart(struct ia_brain *b, const struct ia_step *s)
{
    if (b->now.phase == DONE) {
        if (ia_brain_effect(&b->screen, s) == IA_EFFECT_YES && !b->now.unchanged) {
            return IA_WALK_DONE;
        }
        return ia_brain_retry(b, PAGE, "the cart does not show it");
    }
    if (on_page_of(b, s->a)) {
        return cart_count(b, s);
    }
    if (ia_brain_find_any(&b->screen, IA_WANT_TAP, cart_buttons) && b->now.moves == 0) {
        b->now.moves++;
        return ia_brain_back(b);
    }
    return open_page(b, "an item named", s->a);
}

enum ia_walk ia_brain_do_take_out(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *button = button_for(b, "Remove", s->a);
    const struct ia_brain_item *cart = ia_brain_find_exact(&b->screen, IA_WANT_TAP, "Cart");
    if (b->now.phase == DONE && ia_brain_effect(&b->screen, s) == IA_EFFECT_YES) {
        return IA_WALK_DONE;
    }
    if (!button && cart && !cart->selected && !b->now.altered) {
        b->now.altered = true;
        return ia_brain_tap(b, cart);
    }
    if (!button || b->now.number++ > IA_BRAIN_TRIES_MAX) {
        return ia_brain_seek(b, "a button that removes", s->a);
    }
    b->now.phase = DONE;
    return ia_brain_tap(b, button);
}
