/* wrap.c: breaks lines at blanks, by columns of the terminal.
 *
 * A label is what stands before the first two blanks in a row, as in "goal    open Contacts" or
 * "ios-agent: …" has none. */
#include "cli/view/wrap.h"

#include "base/columns.h"
#include "base/term.h"
#include "base/utf8.h"

#include <string.h>

enum { LABEL_COLUMNS_MAX = 24, ROOM_MIN = 16 };

/* As ia_columns, without the sequences that change colours ("ESC [ … m"). */
static size_t columns_of(struct ia_str s)
{
    size_t columns = ia_columns(s);
    for (size_t i = 0; i + 1 < s.n; i++) {
        if (s.p[i] == '\x1b' && s.p[i + 1] == '[') {
            const char *end = memchr(s.p + i, 'm', s.n - i);
            size_t n = end ? (size_t)(end - s.p) - i + 1 : 0;
            columns -= n;
        }
    }
    return columns;
}

size_t ia_wrap_width(int fd)
{
    return ia_term_is(fd) ? (size_t)ia_term_width(fd) : 0;
}

static bool is_wide(struct ia_str s, size_t len)
{
    return len > 1 && ia_columns((struct ia_str){s.p, len}) == 2;
}

/* Stands at no beginning of a line (the commonest of them; JIS X 4051). */
static bool closes(struct ia_str s, size_t len)
{
    static const char *const marks[] = {"、", "。", "，", "．", "！",
                                        "？", "」", "』", "）", "ー"};
    for (size_t i = 0; i < IA_COUNTOF(marks); i++) {
        if (len == strlen(marks[i]) && memcmp(s.p, marks[i], len) == 0) {
            return true;
        }
    }
    return false;
}

/* What stays together: up to a blank; wide characters stand alone, as their scripts break between
 * any two of them. */
static size_t word_bytes(struct ia_str text)
{
    size_t n = 0;
    bool wide = false;
    while (n < text.n && text.p[n] != ' ') {
        struct ia_str rest = {text.p + n, text.n - n};
        size_t len = ia_utf8_valid_len(rest.p, rest.n);
        len += len == 0;
        bool joined = ia_columns((struct ia_str){rest.p, len}) == 0 || closes(rest, len);
        if (n > 0 && !joined && (wide || is_wide(rest, len))) {
            break;
        }
        wide = is_wide(rest, len);
        n += len;
    }
    return n;
}

void ia_wrap(struct ia_buf *out, struct ia_str text, size_t width, size_t at, size_t indent)
{
    size_t blanks = 0;
    bool begun = false;
    while (text.n > 0) {
        size_t n = word_bytes(text);
        size_t word = columns_of((struct ia_str){text.p, n});
        /* What is wider than a line, a path, say, gains nothing from one of its own. */
        bool fits = at + blanks + word <= width || indent + word > width;
        if (n > 0 && begun && width > 0 && !fits) {
            ia_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
            blanks = 0;
        }
        if (n > 0) {
            ia_buf_printf(out, "%*s%.*s", (int)blanks, "", (int)n, text.p);
            at += blanks + word;
            blanks = 0;
            begun = true;
        }
        bool blank = n < text.n && text.p[n] == ' ';
        blanks += blank;
        n += blank;
        text.p += n;
        text.n -= n;
    }
}

/* Where what follows a line stands: behind its labels, else behind its indent. */
static size_t hanging(struct ia_str line, size_t width)
{
    size_t from = 0;
    while (from < line.n && line.p[from] == ' ') {
        from++;
    }
    size_t indent = from;
    for (size_t i = from; i + 1 < line.n && i < LABEL_COLUMNS_MAX; i++) {
        if (line.p[i] == ' ' && line.p[i + 1] == ' ') {
            while (i < line.n && line.p[i] == ' ') {
                i++;
            }
            from = i;
        }
    }
    size_t columns = columns_of((struct ia_str){line.p, from});
    return columns + ROOM_MIN <= width ? columns : indent;
}

void ia_wrap_lines(struct ia_buf *out, struct ia_str lines, size_t width)
{
    while (lines.n > 0) {
        const char *end = memchr(lines.p, '\n', lines.n);
        struct ia_str line = {lines.p, end ? (size_t)(end - lines.p) : lines.n};
        if (width == 0 || columns_of(line) <= width) {
            ia_buf_putstr(out, line);
        } else {
            ia_wrap(out, line, width, 0, hanging(line, width));
        }
        if (end) {
            ia_buf_putc(out, '\n');
        }
        lines.p += line.n + (end ? 1 : 0);
        lines.n -= line.n + (end ? 1 : 0);
    }
}

void ia_wrap_prose(struct ia_buf *out, const char *text, size_t width)
{
    struct ia_buf paragraph = IA_BUF(64 << 10);
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        bool prose = n > 0 && text[0] != ' ';
        if (!prose && paragraph.len > 0) {
            ia_wrap(out, ia_buf_str(&paragraph), width, 0, 0);
            ia_buf_putc(out, '\n');
            ia_buf_reset(&paragraph);
        }
        if (prose) {
            ia_buf_printf(&paragraph, "%s%.*s", paragraph.len > 0 ? " " : "", (int)n, text);
        } else {
            ia_wrap_lines(out, (struct ia_str){text, n}, width);
            ia_buf_putc(out, '\n');
        }
        text += n + (text[n] == '\n');
    }
    if (paragraph.len > 0) {
        ia_wrap(out, ia_buf_str(&paragraph), width, 0, 0);
        ia_buf_putc(out, '\n');
    }
    ia_buf_fini(&paragraph);
}
