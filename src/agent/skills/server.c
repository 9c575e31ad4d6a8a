/* server.c: from [mcp] of a manifest to a place for mcp_tools. */
#include "agent/skills/server.h"

#include "agent/skills/program.h"
#include "agent/skills/skills.h"
#include "base/paths.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES_MAX = 8192, START_MS = 30000 };

static json_t *names_of(const struct ia_skill_list *l)
{
    json_t *names = json_array();
    for (size_t i = 0; i < l->count; i++) {
        json_array_append_new(names, json_string(l->items[i]));
    }
    return names;
}

/* Appends the header with its secrets filled in. */
static enum ia_rc fill(const struct ia_manifest *m, const char *header, const json_t *granted,
                       struct ia_buf *out, struct ia_err *err)
{
    static const char open[] = "{{secret:";
    const char *at;
    while ((at = strstr(header, open)) != NULL) {
        char name[IA_SKILL_TEXT_MAX + 1];
        const char *from = at + sizeof(open) - 1;
        size_t n = strcspn(from, "}");
        (void)snprintf(name, sizeof(name), "%.*s", (int)n, from);
        const char *value = ia_tools_named(granted, name) ? ia_env_get(NULL, name) : NULL;
        if (!value || strncmp(from + n, "}}", 2) != 0) {
            enum ia_rc rc = ia_err_set(
                err, IA_E_CONFIG, "skill %s: a header needs the secret %.80s, which is %s",
                m->name, name, value ? "badly written" : "not granted or not set");
            ia_err_hint(err, "ios-agent skills trust %s --grant %.80s", m->name, name);
            return rc;
        }
        ia_buf_put(out, header, (size_t)(at - header));
        ia_buf_puts(out, value);
        header = from + n + 2;
    }
    ia_buf_puts(out, header);
    return IA_OK;
}

struct headers {
    char *items[IA_SKILL_LIST_MAX + 1];
};

static enum ia_rc fill_all(const struct ia_manifest *m, const json_t *granted,
                           struct headers *ret, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < m->mcp.headers.count; i++) {
        struct ia_buf b = IA_BUF(HEADER_BYTES_MAX);
        rc = fill(m, m->mcp.headers.items[i], granted, &b, err);
        if (rc == IA_OK) {
            ret->items[i] = ia_buf_steal(&b);
        }
        ia_buf_fini(&b);
    }
    return rc;
}

static enum ia_rc open_place(const struct ia_manifest *m, const struct ia_skills_env *env,
                             const struct headers *headers, const json_t *granted,
                             const json_t *pins, struct ia_mcp_tools **ret, struct ia_err *err)
{
    struct ia_skill_variables vars;
    const char *secrets[IA_SKILL_LIST_MAX + 1] = {NULL};
    size_t n = 0;
    for (size_t i = 0; i < m->secrets.count; i++) {
        const char *value = ia_tools_named(granted, m->secrets.items[i])
                                ? ia_env_get(NULL, m->secrets.items[i])
                                : NULL;
        secrets[n] = value;
        n += value != NULL;
    }
    ia_skill_variables_init(&vars, m, granted);
    json_t *only = m->mcp.tools.count > 0 ? names_of(&m->mcp.tools) : NULL;
    json_t *reading = names_of(&m->mcp.reading);
    const struct ia_mcp_tools_place place = {
        .skill = m->name,
        .server = {.name = m->name,
                   .argv = m->mcp.url ? NULL : (const char *const *)m->mcp.argv.items,
                   .env = (const char *const *)vars.items,
                   .cwd = m->folder,
                   .url = m->mcp.url,
                   .headers =
                       m->mcp.headers.count > 0 ? (const char *const *)headers->items : NULL,
                   .secrets = secrets,
                   .ca_bundle = env->ca_bundle,
                   .proxy = env->proxy,
                   .version = env->version},
        .pins = pins,
        .only = only,
        .reading = reading,
        .call_ms = (int64_t)m->mcp.seconds * 1000,
        .prompts = env->prompts};
    const struct ia_limit limit = {env->cancel,
                                   ia_mono_us(ia_clock_system()) + START_MS * 1000};
    enum ia_rc rc = ia_mcp_tools_open(&place, &limit, ret, err);
    json_decref(only);
    json_decref(reading);
    ia_skill_variables_fini(&vars);
    return rc;
}

/* What is accepted now is kept before anything is called. */
static enum ia_rc open_pinned(const struct ia_manifest *m, const struct ia_skills_env *env,
                              const struct headers *headers, const json_t *granted,
                              struct ia_mcp_tools **ret, struct ia_err *err)
{
    json_t *pins = NULL;
    enum ia_rc rc = env->pins ? env->pins(env->ctx, m->hash, &pins, err) : IA_OK;
    rc = rc == IA_OK ? open_place(m, env, headers, granted, pins, ret, err) : rc;
    if (rc == IA_OK && env->accept && !json_equal(pins, ia_mcp_tools_pins(*ret))) {
        rc = env->accept(env->ctx, m->hash, ia_mcp_tools_pins(*ret), err);
    }
    if (rc != IA_OK) {
        ia_mcp_tools_free(*ret);
        *ret = NULL;
    }
    json_decref(pins);
    return rc;
}

enum ia_rc ia_skill_server_open(const struct ia_manifest *m, const json_t *granted,
                                const struct ia_skills_env *env, struct ia_mcp_tools **ret,
                                struct ia_err *err)
{
    struct headers headers = {{NULL}};
    enum ia_rc rc = fill_all(m, granted, &headers, err);
    if (rc == IA_OK) {
        rc = open_pinned(m, env, &headers, granted, ret, err);
    }
    for (size_t i = 0; i < m->mcp.headers.count; i++) {
        ia_free_wiped(headers.items[i]);
    }
    return rc;
}
