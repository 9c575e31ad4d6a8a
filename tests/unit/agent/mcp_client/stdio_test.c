/* stdio_test.c: a client and a server that is a program, over real pipes. */
#include "fixture.h"

#include "tmpdir.h"

#include "base/clock.h"
#include "json/json.h"

#include <fcntl.h>
#include <pthread.h>

#define ECHO "{\"n\": 1}"

static json_t *list(struct world *w)
{
    struct ia_limit limit = within(20000);
    struct ia_err err;
    json_t *tools = NULL;
    if (ia_mcp_client_tools(w->client, &limit, &tools, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return tools;
}

static void tools_are_listed_and_called(void **state)
{
    (void)state;
    struct world w = world_new("good");
    assert_int_equal(ia_mcp_client_said(w.client).n, 0);
    json_t *tools = list(&w);
    assert_int_equal(json_array_size(tools), 4);
    assert_string_equal(ia_json_text(json_array_get(tools, 0), "description"), "Tool echo");
    json_decref(tools);
    expect_call(&w, "echo", ECHO);
    assert_true(ia_str_is(ia_mcp_client_said(w.client), "Be kind."));
    assert_int_equal(logged(&w, "start"), 1);
    world_free(&w);
}

/* The order that the protocol wants: initialize, then initialized, then anything else. */
static void a_connection_begins_with_initialize(void **state)
{
    (void)state;
    struct world w = world_new("good");
    expect_call(&w, "echo", ECHO);
    struct ia_buf log = IA_BUF(1 << 16);
    assert_int_equal(ia_file_read(w.log, &log, NULL), IA_OK);
    static const char *const want[] = {"start", "\"initialize\"", "notifications/initialized",
                                       "tools/list", "tools/call"};
    struct ia_str rest = ia_buf_str(&log);
    struct ia_str line;
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        assert_true(ia_str_line(&rest, &line));
        assert_non_null(ia_str_find(line, want[i]));
    }
    ia_buf_fini(&log);
    assert_int_equal(logged(&w, "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                                "\"clientInfo\":{\"name\":\"ios-agent\",\"version\":\"9.9\"}"),
                     1);
    world_free(&w);
}

static void a_result_comes_as_it_is(void **state)
{
    (void)state;
    struct world w = world_new("good");
    struct ia_limit limit = within(20000);
    json_t *args = json_object();
    json_t *result = NULL;
    assert_int_equal(ia_mcp_client_call(w.client, "structured", args, &limit, &result, NULL),
                     IA_OK);
    assert_int_equal(json_integer_value(
                         json_object_get(json_object_get(result, "structuredContent"), "sum")),
                     3);
    json_decref(result);
    assert_int_equal(ia_mcp_client_call(w.client, "fail", args, &limit, &result, NULL), IA_OK);
    assert_true(json_is_true(json_object_get(result, "isError")));
    json_decref(result);
    json_decref(args);
    world_free(&w);
}

static void the_environment_is_only_what_was_given(void **state)
{
    (void)state;
    const char *env[] = {"ONLY=this", NULL};
    struct world w = world_with("env", (struct ia_mcp_server){.env = env});
    const char *text;
    assert_int_equal(call(&w, "echo", &text, NULL), IA_OK);
    assert_non_null(strstr(text, "\"ONLY\": \"this\""));
    assert_null(strstr(text, "HOME"));
    world_free(&w);
    w = world_new("env");
    assert_int_equal(call(&w, "echo", &text, NULL), IA_OK);
    assert_null(strstr(text, "HOME"));
    world_free(&w);
}

static void all_pages_are_read(void **state)
{
    (void)state;
    struct world w = world_new("pages");
    json_t *tools = list(&w);
    assert_int_equal(json_array_size(tools), 3);
    assert_string_equal(ia_json_text(json_array_get(tools, 2), "name"), "page2");
    json_decref(tools);
    world_free(&w);
}

static void a_server_may_speak_in_many_ways(void **state)
{
    (void)state;
    static const char *const behaviours[][2] = {{"old", ECHO},      {"batch", "in a batch"},
                                                {"bytewise", ECHO}, {"noise", ECHO},
                                                {"garbage", ECHO},  {"floods_stderr", ECHO}};
    for (size_t i = 0; i < IA_COUNTOF(behaviours); i++) {
        struct world w = world_new(behaviours[i][0]);
        expect_call(&w, "echo", behaviours[i][1]);
        expect_call(&w, "echo", behaviours[i][1]);
        assert_int_equal(logged(&w, "start"), 1);
        world_free(&w);
    }
}

static void a_large_result_arrives_whole(void **state)
{
    (void)state;
    struct world w = world_new("large");
    const char *text;
    assert_int_equal(call(&w, "echo", &text, NULL), IA_OK);
    assert_int_equal(strlen(text), 3 << 20);
    world_free(&w);
}

static void requests_of_the_server_are_refused_except_ping(void **state)
{
    (void)state;
    struct world w = world_new("asks");
    expect_call(&w, "echo", ECHO);
    assert_int_equal(logged(&w, "\"id\":\"q0\",\"result\":{}"), 1);
    assert_int_equal(logged(&w, "\"error\":{\"code\":-32601"), 3);
    world_free(&w);
}

static void a_timeout_says_how_far_the_call_had_come(void **state)
{
    (void)state;
    struct world w = world_new("progress");
    json_decref(list(&w));
    struct ia_err err = {0};
    assert_int_equal(call_within(&w, "echo", within(2000), NULL, &err), IA_E_TIMEOUT);
    assert_string_equal(err.msg,
                        "MCP server fake: it gave no answer in time; its progress was 3 of 10");
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
    world_free(&w);
}

static void a_late_answer_is_not_that_of_the_next_call(void **state)
{
    (void)state;
    struct world w = world_new("slow");
    json_decref(list(&w));
    assert_int_equal(call_within(&w, "echo", within(2000), NULL, NULL), IA_E_TIMEOUT);
    assert_int_equal(call_within(&w, "kinds", within(2000), NULL, NULL), IA_E_TIMEOUT);
    world_close(&w);
    assert_int_equal(logged(&w, "start"), 1);
    assert_int_equal(logged(&w, "notifications/cancelled"), 2);
    assert_int_equal(logged(&w, "\"method\":\"ping\""), 1);
    world_free(&w);
}

static void *fire_soon(void *token)
{
    (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 100000);
    ia_cancel_fire(token);
    return NULL;
}

static void a_cancel_ends_a_call_and_is_told(void **state)
{
    (void)state;
    struct world w = world_new("hangs_in_call");
    json_decref(list(&w));
    struct ia_cancel *token = ia_cancel_new(NULL);
    struct ia_limit limit = {token, within(20000).deadline_us};
    struct ia_err err = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire_soon, token), 0);
    assert_int_equal(call_within(&w, "echo", limit, NULL, &err), IA_E_CANCELLED);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
    pthread_join(thread, NULL);
    ia_cancel_free(token);
    world_free(&w);
}

