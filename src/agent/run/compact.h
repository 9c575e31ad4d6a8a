/* compact.h: keeps the conversation of a long run small, so that a step costs the same however many
 * went before. */
#ifndef IA_AGENT_RUN_COMPACT_H
#define IA_AGENT_RUN_COMPACT_H

#include "agent/loop/run_ctx.h"

/* The stop reason of the message with which a conversation goes on from a summary: the service's own
 * word for its answer. What stands before that row in the transcript is sent no more. */
#define IA_COMPACTED "compaction"

/* To be called between turns. Where the conversation has more tokens than the request allows, it goes
 * on from a summary: that of the service where the model writes one, else a list of what was done. The
 * rows, the event context.compacted and what the summary cost are one transaction. A summary that
 * fails does not end the run. Nothing for the demo brain, which follows its goal through the whole
 * conversation, and costs nothing. */
enum ia_rc ia_compact(struct ia_run_ctx *run, struct ia_err *err);

/* Whether a request failed because of the conversation: it is too long for the model, which large
 * screens can make of it below any limit; or it goes on from a summary that this server or model cannot
 * read, as a conversation may be continued with another model. */
bool ia_compact_helps(const struct ia_run_ctx *run, const struct ia_err *why);
/* Goes on from a list of what was done. */
enum ia_rc ia_compact_to_list(struct ia_run_ctx *run, struct ia_err *err);

#endif
