/* request.h: one request to the model: its budget, its accounting, and what is written of its
 * answer. The acting model and the verifier both come through here. */
#ifndef IA_AGENT_LOOP_REQUEST_H
#define IA_AGENT_LOOP_REQUEST_H

#include "agent/claude/client.h"
#include "agent/loop/run_ctx.h"

/* A call of the model with its budget, hooks, accounting and cpu time. why->code is IA_OK with
 * a reply; otherwise the run has ended for that reason and there is none. */
enum ia_rc ia_request_send(struct ia_run_ctx *run, struct ia_claude_request *req,
                           struct ia_claude_reply *ret, struct ia_err *why, struct ia_err *err);
/* The same for an optional request: a failure does not end the run and is returned in why. */
enum ia_rc ia_request_try(struct ia_run_ctx *run, struct ia_claude_request *req,
                          struct ia_claude_reply *ret, struct ia_err *why, struct ia_err *err);
/* The request to the acting model; borrows from the run and from system, which it fills. */
struct ia_claude_request ia_request_acting(struct ia_run_ctx *run, struct ia_str system[2]);
/* What is said of an answer; texts borrow from the reply. Counts the host time of the turn, so
 * once for each answer. purpose is "act", "verify", "plan", "compact" or "see". */
struct ia_event_request_finished ia_request_finished(struct ia_run_ctx *run,
                                                     const struct ia_claude_reply *reply,
                                                     const char *purpose);
/* The transcript's row of an answer; strings borrow from the reply and content. */
struct ia_message_row ia_request_row(const struct ia_claude_reply *reply, const char *purpose,
                                     const struct ia_buf *content);

#endif
