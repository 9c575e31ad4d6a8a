/* agents.c: /v1/agents: what a run may be given as its agent. One that the configuration has is changed
 * there; its memory can be changed here. /v1/models: the models that it may be given. */
#include "app/agents.h"

#include "agent/claude/models.h"
#include "agent/core_tools/memory_files.h"
#include "agent/prompts/prompts.h"
#include "server/api/handlers.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, LIST_BYTES_MAX = 8192 };

static struct ia_store *store_of(const struct ia_api_call *call)
{
    return call->api->opts.setup->store;
}

struct agents {
    struct ia_jsonw *w;
    const char *home;
    struct ia_setup setup;                   /* of the caller's folder */
    const char *names[IA_CONFIG_AGENTS_MAX]; /* of the configuration */
    size_t count, next; /* those before `next` are written, or of no interest */
};

/* Where the files of an agent lie whose memory they are; null for others. */
static void put_memory_folder(struct ia_jsonw *w, const char *home,
                              const struct ia_agent_row *row)
{
    bool files = row->memory_kind && strcmp(row->memory_kind, IA_AGENT_MEMORY_FILES) == 0;
    char *folder = files ? ia_memory_folder(home, row->name) : NULL;
    ia_jsonw_kv(w, "memory_folder", folder);
    free(folder);
}

static void put_row(struct ia_jsonw *w, const char *home, const struct ia_agent_row *row,
                    bool configured)
{
    char created[IA_ISO_SIZE], updated[IA_ISO_SIZE];
    ia_iso_format(row->created_ms, created);
    ia_iso_format(row->updated_ms, updated);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", row->name);
    ia_jsonw_kv(w, "model", row->model);
    ia_jsonw_kv(w, "prompt", row->prompt);
    ia_jsonw_key(w, "tools");
    ia_json_put(w, ia_str(row->tools));
    ia_jsonw_kv(w, "role", row->role);
    ia_jsonw_key(w, "skills");
    ia_json_put(w, ia_str(row->skills));
    ia_jsonw_key(w, "may_call");
    ia_json_put(w, ia_str(row->may_call));
    ia_jsonw_key(w, "budget");
    ia_json_put(w, ia_str(row->budget));
    ia_jsonw_kv(w, "memory_kind", row->memory_kind);
    ia_jsonw_kv(w, "memory", row->memory);
    put_memory_folder(w, home, row);
    ia_jsonw_kv(w, "session", row->session);
    ia_jsonw_kv_bool(w, "configured", configured);
    ia_jsonw_kv(w, "created", row->created_ms ? created : NULL);
    ia_jsonw_kv(w, "updated", row->updated_ms ? updated : NULL);
    ia_jsonw_end_object(w);
}

/* One of the configuration that has not run yet. Without its prompt where that cannot be read: a run
 * will say so. */
static void put_configured(struct agents *a, const char *name)
{
    struct ia_agent_texts texts;
    struct ia_agent_row row = {.name = name, .memory = ""};
    struct ia_err ignored;
    ia_agent_texts_init(&texts);
    (void)ia_agent_row(a->setup.config, ia_config_agent(a->setup.config, name), &texts, &row,
                       &ignored);
    put_row(a->w, a->home, &row, true);
    ia_agent_texts_fini(&texts);
}

/* Those of the configuration whose turn it is before the name; NULL: all. */
static void put_before(struct agents *a, const char *name)
{
    while (a->next < a->count && (!name || strcmp(a->names[a->next], name) < 0)) {
        put_configured(a, a->names[a->next++]);
    }
}

