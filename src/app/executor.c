/* executor.c: one attempt at a run: its model, its device, the agent, and a watch for a cancel from
 * another process. A model client is shared by all runs that are to have the same one; a device belongs to one
 * run. */
#include "app/executor_impl.h"

#include "agent/run/run_store.h"
#include "app/live_config.h"
#include "app/policy_now.h"
#include "app/scheduler_thread.h"
#include "base/log.h"
#include "driver/registry/device_registry.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME_BYTES_MAX = 4096,
    MADE_OF_MAX = 32768,
    /* 30 min. The run's own time limit counts from when its device is open, so without this a device
     * that hangs while it is opened would hold a worker forever. A cold start builds the XCTest
     * runner (IA_RUNNER_BUILD_MS) and waits for it (IA_RUNNER_READY_MS), many minutes on a busy
     * machine: the limit must stay far above that. */
    OPEN_US_MAX = 1800 * 1000000,
};

/* ---- models ------------------------------------------------------------------------------ */

static void free_slot(struct ia_executor *x, struct ia_model_slot *slot)
{
    ia_model_client_close(&slot->client);
    ia_config_give_back(x->opts.setup, slot->config);
    free(slot->made_of);
    free(slot);
}

/* Closes the old ones that nobody uses. The mutex is held. */
static void close_old(struct ia_executor *x)
{
    struct ia_model_slot **at = &x->models;
    while (*at) {
        struct ia_model_slot *slot = *at;
        if (slot->users > 0 || !slot->old) {
            at = &slot->next;
        } else {
            *at = slot->next;
            free_slot(x, slot);
        }
    }
}

/* The client for new runs, where it is open and made of that. Others of its kind are old from now on. */
static struct ia_model_slot *find_slot(struct ia_executor *x, bool demo, const char *made_of)
{
    for (struct ia_model_slot *s = x->models; s; s = s->next) {
        s->old = s->old || (s->demo == demo && strcmp(s->made_of, made_of) != 0);
    }
    close_old(x);
    struct ia_model_slot *found = x->models;
    while (found && (found->demo != demo || found->old)) {
        found = found->next;
    }
    return found;
}

/* Takes config. Not kept when it fails: a key that is missing now may be there for the next run. */
static enum ia_rc open_slot(struct ia_executor *x, const struct ia_setup *setup, bool demo,
                            const char *made_of, struct ia_model_slot **ret, struct ia_err *err)
{
    struct ia_model_slot *slot = ia_calloc(1, sizeof(*slot));
    slot->config = setup->config;
    slot->made_of = ia_strdup(made_of);
    slot->demo = demo;
    enum ia_rc rc =
        ia_model_client_open_again(&slot->client, x->opts.credentials, setup, demo, err);
    if (rc != IA_OK) {
        free_slot(x, slot);
        return rc;
    }
    slot->next = x->models;
    *ret = x->models = slot;
    return IA_OK;
}

/* The slot has one user more. The mutex is held also while a client is opened: of two runs that need it at
 * once, the second waits and shares it. */
static enum ia_rc use_slot(struct ia_executor *x, bool demo, struct ia_model_slot **ret,
                           struct ia_err *err)
{
    struct ia_setup now = *x->opts.setup;
    const struct ia_config *config = ia_config_take(x->opts.setup);
    struct ia_buf made_of = IA_BUF(MADE_OF_MAX);
    now.config = (struct ia_config *)(uintptr_t)config;
    enum ia_rc rc = ia_model_client_made_of(x->opts.credentials, &now, demo, &made_of, err);
    *ret = rc == IA_OK ? find_slot(x, demo, ia_buf_cstr(&made_of)) : NULL;
    if (rc == IA_OK && !*ret) {
        rc = open_slot(x, &now, demo, ia_buf_cstr(&made_of), ret, err);
    } else {
        ia_config_give_back(x->opts.setup, config);
    }
    if (rc == IA_OK) {
        (*ret)->users++;
    }
    ia_buf_fini(&made_of);
    return rc;
}

