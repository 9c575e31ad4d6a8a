/* api_agents_test.c: agents, models, tools, the key, the configuration and blobs over the API. */
#include "asked.h"

#include "agent/prompts/prompts.h"
#include "store/blob.h"

#include <string.h>

/* ---- agents, key, configuration, blobs ---------------------------------------------------- */

static void an_agent_keeps_what_a_change_does_not_name(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    world_open(&w, false);
    expect(&w, &a, "PUT /v1/agents/anna",
           "{\"model\":\"claude-x\",\"prompt\":\"Be quick.\",\"tools\":[\"tap\",\"finish\"]}");
    answer_fini(&a);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"memory\":\"likes blue\",\"prompt\":\"\"}");
    assert_string_equal(result_text(&a, "agent.model"), "claude-x");
    assert_string_equal(result_text(&a, "agent.memory"), "likes blue");
    assert_true(json_is_null(result(&a, "agent.prompt")));
    assert_int_equal(json_array_size(result(&a, "agent.tools")), 2);
    answer_fini(&a);
    a = ask(&w, "PUT /v1/agents/anna", NULL, "{\"tools\":[\"tapp\"]}");
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"tools\":[]}");
    assert_true(json_is_null(result(&a, "agent.tools")));
    assert_string_equal(result_text(&a, "agent.model"), "claude-x");
    answer_fini(&a);
    a = ask(&w, "PUT /v1/agents/an.na", NULL, "{}");
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    expect(&w, &a, "GET /v1/agents", NULL);
    assert_int_equal(json_array_size(result(&a, "agents")), 1);
    answer_fini(&a);
    expect(&w, &a, "DELETE /v1/agents/anna", NULL);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/anna", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    world_close(&w);
}

static void agents_are_those_of_the_store_and_of_the_configuration(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char path[512], cwd[600];
    world_open(&w, false);
    (void)snprintf(path, sizeof(path), "%s/ios-agent.toml", w.home);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[agents.zoe]\n[agents.berta]\nmodel = \"claude-x\"\ntools = [\"tap\"]\n"
          "[agents.anna]\n",
          f);
    fclose(f);
    (void)snprintf(cwd, sizeof(cwd), "Ios-Agent-Cwd: %s\n", w.home);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"memory\":\"likes blue\"}");
    answer_fini(&a);
    expect(&w, &a, "PUT /v1/agents/carl", "{}");
    assert_true(json_is_false(result(&a, "agent.configured")));
    answer_fini(&a);
    a = ask(&w, "GET /v1/agents", cwd, NULL);
    static const struct {
        const char *name;
        bool configured, stored;
    } agents[] = {{"anna", true, true},
                  {"berta", true, false},
                  {"carl", false, true},
                  {"zoe", true, false}};
    assert_int_equal(json_array_size(result(&a, "agents")), IA_COUNTOF(agents));
    for (size_t i = 0; i < IA_COUNTOF(agents); i++) {
        const json_t *agent = json_array_get(result(&a, "agents"), i);
        assert_string_equal(json_string_value(json_object_get(agent, "name")), agents[i].name);
        assert_int_equal(json_is_true(json_object_get(agent, "configured")),
                         agents[i].configured);
        assert_int_equal(json_is_string(json_object_get(agent, "created")), agents[i].stored);
        assert_true(json_is_null(json_object_get(agent, "session")));
    }
    assert_string_equal(result_text(&a, "agents.1.model"), "claude-x");
    assert_string_equal(result_text(&a, "agents.1.tools.0"), "tap");
    assert_string_equal(result_text(&a, "agents.0.memory"), "likes blue");
    answer_fini(&a);
    a = ask(&w, "GET /v1/agents/berta", cwd, NULL);
    assert_string_equal(result_text(&a, "agent.name"), "berta");
    answer_fini(&a);
    a = ask(&w, "GET /v1/agents/berta", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/berta", cwd, NULL);
    assert_string_equal(code(&a), "STATE");
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/anna", cwd, NULL); /* what it remembers */
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    world_close(&w);
}

static void a_prompt_or_a_memory_that_no_run_could_use_is_refused(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    static const char *const members[] = {"prompt", "memory"};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        struct ia_buf body = IA_BUF(128 << 10);
        ia_buf_printf(&body, "{\"%s\":\"%0*d\"}", members[i], (64 << 10) + 1, 0);
        struct answer a = ask(&w, "PUT /v1/agents/anna", NULL, ia_buf_cstr(&body));
        assert_string_equal(code(&a), "LIMIT");
        assert_non_null(strstr(ia_buf_cstr(&a.body), members[i]));
        answer_fini(&a);
        ia_buf_fini(&body);
    }
    struct answer a = ask(&w, "GET /v1/agents/anna", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    world_close(&w);
}