static bool put_agent(void *ctx, const struct ia_agent_row *row)
{
    struct agents *a = ctx;
    put_before(a, row->name);
    bool configured = ia_config_agent(a->setup.config, row->name) != NULL;
    a->next += configured && a->next < a->count;
    put_row(a->w, a->home, row, configured);
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum ia_rc agents_open(struct agents *a, struct ia_api_call *call, struct ia_err *err)
{
    *a = (struct agents){.w = &call->w, .home = ia_store_home(store_of(call))};
    enum ia_rc rc = ia_setup_config_in(&a->setup, ia_api_folder(call), err);
    if (rc == IA_OK) {
        a->count = ia_config_agent_names(a->setup.config, a->names);
        qsort(a->names, a->count, sizeof(a->names[0]), by_name);
    }
    return rc;
}

static enum ia_rc list(struct ia_api_call *call, struct ia_err *err)
{
    struct agents a;
    enum ia_rc rc = agents_open(&a, call, err);
    if (rc == IA_OK) {
        ia_jsonw_key(&call->w, "agents");
        ia_jsonw_array(&call->w);
        rc = ia_store_agents(store_of(call), NULL, put_agent, &a, err);
        put_before(&a, NULL);
        ia_jsonw_end_array(&call->w);
    }
    ia_setup_close(&a.setup);
    return rc;
}

enum ia_rc ia_api_agents(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, list, err);
}

static enum ia_rc show(struct ia_api_call *call, struct ia_err *err)
{
    struct agents a;
    const char *name = call->params[0];
    enum ia_rc rc = agents_open(&a, call, err);
    if (rc == IA_OK) {
        a.count = 0; /* of the others */
        ia_jsonw_key(&call->w, "agent");
        rc = ia_store_agents(store_of(call), name, put_agent, &a, err);
        if (rc == IA_E_NOT_FOUND && ia_config_agent(a.setup.config, name)) {
            put_configured(&a, name);
            rc = IA_OK;
        }
    }
    ia_setup_close(&a.setup);
    return rc;
}

enum ia_rc ia_api_agent(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, show, err);
}

/* ---- changing ---------------------------------------------------------------------------- */

static enum ia_rc check_name(const char *name, struct ia_err *err)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    return name[n] == '\0' && n <= NAME_MAX_BYTES
               ? IA_OK
               : ia_err_set(err, IA_E_USAGE,
                            "the name of an agent is 1 to %d letters, digits, \"_\" or \"-\"",
                            NAME_MAX_BYTES);
}

/* The lists that an agent has, as JSON; what is given of each. Empty: not given. */
enum { TOOLS, SKILLS, MAY_CALL, LISTS };
static const char *const list_names[LISTS] = {"tools", "skills", "may_call"};

static enum ia_rc check_item(const struct ia_config *config, int list, const char *item,
                             struct ia_buf *found, struct ia_err *err)
{
    enum ia_rc rc = list == TOOLS    ? ia_agent_check_tool(item, err)
                    : list == SKILLS ? ia_agent_find_skill(config, item, found, err)
                                     : check_name(item, err);
    if (rc != IA_OK) {
        err->code = IA_E_USAGE;
    }
    return rc != IA_OK ? IA_E_USAGE : IA_OK;
}

static enum ia_rc check_list(const struct ia_config *config, const struct ia_args *in, int list,
                             struct ia_buf *json, struct ia_err *err)
{
    const char *items[IA_CONFIG_ITEMS_MAX + 1];
    size_t n = ia_args_list(in, list_names[list], items, IA_COUNTOF(items));
    enum ia_rc rc = IA_OK;
    struct ia_jsonw w;
    if (n > IA_CONFIG_ITEMS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "%s has more than %d items", list_names[list],
                          IA_CONFIG_ITEMS_MAX);
    }
    ia_jsonw_init(&w, json);
    ia_jsonw_array(&w);
    for (size_t i = 0; rc == IA_OK && i < n; i++) {
        struct ia_buf found = IA_BUF(IA_AGENT_LIST_BYTES_MAX);
        rc = check_item(config, list, items[i], &found, err);
        ia_jsonw_string(&w, found.len > 0 ? ia_buf_cstr(&found) : items[i]);
        ia_buf_fini(&found);
    }
    ia_jsonw_end_array(&w);
    return rc;
}

static enum ia_rc check_lists(const struct ia_config *config, const struct ia_args *in,
                              struct ia_buf json[LISTS], struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (int i = 0; rc == IA_OK && i < LISTS; i++) {
        rc = check_list(config, in, i, &json[i], err);
    }
    return rc;
}

