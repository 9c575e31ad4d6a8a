/* fuzz_mcp_read.c: any bytes as a message of the Model Context Protocol. Whatever comes, the answer is
 * messages of JSON on one line each, within their cap; the first byte chooses the revision. */
#include "server/mcp/core/mcp.h"
#include "json/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum ia_rc echo(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    char *args = json_dumps(call->args, JSON_COMPACT);
    ia_buf_puts(&ret->text, args);
    free(args);
    ia_mcp_tell(call, 1, 2, ia_buf_cstr(&ret->text));
    return IA_OK;
}

static bool no_task(void *ctx, const char *id, struct ia_mcp_task *ret)
{
    (void)ctx;
    (void)ret;
    return *id == '1';
}

static bool cancel_task(void *ctx, const char *id)
{
    (void)ctx;
    return *id == '1';
}

static void check(void *ctx, struct ia_str message, bool last)
{
    (void)ctx;
    (void)last;
    assert(message.n > 0 && message.n <= IA_MCP_ANSWER_MAX);
    assert(!memchr(message.p, '\n', message.n));
    assert(ia_json_ok(message));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const versions[] = {NULL, IA_MCP_BATCH_VERSION, IA_MCP_MODERN_VERSION,
                                           "2025-06-18"};
    static const struct ia_mcp_tool tools[] = {
        {"echo",
         "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{"
         "\"type\":\"string\"}},\"additionalProperties\":false}}",
         0, echo, NULL},
        {.name = NULL}};
    static const struct ia_mcp_tasks tasks = {no_task, cancel_task};
    static struct ia_mcp *mcp;
    struct ia_err err;
    if (!mcp) {
        const struct ia_mcp_opts opts = {
            .version = "1", .instructions = "", .tools = tools, .tasks = &tasks};
        enum ia_rc rc = ia_mcp_new(&opts, &mcp, &err);
        assert(rc == IA_OK);
    }
    if (size == 0) {
        return 0;
    }
    const struct ia_mcp_peer peer = {.cwd = NULL};
    struct ia_mcp_request *r = ia_mcp_read(
        mcp, &peer, (struct ia_str){(const char *)data + 1, size - 1}, versions[data[0] % 4]);
    (void)ia_mcp_answer(mcp, &peer, r, NULL, check, NULL);
    ia_mcp_request_free(r);
    return 0;
}
