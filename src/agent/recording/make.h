/* make.h: makes a recording from the rows of a run. Any thread. */
#ifndef IA_AGENT_RECORDING_MAKE_H
#define IA_AGENT_RECORDING_MAKE_H

#include "agent/recording/recording.h"
#include "store/recordings.h"
#include "store/store.h"

/* Makes the recording of a run that passed. Release *ret with json_decref. IA_E_STATE, with the reason and a hint, if
 * the run cannot be replayed: it did not pass, no expectation was false at first, the outcome of an action is
 * unknown, or an element could not be found again. */
enum ia_rc ia_recording_make(struct ia_store *store, const struct ia_run_row *row,
                             const struct ia_run_request *req, json_t **ret,
                             struct ia_err *err);

/* Makes the recording and stores it as a row with the id ret_id. If a model healed the run, the recording is in
 * quarantine; IA_E_STATE if the same change was rejected before. */
enum ia_rc ia_recording_keep(struct ia_store *store, const struct ia_run_row *row,
                             const struct ia_run_request *req, char ret_id[IA_ID_SIZE],
                             struct ia_err *err);

/* The members of a row that follow from the recording; the caller fills in the others. Borrows from the recording; free
 * body with ia_buf_fini. IA_E_LIMIT: the body is too large. */
struct ia_recording_put {
    struct ia_recording_row row;
    struct ia_buf body;
    char steps_hash
        [IA_SHA256_HEX_SIZE]; /* of actions and targets, without times and the model's words */
};
enum ia_rc ia_recording_put(const json_t *recording, struct ia_recording_put *ret,
                            struct ia_err *err);

#endif
