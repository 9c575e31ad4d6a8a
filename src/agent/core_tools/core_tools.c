/* core_tools.c: which of the tools an agent has, with their definitions of prompts/core. */
#include "agent/core_tools/core_tools_impl.h"

#include "agent/prompts/schema.h"
#include "base/embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_NAME_SIZE = 64 };

extern const struct ia_embedded ia_embedded_core[];

enum ia_rc ia_core_definition(const char *name, json_t **ret, char **ret_json,
                              struct ia_err *err)
{
    char file[FILE_NAME_SIZE];
    (void)snprintf(file, sizeof(file), "%s.json", name);
    const struct ia_embedded *embedded = ia_embedded_find(ia_embedded_core, file);
    json_t *tool = embedded ? json_loadb(embedded->data, embedded->size, 0, NULL) : NULL;
    const char *said = json_string_value(json_object_get(tool, "name"));
    if (!said || strcmp(said, name) != 0) {
        json_decref(tool);
        return ia_err_set(err, IA_E_CONFIG, "the built-in definition of %s is damaged", name);
    }
    *ret = tool;
    *ret_json = json_dumps(tool, JSON_COMPACT | JSON_PRESERVE_ORDER);
    return ia_schema_lint(json_object_get(tool, "input_schema"), file, err);
}

static enum ia_rc define_fetch(struct ia_core_tools *core, struct ia_err *err)
{
    enum ia_rc rc =
        ia_core_definition(IA_TOOL_FETCH_URL, &core->fetch_tool, &core->fetch_json, err);
    core->fetch = (struct ia_tool_def){
        .name = IA_TOOL_FETCH_URL,
        .json = ia_str(core->fetch_json),
        .schema = json_object_get(core->fetch_tool, "input_schema"),
        .call = ia_fetch_tool_call,
        .ctx = core,
    };
    return rc;
}

/* The service knows the tool by its type: description and schema are its own. */
static enum ia_rc define_memory(struct ia_core_tools *core, struct ia_err *err)
{
    enum ia_rc rc =
        ia_core_definition(IA_TOOL_MEMORY, &core->memory_tool, &core->memory_json, err);
    core->memory = (struct ia_tool_def){
        .name = IA_TOOL_MEMORY,
        .json = ia_str("{\"type\":\"memory_20250818\",\"name\":\"" IA_TOOL_MEMORY "\"}"),
        .schema = json_object_get(core->memory_tool, "input_schema"),
        .has_effect = true,
        .acts = ia_memory_tool_acts,
        .call = ia_memory_tool_call,
        .ctx = core,
    };
    return rc;
}

void ia_core_tools_remember(struct ia_core_tools *core, const char *home, const char *agent)
{
    core->home = ia_strdup(home);
    core->agent = ia_strdup(agent);
}

enum ia_rc ia_core_tools_new(const struct ia_core_settings *settings,
                             struct ia_core_tools **ret, struct ia_err *err)
{
    struct ia_core_tools *core = ia_calloc(1, sizeof(*core));
    core->settings = *settings;
    enum ia_rc rc = define_fetch(core, err);
    rc = rc == IA_OK ? define_memory(core, err) : rc;
    if (rc != IA_OK) {
        ia_core_tools_free(core);
        return rc;
    }
    *ret = core;
    return IA_OK;
}

void ia_core_tools_free(struct ia_core_tools *core)
{
    if (core) {
        json_decref(core->fetch_tool);
        json_decref(core->memory_tool);
        free(core->fetch_json);
        free(core->memory_json);
        ia_buf_fini(&core->search_json);
        free(core->home);
        free(core->agent);
        free(core);
    }
}

enum ia_rc ia_core_tools_add(struct ia_core_tools *core, const json_t *names,
                             struct ia_toolset *tools, struct ia_err *err)
{
    enum ia_rc rc = core->agent ? ia_toolset_add(tools, &core->memory, err) : IA_OK;
    if (rc == IA_OK && ia_tools_named(names, IA_TOOL_FETCH_URL)) {
        rc = ia_toolset_add(tools, &core->fetch, err);
    }
    if (rc == IA_OK && ia_tools_named(names, IA_TOOL_WEB_SEARCH)) {
        rc = ia_search_tool_define(core, err);
        rc = rc == IA_OK ? ia_toolset_add(tools, &core->search, err) : rc;
    }
    return rc;
}

void ia_core_tools_guard(struct ia_core_tools *core, const struct ia_secrets *secrets)
{
    core->secrets = secrets;
}
