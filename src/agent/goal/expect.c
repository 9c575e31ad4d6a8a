/* expect.c: parses an expectation. The grammar is in expect.h; one table says for each kind its word
 * and what follows it. Everything is parsed before the run begins, so that a mistake costs no step. */
#include "agent/goal/expect.h"

#include "agent/goal/app_state.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- parsing ----------------------------------------------------------------------------- */

enum { COUNT_DIGITS_MAX = 4, WORDS_MAX = 32 };

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
                "visible, gone, appears, disappears or changes SEL, value SEL = \"text\", "
                "count SEL = 3, text \"part\", picture text \"part\", app BUNDLE, state "
                "\"name\" = \"text\", after "
                "relaunch: one of these, or command \"program argument\"; SEL is \"label\", "
                "role \"label\", role or "
                "#identifier.");
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
        enum ia_rc rc = mistake(p, p->at + pos, inner.msg, err);
        ia_err_hint(err, "%s", inner.hint);
        return rc;
    }
    p->at = end;
    return IA_OK;
}

/* SEL "=", and p->at stands behind it. */
static enum ia_rc take_compared(struct parser *p, struct ia_expect *e, const char *missing,
                                struct ia_err *err)
{
    size_t equals = find_equals(p);
    if (equals == p->text.n) {
        return mistake(p, equals, missing, err);
    }
    enum ia_rc rc = take_selector(p, equals, &e->sel, err);
    p->at = equals + 1;
    return rc;
}

static enum ia_rc take_value(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    enum ia_rc rc = take_compared(p, e, "= \"text\" is missing", err);
    return rc == IA_OK ? take_string(p, &e->text, err) : rc;
}

static enum ia_rc take_count(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    enum ia_rc rc = take_compared(p, e, "= and a number are missing", err);
    if (rc != IA_OK) {
        return rc;
    }
    skip_blanks(p);
    size_t from = p->at;
    struct ia_str word = take_word(p);
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '9' || word.n > COUNT_DIGITS_MAX) {
            return mistake(p, from, "a number from 0 to 9999 is missing", err);
        }
        e->count = 10 * e->count + (word.p[i] - '0');
    }
    return word.n > 0 ? IA_OK : mistake(p, from, "a number from 0 to 9999 is missing", err);
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

static enum ia_rc take_text(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    return take_string(p, &e->text, err);
}

