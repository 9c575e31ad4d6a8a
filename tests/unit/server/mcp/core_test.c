/* The exchanges of both eras, byte for byte. */
#include "server/mcp/core/mcp.h"

#include "base/clock.h"

#include "test.h"

#include <sys/resource.h>

#define TEXT_TOOL(tool_name)                                                                   \
    "{\"name\":\"" tool_name "\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","  \
    "\"properties\":{\"ref\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"ref\"],"    \
    "\"additionalProperties\":false}}\n"
#define PLAIN_TOOL(tool_name)                                                                  \
    "{\"name\":\"" tool_name "\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","  \
    "\"properties\":{},\"additionalProperties\":false}}"

/* ---- tools of the test -------------------------------------------------------------------- */

static enum ia_rc tap(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    ia_buf_printf(&ret->text, "~ %d button Done",
                  (int)json_integer_value(json_object_get(call->args, "ref")));
    return IA_OK;
}

static enum ia_rc refuses(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                          struct ia_err *err)
{
    (void)call;
    ia_buf_puts(&ret->text, "<screen>\n5 switch Airplane Mode\n</screen>");
    *err = (struct ia_err){.outcome = IA_OUTCOME_NOT_SENT};
    ia_err_set(err, IA_E_STALE_REF, "4 is now row Wi-Fi");
    ia_err_hint(err, "did you mean 5 switch Airplane Mode?");
    err->outcome = IA_OUTCOME_NOT_SENT;
    return IA_E_STALE_REF;
}

static enum ia_rc tells(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    ia_mcp_tell(call, 7, 60, "tap Done");
    ia_mcp_tell(call, 7, 60, "not told: it does not grow");
    ia_mcp_tell(call, 8.5, 0, NULL);
    ia_buf_puts(&ret->text, "told");
    return IA_OK;
}

static enum ia_rc pictures(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_err *err)
{
    (void)call;
    (void)err;
    ia_buf_puts(&ret->text, "a picture");
    ia_mcp_result_blob(ret, "image", "image/png", ia_str("png"));
    ia_buf_puts(&ret->structured, "{\"n\":1}");
    return IA_OK;
}

static enum ia_rc runs(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    if (call->tasks) {
        (void)snprintf(ret->task, sizeof(ret->task), "run-1");
    } else {
        ia_buf_puts(&ret->text, "PASSED");
    }
    return IA_OK;
}

static enum ia_rc floods(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                         struct ia_err *err)
{
    (void)call;
    (void)err;
    for (int i = 0; i < IA_MCP_ANSWER_MAX / 4; i++) {
        ia_buf_puts(&ret->text, "\"\"\"\""); /* each becomes two bytes */
    }
    return IA_OK;
}

static enum ia_rc wants(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)call;
    (void)err;
    ia_mcp_error_set(&ret->error, IA_MCP_CAPABILITY, "Missing required client capability");
    ia_buf_puts(&ret->error.data, "{\"requiredCapabilities\":{\"sampling\":{}}}");
    return IA_OK;
}

static bool task_get(void *ctx, const char *id, struct ia_mcp_task *ret)
{
    (void)ctx;
    (void)snprintf(ret->id, sizeof(ret->id), "%s", id);
    ret->created_ms = 0;
    ret->updated_ms = 1000;
    if (strcmp(id, "run-1") == 0) {
        ret->state = IA_MCP_TASK_WORKING;
        (void)snprintf(ret->message, sizeof(ret->message), "step 7 of 60: tap Done");
    } else if (strcmp(id, "run-2") == 0) {
        ret->state = IA_MCP_TASK_COMPLETED;
        ia_buf_puts(&ret->result.text, "PASSED");
    } else if (strcmp(id, "run-3") == 0) {
        ret->state = IA_MCP_TASK_FAILED;
        ia_mcp_error_set(&ret->result.error, IA_MCP_INTERNAL, "broken");
    } else {
        return false;
    }
    return true;
}

static bool task_cancel(void *ctx, const char *id)
{
    (void)ctx;
    return strncmp(id, "run-", 4) == 0;
}

static const struct ia_mcp_tool tools[] = {
    {"tap", TEXT_TOOL("tap"), IA_MCP_TOOL_ACTS, tap, NULL},
    {"look", PLAIN_TOOL("look"), 0, refuses, NULL},
    {"tell", PLAIN_TOOL("tell"), IA_MCP_TOOL_MORE, tells, NULL},
    {"picture", PLAIN_TOOL("picture"), IA_MCP_TOOL_MORE, pictures, NULL},
    {"run", PLAIN_TOOL("run"), IA_MCP_TOOL_ACTS, runs, NULL},
    {"flood", PLAIN_TOOL("flood"), IA_MCP_TOOL_MORE, floods, NULL},
    {"wants", PLAIN_TOOL("wants"), IA_MCP_TOOL_MORE, wants, NULL},
    {.name = NULL},
};
static const struct ia_mcp_tasks tasks = {task_get, task_cancel};

