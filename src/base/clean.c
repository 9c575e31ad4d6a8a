/* clean.c: makes text harmless, character by character.
 *
 * An ASCII control character becomes its picture (U+2400 and following). What is not UTF-8, and
 * what is invisible or could reorder the text around it, becomes U+FFFD. A colon or a number sign that
 * a CI job's log would take for the beginning of a command becomes one that looks alike. A view may
 * wrap lines at blanks, so the beginning of a word counts as that of a line. */
#include "base/clean.h"

#include "base/columns.h"
#include "base/utf8.h"

#include <string.h>

static bool is_hidden(uint32_t cp)
{
    return (cp >= 0x80 && cp <= 0x9F) ||       /* C1: CSI, OSC and the like in one byte */
           (cp >= 0x200B && cp <= 0x200F) ||   /* zero width, left-to-right and back marks */
           (cp >= 0x2028 && cp <= 0x202E) ||   /* separators, embeddings, overrides */
           (cp >= 0x2066 && cp <= 0x2069) ||   /* isolates */
           (cp >= 0xE0000 && cp <= 0xE0FFF) || /* tags: a text that only programs read */
           cp == 0xFEFF;
}

static void put_code_point(struct ia_buf *out, uint32_t cp)
{
    char bytes[4];
    ia_buf_put(out, bytes, ia_utf8_encode(cp, bytes));
}

/* What .NET trims before the GitHub runner looks for a command (Char.IsWhiteSpace). */
static bool is_blank(uint32_t cp)
{
    return cp <= 0x20 || cp == 0x85 || cp == 0xA0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 || cp == 0x202F ||
           cp == 0x205F || cp == 0x3000;
}

/* Whether s begins with the word; with `part`, also where s ends before the word does. */
static bool begins(struct ia_str s, const char *word, bool part)
{
    size_t n = strlen(word);
    return ia_str_starts(s, ia_str(word)) || (part && s.n < n && memcmp(s.p, word, s.n) == 0);
}

/* What to write in place of the first character of a command, or 0. Beginnings of commands are in
 * ActionCommand.cs of github.com/actions/runner and in "Logging commands" of Azure Pipelines. */
static uint32_t instead(struct ia_str s, bool word, enum ia_clean mode)
{
    bool part = mode == IA_CLEAN_PART;
    if (word && begins(s, "::", part)) {
        return 0x2236; /* RATIO */
    }
    bool command = begins(s, "##[", part) || begins(s, "##vso[", part);
    return command ? 0x266F : 0; /* MUSIC SHARP SIGN */
}

static void put_control(struct ia_buf *out, unsigned char c, enum ia_clean mode)
{
    bool white = c == '\n' || c == '\t' || c == '\r';
    if (!white) {
        put_code_point(out, c == 0x7F ? 0x2421u : 0x2400u + c);
    } else if (mode == IA_CLEAN_LINE || c == '\r') {
        ia_buf_putc(out, ' ');
    } else {
        ia_buf_putc(out, (char)c);
    }
}

/* Appends the character at s.p and returns how many bytes it took. *word: whether a word begins
 * there, and then whether one does behind it. */
static size_t put_char(struct ia_buf *out, struct ia_str s, enum ia_clean mode, bool *word)
{
    unsigned char c = (unsigned char)s.p[0];
    uint32_t other = instead(s, *word, mode);
    *word = c <= 0x20;
    if (other) {
        put_code_point(out, other);
        return 1;
    }
    if (c < 0x20 || c == 0x7F) {
        put_control(out, c, mode);
        return 1;
    }
    if (c < 0x80) {
        ia_buf_putc(out, (char)c);
        return 1;
    }
    size_t len = ia_utf8_valid_len(s.p, s.n);
    *word = len > 0 && is_blank(ia_utf8_decode(s.p, len));
    if (len == 0 || is_hidden(ia_utf8_decode(s.p, len))) {
        put_code_point(out, 0xFFFD);
        return len == 0 ? 1 : len;
    }
    ia_buf_put(out, s.p, len);
    return len;
}

void ia_clean(struct ia_buf *out, struct ia_str s, enum ia_clean mode)
{
    bool word = true;
    while (s.n > 0) {
        size_t used = put_char(out, s, mode, &word);
        s.p += used;
        s.n -= used;
    }
}

void ia_clean_cut(struct ia_buf *out, struct ia_str s, size_t columns)
{
    bool word = true;
    size_t used = 0;
    size_t room = out->len; /* up to here there is a column left for the ellipsis */
    while (s.n > 0) {
        size_t from = out->len;
        size_t n = put_char(out, s, IA_CLEAN_LINE, &word);
        used += ia_columns((struct ia_str){out->p + from, out->len - from});
        if (used > columns) {
            ia_buf_cut(out, room);
            ia_buf_puts(out, "…");
            return;
        }
        room = used < columns ? out->len : room;
        s.p += n;
        s.n -= n;
    }
}

/* As two surrogates beyond U+FFFF (RFC 8259, section 7). */
static void put_escaped(struct ia_buf *out, uint32_t cp)
{
    uint32_t above = cp - 0x10000;
    if (cp > 0xFFFF) {
        ia_buf_printf(out, "\\u%04x\\u%04x", 0xD800u + (above >> 10),
                      0xDC00u + (above & 0x3FF));
    } else {
        ia_buf_printf(out, "\\u%04x", (unsigned)cp);
    }
}

void ia_clean_json(struct ia_buf *out, struct ia_str json)
{
    size_t from = 0;
    for (size_t i = 0; i < json.n;) {
        unsigned char c = (unsigned char)json.p[i];
        if (c < 0x7F && c != '#') { /* nearly all of it */
            i++;
            continue;
        }
        size_t len = c < 0x80 ? 1 : ia_utf8_valid_len(json.p + i, json.n - i);
        uint32_t cp = len > 0 ? ia_utf8_decode(json.p + i, len) : 0;
        bool command =
            instead((struct ia_str){json.p + i, json.n - i}, false, IA_CLEAN_TEXT) != 0;
        if (cp == 0x7F || command || is_hidden(cp)) {
            ia_buf_put(out, json.p + from, i - from);
            put_escaped(out, cp);
            from = i + len;
        }
        i += len > 0 ? len : 1;
    }
    ia_buf_put(out, json.p + from, json.n - from);
}