/* "name" = "text" */
static enum ia_rc take_state(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    skip_blanks(p);
    size_t from = p->at;
    enum ia_rc rc = take_string(p, &e->name, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (!ia_app_state_name_ok(ia_str(e->name))) {
        return mistake(p, from, "a state's name has letters, digits, \".\", \"_\" and \"-\"",
                       err);
    }
    skip_blanks(p);
    if (p->at == p->text.n || p->text.p[p->at] != '=') {
        return mistake(p, p->at, "= \"text\" is missing", err);
    }
    p->at++;
    return take_string(p, &e->text, err);
}

static enum ia_rc take_command(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    skip_blanks(p);
    size_t from = p->at;
    enum ia_rc rc = take_string(p, &e->text, err);
    char **words = rc == IA_OK ? ia_command_words(e->text) : NULL;
    if (rc == IA_OK && !words) {
        rc = mistake(p, from, "no program is named, or a single quote is not closed", err);
    }
    ia_words_free(words);
    return rc;
}

static enum ia_rc take_element(struct parser *p, struct ia_expect *e, struct ia_err *err)
{
    return take_selector(p, p->text.n, &e->sel, err);
}

static const struct {
    const char *word;
    enum ia_rc (*take)(struct parser *p, struct ia_expect *e, struct ia_err *err);
} kinds[IA_EXPECT_KINDS] = {
    [IA_EXPECT_VISIBLE] = {"visible", take_element},
    [IA_EXPECT_GONE] = {"gone", take_element},
    [IA_EXPECT_APPEARS] = {"appears", take_element},
    [IA_EXPECT_DISAPPEARS] = {"disappears", take_element},
    [IA_EXPECT_CHANGES] = {"changes", take_element},
    [IA_EXPECT_VALUE] = {"value", take_value},
    [IA_EXPECT_COUNT] = {"count", take_count},
    [IA_EXPECT_TEXT] = {"text", take_text},
    [IA_EXPECT_APP] = {"app", take_app},
    [IA_EXPECT_STATE] = {"state", take_state},
    [IA_EXPECT_COMMAND] = {"command", take_command},
};

static bool kind_of(struct ia_str word, enum ia_expect_kind *ret)
{
    for (size_t i = 0; i < IA_EXPECT_KINDS; i++) {
        if (ia_str_is(word, kinds[i].word)) {
            *ret = (enum ia_expect_kind)i;
            return true;
        }
    }
    return false;
}

/* Takes "after relaunch:" off the front where it stands there. */
static bool take_relaunch(struct parser *p)
{
    size_t from = p->at;
    bool after = ia_str_is(take_word(p), "after");
    skip_blanks(p);
    if (after && ia_str_is(take_word(p), "relaunch:")) {
        skip_blanks(p);
        return true;
    }
    p->at = from;
    return false;
}

/* Takes "picture" off the front where it stands there. */
static bool take_picture(struct parser *p)
{
    size_t from = p->at;
    if (ia_str_is(take_word(p), "picture")) {
        skip_blanks(p);
        return true;
    }
    p->at = from;
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
    e->relaunch = take_relaunch(p);
    e->picture = take_picture(p);
    size_t from = p->at;
    if (!kind_of(take_word(p), &e->kind)) {
        return mistake(
            p, from,
            "must begin with visible, gone, appears, disappears, changes, "
            "value, count, text, picture text, app, state, after relaunch: or command",
            err);
    }
    if (e->picture && e->kind != IA_EXPECT_TEXT) {
        return mistake(p, from, "only text is read on a picture", err);
    }
    if (e->relaunch && e->kind == IA_EXPECT_COMMAND) {
        return mistake(p, from, "a command knows nothing of a relaunch", err);
    }
    rc = kinds[e->kind].take(p, e, err);
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
    free(e->name);
    free(e->start);
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

/* ---- commands ---------------------------------------------------------------------------- */

static bool next_word(const char **at, struct ia_buf *out, bool *ret_closed)
{
    const char *p = *at;
    bool quoted = false, any = false;
    p += strspn(p, " \t");
    for (; *p && (quoted || !is_blank(*p)); p++) {
        any = true;
        if (*p == '\'') {
            quoted = !quoted;
            continue;
        }
        p += *p == '\\' && !quoted && p[1];
        ia_buf_putc(out, *p);
    }
    *at = p;
    *ret_closed = !quoted;
    return any;
}

char **ia_command_words(const char *text)
{
    char **words = ia_calloc(WORDS_MAX + 1, sizeof(*words));
    size_t n = 0;
    bool closed = true;
    struct ia_buf word = IA_BUF(IA_EXPECT_BYTES_MAX);
    while (n < WORDS_MAX && closed && next_word(&text, &word, &closed)) {
        words[n++] = ia_strdup(ia_buf_cstr(&word));
        ia_buf_reset(&word);
    }
    ia_buf_fini(&word);
    bool rest = text[strspn(text, " \t")] != '\0';
    if (n == 0 || !closed || rest || words[0][0] == '\0') {
        ia_words_free(words);
        return NULL;
    }
    return words;
}

void ia_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++) {
        free(words[i]);
    }
    free(words);
}

enum ia_rc ia_expects_allowed(const struct ia_expects *e, bool allow_commands,
                              struct ia_err *err)
{
    for (size_t i = 0; i < e->count && !allow_commands; i++) {
        if (e->items[i].kind == IA_EXPECT_COMMAND) {
            ia_err_set(err, IA_E_USAGE, "%s: expectations may not run commands here",
                       e->items[i].source);
            ia_err_hint(err, "allow it for this once with --allow-commands, or for good with "
                             "allow_commands = true under [run] in your own configuration; a "
                             "project's configuration cannot");
            return IA_E_USAGE;
        }
    }
    return IA_OK;
}
