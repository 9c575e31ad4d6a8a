#include "../test.h"

#include "base/buf.h"

static void appends_grow_and_stay_terminated(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1000);
    for (int i = 0; i < 100; i++) {
        ia_buf_printf(&b, "%d,", i % 10);
    }
    assert_true(ia_buf_ok(&b));
    assert_int_equal(b.len, 200);
    assert_int_equal(strlen(ia_buf_cstr(&b)), 200);
    ia_buf_fini(&b);
}

static void the_cap_fails_stickily_and_keeps_what_was_there(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(4);
    struct ia_err err;
    ia_buf_puts(&b, "abcd");
    assert_true(ia_buf_ok(&b));
    ia_buf_putc(&b, 'e');
    ia_buf_puts(&b, "");
    assert_false(ia_buf_ok(&b));
    assert_string_equal(ia_buf_cstr(&b), "abcd");
    assert_int_equal(ia_buf_check(&b, "the thing", &err), IA_E_LIMIT);
    assert_non_null(strstr(err.msg, "the thing is larger than 4 bytes"));
    ia_buf_fini(&b);
}

static void consume_and_cut_keep_the_rest(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(100);
    ia_buf_puts(&b, "hello world");
    ia_buf_consume(&b, 6);
    assert_string_equal(ia_buf_cstr(&b), "world");
    ia_buf_cut(&b, 2);
    assert_string_equal(ia_buf_cstr(&b), "wo");
    char *s = ia_buf_steal(&b);
    assert_string_equal(s, "wo");
    assert_int_equal(b.len, 0);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_grow_and_stay_terminated),
        cmocka_unit_test(the_cap_fails_stickily_and_keeps_what_was_there),
        cmocka_unit_test(consume_and_cut_keep_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
