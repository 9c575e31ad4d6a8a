/* tools.c: the list of tools, its pins, and calls.
 *
 *     call ─► open, ping ─► list again where it may have changed ─► pinned? ─► tools/call, once
 *       ▲                                                                         │
 *       └── the connection was found dead before a byte of the call left, once ◄──┘ */
#include "agent/mcp_client/client_impl.h"

#include "base/jsonw.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { CURSOR_MAX = 4096 };

/* Every message begins with the server's name and shows none of its secrets. */
static enum ia_rc tell(const struct ia_mcp_client *c, enum ia_rc rc, struct ia_err *err)
{
    ia_mcp_hide_err(c, err);
    return ia_err_wrap(err, rc, "MCP server %s", c->name);
}

/* ---- pins --------------------------------------------------------------------------------- */

void ia_mcp_tool_digest(const json_t *tool, char ret_hex[IA_SHA256_HEX_SIZE])
{
    static const char *const keys[] = {"name",        "title",        "description",
                                       "inputSchema", "outputSchema", "annotations",
                                       "execution"};
    json_t *part = json_object();
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        json_t *value = json_object_get(tool, keys[i]);
        if (value) {
            (void)json_object_set(part, keys[i], value);
        }
    }
    char *text = json_dumps(part, JSON_SORT_KEYS | JSON_COMPACT);
    ia_sha256_hex(text ? text : "", text ? strlen(text) : 0, ret_hex);
    free(text);
    json_decref(part);
}

void ia_mcp_client_accept(struct ia_mcp_client *c, const char *tool, const char *digest)
{
    (void)json_object_set_new(c->accepted, tool, json_string(digest));
}

const json_t *ia_mcp_client_accepted(const struct ia_mcp_client *c)
{
    return c->accepted;
}

/* Notes the definition as listed, and accepts it if none was. */
static void pin(struct ia_mcp_client *c, const json_t *tool)
{
    char digest[IA_SHA256_HEX_SIZE];
    const char *name = ia_json_text(tool, "name");
    ia_mcp_tool_digest(tool, digest);
    (void)json_object_set_new(c->listed, name, json_string(digest));
    if (!json_object_get(c->accepted, name)) {
        ia_mcp_client_accept(c, name, digest);
    }
}

static enum ia_rc check(const struct ia_mcp_client *c, const char *tool, struct ia_err *err)
{
    const char *now = json_string_value(json_object_get(c->listed, tool));
    const char *accepted = json_string_value(json_object_get(c->accepted, tool));
    enum ia_rc rc = IA_OK;
    if (!now) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "it has no tool %.100s", tool);
    } else if (!accepted || strcmp(now, accepted) != 0) {
        rc = ia_err_set(
            err, IA_E_FORBIDDEN,
            "its tool %.100s is not what was accepted: its description or its schema "
            "changed",
            tool);
        ia_err_hint(err,
                    "nothing was called; `ios-agent skills trust %s` accepts what it is now",
                    c->name);
    }
    if (rc != IA_OK && err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

enum ia_rc ia_mcp_client_check(const struct ia_mcp_client *c, const char *tool,
                               struct ia_err *err)
{
    enum ia_rc rc = check(c, tool, err);
    return rc == IA_OK ? rc : tell(c, rc, err);
}

/* ---- the list ----------------------------------------------------------------------------- */

struct listing {
    struct ia_mcp_client *c;
    json_t *all;
    size_t bytes;
    int pages;
    struct ia_buf params; /* of the next page */
};

static enum ia_rc too_much(const char *what, struct ia_err *err)
{
    return ia_err_set(err, IA_E_LIMIT, "it lists %s", what);
}

/* A name with a NUL or a second definition of a name would be ambiguous: only the first is taken. */
static enum ia_rc add_tool(struct listing *l, json_t *tool, struct ia_err *err)
{
    struct ia_str name = ia_json_field(tool, "name");
    if (!name.p) {
        return ia_err_set(err, IA_E_PROTO, "it lists a tool without a name");
    }
    if (strlen(name.p) != name.n || json_object_get(l->c->listed, name.p)) {
        return IA_OK;
    }
    size_t bytes = json_dumpb(tool, NULL, 0, JSON_COMPACT);
    l->bytes += bytes;
    if (json_array_size(l->all) == IA_MCP_CLIENT_TOOLS_MAX) {
        return too_much("more than 256 tools", err);
    }
    if (bytes == 0 || bytes > IA_MCP_CLIENT_TOOL_BYTES_MAX) {
        return too_much("a tool of more than 64 KB", err);
    }
    if (l->bytes > IA_MCP_CLIENT_LIST_BYTES_MAX) {
        return too_much("tools of more than 1 MB together", err);
    }
    (void)json_array_append(l->all, tool);
    pin(l->c, tool);
    return IA_OK;
}

static enum ia_rc add_page(struct listing *l, const json_t *result, struct ia_err *err)
{
    const json_t *tools = json_object_get(result, "tools");
    enum ia_rc rc = IA_OK;
    if (!json_is_array(tools)) {
        return ia_err_set(err, IA_E_PROTO, "it answered tools/list without a list");
    }
    for (size_t i = 0; rc == IA_OK && i < json_array_size(tools); i++) {
        rc = add_tool(l, json_array_get(tools, i), err);
    }
    return rc;
}

/* Writes the params of the next page; *ret_more is false after the last. */
static enum ia_rc next_page(struct listing *l, const json_t *result, bool *ret_more,
                            struct ia_err *err)
{
    struct ia_str cursor = ia_json_field(result, "nextCursor");
    struct ia_jsonw w;
    *ret_more = cursor.p != NULL;
    if (!cursor.p) {
        return IA_OK;
    }
    if (++l->pages == IA_MCP_CLIENT_PAGES_MAX) {
        return too_much("more than 32 pages of tools", err);
    }
    if (cursor.n > CURSOR_MAX) {
        return too_much("a page with a cursor of more than 4096 bytes", err);
    }
    ia_buf_reset(&l->params);
    ia_jsonw_init(&w, &l->params);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "cursor");
    ia_jsonw_str(&w, cursor);
    ia_jsonw_end_object(&w);
    return IA_OK;
}

