/* sweep.c: the step of a sweep. It plans changes, commits them in one transaction, and only then
 * follows them in memory:
 *
 *     settle   runs that ended          ─┐
 *     judge    goals whose needs failed  ├─► changes ─► one transaction ─► apply, observers
 *     start    goals that may run       ─┘
 *
 * and again, as long as a round changes something: the end of one goal may start or skip
 * others. The budget: each run gets an even share of what is neither spent nor reserved. One
 * whose share is too small for a single request waits until nothing else runs, and then gets all
 * that is left; if that is too small as well, the sweep stops.
 *
 * The rows are the truth and the items in memory follow them: a round that cannot be
 * committed changes nothing in memory, and the next step plans it anew. A kill before the
 * commit therefore starts nothing, and one after it leaves runs in the queue whose goals are
 * `running`; sweep_open.c reads both back. Steps, spending reports of workers and the sums
 * of the display come from different threads, so all of them hold the sweep's mutex,
 * observers' calls included. */
#include "agent/sweep/sweep_impl.h"

#include "agent/run/run_store.h"
#include "events/basis.h"

#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES_MAX = 1000 };
#define LEAST_USD 1e-6 /* less than any request costs */

/* One move of an item that a step plans. */
struct change {
    size_t i;
    enum ia_sweep_goal_state to;
    char *reason; /* NULL: none */
    /* of the run that ended */
    enum ia_rc code;
    struct ia_usage_row usage;
    int64_t ms;
    bool no_try; /* it was over before its first request */
    /* of the run that starts */
    char run_id[IA_ID_SIZE];
    double cap_usd;
    bool has_rest;
};

struct step {
    struct ia_sweep *s;
    struct change *changes;
    size_t count, cap;
    int pool_free;
    struct ia_sweep_places free; /* with what this step ends and starts */
    int running;
    double spent_usd; /* what is spent and reserved */
    const char *why;  /* nothing starts */
    int why_exit;
};

/* ---- what ended -------------------------------------------------------------------------- */

static struct change *add_change(struct step *st, size_t i, enum ia_sweep_goal_state to)
{
    if (st->count == st->cap) {
        st->cap = st->cap ? 2 * st->cap : 16;
        st->changes = ia_realloc(st->changes, st->cap, sizeof(*st->changes));
    }
    struct change *c = &st->changes[st->count++];
    *c = (struct change){.i = i, .to = to};
    return c;
}

/* A verdict against the goal, or one of its own limits: worth another try. */
static bool worth_retry(enum ia_sweep_goal_state state, enum ia_rc code)
{
    return state == IA_SWEEP_GOAL_FAILED || state == IA_SWEEP_GOAL_BLOCKED ||
           (state == IA_SWEEP_GOAL_ERROR && ia_rc_exit(code) == ia_rc_exit(IA_E_BUDGET));
}

static void stop(struct step *st, const char *why, int exit_status)
{
    if (!st->why) {
        st->why = why;
        st->why_exit = exit_status;
    }
}

static enum ia_sweep_goal_state state_after(enum ia_run_state run, int tries)
{
    switch (run) {
    case IA_RUN_PASSED:
        return tries > 1 ? IA_SWEEP_GOAL_FLAKY : IA_SWEEP_GOAL_PASSED;
    case IA_RUN_FAILED:
        return IA_SWEEP_GOAL_FAILED;
    case IA_RUN_BLOCKED:
        return IA_SWEEP_GOAL_BLOCKED;
    case IA_RUN_CANCELLED:
        return IA_SWEEP_GOAL_CANCELLED;
    default:
        return IA_SWEEP_GOAL_ERROR;
    }
}

/* What its summary says. A model that gives up says nothing of what code has seen. */
static char *reason_of(const struct ia_run_row *row)
{
    enum ia_basis basis = ia_basis_from_name(ia_str(row->basis ? row->basis : ""));
    struct ia_buf text = IA_BUF(2 * (size_t)REASON_BYTES_MAX);
    if (!row->summary) {
        return NULL;
    }
    ia_buf_puts(&text, basis == IA_BASIS_EXPECTATIONS_HOLD ? "expectations hold, but: " : "");
    ia_buf_put(&text, row->summary, strnlen(row->summary, REASON_BYTES_MAX));
    return ia_buf_steal(&text);
}

