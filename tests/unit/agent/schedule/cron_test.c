#include "test.h"

#include "agent/schedule/cron.h"
#include "base/clock.h"

static const int64_t JAN_1_2026 = 1767225600000; /* a Thursday, UTC */

static struct ia_zone *utc(void)
{
    struct ia_zone *z = NULL;
    assert_int_equal(ia_zone_open("UTC", &z, NULL), IA_OK);
    return z;
}

static int64_t next(const char *text, int64_t after_ms)
{
    struct ia_cron c;
    struct ia_err err = {0};
    struct ia_zone *z = utc();
    assert_int_equal(ia_cron_parse(text, &c, &err), IA_OK);
    int64_t fire = ia_cron_next(&c, z, after_ms);
    ia_zone_free(z);
    return fire;
}

static void expressions_fire_when_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fire;
    } rows[] = {
        {"* * * * *", "2026-01-01T00:01:00.000Z"},
        {"0 3 * * 1-5", "2026-01-01T03:00:00.000Z"},
        {"0 0 * * 0", "2026-01-04T00:00:00.000Z"},
        {"0 0 * * 7", "2026-01-04T00:00:00.000Z"},
        {"0 0 * * sat,SUN", "2026-01-03T00:00:00.000Z"},
        {"*/15 9-17 * * mon-fri", "2026-01-01T09:00:00.000Z"},
        {"5/20 * * * *", "2026-01-01T00:05:00.000Z"},
        {"10-40/15 0 * * *", "2026-01-01T00:10:00.000Z"},
        {"0 12 29 2 *", "2028-02-29T12:00:00.000Z"},
        {"0 0 13 * fri", "2026-01-02T00:00:00.000Z"},  /* either of the two */
        {"0 0 */2 * fri", "2026-01-09T00:00:00.000Z"}, /* both */
        {"0 0 31 apr,may *", "2026-05-31T00:00:00.000Z"},
        {"@daily", "2026-01-02T00:00:00.000Z"},
        {"@hourly", "2026-01-01T01:00:00.000Z"},
        {"@weekly", "2026-01-04T00:00:00.000Z"},
        {"@monthly", "2026-02-01T00:00:00.000Z"},
        {"@YEARLY", "2027-01-01T00:00:00.000Z"},
        {"  0\t0  1 1 * ", "2027-01-01T00:00:00.000Z"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char iso[IA_ISO_SIZE];
        ia_iso_format(next(rows[i].text, JAN_1_2026), iso);
        if (strcmp(iso, rows[i].fire) != 0) {
            print_error("%s\n", rows[i].text);
        }
        assert_string_equal(iso, rows[i].fire);
    }
}

static void a_fire_is_strictly_after_the_moment(void **state)
{
    (void)state;
    int64_t first = next("0 0 * * *", JAN_1_2026 - 1);
    assert_int_equal(first, JAN_1_2026);
    assert_int_equal(next("0 0 * * *", JAN_1_2026), JAN_1_2026 + 86400000);
}

static void a_leap_day_on_a_certain_weekday_is_found_decades_ahead(void **state)
{
    (void)state;
    static const char *const days[] = {"2032-02-29T00:00:00.000Z", "2060-02-29T00:00:00.000Z",
                                       "2088-02-29T00:00:00.000Z", "2128-02-29T00:00:00.000Z"};
    int64_t after = JAN_1_2026;
    for (size_t i = 0; i < IA_COUNTOF(days); i++) {
        char iso[IA_ISO_SIZE];
        after = next("0 0 29 2 */7", after); /* begins with *: a Sunday, too */
        ia_iso_format(after, iso);
        assert_string_equal(iso, days[i]);
    }
}

