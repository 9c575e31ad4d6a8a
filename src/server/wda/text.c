/* text.c: typing, clearing, keys and the keyboard; values of sliders and wheels
 * (FBElementCommands.m, FBCustomCommands.m).
 *
 * WebDriver's keys (U+E003 is backspace) are keys in every text: actions/acts.h. */
#include "server/wda/wda_impl.h"

#include "base/utf8.h"
#include "server/wda/actions/acts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 64 << 10,
    CLEAR_ROUNDS = 3,
    TURNS_MAX = 120, /* of a wheel */
};

/* ---- text --------------------------------------------------------------------------------- */

/* Texts and backspaces in turn. */
static enum ia_wda_error type(struct ia_wda_call *c, struct ia_str text)
{
    struct ia_wda_acts acts = {0};
    ia_wda_acts_type(&acts, text, 0);
    enum ia_wda_error error = ia_wda_do(c, &acts);
    ia_wda_acts_free(&acts);
    return error;
}

/* The texts of a list in a row, or one text. */
static bool join(const json_t *value, struct ia_buf *out)
{
    size_t i;
    const json_t *item;
    if (json_is_string(value)) {
        ia_buf_putstr(out, ia_json_str(value));
        return ia_buf_ok(out);
    }
    json_array_foreach(value, i, item)
    {
        if (!json_is_string(item)) {
            return false;
        }
        ia_buf_putstr(out, ia_json_str(item));
    }
    return json_is_array(value) && ia_buf_ok(out);
}

/* "value", else "text". */
static enum ia_wda_error text_of(struct ia_wda_call *c, struct ia_buf *out)
{
    const json_t *value = json_object_get(c->body, "value");
    value = value ? value : json_object_get(c->body, "text");
    return join(value, out)
               ? IA_WDA_OK
               : ia_wda_fail(c, IA_WDA_E_ARGUMENT,
                             "'value' must be a text or a list of texts of at most "
                             "%d bytes in all",
                             TEXT_MAX);
}

/* ---- fields ------------------------------------------------------------------------------- */

/* Taps the field, unless it or something in it has the keyboard. */
static enum ia_wda_error focus(struct ia_wda_call *c, const char *uid)
{
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, uid, &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    for (int32_t i = node; i < c->screen->nodes[node].end; i++) {
        if (c->screen->nodes[i].node->flags & IA_NODE_FOCUSED) {
            return IA_WDA_OK;
        }
    }
    return ia_wda_tap_element(c, uid);
}

/* Some devices give an empty field's placeholder as its value. */
static bool is_empty(const struct ia_node *n)
{
    return !n->value || (n->placeholder && strcmp(n->value, n->placeholder) == 0);
}

/* What is no text input, or is empty, stays as it is. A cursor that was not at the end leaves something:
 * then once more. */
enum ia_wda_error ia_wda_clear(struct ia_wda_call *c)
{
    enum ia_wda_error error = IA_WDA_OK;
    for (int i = 0; error == IA_WDA_OK; i++) {
        int32_t node = 0;
        error = ia_wda_element(c, c->args[0], &node);
        const struct ia_node *n = error == IA_WDA_OK ? c->screen->nodes[node].node : NULL;
        if (!n || is_empty(n) || !ia_wda_takes_text(n)) {
            return error;
        }
        if (i == CLEAR_ROUNDS) {
            return ia_wda_fail(c, IA_WDA_E_STATE, "The text of the element stays as it is");
        }
        int count = ia_utf8_count(ia_str(n->value));
        error = focus(c, c->args[0]);
        if (error == IA_WDA_OK) {
            error = ia_wda_did(
                c, ia_device_delete_text(c->s->device, &c->deadline, count, &c->err));
        }
    }
    return error;
}

/* ---- sliders and wheels ------------------------------------------------------------------- */

/* Its knob is dragged from where it is, as driver/session/session_move.c does. */
static enum ia_wda_error slide(struct ia_wda_call *c, int32_t node, const char *text)
{
    char *end;
    double part = strtod(text, &end);
    if (end == text || *end || !(part >= 0 && part <= 1)) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "Value of slider should be in 0..1 range");
    }
    struct ia_rect f = c->screen->nodes[node].node->frame;
    const char *now = c->screen->nodes[node].node->value;
    double is = now ? strtod(now, &end) : 0;
    is = now && end != now ? fmin(fmax(*end == '%' ? is / 100 : is, 0), 1) : 0;
    struct ia_point from = {f.x + fmin(fmax(f.w * is, 1), f.w - 1), f.y + f.h / 2};
    struct ia_point to = {f.x + fmin(fmax(f.w * part, 1), f.w - 1), f.y + f.h / 2};
    return ia_wda_did(c, ia_device_drag(c->s->device, &c->deadline, from, to, 300, &c->err));
}

