/* client.h: a client of the Model Context Protocol: the tools of one server, and calls of them.
 *
 *                  first use                     an answer to a ping
 *       CLOSED ───────────────► OPEN ◄─────────────────────────────── DOUBTFUL
 *          ▲   start, initialize │ └── no answer in time, or idle ──►    │
 *          └─────────────────────┴── it ended, or broke a rule ──────────┘
 *
 * A server is started, or connected to, when it is first needed, and again after it was lost. A
 * connection in doubt is pinged before the next request. The client itself never sends a call twice.
 *
 * Tools are pinned: the first definition of a tool that was listed, or that the caller accepted
 * (ia_mcp_client_accept), is the only one that is called. The list is read again before a call when
 * the server said that it changed, was started again, or could not have said so (HTTP); a tool with
 * another definition is refused.
 *
 * What a server asks of its client (sampling, roots, elicitation) is refused, except ping. Everything
 * that comes from a server is untrusted and capped.
 *
 * Revisions 2024-11-05 to 2025-11-25, which begin with initialize (mcp/protocol.h). Source:
 * modelcontextprotocol, docs/specification/2025-11-25: basic/lifecycle, basic/transports,
 * basic/utilities, server/tools. One thread at a time for each client. */
#ifndef IA_AGENT_MCP_CLIENT_CLIENT_H
#define IA_AGENT_MCP_CLIENT_CLIENT_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/stream.h"

#include <jansson.h>

#define IA_MCP_CLIENT_VALUES_MAX ((size_t)200000) /* JSON values of one message */

enum {
    IA_MCP_CLIENT_MESSAGE_MAX = 4 << 20, /* bytes of one message from the server */
    IA_MCP_CLIENT_DEPTH_MAX = 48,        /* of its objects and arrays */
    IA_MCP_CLIENT_BYTES_MAX = 64 << 20,  /* of all messages up to an answer */
    IA_MCP_CLIENT_BEFORE_MAX = 10000,    /* messages up to an answer */
    IA_MCP_CLIENT_NOISE_MAX = 100,       /* lines up to an answer that are no messages */
    IA_MCP_CLIENT_REQUESTS_MAX = 100,    /* requests of the server up to an answer */
    IA_MCP_CLIENT_PAGES_MAX = 32,
    IA_MCP_CLIENT_TOOLS_MAX = 256,
    IA_MCP_CLIENT_TOOL_BYTES_MAX = 64 << 10, /* of one definition */
    IA_MCP_CLIENT_LIST_BYTES_MAX = 1 << 20,  /* of all definitions */
    IA_MCP_CLIENT_TEXT_MAX = 16 << 10,       /* of the server's instructions */
    IA_MCP_CLIENT_HEADERS_MAX = 4,
    IA_MCP_CLIENT_START_MS = 30000, /* to start it and initialize */
    IA_MCP_CLIENT_IDLE_MS = 30000,  /* after which a connection is in doubt */
    IA_MCP_CLIENT_BYE_MS = 500      /* between the end of its stdin and SIGTERM */
};

struct ia_mcp_client;

/* Where a server is: a program or a URL. Everything is copied. */
struct ia_mcp_server {
    const char *name;        /* for messages */
    const char *const *argv; /* NULL-ended; the program, which speaks on stdin and stdout */
    const char *const *env;  /* NULL-ended "NAME=value": all of its environment; NULL: empty */
    const char *cwd;         /* NULL: this process's */
    const char *url;         /* instead of argv: https, or http on this machine */
    const char *const *headers; /* NULL-ended "name: value", which may be secret; or NULL */
    const char *const
        *secrets;          /* NULL-ended values that nothing may show, such as those in env; or
                                   NULL. The values of headers count as secret anyway. */
    const char *ca_bundle; /* or NULL */
    const char *proxy;     /* NULL: from the environment; this machine needs none */
    const char *version;   /* of this program */
};
/* Starts nothing yet. */
struct ia_mcp_client *ia_mcp_client_new(const struct ia_mcp_server *server) IA_MUST_USE;
/* Ends the server and everything in its process group, or the session. NULL is fine. */
void ia_mcp_client_free(struct ia_mcp_client *c);

/* Identifies a tool's definition: SHA-256 of its name, title, description, schemas and annotations. */
void ia_mcp_tool_digest(const json_t *tool, char ret_hex[IA_SHA256_HEX_SIZE]);
/* Pins a tool to the digest that was accepted earlier, for example in another run. Call it before the
 * first listing. */
void ia_mcp_client_accept(struct ia_mcp_client *c, const char *tool, const char *digest);
/* {tool: digest} of all that is accepted. Borrowed. */
const json_t *ia_mcp_client_accepted(const struct ia_mcp_client *c);
/* IA_OK when the tool is on the list that was read last, with the definition that was accepted.
 * IA_E_NOT_FOUND, IA_E_FORBIDDEN otherwise. Asks nothing of the server. */
enum ia_rc ia_mcp_client_check(const struct ia_mcp_client *c, const char *tool,
                               struct ia_err *err);

/* All of its tools, as an array of definitions (objects with a string as name, each name once); the rest of
 * each is as it came. A tool that was not known is accepted by this. Free *ret with json_decref.
 * IA_E_LIMIT beyond the caps; otherwise errors as for a call. */
enum ia_rc ia_mcp_client_tools(struct ia_mcp_client *c, const struct ia_limit *limit,
                               json_t **ret, struct ia_err *err);

/* Calls a tool, once. args is an object. *ret is the result, an object that may say isError; free it with
 * json_decref.
 *
 * IA_E_MISSING, IA_E_IO: there is no server, or the connection broke. IA_E_CHILD: the program ended;
 * err->msg has the last line of its stderr. IA_E_TIMEOUT, IA_E_CANCELLED: as limit says; the server
 * is told. IA_E_AUTH: it wants other credentials. IA_E_CONFIG: url or headers cannot be used.
 * IA_E_NOT_FOUND, IA_E_FORBIDDEN: as ia_mcp_client_check. IA_E_FAILED: it answered with an error.
 * IA_E_UNSUPPORTED: another revision, or a server without tools. IA_E_PROTO: it answered with
 * something else. err->outcome is IA_OUTCOME_NOT_SENT only where that is certain: nothing of the
 * call left this process, or the server refused it before doing anything; else
 * IA_OUTCOME_UNKNOWN. No message and no result has a header's value or another of the secrets. */
enum ia_rc ia_mcp_client_call(struct ia_mcp_client *c, const char *tool, const json_t *args,
                              const struct ia_limit *limit, json_t **ret, struct ia_err *err);

/* What the server says of itself for a model; empty before the first use. Untrusted; borrowed. */
struct ia_str ia_mcp_client_said(const struct ia_mcp_client *c);

#endif
