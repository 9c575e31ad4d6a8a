/* resume.h: how a run goes on from its rows. */
#ifndef IA_AGENT_RUN_RESUME_H
#define IA_AGENT_RUN_RESUME_H

#include "agent/loop/run_ctx.h"

/* Rebuilds the history from the transcript and finishes a turn that was interrupted. *resumed:
 * as in struct ia_say. */
enum ia_rc ia_resume(struct ia_run_ctx *run, bool *resumed, struct ia_err *err);
/* Appends the messages of that run, and before them of those whose conversation it goes on
 * with. */
enum ia_rc ia_resume_prefix(struct ia_run_ctx *run, const char *run_id, struct ia_err *err);

#endif
