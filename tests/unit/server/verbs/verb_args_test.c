/* Members of a JSON object become the values of a verb, or are refused as a command line would be. */
#include "test.h"

#include "server/verbs/verbs.h"

struct row {
    const char *verb, *json;
    enum ia_rc code;
    const char *option, *value; /* that it has then; value NULL: it is a flag */
    const char *msg, *hint;
};

static void try_row(const struct row *row)
{
    json_t *object = json_loads(row->json, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_non_null(object);
    struct ia_args args;
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_verb_args_read(ia_verb_find(row->verb)->opts, object, &args, &err);
    json_decref(object); /* the values are copies */
    if (rc != row->code) {
        fail_msg("%s %s: %s %s", row->verb, row->json, ia_rc_name(rc), err.msg);
    }
    if (rc == IA_OK && row->option) {
        assert_true(ia_args_has(&args, row->option));
        if (row->value) {
            assert_string_equal(ia_args_text(&args, row->option), row->value);
        }
    }
    if ((row->msg && !strstr(err.msg, row->msg)) ||
        (row->hint && !strstr(err.hint, row->hint))) {
        fail_msg("%s %s: %s (%s)", row->verb, row->json, err.msg, err.hint);
    }
    if (rc == IA_OK) {
        ia_verb_args_fini(&args);
    }
    assert_true(args.owned_count == 0);
}

static void values_of_every_kind_are_read(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"tap", "{\"ref\":12}", .code = IA_OK, "ref", "12"},
        {"tap", "{\"ref\":\"@e12\"}", .code = IA_OK, "ref", "@e12"},
        {"tap", "{\"ref\":\"button \\\"Done\\\"\"}", .code = IA_OK, "ref", "button \"Done\""},
        {"tap", "{\"ref\":\"\"}", .code = IA_OK, "ref", ""},
        {"tap", "{\"ref\":\"--json\"}", .code = IA_OK, "ref", "--json"},
        {"type", "{\"ref\":1,\"text\":\"a\\nb=c\",\"replace\":true}", .code = IA_OK, "text",
         "a\nb=c"},
        {"type", "{\"text\":\"x\",\"replace\":true}", .code = IA_OK, "replace", NULL},
        {"snapshot", "{\"max_bytes\":500}", .code = IA_OK, "max-bytes", "500"},
        {"snapshot", "{\"max-bytes\":500}", .code = IA_OK, "max-bytes", "500"},
        {"swipe", "{\"direction\":\"up\",\"distance\":0.5}", .code = IA_OK, "distance", "0.5"},
        {"swipe", "{\"distance\":1}", .code = IA_OK, "distance", "1"},
        {"press", "{\"button\":\"home\"}", .code = IA_OK, "button", "home"},
        {"screenshot", "{\"out\":\"/tmp/x.png\"}", .code = IA_OK, "out", "/tmp/x.png"},
        {"status-bar", "{\"battery_level\":100,\"data_network\":\"5g\"}", .code = IA_OK,
         "battery-level", "100"},
        {"tap", "{}", .code = IA_OK, NULL, NULL},
        {"tap", "{\"ref\":null,\"device\":null}", .code = IA_OK, NULL, NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        try_row(&rows[i]);
    }
}

static void what_was_left_out_is_not_there(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"replace\":false}", "{\"replace\":null}", "{}"};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        json_t *object = json_loads(texts[i], 0, NULL);
        struct ia_args args;
        assert_int_equal(ia_verb_args_read(ia_verb_find("type")->opts, object, &args, NULL),
                         IA_OK);
        assert_false(ia_args_has(&args, "replace"));
        assert_null(ia_args_text(&args, "text"));
        ia_verb_args_fini(&args);
        json_decref(object);
    }
}

