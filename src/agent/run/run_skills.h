/* run_skills.h: the skills of a run's agent. Private to src/agent. */
#ifndef IA_AGENT_RUN_RUN_SKILLS_H
#define IA_AGENT_RUN_RUN_SKILLS_H

#include "agent/loop/run_ctx.h"

/* Opens them into texts.skills and adds their tools to texts.tools (ia_skills_open). */
enum ia_rc ia_run_skills_open(struct ia_run_ctx *run, struct ia_err *err);

#endif
