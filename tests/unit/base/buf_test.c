/* The growing buffer: its cap, what a failure leaves, and that it always ends with a zero
 * byte. */
#include "test.h"

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

static void a_formatted_text_that_does_not_fit_changes_nothing(void **state)
{
    (void)state;
    for (size_t max = 0; max < 140; max++) {
        struct ia_buf b = IA_BUF(max);
        ia_buf_puts(&b, max >= 3 ? "abc" : "");
        ia_buf_printf(&b, "%0120d", 7);
        assert_int_equal(ia_buf_ok(&b), max >= 123);
        assert_int_equal(strlen(ia_buf_cstr(&b)), b.len);
        assert_int_equal(b.len, max >= 123 ? 123 : max >= 3 ? 3 : 0);
        ia_buf_printf(&b, "%d", 1);
        assert_int_equal(ia_buf_ok(&b), max >= 124);
        ia_buf_fini(&b);
    }
}

static void a_buffer_without_a_cap_does_not_wrap(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(SIZE_MAX);
    ia_buf_puts(&b, "abc");
    assert_null(ia_buf_reserve(&b, SIZE_MAX));
    assert_false(ia_buf_ok(&b));
    assert_string_equal(ia_buf_cstr(&b), "abc");
    ia_buf_reset(&b);
    assert_null(ia_buf_reserve(&b, SIZE_MAX - 1 + 1));
    ia_buf_fini(&b);
}

static void room_that_is_reserved_counts_only_when_used(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(10);
    char *room = ia_buf_reserve(&b, 10);
    assert_non_null(room);
    assert_int_equal(b.len, 0);
    memcpy(room, "xy", 2);
    ia_buf_grew(&b, 2);
    assert_string_equal(ia_buf_cstr(&b), "xy");
    assert_null(ia_buf_reserve(&b, 9));
    ia_buf_reset(&b);
    assert_true(ia_buf_ok(&b));
    assert_string_equal(ia_buf_cstr(&b), "");
    assert_int_equal(ia_buf_check(&b, "x", NULL), IA_OK);
    ia_buf_fini(&b);
}

static void an_empty_buffer_is_an_empty_string(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(10);
    assert_string_equal(ia_buf_cstr(&b), "");
    ia_buf_consume(&b, 5);
    ia_buf_cut(&b, 5);
    ia_buf_putstr(&b, (struct ia_str){NULL, 0});
    ia_buf_puts(&b, NULL);
    assert_true(ia_buf_ok(&b));
    assert_int_equal(ia_buf_str(&b).n, 0);
    char *s = ia_buf_steal(&b);
    assert_string_equal(s, "");
    free(s);
    s = ia_buf_steal(&b);
    assert_string_equal(s, "");
    free(s);
    ia_buf_puts(&b, "abc");
    ia_buf_consume(&b, 99);
    assert_string_equal(ia_buf_cstr(&b), "");
    ia_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_grow_and_stay_terminated),
        cmocka_unit_test(the_cap_fails_stickily_and_keeps_what_was_there),
        cmocka_unit_test(consume_and_cut_keep_the_rest),
        cmocka_unit_test(a_formatted_text_that_does_not_fit_changes_nothing),
        cmocka_unit_test(a_buffer_without_a_cap_does_not_wrap),
        cmocka_unit_test(room_that_is_reserved_counts_only_when_used),
        cmocka_unit_test(an_empty_buffer_is_an_empty_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