/* As one of the configuration is read. */
static enum ia_rc check_prompt(const struct ia_args *in, struct ia_err *err)
{
    const char *prompt = ia_args_text(in, "prompt");
    return !prompt || strlen(prompt) <= IA_PROMPT_BYTES_MAX
               ? IA_OK
               : ia_err_set(err, IA_E_LIMIT, "the prompt has %zu bytes; %d is the limit",
                            strlen(prompt), IA_PROMPT_BYTES_MAX);
}

/* The configuration would take it back with the next run. */
static enum ia_rc check_origin(const struct ia_api_call *call, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config_in(&setup, ia_api_folder(call), err);
    const char *const own[] = {"model",  "prompt",   "tools",      "role",
                               "skills", "may_call", "memory_kind"};
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(own); i++) {
        if (json_object_get(call->body, own[i]) &&
            ia_config_agent(setup.config, call->params[0])) {
            rc = ia_err_set(err, IA_E_STATE,
                            "the configuration has agent %s: change its %s there",
                            call->params[0], own[i]);
        }
    }
    ia_setup_close(&setup);
    return rc;
}

struct before {
    char *model, *prompt, *role, *memory_kind, *budget;
    char *lists[LISTS];
};

static bool keep(void *ctx, const struct ia_agent_row *row)
{
    struct before *b = ctx;
    *b = (struct before){
        .model = ia_strdup(row->model),
        .prompt = ia_strdup(row->prompt),
        .role = ia_strdup(row->role),
        .memory_kind = ia_strdup(row->memory_kind),
        .budget = ia_strdup(row->budget),
        .lists = {ia_strdup(row->tools), ia_strdup(row->skills), ia_strdup(row->may_call)}};
    return false;
}

static void before_fini(struct before *b)
{
    free(b->model);
    free(b->prompt);
    free(b->role);
    free(b->memory_kind);
    free(b->budget);
    for (int i = 0; i < LISTS; i++) {
        free(b->lists[i]);
    }
}

static const char *given(const struct ia_args *in, const char *name, const char *before)
{
    const char *text = ia_args_text(in, name);
    return !text ? before : text[0] == '\0' ? NULL : text;
}

