/* The tools that ship: their definitions, and what they answer on the simulated phone. */
#include "server/mcp/mcp_server.h"

#include "agent/prompts/schema.h"
#include "base/base64.h"
#include "base/clock.h"
#include "server/verbs/verbs.h"
#include "json/json.h"

#include "test.h"
#include "tmpdir.h"

struct world {
    char *home;
    struct ia_paths paths;
    struct ia_setup setup;
    struct ia_credentials credentials;
    struct ia_runs *runs;
    struct ia_hub *hub;
    struct ia_mcp_server *server;
    struct ia_mcp_peer peer;
    struct ia_buf out;
};

static enum ia_rc get_runs(void *ctx, struct ia_runs **ret, const struct ia_setup **ret_setup,
                           struct ia_err *err)
{
    struct world *w = ctx;
    enum ia_rc rc = IA_OK;
    if (!w->runs) {
        rc = ia_setup_store(&w->setup, "test", err);
        const struct ia_runs_opts opts = {.setup = &w->setup, .credentials = &w->credentials};
        rc = rc == IA_OK ? ia_runs_open(&opts, &w->runs, err) : rc;
    }
    *ret = w->runs;
    *ret_setup = &w->setup;
    return rc;
}

static int open_world(void **state)
{
    struct ia_err err = {.code = IA_OK};
    struct world *w = ia_calloc(1, sizeof(*w));
    *w = (struct world){.home = tmpdir_new(), .out = IA_BUF(4 << 20)};
    w->peer.without = IA_MCP_TOOL_MORE;
    w->peer.device = "embedded";
    assert_int_equal(setenv("IOS_AGENT_HOME", w->home, 1), 0);
    assert_int_equal(ia_paths_find(NULL, &w->paths, &err), IA_OK);
    w->hub = ia_hub_new(&(struct ia_hub_opts){.paths = &w->paths, .command = "test"});
    const struct ia_mcp_host host = {
        .hub = w->hub, .runs = get_runs, .ctx = w, .version = "0.1.0"};
    assert_int_equal(ia_mcp_server_new(&host, &w->server, &err), IA_OK);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    struct world *w = *state;
    struct ia_err err;
    if (w->runs) {
        assert_int_equal(ia_runs_close(w->runs, 60000, &err), IA_OK);
        ia_setup_close(&w->setup);
    }
    ia_mcp_server_free(w->server);
    ia_hub_free(w->hub);
    ia_paths_fini(&w->paths);
    ia_buf_fini(&w->out);
    tmpdir_free(w->home);
    free(w);
    return 0;
}

/* ---- exchanges ---------------------------------------------------------------------------- */

static void collect(void *ctx, struct ia_str message, bool last)
{
    if (last) {
        ia_buf_putstr(ctx, message);
    }
}

static json_t *ask(struct world *w, const char *method, const char *params)
{
    struct ia_buf in = IA_BUF(1 << 20);
    ia_buf_printf(&in, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
                  method, params);
    struct ia_mcp *core = ia_mcp_server_core(w->server);
    struct ia_mcp_request *r = ia_mcp_read(core, &w->peer, ia_buf_str(&in), NULL);
    ia_buf_reset(&w->out);
    (void)ia_mcp_answer(core, &w->peer, r, NULL, collect, &w->out);
    ia_mcp_request_free(r);
    ia_buf_fini(&in);
    json_t *answer = json_loadb(w->out.p, w->out.len, 0, NULL);
    assert_non_null(answer);
    return answer;
}

static json_t *call(struct world *w, const char *tool, const char *args)
{
    struct ia_buf params = IA_BUF(1 << 20);
    ia_buf_printf(&params, "\"name\":\"%s\",\"arguments\":{%s}", tool, args);
    json_t *answer = ask(w, "tools/call", ia_buf_cstr(&params));
    ia_buf_fini(&params);
    return answer;
}

static const json_t *block(const json_t *answer, size_t i)
{
    const json_t *content = json_object_get(json_object_get(answer, "result"), "content");
    return json_array_get(content, i);
}

static bool is_error(const json_t *answer)
{
    return json_is_true(json_object_get(json_object_get(answer, "result"), "isError"));
}

/* Calls the tool; its text has to contain what, and to be an error or not. */
static void says(struct world *w, const char *tool, const char *args, bool error,
                 const char *what)
{
    json_t *answer = call(w, tool, args);
    const char *text = ia_json_text(block(answer, 0), "text");
    if (!strstr(text, what) || is_error(answer) != error) {
        fail_msg("%s{%s} is%s an error and says:\n%s", tool, args,
                 is_error(answer) ? "" : " not", text);
    }
    json_decref(answer);
}

