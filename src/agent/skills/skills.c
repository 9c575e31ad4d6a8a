/* skills.c: a run's skills, from their names to the tools in its toolset. */
#include "agent/skills/skills.h"

#include "agent/prompts/schema.h"
#include "agent/skills/builtin.h"
#include "agent/tools/act.h"
#include "base/suggest.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* 0.1 stays 0.1 (agent/prompts/prompts.c). */
enum { REAL_DIGITS = 15, FILE_NAME_MAX = 96, SKILLS_MAX = 32 };

/* A tool that was read: what its definition in the toolset borrows from. */
struct tool {
    json_t *json;
    char *text; /* one line */
};

struct skill {
    const struct ia_skill *row;
    void *state;
    bool opened;
};

struct ia_skills {
    struct skill list[SKILLS_MAX];
    size_t count;
    struct tool tools[IA_TOOLS_MAX];
    size_t tool_count;
};

/* ---- names ------------------------------------------------------------------------------- */

enum ia_rc ia_skill_check_name(const char *name, struct ia_err *err)
{
    const char *names[SKILLS_MAX];
    size_t n = 0;
    if (ia_builtin_skill(name)) {
        return IA_OK;
    }
    for (; ia_builtin_skills[n] && n < SKILLS_MAX; n++) {
        names[n] = ia_builtin_skills[n]->name;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "there is no skill %.80s", name);
    const char *near = ia_nearest(ia_str(name), names, n);
    ia_err_hint(err, "%s %s", near ? "did you mean" : "there is", near ? near : names[0]);
    return rc;
}

/* ---- tools ------------------------------------------------------------------------------- */

/* Checks a definition, keeps it and adds it; def has all but its texts. Takes json over. */
static enum ia_rc add_tool(struct ia_skills *s, struct ia_toolset *t, struct ia_tool_def *def,
                           json_t *json, struct ia_err *err)
{
    struct tool *kept = &s->tools[s->tool_count];
    if (s->tool_count == IA_TOOLS_MAX) {
        json_decref(json);
        return ia_err_set(err, IA_E_LIMIT, "the skills have more than %d tools", IA_TOOLS_MAX);
    }
    s->tool_count++;
    *kept = (struct tool){.json = json,
                          .text = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER |
                                                       JSON_REAL_PRECISION(REAL_DIGITS))};
    def->json = ia_str(kept->text);
    def->schema = json_object_get(json, "input_schema");
    const char *name = json_string_value(json_object_get(json, "name"));
    if (!kept->text || !name || strcmp(name, def->name) != 0 ||
        !json_is_string(json_object_get(json, "description"))) {
        return ia_err_set(err, IA_E_CONFIG, "the tool %s of skill %s is damaged", def->name,
                          def->skill ? def->skill : "");
    }
    enum ia_rc rc = ia_schema_lint(def->schema, def->name, err);
    return rc == IA_OK ? ia_toolset_add(t, def, err) : rc;
}

static enum ia_rc open_builtin(struct ia_skills *s, struct ia_toolset *t,
                               const struct ia_skill *row, struct ia_err *err)
{
    struct skill *skill = &s->list[s->count++];
    *skill = (struct skill){.row = row};
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
        json_t *json =
            json_loads(ia_skill_text(row->name, file).p, JSON_REJECT_DUPLICATES, NULL);
        rc = add_tool(s, t, &def, json, err);
    }
    return rc;
}

/* ---- use_skill --------------------------------------------------------------------------- */

static enum ia_rc use_skill(void *ctx, const struct ia_tool_env *env, const json_t *input,
                            struct ia_tool_result *ret, struct ia_err *err)
{
    const struct ia_skills *s = ctx;
    const char *name = ia_json_text(input, "skill");
    (void)env;
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_skill *row = s->list[i].row;
        if (strcmp(row->name, name) == 0) {
            ia_buf_putc(&ret->text, '\n');
            ia_buf_putstr(&ret->text, ia_skill_text(row->name, "instructions.md"));
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
    json_t *json = json_loads(ia_skill_text("", IA_USE_SKILL ".json").p, 0, NULL);
    json_t *names = json_array();
    ia_buf_puts(&text, ia_json_text(json, "description"));
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_skill *row = s->list[i].row;
        ia_buf_printf(&text, "\n%s: %s", row->name, row->purpose);
        json_array_append_new(names, json_string(row->name));
    }
    json_t *properties = json_object_get(json_object_get(json, "input_schema"), "properties");
    json_object_set_new(json_object_get(properties, "skill"), "enum", names);
    json_object_set_new(json, "description", json_string(ia_buf_cstr(&text)));
    ia_buf_fini(&text);
    return add_tool(s, t, &def, json, err);
}

/* ---- opening ----------------------------------------------------------------------------- */

static bool opened(const struct ia_skills *s, const char *name)
{
    size_t i = 0;
    while (i < s->count && strcmp(s->list[i].row->name, name) != 0) {
        i++;
    }
    return i < s->count;
}

static enum ia_rc open_all(struct ia_skills *s, const json_t *names, struct ia_toolset *t,
                           struct ia_err *err)
{
    size_t i;
    const json_t *item;
    json_array_foreach((json_t *)(uintptr_t)names, i, item)
    {
        const char *name = json_is_string(item) ? json_string_value(item) : "";
        if (opened(s, name)) {
            continue;
        }
        enum ia_rc rc = ia_skill_check_name(name, err);
        if (rc == IA_OK && s->count == SKILLS_MAX) {
            rc = ia_err_set(err, IA_E_LIMIT, "an agent has at most %d skills", SKILLS_MAX);
        }
        if (rc == IA_OK) {
            rc = open_builtin(s, t, ia_builtin_skill(name), err);
        }
        if (rc != IA_OK) {
            return rc;
        }
    }
    return add_use_skill(s, t, err);
}

enum ia_rc ia_skills_open(const json_t *names, struct ia_toolset *t, struct ia_skills **ret,
                          struct ia_err *err)
{
    if (json_array_size(names) == 0) {
        return IA_OK;
    }
    *ret = ia_calloc(1, sizeof(**ret));
    return open_all(*ret, names, t, err);
}

void ia_skills_free(struct ia_skills *s)
{
    for (size_t i = 0; s && i < s->count; i++) {
        struct skill *skill = &s->list[i];
        if (skill->opened && skill->row->close) {
            skill->row->close(skill->state);
        }
    }
    for (size_t i = 0; s && i < s->tool_count; i++) {
        json_decref(s->tools[i].json);
        free(s->tools[i].text);
    }
    free(s);
}
