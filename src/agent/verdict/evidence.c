/* evidence.c: quotes against the text form of a screen, line by line. What the form adds to
 * a line (ref, role, states) ends where text_start says; the rest is the screen's own.
 *
 * A quote proves something only if the app put it on the screen. So refs, roles and states,
 * which our own text form adds to each line, do not count, nor does what is only announced
 * as off the screen, and a hit has to cover IA_QUOTE_SIGNS_MIN letters or digits of the
 * screen's own text, or be the whole line. */
#include "agent/verdict/evidence.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096 };

static bool ascii_alnum(char c)
{
    return isalnum((unsigned char)c) != 0 && (unsigned char)c < 0x80;
}

/* A letter, digit or other sign of a script; punctuation and spaces are none. */
static bool is_sign(uint32_t cp)
{
    if (cp < 0x80) {
        return ascii_alnum((char)cp);
    }
    /* Ranges of Unicode blocks, not tables: what is misjudged only makes a quote longer or
     * shorter by a sign. */
    bool latin_punct = cp < 0xc0;
    bool general_punct = cp >= 0x2000 && cp <= 0x206f;
    bool cjk_punct = cp >= 0x3000 && cp <= 0x303f;
    return !latin_punct && !general_punct && !cjk_punct;
}

static size_t count_signs(struct ia_str s)
{
    size_t signs = 0;
    for (size_t i = 0; i < s.n;) {
        size_t n = ia_utf8_valid_len(s.p + i, s.n - i);
        signs += n > 0 && is_sign(ia_utf8_decode(s.p + i, n));
        i += n ? n : 1;
    }
    return signs;
}

/* One line with its white space folded, and where its own text begins. */
struct line {
    char text[LINE_MAX_BYTES];
    size_t n;
    size_t text_start; /* offset of the first byte that is the screen's; n when there is none */
};

static void fold(struct ia_str s, struct line *ret)
{
    ret->n = 0;
    bool gap = false;
    for (size_t i = 0; i < s.n && ret->n + 2 < LINE_MAX_BYTES; i++) {
        char c = s.p[i];
        if (c == ' ' || c == '\t' || c == '\r') {
            gap = ret->n > 0;
            continue;
        }
        if (gap) {
            ret->text[ret->n++] = ' ';
        }
        gap = false;
        ret->text[ret->n++] = c;
    }
    ret->text[ret->n] = '\0';
}

/* Takes a diff's mark off the front: "+ 12 text Ada" becomes "12 text Ada". */
static void drop_mark(struct line *l)
{
    if (l->n > 2 && strchr("+~", l->text[0]) && l->text[1] == ' ') {
        /* One byte more than the text that stays: its NUL. */
        memmove(l->text, l->text + 2, l->n - 1);
        l->n -= 2;
    }
}

/* The place after the first `what` at or behind from, or NULL. */
static const char *after(const char *from, const char *what)
{
    const char *at = from ? strstr(from, what) : NULL;
    return at ? at + strlen(what) : NULL;
}

/* The end of a developer's identifier, which nobody sees: where its value begins, or NULL. */
static const char *after_identifier(const char *at)
{
    bool quoted = at[1] == '"';
    for (at += 1 + quoted; quoted && *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
    }
    return after(at, " = ");
}

/* `ref role[:states] text…`, or the header `app WxH #hash: title`. What is only counted and
 * named as off the screen (`+23 below: names`) was not seen and proves nothing. */
static void find_text_start(struct line *l, bool header)
{
    const char *start = NULL;
    if (header) {
        start = after(after(l->text, " #"), ": ");
    } else if (l->text[0] != '+' && l->text[0] != '(') {
        const char *role = after(l->text, " ");
        bool keys = role && strncmp(role, "keyboard", 8) == 0;
        start = keys ? NULL : after(role, " ");
        start = start && *start == '#' ? after_identifier(start) : start;
    }
    l->text_start = start ? (size_t)(start - l->text) : l->n;
}

static bool boundary_at(const struct line *l, size_t at)
{
    return at == 0 || at >= l->n || !ascii_alnum(l->text[at - 1]) || !ascii_alnum(l->text[at]);
}

/* Whether the quote's hit at `at` covers enough of the line's own text. */
static bool covers(const struct line *l, size_t at, size_t n)
{
    size_t from = at > l->text_start ? at : l->text_start;
    if (at + n <= from) {
        return false;
    }
    size_t signs = count_signs((struct ia_str){l->text + from, at + n - from});
    bool whole = from == l->text_start && at + n == l->n && at < l->text_start;
    return signs >= IA_QUOTE_SIGNS_MIN || (whole && signs > 0);
}

static bool line_has(const struct line *l, const struct line *quote)
{
    const char *hit = l->text;
    while ((hit = strstr(hit, quote->text)) != NULL) {
        size_t at = (size_t)(hit - l->text);
        if (boundary_at(l, at) && boundary_at(l, at + quote->n) && covers(l, at, quote->n)) {
            return true;
        }
        /* Another place on the line may have its boundaries right. */
        hit++;
    }
    return false;
}

static bool screen_has(struct ia_str screen, const struct line *quote)
{
    struct ia_str raw;
    /* The first line is the header, which has another form. */
    bool header = true;
    while (ia_str_line(&screen, &raw)) {
        struct line l;
        fold(raw, &l);
        find_text_start(&l, header);
        header = false;
        if (line_has(&l, quote)) {
            return true;
        }
    }
    return false;
}

bool ia_evidence_trivial(struct ia_str quote)
{
    return count_signs(quote) < IA_QUOTE_SIGNS_MIN;
}

bool ia_evidence_shown(struct ia_str quote, struct ia_str screen)
{
    /* A NUL would end the comparison early. */
    if (ia_evidence_trivial(quote) || memchr(quote.p, '\0', quote.n)) {
        return false;
    }
    int lines = 0;
    struct ia_str raw;
    while (ia_str_line(&quote, &raw)) {
        struct line l;
        fold(raw, &l);
        drop_mark(&l);
        if (l.n == 0) {
            continue;
        }
        if (++lines > IA_QUOTE_LINES_MAX || !screen_has(screen, &l)) {
            return false;
        }
    }
    return lines > 0;
}