static struct ia_mcp *new_mcp(void)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_mcp *mcp = NULL;
    const struct ia_mcp_opts opts = {
        .version = "0.1.0", .instructions = "…", .tools = tools, .tasks = &tasks};
    assert_int_equal(ia_mcp_new(&opts, &mcp, &err), IA_OK);
    return mcp;
}

static void collect(void *ctx, struct ia_str message, bool last)
{
    (void)last;
    ia_buf_putstr(ctx, message);
    ia_buf_putc(ctx, '\n');
}

/* What one message is answered with; each message that goes out ends with a newline. */
static void exchange(struct ia_mcp *mcp, const struct ia_mcp_peer *peer, const char *version,
                     struct ia_str in, struct ia_buf *out)
{
    struct ia_mcp_request *r = ia_mcp_read(mcp, peer, in, version);
    ia_buf_reset(out);
    (void)ia_mcp_answer(mcp, peer, r, NULL, collect, out);
    ia_mcp_request_free(r);
}

/* ---- the table ---------------------------------------------------------------------------- */

#define SERVER "{\"name\":\"ios-agent\",\"version\":\"0.1.0\"}"
#define META                                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define TASK_META                                                                              \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"                         \
    "\"io.modelcontextprotocol/tasks\":{}}}}"
#define BY "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":" SERVER "}"
#define TIMES                                                                                  \
    "\"createdAt\":\"1970-01-01T00:00:00.000Z\",\"lastUpdatedAt\":\"1970-01-01T00:00:01.000Z"  \
    "\",\"ttlMs\":null,\"pollIntervalMs\":1000"
#define REQ(id, method, params)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define RES(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}\n"
#define ERR(id, code, message)                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" message   \
    "\"}}\n"
#define TEXT(text) "\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]"

