/* The interval around a share, against published values. */
#include "test.h"

#include "base/wilson.h"

#include <math.h>

static void published_values_are_met(void **state)
{
    (void)state;
    /* 81/263, 15/148, 0/20, 1/29: R. G. Newcombe, "Two-sided confidence intervals for the
     * single proportion", Statist. Med. 17 (1998), table I, method 3. */
    static const struct {
        int hits, n;
        double low, high;
    } rows[] = {
        {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611},
        {1, 29, 0.0061, 0.1718},   {20, 20, 0.8389, 1},       {0, 0, 0, 1},
        {1, 1, 0.2065, 1},         {5, 10, 0.2366, 0.7634},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_interval got = ia_wilson(rows[i].hits, rows[i].n);
        print_message("%d/%d: %.7f %.7f\n", rows[i].hits, rows[i].n, got.low, got.high);
        assert_true(fabs(got.low - rows[i].low) < 5e-5);
        assert_true(fabs(got.high - rows[i].high) < 5e-5);
    }
}

static void only_all_is_100_percent_and_only_nothing_is_0(void **state)
{
    (void)state;
    static const double rows[][2] = {{0, 0},       {0.001, 1},  {0.5, 50}, {0.446, 45},
                                     {0.9962, 99}, {0.999, 99}, {1, 100}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_true(fabs(ia_percent(rows[i][0]) - rows[i][1]) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values_are_met),
        cmocka_unit_test(only_all_is_100_percent_and_only_nothing_is_0)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