static enum ia_rc commit(struct ia_api_call *call, const struct ia_agent_row *row,
                         struct ia_err *err)
{
    const char *memory = ia_args_text(&call->input, "memory");
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store_of(call), &tx, err);
    if (rc == IA_OK) {
        ia_tx_put_agent(tx, row);
        if (memory) {
            ia_tx_set_memory(tx, row->name, ia_str(memory));
        }
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

/* An empty list is no member of a list of arguments, yet it was said. */
static const char *list_of(const struct ia_api_call *call, int list, struct ia_buf *given,
                           const char *before)
{
    const json_t *said = json_object_get(call->body, list_names[list]);
    return !said ? before : json_array_size(said) == 0 ? NULL : ia_buf_cstr(given);
}

static enum ia_rc check_put(struct ia_api_call *call, struct ia_buf lists[LISTS],
                            struct ia_err *err)
{
    enum ia_rc rc = check_name(call->params[0], err);
    if (rc == IA_OK) {
        rc = check_lists(call->api->opts.setup->config, &call->input, lists, err);
    }
    if (rc == IA_OK) {
        rc = check_prompt(&call->input, err);
    }
    return rc == IA_OK ? check_origin(call, err) : rc;
}

/* What the body does not have stays as it was; an empty text or list takes a value away. */
enum ia_rc ia_api_agent_put(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_buf lists[LISTS] = {IA_BUF(LIST_BYTES_MAX), IA_BUF(LIST_BYTES_MAX),
                                  IA_BUF(LIST_BYTES_MAX)};
    struct before b = {.model = NULL};
    struct ia_err ignored;
    const struct ia_args *in = &call->input;
    enum ia_rc rc = check_put(call, lists, err);
    if (rc == IA_OK) {
        (void)ia_store_agents(store_of(call), call->params[0], keep, &b, &ignored);
        const struct ia_agent_row row = {
            .name = call->params[0],
            .model = given(in, "model", b.model),
            .prompt = given(in, "prompt", b.prompt),
            .tools = list_of(call, TOOLS, &lists[TOOLS], b.lists[TOOLS]),
            .role = given(in, "role", b.role),
            .skills = list_of(call, SKILLS, &lists[SKILLS], b.lists[SKILLS]),
            .may_call = list_of(call, MAY_CALL, &lists[MAY_CALL], b.lists[MAY_CALL]),
            .memory_kind = given(in, "memory_kind", b.memory_kind),
            .budget = b.budget,
        };
        rc = commit(call, &row, err);
    }
    for (int i = 0; i < LISTS; i++) {
        ia_buf_fini(&lists[i]);
    }
    before_fini(&b);
    return rc == IA_OK ? ia_api_agent(call, err) : rc;
}

/* One that only the configuration has is there, and stays. */
static enum ia_rc check_configured(const struct ia_api_call *call, enum ia_rc rc,
                                   struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_err ignored;
    if (ia_setup_config_in(&setup, ia_api_folder(call), &ignored) == IA_OK &&
        ia_config_agent(setup.config, call->params[0])) {
        rc = ia_err_set(err, IA_E_STATE, "the configuration has agent %s: remove it there",
                        call->params[0]);
    }
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_api_agent_delete(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store_of(call), &tx, err);
    if (rc == IA_OK) {
        ia_tx_remove_agent(tx, call->params[0]);
        rc = ia_tx_commit(tx, err);
    }
    if (rc == IA_E_NOT_FOUND) {
        rc = check_configured(call, rc, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "removed", call->params[0]);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}

enum ia_rc ia_api_agent_forget(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store_of(call), &tx, err);
    if (rc == IA_OK) {
        ia_tx_forget_session(tx, call->params[0]);
        rc = ia_tx_commit(tx, err);
    }
    return rc == IA_OK ? ia_api_agent(call, err) : rc;
}

/* ---- models ------------------------------------------------------------------------------ */

static void put_count(struct ia_jsonw *w, const char *key, int64_t n)
{
    ia_jsonw_key(w, key);
    if (n > 0 && n < INT64_MAX) {
        ia_jsonw_int(w, n);
    } else {
        ia_jsonw_null(w);
    }
}

static void put_model(struct ia_jsonw *w, const struct ia_model *m)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", m->id);
    put_count(w, "context_tokens", m->context_tokens);
    ia_jsonw_key(w, "prices");
    ia_jsonw_array(w);
    for (int i = 0; i < m->band_count; i++) {
        const struct ia_price *price = &m->bands[i];
        ia_jsonw_object(w);
        put_count(w, "up_to_prompt_tokens", price->max_prompt_tokens);
        ia_jsonw_kv_real(w, "input", price->input);
        ia_jsonw_kv_real(w, "cache_read", price->read);
        ia_jsonw_kv_real(w, "output", price->output);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static enum ia_rc put_models(struct ia_api_call *call, const struct ia_config *config,
                             struct ia_err *err)
{
    const char *path = ia_config_str(config, IA_CFG_API_MODELS_FILE);
    struct ia_models *models = NULL;
    enum ia_rc rc = ia_models_load(path[0] != '\0' ? path : NULL, &models, err);
    if (rc != IA_OK) {
        return rc;
    }
    const struct ia_model *m = NULL;
    ia_jsonw_object(&call->w);
    ia_jsonw_kv(&call->w, "default", ia_config_str(config, IA_CFG_RUN_MODEL));
    ia_jsonw_key(&call->w, "models");
    ia_jsonw_array(&call->w);
    while ((m = ia_models_next(models, m)) != NULL) {
        put_model(&call->w, m);
    }
    ia_jsonw_end_array(&call->w);
    ia_jsonw_end_object(&call->w);
    ia_models_free(models);
    return IA_OK;
}

enum ia_rc ia_api_models(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config_in(&setup, ia_api_folder(call), err);
    rc = rc == IA_OK ? put_models(call, setup.config, err) : rc;
    ia_setup_close(&setup);
    return rc;
}
