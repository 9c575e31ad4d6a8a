/* target.c: the element that a request names: is the request clear, which node is meant, and
 * how a failure names the element. Pure. */
#include "core/impl.h"

#include <stdio.h>
#include <string.h>

bool ia_bridge_check_target(const struct ia_wire_target *t, bool may_be_none,
                            struct ia_wire_reply *reply)
{
    const struct ia_wire_selector *s = t->selector;
    const char *error = NULL;
    if (t->signature && s) {
        error = "both a signature and a selector are given; send one of them";
    } else if (!t->signature && !s && !may_be_none) {
        error = "no element is named; send a signature or a selector";
    } else if (s && !s->identifier && !s->label && !s->value && !s->text && s->type == 0) {
        error = "an empty selector matches everything; set at least one of its fields";
    }
    if (error) {
        ia_wire_reply_fail(reply, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, false, "%s", error);
    }
    return !error;
}

/* Appends "label 'Save'", after a " with " unless it comes first. */
static void append(char *out, size_t size, const char *what, const char *text)
{
    size_t n = strlen(out);
    if (text) {
        snprintf(out + n, size - n, "%s%s '%.80s'", n ? " with " : "", what, text);
    }
}

/* "Button with label 'Save'" */
static void describe(const struct ia_wire_target *t, char *out, size_t size)
{
    const struct ia_wire_selector *s = t->selector;
    const struct ia_wire_signature *g = t->signature;
    uint16_t type = s ? s->type : g ? g->type : 0;
    out[0] = 0;
    if (type) {
        snprintf(out, size, "%s", ia_wire_type_name(type));
    }
    append(out, size, "identifier", s ? s->identifier : g ? g->identifier : NULL);
    append(out, size, "label", s ? s->label : g ? g->label : NULL);
    append(out, size, "value", s ? s->value : NULL);
    append(out, size, "identifier or label", s ? s->text : NULL);
    if (s && s->index != 0 && s->index != IA_WIRE_UNIQUE) {
        size_t n = strlen(out);
        snprintf(out + n, size - n, "[%u]", s->index);
    }
}

/* Completes "Element with label 'Save' …". */
static const char *reason_text(enum ia_wire_code code)
{
    switch (code) {
    case IA_WIRE_E_NOT_FOUND:
        return "not found";
    case IA_WIRE_E_STALE_REF:
        return "is gone, or cannot be distinguished from others like it";
    case IA_WIRE_E_NOT_VISIBLE:
        return "is not visible";
    case IA_WIRE_E_COVERED:
        return "is covered by another element";
    case IA_WIRE_E_DISABLED:
        return "is disabled";
    case IA_WIRE_E_MOVING:
        return "did not hold still";
    default:
        return "matches more than one element";
    }
}

void ia_bridge_fail_target(struct ia_wire_reply *to, const struct ia_wire_target *t,
                           enum ia_wire_code code)
{
    char what[400];
    const struct ia_wire_op *op = ia_wire_op(to->op);
    describe(t, what, sizeof(what));
    ia_wire_reply_fail(to, code, op && op->effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, false,
                       "Element with %s %s", what[0] ? what : "the keyboard",
                       reason_text(code));
}

enum ia_wire_code ia_bridge_resolve(struct ia_bridge_view v, const struct ia_wire_target *t,
                                    int32_t *ret_at)
{
    *ret_at = IA_BRIDGE_NONE;
    if (t->signature) {
        *ret_at = ia_bridge_find_signature(v, t->signature);
        return *ret_at == IA_BRIDGE_NONE ? IA_WIRE_E_STALE_REF : IA_WIRE_OK;
    }
    if (t->selector) {
        uint32_t n = ia_bridge_select(v, t->selector, ret_at);
        if (n > 1 && t->selector->index == IA_WIRE_UNIQUE) {
            return IA_WIRE_E_AMBIGUOUS;
        }
        return *ret_at == IA_BRIDGE_NONE ? IA_WIRE_E_NOT_FOUND : IA_WIRE_OK;
    }
    /* Neither: the element that has the keyboard. */
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.nodes[i].flags & IA_WIRE_NODE_FOCUSED) {
            *ret_at = (int32_t)i; /* the innermost: it comes last */
        }
    }
    return *ret_at == IA_BRIDGE_NONE ? IA_WIRE_E_NO_KEYBOARD : IA_WIRE_OK;
}
