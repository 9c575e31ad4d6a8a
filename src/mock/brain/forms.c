/* forms.c: the steps that type: fields, search, a new contact; and deleting one. */
#include "mock/brain/state.h"

#include <stdio.h>
#include <string.h>

/* ---- type, clear, search ---- */

enum { TYPE_START, TYPE_RESULT };

static const struct ia_brain_item *field_for(const struct ia_brain *b, const char *name)
{
    return *name ? ia_brain_find(b, IA_WANT_FIELD, name) : ia_brain_only_field(b);
}

enum ia_walk ia_brain_step_type(struct ia_brain *b, const struct ia_step *s)
{
    if (b->phase == TYPE_RESULT) {
        const char *quote;
        if (!ia_brain_all_ok(b)) {
            return ia_brain_again(b, TYPE_START);
        }
        if (ia_brain_shown(&b->screen, s->a, &quote)) {
            ia_brain_quote(b, quote);
        }
        return IA_WALK_DONE;
    }
    const struct ia_brain_item *field = field_for(b, s->b);
    if (!field && !*s->b) {
        return ia_brain_fail(b,
                             "there is not exactly one field, and none has the keyboard focus");
    }
    if (!field) {
        return ia_brain_seek(b, "a field named", s->b);
    }
    b->phase = TYPE_RESULT;
    return ia_brain_type(b, field, s->a);
}

enum ia_walk ia_brain_step_clear(struct ia_brain *b, const struct ia_step *s)
{
    if (b->phase == TYPE_RESULT) {
        return ia_brain_all_ok(b) ? IA_WALK_DONE : ia_brain_again(b, TYPE_START);
    }
    const struct ia_brain_item *field = field_for(b, s->a);
    if (!field) {
        return ia_brain_seek(b, "a field named", s->a);
    }
    b->phase = TYPE_RESULT;
    return ia_brain_call(b, "clear_text", json_pack("{s:I}", "ref", (json_int_t)field->ref));
}

static const struct ia_brain_item *search_field(const struct ia_brain *b)
{
    for (size_t i = 0; i < b->screen.count; i++) {
        if (ia_brain_role_is(&b->screen.items[i], "search")) {
            return &b->screen.items[i];
        }
    }
    return ia_brain_find(b, IA_WANT_FIELD, "Search");
}

/* The search field is behind a button, or above the top of a list. */
static enum ia_walk search_missing(struct ia_brain *b)
{
    const struct ia_brain_item *button = ia_brain_find(b, IA_WANT_TAP, "Search");
    if (button && !b->altered) {
        b->altered = true;
        return ia_brain_tap(b, button);
    }
    if (!b->sought) {
        b->sought = true;
        return ia_brain_call(b, "swipe", json_pack("{s:s}", "direction", "down"));
    }
    return ia_brain_fail(b, "I looked for a search field and saw none");
}

enum ia_walk ia_brain_step_search(struct ia_brain *b, const struct ia_step *s)
{
    if (b->phase == TYPE_RESULT) {
        return ia_brain_all_ok(b) ? IA_WALK_DONE : ia_brain_again(b, TYPE_START);
    }
    const struct ia_brain_item *field = search_field(b);
    if (!field) {
        return search_missing(b);
    }
    b->phase = TYPE_RESULT;
    return ia_brain_type(b, field, s->a);
}

/* ---- a new contact ---- */

enum { ADD_START, ADD_FILL, ADD_FILLED, ADD_SAVED };
enum { FIRST, LAST, PHONE, EMAIL, ENTRIES };

/* One line of the form: names it may have, and what goes into it. */
struct entry {
    const char *const *names;
    char text[IA_STEP_TEXT_MAX];
};

static const char *const first_names[] = {"First name", "Name", "Full name", NULL};
static const char *const last_names[] = {"Last name", NULL};
static const char *const phone_names[] = {"Phone", "mobile", "Phone number", NULL};
static const char *const email_names[] = {"Email", "E-mail", "Mail", NULL};
static const char *const add_names[] = {"Add", "New Contact", "Add Contact",
                                        "+",   "Create",      NULL};
