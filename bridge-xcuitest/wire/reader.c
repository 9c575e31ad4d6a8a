/* reader.c: collects the bytes of a stream into frames. The buffer holds the unread bytes; a
 * frame is borrowed from it until more space is asked for, which may move them.
 *
 *   p:  [ read already | HEAD n, n bytes | HEAD … ]        free up to cap
 *        0         from                          to
 *
 * A length above `max` ends the stream: nothing is allocated for it, and where the next
 * frame would begin is unknown. */
#include "wire/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 4, SPACE_MIN = 4096 };

void ia_wire_reader_init(struct ia_wire_reader *r, size_t max)
{
    *r = (struct ia_wire_reader){.max = max};
}

void ia_wire_reader_fini(struct ia_wire_reader *r)
{
    free(r->p);
    *r = (struct ia_wire_reader){0};
}

/* Doubles the buffer, up to a frame of maximum length. */
static bool grow(struct ia_wire_reader *r)
{
    size_t most = r->max + HEAD;
    size_t cap = r->cap < SPACE_MIN / 2 ? SPACE_MIN : r->cap * 2;
    cap = cap > most ? most : cap;
    if (cap <= r->cap) {
        return false;
    }
    uint8_t *p = realloc(r->p, cap);
    if (!p) {
        return false;
    }
    r->p = p;
    r->cap = cap;
    return true;
}

uint8_t *ia_wire_reader_space(struct ia_wire_reader *r, size_t *ret_n)
{
    if (r->from > 0 && r->p) {
        memmove(r->p, r->p + r->from, r->to - r->from);
        r->to -= r->from;
        r->from = 0;
    }
    if (r->to == r->cap && !grow(r)) {
        return NULL;
    }
    *ret_n = r->cap - r->to;
    return r->p + r->to;
}

void ia_wire_reader_added(struct ia_wire_reader *r, size_t n)
{
    r->to += n;
}

enum ia_wire_read ia_wire_reader_next(struct ia_wire_reader *r, struct ia_wire_frame *ret)
{
    while (r->to - r->from >= HEAD) {
        size_t n = (size_t)ia_wire_le(r->p + r->from, HEAD);
        if (n > r->max) {
            return IA_WIRE_READ_TOO_LONG;
        }
        if (r->to - r->from - HEAD < n) {
            return IA_WIRE_READ_MORE;
        }
        const uint8_t *p = r->p + r->from + HEAD;
        r->from += HEAD + n;
        /* A frame of length 0 has not even an opcode: it is passed over. */
        if (n > 0) {
            *ret = (struct ia_wire_frame){.op = p[0], .p = p + 1, .n = n - 1};
            return IA_WIRE_READ_FRAME;
        }
    }
    return IA_WIRE_READ_MORE;
}

bool ia_wire_reader_midway(const struct ia_wire_reader *r)
{
    return r->to > r->from;
}
