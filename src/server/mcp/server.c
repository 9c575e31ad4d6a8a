/* server.c: the table of tools: the short list with its definitions of prompts/mcp, and the verbs
 * that it leaves out. */
#include "base/embed.h"
#include "server/mcp/mcp_impl.h"

#include <stdlib.h>
#include <string.h>

extern const struct ia_embedded ia_embedded_mcp[];

enum {
    LOOKS = IA_MCP_TOOL_SERIAL,
    ACTS = IA_MCP_TOOL_SERIAL | IA_MCP_TOOL_ACTS,
    RUNS = IA_MCP_TOOL_ACTS | IA_MCP_TOOL_PROGRESS | IA_MCP_TOOL_KEY
};

/* The short list, in its order; data is the verb. More are only for those who ask for the full one. */
static const struct ia_mcp_tool listed[] = {
    {"snapshot", NULL, LOOKS, ia_mcp_verb_tool, "snapshot"},
    {"tap", NULL, ACTS, ia_mcp_verb_tool, "tap"},
    {"type_text", NULL, ACTS, ia_mcp_verb_tool, "type"},
    {"swipe", NULL, ACTS, ia_mcp_verb_tool, "swipe"},
    {"scroll_to", NULL, ACTS, ia_mcp_verb_tool, "scroll-to"},
    {"press", NULL, ACTS, ia_mcp_verb_tool, "press"},
    {"alert", NULL, ACTS, ia_mcp_verb_tool, "alert"},
    {"open", NULL, ACTS, ia_mcp_verb_tool, "open"},
    {"wait_for", NULL, LOOKS, ia_mcp_verb_tool, "wait-for"},
    {"devices", NULL, 0, ia_mcp_devices_tool, NULL},
    {"run", NULL, RUNS, ia_mcp_run_tool, NULL},
    {"run_status", NULL, IA_MCP_TOOL_PROGRESS, ia_mcp_run_status_tool, NULL},
    {"runs", NULL, IA_MCP_TOOL_MORE, ia_mcp_runs_tool, NULL},
    {"say", NULL, IA_MCP_TOOL_MORE | IA_MCP_TOOL_ACTS, ia_mcp_say_tool, NULL},
};
/* Verbs that another tool does: press has back, tap has hold_ms, open opens apps and URLs. */
static const char *const done_otherwise[] = {"back", "long-press", "launch", "open-url"};

static const char *file(const char *name, const char *end)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "%s%s", name, end);
    const struct ia_embedded *found = ia_embedded_find(ia_embedded_mcp, path);
    return found ? found->data : "";
}

static bool has_tool(const char *verb)
{
    bool there = false;
    for (size_t i = 0; i < IA_COUNTOF(listed); i++) {
        there = there || (listed[i].data && strcmp(listed[i].data, verb) == 0);
    }
    for (size_t i = 0; i < IA_COUNTOF(done_otherwise); i++) {
        there = there || strcmp(done_otherwise[i], verb) == 0;
    }
    return there;
}

static void own(struct ia_mcp_server *s, char *text)
{
    s->owned = ia_realloc(s->owned, s->owned_count + 1, sizeof(char *));
    s->owned[s->owned_count++] = text;
}

static void add_verb(struct ia_mcp_server *s, const struct ia_verb *verb)
{
    char *name = NULL, *json = NULL;
    if (has_tool(verb->name) || !ia_mcp_define_verb(verb, &name, &json)) {
        return;
    }
    own(s, name);
    own(s, json);
    unsigned acts = verb->flags & IA_VERB_ACTS ? IA_MCP_TOOL_ACTS : 0;
    s->tools[s->count++] = (struct ia_mcp_tool){
        name, json, IA_MCP_TOOL_MORE | IA_MCP_TOOL_SERIAL | acts, ia_mcp_verb_tool, verb->name};
}

static void add_tools(struct ia_mcp_server *s)
{
    size_t verbs = 0;
    while (ia_verbs[verbs].name) {
        verbs++;
    }
    s->tools = ia_calloc(IA_COUNTOF(listed) + verbs + 1, sizeof(*s->tools));
    for (size_t i = 0; i < IA_COUNTOF(listed); i++) {
        s->tools[s->count] = listed[i];
        s->tools[s->count++].json = file(listed[i].name, ".json");
    }
    for (size_t i = 0; i < verbs; i++) {
        add_verb(s, &ia_verbs[i]);
    }
}

enum ia_rc ia_mcp_server_new(const struct ia_mcp_host *host, struct ia_mcp_server **ret,
                             struct ia_err *err)
{
    struct ia_mcp_server *s = ia_calloc(1, sizeof(*s));
    const char *instructions = file("instructions", ".md");
    s->host = *host;
    s->instructions = ia_strndup(instructions, strcspn(instructions, "\n"));
    add_tools(s);
    const struct ia_mcp_opts opts = {.version = host->version,
                                     .instructions = s->instructions,
                                     .tools = s->tools,
                                     .tasks = &ia_mcp_run_tasks,
                                     .ctx = s};
    enum ia_rc rc = ia_mcp_new(&opts, &s->core, err);
    if (rc != IA_OK) {
        ia_mcp_server_free(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

void ia_mcp_server_free(struct ia_mcp_server *s)
{
    if (s) {
        ia_mcp_free(s->core);
        for (size_t i = 0; i < s->owned_count; i++) {
            free(s->owned[i]);
        }
        free(s->owned);
        free(s->tools);
        free(s->instructions);
        free(s);
    }
}

struct ia_mcp *ia_mcp_server_core(struct ia_mcp_server *s)
{
    return s->core;
}
