/* recording.c: the parts of a recording in memory. */
#include "agent/recording/recording.h"

#include "json/json.h"

#include <string.h>

size_t ia_recording_count(const json_t *recording)
{
    return json_array_size(json_object_get(recording, "step"));
}

const json_t *ia_recording_step(const json_t *recording, size_t i)
{
    return json_array_get(json_object_get(recording, "step"), i);
}

enum ia_tool ia_recording_act(const json_t *step)
{
    return ia_tool_from_name(ia_str(ia_json_text(step, "act")));
}

static int number(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

bool ia_recording_target(const json_t *step, struct ia_signature *ret)
{
    const json_t *target = json_object_get(step, "target");
    *ret = (struct ia_signature){0};
    if (!target) {
        return false;
    }
    *ret = (struct ia_signature){.role = ia_role_from_name(ia_json_field(target, "role")),
                                 .on = IA_UNSET,
                                 .nth = number(target, "nth"),
                                 .of = number(target, "of"),
                                 .alike = number(target, "alike")};
    for (size_t i = 0; i < IA_SIGN_COUNT; i++) {
        ret->text[i] = ia_strdup(json_string_value(json_object_get(target, ia_sign_names[i])));
    }
    while (ret->on < IA_MIXED &&
           strcmp(ia_json_text(target, "on"), ia_tristate_names[ret->on]) != 0) {
        ret->on++;
    }
    return true;
}

void ia_recording_put_target(struct ia_jsonw *w, const struct ia_signature *sig)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "role", ia_role_name((enum ia_role)sig->role));
    for (size_t i = 0; i < IA_SIGN_COUNT; i++) {
        if (sig->text[i]) {
            ia_jsonw_kv(w, ia_sign_names[i], sig->text[i]);
        }
    }
    if (sig->on != IA_UNSET) {
        ia_jsonw_kv(w, "on", ia_tristate_names[sig->on]);
    }
    ia_jsonw_kv_int(w, "nth", sig->nth);
    ia_jsonw_kv_int(w, "of", sig->of);
    ia_jsonw_kv_int(w, "alike", sig->alike);
    ia_jsonw_end_object(w);
}
