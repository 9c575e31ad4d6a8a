#include "agent/run/run.h"
#include "agent/sweep/sweep_impl.h"

#include <string.h>

static int exit_of(const struct ia_sweep_item *it)
{
    bool ended_badly = it->state == IA_SWEEP_GOAL_FAILED ||
                       it->state == IA_SWEEP_GOAL_BLOCKED || it->state == IA_SWEEP_GOAL_ERROR ||
                       it->state == IA_SWEEP_GOAL_CANCELLED;
    if (!ended_badly) {
        return 0;
    }
    return ia_rc_exit(it->code == IA_OK ? IA_E_INTERNAL : it->code);
}

static void count(struct ia_sweep_sums *r, const struct ia_sweep_item *it)
{
    int *const of[IA_SWEEP_GOAL_STATE_COUNT] = {
        [IA_SWEEP_GOAL_WAITING] = &r->waiting, [IA_SWEEP_GOAL_RUNNING] = &r->running,
        [IA_SWEEP_GOAL_PASSED] = &r->passed,   [IA_SWEEP_GOAL_FLAKY] = &r->flaky,
        [IA_SWEEP_GOAL_FAILED] = &r->failed,   [IA_SWEEP_GOAL_BLOCKED] = &r->blocked,
        [IA_SWEEP_GOAL_ERROR] = &r->errors,    [IA_SWEEP_GOAL_CANCELLED] = &r->cancelled,
        [IA_SWEEP_GOAL_SKIPPED] = &r->skipped,
    };
    int exit_status = exit_of(it);
    r->goals++;
    ++*of[it->state];
    r->cost_usd += it->cost_usd;
    r->cost_known = r->cost_known && it->cost_known;
    r->exit_status = exit_status > r->exit_status ? exit_status : r->exit_status;
}

void ia_sweep_sum(struct ia_sweep *s, struct ia_sweep_sums *ret)
{
    struct ia_sweep_sums r = {.cost_known = true};
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < s->count; i++) {
        count(&r, &s->items[i]);
    }
    r.why = s->why;
    bool left = r.waiting + r.running + r.skipped > 0;
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

static bool counts(const struct ia_sweep_item *it)
{
    bool good = it->state == IA_SWEEP_GOAL_PASSED || it->state == IA_SWEEP_GOAL_FLAKY;
    return good ||
           (it->state == IA_SWEEP_GOAL_FAILED && ia_run_counts(IA_RUN_FAILED, it->code)) ||
           (it->state == IA_SWEEP_GOAL_BLOCKED && ia_run_counts(IA_RUN_BLOCKED, it->code)) ||
           (it->state == IA_SWEEP_GOAL_ERROR && ia_run_counts(IA_RUN_ERROR, it->code));
}

/* Of the rows of one goal, which begin at i. */
static struct ia_sweep_rate rate_of(const struct ia_sweep *s, size_t i)
{
    struct ia_sweep_rate r = {.name = s->items[i].name};
    for (int k = 0; k < s->items[i].repeats; k++) {
        const struct ia_sweep_item *it = &s->items[i + (size_t)k];
        r.n += counts(it);
        r.passed += it->state == IA_SWEEP_GOAL_PASSED || it->state == IA_SWEEP_GOAL_FLAKY;
    }
    r.interval = ia_wilson(r.passed, r.n);
    return r;
}

void ia_sweep_rates(struct ia_sweep *s, ia_sweep_rate_fn *fn, void *ctx)
{
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < s->count; i += (size_t)s->items[i].repeats) {
        if (s->items[i].repeats > 1) {
            struct ia_sweep_rate rate = rate_of(s, i);
            fn(ctx, &rate);
        }
    }
    pthread_mutex_unlock(&s->mutex);
}
