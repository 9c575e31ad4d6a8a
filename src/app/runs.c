/* runs.c: the service over the workers: requests become rows, and the events of runs reach their
 * watchers.
 *
 *   start ─► row ─► queue ─► worker ─► event ─┬─► watch (skips what it has had)
 *                                             │
 *   store ─► committed events, once a second ─┘   what other processes do
 *
 * An event reaches a watch from two sides: live from the worker, and as a row. The number of an
 * event within its run (`seq`) tells which ones the watch has had.
 *
 * Threads: workers deliver live events, the serving thread delivers what other processes
 * committed, callers add and remove watches. A watch's mutex is held while its callback
 * runs, so it gets one event at a time and in order; the list's mutex never is. `users`
 * keeps a watch alive that is removed while a delivery is under way. */
#include "app/runs.h"
#include "app/live_config.h"

#include "agent/run/run.h"
#include "agent/run/run_store.h"
#include "app/secret_source.h"
#include "app/workers.h"
#include "driver/registry/device_registry.h"
#include "store/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CATCH_UP_EVENTS = 64 }; /* rows in memory at once */

struct ia_runs_watch {
    struct ia_runs_watch *next;
    int users; /* guarded by the list's mutex; the last one frees */
    char run_id[IA_ID_SIZE];
    struct ia_store *store;

    pthread_mutex_t mutex; /* held while fn is called; guards what follows */
    ia_runs_event_fn *fn;  /* NULL: ended */
    void *ctx;
    int64_t last_id;  /* of the last row that was read */
    int64_t last_seq; /* of the last event that fn had, or did not want */
};

struct ia_runs {
    struct ia_runs_opts opts;
    struct ia_workers *workers;
    struct ia_cancel *cancel; /* ends the thread */
    pthread_t thread;
    bool serving;

    pthread_mutex_t mutex; /* guards the list */
    struct ia_runs_watch *watches;
};

/* ---- watches ----------------------------------------------------------------------------- */

/* A copy of a row. */
struct stored {
    struct stored *next;
    int64_t id, seq;
    enum ia_event_type type;
    char *json;
    size_t n;
};

static bool keep_row(void *ctx, const struct ia_event_row *row)
{
    struct stored ***end = ctx, *copy = ia_calloc(1, sizeof(*copy));
    *copy = (struct stored){.id = row->id,
                            .seq = row->seq,
                            .type = row->type,
                            .json = ia_strndup(row->json.p, row->json.n),
                            .n = row->json.n};
    **end = copy;
    *end = &copy->next;
    return true;
}

/* Hands over what is committed and was not seen live. The watch's mutex is held. The callback of a
 * listing must not call the store, and fn may: so rows are copied, a few at a time. */
static enum ia_rc catch_up(struct ia_runs_watch *w, struct ia_err *err)
{
    struct stored *rows, **end;
    enum ia_rc rc;
    bool more;
    do {
        const struct ia_event_range range = {
            .run_id = w->run_id, .after_id = w->last_id, .limit = CATCH_UP_EVENTS};
        rows = NULL;
        end = &rows;
        rc = ia_store_events(w->store, &range, keep_row, &end, NULL, err);
        more = rows != NULL;
        while (rows) {
            struct stored *row = rows;
            rows = row->next;
            w->last_id = row->id;
            if (row->seq > w->last_seq) {
                w->last_seq = row->seq;
                w->fn(w->ctx, row->seq, row->type, (struct ia_str){row->json, row->n});
            }
            free(row->json);
            free(row);
        }
    } while (rc == IA_OK && more);
    return rc;
}

static void drop(struct ia_runs *runs, struct ia_runs_watch *w)
{
    pthread_mutex_lock(&runs->mutex);
    bool last = --w->users == 0;
    pthread_mutex_unlock(&runs->mutex);
    if (last) {
        pthread_mutex_destroy(&w->mutex);
        free(w);
    }
}