/* One row on (1) or back (-1): a touch beside the middle. */
static enum ia_wda_error turn(struct ia_wda_call *c, int32_t node, double offset)
{
    struct ia_rect f = c->screen->nodes[node].seen;
    struct ia_point at = {f.x + f.w / 2, f.y + f.h / 2 + offset * f.h};
    return ia_wda_did(c, ia_device_tap(c->s->device, &c->deadline, at, &c->err));
}

/* Turns by offset until it shows `value` (NULL: once), or at most `turns` times. *ret_shown is whether it
 * does, or has turned at all. */
static enum ia_wda_error turn_to(struct ia_wda_call *c, const char *uid, const char *value,
                                 double offset, int turns, bool *ret_shown)
{
    struct ia_buf before = IA_BUF(IA_TREE_STRING_MAX + 1);
    int32_t node = 0;
    *ret_shown = false;
    enum ia_wda_error error = ia_wda_into_view(c, uid, &node);
    for (int i = 0; error == IA_WDA_OK; i++) {
        const char *now = c->screen->nodes[node].node->value;
        now = now ? now : "";
        bool moved = i > 0 && strcmp(now, ia_buf_cstr(&before)) != 0;
        *ret_shown = value ? strcmp(now, value) == 0 : moved;
        if (*ret_shown || i >= turns || (i > 0 && !moved)) {
            break;
        }
        ia_buf_reset(&before);
        ia_buf_puts(&before, now);
        error = turn(c, node, offset);
        if (error == IA_WDA_OK) {
            error = ia_wda_element(c, uid, &node);
        }
    }
    ia_buf_fini(&before);
    return error;
}

static const double ROW = 0.2; /* of a wheel's height, where one row is */

static enum ia_wda_error turn_wheel(struct ia_wda_call *c, const char *value)
{
    bool shown = false;
    enum ia_wda_error error = turn_to(c, c->args[0], value, ROW, TURNS_MAX, &shown);
    if (error == IA_WDA_OK && !shown) {
        error = turn_to(c, c->args[0], value, -ROW, TURNS_MAX, &shown);
    }
    return error != IA_WDA_OK || shown
               ? error
               : ia_wda_fail(c, IA_WDA_E_STATE, "the picker wheel has no value '%.100s'",
                             value);
}

/* nums: "offset? maxAttempts?". */
enum ia_wda_error ia_wda_pick(struct ia_wda_call *c)
{
    const char *order = ia_json_text(c->body, "order");
    const char *value = json_string_value(json_object_get(c->body, "value"));
    double offset = c->has[0] ? c->num[0] : ROW;
    int turns = value ? (c->has[1] ? (int)fmin(c->num[1], TURNS_MAX) : 25) : 1;
    bool next = strcmp(order, "next") == 0;
    bool shown = false;
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    unsigned is = c->screen->nodes[node].node->type;
    if (is != IA_EL_PICKER_WHEEL) {
        return ia_wda_fail(
            c, IA_WDA_E_ARGUMENT,
            "The element is expected to be a valid Picker Wheel control. '%s' was "
            "given instead",
            ia_eltype_full_name((enum ia_eltype)is));
    }
    if ((!next && strcmp(order, "previous") != 0) || offset <= 0 || offset > 0.5) {
        return ia_wda_fail(
            c, IA_WDA_E_ARGUMENT,
            "'order' must be next or previous, 'offset' more than 0 and at most 0.5");
    }
    error = turn_to(c, c->args[0], value, next ? offset : -offset, turns, &shown);
    return error != IA_WDA_OK || shown
               ? error
               : ia_wda_fail(c, IA_WDA_E_STATE, "The picker wheel did not change as asked");
}

enum ia_wda_error ia_wda_value(struct ia_wda_call *c)
{
    struct ia_buf text = IA_BUF(TEXT_MAX);
    int32_t node = 0;
    enum ia_wda_error error = text_of(c, &text);
    if (error == IA_WDA_OK) {
        error = ia_wda_element(c, c->args[0], &node);
    }
    unsigned is = error == IA_WDA_OK ? c->screen->nodes[node].node->type : IA_EL_ANY;
    if (is == IA_EL_SLIDER) {
        error = ia_wda_into_view(c, c->args[0], &node);
        error = error == IA_WDA_OK ? slide(c, node, ia_buf_cstr(&text)) : error;
    } else if (is == IA_EL_PICKER_WHEEL) {
        error = turn_wheel(c, ia_buf_cstr(&text));
    } else if (error == IA_WDA_OK) {
        error = focus(c, c->args[0]);
        error = error == IA_WDA_OK ? type(c, ia_buf_str(&text)) : error;
    }
    ia_buf_fini(&text);
    return error;
}