/* Of a goal whose file says that it fails, and why. A pass is a failure then, because what the file
 * says is no longer true. */
static char *known_reason(const char *fails, enum ia_run_state state, char *reason)
{
    struct ia_buf text = IA_BUF(4 * (size_t)REASON_BYTES_MAX);
    if (state == IA_RUN_PASSED) {
        ia_buf_puts(&text, "it passed, and its file says that it fails: ");
        ia_buf_put(&text, fails, strnlen(fails, REASON_BYTES_MAX));
    } else {
        ia_buf_puts(&text, IA_SWEEP_AS_EXPECTED "(");
        ia_buf_put(&text, fails, strnlen(fails, REASON_BYTES_MAX));
        ia_buf_printf(&text, "): %s", reason ? reason : "");
    }
    free(reason);
    return ia_buf_steal(&text);
}

/* Plans the change for a run that ended. */
static void judge_end(struct step *st, size_t i, const struct ia_run_row *row)
{
    const struct ia_sweep_item *it = &st->s->items[i];
    enum ia_sweep_goal_state ended = state_after(row->state, it->tries);
    const char *fails = ia_job_request(it->job)->fails;
    bool known = fails && (row->state == IA_RUN_PASSED || row->state == IA_RUN_FAILED);
    bool good = row->state == (known ? IA_RUN_FAILED : IA_RUN_PASSED);
    struct change *c = add_change(st, i, known ? IA_SWEEP_GOAL_FAILED : ended);
    c->code = ia_sweep_run_code(row);
    c->usage = row->usage;
    /* A price that is not known counts as what the run last reported, so that the budget is
     * not spent twice. */
    c->usage.cost_usd = row->usage.cost_known ? row->usage.cost_usd : it->run_usd;
    c->ms = ia_sweep_run_ms(row);
    /* A copy: the row is freed before the change is written. */
    c->reason = reason_of(row);
    if (known) {
        c->reason = known_reason(fails, row->state, c->reason);
    }
    /* A run that its share of the budget starved before it could ask the model anything says
     * nothing about the goal: it waits for all that is left, and is not counted as a try. */
    c->no_try = it->capped && ia_sweep_run_starved(row);
    bool retry = !known && worth_retry(ended, c->code) && it->tries <= it->retries && !st->why;
    /* It had all that was left, and that was too little. */
    if (c->no_try && it->has_rest) {
        stop(st, "its budget is spent", ia_rc_exit(IA_E_BUDGET));
    }
    if (c->no_try || retry) {
        c->to = IA_SWEEP_GOAL_WAITING;
    } else if (!good && st->s->fail_fast) {
        stop(st, "a goal did not pass (--fail-fast)", 0);
    }
}

static enum ia_rc settle(struct step *st, size_t i, struct ia_err *err)
{
    const struct ia_sweep_item *it = &st->s->items[i];
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(st->s->env.store, it->run_id, &row, err);
    if (rc != IA_OK || !ia_run_state_final(row->state)) {
        ia_run_row_free(row);
        return rc;
    }
    judge_end(st, i, row);
    /* What was reserved for the run is replaced by what it cost: the upper bound where that
     * is larger, since a request that broke off may still be billed. */
    double usd = row->usage.cost_usd;
    st->spent_usd -= ia_sweep_item_reserved(it);
    st->spent_usd += it->run_usd_max > usd ? it->run_usd_max : usd;
    st->running--;
    /* Its place is free for the goals that this same round starts. */
    ++*ia_sweep_places_of(&st->free, it);
    ia_run_row_free(row);
    return IA_OK;
}

/* ---- what is left out -------------------------------------------------------------------- */

enum readiness { READY, NOT_YET, NEVER };

