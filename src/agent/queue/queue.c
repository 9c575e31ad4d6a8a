/* queue.c: the engine over the queue's rows: worker threads that claim runs, and one thread that
 * serves them.
 *
 *     worker:   take ─► work ─► done ─► take …         no run to take: sleeps on `changed`
 *     server:   poll the rows, open due gates          sleeps on the wake pipe, at most
 *               ▲                                      IA_QUEUE_POLL_MS
 *               └── a byte in the wake pipe: a lane was woken, a gate was set, everything is
 *                   quiet, a worker failed or ended
 *
 * The mutex is never held over a call of the store or of the work function.
 *
 * Nothing of a queue is kept here that matters: which run is next is decided by the store
 * inside a transaction (store/queue.h), and what this file holds (which lane is worth
 * asking, since when) is a hint that one poll of the rows rebuilds. So several processes may
 * serve the same lanes, and a kill at any point loses nothing: the next poll anywhere gives
 * the dead process's runs back.
 *
 * A slot belongs to the worker that holds its lane, from next_slot to give_back, and without
 * the mutex; only `active` is read by other threads. */
#include "agent/queue/queue.h"

#include "agent/queue/lanes.h"
#include "base/fd.h"
#include "base/log.h"
#include "store/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 512 << 10 };

/* What a lane keeps between its runs. */
struct slot {
    struct ia_lane *lane;
    struct ia_cancel *cancel; /* of the current run; NULL where none waits or runs */
    int streak;               /* scheduled runs in a row */
    bool active;
    bool dedicated; /* runs nothing of the pool */
    struct slot *next;
};

struct ia_queue {
    struct ia_queue_opts opts;
    const struct ia_clock *clock;
    char *pool;
    int wake_pipe[2]; /* a byte in it makes ia_queue_serve go round once more */

    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t changed;
    uint64_t changes; /* grows with every wake */
    struct ia_lanes *lanes;
    struct slot *slots;
    atomic_bool interrupt;
    bool held; /* nothing new is taken */
    bool stopping;
    struct ia_err err; /* the first failure, for ia_queue_serve to return */
    pthread_t *threads;
    int thread_count, threads_running;
};

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

static void wake_server(struct ia_queue *q)
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
    wake_server(q);
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
        wake_server(q);
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

/* ---- threads ----------------------------------------------------------------------------- */

static void note_failure(struct ia_queue *q, const struct ia_err *err)
{
    pthread_mutex_lock(&q->mutex);
    /* The first one is the cause; what follows it usually repeats it. */
    if (q->err.code == IA_OK) {
        q->err = *err;
    }
    wake_server(q);
    pthread_mutex_unlock(&q->mutex);
}

static uint64_t count_changes(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    uint64_t n = q->changes;
    pthread_mutex_unlock(&q->mutex);
    return n;
}

/* False when the queue stops. */
static bool wait_for_change(struct ia_queue *q, uint64_t before)
{
    pthread_mutex_lock(&q->mutex);
    while (q->changes == before && !q->stopping) {
        pthread_cond_wait(&q->changed, &q->mutex);
    }
    bool go_on = !q->stopping;
    pthread_mutex_unlock(&q->mutex);
    return go_on;
}

static void *worker(void *arg)
{
    struct ia_queue *q = arg;
    bool go_on = true;
    while (go_on) {
        uint64_t before = count_changes(q); /* so that no wake in between is lost */
        struct ia_queue_task task;
        struct ia_err err = {0};
        bool took = false;
        if (ia_queue_take(q, &took, &task, &err) != IA_OK) {
            note_failure(q, &err);
        }
        if (took) {
            q->opts.work(q->opts.ctx, &task);
            ia_queue_done(q, &task);
        } else {
            go_on = wait_for_change(q, before);
        }
    }
    pthread_mutex_lock(&q->mutex);
    q->threads_running--;
    wake_server(q);
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

static bool start_worker(struct ia_queue *q, const pthread_attr_t *attr)
{
    /* Counted before it exists, as it may end before pthread_create returns here. */
    pthread_mutex_lock(&q->mutex);
    q->threads_running++;
    pthread_mutex_unlock(&q->mutex);
    if (pthread_create(&q->threads[q->thread_count], attr, worker, q) != 0) {
        pthread_mutex_lock(&q->mutex);
        q->threads_running--;
        pthread_mutex_unlock(&q->mutex);
        return false;
    }
    q->thread_count++;
    return true;
}

enum ia_rc ia_queue_start(struct ia_queue *q, struct ia_err *err)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    q->threads = ia_calloc((size_t)q->opts.max_runs, sizeof(*q->threads));
    bool ok = true;
    while (ok && q->thread_count < q->opts.max_runs) {
        ok = start_worker(q, &attr);
    }
    pthread_attr_destroy(&attr);
    if (!ok && q->thread_count == 0) {
        return ia_err_set(err, IA_E_IO, "cannot start a worker thread");
    }
    return IA_OK; /* fewer threads do the same work, only more slowly */
}

/* ---- serving ----------------------------------------------------------------------------- */

/* Waits for a byte in the wake pipe, at most that long. The queue's clock says what is due; this
 * wait is for other threads, so it is in the system's time whatever that clock is. */
static enum ia_rc wait_for_wake(struct ia_queue *q, struct ia_cancel *cancel, int64_t until_us)
{
    struct pollfd fd = {.fd = q->wake_pipe[0], .events = POLLIN};
    int ready = 0;
    char bytes[64];
    enum ia_rc rc = ia_cancel_poll(cancel, &fd, 1, until_us, &ready);
    /* Emptied whatever the poll said: bytes carry no count, one wake stands for all. */
    while (read(q->wake_pipe[0], bytes, sizeof(bytes)) > 0) {
    }
    return rc;
}