static void an_agent_that_keeps_files_says_where_and_is_not_given_them_by_name(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, "PUT /v1/agents/Anna", NULL, "{\"memory_kind\":\"files\"}");
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(ia_buf_cstr(&a.body), "/memories/=anna\""));
    answer_fini(&a);
    a = ask(&w, "PUT /v1/agents/Anna", NULL, "{\"memory_kind\":\"notes\"}");
    assert_non_null(strstr(ia_buf_cstr(&a.body), "\"memory_folder\":null"));
    answer_fini(&a);
    a = ask(&w, "PUT /v1/agents/Anna", NULL, "{\"tools\":[\"memory\"]}");
    assert_string_equal(code(&a), "USAGE");
    assert_non_null(strstr(ia_buf_cstr(&a.body), "memory = \\\"files\\\""));
    answer_fini(&a);
    world_close(&w);
}

static void models_are_known_with_their_prices(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    size_t i, priced = 0;
    json_t *row;
    world_open(&w, false);
    expect(&w, &a, "GET /v1/models", NULL);
    assert_string_equal(result_text(&a, "default"), "claude-sonnet-5-5");
    json_array_foreach(result(&a, "models"), i, row)
    {
        const json_t *prices = json_object_get(row, "prices");
        assert_true(json_is_string(json_object_get(row, "id")));
        if (json_array_size(prices) > 0) {
            const json_t *last = json_array_get(prices, json_array_size(prices) - 1);
            assert_true(json_is_null(json_object_get(last, "up_to_prompt_tokens")));
            assert_true(json_number_value(json_object_get(last, "output")) > 0);
            priced++;
        }
    }
    assert_true(i > 10 && priced > 10);
    answer_fini(&a);
    world_close(&w);
}

static void an_agent_forgets_its_conversation_and_nothing_else(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE];
    world_open(&w, false);
    expect(&w, &a, "PUT /v1/agents/anna", "{\"memory\":\"likes blue\"}");
    answer_fini(&a);
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_run(
        tx, &(struct ia_run_new){.goal = "x", .model = "m", .lane = "nowhere", .agent = "anna"},
        id);
    ia_tx_set_session(tx, "anna", id);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    expect(&w, &a, "GET /v1/agents/anna", NULL);
    assert_string_equal(result_text(&a, "agent.session"), id);
    answer_fini(&a);
    expect(&w, &a, "GET /v1/agents", NULL);
    assert_string_equal(result_text(&a, "agents.0.session"), id);
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_VIEW;
    a = ask(&w, "DELETE /v1/agents/anna/session", NULL, NULL);
    assert_string_equal(code(&a), "FORBIDDEN");
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_ACT;
    for (int i = 0; i < 2; i++) { /* the second has nothing to forget */
        expect(&w, &a, "DELETE /v1/agents/anna/session", NULL);
        assert_true(json_is_null(result(&a, "agent.session")));
        assert_string_equal(result_text(&a, "agent.memory"), "likes blue");
        answer_fini(&a);
    }
    expect(&w, &a, "GET /v1/runs?agent=anna", NULL);
    assert_int_equal(json_integer_value(result(&a, "total")), 1);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/nobody/session", NULL, NULL);
    assert_int_equal(a.status, 404);
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/agents/anna/session?all=true", NULL, NULL);
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    world_close(&w);
}

static void tools_are_those_of_a_run_in_its_order(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct answer a;
    char path[64];
    world_open(&w, false);
    expect(&w, &a, "GET /v1/skills", NULL);
    assert_string_equal(result_text(&a, "build"), "build-7");
    assert_int_equal(json_array_size(result(&a, "tools")), IA_TOOL_COUNT);
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        const json_t *tool = json_array_get(result(&a, "tools"), (size_t)i);
        assert_string_equal(json_string_value(json_object_get(tool, "name")),
                            ia_tool_name((enum ia_tool)i));
        assert_int_equal(json_is_true(json_object_get(tool, "acts")),
                         ia_tool_has_effect((enum ia_tool)i));
        (void)snprintf(path, sizeof(path), "tools.%d.description", i);
        assert_true(strlen(result_text(&a, path)) > 5);
    }
    assert_string_equal(result_text(&a, "tools.2.description"), "Tap an element.");
    assert_true(
        json_is_array(result(&a, "skills"))); /* what the daemon has, this test has not */
    answer_fini(&a);
    a = ask(&w, "GET /v1/skills?topic=core", NULL, NULL);
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    world_close(&w);
}

#define KEY "sk-ant-api03-abcdefghijklmnop"

