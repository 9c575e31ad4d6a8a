/* replay.h: turns that a recording gives instead of the model. They go through the same journal, so what
 * is said of a run that was killed (resume.h) holds for a replay, too. */
#ifndef IA_AGENT_RUN_REPLAY_H
#define IA_AGENT_RUN_REPLAY_H

#include "agent/goal/job.h"
#include "agent/loop/run_ctx.h"
#include "store/recordings.h"

/* The recording that people name by its id, by its goal or by a run; the run, or the newest of the goal that passed by
 * code, is recorded now where that was not done before. *ret_job is what that run was asked to do; NULL for one of
 * another machine. Free both. IA_E_NOT_FOUND, IA_E_STATE. */
enum ia_rc ia_replay_named(struct ia_store *store, const char *text,
                           struct ia_recording_row **ret, struct ia_job **ret_job,
                           struct ia_err *err);

/* Reads the recording that the request names, and, where the run has begun, how far it came. Nothing where it names
 * none. IA_E_NOT_FOUND, IA_E_CONFIG, IA_E_STATE: it is one of another goal. */
enum ia_rc ia_replay_load(struct ia_run_ctx *run, struct ia_err *err);

/* The next step of the recording, or, behind the last one, the verdict. Where the screen is not what was recorded,
 * the run ends: with the outcome of the step before where that did not lead to what it led to. *resumed: as in
 * struct ia_say. */
enum ia_rc ia_replay_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err);

/* Before the first turn of an attempt that goes on where a model does a step: what that did before may have been all
 * of it. */
enum ia_rc ia_replay_resumed(struct ia_run_ctx *run, struct ia_err *err);
/* What a call of the recording came to; err has its code. One that failed fails its step, whatever the screen shows. */
void ia_replay_called(struct ia_run_ctx *run, enum ia_outcome outcome,
                      const struct ia_err *err);
/* After a turn of a model that does a step: the recording goes on where that has led to what it led to before. A
 * model that needs too many turns ends the run. */
enum ia_rc ia_replay_rejoin(struct ia_run_ctx *run, struct ia_err *err);
/* Whether a model that does a step may make that call; another run's may make all. */
bool ia_replay_allows(const struct ia_run_ctx *run, enum ia_tool tool, const json_t *input);

#endif
