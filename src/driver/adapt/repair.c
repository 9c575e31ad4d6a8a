/* repair.c: one broken character must not cost a whole screen.
 *
 * Runs only on a document that its parser refused. What no text can hold becomes U+FFFD: bytes
 * that are not UTF-8, control characters, and escapes that name half of a surrogate pair or no
 * character of XML. All else stays byte for byte, so a document that is broken in another way is
 * refused again, for its own reason. */
#include "driver/adapt/impl.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD"

struct repair {
    struct ia_str in;
    struct ia_buf *out;
    size_t at;
    size_t count;
    bool json, in_string;
};

static void keep(struct repair *r, size_t n)
{
    ia_buf_put(r->out, r->in.p + r->at, n);
    r->at += n;
}

static void replace(struct repair *r, const char *with, size_t n)
{
    ia_buf_puts(r->out, with);
    r->at += n;
    r->count++;
}

/* The four digits after \u at i, or -1. */
static long unit_at(const struct repair *r, size_t i)
{
    char digits[5] = "";
    if (i + 6 > r->in.n || r->in.p[i] != '\\' || r->in.p[i + 1] != 'u') {
        return -1;
    }
    memcpy(digits, r->in.p + i + 2, 4);
    bool hex = strspn(digits, "0123456789abcdefABCDEF") == 4;
    return hex ? strtol(digits, NULL, 16) : -1;
}

static bool between(long v, long first, long last)
{
    return v >= first && v <= last;
}

static void json_escape(struct repair *r)
{
    long unit = unit_at(r, r->at);
    bool pair = between(unit, 0xD800, 0xDBFF) && between(unit_at(r, r->at + 6), 0xDC00, 0xDFFF);
    if (between(unit, 0xD800, 0xDFFF) && !pair) {
        replace(r, "\\uFFFD", 6);
        return;
    }
    size_t n = pair ? 12 : 2;
    keep(r, n < r->in.n - r->at ? n : r->in.n - r->at);
}

/* &#55357; or &#xD83D;, of which XML has no such character. */
static void xml_reference(struct repair *r)
{
    const char *p = r->in.p + r->at;
    size_t n = r->in.n - r->at;
    const char *end = n > 3 && p[1] == '#' ? memchr(p, ';', n < 12 ? n : 12) : NULL;
    char digits[12] = "";
    if (end) {
        memcpy(digits, p + 2, (size_t)(end - p) - 2);
    }
    long cp = *digits == 'x' ? strtol(digits + 1, NULL, 16) : strtol(digits, NULL, 10);
    bool white = cp == 9 || cp == 10 || cp == 13;
    if (end && ((cp < 0x20 && !white) || between(cp, 0xD800, 0xDFFF) || cp > 0x10FFFF ||
                between(cp, 0xFFFE, 0xFFFF))) {
        replace(r, REPLACEMENT, (size_t)(end - p) + 1);
    } else {
        keep(r, 1);
    }
}

static void next(struct repair *r)
{
    const char *p = r->in.p + r->at;
    unsigned char c = (unsigned char)*p;
    bool white = c == '\t' || c == '\n' || c == '\r';
    size_t len = ia_utf8_valid_len(p, r->in.n - r->at);
    if (len == 0 || (c < 0x20 && (!white || r->in_string))) {
        replace(r, REPLACEMENT, 1);
    } else if (r->json && c == '\\') {
        json_escape(r);
    } else if (!r->json && c == '&') {
        xml_reference(r);
    } else {
        r->in_string ^= r->json && c == '"';
        keep(r, len);
    }
}

size_t ia_adapt_repair(struct ia_str bytes, bool json, struct ia_buf *out)
{
    struct repair r = {.in = bytes, .out = out, .json = json};
    while (r.at < bytes.n) {
        next(&r);
    }
    return ia_buf_ok(out) ? r.count : 0;
}
