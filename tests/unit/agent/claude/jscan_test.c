/* The JSON scanner: what it accepts, what it finds and patches, how cut-off text is closed. */
#include "test.h"

#include "agent/claude/jscan.h"

static void exactly_json_is_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {
        "{}",
        "[]",
        " [1 , -0.5e+10,true,false,null] ",
        "\"\\u0000\\ud800\"",
        "\"\xC3\xA9\"",
        "{\"a\":{\"b\":[[]]}}",
        "0",
        "-1",
        "\"12345678\\\"\"",
    };
    static const char *const bad[] = {
        "",          "{",
        "[1,]",      "{\"a\":1,}",
        "{a:1}",     "01",
        "1.",        "-",
        "+1",        ".5",
        "1e",        "tru",
        "\"\\x\"",   "\"\\u12g4\"",
        "\"a",       "\"\n\"",
        "\"\xFF\"",  "[1] 2",
        "{\"a\" 1}", "{\"a\":}",
        "[1 2]",     "'a'",
        "{\"a\":1]", "\"\xC3\"",
        "nul",       "\"1234567\x01\"",
    };
    for (size_t i = 0; i < IA_COUNTOF(good); i++) {
        if (!ia_json_valid(ia_str(good[i]))) {
            fail_msg("refused: %s", good[i]);
        }
    }
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        if (ia_json_valid(ia_str(bad[i]))) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

static void nesting_is_capped(void **state)
{
    (void)state;
    char text[2 * IA_JSCAN_DEPTH + 3] = {0};
    memset(text, '[', IA_JSCAN_DEPTH);
    memset(text + IA_JSCAN_DEPTH, ']', IA_JSCAN_DEPTH);
    assert_true(ia_json_valid(ia_str(text)));
    memset(text, '[', IA_JSCAN_DEPTH + 1);
    memset(text + IA_JSCAN_DEPTH + 1, ']', IA_JSCAN_DEPTH + 1);
    assert_false(ia_json_valid(ia_str(text)));
}

static void cut_off_text_is_closed_after_its_last_complete_value(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want; /* NULL: nothing is whole */
    } rows[] = {
        {"{\"a\":1,\"b\":[true,{\"c\":\"x", "{\"a\":1,\"b\":[true,{}]}"},
        {"{\"a\":\"x\",", "{\"a\":\"x\"}"},
        {"{\"a\":12", "{}"},
        {"{\"a\":12,", "{\"a\":12}"},
        {"{\"a\"", "{}"},
        {"[1,2", "[1]"},
        {"{\"a\":[1]", "{\"a\":[1]}"},
        {"{\"a\":1} ", "{\"a\":1}"},
        {"{\"a\":1} x", "{\"a\":1}"},
        {"\"abc", NULL},
        {"", NULL},
        {"nope", NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(1024);
        bool got = ia_json_close(ia_str(rows[i].text), &out);
        if (got != (rows[i].want != NULL) || (got && strcmp(out.p, rows[i].want) != 0)) {
            fail_msg("%s: %s", rows[i].text, got ? out.p : "nothing");
        }
        ia_buf_fini(&out);
    }
}

static void strings_are_decoded_and_surrogates_fixed(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *text, *mended;
    } rows[] = {
        {"a\\\"\\\\\\/\\b\\f\\n\\r\\t", "a\"\\/\b\f\n\r\t", "a\\\"\\\\\\/\\b\\f\\n\\r\\t"},
        {"\\u00e9\\u20AC", "\xC3\xA9\xE2\x82\xAC", "\\u00e9\\u20AC"},
        {"\\ud83d\\ude00", "\xF0\x9F\x98\x80", "\\ud83d\\ude00"},
        {"\\ud83dx\\ude00", "\xEF\xBF\xBDx\xEF\xBF\xBD", "\\ufffdx\\ufffd"},
        {"\\ud83d\\ud83d\\ude00", "\xEF\xBF\xBD\xF0\x9F\x98\x80", "\\ufffd\\ud83d\\ude00"},
        {"\\ud83d\\u0041",
         "\xEF\xBF\xBD"
         "A",
         "\\ufffd\\u0041"},
        {"\\\\ud83d", "\\ud83d", "\\\\ud83d"},
        {"", "", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf text = IA_BUF(256);
        struct ia_buf mended = IA_BUF(256);
        ia_jstr_decode((struct ia_jstr){ia_str(rows[i].raw), true, true}, &text);
        ia_jstr_fix_surrogates(ia_str(rows[i].raw), &mended);
        assert_string_equal(ia_buf_cstr(&text), rows[i].text);
        assert_string_equal(ia_buf_cstr(&mended), rows[i].mended);
        ia_buf_fini(&text);
        ia_buf_fini(&mended);
    }
}

static void members_are_found_and_patched(void **state)
{
    (void)state;
    struct ia_str object =
        ia_str("{\"a\": 1, \"b\" : \"x\\ny\",\"a\":2,\"big\":12345678901234567890}");
    struct ia_buf out = IA_BUF(256);
    const struct ia_jpair pairs[] = {{ia_str("b"), ia_str("null")}, {ia_str("c"), ia_str("3")}};
    assert_int_equal(ia_json_get_int(object, "a", -1), 2);
    assert_int_equal(ia_json_get_int(object, "b", -1), -1);
    assert_int_equal(ia_json_get_int(object, "big", -1), -1);
    assert_int_equal(ia_json_get(object, "none").n, 0);
    assert_int_equal(ia_json_get(ia_str("[1]"), "a").n, 0);
    char *text = ia_json_get_string(object, "b");
    assert_string_equal(text, "x\ny");
    free(text);
    assert_null(ia_json_get_string(object, "a"));
    assert_true(ia_json_patch(ia_str("{\"a\":1,\"b\":2}"), pairs, 2, &out));
    assert_string_equal(out.p, "{\"a\":1,\"b\":null,\"c\":3}");
    ia_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_json_is_accepted),
        cmocka_unit_test(nesting_is_capped),
        cmocka_unit_test(cut_off_text_is_closed_after_its_last_complete_value),
        cmocka_unit_test(strings_are_decoded_and_surrogates_fixed),
        cmocka_unit_test(members_are_found_and_patched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