/* A live event (IA_EVENT_COUNT: whatever is committed) for one watch. Those with seq 0 are live only.
 * A gap in the numbers is what only the store has, such as run.claimed. */
static void deliver(struct ia_runs_watch *w, enum ia_event_type event, struct ia_str json,
                    int64_t seq)
{
    struct ia_err ignored;
    bool live = event != IA_EVENT_COUNT;
    pthread_mutex_lock(&w->mutex);
    if (w->fn && (!live || seq > w->last_seq + 1)) {
        (void)catch_up(w, &ignored); /* what cannot be read now comes a second later */
    }
    if (w->fn && live && (seq == 0 || seq == w->last_seq + 1)) {
        /* Live-only events have no number and leave the count alone. */
        w->last_seq = seq > 0 ? seq : w->last_seq;
        w->fn(w->ctx, seq, event, json);
    }
    pthread_mutex_unlock(&w->mutex);
}

static int64_t seq_of(struct ia_str json)
{
    struct ia_event e;
    (void)ia_event_read(&e, json);
    int64_t seq = e.seq;
    ia_event_fini(&e);
    return seq;
}

/* For every watch of the run (NULL: of all runs). The list is not locked while fn is called, so
 * that fn may add watches. */
static void deliver_all(struct ia_runs *runs, const char *run_id, enum ia_event_type event,
                        struct ia_str json)
{
    struct ia_runs_watch **found = NULL;
    size_t n = 0;
    pthread_mutex_lock(&runs->mutex);
    for (struct ia_runs_watch *w = runs->watches; w; w = w->next) {
        if (!run_id || strcmp(w->run_id, run_id) == 0) {
            found = ia_realloc(found, n + 1, sizeof(struct ia_runs_watch *));
            found[n++] = w;
            w->users++;
        }
    }
    pthread_mutex_unlock(&runs->mutex);
    int64_t seq = n > 0 && event != IA_EVENT_COUNT ? seq_of(json) : 0;
    for (size_t i = 0; i < n; i++) {
        deliver(found[i], event, json, seq);
        drop(runs, found[i]);
    }
    free(found);
}

struct ia_runs_watch *ia_runs_watch(struct ia_runs *runs, const char *run_id, int64_t after_seq,
                                    ia_runs_event_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    /* Also resolves a shortened id: the row has the whole one. */
    if (ia_store_run(runs->opts.setup->store, run_id, &row, err) != IA_OK) {
        return NULL;
    }
    struct ia_runs_watch *w = ia_calloc(1, sizeof(*w));
    *w = (struct ia_runs_watch){.users = 1,
                                .store = runs->opts.setup->store,
                                .fn = fn,
                                .ctx = ctx,
                                .last_seq = after_seq};
    memcpy(w->run_id, row->id, strnlen(row->id, sizeof(w->run_id) - 1));
    ia_run_row_free(row);
    pthread_mutex_init(&w->mutex, NULL);
    /* First among the others, with its mutex held: a live event waits for the stored ones. */
    pthread_mutex_lock(&w->mutex);
    pthread_mutex_lock(&runs->mutex);
    w->next = runs->watches;
    runs->watches = w;
    pthread_mutex_unlock(&runs->mutex);
    enum ia_rc rc = catch_up(w, err);
    pthread_mutex_unlock(&w->mutex);
    if (rc != IA_OK) {
        ia_runs_unwatch(runs, w);
        return NULL;
    }
    return w;
}

void ia_runs_unwatch(struct ia_runs *runs, struct ia_runs_watch *watch)
{
    if (!watch) {
        return;
    }
    pthread_mutex_lock(&runs->mutex);
    for (struct ia_runs_watch **at = &runs->watches; *at; at = &(*at)->next) {
        if (*at == watch) {
            *at = watch->next;
            break;
        }
    }
    pthread_mutex_unlock(&runs->mutex);
    /* Waits for a callback that runs now; none begins afterwards. */
    pthread_mutex_lock(&watch->mutex);
    watch->fn = NULL;
    pthread_mutex_unlock(&watch->mutex);
    drop(runs, watch);
}

