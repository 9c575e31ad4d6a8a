/* toml_edit.c: finds the one place of a document that a change concerns, and splices there.
 *
 *   [run]                   a header, and lines below it
 *   run.model = "x"         dotted keys, before the first header
 *   run = { model = "x" }   a table in braces
 *
 * TOML allows only one of these for a section. */
#include "base/toml_edit.h"

#include "base/toml_scan.h"

#include <string.h>

enum form { FORM_NONE, FORM_HEADER, FORM_DOTTED, FORM_BRACES };

/* Bytes of the document from p to end. */
struct span {
    const char *p, *end;
};

struct key {
    const char *p;
    struct ia_str
        parts[2]; /* the first two; what needs escapes is no name of ours, and empty */
    size_t count;
};

struct editor {
    struct ia_toml_scan s;
    const char *start;
    struct ia_str section, name;
    enum form form; /* of the section, as soon as it was seen */
    bool headers;   /* one was seen, of any section */
    bool inside;    /* the last of them is the section's */
    struct span
        last; /* the section's last line (or value in braces); empty braces: behind them */
    bool found, first;     /* the key; nothing stands before it in its braces */
    struct span at, value; /* from its first byte to behind its line or, in braces, its value */
    const char *next;      /* in braces: the key that follows; NULL: none */
};

static bool more(const struct editor *e)
{
    return e->s.p < e->s.end;
}

static void skip(struct editor *e, const char *bytes)
{
    while (more(e) && *e->s.p != '\0' && strchr(bytes, *e->s.p)) {
        e->s.p++;
    }
}

/* To behind the end of the line, over a comment. */
static void skip_line(struct editor *e)
{
    while (more(e) && *e->s.p != '\n') {
        e->s.p++;
    }
    e->s.p += more(e);
}

static struct ia_str read_part(struct editor *e)
{
    const char *from = e->s.p;
    bool quoted = *from == '"' || *from == '\'';
    if (quoted) {
        (void)ia_toml_scan_opaque(&e->s);
    }
    while (!quoted && more(e) && !strchr(" \t.=]\r\n", *e->s.p)) {
        e->s.p++;
    }
    size_t n = (size_t)(e->s.p - from);
    if (!quoted) {
        return (struct ia_str){from, n};
    }
    bool plain = n >= 2 && !memchr(from, '\\', n);
    return (struct ia_str){from + 1, plain ? n - 2 : 0};
}

static struct key read_key(struct editor *e)
{
    struct key k = {.p = e->s.p};
    do {
        e->s.p += k.count > 0; /* the dot */
        skip(e, " \t");
        struct ia_str part = more(e) ? read_part(e) : (struct ia_str){"", 0};
        if (k.count < IA_COUNTOF(k.parts)) {
            k.parts[k.count] = part;
        }
        k.count++;
        skip(e, " \t");
    } while (more(e) && *e->s.p == '.');
    return k;
}

/* What stands behind the equals sign, without blanks and a comment. */
static struct span read_value(struct editor *e)
{
    int depth = 0;
    e->s.p += more(e) && *e->s.p == '=';
    skip(e, " \t");
    struct span v = {e->s.p, e->s.p};
    while (more(e) && (depth > 0 || !strchr(",]}#\r\n", *e->s.p))) {
        char c = *e->s.p;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (!ia_toml_scan_opaque(&e->s)) {
            e->s.p++;
        }
        v.end = c == ' ' || c == '\t' ? v.end : e->s.p;
    }
    return v;
}

static void read_braces(struct editor *e, struct span braces)
{
    const char *behind = e->s.p;
    e->form = FORM_BRACES;
    e->s.p = braces.p + 1;
    e->last = (struct span){e->s.p, e->s.p};
    bool first = true;
    for (skip(e, " \t"); e->s.p < braces.end && *e->s.p != '}'; skip(e, " \t")) {
        struct key k = read_key(e);
        struct span v = read_value(e);
        if (e->found && !e->next) {
            e->next = k.p;
        }
        if (k.count == 1 && ia_str_eq(k.parts[0], e->name)) {
            e->found = true;
            e->first = first;
            e->at = (struct span){first ? k.p : e->last.end, v.end};
            e->value = v;
        }
        e->last = (struct span){k.p, v.end};
        first = false;
        e->s.p += more(e) && *e->s.p == ',';
        if (e->s.p == k.p) {
            break; /* no TOML */
        }
    }
    e->s.p = behind;
}

