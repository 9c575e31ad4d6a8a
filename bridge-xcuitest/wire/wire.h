/* wire.h: the protocol between a host and a bridge. Plain C17 without any dependency; both ends
 * and the runner on iOS compile these sources.
 *
 * A frame is a u32 length (of what follows), a u8 opcode and a payload; every number is
 * little-endian. Opcodes 01-16 are the classic requests, which are answered by A0 and are byte
 * for byte those of qorvex. Opcodes from 40 up are extensions: each request begins with u32 id
 * and u32 deadline_ms, and is answered by C0 with the same id. PROTOCOL.md documents every
 * byte.
 *
 * Each message is a struct here, and one table of its fields drives the encoder, the decoder,
 * the caps, the comparison and the tables of PROTOCOL.md.
 *
 * Memory: a decoded message owns an arena that holds all its strings and lists; ia_wire_*_fini
 * frees it. To build a message, point at anything that lives until it is encoded, or allocate
 * from the message's arena. Strings are UTF-8, end with a NUL and never contain one. "" and
 * NULL mean the same, except for a string that is documented to be NULL when absent. Numbers
 * are finite: the encoder writes 0 for one that is not, the decoder refuses it.
 *
 * Nothing here blocks, locks or keeps state between calls: any thread may call it on its own
 * objects. */
#ifndef IA_WIRE_WIRE_H
#define IA_WIRE_WIRE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/codes.h"
#include "wire/messages.h"

#define IA_WIRE_PRINTF(fmt_index, first_arg)                                                   \
    __attribute__((format(printf, fmt_index, first_arg)))

/* ---- memory ------------------------------------------------------------------------------ */

/* n zeroed bytes, aligned for any type; NULL when there is no memory. */
void *ia_wire_alloc(struct ia_wire_arena *a, size_t n);
/* Copies n bytes as a string of the wire: U+FFFD replaces bytes that are not UTF-8 and NULs,
 * and the copy is cut between characters at `max` bytes. NULL if s is NULL, or without
 * memory. */
const char *ia_wire_text(struct ia_wire_arena *a, const char *s, size_t n, size_t max);
/* The same for a NUL-terminated string, cut at IA_WIRE_TEXT_MAX. */
const char *ia_wire_str(struct ia_wire_arena *a, const char *s);
void ia_wire_arena_fini(struct ia_wire_arena *a);

/* ---- the life of a message --------------------------------------------------------------- */

/* Frees what the message's arena holds and zeroes it. */
void ia_wire_request_fini(struct ia_wire_request *r);
void ia_wire_reply_fini(struct ia_wire_reply *r);
void ia_wire_answer_fini(struct ia_wire_answer *r);

/* Makes r a failure and removes its body, unless keep_body is set. retry_safe is set for the
 * outcomes none and not_sent; a caller that knows better changes it afterwards. The text is
 * copied into the arena. */
void ia_wire_reply_fail(struct ia_wire_reply *r, enum ia_wire_code code,
                        enum ia_wire_outcome outcome, bool keep_body, const char *fmt, ...)
    IA_WIRE_PRINTF(5, 6);
/* Makes r a success whose body is r->u, with outcome sent if the request has an effect,
 * otherwise none. */
void ia_wire_reply_ok(struct ia_wire_reply *r, bool effect);

/* Whether two messages are equal. Arenas are not compared. */
bool ia_wire_request_eq(const struct ia_wire_request *a, const struct ia_wire_request *b);
bool ia_wire_reply_eq(const struct ia_wire_reply *a, const struct ia_wire_reply *b);
bool ia_wire_answer_eq(const struct ia_wire_answer *a, const struct ia_wire_answer *b);

/* ---- the codec --------------------------------------------------------------------------- */

/* Why something could not be encoded, decoded or started. Owned by the caller, no heap. */
struct ia_wire_fault {
    enum ia_wire_code code; /* PROTO, LIMIT, MEMORY, UNSUPPORTED; from the core also IO */
    char text[192];         /* "act.target.selector.label: 70000 bytes, at most 16384" */
};
/* Fills fault, which may be NULL, and returns false. */
bool ia_wire_fault_set(struct ia_wire_fault *fault, enum ia_wire_code code, const char *fmt,
                       ...) IA_WIRE_PRINTF(3, 4);

/* Bytes to send; {0} is empty. */
struct ia_wire_buf {
    uint8_t *p;
    size_t len, cap;
    bool failed; /* an allocation failed */
};
void ia_wire_buf_fini(struct ia_wire_buf *b);
void ia_wire_buf_put(struct ia_wire_buf *b, const void *bytes, size_t n);

/* A frame, borrowed from the buffer it was read into. */
struct ia_wire_frame {
    uint8_t op;
    const uint8_t *p; /* the payload */
    size_t n;
};

/* Append one whole frame, including its length. False leaves `out` unchanged. */
bool ia_wire_put_request(struct ia_wire_buf *out, const struct ia_wire_request *r,
                         struct ia_wire_fault *fault);
bool ia_wire_put_reply(struct ia_wire_buf *out, const struct ia_wire_reply *r,
                       struct ia_wire_fault *fault);
bool ia_wire_put_answer(struct ia_wire_buf *out, const struct ia_wire_answer *a,
                        struct ia_wire_fault *fault);

/* Decode a frame into *ret, which is overwritten (not freed) and on success needs its _fini. On
 * failure there is nothing to free; op is set, and id if it could be read, so that a server can
 * still answer. Bytes after the last field are ignored, because a newer peer may have added
 * fields. */
bool ia_wire_get_request(const struct ia_wire_frame *f, struct ia_wire_request *ret,
                         struct ia_wire_fault *fault);
