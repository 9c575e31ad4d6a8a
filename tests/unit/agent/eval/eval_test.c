/* The figures of evaluations, against published values and cases that can be counted by hand. */
#include "test.h"

#include "agent/eval/eval.h"

#include <math.h>

static void near(double got, double want, double within, const char *what)
{
    if (!(fabs(got - want) <= within)) {
        fail_msg("%s: %.6f, not %.6f", what, got, want);
    }
}

static void the_interval_of_a_paired_difference_is_the_published_one(void **state)
{
    (void)state;
    /* 21 children, 1 gained and 7 lost: M. W. Fagerland, S. Lydersen, P. Laake, "Recommended tests and
     * confidence intervals for paired binomial proportions", Stat. Med. 33 (2014), table VII. */
    struct ia_interval i = ia_eval_difference(1, 7, 21);
    near(i.low, -0.508, 0.0006, "low");
    near(i.high, -0.013, 0.0006, "high");
    /* 161 patients, 6 gained and 16 lost: what R's contingencytables prints for its cavo_2012
     * (Wald_CI_BonettPrice_paired_2x2, tests/testthat/test-ch8.R). */
    struct ia_interval r = ia_eval_difference(6, 16, 161);
    near(r.low, -0.1195, 5e-5, "low, by R");
    near(r.high, -0.0032, 5e-5, "high, by R");
    struct ia_interval turned = ia_eval_difference(7, 1, 21);
    near(turned.low, -i.high, 1e-12, "turned round, low");
    near(turned.high, -i.low, 1e-12, "turned round, high");
}

static void no_pairs_say_nothing_and_equal_ones_little(void **state)
{
    (void)state;
    struct ia_interval none = ia_eval_difference(0, 0, 0);
    assert_true(none.low <= -0.97 && none.high >= 0.97);
    struct ia_interval same = ia_eval_difference(0, 0, 70);
    assert_true(same.low < 0 && same.high > 0 && same.high < 0.06);
    struct ia_interval all = ia_eval_difference(70, 0, 70);
    assert_true(all.low > 0.9 && all.high == 1);
}

static double effect(size_t n, const double *value, const size_t *group)
{
    return ia_eval_design_effect(value, group, n, 8);
}

static void runs_of_one_goal_count_as_what_they_are_worth(void **state)
{
    (void)state;
    static const double split[] = {1, 1, 1, 0, 0, 0};
    static const double mixed[] = {1, 0, 1, 0, 1, 0};
    static const double one[] = {1, 1, 1, 1, 1, 1};
    static const size_t alone[] = {0, 1, 2, 3, 4, 5}, two[] = {0, 0, 0, 7, 7, 7};
    near(effect(6, split, alone), 1, 0, "a goal each");
    near(effect(6, split, two), 3, 1e-12, "two goals that always end alike: two runs");
    near(effect(6, mixed, two), 1, 1e-12, "two goals that do not: never more than the runs");
    near(effect(6, one, two), 3, 1e-12, "nothing tells: each goal counts once");
    near(effect(0, one, two), 1, 0, "no run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_of_a_paired_difference_is_the_published_one),
        cmocka_unit_test(no_pairs_say_nothing_and_equal_ones_little),
        cmocka_unit_test(runs_of_one_goal_count_as_what_they_are_worth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