static void a_server_that_ended_between_calls_is_started_again(void **state)
{
    (void)state;
    struct world w = world_new("exits_after_call");
    for (int i = 0; i < 3; i++) {
        expect_call(&w, "echo", ECHO);
        await_exit(&w);
    }
    assert_int_equal(logged(&w, "start"), 3);
    assert_int_equal(logged(&w, "tools/call"), 3);
    world_free(&w);
}

/* ---- outcomes ----------------------------------------------------------------------------- */

/* Too large for the pipe to a server that does not read. */
static enum ia_rc call_large(struct world *w, struct ia_err *err)
{
    enum { BYTES = 1 << 20 };
    char *text = ia_alloc(BYTES);
    memset(text, 'x', BYTES);
    json_t *args = json_object();
    json_object_set_new(args, "large", json_stringn(text, BYTES));
    struct ia_limit limit = within(300);
    json_t *result = NULL;
    enum ia_rc rc = ia_mcp_client_call(w->client, "echo", args, &limit, &result, err);
    json_decref(args);
    free(text);
    return rc;
}

/* What did not leave in time does not leave later, when the server reads again. */
static void a_call_that_was_given_up_is_not_delivered_later(void **state)
{
    (void)state;
    struct world w = world_new("reads_late");
    char go[512];
    (void)snprintf(go, sizeof(go), "%s.go", w.log);
    assert_int_equal(mkfifo(go, 0600), 0);
    json_decref(list(&w));
    struct ia_err err = {0};
    assert_int_equal(call_large(&w, &err), IA_E_TIMEOUT);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN); /* a part of it left */
    int fd = open(go, O_RDWR | O_CLOEXEC);
    expect_call(&w, "echo", ECHO);
    world_close(&w);
    assert_int_equal(logged(&w, "large"), 0);
    assert_int_equal(logged(&w, "start"), 2);
    close(fd);
    world_free(&w);
}

