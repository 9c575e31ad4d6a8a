/* compact.h: keeps the conversation of a long run small, so that the cost of a step does not grow with the
 * number of steps. */
#ifndef IA_AGENT_RUN_COMPACT_H
#define IA_AGENT_RUN_COMPACT_H

#include "agent/loop/run_ctx.h"

/* The stop reason of a message that holds a summary, as the service names it. Rows of the transcript before that
 * message are no longer sent. */
#define IA_COMPACTED "compaction"

/* Replaces the conversation by a summary if it has more tokens than the request allows. Call it between turns. The
 * model writes the summary if it can; otherwise it is a list of the steps done. The rows, the event
 * context.compacted and the cost of the summary are one transaction. A summary that fails does not end the run:
 * errors are the store's. Does nothing for the demo brain, which needs the whole conversation. */
enum ia_rc ia_compact(struct ia_run_ctx *run, struct ia_err *err);

/* True if a request failed because of its conversation and ia_compact_to_list may help: it is too long for the
 * model, as large screens can make it, or it begins with a summary that this server or model cannot read,
 * as after a change of the model. */
bool ia_compact_helps(const struct ia_run_ctx *run, const struct ia_err *why);
/* Replaces the conversation by a list of the steps done, as above. */
enum ia_rc ia_compact_to_list(struct ia_run_ctx *run, struct ia_err *err);

#endif
