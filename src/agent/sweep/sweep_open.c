/* sweep_open.c: a sweep in memory from its rows, in this order: the sweep is taken (so that nobody
 * else changes what is read), its options, its goals, what they need, all runs of them, and what
 * the running ones have cost so far. A failure gives the sweep back as it was. */
#include "agent/sweep/sweep_impl.h"

#include "agent/loop/progress.h"
#include "base/log.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The run of an item that was read last: it may still be running. */
struct last_run {
    bool ended;
    struct ia_usage_row usage;
    int64_t ms;
    enum ia_rc code;
    bool replayed;
};

/* An ended run whose cost is not known as a whole: its events tell what is. */
struct unpriced {
    size_t i;
    char run_id[IA_ID_SIZE];
};

/* Rows on their way to items. */
struct opening {
    struct ia_sweep *s;
    json_t **needs;        /* of each item: names */
    struct last_run *last; /* of each item */
    struct unpriced *unpriced;
    size_t unpriced_count;
    size_t cap;
    enum ia_rc rc;
    struct ia_err *err;
    bool skipped; /* a goal is, and is to wait again */
};

/* ---- options ----------------------------------------------------------------------------- */

static size_t add_lane(struct ia_sweep *s, const char *name)
{
    for (size_t i = 0; i < s->lane_count; i++) {
        if (strcmp(s->lanes[i], name) == 0) {
            return i;
        }
    }
    s->lanes = ia_realloc(s->lanes, s->lane_count + 1, sizeof(*s->lanes));
    s->lanes[s->lane_count] = ia_strdup(name);
    return s->lane_count++;
}

static void read_options(struct ia_sweep *s, const json_t *options)
{
    size_t i;
    json_t *lane;
    json_array_foreach(json_object_get(options, "lanes"), i, lane)
    {
        if (json_is_string(lane)) {
            (void)add_lane(s, json_string_value(lane));
        }
    }
    /* The lanes of the options are the pool; those that single goals name are added behind
     * them. */
    s->pool_lanes = s->lane_count;
    s->fresh = json_is_true(json_object_get(options, "fresh"));
    s->fail_fast = json_is_true(json_object_get(options, "fail_fast"));
    int64_t seconds = json_integer_value(json_object_get(options, "max_seconds"));
    /* The time limit counts from this opening: a sweep that is resumed gets all of it again. */
    s->deadline_us = seconds > 0 ? ia_mono_us(s->clock) + seconds * 1000000 : IA_NO_DEADLINE;
}

static void read_retries(struct ia_sweep *s, const json_t *options)
{
    const json_t *list = json_object_get(options, "retries");
    for (size_t i = 0; i < s->count; i++) {
        s->items[i].retries = (int)json_integer_value(json_array_get(list, i));
    }
}

/* ---- goals ------------------------------------------------------------------------------- */

static size_t own_lane(struct ia_sweep *s, const char *device)
{
    struct ia_buf name = IA_BUF(4096);
    if (s->env.lane) {
        s->env.lane(device, &name);
    } else {
        /* The part before the "?" alone: options of a device do not make it another lane. */
        ia_buf_putstr(&name, (struct ia_str){device, strcspn(device, "?")});
    }
    size_t lane = add_lane(s, ia_buf_cstr(&name));
    ia_buf_fini(&name);
    return lane;
}

static bool take_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct opening *o = ctx;
    struct ia_sweep *s = o->s;
    if (s->count == o->cap) {
        o->cap = o->cap ? 2 * o->cap : 64;
        s->items = ia_realloc(s->items, o->cap, sizeof(*s->items));
        o->needs = ia_realloc(o->needs, o->cap, sizeof(void *));
    }
    struct ia_sweep_item *it = &s->items[s->count];
    *it = (struct ia_sweep_item){.no = row->no, .repeat = row->repeat, .line = row->line};
    it->name = ia_strdup(row->name);
    it->file = ia_strdup(row->file);
    /* Names until all rows are there; link_needs makes indices of them. */
    o->needs[s->count++] = json_loads(row->needs, 0, NULL);
    o->rc = ia_job_parse(ia_str(row->job), &it->job, o->err);
    if (o->rc != IA_OK) {
        return false;
    }
    s->demo = ia_job_request(it->job)->demo_brain;
    s->asks_model = s->asks_model || ia_run_asks_model(ia_job_request(it->job));
    const char *device = ia_job_device(it->job);
    it->pooled = !device;
    it->lane = device ? own_lane(s, device) : 0;
    /* A state of a newer version is no state to go on from. */
    it->state = row->state < IA_SWEEP_GOAL_STATE_COUNT ? row->state : IA_SWEEP_GOAL_ERROR;
    it->reason = ia_strdup(row->reason);
    it->cost_known = true;
    o->skipped = o->skipped || it->state == IA_SWEEP_GOAL_SKIPPED;
    return true;
}

