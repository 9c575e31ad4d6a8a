/* agents.c: agents of the configuration: found by name, checked, and copied into the store.
 * Runs read the row and not the configuration, so the process that does a run needs no
 * configuration of the agent of its own. */
#include "app/agents.h"

#include "agent/core_tools/core_tools.h"
#include "agent/skills/folder.h"
#include "agent/toolset/toolset.h"
#include "base/fd.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

/* Tools that an agent may name although they are not the device's. */
static const char *const other_tools[] = {IA_TOOLS_DEFAULT, "fetch_url", "web_search"};

enum { TOOL_NAMES = IA_TOOL_COUNT + IA_COUNTOF(other_tools) };

enum ia_rc ia_agent_check_tool(const char *tool, struct ia_err *err)
{
    const char *names[TOOL_NAMES];
    for (int i = 0; i < TOOL_NAMES; i++) {
        names[i] =
            i < IA_TOOL_COUNT ? ia_tool_name((enum ia_tool)i) : other_tools[i - IA_TOOL_COUNT];
        if (strcmp(names[i], tool) == 0) {
            return IA_OK;
        }
    }
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "there is no tool %.80s", tool);
    if (strcmp(tool, IA_TOOL_MEMORY) == 0) {
        (void)ia_err_set(err, rc, "the tool memory is not one to name");
        ia_err_hint(err, "an agent with memory = \"files\" has it");
        return rc;
    }
    const char *near = ia_nearest(ia_str(tool), names, TOOL_NAMES);
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
        ia_err_hint(err, "the configured agents: %s", ia_buf_cstr(&all));
    } else {
        ia_err_hint(err, "add [agents.%s] to the configuration; see config.example.toml", name);
    }
    ia_buf_fini(&all);
    return IA_E_NOT_FOUND;
}

enum ia_rc ia_agent_find_skill(const struct ia_config *config, const char *name,
                               struct ia_buf *ret, struct ia_err *err)
{
    const struct ia_skill_places places = {ia_config_project_file(config),
                                           ia_config_user_file(config)};
    struct ia_buf folder = IA_BUF(IA_AGENT_LIST_BYTES_MAX);
    enum ia_rc rc = ia_skill_find(&places, name, &folder, err);
    if (rc == IA_OK && ret) {
        ia_buf_puts(ret, folder.len > 0 ? ia_buf_cstr(&folder) : name);
    }
    ia_buf_fini(&folder);
    return rc;
}

enum ia_rc ia_agent_find(const struct ia_config *config, const char *name,
                         const struct ia_config_agent **ret, struct ia_err *err)
{
    const struct ia_config_agent *agent = ia_config_agent(config, name);
    if (!agent) {
        return no_agent(config, name, err);
    }
    for (size_t i = 0; agent->tools && agent->tools[i]; i++) {
        enum ia_rc rc = ia_agent_check_tool(agent->tools[i], err);
        if (rc != IA_OK) {
            return ia_err_wrap(err, rc, "agents.%s.tools", name);
        }
    }
    for (size_t i = 0; agent->skills && agent->skills[i]; i++) {
        enum ia_rc rc = ia_agent_find_skill(config, agent->skills[i], NULL, err);
        if (rc != IA_OK) {
            return ia_err_wrap(err, rc, "agents.%s.skills", name);
        }
    }
    for (size_t i = 0; agent->may_call && agent->may_call[i]; i++) {
        if (!ia_config_agent(config, agent->may_call[i])) {
            enum ia_rc rc = no_agent(config, agent->may_call[i], err);
            return ia_err_wrap(err, rc, "agents.%s.may_call", name);
        }
    }
    *ret = agent;
    return IA_OK;
}

/* A list as JSON, or NULL for none. */
static const char *put_list(const char *const *items, struct ia_buf *out)
{
    if (!items) {
        return NULL;
    }
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_array(&w);
    for (size_t i = 0; items[i]; i++) {
        ia_jsonw_string(&w, items[i]);
    }
    ia_jsonw_end_array(&w);
    return ia_buf_cstr(out);
}

/* Skills as a run finds them in any folder: by their names, or by where they lie. One that is gone stays a name,
 * which the run refuses. */
static const char *put_skills(const struct ia_config *config, const char *const *items,
                              struct ia_buf *out)
{
    struct ia_buf found = IA_BUF(IA_AGENT_LIST_BYTES_MAX);
    const char *all[IA_CONFIG_ITEMS_MAX + 1] = {NULL};
    char *owned[IA_CONFIG_ITEMS_MAX + 1] = {NULL};
    struct ia_err ignored;
    for (size_t i = 0; items && items[i] && i < IA_CONFIG_ITEMS_MAX; i++) {
        ia_buf_reset(&found);
        all[i] = items[i];
        if (ia_agent_find_skill(config, items[i], &found, &ignored) == IA_OK) {
            all[i] = owned[i] = ia_strdup(ia_buf_cstr(&found));
        }
    }
    const char *list = put_list(items ? all : NULL, out);
    for (size_t i = 0; i < IA_COUNTOF(owned); i++) {
        free(owned[i]);
    }
    ia_buf_fini(&found);
    return list;
}

