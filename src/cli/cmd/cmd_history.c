/* history GOAL: what all runs of one goal say together. */
#include "agent/report/goal_history.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/view/clean.h"
#include "cli/view/labels.h"

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

static void put_figures(struct ia_buf *out, const struct ia_goal_history *p)
{
    double values[SPARKS_MAX];
    ia_buf_puts(out, "time    ");
    put_sparks(out, values, collect(p, false, values));
    ia_buf_puts(out, "  median ");
    ia_fmt_ms(out, p->ms_median);
    ia_buf_puts(out, ", ");
    ia_fmt_ms(out, p->ms_min);
    ia_buf_puts(out, " to ");
    ia_fmt_ms(out, p->ms_max);
    if (p->usd_count == 0) {
        ia_buf_puts(out, "\n"
                         "cost    nothing billed, or unknown\n");
        return;
    }
    ia_buf_puts(out, "\ncost    ");
    put_sparks(out, values, collect(p, true, values));
    ia_buf_puts(out, "  median ");
    put_usd(out, p->usd_median);
    ia_buf_puts(out, ", ");
    put_usd(out, p->usd_min);
    ia_buf_puts(out, " to ");
    put_usd(out, p->usd_max);
    ia_buf_puts(out, ", in all ");
    put_usd(out, p->usd_total);
    ia_buf_putc(out, '\n');
}

/* ---- the table --------------------------------------------------------------------------- */

static void put_row(struct ia_buf *out, const struct ia_goal_history_run *run)
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
    ia_buf_printf(out, "%-8s  %-10s %s  %5d  %10s  %8s  %s\n", short_id(run->id),
                  ia_run_state_name(run->state), ia_buf_cstr(&start), run->steps,
                  ia_buf_cstr(&time), ia_buf_cstr(&cost),
                  run->sweep_id[0] ? short_id(run->sweep_id) : "");
    ia_buf_fini(&time);
    ia_buf_fini(&cost);
    ia_buf_fini(&start);
}

static void put_text(struct ia_buf *out, const struct ia_goal_history *p)
{
    ia_buf_puts(out, "goal    ");
    ia_clean(out, ia_str(p->name), IA_CLEAN_LINE);
    ia_buf_putc(out, '\n');
    put_counts(out, p);
    put_rates(out, p);
    put_failing(out, p);
    put_figures(out, p);
    ia_buf_printf(out, "\n%-8s  %-10s %-19s  %5s  %10s  %8s  %s\n", "ID", "STATE",
                  "STARTED (UTC)", "STEPS", "TIME", "COST", "SWEEP");
    for (size_t i = 0; i < p->count; i++) {
        put_row(out, &p->runs[i]);
    }
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void kv_usd(struct ia_jsonw *w, const char *key, double usd, bool known)
{
    ia_jsonw_key(w, key);
    if (known) {
        ia_jsonw_real(w, usd);
    } else {
        ia_jsonw_null(w);
    }
}

static void json_run(struct ia_jsonw *w, const struct ia_goal_history_run *run)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(run->started_ms, iso);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", run->id);
    ia_jsonw_kv(w, "state", ia_run_state_name(run->state));
    ia_jsonw_kv(w, "started", iso);
    ia_jsonw_key(w, "seconds");
    if (run->ms >= 0) {
        ia_jsonw_real(w, (double)run->ms / 1000.0);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_kv_int(w, "steps", run->steps);
    kv_usd(w, "cost_usd", run->cost_usd, run->cost_known && !run->demo);
    ia_jsonw_kv_bool(w, "demo", run->demo);
    ia_jsonw_kv(w, "sweep", run->sweep_id[0] ? run->sweep_id : NULL);
    ia_jsonw_end_object(w);
}

static void json_rates(struct ia_jsonw *w, const struct ia_goal_history *p)
{
    ia_jsonw_kv_int(w, "verdicts", p->verdicts);
    ia_jsonw_kv_int(w, "passed", p->passed);
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
    kv_usd(w, "median_cost_usd", p->usd_median, billed);
    kv_usd(w, "total_cost_usd", p->usd_total, billed);
    ia_jsonw_key(w, "runs");
    ia_jsonw_array(w);
    for (size_t i = 0; i < p->count; i++) {
        json_run(w, &p->runs[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_cmd_history(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_goal_history history = {0};
    int limit = (int)ia_args_int(&c->args, "limit", IA_GOAL_HISTORY_LIMIT_DEFAULT);
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent history", err);
    if (rc == IA_OK) {
        rc = ia_goal_history_read(setup.store, ia_args_operand(&c->args, 0), limit, &history,
                                  err);
    }
    if (rc == IA_OK) {
        put_text(&c->text, &history);
        put_json(&c->w, &history);
    }
    ia_goal_history_fini(&history);
    ia_setup_close(&setup);
    return rc;
}
