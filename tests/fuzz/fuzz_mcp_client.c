/* What an MCP server sends: a line of the input is a message. A line that is an answer counts only for the request
 * in hand; the secret is in nothing that comes out; what a model would be given is valid JSON and
 * valid UTF-8, within its caps. */
#include "agent/mcp_client/client_impl.h"
#include "agent/mcp_tools/mcp_tools.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "hunter2hunter2"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void take_answer(struct ia_mcp_client *c, struct ia_str message)
{
    (void)c;
    require(ia_json_ok(message) && !memchr(message.p, '\n', message.n));
}

static void close_nothing(struct ia_mcp_client *c)
{
    (void)c;
}

static void check_secret(const json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;
    require(!ia_str_find(ia_json_str(value), SECRET));
    json_array_foreach((json_t *)(uintptr_t)value, i, item)
    {
        check_secret(item);
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, item)
    {
        check_secret(item);
    }
}

static void check_definition(const json_t *tool)
{
    char name[IA_TOOL_NAME_MAX + 1];
    struct ia_buf out = IA_BUF(1 << 20);
    const char *why = NULL;
    ia_mcp_tool_name("skill", ia_json_text(tool, "name"), name);
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    require(name[n] == '\0' && n > 7 && n <= IA_TOOL_NAME_MAX);
    if (ia_mcp_tool_definition(tool, name, "Theirs:", &out, &why)) {
        require(ia_buf_ok(&out) && ia_json_ok(ia_buf_str(&out)));
        require(ia_utf8_printable(ia_buf_str(&out), ""));
    } else {
        require(why != NULL);
    }
    ia_buf_fini(&out);
}

static void check_result(const json_t *result)
{
    struct ia_buf out = IA_BUF(IA_MCP_TOOLS_RESULT_MAX + 100);
    char digest[IA_SHA256_HEX_SIZE];
    check_secret(result);
    ia_mcp_result_text(result, &out);
    require(ia_buf_ok(&out) && ia_utf8_printable(ia_buf_str(&out), "\n\t"));
    ia_buf_fini(&out);
    check_definition(result);
    ia_mcp_tool_digest(result, digest);
    const json_t *tools = json_object_get(result, "tools");
    for (size_t i = 0; i < json_array_size(tools); i++) {
        check_definition(json_array_get(tools, i));
    }
}

static bool take_line(struct ia_mcp_client *c, struct ia_str line)
{
    json_t *before = c->now.answer;
    struct ia_err err = {0};
    enum ia_rc rc = ia_mcp_client_take(c, line, &err);
    require(rc == IA_OK || (rc == IA_E_PROTO && err.msg[0]));
    require(!before || c->now.answer == before);
    json_t *result = NULL;
    if (!before && c->now.answer) {
        require(json_integer_value(json_object_get(c->now.answer, "id")) == c->now.asked);
        rc = ia_mcp_client_result(c, "m", &result, &err);
        require(rc == IA_OK || rc == IA_E_FAILED || rc == IA_E_PROTO);
        require(rc == IA_OK || !strstr(err.msg, SECRET));
        if (rc == IA_OK) {
            check_result(result);
        }
        return true;
    }
    return rc == IA_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ia_mcp_wire wire = {.answer = take_answer, .close = close_nothing};
    static const char *const secrets[] = {SECRET, NULL};
    struct ia_mcp_server server = {.name = "fuzz", .secrets = secrets};
    struct ia_mcp_client *c = ia_mcp_client_new(&server);
    struct ia_str rest = {(const char *)data, size};
    struct ia_str line;
    bool more = true;
    c->wire = &wire;
    c->now = (struct ia_mcp_pending){.asked = 2, .token = 1, .progress = -1, .total = -1};
    while (more && ia_str_line(&rest, &line)) {
        char *own = ia_strndup(line.p, line.n); /* so that reading too far is seen */
        more = take_line(c, (struct ia_str){own, line.n});
        free(own);
    }
    struct ia_buf progress = IA_BUF(4096);
    ia_mcp_client_put_progress(c, &progress);
    require(ia_buf_ok(&progress));
    ia_buf_fini(&progress);
    ia_mcp_client_free(c);
    return 0;
}
