/* read.c: from bytes to a request whose era is known, and whatever is wrong with it.
 *
 * No connection has a memory: a modern request says its version, in params._meta, and everything
 * else is legacy. */
#include "server/mcp/core/mcp_impl.h"

#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- the envelope ------------------------------------------------------------------------- */

/* Ids come back in answers, so they have a limit of their own. */
static bool id_ok(const json_t *id)
{
    return json_is_integer(id) ||
           (json_is_string(id) && json_string_length(id) <= IA_MCP_ID_MAX);
}

static void put_id(struct ia_buf *out, const json_t *id)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    if (!id_ok(id)) {
        return;
    }
    if (json_is_string(id)) {
        ia_jsonw_str(&w, ia_json_str(id));
    } else {
        ia_jsonw_int(&w, json_integer_value(id));
    }
}

/* An answer to us, who never ask: nothing is to be said about it. */
static bool is_answer(const json_t *m)
{
    return !json_object_get(m, "method") &&
           (json_object_get(m, "result") || json_object_get(m, "error"));
}

static bool envelope_ok(const json_t *m)
{
    const json_t *id = json_object_get(m, "id");
    const json_t *params = json_object_get(m, "params");
    return strcmp(ia_json_text(m, "jsonrpc"), "2.0") == 0 &&
           json_is_string(json_object_get(m, "method")) && (!id || id_ok(id)) &&
           (!params || json_is_object(params));
}

/* ---- eras --------------------------------------------------------------------------------- */

static bool is_modern(const struct ia_mcp_request *r, const char *version)
{
    return json_object_get(r->meta, IA_MCP_META_VERSION) ||
           strcmp(r->method, "server/discover") == 0 || (version && !ia_mcp_is_legacy(version));
}

static void wrong_version(struct ia_mcp_request *r)
{
    struct ia_jsonw w;
    ia_mcp_error_set(&r->error, IA_MCP_VERSION, "Unsupported protocol version");
    ia_jsonw_init(&w, &r->error.data);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "supported");
    ia_jsonw_array(&w);
    ia_jsonw_string(&w, IA_MCP_MODERN_VERSION);
    ia_jsonw_end_array(&w);
    ia_jsonw_key(&w, "requested");
    ia_jsonw_str(&w, (struct ia_str){r->version, strnlen(r->version, IA_MCP_ID_MAX)});
    ia_jsonw_end_object(&w);
}

static void check_modern(struct ia_mcp_request *r)
{
    const json_t *version = json_object_get(r->meta, IA_MCP_META_VERSION);
    r->version = json_string_value(version);
    if (!r->version || !json_is_object(json_object_get(r->meta, IA_MCP_META_CAPABILITIES))) {
        ia_mcp_error_set(&r->error, IA_MCP_PARAMS, "Invalid params: _meta needs %s",
                         r->version ? IA_MCP_META_CAPABILITIES : IA_MCP_META_VERSION);
        r->error.http = 400;
    } else if (strcmp(r->version, IA_MCP_MODERN_VERSION) != 0) {
        wrong_version(r);
    }
}

/* ---- methods ------------------------------------------------------------------------------ */

static void read_call(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                      struct ia_mcp_request *r)
{
    const json_t *args = json_object_get(r->params, "arguments");
    r->name = json_string_value(json_object_get(r->params, "name"));
    if (!r->name || (args && !json_is_object(args))) {
        ia_mcp_error_set(&r->error, IA_MCP_PARAMS, "Invalid params: %s",
                         r->name ? "arguments must be an object" : "name is missing");
        return;
    }
    r->tool = ia_mcp_tool_find(mcp, peer, r->name);
    if (!r->tool) {
        ia_mcp_error_set(&r->error, IA_MCP_PARAMS, "Unknown tool: %.100s", r->name);
    }
}

static void needs_tasks(struct ia_mcp_request *r)
{
    ia_mcp_error_set(&r->error, IA_MCP_CAPABILITY, "Missing required client capability");
    ia_buf_puts(&r->error.data,
                "{\"requiredCapabilities\":{\"extensions\":{\"" IA_MCP_TASKS "\":{}}}}");
}

