/* Counts and times as people read them. */
#include "test.h"

#include "base/format.h"

static void counts_are_grouped(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *text;
    } rows[] = {{0, "0"},
                {999, "999"},
                {1000, "1,000"},
                {12345678, "12,345,678"},
                {-123456, "-123,456"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(100);
        ia_fmt_count(&b, rows[i].n);
        assert_string_equal(ia_buf_cstr(&b), rows[i].text);
        ia_buf_fini(&b);
    }
}

static void times_have_a_fitting_unit(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {{0, "0 ms"},
                {999, "999 ms"},
                {1000, "1.0 s"},
                {59900, "59.9 s"},
                {59949, "59.9 s"},
                {59950, "1 min 0 s"},
                {200000, "3 min 20 s"},
                {7500000, "2 h 5 min"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(100);
        ia_fmt_ms(&b, rows[i].ms);
        assert_string_equal(ia_buf_cstr(&b), rows[i].text);
        ia_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_grouped),
        cmocka_unit_test(times_have_a_fitting_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
