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
    struct ia_cancel *cancel; /* of the run in hand; made at the first */
    int streak;               /* scheduled runs in a row */
    bool active;
    bool own; /* does nothing of the pool */
    struct slot *next;
};

struct ia_queue {
    struct ia_queue_opts opts;
    const struct ia_clock *clock;
    char *pool;
    int bell[2]; /* a byte in it: serve shall look again */

    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t changed;
    uint64_t changes; /* grows with every wake */
    struct ia_lanes *lanes;
    struct slot *slots;
    atomic_bool interrupt;
    bool stopping;
    struct ia_err err; /* the failure that serve shall tell */
    pthread_t *threads;
    int thread_count, threads_running;
};

/* ---- making ------------------------------------------------------------------------------ */

static enum ia_rc open_bell(struct ia_queue *q, struct ia_err *err)
{
    enum ia_rc rc = ia_pipe(q->bell, err);
    if (rc == IA_OK) {
        (void)ia_fd_nonblocking(q->bell[0]);
        (void)ia_fd_nonblocking(q->bell[1]);
    }
    return rc;
}

struct ia_queue *ia_queue_new(const struct ia_queue_opts *opts, struct ia_err *err)
{
    struct ia_queue *q = ia_calloc(1, sizeof(*q));
    q->opts = *opts;
    if (q->opts.max_runs <= 0) {
        q->opts.max_runs = IA_QUEUE_RUNS_DEFAULT;
    }
    if (open_bell(q, err) != IA_OK) {
        free(q);
        return NULL;
    }
    q->clock = opts->clock ? opts->clock : ia_clock_system();
    q->pool = ia_strdup(opts->pool);
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->lanes = ia_lanes_new(q->opts.max_runs);
    return q;
}

