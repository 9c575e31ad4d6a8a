/* sweep_judge.c: what a round of a sweep changes: which runs ended and how, which goals are tried again,
 * left out, or start, and with how much of the budget. It reads rows and items and changes neither.
 *
 * The budget: each run gets an even share of what is neither spent nor reserved. One whose share is too
 * small for a single request waits until nothing else runs, and then gets all that is left; if that is too
 * small as well, the sweep stops. */
#include "agent/sweep/sweep_impl.h"

#include "events/basis.h"
#include "store/watch.h"

#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES_MAX = 1000 };
#define LEAST_USD 1e-6 /* less than any request costs */

/* ---- what ended -------------------------------------------------------------------------- */

static struct ia_sweep_change *add_change(struct ia_sweep_round *r, size_t i,
                                          enum ia_sweep_goal_state to)
{
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 16;
        r->changes = ia_realloc(r->changes, r->cap, sizeof(*r->changes));
    }
    struct ia_sweep_change *c = &r->changes[r->count++];
    *c = (struct ia_sweep_change){.i = i, .to = to};
    return c;
}

/* A verdict against the goal, or one of its own limits: worth another try. */
static bool worth_retry(enum ia_sweep_goal_state state, enum ia_rc code)
{
    return state == IA_SWEEP_GOAL_FAILED || state == IA_SWEEP_GOAL_BLOCKED ||
           (state == IA_SWEEP_GOAL_ERROR && ia_rc_exit(code) == ia_rc_exit(IA_E_BUDGET));
}

static void stop(struct ia_sweep_round *r, const char *why, int exit_status)
{
    if (!r->why) {
        r->why = why;
        r->why_exit = exit_status;
    }
}

