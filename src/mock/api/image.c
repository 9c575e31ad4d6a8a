/* image.c: base64 without a decoder's buffer for all of it: the text is checked as a whole, its
 * first 4 KB are decoded, and four formats are known by their magic bytes and headers. */
#include "mock/api/image.h"

#include <math.h>
#include <string.h>

enum { HEAD_BYTES = 4096, PATCH_PX = 28 };

static int digit(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool valid(struct ia_str s)
{
    if (s.n == 0 || s.n % 4 != 0) {
        return false;
    }
    size_t n = s.n;
    n -= s.p[n - 1] == '=';
    n -= s.p[n - 1] == '=';
    for (size_t i = 0; i < n; i++) {
        if (digit((unsigned char)s.p[i]) < 0) {
            return false;
        }
    }
    return true;
}

/* Decodes at most max bytes from the front; s is valid. */
static size_t decode_head(struct ia_str s, unsigned char *dst, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i + 4 <= s.n && n + 3 <= max; i += 4) {
        unsigned v = 0;
        size_t got = 3;
        for (size_t k = 0; k < 4; k++) {
            int d = digit((unsigned char)s.p[i + k]);
            got -= d < 0;
            v = v << 6 | (unsigned)(d < 0 ? 0 : d);
        }
        for (size_t k = 0; k < got; k++) {
            dst[n++] = (unsigned char)(v >> (16 - 8 * k));
        }
    }
    return n;
}

static int be16(const unsigned char *p)
{
    return p[0] << 8 | p[1];
}

static int le16(const unsigned char *p)
{
    return p[1] << 8 | p[0];
}

static int be32(const unsigned char *p)
{
    uint32_t v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return v > INT32_MAX ? INT32_MAX : (int)v;
}

static void read_png(const unsigned char *p, size_t n, struct ia_mock_image *ret)
{
    if (n >= 24) {
        ret->width_px = be32(p + 16);
        ret->height_px = be32(p + 20);
    }
}

static void read_gif(const unsigned char *p, size_t n, struct ia_mock_image *ret)
{
    if (n >= 10) {
        ret->width_px = le16(p + 6);
        ret->height_px = le16(p + 8);
    }
}

/* The size stands in the first start-of-frame segment (ITU-T T.81, B.2.2). */
static void read_jpeg(const unsigned char *p, size_t n, struct ia_mock_image *ret)
{
    for (size_t i = 2; i + 9 <= n && p[i] == 0xff; i += 2 + (size_t)be16(p + i + 2)) {
        unsigned m = p[i + 1];
        if (m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc) {
            ret->height_px = be16(p + i + 5);
            ret->width_px = be16(p + i + 7);
            return;
        }
    }
}

/* Lossy, lossless and extended headers (WebP container specification). */
static void read_webp(const unsigned char *p, size_t n, struct ia_mock_image *ret)
{
    if (n < 30) {
        return;
    }
    if (memcmp(p + 12, "VP8 ", 4) == 0) {
        ret->width_px = le16(p + 26) & 0x3fff;
        ret->height_px = le16(p + 28) & 0x3fff;
    } else if (memcmp(p + 12, "VP8L", 4) == 0) {
        ret->width_px = ((p[22] & 0x3f) << 8 | p[21]) + 1;
        ret->height_px = ((p[24] & 0x0f) << 10 | p[23] << 2 | p[22] >> 6) + 1;
    } else {
        ret->width_px = (p[26] << 16 | p[25] << 8 | p[24]) + 1;
        ret->height_px = (p[29] << 16 | p[28] << 8 | p[27]) + 1;
    }
}

static const struct format {
    const char *media_type;
    size_t at;
    const char *magic;
    size_t magic_bytes;
    void (*read)(const unsigned char *p, size_t n, struct ia_mock_image *ret);
} formats[] = {
    {"image/png", 0, "\x89PNG\r\n\x1a\n", 8, read_png},
    {"image/jpeg", 0, "\xff\xd8\xff", 3, read_jpeg},
    {"image/gif", 0, "GIF8", 4, read_gif},
    {"image/webp", 8, "WEBP", 4, read_webp},
};

bool ia_mock_image_read(struct ia_str base64, struct ia_mock_image *ret)
{
    unsigned char head[HEAD_BYTES];
    *ret = (struct ia_mock_image){0};
    if (!valid(base64)) {
        return false;
    }
    size_t n = decode_head(base64, head, sizeof(head));
    for (size_t i = 0; i < IA_COUNTOF(formats); i++) {
        const struct format *f = &formats[i];
        if (n >= f->at + f->magic_bytes &&
            memcmp(head + f->at, f->magic, f->magic_bytes) == 0) {
            ret->media_type = f->media_type;
            f->read(head, n, ret);
        }
    }
    return true;
}

static double patches(double px)
{
    return ceil(px / PATCH_PX);
}

static bool fits(double w, double h, double edge, double tokens)
{
    return patches(w) * PATCH_PX <= edge && patches(h) * PATCH_PX <= edge &&
           patches(w) * patches(h) <= tokens;
}

int64_t ia_mock_image_tokens(int width_px, int height_px, bool high_res)
{
    double edge = high_res ? 2576 : 1568;
    double limit = high_res ? 4784 : 1568;
    double w = width_px > height_px ? width_px : height_px;
    double h = width_px > height_px ? height_px : width_px;
    if (h < 1) {
        return 0;
    }
    if (!fits(w, h, edge, limit)) {
        double aspect = w / h;
        double lo = 1;
        /* The largest width at which the picture, scaled down as the service does it, fits. */
        for (double hi = w; lo + 1 < hi;) {
            double mid = floor((lo + hi) / 2);
            bool ok = fits(mid, fmax(rint(mid / aspect), 1), edge, limit);
            lo = ok ? mid : lo;
            hi = ok ? hi : mid;
        }
        w = lo;
        h = fmax(rint(lo / aspect), 1);
    }
    return (int64_t)(patches(w) * patches(h));
}
