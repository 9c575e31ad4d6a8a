/* verify.h: the second opinion: a model that sees the goal, the steps and the last screen, and
 * none of the words of the one that acted. */
#ifndef IA_AGENT_VERDICT_VERIFY_H
#define IA_AGENT_VERDICT_VERIFY_H

#include "agent/loop/run_ctx.h"

/* Asks the verifier. why->code is IA_OK with its answer, whose reason is appended; otherwise
 * the run has ended for that reason. */
enum ia_rc ia_verify(struct ia_run_ctx *run, const struct ia_snapshot *last, bool *ret_agrees,
                     struct ia_buf *reason, struct ia_err *why, struct ia_err *err);

#endif
