/* Single values of the configuration: how each type is read, refused and shown. */
#include "test.h"

#include "base/config_schema.h"

static const struct ia_config_row yes_no = {.key = "t.flag", .type = IA_CFG_BOOL, .def = ""};
static const struct ia_config_row names = {.key = "t.names", .type = IA_CFG_LIST, .def = ""};
static const struct ia_config_row real = {
    .key = "t.real", .type = IA_CFG_REAL, .def = "", .min = -1, .max = 1};
static const struct ia_config_row url = {.key = "t.url", .type = IA_CFG_URL, .def = ""};
static const struct ia_config_row hook = {.key = "t.hook", .type = IA_CFG_HOOK, .def = ""};

static enum ia_rc parse(const struct ia_config_row *row, const char *text,
                        struct ia_config_value *ret, struct ia_err *err)
{
    return ia_config_value_parse(row, ia_str(text), "/folder", "/home/ada", ret, err);
}

static void a_boolean_is_true_or_false(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool value;
    } rows[] = {{"true", true}, {"1", true}, {"false", false}, {"0", false}};
    struct ia_config_value v;
    struct ia_err err;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(parse(&yes_no, rows[i].text, &v, &err), IA_OK);
        assert_int_equal(v.i, rows[i].value);
        assert_string_equal(v.text, rows[i].value ? "true" : "false");
        ia_config_value_fini(&v);
    }
    assert_int_equal(parse(&yes_no, "yes", &v, &err), IA_E_CONFIG);
    assert_string_equal(err.msg, "t.flag must be true or false, not \"yes\"");
    assert_int_equal(parse(&yes_no, "", &v, &err), IA_E_CONFIG);
}

static void a_list_is_parted_by_commas(void **state)
{
    (void)state;
    struct ia_config_value v;
    assert_int_equal(parse(&names, " a, b c ,,d,", &v, NULL), IA_OK);
    assert_string_equal(v.items[0], "a");
    assert_string_equal(v.items[1], "b c");
    assert_string_equal(v.items[2], "d");
    assert_null(v.items[3]);
    ia_config_value_fini(&v);
    assert_int_equal(parse(&names, "", &v, NULL), IA_OK);
    assert_null(v.items[0]);
    ia_config_value_fini(&v);
}

static void a_list_that_is_too_long_is_refused(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1000);
    struct ia_config_value v;
    struct ia_err err;
    for (int i = 0; i < IA_CONFIG_ITEMS_MAX; i++) {
        ia_buf_puts(&b, "x,");
    }
    assert_int_equal(parse(&names, ia_buf_cstr(&b), &v, &err), IA_OK);
    ia_config_value_fini(&v);
    ia_buf_puts(&b, "x");
    assert_int_equal(parse(&names, ia_buf_cstr(&b), &v, &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "t.names has more than 64 items"));
    ia_buf_fini(&b);
}

static void a_number_keeps_its_value_through_its_text(void **state)
{
    (void)state;
    static const char *const good[] = {"0.1", "-1", "1e-3", "+0.5", "0.30000000000000004"};
    static const char *const bad[] = {"", "-", "e", "1.1", "-1.5", "nan", "inf", "0x1", "1 "};
    struct ia_config_value v, again;
    for (size_t i = 0; i < IA_COUNTOF(good); i++) {
        assert_int_equal(parse(&real, good[i], &v, NULL), IA_OK);
        assert_int_equal(parse(&real, v.text, &again, NULL), IA_OK);
        assert_true(v.r == strtod(good[i], NULL));
        assert_true(v.r == again.r);
        ia_config_value_fini(&v);
        ia_config_value_fini(&again);
    }
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(parse(&real, bad[i], &v, NULL), IA_E_CONFIG);
    }
}

