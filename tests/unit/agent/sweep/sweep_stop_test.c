/* How a sweep stops, and how it is opened again. */
#include "sweep_rig.h"

static void fail_fast_starts_no_more_goals(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0}, c = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .fail_fast = true};
    begin(&w, THREE, &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    miss(&w, &a);
    assert_false(step(&w)); /* b is in hand and comes to its verdict */
    pass(&w, &b);
    assert_true(step(&w));
    assert_false(take(&w, lanes[0], &c));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_state(&w, "c", "skipped");
    assert_non_null(strstr(find(&w, "c").reason, "--fail-fast"));
    assert_state(&w, "b", "passed");
    assert_int_equal(sums(&w).exit_status, 1);
    finish(&w);
}

static void a_stopped_sweep_continues_where_it_was(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_row *row = NULL;
    begin(&w, THREE, &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    pass(&w, &t);
    ia_sweep_stop(w.sweep, "interrupted");
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_int_equal(sums(&w).exit_status, 7);
    assert_int_equal(ia_store_sweep(w.store, w.id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_SWEEP_STOPPED);
    assert_string_equal(row->why, "interrupted");
    ia_sweep_row_free(row);
    reopen(&w);
    assert_state(&w, "a", "passed");
    assert_state(&w, "b", "waiting");
    while (!step(&w)) {
        assert_true(take(&w, lanes[0], &t));
        pass(&w, &t);
    }
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_int_equal(sums(&w).passed, 3);
    ia_sweep_close(w.sweep);
    struct ia_sweep_env env = {.store = w.store};
    assert_int_equal(ia_sweep_open(&env, w.id, &w.sweep, NULL), IA_E_STATE);
    w.sweep = NULL;
    finish(&w);
}

static void a_stop_that_leaves_nothing_undone_is_none(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_row *row = NULL;
    begin(&w, G("a", ""), &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    ia_sweep_stop(w.sweep, "interrupted");
    pass(&w, &t); /* the tools in hand come to their end, and the run to its verdict */
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_null(sums(&w).why);
    assert_int_equal(sums(&w).exit_status, 0);
    assert_int_equal(ia_store_sweep(w.store, w.id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_SWEEP_DONE);
    ia_sweep_row_free(row);
    finish(&w);
}

/* As after a kill between the last verdict and ia_sweep_end. */
static void a_sweep_whose_goals_are_all_done_is_over_when_it_is_opened_again(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w, THREE, &plain);
    while (!step(&w)) {
        assert_true(take(&w, lanes[0], &t));
        pass(&w, &t);
    }
    reopen(&w);
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_int_equal(sums(&w).passed, 3);
    finish(&w);
}

/* A clock that looks at the sweep's row when it is asked. */
struct witness {
    struct world *w;
    char state[16]; /* of the sweep, when the clock was asked first */
};

static int64_t witness_mono(void *ctx)
{
    struct witness *n = ctx;
    struct ia_sweep_row *row = NULL;
    assert_int_equal(ia_store_sweep(n->w->store, n->w->id, &row, NULL), IA_OK);
    if (n->state[0] == '\0') {
        (void)snprintf(n->state, sizeof(n->state), "%s", ia_sweep_state_name(row->state));
    }
    ia_sweep_row_free(row);
    return 0;
}

/* Its time limit asks for the time while the options are read, which is before the goals. */
static void a_sweep_is_taken_before_its_goals_are_read(void **state)
{
    (void)state;
    struct world w;
    struct ia_sweep_opts o = {.retries = -1, .max_seconds = 60};
    begin(&w, THREE, &o);
    ia_sweep_stop(w.sweep, "interrupted");
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    ia_sweep_close(w.sweep);
    struct witness n = {.w = &w};
    struct ia_clock clock = *ia_vclock_clock(w.clock);
    clock.mono_us = witness_mono;
    clock.ctx = &n;
    struct ia_sweep_env env = {.store = w.store, .clock = &clock};
    assert_int_equal(ia_sweep_open(&env, w.id, &w.sweep, NULL), IA_OK);
    assert_string_equal(n.state, "running");
    finish(&w);
}

static void a_sweep_that_cannot_be_read_is_given_back_as_it_was(void **state)
{
    (void)state;
    struct world w;
    struct ia_tx *tx = NULL;
    struct ia_sweep_row *row = NULL;
    struct ia_err err = {0};
    begin(&w, THREE, &plain);
    ia_sweep_stop(w.sweep, "interrupted");
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    ia_sweep_close(w.sweep);
    w.sweep = NULL;
    struct ia_sweep_goal_row lost = {.name = "lost", .needs = "[\"nobody\"]"};
    lost.job = "{\"goal\":\"x\",\"model\":\"m\"}";
    assert_int_equal(ia_tx_begin(w.store, &tx, NULL), IA_OK);
    ia_tx_add_sweep_goal(tx, w.id, &lost, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    struct ia_sweep_env env = {.store = w.store};
    assert_int_equal(ia_sweep_open(&env, w.id, &w.sweep, &err), IA_E_STATE);
    assert_non_null(strstr(err.msg, "nobody"));
    assert_int_equal(ia_store_sweep(w.store, w.id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_SWEEP_STOPPED);
    assert_string_equal(row->why, "interrupted");
    ia_sweep_row_free(row);
    finish(&w);
}

static void after_the_time_limit_nothing_starts(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .max_seconds = 60};
    begin(&w, THREE, &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_non_null(strstr(t.row->budget, "\"max_seconds\":60"));
    ia_vclock_advance(w.clock, 20 * INT64_C(1000000));
    pass(&w, &t);
    assert_false(step(&w));
    assert_true(take(&w, lanes[0], &t));
    assert_non_null(strstr(t.row->budget, "\"max_seconds\":40"));
    ia_vclock_advance(w.clock, 41 * INT64_C(1000000));
    end(&w, &t, IA_RUN_ERROR, IA_E_TIMEOUT, 0.01);
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_state(&w, "c", "skipped");
    assert_int_equal(sums(&w).exit_status, 4);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fast_starts_no_more_goals),
        cmocka_unit_test(a_stopped_sweep_continues_where_it_was),
        cmocka_unit_test(a_stop_that_leaves_nothing_undone_is_none),
        cmocka_unit_test(a_sweep_whose_goals_are_all_done_is_over_when_it_is_opened_again),
        cmocka_unit_test(a_sweep_is_taken_before_its_goals_are_read),
        cmocka_unit_test(a_sweep_that_cannot_be_read_is_given_back_as_it_was),
        cmocka_unit_test(after_the_time_limit_nothing_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