static void read_statement(struct editor *e)
{
    struct key k = read_key(e);
    struct span v = read_value(e);
    const char *behind_value = e->s.p;
    bool dotted = !e->headers && k.count == 2 && ia_str_eq(k.parts[0], e->section);
    skip_line(e);
    struct span line = {k.p, e->s.p};
    if (!e->headers && k.count == 1 && ia_str_eq(k.parts[0], e->section) && v.p < v.end &&
        *v.p == '{') {
        read_braces(e, v);
    }
    if (e->inside || dotted) {
        e->form = dotted ? FORM_DOTTED : FORM_HEADER;
        e->last = line;
    }
    if ((dotted && ia_str_eq(k.parts[1], e->name)) ||
        (e->inside && k.count == 1 && ia_str_eq(k.parts[0], e->name))) {
        bool comment = behind_value < e->s.end && *behind_value == '#';
        e->found = true;
        e->value = v;
        e->at = (struct span){k.p, comment ? behind_value : line.end};
    }
}

static void read_header(struct editor *e)
{
    const char *p = e->s.p++;
    struct key k = {.count = 0};
    if (more(e) && *e->s.p != '[') {
        k = read_key(e);
    }
    e->headers = true;
    e->inside = k.count == 1 && ia_str_eq(k.parts[0], e->section);
    skip_line(e);
    if (e->inside) {
        e->form = FORM_HEADER;
        e->last = (struct span){p, e->s.p};
    }
}

static void find(struct editor *e)
{
    for (skip(e, " \t\r\n"); more(e); skip(e, " \t\r\n")) {
        if (*e->s.p == '[') {
            read_header(e);
        } else if (!ia_toml_scan_at(&e->s, "#")) {
            read_statement(e);
        } else {
            skip_line(e);
        }
    }
}

/* ---- the change -------------------------------------------------------------------------- */

static const char *newline(const struct editor *e)
{
    const char *first = e->start;
    while (first < e->s.end && *first != '\n') {
        first++;
    }
    return first > e->start && first < e->s.end && first[-1] == '\r' ? "\r\n" : "\n";
}

static void end_line(const struct editor *e, const char *at, struct ia_buf *new)
{
    if (at > e->start && at[-1] != '\n') {
        ia_buf_puts(new, newline(e));
    }
}

/* "name = value" where the section has no such key yet. */
static struct span add(const struct editor *e, const char *value, struct ia_buf *new)
{
    const char *at = e->form == FORM_NONE ? e->s.end : e->last.end;
    const char *indent = e->last.p;
    if (e->form == FORM_BRACES) {
        bool empty = e->last.p == e->last.end;
        ia_buf_puts(new, empty ? " " : ", ");
        ia_buf_printf(new, "%.*s = %s%s", (int)e->name.n, e->name.p, value, empty ? " " : "");
        return (struct span){at, at};
    }
    end_line(e, at, new);
    if (e->form == FORM_NONE) {
        ia_buf_printf(new, "%s[%.*s]%s", at > e->start ? newline(e) : "", (int)e->section.n,
                      e->section.p, newline(e));
        indent = e->start;
    }
    while (indent > e->start && strchr(" \t", indent[-1])) {
        indent--;
    }
    ia_buf_put(new, indent, e->form == FORM_NONE ? 0 : (size_t)(e->last.p - indent));
    if (e->form == FORM_DOTTED) {
        ia_buf_printf(new, "%.*s.", (int)e->section.n, e->section.p);
    }
    ia_buf_printf(new, "%.*s = %s%s", (int)e->name.n, e->name.p, value, newline(e));
    return (struct span){at, at};
}

/* The key with its line; what a person wrote behind it stays, and its indent with that. */
static struct span cut(const struct editor *e)
{
    struct span at = e->at;
    if (e->form == FORM_BRACES) {
        at.end = e->first && e->next ? e->next : at.end;
        return at;
    }
    bool whole = at.end == e->s.end || at.end[-1] == '\n';
    while (whole && at.p > e->start && strchr(" \t", at.p[-1])) {
        at.p--;
    }
    return at;
}

void ia_toml_edit(struct ia_str text, const char *key, const char *value, struct ia_buf *out)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* a byte order mark */
    size_t dot = strcspn(key, "."), bom = ia_str_starts(text, ia_str(mark)) ? strlen(mark) : 0;
    const char *p = text.n > 0 ? text.p : "";
    struct editor e = {.s = {p + bom, p + text.n},
                       .start = p + bom,
                       .section = {key, dot},
                       .name = ia_str(key + dot + 1)};
    struct ia_buf new = IA_BUF(out->max);
    struct span at = {e.s.end, e.s.end};
    find(&e);
    if (e.found && value) {
        at = e.value;
        ia_buf_puts(&new, value);
    } else if (e.found) {
        at = cut(&e);
    } else if (value) {
        at = add(&e, value, &new);
    }
    ia_buf_put(out, p, (size_t)(at.p - p));
    ia_buf_putstr(out, ia_buf_str(&new));
    ia_buf_put(out, at.end, (size_t)(p + text.n - at.end));
    ia_buf_fini(&new);
}