/* What this very round changes counts from the next on. */
static enum readiness judge_needs(const struct ia_sweep *s, const struct ia_sweep_item *it,
                                  const struct ia_sweep_item **ret_bad)
{
    enum readiness all = READY;
    for (size_t k = 0; k < it->need_count; k++) {
        /* Read from memory, which changes only after the commit. That is why a step goes
         * round until nothing changes. */
        const struct ia_sweep_item *need = &s->items[it->needs[k]];
        if (need->state == IA_SWEEP_GOAL_WAITING || need->state == IA_SWEEP_GOAL_RUNNING) {
            all = NOT_YET;
        } else if (!ia_sweep_item_passed(need)) {
            *ret_bad = need;
            return NEVER;
        }
    }
    return all;
}

static void skip(struct step *st, size_t i, const struct ia_sweep_item *need)
{
    static const char *const said[IA_SWEEP_GOAL_STATE_COUNT] = {
        [IA_SWEEP_GOAL_FAILED] = "failed",
        [IA_SWEEP_GOAL_BLOCKED] = "is blocked",
        [IA_SWEEP_GOAL_ERROR] = "ended in an error",
        [IA_SWEEP_GOAL_CANCELLED] = "was cancelled",
        [IA_SWEEP_GOAL_SKIPPED] = "was skipped",
    };
    struct ia_buf text = IA_BUF(REASON_BYTES_MAX);
    struct change *c = add_change(st, i, IA_SWEEP_GOAL_SKIPPED);
    ia_buf_printf(&text, "it needs \"%s\", which %s", need->name, said[need->state]);
    c->reason = ia_buf_steal(&text);
}

/* ---- what starts ------------------------------------------------------------------------- */

static int64_t seconds_left(const struct ia_sweep *s)
{
    if (s->deadline_us == IA_NO_DEADLINE) {
        return INT64_MAX;
    }
    int64_t left_us = s->deadline_us - ia_mono_us(s->clock);
    /* Rounded up: 0 means that the time is up, so the last part of a second must not be
     * that. */
    return left_us > 0 ? (left_us + 999999) / 1000000 : 0;
}

/* How many runs could share what is left. */
static int count_free(const struct step *st)
{
    int n = st->pool_free;
    for (size_t i = st->s->pool_lanes; i < st->s->lane_count; i++) {
        n += st->free.lane[i] > 0 ? 1 : 0;
    }
    return n > 0 ? n : 1;
}

/* How much of the budget a run gets, never more than its own limit. 0: nothing is left now. */
static double share(const struct step *st, const struct ia_sweep_item *it)
{
    double own = ia_job_request(it->job)->budget.max_usd;
    if (!(st->s->max_usd > 0)) {
        return own;
    }
    double rest = st->s->max_usd - st->spent_usd;
    /* Divided by the places that are free now rather than by the goals that wait: what
     * finished runs did not use goes to the next ones. */
    double part = it->wants_rest ? rest : rest / count_free(st);
    return own > 0 && own < part ? own : part;
}

static void start(struct step *st, size_t i)
{
    struct ia_sweep *s = st->s;
    const struct ia_sweep_item *it = &s->items[i];
    double cap = share(st, it);
    /* What the others give back when they end may be enough for it. */
    if (it->wants_rest && st->running > 0) {
        return;
    }
    /* The negated comparison also catches a share that is not a number. */
    if (s->max_usd > 0 && !(cap >= LEAST_USD)) {
        /* While something runs, its end may give money back; then this is asked again. */
        if (st->running == 0) {
            stop(st, "its budget is spent", ia_rc_exit(IA_E_BUDGET));
        }
        return;
    }
    struct change *c = add_change(st, i, IA_SWEEP_GOAL_RUNNING);
    c->cap_usd = cap;
    c->has_rest = st->running == 0 && cap >= s->max_usd - st->spent_usd;
    st->spent_usd += s->max_usd > 0 ? cap : 0;
    st->running++;
    --*ia_sweep_places_of(&st->free, it);
}