/* ---- needs ------------------------------------------------------------------------------- */

/* The rows of one goal stand together: where they begin, by name. */
struct run_of_rows {
    const char *name;
    size_t first, n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_of_rows *)a)->name, ((const struct run_of_rows *)b)->name);
}

static struct run_of_rows *find_rows(const struct ia_sweep *s, size_t *ret_count)
{
    struct run_of_rows *all = ia_calloc(s->count + 1, sizeof(*all));
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || strcmp(s->items[i].name, s->items[i - 1].name) != 0) {
            all[n++] = (struct run_of_rows){s->items[i].name, i, 0};
        }
        all[n - 1].n++;
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < all[k].n; i++) {
            s->items[all[k].first + i].repeats = (int)all[k].n;
        }
    }
    qsort(all, n, sizeof(*all), by_name);
    *ret_count = n;
    return all;
}

/* Repeat r of a goal needs repeat r of what it needs; where that has fewer, they take turns. */
static enum ia_rc link_needs(struct opening *o, struct ia_err *err)
{
    struct ia_sweep *s = o->s;
    size_t n = 0;
    struct run_of_rows *rows = find_rows(s, &n);
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < s->count && rc == IA_OK; i++) {
        struct ia_sweep_item *it = &s->items[i];
        size_t k;
        json_t *name;
        it->needs = ia_calloc(json_array_size(o->needs[i]) + 1, sizeof(*it->needs));
        json_array_foreach(o->needs[i], k, name)
        {
            const char *text = json_string_value(name);
            struct run_of_rows key = {.name = text ? text : ""};
            const struct run_of_rows *r = bsearch(&key, rows, n, sizeof(*rows), by_name);
            if (!r) {
                rc = ia_err_set(
                    err, IA_E_STATE,
                    "goal %.100s of the sweep needs %.100s, which is not one of its goals",
                    it->name, key.name);
                break;
            }
            it->needs[it->need_count++] = r->first + (size_t)(it->repeat - 1) % r->n;
        }
    }
    free(rows);
    return rc;
}

/* ---- runs -------------------------------------------------------------------------------- */

static void keep_unpriced(struct opening *o, const struct ia_sweep_item *it)
{
    o->unpriced = ia_realloc(o->unpriced, o->unpriced_count + 1, sizeof(*o->unpriced));
    struct unpriced *u = &o->unpriced[o->unpriced_count++];
    u->i = (size_t)(it - o->s->items);
    memcpy(u->run_id, it->run_id, sizeof(u->run_id));
}

/* it->run_id is still the run that is counted. */
static void count_last(struct opening *o, struct ia_sweep_item *it, struct last_run *last)
{
    /* A run is counted when the next one of its goal is read, and the last one after all
     * are: the run of a goal that is still `running` is counted when it is settled, even if
     * it has ended since. */
    if (last->ended) {
        if (!last->usage.cost_known) {
            keep_unpriced(o, it);
        }
        it->cost_usd += last->usage.cost_usd;
        it->usd_max += last->usage.cost_usd;
        it->cost_known = it->cost_known && last->usage.cost_known;
        it->ms += last->ms;
        it->code = last->code;
        it->replayed = last->replayed;
        last->ended = false;
    }
}

static bool take_run(void *ctx, const struct ia_run_row *row)
{
    struct opening *o = ctx;
    /* A row of no goal of ours changes nothing. */
    if (row->sweep_no < 1 || (size_t)row->sweep_no > o->s->count) {
        return true;
    }
    struct ia_sweep_item *it = &o->s->items[row->sweep_no - 1];
    struct last_run *last = &o->last[row->sweep_no - 1];
    count_last(o, it, last);
    memcpy(it->run_id, row->id, sizeof(it->run_id));
    it->tries += ia_sweep_run_starved(row) ? 0 : 1;
    *last = (struct last_run){
        .ended = ia_run_state_final(row->state),
        .usage = row->usage,
        .ms = ia_sweep_run_ms(row),
        .code = ia_sweep_run_code(row),
        .replayed = ia_sweep_run_replayed(row),
    };
    return true;
}

