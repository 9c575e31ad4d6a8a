/* builtin.h: the skills that are part of this program. */
#ifndef IA_AGENT_SKILLS_BUILTIN_H
#define IA_AGENT_SKILLS_BUILTIN_H

#include "agent/toolset/skill.h"

/* NULL-ended, in the order in which they are listed. */
extern const struct ia_skill *const ia_builtin_skills[];

/* The one with that name, or NULL. */
const struct ia_skill *ia_builtin_skill(const char *name);

/* accessibility.c */
extern const struct ia_skill ia_skill_accessibility;
/* native.c: the phone's own data, by native actions (driver/native.h), and through links. */
extern const struct ia_skill ia_skill_native, ia_skill_shortcuts;

#endif