/* The ref before an element in the text of the last answer. */
static int ref_of(struct world *w, const char *element)
{
    json_t *answer = json_loadb(w->out.p, w->out.len, 0, NULL);
    const char *text = ia_json_text(block(answer, 0), "text");
    const char *at = strstr(text, element);
    assert_non_null(at);
    while (at > text && at[-1] != '\n') {
        at--;
    }
    int ref = (int)strtol(at, NULL, 10);
    json_decref(answer);
    assert_true(ref > 0);
    return ref;
}

/* Calls a tool that acts on an element: its ref, and what else it takes. */
static void does(struct world *w, const char *tool, int ref, const char *more, const char *what)
{
    char args[128];
    (void)snprintf(args, sizeof(args), "\"ref\":%d%s", ref, more);
    says(w, tool, args, false, what);
}

/* ---- definitions -------------------------------------------------------------------------- */

static size_t list_bytes(struct world *w, const char *names)
{
    json_t *answer = ask(w, "tools/list", "");
    const json_t *tools = json_object_get(json_object_get(answer, "result"), "tools");
    struct ia_buf found = IA_BUF(1 << 16);
    size_t i = 0;
    const json_t *tool = NULL;
    json_array_foreach(tools, i, tool)
    {
        ia_buf_printf(&found, "%s ", ia_json_text(tool, "name"));
    }
    if (names) {
        assert_string_equal(ia_buf_cstr(&found), names);
    }
    ia_buf_fini(&found);
    char *text = json_dumps(json_object_get(answer, "result"), JSON_COMPACT);
    size_t n = strlen(text);
    free(text);
    json_decref(answer);
    return n;
}

static void the_short_list_has_12_tools_in_4096_bytes(void **state)
{
    struct world *w = *state;
    size_t n = list_bytes(w, "snapshot tap type_text swipe scroll_to press alert open wait_for "
                             "devices run run_status ");
    print_message("{\"tools\":[...]} has %zu bytes\n", n);
    assert_true(n <= 4096);
}

static void read_only_leaves_what_looks(void **state)
{
    struct world *w = *state;
    w->peer.without |= IA_MCP_TOOL_ACTS;
    (void)list_bytes(w, "snapshot wait_for devices run_status ");
    json_t *answer = call(w, "tap", "\"ref\":1");
    assert_string_equal(ia_json_text(json_object_get(answer, "error"), "message"),
                        "Unknown tool: tap");
    json_decref(answer);
}

/* Each name is one that every client takes, and no schema is more than they know. */
static void the_full_list_has_every_verb(void **state)
{
    struct world *w = *state;
    w->peer.without = 0;
    json_t *answer = ask(w, "tools/list", "");
    const json_t *tools = json_object_get(json_object_get(answer, "result"), "tools");
    size_t i = 0;
    const json_t *tool = NULL;
    bool clear = false, is = false;
    json_array_foreach(tools, i, tool)
    {
        const char *name = ia_json_text(tool, "name");
        assert_string_not_equal(name, "screenshot"); /* files are not for a model to name */
        assert_string_not_equal(name, "record");
        assert_string_not_equal(name, "media");
        clear = clear || strcmp(name, "clear") == 0;
        is = is || strcmp(name, "is") == 0;
        assert_true(strlen(name) <= 20);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_true(*ia_json_text(tool, "description"));
        const json_t *schema = json_object_get(tool, "inputSchema");
        assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    }
    assert_true(clear && is);
    assert_true(json_array_size(tools) > 14);
    json_decref(answer);
}

static void a_verb_without_a_definition_of_its_own_takes_refs_and_values(void **state)
{
    struct world *w = *state;
    w->peer.without = 0;
    says(w, "open", "\"app\":\"com.apple.Preferences\"", false, "Airplane Mode");
    int search = ref_of(w, "search Search");
    does(w, "type_text", search, ",\"text\":\"blue\"", "blue");
    does(w, "clear", search, "", "cleared");
    says(w, "is", "\"what\":\"app com.apple.Preferences\"", false, "");
    says(w, "is", "\"what\":\"visible \\\"Nothing Such\\\"\"", true, "NOT_MET: ");
    says(w, "get", "\"what\":\"app\"", false, "com.apple.Preferences");
    says(w, "clear", "\"ref\":\"x\"", true, "USAGE: clear.ref: must be an integer");
}

static void instructions_fit_in_700_bytes(void **state)
{
    struct world *w = *state;
    json_t *answer = ask(w, "initialize", "\"protocolVersion\":\"2025-11-25\"");
    const char *text = ia_json_text(json_object_get(answer, "result"), "instructions");
    assert_true(strlen(text) > 100 && strlen(text) <= 700);
    json_decref(answer);
}

/* ---- devices ------------------------------------------------------------------------------ */