static const struct {
    const char *in, *out;
} exchanges[] = {
    /* legacy */
    {REQ("1", "initialize",
         "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
         "\"c\",\"version\":\"1\"}"),
     RES("1", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
              "\"serverInfo\":" SERVER ",\"instructions\":\"…\"}")},
    {REQ("1", "initialize", "\"protocolVersion\":\"2024-11-05\""),
     RES("1", "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}},"
              "\"serverInfo\":" SERVER ",\"instructions\":\"…\"}")},
    {REQ("1", "initialize", "\"protocolVersion\":\"1999-01-01\""),
     RES("1", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
              "\"serverInfo\":" SERVER ",\"instructions\":\"…\"}")},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", ""},
    {"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}", RES("2", "{}")},
    {REQ("3", "tools/call", "\"name\":\"tap\",\"arguments\":{\"ref\":7}"),
     RES("3", "{" TEXT("~ 7 button Done") "}")},
    {REQ("4", "tools/call", "\"name\":\"tap\",\"arguments\":{}"),
     RES("4", "{" TEXT("USAGE: tap: missing field \\\"ref\\\"; fields: ref (integer, "
                       "required)") ",\"isError\":true}")},
    {REQ("4", "tools/call", "\"name\":\"tap\",\"arguments\":{\"ref\":7,\"x\":1}"),
     RES("4", "{" TEXT("USAGE: tap: unknown field \\\"x\\\"; fields: ref (integer, "
                       "required)") ",\"isError\":true}")},
    {REQ("5", "tools/call", "\"name\":\"nope\""), ERR("5", "-32602", "Unknown tool: nope")},
    {REQ("5", "tools/call", ""), ERR("5", "-32602", "Invalid params: name is missing")},
    {REQ("5", "tools/call", "\"name\":\"tap\",\"arguments\":[1]"),
     ERR("5", "-32602", "Invalid params: arguments must be an object")},
    {REQ("6", "server/nothing", ""), ERR("6", "-32601", "Method not found")},
    {REQ("6", "tasks/get", "\"taskId\":\"run-1\""), ERR("6", "-32601", "Method not found")},
    {REQ("6", "tools/call", "\"name\":\"look\""),
     RES("6", "{" TEXT("STALE_REF: 4 is now row Wi-Fi\\noutcome: nothing was sent to the "
                       "device\\nhint: did you mean 5 switch Airplane Mode?\\n<screen>\\n5 "
                       "switch Airplane Mode\\n</screen>") ",\"isError\":true}")},
    {REQ("7", "tools/call", "\"name\":\"tell\",\"_meta\":{\"progressToken\":\"t1\"}"),
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
     "\"progressToken\":\"t1\",\"progress\":7,\"total\":60,\"message\":\"tap Done\"}}\n"
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
     "\"progressToken\":\"t1\",\"progress\":8.5}}\n" RES("7", "{" TEXT("told") "}")},
    {REQ("7", "tools/call", "\"name\":\"tell\""), RES("7", "{" TEXT("told") "}")},
    {REQ("8", "tools/call", "\"name\":\"picture\""),
     RES("8", "{\"content\":[{\"type\":\"text\",\"text\":\"a picture\"},{\"type\":\"image\","
              "\"data\":\"cG5n\",\"mimeType\":\"image/png\"}],\"structuredContent\":{\"n\":1}"
              "}")},
    {REQ("9", "tools/call", "\"name\":\"run\""), RES("9", "{" TEXT("PASSED") "}")},
    {REQ("9", "tools/call", "\"name\":\"flood\""),
     RES("9", "{" TEXT("LIMIT: the result is larger than 1048576 bytes") ",\"isError\":true}")},
    /* what is no request */
    {"not JSON", ERR("null", "-32700", "Parse error")},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x",
     ERR("null", "-32700", "Parse error")},
    {"3", ERR("null", "-32600", "Invalid Request")},
    {"[]", ERR("null", "-32600", "Invalid Request")},
    {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
     ERR("null", "-32600", "Invalid Request")},
    {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
     ERR("1", "-32600", "Invalid Request")},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":7}",
     ERR("\"x\"", "-32600", "Invalid Request")},
    {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
     ERR("null", "-32600", "Invalid Request")},
    {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
     ERR("null", "-32600", "Invalid Request")},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
     ERR("1", "-32600", "Invalid Request")},
    {"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", ""},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"tap\"}}", ""},
    /* modern */
    {REQ("\"a\"", "server/discover", META),
     RES("\"a\"",
         "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{},"
         "\"extensions\":"
         "{\"io.modelcontextprotocol/tasks\":{}}},\"instructions\":\"…\",\"resultType\":"
         "\"complete\",\"ttlMs\":3600000,\"cacheScope\":\"public\"," BY "}")},
    {REQ("\"server-discover-probe-1\"", "server/discover", ""),
     ERR("\"server-discover-probe-1\"", "-32602",
         "Invalid params: _meta needs io.modelcontextprotocol/protocolVersion")},
    {REQ("7", "tools/list",
         "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
         "\"2026-07-28\"}"),
     ERR("7", "-32602",
         "Invalid params: _meta needs io.modelcontextprotocol/clientCapabilities")},
    {REQ("8", "tools/list",
         "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2027-01-01\","
         "\"io.modelcontextprotocol/clientCapabilities\":{}}"),
     "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32022,\"message\":\"Unsupported "
     "protocol version\",\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":"
     "\"2027-01-01\"}}}\n"},
    {REQ("7", "tools/call", "\"name\":\"tap\",\"arguments\":{\"ref\":7}," META),
     RES("7", "{" TEXT("~ 7 button Done") ",\"resultType\":\"complete\"," BY "}")},
    {REQ("7", "initialize", META), ERR("7", "-32601", "Method not found")},
    {REQ("7", "ping", META), ERR("7", "-32601", "Method not found")},
    {REQ("7", "logging/setLevel", META), ERR("7", "-32601", "Method not found")},
    {REQ("7", "tools/call", "\"name\":\"wants\"," META),
     "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32021,\"message\":\"Missing required "
     "client capability\",\"data\":{\"requiredCapabilities\":{\"sampling\":{}}}}}\n"},
    /* tasks */
    {REQ("9", "tools/call", "\"name\":\"run\"," META),
     RES("9", "{" TEXT("PASSED") ",\"resultType\":\"complete\"," BY "}")},
    {REQ("10", "tools/call", "\"name\":\"run\"," TASK_META),
     RES("10", "{\"taskId\":\"run-1\",\"status\":\"working\",\"statusMessage\":\"step 7 of 60: "
               "tap Done\"," TIMES ",\"resultType\":\"task\"," BY "}")},
    {REQ("12", "tasks/get", "\"taskId\":\"run-1\"," META),
     "{\"jsonrpc\":\"2.0\",\"id\":12,\"error\":{\"code\":-32021,\"message\":\"Missing required "
     "client capability\",\"data\":{\"requiredCapabilities\":{\"extensions\":{"
     "\"io.modelcontextprotocol/tasks\":{}}}}}}\n"},
    {REQ("13", "tasks/get", "\"taskId\":\"run-2\"," TASK_META),
     RES("13", "{\"taskId\":\"run-2\",\"status\":\"completed\"," TIMES ",\"result\":{" TEXT(
                   "PASSED") ",\"isError\":false},\"resultType\":\"complete\"," BY "}")},
    {REQ("13", "tasks/get", "\"taskId\":\"run-3\"," TASK_META),
     RES("13",
         "{\"taskId\":\"run-3\",\"status\":\"failed\"," TIMES
         ",\"error\":{\"code\":-32603,\"message\":\"broken\"},\"resultType\":\"complete\"," BY
         "}")},
    {REQ("14", "tasks/get", "\"taskId\":\"nope\"," TASK_META),
     ERR("14", "-32602", "Unknown task: nope")},
    {REQ("14", "tasks/get", TASK_META),
     ERR("14", "-32602", "Invalid params: taskId is missing")},
    {REQ("15", "tasks/cancel", "\"taskId\":\"run-1\"," TASK_META),
     RES("15", "{\"resultType\":\"complete\"," BY "}")},
    {REQ("16", "tasks/update", "\"taskId\":\"run-1\"," TASK_META),
     ERR("16", "-32602", "The task run-1 asked for no input")},
};

