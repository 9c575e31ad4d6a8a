/* retry.c: an attempt that ended in an error which may pass, or was interrupted.
 *
 *     running ─► error that can pass, attempts left ─► retry_wait   (transcript forgotten where
 *                                                                    nothing had an effect)
 *     running ─► interrupted ─────────────────────────► queued
 *     running ─► anything else ───────────────────────► run_store.c */
#include "agent/run/retry.h"

#include "agent/loop/commit.h"
#include "agent/loop/spent.h"
#include "agent/run/result.h"
#include "agent/run/run_store.h"
#include "store/queue.h"

static int tries(const struct ia_run_ctx *run)
{
    /* The first attempt is counted. */
    return run->req->tries > 0 ? run->req->tries : IA_TRIES_MAX;
}

bool ia_retry_wanted(const struct ia_run_ctx *run)
{
    return run->end.over && run->end.state == IA_RUN_ERROR &&
           ia_rc_retryable(run->end.err.code) && run->attempt < tries(run);
}

/* The roll back and the move are one transaction: a run in retry_wait has either the transcript
 * that its effects need, or none. */
static enum ia_rc move_to_wait(struct ia_run_ctx *run, int64_t wait_ms, bool kept,
                               struct ia_err *err)
{
    char at[IA_ISO_SIZE];
    ia_iso_format(run->result->retry_at_ms, at);
    const struct ia_event_run_retry_wait waits = {
        .attempt = run->attempt,
        .tries = tries(run),
        .wait_ms = wait_ms,
        .retry_at = ia_str(at),
        .code = ia_str(ia_rc_name(run->end.err.code)),
        .message = ia_str(run->end.err.msg),
        .kept = kept,
        .spent = ia_spent_event(run),
    };
    struct ia_run_moved moved = {.event = IA_EVENT(&waits),
                                 .code = ia_rc_name(run->end.err.code),
                                 .summary = run->end.err.msg,
                                 .retry_at_ms = run->result->retry_at_ms};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        if (!kept) {
            ia_tx_roll_back_run(c.tx, run->id);
            run->spent.spending.steps = 0;
        }
        ia_commit_move(&c, IA_RUN_RETRY_WAIT, &moved);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}

enum ia_rc ia_retry_record(struct ia_run_ctx *run, struct ia_err *err)
{
    bool kept = false;
    /* Without an effect the attempt can be forgotten as a whole and the next begins afresh;
     * with one the transcript has to stay, as the screen is no longer the first one. */
    enum ia_rc rc = ia_store_had_effect(run->env->store, run->id, &kept, err);
    if (rc != IA_OK) {
        return rc;
    }
    int64_t wait_ms = ia_retry_delay_ms(run->attempt, run->end.err.retry_after_ms);
    ia_run_result_fill(run);
    (void)snprintf(run->result->state, sizeof(run->result->state), "%s",
                   ia_run_state_name(IA_RUN_RETRY_WAIT));
    run->result->retry_at_ms = ia_wall_ms(run->clock) + wait_ms;
    return move_to_wait(run, wait_ms, kept, err);
}

enum ia_rc ia_retry_later(struct ia_run_ctx *run, struct ia_err *err)
{
    ia_run_result_fill(run);
    /* With what it has spent, so that the next attempt knows that nothing was left uncounted
     * (progress.c: clean). */
    const struct ia_event_run_interrupted interrupted = {.spent = ia_spent_event(run)};
    const struct ia_run_moved moved = {.event = IA_EVENT(&interrupted)};
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_commit_move(&c, IA_RUN_QUEUED, &moved);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}
