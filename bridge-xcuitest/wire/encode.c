/* encode.c: encodes messages into frames, driven by the tables. It applies the caps of the
 * decoder, so that no side sends what the other one refuses.
 *
 * A frame's length is filled in once its body is known. A message that cannot be encoded
 * leaves nothing in the buffer (finish), so that an error can be sent in its place. */
#include "wire/bytes.h"
#include "wire/tables.h"

#include <math.h>
#include <string.h>

struct enc {
    struct ia_wire_buf *out;
    struct ia_wire_place place;
    bool inside; /* an item of a batch */
};

static bool put_fields(struct enc *e, const struct ia_wire_shape *shape, const void *from);
static bool put_request(struct enc *e, const struct ia_wire_request *r);
static bool put_reply(struct enc *e, const struct ia_wire_reply *r);

static const void *pointer_at(const void *member)
{
    const void *p;
    memcpy(&p, member, sizeof(p));
    return p;
}

static void put_f64(struct enc *e, double v)
{
    /* What is not finite goes out as 0, as the decoder would refuse the whole message for
     * it. */
    uint64_t bits = 0;
    if (isfinite(v)) {
        memcpy(&bits, &v, sizeof(bits));
    }
    ia_wire_put_le(e->out, bits, 8);
}

static void put_f64s(struct enc *e, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v;
        memcpy(&v, (const char *)from + i * sizeof(v), sizeof(v));
        put_f64(e, v);
    }
}

static bool put_text(struct enc *e, const char *s, uint32_t max)
{
    size_t n = s ? strlen(s) : 0;
    if (n > max) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_LIMIT, "%zu bytes, at most %u", n, max);
    }
    if (!ia_wire_utf8_valid(s, n)) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "not UTF-8");
    }
    ia_wire_put_le(e->out, n, 4);
    ia_wire_buf_put(e->out, s, n);
    return true;
}

static bool put_maybe_text(struct enc *e, const char *s, uint32_t max)
{
    ia_wire_put_le(e->out, s ? 1 : 0, 1);
    return !s || put_text(e, s, max);
}

static bool put_u8(struct enc *e, const struct ia_wire_field *f, const void *m)
{
    uint8_t v = *(const uint8_t *)m;
    if (f->kind == IA_WIRE_K_ENUM && v > f->max) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "%u, at most %u", v, f->max);
    }
    ia_wire_put_le(e->out, v, 1);
    return true;
}

static void put_integer(struct enc *e, const struct ia_wire_field *f, const void *m)
{
    uint16_t u16;
    uint32_t u32;
    uint64_t u64 = 0;
    switch (f->size) {
    case 2:
        memcpy(&u16, m, 2);
        u64 = u16;
        break;
    case 4:
        memcpy(&u32, m, 4);
        u64 = u32;
        break;
    default:
        memcpy(&u64, m, 8);
        break;
    }
    ia_wire_put_le(e->out, u64, f->size);
}

static void put_maybe_number(struct enc *e, const struct ia_wire_field *f, const void *m)
{
    const struct ia_wire_ou64 *u = m;
    const struct ia_wire_of64 *d = m;
    bool is_f64 = f->kind == IA_WIRE_K_OF64;
    bool has = is_f64 ? d->has : u->has;
    ia_wire_put_le(e->out, has ? 1 : 0, 1);
    if (has && is_f64) {
        put_f64(e, d->v);
    } else if (has) {
        ia_wire_put_le(e->out, u->v, 8);
    }
}

static bool put_member(struct enc *e, const struct ia_wire_field *f, const void *list,
                       uint32_t i)
{
    switch (f->kind) {
    case IA_WIRE_K_U16S:
        ia_wire_put_le(e->out, ((const uint16_t *)list)[i], 2);
        return true;
    case IA_WIRE_K_STRS:
        return put_text(e, ((const char *const *)list)[i], f->each_max);
    case IA_WIRE_K_PARTS:
        return put_fields(e, f->shape, (const char *)list + i * f->shape->size);
    case IA_WIRE_K_REQUESTS:
        return put_request(e, (const struct ia_wire_request *)list + i);
    default:
        return put_reply(e, (const struct ia_wire_reply *)list + i);
    }
}