static enum ia_sweep_goal_state state_after(const struct ia_run_row *run, int tries)
{
    switch (run->state) {
    case IA_RUN_PASSED:
        return ia_outcome_healed(run->outcome) ? IA_SWEEP_GOAL_HEALED
               : tries > 1                     ? IA_SWEEP_GOAL_FLAKY
                                               : IA_SWEEP_GOAL_PASSED;
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
static void judge_end(struct ia_sweep_round *r, size_t i, const struct ia_run_row *row)
{
    const struct ia_sweep_item *it = &r->s->items[i];
    enum ia_sweep_goal_state ended = state_after(row, it->tries);
    const char *fails = ia_job_request(it->job)->fails;
    bool known = fails && (row->state == IA_RUN_PASSED || row->state == IA_RUN_FAILED);
    bool strict = ended == IA_SWEEP_GOAL_HEALED && ia_job_request(it->job)->strict;
    bool good = row->state == (known ? IA_RUN_FAILED : IA_RUN_PASSED) && !strict;
    struct ia_sweep_change *c = add_change(r, i, known ? IA_SWEEP_GOAL_FAILED : ended);
    c->code = ia_sweep_run_code(row);
    c->replayed = ia_sweep_run_replayed(row);
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
    bool retry = !known && worth_retry(ended, c->code) && it->tries <= it->retries && !r->why;
    /* It had all that was left, and that was too little. */
    if (c->no_try && it->has_rest) {
        stop(r, "its budget is spent", ia_rc_exit(IA_E_BUDGET));
    }
    if (c->no_try || retry) {
        c->to = IA_SWEEP_GOAL_WAITING;
    } else if (!good && r->s->fail_fast) {
        stop(r, "a goal did not pass (--fail-fast)", 0);
    }
}

static enum ia_rc settle(struct ia_sweep_round *r, size_t i, struct ia_err *err)
{
    const struct ia_sweep_item *it = &r->s->items[i];
    struct ia_run_row *row = NULL;
    enum ia_run_state state = IA_RUN_STATE_COUNT;
    /* Most of them go on: a whole row is read only of one that does not. */
    enum ia_rc rc = ia_store_run_state(r->s->env.store, it->run_id, &state, err);
    if (rc != IA_OK || !ia_run_state_final(state)) {
        return rc;
    }
    rc = ia_store_run(r->s->env.store, it->run_id, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    judge_end(r, i, row);
    /* What was reserved for the run is replaced by what it cost: the upper bound where that
     * is larger, since a request that broke off may still be billed. */
    double usd = row->usage.cost_usd;
    r->spent_usd -= ia_sweep_item_reserved(it);
    r->spent_usd += it->run_usd_max > usd ? it->run_usd_max : usd;
    r->running--;
    /* Its place is free for the goals that this same round starts. */
    ++*ia_sweep_places_of(&r->free, it);
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
        } else if (!ia_sweep_item_reached(need)) {
            *ret_bad = need;
            return NEVER;
        }
    }
    return all;
}

static void skip(struct ia_sweep_round *r, size_t i, const struct ia_sweep_item *need)
{
    static const char *const said[IA_SWEEP_GOAL_STATE_COUNT] = {
        [IA_SWEEP_GOAL_FAILED] = "failed",
        [IA_SWEEP_GOAL_BLOCKED] = "is blocked",
        [IA_SWEEP_GOAL_ERROR] = "ended in an error",
        [IA_SWEEP_GOAL_CANCELLED] = "was cancelled",
        [IA_SWEEP_GOAL_SKIPPED] = "was skipped",
    };
    struct ia_buf text = IA_BUF(REASON_BYTES_MAX);
    struct ia_sweep_change *c = add_change(r, i, IA_SWEEP_GOAL_SKIPPED);
    ia_buf_printf(&text, "it needs \"%s\", which %s", need->name, said[need->state]);
    c->reason = ia_buf_steal(&text);
}

/* ---- what starts ------------------------------------------------------------------------- */

int64_t ia_sweep_seconds_left(const struct ia_sweep *s)
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
static int count_free(const struct ia_sweep_round *r)
{
    int n = r->pool_free;
    for (size_t i = r->s->pool_lanes; i < r->s->lane_count; i++) {
        n += r->free.lane[i] > 0 ? 1 : 0;
    }
    return n > 0 ? n : 1;
}

/* How much of the budget a run gets, never more than its own limit. 0: nothing is left now. */
static double share(const struct ia_sweep_round *r, const struct ia_sweep_item *it)
{
    double own = ia_job_request(it->job)->budget.max_usd;
    if (!(r->s->max_usd > 0)) {
        return own;
    }
    double rest = r->s->max_usd - r->spent_usd;
    /* Divided by the places that are free now rather than by the goals that wait: what
     * finished runs did not use goes to the next ones. */
    double part = it->wants_rest ? rest : rest / count_free(r);
    return own > 0 && own < part ? own : part;
}

static void start(struct ia_sweep_round *r, size_t i)
{
    struct ia_sweep *s = r->s;
    const struct ia_sweep_item *it = &s->items[i];
    double cap = share(r, it);
    /* What the others give back when they end may be enough for it. */
    if (it->wants_rest && r->running > 0) {
        return;
    }
    /* The negated comparison also catches a share that is not a number. */
    if (s->max_usd > 0 && !(cap >= LEAST_USD)) {
        /* While something runs, its end may give money back; then this is asked again. */
        if (r->running == 0) {
            stop(r, "its budget is spent", ia_rc_exit(IA_E_BUDGET));
        }
        return;
    }
    struct ia_sweep_change *c = add_change(r, i, IA_SWEEP_GOAL_RUNNING);
    c->cap_usd = cap;
    c->has_rest = r->running == 0 && cap >= s->max_usd - r->spent_usd;
    r->spent_usd += s->max_usd > 0 ? cap : 0;
    r->running++;
    --*ia_sweep_places_of(&r->free, it);
}

static void judge_waiting(struct ia_sweep_round *r)
{
    struct ia_sweep *s = r->s;
    /* In the order of the rows, so goals start in the order of the file; first_waiting
     * spares a long sweep the walk over what is done. */
    for (size_t i = s->first_waiting; i < s->count; i++) {
        const struct ia_sweep_item *bad = NULL;
        if (s->items[i].state != IA_SWEEP_GOAL_WAITING) {
            continue;
        }
        enum readiness ready = judge_needs(s, &s->items[i], &bad);
        if (ready == NEVER) {
            skip(r, i, bad);
        } else if (ready == READY && !r->why &&
                   *ia_sweep_places_of(&r->free, &s->items[i]) > 0) {
            start(r, i);
        }
    }
}

/* ---- the round --------------------------------------------------------------------------- */

void ia_sweep_round_init(struct ia_sweep_round *r, struct ia_sweep *s)
{
    *r = (struct ia_sweep_round){.s = s, .why = s->why, .why_exit = s->why_exit};
    r->pool_free = (int)s->pool_lanes - *s->busy.pool;
    r->running = *s->busy.pool;
    r->free.pool = &r->pool_free;
    r->free.lane = ia_calloc(s->lane_count + 1, sizeof(*r->free.lane));
    /* A lane does one run at a time; the pool as many as it has lanes. */
    for (size_t i = 0; i < s->lane_count; i++) {
        r->free.lane[i] = 1 - s->busy.lane[i];
        r->running += s->busy.lane[i];
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_sweep_item *it = &s->items[i];
        bool running = it->state == IA_SWEEP_GOAL_RUNNING;
        r->spent_usd += it->usd_max + (running ? ia_sweep_item_reserved(it) : 0);
    }
    if (ia_sweep_seconds_left(s) == 0) {
        stop(r, "its time is up", ia_rc_exit(IA_E_TIMEOUT));
    }
}

void ia_sweep_round_fini(struct ia_sweep_round *r)
{
    for (size_t k = 0; k < r->count; k++) {
        free(r->changes[k].reason);
    }
    free(r->changes);
    free(r->free.lane);
}

/* Which of those that run have ended, in one read of the store. */
static enum ia_rc judge_running(struct ia_sweep_round *r, struct ia_err *err)
{
    const struct ia_sweep *s = r->s;
    int64_t unused = 0;
    enum ia_rc rc = ia_store_read_begin(s->env.store, &unused, err);
    if (rc != IA_OK) {
        return rc;
    }
    for (size_t i = 0; i < s->count && rc == IA_OK; i++) {
        if (s->items[i].state == IA_SWEEP_GOAL_RUNNING) {
            rc = settle(r, i, err);
        }
    }
    ia_store_read_end(s->env.store);
    return rc;
}

enum ia_rc ia_sweep_judge(struct ia_sweep_round *r, struct ia_err *err)
{
    /* Ends first, so that places and money they give back are there for what starts. */
    enum ia_rc rc = judge_running(r, err);
    if (rc == IA_OK) {
        judge_waiting(r);
    }
    return rc;
}

bool ia_sweep_judge_end(struct ia_sweep_round *r)
{
    const struct ia_sweep *s = r->s;
    bool left = false;
    for (size_t i = 0; i < s->count; i++) {
        /* A goal that is running now was left to the queue: the sweep counts as stopped, and
         * opening it again goes on with it. */
        left = left || s->items[i].state == IA_SWEEP_GOAL_RUNNING;
        if (s->items[i].state == IA_SWEEP_GOAL_WAITING) {
            struct ia_buf text = IA_BUF(REASON_BYTES_MAX);
            struct ia_sweep_change *c = add_change(r, i, IA_SWEEP_GOAL_SKIPPED);
            ia_buf_printf(&text, "the sweep was stopped: %s", s->why ? s->why : "");
            c->reason = ia_buf_steal(&text);
            left = true;
        }
    }
    return left;
}
