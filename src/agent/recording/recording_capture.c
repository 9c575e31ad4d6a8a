/* recording_capture.c: captures a word that the screen shows and a later step types: a code, a number, a date.
 *
 *     screen   "Your code is 482913. Do not share it"
 *     pattern  text "Your code is {{shown}}. Do not"     some words around it; digits stand for any digits */
#include "agent/recording/recording_vars.h"

#include "agent/goal/expect.h"
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, WORDS_BEFORE = 3, WORDS_AFTER = 2, PATTERN_BYTES = 200 };

/* Punctuation around a word. */
#define AROUND ".,;:!?\"'()[]"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- reading ---------------------------------------------------------------------------- */

struct pattern {
    struct ia_expect x;
    struct ia_str before, after;
};

static void pattern_fini(struct pattern *p)
{
    ia_expect_fini(&p->x);
}

static enum ia_rc parse(const char *name, const char *text, struct pattern *ret,
                        struct ia_err *err)
{
    struct ia_buf hole = IA_BUF(PATTERN_BYTES);
    enum ia_rc rc = ia_expect_parse(text, &ret->x, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_buf_printf(&hole, "{{%s}}", name);
    bool value = ret->x.kind == IA_EXPECT_VALUE && !ret->x.relaunch;
    const char *whole = value || ret->x.kind == IA_EXPECT_TEXT ? ret->x.text : NULL;
    const char *at = whole ? strstr(whole, ia_buf_cstr(&hole)) : NULL;
    if (at) {
        ret->before = (struct ia_str){whole, (size_t)(at - whole)};
        ret->after = ia_str(at + hole.len);
    }
    if (!at || ret->x.relaunch || strstr(at + hole.len, "{{") ||
        memchr(whole, '{', ret->before.n) || (!value && ret->before.n + ret->after.n == 0)) {
        pattern_fini(ret);
        rc = ia_err_set(err, IA_E_PARSE,
                        "what is read must be value SEL = \"…%s…\", or text \"…%s…\" with some "
                        "words around it",
                        ia_buf_cstr(&hole), ia_buf_cstr(&hole));
    }
    ia_buf_fini(&hole);
    return rc;
}

enum ia_rc ia_recording_capture_check(const char *name, const char *text, struct ia_err *err)
{
    struct pattern p;
    enum ia_rc rc = parse(name, text, &p, err);
    if (rc == IA_OK) {
        pattern_fini(&p);
    }
    return rc;
}

/* The length of the prefix of the text that equals `like` but for digits, of which there may be more or fewer;
 * SIZE_MAX: there is none. */
static size_t begins(struct ia_str text, struct ia_str with)
{
    size_t t = 0, w = 0;
    while (w < with.n) {
        if (t == text.n ||
            (text.p[t] != with.p[w] && !(is_digit(text.p[t]) && is_digit(with.p[w])))) {
            return SIZE_MAX;
        }
        bool digits = is_digit(with.p[w]);
        do {
            t++;
        } while (digits && t < text.n && is_digit(text.p[t]));
        do {
            w++;
        } while (digits && w < with.n && is_digit(with.p[w]));
    }
    return t;
}

/* The first word of a text, without punctuation after it. */
static struct ia_str word_of(struct ia_str text)
{
    struct ia_str word = {text.p, 0};
    while (word.n < text.n && (unsigned char)text.p[word.n] > ' ') {
        word.n++;
    }
    while (word.n > 0 && strchr(AROUND, text.p[word.n - 1])) {
        word.n--;
    }
    return word;
}

struct taking {
    struct pattern p;
    char word[WORD_MAX];
    bool found, several;
};

/* Refuses braces: a screen's text must not become the name of a secret. */
static void take_word(struct taking *t, struct ia_str word)
{
    if (word.n == 0 || word.n >= WORD_MAX || memchr(word.p, '{', word.n)) {
        return;
    }
    t->several = t->several || (t->found && !ia_str_is(word, t->word));
    t->found = true;
    memcpy(t->word, word.p, word.n);
    t->word[word.n] = '\0';
}

static bool has_digit(struct ia_str text)
{
    size_t i = 0;
    while (i < text.n && !is_digit(text.p[i])) {
        i++;
    }
    return i < text.n;
}

/* whole: the pattern covers the whole text. In other texts the word must have a digit. */
static void look_in(struct taking *t, const char *text, bool whole)
{
    struct ia_str rest = ia_str(text ? text : "");
    for (size_t at = 0; at < rest.n && (at == 0 || !whole); at++) {
        struct ia_str here = {rest.p + at, rest.n - at};
        bool inside = at > 0 && (unsigned char)rest.p[at - 1] > ' ';
        size_t n = inside ? SIZE_MAX : begins(here, t->p.before);
        if (n == SIZE_MAX) {
            continue;
        }
        here = (struct ia_str){here.p + n, here.n - n};
        struct ia_str word = word_of(here);
        struct ia_str behind = {here.p + word.n, here.n - word.n};
        n = begins(behind, t->p.after);
        if (n != SIZE_MAX && (whole ? n == behind.n : has_digit(word))) {
            take_word(t, word);
        }
    }
}

static void look(struct taking *t, const struct ia_snapshot *s)
{
    bool value = t->p.x.kind == IA_EXPECT_VALUE;
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (!e->listed || (value && !ia_selector_matches(&t->p.x.sel, e))) {
            continue;
        }
        look_in(t, e->value, value);
        if (!value) {
            look_in(t, e->label, false);
        }
    }
}