enum ia_rc ia_executor_model(struct ia_executor *x, bool demo, struct ia_model_use *ret,
                             struct ia_err *err)
{
    const struct ia_model_client *lent = x->opts.model;
    struct ia_model_slot *slot = NULL;
    /* A client that the caller lends serves one kind of model only: the demo or the real
     * one. */
    if (lent && (lent->demo != NULL) == demo) {
        *ret = (struct ia_model_use){.claude = lent->claude};
        return IA_OK;
    }
    pthread_mutex_lock(&x->mutex);
    enum ia_rc rc = use_slot(x, demo, &slot, err);
    if (rc == IA_OK) {
        *ret = (struct ia_model_use){.claude = slot->client.claude, .slot = slot};
    }
    pthread_mutex_unlock(&x->mutex);
    return rc;
}

void ia_executor_model_done(struct ia_executor *x, struct ia_model_use *use)
{
    if (use->slot) {
        pthread_mutex_lock(&x->mutex);
        use->slot->users--;
        close_old(x);
        pthread_mutex_unlock(&x->mutex);
    }
    *use = (struct ia_model_use){.claude = NULL};
}

/* Calls find for the run and then for those that it is a subtask of, until it returns true. */
static bool find_lender(struct ia_store *store, const char *run_id,
                        bool (*find)(void *ctx, const char *run_id), void *ctx)
{
    struct ia_run_row *row = NULL;
    bool found = find(ctx, run_id);
    (void)ia_store_run(store, run_id, &row, NULL);
    while (!found && row && row->parent_id) {
        struct ia_run_row *above = NULL;
        found = find(ctx, row->parent_id);
        (void)ia_store_run(store, row->parent_id, &above, NULL);
        ia_run_row_free(row);
        row = above;
    }
    ia_run_row_free(row);
    return found;
}

struct lent_key {
    struct ia_lent_keys *keys;
    struct ia_claude *claude;
};

static bool has_key(void *ctx, const char *run_id)
{
    struct lent_key *k = ctx;
    k->claude = ia_lent_keys_find(k->keys, run_id);
    return k->claude != NULL;
}

/* The client of the key that was lent to the run, or to one that it is a subtask of. */
static struct ia_claude *find_lent(struct ia_hand *h)
{
    struct lent_key k = {.keys = h->x->lent};
    (void)find_lender(h->x->store, h->r->id, has_key, &k);
    return k.claude;
}

struct lent_value {
    struct ia_lent_secrets *secrets;
    const char *name;
    struct ia_buf *ret;
};

static bool has_value(void *ctx, const char *run_id)
{
    const struct lent_value *v = ctx;
    return ia_lent_secrets_value(v->secrets, run_id, v->name, v->ret);
}

/* For struct ia_secret_lookup: a value that came with the run, or one of this machine. */
static enum ia_rc secret_value(void *ctx, const char *name, struct ia_buf *ret,
                               struct ia_err *err)
{
    const struct ia_hand *h = ctx;
    struct lent_value v = {h->x->lent_secrets, name, ret};
    if (h->e->run_id && find_lender(h->x->store, h->e->run_id, has_value, &v)) {
        return IA_OK;
    }
    const struct ia_secret_lookup own = ia_secret_source_lookup(h->x->secrets);
    return own.value(own.ctx, name, ret, err);
}

/* The model of a run that was made before; none where it is only replayed. */
static enum ia_rc find_model(struct ia_hand *h, struct ia_err *err)
{
    const struct ia_job *job = h->recalled.job;
    if (job && !ia_run_asks_model(ia_job_request(job))) {
        return IA_OK;
    }
    h->model.claude = find_lent(h);
    return h->model.claude ? IA_OK
                           : ia_executor_model(h->x, h->recalled.row->demo, &h->model, err);
}

/* As the user named it. A run of a pool names no device: its lane is the one. */
static enum ia_rc find_device(struct ia_hand *h, struct ia_err *err)
{
    const struct ia_run_recalled *known = &h->recalled;
    if (!known->job) {
        *err = known->unreadable;
        return err->code;
    }
    const char *named = ia_job_device(known->job);
    h->device_name = ia_strdup(named ? named : known->row->lane);
    return IA_OK;
}

enum ia_rc ia_hand_prepare(struct ia_hand *h, struct ia_err *err)
{
    const struct ia_run_request *req = h->e->request;
    if (req) {
        h->device_name = ia_strdup(req->device);
        return ia_run_asks_model(req) ? ia_executor_model(h->x, req->demo_brain, &h->model, err)
                                      : IA_OK;
    }
    memcpy(h->r->id, h->e->run_id, strnlen(h->e->run_id, sizeof(h->r->id) - 1));
    enum ia_rc rc = ia_run_recall(h->x->store, h->r->id, &h->recalled, err);
    if (rc == IA_OK) {
        rc = find_model(h, err);
    }
    return rc == IA_OK ? find_device(h, err) : rc;
}

