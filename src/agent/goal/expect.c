/* expect.c: parses an expectation and evaluates it on a snapshot. What was found instead is one
 * line, which the model reads when its finish is refused.
 *
 * visible SEL | gone SEL | value SEL = "text" | text "part" | app BUNDLE
 *
 * Everything is parsed before the run begins, so that a mistake costs no step; evaluating is
 * pure and cannot fail. Elements off the screen or covered do not count as visible, but they
 * do count as not gone. */
#include "agent/goal/expect.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- parsing ----------------------------------------------------------------------------- */

struct parser {
    struct ia_str text;
    size_t at;
};

/* The message with the text and a caret under byte offset pos. */
static enum ia_rc mistake(const struct parser *p, size_t pos, const char *what,
                          struct ia_err *err)
{
    struct ia_buf pad = IA_BUF(IA_EXPECT_BYTES_MAX + 1);
    /* One blank for each character, not for each byte, so that the caret stands below the
     * place. */
    for (size_t i = 0; i < pos && i < p->text.n;) {
        size_t n = ia_utf8_valid_len(p->text.p + i, p->text.n - i);
        ia_buf_putc(&pad, ' ');
        i += n ? n : 1;
    }
    ia_err_set(err, IA_E_PARSE, "expectation: %s\n  %.*s\n  %s^", what, (int)p->text.n,
               p->text.p, ia_buf_cstr(&pad));
    ia_err_hint(err,
                "visible SEL, gone SEL, value SEL = \"text\", text \"part\" or app BUNDLE; "
                "SEL is \"label\", role \"label\", role or #identifier.");
    ia_buf_fini(&pad);
    return IA_E_PARSE;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->text.n && is_blank(p->text.p[p->at])) {
        p->at++;
    }
}

static struct ia_str take_word(struct parser *p)
{
    size_t from = p->at;
    while (p->at < p->text.n && !is_blank(p->text.p[p->at])) {
        p->at++;
    }
    return (struct ia_str){p->text.p + from, p->at - from};
}

/* A string in double quotes; p->at moves past it. */
static enum ia_rc take_string(struct parser *p, char **ret, struct ia_err *err)
{
    skip_blanks(p);
    size_t from = p->at;
    if (from >= p->text.n || p->text.p[from] != '"') {
        return mistake(p, from, "a text in double quotes is missing", err);
    }
    struct ia_buf b = IA_BUF(IA_EXPECT_BYTES_MAX);
    for (size_t i = from + 1; i < p->text.n; i++) {
        char c = p->text.p[i];
        if (c == '"') {
            p->at = i + 1;
            if (b.len == 0) {
                ia_buf_fini(&b);
                return mistake(p, from, "the text is empty", err);
            }
            *ret = ia_buf_steal(&b);
            return IA_OK;
        }
        bool escaped = c == '\\' && i + 1 < p->text.n && strchr("\"\\", p->text.p[i + 1]);
        i += escaped;
        ia_buf_putc(&b, p->text.p[i]);
    }
    ia_buf_fini(&b);
    return mistake(p, from, "the quote is not closed", err);
}

