/* The old ASCII form of property lists. */
#include "test.h"

#include "base/buf.h"
#include "driver/simctl/openstep.h"

static void values_are_read_as_json(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"{}", "{}"},
        {"( )", "[]"},
        {" word ", "\"word\""},
        {"{ a = b; }", "{\"a\":\"b\"}"},
        {"{\"com.apple.Bridge\" =     {\n  ApplicationType = System;\n  SBAppTags =     (\n    "
         "\"watch-companion\",\n    b\n  );\n  };\n}",
         "{\"com.apple.Bridge\":{\"ApplicationType\":\"System\",\"SBAppTags\":[\"watch-"
         "companion\","
         "\"b\"]}}"},
        {"\"\\U793a\\U4f8b \\Ud83d\\Ude00 \\\"q\\\" \\\\ \\n\\t\"",
         "\"示例 😀 \\\"q\\\" \\\\ \\n\\t\""},
        {"\"\\101\\U0041\"", "\"AA\""},
        {"'it''", NULL},
        {"'single'", "\"single\""},
        {"{ n = 1.5; p = /Users/ada/x.app; u = file:; }",
         "{\"n\":\"1.5\",\"p\":\"/Users/ada/x.app\",\"u\":\"file:\"}"},
        {"{ d = <0fbd77 1c2735ae>; }", "{\"d\":\"<0fbd77 1c2735ae>\"}"},
        {"{ d = {length = 4, bytes = 0x01020304 05060708}; }",
         "{\"d\":{\"length\":\"4\",\"bytes\":\"0x01020304 05060708\"}}"},
        {"// a comment\n{ /* another */ a = b; }", "{\"a\":\"b\"}"},
        {"{ a = b }", "{\"a\":\"b\"}"},
        {"{ a = 1; a = 2; }", "{\"a\":\"2\"}"},
        {"(a, b,)", "[\"a\",\"b\"]"},
        {"\"\\Ud83d alone\"", "\"\xEF\xBF\xBD alone\""},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        json_t *v = NULL;
        struct ia_err err = {0};
        enum ia_rc rc = ia_openstep_parse(ia_str(cases[i].text), &v, &err);
        if (!cases[i].json) {
            assert_int_equal(rc, IA_E_PARSE);
            continue;
        }
        if (rc != IA_OK) {
            fail_msg("%s: %s", cases[i].text, err.msg);
        }
        char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
        assert_string_equal(text, cases[i].json);
        free(text);
        json_decref(v);
    }
}

static void errors_name_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *in_msg;
    } cases[] = {
        {"", "empty"},
        {"{\n a = b;\n", "line 3"},
        {"{ a b; }", "= is missing"},
        {"{ a = ; }", "value is missing"},
        {"{ a = b \"c\"; }", "; is missing"},
        {"(a b \"c\")", "a comma is missing"},
        {"\"open", "is not terminated"},
        {"<00", "is not terminated"},
        {"{} {}", "after the end"},
        {"\"\xFF\"", "UTF-8"},
        {"An error was encountered processing the command (x)", "after the end"},
        {"<0g>", "hexadecimal"},
        {"/* open", "value is missing"},
        {"}", "value is missing"},
        {"\"\\", "is not terminated"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        json_t *v = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_openstep_parse(ia_str(cases[i].text), &v, &err), IA_E_PARSE);
        assert_null(v);
        if (!strstr(err.msg, cases[i].in_msg)) {
            fail_msg("%s: %s", cases[i].text, err.msg);
        }
    }
}

static void depth_is_capped(void **state)
{
    (void)state;
    struct ia_buf text = IA_BUF(1 << 20);
    json_t *v = NULL;
    struct ia_err err = {0};
    for (int i = 0; i < 100000; i++) {
        ia_buf_putc(&text, '(');
    }
    assert_int_equal(ia_openstep_parse(ia_buf_str(&text), &v, &err), IA_E_LIMIT);
    ia_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_json),
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(depth_is_capped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
