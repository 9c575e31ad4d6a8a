/* metrics.c: GET /metrics: what the runs of this home came to, and what goes on, as Prometheus reads it.
 *
 * Text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats, 2026-11). Base units; counters end in _total
 * and outlive the daemon, because they are counted from the store (totals.h). No label has a value that comes from a goal, a
 * screen or a model, so nothing has to be escaped. */
#include "server/api/handlers.h"
#include "server/api/totals.h"
#include "store/queue.h"
#include "telemetry/telemetry.h"

enum { COUNT_MS = 5000, MS_PER_S = 1000, US_PER_S = 1000000 };

#define P "ios_agent_"

struct figures {
    struct ia_totals totals;
    struct ia_queue_figures queue;
    struct ia_api_facts daemon;
    const char *version;
};

static void head(struct ia_buf *out, const char *name, const char *type, const char *help)
{
    ia_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(struct ia_buf *out, const char *name, const char *type, const char *help,
                int64_t value)
{
    head(out, name, type, help);
    ia_buf_printf(out, "%s %lld\n", name, (long long)value);
}

static void seconds(struct ia_buf *out, const char *name, const char *type, const char *help,
                    double value)
{
    head(out, name, type, help);
    ia_buf_printf(out, "%s %.15g\n", name, value);
}

static void labelled(struct ia_buf *out, const char *name, const char *label, const char *value,
                     int64_t n)
{
    ia_buf_printf(out, "%s{%s=\"%s\"} %lld\n", name, label, value, (long long)n);
}

/* ---- now --------------------------------------------------------------------------------- */

static void put_daemon(struct ia_buf *out, const struct figures *f)
{
    head(out, P "build_info", "gauge", "Version of this program; always 1.");
    labelled(out, P "build_info", "version", f->version, 1);
    seconds(out, "process_start_time_seconds", "gauge",
            "Start time of the daemon since the Unix epoch in seconds.",
            (double)f->daemon.started_ms / MS_PER_S);
}

static void put_queue(struct ia_buf *out, const struct ia_queue_figures *q)
{
    static const struct {
        enum ia_run_state state;
        const char *name;
    } states[] = {{IA_RUN_QUEUED, "queued"},
                  {IA_RUN_CLAIMED, "claimed"},
                  {IA_RUN_RUNNING, "running"},
                  {IA_RUN_RETRY_WAIT, "retry_wait"},
                  {IA_RUN_ASKING, "asking"}};
    head(out, P "runs", "gauge", "Runs that are not over, by state.");
    for (size_t i = 0; i < IA_COUNTOF(states); i++) {
        labelled(out, P "runs", "state", states[i].name, q->runs[states[i].state]);
    }
    one(out, P "queue_depth", "gauge",
        "Runs that wait for their device or for the time of a retry, and not for a subtask.",
        q->depth);
    one(out, P "lanes_busy", "gauge", "Devices that a run or a command holds.", q->lanes_busy);
}

/* ---- so far ------------------------------------------------------------------------------ */

static void put_runs(struct ia_buf *out, const struct ia_totals *t)
{
    one(out, P "runs_queued_total", "counter", "Runs that were recorded.", t->queued);
    head(out, P "runs_finished_total", "counter", "Runs that are over, by how they ended.");
    for (int s = IA_RUN_PASSED; s <= IA_RUN_CANCELLED; s++) {
        labelled(out, P "runs_finished_total", "outcome",
                 ia_run_state_name((enum ia_run_state)s), t->runs[s]);
    }
    one(out, P "run_retries_total", "counter",
        "Attempts that a transient error ended, to be repeated.", t->retries);
}

static void put_requests(struct ia_buf *out, const struct ia_totals *t)
{
    head(out, P "requests_total", "counter", "Answers of the model, by purpose.");
    for (int i = 0; i < IA_TOTAL_PURPOSES; i++) {
        labelled(out, P "requests_total", "purpose", ia_total_purpose_names[i], t->requests[i]);
    }
    seconds(out, P "request_seconds_total", "counter", "Time until answers were complete.",
            (double)t->request_ms / MS_PER_S);
    head(out, P "request_retries_total", "counter",
         "Requests that failed and were repeated, by error code; OTHER is a code of another "
         "version.");
    for (int code = IA_OK + 1; code <= IA_RC_COUNT; code++) {
        if (t->request_retries[code] > 0 || code == IA_RC_COUNT) {
            labelled(out, P "request_retries_total", "code",
                     code == IA_RC_COUNT ? "OTHER" : ia_rc_name((enum ia_rc)code),
                     t->request_retries[code]);
        }
    }
}

static void put_used(struct ia_buf *out, const struct ia_totals *t)
{
    head(out, P "tokens_total", "counter",
         "Tokens by kind; input is what was neither read from nor written to the cache.");
    for (int i = 0; i < IA_TOTAL_TOKENS; i++) {
        labelled(out, P "tokens_total", "kind", ia_total_token_names[i], t->tokens[i]);
    }
    head(out, P "cost_usd_total", "counter",
         "Cost of the requests whose cost is known, in USD.");
    ia_buf_printf(out, P "cost_usd_total %.15g\n", t->usd);
    one(out, P "requests_without_cost_total", "counter",
        "Answers whose cost is not known, as those of the demo brain.", t->unpriced);
}

static void put_tools(struct ia_buf *out, const struct ia_totals *t)
{
    head(
        out, P "tool_calls_total", "counter",
        "Tool calls by tool and outcome; tools of skills and servers are other, and unknown is "
        "a failure that may have had its effect.");
    for (int i = 0; i < IA_TOTAL_TOOLS; i++) {
        for (int o = 0; o < IA_TOTAL_OUTCOMES; o++) {
            ia_buf_printf(out, P "tool_calls_total{tool=\"%s\",outcome=\"%s\"} %lld\n",
                          ia_total_tool_name((enum ia_total_tool)i), ia_total_outcome_names[o],
                          (long long)t->tools[i][o]);
        }
    }
    seconds(out, P "tool_seconds_total", "counter", "Time in tool calls.",
            (double)t->tool_ms / MS_PER_S);
    seconds(out, P "device_seconds_total", "counter",
            "Time that tool calls spent in operations of the device.",
            (double)t->device_us / US_PER_S);
}

/* Of this process, so they begin anew with it. */
static void put_telemetry(struct ia_buf *out, struct ia_telemetry *telemetry)
{
    struct ia_telemetry_counts c;
    ia_telemetry_counts(telemetry, &c);
    one(out, P "telemetry_runs_sent_total", "counter",
        "Runs that a collector of OpenTelemetry took.", c.sent);
    one(out, P "telemetry_runs_dropped_total", "counter", "Runs that could not be sent to it.",
        c.dropped);
    one(out, P "telemetry_parts_rejected_total", "counter",
        "Spans and data points that it did not want.", c.rejected);
}

enum ia_rc ia_api_metrics(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_api *api = call->api;
    struct ia_store *store = api->opts.setup->store;
    struct figures f = {.version = api->opts.version};
    struct ia_buf *out = &call->reply->body;
    enum ia_rc rc = ia_totals_read(api->totals, store, api->clock, COUNT_MS, &f.totals, err);
    if (rc == IA_OK) {
        rc = ia_store_queue_figures(store, &f.queue, err);
    }
    if (rc != IA_OK) {
        call->reply->status = rc == IA_E_BUSY ? 503 : 0;
        return rc;
    }
    api->opts.daemon.facts(api->opts.daemon.ctx, &f.daemon);
    put_daemon(out, &f);
    put_queue(out, &f.queue);
    put_runs(out, &f.totals);
    put_requests(out, &f.totals);
    put_used(out, &f.totals);
    put_tools(out, &f.totals);
    if (ia_runs_telemetry(api->opts.runs)) {
        put_telemetry(out, ia_runs_telemetry(api->opts.runs));
    }
    call->reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
    call->answered = true;
    return ia_buf_check(out, "the metrics", err);
}
