/* forms.c: the steps that fill in a form and send it, by a table of forms.
 *
 *     the way to it ─► fields ─► a choice ─► its button ─► what the app shows then */
#include "mock/brain/state.h"
#include "mock/brain/words.h"

#include <stdio.h>
#include <string.h>

enum { FILL, PRESSED };
enum { FIELDS_MAX = 4, NAMES_MAX = 5, WAYS_MAX = 10 };

static const struct form {
    enum ia_step_kind kind;
    const char *ways[NAMES_MAX + 1]; /* what leads to it, the last first */
    struct {
        const char *names[NAMES_MAX];
        char slot; /* of the step; A and Z: the first names and the last name in a */
    } fields[FIELDS_MAX + 1];
    const char *submits[NAMES_MAX];
    const char *lack; /* what a person should add when the app refuses */
} forms[] = {
    {IA_STEP_ADD_CONTACT,
     {"Add", "New Contact", "Add Contact", "+", "Create"},
     {{{"First name", "Name", "Full name"}, 'A'},
      {{"Last name"}, 'Z'},
      {{"Phone", "mobile", "Phone number"}, 'b'},
      {{"Email", "E-mail", "Mail"}, 'c'}},
     {"Done", "Save"},
     ""},
    {IA_STEP_ADD_REMINDER,
     {"New Reminder", "Add Reminder"},
     {{{"Title", "Name", "Reminder"}, 'a'}, {{"Notes", "Note"}, 'd'}},
     {"Add", "Done", "Save"},
     ""},
    {IA_STEP_ADD_LIST,
     {"Add List", "New List"},
     {{{"List name", "Name", "Title"}, 'a'}},
     {"Done", "Save", "Add"},
     ""},
    {IA_STEP_LOGIN,
     {"Log In", "Sign In"},
     {{{"User name", "Username", "User", "Email"}, 'a'}, {{"Password", "Passcode"}, 'b'}},
     {"Log In", "Login", "Sign In"},
     "check the user name and the password"},
    {IA_STEP_COUPON,
     {"Cart", "Basket"},
     {{{"Coupon code", "Coupon", "Voucher", "Code"}, 'a'}},
     {"Apply Coupon", "Apply", "Redeem"},
     "check the code"},
    {IA_STEP_CHECK_OUT,
     {"Check Out", "Checkout", "Cart", "Basket"},
     {{{"Full name", "Name"}, 'a'},
      {{"Street", "Address"}, 'b'},
      {{"City", "Town"}, 'c'},
      {{"ZIP code", "ZIP", "Postcode"}, 'd'}},
     {"Place Order", "Order", "Buy"},
     "check the address"},
};

static const struct form *form_of(const struct ia_step *s)
{
    size_t i = 0;
    while (forms[i].kind != s->kind) {
        i++;
    }
    return &forms[i];
}

/* ---- fields ---- */

/* "Ada Lovelace" is a first and a last name where the form has both. */
static void text_for(const struct ia_brain *b, const struct ia_step *s, const struct form *f,
                     size_t field, char out[IA_STEP_TEXT_MAX])
{
    char slot = f->fields[field].slot;
    const char *space = strrchr(s->a, ' ');
    bool split = space && ia_brain_find(&b->screen, IA_WANT_FIELD, "Last name");
    if (slot >= 'a') {
        ia_brain_copy(out, IA_STEP_TEXT_MAX, s->slot[slot - 'a']);
    } else if (slot == 'A') {
        (void)snprintf(out, IA_STEP_TEXT_MAX, "%.*s",
                       split ? (int)(space - s->a) : IA_STEP_TEXT_MAX - 1, s->a);
    } else {
        ia_brain_copy(out, IA_STEP_TEXT_MAX, split ? space + 1 : "");
    }
}

static const struct ia_brain_item *field_at(const struct ia_brain *b, const struct form *f,
                                            size_t i)
{
    return ia_brain_find_any(&b->screen, IA_WANT_FIELD, f->fields[i].names);
}

