/* skill.h: a skill that is part of this program: tools, and how to use them.
 *
 *     one row ─► tools of a run's toolset (agent/skills/skills.h)
 *            └─► instructions, read by the model when it asks for them
 *
 * Its texts are the files of prompts/skills/NAME, compiled in: instructions.md, and TOOL.json for each of
 * its tools, a tool object of the Messages API. It may have further files for itself. */
#ifndef IA_AGENT_TOOLSET_SKILL_H
#define IA_AGENT_TOOLSET_SKILL_H

#include "agent/toolset/toolset.h"

struct ia_skill_tool {
    const char *name;        /* its file is NAME.json */
    bool has_effect, screen; /* as in struct ia_tool_def */
    ia_tool_call_fn *call;   /* ctx is the skill's state */
};

struct ia_skill {
    const char *name;    /* as an agent names it, and its folder in prompts/skills */
    const char *purpose; /* what it is for: one short sentence, for the model and for people */
    const char *permissions; /* what it may do beyond the device's tools, for people */
    const struct ia_skill_tool *tools; /* ended by one without a name */
    /* As in struct ia_tool_def, for its tools with an effect. NULL: all their calls have one. */
    bool (*acts)(const struct ia_tool_def *def, const json_t *input);
    /* What it remembers during a run; called before its first tool is. Both NULL: nothing. */
    enum ia_rc (*open)(void **ret_state, struct ia_err *err);
    void (*close)(void *state);
};

/* A file of prompts/skills/SKILL, ended by a NUL; empty where there is none. */
struct ia_str ia_skill_text(const char *skill, const char *file);

#endif
