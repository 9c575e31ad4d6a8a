/* phrase.c: screen text made safe to stand in one line, and compared.
 *
 * What an app shows is not trusted: it must not be able to look like another line of the text
 * form, hide a part of itself, or turn the direction of what follows. So a text is folded once,
 * when an item is read, and every later pass sees phrases only. */
#include "driver/snapshot/phrase.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <string.h>

enum kind { KEEP, SPACE, DROP };

struct span {
    uint32_t first, last;
};

static bool in_spans(uint32_t cp, const struct span *spans, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (cp >= spans[i].first && cp <= spans[i].last) {
            return true;
        }
    }
    return false;
}

/* Unicode 15: White_Space and line separators; then the characters that show nothing but change
 * direction or hide text. The joiners U+200C and U+200D stay: scripts and emoji need them. */
static enum kind kind_of(uint32_t cp)
{
    static const struct span spaces[] = {{0x00, 0x20},     {0x7F, 0xA0},     {0x1680, 0x1680},
                                         {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                         {0x205F, 0x205F}, {0x3000, 0x3000}};
    static const struct span hidden[] = {{0xAD, 0xAD},      {0x61C, 0x61C},   {0x180E, 0x180E},
                                         {0x200B, 0x200B},  {0x200E, 0x200F}, {0x202A, 0x202E},
                                         {0x2060, 0x206F},  {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
                                         {0xE0000, 0xE0FFF}};
    if (in_spans(cp, spaces, IA_COUNTOF(spaces))) {
        return SPACE;
    }
    return in_spans(cp, hidden, IA_COUNTOF(hidden)) ? DROP : KEEP;
}

/* The kind of the character at s and, in *ret_len, its bytes. A bad byte is dropped. */
static enum kind char_at(const char *s, size_t n, size_t *ret_len)
{
    unsigned char c = (unsigned char)*s;
    if (c < 0x80) {
        *ret_len = 1;
        return c <= 0x20 || c == 0x7F ? SPACE : KEEP;
    }
    size_t len = ia_utf8_valid_len(s, n);
    *ret_len = len ? len : 1;
    return len ? kind_of(ia_utf8_decode(s, len)) : DROP;
}

/* Writes the folded form to dst, which has room for n bytes, and returns its length. */
static size_t fold(char *dst, const char *s, size_t n)
{
    size_t out = 0;
    bool gap = false;
    for (size_t i = 0; i < n;) {
        size_t len = 0;
        enum kind k = char_at(s + i, n - i, &len);
        if (k == KEEP) {
            /* Written before the next character only, so that neither end of a phrase is
             * blank. */
            if (gap && out > 0) {
                dst[out++] = ' ';
            }
            gap = false;
            memcpy(dst + out, s + i, len);
            out += len;
        }
        gap |= k == SPACE;
        i += len;
    }
    return out;
}

/* Most texts are words of ASCII with single spaces between them, and are their own folded form. */
static bool is_folded(const char *s, size_t n)
{
    unsigned char before = ' ';
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((unsigned char)(c - ' ') >= 0x7F - ' ' || (c == ' ' && before == ' ')) {
            return false;
        }
        before = c;
    }
    return before != ' ';
}

const char *ia_phrase_fold(struct ia_arena *a, const char *s)
{
    if (!s || !*s) {
        return NULL;
    }
    size_t n = strlen(s);
    if (is_folded(s, n)) {
        return ia_arena_str(a, s, n);
    }
    char *dst = ia_arena_get(a, n + 1, 1);
    return fold(dst, s, n) ? dst : NULL;
}

void ia_phrase_fold_to(struct ia_buf *out, const char *s, size_t n)
{
    char *dst = n ? ia_buf_reserve(out, n) : NULL;
    if (dst) {
        ia_buf_grew(out, fold(dst, s, n));
    }
}

/* True when a word of s is just "=". */
static bool has_equals_word(const char *s)
{
    for (const char *p = strchr(s, '='); p; p = strchr(p + 1, '=')) {
        bool begins = p == s || p[-1] == ' ';
        if (begins && (p[1] == '\0' || p[1] == ' ')) {
            return true;
        }
    }
    return false;
}

static bool needs_quotes(const char *s, enum ia_phrase_where where)
{
    if (*s == '"' || *s == '\0') {
        return true;
    }
    switch (where) {
    case IA_PHRASE_LABEL:
        return *s == '#' || has_equals_word(s);
    case IA_PHRASE_NAME:
        return strchr(s, ',') || (*s >= '0' && *s <= '9');
    case IA_PHRASE_WORD:
        return strpbrk(s, " :\"") != NULL;
    case IA_PHRASE_VALUE:
        break;
    }
    return false;
}

static void write_quoted(struct ia_buf *out, const char *s, size_t n)
{
    ia_buf_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"' || s[i] == '\\') {
            ia_buf_putc(out, '\\');
        }
        ia_buf_putc(out, s[i]);
    }
}

