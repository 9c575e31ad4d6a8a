/* protocol.h: names and numbers of the Model Context Protocol, for the server (server/mcp) and the
 * client (agent/mcp_client).
 *
 * Source: modelcontextprotocol, docs/specification/2026-07-28 and the older revisions. Pure; any
 * thread. */
#ifndef IA_MCP_PROTOCOL_H
#define IA_MCP_PROTOCOL_H

#include "base/base.h"

#define IA_MCP_MODERN_VERSION "2026-07-28"
#define IA_MCP_LEGACY_VERSION "2025-11-25" /* the newest that begins with initialize */
#define IA_MCP_BATCH_VERSION "2025-03-26"  /* the only one that has batches */

/* JSON-RPC's codes and those of the protocol (basic/index.mdx). */
enum ia_mcp_code {
    IA_MCP_PARSE = -32700,
    IA_MCP_INVALID = -32600,
    IA_MCP_NO_METHOD = -32601,
    IA_MCP_PARAMS = -32602,
    IA_MCP_INTERNAL = -32603,
    IA_MCP_HEADERS = -32020,
    IA_MCP_CAPABILITY = -32021,
    IA_MCP_VERSION = -32022
};

/* Whether that is a revision that begins with initialize; NULL is none. */
bool ia_mcp_is_legacy(const char *version);

#endif
