/* tools.h: the tool calls of one turn, in order, through the journal. */
#ifndef IA_AGENT_RUN_TOOLS_H
#define IA_AGENT_RUN_TOOLS_H

#include "agent/loop/commit.h"
#include "agent/tools/calls.h"

/* Runs the calls in order, commits each result, the user message with the last, and appends it
 * to the history. The intents are committed. *resumed: as in struct ia_say. */
enum ia_rc ia_tools_run(struct ia_run_ctx *run, const struct ia_calls *calls, bool *resumed,
                        struct ia_err *err);
/* Says in that transaction that the call is in hand, and until when it may take. */
void ia_tools_started(struct ia_commit *c, const struct ia_tool_call *call);

#endif
