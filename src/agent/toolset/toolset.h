/* toolset.h: the tools of one run.
 *
 *     IA_TOOL_LIST (prompts.h)      tools of the device, known by number     act.c
 *     struct ia_tool_def            all others: of skills, of this program   a function each
 *
 * A run without an agent has the tools of the device. An agent's list may leave some of them out and
 * name others: tools of this program (fetch_url, web_search) and, by its skills,
 * tools that come with a skill. To the model they are all the same, and so are journal, budget, policy
 * and report: only what a call does differs.
 *
 * The order of a toolset depends only on what was added in which order, as the list is part of
 * every request and of its cache. A toolset belongs to one run; a definition that it borrows may be
 * shared by any number of them. */
#ifndef IA_AGENT_TOOLSET_TOOLSET_H
#define IA_AGENT_TOOLSET_TOOLSET_H

#include "agent/prompts/prompts.h"

struct ia_tool_env;    /* agent/tools/act.h */
struct ia_tool_result; /* likewise */
struct ia_toolset;

/* "A-Z a-z 0-9 _ -", as the Messages API wants it. */
enum { IA_TOOL_NAME_MAX = 64, IA_TOOLS_MAX = 128 };
#define IA_TOOLS_BYTES_MAX ((size_t)256 << 10) /* of the list in a request */

/* Does one call, at most once. input was checked against the schema, where there is one; it is the
 * model's and untrusted all the same. Writes what the model is told into ret->text, fenced where it
 * comes from outside (fence.h), and beginning with a line end. On failure err->outcome says
 * whether an effect may have happened: IA_OUTCOME_NOT_SENT only where that is sure. Waits end by
 * env->limit. Called on the run's thread. */
typedef enum ia_rc ia_tool_call_fn(void *ctx, const struct ia_tool_env *env,
                                   const json_t *input, struct ia_tool_result *ret,
                                   struct ia_err *err);

/* A tool that is not in IA_TOOL_LIST. All borrowed. */
struct ia_tool_def {
    const char *name;   /* unique in a toolset */
    const char *skill;  /* the skill that it belongs to; NULL: this program */
    struct ia_str json; /* as it goes into the request, on one line */
    const json_t
        *schema; /* checked with agent/prompts/schema.h; NULL: call checks its input itself */
    bool has_effect; /* false: harmless to repeat, so the journal repeats it after a crash */
    /* Where has_effect is true of some inputs alone: whether it is of this one, an object that was not
     * checked. What it does not know has one. NULL: of all. */
    bool (*acts)(const struct ia_tool_def *def, const json_t *input);
    bool
        resumes; /* with an effect, yet made again after a crash: it finds what it began by env->call */
    bool serves; /* true: the service does it (a server tool): there is never a call of ours */
    bool screen; /* true: what it does shows on the device, so it is judged for going in circles
                        and tells what changed, as the device's own tools are */
    bool answers;   /* what it tells is news, also where the screen stays as it is */
    int64_t max_ms; /* that a call may take; less than that of the device's tools: theirs */
    ia_tool_call_fn *call; /* NULL where the service does it */
    void *ctx;             /* for call */
};

/* prompts is borrowed for the toolset's life. Free with ia_toolset_free; NULL is fine. */
struct ia_toolset *ia_toolset_new(const struct ia_prompts *prompts);
void ia_toolset_free(struct ia_toolset *t);

/* The tools of the device that the model may use. names: JSON array, as the agent's row has it; NULL, or
 * with the word "default" in it: all of them. finish and snapshot are always there. Without this
 * call: all. */
#define IA_TOOLS_DEFAULT "default"
void ia_toolset_limit(struct ia_toolset *t, const json_t *names);
/* Takes one of them out. */
void ia_toolset_drop(struct ia_toolset *t, enum ia_tool tool);
/* Whether a JSON array of names has that one. */
bool ia_tools_named(const json_t *names, const char *tool);
/* IA_E_CONFIG for a name that is taken or not allowed, IA_E_LIMIT beyond the caps. */
enum ia_rc ia_toolset_add(struct ia_toolset *t, const struct ia_tool_def *def,
                          struct ia_err *err);

/* How many were added. */
size_t ia_toolset_added(const struct ia_toolset *t);
/* Whether the device's tool is there. */
bool ia_toolset_has(const struct ia_toolset *t, enum ia_tool tool);
/* The definition with that name, or NULL: unknown, or a tool of the device. */
const struct ia_tool_def *ia_toolset_find(const struct ia_toolset *t, struct ia_str name);
/* The JSON array for a request. Valid until the next add. */
struct ia_str ia_toolset_json(struct ia_toolset *t);
/* Whether the call may change something. */
bool ia_tool_def_acts(const struct ia_tool_def *def, const json_t *input);
/* As ia_prompts_check_input, for a definition. IA_E_USAGE. */
enum ia_rc ia_tool_def_check(const struct ia_tool_def *def, const json_t *input,
                             struct ia_err *err);

#endif
