/* The JSON writer: commas, nesting, escapes, numbers, base64, and buffers that are full. */
#include "tmpdir.h"

#include "base/jsonw.h"

#include <math.h>

static void commas_and_nesting_come_out_right(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1000);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "a", "x");
    ia_jsonw_kv(&w, "none", NULL);
    ia_jsonw_key(&w, "list");
    ia_jsonw_array(&w);
    ia_jsonw_int(&w, INT64_MIN);
    ia_jsonw_array(&w);
    ia_jsonw_end_array(&w);
    ia_jsonw_object(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_null(&w);
    ia_jsonw_raw(&w, ia_str("{\"r\":1}"));
    ia_jsonw_end_array(&w);
    ia_jsonw_kv_bool(&w, "t", true);
    ia_jsonw_kv_bool(&w, "f", false);
    ia_jsonw_kv_int(&w, "i", -5);
    ia_jsonw_kv_real(&w, "d", 0.5);
    ia_jsonw_end_object(&w);
    assert_true(ia_buf_ok(&b));
    assert_string_equal(ia_buf_cstr(&b),
                        "{\"a\":\"x\",\"none\":null,\"list\":[-9223372036854775808,[],{},null,"
                        "{\"r\":1}],\"t\":true,\"f\":false,\"i\":-5,\"d\":0.5}");
    ia_buf_fini(&b);
}

static void strings_are_escaped_and_made_valid(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *json;
    } rows[] = {
        {"", 0, ""},
        {"plain", 5, "plain"},
        {"\"\\/", 3, "\\\"\\\\/"},
        {"\b\t\n\f\r", 5, "\\b\\t\\n\\f\\r"},
        {"\0\x01\x1f\x7f", 4, "\\u0000\\u0001\\u001f\\u007f"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"a\xff"
         "b",
         3,
         "a\xef\xbf\xbd"
         "b"},
        {"\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(1000);
        ia_json_escape(&b, (struct ia_str){rows[i].bytes, rows[i].n});
        assert_string_equal(ia_buf_cstr(&b), rows[i].json);
        ia_buf_fini(&b);
    }
}

static void reals_have_the_fewest_digits_that_read_back(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *json;
    } rows[] = {
        {0, "0"},
        {1, "1"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {1e21, "1e+21"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {5e-324, "5e-324"},
        {NAN, "null"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(100);
        struct ia_jsonw w;
        ia_jsonw_init(&w, &b);
        ia_jsonw_real(&w, rows[i].v);
        assert_string_equal(ia_buf_cstr(&b), rows[i].json);
        ia_buf_fini(&b);
    }
}

static void base64_is_rfc_4648(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"}, /* section 10 */
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char want[64];
        struct ia_buf b = IA_BUF(100);
        struct ia_jsonw w;
        ia_jsonw_init(&w, &b);
        ia_jsonw_base64(&w, rows[i][0], strlen(rows[i][0]));
        snprintf(want, sizeof(want), "\"%s\"", rows[i][1]);
        assert_string_equal(ia_buf_cstr(&b), want);
        ia_buf_fini(&b);
    }
}

static void a_file_becomes_the_same_base64_as_its_bytes(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "f");
    static char bytes[40000];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 7 + i / 251);
    }
    static const size_t sizes[] = {0, 1, 12287, 12288, 12289, 12290, 40000};
    for (size_t i = 0; i < IA_COUNTOF(sizes); i++) {
        struct ia_buf a = IA_BUF(100000);
        struct ia_buf b = IA_BUF(100000);
        struct ia_jsonw wa;
        struct ia_jsonw wb;
        assert_int_equal(ia_file_write_atomic(path, bytes, sizes[i], 0600, NULL), IA_OK);
        ia_jsonw_init(&wa, &a);
        ia_jsonw_init(&wb, &b);
        ia_jsonw_base64(&wa, bytes, sizes[i]);
        assert_int_equal(ia_jsonw_base64_file(&wb, path, NULL), IA_OK);
        assert_string_equal(ia_buf_cstr(&a), ia_buf_cstr(&b));
        ia_buf_fini(&a);
        ia_buf_fini(&b);
    }
    free(path);
    tmpdir_free(dir);
}

static void a_file_that_cannot_be_encoded_is_an_error(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1000);
    struct ia_jsonw w;
    struct ia_err err;
    ia_jsonw_init(&w, &b);
    assert_int_equal(ia_jsonw_base64_file(&w, "/no/such", &err), IA_E_IO);
    assert_non_null(strstr(err.msg, "/no/such"));
    assert_int_equal(ia_jsonw_base64_file(&w, "/", &err), IA_E_IO);
    ia_buf_reset(&b);
    ia_jsonw_init(&w, &b);
    assert_int_equal(ia_jsonw_base64_file(&w, "/dev/zero", &err), IA_E_LIMIT); /* endless */
    ia_buf_fini(&b);
}

static void a_full_buffer_fails_at_the_end(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(5);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "key", "value");
    ia_jsonw_base64(&w, "abc", 3);
    ia_jsonw_end_object(&w);
    assert_false(ia_buf_ok(&b));
    ia_buf_fini(&b);
}

static void nesting_beyond_the_cap_fails(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1000);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    for (int i = 0; i < IA_JSONW_DEPTH; i++) {
        ia_jsonw_array(&w);
    }
    assert_true(ia_buf_ok(&b));
    ia_jsonw_array(&w);
    assert_false(ia_buf_ok(&b));
    for (int i = 0; i < 2 * IA_JSONW_DEPTH; i++) {
        ia_jsonw_end_array(&w);
    }
    ia_buf_fini(&b);
}

static void an_error_is_one_object(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1024);
    struct ia_jsonw w;
    struct ia_err err;
    ia_err_set(&err, IA_E_BUSY, "the phone is \"busy\"");
    ia_err_hint(&err, "wait");
    err.outcome = IA_OUTCOME_NOT_SENT;
    err.retry_safe = true;
    ia_jsonw_init(&w, &b);
    ia_jsonw_err(&w, &err);
    assert_string_equal(ia_buf_cstr(&b),
                        "{\"code\":\"BUSY\",\"message\":\"the phone is \\\"busy\\\"\","
                        "\"hint\":\"wait\",\"outcome\":\"not_sent\",\"retry_safe\":true}");
    ia_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_and_nesting_come_out_right),
        cmocka_unit_test(strings_are_escaped_and_made_valid),
        cmocka_unit_test(reals_have_the_fewest_digits_that_read_back),
        cmocka_unit_test(base64_is_rfc_4648),
        cmocka_unit_test(a_file_becomes_the_same_base64_as_its_bytes),
        cmocka_unit_test(a_file_that_cannot_be_encoded_is_an_error),
        cmocka_unit_test(a_full_buffer_fails_at_the_end),
        cmocka_unit_test(nesting_beyond_the_cap_fails),
        cmocka_unit_test(an_error_is_one_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
