/* tools.h: the tool calls of one turn, in order, through the journal. */
#ifndef IA_AGENT_RUN_TOOLS_H
#define IA_AGENT_RUN_TOOLS_H

#include "agent/loop/commit.h"
#include "agent/tools/calls.h"

/* Runs the calls in order, commits each result, the user message with the last, and appends it
 * to the history. The intents are committed. */
enum ia_rc ia_tools_run(struct ia_run_ctx *run, const struct ia_calls *calls,
                        struct ia_err *err);
/* Body of tool.started. */
void ia_tools_started_json(struct ia_run_ctx *run, const struct ia_tool_call *call,
                           struct ia_buf *out);
/* Says in that transaction until when the call may take, NULL: none is in hand. */
void ia_tools_in_hand(struct ia_commit *c, const struct ia_tool_call *call);

#endif
