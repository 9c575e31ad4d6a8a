/* png.c: writes a PNG without a library: one bit per pixel, stored without compression. */
#include "stub/png.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 65535 }; /* of a stored block */

struct out {
    uint8_t *p;
    size_t n;
};

static void put(struct out *o, const void *bytes, size_t n)
{
    memcpy(o->p + o->n, bytes, n);
    o->n += n;
}

static void put_u32(struct out *o, uint32_t v)
{
    uint8_t b[] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
    put(o, b, sizeof(b));
}

static uint32_t crc_of(const uint8_t *p, size_t n)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffffu;
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) {
            c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        }
        table[i] = c;
    }
    for (size_t i = 0; i < n; i++) {
        crc = table[(crc ^ p[i]) & 0xff] ^ (crc >> 8);
    }
    return ~crc;
}

/* Ends the chunk whose type and content begin at `from`: fills in its length and appends its
 * CRC. */
static void end_chunk(struct out *o, size_t from)
{
    put_u32(o, crc_of(o->p + from, o->n - from));
}

static void put_header(struct out *o, uint32_t width, uint32_t height)
{
    static const uint8_t form[] = {1, 0, 0, 0, 0}; /* one bit, grey */
    put_u32(o, 13);
    size_t from = o->n;
    put(o, "IHDR", 4);
    put_u32(o, width);
    put_u32(o, height);
    put(o, form, sizeof(form));
    end_chunk(o, from);
}

/* Each row is a filter byte 0 and white pixels. */
static uint8_t pixel_byte(size_t at, size_t row)
{
    return at % row == 0 ? 0 : 0xff;
}

static void put_data(struct out *o, size_t row, size_t size, size_t blocks)
{
    uint32_t a = 1, b = 0;
    put_u32(o, (uint32_t)(2 + blocks * 5 + size + 4));
    size_t from = o->n;
    put(o, "IDAT\x78\x01", 6);
    for (size_t at = 0; at < size;) {
        size_t n = size - at < BLOCK_MAX ? size - at : BLOCK_MAX;
        uint8_t head[] = {at + n == size, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n,
                          (uint8_t)(~n >> 8)};
        put(o, head, sizeof(head));
        for (size_t end = at + n; at < end; at++) {
            uint8_t byte = pixel_byte(at, row);
            o->p[o->n++] = byte;
            a = (a + byte) % 65521;
            b = (b + a) % 65521;
        }
    }
    put_u32(o, b << 16 | a);
    end_chunk(o, from);
}

uint8_t *stub_png(uint32_t width, uint32_t height, size_t *ret_size)
{
    size_t row = 1 + (width + 7) / 8;
    size_t size = row * height;
    size_t blocks = (size + BLOCK_MAX - 1) / BLOCK_MAX;
    struct out o = {malloc(100 + blocks * 5 + size), 0};
    if (o.p == NULL) {
        return NULL;
    }
    put(&o, "\x89PNG\r\n\x1a\n", 8);
    put_header(&o, width, height);
    put_data(&o, row, size, blocks);
    put_u32(&o, 0);
    size_t from = o.n;
    put(&o, "IEND", 4);
    end_chunk(&o, from);
    *ret_size = o.n;
    return o.p;
}