/* The offset of the last "=" outside quotes, or n. */
static size_t find_equals(const struct parser *p)
{
    /* The last one: an identifier in the selector may contain "=" itself. */
    size_t found = p->text.n;
    bool in_string = false;
    for (size_t i = p->at; i < p->text.n; i++) {
        char c = p->text.p[i];
        if (in_string && c == '\\') {
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (c == '=' && !in_string) {
            found = i;
        }
    }
    return found;
}

/* The selector between p->at and end. */
static enum ia_rc take_selector(struct parser *p, size_t end, struct ia_selector *ret,
                                struct ia_err *err)
{
    skip_blanks(p);
    while (end > p->at && is_blank(p->text.p[end - 1])) {
        end--;
    }
    if (p->at >= end) {
        return mistake(p, p->at, "a selector is missing", err);
    }
    size_t pos = 0;
    struct ia_err inner = {0};
    struct ia_str sel = {p->text.p + p->at, end - p->at};
    /* Its position counts from the selector's start. */
    if (ia_selector_parse(sel, ret, &pos, &inner) != IA_OK) {
        return mistake(p, p->at + pos, inner.msg, err);
    }
    p->at = end;
    return IA_OK;
}

static enum ia_rc take_value(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    size_t equals = find_equals(p);
    if (equals == p->text.n) {
        return mistake(p, equals, "= \"text\" is missing", err);
    }
    enum ia_rc rc = take_selector(p, equals, &e->sel, err);
    if (rc != IA_OK) {
        return rc;
    }
    p->at = equals + 1;
    return take_string(p, &e->text, err);
}

static enum ia_rc take_app(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    skip_blanks(p);
    struct ia_str word = take_word(p);
    if (word.n == 0) {
        return mistake(p, p->at, "a bundle id is missing", err);
    }
    e->text = ia_strndup(word.p, word.n);
    return IA_OK;
}

static enum ia_rc take_rest(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    switch (e->kind) {
    case IA_EXPECT_VALUE:
        return take_value(p, e, err);
    case IA_EXPECT_TEXT:
        return take_string(p, &e->text, err);
    case IA_EXPECT_APP:
        return take_app(p, e, err);
    case IA_EXPECT_VISIBLE:
    case IA_EXPECT_GONE:
        break;
    }
    return take_selector(p, p->text.n, &e->sel, err);
}

static bool kind_of(struct ia_str word, enum ia_expect_kind *ret)
{
    static const char *const words[] = {"visible", "gone", "value", "text", "app"};
    for (size_t i = 0; i < IA_COUNTOF(words); i++) {
        if (ia_str_is(word, words[i])) {
            /* The words stand in the order of the enum. */
            *ret = (enum ia_expect_kind)i;
            return true;
        }
    }
    return false;
}

/* Length, encoding and control characters, so that the caret line is one line. */
static enum ia_rc check_bytes(struct parser *p, struct ia_err *err)
{
    if (p->text.n > IA_EXPECT_BYTES_MAX) {
        return ia_err_set(err, IA_E_PARSE, "expectation: longer than %d bytes",
                          IA_EXPECT_BYTES_MAX);
    }
    for (size_t i = 0; i < p->text.n;) {
        size_t n = ia_utf8_valid_len(p->text.p + i, p->text.n - i);
        if (n == 0 || (unsigned char)p->text.p[i] < 0x20 || p->text.p[i] == 0x7f) {
            return ia_err_set(err, IA_E_PARSE,
                              "expectation: byte %zu is a control character or not UTF-8",
                              i + 1);
        }
        i += n;
    }
    return IA_OK;
}

static enum ia_rc parse(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    enum ia_rc rc = check_bytes(p, err);
    if (rc != IA_OK) {
        return rc;
    }
    skip_blanks(p);
    size_t from = p->at;
    if (!kind_of(take_word(p), &e->kind)) {
        return mistake(p, from, "must begin with visible, gone, value, text or app", err);
    }
    rc = take_rest(p, e, err);
    if (rc != IA_OK) {
        return rc;
    }
    skip_blanks(p);
    return p->at == p->text.n ? IA_OK : mistake(p, p->at, "nothing may follow here", err);
}

enum ia_rc ia_expect_parse(const char *text, struct ia_expect *ret, struct ia_err *err)
{
    struct ia_expect e = {.sel = {.role = -1}};
    struct parser p = {.text = ia_str(text)};
    enum ia_rc rc = parse(&p, &e, err);
    if (rc != IA_OK) {
        ia_expect_fini(&e);
        return rc;
    }
    e.source = ia_strdup(text);
    *ret = e;
    return IA_OK;
}

void ia_expect_fini(struct ia_expect *e)
{
    ia_selector_fini(&e->sel);
    free(e->text);
    free(e->source);
    *e = (struct ia_expect){.sel = {.role = -1}};
}

enum ia_rc ia_expects_parse(const char *const *texts, size_t n, struct ia_expects *ret,
                            struct ia_err *err)
{
    if (n > IA_EXPECTS_MAX) {
        return ia_err_set(err, IA_E_PARSE, "more than %d expectations", IA_EXPECTS_MAX);
    }
    struct ia_expects list = {.items = ia_calloc(n ? n : 1, sizeof(*list.items))};
    for (size_t i = 0; i < n; i++) {
        enum ia_rc rc = ia_expect_parse(texts[i], &list.items[i], err);
        if (rc != IA_OK) {
            ia_expects_fini(&list);
            return rc;
        }
        list.count++;
    }
    *ret = list;
    return IA_OK;
}

void ia_expects_fini(struct ia_expects *e)
{
    for (size_t i = 0; i < e->count; i++) {
        ia_expect_fini(&e->items[i]);
    }
    free(e->items);
    *e = (struct ia_expects){0};
}

enum ia_rc ia_expect_check(const char *const *texts, size_t n, struct ia_err *err)
{
    struct ia_expects list;
    enum ia_rc rc = ia_expects_parse(texts, n, &list, err);
    if (rc == IA_OK) {
        ia_expects_fini(&list);
    }
    return rc;
}

/* ---- checking ---------------------------------------------------------------------------- */

static bool seen(const struct ia_element *e)
{
    return e->reach != IA_REACH_OFFSCREEN && e->reach != IA_REACH_COVERED;
}

/* The next element from *index on that matches; moves *index past it. */
static const struct ia_element *next_match(const struct ia_selector *sel,
                                           const struct ia_snapshot *s, size_t *index)
{
    const struct ia_element *e;
    while ((e = ia_snapshot_at(s, *index)) != NULL) {
        (*index)++;
        if (ia_selector_matches(sel, e)) {
            return e;
        }
    }
    return NULL;
}

/* A switch is on or off, or 1 or 0 as XCTest calls it. */
static bool value_is(const struct ia_element *e, const char *text)
{
    if (e->value && strcmp(e->value, text) == 0) {
        return true;
    }
    if (e->on == IA_ON) {
        return strcmp(text, "on") == 0 || strcmp(text, "1") == 0;
    }
    return e->on == IA_OFF && (strcmp(text, "off") == 0 || strcmp(text, "0") == 0);
}

static bool visible_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                          struct ia_buf *why)
{
    size_t i = 0, hidden = 0;
    const struct ia_element *e;
    while ((e = next_match(&x->sel, s, &i)) != NULL) {
        if (seen(e)) {
            return true;
        }
        hidden++;
    }
    if (why) {
        ia_buf_printf(why, "%s: %s\n", x->source,
                      hidden ? "it is off the screen or covered" : "it is not on the screen");
    }
    return false;
}

