#include "agent/report/goal_history.h"

#include "test.h"

#define RUN(s, m, usd)                                                                         \
    {                                                                                          \
        .state = (s), .ms = (m), .cost_usd = (usd), .cost_known = true                         \
    }

static void a_goal_that_fails_names_the_first_failure_since_its_last_pass(void **state)
{
    (void)state;
    struct ia_goal_history_run runs[] = {
        RUN(IA_RUN_FAILED, 10, 1), RUN(IA_RUN_ERROR, 10, 1),  RUN(IA_RUN_FAILED, 10, 1),
        RUN(IA_RUN_PASSED, 10, 1), RUN(IA_RUN_FAILED, 10, 1), RUN(IA_RUN_PASSED, 10, 1),
    };
    struct ia_goal_history p = {.runs = runs, .count = 6};
    ia_goal_history_sum_up(&p);
    assert_int_equal(p.verdicts, 5);
    assert_int_equal(p.passed, 2);
    assert_int_equal(p.by_state[IA_RUN_ERROR], 1);
    assert_int_equal(p.changes, 3);
    assert_ptr_equal(p.failing_since, &runs[2]);
    assert_ptr_equal(p.last_pass, &runs[3]);
    assert_true(p.rate.low > 0.11 && p.rate.low < 0.12); /* Wilson: 0.1176 to 0.7693 */
    assert_true(p.rate.high > 0.76 && p.rate.high < 0.77);
}

static void a_goal_that_passes_now_is_not_failing(void **state)
{
    (void)state;
    struct ia_goal_history_run runs[] = {RUN(IA_RUN_PASSED, 10, 1), RUN(IA_RUN_FAILED, 10, 1)};
    struct ia_goal_history p = {.runs = runs, .count = 2};
    ia_goal_history_sum_up(&p);
    assert_null(p.failing_since);
    assert_ptr_equal(p.last_pass, &runs[0]);
}

static void runs_without_a_verdict_say_nothing(void **state)
{
    (void)state;
    struct ia_goal_history_run runs[] = {RUN(IA_RUN_ERROR, 10, 1),
                                         RUN(IA_RUN_CANCELLED, 10, 1)};
    struct ia_goal_history p = {.runs = runs, .count = 2};
    ia_goal_history_sum_up(&p);
    assert_int_equal(p.verdicts, 0);
    assert_null(p.failing_since);
    assert_null(p.last_pass);
    assert_true(p.rate.low <= 0 && p.rate.high >= 1);
}

static void only_a_pass_after_a_failure_of_the_same_execution_is_flaky(void **state)
{
    (void)state;
    struct ia_goal_history_run runs[] = {
        RUN(IA_RUN_PASSED, 1, 1), RUN(IA_RUN_PASSED, 1, 1), RUN(IA_RUN_FAILED, 1, 1),
        RUN(IA_RUN_FAILED, 1, 1), RUN(IA_RUN_PASSED, 1, 1),
    };
    static const struct {
        const char *sweep;
        int no;
    } where[] = {{"b", 1}, {"b", 2}, {"b", 1}, {"", 0}, {"", 0}};
    for (size_t i = 0; i < 5; i++) {
        (void)strcpy(runs[i].sweep_id, where[i].sweep);
        runs[i].sweep_no = where[i].no;
    }
    struct ia_goal_history p = {.runs = runs, .count = 5};
    ia_goal_history_sum_up(&p);
    assert_int_equal(p.executions, 4);
    assert_int_equal(p.flaky, 1);
}

static void what_a_model_healed_is_neither_a_pass_nor_a_failure_nor_flaky(void **state)
{
    (void)state;
    struct ia_goal_history_run runs[] = {RUN(IA_RUN_PASSED, 1, 1), RUN(IA_RUN_PASSED, 1, 1),
                                         RUN(IA_RUN_FAILED, 1, 1), RUN(IA_RUN_PASSED, 1, 1)};
    runs[0].healed = true; /* the second try of a goal of a sweep */
    runs[1].replayed = true;
    for (size_t i = 0; i < 3; i += 2) {
        (void)strcpy(runs[i].sweep_id, "b");
        runs[i].sweep_no = 1;
    }
    struct ia_goal_history p = {.runs = runs, .count = 4};
    ia_goal_history_sum_up(&p);
    assert_int_equal(p.verdicts, 3);
    assert_int_equal(p.passed, 2);
    assert_int_equal(p.by_state[IA_RUN_PASSED], 2);
    assert_int_equal(p.replayed, 1);
    assert_int_equal(p.healed, 1);
    assert_int_equal(p.flaky, 0);
    assert_int_equal(p.executions, 3);
    assert_int_equal(p.changes, 2); /* replayed, failed, passed */
    assert_ptr_equal(p.last_pass, &runs[1]);
    assert_null(p.failing_since);
}

static void times_and_costs_have_a_median_and_demo_runs_cost_nothing(void **state)
{
    (void)state;
    struct ia_goal_history_run runs[] = {RUN(IA_RUN_PASSED, 30, 3), RUN(IA_RUN_PASSED, 10, 1),
                                         RUN(IA_RUN_PASSED, 20, 2),
                                         RUN(IA_RUN_CANCELLED, -1, 9)};
    runs[3].demo = true;
    struct ia_goal_history p = {.runs = runs, .count = 4};
    ia_goal_history_sum_up(&p);
    assert_int_equal(p.ms_median, 20);
    assert_int_equal(p.ms_min, 10);
    assert_int_equal(p.ms_max, 30);
    assert_int_equal(p.usd_count, 3);
    assert_true(p.usd_median > 1.99 && p.usd_median < 2.01);
    assert_true(p.usd_total > 5.99 && p.usd_total < 6.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_goal_that_fails_names_the_first_failure_since_its_last_pass),
        cmocka_unit_test(a_goal_that_passes_now_is_not_failing),
        cmocka_unit_test(runs_without_a_verdict_say_nothing),
        cmocka_unit_test(only_a_pass_after_a_failure_of_the_same_execution_is_flaky),
        cmocka_unit_test(what_a_model_healed_is_neither_a_pass_nor_a_failure_nor_flaky),
        cmocka_unit_test(times_and_costs_have_a_median_and_demo_runs_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
