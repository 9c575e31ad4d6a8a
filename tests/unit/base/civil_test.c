/* Dates of the calendar and days since 1970, each from the other. */
#include "test.h"

#include "base/civil.h"

static void moments_are_dates_of_the_calendar_and_back(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        struct ia_civil civil;
    } rows[] = {
        {0, {1970, 1, 1, 0, 0, 0, 4}},
        {-1000, {1969, 12, 31, 23, 59, 59, 3}},
        {INT64_C(951782400000), {2000, 2, 29, 0, 0, 0, 2}},
        {INT64_C(1735689599000), {2024, 12, 31, 23, 59, 59, 2}},
        {INT64_C(-62135596800000), {1, 1, 1, 0, 0, 0, 1}},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_civil c = ia_civil_at(rows[i].ms);
        assert_memory_equal(&c, &rows[i].civil, sizeof(c));
        assert_int_equal(ia_civil_ms(&c), rows[i].ms);
    }
}

static void every_day_of_400_years_follows_the_one_before(void **state)
{
    (void)state;
    struct ia_civil before = ia_civil_at(0);
    for (int day = 1; day <= 146097; day++) {
        struct ia_civil c = ia_civil_at(day * INT64_C(86400000));
        bool new_month = before.day == ia_days_in_month(before.year, before.month);
        assert_int_equal(c.day, new_month ? 1 : before.day + 1);
        assert_int_equal(c.weekday, (before.weekday + 1) % 7);
        before = c;
    }
    assert_int_equal(before.year, 2370);
}

static void dates_that_do_not_exist_are_invalid(void **state)
{
    (void)state;
    static const struct {
        struct ia_civil civil;
        bool ok;
    } rows[] = {
        {{2024, 2, 29, 23, 59, 59, 0}, true}, {{2023, 2, 29, 0, 0, 0, 0}, false},
        {{1900, 2, 29, 0, 0, 0, 0}, false},   {{2000, 13, 1, 0, 0, 0, 0}, false},
        {{2000, 0, 1, 0, 0, 0, 0}, false},    {{2000, 4, 31, 0, 0, 0, 0}, false},
        {{2000, 1, 1, 24, 0, 0, 0}, false},   {{2000, 1, 1, 0, 60, 0, 0}, false},
        {{2000, 1, 1, 0, 0, 60, 0}, false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(ia_civil_ok(&rows[i].civil), rows[i].ok);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_dates_of_the_calendar_and_back),
        cmocka_unit_test(every_day_of_400_years_follows_the_one_before),
        cmocka_unit_test(dates_that_do_not_exist_are_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
