/* api_settings_test.c: settings are changed in the user's file, by who may; secrets go in and never come
 * out. */
#include "asked.h"

#include <stdlib.h>
#include <string.h>

/* An API whose user has a configuration file. */
static char *settings_open(struct world *w, const char *text)
{
    world_open(w, false);
    char *file = tmpdir_file(w->home, "config.toml", text);
    assert_int_equal(setenv("IOS_AGENT_CONFIG", file, 1), 0);
    return file;
}

static void settings_close(struct world *w, char *file)
{
    free(file);
    world_close(w);
}

static void expect_file(const char *path, const char *want)
{
    struct ia_buf text = IA_BUF(1 << 20);
    assert_int_equal(ia_file_read(path, &text, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), want);
    ia_buf_fini(&text);
}

static void expect_code(struct world *w, const char *line, const char *body, const char *want)
{
    struct answer a = ask(w, line, NULL, body);
    if (strcmp(code(&a), want) != 0) {
        fail_msg("%s %s: %s", line, body ? body : "", ia_buf_cstr(&a.body));
    }
    answer_fini(&a);
}

/* The row of a key in GET /v1/config. */
static json_t *row_of(const struct answer *a, const char *key)
{
    size_t i;
    json_t *row;
    json_array_foreach(result(a, "values"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "key")), key) == 0) {
            return row;
        }
    }
    fail_msg("no %s", key);
    return NULL;
}

static void a_setting_is_changed_and_taken_back(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char *file = settings_open(&w, "# mine\n[run]\nmodel = 'a' # why\n");
    struct answer a =
        ask(&w, "PUT /v1/config", NULL, "{\"key\":\"run.max_steps\",\"value\":\"7\"}");
    assert_int_equal(a.status, 200);
    assert_string_equal(result_text(&a, "file"), file);
    assert_true(json_is_true(result(&a, "changed")));
    assert_string_equal(result_text(&a, "value.origin"), "user file");
    assert_int_equal(json_integer_value(result(&a, "value.value")), 7);
    answer_fini(&a);
    expect_file(file, "# mine\n[run]\nmodel = 'a' # why\nmax_steps = 7\n");
    a = ask(&w, "PUT /v1/config", NULL, "{\"key\":\"run.max_steps\",\"value\":7}");
    assert_true(a.status == 200 && json_is_false(result(&a, "changed")));
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/config/run.max_steps", NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_string_equal(result_text(&a, "value.origin"), "default");
    answer_fini(&a);
    expect_file(file, "# mine\n[run]\nmodel = 'a' # why\n");
    settings_close(&w, file);
}

static void a_mistake_changes_nothing_and_says_what_loading_would_say(void **state)
{
    (void)state;
    static const struct {
        const char *line, *body, *code;
    } cases[] = {
        {"PUT /v1/config", "{\"key\":\"run.max_steps\",\"value\":\"0\"}", "CONFIG"},
        {"PUT /v1/config", "{\"key\":\"run.modle\",\"value\":\"x\"}", "CONFIG"},
        {"PUT /v1/config", "{\"key\":\"agents.a.model\",\"value\":\"x\"}", "CONFIG"},
        {"PUT /v1/config", "{\"key\":\"run.model\",\"value\":\"a\\nb\"}", "CONFIG"},
        {"PUT /v1/config", "{\"key\":\"run.model\",\"value\":null}", "USAGE"},
        {"PUT /v1/config", "{\"key\":\"run.model\",\"value\":[\"x\"]}", "USAGE"},
        {"PUT /v1/config", "{\"key\":\"run.model\"}", "USAGE"},
        {"PUT /v1/config", "{\"key\":\"run.model\",\"value\":\"x\",\"file\":\"/x\"}", "USAGE"},
        {"DELETE /v1/config/run.modle", NULL, "CONFIG"},
        {"DELETE /v1/config/run", NULL, "CONFIG"},
        {"DELETE /v1/config", NULL, "USAGE"},
    };
    struct world w = {.clock = NULL};
    char *file = settings_open(&w, "[run]\n");
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        expect_code(&w, cases[i].line, cases[i].body, cases[i].code);
    }
    expect_file(file, "[run]\n");
    free(tmpdir_file(w.home, "config.toml", "[run\n"));
    expect_code(&w, "PUT /v1/config", "{\"key\":\"run.model\",\"value\":\"x\"}", "CONFIG");
    expect_file(file, "[run\n");
    settings_close(&w, file);
}

