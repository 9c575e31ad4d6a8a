/* spent.h: what a run has used up so far, as its events say it. */
#ifndef IA_AGENT_LOOP_SPENT_H
#define IA_AGENT_LOOP_SPENT_H

#include "agent/loop/run_ctx.h"
#include "base/jsonw.h"

/* Writes the member "spent" of an event. */
void ia_spent_json(const struct ia_run_ctx *run, struct ia_jsonw *w);

#endif
