/* mcp_tools.c: definitions from a server's list, and calls of them. */
#include "agent/mcp_tools/mcp_tools.h"

#include "agent/prompts/fence.h"
#include "base/clean.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 64 << 10, NAME_COLUMNS = 80 };

/* One tool. */
struct item {
    struct ia_mcp_tools *owner;
    char *tool; /* as the server calls it */
    char name[IA_TOOL_NAME_MAX + 1];
    char *json;
    struct ia_tool_def def;
};

struct ia_mcp_tools {
    struct ia_mcp_client *client;
    char *skill;
    int64_t call_ms;
    struct item *items;
    size_t count;
    struct ia_buf notes;
};

size_t ia_mcp_tools_count(const struct ia_mcp_tools *t)
{
    return t->count;
}

const struct ia_tool_def *ia_mcp_tools_at(const struct ia_mcp_tools *t, size_t i)
{
    return &t->items[i].def;
}

const json_t *ia_mcp_tools_pins(const struct ia_mcp_tools *t)
{
    return ia_mcp_client_accepted(t->client);
}

struct ia_str ia_mcp_tools_notes(const struct ia_mcp_tools *t)
{
    return ia_buf_str(&t->notes);
}

void ia_mcp_tools_free(struct ia_mcp_tools *t)
{
    if (!t) {
        return;
    }
    ia_mcp_client_free(t->client);
    for (size_t i = 0; i < t->count; i++) {
        free(t->items[i].tool);
        free(t->items[i].json);
    }
    free(t->items);
    free(t->skill);
    ia_buf_fini(&t->notes);
    free(t);
}

/* ---- a call ------------------------------------------------------------------------------- */

/* A tool that says itself that it failed may have done a part of what it does. */
static enum ia_rc failed(const struct item *it, struct ia_err *err)
{
    ia_err_set(err, IA_E_FAILED, "the tool %s says that it failed", it->name);
    err->outcome = IA_OUTCOME_UNKNOWN;
    return IA_E_FAILED;
}

static enum ia_rc call(void *ctx, const struct ia_tool_env *env, const json_t *input,
                       struct ia_tool_result *ret, struct ia_err *err)
{
    struct item *it = ctx;
    struct ia_mcp_tools *t = it->owner;
    struct ia_limit all = {env->limit.cancel, env->limit.at_us};
    struct ia_limit limit = ia_limit_within(&all, (uint32_t)t->call_ms);
    struct ia_buf text = IA_BUF(2 * IA_MCP_TOOLS_RESULT_MAX);
    json_t *result = NULL;
    enum ia_rc rc = ia_mcp_client_call(t->client, it->tool, input, &limit, &result, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_mcp_result_text(result, &text);
    ia_buf_putc(&ret->text, '\n');
    ia_fence_data(&ret->text, env->boundary, ia_buf_str(&text));
    ia_buf_fini(&text);
    rc = json_is_true(json_object_get(result, "isError")) ? failed(it, err) : IA_OK;
    json_decref(result);
    return rc;
}

/* ---- the list ----------------------------------------------------------------------------- */

static void leave_out(struct ia_mcp_tools *t, const char *tool, const char *why)
{
    ia_buf_puts(&t->notes, "tool ");
    ia_clean_cut(&t->notes, ia_str(tool), NAME_COLUMNS);
    ia_buf_printf(&t->notes, " of skill %s is left out: %s\n", t->skill, why);
}

static bool is_taken(const struct ia_mcp_tools *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void add(struct ia_mcp_tools *t, const struct ia_mcp_tools_place *place,
                const json_t *tool)
{
    const char *name = ia_json_text(tool, "name");
    const char *preface = ia_prompts_note(place->prompts, IA_NOTE_SERVER_TOOL);
    struct item *it = &t->items[t->count];
    struct ia_buf json = IA_BUF(IA_TOOLS_BYTES_MAX);
    const char *why = NULL;
    struct ia_err err;
    *it = (struct item){.owner = t};
    ia_mcp_tool_name(place->skill, name, it->name);
    if (place->only && !ia_tools_named(place->only, name)) {
        return;
    }
    if (ia_mcp_client_check(t->client, name, &err) != IA_OK) {
        leave_out(t, name, "its description or its schema is not what was accepted");
    } else if (is_taken(t, it->name)) {
        leave_out(t, name, "another tool has its name");
    } else if (!ia_mcp_tool_definition(tool, it->name, preface, &json, &why)) {
        leave_out(t, name, why);
    } else {
        it->tool = ia_strdup(name);
        it->json = ia_buf_steal(&json);
        it->def = (struct ia_tool_def){.name = it->name,
                                       .skill = t->skill,
                                       .json = ia_str(it->json),
                                       .has_effect = !ia_tools_named(place->reading, name),
                                       .max_ms = t->call_ms,
                                       .call = call,
                                       .ctx = it};
        t->count++;
    }
    ia_buf_fini(&json);
}

static void accept_pins(struct ia_mcp_tools *t, const json_t *pins)
{
    const char *tool;
    json_t *digest;
    json_object_foreach((json_t *)(uintptr_t)pins, tool, digest)
    {
        if (json_is_string(digest)) {
            ia_mcp_client_accept(t->client, tool, json_string_value(digest));
        }
    }
}

enum ia_rc ia_mcp_tools_open(const struct ia_mcp_tools_place *place,
                             const struct ia_limit *limit, struct ia_mcp_tools **ret,
                             struct ia_err *err)
{
    struct ia_mcp_tools *t = ia_calloc(1, sizeof(*t));
    json_t *tools = NULL;
    t->client = ia_mcp_client_new(&place->server);
    t->skill = ia_strdup(place->skill);
    t->call_ms = place->call_ms > 0 ? place->call_ms : IA_MCP_TOOLS_CALL_MS;
    t->notes = IA_BUF(NOTES_MAX);
    accept_pins(t, place->pins);
    enum ia_rc rc = ia_mcp_client_tools(t->client, limit, &tools, err);
    if (rc != IA_OK) {
        ia_mcp_tools_free(t);
        return rc;
    }
    /* Definitions point to their items, so the list never moves. */
    t->items = ia_calloc(json_array_size(tools) + 1, sizeof(*t->items));
    for (size_t i = 0; i < json_array_size(tools); i++) {
        add(t, place, json_array_get(tools, i));
    }
    json_decref(tools);
    *ret = t;
    return IA_OK;
}
