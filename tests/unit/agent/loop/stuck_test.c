#include "test.h"

#include "agent/loop/stuck.h"

/* Screens are numbers: the layout and the content of screen n. */
static uint64_t screen(int n)
{
    return (uint64_t)n * 1000003;
}

static uint64_t call(const char *name)
{
    return ia_stuck_call(ia_str(name), ia_str("{}"));
}

/* Steps until STOP, or -1 within `most`. period screens are walked round and round. */
static int steps_until_stop(int period, int most)
{
    struct ia_stuck s = {0};
    ia_stuck_saw(&s, screen(0));
    int at = 0, steps = 0;
    enum ia_stuck_level level = IA_STUCK_NO;
    while (level != IA_STUCK_STOP && steps < most) {
        int next = (at + 1) % period;
        uint64_t c =
            ia_stuck_call(ia_str("tap"), ia_str(at % 2 ? "{\"ref\":1}" : "{\"ref\":2}"));
        if (!ia_stuck_refuses(&s, screen(at), c, &level)) {
            level = ia_stuck_step(&s, screen(at), c, screen(next));
            at = next;
        }
        steps++;
    }
    ia_stuck_fini(&s);
    return level == IA_STUCK_STOP ? steps : -1;
}

static void cycles_of_any_period_end(void **state)
{
    (void)state;
    assert_in_range(steps_until_stop(1, 50), 4, 8);
    assert_in_range(steps_until_stop(2, 50), 5, 10);
    assert_in_range(steps_until_stop(3, 50), 6, 12);
    assert_in_range(steps_until_stop(7, 50), 8, 20);
}

static void the_levels_come_in_order(void **state)
{
    (void)state;
    struct ia_stuck s = {0};
    ia_stuck_saw(&s, screen(1));
    enum ia_stuck_level seen[10];
    int n = 0;
    for (enum ia_stuck_level l = IA_STUCK_NO; l != IA_STUCK_STOP && n < 10;) {
        if (!ia_stuck_refuses(&s, screen(1), call("tap"), &l)) {
            l = ia_stuck_step(&s, screen(1), call("tap"), screen(1));
        }
        seen[n++] = l;
    }
    static const enum ia_stuck_level want[] = {IA_STUCK_NO,     IA_STUCK_NO,     IA_STUCK_NUDGE,
                                               IA_STUCK_DEMAND, IA_STUCK_DEMAND, IA_STUCK_STOP};
    assert_int_equal(n, IA_COUNTOF(want));
    assert_memory_equal(seen, want, sizeof(want));
    ia_stuck_fini(&s);
}

static void going_back_on_the_way_to_new_screens_is_progress(void **state)
{
    (void)state;
    struct ia_stuck s = {0};
    ia_stuck_saw(&s, screen(0));
    for (int i = 1; i < 60; i++) { /* list → detail i → list */
        char input[32];
        snprintf(input, sizeof(input), "{\"ref\":%d}", i);
        uint64_t tap = ia_stuck_call(ia_str("tap"), ia_str(input));
        assert_int_equal(ia_stuck_step(&s, screen(0), tap, screen(i)), IA_STUCK_NO);
        assert_int_equal(ia_stuck_step(&s, screen(i), call("back"), screen(0)), IA_STUCK_NO);
    }
    ia_stuck_fini(&s);
}

static void a_changing_clock_does_not_hide_a_cycle(void **state)
{
    (void)state;
    struct ia_stuck s = {0};
    enum ia_stuck_level l = IA_STUCK_NO;
    int steps = 0;
    while (l != IA_STUCK_STOP && steps < 200) { /* the content is new each time */
        if (!ia_stuck_refuses(&s, screen(steps % 2), call("tap"), &l)) {
            l = ia_stuck_step(&s, screen(steps % 2), call("tap"), screen(1000 + steps));
        }
        steps++;
    }
    assert_int_equal(l, IA_STUCK_STOP);
    assert_in_range(steps, 25, 60);
    ia_stuck_fini(&s);
}

static void a_stepper_may_be_tapped_many_times(void **state)
{
    (void)state;
    struct ia_stuck s = {0};
    for (int i = 0; i < 15; i++) {
        assert_int_equal(ia_stuck_step(&s, screen(1), call("tap"), screen(100 + i)),
                         IA_STUCK_NO);
    }
    ia_stuck_fini(&s);
}

static void another_strategy_is_allowed_when_the_old_one_is_refused(void **state)
{
    (void)state;
    struct ia_stuck s = {0};
    enum ia_stuck_level l = IA_STUCK_NO;
    ia_stuck_saw(&s, screen(1));
    while (l != IA_STUCK_DEMAND) {
        l = ia_stuck_step(&s, screen(1), call("tap"), screen(1));
    }
    assert_true(ia_stuck_refuses(&s, screen(1), call("tap"), &l));
    assert_false(ia_stuck_refuses(&s, screen(1), call("swipe"), &l));
    assert_int_equal(ia_stuck_step(&s, screen(1), call("swipe"), screen(2)), IA_STUCK_NO);
    assert_false(ia_stuck_refuses(&s, screen(1), call("tap"), &l));
    ia_stuck_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_of_any_period_end),
        cmocka_unit_test(the_levels_come_in_order),
        cmocka_unit_test(going_back_on_the_way_to_new_screens_is_progress),
        cmocka_unit_test(a_changing_clock_does_not_hide_a_cycle),
        cmocka_unit_test(a_stepper_may_be_tapped_many_times),
        cmocka_unit_test(another_strategy_is_allowed_when_the_old_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
