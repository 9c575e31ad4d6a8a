/* decode.c: decodes frames into messages, driven by the tables.
 *
 * Everything comes from an untrusted peer: each count and length is checked against its cap and
 * against the bytes that are left before memory is allocated for it, and batches do not
 * nest. */
#include "wire/bytes.h"
#include "wire/tables.h"

#include <math.h>
#include <string.h>

struct dec {
    const uint8_t *p;
    size_t n; /* bytes left */
    struct ia_wire_arena *arena;
    struct ia_wire_place place;
    bool inside; /* an item of a batch */
};

static bool get_fields(struct dec *d, const struct ia_wire_shape *shape, void *to);
static bool get_request(struct dec *d, uint8_t op, struct ia_wire_request *to);
static bool get_reply(struct dec *d, struct ia_wire_reply *to);

static bool take(struct dec *d, size_t n, const uint8_t **ret)
{
    if (d->n < n) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "insufficient data: %zu bytes of %zu",
                              d->n, n);
    }
    *ret = d->p;
    d->p += n;
    d->n -= n;
    return true;
}

static bool take_le(struct dec *d, size_t size, uint64_t *ret)
{
    const uint8_t *p;
    if (!take(d, size, &p)) {
        return false;
    }
    *ret = ia_wire_le(p, size);
    return true;
}

static bool take_flag(struct dec *d, bool *ret)
{
    uint64_t v;
    if (!take_le(d, 1, &v)) {
        return false;
    }
    *ret = v != 0;
    return true;
}

static void *reserve(struct dec *d, size_t count, size_t size)
{
    void *p = ia_wire_alloc(d->arena, count * size);
    if (!p) {
        ia_wire_refused(&d->place, IA_WIRE_E_MEMORY, "no memory for %zu bytes", count * size);
    }
    return p;
}

static bool get_f64(struct dec *d, void *to)
{
    uint64_t bits;
    double v;
    if (!take_le(d, 8, &bits)) {
        return false;
    }
    memcpy(&v, &bits, sizeof(v));
    if (!isfinite(v)) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "a number that is not finite");
    }
    memcpy(to, &v, sizeof(v));
    return true;
}

static bool get_f64s(struct dec *d, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!get_f64(d, (char *)to + i * sizeof(double))) {
            return false;
        }
    }
    return true;
}

/* A count or a length, within its cap and within the rest of the frame. */
static bool take_count(struct dec *d, uint32_t max, size_t least_each, uint32_t *ret)
{
    uint64_t n;
    if (!take_le(d, 4, &n)) {
        return false;
    }
    if (n > max) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_LIMIT, "%llu, at most %u",
                              (unsigned long long)n, max);
    }
    /* Before anything is allocated: a peer that announces n members must have sent that many
     * bytes. */
    if (n > d->n / least_each) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "insufficient data: %zu bytes for %u",
                              d->n, (unsigned)n);
    }
    *ret = (uint32_t)n;
    return true;
}

static bool get_text(struct dec *d, uint32_t max, const char **to)
{
    uint32_t n;
    const uint8_t *p;
    if (!take_count(d, max, 1, &n) || !take(d, n, &p)) {
        return false;
    }
    if (!ia_wire_utf8_valid(p, n)) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "not UTF-8, or contains a NUL");
    }
    char *s = reserve(d, (size_t)n + 1, 1);
    if (!s) {
        return false;
    }
    memcpy(s, p, n);
    *to = s;
    return true;
}

static bool get_maybe_text(struct dec *d, uint32_t max, const char **to)
{
    bool has;
    return take_flag(d, &has) && (!has || get_text(d, max, to));
}

static bool get_integer(struct dec *d, const struct ia_wire_field *f, void *to)
{
    uint64_t v;
    if (!take_le(d, f->size, &v)) {
        return false;
    }
    if (f->kind == IA_WIRE_K_ENUM && v > f->max) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "%u, at most %u", (unsigned)v,
                              f->max);
    }
    /* Copied from a variable of the member's own size, so that the byte order of the machine
     * does not matter. */
    uint8_t u8 = (uint8_t)v;
    uint16_t u16 = (uint16_t)v;
    uint32_t u32 = (uint32_t)v;
    const void *from = f->size == 1   ? (const void *)&u8
                       : f->size == 2 ? (const void *)&u16
                       : f->size == 4 ? (const void *)&u32
                                      : (const void *)&v;
    memcpy(to, from, f->size);
    return true;
}