void ia_phrase_write(struct ia_buf *out, const char *s, enum ia_phrase_where where, size_t max)
{
    size_t len = strlen(s);
    size_t n = len > max ? ia_utf8_cut(s, max) : len;
    bool quoted = needs_quotes(s, where);
    if (quoted) {
        write_quoted(out, s, n);
    } else {
        ia_buf_put(out, s, n);
    }
    if (n < len) {
        ia_buf_puts(out, "…");
    }
    if (quoted) {
        ia_buf_putc(out, '"');
    }
}

/* Letters, digits and everything beyond ASCII make words; the rest parts them. */
static bool word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool ia_phrase_has(const char *text, const char *part)
{
    if (!part || !*part) {
        return true;
    }
    size_t n = strlen(part);
    int tries = 8; /* bounds the time on hostile text */
    for (const char *p = text ? strstr(text, part) : NULL; p && tries > 0;
         p = strstr(p + 1, part), tries--) {
        bool begins = p == text || !word_byte(p[-1]) || !word_byte(p[0]);
        if (begins && (!word_byte(p[n]) || !word_byte(p[n - 1]))) {
            return true;
        }
    }
    return false;
}

bool ia_phrase_ends(const char *text, const char *part)
{
    size_t n = text ? strlen(text) : 0;
    size_t m = part ? strlen(part) : 0;
    if (m == 0 || m > n || memcmp(text + n - m, part, m) != 0) {
        return false;
    }
    return m == n || !word_byte(text[n - m - 1]) || !word_byte(*part);
}

/* True for a code point that belongs to the character before it: variation selectors, skin
 * tones, combining marks, joiners. */
static bool extends(uint32_t cp)
{
    static const struct span spans[] = {{0x300, 0x36F},   {0x200C, 0x200D}, {0x20D0, 0x20FF},
                                        {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0x1F3FB, 0x1F3FF}};
    return in_spans(cp, spans, IA_COUNTOF(spans));
}

static bool regional(uint32_t cp)
{
    return cp >= 0x1F1E6 && cp <= 0x1F1FF;
}

bool ia_phrase_single(const char *s)
{
    uint32_t before = 0;
    size_t count = 0;
    for (size_t i = 0, n = strlen(s); i < n && count < 2;) {
        size_t len = ia_utf8_valid_len(s + i, n - i);
        uint32_t cp = len ? ia_utf8_decode(s + i, len) : 0;
        bool joined = extends(cp) || before == 0x200D || (regional(cp) && regional(before));
        count += !joined;
        before = cp;
        i += len ? len : 1;
    }
    return count == 1;
}

/* Unicode 15: the blocks of Hebrew, Arabic and the scripts beside them, and their forms. */
bool ia_phrase_rtl(const char *s)
{
    static const struct span spans[] = {
        {0x590, 0x8FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFE}, {0x10800, 0x10FFF}};
    for (size_t i = 0, n = strlen(s); i < n;) {
        size_t len = ia_utf8_valid_len(s + i, n - i);
        uint32_t cp = len ? ia_utf8_decode(s + i, len) : 0;
        if (cp >= 0xC0 || (cp >= 'A' && cp <= 'Z') || (cp >= 'a' && cp <= 'z')) {
            return in_spans(cp, spans, IA_COUNTOF(spans));
        }
        i += len ? len : 1;
    }
    return false;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

uint64_t ia_phrase_hash(uint64_t h, const char *s)
{
    char piece[64];
    size_t n = 0;
    for (; s && *s; s++) {
        bool run = digit(*s) && n > 0 && piece[n - 1] == '0' && digit(s[-1]);
        if (!run) {
            piece[n++] = digit(*s) ? '0' : *s;
        }
        if (n == sizeof(piece)) {
            h = ia_hash(h, piece, n - 1);
            piece[0] = piece[n - 1];
            n = 1;
        }
    }
    return ia_hash(h, piece, n);
}

static const char *skip_digits(const char *s)
{
    while (digit(*s)) {
        s++;
    }
    return s;
}

bool ia_phrase_alike(const char *a, const char *b)
{
    if (!a || !b) {
        return a == b;
    }
    while (*a && *b) {
        if (digit(*a) && digit(*b)) {
            a = skip_digits(a);
            b = skip_digits(b);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}
