/* queue.c: which run a lane does next. The rule is in queue.h.
 *
 * lane held by a run? ──yes──► busy
 * retry of the lane?  ──not due──► later: the lane waits for it, even if others could run
 *                     ──due──► it
 * else the oldest:    interrupted ─► scheduled ─► other    (the last two swap after a streak)
 *
 * A claim is one transaction with its event: two processes that ask for the same lane are
 * put in order by the write lock, and the second finds it held. `Interrupted` is a run that
 * had started and is queued again; it goes first, so that work half done does not wait
 * behind work not begun. */
#include "store/queue.h"

#include "store/impl.h"
#include "store/names.h"

#include <string.h>

enum { RETRY_BASE_MS = 5000 };

/* ---- what stands in the way -------------------------------------------------------------- */

static bool lane_held(struct ia_tx *tx, const char *lane)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_CLAIM_HELD);
    ia_q_text(&q, lane);
    bool held = ia_q_row(&q);
    return ia_tx_end(tx, &q) && held;
}

/* The lane's retry that is due first. */
struct retry {
    int64_t rowid; /* 0: none */
    int64_t due_ms, since_ms;
};

static struct retry read_retry(struct ia_tx *tx, const char *lane)
{
    struct retry r = {0};
    struct ia_q q = ia_tx_q(tx, IA_SQL_CLAIM_RETRY);
    ia_q_text(&q, lane);
    if (ia_q_row(&q)) {
        r.rowid = ia_q_get_int(&q);
        r.due_ms = ia_q_get_iso(&q);
        r.since_ms = ia_q_get_iso(&q);
    }
    return ia_tx_end(tx, &q) ? r : (struct retry){0};
}

/* When the wall clock stands before the moment the wait began, it went back, and the wait would
 * have grown by that much: it begins again now. */
static void shorten_wait(struct ia_tx *tx, struct retry *r)
{
    if (r->since_ms <= tx->now_ms || r->since_ms > r->due_ms) {
        return;
    }
    r->due_ms = tx->now_ms + (r->due_ms - r->since_ms);
    struct ia_q q = ia_tx_q(tx, IA_SQL_CLAIM_RETRY_MOVE);
    ia_q_int(&q, r->rowid);
    ia_q_iso(&q, r->due_ms);
    ia_q_iso(&q, tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

/* ---- claiming --------------------------------------------------------------------------- */

/* The oldest run of one class, by rowid; 0 for none. */
static int64_t oldest(struct ia_tx *tx, enum ia_sql which, const struct ia_claim *claim)
{
    struct ia_q q = ia_tx_q(tx, which);
    ia_q_text(&q, claim->lane);
    if (which != IA_SQL_CLAIM_INTERRUPTED) {
        ia_q_text(&q, claim->pool);
    }
    int64_t rowid = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
    return ia_tx_end(tx, &q) ? rowid : 0;
}

static int64_t next_in_line(struct ia_tx *tx, const struct ia_claim *claim)
{
    bool others_first = claim->scheduled_streak >= IA_SCHEDULED_STREAK_MAX;
    const enum ia_sql order[] = {
        IA_SQL_CLAIM_INTERRUPTED,
        others_first ? IA_SQL_CLAIM_OTHER : IA_SQL_CLAIM_SCHEDULED,
        others_first ? IA_SQL_CLAIM_SCHEDULED : IA_SQL_CLAIM_OTHER,
    };
    int64_t rowid = 0;
    for (size_t i = 0; rowid == 0 && i < IA_COUNTOF(order); i++) {
        rowid = oldest(tx, order[i], claim);
    }
    return rowid;
}

static bool read_claimed(struct ia_tx *tx, int64_t rowid, struct ia_claimed *ret,
                         int *ret_attempt)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_CLAIM_ROW);
    ia_q_int(&q, rowid);
    bool found = ia_q_row(&q);
    if (found) {
        struct ia_str id = ia_q_get_str(&q);
        memcpy(ret->run_id, id.p, id.n < IA_ID_SIZE ? id.n : IA_ID_SIZE - 1);
        *ret_attempt = (int)ia_q_get_int(&q);
        const char *kind = ia_q_get_text(&q);
        ret->scheduled = kind && ia_run_kind_from_name(kind) == IA_RUN_SCHEDULED;
        ret->begun = ia_q_get_int(&q) != 0;
    }
    return ia_tx_end(tx, &q) && found;
}

