/* toml.c: what stands between any bytes and the C++ parser of toml.cpp.
 *
 *     bytes ─► size, UTF-8, depth of keys ─► bytes beyond ASCII marked ─► ia_toml_walk (toml.cpp)
 *                                                                               │ key by key
 *     the caller's visit ◄── strings unmarked, columns counted in the file ◄────┘
 *
 * The parser is never shown a byte beyond ASCII: its tables of Unicode blanks are undefined for
 * some characters, and it looks them up while it reads on behind an error (tomlplusplus, issues
 * 190 and 295). Each such byte is written as a mark and two hexadecimal digits, and put back in
 * what the parser delivers. The mark is a character that may stand in quotes and comments only,
 * as bytes beyond ASCII may, and that the document does not have otherwise. */
#include "base/toml.h"

#include "base/buf.h"
#include "base/toml_scan.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MARKED = 3 }; /* characters that a marked byte takes */

static const char hex_digits[] = "0123456789ABCDEF";

struct document {
    struct ia_str text;   /* as it was given, without a byte order mark */
    char mark;            /* NUL: nothing is marked */
    struct ia_buf marked; /* what the parser reads, if anything is marked */
    const char **lines;   /* where each line starts in text */
    size_t line_count;
    bool deep;            /* arrays element by element */
    ia_toml_visit *visit; /* the caller's */
    void *ctx;
};

static bool ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* --- keys that are too deep ------------------------------------------------------------ */

/* Where the parser would start to recurse through the stack: the dot that gives a key one part
 * too many, or NULL. */
static const char *find_too_deep(struct ia_str text)
{
    struct ia_toml_scan lx = {text.p, text.p + text.n};
    size_t parts = 1;
    while (lx.p < lx.end) {
        if (ia_toml_scan_opaque(&lx)) {
            continue;
        }
        if (*lx.p == '.') {
            parts++;
        } else if (strchr("=,[]{}\n", *lx.p)) {
            parts = 1;
        }
        if (parts > IA_TOML_DEPTH_MAX) {
            return lx.p;
        }
        lx.p++;
    }
    return NULL;
}

/* --- bytes beyond ASCII ---------------------------------------------------------------- */

/* True when the text neither has c nor an escape ("\u007E") that could give it. */
static bool unused(struct ia_str text, char c)
{
    char upper[] = {'0', '0', hex_digits[c >> 4], hex_digits[c & 15], '\0'};
    char lower[] = {'0', '0', upper[2], (char)(upper[3] >= 'A' ? upper[3] + 32 : upper[3]),
                    '\0'};
    for (size_t i = 0; i < text.n; i++) {
        struct ia_toml_scan here = {text.p + i, text.p + text.n};
        if (text.p[i] == c || ia_toml_scan_at(&here, upper) || ia_toml_scan_at(&here, lower)) {
            return false;
        }
    }
    return true;
}

static char find_mark(struct ia_str text)
{
    static const char candidates[] = "~^`|%@!&*$?<>;/()";
    for (const char *c = candidates; *c; c++) {
        if (unused(text, *c)) {
            return *c;
        }
    }
    return '\0';
}

static void mark_bytes(struct document *d)
{
    d->marked = IA_BUF((size_t)IA_TOML_BYTES_MAX * MARKED);
    for (size_t i = 0; i < d->text.n; i++) {
        unsigned char c = (unsigned char)d->text.p[i];
        if (c < 0x80) {
            ia_buf_putc(&d->marked, (char)c);
        } else {
            char three[MARKED] = {d->mark, hex_digits[c >> 4], hex_digits[c & 15]};
            ia_buf_put(&d->marked, three, MARKED);
        }
    }
}

/* A delivered string with its bytes put back, in new memory. */
static char *unmark(const struct document *d, const char *s)
{
    char *copy = ia_strdup(s);
    char *to = copy;
    for (const char *from = copy; *from; to++) {
        const char *high = *from == d->mark && from[1] ? strchr(hex_digits, from[1]) : NULL;
        const char *low = high && from[2] ? strchr(hex_digits, from[2]) : NULL;
        *to = low ? (char)((high - hex_digits) * 16 + (low - hex_digits)) : *from;
        from += low ? MARKED : 1;
    }
    *to = '\0';
    return copy;
}

/* --- places ---------------------------------------------------------------------------- */

static void find_lines(struct document *d)
{
    const char *end = d->text.p + d->text.n;
    size_t count = 1;
    for (const char *p = d->text.p; p < end; p++) {
        count += *p == '\n';
    }
    d->lines = ia_calloc(count, sizeof(*d->lines));
    d->lines[d->line_count++] = d->text.p;
    for (const char *p = d->text.p; p < end; p++) {
        if (*p == '\n') {
            d->lines[d->line_count++] = p + 1;
        }
    }
}

/* Line and column of a byte, in characters from 1. */
static void find_place(const struct document *d, const char *where, unsigned *ret_line,
                       unsigned *ret_column)
{
    size_t line = d->line_count;
    while (line > 1 && d->lines[line - 1] > where) {
        line--;
    }
    *ret_line = (unsigned)line;
    *ret_column = 1;
    for (const char *p = d->lines[line - 1]; p < where; p++) {
        *ret_column += ((unsigned char)*p & 0xC0) != 0x80;
    }
}

/* True when the place is one of a character beyond ASCII, which the parser would call by its
 * mark. */