static enum ia_rc read_pages(struct listing *l, const struct ia_limit *limit,
                             struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool more = true;
    json_object_clear(l->c->listed);
    l->c->stale = false; /* from here on a change is noted */
    while (rc == IA_OK && more) {
        json_t *result = NULL;
        rc = ia_mcp_client_ask(l->c, "tools/list", ia_buf_str(&l->params), false, limit,
                               &result, err);
        rc = rc == IA_OK ? add_page(l, result, err) : rc;
        rc = rc == IA_OK ? next_page(l, result, &more, err) : rc;
    }
    l->c->stale = l->c->stale || rc != IA_OK;
    return rc;
}

/* *ret gets a new reference; NULL: not wanted. */
static enum ia_rc list_tools(struct ia_mcp_client *c, const struct ia_limit *limit,
                             json_t **ret, struct ia_err *err)
{
    struct listing l = {.c = c, .all = json_array(), .params = IA_BUF(CURSOR_MAX * 7)};
    enum ia_rc rc = read_pages(&l, limit, err);
    ia_buf_fini(&l.params);
    if (rc == IA_OK && ret) {
        *ret = l.all;
    } else {
        json_decref(l.all);
    }
    return rc;
}

/* Whether a connection was lost that can be replaced without sending anything twice. */
static bool replaceable(const struct ia_mcp_client *c, enum ia_rc rc)
{
    return rc != IA_OK && rc != IA_E_TIMEOUT && rc != IA_E_CANCELLED &&
           c->state == IA_MCP_CLOSED && !c->now.sent;
}

enum ia_rc ia_mcp_client_tools(struct ia_mcp_client *c, const struct ia_limit *limit,
                               json_t **ret, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < 2; i++) {
        rc = ia_mcp_client_open(c, limit, err);
        if (rc != IA_OK) {
            break;
        }
        rc = list_tools(c, limit, ret, err);
        if (!replaceable(c, rc)) {
            break;
        }
    }
    return rc == IA_OK ? rc : tell(c, rc, err);
}

/* ---- calls -------------------------------------------------------------------------------- */

static void put_call(struct ia_mcp_client *c, const char *tool, const json_t *args,
                     struct ia_buf *out)
{
    char *text = json_dumps(args, JSON_COMPACT);
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", tool);
    ia_jsonw_key(&w, "arguments");
    ia_jsonw_raw(&w, ia_str(text ? text : "{}"));
    ia_jsonw_key(&w, "_meta");
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "progressToken", ++c->last_token);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    free(text);
}

/* The server is there, and the tool is the one that was accepted. Nothing of the call was sent yet. */
static enum ia_rc prepare(struct ia_mcp_client *c, const char *tool,
                          const struct ia_limit *limit, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < 2; i++) {
        rc = ia_mcp_client_open(c, limit, err);
        if (rc != IA_OK || (!c->stale && c->wire->hears)) {
            break;
        }
        rc = list_tools(c, limit, NULL, err);
        if (!replaceable(c, rc)) {
            break;
        }
    }
    rc = rc == IA_OK ? check(c, tool, err) : rc;
    if (rc != IA_OK) {
        c->now.sent = false;
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

static enum ia_rc call_once(struct ia_mcp_client *c, const char *tool, const json_t *args,
                            const struct ia_limit *limit, json_t **ret, struct ia_err *err)
{
    struct ia_buf params = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX);
    put_call(c, tool, args, &params);
    enum ia_rc rc =
        ia_mcp_client_ask(c, "tools/call", ia_buf_str(&params), true, limit, ret, err);
    ia_buf_fini(&params);
    return rc;
}

enum ia_rc ia_mcp_client_call(struct ia_mcp_client *c, const char *tool, const json_t *args,
                              const struct ia_limit *limit, json_t **ret, struct ia_err *err)
{
    struct ia_err own;
    struct ia_err *e = err ? err : &own;
    json_t *result = NULL;
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < 2; i++) {
        *e = (struct ia_err){.retry_after_ms = -1};
        rc = prepare(c, tool, limit, e);
        if (rc != IA_OK) {
            break;
        }
        rc = call_once(c, tool, args, limit, &result, e);
        if (!replaceable(c, rc)) {
            break;
        }
    }
    if (rc == IA_OK) {
        *ret = json_incref(result);
        return rc;
    }
    if (e->outcome == IA_OUTCOME_NONE) {
        e->outcome = c->now.sent ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
    }
    return tell(c, rc, e);
}
