/* sweep_sum.c: what a sweep came to: counts, costs, its exit status, and pass rates of repeats. */
#include "agent/run/run.h"
#include "agent/sweep/sweep_impl.h"

static int exit_of(const struct ia_sweep_item *it)
{
    bool ended_badly = it->state == IA_SWEEP_GOAL_FAILED ||
                       it->state == IA_SWEEP_GOAL_BLOCKED || it->state == IA_SWEEP_GOAL_ERROR ||
                       it->state == IA_SWEEP_GOAL_CANCELLED;
    if (it->state == IA_SWEEP_GOAL_HEALED && ia_job_request(it->job)->strict) {
        return ia_rc_exit(IA_E_FAILED);
    }
    if (!ended_badly || ia_sweep_item_expected(it)) {
        return 0;
    }
    if (it->state == IA_SWEEP_GOAL_FAILED && ia_job_request(it->job)->fails) {
        return ia_rc_exit(IA_E_FAILED); /* it passed */
    }
    return ia_rc_exit(it->code == IA_OK ? IA_E_INTERNAL : it->code);
}

void ia_sweep_sum(struct ia_sweep *s, struct ia_sweep_sums *ret)
{
    struct ia_sweep_sums r = {.cost_known = true};
    int count[IA_SWEEP_GOAL_STATE_COUNT] = {0};
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_sweep_item *it = &s->items[i];
        int exit_status = exit_of(it);
        count[it->state]++;
        r.replayed += it->replayed && ia_sweep_item_passed(it);
        r.expected += ia_sweep_item_expected(it);
        r.distinct += it->repeat <= 1;
        r.cost_usd += it->cost_usd;
        r.cost_known = r.cost_known && it->cost_known;
        r.exit_status = exit_status > r.exit_status ? exit_status : r.exit_status;
    }
    r.goals = (int)s->count;
    r.waiting = count[IA_SWEEP_GOAL_WAITING];
    r.running = count[IA_SWEEP_GOAL_RUNNING];
    r.passed = count[IA_SWEEP_GOAL_PASSED];
    r.flaky = count[IA_SWEEP_GOAL_FLAKY];
    r.healed = count[IA_SWEEP_GOAL_HEALED];
    r.failed = count[IA_SWEEP_GOAL_FAILED] - r.expected;
    r.blocked = count[IA_SWEEP_GOAL_BLOCKED];
    r.errors = count[IA_SWEEP_GOAL_ERROR];
    r.cancelled = count[IA_SWEEP_GOAL_CANCELLED];
    r.skipped = count[IA_SWEEP_GOAL_SKIPPED];
    r.why = s->why;
    bool left = r.waiting + r.running + r.skipped > 0;
    /* Why the sweep was stopped counts only if something was left undone. */
    if (left && s->why_exit > r.exit_status) {
        r.exit_status = s->why_exit;
    }
    pthread_mutex_unlock(&s->mutex);
    *ret = r;
}

void ia_sweep_each(struct ia_sweep *s, ia_sweep_observer *fn, void *ctx)
{
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < s->count; i++) {
        struct ia_sweep_goal view = ia_sweep_item_view(s, &s->items[i]);
        fn(ctx, &view);
    }
    pthread_mutex_unlock(&s->mutex);
}

bool ia_sweep_goal_counts(enum ia_sweep_goal_state state, enum ia_rc code)
{
    switch (state) {
    case IA_SWEEP_GOAL_PASSED:
    case IA_SWEEP_GOAL_FLAKY:
        return true;
    case IA_SWEEP_GOAL_FAILED:
        return ia_run_counts(IA_RUN_FAILED, code);
    case IA_SWEEP_GOAL_BLOCKED:
        return ia_run_counts(IA_RUN_BLOCKED, code);
    case IA_SWEEP_GOAL_ERROR:
        return ia_run_counts(IA_RUN_ERROR, code);
    default:
        return false;
    }
}

/* Of the rows of one goal, which begin at i. */
static struct ia_sweep_rate rate_of(const struct ia_sweep *s, size_t i)
{
    struct ia_sweep_rate r = {.name = s->items[i].name};
    for (int k = 0; k < s->items[i].repeats; k++) {
        const struct ia_sweep_item *it = &s->items[i + (size_t)k];
        r.n += ia_sweep_goal_counts(it->state, it->code) ? 1 : 0;
        r.passed += ia_sweep_item_passed(it) ? 1 : 0;
    }
    r.interval = ia_wilson(r.passed, r.n);
    return r;
}

void ia_sweep_rates(struct ia_sweep *s, ia_sweep_rate_fn *fn, void *ctx)
{
    pthread_mutex_lock(&s->mutex);
    /* Repeats of a goal stand together, so this goes from goal to goal. */
    for (size_t i = 0; i < s->count; i += (size_t)s->items[i].repeats) {
        if (s->items[i].repeats > 1) {
            struct ia_sweep_rate rate = rate_of(s, i);
            fn(ctx, &rate);
        }
    }
    pthread_mutex_unlock(&s->mutex);
}
