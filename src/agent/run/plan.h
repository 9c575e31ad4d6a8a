/* plan.h: a plan of a run, made before anything is touched (--plan). */
#ifndef IA_AGENT_RUN_PLAN_H
#define IA_AGENT_RUN_PLAN_H

#include "agent/loop/run_ctx.h"

/* Makes the plan that the request wants, unless an earlier attempt did, and asks a person about it where that is
 * wanted; then the run may have ended for now. Nothing is done where no plan is wanted. rc is the store's; what
 * concerns the run ends it. Run's thread. */
enum ia_rc ia_plan(struct ia_run_ctx *run, struct ia_err *err);

#endif
