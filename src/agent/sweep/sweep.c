/* sweep.c: the step of a sweep. It plans changes, commits them in one transaction, and only then
 * follows them in memory:
 *
 *     settle   runs that ended          ─┐
 *     judge    goals whose needs failed  ├─► changes ─► one transaction ─► apply, observers
 *     start    goals that may run       ─┘
 *
 * and again, as long as a round changes something: the end of one goal may start or skip
 * others. sweep_judge.c plans; here the changes are written and followed.
 *
 * The rows are the truth and the items in memory follow them: a round that cannot be
 * committed changes nothing in memory, and the next step plans it anew. A kill before the
 * commit therefore starts nothing, and one after it leaves runs in the queue whose goals are
 * `running`; sweep_open.c reads both back. Steps, spending reports of workers and the sums
 * of the display come from different threads, so all of them hold the sweep's mutex,
 * observers' calls included. */
#include "agent/sweep/sweep_impl.h"

#include "agent/run/run_store.h"

#include <stdlib.h>
#include <string.h>

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
                                     const struct ia_sweep_change *c,
                                     struct ia_setup_step *steps)
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
    min_of(&req.budget.max_seconds, ia_sweep_seconds_left(s));
    return req;
}

static void write_start(struct ia_tx *tx, const struct ia_sweep *s, struct ia_sweep_change *c)
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

static enum ia_rc write_changes(struct ia_sweep_round *r, struct ia_err *err)
{
    struct ia_sweep *s = r->s;
    /* All moves are checked before the transaction: nothing may be half planned when an
     * illegal one turns up. */
    for (size_t k = 0; k < r->count; k++) {
        const struct ia_sweep_change *c = &r->changes[k];
        enum ia_rc allowed = ia_sweep_item_check_move(&s->items[c->i], c->to, err);
        if (allowed != IA_OK) {
            return allowed;
        }
    }
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, err);
    for (size_t k = 0; k < r->count && rc == IA_OK && !ia_tx_failed(tx); k++) {
        struct ia_sweep_change *c = &r->changes[k];
        if (c->to == IA_SWEEP_GOAL_RUNNING) {
            write_start(tx, s, c);
        } else {
            ia_tx_set_sweep_goal(tx, s->id, s->items[c->i].no, c->to, c->reason);
        }
    }
    return rc == IA_OK ? ia_tx_commit(tx, err) : rc;
}

/* ---- after the commit -------------------------------------------------------------------- */

static void apply_end(struct ia_sweep_item *it, const struct ia_sweep_change *c)
{
    double usd = c->usage.cost_usd;
    it->cost_usd += usd;
    it->usd_max += it->run_usd_max > usd ? it->run_usd_max : usd;
    it->cost_known = it->cost_known && c->usage.cost_known;
    it->ms += c->ms;
    it->code = c->code;
    it->replayed = c->replayed;
    /* What was reserved is released; has_rest and capped belong to one run. */
    it->cap_usd = it->run_usd = it->run_usd_max = 0;
    it->capped = it->has_rest = false;
    it->wants_rest = c->no_try;
    if (c->no_try) {
        it->tries--;
    }
}

static void apply_start(const struct ia_sweep *s, struct ia_sweep_item *it,
                        const struct ia_sweep_change *c)
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

static void apply(struct ia_sweep_round *r)
{
    struct ia_sweep *s = r->s;
    for (size_t k = 0; k < r->count; k++) {
        struct ia_sweep_change *c = &r->changes[k];
        struct ia_sweep_item *it = &s->items[c->i];
        if (c->to == IA_SWEEP_GOAL_RUNNING) {
            apply_start(s, it, c);
        } else if (it->state == IA_SWEEP_GOAL_RUNNING) {
            apply_end(it, c);
        }
        /* After the sums above, which need to know that it was running. */
        ia_sweep_item_move(s, it, c->to);
        free(it->reason);
        /* Taken over, so that ia_sweep_round_fini does not free it. */
        it->reason = c->reason;
        c->reason = NULL;
        if (s->env.observe) {
            struct ia_sweep_goal view = ia_sweep_item_view(s, it);
            s->env.observe(s->env.ctx, &view);
        }
    }
}

