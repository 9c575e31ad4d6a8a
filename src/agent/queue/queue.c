/* queue.c: which lane is worth asking, and one run taken from it.
 *
 * Nothing of a queue is kept here that matters: which run is next is decided by the store
 * inside a transaction (store/queue.h), and what this file holds (which lane is worth
 * asking, since when) is a hint that one poll of the rows rebuilds. So several processes may
 * serve the same lanes, and a kill at any point loses nothing: the next poll anywhere gives
 * the dead process's runs back.
 *
 * The mutex is never held over a call of the store.
 *
 * A slot belongs to the worker that holds its lane, from next_slot to give_back, and without
 * the mutex; only `active` is read by other threads. */
#include "agent/queue/queue_impl.h"

#include "base/fd.h"
#include "base/log.h"
#include "store/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- making ------------------------------------------------------------------------------ */

struct ia_queue *ia_queue_new(const struct ia_queue_opts *opts, struct ia_err *err)
{
    struct ia_queue *q = ia_calloc(1, sizeof(*q));
    q->opts = *opts;
    if (q->opts.max_runs <= 0) {
        q->opts.max_runs = IA_QUEUE_RUNS_DEFAULT;
    }
    if (ia_pipe(q->wake_pipe, err) != IA_OK) {
        free(q);
        return NULL;
    }
    /* Both ends: the reader drains it until it is empty, and whoever writes holds the mutex
     * and must not sleep. */
    (void)ia_fd_nonblocking(q->wake_pipe[0]);
    (void)ia_fd_nonblocking(q->wake_pipe[1]);
    q->clock = opts->clock ? opts->clock : ia_clock_system();
    q->pool = ia_strdup(opts->pool);
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->lanes = ia_lanes_new(q->opts.max_runs);
    return q;
}

/* ---- waking ------------------------------------------------------------------------------ */

void ia_queue_wake_server(struct ia_queue *q)
{
    (void)!write(q->wake_pipe[1], "", 1); /* a full pipe wakes it just as well */
}

static struct slot *find_slot(struct ia_queue *q, const struct ia_lane *lane)
{
    struct slot *s = q->slots;
    while (s && s->lane != lane) {
        s = s->next;
    }
    return s;
}

static struct ia_lane *add_lane(struct ia_queue *q, const char *name)
{
    struct ia_lane *lane = ia_lanes_get(q->lanes, name);
    if (!find_slot(q, lane)) {
        struct slot *s = ia_calloc(1, sizeof(*s));
        s->lane = lane;
        s->next = q->slots;
        q->slots = s;
    }
    return lane;
}

static void wake_threads(struct ia_queue *q)
{
    /* A counter and not a flag: a worker compares it with what it read before it asked the
     * store, so a wake that comes while it asks is not slept through. */
    q->changes++;
    pthread_cond_broadcast(&q->changed);
    ia_queue_wake_server(q);
}

static void serve_lane(struct ia_queue *q, const char *name, bool dedicated)
{
    pthread_mutex_lock(&q->mutex);
    struct ia_lane *lane = add_lane(q, name);
    find_slot(q, lane)->dedicated = dedicated;
    ia_lanes_wake(q->lanes, lane);
    wake_threads(q);
    pthread_mutex_unlock(&q->mutex);
}

void ia_queue_add_lane(struct ia_queue *q, const char *lane)
{
    serve_lane(q, lane, false);
}

void ia_queue_add_dedicated_lane(struct ia_queue *q, const char *lane)
{
    serve_lane(q, lane, true);
}

/* Wakes one lane or, for the pool, all of them; the mutex is held. */
static void wake_lane(struct ia_queue *q, const char *lane)
{
    /* Any lane may take a run of the pool, so a run there is worth a question from each. */
    if (!lane || (q->pool && strcmp(lane, q->pool) == 0)) {
        ia_lanes_wake_all(q->lanes);
        return;
    }
    struct ia_lane *known = ia_lanes_find(q->lanes, lane);
    /* A lane that was never heard of is served only if the caller wants it: it may be
     * another process's. */
    if (!known && q->opts.serve && q->opts.serve(q->opts.ctx, lane)) {
        known = add_lane(q, lane);
    }
    if (known) {
        ia_lanes_wake(q->lanes, known);
    }
}

void ia_queue_wake(struct ia_queue *q, const char *lane)
{
    pthread_mutex_lock(&q->mutex);
    wake_lane(q, lane);
    wake_threads(q);
    pthread_mutex_unlock(&q->mutex);
}

/* Names of lanes: the callback of a listing may not take the mutex. */
struct names {
    char **list;
    size_t count, cap;
};

static bool keep_name(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    struct names *names = ctx;
    (void)waiting;
    (void)not_before_ms;
    if (names->count == names->cap) {
        names->cap = names->cap ? names->cap * 2 : 16;
        names->list = ia_realloc(names->list, names->cap, sizeof(*names->list));
    }
    names->list[names->count++] = ia_strdup(lane);
    return true;
}

enum ia_rc ia_queue_poll(struct ia_queue *q, struct ia_err *err)
{
    struct names waiting = {0};
    /* Recovering comes first, so that a run a dead process held is among those that wait. */
    enum ia_rc rc = ia_store_recover(q->opts.store, NULL, err);
    if (rc == IA_OK) {
        rc = ia_store_waiting(q->opts.store, keep_name, &waiting, err);
    }
    pthread_mutex_lock(&q->mutex);
    for (size_t i = 0; i < waiting.count; i++) {
        wake_lane(q, waiting.list[i]);
        free(waiting.list[i]);
    }
    if (waiting.count > 0) {
        wake_threads(q);
    }
    pthread_mutex_unlock(&q->mutex);
    free(waiting.list);
    return rc;
}

