#include "app/workers.h"

#include "agent/prompts/prompts.h"
#include "agent/run/claim.h"
#include "agent/run/run_store.h"
#include "app/cancel_watch.h"
#include "app/model_client.h"
#include "app/secret_env.h"
#include "base/log.h"
#include "driver/registry/device_registry.h"
#include "store/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 4096, BUSY_WAIT_US = 1000000, LACK_WAIT_US = 60000000 };

struct ia_workers {
    struct ia_workers_opts opts;
    struct ia_queue *queue;
    struct ia_prompts *prompts;

    pthread_mutex_t mutex; /* guards the brains */
    struct {
        struct ia_model_client brain;
        bool open;
    } own, demo;
};

/* One run in hand. */
struct hand {
    struct ia_workers *crew;
    const struct ia_queue_task *task;
    bool began; /* the run itself says in its row what came of it */
};

/* ---- brains ------------------------------------------------------------------------------ */

/* Who answers the run: as it was when the run was made, never the other. */
static enum ia_rc find_claude(struct ia_workers *crew, bool demo, struct ia_claude **ret,
                              struct ia_err *err)
{
    const struct ia_model_client *lent = crew->opts.brain;
    enum ia_rc rc = IA_OK;
    if (lent && (lent->demo != NULL) == demo) {
        *ret = lent->claude;
        return IA_OK;
    }
    pthread_mutex_lock(&crew->mutex);
    struct ia_model_client *b = demo ? &crew->demo.brain : &crew->own.brain;
    bool *open = demo ? &crew->demo.open : &crew->own.open;
    if (!*open) {
        rc = ia_model_client_open_again(b, crew->opts.credentials, crew->opts.setup, demo, err);
        if (rc != IA_OK) {
            ia_model_client_close(b);
        }
        *open = rc == IA_OK;
    }
    *ret = b->claude;
    pthread_mutex_unlock(&crew->mutex);
    return rc;
}

/* ---- one run ----------------------------------------------------------------------------- */

static void observe(void *ctx, const char *event, struct ia_str json)
{
    const struct hand *h = ctx;
    h->crew->opts.event(h->crew->opts.ctx, h->task, event, json);
}

static void tell(struct hand *h, const struct ia_run_result *r, const struct ia_err *refused)
{
    if (h->crew->opts.ended) {
        h->crew->opts.ended(h->crew->opts.ctx, h->task, r, refused);
    }
}

static enum ia_rc open_device(const struct hand *h, const struct ia_run_row *row,
                              struct ia_device **ret, struct ia_err *err)
{
    const struct ia_deadline deadline = {h->task->cancel, IA_NO_DEADLINE};
    struct ia_device_spec phone = {.kind = NULL};
    struct ia_buf name = IA_BUF(NAME_MAX_BYTES);
    enum ia_rc rc = ia_run_store_device(row, &name, err);
    if (rc == IA_OK) {
        rc = ia_device_spec_find(ia_buf_cstr(&name), &h->crew->opts.setup->paths, &phone, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_spec_open(&phone, &deadline, false, ret, err);
    }
    ia_device_spec_fini(&phone);
    ia_buf_fini(&name);
    return rc;
}

static enum ia_rc execute(struct hand *h, struct ia_device *device, struct ia_claude *claude,
                          struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_workers *crew = h->crew;
    struct ia_run_env env = {
        .store = crew->opts.setup->store,
        .claude = claude,
        .device = device,
        .prompts = crew->prompts,
        .cancel = h->task->cancel,
        .interrupt = h->task->interrupt,
        .observe = crew->opts.event ? observe : NULL,
        .observe_ctx = h,
        .secrets = {.value = ia_secret_from_env},
    };
    return ia_run_claimed(&env, h->task->run_id, ret, err);
}

/* Opens what the run needs and does it. An error: it could not be done at all. */
static enum ia_rc do_run(struct hand *h, struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_claude *claude = NULL;
    struct ia_device *device = NULL;
    struct ia_err ignored; /* without the watch a cancel is still seen, only later */
    struct ia_cancel_watch *watch = ia_cancel_watch_start(
        h->crew->opts.setup->store, h->task->run_id, h->task->cancel, &ignored);
    enum ia_rc rc = ia_store_run(h->crew->opts.setup->store, h->task->run_id, &row, err);
    if (rc == IA_OK) {
        rc = find_claude(h->crew, row->demo, &claude, err);
    }
    if (rc == IA_OK) {
        rc = open_device(h, row, &device, err);
    }
    if (rc == IA_OK) {
        h->began = true;
        rc = execute(h, device, claude, ret, err);
    }
    ia_cancel_watch_stop(watch);
    ia_device_close(device);
    ia_run_row_free(row);
    return rc;
}

/* Claimed where it cannot be read. */
static enum ia_run_state state_now(const struct hand *h)
{
    struct ia_run_row *row = NULL;
    enum ia_run_state state = IA_RUN_CLAIMED;
    if (ia_store_run(h->crew->opts.setup->store, h->task->run_id, &row, NULL) == IA_OK) {
        state = row->state;
    }
    ia_run_row_free(row);
    return state;
}

static bool in_hand(enum ia_run_state state)
{
    return state == IA_RUN_CLAIMED || state == IA_RUN_RUNNING;
}

/* False when the run shall stop. */
static bool pause_for(const struct hand *h, int64_t us)
{
    int64_t until = ia_mono_us(ia_clock_system()) + us;
    return ia_clock_wait(ia_clock_system(), h->task->cancel, until) != IA_E_CANCELLED;
}

/* What came of the run could not be written, and this process lives: nobody else would take it
 * from there. It keeps its lane until the store can be written again. */
static void put_back(const struct hand *h)
{
    struct ia_err err = {0};
    enum ia_rc rc = ia_claim_put_back(h->crew->opts.setup->store, h->task->run_id, &err);
    while (rc != IA_OK && in_hand(state_now(h)) && pause_for(h, BUSY_WAIT_US)) {
        rc = ia_claim_put_back(h->crew->opts.setup->store, h->task->run_id, &err);
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
    struct ia_store *store = h->crew->opts.setup->store;
    bool asked = false;
    (void)ia_store_cancel_requested(store, h->task->run_id, &asked, NULL);
    put_back(h);
    if (asked) {
        (void)ia_store_cancel_run(store, h->task->run_id, &ignored, NULL);
    }
    memcpy(r->id, h->task->run_id, sizeof(r->id));
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(state_now(h)));
    tell(h, r, NULL);
}

/* The run could not be done: its row says where it goes now. */
static void refuse(struct hand *h, struct ia_run_result *r, const struct ia_err *why)
{
    enum ia_run_state to = IA_RUN_CLAIMED;
    struct ia_err err;
    memcpy(r->id, h->task->run_id, sizeof(r->id));
    if (h->began || ia_claim_refuse(h->crew->opts.setup->store, r->id, why, &to, &err) != IA_OK) {
        to = state_now(h);
    }
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(to));
    tell(h, r, why);
    if (in_hand(to)) {
        put_back(h);
    } else if (to == IA_RUN_QUEUED) { /* busy, or a key is missing: not again at once */
        pause_for(h, why->code == IA_E_BUSY ? BUSY_WAIT_US : LACK_WAIT_US);
    }
}

