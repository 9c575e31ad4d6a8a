/* evidence.c: quotes against the text form of a screen, line by line.
 *
 *     12 row:selected Auto-Lock = 2 Minutes        a line as it is written
 *     "12 row:selected "  "auto-lock"  "2 minutes" its parts: what the form adds, label, value
 *     12 row:selected auto-lock = 2 minutes        views of it, folded, in which a quote is looked for
 *     row auto-lock = selected
 *
 * A quote proves something only if the app put it on the screen. So refs, roles and states, which
 * our own text form adds to each line, do not count, nor does what is only announced as off the
 * screen. A hit has to cover IA_QUOTE_SIGNS_MIN letters or digits of the screen's own text, or all
 * of a label or value, which may be a single sign.
 *
 * Models quote with marks, stops and cases of their own, so both sides are folded (base/textfold.h),
 * and a quote is tried as it is, without the punctuation around it, and with each of its colons
 * taken for the "=" between a label and its value. */
#include "agent/verdict/evidence.h"

#include "base/textfold.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, FORMS_MAX = 8 };
#define EQUALS " = "

/* ---- signs and words --------------------------------------------------------------------- */

static bool ascii_alnum(uint32_t cp)
{
    return cp < 0x80 && isalnum((int)cp) != 0;
}

/* A letter, digit or other sign of a script; punctuation and spaces are none. */
static bool is_sign(uint32_t cp)
{
    /* Ranges of Unicode blocks, not tables: what is misjudged only makes a quote longer or
     * shorter by a sign. */
    bool latin_punct = cp < 0xc0;
    bool general_punct = cp >= 0x2000 && cp <= 0x206f;
    bool cjk_punct = cp >= 0x3000 && cp <= 0x303f;
    return ascii_alnum(cp) || (!latin_punct && !general_punct && !cjk_punct);
}

static size_t count_signs(const char *p, size_t n)
{
    size_t signs = 0;
    for (size_t i = 0; i < n;) {
        size_t len = ia_utf8_valid_len(p + i, n - i);
        signs += len > 0 && is_sign(ia_utf8_decode(p + i, len));
        i += len ? len : 1;
    }
    return signs;
}

/* Of the scripts that part words by spaces: Latin, Greek, Cyrillic, Armenian. */
static bool in_word(uint32_t cp)
{
    return ascii_alnum(cp) || (cp >= 0xc0 && cp < 0x590);
}

static bool boundary_at(const struct ia_buf *text, size_t at)
{
    size_t before = at;
    if (at == 0 || at >= text->len) {
        return true;
    }
    do {
        before--;
    } while (before > 0 && ((unsigned char)text->p[before] & 0xc0) == 0x80);
    size_t n = ia_utf8_valid_len(text->p + before, text->len - before);
    size_t m = ia_utf8_valid_len(text->p + at, text->len - at);
    return n == 0 || m == 0 || !in_word(ia_utf8_decode(text->p + before, n)) ||
           !in_word(ia_utf8_decode(text->p + at, m));
}

/* ---- a line of the screen ---------------------------------------------------------------- */

/* Its parts as they are written, without escapes; all empty where it has no text of the screen. */
struct line {
    struct ia_str head; /* `12 switch:on `, with an identifier; nothing for the header */
    struct ia_buf label, value;
};

/* Takes one phrase, quoted or plain, which ends before EQUALS or with the line. */
static void take_phrase(struct ia_str *rest, struct ia_buf *out)
{
    size_t i = 0;
    bool quoted = rest->n > 0 && rest->p[0] == '"';
    for (i = quoted; i < rest->n; i++) {
        char c = rest->p[i];
        if (quoted ? c == '"'
                   : rest->n - i >= strlen(EQUALS) &&
                         memcmp(rest->p + i, EQUALS, strlen(EQUALS)) == 0) {
            break;
        }
        i += quoted && c == '\\' && i + 1 < rest->n;
        ia_buf_putc(out, rest->p[i]);
    }
    i += quoted && i < rest->n;
    *rest = (struct ia_str){rest->p + i, rest->n - i};
}

/* The place after the first `what` at or behind from, or NULL. */
static const char *after(const char *from, const char *end, const char *what)
{
    size_t n = strlen(what);
    for (; from && (size_t)(end - from) >= n; from++) {
        if (memcmp(from, what, n) == 0) {
            return from + n;
        }
    }
    return NULL;
}

static size_t digits_at(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] >= '0' && p[n] <= '9') {
        n++;
    }
    return n;
}

/* Less what the form says of a text that it cut: ` +310 characters: read ref 7`. */
static struct ia_str without_rest(struct ia_str raw)
{
    const char *end = raw.p + raw.n;
    for (const char *at = raw.p; (at = after(at, end, " +")) != NULL;) {
        size_t n = digits_at(at, end);
        const char *ref = after(at + n, end, " characters: read ref ");
        if (n > 0 && ref && ref == at + n + strlen(" characters: read ref ") &&
            ref + digits_at(ref, end) == end) {
            return (struct ia_str){raw.p, (size_t)(at - raw.p) - 2};
        }
    }
    return raw;
}