static void each_exchange_is_exact(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    struct ia_buf out = IA_BUF(4 << 20);
    for (size_t i = 0; i < IA_COUNTOF(exchanges); i++) {
        exchange(mcp, &peer, NULL, ia_str(exchanges[i].in), &out);
        assert_string_equal(ia_buf_cstr(&out), exchanges[i].out);
    }
    ia_buf_fini(&out);
    ia_mcp_free(mcp);
}

static void a_batch_is_answered_as_one_array_where_its_version_was_agreed_on(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    struct ia_buf out = IA_BUF(4 << 20);
    const char *batch = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},3,"
                        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                        "\"name\":\"tap\",\"arguments\":{\"ref\":1}}}]";
    exchange(mcp, &peer, IA_MCP_BATCH_VERSION, ia_str(batch), &out);
    assert_string_equal(
        ia_buf_cstr(&out),
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
        "\"message\":\"Invalid Request\"}},"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{" TEXT("~ 1 button Done") "}}]\n");
    exchange(mcp, &peer, IA_MCP_LEGACY_VERSION, ia_str(batch), &out);
    assert_string_equal(ia_buf_cstr(&out), ERR("null", "-32600", "Invalid Request"));
    ia_buf_fini(&out);
    ia_mcp_free(mcp);
}

static void a_peer_neither_sees_nor_calls_tools_that_are_kept_from_it(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.without = IA_MCP_TOOL_ACTS | IA_MCP_TOOL_MORE};
    struct ia_buf out = IA_BUF(4 << 20);
    exchange(mcp, &peer, NULL, ia_str(REQ("1", "tools/list", META)), &out);
    assert_string_equal(ia_buf_cstr(&out),
                        RES("1", "{\"tools\":[" PLAIN_TOOL(
                                     "look") "],\"resultType\":\"complete\",\"ttlMs\":"
                                             "3600000,\"cacheScope\":\"public\"," BY "}"));
    exchange(mcp, &peer, NULL, ia_str(REQ("1", "tools/call", "\"name\":\"tap\"")), &out);
    assert_string_equal(ia_buf_cstr(&out), ERR("1", "-32602", "Unknown tool: tap"));
    ia_buf_fini(&out);
    ia_mcp_free(mcp);
}

static void deep_nesting_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    struct ia_buf in = IA_BUF(4 << 20), out = IA_BUF(4 << 20);
    for (int i = 0; i < 1 << 20; i++) {
        ia_buf_putc(&in, '[');
    }
    exchange(mcp, &peer, NULL, ia_buf_str(&in), &out);
    assert_string_equal(ia_buf_cstr(&out), ERR("null", "-32700", "Parse error"));
    ia_buf_fini(&in);
    ia_buf_fini(&out);
    ia_mcp_free(mcp);
}

