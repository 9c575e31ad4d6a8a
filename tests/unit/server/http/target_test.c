/* target_test.c: which targets are read, and as what. */
#include "server/http/target.h"

#include "test.h"

static void reads_a_path_and_its_query(void **state)
{
    (void)state;
    struct ia_target t;
    struct ia_err err = {0};
    assert_int_equal(
        ia_target_parse("/v1/runs/a%20b%c3%a4?state=passed&limit=5&q=1+2%2B3&flag&e=a=b", &t,
                        &err),
        IA_OK);
    assert_string_equal(t.path, "/v1/runs/a b\xc3\xa4");
    assert_int_equal(t.members, 5);
    assert_string_equal(ia_target_query(&t, "state"), "passed");
    assert_string_equal(ia_target_query(&t, "limit"), "5");
    assert_string_equal(ia_target_query(&t, "q"), "1 2+3");
    assert_string_equal(ia_target_query(&t, "flag"), "");
    assert_string_equal(ia_target_query(&t, "e"), "a=b");
    assert_null(ia_target_query(&t, "State"));
    ia_target_fini(&t);
}

static void one_path_has_one_spelling(void **state)
{
    (void)state;
    static const char *const good[] = {
        "/", "/v1", "/app/", "/app/main.js", "/v1/runs/...", "/a.b", "/v1/%7e", "/?", "/x?a=1&",
    };
    for (size_t i = 0; i < IA_COUNTOF(good); i++) {
        struct ia_target t;
        struct ia_err err = {0};
        if (ia_target_parse(good[i], &t, &err) != IA_OK) {
            fail_msg("%s: %s", good[i], err.msg);
        }
        ia_target_fini(&t);
    }
    static const char *const bad[] = {
        "",
        "*",
        "v1/daemon",
        "http://127.0.0.1/v1/daemon",
        "//v1/daemon",
        "/v1//daemon",
        "/v1/./daemon",
        "/v1/../daemon",
        "/..",
        "/.",
        "/app/%2e%2e/v1/daemon",
        "/app/%2E%2e",
        "/app/.%2e/x",
        "/v1%2fdaemon",
        "/v1%2Fdaemon",
        "/v1/dae%00mon",
        "/v1/daemon%00",
        "/v1/dae%0amon",
        "/v1/dae%7fmon",
        "/v1\\daemon",
        "/v1/%5c",
        "/v1/%",
        "/v1/%4",
        "/v1/%zz",
        "/v1/%ff",
        "/v1/%c0%af",
        "/v1/dae mon",
        "/v1/\xc3\xa4",
        "/v1?a=%00",
        "/v1?%00=a",
        "/v1?=a",
        "/v1?a=1&&b",
        "/v1?a=1&a=2",
        "/v1?a=1&%61=2",
        "/v1?a=%ed%a0%80",
    };
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_target t;
        struct ia_err err = {0};
        if (ia_target_parse(bad[i], &t, &err) != IA_E_PARSE || !err.msg[0]) {
            fail_msg("%s was read", bad[i]);
        }
    }
}

static void a_query_has_up_to_its_members(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        struct ia_buf raw = IA_BUF(4096);
        ia_buf_puts(&raw, "/x");
        for (int i = 0; i < IA_HTTP_QUERY_MAX + extra; i++) {
            ia_buf_printf(&raw, "%ca%d=%d", i == 0 ? '?' : '&', i, i);
        }
        struct ia_target t;
        struct ia_err err = {0};
        enum ia_rc rc = ia_target_parse(ia_buf_cstr(&raw), &t, &err);
        assert_int_equal(rc, extra ? IA_E_PARSE : IA_OK);
        if (rc == IA_OK) {
            assert_string_equal(ia_target_query(&t, "a31"), "31");
            ia_target_fini(&t);
        }
        ia_buf_fini(&raw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_path_and_its_query),
        cmocka_unit_test(one_path_has_one_spelling),
        cmocka_unit_test(a_query_has_up_to_its_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
