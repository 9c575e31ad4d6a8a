#include "test.h"

#include "app/credentials.h"

static void a_key_leaves_the_environment_and_the_place_where_it_stood(void **state)
{
    (void)state;
    struct ia_credentials c;
    struct ia_err err;
    assert_int_equal(setenv("ANTHROPIC_API_KEY", "sk-test-0123456789", 1), 0);
    assert_int_equal(setenv("ANTHROPIC_AUTH_TOKEN", "", 1), 0);
    const char *stood = getenv("ANTHROPIC_API_KEY");
    assert_non_null(stood);
    assert_int_equal(ia_credentials_take(&c, &err), IA_OK);
    assert_true(ia_str_is(ia_secret_bytes(c.api_key), "sk-test-0123456789"));
    assert_null(c.auth_token);
    assert_null(getenv("ANTHROPIC_API_KEY"));
    assert_null(getenv("ANTHROPIC_AUTH_TOKEN"));
    for (size_t i = 0; stood && i < strlen("sk-test-0123456789"); i++) {
        assert_int_equal(stood[i], '\0');
    }
    ia_credentials_fini(&c);
    assert_null(c.api_key);
}

static void without_variables_there_is_nothing(void **state)
{
    (void)state;
    struct ia_credentials c;
    struct ia_err err;
    unsetenv("ANTHROPIC_API_KEY");
    unsetenv("ANTHROPIC_AUTH_TOKEN");
    assert_int_equal(ia_credentials_take(&c, &err), IA_OK);
    assert_null(c.api_key);
    assert_null(c.auth_token);
    ia_credentials_fini(&c);
}

static void a_value_that_is_no_key_is_refused_without_showing_it(void **state)
{
    (void)state;
    static char huge[IA_SECRET_BYTES_MAX + 2];
    struct ia_credentials c;
    struct ia_err err;
    memset(huge, 'k', sizeof(huge) - 1);
    assert_int_equal(setenv("ANTHROPIC_AUTH_TOKEN", huge, 1), 0);
    assert_int_equal(ia_credentials_take(&c, &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "ANTHROPIC_AUTH_TOKEN"));
    assert_null(strstr(err.msg, "kkkk"));
    assert_null(getenv("ANTHROPIC_AUTH_TOKEN"));
    ia_credentials_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_leaves_the_environment_and_the_place_where_it_stood),
        cmocka_unit_test(without_variables_there_is_nothing),
        cmocka_unit_test(a_value_that_is_no_key_is_refused_without_showing_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
