/* worker.c: a worker's threads: the puller pulls orders for free lanes; the keeper prolongs the orders of current runs and
 * writes this worker's row; the proposer proposes finished runs (propose.c); the queue has one for each lane. */
#include "app/fleet/work_impl.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURN_MS = 100,
    PULL_MS = 1000,
    KEEP_US = 200000, /* between two looks of the keeper */
    FREE_WAIT_US = 500000,
    SETTLE_MS = 100,
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* ---- what the lanes tell ------------------------------------------------------------------- */

/* Finds the order of a run; false if no order belongs to it. */
static bool order_of(struct ia_fleet_work *w, const char *run_id, struct ia_fleet_order *ret)
{
    bool found = false;
    pthread_mutex_lock(&w->mutex);
    for (size_t i = 0; i < w->opts.lane_count && !found; i++) {
        found = w->hands[i].taken && strcmp(w->hands[i].run_id, run_id) == 0;
        *ret = w->hands[i].order;
    }
    pthread_mutex_unlock(&w->mutex);
    return found;
}

/* Sends an event to those who watch the sweep, except frequent ones such as each word of a model. */
static void event(void *ctx, const struct ia_queue_task *task, enum ia_event_type type,
                  struct ia_str json)
{
    struct ia_fleet_work *w = ctx;
    struct ia_fleet_order order;
    char subject[IA_FLEET_SUBJECT_SIZE];
    bool shown = type != IA_EVENT_TEXT_DELTA && type != IA_EVENT_PICTURE &&
                 type != IA_EVENT_PICTURE_TAKEN && type != IA_EVENT_RUN_FINISHED;
    if (shown && order_of(w, task->run_id, &order)) {
        ia_fleet_subject(IA_FLEET_LIVE, w->opts.name, order.batch, order.run, subject);
        ia_bus_tell(w->opts.bus, subject, json);
    }
}

/* Cancels a run that asks a person, since nobody watches a worker and it would wait for ever. */
static void ended(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                  const struct ia_err *refused)
{
    struct ia_fleet_work *w = ctx;
    enum ia_run_state state = ia_run_state_from_name(r->state);
    enum ia_cancel_result ignored;
    (void)refused;
    if (state == IA_RUN_ASKING) {
        (void)ia_store_cancel_run(w->opts.setup->store, task->run_id, &ignored, NULL);
        state = IA_RUN_CANCELLED;
    }
    if (ia_run_state_final(state)) {
        ia_fleet_finish(w, task->run_id);
    }
}

/* ---- what is told to this worker -------------------------------------------------------------- */

static void on_cancel(void *ctx, const char *subject, struct ia_str body)
{
    struct ia_fleet_work *w = ctx;
    const char *run = strrchr(subject, '.');
    char ids[IA_FLEET_LANES_MAX][IA_ID_SIZE];
    size_t n = 0;
    (void)body;
    pthread_mutex_lock(&w->mutex);
    for (size_t i = 0; run && i < w->opts.lane_count; i++) {
        if (w->hands[i].taken && strcmp(w->hands[i].order.run, run + 1) == 0) {
            memcpy(ids[n++], w->hands[i].run_id, IA_ID_SIZE);
        }
    }
    pthread_mutex_unlock(&w->mutex);
    for (size_t i = 0; i < n; i++) {
        enum ia_cancel_result result = IA_CANCEL_ASKED;
        (void)ia_store_cancel_run(w->opts.setup->store, ids[i], &result, NULL);
        ia_workers_cancel(w->workers, ids[i]);
        if (result == IA_CANCEL_DONE) { /* it was queued: no thread reports its end */
            ia_fleet_finish(w, ids[i]);
        }
    }
}

static void on_drain(void *ctx, const char *subject, struct ia_str body)
{
    (void)subject;
    (void)body;
    ia_fleet_work_drain(ctx);
}

void ia_fleet_work_drain(struct ia_fleet_work *w)
{
    atomic_store(&w->draining, true);
}

/* ---- the keeper -------------------------------------------------------------------------------- */

/* Every quarter of the lease: three of these may be lost before another worker gets the order. */
static void prolong_one(struct ia_fleet_work *w, struct ia_fleet_hand *h, int64_t now)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    if (h->taken && now >= h->prolong_us) {
        ia_bus_prolong(w->opts.bus, &h->message);
        ia_fleet_subject(IA_FLEET_BEAT, w->opts.name, h->order.batch, h->order.run, subject);
        ia_bus_tell(w->opts.bus, subject, (struct ia_str){"", 0});
        h->prolong_us = now + h->lease_ms * 250;
    }
}

static void prolong(struct ia_fleet_work *w)
{
    int64_t now = now_us();
    pthread_mutex_lock(&w->mutex);
    for (size_t i = 0; i < w->opts.lane_count; i++) {
        prolong_one(w, &w->hands[i], now);
    }
    for (struct ia_fleet_done *d = w->over; d; d = d->next) {
        prolong_one(w, &d->hand, now);
    }
    pthread_mutex_unlock(&w->mutex);
}

