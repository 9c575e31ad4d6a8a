/* utf8.c: UTF-8 as RFC 3629 defines it: at most four bytes, no overlong forms, no surrogates. */
#include "base/utf8.h"

#include <string.h>

static bool continuation(const char *p, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)p[i] & 0xC0) != 0x80) {
            return false;
        }
    }
    return true;
}

static size_t sequence_len(unsigned char c)
{
    if (c < 0x80) {
        return 1;
    }
    if (c >= 0xC2 && c < 0xE0) {
        return 2;
    }
    if (c >= 0xE0 && c < 0xF0) {
        return 3;
    }
    return c >= 0xF0 && c < 0xF5 ? 4 : 0;
}

size_t ia_utf8_valid_len(const char *p, size_t n)
{
    size_t len = n ? sequence_len((unsigned char)p[0]) : 0;
    if (len == 0 || len > n || !continuation(p, len)) {
        return 0;
    }
    uint32_t cp = ia_utf8_decode(p, len);
    bool overlong = (len == 3 && cp < 0x800) || (len == 4 && cp < 0x10000);
    bool surrogate = cp >= 0xD800 && cp <= 0xDFFF;
    return overlong || surrogate || cp > 0x10FFFF ? 0 : len;
}

bool ia_utf8_printable(struct ia_str text, const char *controls)
{
    for (size_t i = 0; i < text.n;) {
        size_t len = ia_utf8_valid_len(text.p + i, text.n - i);
        unsigned char c = (unsigned char)text.p[i];
        bool control = c < 0x20 || c == 0x7F;
        if (len == 0 || (control && (c == 0 || !strchr(controls, c)))) {
            return false;
        }
        i += len;
    }
    return true;
}

size_t ia_utf8_cut(const char *s, size_t n)
{
    size_t back = 0;
    while (back < 3 && back < n && ((unsigned char)s[n - 1 - back] & 0xC0) == 0x80) {
        back++;
    }
    if (back == n) {
        return n;
    }
    size_t start = n - 1 - back;
    size_t len = sequence_len((unsigned char)s[start]);
    return len > back + 1 ? start : n;
}

uint32_t ia_utf8_decode(const char *p, size_t len)
{
    const unsigned char *u = (const unsigned char *)p;
    switch (len) {
    case 1:
        return u[0];
    case 2:
        return (uint32_t)(u[0] & 0x1F) << 6 | (u[1] & 0x3F);
    case 3:
        return (uint32_t)(u[0] & 0x0F) << 12 | (uint32_t)(u[1] & 0x3F) << 6 | (u[2] & 0x3F);
    default:
        return (uint32_t)(u[0] & 0x07) << 18 | (uint32_t)(u[1] & 0x3F) << 12 |
               (uint32_t)(u[2] & 0x3F) << 6 | (u[3] & 0x3F);
    }
}

size_t ia_utf8_encode(uint32_t cp, char dst[4])
{
    if (cp < 0x80) {
        dst[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        dst[0] = (char)(0xC0 | cp >> 6);
        dst[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        dst[0] = (char)(0xE0 | cp >> 12);
        dst[1] = (char)(0x80 | ((cp >> 6) & 0x3F));
        dst[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    dst[0] = (char)(0xF0 | cp >> 18);
    dst[1] = (char)(0x80 | ((cp >> 12) & 0x3F));
    dst[2] = (char)(0x80 | ((cp >> 6) & 0x3F));
    dst[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

int ia_utf8_count(struct ia_str text)
{
    int count = 0;
    for (size_t i = 0; i < text.n; count++) {
        size_t n = ia_utf8_valid_len(text.p + i, text.n - i);
        i += n > 0 ? n : 1;
    }
    return count;
}
