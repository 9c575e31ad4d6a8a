/* client.h: a client of the Model Context Protocol: the tools of one server, and calls of them.
 *
 *                  first use                     an answer
 *       CLOSED ───────────────► OPEN ◄──────────────────────── DOUBTFUL
 *          ▲   start, initialize │ └── a call had no answer ──►    │
 *          └─────────────────────┴── it ended, or broke a rule ────┘
 *
 * A server is started, or connected to, when it is needed first, and again after it was lost. One
 * whose last call had no answer in time is asked for a ping before it gets another. What a server
 * asks of its client is refused (sampling, roots, elicitation), but for ping; what it tells besides
 * is read and dropped. Nothing that comes from a server is trusted: all is capped.
 *
 * Revisions 2024-11-05 to 2025-11-25, which begin with initialize (mcp/protocol.h). Source:
 * modelcontextprotocol, docs/specification/2025-11-25: basic/lifecycle, basic/transports,
 * server/tools. One thread at a time. */
#ifndef IA_AGENT_MCP_CLIENT_CLIENT_H
#define IA_AGENT_MCP_CLIENT_CLIENT_H

#include "base/buf.h"
#include "base/stream.h"

#include <jansson.h>

enum {
    IA_MCP_CLIENT_MESSAGE_MAX = 4 << 20, /* of one message that comes in */
    IA_MCP_CLIENT_DEPTH_MAX = 48,        /* of its objects and arrays */
    IA_MCP_CLIENT_BEFORE_MAX = 10000,    /* messages that may come before an answer */
    IA_MCP_CLIENT_NOISE_MAX = 100,       /* lines that are no messages, likewise */
    IA_MCP_CLIENT_PAGES_MAX = 32,
    IA_MCP_CLIENT_TOOLS_MAX = 256,
    IA_MCP_CLIENT_TEXT_MAX = 16 << 10, /* of its instructions */
    IA_MCP_CLIENT_HEADERS_MAX = 4,
    IA_MCP_CLIENT_BYE_MS = 500 /* between the end of its stdin and SIGTERM */
};

struct ia_mcp_client;

/* Where a server is: argv or url. Everything is copied. */
struct ia_mcp_server {
    const char *name;              /* for messages */
    const char *const *argv;       /* NULL-ended */
    const char *const *env;        /* NULL-ended "NAME=value": all that the program gets */
    const char *cwd;               /* NULL: this process's */
    const char *url;               /* http or https */
    const char *const *headers;    /* NULL-ended "name: value", which may be secret; or NULL */
    const char *version;           /* of this program */
};
/* Starts nothing yet. */
struct ia_mcp_client *ia_mcp_client_new(const struct ia_mcp_server *server) IA_MUST_USE;
/* Ends the server and all in its process group. NULL is fine. */
void ia_mcp_client_free(struct ia_mcp_client *c);

/* All of its tools, as an array of definitions whose names are strings; the rest of each is as it
 * came. Free *ret with json_decref. Errors as for a call. */
enum ia_rc ia_mcp_client_tools(struct ia_mcp_client *c, const struct ia_limit *limit,
                               json_t **ret, struct ia_err *err);

/* Calls a tool, once. args is an object. *ret: the result, an object; free it with json_decref.
 * IA_E_MISSING, IA_E_IO, IA_E_API_NETWORK: there is no server. IA_E_TIMEOUT, IA_E_CANCELLED as limit
 * says. IA_E_FAILED: it answered with an error. IA_E_PROTO: it answered with something else.
 * IA_E_AUTH: it wants other credentials. IA_E_CHILD: the program ended; err->msg has the last line
 * of its stderr. err->outcome: IA_OUTCOME_NOT_SENT where the call did not reach it, else
 * IA_OUTCOME_UNKNOWN. No message has a header's value. */
enum ia_rc ia_mcp_client_call(struct ia_mcp_client *c, const char *tool, const json_t *args,
                              const struct ia_limit *limit, json_t **ret, struct ia_err *err);

/* What the server told of itself, for a model; empty before the first use. Untrusted; borrowed. */
struct ia_str ia_mcp_client_said(const struct ia_mcp_client *c);

#endif
