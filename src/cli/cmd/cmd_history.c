/* history [GOAL]: what all runs of one goal say together; without it, the goals that have runs. */
#include "agent/report/goal_history.h"
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/view/labels.h"
#include "cli/view/table.h"

#include <string.h>

enum { SHORT_ID = 8, SPARKS_MAX = 60 };

static const char *short_id(const char *id)
{
    size_t n = strlen(id);
    return n > SHORT_ID ? id + n - SHORT_ID : id;
}

static void put_time(struct ia_buf *out, int64_t wall_ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_buf_printf(out, "%.10s %.8s", iso, iso + 11);
}

static void put_usd(struct ia_buf *out, double usd)
{
    struct ia_label_figures f = {.cost_usd = usd, .cost_known = true};
    ia_label_cost(out, &f);
}

/* ---- lines ------------------------------------------------------------------------------- */

static void put_counts(struct ia_buf *out, const struct ia_goal_history *p)
{
    const char *between = ": ";
    ia_buf_printf(out, "runs    %zu", p->count);
    for (int i = 0; i < IA_RUN_STATE_COUNT; i++) {
        if (p->by_state[i] > 0) {
            ia_buf_printf(out, "%s%d %s", between, p->by_state[i],
                          ia_run_state_name((enum ia_run_state)i));
            between = ", ";
        }
    }
    if (p->healed > 0) {
        ia_buf_printf(out, "%s%d healed", between, p->healed);
    }
    if (p->replayed > 0) {
        ia_buf_printf(out, "; %d replayed without a model", p->replayed);
    }
    ia_buf_putc(out, '\n');
}

static void put_rates(struct ia_buf *out, const struct ia_goal_history *p)
{
    if (p->verdicts == 0) {
        ia_buf_puts(out, "pass    no run reached a verdict\n");
        return;
    }
    ia_buf_printf(out,
                  "pass    %.0f %%, %d of %d with a verdict (%.0f to %.0f %% with 95 %% "
                  "confidence)\n",
                  ia_percent((double)p->passed / p->verdicts), p->passed, p->verdicts,
                  ia_percent(p->rate.low), ia_percent(p->rate.high));
    ia_buf_printf(out, "flaky   %.0f %%, %d of %d passed only on retry; ",
                  ia_percent((double)p->flaky / p->executions), p->flaky, p->executions);
    ia_buf_printf(out, "the verdict changed %d time%s\n", p->changes,
                  p->changes == 1 ? "" : "s");
}

static void put_failing(struct ia_buf *out, const struct ia_goal_history *p)
{
    if (p->failing_since) {
        ia_buf_puts(out, "failing since ");
        put_time(out, p->failing_since->started_ms);
        ia_buf_printf(out, " (run %s)", p->failing_since->id);
        ia_buf_puts(out, p->last_pass ? ", last pass " : ", and no pass before");
        if (p->last_pass) {
            put_time(out, p->last_pass->started_ms);
            ia_buf_printf(out, " (run %s)", p->last_pass->id);
        }
        ia_buf_putc(out, '\n');
    }
}

/* ---- sparklines -------------------------------------------------------------------------- */

/* Oldest first; an unknown value is a gap. */
static void put_sparks(struct ia_buf *out, const double *values, size_t n)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double max = 0;
    for (size_t i = 0; i < n; i++) {
        max = values[i] > max ? values[i] : max;
    }
    for (size_t i = 0; i < n; i++) {
        int level = max > 0 ? (int)(values[i] / max * 7.0 + 0.5) : 0;
        ia_buf_puts(out, values[i] < 0 ? " " : bars[level]);
    }
}

static size_t collect(const struct ia_goal_history *p, bool cost, double values[SPARKS_MAX])
{
    size_t n = p->count < SPARKS_MAX ? p->count : SPARKS_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct ia_goal_history_run *run = &p->runs[n - 1 - i];
        bool known = run->cost_known && !run->demo;
        values[i] = !cost ? (double)run->ms : known ? run->cost_usd : -1;
    }
    return n;
}

static void put_ms(struct ia_buf *out, double ms)
{
    ia_fmt_ms(out, (int64_t)ms);
}

