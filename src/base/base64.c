/* base64.c: three bytes become four characters; "=" stands for each missing byte. */
#include "base/base64.h"

size_t ia_base64_encode(const void *bytes, size_t n, char *dst)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