static void tools_drive_the_simulated_phone(void **state)
{
    struct world *w = *state;
    says(w, "devices", "", false, "embedded:default simulated by ios-agent");
    says(w, "snapshot", "", false, "icon Settings");
    does(w, "tap", ref_of(w, "icon Settings"), "", "tapped");
    int airplane = ref_of(w, "switch:off Airplane Mode"), search = ref_of(w, "search Search");
    does(w, "tap", ref_of(w, "row General"), "", "tapped");
    says(w, "press", "\"button\":\"back\"", false, "went back");
    says(w, "wait_for", "\"until\":\"exists\",\"element\":\"switch \\\"Airplane Mode\\\"\"",
         false, "it holds");
    says(w, "swipe", "\"direction\":\"up\"", false, "swiped");
    says(w, "scroll_to", "\"text\":\"Airplane\"", false, "scrolled to");
    does(w, "tap", airplane, ",\"hold_ms\":600", "pressed");
    says(w, "swipe", "\"direction\":\"down\"", false, "search Search");
    does(w, "type_text", search, ",\"text\":\"blue\",\"submit\":true", "blue");
    says(w, "press", "\"button\":\"home\"", false, "com.apple.springboard");
    says(w, "open", "\"app\":\"com.apple.Preferences\"", false, "com.apple.Preferences");
    says(w, "open", "\"url\":\"https://example.com\"", true, "NO_APP: ");
    says(w, "alert", "\"action\":\"accept\"", true, "NO_ALERT: ");
}

static void a_refusal_says_what_happened_and_shows_the_screen(void **state)
{
    struct world *w = *state;
    says(w, "snapshot", "", false, "icon Settings");
    says(w, "tap", "\"ref\":99999", true, "outcome: nothing was sent to the device");
    says(w, "open", "\"app\":\"com.example.none\"", true, "NO_APP: ");
    says(w, "open", "", true, "USAGE: open: give either app or url");
    says(w, "open", "\"app\":\"a.b\",\"url\":\"x:\"", true,
         "USAGE: open: give either app or url");
    says(w, "alert", "", true, "USAGE: alert: give either action or button");
    says(w, "tap", "\"ref\":0", true, "USAGE: tap.ref: 0 is out of range");
    says(w, "wait_for",
         "\"until\":\"gone\",\"element\":\"icon \\\"Settings\\\"\",\"seconds\":1", true,
         "TIMEOUT: ");
    says(w, "wait_for",
         "\"until\":\"gone\",\"element\":\"icon \\\"Settings\\\"\",\"seconds\":1", true,
         "3 icon Settings\n");
    says(w, "snapshot", "\"device\":\"nothing:x\"", true, "NO_DEVICE: ");
}

static void what_the_screen_says_is_fenced(void **state)
{
    struct world *w = *state;
    json_t *answer = call(w, "snapshot", "");
    const char *text = ia_json_text(block(answer, 0), "text");
    assert_int_equal(strncmp(text, "<screen ", 8), 0);
    assert_non_null(strstr(text, "</screen "));
    json_decref(answer);
}

static void a_picture_has_one_pixel_a_point_and_fits(void **state)
{
    struct world *w = *state;
    json_t *answer = call(w, "snapshot", "\"image\":true");
    assert_string_equal(ia_json_text(block(answer, 0), "type"), "text");
    const json_t *image = block(answer, 1);
    assert_string_equal(ia_json_text(image, "type"), "image");
    assert_string_equal(ia_json_text(image, "mimeType"), "image/png");
    size_t n = strlen(ia_json_text(image, "data"));
    assert_true(n > 1000 && n <= IA_MCP_IMAGE_MAX);
    assert_true(w->out.len < IA_MCP_ANSWER_MAX);
    assert_null(json_object_get(json_object_get(answer, "result"), "structuredContent"));
    json_decref(answer);
}

static void structured_content_comes_only_when_asked_for(void **state)
{
    struct world *w = *state;
    w->peer.structured = true;
    json_t *answer = call(w, "open", "\"app\":\"com.apple.Preferences\"");
    const json_t *s = json_object_get(json_object_get(answer, "result"), "structuredContent");
    assert_string_equal(ia_json_text(s, "did"), "opened");
    json_decref(answer);
}

/* ---- runs --------------------------------------------------------------------------------- */

#define GOAL "\"goal\":\"open Settings, turn on Airplane Mode\""

static void a_run_needs_a_key_or_the_leave_for_the_demo_brain(void **state)
{
    struct world *w = *state;
    says(w, "run", GOAL, true, "KEY_MISSING: there is no API key for this run");
    says(w, "run", GOAL, true, "ios-agent mcp --demo");
}

