/* spent.h: what a run has used up so far, as its events say it. */
#ifndef IA_AGENT_LOOP_SPENT_H
#define IA_AGENT_LOOP_SPENT_H

#include "agent/loop/run_ctx.h"

struct ia_event_spent ia_spent_event(const struct ia_run_ctx *run);

#endif
