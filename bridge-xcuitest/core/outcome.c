/* outcome.c: replies that are made of other replies: the failure of a primitive becomes that of
 * the operation around it, and the outcomes of a batch's items become the batch's own. Pure. */
#include "core/impl.h"

void ia_bridge_copy_failure(struct ia_wire_reply *to, const struct ia_wire_reply *from)
{
    ia_wire_reply_fail(to, (enum ia_wire_code)from->code, (enum ia_wire_outcome)from->outcome,
                       false, "%s", from->text ? from->text : "");
    to->retry_safe = from->retry_safe;
}

void ia_bridge_batch_outcome(struct ia_wire_reply *to, bool effect)
{
    /* The numbers grow with the damage: none, not_sent, sent, unknown. */
    uint8_t outcome = effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
    for (uint32_t i = 0; i < to->u.batch.items_n; i++) {
        uint8_t one = to->u.batch.items[i].outcome;
        outcome = one > outcome ? one : outcome;
    }
    ia_wire_reply_ok(to, effect);
    to->outcome = outcome;
    to->retry_safe = outcome == IA_WIRE_NONE || outcome == IA_WIRE_NOT_SENT;
}
