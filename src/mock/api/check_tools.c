/* check_tools.c: tool definitions. */
#include "mock/api/check.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, STRICT_MAX = 20, TOOLS_MAX = 10000 };

/* Families of tools that the service itself defines; a date follows the underscore. */
static const char *const server_types[] = {
    "web_search_",      "web_fetch_",   "code_execution_", "tool_search_tool_",
    "memory_",          "bash_",        "computer_",       "computer_toolset_",
    "browser_toolset_", "text_editor_", "advisor_",        "mcp_toolset"};

static bool is_server_type(const char *type)
{
    for (size_t i = 0; i < IA_COUNTOF(server_types); i++) {
        if (strncmp(type, server_types[i], strlen(server_types[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool name_ok(const char *name)
{
    size_t n = strlen(name);
    return n >= 1 && n <= NAME_MAX_BYTES &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               n;
}

static bool check_schema(const json_t *tool, size_t i, struct ia_mock_reject *r)
{
    const json_t *schema = json_object_get(tool, "input_schema");
    if (!schema) {
        return ia_mock_refuse(r, "tool_schema", "tools.%zu.custom.input_schema: Field required",
                              i);
    }
    const char *type = ia_mock_str(schema, "type");
    if (!type || strcmp(type, "object") != 0) {
        return ia_mock_refuse(r, "tool_schema",
                              "tools.%zu.custom.input_schema.type: Input should be 'object'",
                              i);
    }
    if (json_is_true(json_object_get(tool, "strict")) &&
        !json_is_false(json_object_get(schema, "additionalProperties"))) {
        return ia_mock_refuse(r, "tool_schema",
                              "tools.%zu.custom.input_schema: For 'object' type, "
                              "'additionalProperties' must be explicitly set to false",
                              i);
    }
    return true;
}

/* Those that are known by their date have one name each. */
static bool check_server_tool(const json_t *tool, const char *type, size_t i,
                              struct ia_mock_reject *r)
{
    static const char *const named[][2] = {{"web_search_20250305", "web_search"},
                                           {"memory_20250818", "memory"}};
    const json_t *max = json_object_get(tool, "max_uses");
    const char *name = ia_mock_str(tool, "name");
    for (size_t k = 0; k < IA_COUNTOF(named); k++) {
        if (strcmp(type, named[k][0]) == 0 && (!name || strcmp(name, named[k][1]) != 0)) {
            return ia_mock_refuse(r, "tool", "tools.%zu.%s.name: Input should be '%s'", i, type,
                                  named[k][1]);
        }
    }
    if (max && (!json_is_integer(max) || json_integer_value(max) <= 0)) {
        return ia_mock_refuse(
            r, "tool", "tools.%zu.%.60s.max_uses: Input should be greater than 0", i, type);
    }
    return !json_object_get(tool, "allowed_domains") ||
           !json_object_get(tool, "blocked_domains") ||
           ia_mock_refuse(r, "tool",
                          "tools.%zu.%.60s: only one of `allowed_domains` and "
                          "`blocked_domains` may be given",
                          i, type);
}

static bool check_tool(const json_t *tool, size_t i, struct ia_mock_reject *r)
{
    if (!json_is_object(tool)) {
        return ia_mock_refuse(r, "tool", "tools.%zu: Input should be a valid dictionary", i);
    }
    const char *type = ia_mock_str(tool, "type");
    const char *name = ia_mock_str(tool, "name");
    if (type && strcmp(type, "custom") != 0) {
        return is_server_type(type)
                   ? check_server_tool(tool, type, i, r)
                   : ia_mock_refuse(r, "tool", "tools.%zu: unknown tool type '%.60s'", i, type);
    }
    if (!name) {
        return ia_mock_refuse(r, "tool_name", "tools.%zu.custom.name: Field required", i);
    }
    if (!name_ok(name)) {
        return ia_mock_refuse(r, "tool_name",
                              "tools.%zu.custom.name: String should match pattern "
                              "'^[a-zA-Z0-9_-]{1,64}$'",
                              i);
    }
    const json_t *description = json_object_get(tool, "description");
    if (description && !json_is_string(description)) {
        return ia_mock_refuse(
            r, "tool", "tools.%zu.custom.description: Input should be a valid string", i);
    }
    return check_schema(tool, i, r);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool check_unique(const json_t *tools, struct ia_mock_reject *r)
{
    size_t n = 0;
    const char **names = ia_calloc(json_array_size(tools) + 1, sizeof(*names));
    size_t i;
    json_t *tool;
    json_array_foreach(tools, i, tool)
    {
        const char *name = ia_mock_str(tool, "name");
        if (name) {
            names[n++] = name;
        }
    }
    qsort(names, n, sizeof(*names), by_name);
    bool unique = true;
    for (i = 1; i < n; i++) {
        unique = unique && strcmp(names[i - 1], names[i]) != 0;
    }
    free(names);
    return unique || ia_mock_refuse(r, "tool_duplicate", "tools: Tool names must be unique.");
}

static size_t count_true(const json_t *tools, const char *key)
{
    size_t n = 0;
    size_t i;
    json_t *tool;
    json_array_foreach(tools, i, tool)
    {
        n += json_is_true(json_object_get(tool, key)) ? 1 : 0;
    }
    return n;
}

bool ia_mock_check_tools(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    size_t count = json_array_size(req->tools);
    size_t i;
    json_t *tool;
    if (count > TOOLS_MAX) {
        return ia_mock_refuse(r, "tool", "tools: at most %d tools are allowed", TOOLS_MAX);
    }
    json_array_foreach(req->tools, i, tool)
    {
        if (!check_tool(tool, i, r)) {
            return false;
        }
    }
    if (count_true(req->tools, "strict") > STRICT_MAX) {
        return ia_mock_refuse(r, "tool", "tools: at most %d tools may be strict", STRICT_MAX);
    }
    if (count > 0 && count_true(req->tools, "defer_loading") == count) {
        return ia_mock_refuse(r, "tool", "tools: at least one tool must not be deferred");
    }
    return check_unique(req->tools, r);
}
