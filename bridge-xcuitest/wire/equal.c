/* equal.c: compares two messages, driven by the tables. Tests use it to prove that decoding
 * what was encoded gives the same message. */
#include "wire/tables.h"

#include <math.h>
#include <string.h>

static bool fields_eq(const struct ia_wire_shape *shape, const void *a, const void *b);

static const void *pointer_at(const void *member)
{
    const void *p;
    memcpy(&p, member, sizeof(p));
    return p;
}

static bool texts_eq(const char *a, const char *b, bool null_is_empty)
{
    if (null_is_empty) {
        a = a ? a : "";
        b = b ? b : "";
    }
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool f64s_eq(const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x, y;
        memcpy(&x, (const char *)a + i * sizeof(x), sizeof(x));
        memcpy(&y, (const char *)b + i * sizeof(y), sizeof(y));
        /* As the encoder sends them. */
        x = isfinite(x) ? x : 0;
        y = isfinite(y) ? y : 0;
        if (x != y) {
            return false;
        }
    }
    return true;
}

static bool maybe_numbers_eq(const struct ia_wire_field *f, const void *a, const void *b)
{
    if (f->kind == IA_WIRE_K_OF64) {
        const struct ia_wire_of64 *x = a, *y = b;
        return x->has == y->has && (!x->has || f64s_eq(&x->v, &y->v, 1));
    }
    const struct ia_wire_ou64 *x = a, *y = b;
    return x->has == y->has && (!x->has || x->v == y->v);
}

static bool members_eq(const struct ia_wire_field *f, const void *a, const void *b, uint32_t i)
{
    switch (f->kind) {
    case IA_WIRE_K_U16S:
        return ((const uint16_t *)a)[i] == ((const uint16_t *)b)[i];
    case IA_WIRE_K_STRS:
        return texts_eq(((const char *const *)a)[i], ((const char *const *)b)[i], true);
    case IA_WIRE_K_PARTS:
        return fields_eq(f->shape, (const char *)a + i * f->shape->size,
                         (const char *)b + i * f->shape->size);
    case IA_WIRE_K_REQUESTS:
        return ia_wire_request_eq((const struct ia_wire_request *)a + i,
                                  (const struct ia_wire_request *)b + i);
    default:
        return ia_wire_reply_eq((const struct ia_wire_reply *)a + i,
                                (const struct ia_wire_reply *)b + i);
    }
}

static bool lists_eq(const struct ia_wire_field *f, const void *a, const void *b)
{
    uint32_t n, m;
    memcpy(&n, (const char *)a + f->at_n, sizeof(n));
    memcpy(&m, (const char *)b + f->at_n, sizeof(m));
    const void *x = pointer_at((const char *)a + f->at);
    const void *y = pointer_at((const char *)b + f->at);
    if (n != m) {
        return false;
    }
    if (f->kind == IA_WIRE_K_BYTES) {
        return n == 0 || memcmp(x, y, n) == 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!members_eq(f, x, y, i)) {
            return false;
        }
    }
    return true;
}

static bool maybe_parts_eq(const struct ia_wire_field *f, const void *a, const void *b)
{
    return a == b || (a && b && fields_eq(f->shape, a, b));
}

static bool field_eq(const struct ia_wire_field *f, const void *whole_a, const void *whole_b)
{
    const void *a = (const char *)whole_a + f->at, *b = (const char *)whole_b + f->at;
    switch (f->kind) {
    case IA_WIRE_K_BOOL:
        return *(const bool *)a == *(const bool *)b;
    case IA_WIRE_K_F64:
    case IA_WIRE_K_POINT:
    case IA_WIRE_K_RECT:
        return f64s_eq(a, b, f->size / sizeof(double));
    case IA_WIRE_K_OU64:
    case IA_WIRE_K_OF64:
        return maybe_numbers_eq(f, a, b);
    case IA_WIRE_K_STR:
        return texts_eq(pointer_at(a), pointer_at(b), true);
    case IA_WIRE_K_OSTR:
        return texts_eq(pointer_at(a), pointer_at(b), false);
    case IA_WIRE_K_PART:
        return fields_eq(f->shape, a, b);
    case IA_WIRE_K_OPART:
        return maybe_parts_eq(f, pointer_at(a), pointer_at(b));
    case IA_WIRE_K_BYTES:
    case IA_WIRE_K_U16S:
    case IA_WIRE_K_STRS:
    case IA_WIRE_K_PARTS:
    case IA_WIRE_K_REQUESTS:
    case IA_WIRE_K_REPLIES:
        return lists_eq(f, whole_a, whole_b);
    default: /* integers, which have no padding */
        return memcmp(a, b, f->size) == 0;
    }
}

static bool fields_eq(const struct ia_wire_shape *shape, const void *a, const void *b)
{
    for (size_t i = 0; i < shape->fields_n; i++) {
        if (!field_eq(&shape->fields[i], a, b)) {
            return false;
        }
    }
    return true;
}

bool ia_wire_request_eq(const struct ia_wire_request *a, const struct ia_wire_request *b)
{
    const struct ia_wire_op *op = ia_wire_op(a->op);
    bool head = a->op == b->op && op &&
                (!op->reply || (a->id == b->id && a->deadline_ms == b->deadline_ms));
    return head && fields_eq(op->request, &a->u, &b->u);
}

bool ia_wire_reply_eq(const struct ia_wire_reply *a, const struct ia_wire_reply *b)
{
    const struct ia_wire_op *op = ia_wire_op(a->op);
    return a->op == b->op && a->id == b->id && a->code == b->code && a->outcome == b->outcome &&
           a->retry_safe == b->retry_safe && a->has_body == b->has_body &&
           texts_eq(a->text, b->text, true) &&
           (!a->has_body || (op && op->reply && fields_eq(op->reply, &a->u, &b->u)));
}

bool ia_wire_answer_eq(const struct ia_wire_answer *a, const struct ia_wire_answer *b)
{
    return a->kind == b->kind && a->kind < IA_WIRE_ANSWER_KINDS &&
           fields_eq(&ia_wire_answer_texts[a->kind], a, b);
}
