/* api_metrics_test.c: GET /metrics: what it counts, that a restart loses nothing of it, and that no name makes a series. */
#include "asked.h"

#include "server/api/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a series by its name with its labels; fails where it is not there. */
static double value(const struct answer *a, const char *series)
{
    const char *text = ia_buf_cstr(&a->body);
    size_t n = strlen(series);
    for (const char *p = text; *p != '\0'; p += strcspn(p, "\n") + 1) {
        if (strncmp(p, series, n) == 0 && p[n] == ' ') {
            return strtod(p + n, NULL);
        }
    }
    fail_msg("no %s in %s", series, text);
    return 0;
}

static size_t lines(const struct answer *a)
{
    size_t n = 0;
    for (const char *p = ia_buf_cstr(&a->body); *p != '\0'; p++) {
        n += *p == '\n';
    }
    return n;
}

static double calls(const struct answer *a)
{
    double sum = 0;
    char series[160];
    for (int i = 0; i < IA_TOTAL_TOOLS; i++) {
        for (int o = 0; o < IA_TOTAL_OUTCOMES; o++) {
            (void)snprintf(series, sizeof(series),
                           "ios_agent_tool_calls_total{tool=\"%s\",outcome=\"%s\"}",
                           ia_total_tool_name((enum ia_total_tool)i),
                           ia_total_outcome_names[o]);
            sum += value(a, series);
        }
    }
    return sum;
}

static void add_event(struct world *w, const char *run_id, struct ia_event_ref event)
{
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->setup.store, &tx, NULL), IA_OK);
    ia_tx_add_event(tx, run_id, event, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

static void they_count_what_a_run_did(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a, run;
    struct ia_run_row *row = NULL;
    char id[IA_ID_SIZE];
    world_open(&w, true);
    expect(&w, &a, "GET /metrics", NULL);
    assert_true(value(&a, "ios_agent_runs_finished_total{outcome=\"passed\"}") == 0);
    answer_fini(&a);
    run_to_end(&w, id);
    expect(&w, &a, "GET /metrics", NULL);
    assert_string_equal(a.type, "text/plain; version=0.0.4; charset=utf-8");
    assert_int_equal(ia_store_run(w.setup.store, id, &row, NULL), IA_OK);
    assert_true(row->steps > 0 && row->usage.input > 0 && row->usage.output > 0);
    assert_true(value(&a, "ios_agent_runs_queued_total") == 1);
    assert_true(value(&a, "ios_agent_runs_finished_total{outcome=\"passed\"}") == 1);
    assert_true(value(&a, "ios_agent_runs_finished_total{outcome=\"failed\"}") == 0);
    assert_true(value(&a, "ios_agent_runs{state=\"running\"}") == 0);
    assert_true(calls(&a) == row->steps);
    assert_true(value(&a, "ios_agent_tool_calls_total{tool=\"finish\",outcome=\"ok\"}") == 1);
    assert_true(value(&a, "ios_agent_tokens_total{kind=\"input\"}") ==
                (double)row->usage.input);
    assert_true(value(&a, "ios_agent_tokens_total{kind=\"cache_read\"}") ==
                (double)row->usage.cache_read);
    assert_true(value(&a, "ios_agent_tokens_total{kind=\"cache_write\"}") ==
                (double)row->usage.cache_write);
    assert_true(value(&a, "ios_agent_tokens_total{kind=\"output\"}") ==
                (double)row->usage.output);
    /* The demo brain costs nothing that is known. */
    assert_true(value(&a, "ios_agent_requests_total{purpose=\"act\"}") > 0);
    assert_true(value(&a, "ios_agent_requests_without_cost_total") > 0);
    assert_true(value(&a, "ios_agent_cost_usd_total") == 0);
    assert_true(value(&a, "ios_agent_device_seconds_total") > 0);
    assert_true(value(&a, "ios_agent_build_info{version=\"1.2.3\"}") == 1);
    assert_true(value(&a, "process_start_time_seconds") == 1);
    answer_fini(&a);
    run = ask(&w, "GET /metrics?x=1", NULL, NULL);
    assert_int_equal(run.status, 400);
    answer_fini(&run);
    ia_run_row_free(row);
    world_close(&w);
}

/* A run of a device that nobody serves here. */
static void queue_run(struct world *w, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {.goal = "wait", .model = "m", .lane = "embedded:elsewhere"};
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->setup.store, &tx, NULL), IA_OK);
    ia_tx_add_run(tx, &run, id);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

static void what_waits_is_a_gauge(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char id[IA_ID_SIZE];
    world_open(&w, false);
    for (int i = 0; i < 3; i++) {
        queue_run(&w, id);
    }
    expect(&w, &a, "GET /metrics", NULL);
    assert_true(value(&a, "ios_agent_runs{state=\"queued\"}") == 3);
    assert_true(value(&a, "ios_agent_queue_depth") == 3);
    assert_true(value(&a, "ios_agent_lanes_busy") == 0);
    answer_fini(&a);
    world_close(&w);
}