static void the_key_goes_in_and_never_comes_out(void **state)
{
    (void)state;
    static const char *const lines[] = {"GET /v1/key", "GET /v1/config", "GET /v1/daemon",
                                        "GET /v1/agents"};
    struct world w = {.clock = NULL};
    struct answer a;
    world_open(&w, false);
    expect(&w, &a, "PUT /v1/key", "{\"key\":\"" KEY "\"}");
    assert_true(json_is_true(result(&a, "stored")));
    assert_string_equal(result_text(&a, "in_use"), "sealed");
    assert_null(strstr(ia_buf_cstr(&a.body), KEY));
    answer_fini(&a);
    for (size_t i = 0; i < IA_COUNTOF(lines); i++) {
        expect(&w, &a, lines[i], NULL);
        assert_null(strstr(ia_buf_cstr(&a.body), "abcdefghijklmnop"));
        answer_fini(&a);
    }
    a = ask(&w, "GET /v1/runs/" KEY, NULL, NULL); /* where a person pastes it */
    assert_null(strstr(ia_buf_cstr(&a.body), "abcdefghijklmnop"));
    answer_fini(&a);
    expect(&w, &a, "DELETE /v1/key", NULL);
    assert_true(json_is_false(result(&a, "stored")));
    answer_fini(&a);
    a = ask(&w, "DELETE /v1/key", NULL, NULL);
    assert_string_equal(code(&a), "KEY_MISSING");
    answer_fini(&a);
    world_close(&w);
}

static void the_configuration_is_that_of_the_callers_folder(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char path[512], cwd[600];
    world_open(&w, false);
    (void)snprintf(path, sizeof(path), "%s/ios-agent.toml", w.home);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[run]\nmax_steps = 77\n", f);
    fclose(f);
    (void)snprintf(cwd, sizeof(cwd), "Ios-Agent-Cwd: %s\n", w.home);
    struct answer a = ask(&w, "GET /v1/config", cwd, NULL);
    assert_non_null(strstr(ia_buf_cstr(&a.body), "\"value\":77"));
    answer_fini(&a);
    a = ask(&w, "GET /v1/config", NULL, NULL);
    assert_null(strstr(ia_buf_cstr(&a.body), "\"value\":77"));
    answer_fini(&a);
    a = ask(&w, "GET /v1/config", "Ios-Agent-Cwd: here\n", NULL);
    assert_string_equal(code(&a), "USAGE");
    answer_fini(&a);
    w.listener = IA_HTTP_TCP; /* a page has no folder */
    a = ask(&w, "GET /v1/config", cwd, NULL);
    assert_null(strstr(ia_buf_cstr(&a.body), "\"value\":77"));
    answer_fini(&a);
    world_close(&w);
}

static void blobs_have_the_type_of_their_bytes(void **state)
{
    (void)state;
    static const struct {
        struct ia_str bytes;
        const char *type;
    } cases[] = {{{"\x89PNG\r\n\x1a\nrest", 12}, "image/png"},
                 {{"\xff\xd8\xff\xe0", 4}, "image/jpeg"},
                 {{"{\"a\":1}", 7}, "application/json"},
                 {{"<script>alert(1)</script>", 25}, "text/plain; charset=utf-8"},
                 {{"\xff\xfe\x00", 3}, "application/octet-stream"}};
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char sha[IA_SHA256_HEX_SIZE], line[128], value[256];
        struct ia_err err;
        assert_int_equal(
            ia_blob_put(w.setup.store, cases[i].bytes.p, cases[i].bytes.n, sha, &err), IA_OK);
        (void)snprintf(line, sizeof(line), "GET /v1/blobs/%s", sha);
        struct answer a;
        expect(&w, &a, line, NULL);
        assert_string_equal(a.type, cases[i].type);
        assert_int_equal(a.body.len, cases[i].bytes.n);
        assert_memory_equal(a.body.p, cases[i].bytes.p, cases[i].bytes.n);
        assert_string_equal(header(&a, "Cache-Control", value),
                            "private, max-age=31536000, immutable");
        answer_fini(&a);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_agent_keeps_what_a_change_does_not_name),
        cmocka_unit_test(agents_are_those_of_the_store_and_of_the_configuration),
        cmocka_unit_test(a_prompt_or_a_memory_that_no_run_could_use_is_refused),
        cmocka_unit_test(an_agent_that_keeps_files_says_where_and_is_not_given_them_by_name),
        cmocka_unit_test(models_are_known_with_their_prices),
        cmocka_unit_test(an_agent_forgets_its_conversation_and_nothing_else),
        cmocka_unit_test(tools_are_those_of_a_run_in_its_order),
        cmocka_unit_test(the_key_goes_in_and_never_comes_out),
        cmocka_unit_test(the_configuration_is_that_of_the_callers_folder),
        cmocka_unit_test(blobs_have_the_type_of_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
