/* ask.h: the user's policy at the call in hand (agent/policy/policy.h), and the questions that come of it.
 *
 *     allow ─► the call is made            deny ─► it is answered with an error
 *     ask   ─► COMMIT question, run blocked ─► a person answers, the run is queued (store/questions.h)
 *              ─► resumed: approved, and the call still is what was asked ─► COMMIT used ─► made
 *                          approved, and it is another ───────────────────► asked anew
 *                          denied ────────────────────────────────────────► answered with an error
 *
 * The intent of such a call stays open. Where a policy judges, the row of a call with an effect says from its start that
 * the effect has not begun, until the gate of the device, or of a tool that acts elsewhere, lets it begin; so a kill
 * before that leaves no unknown outcome. Run's thread. */
#ifndef IA_AGENT_RUN_ASK_H
#define IA_AGENT_RUN_ASK_H

#include "agent/loop/commit.h"
#include "agent/loop/run_ctx.h"
#include "agent/tools/calls.h"

/* The policy of the run: what the program gave it, and what its request makes stricter. */
void ia_ask_init(struct ia_run_ctx *run);
void ia_ask_fini(struct ia_run_ctx *run);
/* Reads the question of an earlier attempt. */
enum ia_rc ia_ask_recall(struct ia_run_ctx *run, struct ia_err *err);
/* Whether that call waited for an answer, or for its effect, and so did not begin. */
bool ia_ask_not_begun(const struct ia_run_ctx *run, const char *tool_use_id);
/* In the commit that starts the call: it is guarded if the policy may have a word. */
void ia_ask_started(struct ia_commit *c, const struct ia_tool_call *call);
/* In an earlier attempt the call was guarded and did not begin. */
void ia_ask_guarded(struct ia_run_ctx *run, const char *tool_use_id);
/* Before each effect on the device: the call may have begun from here on, and all that was committed is durable. A gate
 * of driver/device_forward.h; ctx is the run. */
enum ia_rc ia_ask_gate(void *ctx, struct ia_err *err);
/* Why an answer forbids the call; false: none does. */
bool ia_ask_denied(const struct ia_run_ctx *run, const struct ia_tool_call *call,
                   struct ia_err *why);
/* Whether the call may be made as far as that is known without the fresh screen. IA_E_POLICY; IA_E_ASK: the
 * run ends for now, and ia_ask_record writes the question. */
enum ia_rc ia_ask_before(struct ia_run_ctx *run, const struct ia_tool_call *call,
                         struct ia_err *why);
/* The same with the fresh screen and the element, just before the effect: permit of a session. */
enum ia_rc ia_ask_permit(void *run, const struct ia_snapshot *fresh,
                         const struct ia_element *target, struct ia_err *why);
/* Asks about a plan, or does as it was answered: approved, and the run may go on, also after a kill; denied, and it
 * ends. Nothing was begun yet. */
enum ia_rc ia_ask_plan(struct ia_run_ctx *run, struct ia_str plan, struct ia_err *err);
/* Writes the question and moves the run, in one transaction. */
enum ia_rc ia_ask_record(struct ia_run_ctx *run, struct ia_err *err);

#endif
