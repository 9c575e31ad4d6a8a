/* base64.c: three bytes become four characters; "=" stands for each missing byte. */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t ia_base64_encode(const void *bytes, size_t n, char *dst)
{
    const unsigned char *p = bytes;
    size_t len = 0;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned b1 = left > 1 ? p[i + 1] : 0U;
        unsigned b2 = left > 2 ? p[i + 2] : 0U;
        unsigned v = (unsigned)p[i] << 16 | b1 << 8 | b2;
        dst[len++] = digits[v >> 18];
        dst[len++] = digits[(v >> 12) & 63];
        dst[len++] = left > 1 ? digits[(v >> 6) & 63] : '=';
        dst[len++] = left > 2 ? digits[v & 63] : '=';
    }
    return len;
}

/* The value of each digit, and NONE for all else. */
enum { NONE = 0xff };
static void fill_values(unsigned char values[256])
{
    memset(values, NONE, 256);
    for (unsigned char i = 0; i < 64; i++) {
        values[(unsigned char)digits[i]] = i;
    }
}

bool ia_base64_decode(struct ia_str text, struct ia_buf *out)
{
    unsigned char values[256];
    unsigned v = 0, count = 0, pad = 0;
    fill_values(values);
    char *to = ia_buf_reserve(out, text.n / 4 * 3 + 3);
    size_t n = 0;
    for (size_t i = 0; to && i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (strchr(" \r\n\t", c) && c != '\0') {
            continue;
        }
        pad += c == '=';
        if (c != '=' && (values[c] == NONE || pad > 0)) {
            return false;
        }
        v = v << 6 | (c == '=' ? 0U : values[c]);
        if (++count % 4 == 0) {
            to[n++] = (char)(v >> 16);
            to[n++] = (char)(v >> 8);
            to[n++] = (char)v;
            v = 0;
        }
    }
    if (!to || count % 4 != 0 || pad > 2) {
        return false;
    }
    ia_buf_grew(out, n - pad);
    return true;
}
