/* acts.h: adding to the list, for the files of this folder. */
#ifndef IA_SERVER_WDA_ACTIONS_ACTS_H
#define IA_SERVER_WDA_ACTIONS_ACTS_H

#include "server/wda/actions/actions.h"

/* The new entry, until the next one is added. */
struct ia_wda_act *ia_wda_acts_add(struct ia_wda_acts *acts, enum ia_wda_act_kind kind,
                                   int at_ms);

#endif
