#include "test.h"

#include "agent/goal/vars.h"

#define VAR(name, value)                                                                       \
    {                                                                                          \
        {name, sizeof(name) - 1}, value, false                                                 \
    }

static const struct ia_var file_items[] = {
    VAR("user", "ada"),
    VAR("host", "{{HOST|localhost}}"),
    VAR("url", "http://{{host}}/"),
    VAR("a", "{{b}}"),
    VAR("b", "{{c}}"),
    VAR("c", "{{a}}"),
    VAR("self", "{{self}}"),
    VAR("d1", "{{d2}}"),
    VAR("d2", "{{d3}}"),
    VAR("d3", "{{d4}}"),
    VAR("d4", "{{d5}}"),
    VAR("d5", "{{d6}}"),
    VAR("d6", "{{d7}}"),
    VAR("d7", "{{d8}}"),
    VAR("d8", "{{d9}}"),
    VAR("d9", "deep"),
    VAR("empty", ""),
    VAR("ten", "0123456789"),
    VAR("leak", "x{{PASSWORD}}"),
};
static const struct ia_var flag_items[] = {VAR("user", "bob"), VAR("port", "80")};
static const struct ia_var input_items[] = {{{"who", 3}, "{{user}}", true}};
static const char *const env[] = {"HOST=example.com", "EMPTY=", "PASSWORD=hunter2",
                                  "AWS_KEY=hunter2", NULL};
static const char *const env_names[] = {"HOST", "EMPTY", "PASSWORD"};
static const char *const secrets[] = {"PASSWORD"};

static const struct ia_vars file_vars = {.items = file_items,
                                         .count = IA_COUNTOF(file_items),
                                         .env_names = env_names,
                                         .env_name_count = IA_COUNTOF(env_names),
                                         .env = env};
static const struct ia_vars flag_vars = {
    .items = flag_items, .count = IA_COUNTOF(flag_items), .up = &file_vars};
static const struct ia_vars vars = {.items = input_items,
                                    .count = IA_COUNTOF(input_items),
                                    .secrets = secrets,
                                    .secret_count = 1,
                                    .up = &flag_vars};

static void texts_are_filled_in(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"a } b { c }} d", "a } b { c }} d"},
        {"{{port}}", "80"},
        {"<{{ port }}>", "<80>"},
        {"{{user}} and {{user}}", "bob and bob"},
        {"{{HOST}}", "example.com"},
        {"{{url}}x", "http://example.com/x"},
        {"{{EMPTY|e}}", "e"},
        {"{{empty|e}}", ""},
        {"{{no|}}", ""},
        {"{{AWS_KEY|none}}", "none"}, /* in the environment, but not declared */
        {"{{no|a | b}}", "a | b"},
        {"{{no|{{}}", "{{"},
        {"{{who}}", "{{user}}"},
        {"{{d2}}", "deep"},
        {"type {{secret:PASSWORD}}", "type {{secret:PASSWORD}}"},
        {"{{ secret:PASSWORD }}", "{{secret:PASSWORD}}"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(1000);
        struct ia_err err = {0};
        assert_int_equal(ia_vars_fill(&vars, ia_str(rows[i].text), &out, &err), IA_OK);
        assert_string_equal(ia_buf_cstr(&out), rows[i].want);
        ia_buf_fini(&out);
    }
}

static void mistakes_say_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ia_rc rc;
        const char *say, *hint;
    } rows[] = {
        {"{{usr}}", IA_E_CONFIG, "\"usr\" is not set", "{{user}}"},
        {"{{AWS_KEY}}", IA_E_CONFIG, "\"AWS_KEY\" is not set", "env = [\"AWS_KEY\"]"},
        {"{{SOMETHING_ELSE}}", IA_E_CONFIG, "is not set", "--var SOMETHING_ELSE="},
        {"{{EMPTY}}", IA_E_CONFIG, "\"EMPTY\" is not set", ""},
        {"{{a}}", IA_E_CONFIG, "a \xe2\x86\x92 b \xe2\x86\x92 c \xe2\x86\x92 a", ""},
        {"{{self}}", IA_E_CONFIG, "self \xe2\x86\x92 self", ""},
        {"{{d1}}", IA_E_LIMIT, "deep", ""},
        {"{{", IA_E_CONFIG, "without }}", ""},
        {"{{user}", IA_E_CONFIG, "without }}", ""},
        {"{{}}", IA_E_CONFIG, "not a valid variable name", ""},
        {"{{a b}}", IA_E_CONFIG, "not a valid variable name", ""},
        {"{{a\nb}}", IA_E_CONFIG, "not a valid variable name", ""},
        {"{{PASSWORD}}", IA_E_CONFIG, "is a secret", "{{secret:PASSWORD}}"},
        {"{{PASSWORD|x}}", IA_E_CONFIG, "is a secret", ""},
        {"{{leak}}", IA_E_CONFIG, "is a secret", ""},
        {"{{secret:OTHER}}", IA_E_CONFIG, "not one of the goal's secrets", "secrets ="},
        {"{{secret:}}", IA_E_CONFIG, "not one of the goal's secrets", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(1000);
        struct ia_err err = {0};
        assert_int_equal(ia_vars_fill(&vars, ia_str(rows[i].text), &out, &err), rows[i].rc);
        assert_non_null(strstr(err.msg, rows[i].say));
        assert_non_null(strstr(err.hint, rows[i].hint));
        assert_null(strstr(err.msg, "hunter2"));
        ia_buf_fini(&out);
    }
}

static void what_grows_without_end_is_stopped(void **state)
{
    (void)state;
    struct ia_buf text = IA_BUF(1 << 20);
    for (int i = 0; i <= IA_VAR_USES_MAX; i++) {
        ia_buf_puts(&text, "{{empty}}");
    }
    struct ia_buf out = IA_BUF(100);
    assert_int_equal(ia_vars_fill(&vars, ia_buf_str(&text), &out, NULL), IA_E_LIMIT);
    ia_buf_fini(&out);
    ia_buf_reset(&text);
    for (int i = 0; i < 11; i++) {
        ia_buf_puts(&text, "{{ten}}");
    }
    out = IA_BUF(100);
    assert_int_equal(ia_vars_fill(&vars, ia_buf_str(&text), &out, NULL), IA_E_LIMIT);
    ia_buf_fini(&out);
    ia_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_filled_in),
        cmocka_unit_test(mistakes_say_what_is_wrong),
        cmocka_unit_test(what_grows_without_end_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
