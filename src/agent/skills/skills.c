/* skills.c: a run's skills, from their names to the tools in its toolset. */
#include "agent/skills/skills.h"

#include "agent/prompts/schema.h"
#include "agent/skills/builtin.h"
#include "agent/skills/program.h"
#include "agent/skills/server.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* 0.1 stays 0.1 (agent/prompts/prompts.c). */
enum { REAL_DIGITS = 15, FILE_NAME_MAX = 96, SKILLS_MAX = 32 };

/* A tool that was read: what its definition in the toolset borrows from. */
struct tool {
    json_t *json;
    char *text; /* one line */
    char name[IA_TOOL_NAME_MAX + 1];
    /* Of a program. */
    const struct ia_skills *skills;
    const struct ia_manifest *manifest;
    const struct ia_skill_program *program;
    const json_t *granted;
};

struct skill {
    const char *name, *purpose;
    struct ia_str instructions;
    bool foreign; /* somebody else wrote its texts */
    /* One that is built in. */
    const struct ia_skill *row;
    void *state;
    bool opened;
    /* One of a folder. */
    struct ia_manifest *manifest;
    json_t *granted;
    struct ia_mcp_tools *server;
    struct ia_err unavailable; /* why it has no server */
};

struct ia_skills {
    struct ia_skills_env env;
    struct skill list[SKILLS_MAX];
    size_t count;
    struct tool tools[IA_TOOLS_MAX];
    size_t tool_count;
};

/* ---- tools ------------------------------------------------------------------------------- */

static struct tool *new_tool(struct ia_skills *s, struct ia_err *err)
{
    if (s->tool_count == IA_TOOLS_MAX) {
        ia_err_set(err, IA_E_LIMIT, "the skills have more than %d tools", IA_TOOLS_MAX);
        return NULL;
    }
    return &s->tools[s->tool_count++];
}

/* Checks a definition and adds it; def has all but its texts. */
static enum ia_rc add_tool(struct tool *kept, struct ia_toolset *t, struct ia_tool_def *def,
                           struct ia_err *err)
{
    kept->text = json_dumps(kept->json, JSON_COMPACT | JSON_PRESERVE_ORDER |
                                            JSON_REAL_PRECISION(REAL_DIGITS));
    def->json = ia_str(kept->text);
    def->schema = json_object_get(kept->json, "input_schema");
    const char *name = json_string_value(json_object_get(kept->json, "name"));
    if (!kept->text || !name || strcmp(name, def->name) != 0 ||
        !json_is_string(json_object_get(kept->json, "description"))) {
        return ia_err_set(err, IA_E_CONFIG, "the tool %s of skill %s is damaged", def->name,
                          def->skill ? def->skill : "");
    }
    enum ia_rc rc = ia_schema_lint(def->schema, def->name, err);
    return rc == IA_OK ? ia_toolset_add(t, def, err) : rc;
}

/* ---- built in ---------------------------------------------------------------------------- */

static enum ia_rc open_builtin(struct ia_skills *s, struct ia_toolset *t, struct skill *skill,
                               const struct ia_skill *row, struct ia_err *err)
{
    *skill = (struct skill){.name = row->name,
                            .purpose = row->purpose,
                            .instructions = ia_skill_text(row->name, "instructions.md"),
                            .row = row};
    enum ia_rc rc = row->open ? row->open(&skill->state, err) : IA_OK;
    skill->opened = rc == IA_OK;
    for (const struct ia_skill_tool *it = row->tools; rc == IA_OK && it->name; it++) {
        char file[FILE_NAME_MAX];
        (void)snprintf(file, sizeof(file), "%s.json", it->name);
        struct ia_tool_def def = {.name = it->name,
                                  .skill = row->name,
                                  .has_effect = it->has_effect,
                                  .acts = row->acts,
                                  .screen = it->screen,
                                  .call = it->call,
                                  .ctx = skill->state};
        struct tool *kept = new_tool(s, err);
        if (!kept) {
            return IA_E_LIMIT;
        }
        kept->json = json_loads(ia_skill_text(row->name, file).p, JSON_REJECT_DUPLICATES, NULL);
        rc = add_tool(kept, t, &def, err);
    }
    return rc;
}

/* ---- in a folder ------------------------------------------------------------------------- */

static enum ia_rc call_program(void *ctx, const struct ia_tool_env *env, const json_t *input,
                               struct ia_tool_result *ret, struct ia_err *err)
{
    const struct tool *t = ctx;
    const struct ia_skill_caller caller = {t->skills->env.run_id, t->skills->env.device,
                                           t->granted};
    return ia_skill_program_call(t->manifest, t->program, &caller, env, input, ret, err);
}

