/* finish.h: the proof rule: what `finish` has to show before a run passes. */
#ifndef IA_AGENT_VERDICT_FINISH_H
#define IA_AGENT_VERDICT_FINISH_H

#include "agent/loop/run_ctx.h"

/* Judges `finish` by its checked input. *why is the result of the tool: IA_OK where the run
 * ended with a verdict; IA_E_NOT_MET with what is missing appended to text; or why the proof
 * could not be looked at. */
enum ia_rc ia_finish(struct ia_run_ctx *run, const json_t *input, struct ia_buf *text,
                     struct ia_err *why, struct ia_err *err);
/* Ends the run by a finish that was accepted before. */
void ia_finish_restore(struct ia_run_ctx *run, const json_t *input);
/* Ends it where the refusals so far were too many. */
void ia_finish_restore_refused(struct ia_run_ctx *run);

/* True if a verifier must confirm a pass. */
bool ia_finish_asks(const struct ia_run_ctx *run);

#endif
