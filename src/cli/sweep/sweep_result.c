/* sweep_result.c: see sweep_result.h. The sums are counted once, so that the three ways say the same. */
#include "cli/sweep/sweep_result.h"

#include "base/clean.h"
#include "cli/view/labels.h"
#include "cli/view/sweep_view.h"

struct items {
    struct ia_jsonw *w;
    bool demo;
};

static void put_item(void *ctx, const struct ia_sweep_goal *item)
{
    const struct items *items = ctx;
    ia_jsonw_object(items->w);
    const struct ia_event_sweep_goal goal = ia_sweep_goal_event(item, items->demo);
    ia_event_put_fields(items->w, IA_EVENT(&goal));
    ia_jsonw_end_object(items->w);
}

static void put_rate(void *ctx, const struct ia_sweep_rate *rate)
{
    struct ia_jsonw *w = ctx;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", rate->name);
    ia_jsonw_kv_int(w, "passed", rate->passed);
    ia_jsonw_kv_int(w, "of", rate->n);
    ia_jsonw_kv_real(w, "low", rate->interval.low);
    ia_jsonw_kv_real(w, "high", rate->interval.high);
    ia_jsonw_end_object(w);
}

struct ia_event_sweep_finished ia_sweep_result_event(const struct ia_sweep_result *r)
{
    const struct ia_sweep_sums *n = &r->sums;
    return (struct ia_event_sweep_finished){
        .sweep = ia_str(r->id),
        .why = ia_str(n->why),
        .goals = n->goals,
        .passed = n->passed,
        .flaky = n->flaky,
        .replayed = n->replayed,
        .healed = n->healed,
        .failed = n->failed,
        .expected = n->expected,
        .blocked = n->blocked,
        .errors = n->errors,
        .skipped = n->skipped,
        .cancelled = n->cancelled,
        .unfinished = n->running,
        .cost_usd = {n->cost_known && !r->demo, n->cost_usd},
        .cost_known_usd = r->demo ? 0 : n->cost_usd,
        .demo = r->demo,
        .seconds = (double)r->us / 1e6,
        .exit = n->exit_status,
        .report = ia_str(r->report),
    };
}

static void put_fleet(const struct ia_fleet_figures *n, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "fleet");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "orders", (int64_t)n->sent);
    ia_jsonw_kv_int(w, "orders_sent_again", (int64_t)n->again);
    ia_jsonw_kv_int(w, "verdicts", (int64_t)n->counted);
    ia_jsonw_kv_int(w, "verdicts_too_late", (int64_t)n->superseded);
    ia_jsonw_kv_int(w, "messages_refused", (int64_t)n->refused);
    ia_jsonw_end_object(w);
}

void ia_sweep_result_put(const struct ia_sweep_result *r, struct ia_jsonw *w)
{
    const struct ia_event_sweep_finished finished = ia_sweep_result_event(r);
    struct items items = {w, r->demo};
    ia_jsonw_object(w);
    ia_event_put_fields(w, IA_EVENT(&finished));
    ia_jsonw_key(w, "rates");
    ia_jsonw_array(w);
    ia_sweep_rates(r->sweep, put_rate, w);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "results");
    ia_jsonw_array(w);
    ia_sweep_each(r->sweep, put_item, &items);
    ia_jsonw_end_array(w);
    if (r->fleet) {
        put_fleet(r->fleet, w);
    }
    ia_jsonw_end_object(w);
}

static void say_rate(void *ctx, const struct ia_sweep_rate *rate)
{
    struct ia_buf *out = ctx;
    ia_clean(out, ia_str(rate->name), IA_CLEAN_LINE);
    if (rate->n == 0) {
        ia_buf_puts(out, ": no run reached a verdict\n");
        return;
    }
    ia_buf_printf(out, ": passed %d of %d, %.0f %% (95 %%: %.0f to %.0f %%)\n", rate->passed,
                  rate->n, ia_percent((double)rate->passed / rate->n),
                  ia_percent(rate->interval.low), ia_percent(rate->interval.high));
}

static void say_count(struct ia_buf *out, int n, const char *what)
{
    if (n > 0) {
        ia_buf_printf(out, ", %d %s", n, what);
    }
}

/* Only what was out of the ordinary. */
static void say_fleet(struct ia_buf *out, const struct ia_fleet_figures *n)
{
    if (n->again + n->superseded + n->refused > 0) {
        ia_buf_printf(out, "fleet: %zu orders", n->sent);
        say_count(out, (int)n->again, "sent again");
        say_count(out, (int)n->superseded, "verdicts that came too late");
        say_count(out, (int)n->refused, "messages refused, which the log explains");
        ia_buf_putc(out, '\n');
    }
}

void ia_sweep_result_say(const struct ia_sweep_result *r, struct ia_buf *out)
{
    const struct ia_sweep_sums *n = &r->sums;
    struct ia_label_figures cost = {
        .cost_usd = n->cost_usd, .cost_known = n->cost_known, .demo = r->demo};
    ia_sweep_rates(r->sweep, say_rate, out);
    ia_label_goals(out, n->distinct, n->goals);
    ia_buf_printf(out, ": %d passed", n->passed);
    say_count(out, n->flaky, "flaky (passed on retry)");
    say_count(out, n->healed, "healed (a model did a step of the recording)");
    say_count(out, n->failed, "failed");
    say_count(out, n->expected, "failed as expected");
    say_count(out, n->blocked, "blocked");
    say_count(out, n->errors, "ended in errors");
    say_count(out, n->cancelled, "cancelled");
    say_count(out, n->skipped, "skipped");
    say_count(out, n->running, "unfinished");
    if (n->replayed > 0) {
        ia_buf_printf(out, "; %d replayed without a model", n->replayed);
    }
    ia_buf_puts(out, "; ");
    ia_fmt_ms(out, r->us / 1000);
    ia_buf_puts(out, ", ");
    ia_label_cost(out, &cost);
    if (!n->cost_known && !r->demo) {
        ia_buf_printf(out, " (at least $%.4f: some answers were cut off)", n->cost_usd);
    }
    ia_buf_putc(out, '\n');
    if (r->fleet) {
        say_fleet(out, r->fleet);
    }
    if (n->why) {
        ia_buf_printf(out, "stopped: %s; ios-agent sweep --resume %s continues it\n", n->why,
                      r->id);
    }
    if (r->report) {
        ia_buf_printf(out, "report: %s\n", r->report);
    }
}
