#include "agent/goal/job.h"
#include "agent/loop/run_ctx.h"
#include "store/queue.h"

/* A protocol error is one of the stream: a server that never speaks the API is told after the
 * tries, as one that cannot be reached is. */
static const enum ia_rc passing[] = {IA_E_API_NETWORK,  IA_E_API_STREAM, IA_E_API_TIMEOUT,
                                     IA_E_API_RATE,     IA_E_API_SERVER, IA_E_API_OVERLOADED,
                                     IA_E_API_PROTOCOL, IA_E_DEVICE_LOST};

bool ia_run_can_pass(enum ia_rc code)
{
    for (size_t i = 0; i < IA_COUNTOF(passing); i++) {
        if (passing[i] == code) {
            return true;
        }
    }
    return false;
}

bool ia_run_counts(enum ia_run_state state, enum ia_rc code)
{
    bool limit = state == IA_RUN_ERROR && ia_rc_exit(code) == ia_rc_exit(IA_E_BUDGET);
    return state == IA_RUN_PASSED || state == IA_RUN_FAILED || state == IA_RUN_BLOCKED || limit;
}

static int tries(const struct ia_run_ctx *run)
{
    return run->req->tries > 0 ? run->req->tries : IA_TRIES_MAX;
}

bool ia_retry_wanted(const struct ia_run_ctx *run)
{
    return run->end.over && run->end.state == IA_RUN_ERROR &&
           ia_run_can_pass(run->end.err.code) && run->attempt < tries(run);
}

static void waiting_json(const struct ia_run_ctx *run, int64_t wait_ms, bool kept,
                         struct ia_buf *out)
{
    char at[IA_ISO_SIZE];
    struct ia_jsonw w;
    ia_iso_format(run->result->retry_at_ms, at);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "attempt", run->attempt);
    ia_jsonw_kv_int(&w, "tries", tries(run));
    ia_jsonw_kv_int(&w, "wait_ms", wait_ms);
    ia_jsonw_kv(&w, "retry_at", at);
    ia_jsonw_kv(&w, "code", ia_rc_name(run->end.err.code));
    ia_jsonw_kv(&w, "message", run->end.err.msg);
    ia_jsonw_kv_bool(&w, "kept", kept);
    ia_run_store_spent(run, &w);
    ia_jsonw_end_object(&w);
}

/* The roll back and the move are one transaction: a run in retry_wait has either the transcript
 * that its effects need, or none. */
static enum ia_rc move_to_wait(struct ia_run_ctx *run, const struct ia_buf *body, bool kept,
                               struct ia_err *err)
{
    struct ia_run_moved moved = {.event = "run.retry_wait",
                                 .code = ia_rc_name(run->end.err.code),
                                 .summary = run->end.err.msg,
                                 .retry_at_ms = run->result->retry_at_ms};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        if (!kept) {
            ia_tx_roll_back_run(c.tx, run->id);
            run->spending.steps = 0;
        }
        ia_commit_move(&c, IA_RUN_RETRY_WAIT, &moved, body);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}

enum ia_rc ia_retry_record(struct ia_run_ctx *run, struct ia_err *err)
{
    bool kept = false;
    enum ia_rc rc = ia_store_had_effect(run->env->store, run->id, &kept, err);
    if (rc != IA_OK) {
        return rc;
    }
    int64_t wait_ms = ia_retry_delay_ms(run->attempt, run->end.err.retry_after_ms);
    ia_run_store_result(run);
    (void)snprintf(run->result->state, sizeof(run->result->state), "%s",
                   ia_run_state_name(IA_RUN_RETRY_WAIT));
    run->result->retry_at_ms = ia_wall_ms(run->clock) + wait_ms;
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    waiting_json(run, wait_ms, kept, &body);
    rc = move_to_wait(run, &body, kept, err);
    ia_buf_fini(&body);
    return rc;
}

enum ia_rc ia_retry_later(struct ia_run_ctx *run, struct ia_err *err)
{
    ia_run_store_result(run);
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &body);
    ia_jsonw_object(&w);
    ia_run_store_spent(run, &w);
    ia_jsonw_end_object(&w);
    struct ia_run_moved moved = {.event = "run.interrupted"};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_commit_move(&c, IA_RUN_QUEUED, &moved, &body);
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&body);
    return rc;
}

enum ia_rc ia_run_put_back(struct ia_store *store, const char *run_id, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_put_back_run(tx, run_id);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

/* ---- claiming one run -------------------------------------------------------------------- */

static enum ia_rc not_due(const struct ia_run_row *row, int64_t now_ms, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_STATE, "run %s is tried again in %lld s", row->id,
                               (long long)((row->retry_at_ms - now_ms + 999) / 1000));
    err->retry_after_ms = row->retry_at_ms - now_ms;
    return rc;
}

enum ia_rc ia_run_claim(struct ia_store *store, const char *run_id, struct ia_err *err)
{
    struct ia_err own;
    struct ia_run_row *row = NULL;
    struct ia_tx *tx = NULL;
    err = err ? err : &own;
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

/* ---- refusing one run -------------------------------------------------------------------- */

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

/* The key may be there in another process, or later. What was never begun is told at once
 * instead: nothing of it is lost, and a schedule's series must not fall silent. */
static bool waits_for_key(const struct ia_run_row *row, enum ia_rc code)
{
    return row->started_ms > 0 && (code == IA_E_KEY_MISSING || code == IA_E_KEY_PASSPHRASE ||
                                   code == IA_E_KEY_FILE_MODE);
}

/* Where it goes, and the body of the event that says so. */
static enum ia_run_state refused_to(const struct ia_run_row *row, const struct ia_err *why,
                                    struct ia_run_moved *moved, struct ia_buf *body)
{
    enum ia_run_state to = IA_RUN_ERROR;
    if (why->code == IA_E_BUSY || waits_for_key(row, why->code)) {
        to = IA_RUN_QUEUED;
    } else if (ia_run_can_pass(why->code) && row->attempt < tries_of(row)) {
        to = IA_RUN_RETRY_WAIT;
    }
    struct ia_jsonw w;
    ia_jsonw_init(&w, body);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "state", ia_run_state_name(to));
    ia_jsonw_kv(&w, "code", ia_rc_name(why->code));
    ia_jsonw_kv(&w, "message", why->msg);
    ia_jsonw_kv(&w, "hint", why->hint);
    ia_jsonw_end_object(&w);
    *moved = (struct ia_run_moved){.event = to == IA_RUN_ERROR ? "run.finished" : "run.refused",
                                   .body = ia_buf_str(body),
                                   .code = ia_rc_name(why->code),
                                   .summary = why->msg};
    return to;
}

enum ia_rc ia_run_refuse(struct ia_store *store, const char *run_id, const struct ia_err *why,
                         enum ia_run_state *ret_state, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_tx *tx = NULL;
    struct ia_run_moved moved;
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK) {
        *ret_state = refused_to(row, why, &moved, &body);
        rc = ia_tx_begin(store, &tx, err);
    }
    if (rc == IA_OK) {
        moved.retry_at_ms =
            ia_tx_wall_ms(tx) + ia_retry_delay_ms(row->attempt, why->retry_after_ms);
        ia_run_move(tx, run_id, *ret_state, &moved, NULL);
        rc = ia_tx_commit(tx, err);
    }
    ia_buf_fini(&body);
    ia_run_row_free(row);
    return rc;
}