/* ---- the device -------------------------------------------------------------------------- */

struct holder {
    const char *lane;
    int64_t now_ms;
    struct ia_err *err;
};

static bool name_holder(void *ctx, const struct ia_lease_row *row)
{
    struct holder *h = ctx;
    /* A leftover of a dead process does not hold anything. */
    if (strcmp(row->lane, h->lane) != 0 || !row->owner_alive) {
        return true;
    }
    int64_t held_ms = h->now_ms - row->since_ms;
    (void)ia_err_set(h->err, IA_E_BUSY, "%s is busy: held by run %s (%s, pid %lld) for %lld s",
                     row->lane, row->run_id, row->owner_command, (long long)row->owner_pid,
                     (long long)(held_ms > 0 ? held_ms / 1000 : 0));
    ia_err_hint(h->err,
                "wait for it, stop it with ios-agent cancel %s, or use another phone: --device "
                "embedded:NAME",
                row->run_id);
    return false;
}

/* The device only knows that it is busy; the store knows who holds it. */
static void explain_busy(const struct ia_executor *x, const struct ia_device_spec *spec,
                         struct ia_err *err)
{
    struct ia_err ignored;
    struct ia_buf lane = IA_BUF(NAME_BYTES_MAX);
    ia_device_spec_lane(spec, &lane);
    struct holder h = {ia_buf_cstr(&lane), ia_wall_ms(x->clock), err};
    (void)ia_store_leases(x->store, name_holder, &h, &ignored);
    ia_buf_fini(&lane);
}

enum ia_rc ia_hand_open_device(struct ia_hand *h, bool fresh, struct ia_err *err)
{
    const struct ia_deadline deadline = {h->e->cancel,
                                         ia_mono_us(ia_clock_system()) + OPEN_US_MAX};
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(h->device_name, &h->x->opts.setup->paths, &spec, err);
    if (rc == IA_OK) {
        rc = ia_device_spec_open(&spec, &deadline, fresh, &h->device, err);
    }
    if (rc == IA_E_BUSY) {
        explain_busy(h->x, &spec, err);
    }
    ia_device_spec_fini(&spec);
    return rc;
}

void ia_hand_close_device(struct ia_hand *h)
{
    ia_device_close(h->device);
    h->device = NULL;
}

/* ---- one attempt ------------------------------------------------------------------------- */

/* From the moment the run has an id the log names it, and a cancel from elsewhere reaches it at once. Without the
 * watch that is still seen, only later. */
static void attend(struct ia_hand *h)
{
    struct ia_err ignored;
    if (!h->watch && h->r->id[0] != '\0') {
        ia_log_run(h->r->id);
        h->watch = ia_cancel_watch_start(h->x->watcher, h->r->id, h->e->cancel, &ignored);
    }
}

/* A new run has its id with its first event. */
static void observe(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct ia_hand *h = ctx;
    attend(h);
    if (h->e->observe) {
        h->e->observe(h->e->observe_ctx, event, json);
    }
}

/* The lane of a device that an agent has a subtask done on. */
static enum ia_rc lane_of(void *ctx, const char *device, struct ia_buf *out, struct ia_err *err)
{
    const struct ia_hand *h = ctx;
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(device, &h->x->opts.setup->paths, &spec, err);
    if (rc == IA_OK) {
        ia_device_spec_lane(&spec, out);
    }
    ia_device_spec_fini(&spec);
    return rc;
}

static struct ia_delegation delegation(struct ia_hand *h, const struct ia_config *g)
{
    return (struct ia_delegation){.depth = (int)ia_config_int(g, IA_CFG_RUN_DELEGATE_DEPTH),
                                  .runs = (int)ia_config_int(g, IA_CFG_RUN_DELEGATE_RUNS),
                                  .devices = ia_config_str(g, IA_CFG_RUN_DELEGATE_DEVICES),
                                  .lane = lane_of,
                                  .ctx = h};
}