static void *keep(void *ctx)
{
    struct ia_fleet_work *w = ctx;
    while (!ia_cancel_fired(w->stop)) {
        prolong(w);
        ia_fleet_show(w);
        (void)ia_clock_wait(ia_clock_system(), w->stop, now_us() + KEEP_US);
    }
    return NULL;
}

/* ---- the puller --------------------------------------------------------------------------------- */

/* Waits briefly for a free lane and notes that an order is pulled for it, which a drained worker waits for. */
static bool begin_pull(struct ia_fleet_work *w)
{
    int64_t wall_ms = ia_wall_ms(ia_clock_system()) + FREE_WAIT_US / 1000;
    const struct timespec until = {.tv_sec = wall_ms / 1000,
                                   .tv_nsec = (wall_ms % 1000) * 1000000};
    bool found = false;
    pthread_mutex_lock(&w->mutex);
    for (int round = 0; round < 2 && !found; round++) {
        for (size_t i = 0; i < w->opts.lane_count && !found; i++) {
            found = !w->hands[i].taken;
        }
        if (!found && round == 0) {
            (void)pthread_cond_timedwait(&w->freed, &w->mutex, &until);
        }
    }
    w->pulling = found && !atomic_load(&w->draining);
    found = w->pulling;
    pthread_mutex_unlock(&w->mutex);
    return found;
}

static void end_pull(struct ia_fleet_work *w)
{
    pthread_mutex_lock(&w->mutex);
    w->pulling = false;
    pthread_mutex_unlock(&w->mutex);
}

/* Whether there is no run, and none is being pulled. */
static bool is_idle(struct ia_fleet_work *w)
{
    pthread_mutex_lock(&w->mutex);
    bool pulling = w->pulling;
    pthread_mutex_unlock(&w->mutex);
    return !pulling && ia_fleet_busy(w) == 0;
}

static void pull_one(struct ia_fleet_work *w)
{
    struct ia_err err = {0};
    struct ia_bus_message m = {.handle = NULL};
    bool got = false;
    enum ia_rc rc = IA_OK;
    if (!w->orders) {
        rc = ia_bus_pull_open(w->opts.bus, IA_FLEET_RUNS, w->opts.class_key, &w->orders, &err);
    }
    if (rc == IA_OK) {
        rc = ia_bus_fetch(w->orders, PULL_MS, &m, &got, &err);
    }
    if (rc == IA_OK && got) {
        ia_fleet_accept(w, &m);
    }
    if (rc != IA_OK) {
        /* The queue of this class exists once its first run was submitted. */
        if (rc != IA_E_NOT_FOUND && rc != IA_E_TIMEOUT) {
            IA_LOG(IA_LOG_WARN, "fleet.pull", IA_S("why", err.msg));
        }
        ia_bus_pull_close(w->orders);
        w->orders = NULL;
        (void)ia_clock_wait(ia_clock_system(), w->stop, now_us() + FREE_WAIT_US);
    }
}

static void *pull(void *ctx)
{
    struct ia_fleet_work *w = ctx;
    struct ia_err err = {0};
    if (ia_fleet_propose_left(w, &err) != IA_OK) {
        IA_LOG(IA_LOG_ERROR, "fleet.propose_left", IA_S("why", err.msg));
        w->opts.say(w->opts.ctx, err.msg);
    }
    while (!ia_cancel_fired(w->stop)) {
        if (atomic_load(&w->draining)) {
            (void)ia_clock_wait(ia_clock_system(), w->stop, now_us() + FREE_WAIT_US);
        } else if (begin_pull(w)) {
            pull_one(w);
            end_pull(w);
        }
    }
    return NULL;
}

/* ---- life -------------------------------------------------------------------------------------- */

static enum ia_rc open_workers(struct ia_fleet_work *w, struct ia_err *err)
{
    const struct ia_workers_opts opts = {
        .setup = w->opts.setup,
        .credentials = w->opts.credentials,
        .max_runs = (int)w->opts.lane_count,
        .ended = ended,
        .event = event,
        .ctx = w,
    };
    enum ia_rc rc = ia_workers_new(&opts, &w->workers, err);
    for (size_t i = 0; i < w->opts.lane_count && rc == IA_OK; i++) {
        w->hands[i].lane = w->opts.lanes[i];
        ia_queue_add_lane(ia_workers_queue(w->workers), w->opts.lanes[i]);
    }
    return rc;
}

static enum ia_rc listen_to(struct ia_fleet_work *w, struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    enum ia_rc rc = ia_bus_listen(w->opts.bus, "ia.cancel.>", on_cancel, w, &w->cancels, err);
    (void)snprintf(subject, sizeof(subject), "ia.drain.%s", w->opts.name);
    return rc == IA_OK ? ia_bus_listen(w->opts.bus, subject, on_drain, w, &w->drains, err) : rc;
}

