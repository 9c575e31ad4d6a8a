/* Time zones: names, and clocks that are put forward and back. */
#include "test.h"

#include "base/zone.h"

static struct ia_zone *zone(const char *name)
{
    struct ia_zone *z = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_zone_open(name, &z, &err), IA_OK);
    return z;
}

/* Moments from the tz database: Zurich 2026-03-29 01:00Z and 2026-10-25 01:00Z; Lord Howe
 * 2026-04-04 15:00Z (back by half an hour) and 2026-10-03 15:30Z. */
static void clocks_that_change_show_a_time_once_twice_or_never(void **state)
{
    (void)state;
    static const struct {
        const char *zone;
        struct ia_civil at;
        enum ia_zone_fit fit;
        int64_t first_ms, second_ms;
    } rows[] = {
        {"Europe/Zurich", {2026, 7, 1, 9, 0, 0, 0}, IA_ZONE_ONCE, 1782889200000, 1782889200000},
        {"Europe/Zurich",
         {2026, 3, 29, 2, 30, 0, 0},
         IA_ZONE_NEVER,
         1774746000000,
         1774746000000},
        {"Europe/Zurich",
         {2026, 10, 25, 2, 30, 0, 0},
         IA_ZONE_TWICE,
         1792888200000,
         1792891800000},
        {"Europe/Zurich",
         {2026, 3, 29, 3, 0, 0, 0},
         IA_ZONE_ONCE,
         1774746000000,
         1774746000000},
        {"Australia/Lord_Howe",
         {2026, 4, 5, 1, 45, 0, 0},
         IA_ZONE_TWICE,
         1775313900000,
         1775315700000},
        {"Australia/Lord_Howe",
         {2026, 10, 4, 2, 15, 0, 0},
         IA_ZONE_NEVER,
         1791041400000,
         1791041400000},
        {"UTC", {2026, 3, 29, 2, 30, 0, 0}, IA_ZONE_ONCE, 1774751400000, 1774751400000},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_zone *z = zone(rows[i].zone);
        int64_t first = 0, second = 0;
        assert_int_equal(ia_zone_moment(z, &rows[i].at, &first, &second), rows[i].fit);
        assert_int_equal(first, rows[i].first_ms);
        assert_int_equal(second, rows[i].second_ms);
        ia_zone_free(z);
    }
}

static void a_moment_is_what_the_clock_on_the_wall_shows(void **state)
{
    (void)state;
    struct ia_zone *z = zone("America/New_York");
    struct ia_civil c = ia_zone_civil(z, 1782889200000);
    assert_int_equal(c.hour, 3);
    assert_int_equal(c.day, 1);
    ia_zone_free(z);
}

static void what_is_no_name_of_a_zone_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",      "Mars/Phobos", "/etc/passwd", "../localtime", "+02:00",
        "UTC+3", "AAA3",        "Europe",      "leapseconds",  "CET-1CEST,M3.5.0,M10.5.0/3"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        struct ia_zone *z = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_zone_open(names[i], &z, &err), IA_E_USAGE);
        assert_null(z);
    }
}

static void a_name_that_is_nearly_right_gets_the_right_one(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"Europe/Zurch", "Europe/Zurich"},
                                          {"america/new_yrok", "America/New_York"},
                                          {"Zurich", "Europe/Zurich"},
                                          {"lord_howe", "Australia/Lord_Howe"},
                                          {"Mars/Phobos", NULL}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_zone *z = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_zone_open(rows[i][0], &z, &err), IA_E_USAGE);
        if (rows[i][1]) {
            assert_non_null(strstr(err.hint, rows[i][1]));
        } else {
            assert_non_null(strstr(err.hint, "names are like"));
        }
    }
}

static void the_zone_here_can_be_opened(void **state)
{
    (void)state;
    char name[IA_ZONE_NAME_MAX];
    ia_zone_here(name);
    ia_zone_free(zone(name));
    assert_int_equal(setenv("TZ", ":Asia/Tokyo", 1), 0);
    ia_zone_here(name);
    assert_string_equal(name, "Asia/Tokyo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_change_show_a_time_once_twice_or_never),
        cmocka_unit_test(a_moment_is_what_the_clock_on_the_wall_shows),
        cmocka_unit_test(what_is_no_name_of_a_zone_is_refused),
        cmocka_unit_test(a_name_that_is_nearly_right_gets_the_right_one),
        cmocka_unit_test(the_zone_here_can_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