static void judge_waiting(struct step *st)
{
    struct ia_sweep *s = st->s;
    /* In the order of the rows, so goals start in the order of the file; first_waiting
     * spares a long sweep the walk over what is done. */
    for (size_t i = s->first_waiting; i < s->count; i++) {
        const struct ia_sweep_item *bad = NULL;
        if (s->items[i].state != IA_SWEEP_GOAL_WAITING) {
            continue;
        }
        enum readiness r = judge_needs(s, &s->items[i], &bad);
        if (r == NEVER) {
            skip(st, i, bad);
        } else if (r == READY && !st->why && *ia_sweep_places_of(&st->free, &s->items[i]) > 0) {
            start(st, i);
        }
    }
}

/* ---- writing ----------------------------------------------------------------------------- */

static void min_of(int *limit, int64_t other)
{
    other = other > 0 ? other : 1;
    if (other < INT32_MAX && (*limit == 0 || other < *limit)) {
        *limit = (int)other;
    }
}

/* The goal's request for its next run. steps has room for one more than the job has. */
static struct ia_run_request request(const struct ia_sweep *s, const struct ia_sweep_item *it,
                                     const struct change *c, struct ia_setup_step *steps)
{
    struct ia_run_request req = *ia_job_request(it->job);
    /* `fresh` asks for it on the phones of the pool, where another goal may have run before;
     * a further try must not meet what the one before left behind. */
    bool reset = (s->fresh && it->pooled) || it->tries > 0;
    bool has = req.setup_count > 0 && req.setup[0].kind == IA_SETUP_RESET;
    if (reset && !has) {
        steps[0] = (struct ia_setup_step){.kind = IA_SETUP_RESET};
        if (req.setup_count > 0) {
            memcpy(steps + 1, req.setup, req.setup_count * sizeof(*steps));
        }
        req.setup = steps;
        req.setup_count++;
    }
    /* The sweep's limits become the run's own, so that the run enforces them, whichever
     * process does it. */
    if (s->max_usd > 0) {
        req.budget.max_usd = c->cap_usd;
    }
    min_of(&req.budget.max_seconds, seconds_left(s));
    return req;
}

static void write_start(struct ia_tx *tx, const struct ia_sweep *s, struct change *c)
{
    const struct ia_sweep_item *it = &s->items[c->i];
    struct ia_setup_step steps[IA_JOB_SETUP_MAX + 1];
    struct ia_run_request req = request(s, it, c, steps);
    struct ia_run_place place = {
        .lane = it->pooled ? s->pool : s->lanes[it->lane],
        .kind = IA_RUN_GOAL,
        .sweep_id = s->id,
        .sweep_no = it->no,
    };
    ia_run_store_add(tx, &req, &place, c->run_id);
    ia_tx_set_sweep_goal(tx, s->id, it->no, IA_SWEEP_GOAL_RUNNING, NULL);
}

static enum ia_rc write_changes(struct step *st, struct ia_err *err)
{
    struct ia_sweep *s = st->s;
    /* All moves are checked before the transaction: nothing may be half planned when an
     * illegal one turns up. */
    for (size_t k = 0; k < st->count; k++) {
        const struct change *c = &st->changes[k];
        enum ia_rc allowed = ia_sweep_item_check_move(&s->items[c->i], c->to, err);
        if (allowed != IA_OK) {
            return allowed;
        }
    }
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, err);
    for (size_t k = 0; k < st->count && rc == IA_OK && !ia_tx_failed(tx); k++) {
        struct change *c = &st->changes[k];
        if (c->to == IA_SWEEP_GOAL_RUNNING) {
            write_start(tx, s, c);
        } else {
            ia_tx_set_sweep_goal(tx, s->id, s->items[c->i].no, c->to, c->reason);
        }
    }
    return rc == IA_OK ? ia_tx_commit(tx, err) : rc;
}

/* ---- after the commit -------------------------------------------------------------------- */

static void apply_end(struct ia_sweep_item *it, const struct change *c)
{
    double usd = c->usage.cost_usd;
    it->cost_usd += usd;
    it->usd_max += it->run_usd_max > usd ? it->run_usd_max : usd;
    it->cost_known = it->cost_known && c->usage.cost_known;
    it->ms += c->ms;
    it->code = c->code;
    /* What was reserved is released; has_rest and capped belong to one run. */
    it->cap_usd = it->run_usd = it->run_usd_max = 0;
    it->capped = it->has_rest = false;
    it->wants_rest = c->no_try;
    if (c->no_try) {
        it->tries--;
    }
}

