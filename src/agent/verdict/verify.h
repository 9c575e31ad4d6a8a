/* verify.h: the second opinion: a model that sees the goal, what was done, the first screen and the
 * last, and none of the words of the one that acted. */
#ifndef IA_AGENT_VERDICT_VERIFY_H
#define IA_AGENT_VERDICT_VERIFY_H

#include "agent/loop/run_ctx.h"

/* More than a request has beside the last screen, for a goal of usual length. */
enum { IA_VERIFY_TOKENS = 1500 };

/* Asks the verifier what it thinks of this state of the phone, unless it has said so already:
 * run->proof.opinion then has its answer, and why->code is IA_OK. Otherwise the run has ended for
 * that reason: one of the request, or IA_E_API_STOP where two answers had no verdict. */
enum ia_rc ia_verify(struct ia_run_ctx *run, const struct ia_snapshot *last, struct ia_err *why,
                     struct ia_err *err);

#endif