/* All runs of the sweep. What a running one costs is counted when it ends. */
static enum ia_rc take_runs(struct opening *o, struct ia_err *err)
{
    struct ia_sweep *s = o->s;
    o->last = ia_calloc(s->count + 1, sizeof(*o->last));
    enum ia_rc rc = ia_store_sweep_runs(s->env.store, s->id, 0, take_run, o, err);
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].state != IA_SWEEP_GOAL_RUNNING) {
            count_last(o, &s->items[i], &o->last[i]);
        }
    }
    free(o->last);
    /* Not while runs are listed: a callback of the store must not call the store. */
    for (size_t i = 0; i < o->unpriced_count && rc == IA_OK; i++) {
        struct ia_sweep_item *it = &s->items[o->unpriced[i].i];
        struct ia_progress p;
        rc = ia_progress_read(s->env.store, o->unpriced[i].run_id, &p, err);
        it->cost_usd += rc == IA_OK && p.has_spent ? p.spent.usd : 0;
        it->usd_max += rc == IA_OK && p.has_spent ? p.spent.usd_max : 0;
        ia_progress_fini(&p);
    }
    free(o->unpriced);
    return rc;
}

/* What a running item's run has cost so far, and how much it was given. */
static enum ia_rc read_running(struct ia_sweep *s, struct ia_sweep_item *it, struct ia_err *err)
{
    struct ia_progress p;
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_progress_read(s->env.store, it->run_id, &p, err);
    it->run_usd_max = rc == IA_OK && p.has_spent ? p.spent.usd_max : 0;
    it->run_usd = rc == IA_OK && p.has_spent ? p.spent.usd : 0;
    ia_progress_fini(&p);
    if (rc == IA_OK) {
        rc = ia_store_run(s->env.store, it->run_id, &row, err);
    }
    if (rc == IA_OK) {
        /* The run's row has the share it was given, which the step that started it worked
         * out from what was left then. */
        json_t *budget = json_loads(row->budget, 0, NULL);
        it->cap_usd = json_number_value(json_object_get(budget, "max_usd"));
        double own = ia_job_request(it->job)->budget.max_usd;
        it->capped = s->max_usd > 0 && (!(own > 0) || it->cap_usd < own);
        json_decref(budget);
    }
    ia_run_row_free(row);
    return rc;
}

static enum ia_rc take_running(struct ia_sweep *s, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    s->busy.lane = ia_calloc(s->lane_count + 1, sizeof(*s->busy.lane));
    for (size_t i = 0; i < s->count && rc == IA_OK; i++) {
        struct ia_sweep_item *it = &s->items[i];
        if (it->state == IA_SWEEP_GOAL_RUNNING) {
            ++*ia_sweep_places_of(&s->busy, it);
            rc = read_running(s, it, err);
        }
    }
    return rc;
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum ia_rc read_rows(struct opening *o, const json_t *options, struct ia_err *err)
{
    struct ia_sweep *s = o->s;
    read_options(s, options);
    enum ia_rc rc = ia_store_sweep_goals(s->env.store, s->id, take_goal, o, err);
    rc = rc == IA_OK ? o->rc : rc;
    if (rc == IA_OK) {
        read_retries(s, options);
        rc = link_needs(o, err);
    }
    if (rc == IA_OK) {
        rc = take_runs(o, err);
    }
    return rc == IA_OK ? take_running(s, err) : rc;
}

static enum ia_rc take(const struct ia_sweep *s, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_take_sweep(tx, s->id);
    return ia_tx_commit(tx, err);
}

/* What could not be opened is stopped, as it was. Should that fail too, it is as after a kill:
 * somebody takes it when this process is over. */
static void give_back(const struct ia_sweep *s, const char *why)
{
    struct ia_tx *tx = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, &err);
    if (rc == IA_OK) {
        ia_tx_end_sweep(tx, s->id, IA_SWEEP_STOPPED, why ? why : "it could not be opened");
        rc = ia_tx_commit(tx, &err);
    }
    if (rc != IA_OK) {
        IA_LOG(IA_LOG_WARN, "sweep.not_given_back", IA_S("sweep", s->id), IA_S("why", err.msg));
    }
}

