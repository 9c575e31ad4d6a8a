/* skills.h: the skills of one run: found by the names that its agent has, their tools put into the toolset,
 * and `use_skill`, by which the model reads how to use them.
 *
 *     names of the agent ─┬─ builtin.h ───────────────────────┬─► tools, in the toolset of the run
 *                         └─ folder ─► manifest.h ─► trusted? ┘└─► a line of use_skill's description;
 *                                        program.h  server.h          instructions on demand
 *
 * What a skill is for costs a line of each request; its instructions cost nothing until they are read. */
#ifndef IA_AGENT_SKILLS_SKILLS_H
#define IA_AGENT_SKILLS_SKILLS_H

#include "agent/toolset/toolset.h"
#include "base/cancel.h"

#define IA_USE_SKILL "use_skill"

struct ia_skills;

/* What skills get of the run that has them. All borrowed for the life of the skills. */
struct ia_skills_env {
    const struct ia_prompts *prompts;
    const char *run_id, *device;             /* told to programs */
    struct ia_cancel *cancel;                /* of starting a server; may be NULL */
    const char *ca_bundle, *proxy, *version; /* for servers, as in struct ia_mcp_server */
    const char *
        user_config; /* skills beside this file are the user's own and need no trust; or NULL */
    bool allow;      /* nor do any others */
    /* Whether the user trusts a folder with that hash; *ret_granted: the secrets that it may have, a JSON
     * array that the caller releases, or NULL. NULL: none is trusted. */
    enum ia_rc (*trusted)(void *ctx, const char *hash, bool *ret, json_t **ret_granted,
                          struct ia_err *err);
    /* {tool: digest} of the definitions of a server that were accepted earlier, which the caller releases, and
     * to accept more; key is the hash of the skill's folder. Where one fails, the skill has no tools. NULL: each
     * run accepts what it finds. */
    enum ia_rc (*pins)(void *ctx, const char *key, json_t **ret, struct ia_err *err);
    enum ia_rc (*accept)(void *ctx, const char *key, const json_t *pins, struct ia_err *err);
    /* For people: why a server or one of its tools is not there. May be NULL. */
    void (*notice)(void *ctx, struct ia_str line);
    void *ctx;
};

/* Opens the skills that a JSON array names, by name or by absolute folder, and adds their tools, in that
 * order. NULL or empty: none, and nothing is added. IA_E_CONFIG: an unknown name, a mistake in a manifest,
 * a name of a tool that is taken; IA_E_FORBIDDEN: a folder that is not trusted. A server that cannot be
 * started is no error: the skill has no tools then, and use_skill says why. Free *ret, also after an error,
 * with ia_skills_free, after the toolset; NULL is fine there. One thread. */
enum ia_rc ia_skills_open(const json_t *names, const struct ia_skills_env *env,
                          struct ia_toolset *t, struct ia_skills **ret, struct ia_err *err);
void ia_skills_free(struct ia_skills *s);

#endif
