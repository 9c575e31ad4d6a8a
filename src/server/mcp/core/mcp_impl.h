/* mcp_impl.h: what the files of the core share. */
#ifndef IA_SERVER_MCP_CORE_MCP_IMPL_H
#define IA_SERVER_MCP_CORE_MCP_IMPL_H

#include "server/mcp/core/mcp.h"

#define IA_MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define IA_MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define IA_MCP_META_SERVER "io.modelcontextprotocol/serverInfo"
#define IA_MCP_TASKS "io.modelcontextprotocol/tasks"
enum { IA_MCP_ERROR_DATA_MAX = 64 << 10 };

struct ia_mcp {
    struct ia_mcp_opts opts;
    json_t **schemas; /* of the tools, in their order */
    size_t count;
};

/* server.c */
/* NULL where there is none, or none for this peer. */
const struct ia_mcp_tool *ia_mcp_tool_find(const struct ia_mcp *mcp,
                                           const struct ia_mcp_peer *peer, const char *name);
/* The array of definitions that this peer gets. */
void ia_mcp_list_tools(struct ia_jsonw *w, const struct ia_mcp *mcp,
                       const struct ia_mcp_peer *peer);
const json_t *ia_mcp_tool_schema(const struct ia_mcp *mcp, const struct ia_mcp_tool *tool);

/* methods.c: a method, what its requests are, and what writes the members of its result. */
struct ia_mcp_method {
    const char *name;
    bool legacy, modern;
    enum ia_mcp_kind kind;
    bool cached; /* its modern result may be kept by the client */
    void (*write)(struct ia_jsonw *w, const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                  const struct ia_mcp_request *r); /* NULL: answer.c does it */
};
/* NULL: that era has none. */
const struct ia_mcp_method *ia_mcp_method(const struct ia_mcp *mcp, const char *name,
                                          bool modern);

/* write.c */
bool ia_mcp_takes_tasks(const struct ia_mcp_request *r);
/* {"jsonrpc":"2.0","id":…,"error":{…}} */
void ia_mcp_write_error(struct ia_buf *out, const struct ia_mcp_request *r,
                        const struct ia_mcp_error *e);
void ia_mcp_write_error_object(struct ia_jsonw *w, const struct ia_mcp_error *e);
/* {"jsonrpc":"2.0","id":…,"result":{ and its end, which adds what every modern result has. */
void ia_mcp_begin_result(struct ia_jsonw *w, const struct ia_mcp_request *r);
void ia_mcp_end_result(struct ia_jsonw *w, const struct ia_mcp *mcp,
                       const struct ia_mcp_request *r, const char *type, bool cached);
void ia_mcp_write_server_info(struct ia_jsonw *w, const struct ia_mcp *mcp);
/* "content":[…], "structuredContent", "isError". rc and err: what the tool's function returned. */
void ia_mcp_write_call_result(struct ia_jsonw *w, const struct ia_mcp_result *result,
                              enum ia_rc rc, const struct ia_err *err, bool always_error);
void ia_mcp_write_task(struct ia_jsonw *w, const struct ia_mcp_task *task);

#endif