static bool gone_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                       struct ia_buf *why)
{
    size_t i = 0;
    const struct ia_element *e = next_match(&x->sel, s, &i);
    if (e && why) {
        ia_buf_printf(why, "%s: it is still there%s: ", x->source,
                      seen(e) ? "" : " (off the screen or covered)");
        ia_element_text(e, why);
        ia_buf_putc(why, '\n');
    }
    /* What the device did not deliver may hold it. */
    bool cut = !e && ia_snapshot_truncated(s);
    if (cut && why) {
        ia_buf_printf(why, "%s: the screen text was cut, so it may still be there\n",
                      x->source);
    }
    return !e && !cut;
}

static bool value_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                        struct ia_buf *why)
{
    size_t i = 0;
    const struct ia_element *e, *first = NULL;
    while ((e = next_match(&x->sel, s, &i)) != NULL) {
        if (seen(e) && value_is(e, x->text)) {
            return true;
        }
        first = first ? first : e;
    }
    if (why) {
        ia_buf_printf(why, "%s: %s", x->source, first ? "it is " : "no such element");
        if (first) {
            ia_element_text(first, why);
        }
        ia_buf_putc(why, '\n');
    }
    return false;
}

static bool app_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                      struct ia_buf *why)
{
    const char *app = ia_snapshot_app(s);
    bool holds = app && strcmp(app, x->text) == 0;
    if (!holds && why) {
        ia_buf_printf(why, "%s: %s is in front\n", x->source, app ? app : "an unknown app");
    }
    return holds;
}

static bool text_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                       struct ia_buf *why)
{
    bool holds = ia_snapshot_contains(s, ia_str(x->text));
    if (!holds && why) {
        ia_buf_printf(why, "%s: no text on the screen contains it\n", x->source);
    }
    return holds;
}

bool ia_expect_holds(const struct ia_expect *x, const struct ia_snapshot *s, struct ia_buf *why)
{
    switch (x->kind) {
    case IA_EXPECT_VISIBLE:
        return visible_holds(x, s, why);
    case IA_EXPECT_GONE:
        return gone_holds(x, s, why);
    case IA_EXPECT_VALUE:
        return value_holds(x, s, why);
    case IA_EXPECT_TEXT:
        return text_holds(x, s, why);
    case IA_EXPECT_APP:
        return app_holds(x, s, why);
    }
    return false;
}
