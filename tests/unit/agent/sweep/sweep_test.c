/* What a sweep runs, in which order, and what it retries. The test plays the runs. */
#include "sweep_rig.h"

static void goals_start_in_order_and_one_on_each_lane(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0}, c = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2};
    begin(&w, THREE, &o);
    assert_false(step(&w));
    assert_true(take(&w, lanes[0], &a));
    assert_string_equal(a.row->goal, "do a");
    assert_string_equal(a.row->name, "a");
    assert_true(take(&w, lanes[1], &b));
    assert_string_equal(b.row->goal, "do b");
    assert_false(take(&w, lanes[2], &c)); /* two lanes, so no third run waits */
    assert_state(&w, "c", "waiting");
    pass(&w, &b);
    assert_false(step(&w));
    assert_state(&w, "b", "passed");
    assert_true(take(&w, lanes[1], &c));
    pass(&w, &c);
    pass(&w, &a);
    assert_true(step(&w));
    struct ia_sweep_sums s = sums(&w);
    assert_int_equal(s.passed, 3);
    assert_int_equal(s.exit_status, 0);
    assert_true(s.cost_usd > 0.0299 && s.cost_usd < 0.0301);
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    finish(&w);
}

static void a_goal_with_its_own_device_runs_only_there(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w,
          G("a", "device = \"embedded\"\n") G("b", "")
              G("c", "device = \"embedded:default?bugs=x\"\n"),
          &plain);
    const char *const *all;
    assert_int_equal(ia_sweep_lanes(w.sweep, &all), 2);
    assert_int_equal(ia_sweep_pool_lanes(w.sweep), 1);
    assert_string_equal(all[1], "embedded:default");
    (void)step(&w);
    assert_state(&w, "c", "waiting");
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "b");
    pass(&w, &t);
    assert_true(take(&w, "embedded:default", &t));
    assert_string_equal(t.row->name, "a");
    pass(&w, &t);
    (void)step(&w);
    assert_false(take(&w, lanes[0], &t));
    assert_true(take(&w, "embedded:default", &t));
    assert_string_equal(t.row->name, "c");
    pass(&w, &t);
    assert_true(step(&w));
    finish(&w);
}

static void a_goal_waits_for_the_goals_it_needs(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2};
    begin(&w, G("a", "needs = [\"b\"]\n") G("b", ""), &o);
    (void)step(&w);
    assert_state(&w, "a", "waiting");
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "b");
    pass(&w, &t);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "a");
    pass(&w, &t);
    assert_true(step(&w));
    finish(&w);
}

static void goals_that_need_a_failed_goal_are_skipped_with_the_reason(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w, G("a", "") G("b", "needs = [\"a\"]\n") G("c", "needs = [\"b\"]\n") G("d", ""),
          &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    miss(&w, &t);
    assert_false(step(&w));
    assert_state(&w, "a", "failed");
    assert_state(&w, "b", "skipped");
    assert_string_equal(find(&w, "b").reason, "it needs \"a\", which failed");
    assert_string_equal(find(&w, "c").reason, "it needs \"b\", which was skipped");
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "d");
    pass(&w, &t);
    assert_true(step(&w));
    assert_int_equal(sums(&w).exit_status, 1);
    assert_int_equal(sums(&w).skipped, 2);
    finish(&w);
}

static bool begins_with_reset(const struct ia_run_row *row)
{
    json_t *options = json_loads(row->options, 0, NULL);
    const json_t *setup = json_object_get(json_object_get(options, "job"), "setup");
    const char *what = json_string_value(json_object_get(json_array_get(setup, 0), "do"));
    bool reset = what && strcmp(what, "reset") == 0;
    json_decref(options);
    return reset;
}

static void a_failed_goal_is_retried_from_fresh_state_and_then_flaky(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w, G("a", "retries = 1\n") G("b", "needs = [\"a\"]\n"), &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_false(begins_with_reset(t.row));
    miss(&w, &t);
    assert_false(step(&w));
    assert_state(&w, "a", "running");
    assert_true(take(&w, lanes[0], &t));
    assert_true(begins_with_reset(t.row));
    pass(&w, &t);
    assert_false(step(&w));
    assert_state(&w, "a", "flaky");
    assert_int_equal(find(&w, "a").item.tries, 2);
    assert_true(take(&w, lanes[0], &t));
    pass(&w, &t);
    assert_true(step(&w));
    assert_int_equal(sums(&w).exit_status, 0);
    assert_int_equal(sums(&w).flaky, 1);
    finish(&w);
}

