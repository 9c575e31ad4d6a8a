/* skills.c: GET /v1/skills: what a model is given to act with, and what a coding agent reads about this build. */
#include "agent/prompts/prompts.h"

#include "server/api/handlers.h"
#include "json/json.h"

static void put_tool(struct ia_jsonw *w, const struct ia_prompts *prompts, enum ia_tool tool)
{
    struct ia_str text = ia_prompts_tool(prompts, tool);
    json_t *schema = json_loadb(text.p, text.n, 0, NULL);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", ia_tool_name(tool));
    ia_jsonw_key(w, "description");
    ia_jsonw_str(w, ia_json_field(schema, "description"));
    ia_jsonw_kv_bool(w, "acts", ia_tool_has_effect(tool));
    ia_jsonw_end_object(w);
    json_decref(schema);
}

/* As a run gets them: of the folder that the configuration names, or the built-in ones. */
static enum ia_rc put_tools(struct ia_api_call *call, struct ia_err *err)
{
    const char *dir = ia_config_str(call->api->opts.setup->config, IA_CFG_PROMPTS_DIR);
    struct ia_prompts *prompts = NULL;
    enum ia_rc rc = ia_prompts_open(dir[0] != '\0' ? dir : NULL, &prompts, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_key(&call->w, "tools");
    ia_jsonw_array(&call->w);
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        put_tool(&call->w, prompts, (enum ia_tool)i);
    }
    ia_jsonw_end_array(&call->w);
    ia_prompts_free(prompts);
    return IA_OK;
}

enum ia_rc ia_api_skills(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    ia_jsonw_object(&call->w);
    ia_jsonw_kv(&call->w, "build", o->build);
    enum ia_rc rc = put_tools(call, err);
    if (rc == IA_OK) {
        ia_jsonw_key(&call->w, "skills");
        ia_jsonw_array(&call->w);
        if (o->skills) {
            o->skills(o->skills_ctx, &call->w);
        }
        ia_jsonw_end_array(&call->w);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}
