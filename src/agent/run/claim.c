/* claim.c: the moves of a run between claimed and the states in which nobody has it. */
#include "agent/run/claim.h"

#include "agent/run/retry.h"
#include "agent/run/run_store.h"
#include "base/jsonw.h"
#include "store/queue.h"

/* ---- claiming --------------------------------------------------------------------------- */

static enum ia_rc not_due(const struct ia_run_row *row, int64_t now_ms, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_STATE, "run %s is retried in %lld s", row->id,
                               (long long)((row->retry_at_ms - now_ms + 999) / 1000));
    err->retry_after_ms = row->retry_at_ms - now_ms;
    return rc;
}

enum ia_rc ia_claim_take(struct ia_store *store, const char *run_id, struct ia_err *err)
{
    struct ia_err own;
    struct ia_run_row *row = NULL;
    struct ia_tx *tx = NULL;
    err = err ? err : &own;
    /* Read outside the transaction, as a hint only: ia_run_move checks the state again
     * inside. */
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK) {
        rc = ia_tx_begin(store, &tx, err);
    }
    if (rc == IA_OK && row->state == IA_RUN_RETRY_WAIT &&
        row->retry_at_ms > ia_tx_wall_ms(tx)) {
        rc = not_due(row, ia_tx_wall_ms(tx), err);
        ia_tx_rollback(tx);
    } else if (rc == IA_OK) {
        if (row->state == IA_RUN_RETRY_WAIT) {
            ia_run_move(tx, run_id, IA_RUN_QUEUED, NULL, NULL);
        }
        ia_run_move(tx, run_id, IA_RUN_CLAIMED, NULL, NULL);
        rc = ia_tx_commit(tx, err);
    }
    ia_run_row_free(row);
    return rc;
}

/* ---- giving back ------------------------------------------------------------------------ */

enum ia_rc ia_claim_put_back(struct ia_store *store, const char *run_id, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_put_back_run(tx, run_id);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

static int tries_of(const struct ia_run_row *row)
{
    char boundary[IA_BOUNDARY_SIZE];
    struct ia_job *job = NULL;
    int n = IA_TRIES_MAX;
    if (ia_run_store_read(row, &job, boundary, NULL) == IA_OK &&
        ia_job_request(job)->tries > 0) {
        n = ia_job_request(job)->tries;
    }
    ia_job_free(job);
    return n;
}

/* The key may be there in another process, or later. A run that never began is reported at once
 * instead: nothing of it is lost, and a schedule's series must not fall silent. */
static bool waits_for_key(const struct ia_run_row *row, enum ia_rc code)
{
    return row->started_ms > 0 && (code == IA_E_KEY_MISSING || code == IA_E_KEY_PASSPHRASE ||
                                   code == IA_E_KEY_FILE_MODE);
}

static enum ia_run_state refused_to(const struct ia_run_row *row, const struct ia_err *why)
{
    if (why->code == IA_E_BUSY || waits_for_key(row, why->code)) {
        return IA_RUN_QUEUED;
    }
    bool again = ia_rc_retryable(why->code) && row->attempt < tries_of(row);
    return again ? IA_RUN_RETRY_WAIT : IA_RUN_ERROR;
}

enum ia_rc ia_claim_refuse(struct ia_store *store, const char *run_id, const struct ia_err *why,
                           enum ia_run_state *ret_state, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK) {
        *ret_state = refused_to(row, why);
        rc = ia_tx_begin(store, &tx, err);
    }
    if (rc == IA_OK) {
        struct ia_str state = ia_str(ia_run_state_name(*ret_state));
        struct ia_str code = ia_str(ia_rc_name(why->code)), message = ia_str(why->msg);
        const struct ia_event_run_refused refused = {state, code, message, ia_str(why->hint)};
        const struct ia_event_run_finished finished = {state, code, message,
                                                       .hint = ia_str(why->hint)};
        const struct ia_run_moved moved = {
            .event = *ret_state == IA_RUN_ERROR ? IA_EVENT(&finished) : IA_EVENT(&refused),
            .code = code.p,
            .summary = why->msg,
            .retry_at_ms =
                ia_tx_wall_ms(tx) + ia_retry_delay_ms(row->attempt, why->retry_after_ms),
        };
        ia_run_move(tx, run_id, *ret_state, &moved, NULL);
        rc = ia_tx_commit(tx, err);
    }
    ia_run_row_free(row);
    return rc;
}
