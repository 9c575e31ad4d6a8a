/* recordings.h: rows of recordings, passed runs that can be replayed (agent/recording/recording.h).
 *
 *     candidate ──a replay passes──► trusted          a model's run that was not replayed yet
 *     quarantined ──IA_RECORDING_PASSES replays pass, or somebody accepts it──► trusted,
 *                   and its parent is replaced
 *     any ──somebody rejects it──► rejected
 *     any ──a file beside the goal differs──► replaced
 *
 * The body of a row never changes. ia_tx_… functions write in the caller's transaction, and their errors show at
 * its commit; ia_store_… functions read, on any thread, and return the store's errors and those named. */
#ifndef IA_STORE_RECORDINGS_H
#define IA_STORE_RECORDINGS_H

#include "store/store.h"

enum { IA_RECORDING_PASSES = 3 };

enum ia_recording_state {
    IA_RECORDING_CANDIDATE,
    IA_RECORDING_TRUSTED,
    IA_RECORDING_QUARANTINED,
    IA_RECORDING_REJECTED,
    IA_RECORDING_REPLACED,
    IA_RECORDING_STATE_COUNT
};
const char *ia_recording_state_name(enum ia_recording_state state);
enum ia_recording_state ia_recording_state_from_name(const char *name);

struct ia_recording_row {
    const char *id, *name, *goal_hash;
    const char *run_id; /* of the run that was recorded, or NULL */
    const char *parent; /* the recording that was healed, or NULL */
    enum ia_recording_state state;
    int passes;             /* replays in a row that passed without a model */
    const char *steps_hash; /* of the actions and their targets */
    const char *body;       /* TOML */
    const char *decided_by;
    int64_t decided_ms, created_ms;
};

/* Adds a row; sets its id, passes and times itself and writes the id to ret_id. */
void ia_tx_add_recording(struct ia_tx *tx, const struct ia_recording_row *row,
                         char ret_id[IA_ID_SIZE]);
/* The same unless there is one with that goal, body, state and decider, whose id it writes. */
void ia_tx_add_recording_once(struct ia_tx *tx, const struct ia_recording_row *row,
                              char ret_id[IA_ID_SIZE]);
/* Imports a recording from a file, which its author trusts: replaces the goal's other recordings, except those healed
 * from this one. ret_id is the row with this body, which is added if there is none; run_id may be a run of another
 * machine. Unless by_hand, a rejected recording stays rejected, and recordings healed from it take precedence. */
void ia_tx_import_recording(struct ia_tx *tx, const struct ia_recording_row *row, bool by_hand,
                            char ret_id[IA_ID_SIZE]);
/* The newest run of the goal that passed by expectations and should be recorded: a healed run that is not recorded
 * yet or, if the goal has no recording at all, a run by a model alone. *ret is NULL if there is none. Free it with
 * ia_run_row_free. */
enum ia_rc ia_store_run_to_record(struct ia_store *s, const char *goal_hash,
                                  struct ia_run_row **ret, struct ia_err *err);
/* Sets the recording that the run replays. */
void ia_tx_run_replays(struct ia_tx *tx, const char *run_id, const char *recording_id);
/* Counts a replay without a model that passed, or starts the count anew: at 0, or at -1 in quarantine, where the
 * recording then comes after its parent. Changes the state if that is due. */
void ia_tx_recording_replayed(struct ia_tx *tx, const char *id, bool passed);
/* *ret is true if the same steps of that goal were rejected before. */
void ia_tx_recording_rejected(struct ia_tx *tx, const struct ia_recording_row *row, bool *ret);
/* Returns true if the same steps are in quarantine already: writes that row's id to ret_id. If row->run_id is a later
 * run than that row's, it becomes that row's run, and the count 0. */
bool ia_tx_recording_same_heal(struct ia_tx *tx, const struct ia_recording_row *row,
                               char ret_id[IA_ID_SIZE]);
/* Accepts or rejects a recording; its parent is replaced, or comes back. IA_E_STATE at the commit: it was decided
 * before. */
void ia_tx_decide_recording(struct ia_tx *tx, const char *id, bool accept, const char *by);

/* Finds a recording by its id, or a part of it as for runs, or by the name of its goal: then the newest that is neither
 * rejected nor replaced. Free *ret with ia_recording_row_free. IA_E_NOT_FOUND; IA_E_USAGE: the text is ambiguous. */
enum ia_rc ia_store_recording(struct ia_store *s, const char *text,
                              struct ia_recording_row **ret, struct ia_err *err);
/* The recording to replay for a goal: the newest in quarantine, else the newest trusted, else a candidate. *ret is NULL if
 * there is none; free it with ia_recording_row_free. */
enum ia_rc ia_store_recording_for(struct ia_store *s, const char *goal_hash,
                                  struct ia_recording_row **ret, struct ia_err *err);
/* Writes how many runs of the recording passed with a model's help at that step, from 1. */
enum ia_rc ia_store_recording_heals(struct ia_store *s, const char *id, int64_t step,
                                    int64_t *ret, struct ia_err *err);
/* The recording made from a run; *ret is NULL if there is none. Free it with ia_recording_row_free. */
enum ia_rc ia_store_recording_of(struct ia_store *s, const char *run_id,
                                 struct ia_recording_row **ret, struct ia_err *err);
void ia_recording_row_free(struct ia_recording_row *row);

typedef bool ia_recording_fn(void *ctx, const struct ia_recording_row *row);
/* Calls fn for each recording, newest first, until it returns false. name NULL: all goals; state is a state's name, or
 * NULL for any. */
enum ia_rc ia_store_recordings(struct ia_store *s, const char *name, const char *state,
                               ia_recording_fn *fn, void *ctx, struct ia_err *err);

/* Calls fn once with the goal's file as the newest sweep that ran it named it, and with that sweep's options as
 * JSON; not at all if no sweep ran it. */
typedef void ia_goal_file_fn(void *ctx, const char *file, const char *options);
enum ia_rc ia_store_goal_file(struct ia_store *s, const char *goal_hash, ia_goal_file_fn *fn,
                              void *ctx, struct ia_err *err);

#endif