static void work(void *ctx, const struct ia_queue_task *task)
{
    struct hand h = {.crew = ctx, .task = task};
    struct ia_run_result result = {.steps = 0};
    struct ia_err err = {0};
    enum ia_rc rc = do_run(&h, &result, &err);
    if (rc == IA_OK) {
        tell(&h, &result, NULL);
    } else if (rc == IA_E_CANCELLED && !h.began) {
        stopped_early(&h, &result);
    } else {
        refuse(&h, &result, &err);
    }
    ia_run_result_fini(&result);
}

/* ---- the crew ---------------------------------------------------------------------------- */

static bool serve_any(void *ctx, const char *lane)
{
    const struct ia_workers *crew = ctx;
    struct ia_device_spec phone;
    struct ia_err ignored;
    bool ok = crew->opts.all_lanes &&
              ia_device_spec_find(lane, &crew->opts.setup->paths, &phone, &ignored) == IA_OK;
    if (ok) {
        ia_device_spec_fini(&phone);
    }
    return ok;
}

bool ia_workers_lacks(const struct ia_run_result *r, const struct ia_err *refused)
{
    enum ia_run_state state = ia_run_state_from_name(r->state);
    return refused && refused->code != IA_E_BUSY && (state == IA_RUN_QUEUED || in_hand(state));
}

static enum ia_rc open_queue(struct ia_workers *crew, struct ia_err *err)
{
    const struct ia_setup *s = crew->opts.setup;
    const char *dir = ia_config_str(s->config, IA_CFG_PROMPTS_DIR);
    enum ia_rc rc = ia_prompts_open(dir[0] != '\0' ? dir : NULL, &crew->prompts, err);
    if (rc != IA_OK) {
        return rc;
    }
    int max = crew->opts.max_runs;
    struct ia_queue_opts opts = {
        .store = s->store,
        .max_runs = max > 0 ? max : (int)ia_config_int(s->config, IA_CFG_QUEUE_MAX_RUNS),
        .pool = crew->opts.pool,
        .serve = serve_any,
        .work = work,
        .ctx = crew,
    };
    crew->queue = ia_queue_new(&opts, err);
    return crew->queue ? IA_OK : err->code;
}

enum ia_rc ia_workers_new(const struct ia_workers_opts *opts, struct ia_workers **ret,
                          struct ia_err *err)
{
    struct ia_workers *crew = ia_calloc(1, sizeof(*crew));
    crew->opts = *opts;
    pthread_mutex_init(&crew->mutex, NULL);
    enum ia_rc rc = open_queue(crew, err);
    if (rc != IA_OK) {
        ia_workers_free(crew);
        return rc;
    }
    *ret = crew;
    return IA_OK;
}

void ia_workers_free(struct ia_workers *crew)
{
    if (!crew) {
        return;
    }
    ia_queue_free(crew->queue);
    ia_model_client_close(&crew->own.brain);
    ia_model_client_close(&crew->demo.brain);
    ia_prompts_free(crew->prompts);
    pthread_mutex_destroy(&crew->mutex);
    free(crew);
}

struct ia_queue *ia_workers_queue(struct ia_workers *crew)
{
    return crew->queue;
}
