/* skills.h: the skills of one run: found by the names that its agent has, their tools put into the toolset,
 * and `use_skill`, by which the model reads how to use them.
 *
 *     names of the agent ─► builtin.h ─► tools, in the toolset of the run
 *                                   └──► a line of use_skill's description; instructions on demand
 *
 * What a skill is for costs a line of each request; its instructions cost nothing until they are read. */
#ifndef IA_AGENT_SKILLS_SKILLS_H
#define IA_AGENT_SKILLS_SKILLS_H

#include "agent/toolset/toolset.h"

#define IA_USE_SKILL "use_skill"

struct ia_skills;

/* Opens the skills that a JSON array names and adds their tools, in that order. NULL or empty: none, and
 * nothing is added. IA_E_CONFIG: an unknown name, with the nearest one; a name of a tool that is taken.
 * Free *ret with ia_skills_free, after the toolset; NULL is fine there. One thread. */
enum ia_rc ia_skills_open(const json_t *names, struct ia_toolset *t, struct ia_skills **ret,
                          struct ia_err *err);
void ia_skills_free(struct ia_skills *s);

/* IA_OK where there is a skill with that name; IA_E_CONFIG otherwise, with the nearest one. */
enum ia_rc ia_skill_check_name(const char *name, struct ia_err *err);

#endif