/* The model calls it skill__tool, as it does those of servers: no two skills' tools collide. */
static enum ia_rc add_program(struct ia_skills *s, struct ia_toolset *t, struct skill *skill,
                              const struct ia_skill_program *p, struct ia_err *err)
{
    struct tool *kept = new_tool(s, err);
    if (!kept) {
        return IA_E_LIMIT;
    }
    kept->skills = s;
    kept->manifest = skill->manifest;
    kept->program = p;
    kept->granted = skill->granted;
    ia_mcp_tool_name(skill->name, p->name, kept->name);
    kept->json = json_deep_copy(p->tool);
    json_object_set_new(kept->json, "name", json_string(kept->name));
    struct ia_tool_def def = {.name = kept->name,
                              .skill = skill->name,
                              .has_effect = p->has_effect,
                              .screen = !p->polls,
                              .answers = true,
                              .call = call_program,
                              .ctx = kept,
                              .max_ms = (int64_t)p->seconds * 1000};
    return add_tool(kept, t, &def, err);
}

/* A line each: why the server is not there, or some of its tools. */
static void tell_people(const struct ia_skills *s, const struct skill *skill)
{
    struct ia_str notes =
        skill->server ? ia_mcp_tools_notes(skill->server) : ia_str(skill->unavailable.msg);
    struct ia_str line;
    while (s->env.notice && ia_str_line(&notes, &line)) {
        s->env.notice(s->env.ctx, line);
    }
}

/* A server that cannot be used leaves the run without its tools, and no worse. */
static enum ia_rc add_server(struct ia_skills *s, struct ia_toolset *t, struct skill *skill,
                             struct ia_err *err)
{
    enum ia_rc rc = ia_skill_server_open(skill->manifest, skill->granted, &s->env,
                                         &skill->server, &skill->unavailable);
    if (rc == IA_E_CANCELLED) {
        *err = skill->unavailable;
        return rc;
    }
    tell_people(s, skill);
    rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && skill->server && i < ia_mcp_tools_count(skill->server);
         i++) {
        rc = ia_toolset_add(t, ia_mcp_tools_at(skill->server, i), err);
    }
    return rc;
}

static enum ia_rc check_trust(const struct ia_skills_env *env, struct skill *skill,
                              struct ia_err *err)
{
    const struct ia_manifest *m = skill->manifest;
    bool trusted = false;
    enum ia_rc rc =
        env->trusted ? env->trusted(env->ctx, m->hash, &trusted, &skill->granted, err) : IA_OK;
    if (rc != IA_OK || trusted || env->allow ||
        ia_skill_users_own(env->user_config, m->folder)) {
        return rc;
    }
    rc = ia_err_set(err, IA_E_FORBIDDEN,
                    "the skill %s in %.300s is not trusted, or has changed since", m->name,
                    m->folder);
    ia_err_hint(
        err,
        "its programs would run on this machine: read them, then `ios-agent skills trust "
        "%s`; where all projects are trusted, IOS_AGENT_RUN_ALLOW_SKILLS=true",
        m->name);
    return rc;
}

static enum ia_rc open_folder(struct ia_skills *s, struct ia_toolset *t, struct skill *skill,
                              const char *folder, struct ia_err *err)
{
    *skill = (struct skill){.foreign = true};
    enum ia_rc rc = ia_manifest_read(folder, &skill->manifest, err);
    if (rc != IA_OK) {
        return rc;
    }
    skill->name = skill->manifest->name;
    skill->purpose = skill->manifest->purpose;
    skill->instructions = ia_str(skill->manifest->instructions);
    rc = check_trust(&s->env, skill, err);
    if (rc == IA_OK && skill->manifest->mcp.given) {
        rc = add_server(s, t, skill, err);
    }
    for (size_t i = 0; rc == IA_OK && i < skill->manifest->tool_count; i++) {
        rc = add_program(s, t, skill, &skill->manifest->tools[i], err);
    }
    return rc;
}

/* ---- use_skill --------------------------------------------------------------------------- */

/* A skill that came with a project was written by others, whatever the user thinks of it. */
static void put_instructions(const struct ia_skills *s, const struct skill *skill,
                             const char *boundary, struct ia_buf *out)
{
    ia_buf_putc(out, '\n');
    if (!skill->foreign) {
        ia_buf_putstr(out, skill->instructions);
    } else {
        ia_buf_printf(out, "%s\n", ia_prompts_note(s->env.prompts, IA_NOTE_SKILL));
        ia_fence_skill(out, boundary, skill->instructions);
    }
    struct ia_str notes = skill->server ? ia_mcp_tools_notes(skill->server) : ia_str("");
    if (skill->unavailable.code != IA_OK || notes.n > 0) {
        ia_buf_puts(out, "\n");
        ia_fence_data(out, boundary,
                      skill->unavailable.code != IA_OK ? ia_str(skill->unavailable.msg)
                                                       : notes);
    }
}

