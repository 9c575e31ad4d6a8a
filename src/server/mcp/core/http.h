/* http.h: MCP as POST of one message ([spec] basic/transports/streamable-http).
 *
 * The answer is application/json, or text/event-stream where a tool may tell how far it is: then each
 * message is a "data:" line, the last one is the answer, and the connection ends. Who may talk was
 * decided before (server/http/access.h). The query says what a client wants of its tools:
 *
 *   /mcp?tools=full&read_only=1&structured=1&demo=1
 *
 * and, on the Unix socket alone, from=stdio: `ios-agent mcp` passes on what its client says, and, with a
 * run, the key of its environment. Then the
 * headers that repeat a modern message need not be there, and in both eras a call is cancelled when
 * the connection closes; else that is so in the modern era alone. A legacy client's
 * notifications/cancelled is ignored: nothing tells its request from another client's of the same
 * number. */
#ifndef IA_SERVER_MCP_CORE_HTTP_H
#define IA_SERVER_MCP_CORE_HTTP_H

#include "server/http/http.h"
#include "server/mcp/core/mcp.h"

struct ia_mcp_http;

struct ia_mcp_http *ia_mcp_http_new(struct ia_mcp *mcp); /* borrowed */
/* Waits for the calls under way, which are cancelled. No request may be in hand. NULL is fine. */
void ia_mcp_http_free(struct ia_mcp_http *h);
/* Calls under way whose answers are streams: the request itself has been handled. */
int ia_mcp_http_busy(struct ia_mcp_http *h);
/* Answers any request of the path /mcp. Any thread. */
void ia_mcp_http_handle(struct ia_mcp_http *h, const struct ia_http_request *request,
                        struct ia_http_reply *reply);

#endif
