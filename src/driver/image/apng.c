/* apng.c: PNGs put behind each other.
 *
 *     signature  IHDR  acTL  fcTL IDAT…  fcTL fdAT…  fcTL fdAT…  IEND
 *                       │     └ first picture  └ further ones: fdAT is an IDAT behind a number
 *                       └ how many pictures: written over when the film ends
 *
 * A picture waits in memory until the next one comes, since its fcTL says how long it was shown.
 * Source: PNG specification, third edition, sections 11.3.6 (chunks) and 5.5 (CRC). */
#include "driver/image/apng.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNATURE = 8, CHUNK = 12, IHDR_BYTES = 13, ACTL_AT = SIGNATURE + CHUNK + IHDR_BYTES };
#define PICTURE_BYTES_MAX ((size_t)64 << 20)

struct ia_apng {
    int fd;
    char *path, *part;
    struct ia_buf shown;       /* the picture on the screen, not yet written; empty: none */
    int64_t from_ms, shown_ms; /* when the film and when that picture began */
    uint8_t head[IHDR_BYTES];  /* of every picture */
    uint32_t sequence;         /* of fcTL and fdAT */
    struct ia_apng_end end;
    enum ia_rc rc; /* the first failure */
    struct ia_err err;
};

static void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (24 - 8 * i));
    }
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* CRC-32 of PNG, four bits at a time: the table's entry k is the remainder of k. */
static uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n)
{
    static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                       0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                       0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return crc;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void fail(struct ia_apng *a, enum ia_rc rc, const char *what)
{
    if (a->rc == IA_OK) {
        a->rc = rc == IA_E_IO ? ia_err_set(&a->err, rc, "cannot %s %s: %s", what, a->part,
                                           strerror(errno))
                              : ia_err_set(&a->err, rc, "%s", what);
    }
}

static void write_bytes(struct ia_apng *a, const void *bytes, size_t n)
{
    if (a->rc == IA_OK && ia_write_all(a->fd, bytes, n) != IA_OK) {
        fail(a, IA_E_IO, "write");
    }
    a->end.bytes += (int64_t)n;
}

/* A chunk whose data are `first` and then `rest`. */
static void write_chunk(struct ia_apng *a, const char type[4], const void *first,
                        size_t first_n, struct ia_str rest)
{
    uint8_t word[4];
    put32(word, (uint32_t)(first_n + rest.n));
    write_bytes(a, word, 4);
    write_bytes(a, type, 4);
    write_bytes(a, first, first_n);
    write_bytes(a, rest.p, rest.n);
    uint32_t crc = crc32_add(crc32_add(UINT32_MAX, type, 4), first, first_n);
    put32(word, ~crc32_add(crc, rest.p, rest.n));
    write_bytes(a, word, 4);
}

static const struct ia_str nothing = {"", 0};

static void write_actl(struct ia_apng *a)
{
    uint8_t data[8];
    put32(data, (uint32_t)a->end.frames);
    put32(data + 4, 1); /* played once */
    write_chunk(a, "acTL", data, sizeof(data), nothing);
}

/* The delay is a fraction of two 16-bit numbers. */
static void write_fctl(struct ia_apng *a, int64_t ms)
{
    uint8_t data[26] = {0};
    int64_t per_s = 1000;
    while (ms > UINT16_MAX && per_s > 1) {
        ms /= 10;
        per_s /= 10;
    }
    put32(data, a->sequence++);
    memcpy(data + 4, a->head, 8); /* width and height; at 0,0 */
    put32(data + 20, (uint32_t)(ms < UINT16_MAX ? ms : UINT16_MAX) << 16 | (uint32_t)per_s);
    write_chunk(a, "fcTL", data, sizeof(data), nothing);
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* The next chunk from *at; false at the end, or where it is damaged. */
static bool next_chunk(struct ia_str png, size_t *at, const char **ret_type, struct ia_str *ret)
{
    size_t left = png.n - *at;
    size_t n = left >= CHUNK ? get32((const uint8_t *)png.p + *at) : 0;
    if (left < CHUNK || n > left - CHUNK) {
        return false;
    }
    *ret_type = png.p + *at + 4;
    *ret = (struct ia_str){png.p + *at + 8, n};
    *at += n + CHUNK;
    return true;
}

/* The data of its IHDR into ret; false: no PNG. */
static bool read_head(struct ia_str png, uint8_t ret[IHDR_BYTES])
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    size_t at = SIGNATURE;
    const char *type;
    struct ia_str data;
    bool good = png.n > SIGNATURE && memcmp(png.p, signature, SIGNATURE) == 0 &&
                next_chunk(png, &at, &type, &data) && memcmp(type, "IHDR", 4) == 0 &&
                data.n == IHDR_BYTES;
    if (good) {
        memcpy(ret, data.p, IHDR_BYTES);
    }
    return good;
}

static void begin_file(struct ia_apng *a)
{
    struct ia_str head = {(const char *)a->head, IHDR_BYTES};
    write_bytes(a, a->shown.p, SIGNATURE);
    write_chunk(a, "IHDR", "", 0, head);
    write_actl(a);
}

static void write_picture(struct ia_apng *a, int64_t ms)
{
    size_t at = SIGNATURE;
    const char *type;
    struct ia_str data, png = ia_buf_str(&a->shown);
    bool first = a->end.frames++ == 0;
    if (first) {
        begin_file(a);
    }
    write_fctl(a, ms);
    while (a->rc == IA_OK && next_chunk(png, &at, &type, &data)) {
        uint8_t number[4];
        if (memcmp(type, "IDAT", 4) != 0) {
            continue;
        }
        put32(number, a->sequence);
        a->sequence += !first;
        write_chunk(a, first ? "IDAT" : "fdAT", number, first ? 0 : sizeof(number), data);
    }
}

/* The picture on the screen was there until at_ms. */
static void flush(struct ia_apng *a, int64_t at_ms)
{
    bool room = a->end.frames < IA_APNG_FRAMES_MAX &&
                a->end.bytes + (int64_t)a->shown.len <= IA_APNG_BYTES_MAX;
    if (a->shown.len == 0 || a->end.cut) {
        return;
    }
    if (!room && a->end.frames > 0) {
        a->end.cut = true;
        return;
    }
    write_picture(a, at_ms - a->shown_ms);
    a->end.duration_ms = at_ms - a->from_ms;
}

void ia_apng_show(struct ia_apng *a, struct ia_str png, int64_t at_ms)
{
    uint8_t head[IHDR_BYTES];
    if (a->rc != IA_OK || ia_str_eq(png, ia_buf_str(&a->shown))) {
        return;
    }
    if (!read_head(png, head)) {
        fail(a, IA_E_PARSE, "a picture of the film is no PNG");
        return;
    }
    if (a->shown.len == 0) {
        memcpy(a->head, head, sizeof(head));
        a->from_ms = at_ms;
    } else if (memcmp(a->head, head, sizeof(head)) != 0) {
        fail(a, IA_E_PARSE, "the pictures of the film have different sizes");
        return;
    }
    flush(a, at_ms);
    ia_buf_reset(&a->shown);
    ia_buf_putstr(&a->shown, png);
    if (!ia_buf_ok(&a->shown)) {
        fail(a, IA_E_LIMIT, "a picture of the film is too large");
    }
    a->shown_ms = at_ms;
}

/* ---- beginning and end ------------------------------------------------------------------- */

enum ia_rc ia_apng_new(const char *path, struct ia_apng **ret, struct ia_err *err)
{
    struct ia_buf part = IA_BUF(4096);
    ia_buf_printf(&part, "%s.part", path);
    int fd = ia_buf_ok(&part) ? open(part.p, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (fd < 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot write %s.part: %s", path,
                                   strerror(ia_buf_ok(&part) ? errno : ENAMETOOLONG));
        ia_buf_fini(&part);
        return rc;
    }
    struct ia_apng *a = ia_calloc(1, sizeof(*a));
    *a = (struct ia_apng){.fd = fd,
                          .path = ia_strdup(path),
                          .part = ia_buf_steal(&part),
                          .shown = IA_BUF(PICTURE_BYTES_MAX)};
    *ret = a;
    return IA_OK;
}

/* How many pictures there are is known now. */
static void write_end(struct ia_apng *a)
{
    write_chunk(a, "IEND", "", 0, nothing);
    int64_t bytes = a->end.bytes;
    if (a->rc == IA_OK && lseek(a->fd, ACTL_AT, SEEK_SET) != ACTL_AT) {
        fail(a, IA_E_IO, "write");
    }
    write_actl(a);
    a->end.bytes = bytes;
}

enum ia_rc ia_apng_finish(struct ia_apng *a, int64_t at_ms, struct ia_apng_end *ret,
                          struct ia_err *err)
{
    flush(a, at_ms);
    if (a->end.frames == 0) {
        fail(a, IA_E_STATE, "the film has no picture");
    }
    write_end(a);
    if (close(a->fd) != 0 || (a->rc == IA_OK && rename(a->part, a->path) != 0)) {
        fail(a, IA_E_IO, "finish");
    }
    enum ia_rc rc = a->rc;
    if (rc == IA_OK) {
        *ret = a->end;
    } else {
        (void)unlink(a->part);
        if (err) {
            *err = a->err;
        }
    }
    ia_buf_fini(&a->shown);
    free(a->path);
    free(a->part);
    free(a);
    return rc;
}
