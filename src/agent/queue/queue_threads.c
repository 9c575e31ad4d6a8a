/* queue_threads.c: the threads of a queue: workers that take runs, and one thread that serves them.
 *
 *     worker:   take ─► work ─► done ─► take …         no run to take: sleeps on `changed`
 *     server:   poll the rows, open due gates          sleeps on the wake pipe, at most
 *               ▲                                      IA_QUEUE_POLL_MS
 *               └── a byte in the wake pipe: a lane was woken, a gate was set, everything is
 *                   quiet, a worker failed or ended
 *
 * The mutex is never held over a call of the work function. */
#include "agent/queue/queue_impl.h"

#include "base/fd.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reserved, and touched as far as it is used. fontconfig reads its files recursively, on the thread that draws first. */
enum { STACK_BYTES = 1 << 20 };

/* ---- threads ----------------------------------------------------------------------------- */

static void note_failure(struct ia_queue *q, const struct ia_err *err)
{
    pthread_mutex_lock(&q->mutex);
    /* The first one is the cause; what follows it usually repeats it. */
    if (q->err.code == IA_OK) {
        q->err = *err;
    }
    ia_queue_wake_server(q);
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
    ia_queue_wake_server(q);
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

/* The mutex is held. */
static bool start_worker(struct ia_queue *q, const pthread_attr_t *attr)
{
    /* Counted before it exists, as it may end before pthread_create returns here. */
    q->threads_running++;
    if (pthread_create(&q->threads[q->thread_count], attr, worker, q) != 0) {
        q->threads_running--;
        return false;
    }
    q->thread_count++;
    return true;
}

/* One thread for each run that may go on at once. The mutex is held. */
static bool start_workers(struct ia_queue *q)
{
    pthread_attr_t attr;
    bool ok = true;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    if (q->thread_count < q->opts.max_runs) {
        q->threads = ia_realloc(q->threads, (size_t)q->opts.max_runs, sizeof(*q->threads));
    }
    while (ok && q->thread_count < q->opts.max_runs) {
        ok = start_worker(q, &attr);
    }
    pthread_attr_destroy(&attr);
    return ok;
}

enum ia_rc ia_queue_start(struct ia_queue *q, struct ia_err *err)
{
    pthread_mutex_lock(&q->mutex);
    bool ok = start_workers(q) || q->thread_count > 0;
    pthread_mutex_unlock(&q->mutex);
    /* Fewer threads do the same work, only more slowly. */
    return ok ? IA_OK : ia_err_set(err, IA_E_IO, "cannot start a worker thread");
}

void ia_queue_set_max_runs(struct ia_queue *q, int max_runs)
{
    pthread_mutex_lock(&q->mutex);
    if (!q->stopping && max_runs > 0 && max_runs != q->opts.max_runs) {
        q->opts.max_runs = max_runs;
        ia_lanes_set_max_active(q->lanes, max_runs);
        /* Threads beyond a lower number find no lane, and sleep. */
        (void)(q->thread_count > 0 && start_workers(q));
        q->changes++;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->mutex);
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