static bool get_maybe_number(struct dec *d, const struct ia_wire_field *f, void *to)
{
    struct ia_wire_ou64 *u = to;
    struct ia_wire_of64 *v = to;
    bool has = false, is_f64 = f->kind == IA_WIRE_K_OF64;
    /* The number at the end of a classic request may be missing together with its flag. */
    if ((is_f64 || d->n > 0) && !take_flag(d, &has)) {
        return false;
    }
    if (is_f64) {
        v->has = has;
        return !has || get_f64(d, &v->v);
    }
    u->has = has;
    return !has || take_le(d, 8, &u->v);
}

/* An item of a batch: a whole frame. It gets a decoder limited to its own bytes, so it cannot
 * read into the next item; the arena is shared, so it dies with the batch. */
static bool get_frame(struct dec *d, const struct ia_wire_field *f, void *to)
{
    uint64_t n, op;
    const uint8_t *p;
    if (!take_le(d, 4, &n) || n < 1 || !take(d, (size_t)n, &p)) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "an item is cut short");
    }
    struct dec inner = *d;
    inner.p = p;
    inner.n = (size_t)n;
    bool request = f->kind == IA_WIRE_K_REQUESTS;
    if (!take_le(&inner, 1, &op) || (!request && op != IA_WIRE_OP_REPLY)) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "an item is not a reply");
    }
    return request ? get_request(&inner, (uint8_t)op, to) : get_reply(&inner, to);
}

static bool get_members(struct dec *d, const struct ia_wire_field *f, void *list, uint32_t n)
{
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++) {
        switch (f->kind) {
        case IA_WIRE_K_STRS:
            ok = get_text(d, f->each_max, (const char **)list + i);
            break;
        case IA_WIRE_K_PARTS:
            ok = get_fields(d, f->shape, (char *)list + i * f->shape->size);
            break;
        case IA_WIRE_K_REQUESTS:
            ok = get_frame(d, f, (struct ia_wire_request *)list + i);
            break;
        default:
            ok = get_frame(d, f, (struct ia_wire_reply *)list + i);
            break;
        }
    }
    return ok;
}

static bool get_plain_list(struct dec *d, const struct ia_wire_field *f, void *list, uint32_t n)
{
    const uint8_t *p;
    size_t each = f->kind == IA_WIRE_K_U16S ? 2 : 1;
    if (!take(d, n * each, &p)) {
        return false;
    }
    if (each == 1) {
        memcpy(list, p, n);
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        ((uint16_t *)list)[i] = (uint16_t)ia_wire_le(p + 2 * (size_t)i, 2);
    }
    return true;
}

static size_t member_size(const struct ia_wire_field *f)
{
    switch (f->kind) {
    case IA_WIRE_K_BYTES:
        return 1;
    case IA_WIRE_K_U16S:
        return sizeof(uint16_t);
    case IA_WIRE_K_STRS:
        return sizeof(const char *);
    case IA_WIRE_K_PARTS:
        return f->shape->size;
    case IA_WIRE_K_REQUESTS:
        return sizeof(struct ia_wire_request);
    default:
        return sizeof(struct ia_wire_reply);
    }
}

/* The least number of bytes that a member takes: a part has at least a byte for each field, a
 * frame in a batch its length, opcode, id and deadline. */
static size_t member_least(const struct ia_wire_field *f)
{
    switch (f->kind) {
    case IA_WIRE_K_BYTES:
        return 1;
    case IA_WIRE_K_U16S:
        return 2;
    case IA_WIRE_K_STRS:
        return 4;
    case IA_WIRE_K_PARTS:
        return f->shape->fields_n;
    default:
        return 13;
    }
}

static bool get_list(struct dec *d, const struct ia_wire_field *f, void *to, void *whole)
{
    uint32_t n;
    if (!take_count(d, f->max, member_least(f), &n)) {
        return false;
    }
    void *list = NULL;
    if (n > 0) {
        list = reserve(d, n, member_size(f));
        if (!list) {
            return false;
        }
    }
    bool plain = f->kind == IA_WIRE_K_BYTES || f->kind == IA_WIRE_K_U16S;
    if (n > 0 && !(plain ? get_plain_list(d, f, list, n) : get_members(d, f, list, n))) {
        return false;
    }
    /* Written last: a list that failed halfway is never visible in the message. */
    memcpy(to, &list, sizeof(list));
    memcpy((char *)whole + f->at_n, &n, sizeof(n));
    return true;
}

