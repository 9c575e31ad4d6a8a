/* client.c: the life of a connection to one server, and the requests that are made over it. */
#include "agent/mcp_client/client_impl.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "json/json.h"
#include "mcp/protocol.h"

#include <stdlib.h>
#include <string.h>

enum { START_MS = 30000, PING_MS = 2000, CANCEL_MS = 500, CURSOR_MAX = 4096 };

static char **copy_list(const char *const *list)
{
    size_t n = 0;
    while (list && list[n]) {
        n++;
    }
    char **copy = list ? ia_calloc(n + 1, sizeof(*copy)) : NULL;
    for (size_t i = 0; i < n; i++) {
        copy[i] = ia_strdup(list[i]);
    }
    return copy;
}

/* Values may be secret. */
static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++) {
        ia_free_wiped(list[i]);
    }
    free(list);
}

struct ia_mcp_client *ia_mcp_client_new(const struct ia_mcp_server *server)
{
    struct ia_mcp_client *c = ia_calloc(1, sizeof(*c));
    c->name = ia_strdup(server->name);
    c->cwd = ia_strdup(server->cwd);
    c->url = ia_strdup(server->url);
    c->program_version = ia_strdup(server->version ? server->version : "0");
    c->argv = copy_list(server->argv);
    c->env = copy_list(server->env);
    c->headers = copy_list(server->headers);
    c->wire = server->url ? &ia_mcp_wire_http : &ia_mcp_wire_stdio;
    c->said = IA_BUF(IA_MCP_CLIENT_TEXT_MAX);
    return c;
}

static void close_wire(struct ia_mcp_client *c)
{
    if (c->state != IA_MCP_CLOSED) {
        c->wire->close(c);
    }
    c->state = IA_MCP_CLOSED;
    c->version[0] = '\0';
}

void ia_mcp_client_free(struct ia_mcp_client *c)
{
    if (!c) {
        return;
    }
    close_wire(c);
    json_decref(c->answer);
    free(c->name);
    free(c->cwd);
    free(c->url);
    free(c->program_version);
    free_list(c->argv);
    free_list(c->env);
    free_list(c->headers);
    ia_buf_fini(&c->said);
    free(c);
}

struct ia_str ia_mcp_client_said(const struct ia_mcp_client *c)
{
    return ia_buf_str(&c->said);
}

/* ---- requests ----------------------------------------------------------------------------- */

/* A message that has no answer, for which nothing waits long. What becomes of it shows later. */
static void tell(struct ia_mcp_client *c, const char *method, struct ia_str params, int64_t ms)
{
    struct ia_buf out = IA_BUF(4096);
    struct ia_limit limit = {NULL, ia_mono_us(ia_clock_system()) + ms * 1000};
    c->asked = 0;
    ia_mcp_client_write(&out, 0, method, params);
    (void)c->wire->exchange(c, ia_buf_str(&out), &limit, NULL);
    ia_buf_fini(&out);
}

/* The server may go on with what nobody waits for any more; it is told so. */
static void call_off(struct ia_mcp_client *c, int64_t id)
{
    struct ia_buf params = IA_BUF(256);
    ia_buf_printf(&params, "{\"requestId\":%lld,\"reason\":\"the client's time is up\"}",
                  (long long)id);
    tell(c, "notifications/cancelled", ia_buf_str(&params), CANCEL_MS);
    ia_buf_fini(&params);
}

/* One request and its answer, whose result is borrowed until the next. */
static enum ia_rc ask(struct ia_mcp_client *c, const char *method, struct ia_str params,
                      const struct ia_limit *limit, json_t **ret, struct ia_err *err)
{
    struct ia_buf out = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX);
    int64_t id = ++c->last_id;
    json_decref(c->answer);
    c->answer = NULL;
    c->asked = id;
    c->before = c->noise = 0;
    c->sent = false;
    ia_mcp_client_write(&out, id, method, params);
    enum ia_rc rc = ia_buf_check(&out, "a request to an MCP server", err);
    rc = rc == IA_OK ? c->wire->exchange(c, ia_buf_str(&out), limit, err) : rc;
    ia_buf_fini(&out);
    c->asked = 0;
    if (rc == IA_OK) {
        return ia_mcp_client_result(c, method, ret, err);
    }
    if (rc == IA_E_TIMEOUT || rc == IA_E_CANCELLED) {
        bool sent = c->sent;
        call_off(c, id);
        c->sent = sent;
        c->state = IA_MCP_DOUBTFUL;
    } else {
        close_wire(c);
    }
    return rc;
}

