/* methods.c: the methods that are answered from memory, and the table of all. */
#include "server/mcp/core/mcp_impl.h"

#include "json/json.h"

#include <string.h>

static void write_capabilities(struct ia_jsonw *w, const struct ia_mcp *mcp, bool modern)
{
    ia_jsonw_key(w, "capabilities");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "tools");
    ia_jsonw_raw(w, ia_str("{}"));
    if (modern && mcp->opts.tasks) {
        ia_jsonw_key(w, "extensions");
        ia_jsonw_raw(w, ia_str("{\"" IA_MCP_TASKS "\":{}}"));
    }
    ia_jsonw_end_object(w);
}

static void initialize(struct ia_jsonw *w, const struct ia_mcp *mcp,
                       const struct ia_mcp_peer *peer, const struct ia_mcp_request *r)
{
    (void)peer;
    const char *asked = ia_json_text(r->params, "protocolVersion");
    ia_jsonw_kv(w, "protocolVersion", ia_mcp_is_legacy(asked) ? asked : IA_MCP_LEGACY_VERSION);
    write_capabilities(w, mcp, false);
    ia_jsonw_key(w, "serverInfo");
    ia_mcp_write_server_info(w, mcp);
    ia_jsonw_kv(w, "instructions", mcp->opts.instructions);
}

static void ping(struct ia_jsonw *w, const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                 const struct ia_mcp_request *r)
{
    (void)w;
    (void)mcp;
    (void)peer;
    (void)r;
}

static void discover(struct ia_jsonw *w, const struct ia_mcp *mcp,
                     const struct ia_mcp_peer *peer, const struct ia_mcp_request *r)
{
    (void)peer;
    ia_jsonw_key(w, "supportedVersions");
    ia_jsonw_array(w);
    ia_jsonw_string(w, IA_MCP_MODERN_VERSION);
    ia_jsonw_end_array(w);
    write_capabilities(w, mcp, r->modern);
    ia_jsonw_kv(w, "instructions", mcp->opts.instructions);
}

static void list_tools(struct ia_jsonw *w, const struct ia_mcp *mcp,
                       const struct ia_mcp_peer *peer, const struct ia_mcp_request *r)
{
    (void)r;
    ia_jsonw_key(w, "tools");
    ia_mcp_list_tools(w, mcp, peer);
}

static const struct ia_mcp_method methods[] = {
    {"initialize", true, false, IA_MCP_QUICK, false, initialize},
    {"ping", true, false, IA_MCP_QUICK, false, ping},
    {"server/discover", false, true, IA_MCP_QUICK, true, discover},
    {"tools/list", true, true, IA_MCP_QUICK, true, list_tools},
    {"tools/call", true, true, IA_MCP_CALL, false, NULL},
    {"tasks/get", false, true, IA_MCP_TASK, false, NULL},
    {"tasks/cancel", false, true, IA_MCP_TASK, false, NULL},
    {"tasks/update", false, true, IA_MCP_TASK, false, NULL},
};

const struct ia_mcp_method *ia_mcp_method(const struct ia_mcp *mcp, const char *name,
                                          bool modern)
{
    for (size_t i = 0; i < IA_COUNTOF(methods); i++) {
        const struct ia_mcp_method *m = &methods[i];
        bool there =
            (modern ? m->modern : m->legacy) && (m->kind != IA_MCP_TASK || mcp->opts.tasks);
        if (there && strcmp(m->name, name) == 0) {
            return m;
        }
    }
    return NULL;
}
