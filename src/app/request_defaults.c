/* request_defaults.c: fills what a request leaves open from the configuration, in the same way for
 * the command line and for a server. */
#include "app/request_defaults.h"

#include <stdlib.h>
#include <string.h>

/* Empty in the configuration: none. */
static const char *text(const char *given, const struct ia_config *g, enum ia_config_key key)
{
    const char *configured = ia_config_str(g, key);
    return given || configured[0] == '\0' ? given : configured;
}

static int64_t number(int64_t given, const struct ia_config *g, enum ia_config_key key)
{
    return given != 0 ? given : ia_config_int(g, key);
}

static const char *replay(const char *given, const struct ia_config *g)
{
    static const char *const words[] = {NULL, "auto", "only"};
    return given ? given : words[ia_config_int(g, IA_CFG_RUN_REPLAY)];
}

/* A build must not go green by what nobody has looked at. */
bool ia_run_strict(const struct ia_config *g)
{
    enum { AUTO, ON };
    const char *ci = getenv("CI");
    int64_t word = ia_config_int(g, IA_CFG_RUN_STRICT);
    bool in_ci = ci && ci[0] != '\0' && strcmp(ci, "false") != 0;
    return word == ON || (word == AUTO && in_ci);
}

/* The agent's, where neither the request nor a flag says another. */
static int64_t of_agent(int64_t given, int64_t agent, const struct ia_config *g,
                        enum ia_config_key key)
{
    return given == 0 && ia_config_origin(g, key) != IA_CFG_FROM_FLAG ? agent : given;
}

static void agent_budget(const struct ia_config *g, const struct ia_config_agent *a,
                         struct ia_budget *b)
{
    b->max_steps = (int)of_agent(b->max_steps, a->max_steps, g, IA_CFG_RUN_MAX_STEPS);
    b->max_seconds = (int)of_agent(b->max_seconds, a->max_seconds, g, IA_CFG_RUN_MAX_SECONDS);
    b->max_tokens = of_agent(b->max_tokens, a->max_tokens, g, IA_CFG_RUN_MAX_TOKENS);
    if (b->max_usd <= 0 && ia_config_origin(g, IA_CFG_RUN_MAX_USD) != IA_CFG_FROM_FLAG) {
        b->max_usd = a->max_usd;
    }
}

/* What the user's file says counts where the run is done, as it is then. */
static const char *stricter(const char *given, const struct ia_config *g,
                            enum ia_config_key key)
{
    static const char *const words[] = {NULL, "ask", "deny"};
    enum ia_config_origin from = ia_config_origin(g, key);
    int64_t answer = ia_config_int(g, key);
    if (from == IA_CFG_FROM_DEFAULT || from == IA_CFG_FROM_USER_FILE || answer == 0) {
        return given;
    }
    return given && strcmp(given, "ask") != 0 ? given : words[answer];
}

static void stricter_policy(const struct ia_config *g, struct ia_stricter *p)
{
    p->buy = stricter(p->buy, g, IA_CFG_POLICY_BUY);
    p->send = stricter(p->send, g, IA_CFG_POLICY_SEND);
    p->delete = stricter(p->delete, g, IA_CFG_POLICY_DELETE);
    p->permissions = stricter(p->permissions, g, IA_CFG_POLICY_PERMISSIONS);
    p->external_links = stricter(p->external_links, g, IA_CFG_POLICY_EXTERNAL_LINKS);
    p->secret_fields = stricter(p->secret_fields, g, IA_CFG_POLICY_SECRET_FIELDS);
    p->suspicious = stricter(p->suspicious, g, IA_CFG_POLICY_SUSPICIOUS);
}

void ia_run_request_plan(const struct ia_config *g, struct ia_run_request *r)
{
    static const char *const words[] = {NULL, "show", "ask"};
    bool flag = ia_config_origin(g, IA_CFG_RUN_PLAN) == IA_CFG_FROM_FLAG;
    bool replays = r->replay || r->recording ||
                   (ia_config_origin(g, IA_CFG_RUN_REPLAY) == IA_CFG_FROM_FLAG &&
                    ia_config_int(g, IA_CFG_RUN_REPLAY) != 0);
    if (!r->plan && (flag || !replays)) {
        r->plan = words[ia_config_int(g, IA_CFG_RUN_PLAN)];
    }
}

void ia_run_request_defaults(const struct ia_config *config,
                             const struct ia_config_agent *agent,
                             struct ia_run_request *request)
{
    const struct ia_config *g = config;
    struct ia_run_request *r = request;
    bool flag = ia_config_origin(g, IA_CFG_RUN_MODEL) == IA_CFG_FROM_FLAG;
    if (agent) {
        r->agent = agent->name;
        r->model = !r->model && !flag && agent->model[0] != '\0' ? agent->model : r->model;
    }
    if (agent) {
        agent_budget(g, agent, &r->budget);
    }
    stricter_policy(g, &r->policy);
    r->device = r->device ? r->device : ia_config_str(g, IA_CFG_RUN_DEVICE);
    r->app = text(r->app, g, IA_CFG_RUN_APP);
    r->model = r->model ? r->model : ia_config_str(g, IA_CFG_RUN_MODEL);
    r->verifier_model = text(r->verifier_model, g, IA_CFG_RUN_VERIFIER_MODEL);
    r->effort = text(r->effort, g, IA_CFG_RUN_EFFORT);
    r->verify = (enum ia_verify)number(r->verify, g, IA_CFG_RUN_VERIFY);
    r->pictures = (enum ia_pictures)number(r->pictures, g, IA_CFG_RUN_PICTURES);
    /* A plan is for a model: only an option asks for a replay beside it, which is refused. */
    bool planned = r->plan && ia_config_origin(g, IA_CFG_RUN_REPLAY) != IA_CFG_FROM_FLAG;
    r->replay = planned ? r->replay : replay(r->replay, g);
    r->strict = r->strict || ia_run_strict(g);
    r->budget.max_steps = (int)number(r->budget.max_steps, g, IA_CFG_RUN_MAX_STEPS);
    r->budget.max_seconds = (int)number(r->budget.max_seconds, g, IA_CFG_RUN_MAX_SECONDS);
    r->budget.max_tokens = number(r->budget.max_tokens, g, IA_CFG_RUN_MAX_TOKENS);
    if (r->budget.max_usd <= 0) {
        r->budget.max_usd = ia_config_real(g, IA_CFG_RUN_MAX_USD);
    }
    r->context_tokens = (int)number(r->context_tokens, g, IA_CFG_RUN_CONTEXT_TOKENS);
    r->answer_tokens = (int)number(r->answer_tokens, g, IA_CFG_API_MAX_TOKENS);
}
