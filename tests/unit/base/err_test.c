/* Error codes and their names, messages, hints, and what wrapping an error keeps. */
#include "test.h"

#include "base/err.h"

static void every_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < IA_RC_COUNT; i++) {
        enum ia_rc rc = (enum ia_rc)i;
        const char *name = ia_rc_name(rc);
        assert_true(name && name[0]);
        assert_int_equal(ia_rc_from_name(name), rc);
        assert_in_range(ia_rc_exit(rc), 0, 7);
        assert_in_range(ia_rc_http(rc), 200, 599);
        assert_true(rc == IA_OK ? ia_rc_exit(rc) == 0 : ia_rc_exit(rc) != 0);
    }
    assert_int_equal(ia_rc_from_name("NO_SUCH_CODE"), IA_RC_COUNT);
}

static void a_number_that_is_no_code_is_internal(void **state)
{
    (void)state;
    assert_string_equal(ia_rc_name((enum ia_rc)9999), "INTERNAL");
    assert_int_equal(ia_rc_exit(IA_RC_COUNT), 3);
    assert_false(ia_rc_retryable(IA_RC_COUNT));
    assert_true(ia_rc_retryable(IA_E_API_OVERLOADED));
}

static void outcomes_have_names(void **state)
{
    (void)state;
    assert_string_equal(ia_outcome_name(IA_OUTCOME_NONE), "");
    assert_string_equal(ia_outcome_name(IA_OUTCOME_NOT_SENT), "not_sent");
    assert_string_equal(ia_outcome_name(IA_OUTCOME_SENT), "sent");
    assert_string_equal(ia_outcome_name(IA_OUTCOME_UNKNOWN), "unknown");
    assert_string_equal(ia_outcome_name((enum ia_outcome)77), "");
}

static void setting_clears_what_was_there(void **state)
{
    (void)state;
    struct ia_err err = {.http_status = 500, .outcome = IA_OUTCOME_SENT, .retry_safe = true};
    assert_int_equal(ia_err_set(&err, IA_E_IO, "cannot read %s", "x"), IA_E_IO);
    assert_string_equal(err.msg, "cannot read x");
    assert_string_equal(err.hint, "");
    assert_int_equal(err.http_status, 0);
    assert_int_equal(err.outcome, IA_OUTCOME_NONE);
    assert_int_equal(err.retry_after_ms, -1);
    assert_false(err.retry_safe);
}

static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char text[2000];
    struct ia_err err;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', sizeof(text));
        for (size_t i = shift; i + 3 < sizeof(text); i += 3) {
            memcpy(text + i, "\xe2\x82\xac", 3);
        }
        text[sizeof(text) - 1] = '\0';
        (void)ia_err_set(&err, IA_E_IO, "%s", text);
        size_t n = strlen(err.msg);
        assert_true(n >= sizeof(err.msg) - 3);
        assert_int_equal((n - shift) % 3, 0);
        assert_memory_equal(err.msg, text, n);
    }
}

static void wrapping_keeps_everything_but_the_message(void **state)
{
    (void)state;
    struct ia_err err;
    (void)ia_err_set(&err, IA_E_API_RATE, "slow down");
    ia_err_hint(&err, "wait %d s", 3);
    err.http_status = 429;
    err.retry_after_ms = 3000;
    err.outcome = IA_OUTCOME_UNKNOWN;
    assert_int_equal(ia_err_wrap(&err, IA_E_API_RATE, "turn %d", 2), IA_E_API_RATE);
    assert_string_equal(err.msg, "turn 2: slow down");
    assert_string_equal(err.hint, "wait 3 s");
    assert_int_equal(err.http_status, 429);
    assert_int_equal(err.retry_after_ms, 3000);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
}

static void wrapping_a_full_message_cuts_its_end(void **state)
{
    (void)state;
    struct ia_err err;
    char text[2000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)ia_err_set(&err, IA_E_IO, "%s", text);
    (void)ia_err_wrap(&err, IA_E_IO, "here");
    assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
    assert_memory_equal(err.msg, "here: xxxx", 10);
}

static void no_error_wanted_still_gives_the_code(void **state)
{
    (void)state;
    assert_int_equal(ia_err_set(NULL, IA_E_BUSY, "x"), IA_E_BUSY);
    assert_int_equal(ia_err_wrap(NULL, IA_E_BUSY, "x"), IA_E_BUSY);
    ia_err_hint(NULL, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_name_of_its_own),
        cmocka_unit_test(a_number_that_is_no_code_is_internal),
        cmocka_unit_test(outcomes_have_names),
        cmocka_unit_test(setting_clears_what_was_there),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(wrapping_keeps_everything_but_the_message),
        cmocka_unit_test(wrapping_a_full_message_cuts_its_end),
        cmocka_unit_test(no_error_wanted_still_gives_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