bool ia_wire_get_reply(const struct ia_wire_frame *f, struct ia_wire_reply *ret,
                       struct ia_wire_fault *fault);
/* Decodes an A0 frame, or a bare error (99), which becomes IA_WIRE_ANSWER_ERROR. */
bool ia_wire_get_answer(const struct ia_wire_frame *f, struct ia_wire_answer *ret,
                        struct ia_wire_fault *fault);

/* ---- frames from a stream ---------------------------------------------------------------- */

/* Collects bytes until a frame is complete. Its memory grows with the bytes that arrive, never
 * with the length that a frame announces. */
struct ia_wire_reader {
    uint8_t *p;
    size_t cap, from, to; /* unread bytes are p[from..to) */
    size_t max;           /* longest frame, without its length */
};
enum ia_wire_read { IA_WIRE_READ_FRAME, IA_WIRE_READ_MORE, IA_WIRE_READ_TOO_LONG };

/* max: IA_WIRE_REQUEST_MAX in a server, IA_WIRE_REPLY_MAX in a host. */
void ia_wire_reader_init(struct ia_wire_reader *r, size_t max);
void ia_wire_reader_fini(struct ia_wire_reader *r);
/* Where to put the next bytes of the stream: at least one, at most *ret_n. NULL without memory,
 * or when a frame of maximum length is complete (take it first). Invalidates the last frame.
 * Report the number of bytes with ia_wire_reader_added. */
uint8_t *ia_wire_reader_space(struct ia_wire_reader *r, size_t *ret_n);
void ia_wire_reader_added(struct ia_wire_reader *r, size_t n);
/* The next frame, borrowed until ia_wire_reader_space. Frames of length zero are skipped.
 * TOO_LONG: the stream cannot be read any further. */
enum ia_wire_read ia_wire_reader_next(struct ia_wire_reader *r, struct ia_wire_frame *ret);
/* Whether a frame has begun to arrive and is not complete. */
bool ia_wire_reader_midway(const struct ia_wire_reader *r);

/* ---- the tables -------------------------------------------------------------------------- */

enum ia_wire_kind {
    IA_WIRE_K_U8,
    IA_WIRE_K_ENUM, /* u8, at most max */
    IA_WIRE_K_BOOL, /* u8; any but 0 is true */
    IA_WIRE_K_U16,
    IA_WIRE_K_U32,
    IA_WIRE_K_U64,
    IA_WIRE_K_I32,
    IA_WIRE_K_F64,
    IA_WIRE_K_POINT,    /* 2 f64 */
    IA_WIRE_K_RECT,     /* 4 f64 */
    IA_WIRE_K_STR,      /* u32 n, n bytes of UTF-8 */
    IA_WIRE_K_OSTR,     /* u8 flag, then a str unless it is 0 */
    IA_WIRE_K_BYTES,    /* u32 n, n bytes */
    IA_WIRE_K_OU64,     /* u8 flag, then a u64 unless it is 0; at the end it may be missing */
    IA_WIRE_K_OF64,     /* u8 flag, then an f64 unless it is 0 */
    IA_WIRE_K_U16S,     /* u32 n, n u16 */
    IA_WIRE_K_STRS,     /* u32 n, n str */
    IA_WIRE_K_PART,     /* the fields of `shape` */
    IA_WIRE_K_OPART,    /* u8 flag, then the fields of `shape` unless it is 0 */
    IA_WIRE_K_PARTS,    /* u32 n, n times the fields of `shape` */
    IA_WIRE_K_REQUESTS, /* u32 n, n whole frames of requests */
    IA_WIRE_K_REPLIES   /* u32 n, n whole frames of replies */
};
struct ia_wire_field {
    const char *name;
    enum ia_wire_kind kind;
    uint32_t at, at_n; /* offsets in the struct: of the member, and of its count in a list */
    uint32_t size;     /* of the member */
    uint32_t max;      /* bytes of a text, members of a list, greatest value of an enum */
    uint32_t each_max; /* bytes of each text of IA_WIRE_K_STRS */
    const struct ia_wire_shape *shape;
    const char *summary; /* its line in PROTOCOL.md */
};
struct ia_wire_shape {
    const char *name; /* "selector"; for a message "act", "act reply" */
    size_t size;
    const struct ia_wire_field *fields;
    size_t fields_n;
};

/* Everything the opcode of a request determines. */
struct ia_wire_op {
    uint8_t op;
    const char *name; /* "set_text" */
    bool effect;      /* it may change something, so never resend it */
    bool control;     /* answered without the main thread */
    const struct ia_wire_shape *request, *reply; /* reply: NULL for a classic request */
    const char *summary;
};
/* NULL for an opcode that is not a request. */
const struct ia_wire_op *ia_wire_op(uint8_t op);
/* The i-th request in the order of opcodes; NULL at the end. */
const struct ia_wire_op *ia_wire_op_at(size_t i);
/* "act"; "unknown". Never NULL. */
const char *ia_wire_op_name(uint8_t op);
/* Like `effect` of the opcode, but false if the mode of the request only reads, and true for a
 * batch only if one of its items has an effect. */
bool ia_wire_has_effect(const struct ia_wire_request *r);
/* Parts that several messages share, in the order of PROTOCOL.md; NULL at the end. */
const struct ia_wire_shape *ia_wire_part_at(size_t i);

/* "Button" for 9: the name of an XCUIElementType without its prefix; "Other" for an unknown
 * one. */
const char *ia_wire_type_name(unsigned type);
/* 9 for "Button"; -1 if there is no such type. */
int ia_wire_type_number(const char *name);

#endif
