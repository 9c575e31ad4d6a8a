/* mem.c: what lies beneath the codec: arenas (chunks that are freed together with their
 * message), growing buffers, UTF-8 and fault texts. */
#include "wire/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 2048, CHUNK_MAX = 256 << 10 };

struct ia_wire_chunk {
    struct ia_wire_chunk *next;
    size_t used, cap;
    max_align_t bytes[];
};

/* Chunks double, so that a large tree costs few allocations and a small message little
 * memory. */
static struct ia_wire_chunk *chunk_for(struct ia_wire_arena *a, size_t n)
{
    struct ia_wire_chunk *c = a->chunks;
    if (c && c->cap - c->used >= n) {
        return c;
    }
    size_t cap = c && c->cap < CHUNK_MAX / 2 ? c->cap * 2 : c ? CHUNK_MAX : CHUNK_MIN;
    cap = cap < n ? n : cap;
    struct ia_wire_chunk *fresh = calloc(1, sizeof(*fresh) + cap);
    if (fresh) {
        fresh->next = c;
        fresh->cap = cap;
        a->chunks = fresh;
    }
    return fresh;
}

void *ia_wire_alloc(struct ia_wire_arena *a, size_t n)
{
    const size_t align = _Alignof(max_align_t);
    struct ia_wire_chunk *c = NULL;
    if (n < SIZE_MAX / 2 && !a->failed) {
        n = (n + align - 1) / align * align;
        c = chunk_for(a, n);
    }
    if (!c) {
        a->failed = true;
        return NULL;
    }
    void *p = (char *)c->bytes + c->used;
    c->used += n;
    return p;
}

void ia_wire_arena_fini(struct ia_wire_arena *a)
{
    for (struct ia_wire_chunk *c = a->chunks; c;) {
        struct ia_wire_chunk *next = c->next;
        free(c);
        c = next;
    }
    *a = (struct ia_wire_arena){0};
}

size_t ia_wire_utf8(const uint8_t *s, size_t n)
{
    if (n == 0 || s[0] == 0) {
        return 0;
    }
    if (s[0] < 0x80) {
        return 1;
    }
    /* c0, c1 and f5 up would be overlong or beyond U+10FFFF. */
    size_t len = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    if (len == 0 || len > n) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and beyond U+10FFFF. */
    bool invalid = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                   (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return invalid ? 0 : len;
}

/* Whether the 8 bytes at p are all ASCII and none is a NUL, as in most texts: a fast path. */
static bool plain_8(const uint8_t *p)
{
    const uint64_t high = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return (v & high) == 0 && ((v - ones) & high) == 0;
}

bool ia_wire_utf8_valid(const void *s, size_t n)
{
    const uint8_t *p = s;
    for (size_t i = 0; i < n;) {
        if (n - i >= 8 && plain_8(p + i)) {
            i += 8;
            continue;
        }
        size_t len = ia_wire_utf8(p + i, n - i);
        if (len == 0) {
            return false;
        }
        i += len;
    }
    return true;
}

/* Copies with U+FFFD for what is not UTF-8, cut between characters at max bytes. */
static const char *mended(struct ia_wire_arena *a, const char *s, size_t n, size_t max)
{
    static const char replacement[] = "\xef\xbf\xbd";
    /* U+FFFD takes three bytes, so one bad byte grows to three at most. */
    size_t room = n < max / 3 ? n * 3 : max;
    char *out = ia_wire_alloc(a, room + 1);
    size_t to = 0;
    for (size_t from = 0; out && from < n;) {
        size_t len = ia_wire_utf8((const uint8_t *)s + from, n - from);
        size_t add = len > 0 ? len : sizeof(replacement) - 1;
        if (to + add > room) {
            break;
        }
        memcpy(out + to, len > 0 ? s + from : replacement, add);
        to += add;
        from += len > 0 ? len : 1;
    }
    return out; /* the arena returns zeroed memory, which ends the string */
}

const char *ia_wire_text(struct ia_wire_arena *a, const char *s, size_t n, size_t max)
{
    if (!s) {
        return NULL;
    }
    if (n > max || !ia_wire_utf8_valid(s, n)) {
        return mended(a, s, n, max);
    }
    char *out = ia_wire_alloc(a, n + 1);
    if (out) {
        memcpy(out, s, n);
    }
    return out;
}

const char *ia_wire_str(struct ia_wire_arena *a, const char *s)
{
    return s ? ia_wire_text(a, s, strlen(s), IA_WIRE_TEXT_MAX) : NULL;
}

void ia_wire_buf_fini(struct ia_wire_buf *b)
{
    free(b->p);
    *b = (struct ia_wire_buf){0};
}

static bool buf_room(struct ia_wire_buf *b, size_t n)
{
    if (b->failed || n > SIZE_MAX / 2 - b->len) {
        b->failed = true;
        return false;
    }
    if (b->cap - b->len >= n) {
        return true;
    }
    size_t cap = b->cap * 2 > b->len + n ? b->cap * 2 : b->len + n;
    cap = cap < 256 ? 256 : cap;
    uint8_t *p = realloc(b->p, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

void ia_wire_buf_put(struct ia_wire_buf *b, const void *bytes, size_t n)
{
    if (n > 0 && buf_room(b, n)) {
        memcpy(b->p + b->len, bytes, n);
        b->len += n;
    }
}

void ia_wire_put_le(struct ia_wire_buf *b, uint64_t v, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(v >> (8 * i));
    }
    ia_wire_buf_put(b, bytes, size);
}

uint64_t ia_wire_le(const uint8_t *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++) {
        v |= (uint64_t)p[i] << (8 * i);
    }
    return v;
}

bool ia_wire_fault_set(struct ia_wire_fault *fault, enum ia_wire_code code, const char *fmt,
                       ...)
{
    if (fault) {
        va_list ap;
        va_start(ap, fmt);
        fault->code = code;
        vsnprintf(fault->text, sizeof(fault->text), fmt, ap);
        va_end(ap);
    }
    return false;
}

void ia_wire_enter(struct ia_wire_place *p, const char *name)
{
    if (p->n < sizeof(p->names) / sizeof(p->names[0])) {
        p->names[p->n] = name;
    }
    p->n++;
}

void ia_wire_leave(struct ia_wire_place *p)
{
    p->n--;
}

void ia_wire_refused(struct ia_wire_place *p, enum ia_wire_code code, const char *fmt, ...)
{
    char where[96] = "", what[96];
    size_t len = 0, shown = sizeof(p->names) / sizeof(p->names[0]);
    for (size_t i = 0; i < p->n && i < shown && len < sizeof(where); i++) {
        int n = snprintf(where + len, sizeof(where) - len, "%s%s", i ? "." : "", p->names[i]);
        len += n > 0 ? (size_t)n : 0;
    }
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    ia_wire_fault_set(p->fault, code, "%s: %s", where, what);
}
