/* core_tools_impl.h: what the tools share. Private to src/agent/core_tools. */
#ifndef IA_AGENT_CORE_TOOLS_CORE_TOOLS_IMPL_H
#define IA_AGENT_CORE_TOOLS_CORE_TOOLS_IMPL_H

#include "agent/core_tools/core_tools.h"
#include "agent/tools/act.h"

struct ia_core_tools {
    struct ia_core_settings settings;
    const struct ia_secrets *secrets;
    char *home, *agent;                       /* whose memory it is; agent NULL: none */
    struct ia_tool_def fetch, memory, search; /* search.name NULL: the agent does not have it */
    struct ia_buf search_json;
    json_t *fetch_tool, *memory_tool; /* their definitions, parsed and as text */
    char *fetch_json, *memory_json;
};

/* A definition of prompts/core: parsed, and on one line. The caller owns both. IA_E_CONFIG. */
enum ia_rc ia_core_definition(const char *name, json_t **ret, char **ret_json,
                              struct ia_err *err);

ia_tool_call_fn ia_fetch_tool_call;

/* Fills core->search. IA_E_CONFIG. */
enum ia_rc ia_search_tool_define(struct ia_core_tools *core, struct ia_err *err);

#define IA_MEMORY_VIEW "view"
ia_tool_call_fn ia_memory_tool_call;
/* Whether a call is more than a look. The input need not be checked. */
bool ia_memory_tool_acts(const struct ia_tool_def *def, const json_t *input);

#endif