/* "time    ▁▃█  median 1.2 s, 1.0 s to 1.9 s" */
static void put_figures(struct ia_buf *out, const struct ia_goal_history *p, bool cost)
{
    const double times[] = {(double)p->ms_median, (double)p->ms_min, (double)p->ms_max};
    const double costs[] = {p->usd_median, p->usd_min, p->usd_max};
    static const char *const between[] = {"  median ", ", ", " to "};
    void (*put)(struct ia_buf *, double) = cost ? put_usd : put_ms;
    double values[SPARKS_MAX];
    ia_buf_puts(out, cost ? "cost    " : "time    ");
    put_sparks(out, values, collect(p, cost, values));
    for (size_t i = 0; i < IA_COUNTOF(between); i++) {
        ia_buf_puts(out, between[i]);
        put(out, cost ? costs[i] : times[i]);
    }
}

static void put_costs(struct ia_buf *out, const struct ia_goal_history *p)
{
    if (p->usd_count == 0) {
        ia_buf_puts(out, "cost    nothing billed, or unknown");
        return;
    }
    put_figures(out, p, true);
    ia_buf_puts(out, ", in all ");
    put_usd(out, p->usd_total);
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct ia_table_column columns[] = {
    {.head = "ID"},
    {.head = "STATE"},
    {.head = "STARTED (UTC)"},
    {.head = "STEPS", .drop = 1, .right = true},
    {.head = "TIME", .right = true},
    {.head = "COST", .right = true},
    {.head = "SWEEP", .drop = 2},
    {.head = "BASIS", .drop = 1},
};

static void add_row(struct ia_table *t, const struct ia_goal_history_run *run)
{
    struct ia_buf time = IA_BUF(64), cost = IA_BUF(64), start = IA_BUF(64);
    put_time(&start, run->started_ms);
    if (run->ms >= 0) {
        ia_fmt_ms(&time, run->ms);
    }
    if (run->demo) {
        ia_buf_puts(&cost, "demo");
    } else if (run->cost_known) {
        put_usd(&cost, run->cost_usd);
    } else {
        ia_buf_puts(&cost, "unknown");
    }
    ia_table_add(t, short_id(run->id));
    ia_table_add(t, run->healed     ? "healed"
                    : run->replayed ? "replayed"
                                    : ia_run_state_name(run->state));
    ia_table_add(t, ia_buf_cstr(&start));
    ia_table_addf(t, "%d", run->steps);
    ia_table_add(t, ia_buf_cstr(&time));
    ia_table_add(t, ia_buf_cstr(&cost));
    ia_table_add(t, run->sweep_id[0] ? short_id(run->sweep_id) : "");
    ia_table_add(t, ia_basis_name(run->basis));
    ia_buf_fini(&time);
    ia_buf_fini(&cost);
    ia_buf_fini(&start);
}

static void put_text(struct ia_buf *out, const struct ia_goal_history *p, size_t width)
{
    struct ia_table *t = ia_table_new(columns, IA_COUNTOF(columns));
    ia_buf_puts(out, "goal    ");
    ia_clean(out, ia_str(p->name), IA_CLEAN_LINE);
    ia_buf_putc(out, '\n');
    put_counts(out, p);
    put_rates(out, p);
    put_failing(out, p);
    put_figures(out, p, false);
    ia_buf_putc(out, '\n');
    put_costs(out, p);
    ia_buf_puts(out, "\n\n");
    for (size_t i = 0; i < p->count; i++) {
        add_row(t, &p->runs[i]);
    }
    ia_table_write(t, width, out);
    ia_table_free(t);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void json_run(struct ia_jsonw *w, const struct ia_goal_history_run *run)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(run->started_ms, iso);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", run->id);
    ia_jsonw_kv(w, "state", ia_run_state_name(run->state));
    ia_jsonw_kv(w, "basis", ia_basis_name(run->basis));
    ia_jsonw_kv(w, "outcome", run->healed ? "healed" : run->replayed ? "replayed" : NULL);
    ia_jsonw_kv(w, "started", iso);
    ia_jsonw_kv_known(w, "seconds", (double)run->ms / 1000.0, run->ms >= 0);
    ia_jsonw_kv_int(w, "steps", run->steps);
    ia_jsonw_kv_known(w, "cost_usd", run->cost_usd, run->cost_known && !run->demo);
    ia_jsonw_kv_bool(w, "demo", run->demo);
    ia_jsonw_kv(w, "sweep", run->sweep_id[0] ? run->sweep_id : NULL);
    ia_jsonw_end_object(w);
}

static void json_rates(struct ia_jsonw *w, const struct ia_goal_history *p)
{
    ia_jsonw_kv_int(w, "verdicts", p->verdicts);
    ia_jsonw_kv_int(w, "passed", p->passed);
    ia_jsonw_kv_int(w, "replayed", p->replayed);
    ia_jsonw_kv_int(w, "healed", p->healed);
    ia_jsonw_key(w, "pass_rate");
    if (p->verdicts > 0) {
        ia_jsonw_object(w);
        ia_jsonw_kv_real(w, "rate", (double)p->passed / p->verdicts);
        ia_jsonw_kv_real(w, "low", p->rate.low);
        ia_jsonw_kv_real(w, "high", p->rate.high);
        ia_jsonw_end_object(w);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_kv_int(w, "executions", p->executions);
    ia_jsonw_kv_int(w, "flaky", p->flaky);
    ia_jsonw_kv_real(w, "flake_rate",
                     p->executions > 0 ? (double)p->flaky / p->executions : 0.0);
    ia_jsonw_kv_int(w, "verdict_changes", p->changes);
}

static void put_json(struct ia_jsonw *w, const struct ia_goal_history *p)
{
    bool billed = p->usd_count > 0;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "goal", p->name);
    json_rates(w, p);
    ia_jsonw_kv(w, "failing_since", p->failing_since ? p->failing_since->id : NULL);
    ia_jsonw_kv(w, "last_pass", p->last_pass ? p->last_pass->id : NULL);
    ia_jsonw_kv_real(w, "median_seconds", (double)p->ms_median / 1000.0);
    ia_jsonw_kv_known(w, "median_cost_usd", p->usd_median, billed);
    ia_jsonw_kv_known(w, "total_cost_usd", p->usd_total, billed);
    ia_jsonw_key(w, "runs");
    ia_jsonw_array(w);
    for (size_t i = 0; i < p->count; i++) {
        json_run(w, &p->runs[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

/* ---- the goals --------------------------------------------------------------------------- */

static const struct ia_table_column goal_columns[] = {
    {.head = "GOAL", .min = 24},       {.head = "RUNS", .right = true},
    {.head = "PASSED", .right = true}, {.head = "HEALED", .right = true},
    {.head = "FAILED", .right = true}, {.head = "NEWEST RUN", .drop = 1},
};

struct goals {
    struct ia_cli *c;
    struct ia_table *table;
    int count;
};

static bool on_goal(void *ctx, const struct ia_history_goal *g)
{
    struct goals *l = ctx;
    struct ia_jsonw *w = &l->c->w;
    l->count++;
    ia_table_add(l->table, g->goal);
    ia_table_addf(l->table, "%d", g->runs);
    ia_table_addf(l->table, "%d", g->passed);
    ia_table_addf(l->table, "%d", g->healed);
    ia_table_addf(l->table, "%d", g->failed);
    ia_table_add(l->table, short_id(g->newest_run));
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "goal", g->goal);
    ia_jsonw_kv_int(w, "runs", g->runs);
    ia_jsonw_kv_int(w, "passed", g->passed);
    ia_jsonw_kv_int(w, "healed", g->healed);
    ia_jsonw_kv_int(w, "failed", g->failed);
    ia_jsonw_kv(w, "newest_run", g->newest_run);
    ia_jsonw_end_object(w);
    return true;
}

/* Without a goal: those that have a history. */
static enum ia_rc list_goals(struct ia_cli *c, struct ia_store *store, int limit,
                             struct ia_err *err)
{
    struct goals l = {.c = c, .table = ia_table_new(goal_columns, IA_COUNTOF(goal_columns))};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "goals");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_history_goals(store, limit, on_goal, &l, err);
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    ia_table_write(l.table, ia_cli_width(c), &c->text);
    ia_buf_puts(&c->text, l.count == 0 ? "no goal has a finished run yet\n"
                                       : "ios-agent history \"GOAL\" shows the runs of one\n");
    ia_table_free(l.table);
    return rc;
}

static enum ia_rc show_goal(struct ia_cli *c, struct ia_store *store, const char *goal,
                            int limit, struct ia_err *err)
{
    struct ia_goal_history history = {0};
    enum ia_rc rc = ia_goal_history_read(store, goal, limit, &history, err);
    if (rc == IA_OK) {
        put_text(&c->text, &history, ia_cli_width(c));
        put_json(&c->w, &history);
    }
    ia_goal_history_fini(&history);
    return rc;
}

enum ia_rc ia_cmd_history(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    const char *goal = ia_args_operand(&c->args, 0);
    int limit = (int)ia_args_int(&c->args, "limit", IA_GOAL_HISTORY_LIMIT_DEFAULT);
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent history", err);
    if (rc == IA_OK) {
        rc = goal ? show_goal(c, setup.store, goal, limit, err)
                  : list_goals(c, setup.store, limit, err);
    }
    ia_setup_close(&setup);
    return rc;
}
