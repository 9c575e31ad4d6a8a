/* recordings.h: passed runs in the form in which they can be replayed (agent/recording/recording.h).
 *
 *     candidate ──a replay passes──► trusted          a model's run, not yet done again
 *     quarantined ──IA_RECORDING_PASSES replays pass, or somebody accepts it──► trusted,
 *                   and the one that it was healed from is replaced
 *     any ──somebody rejects it──► rejected
 *     any ──a file beside the goal says otherwise──► replaced
 *
 * The body of a row never changes. */
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
    const char *run_id; /* that it was made from, or NULL */
    const char *parent; /* that it was healed from, or NULL */
    enum ia_recording_state state;
    int passes;             /* replays in a row that passed without a model */
    const char *steps_hash; /* of what is done to what */
    const char *body;       /* TOML */
    const char *decided_by;
    int64_t decided_ms, created_ms;
};

/* Adds one; id, passes and times are given here. ret_id gets the id. */
void ia_tx_add_recording(struct ia_tx *tx, const struct ia_recording_row *row,
                         char ret_id[IA_ID_SIZE]);
/* Takes one from a file, which its author trusts: what else there is of the goal is replaced, apart from what was
 * healed from it. ret_id is that of the row with this body, which is added where there is none; run_id need not be of
 * a run here. One that was rejected stays so, and what was healed from it goes before it, unless it is taken by hand. */
void ia_tx_import_recording(struct ia_tx *tx, const struct ia_recording_row *row, bool by_hand,
                            char ret_id[IA_ID_SIZE]);
/* The newest run of the goal that passed by code and is to be recorded: one that a model healed and that is no
 * recording yet; where there is no recording at all, one that a model did alone. *ret is NULL where there is none.
 * Free with ia_run_row_free. */
enum ia_rc ia_store_run_to_record(struct ia_store *s, const char *goal_hash,
                                  struct ia_run_row **ret, struct ia_err *err);
/* The run begins to replay the recording. */
void ia_tx_run_replays(struct ia_tx *tx, const char *run_id, const char *recording_id);
/* A replay of it passed without a model, or did not: counts on, or from 0. What is due by that follows. */
void ia_tx_recording_replayed(struct ia_tx *tx, const char *id, bool passed);
/* Whether somebody rejected the same steps of that goal. */
void ia_tx_recording_rejected(struct ia_tx *tx, const struct ia_recording_row *row, bool *ret);
/* Whether the same steps are in quarantine already; then they count from 0 again. */
bool ia_tx_recording_same_heal(struct ia_tx *tx, const struct ia_recording_row *row,
                               char ret_id[IA_ID_SIZE]);
/* Somebody accepts or rejects it; what it was healed from is replaced, or comes back. IA_E_STATE where it was decided before. */
void ia_tx_decide_recording(struct ia_tx *tx, const char *id, bool accept, const char *by);

/* By id, or a part of one as for runs; by the name of its goal, then the newest that is not rejected or replaced.
 * IA_E_NOT_FOUND, IA_E_USAGE. Free with ia_recording_row_free. */
enum ia_rc ia_store_recording(struct ia_store *s, const char *text,
                              struct ia_recording_row **ret, struct ia_err *err);
/* The best for a goal: the newest quarantined one, else the newest that is trusted, else a candidate. *ret is NULL
 * where there is none. */
enum ia_rc ia_store_recording_for(struct ia_store *s, const char *goal_hash,
                                  struct ia_recording_row **ret, struct ia_err *err);
/* The one that was made of a run; *ret is NULL where there is none. */
enum ia_rc ia_store_recording_of(struct ia_store *s, const char *run_id,
                                 struct ia_recording_row **ret, struct ia_err *err);
void ia_recording_row_free(struct ia_recording_row *row);

typedef bool ia_recording_fn(void *ctx, const struct ia_recording_row *row);
/* Newest first; name NULL: of all goals; state by its name, NULL: any. */
enum ia_rc ia_store_recordings(struct ia_store *s, const char *name, const char *state,
                               ia_recording_fn *fn, void *ctx, struct ia_err *err);

/* Called once, with the file of the goal as the newest sweep that ran it named it, and with that sweep's options; not
 * at all where none did. */
typedef void ia_goal_file_fn(void *ctx, const char *file, const char *options);
enum ia_rc ia_store_goal_file(struct ia_store *s, const char *goal_hash, ia_goal_file_fn *fn,
                              void *ctx, struct ia_err *err);

#endif