/* ---- opening ------------------------------------------------------------------------------ */

static void put_client(struct ia_mcp_client *c, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "protocolVersion", IA_MCP_LEGACY_VERSION);
    ia_jsonw_key(&w, "capabilities");
    ia_jsonw_raw(&w, ia_str("{}"));
    ia_jsonw_key(&w, "clientInfo");
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", "ios-agent");
    ia_jsonw_kv(&w, "version", c->program_version);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
}

/* The server answers with the version that we asked for, or with another that it speaks. */
static enum ia_rc agree(struct ia_mcp_client *c, const json_t *result, struct ia_err *err)
{
    const char *version = ia_json_text(result, "protocolVersion");
    if (!ia_mcp_is_legacy(version)) {
        ia_err_set(err, IA_E_UNSUPPORTED, "the MCP server %s wants version \"%.30s\"", c->name,
                   version);
        ia_err_hint(err, "this program speaks 2024-11-05 to " IA_MCP_LEGACY_VERSION);
        return IA_E_UNSUPPORTED;
    }
    if (!json_is_object(json_object_get(json_object_get(result, "capabilities"), "tools"))) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "the MCP server %s offers no tools", c->name);
    }
    (void)snprintf(c->version, sizeof(c->version), "%s", version);
    struct ia_str said = ia_json_field(result, "instructions");
    said.n = said.n > IA_MCP_CLIENT_TEXT_MAX ? ia_utf8_cut(said.p, IA_MCP_CLIENT_TEXT_MAX) : said.n;
    ia_buf_reset(&c->said);
    ia_buf_putstr(&c->said, said);
    return IA_OK;
}

static enum ia_rc initialize(struct ia_mcp_client *c, const struct ia_limit *limit,
                             struct ia_err *err)
{
    struct ia_buf params = IA_BUF(1024);
    json_t *result = NULL;
    put_client(c, &params);
    enum ia_rc rc = ask(c, "initialize", ia_buf_str(&params), limit, &result, err);
    ia_buf_fini(&params);
    rc = rc == IA_OK ? agree(c, result, err) : rc;
    if (rc == IA_OK) {
        tell(c, "notifications/initialized", (struct ia_str){0}, PING_MS);
    } else {
        close_wire(c);
    }
    return rc;
}

/* After a call without an answer: one that answers nothing at all is started anew. */
static void examine(struct ia_mcp_client *c, const struct ia_limit *limit)
{
    struct ia_limit soon = ia_limit_within(limit, PING_MS);
    json_t *result = NULL;
    struct ia_err why;
    c->once = false;
    if (c->state == IA_MCP_DOUBTFUL) {
        enum ia_rc rc = ask(c, "ping", (struct ia_str){0}, &soon, &result, &why);
        if (rc == IA_OK || rc == IA_E_FAILED) {
            c->state = IA_MCP_OPEN;
        } else {
            close_wire(c);
        }
    }
}

static enum ia_rc open_client(struct ia_mcp_client *c, const struct ia_limit *limit,
                              struct ia_err *err)
{
    examine(c, limit);
    if (c->state != IA_MCP_CLOSED) {
        return IA_OK;
    }
    struct ia_limit start = ia_limit_within(limit, START_MS);
    enum ia_rc rc = c->wire->open(c, err);
    if (rc == IA_OK) {
        c->state = IA_MCP_OPEN;
        rc = initialize(c, &start, err);
    }
    return rc;
}

