/* openstep.c: a recursive-descent parser of old-style property lists, into jansson's values.
 *
 *     value    object | array | data | quoted | unquoted
 *     object   "{" { key "=" value ";" } "}"        array   "(" { value "," } ")"
 *
 * Recursion is bounded by IA_OPENSTEP_DEPTH_MAX, work by IA_OPENSTEP_ITEMS_MAX. The first error
 * stops everything: `fail` sets rc, and every loop ends on it. */
#include "openstep.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <string.h>

struct parser {
    const char *p, *end;
    size_t line;
    size_t items;
    int depth;
    struct ia_err *err;
    enum ia_rc rc; /* the first failure */
};

static json_t *fail(struct parser *x, enum ia_rc rc, const char *what)
{
    if (x->rc == IA_OK) {
        x->rc = ia_err_set(x->err, rc, "property list, line %zu: %s", x->line, what);
    }
    return NULL;
}

/* ---- characters -------------------------------------------------------------------------- */

static bool at(const struct parser *x, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(x->end - x->p) >= n && memcmp(x->p, word, n) == 0;
}

static char peek(const struct parser *x)
{
    return x->p < x->end ? *x->p : '\0';
}

static void step(struct parser *x)
{
    x->line += *x->p == '\n';
    x->p++;
}

/* To just behind the word, or to the end. */
static void skip_past(struct parser *x, const char *word)
{
    while (x->p < x->end && !at(x, word)) {
        step(x);
    }
    for (size_t n = strlen(word); n > 0 && x->p < x->end; n--) {
        step(x);
    }
}

static void skip_space(struct parser *x)
{
    while (x->p < x->end) {
        if (at(x, "//")) {
            skip_past(x, "\n");
        } else if (at(x, "/*")) {
            skip_past(x, "*/");
        } else if (strchr(" \t\r\n\f\v", *x->p) && *x->p != '\0') {
            step(x);
        } else {
            return;
        }
    }
}

static bool take(struct parser *x, char c)
{
    skip_space(x);
    bool there = x->p < x->end && *x->p == c;
    if (there) {
        step(x);
    }
    return there;
}

static bool bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_$/:.-+", c)) || (unsigned char)c >= 0x80;
}

/* ---- strings ----------------------------------------------------------------------------- */

static void put_code_point(struct ia_buf *out, uint32_t cp)
{
    char bytes[4];
    bool bad = cp == 0 || (cp >= 0xD800 && cp <= 0xDFFF) || cp > 0x10FFFF;
    ia_buf_put(out, bytes, ia_utf8_encode(bad ? 0xFFFD : cp, bytes));
}

/* JSON strings here hold no NUL. */
static void put_byte(char c, struct ia_buf *out)
{
    if (c == '\0') {
        put_code_point(out, 0);
    } else {
        ia_buf_putc(out, c);
    }
}

/* At most `most` digits of the base. */
static uint32_t digits(struct parser *x, int most, uint32_t base)
{
    static const char all[] = "0123456789abcdef";
    uint32_t v = 0;
    for (; most > 0 && x->p < x->end; most--) {
        char c = *x->p >= 'A' && *x->p <= 'F' ? (char)(*x->p - 'A' + 'a') : *x->p;
        const char *at_digit = c != '\0' ? strchr(all, c) : NULL;
        if (!at_digit || (uint32_t)(at_digit - all) >= base) {
            break;
        }
        v = v * base + (uint32_t)(at_digit - all);
        x->p++;
    }
    return v;
}

/* UTF-16 units: what is beyond U+FFFF comes as two of them. */
static void put_unit(struct parser *x, struct ia_buf *out)
{
    uint32_t cp = digits(x, 4, 16);
    if (cp >= 0xD800 && cp <= 0xDBFF && (at(x, "\\U") || at(x, "\\u"))) {
        const char *back = x->p;
        x->p += 2;
        uint32_t low = digits(x, 4, 16);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
        } else {
            x->p = back;
        }
    }
    put_code_point(out, cp);
}

/* Behind a backslash. */
static void put_escape(struct parser *x, struct ia_buf *out)
{
    static const char from[] = "abfnrtv";
    static const char to[] = "\a\b\f\n\r\t\v";
    char c = peek(x);
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (c == 'U' || c == 'u') {
        x->p++;
        put_unit(x, out);
    } else if (c >= '0' && c <= '7') {
        put_code_point(out, digits(x, 3, 8));
    } else if (x->p < x->end) {
        put_byte(known ? to[known - from] : c, out);
        step(x);
    }
}

static json_t *finish_string(struct parser *x, struct ia_buf *text)
{
    json_t *v = json_stringn(ia_buf_cstr(text), text->len);
    ia_buf_fini(text);
    return v ? v : fail(x, IA_E_PARSE, "a string is not UTF-8");
}

