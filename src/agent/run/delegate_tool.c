/* delegate_tool.c: the tool `delegate` as one run has it: whom it may call, where, with which secrets. */
#include "agent/run/delegate.h"

#include "store/children.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tool ---------------------------------------------------------------------------- */

static bool put_role(void *ctx, const struct ia_agent_row *row)
{
    ia_buf_printf(ctx, " %s: %s.", row->name, row->role ? row->role : "no role is given");
    return false;
}

/* The property may only be one of those names, or a list of them. Without names it is left out. Takes names. */
static void set_names(json_t *tool, const char *property, json_t *names)
{
    json_t *all = json_object_get(json_object_get(tool, "input_schema"), "properties");
    json_t *p = json_object_get(all, property), *items = json_object_get(p, "items");
    if (json_array_size(names) > 0) {
        json_object_set(items ? items : p, "enum", names);
    } else {
        json_object_del(all, property);
    }
    json_decref(names);
}

static json_t *device_names(const struct ia_run_ctx *run)
{
    json_t *names = json_array();
    const char *at = run->env->delegation.devices ? run->env->delegation.devices : "";
    for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        json_array_append_new(names, json_stringn(at, n));
        at += n;
    }
    if (run->req->device && !ia_tools_named(names, run->req->device)) {
        json_array_append_new(names, json_string(run->req->device));
    }
    return names;
}

static json_t *secret_names(const struct ia_run_ctx *run)
{
    json_t *names = json_array();
    for (size_t i = 0; i < run->req->secret_count; i++) {
        json_array_append_new(names, json_string(run->req->secrets[i]));
    }
    return names;
}

/* agents: whom it may call; borrowed. */
static void make_tool(struct ia_run_ctx *run, json_t *agents)
{
    struct ia_buf text = IA_BUF(IA_PROMPT_BYTES_MAX);
    json_t *tool = json_deep_copy(ia_prompts_delegate_tool(run->texts.prompts)), *name;
    size_t i;
    ia_buf_puts(&text, ia_json_text(tool, "description"));
    ia_buf_puts(&text, " Agents:");
    json_array_foreach(agents, i, name)
    {
        struct ia_err ignored; /* one that is gone is refused when it is called */
        (void)ia_store_agents(run->env->store, json_string_value(name), put_role, &text,
                              &ignored);
    }
    json_object_set_new(tool, "description", json_string(ia_buf_cstr(&text)));
    set_names(tool, "agent", json_incref(agents));
    set_names(tool, "device", device_names(run));
    set_names(tool, "secrets", secret_names(run));
    run->delegate.tool = tool;
    run->delegate.json = json_dumps(tool, JSON_COMPACT);
    ia_buf_fini(&text);
}

/* ---- where it stands in the tree --------------------------------------------------------- */

struct place {
    json_t *agents; /* names of those that it may call */
    int depth;
    struct ia_below below;
};

static void take_out(json_t *names, const char *name)
{
    for (size_t i = json_array_size(names); name && i > 0; i--) {
        if (strcmp(json_string_value(json_array_get(names, i - 1)), name) == 0) {
            (void)json_array_remove(names, i - 1);
        }
    }
}

static bool take_above(void *ctx, const struct ia_run_row *row)
{
    struct place *p = ctx;
    p->depth++;
    take_out(p->agents, row->agent);
    return true;
}

/* An agent that is at work above, or is the run's own, cannot be called: it would go on in circles. */
static enum ia_rc find_place(const struct ia_run_ctx *run, struct place *p, struct ia_err *err)
{
    json_t *may_call = run->texts.agent.may_call;
    *p = (struct place){.agents = may_call ? json_copy(may_call) : json_array()};
    take_out(p->agents, run->req->agent);
    if (!run->id[0]) {
        return IA_OK;
    }
    enum ia_rc rc = ia_store_above(run->env->store, run->id, take_above, p, err);
    return rc == IA_OK ? ia_store_below(run->env->store, run->id, &p->below, err) : rc;
}

/* At least 1 remains of a limit: 0 would be none. */
static void charge(struct ia_budget *limit, const struct ia_below *below)
{
    int64_t steps = limit->max_steps - below->steps, tokens = limit->max_tokens - below->tokens;
    int64_t seconds = limit->max_seconds - below->ran_ms / 1000;
    double usd = limit->max_usd - below->usd_max;
    limit->max_steps = steps > 1 ? (int)steps : 1;
    limit->max_seconds = limit->max_seconds == 0 ? 0 : seconds > 1 ? (int)seconds : 1;
    limit->max_tokens = limit->max_tokens == 0 ? 0 : tokens > 1 ? tokens : 1;
    limit->max_usd = limit->max_usd <= 0 ? 0 : usd > 1e-9 ? usd : 1e-9;
}

static enum ia_rc add_tool(struct ia_run_ctx *run, const struct place *p, struct ia_err *err)
{
    make_tool(run, p->agents);
    run->delegate.def = (struct ia_tool_def){
        .name = IA_DELEGATE,
        .json = ia_str(run->delegate.json),
        .schema = json_object_get(run->delegate.tool, "input_schema"),
        .has_effect = true,
        .resumes = true,
        .call = ia_delegate_collect,
        .ctx = run,
    };
    return ia_toolset_add(run->texts.tools, &run->delegate.def, err);
}

enum ia_rc ia_delegate_add(struct ia_run_ctx *run, struct ia_err *err)
{
    struct place p;
    enum ia_rc rc = find_place(run, &p, err);
    if (rc == IA_OK && p.below.runs > 0) {
        charge(&run->spent.spending.limit, &p.below);
    }
    /* Where it has delegated, its transcript has calls of the tool. */
    bool deep = p.depth >= run->env->delegation.depth && p.below.runs == 0;
    if (rc == IA_OK && json_array_size(p.agents) > 0 && !deep && !run->req->recording) {
        rc = add_tool(run, &p, err);
    }
    json_decref(p.agents);
    return rc;
}

/* ---- what it may not see ------------------------------------------------------------------ */

static bool take_secrets(void *ctx, const struct ia_run_row *row)
{
    json_t *hidden = ctx, *name;
    json_t *options = row->options ? json_loads(row->options, JSON_ALLOW_NUL, NULL) : NULL;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(options, "job"), "secrets"), i, name)
    {
        if (json_is_string(name) && !ia_tools_named(hidden, json_string_value(name))) {
            json_array_append(hidden, name);
        }
    }
    json_decref(options);
    return true;
}

enum ia_rc ia_delegate_hidden(const struct ia_run_ctx *run, json_t **ret, struct ia_err *err)
{
    json_t *hidden = json_array();
    enum ia_rc rc = run->delegated
                        ? ia_store_above(run->env->store, run->id, take_secrets, hidden, err)
                        : IA_OK;
    for (size_t i = 0; i < run->req->secret_count; i++) {
        take_out(hidden, run->req->secrets[i]);
    }
    *ret = hidden;
    return rc;
}