/* ---- the step ---------------------------------------------------------------------------- */

/* One round. True in *ret_more when what it did may allow more. */
static enum ia_rc do_round(struct ia_sweep *s, int *added, bool *ret_more, struct ia_err *err)
{
    struct ia_sweep_round r;
    ia_sweep_round_init(&r, s);
    enum ia_rc rc = ia_sweep_judge(&r, err);
    if (rc == IA_OK && r.count > 0) {
        rc = write_changes(&r, err);
    }
    if (rc == IA_OK) {
        apply(&r);
        if (r.why) {
            ia_sweep_stop_locked(s, r.why, r.why_exit);
        }
        for (size_t k = 0; k < r.count; k++) {
            *added += r.changes[k].to == IA_SWEEP_GOAL_RUNNING ? 1 : 0;
        }
    }
    *ret_more = rc == IA_OK && r.count > 0;
    ia_sweep_round_fini(&r);
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

static enum ia_rc do_step(struct ia_sweep *s, int *ret_added, struct ia_err *err)
{
    bool more = true;
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&s->mutex);
    while (more && rc == IA_OK) {
        rc = do_round(s, ret_added, &more, err);
    }
    pthread_mutex_unlock(&s->mutex);
    return rc;
}

/* With steps_mutex, which is free meanwhile. */
static void lead_step(struct ia_sweep *s, int *ret_added)
{
    struct ia_err err = {0};
    uint64_t asked = s->steps_asked;
    s->stepping = true;
    pthread_mutex_unlock(&s->steps_mutex);
    enum ia_rc rc = do_step(s, ret_added, &err);
    pthread_mutex_lock(&s->steps_mutex);
    s->step_rc = rc;
    s->step_err = err;
    s->steps_done = asked;
    s->stepping = false;
    pthread_cond_broadcast(&s->stepped);
}

enum ia_rc ia_sweep_step(struct ia_sweep *s, int *ret_added, bool *ret_over, struct ia_err *err)
{
    int added = 0;
    /* A step is one commit, whatever number of goals ended before it: who comes while one is under way
     * shares the next with all others that came by then. */
    pthread_mutex_lock(&s->steps_mutex);
    uint64_t mine = ++s->steps_asked;
    while (s->steps_done < mine) {
        if (s->stepping) {
            pthread_cond_wait(&s->stepped, &s->steps_mutex);
        } else {
            lead_step(s, &added);
        }
    }
    enum ia_rc rc = s->step_rc;
    if (rc != IA_OK && err) {
        *err = s->step_err;
    }
    pthread_mutex_unlock(&s->steps_mutex);
    pthread_mutex_lock(&s->mutex);
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
static enum ia_rc write_end(struct ia_sweep *s, struct ia_sweep_round *r, bool *ret_left,
                            struct ia_err *err)
{
    bool left = ia_sweep_judge_end(r);
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->env.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    for (size_t k = 0; k < r->count; k++) {
        ia_tx_set_sweep_goal(tx, s->id, s->items[r->changes[k].i].no, IA_SWEEP_GOAL_SKIPPED,
                             r->changes[k].reason);
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
    struct ia_sweep_round r;
    pthread_mutex_lock(&s->mutex);
    ia_sweep_round_init(&r, s);
    bool left = true;
    enum ia_rc rc = write_end(s, &r, &left, err);
    if (rc == IA_OK) {
        apply(&r);
    }
    if (rc == IA_OK && !left) {
        forget_stop(s);
    }
    ia_sweep_round_fini(&r);
    pthread_mutex_unlock(&s->mutex);
    return rc;
}