static struct ia_core_settings core_settings(const struct ia_config *g)
{
    return (struct ia_core_settings){
        .fetch = {.allow = ia_config_str(g, IA_CFG_FETCH_ALLOW_ADDRESSES),
                  .allowed_domains = ia_config_str(g, IA_CFG_FETCH_ALLOWED_DOMAINS),
                  .blocked_domains = ia_config_str(g, IA_CFG_FETCH_BLOCKED_DOMAINS),
                  .ca_bundle = ia_config_str(g, IA_CFG_API_CA_BUNDLE)},
        .fetch_bytes_max = ia_config_int(g, IA_CFG_FETCH_MAX_BYTES),
        .fetch_seconds = (int)ia_config_int(g, IA_CFG_FETCH_MAX_SECONDS),
        .search = {.allowed_domains = ia_config_str(g, IA_CFG_WEB_SEARCH_ALLOWED_DOMAINS),
                   .blocked_domains = ia_config_str(g, IA_CFG_WEB_SEARCH_BLOCKED_DOMAINS),
                   .max_uses = (int)ia_config_int(g, IA_CFG_WEB_SEARCH_MAX_USES)},
    };
}

static const char *text_or_null(const struct ia_config *config, enum ia_config_key key)
{
    const char *text = ia_config_str(config, key);
    return text[0] != '\0' ? text : NULL;
}

static enum ia_rc attempt(struct ia_hand *h, const struct ia_run_request *request,
                          const struct ia_config *config, struct ia_err *err)
{
    char id[IA_ID_SIZE];
    struct ia_policy *policy = ia_calloc(1, sizeof(*policy)); /* too large for a stack */
    ia_policy_now(h->x->opts.setup, policy);
    struct ia_run_env env = {
        .store = h->x->store,
        .policy = policy,
        .claude = h->model.claude,
        .device = h->device,
        .prompts = h->x->prompts,
        .clock = h->x->opts.clock,
        .cancel = h->e->cancel,
        .interrupt = h->e->interrupt,
        .observe = observe,
        .observe_ctx = h,
        .allow_commands = ia_config_bool_now(h->x->opts.setup, IA_CFG_RUN_ALLOW_COMMANDS),
        .delegation = delegation(h, config),
        .core = core_settings(config),
        .skills = {.allow = ia_config_bool_now(h->x->opts.setup, IA_CFG_RUN_ALLOW_SKILLS),
                   .user_config = ia_config_user_file(config),
                   .ca_bundle = text_or_null(config, IA_CFG_API_CA_BUNDLE),
                   .proxy = text_or_null(config, IA_CFG_API_PROXY),
                   .version = IA_VERSION},
        .secrets = {.value = secret_value, .ctx = h},
    };
    /* Copied, as the result that holds it is cleared next. */
    memcpy(id, h->r->id, sizeof(id));
    ia_run_result_fini(h->r);
    enum ia_rc rc;
    if (request) {
        rc = ia_run_execute(&env, request, h->r, err);
    } else {
        attend(h);
        rc = ia_run_claimed(&env, id, h->recalled.row ? &h->recalled : NULL, h->r, err);
        ia_run_recalled_fini(&h->recalled); /* the next attempt finds other rows */
    }
    free(policy);
    return rc;
}

enum ia_rc ia_hand_attempt(struct ia_hand *h, const struct ia_run_request *request,
                           struct ia_err *err)
{
    const struct ia_config *config = ia_config_take(h->x->opts.setup);
    enum ia_rc rc = attempt(h, request, config, err);
    ia_config_give_back(h->x->opts.setup, config);
    return rc;
}

void ia_hand_close(struct ia_hand *h)
{
    /* First, so that nothing fires the caller's token once the attempt is over. */
    ia_cancel_watch_stop(h->watch);
    ia_log_run(NULL);
    ia_hand_close_device(h);
    ia_executor_model_done(h->x, &h->model);
    ia_run_recalled_fini(&h->recalled);
    free(h->device_name);
}

static void log_notice(void *run_id, const char *of, const char *problem, bool last)
{
    (void)of;
    if (problem) {
        IA_LOG(IA_LOG_WARN, "notice of a question failed", IA_S("run", run_id),
               IA_S("why", problem), IA_I("last", last));
    }
}

void ia_hand_notify(const struct ia_hand *h)
{
    struct ia_err err;
    struct ia_notify_env env = ia_scheduler_notify_env(h->x->opts.setup, h->e->cancel);
    env.on_attempt = log_notice;
    env.ctx = h->r->id;
    if (ia_notify_question(&env, h->r->id, &err) != IA_OK) {
        log_notice(h->r->id, NULL, err.msg, false);
    }
}

