/* effort.h: how much work one search may be: a pattern, or a path through a large tree, can ask for more
 * than anybody waits for. */
#ifndef IA_SERVER_WDA_SELECT_EFFORT_H
#define IA_SERVER_WDA_SELECT_EFFORT_H

#include "base/err.h"

struct ia_wda_effort {
    int64_t until_us; /* CPU time of the thread */
    size_t unchecked; /* steps since the time was read */
    bool spent;
};

/* Begins a search of at most `ms` of the thread's time. */
struct ia_wda_effort ia_wda_effort(int ms);
/* Notes about n steps of work, a byte each. False when the time is over, for ever after. */
bool ia_wda_spend(struct ia_wda_effort *e, size_t steps);
/* IA_E_TIMEOUT when it is over. */
enum ia_rc ia_wda_effort_check(const struct ia_wda_effort *e, struct ia_err *err);

#endif
