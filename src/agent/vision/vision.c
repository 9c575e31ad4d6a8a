/* vision.c: the row of the skill, and what its tools remember. */
#include "agent/vision/vision_impl.h"

#include "agent/prompts/schema.h"

#include <stdlib.h>
#include <string.h>

/* The tools by which the other model answers; their files lie with those of the skill. */
static const char *const answers[IA_VISION_ANSWERS] = {
    [IA_VISION_LOCATE] = "locate", [IA_VISION_ANSWER] = "answer"};

static enum ia_rc load(struct ia_vision_answer *a, const char *name, struct ia_err *err)
{
    char file[IA_TOOL_NAME_MAX + 8];
    (void)snprintf(file, sizeof(file), "%s.json", name);
    a->tool = json_loads(ia_skill_text(IA_VISION, file).p, JSON_REJECT_DUPLICATES, NULL);
    a->text = json_dumps(a->tool, JSON_COMPACT | JSON_PRESERVE_ORDER);
    const char *said = json_string_value(json_object_get(a->tool, "name"));
    if (!a->text || !said || strcmp(said, name) != 0) {
        return ia_err_set(err, IA_E_CONFIG, "the skill vision: %s is damaged", file);
    }
    return ia_schema_lint(json_object_get(a->tool, "input_schema"), file, err);
}

static void close_vision(void *state)
{
    struct ia_vision *v = state;
    for (int i = 0; i < IA_VISION_ANSWERS; i++) {
        json_decref(v->answers[i].tool);
        free(v->answers[i].text);
    }
    ia_vision_forget(v);
    ia_pixels_fini(&v->known);
    free(v);
}

static enum ia_rc open_vision(void **ret_state, struct ia_err *err)
{
    struct ia_vision *v = ia_calloc(1, sizeof(*v));
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < IA_VISION_ANSWERS && rc == IA_OK; i++) {
        rc = load(&v->answers[i], answers[i], err);
    }
    if (rc != IA_OK) {
        close_vision(v);
        return rc;
    }
    *ret_state = v;
    return IA_OK;
}

static const struct ia_skill_tool tools[] = {
#define ROW(name, effect, screen) {#name, effect, screen, ia_vision_call_##name},
    IA_VISION_TOOLS(ROW)
#undef ROW
        {NULL, false, false, NULL},
};

const struct ia_skill ia_skill_vision = {
    .name = IA_VISION,
    .purpose =
        "sees the screen: canvases, games and apps whose text does not tell what they show",
    .permissions = "sends pictures of the screen to the model, touches points of the screen",
    .tools = tools,
    .open = open_vision,
    .close = close_vision,
};
