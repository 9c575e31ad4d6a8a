/* make.h: a recording from the rows of a run. */
#ifndef IA_AGENT_RECORDING_MAKE_H
#define IA_AGENT_RECORDING_MAKE_H

#include "agent/recording/recording.h"
#include "store/recordings.h"
#include "store/store.h"

/* Makes the recording of a run that passed, of its row and its request. IA_E_STATE where it cannot be
 * replayed, with the reason and what to do: it did not pass, nothing in code says when it has passed, an action's
 * outcome is not known, nothing would find an element again. *ret is to be json_decref'ed. */
enum ia_rc ia_recording_make(struct ia_store *store, const struct ia_run_row *row,
                             const struct ia_run_request *req, json_t **ret,
                             struct ia_err *err);

/* The same, kept as a row; ret_id is its id. Of a run that a model healed it is in quarantine, and IA_E_STATE where
 * somebody rejected the same change before. */
enum ia_rc ia_recording_keep(struct ia_store *store, const struct ia_run_row *row,
                             const struct ia_run_request *req, char ret_id[IA_ID_SIZE],
                             struct ia_err *err);

/* What is the same in every row of a recording; the rest of it is the caller's. Borrows from the recording; body is to be
 * freed with ia_buf_fini. IA_E_LIMIT. */
struct ia_recording_put {
    struct ia_recording_row row;
    struct ia_buf body;
    char steps_hash
        [IA_SHA256_HEX_SIZE]; /* of what is done to what, whatever it took and was said */
};
enum ia_rc ia_recording_put(const json_t *recording, struct ia_recording_put *ret,
                            struct ia_err *err);

#endif
