/* tasks.c: the steps that take several fields or pages: logging in, a cart, reminders. */
#include "mock/brain/state.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { START, FILLED, PRESSED };

/* Taps the first of the names that is there; it must be enabled. */
static enum ia_walk press(struct ia_brain *b, const char *const *names, int next_phase)
{
    const struct ia_brain_item *button = ia_brain_find_any(b, IA_WANT_TAP, names);
    if (!button) {
        return ia_brain_seek(b, "a button named", names[0]);
    }
    if (button->disabled) {
        return ia_brain_fail(b, "button \"%s\" is disabled", button->label);
    }
    b->phase = next_phase;
    return ia_brain_tap(b, button);
}

static enum ia_walk pressed(struct ia_brain *b, int back_to)
{
    return ia_brain_all_ok(b) ? IA_WALK_DONE : ia_brain_again(b, back_to);
}

/* ---- logging in ---- */

enum ia_walk ia_brain_step_login(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const users[] = {"User name", "Username", "User", "Email", NULL};
    static const char *const passwords[] = {"Password", "Passcode", NULL};
    static const char *const logins[] = {"Log In", "Login", "Sign In", NULL};
    const struct ia_brain_item *user = ia_brain_find_any(b, IA_WANT_FIELD, users);
    const struct ia_brain_item *password = ia_brain_find_any(b, IA_WANT_FIELD, passwords);
    switch (b->phase) {
    case START:
        if (!user || !password) {
            return ia_brain_seek(b, "a field named", user ? passwords[0] : users[0]);
        }
        b->phase = FILLED;
        (void)ia_brain_type(b, user, s->a);
        return ia_brain_type(b, password, s->b);
    case FILLED:
        return ia_brain_all_ok(b) ? press(b, logins, PRESSED) : ia_brain_again(b, START);
    default:
        return pressed(b, FILLED);
    }
}

/* ---- a cart ---- */

enum { CART_START, CART_OPENED, CART_COUNT, CART_ADDED, CLICKS_MAX = 20 };

static const char *const cart_buttons[] = {"Add to Cart", "Add to Basket", "Add to Bag", NULL};

static long number_of(const char *word)
{
    static const char *const names[] = {"",     "one", "two",   "three", "four",
                                        "five", "six", "seven", "eight", "nine"};
    for (long i = 1; i < (long)IA_COUNTOF(names); i++) {
        if (strcasecmp(names[i], word) == 0) {
            return i;
        }
    }
    return *word ? strtol(word, NULL, 10) : 1;
}

static bool on_page_of(const struct ia_brain *b, const char *name)
{
    const char *title = b->screen.title ? b->screen.title : "";
    return strcasecmp(title, name) == 0 && ia_brain_find_any(b, IA_WANT_TAP, cart_buttons);
}

/* From the page of another item, or from another list, the way leads back once. */
static enum ia_walk cart_start(struct ia_brain *b, const struct ia_step *s)
{
    const struct ia_brain_item *row = ia_brain_find(b, IA_WANT_ROW, s->a);
    if (on_page_of(b, s->a)) {
        b->phase = CART_COUNT;
        return IA_WALK_DONE;
    }
    if (row && ia_brain_role_is(row, "row")) {
        b->phase = CART_OPENED;
        return ia_brain_tap(b, row);
    }
    if (!b->altered && ia_brain_find_any(b, IA_WANT_TAP, cart_buttons)) {
        b->altered = true;
        return ia_brain_call(b, "back", json_object());
    }
    return ia_brain_seek(b, "an item named", s->a);
}

/* One more or one less, until the quantity is right; then into the cart. */
static enum ia_walk cart_count(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const more[] = {"Increase", "Increment", "+", NULL};
    static const char *const less[] = {"Decrease", "Decrement", "-", NULL};
    const struct ia_brain_item *quantity = ia_brain_find(b, IA_WANT_ANY, "Quantity");
    long want = number_of(s->b), have = quantity ? strtol(quantity->value, NULL, 10) : 1;
    if (have == want) {
        return press(b, cart_buttons, CART_ADDED);
    }
    if (b->done++ >= CLICKS_MAX) {
        return ia_brain_fail(b, "the quantity is still %ld and should be %ld", have, want);
    }
    return press(b, have < want ? more : less, CART_COUNT);
}

enum ia_walk ia_brain_step_add_to_cart(struct ia_brain *b, const struct ia_step *s)
{
    if (b->phase == CART_START) {
        enum ia_walk w = cart_start(b, s);
        if (w != IA_WALK_DONE) {
            return w;
        }
    }
    if (b->phase == CART_ADDED) {
        return pressed(b, CART_COUNT);
    }
    return ia_brain_all_ok(b) ? cart_count(b, s) : ia_brain_again(b, CART_START);
}

