/* program.h: a call of a skill's tool that is a program.
 *
 *     stdin   {"protocol":1,"skill","tool","input":{…},"run","call","device"}        one object, then its end
 *     stdout  {"text","image"?} or {"error":{"message","hint"?,"outcome"?}}          one object, nothing else
 *     exit    0; anything else is a failure, whatever was written
 *
 * The program runs without a shell, in the skill's folder, in a process group of its own, with a deadline, with
 * caps on what it writes, and with no variable that is not on the list. Whatever it does, the harm is a
 * failed call. docs/skills.md is the contract. */
#ifndef IA_AGENT_SKILLS_PROGRAM_H
#define IA_AGENT_SKILLS_PROGRAM_H

#include "agent/skills/manifest.h"
#include "agent/tools/act.h"
#include "agent/toolset/toolset.h"

enum {
    IA_SKILL_ANSWER_BYTES_MAX = 8 << 20, /* with an image */
    IA_SKILL_ANSWER_DEPTH_MAX = 16,
    IA_SKILL_ANSWER_TEXT_MAX = 32 << 10 /* the rest is cut */
};

/* What a program answered. Texts are cleaned of control characters. */
struct ia_skill_answer {
    struct ia_buf text;
    struct ia_buf png; /* empty: none */
    bool failed;
    char message[512], hint[256];
    enum ia_outcome outcome; /* of a failure; UNKNOWN unless it says otherwise */
};

/* The values of m's secrets in the environment are hidden before anything is cut; m may be NULL. IA_E_PROTO says what is wrong with it. Release *ret with ia_skill_answer_fini in every case. */
enum ia_rc ia_skill_answer_read(const struct ia_manifest *m, struct ia_str text,
                                struct ia_skill_answer *ret, struct ia_err *err);
void ia_skill_answer_fini(struct ia_skill_answer *a);

/* What a call needs of the run. Borrowed. */
struct ia_skill_caller {
    const char *run_id, *device;
    const json_t *granted; /* names of secrets, an array; NULL: none */
};

/* The variables of its programs: "NAME=value", NULL-ended; granted as above. */
enum { IA_SKILL_VARIABLES_MAX = 2 * IA_SKILL_LIST_MAX + 16 };
struct ia_skill_variables {
    char *items[IA_SKILL_VARIABLES_MAX + 1];
    size_t count;
};
void ia_skill_variables_init(struct ia_skill_variables *v, const struct ia_manifest *m,
                             const json_t *granted);
void ia_skill_variables_fini(struct ia_skill_variables *v); /* wipes them */

/* Calls it once. The result is fenced as data. Of the error's outcome, NOT_SENT means that no program
 * was started or that it said so itself. IA_E_FORBIDDEN: the folder is not what it was when it was read.
 * IA_E_TIMEOUT, IA_E_CANCELLED, IA_E_CHILD, IA_E_PROTO, IA_E_LIMIT, IA_E_MISSING, IA_E_FAILED. */
enum ia_rc ia_skill_program_call(const struct ia_manifest *m, const struct ia_skill_program *p,
                                 const struct ia_skill_caller *caller,
                                 const struct ia_tool_env *env, const json_t *input,
                                 struct ia_tool_result *ret, struct ia_err *err);

#endif