/* ---- keys --------------------------------------------------------------------------------- */

enum ia_wda_error ia_wda_keys(struct ia_wda_call *c)
{
    struct ia_buf text = IA_BUF(TEXT_MAX);
    enum ia_wda_error error = text_of(c, &text);
    error = error == IA_WDA_OK ? type(c, ia_buf_str(&text)) : error;
    ia_buf_fini(&text);
    return error;
}

enum ia_wda_error ia_wda_type_into(struct ia_wda_call *c, const char *uid)
{
    struct ia_buf text = IA_BUF(TEXT_MAX);
    enum ia_wda_error error = text_of(c, &text);
    error = error == IA_WDA_OK ? focus(c, uid) : error;
    error = error == IA_WDA_OK ? type(c, ia_buf_str(&text)) : error;
    ia_buf_fini(&text);
    return error;
}

/* "x", or {"key":"XCUIKeyboardKeyDelete"}. */
static bool put_key(struct ia_buf *out, const json_t *key)
{
    static const char *const rows[][2] = {{"XCUIKeyboardKeyDelete", "\b"},
                                          {"XCUIKeyboardKeyReturn", "\n"},
                                          {"XCUIKeyboardKeyEnter", "\n"},
                                          {"XCUIKeyboardKeySpace", " "},
                                          {"XCUIKeyboardKeyTab", "\t"}};
    const char *name =
        json_string_value(json_is_object(key) ? json_object_get(key, "key") : key);
    for (size_t i = 0; name && i < IA_COUNTOF(rows); i++) {
        if (strcmp(name, rows[i][0]) == 0) {
            ia_buf_puts(out, rows[i][1]);
            return ia_buf_ok(out);
        }
    }
    /* A key without a character, or with a modifier, is none that a text has. */
    bool held = json_integer_value(json_object_get(key, "modifierFlags")) != 0;
    if (!name || held || strncmp(name, "XCUIKeyboardKey", 15) == 0) {
        return false;
    }
    ia_buf_puts(out, name);
    return ia_buf_ok(out);
}

/* Element 0 is whatever has the keyboard. */
enum ia_wda_error ia_wda_keyboard_input(struct ia_wda_call *c)
{
    const json_t *keys = json_object_get(c->body, "keys");
    struct ia_buf text = IA_BUF(TEXT_MAX);
    enum ia_wda_error error = IA_WDA_OK;
    size_t i;
    const json_t *key;
    json_array_foreach(keys, i, key)
    {
        if (!put_key(&text, key)) {
            error = ia_wda_fail(c, IA_WDA_E_UNSUPPORTED,
                                "keys[%zu] is none that this device can type", i);
            break;
        }
    }
    if (json_array_size(keys) == 0) {
        error =
            ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'keys' must be a list with at least one key");
    }
    if (error == IA_WDA_OK && strcmp(c->args[0], "0") != 0) {
        error = focus(c, c->args[0]);
    }
    error = error == IA_WDA_OK ? type(c, ia_buf_str(&text)) : error;
    ia_buf_fini(&text);
    return error;
}

static bool is_named(const struct ia_node *n, const json_t *names)
{
    size_t i;
    const json_t *name;
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        if (text && ((n->identifier && strcmp(n->identifier, text) == 0) ||
                     (n->label && strcmp(n->label, text) == 0))) {
            return true;
        }
    }
    return false;
}

/* Taps one of its keys that the client names. Without a keyboard there is nothing to do. */
enum ia_wda_error ia_wda_keyboard_dismiss(struct ia_wda_call *c)
{
    const json_t *names = json_object_get(c->body, "keyNames");
    enum ia_wda_error error = ia_wda_look(c);
    int32_t end = 0;
    for (int32_t i = 0; error == IA_WDA_OK && i < c->screen->count; i++) {
        const struct ia_wda_node *n = &c->screen->nodes[i];
        if (n->node->type == IA_EL_KEYBOARD) {
            end = n->end;
        }
        if (i < end && is_named(n->node, names)) {
            char uid[IA_WDA_UID_SIZE];
            ia_wda_know(c, i, uid);
            return ia_wda_tap_element(c, uid);
        }
    }
    return error != IA_WDA_OK || end == 0
               ? error
               : ia_wda_fail(
                     c, IA_WDA_E_STATE,
                     "Did not know how to dismiss the keyboard. Try to dismiss it in the "
                     "way supported by your application under test");
}
