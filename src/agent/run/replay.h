/* replay.h: turns that come from a recording instead of the model. They go through the same journal, so a replay
 * that was killed resumes as any run does (resume.h). One thread a run; errors are the store's unless named. */
#ifndef IA_AGENT_RUN_REPLAY_H
#define IA_AGENT_RUN_REPLAY_H

#include "agent/goal/job.h"
#include "agent/loop/run_ctx.h"
#include "store/recordings.h"

/* Finds the recording that a person names by its id, its goal or a run. If that run, or the goal's newest run that
 * passed by expectations, has no recording yet, it is recorded now. *ret_job is the run's job, or NULL if the run was
 * on another machine. Free both. IA_E_NOT_FOUND; IA_E_STATE: the run cannot be recorded, and why. */
enum ia_rc ia_replay_named(struct ia_store *store, const char *text,
                           struct ia_recording_row **ret, struct ia_job **ret_job,
                           struct ia_err *err);

/* Chooses the recording that a run of that request replays. If the goal's newest run that passed by expectations has no
 * recording yet, it is recorded now. ret_id is "" if there is none; *why, which the caller zeroes, then says why the run
 * that passed cannot be recorded. */
enum ia_rc ia_replay_choose(struct ia_store *store, const struct ia_run_request *req,
                            char ret_id[IA_ID_SIZE], struct ia_err *why, struct ia_err *err);
/* Sets err for a run that may only be replayed and has no recording: IA_E_NOT_FOUND. */
enum ia_rc ia_replay_none(const struct ia_err *why, struct ia_err *err);

/* Reads the recording that the request names and, after a resume, how far the run had come. Does nothing if the
 * request names none. IA_E_NOT_FOUND, IA_E_CONFIG; IA_E_STATE: the recording is of another goal. */
enum ia_rc ia_replay_load(struct ia_run_ctx *run, struct ia_err *err);

/* Does the next step of the recording or, after the last, finishes the run. If the screen is not as recorded, the run
 * ends or a model takes over; if the step before did not have its recorded effect, the run ends with that step's
 * outcome. *resumed: as in struct ia_say. */
enum ia_rc ia_replay_turn(struct ia_run_ctx *run, bool *resumed, struct ia_err *err);

/* Call before the first turn of an attempt that resumes while a model does a step: the step may be done already. */
enum ia_rc ia_replay_resumed(struct ia_run_ctx *run, struct ia_err *err);
/* Records the outcome of a call from the recording; err has its code. A failed call fails its step, whatever the
 * screen shows. */
void ia_replay_called(struct ia_run_ctx *run, enum ia_outcome outcome,
                      const struct ia_err *err);
/* Call after each turn of a model that does a step: returns to the recording once the step has its recorded effect.
 * Ends the run if the model needs too many turns. */
enum ia_rc ia_replay_rejoin(struct ia_run_ctx *run, struct ia_err *err);
/* True if the model may make that call: while it does a step of a recording, only calls like the step's own are
 * allowed. */
bool ia_replay_allows(const struct ia_run_ctx *run, enum ia_tool tool, const json_t *input);

#endif
