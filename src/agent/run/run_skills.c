/* run_skills.c: what skills get of a run, and what the store knows of them. */
#include "agent/run/run_skills.h"

#include "agent/skills/skills.h"
#include "store/accepted.h"

#include <stdlib.h>

static enum ia_rc trusted(void *ctx, const char *hash, bool *ret, json_t **ret_granted,
                          struct ia_err *err)
{
    const struct ia_run_ctx *run = ctx;
    char *granted = NULL;
    enum ia_rc rc = ia_store_skill_trusted(run->env->store, hash, ret, &granted, err);
    *ret_granted = granted ? json_loads(granted, 0, NULL) : NULL;
    free(granted);
    return rc;
}

static void take_pin(void *ctx, const char *tool, const char *digest)
{
    json_object_set_new(ctx, tool, json_string(digest));
}

static enum ia_rc accepted(void *ctx, const char *key, json_t **ret, struct ia_err *err)
{
    const struct ia_run_ctx *run = ctx;
    *ret = json_object();
    return ia_store_accepted_tools(run->env->store, key, take_pin, *ret, err);
}

static enum ia_rc accept_tools(void *ctx, const char *key, const json_t *pins,
                               struct ia_err *err)
{
    const struct ia_run_ctx *run = ctx;
    struct ia_tx *tx = NULL;
    const char *tool;
    json_t *digest;
    enum ia_rc rc = ia_tx_begin(run->env->store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    json_object_foreach((json_t *)(uintptr_t)pins, tool, digest)
    {
        ia_tx_accept_tool(tx, key, tool, json_string_value(digest));
    }
    return ia_tx_commit(tx, err);
}

static void notice(void *ctx, struct ia_str line)
{
    char *text = ia_strndup(line.p, line.n);
    ia_run_ctx_notice(ctx, "", text);
    free(text);
}

enum ia_rc ia_run_skills_open(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_run_texts *t = &run->texts;
    const struct ia_run_skills *s = &run->env->skills;
    const struct ia_skills_env env = {.prompts = t->prompts,
                                      .run_id = run->id,
                                      .device = run->req->device,
                                      .cancel = run->env->cancel,
                                      .ca_bundle = s->ca_bundle,
                                      .proxy = s->proxy,
                                      .version = s->version,
                                      .user_config = s->user_config,
                                      .allow = s->allow,
                                      .trusted = trusted,
                                      .pins = accepted,
                                      .accept = accept_tools,
                                      .notice = notice,
                                      .ctx = run};
    return ia_skills_open(t->agent.skills, &env, t->tools, &t->skills, err);
}