static void mistakes_are_refused_as_on_a_command_line(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"tap", "[]", .code = IA_E_USAGE, .msg = "JSON object"},
        {"tap", "12", .code = IA_E_USAGE, .msg = "JSON object"},
        {"tap", "null", .code = IA_E_USAGE, .msg = "JSON object"},
        {"tap", "{\"rf\":12}", .code = IA_E_USAGE, .msg = "unknown member \"rf\"",
         .hint = "\"ref\""},
        {"snapshot", "{\"maxbytes\":500}", .code = IA_E_USAGE, .hint = "\"max-bytes\""},
        {"tap", "{\"\":1}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"tap", "{\"--ref\":1}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"tap", "{\"json\":true}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"tap", "{\"help\":true}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"tap", "{\"no_daemon\":true}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"snapshot", "{\"from\":\"/etc/passwd\"}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"launch", "{\"env\":[\"A=b\"]}", .code = IA_E_USAGE, .msg = "unknown member"},
        {"tap", "{\"ref\":1.5}", .code = IA_E_USAGE,
         .msg = "\"ref\" has a value of the wrong type"},
        {"tap", "{\"ref\":true}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"tap", "{\"ref\":false}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"tap", "{\"ref\":[1]}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"tap", "{\"ref\":{\"ref\":1}}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"tap", "{\"ref\":\"a\\u0000b\"}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"type", "{\"replace\":1}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"type", "{\"replace\":\"yes\"}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"snapshot", "{\"max_bytes\":\"500\"}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"snapshot", "{\"max_bytes\":500.0}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"snapshot", "{\"max_bytes\":99}", .code = IA_E_USAGE, .msg = "from 100 to 1000000"},
        {"snapshot", "{\"max_bytes\":-1}", .code = IA_E_USAGE, .msg = "from 100"},
        {"snapshot", "{\"max_bytes\":9223372036854775807}", .code = IA_E_USAGE,
         .msg = "from 100"},
        {"snapshot", "{\"max_bytes\":500,\"max-bytes\":600}", .code = IA_E_USAGE,
         .msg = "given twice"},
        {"swipe", "{\"distance\":-0.5}", .code = IA_E_USAGE, .msg = "at least 0"},
        {"swipe", "{\"distance\":\"0.5\"}", .code = IA_E_USAGE, .msg = "wrong type"},
        {"press", "{\"button\":\"power\"}", .code = IA_E_USAGE, .msg = "home|lock"},
        {"press", "{\"button\":3}", .code = IA_E_USAGE, .msg = "not \"3\""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        try_row(&rows[i]);
    }
}

/* Whatever the table has, a request of many members ends in an error, not in a walk past its room. */
static void an_object_of_many_members_is_refused(void **state)
{
    (void)state;
    json_t *object = json_object();
    char name[32];
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(name, sizeof(name), "member%d", i);
        json_object_set_new(object, name, json_integer(i));
    }
    struct ia_args args;
    struct ia_err err;
    assert_int_equal(ia_verb_args_read(ia_verb_find("tap")->opts, object, &args, &err),
                     IA_E_USAGE);
    json_decref(object);
}

static void a_value_beyond_the_largest_is_refused(void **state)
{
    (void)state;
    enum { TOO_LONG = IA_VERB_WORD_MAX + 1 };
    char *text = ia_calloc(TOO_LONG + 1, 1);
    memset(text, 'x', TOO_LONG);
    json_t *object = json_pack("{s:s}", "text", text);
    struct ia_args args;
    struct ia_err err;
    assert_int_equal(ia_verb_args_read(ia_verb_find("type")->opts, object, &args, &err),
                     IA_E_USAGE);
    json_decref(object);
    text[100000] = '\0';
    object = json_pack("{s:s}", "text", text);
    assert_int_equal(ia_verb_args_read(ia_verb_find("type")->opts, object, &args, &err), IA_OK);
    assert_string_equal(ia_args_text(&args, "text"), text);
    ia_verb_args_fini(&args);
    json_decref(object);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(what_was_left_out_is_not_there),
        cmocka_unit_test(mistakes_are_refused_as_on_a_command_line),
        cmocka_unit_test(an_object_of_many_members_is_refused),
        cmocka_unit_test(a_value_beyond_the_largest_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
