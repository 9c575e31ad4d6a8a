#include "agent/run/retry.h"

#include "agent/loop/commit.h"
#include "agent/loop/spent.h"
#include "agent/run/result.h"
#include "agent/run/run_store.h"
#include "base/jsonw.h"
#include "store/queue.h"

/* A protocol error is one of the stream: a server that never speaks the API is told after the
 * tries, as one that cannot be reached is. */
static const enum ia_rc passing[] = {IA_E_API_NETWORK,  IA_E_API_STREAM, IA_E_API_TIMEOUT,
                                     IA_E_API_RATE,     IA_E_API_SERVER, IA_E_API_OVERLOADED,
                                     IA_E_API_PROTOCOL, IA_E_DEVICE_LOST};

bool ia_retry_can_pass(enum ia_rc code)
{
    for (size_t i = 0; i < IA_COUNTOF(passing); i++) {
        if (passing[i] == code) {
            return true;
        }
    }
    return false;
}

static int tries(const struct ia_run_ctx *run)
{
    return run->req->tries > 0 ? run->req->tries : IA_TRIES_MAX;
}

bool ia_retry_wanted(const struct ia_run_ctx *run)
{
    return run->end.over && run->end.state == IA_RUN_ERROR &&
           ia_retry_can_pass(run->end.err.code) && run->attempt < tries(run);
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
    ia_spent_json(run, &w);
    ia_jsonw_end_object(&w);
}

/* The roll back and the move are one transaction: a run in retry_wait has either the transcript
 * that its effects need, or none. */
static enum ia_rc move_to_wait(struct ia_run_ctx *run, const struct ia_buf *body, bool kept,
                               struct ia_err *err)
{
    struct ia_run_moved moved = {.raw_event = "run.retry_wait",
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
    ia_run_result_fill(run);
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
    ia_run_result_fill(run);
    struct ia_buf body = IA_BUF(IA_EVENT_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &body);
    ia_jsonw_object(&w);
    ia_spent_json(run, &w);
    ia_jsonw_end_object(&w);
    struct ia_run_moved moved = {.raw_event = "run.interrupted"};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_commit_move(&c, IA_RUN_QUEUED, &moved, &body);
        rc = ia_commit_end(&c, err);
    }
    ia_buf_fini(&body);
    return rc;
}