static bool get_maybe_part(struct dec *d, const struct ia_wire_field *f, void *to)
{
    bool has;
    if (!take_flag(d, &has)) {
        return false;
    }
    if (!has) {
        return true;
    }
    void *part = reserve(d, 1, f->shape->size);
    if (!part || !get_fields(d, f->shape, part)) {
        return false;
    }
    memcpy(to, &part, sizeof(part));
    return true;
}

static bool get_field(struct dec *d, const struct ia_wire_field *f, void *whole)
{
    void *to = (char *)whole + f->at;
    switch (f->kind) {
    case IA_WIRE_K_U8:
    case IA_WIRE_K_ENUM:
    case IA_WIRE_K_U16:
    case IA_WIRE_K_U32:
    case IA_WIRE_K_U64:
    case IA_WIRE_K_I32:
        return get_integer(d, f, to);
    case IA_WIRE_K_BOOL:
        return take_flag(d, to);
    case IA_WIRE_K_F64:
    case IA_WIRE_K_POINT:
    case IA_WIRE_K_RECT:
        return get_f64s(d, to, f->size / sizeof(double));
    case IA_WIRE_K_OU64:
    case IA_WIRE_K_OF64:
        return get_maybe_number(d, f, to);
    case IA_WIRE_K_STR:
        return get_text(d, f->max, to);
    case IA_WIRE_K_OSTR:
        return get_maybe_text(d, f->max, to);
    case IA_WIRE_K_PART:
        return get_fields(d, f->shape, to);
    case IA_WIRE_K_OPART:
        return get_maybe_part(d, f, to);
    default:
        return get_list(d, f, to, whole);
    }
}

static bool get_fields(struct dec *d, const struct ia_wire_shape *shape, void *to)
{
    for (size_t i = 0; i < shape->fields_n; i++) {
        ia_wire_enter(&d->place, shape->fields[i].name);
        if (!get_field(d, &shape->fields[i], to)) {
            return false; /* without leave: the place names the field that failed */
        }
        ia_wire_leave(&d->place);
    }
    return true;
}

static bool get_request(struct dec *d, uint8_t op, struct ia_wire_request *to)
{
    const struct ia_wire_op *o = ia_wire_op(op);
    uint64_t id = 0, deadline_ms = 0;
    to->op = op;
    /* All extensions begin with the same fields, so even an unknown one can be answered. */
    if (op >= IA_WIRE_OP_HELLO && op < 0x80) {
        ia_wire_enter(&d->place, ia_wire_op_name(op));
        if (!take_le(d, 4, &id) || !take_le(d, 4, &deadline_ms)) {
            return false;
        }
        ia_wire_leave(&d->place);
        to->id = (uint32_t)id;
        to->deadline_ms = (uint32_t)deadline_ms;
    }
    if (!o) {
        return ia_wire_fault_set(d->place.fault, IA_WIRE_E_UNSUPPORTED,
                                 "invalid opcode: 0x%02x", op);
    }
    ia_wire_enter(&d->place, o->name);
    if (d->inside && !ia_wire_batchable(op)) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "cannot be in a batch");
    }
    d->inside = true;
    bool ok = get_fields(d, o->request, &to->u);
    ia_wire_leave(&d->place);
    return ok;
}

/* What holds for a reply beyond its single fields. */
static bool check_reply(struct dec *d, const struct ia_wire_reply *r)
{
    if (r->code == IA_WIRE_OK && !r->has_body) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "a success without a body");
    }
    if (r->has_body && r->op == IA_WIRE_OP_TREE &&
        !ia_wire_depths_ok(r->u.tree.nodes, r->u.tree.nodes_n)) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "depths are not those of a tree");
    }
    return true;
}