/* The one list of what is open to a token is in config_edit_test.c. */
static void over_tcp_only_safe_settings_are_open(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char *file = settings_open(&w, "");
    w.listener = IA_HTTP_TCP;
    struct answer a = ask(&w, "GET /v1/config", NULL, NULL);
    size_t i;
    json_t *row;
    json_array_foreach(result(&a, "values"), i, row)
    {
        struct ia_buf line = IA_BUF(512);
        ia_buf_printf(&line, "{\"key\":\"%s\",\"value\":\"\\u0001\"}",
                      json_string_value(json_object_get(row, "key")));
        bool open = json_is_true(json_object_get(row, "settable"));
        expect_code(&w, "PUT /v1/config", ia_buf_cstr(&line), open ? "CONFIG" : "FORBIDDEN");
        ia_buf_reset(&line);
        ia_buf_printf(&line, "DELETE /v1/config/%s",
                      json_string_value(json_object_get(row, "key")));
        expect_code(&w, ia_buf_cstr(&line), NULL, open ? "" : "FORBIDDEN");
        ia_buf_fini(&line);
    }
    assert_true(json_is_true(json_object_get(row_of(&a, "run.model"), "settable")));
    assert_true(json_is_false(json_object_get(row_of(&a, "api.base_url"), "settable")));
    answer_fini(&a);
    /* Where the user's token for a device would go, a page does not say. */
    expect_code(&w, "PUT /v1/config",
                "{\"key\":\"run.device\",\"value\":\"bridge:evil.example:80\"}", "CONFIG");
    expect_file(file, "");
    w.listener = IA_HTTP_UNIX;
    a = ask(&w, "GET /v1/config", NULL, NULL);
    assert_true(json_is_true(json_object_get(row_of(&a, "api.base_url"), "settable")));
    answer_fini(&a);
    expect_code(&w, "PUT /v1/config",
                "{\"key\":\"api.base_url\",\"value\":\"http://127.0.0.1:1\"}", "");
    expect_file(file, "[api]\nbase_url = \"http://127.0.0.1:1\"\n");
    settings_close(&w, file);
}

static void who_may_only_look_can_set_nothing(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char *file = settings_open(&w, "");
    w.listener = IA_HTTP_TCP;
    w.scope = IA_HTTP_SCOPE_VIEW;
    struct answer a = ask(&w, "GET /v1/config", NULL, NULL);
    size_t i;
    json_t *row;
    json_array_foreach(result(&a, "values"), i, row)
    {
        assert_true(json_is_false(json_object_get(row, "settable")));
    }
    answer_fini(&a);
    expect_code(&w, "PUT /v1/config", "{\"key\":\"run.model\",\"value\":\"x\"}", "FORBIDDEN");
    expect_code(&w, "DELETE /v1/config/run.model", NULL, "FORBIDDEN");
    settings_close(&w, file);
}

static void a_form_learns_what_a_value_may_be(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char *file = settings_open(&w, "");
    struct answer a = ask(&w, "GET /v1/config", NULL, NULL);
    const json_t *effort = row_of(&a, "run.effort"), *steps = row_of(&a, "run.max_steps");
    assert_string_equal(json_string_value(json_object_get(effort, "type")), "choice");
    const json_t *choices = json_object_get(effort, "choices");
    assert_int_equal(json_array_size(choices), 6);
    assert_string_equal(json_string_value(json_array_get(choices, 0)), "");
    assert_string_equal(json_string_value(json_array_get(choices, 5)), "max");
    assert_true(json_is_null(json_object_get(effort, "min")));
    assert_string_equal(json_string_value(json_object_get(steps, "type")), "integer");
    assert_int_equal((int)json_number_value(json_object_get(steps, "min")), 1);
    assert_int_equal((int)json_number_value(json_object_get(steps, "max")), 1000);
    assert_true(json_is_null(json_object_get(steps, "choices")));
    answer_fini(&a);
    settings_close(&w, file);
}