static int64_t system_us_in(int64_t ms)
{
    return ia_mono_us(ia_clock_system()) + ms * 1000;
}

static enum ia_rc take_failure(struct ia_queue *q, struct ia_err *err)
{
    pthread_mutex_lock(&q->mutex);
    enum ia_rc rc = q->err.code;
    if (rc != IA_OK) {
        *err = q->err;
        q->err = (struct ia_err){0};
    }
    pthread_mutex_unlock(&q->mutex);
    return rc;
}

/* Wakes the workers for gates that have opened. True when nothing is left to do. */
static bool open_gates(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    /* No byte into the wake pipe here: this is the thread that would read it. */
    if (ia_lanes_due_ms(q->lanes) <= ia_wall_ms(q->clock)) {
        q->changes++;
        pthread_cond_broadcast(&q->changed);
    }
    bool quiet = ia_lanes_quiet(q->lanes);
    pthread_mutex_unlock(&q->mutex);
    return quiet;
}

static int64_t next_round_ms(struct ia_queue *q, int64_t now_ms, int64_t until_ms)
{
    int64_t next_ms = now_ms + IA_QUEUE_POLL_MS, due_ms = ia_queue_due_ms(q);
    next_ms = until_ms < next_ms ? until_ms : next_ms;
    return due_ms < next_ms ? due_ms : next_ms;
}

enum ia_rc ia_queue_serve(struct ia_queue *q, struct ia_cancel *cancel, int64_t until_ms,
                          bool until_empty, enum ia_served *ret, struct ia_err *err)
{
    bool poll = true;
    int64_t next_poll_us = 0;
    for (;;) {
        int64_t now_us = ia_mono_us(q->clock);
        poll = poll || now_us >= next_poll_us;
        next_poll_us = poll ? now_us + IA_QUEUE_POLL_MS * INT64_C(1000) : next_poll_us;
        enum ia_rc rc = take_failure(q, err);
        if (rc == IA_OK && poll) {
            rc = ia_queue_poll(q, err);
        }
        if (rc != IA_OK) {
            return rc;
        }
        /* Quiet lanes are believed only right after the rows were polled. */
        bool quiet = open_gates(q);
        if (quiet && until_empty && poll) {
            *ret = IA_SERVED_EMPTY;
            return IA_OK;
        }
        poll = quiet && until_empty;
        if (poll) {
            continue;
        }
        int64_t now_ms = ia_wall_ms(q->clock);
        if (now_ms >= until_ms) {
            *ret = IA_SERVED_UNTIL;
            return IA_OK;
        }
        int64_t wait_ms = next_round_ms(q, now_ms, until_ms) - now_ms;
        if (wait_for_wake(q, cancel, system_us_in(wait_ms > 0 ? wait_ms : 1)) ==
            IA_E_CANCELLED) {
            *ret = IA_SERVED_CANCELLED;
            return IA_OK;
        }
    }
}

/* ---- stopping ---------------------------------------------------------------------------- */

void ia_queue_hold(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->held = true;
    pthread_mutex_unlock(&q->mutex);
}

int ia_queue_active(struct ia_queue *q)
{
    int n = 0;
    pthread_mutex_lock(&q->mutex);
    for (const struct slot *s = q->slots; s; s = s->next) {
        n += s->active ? 1 : 0;
    }
    pthread_mutex_unlock(&q->mutex);
    return n;
}

static int interrupt_workers(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->stopping = true;
    /* Before the tokens fire: a run that sees its token fired looks at this to tell a
     * shutdown, after which it is resumed, from a cancel, which ends it. */
    atomic_store(&q->interrupt, true);
    for (struct slot *s = q->slots; s; s = s->next) {
        if (s->active) {
            ia_cancel_fire(s->cancel);
        }
    }
    pthread_cond_broadcast(&q->changed);
    int running = q->threads_running;
    pthread_mutex_unlock(&q->mutex);
    return running;
}

static void join_workers(struct ia_queue *q)
{
    for (int i = 0; i < q->thread_count; i++) {
        (void)pthread_join(q->threads[i], NULL);
    }
    q->thread_count = 0;
}

static int count_running(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    int n = q->threads_running;
    pthread_mutex_unlock(&q->mutex);
    return n;
}

enum ia_rc ia_queue_stop(struct ia_queue *q, int64_t grace_ms, struct ia_err *err)
{
    int64_t until_us = system_us_in(grace_ms);
    for (int n = interrupt_workers(q); n > 0; n = count_running(q)) {
        /* Not joined after the grace: the threads still use the queue, so the caller must
         * leave it alone and exit. The runs' rows go back to the queue when their process is
         * seen to be dead. */
        if (wait_for_wake(q, NULL, until_us) == IA_E_TIMEOUT) {
            return ia_err_set(err, IA_E_TIMEOUT,
                              "%d runs did not stop within %lld ms; they are resumed at the "
                              "next start",
                              count_running(q), (long long)grace_ms);
        }
    }
    join_workers(q);
    return IA_OK;
}

void ia_queue_free(struct ia_queue *q)
{
    if (!q) {
        return;
    }
    /* Started and never stopped, as where something else that its owner needs could not be
     * opened: the threads use everything that goes here. */
    if (q->thread_count > 0) {
        (void)interrupt_workers(q);
        join_workers(q);
    }
    while (q->slots) {
        struct slot *s = q->slots;
        q->slots = s->next;
        ia_cancel_free(s->cancel);
        free(s);
    }
    ia_lanes_free(q->lanes);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mutex);
    (void)close(q->wake_pipe[0]);
    (void)close(q->wake_pipe[1]);
    free(q->threads);
    free(q->pool);
    free(q);
}
