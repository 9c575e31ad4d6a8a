/* claim.h: taking one run for this process, and giving it back undone. */
#ifndef IA_AGENT_RUN_CLAIM_H
#define IA_AGENT_RUN_CLAIM_H

#include "base/err.h"
#include "store/store.h"

/* Claims that run for this process, whatever waits before it: from queued, or from retry_wait
 * once its time has come (a further attempt then). IA_E_BUSY when a living process has it,
 * IA_E_STATE when it is over or its retry is not due. */
enum ia_rc ia_claim_take(struct ia_store *store, const char *run_id, struct ia_err *err);
/* For a run that this process claimed and cannot do, as its device or its model cannot be
 * opened: back to queued where the device is busy, or where a run that was begun lacks its key
 * (ask again later, not at once), into retry_wait where it can pass and tries are left, else
 * into error. ret_state is the state it came to. */
enum ia_rc ia_claim_refuse(struct ia_store *store, const char *run_id, const struct ia_err *why,
                           enum ia_run_state *ret_state, struct ia_err *err);
/* For a run that this process claimed or runs, and of which what came could not be written:
 * back to queued, as after a kill. It can go on from what was written. */
enum ia_rc ia_claim_put_back(struct ia_store *store, const char *run_id, struct ia_err *err);

#endif