/* A connection that is found dead before anything was sent over it is replaced, once. */
static enum ia_rc ask_open(struct ia_mcp_client *c, const char *method, struct ia_str params,
                           bool once, const struct ia_limit *limit, json_t **ret,
                           struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < 2; i++) {
        rc = open_client(c, limit, err);
        if (rc != IA_OK) {
            c->sent = false; /* of this request nothing */
            return rc;
        }
        c->once = once;
        rc = ask(c, method, params, limit, ret, err);
        if (c->sent || c->state != IA_MCP_CLOSED) {
            return rc;
        }
    }
    return rc;
}

/* ---- tools -------------------------------------------------------------------------------- */

static enum ia_rc add_page(struct ia_mcp_client *c, const json_t *result, json_t *all,
                           struct ia_err *err)
{
    const json_t *tools = json_object_get(result, "tools");
    if (!json_is_array(tools)) {
        return ia_err_set(err, IA_E_PROTO, "the MCP server %s lists no tools", c->name);
    }
    for (size_t i = 0; i < json_array_size(tools); i++) {
        json_t *tool = json_array_get(tools, i);
        if (!json_is_string(json_object_get(tool, "name"))) {
            return ia_err_set(err, IA_E_PROTO, "the MCP server %s has a tool without a name",
                              c->name);
        }
        if (json_array_size(all) == IA_MCP_CLIENT_TOOLS_MAX) {
            return ia_err_set(err, IA_E_LIMIT, "the MCP server %s has more than %d tools",
                              c->name, IA_MCP_CLIENT_TOOLS_MAX);
        }
        (void)json_array_append(all, tool);
    }
    return IA_OK;
}

/* The params of the next page; false behind the last. */
static bool next_page(const json_t *result, struct ia_buf *params)
{
    struct ia_str cursor = ia_json_field(result, "nextCursor");
    ia_buf_reset(params);
    if (!cursor.p || cursor.n > CURSOR_MAX) {
        return false;
    }
    struct ia_jsonw w;
    ia_jsonw_init(&w, params);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "cursor");
    ia_jsonw_str(&w, cursor);
    ia_jsonw_end_object(&w);
    return true;
}

enum ia_rc ia_mcp_client_tools(struct ia_mcp_client *c, const struct ia_limit *limit,
                               json_t **ret, struct ia_err *err)
{
    struct ia_buf params = IA_BUF(CURSOR_MAX * 7);
    json_t *all = json_array();
    json_t *result = NULL;
    enum ia_rc rc = IA_OK;
    bool more = true;
    for (int page = 0; rc == IA_OK && more; page++) {
        if (page == IA_MCP_CLIENT_PAGES_MAX) {
            rc = ia_err_set(err, IA_E_LIMIT, "the MCP server %s has more than %d pages of tools",
                            c->name, page);
            break;
        }
        rc = ask_open(c, "tools/list", ia_buf_str(&params), false, limit, &result, err);
        rc = rc == IA_OK ? add_page(c, result, all, err) : rc;
        more = rc == IA_OK && next_page(result, &params);
    }
    ia_buf_fini(&params);
    if (rc != IA_OK) {
        json_decref(all);
        return rc;
    }
    *ret = all;
    return IA_OK;
}

static void put_call(const char *tool, const json_t *args, struct ia_buf *out)
{
    char *text = json_dumps(args, JSON_COMPACT);
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", tool);
    ia_jsonw_key(&w, "arguments");
    ia_jsonw_raw(&w, ia_str(text ? text : "{}"));
    ia_jsonw_end_object(&w);
    free(text);
}

enum ia_rc ia_mcp_client_call(struct ia_mcp_client *c, const char *tool, const json_t *args,
                              const struct ia_limit *limit, json_t **ret, struct ia_err *err)
{
    struct ia_err own = {0};
    struct ia_err *e = err ? err : &own;
    struct ia_buf params = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX);
    json_t *result = NULL;
    e->outcome = IA_OUTCOME_NONE;
    put_call(tool, args, &params);
    enum ia_rc rc = ask_open(c, "tools/call", ia_buf_str(&params), true, limit, &result, e);
    ia_buf_fini(&params);
    if (rc == IA_OK) {
        *ret = json_incref(result);
    } else if (e->outcome == IA_OUTCOME_NONE) {
        e->outcome = c->sent ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
    }
    return rc;
}
