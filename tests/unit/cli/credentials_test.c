#include "../test.h"

#include "cli/credentials.h"

static void a_key_leaves_the_environment_and_the_place_where_it_stood(void **state)
{
    (void)state;
    assert_int_equal(setenv("ANTHROPIC_API_KEY", "sk-test-0123456789", 1), 0);
    assert_int_equal(setenv("ANTHROPIC_AUTH_TOKEN", "", 1), 0);
    const char *stood = getenv("ANTHROPIC_API_KEY");
    struct ia_credentials *c = ia_credentials_take();
    assert_string_equal(ia_credentials_api_key(c), "sk-test-0123456789");
    assert_null(ia_credentials_auth_token(c));
    assert_null(getenv("ANTHROPIC_API_KEY"));
    assert_null(getenv("ANTHROPIC_AUTH_TOKEN"));
    for (size_t i = 0; i < strlen("sk-test-0123456789"); i++) {
        assert_int_equal(stood[i], '\0');
    }
    ia_credentials_free(c);
}

static void without_variables_there_is_nothing(void **state)
{
    (void)state;
    unsetenv("ANTHROPIC_API_KEY");
    unsetenv("ANTHROPIC_AUTH_TOKEN");
    struct ia_credentials *c = ia_credentials_take();
    assert_null(ia_credentials_api_key(c));
    assert_null(ia_credentials_auth_token(c));
    ia_credentials_free(c);
    ia_credentials_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_leaves_the_environment_and_the_place_where_it_stood),
        cmocka_unit_test(without_variables_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