enum ia_rc ia_executor_attempt(struct ia_executor *x, const struct ia_execution *e,
                               bool *ret_began, struct ia_run_result *ret, struct ia_err *err)
{
    struct ia_hand h = {.x = x, .e = e, .r = ret};
    *ret = (struct ia_run_result){.steps = 0};
    *ret_began = false;
    enum ia_rc rc = ia_hand_prepare(&h, err);
    attend(&h); /* opening a device may take minutes */
    if (rc == IA_OK) {
        rc = ia_hand_open_device(&h, e->fresh, err);
    }
    if (rc == IA_OK) {
        *ret_began = true;
        rc = ia_hand_attempt(&h, NULL, err);
    }
    ia_hand_close(&h);
    if (ret->asking) {
        ia_hand_notify(&h);
    }
    return rc;
}

struct ia_lent_keys *ia_executor_lent_keys(struct ia_executor *x)
{
    return x->lent;
}

struct ia_lent_secrets *ia_executor_lent_secrets(struct ia_executor *x)
{
    return x->lent_secrets;
}

struct ia_secret_source *ia_executor_secrets(struct ia_executor *x)
{
    return x->secrets;
}

/* ---- telemetry --------------------------------------------------------------------------- */

/* As the configuration was when this process began. */
static enum ia_rc open_telemetry(struct ia_executor *x, struct ia_err *err)
{
    const struct ia_config *g = x->opts.setup->config;
    const char *endpoint = ia_config_str(g, IA_CFG_TELEMETRY_OTLP_ENDPOINT);
    const struct ia_credentials *c = x->opts.credentials;
    if (endpoint[0] == '\0') {
        return IA_OK;
    }
    const struct ia_telemetry_opts opts = {
        .store = x->store,
        .endpoint = endpoint,
        .headers = c && c->otlp_headers ? ia_secret_bytes(c->otlp_headers) : ia_str(NULL),
        .service = ia_config_str(g, IA_CFG_TELEMETRY_SERVICE_NAME),
        .version = IA_VERSION};
    return ia_telemetry_new(&opts, &x->telemetry, err);
}

void ia_executor_ended(struct ia_executor *x, const struct ia_run_result *r)
{
    if (x->telemetry && !r->asking && ia_run_state_final(ia_run_state_from_name(r->state))) {
        ia_telemetry_run_ended(x->telemetry, r->id);
    }
}

struct ia_telemetry *ia_executor_telemetry(struct ia_executor *x)
{
    return x->telemetry;
}

/* ---- the executor ------------------------------------------------------------------------ */

enum ia_rc ia_executor_new(const struct ia_executor_opts *opts, struct ia_executor **ret,
                           struct ia_err *err)
{
    struct ia_executor *x = ia_calloc(1, sizeof(*x));
    const char *dir = ia_config_str(opts->setup->config, IA_CFG_PROMPTS_DIR);
    x->opts = *opts;
    x->store = opts->setup->store;
    x->clock = opts->clock ? opts->clock : ia_clock_system();
    x->lent = ia_lent_keys_new(opts->setup);
    x->lent_secrets = ia_lent_secrets_new();
    x->secrets = ia_secret_source_new(x->store, opts->credentials);
    x->watcher = ia_cancel_watcher_new(x->store);
    pthread_mutex_init(&x->mutex, NULL);
    enum ia_rc rc = ia_prompts_open(dir[0] != '\0' ? dir : NULL, &x->prompts, err);
    if (rc == IA_OK) {
        rc = open_telemetry(x, err);
    }
    if (rc != IA_OK) {
        ia_executor_free(x);
        return rc;
    }
    *ret = x;
    return IA_OK;
}

void ia_executor_free(struct ia_executor *x)
{
    if (x) {
        ia_telemetry_close(x->telemetry);
        while (x->models) {
            struct ia_model_slot *slot = x->models;
            x->models = slot->next;
            free_slot(x, slot);
        }
        ia_cancel_watcher_free(x->watcher);
        ia_lent_keys_free(x->lent);
        ia_lent_secrets_free(x->lent_secrets);
        ia_secret_source_free(x->secrets);
        ia_prompts_free(x->prompts);
        pthread_mutex_destroy(&x->mutex);
        free(x);
    }
}
