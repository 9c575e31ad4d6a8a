/* message.c: freeing messages, making a reply a success or a failure, and checks that are no
 * table's matter. */
#include "wire/bytes.h"

#include <stdio.h>
#include <string.h>

const char *ia_wire_code_name(unsigned code)
{
    switch (code) {
#define CODE_CASE(code, number, name, summary)                                                 \
    case (number):                                                                             \
        return (name);
        IA_WIRE_CODE_LIST(CODE_CASE)
#undef CODE_CASE
    default:
        return "UNKNOWN";
    }
}

void ia_wire_request_fini(struct ia_wire_request *r)
{
    ia_wire_arena_fini(&r->arena);
    *r = (struct ia_wire_request){0};
}

void ia_wire_reply_fini(struct ia_wire_reply *r)
{
    ia_wire_arena_fini(&r->arena);
    *r = (struct ia_wire_reply){0};
}

void ia_wire_answer_fini(struct ia_wire_answer *a)
{
    ia_wire_arena_fini(&a->arena);
    *a = (struct ia_wire_answer){0};
}

void ia_wire_reply_fail(struct ia_wire_reply *r, enum ia_wire_code code,
                        enum ia_wire_outcome outcome, bool keep_body, const char *fmt, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (!keep_body) {
        r->u = (union ia_wire_reply_body){0};
    }
    r->code = (uint16_t)code;
    r->outcome = (uint8_t)outcome;
    r->retry_safe = outcome == IA_WIRE_NONE || outcome == IA_WIRE_NOT_SENT;
    r->has_body = keep_body;
    r->text = ia_wire_str(&r->arena, text);
}

void ia_wire_reply_ok(struct ia_wire_reply *r, bool effect)
{
    r->code = IA_WIRE_OK;
    r->outcome = effect ? IA_WIRE_SENT : IA_WIRE_NONE;
    r->retry_safe = !effect;
    r->has_body = true;
    r->text = "";
}

bool ia_wire_depths_ok(const struct ia_wire_node *nodes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t most = i == 0 ? 0 : nodes[i - 1].depth + 1U;
        if (nodes[i].depth > most || nodes[i].depth > IA_WIRE_DEPTH_MAX ||
            (i > 0 && nodes[i].depth == 0)) {
            return false;
        }
    }
    return true;
}

bool ia_wire_batchable(uint8_t op)
{
    const struct ia_wire_op *o = ia_wire_op(op);
    /* No control requests, which the connection's own thread answers, and no batch in a
     * batch. */
    return o && o->reply && !o->control && op != IA_WIRE_OP_BATCH;
}