static void retries_run_out_and_errors_of_the_environment_are_not_retried(void **state)
{
    (void)state;
    static const struct {
        enum ia_run_state state;
        enum ia_rc code;
        int runs, exit_status;
        const char *want;
    } rows[] = {
        {IA_RUN_FAILED, IA_E_FAILED, 3, 1, "failed"},
        {IA_RUN_BLOCKED, IA_E_BLOCKED, 3, 5, "blocked"},
        {IA_RUN_ERROR, IA_E_TIMEOUT, 3, 4, "error"},
        {IA_RUN_ERROR, IA_E_BUDGET, 3, 4, "error"},
        {IA_RUN_ERROR, IA_E_API_AUTH, 1, 6, "error"},
        {IA_RUN_ERROR, IA_E_DEVICE_LOST, 1, 3, "error"},
        {IA_RUN_CANCELLED, IA_E_CANCELLED, 1, 7, "cancelled"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        struct taken t = {0};
        struct ia_sweep_opts o = {.retries = 2};
        int runs = 0;
        begin(&w, G("a", ""), &o);
        while (!step(&w)) {
            assert_true(take(&w, lanes[0], &t));
            end(&w, &t, rows[i].state, rows[i].code, 0.01);
            runs++;
        }
        assert_int_equal(runs, rows[i].runs);
        assert_state(&w, "a", rows[i].want);
        assert_int_equal(sums(&w).exit_status, rows[i].exit_status);
        finish(&w);
    }
}

static void only_a_pass_lets_dependent_goals_start(void **state)
{
    (void)state;
    static const struct {
        enum ia_run_state state;
        enum ia_rc code;
        const char *why;
    } rows[] = {
        {IA_RUN_FAILED, IA_E_FAILED, "it needs \"a\", which failed"},
        {IA_RUN_BLOCKED, IA_E_BLOCKED, "it needs \"a\", which is blocked"},
        {IA_RUN_ERROR, IA_E_BUDGET, "it needs \"a\", which ended in an error"},
        {IA_RUN_ERROR, IA_E_API_AUTH, "it needs \"a\", which ended in an error"},
        {IA_RUN_CANCELLED, IA_E_CANCELLED, "it needs \"a\", which was cancelled"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        struct taken t = {0};
        struct ia_sweep_opts o = {.retries = 0};
        begin(&w, G("a", "") G("b", "needs = [\"a\"]\n"), &o);
        assert_false(step(&w));
        assert_true(take(&w, lanes[0], &t));
        end(&w, &t, rows[i].state, rows[i].code, 0.01);
        while (!step(&w)) {
            assert_false(take(&w, lanes[0], &t));
        }
        assert_state(&w, "b", "skipped");
        assert_string_equal(find(&w, "b").reason, rows[i].why);
        finish(&w);
    }
}

static void with_fresh_every_run_of_the_pool_starts_in_factory_state(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .fresh = true};
    begin(&w, G("a", "setup = [\"launch com.x\"]\n") G("b", "device = \"embedded:own\"\n"), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_true(begins_with_reset(t.row));
    pass(&w, &t);
    assert_true(take(&w, "embedded:own", &t));
    assert_false(begins_with_reset(t.row));
    pass(&w, &t);
    assert_true(step(&w));
    finish(&w);
}

static void keep_rate(void *ctx, const struct ia_sweep_rate *rate)
{
    *(struct ia_sweep_rate *)ctx = *rate;
}

static void each_repeat_needs_its_own_repeat_and_repeats_give_a_pass_rate(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .repeat = 4};
    begin(&w, G("a", "") G("b", "needs = [\"a\"]\n"), &o);
    for (int n = 0; !step(&w); n++) {
        assert_true(take(&w, lanes[0], &t));
        if (n == 1) {
            miss(&w, &t); /* the second a, so the second b is skipped */
        } else {
            pass(&w, &t);
        }
    }
    struct seek s = {.name = "b", .repeat = 2};
    ia_sweep_each(w.sweep, look, &s);
    assert_int_equal(s.item.state, IA_SWEEP_GOAL_SKIPPED);
    struct ia_sweep_rate rate = {0};
    ia_sweep_rates(w.sweep, keep_rate, &rate);
    assert_string_equal(rate.name, "b");
    assert_int_equal(rate.n, 3);
    assert_int_equal(rate.passed, 3);
    assert_true(rate.interval.low > 0.43 && rate.interval.low < 0.44);
    assert_int_equal(sums(&w).goals, 8);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_start_in_order_and_one_on_each_lane),
        cmocka_unit_test(a_goal_with_its_own_device_runs_only_there),
        cmocka_unit_test(a_goal_waits_for_the_goals_it_needs),
        cmocka_unit_test(goals_that_need_a_failed_goal_are_skipped_with_the_reason),
        cmocka_unit_test(only_a_pass_lets_dependent_goals_start),
        cmocka_unit_test(a_failed_goal_is_retried_from_fresh_state_and_then_flaky),
        cmocka_unit_test(retries_run_out_and_errors_of_the_environment_are_not_retried),
        cmocka_unit_test(with_fresh_every_run_of_the_pool_starts_in_factory_state),
        cmocka_unit_test(each_repeat_needs_its_own_repeat_and_repeats_give_a_pass_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