static void a_server_that_cannot_be_started_was_sent_nothing(void **state)
{
    (void)state;
    const char *argv[] = {"/nonexistent/mcp", NULL};
    struct ia_mcp_server server = {.name = "none", .argv = argv};
    struct world w = {.client = ia_mcp_client_new(&server)};
    expect_failure(&w, "echo", IA_E_MISSING, IA_OUTCOME_NOT_SENT,
                   "MCP server none: cannot run /nonexistent/mcp");
    ia_mcp_client_free(w.client);
}

/* ---- what it leaves behind ---------------------------------------------------------------- */

static void what_a_server_started_ends_with_it(void **state)
{
    (void)state;
    struct world w = world_new("forks_in_call");
    int64_t start_us = ia_mono_us(ia_clock_system());
    expect_failure(&w, "echo", IA_E_CHILD, IA_OUTCOME_UNKNOWN, "it exited with status 5");
    assert_true(ia_mono_us(ia_clock_system()) - start_us < 10000000);
    await_released(&w);
    world_free(&w);
}

/* ---- pins --------------------------------------------------------------------------------- */

static void a_tool_that_changed_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *behaviour;
        void (*await)(struct world *w);
    } rows[] = {{"changes_and_says_so", NULL},
                {"changes_when_idle", await_released},
                {"changes_when_restarted", await_exit}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w = world_new(rows[i].behaviour);
        expect_call(&w, "echo", ECHO);
        if (rows[i].await) {
            rows[i].await(&w);
        }
        expect_failure(&w, "echo", IA_E_FORBIDDEN, IA_OUTCOME_NOT_SENT,
                       "its tool echo is not what was accepted");
        expect_failure(&w, "kinds", IA_E_NOT_FOUND, IA_OUTCOME_NOT_SENT,
                       "it has no tool kinds");
        expect_call(&w, "fail", "it went wrong");
        assert_int_equal(logged(&w, "\"name\":\"echo\""), 1);
        world_free(&w);
    }
}

static void a_pin_of_an_earlier_run_holds(void **state)
{
    (void)state;
    struct world w = world_new("good");
    json_t *tools = list(&w);
    char digest[IA_SHA256_HEX_SIZE];
    ia_mcp_tool_digest(json_array_get(tools, 0), digest);
    json_decref(tools);
    world_free(&w);
    w = world_new("good");
    ia_mcp_client_accept(w.client, "echo", digest);
    ia_mcp_client_accept(w.client, "fail", "another");
    expect_call(&w, "echo", ECHO);
    expect_failure(&w, "fail", IA_E_FORBIDDEN, IA_OUTCOME_NOT_SENT, "its tool fail");
    world_free(&w);
}

