/* prompts.h: the texts and tool schemas that the model is given, and strict checks of what it
 * sends back.
 *
 * They are the files of prompts/, compiled in, or those of a folder that the user names:
 * system.md, verifier.md, verdict.json, planner.md, plan.json, delegate.json, notes.json (what the loop says in between) and
 * tools/NAME.json for every tool. A tool file is the
 * tool object of the Messages API: {"name","description","input_schema"}. Read-only after
 * opening and then shared by any number of threads. */
#ifndef IA_AGENT_PROMPTS_PROMPTS_H
#define IA_AGENT_PROMPTS_PROMPTS_H

#include "base/buf.h"
#include "base/err.h"

#include <jansson.h>

/* X(enum, "name", has an effect on the device) in the order of the request. */
#define IA_TOOL_LIST(X)                                                                        \
    X(IA_TOOL_SNAPSHOT, "snapshot", false)                                                     \
    X(IA_TOOL_SCREENSHOT, "screenshot", false)                                                 \
    X(IA_TOOL_TAP, "tap", true)                                                                \
    X(IA_TOOL_LONG_PRESS, "long_press", true)                                                  \
    X(IA_TOOL_TYPE_TEXT, "type_text", true)                                                    \
    X(IA_TOOL_CLEAR_TEXT, "clear_text", true)                                                  \
    X(IA_TOOL_SWIPE, "swipe", true)                                                            \
    X(IA_TOOL_SCROLL_TO, "scroll_to", true)                                                    \
    X(IA_TOOL_PRESS_BUTTON, "press_button", true)                                              \
    X(IA_TOOL_BACK, "back", true)                                                              \
    X(IA_TOOL_WAIT_FOR, "wait_for", false)                                                     \
    X(IA_TOOL_LAUNCH_APP, "launch_app", true)                                                  \
    X(IA_TOOL_TERMINATE_APP, "terminate_app", true)                                            \
    X(IA_TOOL_OPEN_URL, "open_url", true)                                                      \
    X(IA_TOOL_ALERT, "alert", true)                                                            \
    X(IA_TOOL_REMEMBER, "remember", false)                                                     \
    X(IA_TOOL_FINISH, "finish", false)

enum ia_tool {
#define IA_TOOL_ENUM(code, name, effect) code,
    IA_TOOL_LIST(IA_TOOL_ENUM)
#undef IA_TOOL_ENUM
        IA_TOOL_COUNT
};

/* X(enum, "key in notes.json") */
#define IA_NOTE_LIST(X)                                                                        \
    X(IA_NOTE_CONTINUE, "continue")                                                            \
    X(IA_NOTE_SECRETS, "secrets")                                                              \
    X(IA_NOTE_STEPS_LOW, "steps_low")                                                          \
    X(IA_NOTE_STEPS_USED, "steps_used")                                                        \
    X(IA_NOTE_FINISH_ONCE, "finish_once")                                                      \
    X(IA_NOTE_TURN_FULL, "turn_full")                                                          \
    X(IA_NOTE_RUN_OVER, "run_over")                                                            \
    X(IA_NOTE_RESUMED, "resumed")                                                              \
    X(IA_NOTE_OUTCOME_UNKNOWN, "outcome_unknown")                                              \
    X(IA_NOTE_NOT_MADE, "not_made")                                                            \
    X(IA_NOTE_UNKNOWN_TOOL, "unknown_tool")                                                    \
    X(IA_NOTE_STUCK_NUDGE, "stuck_nudge")                                                      \
    X(IA_NOTE_STUCK_DEMAND, "stuck_demand")                                                    \
    X(IA_NOTE_STUCK_REFUSED, "stuck_refused")                                                  \
    X(IA_NOTE_LEFT_APP, "left_app")                                                            \
    X(IA_NOTE_FINISH_REFUSED, "finish_refused")                                                \
    X(IA_NOTE_FINISH_AGAIN, "finish_again")                                                    \
    X(IA_NOTE_EVIDENCE_EMPTY, "evidence_empty")                                                \
    X(IA_NOTE_QUOTE_TRIVIAL, "quote_trivial")                                                  \
    X(IA_NOTE_QUOTE_ABSENT, "quote_absent")                                                    \
    X(IA_NOTE_QUOTE_NOT_IN_STEP, "quote_not_in_step")                                          \
    X(IA_NOTE_QUOTE_NO_STEP, "quote_no_step")                                                  \
    X(IA_NOTE_EXPECT_ABSENT, "expect_absent")                                                  \
    X(IA_NOTE_OTHER_APP, "other_app")                                                          \
    X(IA_NOTE_RELAUNCHED, "relaunched")                                                        \
    X(IA_NOTE_VERIFIER_DISAGREES, "verifier_disagrees")                                        \
    X(IA_NOTE_HEAL, "heal")                                                                    \
    X(IA_NOTE_HEAL_REFUSED, "heal_refused")                                                    \
    X(IA_NOTE_ROLE, "role")                                                                    \
    X(IA_NOTE_DATA, "data")                                                                    \
    X(IA_NOTE_PLAN, "plan")                                                                    \
    X(IA_NOTE_PLAN_AGAIN, "plan_again")                                                        \
    X(IA_NOTE_SKILL, "skill")                                                                  \
    X(IA_NOTE_SERVER_TOOL, "server_tool")                                                      \
    X(IA_NOTE_LAST_PICTURE, "last_picture")                                                    \
    X(IA_NOTE_POLICY_DENIED, "policy_denied")                                                  \
    X(IA_NOTE_PERSON_DENIED, "person_denied")                                                  \
    X(IA_NOTE_SUSPICIOUS, "suspicious")                                                        \
    X(IA_NOTE_COMPACT, "compact")                                                              \
    X(IA_NOTE_COMPACTED, "compacted")                                                          \
    X(IA_NOTE_SUBTASKS_OVER, "subtasks_over")                                                  \
    X(IA_NOTE_SUBTASK_OPEN, "subtask_open")                                                    \
    X(IA_NOTE_VERDICT, "verdict")