static const char *const save_names[] = {"Done", "Save", NULL};

/* "Ada Lovelace" is a first and a last name where the form has both. */
static void plan_entries(const struct ia_brain *b, const struct ia_step *s,
                         struct entry entries[ENTRIES])
{
    static const char *const *const names[] = {first_names, last_names, phone_names,
                                               email_names};
    const char *space = strrchr(s->a, ' ');
    bool split = space && ia_brain_find_any(b, IA_WANT_FIELD, last_names);
    for (int i = 0; i < ENTRIES; i++) {
        entries[i].names = names[i];
    }
    snprintf(entries[FIRST].text, sizeof(entries[FIRST].text), "%.*s",
             split ? (int)(space - s->a) : IA_STEP_TEXT_MAX - 1, s->a);
    snprintf(entries[LAST].text, sizeof(entries[LAST].text), "%s", split ? space + 1 : "");
    snprintf(entries[PHONE].text, sizeof(entries[PHONE].text), "%s", s->b);
    snprintf(entries[EMAIL].text, sizeof(entries[EMAIL].text), "%s", s->c);
}

static enum ia_walk contact_start(struct ia_brain *b)
{
    if (ia_brain_find_any(b, IA_WANT_FIELD, first_names)) {
        b->phase = ADD_FILL;
        return IA_WALK_DONE;
    }
    const struct ia_brain_item *add = ia_brain_find_any(b, IA_WANT_TAP, add_names);
    if (!add || b->tries++ >= IA_BRAIN_TRIES_MAX) {
        return ia_brain_seek(b, "a button named", "Add");
    }
    return ia_brain_tap(b, add);
}

/* Types into every entry that is not filled yet, in one answer; remembers which call was for
 * which entry. */
static enum ia_walk contact_fill(struct ia_brain *b, const struct ia_step *s)
{
    struct entry entries[ENTRIES];
    unsigned missing = ENTRIES;
    plan_entries(b, s, entries);
    b->fields = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (!*entries[i].text || (b->done & 1U << i)) {
            continue;
        }
        const struct ia_brain_item *field =
            ia_brain_find_any(b, IA_WANT_FIELD, entries[i].names);
        if (field) {
            /* Four bits for each call: the entry that it fills. */
            b->fields |= i << (4 * b->call_count);
            (void)ia_brain_type(b, field, entries[i].text);
        } else if (missing == ENTRIES) {
            missing = i;
        }
    }
    b->phase = ADD_FILLED;
    if (b->call_count > 0) {
        return IA_WALK_ACTED;
    }
    return missing < ENTRIES ? ia_brain_seek(b, "a field named", entries[missing].names[0])
                             : IA_WALK_DONE;
}

/* True when every entry is filled. */
static bool contact_filled(struct ia_brain *b, const struct ia_step *s)
{
    struct entry entries[ENTRIES];
    for (unsigned call = 0; call < ENTRIES; call++) {
        if (b->asked & b->ok & 1U << call) {
            b->done |= 1U << (b->fields >> (4 * call) & 0xf);
        }
    }
    plan_entries(b, s, entries);
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (*entries[i].text && !(b->done & 1U << i)) {
            return false;
        }
    }
    return true;
}

static enum ia_walk contact_save(struct ia_brain *b, const struct ia_step *s)
{
    if (!contact_filled(b, s)) {
        b->phase = ADD_FILL;
        return b->tries++ < 2 * IA_BRAIN_TRIES_MAX
                   ? IA_WALK_DONE
                   : ia_brain_fail(b, "the form could not be filled: %s", b->last_error);
    }
    const struct ia_brain_item *save = ia_brain_find_any(b, IA_WANT_TAP, save_names);
    if (!save) {
        return ia_brain_seek(b, "a button named", save_names[0]);
    }
    if (save->disabled) {
        return ia_brain_fail(b, "button \"%s\" is disabled", save->label);
    }
    b->phase = ADD_SAVED;
    return ia_brain_tap(b, save);
}

