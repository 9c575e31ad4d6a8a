/* bytes.h: bounded reading and writing below the codec. Private to wire/. */
#ifndef IA_WIRE_BYTES_H
#define IA_WIRE_BYTES_H

#include "wire/wire.h"

/* Length of the valid UTF-8 character without NUL at s[0..n), 1-4; 0 when there is none. */
size_t ia_wire_utf8(const uint8_t *s, size_t n);
/* Whether all n bytes are valid UTF-8 without a NUL. */
bool ia_wire_utf8_valid(const void *s, size_t n);

/* Little-endian, `size` of 1, 2, 4 or 8 bytes. */
uint64_t ia_wire_le(const uint8_t *p, size_t size);
void ia_wire_put_le(struct ia_wire_buf *b, uint64_t v, size_t size);

/* The position of the codec in a message, for fault texts: "act.target.label". */
struct ia_wire_place {
    const char *names[8];
    size_t n;
    struct ia_wire_fault *fault; /* may be NULL */
};
void ia_wire_enter(struct ia_wire_place *p, const char *name);
void ia_wire_leave(struct ia_wire_place *p);
/* Fills the fault with "place: text". */
void ia_wire_refused(struct ia_wire_place *p, enum ia_wire_code code, const char *fmt, ...)
    IA_WIRE_PRINTF(3, 4);
/* The same, and false. A macro, because compilers and analysers that see one file at a time
 * must know that. */
#define ia_wire_refuse(...) (ia_wire_refused(__VA_ARGS__), false)

/* Whether the depths of the nodes are those of a tree in pre-order. */
bool ia_wire_depths_ok(const struct ia_wire_node *nodes, uint32_t n);
/* Whether a request may be an item of a batch. */
bool ia_wire_batchable(uint8_t op);

#endif
