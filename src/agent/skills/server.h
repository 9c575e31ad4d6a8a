/* server.h: a skill whose tools are those of an MCP server. */
#ifndef IA_AGENT_SKILLS_SERVER_H
#define IA_AGENT_SKILLS_SERVER_H

#include "agent/mcp_tools/mcp_tools.h"
#include "agent/skills/manifest.h"

struct ia_skills_env; /* agent/skills/skills.h */

/* Starts or connects to the server and reads its list (ia_mcp_tools_open). granted: names of secrets, an
 * array or NULL; {{secret:NAME}} in a header is the value of that variable. IA_E_CONFIG: a header names a
 * secret that was not granted or is not set. */
enum ia_rc ia_skill_server_open(const struct ia_manifest *m, const json_t *granted,
                                const struct ia_skills_env *env, struct ia_mcp_tools **ret,
                                struct ia_err *err);

#endif
