/* stats.c: reads the runs of some days once, and counts them in three ways.
 *
 *   runs, the newest end first ─► marked ─► all ─► total
 *                                  │         └───► cut where the day changes ─► days
 *                                  └► sorted by goal ─► cut where it changes ─► goals
 *
 * An execution may have begun before the first day, so one day more is read and only marked. */
#include "agent/report/stats.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_MS INT64_C(60000)
#define DAY_MS INT64_C(86400000)

/* ---- reading ----------------------------------------------------------------------------- */

static bool keep(void *ctx, const struct ia_run_row *row)
{
    struct ia_stats *s = ctx;
    if (s->count == s->cap) {
        s->cap = s->cap > 0 ? s->cap * 2 : 256;
        s->runs[0] = ia_realloc(s->runs[0], s->cap, sizeof(*s->runs[0]));
        s->names = ia_realloc(s->names, s->cap, sizeof(*s->names));
    }
    s->runs[0][s->count] = ia_goal_history_run(row);
    s->names[s->count++] = ia_strdup(row->name && row->name[0] != '\0' ? row->name : row->goal);
    return true;
}

void ia_stats_fini(struct ia_stats *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->names[i]);
    }
    free(s->names);
    free(s->runs[0]);
    free(s->runs[1]);
    free(s->days);
    free(s->goals);
    *s = (struct ia_stats){.count = 0};
}

/* ---- days -------------------------------------------------------------------------------- */

static int64_t day_of(int64_t wall_ms, int offset_min)
{
    int64_t local_ms = wall_ms + offset_min * MINUTE_MS;
    return local_ms / DAY_MS - (local_ms % DAY_MS < 0);
}

static struct ia_goal_history count_up(struct ia_goal_history_run *runs, size_t count)
{
    struct ia_goal_history sum = {.runs = runs, .count = count};
    ia_goal_history_count(&sum);
    return sum;
}

static void put_days(struct ia_stats *s, const struct ia_stats_filter *f, int64_t first)
{
    size_t at = 0;
    s->day_count = (size_t)f->days;
    s->days = ia_calloc(s->day_count, sizeof(*s->days));
    for (size_t i = s->day_count; i-- > 0;) {
        int64_t day = first + (int64_t)i;
        size_t from = at;
        while (at < s->total.count &&
               day_of(s->total.runs[at].finished_ms, f->offset_min) == day) {
            at++;
        }
        s->days[i] = (struct ia_stats_part){.day = day,
                                            .sum = count_up(s->total.runs + from, at - from)};
    }
}

/* ---- goals ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    char *const *x = *(char **const *)a, *const *y = *(char **const *)b;
    int order = strcmp(*x, *y);
    return order ? order : x < y ? -1 : x > y;
}

static int by_last_run(const void *a, const void *b)
{
    const struct ia_stats_part *x = a, *y = b;
    int64_t at = x->sum.runs[0].finished_ms, other = y->sum.runs[0].finished_ms;
    return at != other ? (at > other ? -1 : 1) : strcmp(x->goal, y->goal);
}

static void add_goal(struct ia_stats *s, char *const *name, size_t run)
{
    bool other = s->goal_count == 0 || strcmp(s->goals[s->goal_count - 1].goal, *name) != 0;
    s->goal_count += other;
    struct ia_stats_part *last = &s->goals[s->goal_count - 1];
    if (other) {
        *last = (struct ia_stats_part){.goal = *name, .sum = {.runs = &s->runs[1][run]}};
    }
    last->sum.count++;
}

static void put_goals(struct ia_stats *s)
{
    size_t n = s->total.count;
    char ***order = ia_calloc(n + 1, sizeof(char **));
    s->runs[1] = ia_calloc(n + 1, sizeof(*s->runs[1]));
    s->goals = ia_calloc(n + 1, sizeof(*s->goals));
    for (size_t i = 0; i < n; i++) {
        order[i] = &s->names[i];
    }
    qsort(order, n, sizeof(char **), by_name);
    for (size_t i = 0; i < n; i++) {
        s->runs[1][i] = s->runs[0][order[i] - s->names];
        add_goal(s, order[i], i);
    }
    free(order);
    qsort(s->goals, s->goal_count, sizeof(*s->goals), by_last_run);
    s->goal_count =
        s->goal_count < IA_STATS_GOALS_MAX ? s->goal_count : (size_t)IA_STATS_GOALS_MAX;
    for (size_t i = 0; i < s->goal_count; i++) {
        struct ia_goal_history *sum = &s->goals[i].sum;
        *sum = count_up(sum->runs, sum->count);
    }
}

/* ---- all --------------------------------------------------------------------------------- */

enum ia_rc ia_stats_read(struct ia_store *store, const struct ia_stats_filter *f,
                         struct ia_stats *ret, struct ia_err *err)
{
    struct ia_stats s = {.count = 0};
    int limit = f->limit > 0 ? f->limit : IA_STATS_RUNS_MAX;
    int64_t first = day_of(f->now_ms, f->offset_min) - f->days + 1;
    int64_t from_ms = first * DAY_MS - f->offset_min * MINUTE_MS;
    const struct ia_history_range range = {.from_ms = from_ms - DAY_MS,
                                           .until_ms = from_ms + f->days * DAY_MS,
                                           .agent = f->agent,
                                           .goal = f->goal,
                                           .limit = limit + 1};
    enum ia_rc rc = ia_store_history_days(store, &range, keep, &s, err);
    /* Of one agent, its subtasks are runs of the list themselves. */
    if (rc == IA_OK && !f->agent) {
        rc = ia_goal_history_add_below(store, s.runs[0], s.count, err);
    }
    if (rc != IA_OK) {
        ia_stats_fini(&s);
        return rc;
    }
    size_t n = s.count <= (size_t)limit ? s.count : (size_t)limit;
    s.complete = n == s.count || s.runs[0][n].finished_ms < from_ms;
    ia_goal_history_mark(s.runs[0], n);
    while (n > 0 && s.runs[0][n - 1].finished_ms < from_ms) {
        n--;
    }
    s.total = count_up(s.runs[0], n);
    put_days(&s, f, first);
    put_goals(&s);
    *ret = s;
    return IA_OK;
}
