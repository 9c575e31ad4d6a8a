/* mcp_impl.h: what the files of the shipped tools share. */
#ifndef IA_SERVER_MCP_MCP_IMPL_H
#define IA_SERVER_MCP_MCP_IMPL_H

#include "server/mcp/mcp_server.h"
#include "server/verbs/verbs.h"

struct ia_mcp_server {
    struct ia_mcp_host host;
    struct ia_mcp_tool *tools; /* ended by a NULL name */
    size_t count;
    char **owned; /* definitions that were written here */
    size_t owned_count;
    char *instructions;
    struct ia_mcp *core;
};

/* verb_tools.c: does the verb that tool->data names, and what it leaves open from the arguments. */
ia_mcp_tool_fn ia_mcp_verb_tool;
/* definitions.c: the definition of a verb as a tool, and its name, in new memory. False for a verb
 * that is about files. */
bool ia_mcp_define_verb(const struct ia_verb *verb, char **ret_name, char **ret_json);

/* device_tools.c, run_tools.c */
ia_mcp_tool_fn ia_mcp_devices_tool;
ia_mcp_tool_fn ia_mcp_run_tool;
ia_mcp_tool_fn ia_mcp_run_status_tool;
ia_mcp_tool_fn ia_mcp_runs_tool;
ia_mcp_tool_fn ia_mcp_say_tool;
extern const struct ia_mcp_tasks ia_mcp_run_tasks;

/* result.c: puts text into a result: between the lines that mark what a screen says as data, where
 * fence is set, and within IA_MCP_TEXT_MAX bytes. */
void ia_mcp_put_text(struct ia_mcp_result *ret, struct ia_str text, bool fence);
/* Adds a PNG, made smaller until it fits IA_MCP_IMAGE_MAX. */
enum ia_rc ia_mcp_put_image(struct ia_mcp_result *ret, struct ia_str png, struct ia_err *err);
/* Sets what programs read, as one object. */
void ia_mcp_put_structured(const struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_str json);

#endif
