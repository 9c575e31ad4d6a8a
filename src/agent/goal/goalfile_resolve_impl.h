/* goalfile_resolve_impl.h: what the files share that make a request of a [[goal]].
 *
 *     goalfile_scope.c    texts with their variables
 *     goalfile_steps.c    the goal's text, the steps before it, their secrets
 *     goalfile_resolve.c  all other values, and the order in which they are read */
#ifndef IA_AGENT_GOAL_GOALFILE_RESOLVE_IMPL_H
#define IA_AGENT_GOAL_GOALFILE_RESOLVE_IMPL_H

#include "agent/goal/goalfile_impl.h"
#include "agent/goal/job.h"

/* One goal on its way to a request. */
struct ia_resolving {
    struct ia_goals *set;
    const struct ia_goalfile *file;
    const struct ia_toml_node *goal, *defaults;
    struct ia_goal *out;
    const struct ia_var *kept; /* instead of --var: variables that stay as they are written */
    struct ia_var *goal_vars;
    size_t goal_var_count;
    int wording, seed; /* from 1 */
    const char *secrets[IA_JOB_SECRETS_MAX];
    size_t secret_count;
};

/* The variables that a text of `file` sees: --var, the goal's own where the text is the goal's,
 * the file's, the environment. */
struct ia_resolve_scope {
    struct ia_vars flags, goal, file;
};

/* ---- goalfile_scope.c ---- */

/* Fills *s; own: the goal's variables count, too. Borrows from both. */
const struct ia_vars *ia_resolve_scope(const struct ia_resolving *r, struct ia_resolve_scope *s,
                                       const struct ia_goalfile *file, bool own);
/* The goal's own value, else the default's, else NULL. */
const struct ia_toml_node *ia_resolve_pick(const struct ia_resolving *r, const char *key);
/* Puts the place of the node's value before the message that err has. */
enum ia_rc ia_resolve_told_at(const struct ia_goalfile *file, const struct ia_toml_node *n,
                              struct ia_err *err);
enum ia_rc ia_resolve_want_string(const struct ia_goalfile *file, const struct ia_toml_node *n,
                                  const char *what, struct ia_err *err);
/* Appends the node's text with its variables. */
enum ia_rc ia_resolve_fill(const struct ia_vars *vars, const struct ia_goalfile *file,
                           const struct ia_toml_node *n, struct ia_buf *out,
                           struct ia_err *err);
/* The text of a value of the goal or of the defaults, owned by the set; not empty, at most max bytes. */
enum ia_rc ia_resolve_text(const struct ia_resolving *r, const struct ia_toml_node *n,
                           const char *what, size_t max, const char **ret, struct ia_err *err);

/* ---- goalfile_steps.c ---- */

/* The secrets of the goal and of its steps, which the texts may name: before any text is read. */
enum ia_rc ia_resolve_secrets(struct ia_resolving *r, struct ia_err *err);
/* The goal's text, behind those of the steps that it uses. */
enum ia_rc ia_resolve_goal(struct ia_resolving *r, struct ia_err *err);

#endif