static void a_run_returns_its_verdict(void **state)
{
    struct world *w = *state;
    char id[64] = "", args[128];
    w->peer.demo = true;
    says(w, "run", GOAL ",\"expect\":[\"value switch \\\"Airplane Mode\\\" = \\\"on\\\"\"]",
         false, "PASSED in ");
    says(w, "run", GOAL ",\"expect\":[\"visible \\\"Nothing Such\\\"\"],\"max_steps\":6", true,
         "does not hold: visible \"Nothing Such\"");
    json_t *answer = json_loadb(w->out.p, w->out.len, 0, NULL);
    const char *at = strstr(ia_json_text(block(answer, 0), "text"), "\nrun ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\nrun %40s", id), 1);
    json_decref(answer);
    (void)snprintf(args, sizeof(args), "\"id\":\"%s\",\"wait_seconds\":1", id);
    says(w, "run_status", args, false, "FAILED in ");
    (void)snprintf(args, sizeof(args), "\"id\":\"%s\",\"cancel\":true", id);
    says(w, "run_status", args, false, "FAILED in ");
    w->peer.without |= IA_MCP_TOOL_ACTS;
    says(w, "run_status", args, true, "USAGE: run_status: this server is read-only");
}

static void a_run_is_refused_before_it_is_made(void **state)
{
    struct world *w = *state;
    w->peer.demo = true;
    says(w, "run", GOAL ",\"expect\":[\"command \\\"touch x\\\"\"]", true,
         "USAGE: an expectation may not run a command here");
    says(w, "run", GOAL ",\"expect\":[\"vissible x\"]", true, "PARSE: ");
    says(w, "run", GOAL ",\"max_steps\":-1", true, "USAGE: run: a limit must not be negative");
    says(w, "run", GOAL ",\"device\":\"nothing:x\"", true, "NO_DEVICE: ");
    says(w, "run", GOAL ",\"plan\":\"maybe\"", true, "USAGE: ");
    says(w, "run_status", "\"id\":\"01990000-0000\"", true, "NOT_FOUND: ");
    w->peer.without = 0;
    says(w, "runs", "", false, "no runs");
}

static void a_run_whose_plan_waits_for_a_person_has_touched_nothing(void **state)
{
    struct world *w = *state;
    w->peer.demo = true;
    says(w, "run", GOAL ",\"plan\":\"ask\"", false, "carry out this plan: 1. open Settings");
    says(w, "is", "\"state\":\"exists\",\"element\":\"icon \\\"Settings\\\"\"", false, "");
}

#define TASK_META                                                                              \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"                         \
    "\"io.modelcontextprotocol/tasks\":{}}}}"

static void a_run_is_a_task_for_a_client_that_takes_tasks(void **state)
{
    struct world *w = *state;
    char id[64], params[512];
    w->peer.demo = true;
    json_t *answer =
        ask(w, "tools/call", "\"name\":\"run\",\"arguments\":{" GOAL "}," TASK_META);
    const json_t *result = json_object_get(answer, "result");
    assert_string_equal(ia_json_text(result, "resultType"), "task");
    assert_true(ia_json_copy(result, "taskId", id, sizeof(id)));
    json_decref(answer);
    (void)snprintf(params, sizeof(params), "\"taskId\":\"%s\"," TASK_META, id);
    char status[32] = "";
    while (strcmp(status, "completed") != 0) {
        answer = ask(w, "tasks/get", params);
        result = json_object_get(answer, "result");
        assert_true(ia_json_copy(result, "status", status, sizeof(status)));
        if (strcmp(status, "completed") == 0) {
            const json_t *content =
                json_object_get(json_object_get(result, "result"), "content");
            assert_non_null(strstr(ia_json_text(json_array_get(content, 0), "text"), "PASSED"));
        } else {
            assert_string_equal(status, "working");
            (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 10000);
        }
        json_decref(answer);
    }
    answer = ask(w, "tasks/cancel", params);
    assert_string_equal(ia_json_text(json_object_get(answer, "result"), "resultType"),
                        "complete");
    json_decref(answer);
}

#define T(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_short_list_has_12_tools_in_4096_bytes),
        T(read_only_leaves_what_looks),
        T(the_full_list_has_every_verb),
        T(a_verb_without_a_definition_of_its_own_takes_refs_and_values),
        T(instructions_fit_in_700_bytes),
        T(tools_drive_the_simulated_phone),
        T(a_refusal_says_what_happened_and_shows_the_screen),
        T(what_the_screen_says_is_fenced),
        T(a_picture_has_one_pixel_a_point_and_fits),
        T(structured_content_comes_only_when_asked_for),
        T(a_run_needs_a_key_or_the_leave_for_the_demo_brain),
        T(a_run_returns_its_verdict),
        T(a_run_is_refused_before_it_is_made),
        T(a_run_whose_plan_waits_for_a_person_has_touched_nothing),
        T(a_run_is_a_task_for_a_client_that_takes_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
