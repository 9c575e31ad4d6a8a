/* signature.c: what an element is known by, taken from a snapshot. */
#include "driver/snapshot/signature.h"

#include "driver/snapshot/model.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/signature_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 3, QUESTION_BYTES = 1024 };

#define NAME(code, name) name,
const char *const ia_sign_names[IA_SIGN_COUNT] = {IA_SIGN_LIST(NAME)};
const char *const ia_match_names[IA_MATCH_COUNT] = {IA_MATCH_LIST(NAME)};
#undef NAME

void ia_signature_fini(struct ia_signature *sig)
{
    for (size_t i = 0; i < IA_SIGN_COUNT; i++) {
        free(sig->text[i]);
    }
    *sig = (struct ia_signature){0};
}

/* ---- texts ------------------------------------------------------------------------------ */

bool ia_sign_has_digits(const char *text)
{
    return text && strpbrk(text, "0123456789");
}

/* One that a program made up will be another in the next run: 4 digits in a row, 0x…, a UUID. */
static bool is_made_up(const char *id)
{
    size_t digits = 0, hex = 0, dashes = 0;
    for (const char *p = id; *p; p++) {
        digits = isdigit((unsigned char)*p) ? digits + 1 : 0;
        hex += isxdigit((unsigned char)*p) != 0;
        dashes += *p == '-';
        if (digits > DIGITS_MAX) {
            return true;
        }
    }
    return strstr(id, "0x") || (hex >= 32 && dashes >= 4);
}

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Unique, and not one of several that a number alone tells apart: that is a place in a list. */
static const char *usable_id(const struct ia_snapshot *s, const struct ia_element *e)
{
    size_t same = 0;
    for (size_t i = 0; e->identifier && i < s->count; i++) {
        same += ia_phrase_alike(s->elements[i].identifier, e->identifier);
    }
    return same == 1 && !is_made_up(e->identifier) ? e->identifier : NULL;
}

/* ---- where it stands -------------------------------------------------------------------- */

static bool asks(const struct ia_element *e)
{
    return e->role == IA_ROLE_ALERT || e->role == IA_ROLE_SHEET || e->type == IA_EL_SHEET;
}

bool ia_sign_within(const struct ia_snapshot *s, const struct ia_element *e, int32_t container)
{
    int32_t p = e->parent;
    while (p >= 0 && p != container) {
        p = s->elements[p].parent;
    }
    return p >= 0;
}

/* The label of an alert or action sheet, and its texts. */
static void put_asked(const struct ia_snapshot *s, int32_t p, struct ia_buf *out)
{
    ia_buf_puts(out, s->elements[p].label ? s->elements[p].label : "");
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *t = &s->elements[i];
        if (t->role == IA_ROLE_TEXT && t->label && ia_sign_within(s, t, p) &&
            !equal(t->label, s->elements[p].label)) {
            ia_buf_printf(out, "%s%s", out->len > 0 ? " " : "", t->label);
        }
    }
}

/* What the alert or action sheet around an element asks. */
static void put_question(const struct ia_snapshot *s, const struct ia_element *e,
                         struct ia_buf *out)
{
    int32_t p = e->parent;
    while (p >= 0 && !asks(&s->elements[p])) {
        p = s->elements[p].parent;
    }
    if (p >= 0 && s->more[e - s->elements].asked) {
        put_asked(s, p, out);
    }
}

size_t ia_signature_question(const struct ia_snapshot *s, struct ia_buf *out)
{
    int32_t front = s->alert;
    size_t buttons = 0;
    for (size_t i = s->count; front < 0 && i-- > 0;) {
        front = s->elements[i].type == IA_EL_SHEET ? (int32_t)i : -1;
    }
    for (size_t i = 0; front >= 0 && i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        buttons += e->role == IA_ROLE_BUTTON && ia_sign_within(s, e, front);
    }
    if (buttons > 0) {
        put_asked(s, front, out);
    }
    return buttons;
}

/* As a selector that finds it: #identifier, or role "label". */
static void put_name(const struct ia_snapshot *s, const struct ia_element *e,
                     struct ia_buf *out)
{
    if (usable_id(s, e)) {
        ia_buf_printf(out, "#%s", e->identifier);
        return;
    }
    ia_buf_printf(out, "%s \"", ia_role_name((enum ia_role)e->role));
    for (const char *p = e->label ? e->label : ""; *p; p++) {
        ia_buf_puts(out, *p == '"' || *p == '\\' ? "\\" : "");
        ia_buf_putc(out, *p);
    }
    ia_buf_putc(out, '"');
}