static void apply_start(const struct ia_sweep *s, struct ia_sweep_item *it,
                        const struct change *c)
{
    double own = ia_job_request(it->job)->budget.max_usd;
    memcpy(it->run_id, c->run_id, sizeof(it->run_id));
    it->tries++;
    it->wants_rest = false;
    it->has_rest = c->has_rest;
    it->cap_usd = s->max_usd > 0 ? c->cap_usd : 0;
    /* Whether the sweep, and not the goal's own limit, is what could starve it. */
    it->capped = s->max_usd > 0 && (!(own > 0) || c->cap_usd < own);
}

static void apply(struct step *st)
{
    struct ia_sweep *s = st->s;
    for (size_t k = 0; k < st->count; k++) {
        struct change *c = &st->changes[k];
        struct ia_sweep_item *it = &s->items[c->i];
        if (c->to == IA_SWEEP_GOAL_RUNNING) {
            apply_start(s, it, c);
        } else if (it->state == IA_SWEEP_GOAL_RUNNING) {
            apply_end(it, c);
        }
        /* After the sums above, which need to know that it was running. */
        ia_sweep_item_move(s, it, c->to);
        free(it->reason);
        /* Taken over, so that step_fini does not free it. */
        it->reason = c->reason;
        c->reason = NULL;
        if (s->env.observe) {
            struct ia_sweep_goal view = ia_sweep_item_view(s, it);
            s->env.observe(s->env.ctx, &view);
        }
    }
}

/* ---- the step ---------------------------------------------------------------------------- */

static void step_init(struct step *st, struct ia_sweep *s)
{
    *st = (struct step){.s = s, .why = s->why, .why_exit = s->why_exit};
    st->pool_free = (int)s->pool_lanes - *s->busy.pool;
    st->running = *s->busy.pool;
    st->free.pool = &st->pool_free;
    st->free.lane = ia_calloc(s->lane_count + 1, sizeof(*st->free.lane));
    /* A lane does one run at a time; the pool as many as it has lanes. */
    for (size_t i = 0; i < s->lane_count; i++) {
        st->free.lane[i] = 1 - s->busy.lane[i];
        st->running += s->busy.lane[i];
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_sweep_item *it = &s->items[i];
        bool running = it->state == IA_SWEEP_GOAL_RUNNING;
        st->spent_usd += it->usd_max + (running ? ia_sweep_item_reserved(it) : 0);
    }
    if (seconds_left(s) == 0) {
        stop(st, "its time is up", ia_rc_exit(IA_E_TIMEOUT));
    }
}

static void step_fini(struct step *st)
{
    for (size_t k = 0; k < st->count; k++) {
        free(st->changes[k].reason);
    }
    free(st->changes);
    free(st->free.lane);
}

/* One round. True in *ret_more when what it did may allow more. */
static enum ia_rc round_of(struct ia_sweep *s, int *added, bool *ret_more, struct ia_err *err)
{
    struct step st;
    enum ia_rc rc = IA_OK;
    step_init(&st, s);
    /* Ends first, so that places and money they give back are there for what starts. */
    for (size_t i = 0; i < s->count && rc == IA_OK; i++) {
        if (s->items[i].state == IA_SWEEP_GOAL_RUNNING) {
            rc = settle(&st, i, err);
        }
    }
    if (rc == IA_OK) {
        judge_waiting(&st);
    }
    if (rc == IA_OK && st.count > 0) {
        rc = write_changes(&st, err);
    }
    if (rc == IA_OK) {
        apply(&st);
        if (st.why) {
            ia_sweep_stop_locked(s, st.why, st.why_exit);
        }
        for (size_t k = 0; k < st.count; k++) {
            *added += st.changes[k].to == IA_SWEEP_GOAL_RUNNING ? 1 : 0;
        }
    }
    *ret_more = rc == IA_OK && st.count > 0;
    step_fini(&st);
    return rc;
}

