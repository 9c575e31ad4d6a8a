/* stdio.h: MCP over two descriptors, one message a line ([spec] basic/transports/stdio).
 *
 * Requests run at the same time, on threads; those of tools that are IA_MCP_TOOL_SERIAL and name the
 * same device run in order of arrival. Answers come in any order. */
#ifndef IA_SERVER_MCP_CORE_STDIO_H
#define IA_SERVER_MCP_CORE_STDIO_H

#include "server/mcp/core/mcp.h"

/* Answers a request elsewhere: in the daemon. Like ia_mcp_answer; bytes is the whole message, version
 * what initialize agreed on, or NULL. */
typedef void ia_mcp_forward_fn(void *ctx, const struct ia_mcp_request *r, struct ia_str bytes,
                               const char *version, struct ia_cancel *cancel,
                               ia_mcp_send_fn *send, void *send_ctx);

struct ia_mcp_stdio_opts {
    struct ia_mcp *mcp;
    const struct ia_mcp_peer *peer;
    int in, out;                /* blocking */
    struct ia_cancel *stop;     /* ends it; may be NULL */
    ia_mcp_forward_fn *forward; /* calls and tasks go there; NULL: they are done here */
    void *forward_ctx;
};

enum {
    IA_MCP_STDIO_THREADS = 32,
    IA_MCP_STDIO_WAITING_MAX = 256, /* requests under way; more are refused */
    IA_MCP_STDIO_END_MS = 800       /* for what is under way at the end */
};

/* Serves until the input ends, stop fires or the parent has died. Then what is under way is cancelled
 * and nothing more is written. IA_E_TIMEOUT: some of it did not end in time, so the process has to
 * exit without freeing anything that it uses. */
enum ia_rc ia_mcp_stdio(const struct ia_mcp_stdio_opts *opts, struct ia_err *err);

#endif
