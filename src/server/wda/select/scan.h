/* scan.h: the elements of a subtree for which something holds. */
#ifndef IA_SERVER_WDA_SELECT_SCAN_H
#define IA_SERVER_WDA_SELECT_SCAN_H

#include "server/wda/select/effort.h"
#include "server/wda/select/node.h"

typedef bool ia_wda_match_fn(void *ctx, const struct ia_wda_screen *s, int32_t node,
                             struct ia_wda_effort *effort);

struct ia_wda_match {
    ia_wda_match_fn *holds;
    void *ctx;
};

/* Appends those from `from` up to `end` in pre-order, with `first` one at most; stops when the effort is
 * spent. */
void ia_wda_scan(const struct ia_wda_screen *s, int32_t from, int32_t end,
                 const struct ia_wda_match *match, bool first, struct ia_wda_effort *effort,
                 struct ia_wda_nodes *ret);

#endif
