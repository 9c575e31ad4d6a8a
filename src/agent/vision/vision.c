/* vision.c: the table of the tools, with texts and schemas of prompts/skills/vision. */
#include "agent/vision/vision_impl.h"

#include "agent/prompts/schema.h"
#include "base/embed.h"

#include <stdlib.h>
#include <string.h>

extern const struct ia_embedded ia_embedded_vision[];

/* 0.1 stays 0.1 (prompts.c). */
enum { REAL_DIGITS = 15, FILE_NAME_MAX = 64 };

static const struct {
    const char *name;
    bool effect, screen;
    ia_tool_call_fn *call; /* NULL: a tool of the other model */
} rows[IA_VISION_FILES] = {
#define ROW(name, effect, screen) {#name, effect, screen, ia_vision_call_##name},
    IA_VISION_TOOLS(ROW)
#undef ROW
    [IA_VISION_LOCATE] = {"locate", false, false, NULL},
    [IA_VISION_ANSWER] = {"answer", false, false, NULL},
};

struct ia_str ia_vision_text(const char *name)
{
    const struct ia_embedded *file = ia_embedded_find(ia_embedded_vision, name);
    return file ? (struct ia_str){file->data, file->size} : (struct ia_str){"", 0};
}

struct ia_str ia_vision_instructions(void)
{
    return ia_vision_text("instructions.md");
}

static enum ia_rc load(struct ia_vision_file *f, const char *tool, struct ia_err *err)
{
    char name[FILE_NAME_MAX];
    (void)snprintf(name, sizeof(name), "%s.json", tool);
    f->tool = json_loads(ia_vision_text(name).p, JSON_REJECT_DUPLICATES, NULL);
    f->text = json_dumps(f->tool, JSON_COMPACT | JSON_PRESERVE_ORDER |
                                      JSON_REAL_PRECISION(REAL_DIGITS));
    const char *said = json_string_value(json_object_get(f->tool, "name"));
    if (!f->text || !said || strcmp(said, tool) != 0) {
        return ia_err_set(err, IA_E_CONFIG, "the built-in skill vision: %s is damaged", name);
    }
    return ia_schema_lint(json_object_get(f->tool, "input_schema"), name, err);
}

enum ia_rc ia_vision_new(struct ia_vision **ret, struct ia_err *err)
{
    struct ia_vision *v = ia_calloc(1, sizeof(*v));
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < IA_VISION_FILES && rc == IA_OK; i++) {
        struct ia_vision_file *f = &v->files[i];
        rc = load(f, rows[i].name, err);
        if (rc == IA_OK && rows[i].call) {
            v->defs[i] = (struct ia_tool_def){.name = rows[i].name,
                                              .skill = "vision",
                                              .json = ia_str(f->text),
                                              .schema = json_object_get(f->tool, "input_schema"),
                                              .has_effect = rows[i].effect,
                                              .screen = rows[i].screen,
                                              .call = rows[i].call,
                                              .ctx = v};
        }
    }
    if (rc != IA_OK) {
        ia_vision_free(v);
        return rc;
    }
    *ret = v;
    return IA_OK;
}

void ia_vision_free(struct ia_vision *v)
{
    for (int i = 0; v && i < IA_VISION_FILES; i++) {
        json_decref(v->files[i].tool);
        free(v->files[i].text);
    }
    if (v) {
        ia_vision_forget(v);
    }
    free(v);
}

const struct ia_tool_def *ia_vision_tools(const struct ia_vision *v, size_t *ret_count)
{
    *ret_count = IA_VISION_TOOL_COUNT;
    return v->defs;
}

enum ia_rc ia_vision_add(struct ia_vision *v, struct ia_toolset *t, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < IA_VISION_TOOL_COUNT && rc == IA_OK; i++) {
        rc = ia_toolset_add(t, &v->defs[i], err);
    }
    return rc;
}