static const char *put_budget(const struct ia_config_agent *a, struct ia_buf *out)
{
    const struct {
        const char *key;
        double value;
    } limits[] = {{"max_steps", a->max_steps},
                  {"max_seconds", a->max_seconds},
                  {"max_tokens", (double)a->max_tokens},
                  {"max_usd", a->max_usd}};
    struct ia_jsonw w;
    bool any = false;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    for (size_t i = 0; i < IA_COUNTOF(limits); i++) {
        if (limits[i].value > 0) {
            ia_jsonw_key(&w, limits[i].key);
            ia_jsonw_real(&w, limits[i].value);
            any = true;
        }
    }
    ia_jsonw_end_object(&w);
    return any ? ia_buf_cstr(out) : NULL;
}

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

void ia_agent_texts_init(struct ia_agent_texts *t)
{
    *t = (struct ia_agent_texts){.prompt = IA_BUF(IA_PROMPT_BYTES_MAX),
                                 .tools = IA_BUF(IA_AGENT_LIST_BYTES_MAX),
                                 .skills = IA_BUF(IA_AGENT_LIST_BYTES_MAX),
                                 .may_call = IA_BUF(IA_AGENT_LIST_BYTES_MAX),
                                 .budget = IA_BUF(IA_AGENT_LIST_BYTES_MAX)};
}

void ia_agent_texts_fini(struct ia_agent_texts *t)
{
    ia_buf_fini(&t->prompt);
    ia_buf_fini(&t->tools);
    ia_buf_fini(&t->skills);
    ia_buf_fini(&t->may_call);
    ia_buf_fini(&t->budget);
}

enum ia_rc ia_agent_row(const struct ia_config *config, const struct ia_config_agent *agent,
                        struct ia_agent_texts *texts, struct ia_agent_row *ret,
                        struct ia_err *err)
{
    /* The prompt's text is stored and not its path: the file may change or belong to another
     * machine. */
    enum ia_rc rc =
        agent->prompt[0] != '\0' ? ia_file_read(agent->prompt, &texts->prompt, err) : IA_OK;
    if (rc != IA_OK) {
        return ia_err_wrap(err, rc, "agents.%s.prompt", agent->name);
    }
    *ret = (struct ia_agent_row){
        .name = agent->name,
        .model = or_null(agent->model),
        .prompt = or_null(ia_buf_cstr(&texts->prompt)),
        .tools = put_list(agent->tools, &texts->tools),
        .role = or_null(agent->role),
        .skills = put_skills(config, agent->skills, &texts->skills),
        .may_call = put_list(agent->may_call, &texts->may_call),
        .memory_kind = or_null(agent->memory),
        .budget = put_budget(agent, &texts->budget),
        .memory = "",
    };
    return IA_OK;
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

enum ia_rc ia_agent_store(const struct ia_config *config, const struct ia_config_agent *agent,
                          struct ia_store *store, struct ia_err *err)
{
    struct ia_agent_texts texts;
    struct ia_agent_row row;
    ia_agent_texts_init(&texts);
    enum ia_rc rc = ia_agent_row(config, agent, &texts, &row, err);
    if (rc == IA_OK) {
        rc = commit(store, &row, err);
    }
    ia_agent_texts_fini(&texts);
    return rc;
}

enum ia_rc ia_agent_store_all(const struct ia_config *config,
                              const struct ia_config_agent *first, struct ia_store *store,
                              struct ia_err *err)
{
    const struct ia_config_agent *all[IA_CONFIG_AGENTS_MAX + 1] = {first};
    enum ia_rc rc = ia_agent_store(config, first, store, err);
    size_t n = 1;
    for (size_t at = 0; rc == IA_OK && at < n; at++) {
        for (size_t i = 0; rc == IA_OK && all[at]->may_call && all[at]->may_call[i]; i++) {
            const struct ia_config_agent *next = NULL;
            rc = ia_agent_find(config, all[at]->may_call[i], &next, err);
            size_t k = 0;
            while (k < n && all[k] != next) {
                k++;
            }
            if (rc == IA_OK && k == n && n <= IA_CONFIG_AGENTS_MAX) {
                all[n++] = next;
                rc = ia_agent_store(config, next, store, err);
            }
        }
    }
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
    return rc == IA_OK && *ret ? ia_agent_store_all(config, *ret, store, err) : rc;
}
