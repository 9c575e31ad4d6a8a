/* random.c: fills the fields that the tables list with random values within their caps. */
#include "random.h"

#include <string.h>

struct gen {
    struct ia_wire_arena *arena;
    uint64_t *seed;
    int depth; /* of batches */
};

uint64_t wire_random(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t below(struct gen *g, uint32_t n)
{
    return n ? (uint32_t)(wire_random(g->seed) % n) : 0;
}

static const char *text(struct gen *g, uint32_t max)
{
    static const char *const parts[] = {
        "a",  "Save", "\xc3\xa9", "\xe2\x82\xac", " ", "\n", "\xf0\x9f\x98\x80",
        "\"", "\\",   "\x7f",     "\x01"};
    char out[128] = "";
    size_t n = 0;
    for (uint32_t i = below(g, 9); i > 0; i--) {
        const char *p = parts[below(g, sizeof(parts) / sizeof(parts[0]))];
        if (n + strlen(p) < sizeof(out) && n + strlen(p) <= max) {
            memcpy(out + n, p, strlen(p));
            n += strlen(p);
        }
    }
    return ia_wire_text(g->arena, out, n, sizeof(out));
}

static double number(struct gen *g)
{
    static const double some[] = {0, -0.5, 1, 390, 844.25, 1e-9, -1e300, 0.1};
    return some[below(g, sizeof(some) / sizeof(some[0]))];
}

static void fill(struct gen *g, const struct ia_wire_shape *shape, void *to);

static void fill_list(struct gen *g, const struct ia_wire_field *f, void *to, void *whole)
{
    uint32_t n = below(g, 5);
    n = n < f->max ? n : f->max;
    size_t each = f->kind == IA_WIRE_K_BYTES      ? 1
                  : f->kind == IA_WIRE_K_U16S     ? 2
                  : f->kind == IA_WIRE_K_STRS     ? sizeof(char *)
                  : f->kind == IA_WIRE_K_PARTS    ? f->shape->size
                  : f->kind == IA_WIRE_K_REQUESTS ? sizeof(struct ia_wire_request)
                                                  : sizeof(struct ia_wire_reply);
    char *list = n ? ia_wire_alloc(g->arena, n * each) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        char *at = list + i * each;
        const struct ia_wire_op *op = NULL;
        while ((f->kind == IA_WIRE_K_REQUESTS || f->kind == IA_WIRE_K_REPLIES) &&
               (!op || !op->reply || op->control || op->op == IA_WIRE_OP_BATCH)) {
            op = ia_wire_op_at(below(g, 50));
        }
        switch (f->kind) {
        case IA_WIRE_K_STRS:
            ((const char **)list)[i] = text(g, f->each_max);
            break;
        case IA_WIRE_K_PARTS:
            fill(g, f->shape, at);
            break;
        case IA_WIRE_K_REQUESTS:
            wire_random_request((struct ia_wire_request *)at, op, g->seed);
            break;
        case IA_WIRE_K_REPLIES:
            wire_random_reply((struct ia_wire_reply *)at, op, g->seed);
            break;
        default:
            for (size_t k = 0; k < each; k++) {
                at[k] = (char)wire_random(g->seed);
            }
            break;
        }
    }
    memcpy(to, &list, sizeof(list));
    memcpy((char *)whole + f->at_n, &n, sizeof(n));
}

static void fill_plain(struct gen *g, const struct ia_wire_field *f, void *to)
{
    uint64_t v = wire_random(g->seed);
    double d[4] = {number(g), number(g), number(g), number(g)};
    bool has = below(g, 2) == 0;
    switch (f->kind) {
    case IA_WIRE_K_ENUM:
        *(uint8_t *)to = (uint8_t)below(g, f->max + 1);
        break;
    case IA_WIRE_K_BOOL:
        *(bool *)to = has;
        break;
    case IA_WIRE_K_OU64:
        *(struct ia_wire_ou64 *)to = (struct ia_wire_ou64){has, has ? v : 0};
        break;
    case IA_WIRE_K_OF64:
        *(struct ia_wire_of64 *)to = (struct ia_wire_of64){has, has ? d[0] : 0};
        break;
    case IA_WIRE_K_F64:
    case IA_WIRE_K_POINT:
    case IA_WIRE_K_RECT:
        memcpy(to, d, f->size);
        break;
    default:
        memcpy(to, &v, f->size);
        break;
    }
}

static void fill(struct gen *g, const struct ia_wire_shape *shape, void *whole)
{
    for (size_t i = 0; i < shape->fields_n; i++) {
        const struct ia_wire_field *f = &shape->fields[i];
        void *to = (char *)whole + f->at, *part;
        switch (f->kind) {
        case IA_WIRE_K_STR:
            *(const char **)to = text(g, f->max);
            break;
        case IA_WIRE_K_OSTR:
            *(const char **)to = below(g, 2) ? text(g, f->max) : NULL;
            break;
        case IA_WIRE_K_PART:
            fill(g, f->shape, to);
            break;
        case IA_WIRE_K_OPART:
            part = below(g, 2) ? ia_wire_alloc(g->arena, f->shape->size) : NULL;
            if (part) {
                fill(g, f->shape, part);
            }
            memcpy(to, &part, sizeof(part));
            break;
        case IA_WIRE_K_BYTES:
        case IA_WIRE_K_U16S:
        case IA_WIRE_K_STRS:
        case IA_WIRE_K_PARTS:
        case IA_WIRE_K_REQUESTS:
        case IA_WIRE_K_REPLIES:
            fill_list(g, f, to, whole);
            break;
        default:
            fill_plain(g, f, to);
            break;
        }
    }
}

void wire_random_request(struct ia_wire_request *r, const struct ia_wire_op *op, uint64_t *seed)
{
    *r = (struct ia_wire_request){.op = op->op};
    struct gen g = {.arena = &r->arena, .seed = seed};
    if (op->reply) {
        r->id = (uint32_t)wire_random(seed);
        r->deadline_ms = (uint32_t)wire_random(seed);
    }
    fill(&g, op->request, &r->u);
}

void wire_random_reply(struct ia_wire_reply *r, const struct ia_wire_op *op, uint64_t *seed)
{
    *r = (struct ia_wire_reply){.op = op->op, .id = (uint32_t)wire_random(seed)};
    struct gen g = {.arena = &r->arena, .seed = seed};
    r->code = below(&g, 3) ? IA_WIRE_OK : (uint16_t)(1 + below(&g, 60000));
    r->outcome = (uint8_t)below(&g, 4);
    r->retry_safe = below(&g, 2);
    r->text = text(&g, IA_WIRE_TEXT_MAX);
    r->has_body = r->code == IA_WIRE_OK || below(&g, 2);
    if (r->has_body) {
        fill(&g, op->reply, &r->u);
    }
    if (r->has_body && op->op == IA_WIRE_OP_TREE) {
        struct ia_wire_node *nodes = (struct ia_wire_node *)r->u.tree.nodes;
        for (uint32_t i = 0; i < r->u.tree.nodes_n; i++) {
            uint32_t most = i ? nodes[i - 1].depth + 1U : 0;
            nodes[i].depth = (uint16_t)(i ? 1 + below(&g, most) : 0);
        }
    }
}
