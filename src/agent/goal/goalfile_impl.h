/* goalfile_impl.h: what the parts of goalfile.h share. Private to src/agent.
 *
 *     goalfile_find.c     from operands to paths
 *     goalfile.c          files to trees; the set
 *     goalfile_check.c    which keys there may be; mistakes with their place
 *     goalfile_resolve.c  from a [[goal]] to a request (goalfile_resolve_impl.h)
 *     goalfile_needs.c    names, needs, groups */
#ifndef IA_AGENT_GOAL_GOALFILE_IMPL_H
#define IA_AGENT_GOAL_GOALFILE_IMPL_H

#include "agent/goal/goalfile.h"
#include "agent/goal/job.h"
#include "agent/goal/vars.h"
#include "base/toml_tree.h"

enum { IA_GOALFILE_MISTAKES_MAX = 16 };

struct ia_goalfile {
    char *path;
    struct ia_toml_node *root;
    struct ia_var *vars; /* of [vars] */
    size_t var_count;
    const char **env_names; /* of env: the environment variables that texts may name */
    size_t env_name_count;
};

/* A [[goal]] with where it came from. */
struct ia_goal_entry {
    const struct ia_goalfile *file;
    const struct ia_toml_node *node;
    int wording, seed; /* from 1 */
};

/* A [steps.NAME]; its name is the node's key. */
struct ia_goal_step {
    const struct ia_goalfile *file;
    const struct ia_toml_node *node;
};

struct ia_goals {
    const struct ia_goal_sources *src;
    struct ia_var *flags; /* of --var */
    size_t flag_count;
    struct ia_err mistakes[IA_GOALFILE_MISTAKES_MAX]; /* in the order of the files */
    size_t mistake_count;
    char **asked; /* names that texts looked for in --var, each once */
    size_t asked_count;
    /* The variables of the goal that is being resolved, with their values (the first, if one has two). */
    struct ia_var filled[IA_JOB_VARS_MAX];
    size_t filled_count;
    bool too_many;
    struct ia_goalfile *files;
    size_t file_count;
    struct ia_goal_entry *entries;
    struct ia_goal *goals; /* as many as entries */
    size_t count;
    struct ia_goal_step *steps;
    size_t step_count;
    void **owned; /* freed with the set */
    size_t owned_count, owned_cap;
};

/* Memory that lives as long as the set. */
void *ia_goals_own(struct ia_goals *set, void *p);

/* Puts "path:line:column: " before the message that err has; the code becomes IA_E_CONFIG. */
void ia_goalfile_place(const struct ia_goalfile *file, unsigned line, unsigned column,
                       struct ia_err *err);
/* The same with a message of its own, at the node's key. */
void ia_goalfile_explain(const struct ia_goalfile *file, const struct ia_toml_node *at,
                         struct ia_err *err, const char *fmt, ...) IA_PRINTF(4, 5);

/* A name of a list like env and secrets: a string that can name an environment variable, and none
 * that is this program's own, such as that of a device's token. */
enum ia_rc ia_goalfile_env_name(const struct ia_goalfile *file, const struct ia_toml_node *n,
                                const char *what, struct ia_err *err);

/* Both as the result of the caller. An expression whose value is in sight, as an analyzer of
 * one file cannot know that a function never returns IA_OK. */
#define ia_goalfile_error_at(...) (ia_goalfile_place(__VA_ARGS__), (enum ia_rc)IA_E_CONFIG)
#define ia_goalfile_invalid(...) (ia_goalfile_explain(__VA_ARGS__), (enum ia_rc)IA_E_CONFIG)

/* What keys a table may have. */
struct ia_goalfile_key {
    const char *name;
    unsigned in;            /* IA_IN_… */
    enum ia_toml_type type; /* INT and REAL may both be given for REAL */
};
enum { IA_IN_GOAL = 1, IA_IN_DEFAULTS = 2, IA_IN_FILE = 4, IA_IN_STEP = 8, IA_IN_BUDGET = 16 };
/* Every key of the table is known there and of the right type; elements of lists are not
 * looked at. */
enum ia_rc ia_goalfile_keys(const struct ia_goalfile *file, const struct ia_toml_node *table,
                            unsigned in, struct ia_err *err);

/* goalfile_find.c: appends paths; *ret is an array of *ret_count strings to be freed. */
enum ia_rc ia_goalfile_find(const char *const *operands, size_t n, char ***ret,
                            size_t *ret_count, struct ia_err *err);
/* goalfile_resolve.c: fills set->goals[i], without needs and group. */
enum ia_rc ia_goalfile_resolve(struct ia_goals *set, size_t i, struct ia_err *err);
/* goalfile_needs.c: names, needs and groups of all goals. */
enum ia_rc ia_goalfile_link(struct ia_goals *set, struct ia_err *err);

#endif
