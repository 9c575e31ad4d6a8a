#include "test.h"

#include "agent/queue/lanes.h"

/* The name of the next lane, "-" without one. */
static const char *next(struct ia_lanes *ls, int64_t now_ms)
{
    struct ia_lane *lane = ia_lanes_next(ls, now_ms);
    return lane ? ia_lane_name(lane) : "-";
}

static struct ia_lane *woken(struct ia_lanes *ls, const char *name)
{
    struct ia_lane *lane = ia_lanes_get(ls, name);
    ia_lanes_wake(ls, lane);
    return lane;
}

static void a_lane_that_was_woken_twice_is_given_out_once(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(5);
    woken(ls, "a");
    woken(ls, "a");
    assert_string_equal(next(ls, 0), "a");
    assert_string_equal(next(ls, 0), "-");
    ia_lanes_free(ls);
}

static void waiting_lanes_are_given_out_in_the_order_of_their_first_wake(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(5);
    woken(ls, "c");
    woken(ls, "a");
    woken(ls, "c");
    woken(ls, "b");
    assert_string_equal(next(ls, 0), "c");
    assert_string_equal(next(ls, 0), "a");
    assert_string_equal(next(ls, 0), "b");
    ia_lanes_free(ls);
}

static void no_more_lanes_are_active_than_allowed(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(2);
    struct ia_lane *a = woken(ls, "a");
    woken(ls, "b");
    woken(ls, "c");
    assert_string_equal(next(ls, 0), "a");
    assert_string_equal(next(ls, 0), "b");
    assert_string_equal(next(ls, 0), "-");
    ia_lanes_done(ls, a, IA_LANE_MORE, 0);
    assert_string_equal(next(ls, 0), "c"); /* a went to the tail */
    ia_lanes_free(ls);
}

static void a_wake_while_active_is_remembered(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(2);
    struct ia_lane *a = woken(ls, "a");
    assert_string_equal(next(ls, 0), "a");
    ia_lanes_wake(ls, a);
    ia_lanes_done(ls, a, IA_LANE_NONE, 0);
    assert_string_equal(next(ls, 0), "a");
    ia_lanes_done(ls, a, IA_LANE_NONE, 0);
    assert_string_equal(next(ls, 0), "-");
    assert_true(ia_lanes_quiet(ls));
    ia_lanes_free(ls);
}

static void a_gate_opens_at_its_time_and_not_by_a_wake(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(2);
    struct ia_lane *a = woken(ls, "a");
    assert_string_equal(next(ls, 0), "a");
    ia_lanes_done(ls, a, IA_LANE_GATED, 5000);
    ia_lanes_wake(ls, a);
    assert_string_equal(next(ls, 4999), "-");
    assert_false(ia_lanes_quiet(ls));
    assert_int_equal(ia_lanes_due_ms(ls), 5000);
    assert_string_equal(next(ls, 5000), "a");
    ia_lanes_free(ls);
}

static void gates_open_in_the_order_of_their_times(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(3);
    struct ia_lane *a = woken(ls, "a"), *b = woken(ls, "b");
    (void)next(ls, 0);
    (void)next(ls, 0);
    ia_lanes_done(ls, a, IA_LANE_GATED, 200);
    ia_lanes_done(ls, b, IA_LANE_GATED, 100);
    assert_int_equal(ia_lanes_due_ms(ls), 100);
    assert_string_equal(next(ls, 300), "b");
    assert_string_equal(next(ls, 300), "a");
    assert_int_equal(ia_lanes_due_ms(ls), INT64_MAX);
    ia_lanes_free(ls);
}

static void a_lane_that_always_has_more_does_not_starve_another(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(1);
    struct ia_lane *greedy = woken(ls, "greedy");
    woken(ls, "other");
    int other = 0;
    for (int i = 0; i < 10; i++) {
        struct ia_lane *lane = ia_lanes_next(ls, 0);
        assert_non_null(lane);
        other += lane != greedy;
        ia_lanes_done(ls, lane, IA_LANE_MORE, 0);
    }
    assert_int_equal(other, 5);
    ia_lanes_free(ls);
}

static void many_lanes_are_found_by_name(void **state)
{
    (void)state;
    struct ia_lanes *ls = ia_lanes_new(1000);
    char name[16];
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), "lane-%d", (i * 37) % 1000);
        assert_ptr_equal(ia_lanes_get(ls, name), ia_lanes_get(ls, name));
    }
    assert_null(ia_lanes_find(ls, "lane-1000"));
    assert_string_equal(ia_lane_name(ia_lanes_find(ls, "lane-999")), "lane-999");
    ia_lanes_free(ls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_that_was_woken_twice_is_given_out_once),
        cmocka_unit_test(waiting_lanes_are_given_out_in_the_order_of_their_first_wake),
        cmocka_unit_test(no_more_lanes_are_active_than_allowed),
        cmocka_unit_test(a_wake_while_active_is_remembered),
        cmocka_unit_test(a_gate_opens_at_its_time_and_not_by_a_wake),
        cmocka_unit_test(gates_open_in_the_order_of_their_times),
        cmocka_unit_test(a_lane_that_always_has_more_does_not_starve_another),
        cmocka_unit_test(many_lanes_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