/* `ref role[:states] label = value`, or the header `app WxH #hash: title`. What is only counted and
 * named as off the screen (`+23 below: names`) was not seen and proves nothing. */
static void read_line(struct ia_str raw, bool header, struct line *ret)
{
    const char *end = raw.p + raw.n, *text = NULL;
    ia_buf_reset(&ret->label);
    ia_buf_reset(&ret->value);
    ret->head = (struct ia_str){raw.p, 0};
    if (header) {
        text = after(after(raw.p, end, " #"), end, ": ");
    } else if (raw.n > 0 && raw.p[0] != '+' && raw.p[0] != '(') {
        const char *role = after(raw.p, end, " ");
        bool keys = role && end - role >= 8 && strncmp(role, "keyboard", 8) == 0;
        text = keys ? NULL : after(role, end, " ");
    }
    if (!text) {
        return;
    }
    struct ia_str rest = {text, (size_t)(end - text)};
    if (rest.n > 0 && rest.p[0] == '#') { /* a developer's identifier, which nobody sees */
        rest = (struct ia_str){rest.p + 1, rest.n - 1};
        take_phrase(&rest, &ret->label);
        ia_buf_reset(&ret->label);
        rest = rest.n > 0 ? (struct ia_str){rest.p + 1, rest.n - 1} : rest;
    }
    ret->head.n = header ? 0 : (size_t)(rest.p - raw.p);
    if (rest.n < 2 || memcmp(rest.p, "= ", 2) != 0) { /* else it has a value alone */
        take_phrase(&rest, &ret->label);
    }
    const char *value = after(rest.p, end, "= ");
    if (value) {
        rest = (struct ia_str){value, (size_t)(end - value)};
        take_phrase(&rest, &ret->value);
    }
}

/* ---- the quote --------------------------------------------------------------------------- */

/* One line of a quote in the forms in which it is looked for, folded. */
struct quote {
    struct ia_buf forms[FORMS_MAX];
    size_t count;
};

static bool is_outer(char c)
{
    return strchr(".,;:!?()[]{}<>*_+~ ", c) != NULL;
}