/* ---- threads ----------------------------------------------------------------------------- */

static void on_event(void *ctx, const struct ia_queue_task *task, enum ia_event_type event,
                     struct ia_str json)
{
    struct ia_runs *runs = ctx;
    const struct ia_runs_observer *o = &runs->opts.observer;
    if (o->event) {
        o->event(o->ctx, task, event, json);
    }
    deliver_all(runs, task->run_id, event, json);
}

/* A run that could not be done has its end in its row only. */
static void on_ended(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                     const struct ia_err *refused)
{
    struct ia_runs *runs = ctx;
    const struct ia_runs_observer *o = &runs->opts.observer;
    if (o->ended) {
        o->ended(o->ctx, task, r, refused);
    }
    if (!r->asking && ia_run_state_final(ia_run_state_from_name(r->state))) {
        ia_lent_keys_end(ia_executor_lent_keys(ia_workers_executor(runs->workers)),
                         task->run_id);
    }
    deliver_all(runs, task->run_id, IA_EVENT_COUNT, (struct ia_str){NULL, 0});
}

/* A store that is locked for a while, or a full disk, is tried again; what is wrong with it for
 * good is met by every call of the server. */
static void *serve(void *ctx)
{
    struct ia_runs *runs = ctx;
    const struct ia_clock *clock = runs->opts.clock ? runs->opts.clock : ia_clock_system();
    while (!ia_cancel_fired(runs->cancel)) {
        struct ia_err err;
        enum ia_served served;
        /* One poll at a time: between two the watches get what is committed. */
        int64_t until_ms = ia_wall_ms(clock) + IA_QUEUE_POLL_MS;
        enum ia_rc rc = ia_queue_serve(ia_workers_queue(runs->workers), runs->cancel, until_ms,
                                       false, &served, &err);
        if (rc != IA_OK) {
            if (runs->opts.observer.failed) {
                runs->opts.observer.failed(runs->opts.observer.ctx, &err);
            }
            int64_t soon_us = ia_mono_us(clock) + IA_QUEUE_POLL_MS * INT64_C(1000);
            (void)ia_clock_wait(clock, runs->cancel, soon_us);
        }
        deliver_all(runs, NULL, IA_EVENT_COUNT, (struct ia_str){NULL, 0});
    }
    return NULL;
}

static void free_runs(struct ia_runs *runs)
{
    while (runs->watches) {
        ia_runs_unwatch(runs, runs->watches);
    }
    ia_workers_free(runs->workers);
    ia_cancel_free(runs->cancel);
    pthread_mutex_destroy(&runs->mutex);
    free(runs);
}

enum ia_rc ia_runs_open(const struct ia_runs_opts *opts, struct ia_runs **ret,
                        struct ia_err *err)
{
    struct ia_runs *runs = ia_calloc(1, sizeof(*runs));
    const struct ia_workers_opts workers = {.setup = opts->setup,
                                            .credentials = opts->credentials,
                                            .clock = opts->clock,
                                            .max_runs = opts->max_runs,
                                            .all_lanes = opts->all_lanes,
                                            .ended = on_ended,
                                            .event = on_event,
                                            .ctx = runs};
    runs->opts = *opts;
    pthread_mutex_init(&runs->mutex, NULL);
    runs->cancel = ia_cancel_new(err);
    enum ia_rc rc = runs->cancel ? IA_OK : err->code;
    if (rc == IA_OK) {
        /* Before the workers, so that runs of a daemon that was killed are among the first
         * they find. */
        rc = ia_store_recover(opts->setup->store, opts->ret_recovered, err);
    }
    if (rc == IA_OK) {
        rc = ia_workers_new(&workers, &runs->workers, err);
    }
    if (rc == IA_OK) {
        rc = ia_queue_start(ia_workers_queue(runs->workers), err);
    }
    if (rc == IA_OK && pthread_create(&runs->thread, NULL, serve, runs) != 0) {
        rc = ia_err_set(err, IA_E_INTERNAL, "no thread is left to serve the queue");
    }
    if (rc != IA_OK) {
        free_runs(runs);
        return rc;
    }
    *ret = runs;
    return IA_OK;
}

