/* recordings.c: an order takes the recording that its run replays along; see submit_impl.h and work_impl.h. */
#include "agent/recording/make.h"
#include "agent/recording/recording_file.h"
#include "agent/run/replay.h"
#include "agent/run/run.h"
#include "app/fleet/submit_impl.h"
#include "app/fleet/work_impl.h"
#include "app/run_bundle.h"

#include <jansson.h>
#include <string.h>

enum {
    SENT_MAX = 128 << 10
}; /* bytes of a recording: it goes with the order, whose size is limited */

/* ---- the submitter ------------------------------------------------------------------------- */

/* Notes the recording at the run, whose replay counts for it in the end. */
static enum ia_rc lend(struct ia_fleet_submit *s, const char *run_id, const char *id,
                       struct ia_buf *body, bool *ret_quarantined, struct ia_err *err)
{
    struct ia_recording_row *row = NULL;
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_store_recording(s->opts.store, id, &row, err);
    if (rc == IA_OK && strlen(row->body) > SENT_MAX) {
        rc = ia_err_set(err, IA_E_LIMIT, "recording %s is too large for a worker", id);
    } else if (rc == IA_OK) {
        ia_buf_puts(body, row->body);
        *ret_quarantined = row->state == IA_RECORDING_QUARANTINED;
    }
    ia_recording_row_free(row);
    if (rc == IA_OK) {
        rc = ia_tx_begin(s->opts.store, &tx, err);
    }
    if (rc == IA_OK) {
        ia_tx_run_replays(tx, run_id, id);
        rc = ia_tx_commit_soon(tx, &s->commit, err);
    }
    return rc;
}

enum ia_rc ia_fleet_lend_recording(struct ia_fleet_submit *s, const char *run_id,
                                   struct ia_run_request *req, struct ia_buf *body,
                                   bool *ret_quarantined, struct ia_err *err)
{
    char id[IA_ID_SIZE];
    struct ia_err why = {0};
    bool only = req->replay && strcmp(req->replay, "only") == 0;
    req->recording = NULL;
    if (!req->replay) {
        return IA_OK;
    }
    enum ia_rc rc = ia_replay_choose(s->opts.store, req, id, &why, err);
    if (rc == IA_OK && id[0]) {
        rc = lend(s, run_id, id, body, ret_quarantined, err);
    } else if (rc == IA_OK && only) {
        rc = ia_replay_none(&why, err);
    }
    if (body->len == 0) {
        req->replay = NULL;
    }
    return rc == IA_E_LIMIT && !only ? IA_OK : rc;
}

void ia_fleet_count_replay(struct ia_tx *tx, const struct ia_run_row *run,
                           const struct ia_run_bundle *b)
{
    const struct ia_event_replay *replay = ia_run_bundle_replay(b);
    enum ia_run_state state = ia_run_bundle_state(b);
    if (replay && run->recording && (state == IA_RUN_PASSED || state == IA_RUN_FAILED)) {
        ia_tx_recording_replayed(tx, run->recording,
                                 state == IA_RUN_PASSED && replay->healed == 0);
    }
}

void ia_fleet_keep_healed(struct ia_fleet_submit *s, const char *run_id,
                          const struct ia_run_bundle *b)
{
    struct ia_run_recalled r;
    struct ia_err ignored;
    struct ia_err why = {0};
    char id[IA_ID_SIZE];
    const struct ia_event_replay *replay = ia_run_bundle_replay(b);
    if (!replay || replay->healed == 0 || ia_run_bundle_state(b) != IA_RUN_PASSED) {
        return;
    }
    if (ia_run_recall(s->opts.store, run_id, &r, &ignored) == IA_OK && r.job) {
        (void)ia_replay_choose(s->opts.store, ia_job_request(r.job), id, &why, &ignored);
    }
    ia_run_recalled_fini(&r);
}

/* ---- the worker ---------------------------------------------------------------------------- */

enum ia_rc ia_fleet_read_recording(const struct ia_fleet_order *order,
                                   const struct ia_run_request *req, json_t **ret,
                                   struct ia_err *err)
{
    static const char path[] = "the order's recording";
    enum ia_rc rc = ia_recording_read(path, order->recording, ret, err);
    if (rc == IA_OK) {
        rc = ia_recording_check_goal(path, *ret, req, err);
    }
    return rc == IA_E_CONFIG ? (err->code = IA_E_STATE) : rc;
}

enum ia_rc ia_fleet_keep_recording(struct ia_tx *tx, const json_t *recording, bool quarantined,
                                   char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    struct ia_recording_put put;
    enum ia_rc rc = ia_recording_put(recording, &put, err);
    if (rc == IA_OK) {
        put.row.state = quarantined ? IA_RECORDING_QUARANTINED : IA_RECORDING_REPLACED;
        put.row.decided_by = "fleet";
        ia_tx_add_recording_once(tx, &put.row, ret_id);
    }
    ia_buf_fini(&put.body);
    return rc;
}
