/* agents.c: agents of the configuration: found by name, checked, and copied into the store.
 * Runs read the row and not the configuration, so the process that does a run needs no
 * configuration of the agent of its own. */
#include "app/agents.h"

#include "agent/prompts/prompts.h"
#include "base/fd.h"
#include "base/suggest.h"

static enum ia_rc unknown_tool(const struct ia_config_agent *agent, const char *tool,
                               struct ia_err *err)
{
    const char *names[IA_TOOL_COUNT];
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        names[i] = ia_tool_name((enum ia_tool)i);
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_CONFIG, "agents.%s.tools: there is no tool %s", agent->name, tool);
    const char *near = ia_nearest(ia_str(tool), names, IA_TOOL_COUNT);
    if (near) {
        ia_err_hint(err, "did you mean %s?", near);
    }
    return rc;
}

/* With the nearest agent, or else with all of them. */
static enum ia_rc no_agent(const struct ia_config *config, const char *name, struct ia_err *err)
{
    const char *names[IA_CONFIG_AGENTS_MAX];
    size_t n = ia_config_agent_names(config, names);
    struct ia_buf all = IA_BUF(sizeof(err->hint) / 2);
    for (size_t i = 0; i < n && ia_buf_ok(&all); i++) {
        ia_buf_printf(&all, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = ia_nearest(ia_str(name), names, n);
    (void)ia_err_set(err, IA_E_NOT_FOUND, "there is no agent \"%s\"", name);
    if (near) {
        ia_err_hint(err, "did you mean %s?", near);
    } else if (n > 0) {
        ia_err_hint(err, "the configuration has %s", ia_buf_cstr(&all));
    } else {
        ia_err_hint(err, "add [agents.%s] to the configuration; see config.example.toml", name);
    }
    ia_buf_fini(&all);
    return IA_E_NOT_FOUND;
}

enum ia_rc ia_agent_find(const struct ia_config *config, const char *name,
                         const struct ia_config_agent **ret, struct ia_err *err)
{
    const struct ia_config_agent *agent = ia_config_agent(config, name);
    if (!agent) {
        return no_agent(config, name, err);
    }
    for (size_t i = 0; agent->tools && agent->tools[i]; i++) {
        if (ia_tool_from_name(ia_str(agent->tools[i])) == IA_TOOL_COUNT) {
            return unknown_tool(agent, agent->tools[i], err);
        }
    }
    *ret = agent;
    return IA_OK;
}

static void put_tools(const struct ia_config_agent *agent, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_array(&w);
    for (size_t i = 0; agent->tools[i]; i++) {
        ia_jsonw_string(&w, agent->tools[i]);
    }
    ia_jsonw_end_array(&w);
}

static enum ia_rc commit(struct ia_store *store, const struct ia_agent_row *row,
                         struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_put_agent(tx, row);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

enum ia_rc ia_agent_row(const struct ia_config_agent *agent, struct ia_buf *prompt,
                        struct ia_buf *tools, struct ia_agent_row *ret, struct ia_err *err)
{
    /* The prompt's text is stored and not its path: the file may change or belong to another
     * machine. */
    enum ia_rc rc = agent->prompt[0] != '\0' ? ia_file_read(agent->prompt, prompt, err) : IA_OK;
    if (rc != IA_OK) {
        return ia_err_wrap(err, rc, "agents.%s.prompt", agent->name);
    }
    if (agent->tools) {
        put_tools(agent, tools);
    }
    *ret = (struct ia_agent_row){
        .name = agent->name,
        .model = agent->model[0] != '\0' ? agent->model : NULL,
        .prompt = prompt->len > 0 ? ia_buf_cstr(prompt) : NULL,
        .tools = tools->len > 0 ? ia_buf_cstr(tools) : NULL,
        .memory = "",
    };
    return IA_OK;
}

enum ia_rc ia_agent_store(const struct ia_config_agent *agent, struct ia_store *store,
                          struct ia_err *err)
{
    struct ia_buf prompt = IA_BUF(IA_PROMPT_BYTES_MAX);
    struct ia_buf tools = IA_BUF(IA_AGENT_TOOLS_BYTES_MAX);
    struct ia_agent_row row;
    enum ia_rc rc = ia_agent_row(agent, &prompt, &tools, &row, err);
    if (rc == IA_OK) {
        rc = commit(store, &row, err);
    }
    ia_buf_fini(&prompt);
    ia_buf_fini(&tools);
    return rc;
}

static bool keep_model(void *ctx, const struct ia_agent_row *row)
{
    ia_buf_puts(ctx, row->model);
    return false;
}

enum ia_rc ia_agent_prepare(const struct ia_config *config, struct ia_store *store,
                            struct ia_run_request *request, struct ia_buf *model,
                            const struct ia_config_agent **ret, struct ia_err *err)
{
    struct ia_err ignored;
    *ret = NULL;
    if (!request->agent) {
        return IA_OK;
    }
    bool configured = ia_config_agent(config, request->agent) != NULL;
    if (!configured &&
        ia_store_agents(store, request->agent, keep_model, model, &ignored) == IA_OK) {
        request->model =
            request->model || model->len == 0 ? request->model : ia_buf_cstr(model);
        return IA_OK;
    }
    enum ia_rc rc = ia_agent_find(config, request->agent, ret, err);
    return rc == IA_OK && *ret ? ia_agent_store(*ret, store, err) : rc;
}
