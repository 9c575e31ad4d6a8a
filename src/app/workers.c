/* workers.c: worker threads over the queue: each claims a run, has the executor make one attempt at
 * it, and says where it goes when it could not be done.
 *
 *   claimed ──► attempt ──► final state, retry_wait, or queued after an interrupt
 *      │ the run could not be done: no key, device busy, …
 *      ├──► queued      another process may do it, or this one later
 *      ├──► retry_wait  the error can pass
 *      └──► error
 *
 * `began` divides who writes the end: once the agent has begun, it moves the run's row
 * itself; before, what stood in the way (no key, busy device) is written here. */
#include "app/workers.h"

#include "agent/run/claim.h"
#include "app/children.h"
#include "app/executor.h"
#include "base/log.h"
#include "driver/registry/device_registry.h"
#include "store/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUSY_WAIT_US = 1000000,
    LACK_WAIT_US = 60000000,
    PUT_BACK_TRIES_MAX = 60, /* one each BUSY_WAIT_US */
};

struct ia_workers {
    struct ia_workers_opts opts;
    struct ia_executor *executor;
    struct ia_queue *queue;

    pthread_mutex_t mutex; /* guards the list */
    struct hand *hands;    /* the runs in hand */
};

/* One run in hand. */
struct hand {
    struct hand *next;
    struct ia_workers *workers;
    const struct ia_queue_task *task;
    bool began; /* the run itself says in its row what came of it */
};

/* ---- one run ----------------------------------------------------------------------------- */

static void observe(void *ctx, enum ia_event_type event, struct ia_str json)
{
    const struct hand *h = ctx;
    h->workers->opts.event(h->workers->opts.ctx, h->task, event, json);
}

static void notify(struct hand *h, const struct ia_run_result *r, const struct ia_err *refused)
{
    ia_executor_ended(h->workers->executor, r);
    if (h->workers->opts.ended) {
        h->workers->opts.ended(h->workers->opts.ctx, h->task, r, refused);
    }
}

/* Claimed where it cannot be read. */
static enum ia_run_state state_now(const struct hand *h)
{
    struct ia_run_row *row = NULL;
    enum ia_run_state state = IA_RUN_CLAIMED;
    if (ia_store_run(h->workers->opts.setup->store, h->task->run_id, &row, NULL) == IA_OK) {
        state = row->state;
    }
    ia_run_row_free(row);
    return state;
}

static bool in_hand(enum ia_run_state state)
{
    return state == IA_RUN_CLAIMED || state == IA_RUN_RUNNING;
}

/* Waits us. With a token it returns as soon as that fires. */
static void pause_for(const struct hand *h, struct ia_cancel *cancel, int64_t us)
{
    const struct ia_clock *clock =
        h->workers->opts.clock ? h->workers->opts.clock : ia_clock_system();
    (void)ia_clock_wait(clock, cancel, ia_mono_us(clock) + us);
}

/* What came of the run could not be written, and this process lives: nobody else would take it
 * from there. It keeps its lane until the store can be written again. A run that was stopped waits
 * only for a lock, which passes, and not for ever: a full disk must not hold up the end. */
static void put_back(const struct hand *h)
{
    struct ia_err err = {0};
    enum ia_rc rc = ia_claim_put_back(h->workers->opts.setup->store, h->task->run_id, &err);
    for (int i = 1; rc != IA_OK && in_hand(state_now(h)); i++) {
        bool stopped = ia_cancel_fired(h->task->cancel);
        if (stopped && (rc != IA_E_DB_LOCKED || i >= PUT_BACK_TRIES_MAX)) {
            break;
        }
        pause_for(h, stopped ? NULL : h->task->cancel, BUSY_WAIT_US);
        rc = ia_claim_put_back(h->workers->opts.setup->store, h->task->run_id, &err);
    }
    if (rc != IA_OK) { /* it is recovered once this process has ended */
        IA_LOG(IA_LOG_ERROR, "run.not_recorded", IA_S("run", h->task->run_id),
               IA_S("why", err.msg));
    }
}

/* It was stopped while its device was being opened: it goes back to the queue as it was, or ends
 * where that was asked for. */
static void stopped_early(struct hand *h, struct ia_run_result *r)
{
    enum ia_cancel_result ignored;
    struct ia_store *store = h->workers->opts.setup->store;
    bool asked = false;
    /* Read before the run is put back: afterwards another process may take it. */
    (void)ia_store_cancel_requested(store, h->task->run_id, &asked, NULL);
    put_back(h);
    if (asked) {
        (void)ia_store_cancel_run(store, h->task->run_id, &ignored, NULL);
    }
    (void)snprintf(r->id, sizeof(r->id), "%s", h->task->run_id);
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(state_now(h)));
    notify(h, r, NULL);
}

/* The run could not be done: its row says where it goes now. */
static void refuse(struct hand *h, struct ia_run_result *r, const struct ia_err *why)
{
    enum ia_run_state to = IA_RUN_CLAIMED;
    struct ia_err err;
    memcpy(r->id, h->task->run_id, sizeof(r->id));
    /* Also when the refusal itself cannot be written: then the row says what there is to
     * say. */
    if (h->began ||
        ia_claim_refuse(h->workers->opts.setup->store, r->id, why, &to, &err) != IA_OK) {
        to = state_now(h);
    }
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(to));
    /* Before the wait below, which can take a minute. */
    notify(h, r, why);
    if (in_hand(to)) {
        put_back(h);
    } else if (to == IA_RUN_QUEUED) { /* busy, or a key is missing: not again at once */
        pause_for(h, h->task->cancel, why->code == IA_E_BUSY ? BUSY_WAIT_US : LACK_WAIT_US);
    }
}