struct ia_queue *ia_runs_queue(struct ia_runs *runs)
{
    return ia_workers_queue(runs->workers);
}

enum ia_rc ia_runs_close(struct ia_runs *runs, int64_t grace_ms, struct ia_err *err)
{
    ia_cancel_fire(runs->cancel);
    /* The serving thread first: it uses the queue that is stopped next. */
    pthread_join(runs->thread, NULL);
    enum ia_rc rc = ia_queue_stop(ia_workers_queue(runs->workers), grace_ms, err);
    /* Runs that did not stop still use it; the process is about to end. */
    if (rc == IA_OK) {
        free_runs(runs);
    }
    return rc;
}

/* ---- starting ---------------------------------------------------------------------------- */

typedef enum ia_rc secrets_fn(struct ia_secret_source *from, const struct ia_run_request *req,
                              struct ia_err *err);

/* claude is the client that answers it; NULL: one that all runs share. */
static enum ia_rc check(struct ia_runs *runs, const struct ia_run_request *request,
                        struct ia_claude *claude, secrets_fn *check_secrets,
                        struct ia_buf *lane, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    if (!request->device) {
        return ia_err_set(err, IA_E_USAGE, "no device is given");
    }
    struct ia_executor *x = ia_workers_executor(runs->workers);
    struct ia_model_use model = {.claude = claude};
    enum ia_rc rc = check_secrets(ia_executor_secrets(x), request, err);
    /* Everything that can be refused is refused here, before there is a row: the caller
     * hears why. */
    if (rc == IA_OK) {
        rc = ia_device_spec_find(request->device, &runs->opts.setup->paths, &spec, err);
    }
    if (rc == IA_OK) {
        ia_device_spec_lane(&spec, lane);
        rc = claude || !ia_run_asks_model(request)
                 ? IA_OK
                 : ia_executor_model(x, request->demo_brain, &model, err);
    }
    if (rc == IA_OK) {
        rc = ia_run_check(model.claude, request,
                          ia_config_bool_now(runs->opts.setup, IA_CFG_RUN_ALLOW_COMMANDS), err);
    }
    ia_executor_model_done(x, &model);
    ia_device_spec_fini(&spec);
    return rc;
}

enum ia_rc ia_runs_choose_model(struct ia_runs *runs, bool *ret_demo, struct ia_err *err)
{
    return ia_model_client_choose(runs->opts.credentials, runs->opts.setup, ret_demo, err);
}

enum ia_rc ia_runs_check_later(struct ia_runs *runs, const struct ia_run_request *request,
                               struct ia_err *err)
{
    struct ia_buf lane = IA_BUF(4096);
    enum ia_rc rc = check(runs, request, NULL, ia_secrets_check_texts_now, &lane, err);
    ia_buf_fini(&lane);
    return rc;
}

static struct ia_lent_keys *lent_keys(struct ia_runs *runs)
{
    return ia_executor_lent_keys(ia_workers_executor(runs->workers));
}

struct ia_telemetry *ia_runs_telemetry(struct ia_runs *runs)
{
    return ia_executor_telemetry(ia_workers_executor(runs->workers));
}