static void a_digest_is_that_of_what_a_model_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool same;
    } rows[] = {
        {"{'inputSchema':{'type':'object','a':1},'description':'d','name':'t'}", true},
        {"{'name':'t','description':'d','inputSchema':{'a':1,'type':'object'},'_meta':{'x':1}}",
         true},
        {"{'name':'t','description':'D','inputSchema':{'type':'object','a':1}}", false},
        {"{'name':'t','description':'d','inputSchema':{'type':'object','a':2}}", false},
        {"{'name':'t','description':'d','inputSchema':{'type':'object','a':1},'title':'x'}",
         false},
        {"{'name':'t','description':'d','inputSchema':{'type':'object','a':1},'annotations':{'"
         "readOnlyHint':true}}",
         false}};
    char first[IA_SHA256_HEX_SIZE];
    char digest[IA_SHA256_HEX_SIZE];
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *text = ia_strdup(rows[i].json);
        for (char *p = text; *p; p++) {
            *p = *p == '\'' ? '"' : *p;
        }
        json_t *tool = json_loads(text, 0, NULL);
        ia_mcp_tool_digest(tool, i == 0 ? first : digest);
        assert_true(i == 0 || (strcmp(first, digest) == 0) == rows[i].same);
        json_decref(tool);
        free(text);
    }
}

/* ---- secrets ------------------------------------------------------------------------------ */

static void a_secret_comes_back_in_nothing(void **state)
{
    (void)state;
    const char *env[] = {"TOKEN=hunter2hunter2", NULL};
    const char *secrets[] = {"hunter2hunter2", NULL};
    struct world w =
        world_with("tells_secret", (struct ia_mcp_server){.env = env, .secrets = secrets});
    struct ia_limit limit = within(20000);
    json_t *args = json_object();
    json_t *result = NULL;
    assert_int_equal(ia_mcp_client_call(w.client, "echo", args, &limit, &result, NULL), IA_OK);
    char *text = json_dumps(result, JSON_COMPACT);
    assert_string_equal(
        text, "{\"content\":[{\"type\":\"text\",\"text\":\"token=[hidden].\"}],"
              "\"structuredContent\":{\"a\":[\"[hidden]\",{\"b\":\"[hidden][hidden]\"}]}}");
    free(text);
    json_decref(result);
    json_decref(args);
    assert_true(ia_str_is(ia_mcp_client_said(w.client), "Use [hidden]"));
    expect_failure(&w, "fail", IA_E_FAILED, IA_OUTCOME_UNKNOWN,
                   "no rights for [hidden] (-32000)");
    expect_failure(&w, "kinds", IA_E_CHILD, IA_OUTCOME_UNKNOWN, "status 3: bad token [hidden]");
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_are_listed_and_called),
        cmocka_unit_test(a_connection_begins_with_initialize),
        cmocka_unit_test(a_result_comes_as_it_is),
        cmocka_unit_test(the_environment_is_only_what_was_given),
        cmocka_unit_test(all_pages_are_read),
        cmocka_unit_test(a_server_may_speak_in_many_ways),
        cmocka_unit_test(a_large_result_arrives_whole),
        cmocka_unit_test(requests_of_the_server_are_refused_except_ping),
        cmocka_unit_test(a_timeout_says_how_far_the_call_had_come),
        cmocka_unit_test(a_late_answer_is_not_that_of_the_next_call),
        cmocka_unit_test(a_cancel_ends_a_call_and_is_told),
        cmocka_unit_test(a_server_that_ended_between_calls_is_started_again),
        cmocka_unit_test(a_call_that_was_given_up_is_not_delivered_later),
        cmocka_unit_test(a_server_that_cannot_be_started_was_sent_nothing),
        cmocka_unit_test(what_a_server_started_ends_with_it),
        cmocka_unit_test(a_tool_that_changed_is_refused),
        cmocka_unit_test(a_pin_of_an_earlier_run_holds),
        cmocka_unit_test(a_digest_is_that_of_what_a_model_is_told),
        cmocka_unit_test(a_secret_comes_back_in_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
