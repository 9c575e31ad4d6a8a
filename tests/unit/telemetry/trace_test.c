/* trace_test.c: a run as spans and histograms: who is whose parent, which numbers, and that no text gets out. */
#include "telemetry/trace.h"

#include "home.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define HUSH "hush hush" /* stands wherever a person, a screen or a model says something */

static const struct ia_otlp_resource resource = {"phones", "1.2.3"};

struct told {
    struct ia_buf traces, metrics;
    json_t *spans, *histograms;
};

static json_t *list(const struct ia_buf *body, const char *const path[3])
{
    json_t *doc = json_loadb(body->p ? body->p : "", body->len, JSON_REJECT_DUPLICATES, NULL);
    json_t *at = doc;
    for (int i = 0; i < 3 && at; i++) {
        at = json_object_get(at, path[i]);
        at = i < 2 ? json_array_get(at, 0) : at;
    }
    json_incref(at);
    json_decref(doc);
    return at;
}

static struct told tell(struct ia_store *s, const char *run_id)
{
    static const char *const spans[] = {"resourceSpans", "scopeSpans", "spans"};
    static const char *const metrics[] = {"resourceMetrics", "scopeMetrics", "metrics"};
    struct told t = {.traces = IA_BUF(IA_TRACE_BYTES_MAX),
                     .metrics = IA_BUF(IA_TRACE_BYTES_MAX)};
    struct ia_err err;
    enum ia_rc rc = ia_trace_write(s, run_id, &resource, &t.traces, &t.metrics, &err);
    if (rc != IA_OK) {
        fail_msg("%s", err.msg);
    }
    t.spans = list(&t.traces, spans);
    t.histograms = list(&t.metrics, metrics);
    assert_non_null(t.spans);
    return t;
}

static void forget(struct told *t)
{
    json_decref(t->spans);
    json_decref(t->histograms);
    ia_buf_fini(&t->traces);
    ia_buf_fini(&t->metrics);
}

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static const json_t *span(const struct told *t, const char *name)
{
    size_t i;
    json_t *s;
    json_array_foreach(t->spans, i, s)
    {
        if (strcmp(text(s, "name"), name) == 0) {
            return s;
        }
    }
    fail_msg("no span %s in %s", name, ia_buf_cstr(&t->traces));
    return NULL;
}

/* The value of an attribute as text, "" where it is not there. */
static const char *attribute(const json_t *s, const char *key)
{
    size_t i;
    json_t *a;
    json_array_foreach(json_object_get(s, "attributes"), i, a)
    {
        const json_t *v = json_object_get(a, "value");
        if (strcmp(text(a, "key"), key) == 0) {
            return json_object_get(v, "intValue") ? text(v, "intValue")
                   : json_object_get(v, "boolValue")
                       ? (json_is_true(json_object_get(v, "boolValue")) ? "true" : "false")
                       : text(v, "stringValue");
        }
    }
    return "";
}

static int64_t at_ns(const json_t *s, const char *key)
{
    return strtoll(text(s, key), NULL, 10);
}

/* ---- runs ------------------------------------------------------------------------------- */

static void add(struct ia_store *s, const char *id, struct ia_event_ref event)
{
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, id, event, NULL);
    commit(tx);
}

static void start(struct ia_store *s, const struct ia_run_new *run, char id[IA_ID_SIZE])
{
    const struct ia_event_run_started started = {
        .start = {
            .goal = ia_str(HUSH),
            .name = ia_str(HUSH),
            .device = {.kind = ia_str("embedded"), .id = ia_str(HUSH), .simulated = true}}};
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, run, id);
    commit(tx);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_CLAIMED, NULL));
    assert_rc(IA_OK, move_run(s, id, IA_RUN_RUNNING, NULL));
    add(s, id, IA_EVENT(&started));
}

static void end_as(struct ia_store *s, const char *id, enum ia_run_state state,
                   const char *code)
{
    const struct ia_run_moved moved = {.code = code, .summary = HUSH};
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, id, state, &moved, NULL);
    commit(tx);
}

static const struct ia_run_new plain_run = {
    .goal = HUSH, .model = "claude-x", .lane = "a", .agent = "nightly", .name = HUSH};

