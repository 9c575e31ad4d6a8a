/* headers_test.c: OTEL_EXPORTER_OTLP_HEADERS as header lines. */
#include "telemetry/headers.h"

#include "test.h"

#include <string.h>

static void members_become_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines[3];
    } cases[] = {
        {"", {NULL}},
        {" , ,", {NULL}},
        {"api-key=abc", {"api-key: abc", NULL}},
        {" api-key = abc , x-tenant=a%20b%2Cc ", {"api-key: abc", "x-tenant: a b,c", NULL}},
        {"authorization=Basic%20dXNlcg==", {"authorization: Basic dXNlcg==", NULL}},
        {"a=", {"a: ", NULL}},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char *got[IA_OTLP_HEADERS_MAX + 1];
        assert_int_equal(ia_otlp_headers_parse(ia_str(cases[i].text), got, NULL), IA_OK);
        size_t n = 0;
        for (; cases[i].lines[n]; n++) {
            assert_string_equal(got[n], cases[i].lines[n]);
        }
        assert_null(got[n]);
        ia_otlp_headers_free(got);
    }
}

static void what_is_no_header_is_refused_without_its_value(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "hush",      "=hush",
        "a b=hush",  "a=hush%0d%0ax: y",
        "a=hush%",   "a=hush%zz",
        "a=hush%00", "good=1,hush",
        "a:b=hush",  "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=hush",
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char *got[IA_OTLP_HEADERS_MAX + 1];
        struct ia_err err;
        assert_int_equal(ia_otlp_headers_parse(ia_str(cases[i]), got, &err), IA_E_USAGE);
        assert_null(got[0]);
        assert_null(strstr(err.msg, "hush"));
        assert_null(strstr(err.hint, "hush"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_become_lines),
        cmocka_unit_test(what_is_no_header_is_refused_without_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