/* A password is not shown: it is right when it was typed. */
static bool filled(const struct ia_brain *b, const struct ia_brain_item *item, const char *text)
{
    bool typed = b->now.altered && ia_brain_all_ok(b) && !b->now.intruded;
    return strcmp(item->value, text) == 0 || (typed && *item->value);
}

/* Types into every field that is not filled yet, in one answer. DONE when all are. */
static enum ia_walk fill_in(struct ia_brain *b, const struct ia_step *s, const struct form *f)
{
    char text[IA_STEP_TEXT_MAX];
    const char *missing = NULL;
    bool right = true;
    for (size_t i = 0; f->fields[i].slot; i++) {
        const struct ia_brain_item *item = field_at(b, f, i);
        text_for(b, s, f, i, text);
        if (*text && item && !filled(b, item, text)) {
            right = false;
        }
        missing = *text && !item && !missing ? f->fields[i].names[0] : missing;
    }
    if (right && !missing) {
        return IA_WALK_DONE;
    }
    if (!right && b->now.tries++ > 2 * IA_BRAIN_TRIES_MAX) {
        return ia_brain_block(b, "the form could not be filled: %s", b->last_error);
    }
    for (size_t i = 0; f->fields[i].slot; i++) {
        const struct ia_brain_item *item = field_at(b, f, i);
        text_for(b, s, f, i, text);
        if (*text && item && !filled(b, item, text)) {
            (void)ia_brain_type(b, item, text);
        }
    }
    b->now.altered = true;
    b->now.intruded = false;
    return b->call_count ? IA_WALK_ACTED : ia_brain_seek(b, "a field named", missing);
}

/* ---- the way to it, and the end ---- */

/* A reminder is made in its list. */
static enum ia_walk into_list(struct ia_brain *b, const struct ia_step *s)
{
    const char *list = *s->b ? s->b : "Reminders";
    bool there = b->screen.title && ia_text_same(ia_str(b->screen.title), list);
    bool any = !*s->b && ia_brain_find_exact(&b->screen, IA_WANT_TAP, "New Reminder");
    const struct ia_brain_item *row = ia_brain_find_exact(&b->screen, IA_WANT_CELL, list);
    if (there || any) {
        return IA_WALK_DONE;
    }
    if (b->now.number++ > WAYS_MAX) {
        return ia_brain_block(b, "I do not get to the list \"%s\"", list);
    }
    if (row && ia_brain_find_exact(&b->screen, IA_WANT_TAP, "Add List")) {
        return ia_brain_tap(b, row);
    }
    enum ia_walk w = ia_brain_to_first_page(b);
    return w == IA_WALK_DONE ? ia_brain_seek(b, "a list named", list) : w;
}

static enum ia_walk go_to_form(struct ia_brain *b, const struct ia_step *s,
                               const struct form *f)
{
    if (s->kind == IA_STEP_ADD_REMINDER) {
        enum ia_walk w = into_list(b, s);
        if (w != IA_WALK_DONE) {
            return w;
        }
    }
    for (size_t i = 0; f->ways[i]; i++) {
        const struct ia_brain_item *way =
            ia_brain_find_exact(&b->screen, IA_WANT_TAP, f->ways[i]);
        if (way && !way->disabled && !way->selected && b->now.number++ < WAYS_MAX) {
            return ia_brain_tap(b, way);
        }
    }
    if (s->kind == IA_STEP_LOGIN && ia_brain_effect(&b->screen, s) == IA_EFFECT_YES) {
        return ia_brain_block(
            b, "somebody is logged in already: say \"log out\" first, or run with "
               "--fresh");
    }
    return ia_brain_seek(b, "a field named", f->fields[0].names[0]);
}

static const struct ia_brain_item *submit_of(const struct ia_brain *b, const struct form *f)
{
    const struct ia_brain_item *found = NULL;
    for (size_t i = 0; !found && i < NAMES_MAX && f->submits[i]; i++) {
        found = ia_brain_find_exact(&b->screen, IA_WANT_ROW, f->submits[i]);
    }
    return found;
}