static const struct ia_event_tool_finished tap = {.step = 1,
                                                  .id = {"toolu_1", 7},
                                                  .tool = {"tap", 3},
                                                  .ok = true,
                                                  .code = {"OK", 2},
                                                  .outcome = {"sent", 4},
                                                  .element = {HUSH, sizeof(HUSH) - 1},
                                                  .changes = {HUSH, sizeof(HUSH) - 1},
                                                  .ms = 200,
                                                  .device_us = 50000};

static const struct ia_event_request_finished answer = {
    .turn = 1,
    .ms = 1500,
    .stop_reason = {"tool_use", 8},
    .usage = {.input = 10, .cache_read = 200, .cache_write = 30, .output = 7},
    .cost_usd = {true, 0.125},
    .purpose = {"act", 3},
    .model = {"claude-x-1", 10}};

/* ---- tests ------------------------------------------------------------------------------ */

static void a_run_is_a_trace_of_its_requests_calls_and_device_times(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE], trace[33] = "";
    start(s, &plain_run, id);
    add(s, id, IA_EVENT(&answer));
    add(s, id, IA_EVENT(&tap));
    end_as(s, id, IA_RUN_PASSED, "OK");
    struct told t = tell(s, id);
    assert_int_equal(json_array_size(t.spans), 4);
    const json_t *run = span(&t, "invoke_agent nightly"), *chat = span(&t, "chat claude-x"),
                 *tool = span(&t, "execute_tool tap"), *device = span(&t, "device embedded");
    for (const char *p = id, *q = p; *p != '\0'; p = q) {
        q = p + strcspn(p, "-");
        strncat(trace, p, (size_t)(q - p));
        q += *q == '-';
    }
    const json_t *all[] = {run, chat, tool, device};
    for (size_t i = 0; i < IA_COUNTOF(all); i++) {
        assert_string_equal(text(all[i], "traceId"), trace);
        assert_int_equal(strlen(text(all[i], "spanId")), 16);
        assert_true(at_ns(all[i], "startTimeUnixNano") <= at_ns(all[i], "endTimeUnixNano"));
        assert_null(json_object_get(all[i], "status"));
    }
    assert_string_equal(text(run, "parentSpanId"), "");
    assert_string_equal(text(chat, "parentSpanId"), text(run, "spanId"));
    assert_string_equal(text(tool, "parentSpanId"), text(run, "spanId"));
    assert_string_equal(text(device, "parentSpanId"), text(tool, "spanId"));
    assert_int_equal(json_integer_value(json_object_get(run, "kind")), IA_OTLP_INTERNAL);
    assert_int_equal(json_integer_value(json_object_get(chat, "kind")), IA_OTLP_CLIENT);
    assert_string_equal(attribute(run, "gen_ai.operation.name"), "invoke_agent");
    assert_string_equal(attribute(run, "ios_agent.run.state"), "passed");
    assert_string_equal(attribute(run, "ios_agent.run.demo"), "false");
    assert_string_equal(attribute(chat, "gen_ai.provider.name"), "anthropic");
    assert_string_equal(attribute(chat, "gen_ai.response.model"), "claude-x-1");
    assert_string_equal(attribute(chat, "gen_ai.usage.input_tokens"), "240");
    assert_string_equal(attribute(chat, "gen_ai.usage.output_tokens"), "7");
    assert_string_equal(attribute(chat, "gen_ai.usage.cache_read.input_tokens"), "200");
    assert_string_equal(attribute(chat, "gen_ai.usage.cache_creation.input_tokens"), "30");
    assert_string_equal(attribute(tool, "gen_ai.tool.name"), "tap");
    assert_string_equal(attribute(tool, "gen_ai.tool.call.id"), "toolu_1");
    assert_int_equal(at_ns(chat, "endTimeUnixNano") - at_ns(chat, "startTimeUnixNano"),
                     INT64_C(1500000000));
    assert_int_equal(at_ns(device, "endTimeUnixNano") - at_ns(device, "startTimeUnixNano"),
                     50000000);
    const json_t *began = json_array_get(json_object_get(run, "events"), 0);
    assert_string_equal(text(began, "name"), "run.started");
    forget(&t);
    ia_store_close(s);
}