static void add_hand(struct hand *h)
{
    pthread_mutex_lock(&h->workers->mutex);
    h->next = h->workers->hands;
    h->workers->hands = h;
    pthread_mutex_unlock(&h->workers->mutex);
}

static void remove_hand(struct hand *h)
{
    pthread_mutex_lock(&h->workers->mutex);
    struct hand **at = &h->workers->hands;
    while (*at != h) {
        at = &(*at)->next;
    }
    *at = h->next;
    pthread_mutex_unlock(&h->workers->mutex);
}

void ia_workers_cancel(struct ia_workers *workers, const char *run_id)
{
    pthread_mutex_lock(&workers->mutex);
    for (struct hand *h = workers->hands; h; h = h->next) {
        if (strcmp(h->task->run_id, run_id) == 0) {
            ia_cancel_fire(h->task->cancel);
        }
    }
    pthread_mutex_unlock(&workers->mutex);
}

bool ia_workers_have(struct ia_workers *workers, const char *run_id)
{
    bool found = false;
    pthread_mutex_lock(&workers->mutex);
    for (const struct hand *h = workers->hands; h && !found; h = h->next) {
        found = strcmp(h->task->run_id, run_id) == 0;
    }
    pthread_mutex_unlock(&workers->mutex);
    return found;
}

/* Who serves every lane does them as it does all else. Who serves only some does them here, as
 * they may wait on others. */
static void do_children(const struct hand *h, const struct ia_run_result *r,
                        const struct ia_execution *e)
{
    struct ia_err err = {0};
    if (r->rests && !h->workers->opts.all_lanes &&
        ia_children_run(h->workers->executor, e, r->id, ia_executor_run, &err) != IA_OK) {
        IA_LOG(IA_LOG_WARN, "run.child_not_done", IA_S("run", r->id), IA_S("why", err.msg));
    }
}

static void work(void *ctx, const struct ia_queue_task *task)
{
    struct hand h = {.workers = ctx, .task = task};
    struct ia_run_result result = {.steps = 0};
    struct ia_err err = {0};
    const struct ia_execution e = {.run_id = task->run_id,
                                   .cancel = task->cancel,
                                   .interrupt = task->interrupt,
                                   .observe = h.workers->opts.event ? observe : NULL,
                                   .observe_ctx = &h};
    /* From here ia_workers_cancel finds the run. The list borrows h and the task, which live
     * until remove_hand. */
    add_hand(&h);
    enum ia_rc rc = ia_executor_attempt(h.workers->executor, &e, &h.began, &result, &err);
    if (rc == IA_OK) {
        notify(&h, &result, NULL);
        do_children(&h, &result, &e);
    } else if (rc == IA_E_CANCELLED && !h.began) {
        stopped_early(&h, &result);
    } else {
        refuse(&h, &result, &err);
    }
    remove_hand(&h);
    ia_run_result_fini(&result);
}

/* ---- the workers ---------------------------------------------------------------------------- */

static bool serve_any(void *ctx, const char *lane)
{
    const struct ia_workers *workers = ctx;
    struct ia_device_spec spec;
    struct ia_err ignored;
    bool ok = workers->opts.all_lanes &&
              ia_device_spec_find(lane, &workers->opts.setup->paths, &spec, &ignored) == IA_OK;
    if (ok) {
        ia_device_spec_fini(&spec);
    }
    return ok;
}

bool ia_workers_lacks(const struct ia_run_result *r, const struct ia_err *refused)
{
    enum ia_run_state state = ia_run_state_from_name(r->state);
    return refused && refused->code != IA_E_BUSY && (state == IA_RUN_QUEUED || in_hand(state));
}

static enum ia_rc open_queue(struct ia_workers *workers, struct ia_err *err)
{
    const struct ia_setup *s = workers->opts.setup;
    int max = workers->opts.max_runs;
    struct ia_queue_opts opts = {
        .store = s->store,
        .clock = workers->opts.clock,
        .max_runs = max > 0 ? max : (int)ia_config_int(s->config, IA_CFG_QUEUE_MAX_RUNS),
        .pool = workers->opts.pool,
        .serve = serve_any,
        .work = work,
        .ctx = workers,
    };
    workers->queue = ia_queue_new(&opts, err);
    return workers->queue ? IA_OK : err->code;
}

enum ia_rc ia_workers_new(const struct ia_workers_opts *opts, struct ia_workers **ret,
                          struct ia_err *err)
{
    struct ia_workers *workers = ia_calloc(1, sizeof(*workers));
    workers->opts = *opts;
    pthread_mutex_init(&workers->mutex, NULL);
    const struct ia_executor_opts executor = {.setup = opts->setup,
                                              .credentials = opts->credentials,
                                              .model = opts->model,
                                              .clock = opts->clock};
    enum ia_rc rc = ia_executor_new(&executor, &workers->executor, err);
    if (rc == IA_OK) {
        rc = open_queue(workers, err);
    }
    if (rc != IA_OK) {
        ia_workers_free(workers);
        return rc;
    }
    *ret = workers;
    return IA_OK;
}

void ia_workers_free(struct ia_workers *workers)
{
    if (!workers) {
        return;
    }
    ia_queue_free(workers->queue);
    ia_executor_free(workers->executor);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

struct ia_queue *ia_workers_queue(struct ia_workers *workers)
{
    return workers->queue;
}

struct ia_executor *ia_workers_executor(struct ia_workers *workers)
{
    return workers->executor;
}