static bool is_over(const struct ia_sweep *s)
{
    if (*s->busy.pool > 0) {
        return false;
    }
    for (size_t i = 0; i < s->lane_count; i++) {
        if (s->busy.lane[i] > 0) {
            return false;
        }
    }
    /* A stopped sweep leaves its waiting goals where they are; ia_sweep_end skips them. */
    return s->why || s->first_waiting == s->count;
}

enum ia_rc ia_sweep_step(struct ia_sweep *s, int *ret_added, bool *ret_over, struct ia_err *err)
{
    int added = 0;
    bool more = true;
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&s->mutex);
    while (more && rc == IA_OK) {
        rc = round_of(s, &added, &more, err);
    }
    *ret_over = is_over(s);
    pthread_mutex_unlock(&s->mutex);
    if (ret_added) {
        *ret_added = added;
    }
    return rc;
}

void ia_sweep_spent(struct ia_sweep *s, const char *run_id, double usd, double usd_max)
{
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < s->count; i++) {
        struct ia_sweep_item *it = &s->items[i];
        if (it->state == IA_SWEEP_GOAL_RUNNING && strcmp(it->run_id, run_id) == 0) {
            /* Reports may come out of order: what was spent only grows. */
            it->run_usd_max = usd_max > it->run_usd_max ? usd_max : it->run_usd_max;
            it->run_usd = usd > it->run_usd ? usd : it->run_usd;
        }
    }
    pthread_mutex_unlock(&s->mutex);
}

void ia_sweep_stop_locked(struct ia_sweep *s, const char *why, int exit_status)
{
    if (!s->why) {
        s->why = ia_strdup(why);
        s->why_exit = exit_status;
    }
}

void ia_sweep_stop(struct ia_sweep *s, const char *why)
{
    pthread_mutex_lock(&s->mutex);
    ia_sweep_stop_locked(s, why, ia_rc_exit(IA_E_CANCELLED));
    pthread_mutex_unlock(&s->mutex);
}

/* Skips what waits, told as every change. */
static enum ia_rc write_end(struct ia_sweep *s, struct step *st, bool *ret_left,
                            struct ia_err *err)
{
    bool left = false;
    for (size_t i = 0; i < s->count; i++) {
        /* A goal that is running now was left to the queue: the sweep counts as stopped, and
         * opening it again goes on with it. */
        left = left || s->items[i].state == IA_SWEEP_GOAL_RUNNING;
        if (s->items[i].state == IA_SWEEP_GOAL_WAITING) {
            struct ia_buf text = IA_BUF(REASON_BYTES_MAX);
            struct change *c = add_change(st, i, IA_SWEEP_GOAL_SKIPPED);
            ia_buf_printf(&text, "the sweep was stopped: %s", s->why ? s->why : "");
            c->reason = ia_buf_steal(&text);
            left = true;
        }
    }
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    for (size_t k = 0; k < st->count; k++) {
        ia_tx_set_sweep_goal(tx, s->id, s->items[st->changes[k].i].no, IA_SWEEP_GOAL_SKIPPED,
                             st->changes[k].reason);
    }
    ia_tx_end_sweep(tx, s->id, left ? IA_SWEEP_STOPPED : IA_SWEEP_DONE, left ? s->why : NULL);
    *ret_left = left;
    return ia_tx_commit(tx, err);
}

/* A stop that came when everything was done is none: there is nothing to continue. */
static void forget_stop(struct ia_sweep *s)
{
    free(s->why);
    s->why = NULL;
    s->why_exit = 0;
}

enum ia_rc ia_sweep_end(struct ia_sweep *s, struct ia_err *err)
{
    struct step st;
    pthread_mutex_lock(&s->mutex);
    step_init(&st, s);
    bool left = true;
    enum ia_rc rc = write_end(s, &st, &left, err);
    if (rc == IA_OK) {
        apply(&st);
    }
    if (rc == IA_OK && !left) {
        forget_stop(s);
    }
    step_fini(&st);
    pthread_mutex_unlock(&s->mutex);
    return rc;
}