static enum ia_rc start(struct ia_fleet_work *w, struct ia_err *err)
{
    if (pthread_create(&w->keeper, NULL, keep, w) != 0) {
        return ia_err_set(err, IA_E_LIMIT, "no thread is left for the worker");
    }
    w->threads = 1;
    if (pthread_create(&w->puller, NULL, pull, w) != 0) {
        return ia_err_set(err, IA_E_LIMIT, "no thread is left for the worker");
    }
    w->threads = 2;
    if (pthread_create(&w->proposer, NULL, ia_fleet_propose_all, w) != 0) {
        return ia_err_set(err, IA_E_LIMIT, "no thread is left for the worker");
    }
    w->threads = 3;
    return ia_queue_start(ia_workers_queue(w->workers), err);
}

enum ia_rc ia_fleet_work_open(const struct ia_fleet_work_opts *opts, struct ia_fleet_work **ret,
                              struct ia_err *err)
{
    struct ia_err ignored;
    struct ia_fleet_work *w = ia_calloc(1, sizeof(*w));
    w->opts = *opts;
    w->since_ms = ia_wall_ms(ia_clock_system());
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->freed, NULL);
    pthread_cond_init(&w->proposes, NULL);
    w->over_end = &w->over;
    w->stop = ia_cancel_new(err);
    enum ia_rc rc = w->stop ? IA_OK : err->code;
    rc = rc == IA_OK ? open_workers(w, err) : rc;
    if (rc == IA_OK && opts->listen[0]) {
        rc = ia_fleet_blobs_open(opts->setup->store, opts->listen, opts->url, &w->blobs, err);
    }
    rc = rc == IA_OK ? ia_fleet_end_left(w, err) : rc;
    rc = rc == IA_OK ? listen_to(w, err) : rc;
    rc = rc == IA_OK ? start(w, err) : rc;
    if (rc != IA_OK) {
        (void)ia_fleet_work_close(w, 0, &ignored);
        return rc;
    }
    *ret = w;
    return IA_OK;
}

enum ia_rc ia_fleet_work_serve(struct ia_fleet_work *w, struct ia_cancel *cancel,
                               struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    enum ia_served served;
    while (rc == IA_OK && !ia_cancel_fired(cancel) &&
           !(atomic_load(&w->draining) && is_idle(w))) {
        rc = ia_queue_serve(ia_workers_queue(w->workers), cancel,
                            ia_wall_ms(ia_clock_system()) + TURN_MS, false, &served, err);
    }
    return rc;
}

int64_t ia_fleet_work_done(const struct ia_fleet_work *w)
{
    return atomic_load(&w->done);
}

static void give_back_all(struct ia_fleet_work *w)
{
    struct ia_err ignored;
    for (size_t i = 0; i < w->opts.lane_count; i++) {
        struct ia_fleet_hand *h = &w->hands[i];
        if (h->taken) {
            (void)ia_fleet_lose(w, h->run_id, &ignored);
            ia_bus_give_back(w->opts.bus, &h->message, 0);
            ia_bus_message_free(w->opts.bus, &h->message);
            h->taken = false;
        }
    }
}

enum ia_rc ia_fleet_work_close(struct ia_fleet_work *w, int64_t grace_ms, struct ia_err *err)
{
    if (w->stop) {
        ia_cancel_fire(w->stop);
    }
    pthread_mutex_lock(&w->mutex);
    pthread_cond_broadcast(&w->freed);
    pthread_cond_broadcast(&w->proposes);
    pthread_mutex_unlock(&w->mutex);
    ia_bus_unlisten(w->cancels);
    ia_bus_unlisten(w->drains);
    if (w->threads > 0) {
        (void)pthread_join(w->keeper, NULL);
    }
    if (w->threads > 1) {
        (void)pthread_join(w->puller, NULL);
    }
    if (w->workers &&
        ia_queue_stop(ia_workers_queue(w->workers), grace_ms, err) == IA_E_TIMEOUT) {
        return IA_E_TIMEOUT;
    }
    if (w->threads > 2) {
        (void)pthread_join(w->proposer, NULL);
        (void)ia_fleet_propose_all(w); /* runs that ended meanwhile */
    }
    give_back_all(w);
    ia_bus_unset(w->opts.bus, IA_FLEET_WORKERS, w->opts.name);
    ia_bus_flush(w->opts.bus, SETTLE_MS);
    ia_bus_pull_close(w->orders);
    ia_fleet_blobs_close(w->blobs);
    ia_workers_free(w->workers);
    ia_cancel_free(w->stop);
    pthread_cond_destroy(&w->proposes);
    pthread_cond_destroy(&w->freed);
    pthread_mutex_destroy(&w->mutex);
    free(w);
    return IA_OK;
}