static void another_process_arrives_at_the_same_numbers(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a, b;
    char id[IA_ID_SIZE];
    world_open(&w, true);
    run_to_end(&w, id);
    const struct ia_event_request_finished paid = {.usage = {.input = 7},
                                                   .cost_usd = {true, 0.25}};
    add_event(&w, id, IA_EVENT(&paid));
    add_event(&w, id, IA_EVENT(&paid));
    const struct ia_event_request_retry retry = {.code = ia_str("API_OVERLOADED")};
    add_event(&w, id, IA_EVENT(&retry));
    expect(&w, &a, "GET /metrics", NULL);
    assert_true(value(&a, "ios_agent_cost_usd_total") == 0.5);
    assert_true(value(&a, "ios_agent_request_retries_total{code=\"API_OVERLOADED\"}") == 1);
    const struct ia_api_opts opts = w.api->opts;
    ia_api_free(w.api);
    w.api = ia_api_new(&opts);
    expect(&w, &b, "GET /metrics", NULL);
    assert_string_equal(ia_buf_cstr(&a.body), ia_buf_cstr(&b.body));
    answer_fini(&a);
    answer_fini(&b);
    world_close(&w);
}

static void names_of_tools_make_no_series(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a, b;
    char id[IA_ID_SIZE], name[64];
    world_open(&w, true);
    run_to_end(&w, id);
    expect(&w, &a, "GET /metrics", NULL);
    for (int i = 0; i < 50; i++) {
        (void)snprintf(name, sizeof(name), "made \"up\"\n%d", i);
        const struct ia_event_tool_finished e = {.tool = ia_str(name)};
        const struct ia_event_tool_finished of_skill = {
            .tool = ia_str("tap"), .skill = ia_str("s"), .outcome = ia_str("unknown")};
        add_event(&w, id, IA_EVENT(&e));
        add_event(&w, id, IA_EVENT(&of_skill));
    }
    expect(&w, &b, "GET /metrics", NULL);
    assert_int_equal(lines(&a), lines(&b));
    assert_true(value(&b, "ios_agent_tool_calls_total{tool=\"other\",outcome=\"error\"}") ==
                50);
    assert_true(value(&b, "ios_agent_tool_calls_total{tool=\"other\",outcome=\"unknown\"}") ==
                50);
    answer_fini(&a);
    answer_fini(&b);
    world_close(&w);
}

static void counting_a_long_history_stops_in_time_and_goes_on(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct ia_totals sum = {.queued = -1};
    struct ia_err err;
    char id[IA_ID_SIZE];
    struct ia_tx *tx = NULL;
    const struct ia_clock *clock = ia_clock_system();
    world_open(&w, false);
    queue_run(&w, id);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, NULL), IA_OK);
    for (int i = 0; i < 2 * IA_EVENT_BATCH_MAX; i++) {
        const struct ia_event_request_finished e = {.usage = {.output = 1}};
        ia_tx_add_event(tx, id, IA_EVENT(&e), NULL);
    }
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    struct ia_totals_kept *kept = ia_totals_new();
    enum ia_rc rc;
    int tries = 0;
    while ((rc = ia_totals_read(kept, w.setup.store, clock, 0, &sum, &err)) == IA_E_BUSY) {
        assert_int_equal(sum.queued, -1);
        tries++;
    }
    assert_int_equal(rc, IA_OK);
    assert_int_equal(tries, 2);
    assert_int_equal(sum.tokens[IA_TOTAL_OUTPUT], 2 * IA_EVENT_BATCH_MAX);
    assert_int_equal(sum.queued, 1);
    ia_totals_free(kept);
    world_close(&w);
}

static void they_need_a_token_over_tcp(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    w.listener = IA_HTTP_TCP;
    w.scope = IA_HTTP_SCOPE_NONE;
    struct answer a = ask(&w, "GET /metrics", NULL, NULL);
    assert_int_equal(a.status, 401);
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_VIEW;
    expect(&w, &a, "GET /metrics", NULL);
    answer_fini(&a);
    w.full = true; /* also while the daemon ends */
    expect(&w, &a, "GET /metrics", NULL);
    answer_fini(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_count_what_a_run_did),
        cmocka_unit_test(what_waits_is_a_gauge),
        cmocka_unit_test(another_process_arrives_at_the_same_numbers),
        cmocka_unit_test(names_of_tools_make_no_series),
        cmocka_unit_test(counting_a_long_history_stops_in_time_and_goes_on),
        cmocka_unit_test(they_need_a_token_over_tcp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