static void set_lane(struct ia_tx *tx, const char *run_id, const char *lane)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_CLAIM_LANE);
    ia_q_text(&q, run_id);
    ia_q_text(&q, lane);
    (void)ia_tx_end(tx, &q);
}

static void move_to_claimed(struct ia_tx *tx, const char *run_id, const char *lane, int attempt)
{
    const struct ia_event_run_claimed claimed = {.lane = ia_str(lane), .attempt = attempt};
    const struct ia_run_moved moved = {.event = IA_EVENT(&claimed)};
    ia_run_move(tx, run_id, IA_RUN_CLAIMED, &moved, NULL);
}

static void claim_row(struct ia_tx *tx, int64_t rowid, bool retry, const char *lane,
                      struct ia_claimed *ret)
{
    struct ia_claimed got = {.why = IA_CLAIM_RUN};
    int attempt = 0;
    if (!read_claimed(tx, rowid, &got, &attempt)) {
        return;
    }
    /* A run that waits for a retry passes through queued, as the state machine has no other
     * way; no other process sees it there, since both moves are in this transaction. */
    if (retry) {
        ia_run_move(tx, got.run_id, IA_RUN_QUEUED, NULL, NULL);
        attempt++;
    }
    /* A run of the pool is the lane's from here: once it has a transcript, only that device
     * shows what it was doing. Given back before that, it returns to the pool
     * (IA_SQL_RUN_DISOWN). */
    set_lane(tx, got.run_id, lane);
    move_to_claimed(tx, got.run_id, lane, attempt);
    if (!tx->failed) {
        *ret = got;
    }
}

void ia_tx_claim(struct ia_tx *tx, const struct ia_claim *claim, struct ia_claimed *ret)
{
    if (tx->failed) {
        return;
    }
    if (lane_held(tx, claim->lane)) {
        *ret = (struct ia_claimed){.why = IA_CLAIM_BUSY};
        return;
    }
    struct retry retry = read_retry(tx, claim->lane);
    if (retry.rowid != 0 && retry.due_ms > tx->now_ms) {
        shorten_wait(tx, &retry);
        *ret = (struct ia_claimed){.why = IA_CLAIM_LATER, .not_before_ms = retry.due_ms};
        return;
    }
    /* While a retry waits, its lane does nothing else (store/queue.h), so it is the next
     * when its time has come. */
    int64_t rowid = retry.rowid != 0 ? retry.rowid : next_in_line(tx, claim);
    if (rowid != 0) {
        claim_row(tx, rowid, retry.rowid != 0, claim->lane, ret);
    } else if (!tx->failed) {
        *ret = (struct ia_claimed){.why = IA_CLAIM_NONE};
    }
}

/* ---- what waits -------------------------------------------------------------------------- */

enum ia_rc ia_store_waiting(struct ia_store *s, ia_waiting_fn *fn, void *ctx,
                            struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    int64_t now_ms = ia_wall_ms(s->clock);
    struct ia_q q = ia_q(db, IA_SQL_WAITING);
    ia_q_int(&q, IA_WAITING_COUNT_MAX);
    bool more = true;
    while (more && ia_q_row(&q)) {
        const char *lane = ia_q_get_text(&q);
        int64_t waiting = ia_q_get_int(&q);
        int64_t retry_ms = ia_q_get_iso(&q);
        waiting = waiting < IA_WAITING_COUNT_MAX ? waiting : IA_WAITING_COUNT_MAX;
        more = fn(ctx, lane, waiting, retry_ms > now_ms ? retry_ms : 0);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_lane_used(struct ia_store *s, const char *lane, bool *ret,
                              struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_LANE_USED);
    ia_q_text(&q, lane);
    bool used = ia_q_row(&q) && ia_q_get_int(&q) != 0;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret = used;
    }
    return rc;
}