/* What a stop or an earlier failure skipped waits again. */
static enum ia_rc unskip(const struct opening *o, struct ia_err *err)
{
    struct ia_sweep *s = o->s;
    if (!o->skipped) {
        return IA_OK;
    }
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    for (size_t i = 0; i < s->count; i++) {
        enum ia_sweep_goal_state state = s->items[i].state;
        if (state == IA_SWEEP_GOAL_SKIPPED || state == IA_SWEEP_GOAL_WAITING) {
            ia_tx_set_sweep_goal(tx, s->id, s->items[i].no, IA_SWEEP_GOAL_WAITING, NULL);
        }
    }
    rc = ia_tx_commit(tx, err);
    for (size_t i = 0; i < s->count && rc == IA_OK; i++) {
        if (s->items[i].state == IA_SWEEP_GOAL_SKIPPED) {
            ia_sweep_item_move(s, &s->items[i], IA_SWEEP_GOAL_WAITING);
        }
    }
    return rc;
}

static enum ia_rc open_rows(struct ia_sweep *s, const struct ia_sweep_row *row,
                            struct ia_err *err)
{
    struct opening o = {.s = s, .err = err};
    json_t *options = json_loads(row->options, 0, NULL);
    s->max_usd = row->max_usd;
    enum ia_rc rc = read_rows(&o, options, err);
    if (rc == IA_OK) {
        rc = unskip(&o, err);
    }
    ia_sweep_items_advance(s); /* the goals may all be done, and then nothing moves any more */
    for (size_t i = 0; i < s->count; i++) {
        json_decref(o.needs[i]);
    }
    free(o.needs);
    json_decref(options);
    return rc;
}

/* It is taken before its goals and runs are read: until then another may still change them. */
static enum ia_rc take_and_read(struct ia_sweep *s, const struct ia_sweep_row *row,
                                struct ia_err *err)
{
    enum ia_rc rc = take(s, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = open_rows(s, row, err);
    if (rc != IA_OK) {
        give_back(s, row->why);
    }
    return rc;
}

enum ia_rc ia_sweep_open(const struct ia_sweep_env *env, const char *id, struct ia_sweep **ret,
                         struct ia_err *err)
{
    struct ia_sweep_row *row = NULL;
    enum ia_rc rc = ia_store_sweep(env->store, id, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_sweep *s = ia_calloc(1, sizeof(*s));
    s->env = *env;
    s->busy.pool = ia_calloc(1, sizeof(*s->busy.pool));
    s->clock = env->clock ? env->clock : ia_clock_system();
    pthread_mutex_init(&s->mutex, NULL);
    pthread_mutex_init(&s->steps_mutex, NULL);
    pthread_cond_init(&s->stepped, NULL);
    (void)snprintf(s->id, sizeof(s->id), "%s", row->id);
    (void)snprintf(s->pool, sizeof(s->pool), "%s%s", IA_SWEEP_POOL_PREFIX, row->id);
    rc = take_and_read(s, row, err);
    ia_sweep_row_free(row);
    if (rc != IA_OK) {
        ia_sweep_close(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

void ia_sweep_close(struct ia_sweep *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        ia_sweep_item_fini(&s->items[i]);
    }
    for (size_t i = 0; i < s->lane_count; i++) {
        free(s->lanes[i]);
    }
    free(s->items);
    free(s->lanes);
    free(s->busy.lane);
    free(s->busy.pool);
    free(s->why);
    pthread_mutex_destroy(&s->mutex);
    pthread_mutex_destroy(&s->steps_mutex);
    pthread_cond_destroy(&s->stepped);
    free(s);
}

const char *ia_sweep_id(const struct ia_sweep *s)
{
    return s->id;
}

bool ia_sweep_demo(const struct ia_sweep *s)
{
    return s->demo;
}

bool ia_sweep_asks_model(const struct ia_sweep *s)
{
    return s->asks_model;
}

bool ia_sweep_budgeted(const struct ia_sweep *s)
{
    return s->max_usd > 0;
}

const char *ia_sweep_pool(const struct ia_sweep *s)
{
    return s->pool;
}

size_t ia_sweep_lanes(const struct ia_sweep *s, const char *const **ret)
{
    *ret = (const char *const *)s->lanes;
    return s->lane_count;
}

size_t ia_sweep_pool_lanes(const struct ia_sweep *s)
{
    return s->pool_lanes;
}