bool ia_recording_capture(const json_t *step, const struct ia_snapshot *s,
                          void (*take)(void *ctx, const char *var), void *ctx,
                          struct ia_buf *why)
{
    const char *name;
    json_t *text;
    bool all = true;
    json_object_foreach(json_object_get(step, "capture"), name, text)
    {
        struct taking t = {.found = false};
        struct ia_buf var = IA_BUF(PATTERN_BYTES);
        if (parse(name, json_string_value(text), &t.p, NULL) != IA_OK) {
            return false;
        }
        look(&t, s);
        pattern_fini(&t.p);
        ia_buf_printf(&var, "%s=%s", name, t.word);
        if (t.found && !t.several) {
            take(ctx, ia_buf_cstr(&var));
        } else {
            ia_buf_printf(
                why, "%s%s: %s\n", t.several ? "several texts read " : "nothing reads ",
                json_string_value(text), t.several ? "with different words" : "on this screen");
            all = false;
        }
        ia_buf_fini(&var);
    }
    return all;
}

/* ---- making ----------------------------------------------------------------------------- */

/* The word as a separate word after the line's number and role; NULL: the line does not have it. */
static const char *find_word(struct ia_str line, const char *word)
{
    size_t n = strlen(word), from = 0;
    for (int skipped = 0; skipped < 2 && from < line.n; from++) {
        skipped += line.p[from] == ' ';
    }
    for (size_t i = from; i + n <= line.n; i++) {
        struct ia_str here = word_of((struct ia_str){line.p + i, line.n - i});
        if ((i == from || line.p[i - 1] == ' ') && ia_str_is(here, word)) {
            return line.p + i;
        }
    }
    return NULL;
}

/* The start of up to n words before p, not before `from`. Skips words with digits if there are others: they may be a
 * time. */
static const char *words_before(const char *from, const char *p, bool digits)
{
    for (int n = 0; p > from && n < WORDS_BEFORE; n++) {
        const char *word = p - 1;
        while (word > from && word[-1] != ' ') {
            word--;
        }
        if (!digits && has_digit((struct ia_str){word, (size_t)(p - word)})) {
            break;
        }
        p = word;
    }
    return p;
}

static const char *words_after(const char *p, const char *end, bool digits)
{
    for (int n = 0; p < end && n < WORDS_AFTER; n++) {
        const char *word = p + (*p == ' ');
        while (word < end && *word != ' ') {
            word++;
        }
        if (!digits && has_digit((struct ia_str){p, (size_t)(word - p)})) {
            break;
        }
        p = word;
    }
    return p;
}

static void put_part(struct ia_buf *out, const char *from, const char *end)
{
    for (; from < end; from++) {
        ia_buf_puts(out, *from == '"' || *from == '\\' ? "\\" : "");
        ia_buf_putc(out, *from);
    }
}

static const char *find_text(const char *p, const char *end, const char *text)
{
    size_t n = strlen(text);
    while (p + n <= end && memcmp(p, text, n) != 0) {
        p++;
    }
    return p + n <= end ? p : NULL;
}

/* Reads a line "12 text Your code is 482913", or "14 row Code = 482913", which separates label and value. */
static bool put_pattern(struct ia_str line, const char *at, size_t n, const char *name,
                        struct ia_buf *out)
{
    const char *role = strchr(line.p, ' ') + 1, *from = strchr(role, ' ') + 1;
    const char *end = line.p + line.n, *equals = find_text(from, end, " = ");
    if (equals && equals < at && equals + 3 == at && at + n == end) {
        ia_buf_printf(out, "value %.*s \"", (int)strcspn(role, " :"), role);
        put_part(out, from, equals);
        ia_buf_printf(out, "\" = \"{{%s}}\"", name);
        return ia_recording_capture_check(name, ia_buf_cstr(out), NULL) == IA_OK;
    }
    from = equals && equals < at ? equals + 3 : from;
    end = equals && equals > at ? equals : end;
    const char *before = words_before(from, at, false);
    const char *after = words_after(at + n, end, false);
    if (before == at && after == at + n) {
        before = words_before(from, at, true);
        after = words_after(at + n, end, true);
    }
    ia_buf_puts(out, "text \"");
    put_part(out, before, at);
    ia_buf_printf(out, "{{%s}}", name);
    put_part(out, at + n, after);
    ia_buf_putc(out, '"');
    return ia_recording_capture_check(name, ia_buf_cstr(out), NULL) == IA_OK;
}

bool ia_recording_capture_of(const char *screen, const char *word, const char *name,
                             struct ia_buf *out)
{
    for (const char *p = screen; *p;) {
        struct ia_str line = {p, strcspn(p, "\n")};
        const char *at = find_word(line, word);
        if (at) {
            return put_pattern(line, at, strlen(word), name, out);
        }
        p += line.n + (p[line.n] == '\n');
    }
    return false;
}
