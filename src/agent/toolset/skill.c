/* skill.c: the texts of skills, compiled in. */
#include "agent/toolset/skill.h"

#include "base/embed.h"

#include <stdio.h>

extern const struct ia_embedded ia_embedded_skills[];

enum { PATH_BYTES_MAX = 160 };

struct ia_str ia_skill_text(const char *skill, const char *file)
{
    char path[PATH_BYTES_MAX];
    (void)snprintf(path, sizeof(path), "%s%s%s", skill, skill[0] ? "/" : "", file);
    const struct ia_embedded *e = ia_embedded_find(ia_embedded_skills, path);
    return e ? (struct ia_str){e->data, e->size} : (struct ia_str){"", 0};
}
