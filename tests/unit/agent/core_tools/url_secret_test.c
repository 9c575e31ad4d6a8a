/* url_secret_test.c: a URL takes no secret of a run along. */
#include "agent/core_tools/url_secret.h"

#include "test.h"

#include <string.h>

static enum ia_rc value(void *ctx, const char *name, struct ia_buf *ret, struct ia_err *err)
{
    (void)ctx;
    (void)err;
    ia_buf_puts(ret, strcmp(name, "pin") == 0 ? "S3cret pass/word" : "");
    return IA_OK;
}

static void a_url_with_a_secret_is_refused_however_it_is_written(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        enum ia_rc rc;
    } cases[] = {
        {"https://example.com/page?q=hello", IA_OK},
        {"https://example.com/%7Bfine%7D", IA_OK},
        {"https://example.com/?q={{secret:pin}}", IA_E_USAGE},
        {"https://example.com/?q={{secret:other}}", IA_E_USAGE},
        {"https://example.com/?q=%7B%7Bsecret:pin%7D%7D", IA_E_USAGE},
        {"https://example.com/?q=%257B%257Bsecret%253Apin", IA_E_USAGE},
        {"https://example.com/?q=S3cret%20pass%2Fword", IA_E_USAGE},
        {"https://example.com/?q=S3cret+pass%2fword", IA_E_USAGE},
        {"https://example.com/?q=S3cret%2520pass%252Fword", IA_E_USAGE},
        {"https://example.com/?q=%53%33%63%72%65%74%20%70%61%73%73%2f%77%6f%72%64", IA_E_USAGE},
        {"https://s3cretpassword.example.com/", IA_E_USAGE},
        {"https://example.com/s3cret-pass-word", IA_E_USAGE},
        {"https://example.com/%00S3cret%20pass%2Fword", IA_E_USAGE},
        {"https://example.com/%", IA_OK},
        {"https://example.com/%4", IA_OK},
    };
    const char *const names[] = {"pin"};
    const struct ia_run_request req = {.secrets = names, .secret_count = 1};
    const struct ia_secret_lookup lookup = {.value = value};
    struct ia_secrets *secrets = NULL;
    struct ia_err err;
    assert_int_equal(ia_secrets_new(NULL, &lookup, &req, NULL, &secrets, &err), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        enum ia_rc rc = ia_url_secret_check(secrets, ia_str(cases[i].url), &err);
        if (rc != cases[i].rc) {
            fail_msg("%s: %s", cases[i].url, ia_rc_name(rc));
        }
        assert_true(rc == IA_OK || !strstr(err.msg, "S3cret"));
    }
    ia_secrets_free(secrets);
    assert_int_equal(ia_url_secret_check(NULL, ia_str("https://e.com/{{secret:x}}"), &err),
                     IA_E_USAGE);
    assert_int_equal(ia_url_secret_check(NULL, ia_str("https://e.com/"), &err), IA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_with_a_secret_is_refused_however_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