void ia_queue_free(struct ia_queue *q)
{
    if (!q) {
        return;
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
    (void)close(q->bell[0]);
    (void)close(q->bell[1]);
    free(q->threads);
    free(q->pool);
    free(q);
}

/* ---- waking ------------------------------------------------------------------------------ */

static void ring(struct ia_queue *q)
{
    (void)!write(q->bell[1], "", 1); /* a full pipe has rung already */
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

static void wake_workers(struct ia_queue *q)
{
    q->changes++;
    pthread_cond_broadcast(&q->changed);
    ring(q);
}

static void serve_lane(struct ia_queue *q, const char *name, bool own)
{
    pthread_mutex_lock(&q->mutex);
    struct ia_lane *lane = add_lane(q, name);
    find_slot(q, lane)->own = own;
    ia_lanes_wake(q->lanes, lane);
    wake_workers(q);
    pthread_mutex_unlock(&q->mutex);
}

void ia_queue_add_lane(struct ia_queue *q, const char *lane)
{
    serve_lane(q, lane, false);
}

void ia_queue_add_own_lane(struct ia_queue *q, const char *lane)
{
    serve_lane(q, lane, true);
}

static void wake(struct ia_queue *q, const char *lane)
{
    if (!lane || (q->pool && strcmp(lane, q->pool) == 0)) {
        ia_lanes_wake_all(q->lanes);
        return;
    }
    struct ia_lane *known = ia_lanes_find(q->lanes, lane);
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
    wake(q, lane);
    wake_workers(q);
    pthread_mutex_unlock(&q->mutex);
}

struct look {
    struct ia_queue *q;
    char **names;
    size_t count, cap;
};

static bool note_waiting(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    struct look *look = ctx;
    (void)waiting;
    (void)not_before_ms;
    if (look->count == look->cap) {
        look->cap = look->cap ? look->cap * 2 : 16;
        look->names = ia_realloc(look->names, look->cap, sizeof(*look->names));
    }
    look->names[look->count++] = ia_strdup(lane);
    return true;
}

enum ia_rc ia_queue_look(struct ia_queue *q, struct ia_err *err)
{
    struct look look = {.q = q};
    enum ia_rc rc = ia_store_recover(q->opts.store, NULL, err);
    if (rc == IA_OK) {
        rc = ia_store_waiting(q->opts.store, note_waiting, &look, err);
    }
    pthread_mutex_lock(&q->mutex);
    for (size_t i = 0; i < look.count; i++) {
        wake(q, look.names[i]);
        free(look.names[i]);
    }
    if (look.count > 0) {
        wake_workers(q);
    }
    pthread_mutex_unlock(&q->mutex);
    free(look.names);
    return rc;
}

/* ---- taking ------------------------------------------------------------------------------ */

static struct slot *next_slot(struct ia_queue *q)
{
    struct slot *s = NULL;
    pthread_mutex_lock(&q->mutex);
    if (!q->stopping) {
        struct ia_lane *lane = ia_lanes_next(q->lanes, ia_wall_ms(q->clock));
        s = lane ? find_slot(q, lane) : NULL;
    }
    pthread_mutex_unlock(&q->mutex);
    return s;
}

static void give_back(struct ia_queue *q, struct slot *s, enum ia_lane_left left,
                      int64_t until_ms)
{
    pthread_mutex_lock(&q->mutex);
    ia_lanes_done(q->lanes, s->lane, left, until_ms);
    if (ia_lanes_quiet(q->lanes) || left == IA_LANE_GATED) {
        ring(q);
    }
    pthread_mutex_unlock(&q->mutex);
}

static enum ia_rc claim(struct ia_queue *q, const struct slot *s, struct ia_claimed *ret,
                        struct ia_err *err)
{
    struct ia_claim c = {.lane = ia_lane_name(s->lane),
                         .pool = s->own ? NULL : q->pool,
                         .scheduled_streak = s->streak};
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(q->opts.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_claim(tx, &c, ret);
    return ia_tx_commit(tx, err);
}

/* A token is used again until it fired once. */
static enum ia_rc fresh_token(struct slot *s, struct ia_err *err)
{
    if (s->cancel && !ia_cancel_fired(s->cancel)) {
        return IA_OK;
    }
    ia_cancel_free(s->cancel);
    s->cancel = ia_cancel_new(err);
    return s->cancel ? IA_OK : err->code;
}

static void begin_task(struct ia_queue *q, struct slot *s, const struct ia_claimed *claimed,
                       struct ia_queue_task *ret)
{
    s->streak = claimed->scheduled ? s->streak + 1 : 0;
    *ret = (struct ia_queue_task){.lane = ia_lane_name(s->lane),
                                  .scheduled = claimed->scheduled,
                                  .begun = claimed->begun,
                                  .cancel = s->cancel,
                                  .interrupt = &q->interrupt,
                                  .slot = s};
    memcpy(ret->run_id, claimed->run_id, sizeof(ret->run_id));
    pthread_mutex_lock(&q->mutex);
    s->active = true;
    if (q->stopping) { /* since the claim */
        ia_cancel_fire(s->cancel);
    }
    pthread_mutex_unlock(&q->mutex);
}

/* Asks for the lane's next run. True when there is one. */
static enum ia_rc ask(struct ia_queue *q, struct slot *s, bool *ret_took,
                      struct ia_queue_task *ret, struct ia_err *err)
{
    struct ia_claimed claimed = {0};
    int64_t again_ms = ia_wall_ms(q->clock) + IA_QUEUE_POLL_MS;
    enum ia_rc rc = fresh_token(s, err);
    if (rc == IA_OK) {
        rc = claim(q, s, &claimed, err);
    }
    *ret_took = rc == IA_OK && claimed.why == IA_CLAIM_RUN;
    if (*ret_took) {
        begin_task(q, s, &claimed, ret);
    } else if (rc == IA_OK && claimed.why == IA_CLAIM_NONE) {
        give_back(q, s, IA_LANE_NONE, 0);
    } else {
        bool later = rc == IA_OK && claimed.why == IA_CLAIM_LATER;
        bool soon = later && claimed.not_before_ms < again_ms;
        give_back(q, s, IA_LANE_GATED, soon ? claimed.not_before_ms : again_ms);
    }
    return rc;
}

enum ia_rc ia_queue_take(struct ia_queue *q, bool *ret_took, struct ia_queue_task *ret,
                         struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    struct slot *s;
    *ret_took = false;
    while (rc == IA_OK && !*ret_took && (s = next_slot(q)) != NULL) {
        rc = ask(q, s, ret_took, ret, err);
    }
    return rc;
}

void ia_queue_done(struct ia_queue *q, const struct ia_queue_task *task)
{
    struct slot *s = task->slot;
    pthread_mutex_lock(&q->mutex);
    s->active = false;
    pthread_mutex_unlock(&q->mutex);
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
    if (q->err.code == IA_OK) {
        q->err = *err;
    }
    ring(q);
    pthread_mutex_unlock(&q->mutex);
}

static uint64_t changes(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    uint64_t n = q->changes;
    pthread_mutex_unlock(&q->mutex);
    return n;
}

/* False when the queue stops. */
static bool wait_for_change(struct ia_queue *q, uint64_t seen)
{
    pthread_mutex_lock(&q->mutex);
    while (q->changes == seen && !q->stopping) {
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
        uint64_t seen = changes(q);
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
            go_on = wait_for_change(q, seen);
        }
    }
    pthread_mutex_lock(&q->mutex);
    q->threads_running--;
    ring(q);
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

static bool start_worker(struct ia_queue *q, const pthread_attr_t *attr)
{
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
        return ia_err_set(err, IA_E_IO, "cannot start a thread for a run");
    }
    return IA_OK; /* fewer than asked for do the same work, later */
}

/* ---- serving ----------------------------------------------------------------------------- */

static void drain_bell(struct ia_queue *q)
{
    char bytes[64];
    while (read(q->bell[0], bytes, sizeof(bytes)) > 0) {
    }
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

/* Lets the workers see gates that opened; true when nothing is left to do. */
static bool open_and_judge(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    if (ia_lanes_due_ms(q->lanes) <= ia_wall_ms(q->clock)) {
        q->changes++;
        pthread_cond_broadcast(&q->changed);
    }
    bool quiet = ia_lanes_quiet(q->lanes);
    pthread_mutex_unlock(&q->mutex);
    return quiet;
}

/* Waits for the bell, the token, or the first of the two times. */
static enum ia_rc wait_for_bell(struct ia_queue *q, struct ia_cancel *cancel, int64_t until_ms)
{
    int64_t now = ia_wall_ms(q->clock), due = ia_queue_due_ms(q);
    int64_t next = now + IA_QUEUE_POLL_MS;
    next = until_ms < next ? until_ms : next;
    next = due < next ? due : next;
    int64_t wait_ms = next > now ? next - now : 1;
    struct pollfd fd = {.fd = q->bell[0], .events = POLLIN};
    int ready = 0;
    int64_t deadline = ia_mono_us(ia_clock_system()) + wait_ms * 1000;
    enum ia_rc rc = ia_cancel_poll(cancel, &fd, 1, deadline, &ready);
    drain_bell(q);
    return rc;
}

/* One round of serving. True in *ret_over when it has ended as *ret says. look is whether the
 * store is to be asked, and says so for the next round. */
static enum ia_rc serve_round(struct ia_queue *q, bool until_empty, bool *look, bool *ret_over,
                              enum ia_served *ret, struct ia_err *err)
{
    enum ia_rc rc = take_failure(q, err);
    if (rc == IA_OK && *look) {
        rc = ia_queue_look(q, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    bool quiet = open_and_judge(q);
    *ret_over = quiet && until_empty && *look;
    *ret = IA_SERVED_EMPTY;
    *look = quiet && until_empty;
    return IA_OK;
}

enum ia_rc ia_queue_serve(struct ia_queue *q, struct ia_cancel *cancel, int64_t until_ms,
                          bool until_empty, enum ia_served *ret, struct ia_err *err)
{
    bool look = true, over = false;
    int64_t look_us = 0;
    for (;;) {
        int64_t now_us = ia_mono_us(ia_clock_system());
        look = look || now_us >= look_us;
        look_us = look ? now_us + IA_QUEUE_POLL_MS * INT64_C(1000) : look_us;
        enum ia_rc rc = serve_round(q, until_empty, &look, &over, ret, err);
        if (rc != IA_OK || over) {
            return rc;
        }
        if (!look && ia_wall_ms(q->clock) >= until_ms) {
            *ret = IA_SERVED_UNTIL;
            return IA_OK;
        }
        if (!look && wait_for_bell(q, cancel, until_ms) == IA_E_CANCELLED) {
            *ret = IA_SERVED_CANCELLED;
            return IA_OK;
        }
    }
}

/* ---- stopping ---------------------------------------------------------------------------- */

static void tell_to_stop(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->stopping = true;
    atomic_store(&q->interrupt, true);
    for (struct slot *s = q->slots; s; s = s->next) {
        if (s->active) {
            ia_cancel_fire(s->cancel);
        }
    }
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
}

static int running(struct ia_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    int n = q->threads_running;
    pthread_mutex_unlock(&q->mutex);
    return n;
}

enum ia_rc ia_queue_stop(struct ia_queue *q, int64_t grace_ms, struct ia_err *err)
{
    tell_to_stop(q);
    int64_t until = ia_mono_us(ia_clock_system()) + grace_ms * 1000;
    while (running(q) > 0) {
        struct pollfd fd = {.fd = q->bell[0], .events = POLLIN};
        int ready = 0;
        if (ia_cancel_poll(NULL, &fd, 1, until, &ready) == IA_E_TIMEOUT) {
            return ia_err_set(err, IA_E_TIMEOUT,
                              "%d runs did not stop within %lld ms; they are resumed at the "
                              "next start",
                              running(q), (long long)grace_ms);
        }
        drain_bell(q);
    }
    for (int i = 0; i < q->thread_count; i++) {
        (void)pthread_join(q->threads[i], NULL);
    }
    q->thread_count = 0;
    return IA_OK;
}

/* ---- stuck runs -------------------------------------------------------------------------- */

enum ia_pulse ia_pulse_judge(const struct ia_pulse_facts *f)
{
    if (!f->owner_alive) {
        return IA_PULSE_DEAD;
    }
    if (f->heartbeat_ms == 0 || f->now_ms - f->heartbeat_ms <= IA_STUCK_BEAT_MS) {
        return IA_PULSE_OK;
    }
    bool tool = f->tool_deadline_ms > 0;
    return tool && f->now_ms <= f->tool_deadline_ms + IA_STUCK_GRACE_MS ? IA_PULSE_OK
                                                                        : IA_PULSE_STUCK;
}