static bool put_list(struct enc *e, const struct ia_wire_field *f, const void *m,
                     const void *from)
{
    const void *list = pointer_at(m);
    uint32_t n;
    memcpy(&n, (const char *)from + f->at_n, sizeof(n));
    if (n > f->max) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_LIMIT, "%u, at most %u", n, f->max);
    }
    if (n > 0 && !list) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "%u without a list", n);
    }
    ia_wire_put_le(e->out, n, 4);
    if (f->kind == IA_WIRE_K_BYTES) {
        ia_wire_buf_put(e->out, list, n);
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!put_member(e, f, list, i)) {
            return false;
        }
    }
    return true;
}

static bool put_maybe_part(struct enc *e, const struct ia_wire_field *f, const void *part)
{
    ia_wire_put_le(e->out, part ? 1 : 0, 1);
    return !part || put_fields(e, f->shape, part);
}

static bool put_field(struct enc *e, const struct ia_wire_field *f, const void *from)
{
    const void *m = (const char *)from + f->at;
    switch (f->kind) {
    case IA_WIRE_K_U8:
    case IA_WIRE_K_ENUM:
        return put_u8(e, f, m);
    case IA_WIRE_K_BOOL:
        ia_wire_put_le(e->out, *(const bool *)m ? 1 : 0, 1);
        return true;
    case IA_WIRE_K_U16:
    case IA_WIRE_K_U32:
    case IA_WIRE_K_U64:
    case IA_WIRE_K_I32:
        put_integer(e, f, m);
        return true;
    case IA_WIRE_K_F64:
    case IA_WIRE_K_POINT:
    case IA_WIRE_K_RECT:
        put_f64s(e, m, f->size / sizeof(double));
        return true;
    case IA_WIRE_K_OU64:
    case IA_WIRE_K_OF64:
        put_maybe_number(e, f, m);
        return true;
    case IA_WIRE_K_STR:
        return put_text(e, pointer_at(m), f->max);
    case IA_WIRE_K_OSTR:
        return put_maybe_text(e, pointer_at(m), f->max);
    case IA_WIRE_K_PART:
        return put_fields(e, f->shape, m);
    case IA_WIRE_K_OPART:
        return put_maybe_part(e, f, pointer_at(m));
    default:
        return put_list(e, f, m, from);
    }
}

static bool put_fields(struct enc *e, const struct ia_wire_shape *shape, const void *from)
{
    for (size_t i = 0; i < shape->fields_n; i++) {
        ia_wire_enter(&e->place, shape->fields[i].name);
        if (!put_field(e, &shape->fields[i], from)) {
            return false;
        }
        ia_wire_leave(&e->place);
    }
    return true;
}

/* A frame: its length is filled in at the end. */
static size_t frame_begin(struct enc *e, uint8_t op)
{
    size_t at = e->out->len;
    ia_wire_put_le(e->out, 0, 4);
    ia_wire_put_le(e->out, op, 1);
    return at;
}

static bool frame_end(struct enc *e, size_t at, size_t max)
{
    if (e->out->failed) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_MEMORY, "out of memory");
    }
    size_t n = e->out->len - at - 4;
    if (n > max) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_LIMIT, "a frame of %zu bytes, at most %zu",
                              n, max);
    }
    for (size_t i = 0; i < 4; i++) {
        e->out->p[at + i] = (uint8_t)(n >> (8 * i));
    }
    return true;
}

static bool put_request(struct enc *e, const struct ia_wire_request *r)
{
    const struct ia_wire_op *op = ia_wire_op(r->op);
    ia_wire_enter(&e->place, ia_wire_op_name(r->op));
    if (!op || (e->inside && !ia_wire_batchable(r->op))) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "opcode %02x %s", r->op,
                              op ? "cannot be in a batch" : "is not a request");
    }
    size_t at = frame_begin(e, r->op);
    if (op->reply) {
        ia_wire_put_le(e->out, r->id, 4);
        ia_wire_put_le(e->out, r->deadline_ms, 4);
    }
    /* From here on any frame is an item of this batch. */
    bool was = e->inside;
    e->inside = true;
    bool ok = put_fields(e, op->request, &r->u) && frame_end(e, at, IA_WIRE_REQUEST_MAX);
    e->inside = was;
    ia_wire_leave(&e->place);
    return ok;
}