static enum ia_rc use_skill(void *ctx, const struct ia_tool_env *env, const json_t *input,
                            struct ia_tool_result *ret, struct ia_err *err)
{
    const struct ia_skills *s = ctx;
    const char *name = ia_json_text(input, "skill");
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->list[i].name, name) == 0) {
            put_instructions(s, &s->list[i], env->boundary, &ret->text);
            return IA_OK;
        }
    }
    return ia_err_set(err, IA_E_USAGE, "there is no skill %.80s", name);
}

/* With a line for each skill, and no other name allowed. */
static enum ia_rc add_use_skill(struct ia_skills *s, struct ia_toolset *t, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_PROMPT_BYTES_MAX);
    struct ia_tool_def def = {.name = IA_USE_SKILL, .call = use_skill, .ctx = s};
    struct tool *kept = new_tool(s, err);
    if (!kept) {
        return IA_E_LIMIT;
    }
    kept->json = json_loads(ia_skill_text("", IA_USE_SKILL ".json").p, 0, NULL);
    json_t *names = json_array();
    ia_buf_puts(&text, ia_json_text(kept->json, "description"));
    for (size_t i = 0; i < s->count; i++) {
        const struct skill *skill = &s->list[i];
        ia_buf_printf(&text, "\n%s: %s%s", skill->name, skill->purpose,
                      skill->unavailable.code != IA_OK ? " (not available now)" : "");
        json_array_append_new(names, json_string(skill->name));
    }
    json_t *properties =
        json_object_get(json_object_get(kept->json, "input_schema"), "properties");
    json_object_set_new(json_object_get(properties, "skill"), "enum", names);
    json_object_set_new(kept->json, "description", json_string(ia_buf_cstr(&text)));
    ia_buf_fini(&text);
    return add_tool(kept, t, &def, err);
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Of two skills with a name the model could only read one. */
static enum ia_rc check_name(const struct ia_skills *s, struct ia_err *err)
{
    const char *name = s->list[s->count - 1].name;
    for (size_t i = 0; i + 1 < s->count; i++) {
        if (strcmp(s->list[i].name, name) == 0) {
            return ia_err_set(err, IA_E_CONFIG, "the agent has two skills with the name %s",
                              name);
        }
    }
    return IA_OK;
}

static enum ia_rc open_one(struct ia_skills *s, struct ia_toolset *t, const char *name,
                           struct ia_err *err)
{
    static const struct ia_skill_places nowhere = {NULL, NULL};
    struct ia_buf folder = IA_BUF(4096);
    enum ia_rc rc = ia_skill_find(&nowhere, name, &folder, err);
    if (rc == IA_OK && s->count == SKILLS_MAX) {
        rc = ia_err_set(err, IA_E_LIMIT, "an agent has at most %d skills", SKILLS_MAX);
    }
    if (rc == IA_OK) {
        struct skill *skill = &s->list[s->count++];
        rc = folder.len > 0 ? open_folder(s, t, skill, ia_buf_cstr(&folder), err)
                            : open_builtin(s, t, skill, ia_builtin_skill(name), err);
    }
    ia_buf_fini(&folder);
    return rc == IA_OK ? check_name(s, err) : rc;
}

static bool repeated(const json_t *names, size_t i)
{
    size_t k = 0;
    while (k < i && !json_equal(json_array_get(names, k), json_array_get(names, i))) {
        k++;
    }
    return k < i;
}

enum ia_rc ia_skills_open(const json_t *names, const struct ia_skills_env *env,
                          struct ia_toolset *t, struct ia_skills **ret, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (json_array_size(names) == 0) {
        return IA_OK;
    }
    struct ia_skills *s = *ret = ia_calloc(1, sizeof(*s));
    s->env = *env;
    for (size_t i = 0; rc == IA_OK && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        rc = repeated(names, i) ? IA_OK : open_one(s, t, name ? name : "", err);
    }
    return rc == IA_OK ? add_use_skill(s, t, err) : rc;
}

void ia_skills_free(struct ia_skills *s)
{
    for (size_t i = 0; s && i < s->count; i++) {
        struct skill *skill = &s->list[i];
        if (skill->opened && skill->row->close) {
            skill->row->close(skill->state);
        }
        ia_mcp_tools_free(skill->server);
        ia_manifest_free(skill->manifest);
        json_decref(skill->granted);
    }
    for (size_t i = 0; s && i < s->tool_count; i++) {
        json_decref(s->tools[i].json);
        free(s->tools[i].text);
    }
    free(s);
}