/* Without the punctuation around it. */
static struct ia_str strip(struct ia_str s)
{
    while (s.n > 0 && is_outer(s.p[0])) {
        s = (struct ia_str){s.p + 1, s.n - 1};
    }
    while (s.n > 0 && is_outer(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

static void add_form(struct quote *q, struct ia_str a, const char *between, struct ia_str b)
{
    if (q->count < FORMS_MAX && a.n + b.n > 0) {
        struct ia_buf *form = &q->forms[q->count++];
        *form = IA_BUF(LINE_MAX_BYTES);
        ia_buf_putstr(form, a);
        ia_buf_puts(form, between);
        ia_buf_putstr(form, b);
        if (!ia_buf_ok(form)) {
            ia_buf_fini(form);
            q->count--;
        }
    }
}

static void quote_init(struct quote *q, struct ia_str raw)
{
    struct ia_buf folded = IA_BUF(LINE_MAX_BYTES);
    q->count = 0;
    ia_text_fold(&folded, raw);
    struct ia_str all = ia_buf_ok(&folded) ? ia_buf_str(&folded) : (struct ia_str){"", 0};
    struct ia_str inner = strip(all);
    add_form(q, all, "", (struct ia_str){0});
    if (inner.n < all.n) {
        add_form(q, inner, "", (struct ia_str){0});
    }
    for (size_t i = 1; i + 2 < inner.n; i++) {
        if (inner.p[i] == ':' && inner.p[i + 1] == ' ') {
            add_form(q, (struct ia_str){inner.p, i}, EQUALS,
                     strip((struct ia_str){inner.p + i + 2, inner.n - i - 2}));
        }
    }
    ia_buf_fini(&folded);
}

static void quote_fini(struct quote *q)
{
    for (size_t i = 0; i < q->count; i++) {
        ia_buf_fini(&q->forms[i]);
    }
}

/* ---- looking ----------------------------------------------------------------------------- */

/* A folded line; the bytes between from and to are the screen's own. */
struct view {
    struct ia_buf text;
    size_t from, to;
};

static bool covers(const struct view *v, size_t at, size_t n)
{
    size_t from = at > v->from ? at : v->from;
    size_t to = at + n < v->to ? at + n : v->to;
    if (to <= from) {
        return false;
    }
    size_t signs = count_signs(v->text.p + from, to - from);
    bool whole = from == v->from && to == v->to && at < v->from;
    return signs >= IA_QUOTE_SIGNS_MIN || (whole && signs > 0);
}

static bool view_has(const struct view *v, const struct quote *q)
{
    for (size_t i = 0; i < q->count; i++) {
        const char *text = ia_buf_cstr(&v->text);
        const char *form = ia_buf_cstr(&q->forms[i]);
        for (const char *hit = text; (hit = strstr(hit, form)) != NULL; hit++) {
            /* Another place on the line may have its boundaries right. */
            size_t at = (size_t)(hit - text), n = q->forms[i].len;
            if (boundary_at(&v->text, at) && boundary_at(&v->text, at + n) &&
                covers(v, at, n)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the quote is all of that label or value. */
static bool is_whole(struct ia_buf *part, const struct quote *q)
{
    struct ia_buf folded = IA_BUF(LINE_MAX_BYTES);
    ia_text_fold(&folded, ia_buf_str(part));
    bool same = false;
    for (size_t i = 0; i < q->count && folded.len > 0 && !same; i++) {
        same =
            folded.len == q->forms[i].len && memcmp(folded.p, q->forms[i].p, folded.len) == 0;
    }
    ia_buf_fini(&folded);
    return same;
}

/* The line as it stands. */
static bool has_as_written(struct line *l, const struct quote *q)
{
    struct view v = {.text = IA_BUF(LINE_MAX_BYTES)};
    ia_text_fold(&v.text, l->head);
    ia_buf_puts(&v.text, v.text.len > 0 ? " " : ""); /* folding took it off the end */
    v.from = v.text.len;
    ia_text_fold(&v.text, ia_buf_str(&l->label));
    if (l->value.len > 0) {
        ia_buf_puts(&v.text, v.text.len > v.from ? EQUALS : "= ");
        ia_text_fold(&v.text, ia_buf_str(&l->value));
    }
    v.to = v.text.len;
    bool found = view_has(&v, q);
    ia_buf_fini(&v.text);
    return found;
}

/* The line with one of its states in place of a value: `switch Airplane Mode = on`. */
static bool has_as_state(struct line *l, const struct quote *q)
{
    const char *end = l->head.p + l->head.n, *role = after(l->head.p, end, " ");
    const char *word_end = role ? memchr(role, ' ', (size_t)(end - role)) : NULL;
    end = word_end ? word_end : end;
    const char *state = after(role, end, ":");
    size_t role_n = state ? (size_t)(state - role) - 1 : 0;
    bool found = false;
    while (state && !found && l->value.len == 0) {
        const char *next = after(state, end, ",");
        size_t n = (size_t)((next ? next - 1 : end) - state);
        struct view v = {.text = IA_BUF(LINE_MAX_BYTES)};
        ia_text_fold(&v.text, (struct ia_str){role, role_n});
        ia_buf_putc(&v.text, ' ');
        v.from = v.text.len;
        ia_text_fold(&v.text, ia_buf_str(&l->label));
        v.to = v.text.len;
        ia_buf_puts(&v.text, EQUALS);
        ia_buf_put(&v.text, state, n);
        found = view_has(&v, q);
        ia_buf_fini(&v.text);
        state = next;
    }
    return found;
}

static bool is_blank(struct ia_str s)
{
    while (s.n > 0 && strchr(" \t\r", s.p[s.n - 1])) {
        s.n--;
    }
    return s.n == 0;
}

static bool screen_has(struct ia_str screen, struct ia_str raw_quote)
{
    struct ia_str raw;
    struct quote q;
    struct line l = {.label = IA_BUF(LINE_MAX_BYTES), .value = IA_BUF(LINE_MAX_BYTES)};
    bool header = true,
         found = false; /* the first line is the header, which has another form */
    quote_init(&q, raw_quote);
    while (!found && ia_str_line(&screen, &raw)) {
        read_line(header ? raw : without_rest(raw), header, &l);
        header = false;
        found = l.label.len + l.value.len > 0 &&
                (is_whole(&l.label, &q) || is_whole(&l.value, &q) || has_as_written(&l, &q) ||
                 has_as_state(&l, &q));
    }
    quote_fini(&q);
    ia_buf_fini(&l.label);
    ia_buf_fini(&l.value);
    return found;
}

bool ia_evidence_trivial(struct ia_str quote)
{
    return count_signs(quote.p, quote.n) < IA_QUOTE_SIGNS_MIN;
}

bool ia_evidence_shown(struct ia_str quote, struct ia_str screen)
{
    /* A NUL would end the comparison early. */
    if (quote.n == 0 || memchr(quote.p, '\0', quote.n)) {
        return false;
    }
    int lines = 0;
    struct ia_str raw;
    while (ia_str_line(&quote, &raw)) {
        if (is_blank(raw)) {
            continue;
        }
        if (++lines > IA_QUOTE_LINES_MAX || !screen_has(screen, raw)) {
            return false;
        }
    }
    return lines > 0;
}