static bool is_marked_place(const struct document *d, unsigned line, unsigned column)
{
    if (!d->mark || line == 0 || line > d->line_count) {
        return false;
    }
    const char *p = d->lines[line - 1];
    const char *end = d->text.p + d->text.n;
    for (unsigned source = 1; p < end && source < column; source++) {
        p += ia_utf8_valid_len(p, (size_t)(end - p));
    }
    return p < end && !ascii(*p);
}

/* The column in the given text of one that the parser counted in the marked text. */
static unsigned source_column(const struct document *d, unsigned line, unsigned column)
{
    if (!d->mark || line == 0 || line > d->line_count) {
        return column;
    }
    const char *end = d->text.p + d->text.n;
    unsigned counted = 1;
    unsigned source = 1;
    for (const char *p = d->lines[line - 1]; p < end && counted < column; p++) {
        counted += ascii(*p) ? 1 : MARKED;
        source += ((unsigned char)*p & 0xC0) != 0x80;
    }
    /* A place behind the end of the text stays as far behind it. */
    return source + (column > counted ? column - counted : 0);
}

/* --- the document ------------------------------------------------------------------------- */

static void visit_unmarked(void *ctx, const struct ia_toml_value *v)
{
    struct document *d = ctx;
    struct ia_toml_value source = *v;
    source.column = source_column(d, v->line, v->column);
    source.value_column = source_column(d, v->value_line, v->value_column);
    if (!d->mark) {
        d->visit(d->ctx, &source);
        return;
    }
    char *path = unmark(d, v->path);
    char *key = v->key ? unmark(d, v->key) : NULL;
    char *s = v->s ? unmark(d, v->s) : NULL;
    char **items = ia_calloc(v->count + 1, sizeof(*items));
    for (size_t i = 0; i < v->count; i++) {
        items[i] = unmark(d, v->items[i]);
    }
    source.path = path;
    source.key = key;
    source.s = s;
    source.items = (const char *const *)items;
    d->visit(d->ctx, &source);
    for (size_t i = 0; i < v->count; i++) {
        free(items[i]);
    }
    free(items);
    free(key);
    free(path);
    free(s);
}

/* How many bytes from the start are valid UTF-8, and whether any of them is not ASCII. */
static size_t valid_bytes(struct ia_str text, bool *ret_non_ascii)
{
    size_t i = 0;
    size_t n = 1;
    *ret_non_ascii = false;
    while (i < text.n && n > 0) {
        n = ia_utf8_valid_len(text.p + i, text.n - i);
        *ret_non_ascii = *ret_non_ascii || n > 1;
        i += n;
    }
    return i;
}

static enum ia_rc error_at(const struct document *d, const char *where, enum ia_rc rc,
                           const char *what, unsigned *ret_line, unsigned *ret_column,
                           struct ia_err *err)
{
    find_place(d, where, ret_line, ret_column);
    return ia_err_set(err, rc, "%s", what);
}

static enum ia_rc each(struct document *d, unsigned *ret_line, unsigned *ret_column,
                       struct ia_err *err)
{
    bool non_ascii = false;
    size_t valid = valid_bytes(d->text, &non_ascii);
    if (valid < d->text.n) {
        return error_at(d, d->text.p + valid, IA_E_PARSE, "bytes that are not UTF-8", ret_line,
                        ret_column, err);
    }
    const char *deep = find_too_deep(d->text);
    if (deep) {
        return error_at(d, deep, IA_E_LIMIT, "a key has too many parts", ret_line, ret_column,
                        err);
    }
    if (non_ascii) {
        d->mark = find_mark(d->text);
        if (!d->mark) {
            return ia_err_set(err, IA_E_LIMIT, "too many different punctuation characters");
        }
        mark_bytes(d);
    }
    enum ia_rc rc = ia_toml_walk(d->mark ? ia_buf_str(&d->marked) : d->text, d->deep,
                                 visit_unmarked, d, ret_line, ret_column, err);
    *ret_column = source_column(d, *ret_line, *ret_column);
    if (rc != IA_OK && is_marked_place(d, *ret_line, *ret_column)) {
        return ia_err_set(err, rc, "a non-ASCII character is not allowed here");
    }
    return rc;
}

static enum ia_rc start(struct document *d, unsigned *ret_line, unsigned *ret_column,
                        struct ia_err *err)
{
    *ret_line = 0;
    *ret_column = 0;
    if (d->text.n > IA_TOML_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "larger than %d bytes", IA_TOML_BYTES_MAX);
    }
    if (!d->text.p) {
        d->text = (struct ia_str){"", 0};
    }
    if (ia_str_starts(d->text, ia_str("\xEF\xBB\xBF"))) { /* a byte order mark */
        d->text = (struct ia_str){d->text.p + 3, d->text.n - 3};
    }
    find_lines(d);
    enum ia_rc rc = each(d, ret_line, ret_column, err);
    ia_buf_fini(&d->marked);
    free(d->lines);
    return rc;
}

enum ia_rc ia_toml_each(struct ia_str text, ia_toml_visit *visit, void *ctx, unsigned *ret_line,
                        unsigned *ret_column, struct ia_err *err)
{
    struct document d = {.text = text, .visit = visit, .ctx = ctx};
    return start(&d, ret_line, ret_column, err);
}

enum ia_rc ia_toml_each_deep(struct ia_str text, ia_toml_visit *visit, void *ctx,
                             unsigned *ret_line, unsigned *ret_column, struct ia_err *err)
{
    struct document d = {.text = text, .visit = visit, .ctx = ctx, .deep = true};
    return start(&d, ret_line, ret_column, err);
}