/* ---- taking ------------------------------------------------------------------------------ */

static struct slot *next_slot(struct ia_queue *q)
{
    struct slot *s = NULL;
    pthread_mutex_lock(&q->mutex);
    if (!q->stopping && !q->held) {
        struct ia_lane *lane = ia_lanes_next(q->lanes, ia_wall_ms(q->clock));
        s = lane ? find_slot(q, lane) : NULL;
    }
    pthread_mutex_unlock(&q->mutex);
    return s;
}

static void give_back(struct ia_queue *q, struct slot *s, enum ia_lane_left left,
                      int64_t until_ms)
{
    if (left == IA_LANE_NONE) { /* a token is two descriptors, and devices may be many */
        ia_cancel_free(s->cancel);
        s->cancel = NULL;
    }
    pthread_mutex_lock(&q->mutex);
    ia_lanes_done(q->lanes, s->lane, left, until_ms);
    if (ia_lanes_quiet(q->lanes) || left == IA_LANE_GATED) {
        ia_queue_wake_server(q);
    }
    pthread_mutex_unlock(&q->mutex);
}

/* Claims a run for the slot's lane, with a cancel token ready for it. */
static enum ia_rc claim(struct ia_queue *q, struct slot *s, struct ia_claimed *ret,
                        struct ia_err *err)
{
    if (!s->cancel || ia_cancel_fired(s->cancel)) { /* a token that never fired is used again */
        ia_cancel_free(s->cancel);
        s->cancel = ia_cancel_new(err);
        if (!s->cancel) {
            return err->code;
        }
    }
    /* A dedicated lane claims without a pool: it was given to one kind of run only. */
    struct ia_claim c = {.lane = ia_lane_name(s->lane),
                         .pool = s->dedicated ? NULL : q->pool,
                         .scheduled_streak = s->streak};
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(q->opts.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_claim(tx, &c, ret);
    return ia_tx_commit(tx, err);
}

static void start_task(struct ia_queue *q, struct slot *s, const struct ia_claimed *claimed,
                       struct ia_queue_task *ret)
{
    /* The store lets other runs go first after a streak of scheduled ones; it is kept per
     * lane, in memory: after a restart it begins at 0, which only shifts the turn. */
    s->streak = claimed->scheduled ? s->streak + 1 : 0;
    *ret = (struct ia_queue_task){.lane = ia_lane_name(s->lane),
                                  .scheduled = claimed->scheduled,
                                  .begun = claimed->begun,
                                  .cancel = s->cancel,
                                  .interrupt = &q->interrupt,
                                  .slot = s};
    memcpy(ret->run_id, claimed->run_id, sizeof(ret->run_id));
    /* From here ia_queue_stop sees the run. A stop between the claim and this line found it
     * inactive, so it is told here. */
    pthread_mutex_lock(&q->mutex);
    s->active = true;
    if (q->stopping) { /* since the claim */
        ia_cancel_fire(s->cancel);
    }
    pthread_mutex_unlock(&q->mutex);
}

/* Asks the store for the lane's next run. True in *ret_took when there is one. */
static enum ia_rc take_from(struct ia_queue *q, struct slot *s, bool *ret_took,
                            struct ia_queue_task *ret, struct ia_err *err)
{
    struct ia_claimed claimed = {0};
    /* Read before the claim, which may wait for the store's lock: the gate must not move on
     * by that. */
    int64_t retry_ms = ia_wall_ms(q->clock) + IA_QUEUE_POLL_MS;
    enum ia_rc rc = claim(q, s, &claimed, err);
    *ret_took = rc == IA_OK && claimed.why == IA_CLAIM_RUN;
    if (*ret_took) {
        start_task(q, s, &claimed, ret);
    } else if (rc == IA_OK && claimed.why == IA_CLAIM_NONE) {
        give_back(q, s, IA_LANE_NONE, 0);
    } else {
        /* Busy elsewhere, a store that failed, or a retry that is due later: the first two may
         * pass at any moment, and so may the retry (another process can cancel it). */
        if (rc == IA_OK && claimed.why == IA_CLAIM_LATER && claimed.not_before_ms < retry_ms) {
            retry_ms = claimed.not_before_ms;
        }
        give_back(q, s, IA_LANE_GATED, retry_ms);
    }
    return rc;
}

enum ia_rc ia_queue_take(struct ia_queue *q, bool *ret_took, struct ia_queue_task *ret,
                         struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    struct slot *s;
    *ret_took = false;
    /* A lane without a run falls idle in take_from, so this ends after at most one question
     * for each lane that waits. */
    while (rc == IA_OK && !*ret_took && (s = next_slot(q)) != NULL) {
        rc = take_from(q, s, ret_took, ret, err);
    }
    return rc;
}

void ia_queue_done(struct ia_queue *q, const struct ia_queue_task *task)
{
    struct slot *s = task->slot;
    pthread_mutex_lock(&q->mutex);
    /* Before the lane is given back: afterwards the slot is the next worker's. */
    s->active = false;
    pthread_mutex_unlock(&q->mutex);
    /* Whether there is more, only the store knows: the lane is asked again, after those that
     * wait already. */
    give_back(q, s, IA_LANE_MORE, 0);
}

int64_t ia_queue_due_ms(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    int64_t due = ia_lanes_due_ms(q->lanes);
    pthread_mutex_unlock(&q->mutex);
    return due;
}
