/* stats.c: GET /v1/stats: what the runs of some days came to, by day and by goal. */
#include "agent/report/stats.h"

#include "base/civil.h"
#include "server/api/handlers.h"

#include <inttypes.h>
#include <stdio.h>

enum { DAYS = 30, DAY_MS = 86400000 };

static void put_day(struct ia_jsonw *w, int64_t day)
{
    struct ia_civil c = ia_civil_at(day * DAY_MS);
    char text[40];
    (void)snprintf(text, sizeof(text), "%04d-%02d-%02d", c.year, c.month, c.day);
    ia_jsonw_kv(w, "day", text);
}

static void put_interval(struct ia_jsonw *w, const char *key, struct ia_interval interval)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "low", interval.low);
    ia_jsonw_kv_real(w, "high", interval.high);
    ia_jsonw_end_object(w);
}

/* The members that days, goals and the total have. A sum of costs is of the `billed` runs, whose cost is
 * known. */
static void put_sum(struct ia_jsonw *w, const struct ia_goal_history *h)
{
    ia_jsonw_kv_int(w, "runs", (int64_t)h->count);
    ia_jsonw_kv_int(w, "passed", h->passed);
    ia_jsonw_kv_int(w, "failed", h->verdicts - h->passed);
    ia_jsonw_kv_int(w, "replayed", h->replayed);
    ia_jsonw_kv_int(w, "healed", h->healed);
    ia_jsonw_kv_int(w, "other", (int64_t)h->count - h->verdicts - h->healed);
    put_interval(w, "rate", h->rate);
    ia_jsonw_kv_int(w, "executions", h->executions);
    ia_jsonw_kv_int(w, "flaky", h->flaky);
    put_interval(w, "flake", ia_wilson(h->flaky, h->executions));
    ia_jsonw_kv_int(w, "billed", h->usd_count);
    ia_jsonw_kv_known(w, "cost_usd", h->usd_total, h->usd_count > 0);
    ia_jsonw_kv_known(w, "usd_median", h->usd_median, h->usd_count > 0);
    ia_jsonw_kv_int(w, "tokens", h->tokens);
    ia_jsonw_kv_known(w, "ms_median", (double)h->ms_median, h->ms_count > 0);
}

static void put_goal(struct ia_jsonw *w, const struct ia_stats_part *goal)
{
    const struct ia_goal_history_run *last = &goal->sum.runs[0];
    char iso[IA_ISO_SIZE];
    ia_iso_format(last->finished_ms, iso);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "goal", goal->goal);
    put_sum(w, &goal->sum);
    ia_jsonw_kv(w, "last_run", last->id);
    ia_jsonw_kv(w, "last_state", ia_run_state_name(last->state));
    ia_jsonw_kv(w, "last_outcome",
                last->healed     ? "healed"
                : last->replayed ? "replayed"
                                 : NULL);
    ia_jsonw_kv(w, "last_finished", iso);
    ia_jsonw_end_object(w);
}

static void put_stats(struct ia_jsonw *w, const struct ia_stats *s)
{
    ia_jsonw_key(w, "days");
    ia_jsonw_array(w);
    for (size_t i = 0; i < s->day_count; i++) {
        ia_jsonw_object(w);
        put_day(w, s->days[i].day);
        put_sum(w, &s->days[i].sum);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "goals");
    ia_jsonw_array(w);
    for (size_t i = 0; i < s->goal_count; i++) {
        put_goal(w, &s->goals[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "total");
    ia_jsonw_object(w);
    put_sum(w, &s->total);
    ia_jsonw_end_object(w);
    ia_jsonw_kv_bool(w, "complete", s->complete);
}

static enum ia_rc put(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_args *q = &call->query;
    const struct ia_stats_filter filter = {.now_ms = ia_wall_ms(call->api->clock),
                                           .days = (int)ia_args_int(q, "days", DAYS),
                                           .offset_min = (int)ia_args_int(q, "offset_min", 0),
                                           .agent = ia_args_text(q, "agent"),
                                           .goal = ia_args_text(q, "goal")};
    struct ia_stats stats;
    enum ia_rc rc = ia_stats_read(call->api->opts.setup->store, &filter, &stats, err);
    if (rc == IA_OK) {
        put_stats(&call->w, &stats);
        ia_stats_fini(&stats);
    }
    return rc;
}

enum ia_rc ia_api_stats(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, put, err);
}