/* ---- secrets ----------------------------------------------------------------------------- */

static void a_secret_goes_in_and_never_comes_out(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    w.listener = IA_HTTP_TCP;
    struct answer a = ask(&w, "PUT /v1/secrets/PIN", NULL, "{\"value\":\"engine-1843\"}");
    assert_int_equal(a.status, 200);
    assert_string_equal(result_text(&a, "secret.name"), "PIN");
    assert_string_equal(result_text(&a, "secret.origin"), "stored");
    assert_string_equal(result_text(&a, "secret.seal"), "key-file");
    assert_null(strstr(ia_buf_cstr(&a.body), "1843"));
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_VIEW;
    expect_code(&w, "PUT /v1/secrets/PIN", "{\"value\":\"engine-1844\"}", "FORBIDDEN");
    expect_code(&w, "DELETE /v1/secrets/PIN", NULL, "FORBIDDEN");
    a = ask(&w, "GET /v1/secrets", NULL, NULL);
    assert_int_equal(json_array_size(result(&a, "secrets")), 1);
    assert_non_null(result_text(&a, "secrets.0.sealed_at"));
    assert_null(strstr(ia_buf_cstr(&a.body), "1843"));
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_NONE;
    expect_code(&w, "GET /v1/secrets", NULL, "AUTH_REQUIRED");
    w.scope = IA_HTTP_SCOPE_ACT;
    a = ask(&w, "DELETE /v1/secrets/PIN", NULL, NULL);
    assert_string_equal(result_text(&a, "removed"), "PIN");
    answer_fini(&a);
    expect_code(&w, "DELETE /v1/secrets/PIN", NULL, "NOT_FOUND");
    world_close(&w);
}

static void a_bad_secret_is_refused_without_its_value(void **state)
{
    (void)state;
    static const struct {
        const char *line, *body, *code;
    } cases[] = {
        {"PUT /v1/secrets/PIN", "{\"value\":\"12\"}", "USAGE"},
        {"PUT /v1/secrets/1PIN", "{\"value\":\"engine-1843\"}", "USAGE"},
        {"PUT /v1/secrets/anthropic-api-key", "{\"value\":\"engine-1843\"}", "USAGE"},
        {"DELETE /v1/secrets/anthropic-api-key", NULL, "USAGE"},
        {"PUT /v1/secrets/PIN", "{\"value\":\"a\\u0000engine-1843\"}", "PARSE"},
        {"PUT /v1/secrets/PIN", "{\"value\":engine-1843}", "PARSE"},
        {"PUT /v1/secrets/PIN", "{\"value\":\"engine-1843\" \"engine-1843\"}", "PARSE"},
        {"PUT /v1/secrets/PIN", "{\"value\":[\"engine-1843\"]}", "USAGE"},
        {"PUT /v1/secrets/PIN", "{\"valeu\":\"engine-1843\"}", "USAGE"},
        {"PUT /v1/secrets/PIN", "{}", "USAGE"},
    };
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct answer a = ask(&w, cases[i].line, NULL, cases[i].body);
        if (strcmp(code(&a), cases[i].code) != 0 || strstr(ia_buf_cstr(&a.body), "1843")) {
            fail_msg("%s: %s", cases[i].body ? cases[i].body : "", ia_buf_cstr(&a.body));
        }
        answer_fini(&a);
    }
    struct answer a = ask(&w, "GET /v1/secrets", NULL, NULL);
    assert_int_equal(json_array_size(result(&a, "secrets")), 0);
    answer_fini(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_is_changed_and_taken_back),
        cmocka_unit_test(a_mistake_changes_nothing_and_says_what_loading_would_say),
        cmocka_unit_test(over_tcp_only_safe_settings_are_open),
        cmocka_unit_test(who_may_only_look_can_set_nothing),
        cmocka_unit_test(a_form_learns_what_a_value_may_be),
        cmocka_unit_test(a_secret_goes_in_and_never_comes_out),
        cmocka_unit_test(a_bad_secret_is_refused_without_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
