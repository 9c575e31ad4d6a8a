/* goal_history.c: the runs of one goal over time: pass rate, flakiness, durations, costs. */
#include "agent/report/goal_history.h"

#include "store/children.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------- */

struct reading {
    struct ia_goal_history *p;
    size_t cap;
};

static void put_id(char dst[IA_ID_SIZE], const char *id)
{
    size_t n = id ? strnlen(id, IA_ID_SIZE - 1) : 0;
    memcpy(dst, id ? id : "", n);
    dst[n] = '\0';
}

struct ia_goal_history_run ia_goal_history_run(const struct ia_run_row *row)
{
    const struct ia_usage_row *u = &row->usage;
    bool both = row->started_ms > 0 && row->finished_ms >= row->started_ms;
    struct ia_goal_history_run run = {
        .sweep_no = row->sweep_no,
        .state = row->state,
        .basis = ia_basis_from_name(ia_str(row->basis ? row->basis : "")),
        .started_ms = row->started_ms > 0 ? row->started_ms : row->created_ms,
        .ms = both ? row->finished_ms - row->started_ms : -1,
        .finished_ms = row->finished_ms,
        .tokens = u->input + u->cache_read + u->cache_write + u->output,
        .steps = row->steps,
        .cost_usd = u->cost_usd,
        .cost_known = u->cost_known,
        .demo = row->demo,
        .delegates = row->delegates != 0,
    };
    run.healed = ia_outcome_healed(row->outcome);
    run.replayed = row->outcome && !run.healed;
    put_id(run.id, row->id);
    put_id(run.sweep_id, row->sweep_id);
    return run;
}

enum ia_rc ia_goal_history_add_below(struct ia_store *store, struct ia_goal_history_run *runs,
                                     size_t count, struct ia_err *err)
{
    struct ia_below below;
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < count; i++) {
        struct ia_goal_history_run *run = &runs[i];
        if (!run->delegates) {
            continue;
        }
        rc = ia_store_below(store, run->id, &below, err);
        if (rc == IA_OK) {
            run->tokens += below.tokens;
            run->cost_usd += below.usd;
            run->cost_known = run->cost_known && below.cost_known;
        }
    }
    return rc;
}

static bool keep(void *ctx, const struct ia_run_row *row)
{
    struct reading *r = ctx;
    struct ia_goal_history *p = r->p;
    if (p->count == r->cap) {
        r->cap = r->cap > 0 ? r->cap * 2 : 32;
        p->runs = ia_realloc(p->runs, r->cap, sizeof(*p->runs));
    }
    p->runs[p->count++] = ia_goal_history_run(row);
    return true;
}

enum ia_rc ia_goal_history_read(struct ia_store *store, const char *goal, int limit,
                                struct ia_goal_history *ret, struct ia_err *err)
{
    struct ia_goal_history p = {0};
    struct reading r = {.p = &p};
    int n = limit <= 0                          ? IA_GOAL_HISTORY_LIMIT_DEFAULT
            : limit > IA_GOAL_HISTORY_LIMIT_MAX ? IA_GOAL_HISTORY_LIMIT_MAX
                                                : limit;
    enum ia_rc rc = ia_store_history(store, goal, n, keep, &r, err);
    if (rc == IA_OK && p.count == 0) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "no finished run of a goal \"%.100s\"", goal);
        ia_err_hint(err, "give the goal's name, or its whole text as ios-agent runs shows it");
    }
    if (rc == IA_OK) {
        rc = ia_goal_history_add_below(store, p.runs, p.count, err);
    }
    if (rc != IA_OK) {
        ia_goal_history_fini(&p);
        return rc;
    }
    p.name = ia_strdup(goal);
    ia_goal_history_sum_up(&p);
    *ret = p;
    return IA_OK;
}

void ia_goal_history_fini(struct ia_goal_history *p)
{
    free(p->name);
    free(p->runs);
    *p = (struct ia_goal_history){0};
}

/* ---- verdicts ---------------------------------------------------------------------------- */

static bool has_verdict(const struct ia_goal_history_run *run)
{
    return (run->state == IA_RUN_PASSED && !run->healed) || run->state == IA_RUN_FAILED;
}