/* "due tomorrow": the row of that name is chosen. DONE when it is. */
static enum ia_walk choose_due(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *row = s->kind == IA_STEP_ADD_REMINDER && *s->c
                                          ? ia_brain_find_exact(&b->screen, IA_WANT_CELL, s->c)
                                          : NULL;
    if (s->kind != IA_STEP_ADD_REMINDER || !*s->c || (row && row->selected)) {
        return IA_WALK_DONE;
    }
    return !row                         ? ia_brain_seek(b, "a day named", s->c)
           : b->now.number++ > WAYS_MAX ? ia_brain_block(b, "\"%s\" cannot be chosen", s->c)
                                        : ia_brain_tap(b, row);
}

/* What the app says in plain texts, when it refuses. */
static enum ia_walk refused(struct ia_brain *b, const struct form *f)
{
    struct ia_buf says = IA_BUF(IA_BRAIN_REASON_MAX);
    for (size_t i = 0; i < b->screen.count && says.len < IA_BRAIN_REASON_MAX / 2; i++) {
        if (ia_brain_role_is(&b->screen.items[i], "text")) {
            ia_buf_printf(&says, "%s\"%.100s\"", says.len ? ", " : "",
                          b->screen.items[i].label);
        }
    }
    enum ia_walk w = ia_brain_block(
        b, "the app does not take it and shows %s%s%s; %s", *b->last_alert ? b->last_alert : "",
        *b->last_alert ? ", " : "", says.len ? ia_buf_cstr(&says) : "no message",
        *f->lack ? f->lack : "check what it asks for");
    ia_buf_fini(&says);
    return w;
}

/* The next step may be there to see the refusal: "check that "Wrong password" is visible". */
static bool refusal_wanted(const struct ia_brain *b)
{
    const struct ia_step *next = &b->steps[b->now.at + 1];
    const char *quote;
    return b->now.at + 1 < b->count && next->kind == IA_STEP_CHECK_VISIBLE &&
           ia_brain_shown(&b->screen, next->a, &quote);
}

static enum ia_walk sent(struct ia_brain *b, const struct ia_step *s, const struct form *f)
{
    const char *quote;
    enum ia_effect e = ia_brain_effect(&b->screen, s);
    bool open = field_at(b, f, 0) != NULL;
    if (e == IA_EFFECT_YES || (e == IA_EFFECT_UNKNOWN && !open)) {
        if (s->kind != IA_STEP_LOGIN && ia_brain_shown(&b->screen, s->a, &quote)) {
            ia_brain_quote(b, quote);
        }
        return e == IA_EFFECT_YES || ia_brain_all_ok(b)
                   ? IA_WALK_DONE
                   : ia_brain_retry(b, FILL, "the form was not sent");
    }
    if (refusal_wanted(b)) {
        return IA_WALK_DONE;
    }
    if (e == IA_EFFECT_NO && ia_brain_all_ok(b) && !b->now.intruded) {
        return refused(b, f);
    }
    b->now.intruded = false;
    b->now.phase = FILL;
    return b->now.tries++ < IA_BRAIN_TRIES_MAX ? ia_brain_snapshot(b) : refused(b, f);
}

enum ia_walk ia_brain_do_form(struct ia_brain *b, const struct ia_step *s)
{
    const struct form *f = form_of(s);
    if (b->now.phase == PRESSED) {
        return sent(b, s, f);
    }
    if (b->now.tries == 0 && s->kind == IA_STEP_ADD_LIST &&
        ia_brain_find_exact(&b->screen, IA_WANT_CELL, s->a)) {
        return ia_brain_block(b, "there is already a list named \"%s\"", s->a);
    }
    enum ia_walk w = field_at(b, f, 0) ? fill_in(b, s, f) : go_to_form(b, s, f);
    w = w == IA_WALK_DONE ? choose_due(b, s) : w;
    if (w != IA_WALK_DONE) {
        return w;
    }
    const struct ia_brain_item *submit = submit_of(b, f);
    if (!submit) {
        return ia_brain_seek(b, "a button named", f->submits[0]);
    }
    if (submit->disabled) {
        return b->now.sought ? ia_brain_block(b, "button \"%s\" is disabled", submit->label)
                             : ia_brain_seek(b, "a button named", submit->label);
    }
    b->now.phase = PRESSED;
    return ia_brain_tap(b, submit);
}
