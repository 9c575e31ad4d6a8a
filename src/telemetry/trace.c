/* trace.c: reads a run once, and writes a span for each event that ends something.
 *
 *   events ──► chat, execute_tool, device   written at once
 *          ├─► span events of the run       kept, for the run's own span is written last
 *          └─► histograms                   usage.h */
#include "telemetry/trace.h"

#include "events/events.h"
#include "telemetry/usage.h"

#include <stdio.h>
#include <string.h>

enum { US_PER_MS = 1000, MS_PER_S = 1000, STATUS_ERROR = 2, WORD_MAX = 80, NAME_SIZE = 128 };

struct trace {
    const struct ia_run_row *row;
    char trace_of[IA_ID_SIZE]; /* the run that nobody delegated */
    const char *provider;
    char device_kind[WORD_MAX + 1];
    bool simulated;
    struct ia_jsonw w;      /* spans */
    struct ia_jsonw events; /* of the run's own span */
    struct ia_usage usage;
    int64_t last_seq;
    int batch;
};

struct span {
    const char
        *operation;     /* gen_ai.operation.name, and how the name begins; NULL: of no such */
    const char *prefix; /* instead of it in the name */
    struct ia_str name;
    uint64_t id, parent; /* 0: none */
    enum ia_otlp_span_kind kind;
    int64_t from_us, until_us;
    struct ia_str error; /* a code; empty: it did not fail */
};