static void count_verdicts(struct ia_goal_history *p)
{
    const struct ia_goal_history_run *newer = NULL;
    for (size_t i = 0; i < p->count; i++) {
        const struct ia_goal_history_run *run = &p->runs[i];
        p->by_state[run->state] += !run->healed;
        p->healed += run->healed;
        p->replayed += run->replayed;
        if (!has_verdict(run)) {
            continue;
        }
        p->verdicts++;
        p->passed += run->state == IA_RUN_PASSED ? 1 : 0;
        p->changes += newer && newer->state != run->state ? 1 : 0;
        newer = run;
        if (run->state == IA_RUN_PASSED && !p->last_pass) {
            p->last_pass = run;
        } else if (!p->last_pass) {
            p->failing_since = run;
        }
    }
    p->rate = ia_wilson(p->passed, p->verdicts);
}

/* Of one execution together, the newest first. */
static int by_execution(const void *a, const void *b)
{
    const struct ia_goal_history_run *x = *(struct ia_goal_history_run *const *)a,
                                     *y = *(struct ia_goal_history_run *const *)b;
    int by_sweep = strcmp(x->sweep_id, y->sweep_id);
    return by_sweep                     ? by_sweep
           : x->sweep_no != y->sweep_no ? (x->sweep_no < y->sweep_no ? -1 : 1)
                                        : (x < y ? -1 : x > y);
}

static bool same_execution(const struct ia_goal_history_run *a,
                           const struct ia_goal_history_run *b)
{
    return strcmp(a->sweep_id, b->sweep_id) == 0 && a->sweep_no == b->sweep_no;
}

/* The newest run of an execution is its last try. Tries may have other runs between them, as
 * lanes are parallel. */
void ia_goal_history_mark(struct ia_goal_history_run *runs, size_t count)
{
    struct ia_goal_history_run **tries =
        ia_calloc(count + 1, sizeof(struct ia_goal_history_run *));
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        runs[i].last_try = runs[i].sweep_id[0] == '\0';
        runs[i].flaky = false;
        if (!runs[i].last_try) {
            tries[n++] = &runs[i];
        }
    }
    qsort(tries, n, sizeof(struct ia_goal_history_run *), by_execution);
    for (size_t i = 0, j; i < n; i = j) {
        bool failed_first = false;
        for (j = i + 1; j < n && same_execution(tries[i], tries[j]); j++) {
            failed_first = failed_first || tries[j]->state != IA_RUN_PASSED;
        }
        tries[i]->last_try = true;
        tries[i]->flaky = failed_first && tries[i]->state == IA_RUN_PASSED && !tries[i]->healed;
    }
    free(tries);
}

static void count_executions(struct ia_goal_history *p)
{
    for (size_t i = 0; i < p->count; i++) {
        p->executions += p->runs[i].last_try;
        p->flaky += p->runs[i].flaky;
    }
}

/* ---- figures ----------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* The lower of two middles. */
static void spread(double *values, size_t n, double *median, double *min, double *max)
{
    if (n == 0) {
        return;
    }
    qsort(values, n, sizeof(*values), by_size);
    *median = values[(n - 1) / 2];
    *min = values[0];
    *max = values[n - 1];
}

static void measure(struct ia_goal_history *p)
{
    double *ms = ia_calloc(p->count + 1, sizeof(*ms)),
           *usd = ia_calloc(p->count + 1, sizeof(*usd));
    double median = 0, min = 0, max = 0;
    size_t n = 0, m = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct ia_goal_history_run *run = &p->runs[i];
        p->tokens += run->tokens;
        if (run->ms >= 0) {
            ms[n++] = (double)run->ms;
        }
        if (run->cost_known && !run->demo) {
            usd[m++] = run->cost_usd;
            p->usd_total += run->cost_usd;
        }
    }
    spread(ms, n, &median, &min, &max);
    p->ms_median = (int64_t)median;
    p->ms_min = (int64_t)min;
    p->ms_max = (int64_t)max;
    spread(usd, m, &p->usd_median, &p->usd_min, &p->usd_max);
    p->ms_count = (int)n;
    p->usd_count = (int)m;
    free(ms);
    free(usd);
}

void ia_goal_history_count(struct ia_goal_history *p)
{
    count_verdicts(p);
    count_executions(p);
    measure(p);
}

void ia_goal_history_sum_up(struct ia_goal_history *p)
{
    ia_goal_history_mark(p->runs, p->count);
    ia_goal_history_count(p);
}