static void mistakes_are_shown_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column; /* of the caret, from 1 */
    } rows[] = {
        {"", 1},
        {"60 * * * *", 1},
        {"* 24 * * *", 3},
        {"* * 0 * *", 5},
        {"* * 32 * *", 5},
        {"* * * 13 *", 7},
        {"* * * foo *", 7},
        {"* * * * 8", 9},
        {"* * * *", 8},
        {"* * * * * *", 11},
        {"5-1 * * * *", 1},
        {"*/0 * * * *", 3},
        {"1,,2 * * * *", 3},
        {"* * 30 2 *", 1},
        {"@never", 1},
        {"1x * * * *", 2},
        {"-1 * * * *", 1},
        {"99999999999 * * * *", 1},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_cron c;
        struct ia_err err = {0};
        assert_int_equal(ia_cron_parse(rows[i].text, &c, &err), IA_E_USAGE);
        const char *caret = strrchr(err.msg, '^');
        assert_non_null(caret);
        const char *line = caret;
        while (line[-1] != '\n') {
            line--;
        }
        if (caret - line - 1 != rows[i].column) {
            print_error("%s\n%s\n", rows[i].text, err.msg);
        }
        assert_int_equal(caret - line - 1, rows[i].column);
    }
}

static void texts_of_any_length_are_told_apart(void **state)
{
    (void)state;
    char text[4096];
    memset(text, '1', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    struct ia_cron c;
    struct ia_err err = {0};
    assert_int_equal(ia_cron_parse(text, &c, &err), IA_E_USAGE);
}

static void intervals_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds; /* 0: refused */
    } rows[] = {
        {"90s", 90},     {"30m", 1800}, {"2h", 7200},     {"1d", 86400},
        {"1h30m", 5400}, {"", 0},       {"30", 0},        {"0m", 0},
        {"-5m", 0},      {"1m1h", 0},   {"1h1h", 0},      {"m", 0},
        {"367d", 0},     {"1.5h", 0},   {"300000abc", 0}, {"99999999999999999999s", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        int64_t s = 0;
        struct ia_err err = {0};
        enum ia_rc rc = ia_interval_parse(rows[i].text, &s, &err);
        assert_int_equal(rc, rows[i].seconds ? IA_OK : IA_E_USAGE);
        assert_int_equal(s, rows[i].seconds);
    }
}

static void an_interval_stays_on_its_grid(void **state)
{
    (void)state;
    assert_int_equal(ia_interval_next(1000, 60, 0), 1000);
    assert_int_equal(ia_interval_next(1000, 60, 1000), 61000);
    assert_int_equal(ia_interval_next(1000, 60, 60999), 61000);
    assert_int_equal(ia_interval_next(1000, 60, 61000), 121000);
    assert_int_equal(ia_interval_next(1000, 60, 601500), 661000); /* ten were missed */
}

static void moments_are_read_on_the_clock_of_the_zone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* 0: refused */
    } rows[] = {
        {"2026-12-01T09:00", 1796112000000},
        {"2026-12-01 09:00:30", 1796112030000},
        {"2026-12-01T09:00Z", 1796115600000},
        {"2026-12-01T09:00-05:00", 1796133600000},
        {"2026-03-29T02:30", 1774746000000}, /* skipped: the moment of the change */
        {"2026-10-25T02:30", 1792888200000}, /* twice: the first */
        {"2026-02-29T00:00", 0},
        {"2026-12-01", 0},
        {"2026-12-01T25:00", 0},
        {"tomorrow", 0},
        {"2026-12-01T09:00+5", 0},
        {"2026-12-01T09:00 ", 0},
        {"", 0},
    };
    struct ia_zone *z = NULL;
    assert_int_equal(ia_zone_open("Europe/Zurich", &z, NULL), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        int64_t ms = 0;
        struct ia_err err = {0};
        enum ia_rc rc = ia_at_parse(rows[i].text, z, &ms, &err);
        assert_int_equal(rc, rows[i].ms ? IA_OK : IA_E_USAGE);
        assert_int_equal(ms, rows[i].ms);
    }
    ia_zone_free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_fire_when_they_say),
        cmocka_unit_test(a_fire_is_strictly_after_the_moment),
        cmocka_unit_test(a_leap_day_on_a_certain_weekday_is_found_decades_ahead),
        cmocka_unit_test(mistakes_are_shown_where_they_are),
        cmocka_unit_test(texts_of_any_length_are_told_apart),
        cmocka_unit_test(intervals_are_read),
        cmocka_unit_test(an_interval_stays_on_its_grid),
        cmocka_unit_test(moments_are_read_on_the_clock_of_the_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
