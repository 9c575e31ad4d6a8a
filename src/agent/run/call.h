/* call.h: one tool call of a turn: made or refused, and what the model is told of it. */
#ifndef IA_AGENT_RUN_CALL_H
#define IA_AGENT_RUN_CALL_H

#include "agent/loop/commit.h"
#include "agent/tools/act.h"
#include "agent/tools/calls.h"
#include "base/jsonw.h"

/* Makes the call, or says why not: code, outcome and the whole text for the model into r, which
 * was initialised. A call of an earlier attempt of which nothing is known, or that comes after
 * one, is answered without being made. May end the run. */
enum ia_rc ia_call_make(struct ia_run_ctx *run, const struct ia_tool_call *call,
                        struct ia_tool_result *r, struct ia_err *err);
/* The answer to a call that was not made because the run ended, or stopped for now. */
void ia_call_not_made(struct ia_run_ctx *run, const struct ia_tool_call *call,
                      struct ia_tool_result *r);

/* The content of the tool_result: a JSON string, or blocks where there is an image. */
void ia_call_content(const struct ia_tool_result *r, struct ia_buf *out);
/* The tool_result block with that content. */
void ia_call_block(struct ia_jsonw *w, const struct ia_tool_call *call, bool is_error,
                   struct ia_str content);

/* Adds the event of the suspicious texts that the last call showed; nothing where it showed none. */
void ia_call_suspicious(struct ia_commit *c, int step);

#endif
