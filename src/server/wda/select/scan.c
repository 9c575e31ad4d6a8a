/* scan.c: one pass in pre-order. */
#include "server/wda/select/scan.h"

void ia_wda_scan(const struct ia_wda_screen *s, int32_t from, int32_t end,
                 const struct ia_wda_match *match, bool first, struct ia_wda_effort *effort,
                 struct ia_wda_nodes *ret)
{
    for (int32_t i = from; i < end && ia_wda_spend(effort, 1); i++) {
        if (match->holds(match->ctx, s, i, effort)) {
            ia_wda_nodes_add(ret, i);
            if (first) {
                return;
            }
        }
    }
}
