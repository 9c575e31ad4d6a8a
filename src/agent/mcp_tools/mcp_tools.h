/* mcp_tools.h: the tools of an MCP server as tools of a run (toolset.h).
 *
 *     place, pins ─► open: start, list ─► definitions for a toolset
 *                                          └─ call ─► client ─► result as fenced text
 *
 * What a server says is data for the model. A definition keeps its description and schema behind a
 * sentence of ours that says whose they are, without hidden characters and within caps; a result is fenced.
 * A tool that no model could be given, or that changed since it was accepted, is left out, and notes
 * say why. Belongs to one run and its thread. */
#ifndef IA_AGENT_MCP_TOOLS_MCP_TOOLS_H
#define IA_AGENT_MCP_TOOLS_MCP_TOOLS_H

#include "agent/mcp_client/client.h"
#include "agent/tools/act.h"
#include "agent/toolset/toolset.h"

enum {
    IA_MCP_TOOLS_DESCRIPTION_MAX = 2048, /* bytes of a description; a longer one is cut */
    IA_MCP_TOOLS_SCHEMA_MAX = 16 << 10,  /* of a schema */
    IA_MCP_TOOLS_RESULT_MAX = 32 << 10,  /* of the text of a result; the rest is cut */
    IA_MCP_TOOLS_CALL_MS = 120000        /* of a call, unless the place says otherwise */
};

struct ia_mcp_tools;

/* All borrowed for the call of ia_mcp_tools_open, prompts for longer. */
struct ia_mcp_tools_place {
    const char *skill; /* its name, which begins those of the tools */
    struct ia_mcp_server server;
    const json_t
        *pins; /* {tool: digest} of the definitions that were accepted earlier; NULL: none */
    const json_t *only; /* names of the tools that the skill takes from the server; NULL: all */
    const json_t
        *reading; /* names of those without an effect, which may be repeated after a crash. The
                              server's own word (readOnlyHint) does not count. NULL: none */
    int64_t call_ms; /* 0: IA_MCP_TOOLS_CALL_MS */
    const struct ia_prompts *prompts;
};

/* Starts the server and reads its list. Errors as for ia_mcp_client_tools. *ret is freed with
 * ia_mcp_tools_free, which ends the server. */
enum ia_rc ia_mcp_tools_open(const struct ia_mcp_tools_place *place,
                             const struct ia_limit *limit, struct ia_mcp_tools **ret,
                             struct ia_err *err);
void ia_mcp_tools_free(struct ia_mcp_tools *t); /* NULL is fine */

/* The definitions, for ia_toolset_add. Borrowed from t. */
size_t ia_mcp_tools_count(const struct ia_mcp_tools *t);
const struct ia_tool_def *ia_mcp_tools_at(const struct ia_mcp_tools *t, size_t i);
/* {tool: digest} of the definitions that are accepted now, the given ones among them: what to keep as
 * pins for later runs. Borrowed. */
const json_t *ia_mcp_tools_pins(const struct ia_mcp_tools *t);
/* A line for each tool that was left out, for people; empty: none. Borrowed. */
struct ia_str ia_mcp_tools_notes(const struct ia_mcp_tools *t);

/* ---- parts, pure; any thread -------------------------------------------------------------- */

/* The name that the model calls a tool by: "skill__tool", of A-Z a-z 0-9 _ -, stable, and depending on these
 * two names alone. Where characters had to be replaced or cut, it ends in a hash of the tool's
 * name, so that two tools never share one by accident. */
void ia_mcp_tool_name(const char *skill, const char *tool, char ret[IA_TOOL_NAME_MAX + 1]);

/* Appends the definition for a request, made of the server's. false, with the reason in *ret_why,
 * where the Messages API would refuse it. */
bool ia_mcp_tool_definition(const json_t *tool, const char *name, const char *preface,
                            struct ia_buf *out, const char **ret_why);

/* Appends the content of a result as text, at most IA_MCP_TOOLS_RESULT_MAX bytes of it. What is not text
 * is named and left out; structured content is shown where there is no other. Not fenced. */
void ia_mcp_result_text(const json_t *result, struct ia_buf *out);

#endif