static void the_same_rows_give_the_same_bytes(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start(s, &plain_run, id);
    for (int i = 0; i < 3; i++) {
        add(s, id, IA_EVENT(&answer));
    }
    end_as(s, id, IA_RUN_FAILED, "GOAL_FAILED");
    struct told t = tell(s, id);
    ia_store_close(s);
    s = home_open(*state);
    struct told again = tell(s, id);
    assert_string_equal(ia_buf_cstr(&t.traces), ia_buf_cstr(&again.traces));
    assert_string_equal(ia_buf_cstr(&t.metrics), ia_buf_cstr(&again.metrics));
    const char *one = text(json_array_get(t.spans, 0), "spanId"),
               *other = text(json_array_get(t.spans, 1), "spanId");
    assert_string_not_equal(one, other);
    forget(&t);
    forget(&again);
    ia_store_close(s);
}

static void no_text_of_a_goal_a_screen_or_a_model_gets_out(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    const struct ia_str hush = ia_str(HUSH);
    struct ia_event_tool_finished made_up = tap;
    struct ia_event_request_finished odd = answer;
    start(s, &plain_run, id);
    made_up.tool = made_up.id = made_up.code = made_up.outcome = hush;
    made_up.ok = false;
    odd.stop_reason = odd.model = odd.purpose = hush;
    add(s, id, IA_EVENT(&made_up));
    add(s, id, IA_EVENT(&odd));
    const struct ia_event_tool_started started = {.tool = hush,
                                                  .input = {.text = ia_str("\"" HUSH "\"")}};
    const struct ia_event_run_asked asked = {.question = hush, .rule = hush, .text = hush};
    const struct ia_event_run_answered answered = {.by = hush, .note = hush};
    const struct ia_event_request_retry retry = {.code = ia_str("API_OVERLOADED"),
                                                 .message = hush};
    const struct ia_event_finish_refused refused = {.missing = {&hush, 1}};
    const struct ia_event_run_looked looked = {.screen = hush};
    const struct ia_event_verifier_result verdict = {.reason = hush};
    add(s, id, IA_EVENT(&started));
    add(s, id, IA_EVENT(&asked));
    add(s, id, IA_EVENT(&answered));
    add(s, id, IA_EVENT(&retry));
    add(s, id, IA_EVENT(&refused));
    add(s, id, IA_EVENT(&looked));
    add(s, id, IA_EVENT(&verdict));
    end_as(s, id, IA_RUN_ERROR, "API_OVERLOADED");
    struct told t = tell(s, id);
    assert_null(strstr(ia_buf_cstr(&t.traces), "hush"));
    assert_null(strstr(ia_buf_cstr(&t.metrics), "hush"));
    const json_t *run = span(&t, "invoke_agent nightly"),
                 *tool = span(&t, "execute_tool _OTHER");
    assert_string_equal(attribute(run, "error.type"), "API_OVERLOADED");
    assert_string_equal(attribute(tool, "error.type"), "_OTHER");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(run, "status"), "code")), 2);
    assert_int_equal(json_array_size(json_object_get(run, "events")), 5);
    forget(&t);
    ia_store_close(s);
}

static void a_subtask_stands_below_the_call_that_delegated_it(void **state)
{
    struct ia_store *s = home_open(*state);
    char top[IA_ID_SIZE], child[IA_ID_SIZE], below[IA_ID_SIZE];
    struct ia_run_new run = plain_run;
    struct ia_event_tool_finished delegate = tap;
    start(s, &plain_run, top);
    run.parent_id = top;
    run.parent_call = "toolu_1";
    run.lane = "b";
    start(s, &run, child);
    run.parent_id = child;
    run.parent_call = "toolu_2";
    run.lane = "c";
    start(s, &run, below);
    end_as(s, below, IA_RUN_PASSED, "OK");
    delegate.id = ia_str("toolu_2");
    add(s, child, IA_EVENT(&delegate));
    end_as(s, child, IA_RUN_PASSED, "OK");
    add(s, top, IA_EVENT(&tap));
    end_as(s, top, IA_RUN_PASSED, "OK");
    struct told t = tell(s, top), c = tell(s, child), b = tell(s, below);
    const json_t *root = span(&t, "invoke_agent nightly"), *call = span(&t, "execute_tool tap"),
                 *of_child = span(&c, "invoke_agent nightly"),
                 *of_below = span(&b, "invoke_agent nightly");
    assert_string_equal(text(of_child, "traceId"), text(root, "traceId"));
    assert_string_equal(text(of_below, "traceId"), text(root, "traceId"));
    assert_string_equal(text(of_child, "parentSpanId"), text(call, "spanId"));
    assert_string_equal(text(of_below, "parentSpanId"),
                        text(span(&c, "execute_tool tap"), "spanId"));
    forget(&t);
    forget(&c);
    forget(&b);
    ia_store_close(s);
}