static json_t *quoted(struct parser *x)
{
    struct ia_buf text = IA_BUF(IA_OPENSTEP_BYTES_MAX);
    char quote = *x->p;
    step(x);
    while (x->p < x->end && *x->p != quote) {
        if (*x->p == '\\') {
            x->p++;
            put_escape(x, &text);
        } else {
            put_byte(*x->p, &text);
            step(x);
        }
    }
    if (x->p == x->end) {
        ia_buf_fini(&text);
        return fail(x, IA_E_PARSE, "a string is not terminated");
    }
    step(x);
    return finish_string(x, &text);
}

/* Words up to whatever ends a value: the bytes of -description's data are several. */
static json_t *unquoted(struct parser *x)
{
    struct ia_buf text = IA_BUF(IA_OPENSTEP_BYTES_MAX);
    while (bare(peek(x)) && !at(x, "//") && !at(x, "/*")) {
        if (text.len > 0) {
            ia_buf_putc(&text, ' ');
        }
        for (; bare(peek(x)); x->p++) {
            ia_buf_putc(&text, *x->p);
        }
        skip_space(x);
    }
    if (text.len == 0) {
        return fail(x, IA_E_PARSE, "a value is missing");
    }
    return finish_string(x, &text);
}

/* Kept as it stands, with its angle brackets. */
static json_t *data(struct parser *x)
{
    const char *start = x->p;
    step(x);
    while (x->p < x->end && *x->p != '\0' && strchr("0123456789abcdefABCDEF \t\r\n", *x->p)) {
        step(x);
    }
    if (peek(x) != '>') {
        return fail(x, IA_E_PARSE, "data is not terminated or not hexadecimal");
    }
    step(x);
    struct ia_buf text = IA_BUF(IA_OPENSTEP_BYTES_MAX);
    ia_buf_put(&text, start, (size_t)(x->p - start));
    return finish_string(x, &text);
}

/* ---- structure --------------------------------------------------------------------------- */

static json_t *value(struct parser *x);

static json_t *key(struct parser *x)
{
    skip_space(x);
    char c = peek(x);
    return c == '"' || c == '\'' ? quoted(x) : unquoted(x);
}

static bool pair(struct parser *x, json_t *object)
{
    json_t *k = key(x);
    if (k && !take(x, '=')) {
        (void)fail(x, IA_E_PARSE, "= is missing after a key");
    }
    json_t *v = x->rc == IA_OK ? value(x) : NULL;
    if (v) {
        (void)json_object_set(object, json_string_value(k), v);
        bool ended = take(x, ';') || take(x, ',');
        skip_space(x);
        if (!ended && peek(x) != '}') {
            (void)fail(x, IA_E_PARSE, "; is missing after a value");
        }
    }
    json_decref(v);
    json_decref(k);
    return x->rc == IA_OK;
}

static json_t *object(struct parser *x)
{
    json_t *o = json_object();
    step(x);
    while (!take(x, '}')) {
        if (!pair(x, o)) {
            json_decref(o);
            return NULL;
        }
    }
    return o;
}

static json_t *array(struct parser *x)
{
    json_t *a = json_array();
    step(x);
    while (!take(x, ')')) {
        json_t *v = value(x);
        if (v) {
            (void)json_array_append_new(a, v);
            bool ended = take(x, ',');
            skip_space(x);
            if (!ended && peek(x) != ')') {
                (void)fail(x, IA_E_PARSE, "a comma is missing between the items of an array");
            }
        }
        if (x->rc != IA_OK) {
            json_decref(a);
            return NULL;
        }
    }
    return a;
}

static json_t *value(struct parser *x)
{
    skip_space(x);
    if (x->depth >= IA_OPENSTEP_DEPTH_MAX || x->items >= IA_OPENSTEP_ITEMS_MAX) {
        return fail(x, IA_E_LIMIT, "nested too deeply, or too many values");
    }
    x->depth++;
    x->items++;
    char c = peek(x);
    json_t *v = c == '{'                ? object(x)
                : c == '('              ? array(x)
                : c == '<'              ? data(x)
                : c == '"' || c == '\'' ? quoted(x)
                                        : unquoted(x);
    x->depth--;
    return v;
}

enum ia_rc ia_openstep_parse(struct ia_str text, json_t **ret, struct ia_err *err)
{
    struct parser x = {.p = text.p, .end = text.p + text.n, .line = 1, .err = err};
    if (text.n > IA_OPENSTEP_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "property list: larger than %zu bytes",
                          IA_OPENSTEP_BYTES_MAX);
    }
    json_t *v = text.n > 0 ? value(&x) : fail(&x, IA_E_PARSE, "it is empty");
    skip_space(&x);
    if (v && x.p < x.end) {
        (void)fail(&x, IA_E_PARSE, "there is extra text after the end");
    }
    if (x.rc != IA_OK) {
        json_decref(v);
        return x.rc;
    }
    *ret = v;
    return IA_OK;
}
