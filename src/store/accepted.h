/* accepted.h: the tools of MCP servers whose definitions were accepted, by the skill that they belong to (the
 * hash of its folder).
 *
 * The first definition that is accepted stays, until all of a skill's are forgotten, since a server that
 * changes what a tool says of itself could make a model do something else with it. A definition is its
 * digest (agent/mcp_client/client.h). */
#ifndef IA_STORE_ACCEPTED_H
#define IA_STORE_ACCEPTED_H

#include "store/store.h"

/* Of a skill; more are not kept, and so are accepted anew by each run. */
enum { IA_ACCEPTED_TOOLS_MAX = 1024 };

/* Accepts a definition, unless one of that tool was accepted before. */
void ia_tx_accept_tool(struct ia_tx *tx, const char *skill, const char *tool,
                       const char *digest);
/* Forgets those of a skill: its next run accepts what it finds. */
void ia_tx_forget_tools(struct ia_tx *tx, const char *skill);

/* Both are borrowed for the call. */
typedef void ia_accepted_fn(void *ctx, const char *tool, const char *digest);
/* Calls fn for each, in the order of their names. */
enum ia_rc ia_store_accepted_tools(struct ia_store *s, const char *skill, ia_accepted_fn *fn,
                                   void *ctx, struct ia_err *err);

#endif
