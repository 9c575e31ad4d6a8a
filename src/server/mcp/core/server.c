/* server.c: the table of tools as it was checked at the start. */
#include "server/mcp/core/mcp_impl.h"

#include "agent/prompts/schema.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* A file's last line end is not part of the definition; any other would end a message too early. */
static struct ia_str one_line(const char *json)
{
    return (struct ia_str){json, strcspn(json, "\n")};
}

static enum ia_rc read_tool(const struct ia_mcp_tool *tool, json_t **ret, struct ia_err *err)
{
    struct ia_str json = one_line(tool->json);
    json_t *definition = json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES, NULL);
    json_t *schema = json_object_get(definition, "inputSchema");
    enum ia_rc rc = IA_OK;
    if (!schema || strcmp(ia_json_text(definition, "name"), tool->name) != 0) {
        rc = ia_err_set(err, IA_E_CONFIG, "the definition of the tool %s is not one",
                        tool->name);
    } else {
        rc = ia_schema_lint(schema, tool->name, err);
    }
    if (rc == IA_OK) {
        *ret = json_incref(schema);
    }
    json_decref(definition);
    return rc;
}

enum ia_rc ia_mcp_new(const struct ia_mcp_opts *opts, struct ia_mcp **ret, struct ia_err *err)
{
    struct ia_mcp *mcp = ia_calloc(1, sizeof(*mcp));
    enum ia_rc rc = IA_OK;
    mcp->opts = *opts;
    while (opts->tools[mcp->count].name) {
        mcp->count++;
    }
    mcp->schemas = ia_calloc(mcp->count + 1, sizeof(json_t *));
    for (size_t i = 0; rc == IA_OK && i < mcp->count; i++) {
        rc = read_tool(&opts->tools[i], &mcp->schemas[i], err);
    }
    if (rc != IA_OK) {
        ia_mcp_free(mcp);
        return rc;
    }
    *ret = mcp;
    return IA_OK;
}

void ia_mcp_free(struct ia_mcp *mcp)
{
    if (mcp) {
        for (size_t i = 0; i < mcp->count; i++) {
            json_decref(mcp->schemas[i]);
        }
        free(mcp->schemas);
        free(mcp);
    }
}

static bool given(const struct ia_mcp_tool *tool, const struct ia_mcp_peer *peer)
{
    return (tool->flags & peer->without) == 0;
}

const struct ia_mcp_tool *ia_mcp_tool_find(const struct ia_mcp *mcp,
                                           const struct ia_mcp_peer *peer, const char *name)
{
    for (size_t i = 0; i < mcp->count; i++) {
        const struct ia_mcp_tool *tool = &mcp->opts.tools[i];
        if (given(tool, peer) && strcmp(tool->name, name) == 0) {
            return tool;
        }
    }
    return NULL;
}

const json_t *ia_mcp_tool_schema(const struct ia_mcp *mcp, const struct ia_mcp_tool *tool)
{
    return mcp->schemas[tool - mcp->opts.tools];
}

void ia_mcp_list_tools(struct ia_jsonw *w, const struct ia_mcp *mcp,
                       const struct ia_mcp_peer *peer)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < mcp->count; i++) {
        if (given(&mcp->opts.tools[i], peer)) {
            ia_jsonw_raw(w, one_line(mcp->opts.tools[i].json));
        }
    }
    ia_jsonw_end_array(w);
}
