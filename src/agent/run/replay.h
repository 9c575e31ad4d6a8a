/* replay.h: turns that a recording gives instead of the model. They go through the same journal, so what
 * is said of a run that was killed (resume.h) holds for a replay, too. */
#ifndef IA_AGENT_RUN_REPLAY_H
#define IA_AGENT_RUN_REPLAY_H

#include "agent/loop/run_ctx.h"

/* The next step of the recording, or, behind the last one, the verdict. Where the screen is not what was recorded,
 * the run ends: with the outcome of the step before where that did not lead to what it led to. *resumed: as in
 * struct ia_say. */
enum ia_rc ia_replay_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err);

#endif
