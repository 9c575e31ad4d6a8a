/* mcp_server.h: the tools that ship, over the protocol (core/mcp.h): devices through verbs, goals
 * through runs.
 *
 *   definitions   prompts/mcp/NAME.json for the short list; for the other verbs they are written from
 *                 the verb's own table of options
 *   tap, open, …  server/verbs/verbs.h, in one lane a device
 *   run, …        app/runs.h; a run is a task where the client takes tasks
 *
 * No call waits longer than IA_MCP_WAIT_MS_MAX: a run that takes longer goes on, under its id. */
#ifndef IA_SERVER_MCP_MCP_SERVER_H
#define IA_SERVER_MCP_MCP_SERVER_H

#include "app/runs.h"
#include "server/hub/hub.h"
#include "server/mcp/core/mcp.h"

/* What the tools work with; borrowed. */
struct ia_mcp_host {
    struct ia_hub *hub;
    /* The runs, and the setup with their store: asked for by the first tool that needs them, on any
     * thread. Borrowed until the server is freed. */
    enum ia_rc (*runs)(void *ctx, struct ia_runs **ret, const struct ia_setup **ret_setup,
                       struct ia_err *err);
    void *ctx;
    const char *version; /* of this program */
};

struct ia_mcp_server;
enum ia_rc ia_mcp_server_new(const struct ia_mcp_host *host, struct ia_mcp_server **ret,
                             struct ia_err *err);
/* No call may be under way. NULL is fine. */
void ia_mcp_server_free(struct ia_mcp_server *s);
/* For a transport (core/stdio.h, core/http.h); borrowed. */
struct ia_mcp *ia_mcp_server_core(struct ia_mcp_server *s);

#endif