static bool get_reply_head(struct dec *d, struct ia_wire_reply *to)
{
    uint64_t id, op, code, outcome;
    if (!take_le(d, 4, &id) || !take_le(d, 1, &op)) {
        return false;
    }
    to->id = (uint32_t)id;
    to->op = (uint8_t)op;
    if (!take_le(d, 2, &code) || !take_le(d, 1, &outcome) || !take_flag(d, &to->retry_safe) ||
        !get_text(d, IA_WIRE_TEXT_MAX, &to->text) || !take_flag(d, &to->has_body)) {
        return false;
    }
    if (outcome > IA_WIRE_UNKNOWN) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "outcome %u", (unsigned)outcome);
    }
    to->code = (uint16_t)code;
    to->outcome = (uint8_t)outcome;
    return true;
}

static bool get_reply(struct dec *d, struct ia_wire_reply *to)
{
    ia_wire_enter(&d->place, "reply");
    if (!get_reply_head(d, to)) {
        return false;
    }
    ia_wire_leave(&d->place);
    const struct ia_wire_op *o = ia_wire_op(to->op);
    ia_wire_enter(&d->place, ia_wire_op_name(to->op));
    /* A failure without a body can be read even if its request is unknown: an older bridge
     * answers so. */
    if ((to->has_body && (!o || !o->reply)) || (d->inside && !ia_wire_batchable(to->op))) {
        return ia_wire_refuse(&d->place, IA_WIRE_E_PROTO, "opcode %02x cannot be here", to->op);
    }
    d->inside = true;
    if (to->has_body && !get_fields(d, o->reply, &to->u)) {
        return false;
    }
    bool ok = check_reply(d, to);
    ia_wire_leave(&d->place);
    return ok;
}

bool ia_wire_get_request(const struct ia_wire_frame *f, struct ia_wire_request *ret,
                         struct ia_wire_fault *fault)
{
    *ret = (struct ia_wire_request){0};
    struct dec d = {.p = f->p, .n = f->n, .arena = &ret->arena, .place.fault = fault};
    if (get_request(&d, f->op, ret)) {
        return true;
    }
    ia_wire_arena_fini(&ret->arena);
    ret->u = (union ia_wire_request_body){0};
    return false;
}

bool ia_wire_get_reply(const struct ia_wire_frame *f, struct ia_wire_reply *ret,
                       struct ia_wire_fault *fault)
{
    *ret = (struct ia_wire_reply){0};
    struct dec d = {.p = f->p, .n = f->n, .arena = &ret->arena, .place.fault = fault};
    if (f->op != IA_WIRE_OP_REPLY) {
        return ia_wire_fault_set(fault, IA_WIRE_E_PROTO, "opcode %02x is not a reply", f->op);
    }
    if (get_reply(&d, ret)) {
        return true;
    }
    ia_wire_arena_fini(&ret->arena);
    /* The head stays: it says to which request the unreadable reply belongs. */
    *ret = (struct ia_wire_reply){.id = ret->id, .op = ret->op};
    return false;
}

bool ia_wire_get_answer(const struct ia_wire_frame *f, struct ia_wire_answer *ret,
                        struct ia_wire_fault *fault)
{
    *ret = (struct ia_wire_answer){.kind = IA_WIRE_ANSWER_ERROR};
    struct dec d = {.p = f->p, .n = f->n, .arena = &ret->arena, .place.fault = fault};
    uint64_t kind = IA_WIRE_ANSWER_ERROR; /* a bare error has no kind */
    ia_wire_enter(&d.place, "answer");
    if (f->op != IA_WIRE_OP_ANSWER && f->op != IA_WIRE_OP_ERROR) {
        return ia_wire_refuse(&d.place, IA_WIRE_E_PROTO, "opcode %02x is not an answer", f->op);
    }
    if (f->op == IA_WIRE_OP_ANSWER && !take_le(&d, 1, &kind)) {
        return false;
    }
    if (kind >= IA_WIRE_ANSWER_KINDS) {
        return ia_wire_refuse(&d.place, IA_WIRE_E_PROTO, "kind %u", (unsigned)kind);
    }
    ret->kind = (uint8_t)kind;
    if (get_fields(&d, &ia_wire_answer_texts[kind], ret)) {
        return true;
    }
    ia_wire_arena_fini(&ret->arena);
    *ret = (struct ia_wire_answer){.kind = ret->kind};
    return false;
}