static void read_task(struct ia_mcp_request *r)
{
    r->name = json_string_value(json_object_get(r->params, "taskId"));
    if (!ia_mcp_takes_tasks(r)) {
        needs_tasks(r);
    } else if (!r->name) {
        ia_mcp_error_set(&r->error, IA_MCP_PARAMS, "Invalid params: taskId is missing");
    }
}

static void read_cancelled(struct ia_mcp_request *r)
{
    put_id(&r->cancels, json_object_get(r->params, "requestId"));
}

static void read_method(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                        struct ia_mcp_request *r)
{
    const struct ia_mcp_method *method = ia_mcp_method(mcp, r->method, r->modern);
    if (!method) {
        ia_mcp_error_set(&r->error, IA_MCP_NO_METHOD, "Method not found");
        r->error.http = r->modern ? 404 : 0;
        return;
    }
    r->kind = method->kind;
    if (r->kind == IA_MCP_CALL) {
        read_call(mcp, peer, r);
    } else if (r->kind == IA_MCP_TASK) {
        read_task(r);
    }
}

/* ---- reading ------------------------------------------------------------------------------ */

static void read_object(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                        struct ia_mcp_request *r, const char *version)
{
    const json_t *id = json_object_get(r->message, "id");
    if (json_is_object(r->message) && is_answer(r->message)) {
        r->kind = IA_MCP_SILENT;
        return;
    }
    put_id(&r->id, id);
    if (!json_is_object(r->message) || !envelope_ok(r->message)) {
        r->kind = IA_MCP_QUICK;
        ia_mcp_error_set(&r->error, IA_MCP_INVALID, "Invalid Request");
        return;
    }
    r->method = ia_json_text(r->message, "method");
    r->params = json_object_get(r->message, "params");
    r->meta = json_object_get(r->params, "_meta");
    r->modern = is_modern(r, version);
    if (!id) {
        r->kind = IA_MCP_SILENT;
        if (strcmp(r->method, "notifications/cancelled") == 0) {
            read_cancelled(r);
        }
        return;
    }
    read_method(mcp, peer, r);
    if (r->modern) {
        struct ia_mcp_error found = r->error;
        r->error = (struct ia_mcp_error){.data = IA_BUF(IA_MCP_ERROR_DATA_MAX)};
        check_modern(r);
        if (r->error.code == 0) {
            r->error = found;
        } else {
            ia_buf_fini(&found.data);
        }
    }
}

static struct ia_mcp_request *new_request(void)
{
    struct ia_mcp_request *r = ia_calloc(1, sizeof(*r));
    r->id = r->cancels = IA_BUF(IA_MCP_MESSAGE_MAX);
    r->error.data = IA_BUF(IA_MCP_ERROR_DATA_MAX);
    r->kind = IA_MCP_QUICK;
    return r;
}

struct ia_mcp_request *ia_mcp_read(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                                   struct ia_str bytes, const char *version)
{
    struct ia_mcp_request *r = new_request();
    if (ia_json_depth_ok(bytes, IA_MCP_DEPTH_MAX)) {
        r->message = json_loadb(bytes.p, bytes.n, JSON_DECODE_ANY, NULL);
    }
    if (!r->message) {
        ia_mcp_error_set(&r->error, IA_MCP_PARSE, "Parse error");
    } else if (json_array_size(r->message) > 0 && version &&
               strcmp(version, IA_MCP_BATCH_VERSION) == 0) {
        r->kind = IA_MCP_BATCH;
    } else {
        read_object(mcp, peer, r, version);
    }
    return r;
}

struct ia_mcp_request *ia_mcp_batch(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                                    const struct ia_mcp_request *batch, size_t i)
{
    json_t *part = json_array_get(batch->message, i);
    if (!part) {
        return NULL;
    }
    struct ia_mcp_request *r = new_request();
    r->message = json_incref(part);
    read_object(mcp, peer, r, IA_MCP_BATCH_VERSION);
    return r;
}

void ia_mcp_request_free(struct ia_mcp_request *r)
{
    if (r) {
        json_decref(r->message);
        ia_buf_fini(&r->id);
        ia_buf_fini(&r->cancels);
        ia_buf_fini(&r->error.data);
        free(r);
    }
}
