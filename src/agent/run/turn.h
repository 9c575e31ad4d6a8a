/* turn.h: one request to the acting model and what follows from its answer. */
#ifndef IA_AGENT_RUN_TURN_H
#define IA_AGENT_RUN_TURN_H

#include "agent/loop/run_ctx.h"
#include "agent/tools/calls.h"

/* One request and what follows from its answer. *resumed: as in struct ia_say, for the user
 * message that comes of it. */
enum ia_rc ia_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err);
/* The same for an assistant turn that comes from a recording and costs nothing. Commits the event with it. */
enum ia_rc ia_turn_take(struct ia_run_ctx *run, const struct ia_claude_message *m,
                        struct ia_event_ref event, bool *resumed, struct ia_err *err);
/* What follows from an assistant turn that is committed. Calls of it that have no result yet
 * are made, or answered as `history` of each says. */
enum ia_rc ia_turn_go_on(struct ia_run_ctx *run, const struct ia_claude_message *m,
                         const struct ia_calls *calls, bool *resumed, struct ia_err *err);

#endif