/* What may be exported of a name that came from a model or a server: words, and nothing that could be a text. */
static struct ia_str word(struct ia_str s)
{
    static const char chars[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/-";
    bool good = s.n > 0 && s.n <= WORD_MAX;
    for (size_t i = 0; i < s.n && good; i++) {
        good = s.p[i] != '\0' && strchr(chars, s.p[i]) != NULL;
    }
    return s.n == 0 || good ? s : ia_str("_OTHER");
}

static struct ia_str model_of(const struct ia_run_row *row)
{
    return row->demo ? ia_str("demo_brain") : word(ia_str(ia_run_model(row)));
}

/* ---- spans ------------------------------------------------------------------------------- */

static uint64_t run_span(const char *run_id)
{
    return ia_otlp_span_id(run_id, "run", (struct ia_str){NULL, 0});
}

static uint64_t call_span(const char *run_id, struct ia_str call)
{
    return ia_otlp_span_id(run_id, "call", call);
}

/* Leaves its attributes open. */
static void begin_span(struct trace *t, const struct span *s)
{
    char name[NAME_SIZE];
    struct ia_jsonw *w = &t->w;
    (void)snprintf(name, sizeof(name), "%s%s%.*s", s->operation ? s->operation : s->prefix,
                   s->name.n > 0 ? " " : "", (int)s->name.n, s->name.n > 0 ? s->name.p : "");
    ia_jsonw_object(w);
    ia_otlp_trace_id(w, t->trace_of);
    ia_otlp_put_span_id(w, "spanId", s->id);
    if (s->parent) {
        ia_otlp_put_span_id(w, "parentSpanId", s->parent);
    }
    ia_jsonw_kv(w, "name", name);
    ia_jsonw_kv_int(w, "kind", s->kind);
    ia_otlp_time(w, "startTimeUnixNano", s->from_us);
    ia_otlp_time(w, "endTimeUnixNano", s->until_us);
    ia_jsonw_key(w, "attributes");
    ia_jsonw_array(w);
    ia_otlp_text(w, "gen_ai.operation.name", ia_str(s->operation));
    ia_otlp_text(w, "error.type", s->error);
}

static void end_span(struct trace *t, const struct span *s, struct ia_str events)
{
    struct ia_jsonw *w = &t->w;
    ia_jsonw_end_array(w);
    if (events.n > 0) {
        ia_jsonw_key(w, "events");
        ia_jsonw_raw(w, events);
    }
    if (s->error.n > 0) {
        ia_jsonw_key(w, "status");
        ia_jsonw_object(w);
        ia_jsonw_kv_int(w, "code", STATUS_ERROR);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_object(w);
}

static void put_usage(struct ia_jsonw *w, const struct ia_event_usage *u)
{
    ia_otlp_int(w, "gen_ai.usage.input_tokens", ia_usage_input(u));
    ia_otlp_int(w, "gen_ai.usage.output_tokens", u->output);
    ia_otlp_int(w, "gen_ai.usage.cache_read.input_tokens", u->cache_read);
    ia_otlp_int(w, "gen_ai.usage.cache_creation.input_tokens", u->cache_write);
}

static void put_cost(struct ia_jsonw *w, bool known, double usd)
{
    if (known) {
        ia_otlp_real(w, "ios_agent.cost_usd", usd);
    }
}

/* ---- what an event ends ------------------------------------------------------------------ */

static void on_request(struct trace *t, const struct ia_event_row *row,
                       const struct ia_event_request_finished *e)
{
    char seq[24];
    struct ia_jsonw *w = &t->w;
    struct ia_str configured = model_of(t->row), answered = word(e->model);
    bool acts = ia_str_is(e->purpose, "act") || answered.n == 0 || t->row->demo;
    int64_t until_us = row->ts_ms * US_PER_MS;
    (void)snprintf(seq, sizeof(seq), "%lld", (long long)row->seq);
    const struct span s = {.operation = "chat",
                           .name = acts ? configured : answered,
                           .id = ia_otlp_span_id(row->run_id, "request", ia_str(seq)),
                           .parent = run_span(row->run_id),
                           .kind = IA_OTLP_CLIENT,
                           .from_us = until_us - e->ms * US_PER_MS,
                           .until_us = until_us};
    begin_span(t, &s);
    ia_otlp_text(w, "gen_ai.provider.name", ia_str(t->provider));
    ia_otlp_text(w, "gen_ai.request.model", s.name);
    ia_otlp_text(w, "gen_ai.response.model", answered);
    ia_otlp_texts(w, "gen_ai.response.finish_reasons", word(e->stop_reason));
    put_usage(w, &e->usage);
    ia_otlp_text(w, "ios_agent.request.purpose", word(e->purpose));
    put_cost(w, e->cost_usd.known, e->cost_usd.usd);
    end_span(t, &s, (struct ia_str){NULL, 0});
    ia_usage_add(&t->usage, s.name, e);
}

/* Its operations may be anywhere in the call: how long they took together is what is known of them. */
static void put_device(struct trace *t, const struct span *call, int64_t device_us)
{
    int64_t whole_us = call->until_us - call->from_us;
    const struct span s = {
        .prefix = "device",
        .name = ia_str(t->device_kind),
        .id = ia_otlp_span_id(t->row->id, "device",
                              (struct ia_str){(const char *)&call->id, sizeof(call->id)}),
        .parent = call->id,
        .kind = IA_OTLP_CLIENT,
        .from_us = call->from_us,
        .until_us = call->from_us + (device_us < whole_us ? device_us : whole_us)};
    begin_span(t, &s);
    ia_otlp_text(&t->w, "ios_agent.device.kind", ia_str(t->device_kind));
    ia_otlp_bool(&t->w, "ios_agent.device.simulated", t->simulated);
    ia_otlp_real(&t->w, "ios_agent.device.seconds", (double)device_us / 1e6);
    end_span(t, &s, (struct ia_str){NULL, 0});
}

static void on_tool(struct trace *t, const struct ia_event_row *row,
                    const struct ia_event_tool_finished *e)
{
    int64_t until_us = row->ts_ms * US_PER_MS;
    const struct span s = {.operation = "execute_tool",
                           .name = word(e->tool),
                           .id = call_span(row->run_id, e->id),
                           .parent = run_span(row->run_id),
                           .kind = IA_OTLP_INTERNAL,
                           .from_us = until_us - e->ms * US_PER_MS,
                           .until_us = until_us,
                           .error = e->ok ? (struct ia_str){NULL, 0} : word(e->code)};
    begin_span(t, &s);
    ia_otlp_text(&t->w, "gen_ai.tool.name", s.name);
    ia_otlp_text(&t->w, "gen_ai.tool.call.id", word(e->id));
    ia_otlp_text(&t->w, "gen_ai.tool.type", ia_str("function"));
    ia_otlp_int(&t->w, "ios_agent.step", e->step);
    ia_otlp_text(&t->w, "ios_agent.tool.outcome", word(e->outcome));
    end_span(t, &s, (struct ia_str){NULL, 0});
    if (e->device_us > 0) {
        put_device(t, &s, e->device_us);
    }
}

/* What happened to the run as a whole, with nothing but a code. */
static void on_life(struct trace *t, const struct ia_event_row *row, struct ia_str code)
{
    struct ia_jsonw *w = &t->events;
    ia_jsonw_object(w);
    ia_otlp_time(w, "timeUnixNano", row->ts_ms * US_PER_MS);
    ia_jsonw_kv(w, "name", ia_event_name(row->type));
    ia_jsonw_key(w, "attributes");
    ia_jsonw_array(w);
    ia_otlp_text(w, "error.type", word(code));
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void on_event(struct trace *t, const struct ia_event_row *row, const struct ia_event *e)
{
    const struct ia_event_start *start = ia_event_start(e);
    const struct ia_str none = {NULL, 0};
    if (start) {
        struct ia_str kind = word(start->device.kind);
        (void)snprintf(t->device_kind, sizeof(t->device_kind), "%.*s", (int)kind.n,
                       kind.n > 0 ? kind.p : "");
        t->simulated = start->device.simulated;
    }
    switch (e->type) {
    case IA_EVENT_REQUEST_FINISHED:
        on_request(t, row, &e->request_finished);
        return;
    case IA_EVENT_TOOL_FINISHED:
        on_tool(t, row, &e->tool_finished);
        return;
    case IA_EVENT_REQUEST_RETRY:
        on_life(t, row, e->request_retry.code);
        return;
    case IA_EVENT_RUN_RETRY_WAIT:
        on_life(t, row, e->run_retry_wait.code);
        return;
    case IA_EVENT_RUN_STARTED:
    case IA_EVENT_RUN_RESUMED:
    case IA_EVENT_RUN_INTERRUPTED:
    case IA_EVENT_RUN_ASKED:
    case IA_EVENT_RUN_ANSWERED:
    case IA_EVENT_RUN_WAITS:
    case IA_EVENT_FINISH_REFUSED:
        on_life(t, row, none);
        return;
    default:
        return;
    }
}

/* ---- the run ----------------------------------------------------------------------------- */

static void put_run_facts(struct ia_jsonw *w, const struct ia_run_row *r)
{
    ia_otlp_text(w, "ios_agent.run.id", ia_str(r->id));
    ia_otlp_text(w, "ios_agent.run.kind", ia_str(ia_run_kind_name(r->kind)));
    ia_otlp_text(w, "ios_agent.run.state", ia_str(ia_run_state_name(r->state)));
    ia_otlp_text(w, "ios_agent.run.code", word(ia_str(r->code)));
    ia_otlp_text(w, "ios_agent.run.outcome", word(ia_str(r->outcome)));
    ia_otlp_text(w, "ios_agent.sweep.id", ia_str(r->sweep_id));
    ia_otlp_int(w, "ios_agent.run.attempts", r->attempt);
    ia_otlp_int(w, "ios_agent.run.steps", r->steps);
    ia_otlp_bool(w, "ios_agent.run.demo", r->demo);
    if (r->started_ms > 0) {
        ia_otlp_real(w, "ios_agent.run.queued_seconds",
                     (double)(r->started_ms - r->created_ms) / MS_PER_S);
    }
    put_cost(w, r->usage.cost_known && !r->demo, r->usage.cost_usd);
}

static void put_run(struct trace *t, int64_t from_ms)
{
    const struct ia_run_row *r = t->row;
    struct ia_jsonw *w = &t->w;
    const struct span s = {
        .operation = "invoke_agent",
        .name = word(ia_str(r->agent)),
        .id = run_span(r->id),
        .parent = r->parent_id ? call_span(r->parent_id, ia_str(r->parent_call)) : 0,
        .kind = IA_OTLP_INTERNAL,
        .from_us = from_ms * US_PER_MS,
        .until_us = r->finished_ms * US_PER_MS,
        .error = r->state == IA_RUN_ERROR ? word(ia_str(r->code ? r->code : "_OTHER"))
                                          : (struct ia_str){NULL, 0}};
    const struct ia_event_usage usage = {.input = r->usage.input,
                                         .cache_read = r->usage.cache_read,
                                         .cache_write = r->usage.cache_write,
                                         .output = r->usage.output};
    begin_span(t, &s);
    ia_otlp_text(w, "gen_ai.provider.name", ia_str(t->provider));
    ia_otlp_text(w, "gen_ai.agent.name", s.name);
    ia_otlp_text(w, "gen_ai.request.model", model_of(r));
    put_usage(w, &usage);
    ia_otlp_text(w, "ios_agent.device.kind", ia_str(t->device_kind));
    put_run_facts(w, r);
    ia_jsonw_end_array(&t->events);
    end_span(t, &s, ia_buf_str(t->events.out));
}

/* Of a run that was delegated, by a run that may have been delegated. */
static enum ia_rc find_trace(struct trace *t, struct ia_store *store, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    const char *parent = t->row->parent_id;
    struct ia_run_row *above = NULL;
    (void)snprintf(t->trace_of, sizeof(t->trace_of), "%s", t->row->id);
    for (int depth = 0; rc == IA_OK && parent && depth < IA_TRACE_DEPTH_MAX; depth++) {
        struct ia_run_row *row = NULL;
        (void)snprintf(t->trace_of, sizeof(t->trace_of), "%s", parent);
        rc = ia_store_run(store, t->trace_of, &row, err);
        ia_run_row_free(above);
        above = row;
        parent = row ? row->parent_id : NULL;
    }
    ia_run_row_free(above);
    return rc;
}

static bool read_event(void *ctx, const struct ia_event_row *row)
{
    struct trace *t = ctx;
    struct ia_event e;
    t->last_seq = row->seq;
    t->batch++;
    if (ia_event_read(&e, row->json)) {
        on_event(t, row, &e);
    }
    ia_event_fini(&e);
    return true;
}

static enum ia_rc read_events(struct trace *t, struct ia_store *store, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    do {
        const struct ia_event_range range = {.run_id = t->row->id, .after_seq = t->last_seq};
        t->batch = 0;
        rc = ia_store_events(store, &range, read_event, t, NULL, err);
    } while (rc == IA_OK && t->batch == IA_EVENT_BATCH_MAX);
    return rc;
}

static enum ia_rc write_run(struct trace *t, struct ia_store *store,
                            const struct ia_otlp_resource *resource, struct ia_buf *traces,
                            struct ia_buf *metrics, struct ia_err *err)
{
    const struct ia_run_row *r = t->row;
    int64_t from_ms = r->started_ms > 0 ? r->started_ms : r->created_ms;
    ia_jsonw_init(&t->w, traces);
    ia_jsonw_array(&t->events);
    ia_otlp_begin(&t->w, "Spans", resource);
    enum ia_rc rc = read_events(t, store, err);
    if (rc != IA_OK) {
        return rc;
    }
    put_run(t, from_ms);
    ia_otlp_end(&t->w);
    if (t->usage.count > 0) {
        ia_usage_write(&t->usage, resource, t->provider, from_ms * US_PER_MS,
                       r->finished_ms * US_PER_MS, metrics);
    }
    rc = ia_buf_check(traces, "the trace of a run", err);
    return rc == IA_OK ? ia_buf_check(metrics, "the metrics of a run", err) : rc;
}

enum ia_rc ia_trace_write(struct ia_store *store, const char *run_id,
                          const struct ia_otlp_resource *resource, struct ia_buf *traces,
                          struct ia_buf *metrics, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_buf events = IA_BUF(IA_TRACE_BYTES_MAX);
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    struct trace t = {.row = row};
    if (rc == IA_OK && !ia_run_state_final(row->state)) {
        rc = ia_err_set(err, IA_E_STATE, "run %s is not over", run_id);
    }
    if (rc == IA_OK) {
        t.provider = row->demo ? "ios_agent.demo_brain" : "anthropic";
        rc = find_trace(&t, store, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_init(&t.events, &events);
        rc = write_run(&t, store, resource, traces, metrics, err);
    }
    ia_buf_fini(&events);
    ia_run_row_free(row);
    return rc;
}
