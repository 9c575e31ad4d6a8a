/* builtin.c: the table of built-in skills. A new one is a line here and its folder in prompts/skills. */
#include "agent/skills/builtin.h"

#include "agent/vision/vision.h"

#include <string.h>

const struct ia_skill *const ia_builtin_skills[] = {
    &ia_skill_accessibility, &ia_skill_native, &ia_skill_shortcuts, &ia_skill_vision, NULL,
};

const struct ia_skill *ia_builtin_skill(const char *name)
{
    size_t i = 0;
    while (ia_builtin_skills[i] && strcmp(ia_builtin_skills[i]->name, name) != 0) {
        i++;
    }
    return ia_builtin_skills[i];
}