enum ia_walk ia_brain_step_coupon(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const fields[] = {"Coupon code", "Coupon", "Voucher", "Code", NULL};
    static const char *const buttons[] = {"Apply Coupon", "Apply", "Redeem", NULL};
    const struct ia_brain_item *field = ia_brain_find_any(b, IA_WANT_FIELD, fields);
    switch (b->phase) {
    case START:
        if (!field) {
            return ia_brain_seek(b, "a field named", fields[0]);
        }
        b->phase = FILLED;
        return ia_brain_type(b, field, s->a);
    case FILLED:
        return ia_brain_all_ok(b) ? press(b, buttons, PRESSED) : ia_brain_again(b, START);
    default:
        return pressed(b, FILLED);
    }
}

/* ---- reminders ---- */

enum { REMIND_START, REMIND_OPENED, REMIND_TYPED, REMIND_DUE, REMIND_SAVED };

/* Into the list that was named, where the screen has it as a row. */
static enum ia_walk remind_start(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const news[] = {"New Reminder", "Add Reminder", NULL};
    const char *title = b->screen.title ? b->screen.title : "";
    const struct ia_brain_item *list = *s->b ? ia_brain_find(b, IA_WANT_ROW, s->b) : NULL;
    if ((!*s->b || strcasecmp(title, s->b) == 0) && ia_brain_find_any(b, IA_WANT_TAP, news)) {
        return press(b, news, REMIND_OPENED);
    }
    if (!list && !*s->b) {
        list = ia_brain_find(b, IA_WANT_ROW, "Reminders");
    }
    if (list && ia_brain_role_is(list, "row") && b->done++ == 0) {
        return ia_brain_tap(b, list);
    }
    if (*s->b && !b->altered && strcasecmp(title, s->b) != 0) {
        b->altered = true;
        return ia_brain_call(b, "back", json_object());
    }
    return ia_brain_seek(b, "a list named", *s->b ? s->b : "Reminders");
}

static enum ia_walk remind_title(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const titles[] = {"Title", "Name", "Reminder", NULL};
    const struct ia_brain_item *field = ia_brain_find_any(b, IA_WANT_FIELD, titles);
    if (!field) {
        return ia_brain_seek(b, "a field named", titles[0]);
    }
    b->phase = REMIND_TYPED;
    return ia_brain_type(b, field, s->a);
}

static enum ia_walk remind_save(struct ia_brain *b)
{
    static const char *const saves[] = {"Add", "Done", "Save", NULL};
    return press(b, saves, REMIND_SAVED);
}

enum ia_walk ia_brain_step_add_reminder(struct ia_brain *b, const struct ia_step *s)
{
    const char *const due[] = {s->c, NULL};
    const char *quote;
    bool ok = ia_brain_all_ok(b);
    switch (b->phase) {
    case REMIND_START:
        return remind_start(b, s);
    case REMIND_OPENED:
        return ok ? remind_title(b, s) : ia_brain_again(b, REMIND_START);
    case REMIND_TYPED:
        if (!ok) {
            return ia_brain_again(b, REMIND_OPENED);
        }
        return *s->c ? press(b, due, REMIND_DUE) : remind_save(b);
    case REMIND_DUE:
        return ok ? remind_save(b) : ia_brain_again(b, REMIND_TYPED);
    default:
        break;
    }
    if (ok && ia_brain_shown(&b->screen, s->a, &quote)) {
        ia_brain_quote(b, quote);
    }
    return pressed(b, REMIND_DUE);
}

/* ---- buttons that are named after what they act on ---- */

/* The first of "Complete %s", "Mark %s as done" … that is on the screen. */
static const struct ia_brain_item *button_for(const struct ia_brain *b,
                                              const char *const *forms, const char *name)
{
    const struct ia_brain_item *item = NULL;
    for (; !item && *forms; forms++) {
        struct ia_buf label = IA_BUF(2 * IA_STEP_TEXT_MAX);
        const char *gap = strstr(*forms, "%s");
        ia_buf_put(&label, *forms, (size_t)(gap - *forms));
        ia_buf_puts(&label, name);
        ia_buf_puts(&label, gap + 2);
        item = ia_brain_find(b, IA_WANT_TAP, ia_buf_cstr(&label));
        ia_buf_fini(&label);
    }
    return item;
}

enum ia_walk ia_brain_step_complete(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const forms[] = {"Complete %s", "Mark %s as completed",
                                        "Mark %s as done", NULL};
    if (b->phase != START) {
        return pressed(b, START);
    }
    const struct ia_brain_item *item = button_for(b, forms, s->a);
    item = item ? item : ia_brain_find(b, IA_WANT_TOGGLE, s->a);
    if (!item) {
        return ia_brain_seek(b, "a reminder named", s->a);
    }
    b->phase = PRESSED;
    return ia_brain_tap(b, item);
}

enum ia_walk ia_brain_step_take_out(struct ia_brain *b, const struct ia_step *s)
{
    static const char *const forms[] = {"Remove %s", "Delete %s", NULL};
    if (b->phase != START) {
        return pressed(b, START);
    }
    const struct ia_brain_item *item = button_for(b, forms, s->a);
    if (!item) {
        return ia_brain_seek(b, "a button that removes", s->a);
    }
    b->phase = PRESSED;
    return ia_brain_tap(b, item);
}