/* What holds for a reply beyond its single fields; the same as in the decoder. */
static bool check_reply(struct enc *e, const struct ia_wire_reply *r,
                        const struct ia_wire_op *op)
{
    if (r->arena.failed) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_MEMORY, "out of memory for the reply");
    }
    if (r->outcome > IA_WIRE_UNKNOWN) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "outcome %u", r->outcome);
    }
    if (r->has_body ? !op || !op->reply : r->code == IA_WIRE_OK) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "opcode %02x %s a body", r->op,
                              r->has_body ? "cannot have" : "has succeeded without");
    }
    if (r->has_body && r->op == IA_WIRE_OP_TREE &&
        !ia_wire_depths_ok(r->u.tree.nodes, r->u.tree.nodes_n)) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "depths are not those of a tree");
    }
    if (e->inside && !ia_wire_batchable(r->op)) {
        return ia_wire_refuse(&e->place, IA_WIRE_E_PROTO, "cannot be in a batch");
    }
    return true;
}

static bool put_reply(struct enc *e, const struct ia_wire_reply *r)
{
    const struct ia_wire_op *op = ia_wire_op(r->op);
    ia_wire_enter(&e->place, ia_wire_op_name(r->op));
    if (!check_reply(e, r, op)) {
        return false;
    }
    size_t at = frame_begin(e, IA_WIRE_OP_REPLY);
    ia_wire_put_le(e->out, r->id, 4);
    ia_wire_put_le(e->out, r->op, 1);
    ia_wire_put_le(e->out, r->code, 2);
    ia_wire_put_le(e->out, r->outcome, 1);
    ia_wire_put_le(e->out, r->retry_safe ? 1 : 0, 1);
    bool ok = put_text(e, r->text, IA_WIRE_TEXT_MAX);
    ia_wire_put_le(e->out, r->has_body ? 1 : 0, 1);
    bool was = e->inside;
    e->inside = true;
    ok = ok && (!r->has_body || put_fields(e, op->reply, &r->u)) &&
         frame_end(e, at, IA_WIRE_REPLY_MAX);
    e->inside = was;
    ia_wire_leave(&e->place);
    return ok;
}

/* A failed encoding leaves `out` as it was, so that a caller can send an error instead. */
static bool finish(struct ia_wire_buf *out, size_t before, bool ok)
{
    if (!ok) {
        out->len = before;
        out->failed = false;
    }
    return ok;
}

bool ia_wire_put_request(struct ia_wire_buf *out, const struct ia_wire_request *r,
                         struct ia_wire_fault *fault)
{
    struct enc e = {.out = out, .place.fault = fault};
    size_t before = out->len;
    bool ok = put_request(&e, r);
    return finish(out, before, ok);
}

bool ia_wire_put_reply(struct ia_wire_buf *out, const struct ia_wire_reply *r,
                       struct ia_wire_fault *fault)
{
    struct enc e = {.out = out, .place.fault = fault};
    size_t before = out->len;
    bool ok = put_reply(&e, r);
    return finish(out, before, ok);
}

bool ia_wire_put_answer(struct ia_wire_buf *out, const struct ia_wire_answer *a,
                        struct ia_wire_fault *fault)
{
    struct enc e = {.out = out, .place.fault = fault};
    size_t before = out->len;
    ia_wire_enter(&e.place, "answer");
    if (a->kind >= IA_WIRE_ANSWER_KINDS) {
        return ia_wire_refuse(&e.place, IA_WIRE_E_PROTO, "kind %u", a->kind);
    }
    if (a->arena.failed) {
        return ia_wire_refuse(&e.place, IA_WIRE_E_MEMORY, "out of memory for the answer");
    }
    size_t at = frame_begin(&e, IA_WIRE_OP_ANSWER);
    ia_wire_put_le(out, a->kind, 1);
    bool ok = put_fields(&e, &ia_wire_answer_texts[a->kind], a) &&
              frame_end(&e, at, IA_WIRE_REPLY_MAX);
    return finish(out, before, ok);
}
