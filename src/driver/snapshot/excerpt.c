/* excerpt.c: what is kept of a text that is too long for its line.
 *
 *     Please bring the signed copies of the contract… 48,200 EUR … QX-77391 … 19:45 …
 *     └ its beginning ─────────────────────────────┘ └ what has a digit or an @ in the rest ┘
 *
 * Numbers, codes, prices, dates and addresses cannot be guessed from the beginning, and are what
 * goals ask for. A mark is a run of such characters; marks with a word or less between them are
 * one, as in "3 March 2024". No words of a language are known. */
#include "driver/snapshot/phrase.h"

#include "base/utf8.h"

#include <string.h>

/* Shares of the whole, and how much between two marks belongs to them. */
enum { MARKS_SHARE = 40, BETWEEN_BYTES_MAX = 14, WORD_BYTES_MAX = 24, UNIT_BYTES_MAX = 4 };

struct range {
    uint32_t first, last;
};

static bool within(uint32_t cp, const struct range *ranges, size_t n)
{
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        found = cp >= ranges[i].first && cp <= ranges[i].last;
    }
    return found;
}

/* Unicode 15: the decimal digits of ASCII, Arabic, Persian, Devanagari, Thai and full width. */
static bool digit(uint32_t cp)
{
    static const struct range digits[] = {{'0', '9'},     {0x660, 0x669}, {0x6F0, 0x6F9},
                                          {0x966, 0x96F}, {0xE50, 0xE59}, {0xFF10, 0xFF19}};
    return within(cp, digits, IA_COUNTOF(digits));
}

/* What a mark is made of: ASCII but for blanks and brackets, signs of money, degrees. */
static bool marking(uint32_t cp)
{
    static const struct range signs[] = {{'#', '\''},  {'*', ':'},   {'=', '='},
                                         {'@', 'Z'},   {'_', '_'},   {'a', 'z'},
                                         {0xA2, 0xA5}, {0xB0, 0xB1}, {0x20A0, 0x20CF}};
    return within(cp, signs, IA_COUNTOF(signs)) || digit(cp);
}

/* Ends a sentence rather than a number. */
static bool trails(char c)
{
    return strchr(".,:;*'-", c) != NULL;
}

static uint32_t at(const char *s, size_t n, size_t i, size_t *ret_len)
{
    size_t len = ia_utf8_valid_len(s + i, n - i);
    *ret_len = len ? len : 1;
    return len ? ia_utf8_decode(s + i, len) : 0;
}

/* The end of the run of marking characters at i; one other sign after a digit is its unit, as
 * in 19時45分. *ret_tells: it has a digit or an @. */
static size_t run_end(const char *s, size_t n, size_t i, bool *ret_tells)
{
    bool after_digit = false;
    *ret_tells = false;
    while (i < n) {
        size_t len = 0;
        uint32_t cp = at(s, n, i, &len);
        bool unit = after_digit && cp >= 0x3000;
        if (!marking(cp) && !unit) {
            break;
        }
        after_digit = digit(cp);
        *ret_tells |= after_digit || cp == '@';
        i += len;
    }
    return i;
}

/* Beyond the capitals that follow a number, as in 48,200 EUR. */
static size_t unit_end(const char *s, size_t n, size_t i)
{
    if (i == n || s[i] != ' ') {
        return i;
    }
    size_t k = i + 1;
    while (k < n && s[k] >= 'A' && s[k] <= 'Z') {
        k++;
    }
    bool word = k == n || !marking((unsigned char)s[k]);
    return k > i + 1 && k - i <= UNIT_BYTES_MAX && word ? k : i;
}

/* The next run that tells something, from i on. False when there is none. */
static bool next_mark(const char *s, size_t n, size_t i, size_t *ret_from, size_t *ret_to)
{
    while (i < n) {
        bool tells = false;
        size_t end = run_end(s, n, i, &tells);
        if (tells) {
            while (trails(s[end - 1])) {
                end--;
            }
            *ret_from = i;
            *ret_to = unit_end(s, n, end);
            return true;
        }
        size_t len = 0;
        (void)at(s, n, i, &len);
        i = end > i ? end : i + len;
    }
    return false;
}

/* Appends the marks of s beyond `from`, as many as fit into max bytes. */
static void put_marks(struct ia_buf *out, const char *s, size_t n, size_t from, size_t max)
{
    size_t start = out->len;
    size_t last = 0; /* where the mark before ended; 0: there is none */
    size_t a = 0;
    size_t b = 0;
    while (next_mark(s, n, from, &a, &b)) {
        bool joined = last > 0 && a - last <= BETWEEN_BYTES_MAX;
        size_t begin = joined ? last : a;
        const char *gap = joined ? "" : " ";
        if (out->len - start + strlen(gap) + (b - begin) + sizeof(" …") > max) {
            break;
        }
        ia_buf_puts(out, last > 0 && !joined ? " …" : "");
        ia_buf_puts(out, gap);
        ia_buf_put(out, s + begin, b - begin);
        last = from = b;
    }
    ia_buf_puts(out, last > 0 ? " …" : "");
}

/* At most n bytes of s, to the end of a word where one ends near. */
static size_t beginning(const char *s, size_t n)
{
    size_t cut = ia_utf8_cut(s, n);
    for (size_t i = cut; i > 0 && cut - i < WORD_BYTES_MAX; i--) {
        if (s[i] == ' ') {
            return i;
        }
    }
    return cut;
}

static size_t characters(const char *s)
{
    size_t count = 0;
    for (; *s; s++) {
        count += ((unsigned char)*s & 0xC0) != 0x80;
    }
    return count;
}

size_t ia_phrase_excerpt(struct ia_buf *out, const char *s, size_t max)
{
    size_t n = strlen(s);
    if (n <= max) {
        ia_buf_put(out, s, n);
        return 0;
    }
    size_t head = beginning(s, max);
    size_t a = 0;
    size_t b = 0;
    bool tells = next_mark(s, n, head, &a, &b);
    head = tells ? beginning(s, max - max * MARKS_SHARE / 100) : head;
    ia_buf_put(out, s, head);
    ia_buf_puts(out, "…");
    if (tells) {
        put_marks(out, s, n, head, max * MARKS_SHARE / 100);
    }
    return characters(s + head);
}