enum ia_note {
#define IA_NOTE_ENUM(code, key) code,
    IA_NOTE_LIST(IA_NOTE_ENUM)
#undef IA_NOTE_ENUM
        IA_NOTE_COUNT
};

const char *ia_tool_name(enum ia_tool tool);
/* The tool with that name, or IA_TOOL_COUNT. */
enum ia_tool ia_tool_from_name(struct ia_str name);
bool ia_tool_has_effect(enum ia_tool tool);

struct ia_prompts;

enum { IA_PROMPT_BYTES_MAX = 64 << 10 };

/* dir NULL: the built-in prompts. IA_E_CONFIG with the path for a folder that cannot be read, a
 * missing or empty file, or a tool file that is not what it should be. Free with
 * ia_prompts_free. */
enum ia_rc ia_prompts_open(const char *dir, struct ia_prompts **ret, struct ia_err *err);
void ia_prompts_free(struct ia_prompts *p); /* NULL is fine */

/* All borrowed. */
struct ia_str ia_prompts_system(const struct ia_prompts *p);
struct ia_str ia_prompts_verifier(const struct ia_prompts *p);
/* JSON of one tool, on one line, as it goes into the request. */
struct ia_str ia_prompts_tool(const struct ia_prompts *p, enum ia_tool tool);
/* A JSON array of all of them. */
struct ia_str ia_prompts_tools(const struct ia_prompts *p);
const char *ia_prompts_note(const struct ia_prompts *p, enum ia_note note);
/* The tool that gives subtasks to other agents, without the names of agents and devices. */
const json_t *ia_prompts_delegate_tool(const struct ia_prompts *p);
/* The verifier's one tool. */
struct ia_str ia_prompts_verdict_tool(const struct ia_prompts *p);
/* What a plan is asked for with, and the tool that gives it. */
struct ia_str ia_prompts_planner(const struct ia_prompts *p);
struct ia_str ia_prompts_plan_tool(const struct ia_prompts *p);

/* Checks a tool's input against its schema: unknown, missing and wrongly typed fields, lengths,
 * ranges and enum values. The input is untrusted. IA_E_USAGE has a text for the model: what is
 * wrong, what is near, which fields there are. */
enum ia_rc ia_prompts_check_input(const struct ia_prompts *p, enum ia_tool tool,
                                  const json_t *input, struct ia_err *err);
/* The same for any tool: name is the tool's, for the message; schema may be NULL: only size and depth
 * are checked. */
enum ia_rc ia_prompts_check_any(const char *name, const json_t *schema, const json_t *input,
                                struct ia_err *err);
enum ia_rc ia_prompts_check_verdict(const struct ia_prompts *p, const json_t *input,
                                    struct ia_err *err);
enum ia_rc ia_prompts_check_plan(const struct ia_prompts *p, const json_t *input,
                                 struct ia_err *err);

/* The ref that a tool's input names, 0 without one. A number that no session reaches gives
 * UINT32_MAX, which was never given out either. input need not be checked. */
#define IA_TOOL_REF_KEY "ref"
uint32_t ia_tool_ref(const json_t *input);

#endif
