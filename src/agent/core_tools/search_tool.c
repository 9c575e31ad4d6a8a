/* search_tool.c: web_search, which the service does while it answers: nothing is called here. Its blocks come
 * with the answer and are replayed as they came (agent/claude/block.h); what it costs stands in the
 * answer's usage (agent/claude/models.h).
 * Source: reference of the Messages API, web search tool, web_search_20250305. */
#include "agent/core_tools/core_tools_impl.h"

#include "agent/claude/models.h"
#include "base/jsonw.h"

#include <string.h>

static bool any(const char *list)
{
    return list && list[strspn(list, ", \t")] != '\0';
}

static void put_domains(struct ia_jsonw *w, const char *key, const char *list)
{
    if (!any(list)) {
        return;
    }
    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
    for (const char *p = list + strspn(list, ", \t"); *p; p += strspn(p, ", \t")) {
        size_t n = strcspn(p, ", \t");
        ia_jsonw_str(w, (struct ia_str){p, n});
        p += n;
    }
    ia_jsonw_end_array(w);
}

static int max_uses(const struct ia_core_settings *s)
{
    return s->search.max_uses > 0 ? s->search.max_uses : IA_SEARCH_USES_DEFAULT;
}

enum ia_rc ia_search_tool_define(struct ia_core_tools *core, struct ia_err *err)
{
    const struct ia_core_settings *s = &core->settings;
    struct ia_jsonw w;
    if (any(s->search.allowed_domains) && any(s->search.blocked_domains)) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_CONFIG, "web_search has both allowed and blocked domains");
        ia_err_hint(err, "The service takes one list: leave out web_search.allowed_domains or "
                         "web_search.blocked_domains.");
        return rc;
    }
    core->search_json = IA_BUF(IA_TOOLS_BYTES_MAX);
    ia_jsonw_init(&w, &core->search_json);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "web_search_20250305");
    ia_jsonw_kv(&w, "name", IA_TOOL_WEB_SEARCH);
    ia_jsonw_kv_int(&w, "max_uses", max_uses(s));
    put_domains(&w, "allowed_domains", s->search.allowed_domains);
    put_domains(&w, "blocked_domains", s->search.blocked_domains);
    ia_jsonw_end_object(&w);
    core->search = (struct ia_tool_def){
        .name = IA_TOOL_WEB_SEARCH, .json = ia_buf_str(&core->search_json), .serves = true};
    return IA_OK;
}

double ia_core_tools_searches_usd(const struct ia_core_tools *core)
{
    return core && core->search.name ? max_uses(&core->settings) * IA_WEB_SEARCH_USD : 0;
}
