/* api_plans_test.c: schedules and sweeps over the API. */
#include "asked.h"

#include <string.h>

/* ---- schedules --------------------------------------------------------------------------- */

#define SCHEDULE "\"name\":\"nightly\",\"cron\":\"0 3 * * *\",\"tz\":\"UTC\""

static void a_schedule_is_added_changed_and_removed(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    world_open(&w, false);
    expect(&w, &a, "POST /v1/schedules", "{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true}}");
    assert_string_equal(result_text(&a, "schedule.state"), "active");
    assert_string_equal(result_text(&a, "schedule.device"), "embedded:schedule-nightly");
    assert_true(json_is_true(result(&a, "schedule.run.demo")));
    answer_fini(&a);
    a = ask(&w, "POST /v1/schedules", NULL, "{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true}}");
    assert_string_equal(code(&a), "EXISTS");
    answer_fini(&a);
    expect(&w, &a, "PATCH /v1/schedules/nightly", "{\"every\":\"30m\",\"overlap\":\"queue\"}");
    assert_string_equal(result_text(&a, "schedule.kind"), "every");
    assert_string_equal(result_text(&a, "schedule.overlap"), "queue");
    assert_string_equal(result_text(&a, "schedule.run.goal"),
                        "open Settings, turn on Airplane Mode");
    answer_fini(&a);
    expect(&w, &a, "PATCH /v1/schedules/nightly",
           "{\"run\":{\"goal\":\"open Contacts\",\"demo\":true}}");
    assert_string_equal(result_text(&a, "schedule.kind"), "every");
    assert_string_equal(result_text(&a, "schedule.run.goal"), "open Contacts");
    answer_fini(&a);
    expect(&w, &a, "POST /v1/schedules/nightly/run-now", NULL);
    assert_int_equal(strlen(result_text(&a, "run")), IA_ID_SIZE - 1);
    answer_fini(&a);
    expect(&w, &a, "POST /v1/schedules/nightly/pause", NULL);
    assert_int_equal(json_integer_value(result(&a, "cancelled")), 1);
    answer_fini(&a);
    expect(&w, &a, "POST /v1/schedules/nightly/resume", NULL);
    assert_string_equal(result_text(&a, "schedule.state"), "active");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/schedules", NULL);
    assert_int_equal(json_array_size(result(&a, "schedules")), 1);
    answer_fini(&a);
    expect(&w, &a, "DELETE /v1/schedules/nightly", NULL);
    answer_fini(&a);
    a = ask(&w, "GET /v1/schedules/nightly", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    world_close(&w);
}

static void a_schedule_with_a_mistake_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *code;
    } cases[] = {
        {"{" SCHEDULE "}", "USAGE"},
        {"{\"cron\":\"0 3 * * *\",\"run\":{" GOAL ",\"demo\":true}}", "USAGE"},
        {"{\"name\":\"a\",\"run\":{" GOAL ",\"demo\":true}}", "USAGE"},
        {"{\"name\":\"a\",\"cron\":\"0 3 * *\",\"run\":{" GOAL ",\"demo\":true}}", "USAGE"},
        {"{\"name\":\"a\",\"cron\":\"0 3 * * *\",\"every\":\"1h\",\"run\":{" GOAL
         ",\"demo\":true}}",
         "USAGE"},
        {"{" SCHEDULE ",\"run\":{" GOAL "}}", "KEY_MISSING"},
        {"{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true,\"gaol\":1}}", "USAGE"},
        {"{" SCHEDULE ",\"run\":[]}", "USAGE"},
        {"{" SCHEDULE ",\"run\":{" GOAL ",\"demo\":true,\"device\":\"nowhere:1\"}}",
         "NO_DEVICE"},
    };
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct answer a = ask(&w, "POST /v1/schedules", NULL, cases[i].body);
        if (strcmp(code(&a), cases[i].code) != 0) {
            fail_msg("%s: %s", cases[i].body, ia_buf_cstr(&a.body));
        }
        answer_fini(&a);
    }
    w.listener = IA_HTTP_TCP;
    struct answer a = ask(&w, "POST /v1/schedules", NULL,
                          "{" SCHEDULE ",\"if\":\"true\",\"run\":{" GOAL ",\"demo\":true}}");
    assert_string_equal(code(&a), "FORBIDDEN");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/schedules", NULL);
    assert_int_equal(json_array_size(result(&a, "schedules")), 0);
    answer_fini(&a);
    world_close(&w);
}

/* ---- sweeps ------------------------------------------------------------------------------ */

static void a_sweep_is_listed_shown_and_stopped(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE], line[160];
    world_open(&w, false);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    const struct ia_sweep_row sweep = {.title = "goals", .options = "{}"};
    const struct ia_sweep_goal_row goal = {.name = "first",
                                           .needs = "[\"none\"]",
                                           .tags = "[]",
                                           .job = "{\"goal\":\"x\"}",
                                           .repeat = 1};
    ia_tx_add_sweep(tx, &sweep, id);
    ia_tx_add_sweep_goal(tx, id, &goal, NULL);
    ia_tx_set_sweep_goal(tx, id, 1, IA_SWEEP_GOAL_PASSED, NULL);
    ia_tx_end_sweep(tx, id, IA_SWEEP_DONE, NULL);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    expect(&w, &a, "GET /v1/sweeps?limit=3", NULL);
    assert_string_equal(result_text(&a, "sweeps.0.id"), id);
    assert_int_equal(json_integer_value(result(&a, "sweeps.0.passed")), 1);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "goals.0.name"), "first");
    assert_string_equal(result_text(&a, "sweep.state"), "done");
    assert_string_equal(json_string_value(result(&a, "goals.0.needs.0")), "none");
    assert_true(json_is_true(result(&a, "goals.0.counts")));
    assert_null(result(&a, "goals.0.job"));
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s/goals/1", id);
    expect(&w, &a, line, NULL);
    assert_string_equal(result_text(&a, "goal.job.goal"), "x");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s/goals/2", id);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(code(&a), "NOT_FOUND");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "POST /v1/sweeps/%s/cancel", id);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/sweeps/%s/report?format=md", id);
    expect(&w, &a, line, NULL);
    answer_fini(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_is_added_changed_and_removed),
        cmocka_unit_test(a_schedule_with_a_mistake_is_refused),
        cmocka_unit_test(a_sweep_is_listed_shown_and_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