/* Takes the key. It belongs to the run before a worker can find that. */
static enum ia_rc add(struct ia_runs *runs, const struct ia_run_request *request,
                      const char *lane, struct ia_lent_key *key, char ret_id[IA_ID_SIZE],
                      struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    const struct ia_run_place place = {.lane = lane, .kind = IA_RUN_GOAL};
    enum ia_rc rc = ia_tx_begin(runs->opts.setup->store, &tx, err);
    if (rc != IA_OK) {
        ia_lent_key_drop(lent_keys(runs), key);
        return rc;
    }
    ret_id[0] = '\0';
    ia_run_store_add(tx, request, &place, ret_id);
    if (key) {
        ia_lent_key_give(lent_keys(runs), key, ret_id);
    }
    rc = ia_tx_commit(tx, err);
    if (rc != IA_OK && key) {
        ia_lent_keys_end(lent_keys(runs), ret_id);
    }
    return rc;
}

enum ia_rc ia_runs_start_with(struct ia_runs *runs, const struct ia_run_request *request,
                              const struct ia_lent *lent, char ret_id[IA_ID_SIZE],
                              struct ia_err *err)
{
    struct ia_buf lane = IA_BUF(4096);
    struct ia_lent_key *key = NULL;
    struct ia_claude *claude = NULL;
    bool own = lent && (lent->keys.api_key || lent->keys.auth_token) && !request->demo_brain;
    enum ia_rc rc = own ? ia_lent_key_open(lent_keys(runs), lent, &key, &claude, err) : IA_OK;
    if (rc == IA_OK) {
        rc = check(runs, request, claude, ia_secrets_check, &lane, err);
    }
    if (rc == IA_OK) {
        rc = add(runs, request, ia_buf_cstr(&lane), key, ret_id, err);
    } else {
        ia_lent_key_drop(lent_keys(runs), key);
    }
    if (rc == IA_OK) {
        /* After the commit: a worker that is woken earlier would find nothing. */
        ia_queue_add_lane(ia_workers_queue(runs->workers), ia_buf_cstr(&lane));
        ia_queue_wake(ia_workers_queue(runs->workers), ia_buf_cstr(&lane));
    }
    ia_buf_fini(&lane);
    return rc;
}

enum ia_rc ia_runs_start(struct ia_runs *runs, const struct ia_run_request *request,
                         char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    return ia_runs_start_with(runs, request, NULL, ret_id, err);
}

/* A run that waits for its next try is due now. The queue moves it (queue.h). */
static enum ia_rc make_due(struct ia_store *store, const struct ia_run_row *row,
                           struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    if (row->state != IA_RUN_RETRY_WAIT) {
        return IA_OK;
    }
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_run_move(tx, row->id, IA_RUN_QUEUED, NULL, NULL);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

enum ia_rc ia_runs_resume(struct ia_runs *runs, const char *run_id, struct ia_run_row **ret_run,
                          struct ia_err *err)
{
    struct ia_store *store = runs->opts.setup->store;
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_recover(store, NULL, err);
    if (rc == IA_OK) {
        rc = ia_store_run(store, run_id, &row, err);
    }
    if (rc == IA_OK) {
        rc = ia_run_resumable(row, err);
    }
    if (rc == IA_OK) {
        rc = make_due(store, row, err);
    }
    if (rc == IA_OK) {
        ia_queue_add_lane(ia_workers_queue(runs->workers), row->lane);
        ia_queue_wake(ia_workers_queue(runs->workers), row->lane);
    }
    if (ret_run) {
        *ret_run = row;
    } else {
        ia_run_row_free(row);
    }
    return rc;
}

enum ia_rc ia_runs_stop(struct ia_runs *runs, const char *run_id, enum ia_cancel_result *ret,
                        struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_runs_cancel(runs->opts.setup->store, run_id, ret, &row, err);
    if (rc == IA_OK) {
        /* The row is marked already; this only saves the wait until a watch sees the mark. */
        ia_workers_cancel(runs->workers, row->id);
    }
    if (rc == IA_OK && *ret == IA_CANCEL_DONE) {
        ia_lent_keys_end(lent_keys(runs), row->id); /* nobody had it in hand */
    }
    ia_run_row_free(row);
    return rc;
}

bool ia_runs_in_hand(struct ia_runs *runs, const char *run_id)
{
    return ia_workers_have(runs->workers, run_id);
}
