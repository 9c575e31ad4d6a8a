#include "test.h"

#include "base/envelope.h"

static const struct ia_str none = {NULL, 0};

static void what_a_terminal_obeys_is_escaped_in_a_line(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(6000);
    assert_int_equal(
        ia_envelope_line(&out, ia_str("a\xe2\x80\xae"), ia_str("{\"n\":1}"), IA_OK, NULL, 1000),
        IA_OK);
    assert_string_equal(
        ia_buf_cstr(&out),
        "{\"status\":\"ok\",\"stdout\":\"a\\u202e\",\"result\":{\"n\":1},\"error\":null}\n");
    ia_buf_fini(&out);
}

static void a_larger_one_than_fits_says_so(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(6000), text = IA_BUF(2000);
    for (int i = 0; i < 1500; i++) {
        ia_buf_putc(&text, 'x');
    }
    assert_int_equal(ia_envelope_line(&out, ia_buf_str(&text), none, IA_OK, NULL, 1000),
                     IA_E_LIMIT);
    assert_non_null(strstr(ia_buf_cstr(&out), "\"code\":\"LIMIT\""));
    assert_non_null(strstr(ia_buf_cstr(&out), "larger than 1000 bytes"));
    assert_null(strstr(ia_buf_cstr(&out), "xxx"));
    ia_buf_fini(&out);
    ia_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_terminal_obeys_is_escaped_in_a_line),
        cmocka_unit_test(a_larger_one_than_fits_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