static void a_call_that_nobody_waits_for_is_not_answered(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    struct ia_err err;
    struct ia_cancel *cancel = ia_cancel_new(&err);
    struct ia_buf out = IA_BUF(4 << 20);
    struct ia_mcp_request *r = ia_mcp_read(
        mcp, &peer,
        ia_str(REQ("7", "tools/call", "\"name\":\"tell\",\"_meta\":{\"progressToken\":1}")),
        NULL);
    ia_cancel_fire(cancel);
    (void)ia_mcp_answer(mcp, &peer, r, cancel, collect, &out);
    assert_int_equal(out.len, 0);
    ia_mcp_request_free(r);
    ia_cancel_free(cancel);
    ia_buf_fini(&out);
    ia_mcp_free(mcp);
}

static void a_cancel_names_its_request(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    static const char *const cases[][2] = {
        {"\"requestId\":7", "7"}, {"\"requestId\":\"a\"", "\"a\""}, {"", ""}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf in = IA_BUF(1024);
        ia_buf_printf(&in,
                      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                      "\"params\":{%s}}",
                      cases[i][0]);
        struct ia_mcp_request *r = ia_mcp_read(mcp, &peer, ia_buf_str(&in), NULL);
        assert_int_equal(r->kind, IA_MCP_SILENT);
        assert_string_equal(ia_buf_cstr(&r->cancels), cases[i][1]);
        ia_mcp_request_free(r);
        ia_buf_fini(&in);
    }
    ia_mcp_free(mcp);
}

/* Over HTTP a wrong request has a status of its own. */
static void errors_have_the_status_of_http(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    static const struct {
        const char *in;
        int http;
    } cases[] = {
        {"not JSON", 400},
        {"3", 400},
        {REQ("1", "ping", META), 404},
        {REQ("1", "ping2", ""), 0},
        {REQ("1", "server/discover", ""), 400},
        {REQ("5", "tools/call", "\"name\":\"nope\"," META), 0},
        {REQ("12", "tasks/get", "\"taskId\":\"run-1\"," META), 400},
        {REQ("8", "tools/list",
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2027-01-01\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}"),
         400},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_mcp_request *r = ia_mcp_read(mcp, &peer, ia_str(cases[i].in), NULL);
        assert_int_equal(r->error.http, cases[i].http);
        ia_mcp_request_free(r);
    }
    struct ia_mcp_request *r = ia_mcp_read(
        mcp, &peer, ia_str("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), "2099-01-01");
    assert_int_equal(r->error.http, 400);
    ia_mcp_request_free(r);
    ia_mcp_free(mcp);
}

static void a_wrong_definition_is_found_at_the_start(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        PLAIN_TOOL("other"), "{", "{\"name\":\"x\"}",
        "{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\",\"anyOf\":[]}}",
        ("{\"name\":\"x\",\n\"inputSchema\":{\"type\":\"object\",\"properties\":{},"
         "\"additionalProperties\":false}}")};
    for (size_t i = 0; i < IA_COUNTOF(wrong); i++) {
        struct ia_err err = {.code = IA_OK};
        struct ia_mcp *mcp = NULL;
        const struct ia_mcp_tool one[] = {{"x", wrong[i], 0, tap, NULL}, {.name = NULL}};
        const struct ia_mcp_opts opts = {.version = "1", .tools = one};
        assert_int_equal(ia_mcp_new(&opts, &mcp, &err), IA_E_CONFIG);
    }
}

static long resident(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void ten_thousand_calls_do_not_grow_the_process(void **state)
{
    (void)state;
    struct ia_mcp *mcp = new_mcp();
    const struct ia_mcp_peer peer = {.cwd = NULL};
    struct ia_buf out = IA_BUF(4 << 20);
    struct ia_str call =
        ia_str(REQ("7", "tools/call", "\"name\":\"tap\",\"arguments\":{\"ref\":7}," META));
    long before = 0;
    for (int i = 0; i < 10000; i++) {
        exchange(mcp, &peer, NULL, call, &out);
        before = i == 100 ? resident() : before;
    }
    /* Sanitizers keep what is freed for a while, and find leaks themselves. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(resident() - before <= before / 20);
#endif
    ia_buf_fini(&out);
    ia_mcp_free(mcp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_exchange_is_exact),
        cmocka_unit_test(a_batch_is_answered_as_one_array_where_its_version_was_agreed_on),
        cmocka_unit_test(a_peer_neither_sees_nor_calls_tools_that_are_kept_from_it),
        cmocka_unit_test(deep_nesting_is_refused_before_it_is_parsed),
        cmocka_unit_test(a_call_that_nobody_waits_for_is_not_answered),
        cmocka_unit_test(a_cancel_names_its_request),
        cmocka_unit_test(errors_have_the_status_of_http),
        cmocka_unit_test(a_wrong_definition_is_found_at_the_start),
        cmocka_unit_test(ten_thousand_calls_do_not_grow_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