static void tokens_and_time_are_histograms_by_model(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    struct ia_event_request_finished verify = answer;
    verify.purpose = ia_str("verify");
    verify.model = ia_str("claude-small");
    start(s, &plain_run, id);
    add(s, id, IA_EVENT(&answer));
    add(s, id, IA_EVENT(&answer));
    add(s, id, IA_EVENT(&verify));
    end_as(s, id, IA_RUN_PASSED, "OK");
    struct told t = tell(s, id);
    const json_t *tokens = json_array_get(t.histograms, 0),
                 *time = json_array_get(t.histograms, 1);
    assert_string_equal(text(tokens, "name"), "gen_ai.client.token.usage");
    assert_string_equal(text(tokens, "unit"), "{token}");
    assert_string_equal(text(time, "name"), "gen_ai.client.operation.duration");
    const json_t *points = json_object_get(json_object_get(tokens, "histogram"), "dataPoints");
    assert_int_equal(json_array_size(points), 4);
    const json_t *input = json_array_get(points, 0), *output = json_array_get(points, 1);
    assert_string_equal(attribute(input, "gen_ai.request.model"), "claude-x");
    assert_string_equal(attribute(input, "gen_ai.token.type"), "input");
    assert_string_equal(attribute(output, "gen_ai.token.type"), "output");
    assert_string_equal(text(input, "count"), "2");
    assert_true(json_number_value(json_object_get(input, "sum")) == 480);
    /* 240 is above 64 and at most 256: the fifth of the buckets. */
    const json_t *buckets = json_object_get(input, "bucketCounts");
    assert_int_equal(json_array_size(buckets), 15);
    assert_string_equal(json_string_value(json_array_get(buckets, 4)), "2");
    assert_string_equal(attribute(json_array_get(points, 2), "gen_ai.request.model"),
                        "claude-small");
    points = json_object_get(json_object_get(time, "histogram"), "dataPoints");
    assert_int_equal(json_array_size(points), 2);
    assert_true(json_number_value(json_object_get(json_array_get(points, 0), "sum")) == 3);
    forget(&t);
    ia_store_close(s);
}

static void a_run_that_asked_no_model_has_no_metrics_and_one_that_goes_on_no_trace(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    struct ia_buf traces = IA_BUF(IA_TRACE_BYTES_MAX), metrics = IA_BUF(IA_TRACE_BYTES_MAX);
    start(s, &plain_run, id);
    assert_rc(IA_E_STATE, ia_trace_write(s, id, &resource, &traces, &metrics, NULL));
    assert_int_equal(traces.len + metrics.len, 0);
    end_as(s, id, IA_RUN_CANCELLED, "CANCELLED");
    struct told t = tell(s, id);
    assert_int_equal(t.metrics.len, 0);
    assert_int_equal(json_array_size(t.spans), 1);
    forget(&t);
    ia_buf_fini(&traces);
    ia_buf_fini(&metrics);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_run_is_a_trace_of_its_requests_calls_and_device_times),
        T(the_same_rows_give_the_same_bytes),
        T(no_text_of_a_goal_a_screen_or_a_model_gets_out),
        T(a_subtask_stands_below_the_call_that_delegated_it),
        T(tokens_and_time_are_histograms_by_model),
        T(a_run_that_asked_no_model_has_no_metrics_and_one_that_goes_on_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