bool ia_signature_selector(const struct ia_snapshot *s, const struct ia_element *e,
                           struct ia_buf *out)
{
    struct ia_selector by_label = {.label = (char *)e->label, .role = e->role};
    if (!usable_id(s, e) && (!e->label || ia_sign_has_digits(e->label) ||
                             ia_snapshot_count_matches(s, &by_label) != 1)) {
        return false;
    }
    put_name(s, e, out);
    return true;
}

static void put_container(const struct ia_snapshot *s, const struct ia_element *e,
                          struct ia_buf *out)
{
    for (int32_t p = e->parent; p >= 0; p = s->elements[p].parent) {
        const struct ia_element *c = &s->elements[p];
        bool named = (c->label && !ia_sign_has_digits(c->label)) || usable_id(s, c);
        if (named && c->role != IA_ROLE_OTHER) {
            put_name(s, c, out);
            return;
        }
    }
}

/* The label of the nearest labelled element in that direction, unless it may change by itself. */
static const char *neighbour(const struct ia_snapshot *s, const struct ia_element *e, int step)
{
    ptrdiff_t i = e - s->elements + step;
    while (i >= 0 && (size_t)i < s->count && (!s->elements[i].label || s->more[i].key)) {
        i += step;
    }
    bool found = i >= 0 && (size_t)i < s->count;
    return found && !ia_sign_has_digits(s->elements[i].label) ? s->elements[i].label : NULL;
}

char *ia_sign_text(const struct ia_snapshot *s, const struct ia_element *e, enum ia_sign which)
{
    struct ia_buf out = IA_BUF(QUESTION_BYTES);
    switch (which) {
    case IA_SIGN_ID:
        ia_buf_puts(&out, usable_id(s, e) ? e->identifier : "");
        break;
    case IA_SIGN_LABEL:
        ia_buf_puts(&out, e->label ? e->label : "");
        break;
    case IA_SIGN_PLACEHOLDER:
        ia_buf_puts(&out, !e->label && e->placeholder ? e->placeholder : "");
        break;
    case IA_SIGN_QUESTION:
        put_question(s, e, &out);
        break;
    case IA_SIGN_BEFORE:
    case IA_SIGN_AFTER: {
        const char *label = neighbour(s, e, which == IA_SIGN_BEFORE ? -1 : 1);
        ia_buf_puts(&out, label ? label : "");
        break;
    }
    default:
        put_container(s, e, &out);
    }
    char *text = out.len > 0 && ia_buf_ok(&out) ? ia_buf_steal(&out) : NULL;
    ia_buf_fini(&out);
    return text;
}

/* ---- the signature ---------------------------------------------------------------------- */

static const char *words_of(const struct ia_element *e)
{
    return e->label ? e->label : e->placeholder;
}

bool ia_sign_same(const struct ia_snapshot *s, const struct ia_element *e,
                  const struct ia_signature *sig)
{
    const char *label = sig->text[IA_SIGN_LABEL];
    label = label ? label : sig->text[IA_SIGN_PLACEHOLDER];
    if (e->role != sig->role || !equal(words_of(e), label)) {
        return false;
    }
    char *in = ia_sign_text(s, e, IA_SIGN_IN);
    bool same = sig->text[IA_SIGN_IN] ? equal(in, sig->text[IA_SIGN_IN]) : !in;
    free(in);
    return same;
}

static void count_alike(const struct ia_snapshot *s, const struct ia_element *e,
                        struct ia_signature *sig)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *other = &s->elements[i];
        sig->alike += other->role == e->role && ia_phrase_alike(other->label, e->label);
        if (ia_sign_same(s, other, sig)) {
            sig->of++;
            sig->nth = other <= e ? sig->of : sig->nth;
        }
    }
}

bool ia_signature_of(const struct ia_snapshot *s, const struct ia_element *e,
                     struct ia_signature *ret)
{
    if (!words_of(e) && !usable_id(s, e)) {
        return false;
    }
    ret->role = e->role;
    ret->on = e->on;
    for (int i = 0; i < IA_SIGN_COUNT; i++) {
        ret->text[i] = ia_sign_text(s, e, (enum ia_sign)i);
    }
    count_alike(s, e, ret);
    return true;
}