/* The alert or sheet on the screen, or NULL. */
static const struct ia_brain_item *alert_on(const struct ia_brain *b)
{
    for (size_t i = 0; i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        if (ia_brain_role_is(item, "alert") || ia_brain_role_is(item, "sheet")) {
            return item;
        }
    }
    return NULL;
}

static enum ia_walk contact_saved(struct ia_brain *b, const struct ia_step *s)
{
    const char *quote;
    const struct ia_brain_item *alert = alert_on(b);
    if (!ia_brain_all_ok(b)) {
        return ia_brain_again(b, ADD_FILLED);
    }
    if (alert) {
        return ia_brain_fail(b, "the app shows \"%s\"", alert->label);
    }
    if (ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
    }
    return IA_WALK_DONE;
}

/* Moves between phases without a call are made here, so that DONE means the whole step. */
enum ia_walk ia_brain_step_contact(struct ia_brain *b, const struct ia_step *s)
{
    enum ia_walk w = IA_WALK_DONE;
    int before = -1;
    while (w == IA_WALK_DONE && b->phase != before && b->phase != ADD_SAVED) {
        before = b->phase;
        w = b->phase == ADD_START  ? contact_start(b)
            : b->phase == ADD_FILL ? contact_fill(b, s)
                                   : contact_save(b, s);
    }
    return w == IA_WALK_DONE && b->phase == ADD_SAVED ? contact_saved(b, s) : w;
}

/* ---- delete ---- */

enum { DELETE_START, DELETE_OPENED, DELETE_ASKED, DELETE_CONFIRMED };

static const char *const delete_names[] = {"Delete Contact", "Delete Reminder", "Delete",
                                           "Remove", NULL};
static const char *const confirm_names[] = {
    "Delete Contact", "Delete Reminder", "Delete", "Remove", "OK", "Confirm", "Yes", NULL};

static enum ia_walk delete_start(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *item = ia_brain_find(b, IA_WANT_ANY, s->a);
    if (!item) {
        return ia_brain_seek(b, "an entry named", s->a);
    }
    b->phase = DELETE_OPENED;
    b->sought = false;
    return ia_brain_role_is(item, "heading") ? ia_brain_snapshot(b) : ia_brain_tap(b, item);
}

/* On the entry's own page: the delete button, perhaps behind Edit, perhaps further down. */
static enum ia_walk delete_opened(struct ia_brain *b)
{
    const struct ia_brain_item *button = ia_brain_find_any(b, IA_WANT_ROW, delete_names);
    if (!ia_brain_all_ok(b) && !b->sought) {
        return ia_brain_again(b, DELETE_START);
    }
    if (button) {
        b->phase = DELETE_ASKED;
        return ia_brain_tap(b, button);
    }
    const struct ia_brain_item *edit = ia_brain_find(b, IA_WANT_TAP, "Edit");
    if (edit && !b->altered) {
        b->altered = true;
        return ia_brain_tap(b, edit);
    }
    return ia_brain_seek(b, "a button named", "Delete");
}

static enum ia_walk delete_asked(struct ia_brain *b)
{
    if (!ia_brain_all_ok(b)) {
        return ia_brain_again(b, DELETE_OPENED);
    }
    if (!alert_on(b)) {
        return IA_WALK_DONE;
    }
    const struct ia_brain_item *button = ia_brain_find_any(b, IA_WANT_ROW, confirm_names);
    b->phase = DELETE_CONFIRMED;
    return button ? ia_brain_call(
                        b, "alert",
                        json_pack("{s:s, s:s}", "action", "button", "button", button->label))
                  : ia_brain_call(b, "alert", json_pack("{s:s}", "action", "accept"));
}

enum ia_walk ia_brain_step_delete(struct ia_brain *b, const struct ia_step *s)
{
    switch (b->phase) {
    case DELETE_START:
        return delete_start(b, s);
    case DELETE_OPENED:
        return delete_opened(b);
    case DELETE_ASKED:
        return delete_asked(b);
    default:
        return ia_brain_all_ok(b) ? IA_WALK_DONE
                                  : ia_brain_fail(b, "it was not confirmed: %s", b->last_error);
    }
}