static void a_hook_is_a_command_or_a_url_of_which_the_server_is_shown(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"https://me:pass@hooks.example/T0/secret", "https://hooks.example/…"},
        {"http://127.0.0.1:80", "http://127.0.0.1:80"},
        {"mail -s 'it asks' qa@example.com", "mail -s 'it asks' qa@example.com"},
        {"curl -d @- https://hooks.example/T0", "curl -d @- https://hooks.example/T0"},
        {"", ""},
    };
    struct ia_config_value v;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(200);
        assert_int_equal(parse(&hook, rows[i][0], &v, NULL), IA_OK);
        ia_config_value_show(&hook, &v, &b);
        assert_string_equal(ia_buf_cstr(&b), rows[i][1]);
        ia_buf_fini(&b);
        ia_config_value_fini(&v);
    }
    assert_int_equal(parse(&hook, "https://", &v, NULL), IA_E_CONFIG);
    assert_int_equal(parse(&hook, "ftp://hooks.example", &v, NULL), IA_E_CONFIG);
}

static void a_url_is_shown_without_its_password(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"https://h", "https://h"},
        {"https://h/a@b", "https://h/a@b"},
        {"https://h?a@b", "https://h?a@b"},
        {"http://u@h:1/x", "http://***@h:1/x"},
        {"http://u:p@h", "http://***@h"},
        {"http://u:p@q@h", "http://***@h"},
        {"https://[::1]:80/", "https://[::1]:80/"},
        {"", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_config_value v;
        struct ia_buf b = IA_BUF(100);
        assert_int_equal(parse(&url, rows[i][0], &v, NULL), IA_OK);
        ia_config_value_show(&url, &v, &b);
        assert_string_equal(ia_buf_cstr(&b), rows[i][1]);
        ia_config_value_fini(&v);
        ia_buf_fini(&b);
    }
}

static void a_value_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char *text = ia_calloc(1, IA_CONFIG_VALUE_MAX + 2);
    struct ia_config_value v;
    struct ia_err err;
    memset(text, 'a', IA_CONFIG_VALUE_MAX + 1);
    assert_int_equal(parse(&ia_config_rows[IA_CFG_RUN_MODEL], text, &v, &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "run.model is longer than 4096 bytes"));
    text[IA_CONFIG_VALUE_MAX] = '\0';
    assert_int_equal(parse(&ia_config_rows[IA_CFG_RUN_MODEL], text, &v, &err), IA_OK);
    ia_config_value_fini(&v);
    free(text);
}

static void a_refused_value_is_shown_short_and_harmless(void **state)
{
    (void)state;
    struct ia_config_value v;
    struct ia_err err;
    char text[400];
    for (size_t i = 0; i + 3 < sizeof(text); i += 3) {
        memcpy(text + i, "\xe2\x82\xac", 3);
    }
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(parse(&ia_config_rows[IA_CFG_RUN_VERIFY], text, &v, &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "\xe2\x82\xac\xe2\x80\xa6\"")); /* cut between characters */
    assert_true(strlen(err.msg) < 200);
}

static void every_row_of_the_table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        const struct ia_config_row *row = &ia_config_rows[i];
        char variable[96];
        ia_config_variable(row->key, variable, sizeof(variable));
        print_message("%s %s\n", row->key, variable);
        assert_int_equal(strspn(variable, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), strlen(variable));
        assert_non_null(strchr(row->key, '.'));
        assert_int_equal(ia_config_find(ia_str(row->key)), i);
        assert_true(row->help[0] != '\0');
        assert_true(row->min <= row->max);
        if (row->type != IA_CFG_URL) { /* which may have its two schemes there */
            assert_int_equal(row->type == IA_CFG_ENUM, row->choices[0] != '\0');
        }
        struct ia_config_value v;
        assert_int_equal(parse(row, row->def, &v, NULL), IA_OK);
        ia_config_value_fini(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_boolean_is_true_or_false),
        cmocka_unit_test(a_list_is_parted_by_commas),
        cmocka_unit_test(a_list_that_is_too_long_is_refused),
        cmocka_unit_test(a_number_keeps_its_value_through_its_text),
        cmocka_unit_test(a_hook_is_a_command_or_a_url_of_which_the_server_is_shown),
        cmocka_unit_test(a_url_is_shown_without_its_password),
        cmocka_unit_test(a_value_that_is_too_long_is_refused),
        cmocka_unit_test(a_refused_value_is_shown_short_and_harmless),
        cmocka_unit_test(every_row_of_the_table_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