/* ---- retry ------------------------------------------------------------------------------- */

int64_t ia_retry_delay_ms(int retry, int64_t provider_after_ms)
{
    int doublings = retry < 1 ? 0 : retry - 1;
    /* Also keeps the shift below the width of the type. */
    doublings = doublings < IA_TRIES_MAX ? doublings : IA_TRIES_MAX;
    int64_t delay_ms = (int64_t)RETRY_BASE_MS << doublings;
    return provider_after_ms > delay_ms ? provider_after_ms : delay_ms;
}

static bool read_effect(struct ia_q *q, const char *run_id, bool *ret_effect, int *ret_attempt)
{
    ia_q_text(q, run_id);
    bool found = ia_q_row(q);
    *ret_effect = found && ia_q_get_int(q) != 0;
    *ret_attempt = found ? (int)ia_q_get_int(q) : 0;
    return found;
}

enum ia_rc ia_store_had_effect(struct ia_store *s, const char *run_id, bool *ret,
                               struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    bool effect = false;
    int attempt = 0;
    struct ia_q q = ia_q(db, IA_SQL_RUN_EFFECT);
    bool found = read_effect(&q, run_id, &effect, &attempt);
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK && !found) {
        return ia_err_set(err, IA_E_NOT_FOUND, "there is no run \"%.60s\"", run_id);
    }
    if (rc == IA_OK) {
        *ret = effect;
    }
    return rc;
}

/* ---- figures ---------------------------------------------------------------------------- */

static void read_states(struct ia_q *q, struct ia_queue_figures *f)
{
    while (ia_q_row(q)) {
        unsigned state = ia_name_find(&ia_run_state_names, ia_q_get_text(q));
        int64_t all = ia_q_get_int(q), ready = ia_q_get_int(q);
        if (state < IA_RUN_STATE_COUNT) {
            f->runs[state] = all;
        }
        f->depth += state == IA_RUN_QUEUED || state == IA_RUN_RETRY_WAIT ? ready : 0;
    }
}

enum ia_rc ia_store_queue_figures(struct ia_store *s, struct ia_queue_figures *ret,
                                  struct ia_err *err)
{
    struct ia_db *db = NULL;
    struct ia_queue_figures f = {.depth = 0};
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_QUEUE_FIGURES);
    read_states(&q, &f);
    rc = ia_q_end(&q, err);
    if (rc == IA_OK) {
        q = ia_q(db, IA_SQL_LEASE_COUNT);
        f.lanes_busy = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
        rc = ia_q_end(&q, err);
    }
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret = f;
    }
    return rc;
}

/* ---- rolling back ----------------------------------------------------------------------- */

static void run_with_id(struct ia_tx *tx, enum ia_sql which, const char *run_id)
{
    struct ia_q q = ia_tx_q(tx, which);
    ia_q_text(&q, run_id);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_roll_back_run(struct ia_tx *tx, const char *run_id)
{
    bool effect = false;
    int attempt = 0;
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_EFFECT);
    bool found = read_effect(&q, run_id, &effect, &attempt);
    if (!ia_tx_end_found(tx, &q, found, "run", run_id)) {
        return;
    }
    if (effect) {
        ia_tx_fail(tx, IA_E_STATE,
                   "run %s already had an effect: it can be resumed, but not started afresh",
                   run_id);
        return;
    }
    /* Calls before messages: they refer to them (foreign key in the schema). */
    run_with_id(tx, IA_SQL_ROLL_BACK_CALLS, run_id);
    run_with_id(tx, IA_SQL_ROLL_BACK_MESSAGES, run_id);
    run_with_id(tx, IA_SQL_ROLL_BACK_RUN, run_id);
    const struct ia_event_run_rolled_back rolled_back = {.attempt = attempt};
    ia_tx_add_event(tx, run_id, IA_EVENT(&rolled_back), NULL);
}
