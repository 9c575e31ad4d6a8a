/* finish.h: the proof rule: what `finish` has to show before a run passes. */
#ifndef IA_AGENT_VERDICT_FINISH_H
#define IA_AGENT_VERDICT_FINISH_H

#include "agent/loop/run_ctx.h"

/* Judges `finish` by its checked input. Ends the run, or appends to text what is missing
 * (IA_E_NOT_MET). */
enum ia_rc ia_finish(struct ia_run_ctx *run, const json_t *input, struct ia_buf *text,
                     struct ia_err *err);
/* Ends the run by a finish that was accepted before. */
void ia_finish_restore(struct ia_run_ctx *run, const json_t *input);

#endif
