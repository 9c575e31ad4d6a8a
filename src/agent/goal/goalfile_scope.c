/* goalfile_scope.c: the texts of a goal with their variables filled in, and where a mistake in them stands. */
#include "agent/goal/goalfile_resolve_impl.h"

#include <string.h>

static void note_asked(void *ctx, struct ia_str name)
{
    struct ia_goals *set = ctx;
    for (size_t i = 0; i < set->asked_count; i++) {
        if (ia_str_is(name, set->asked[i])) {
            return;
        }
    }
    set->asked = ia_realloc(set->asked, set->asked_count + 1, sizeof(*set->asked));
    set->asked[set->asked_count++] = ia_strndup(name.p, name.n);
}

static void note_filled(void *ctx, struct ia_str name, struct ia_str value)
{
    struct ia_goals *set = ctx;
    size_t i = 0;
    while (i < set->filled_count && !ia_str_eq(set->filled[i].name, name)) {
        i++;
    }
    set->too_many = set->too_many || i == IA_JOB_VARS_MAX;
    if (i == set->filled_count && i < IA_JOB_VARS_MAX) {
        char *copy = ia_goals_own(set, ia_strndup(value.p, value.n));
        set->filled[set->filled_count++] = (struct ia_var){name, copy, true};
    }
}

const struct ia_vars *ia_resolve_scope(const struct ia_resolving *r, struct ia_resolve_scope *s,
                                       const struct ia_goalfile *file, bool own)
{
    s->file = (struct ia_vars){.items = file->vars,
                               .count = file->var_count,
                               .env_names = file->env_names,
                               .env_name_count = file->env_name_count,
                               .env = r->set->src->env,
                               .filled = note_filled,
                               .ctx = r->set};
    s->goal = (struct ia_vars){.filled = note_filled, .ctx = r->set, .up = &s->file};
    if (own) {
        s->goal.items = r->goal_vars;
        s->goal.count = r->goal_var_count;
    }
    s->flags = (struct ia_vars){.items = r->kept ? r->kept : r->set->flags,
                                .count = r->kept ? r->set->filled_count : r->set->flag_count,
                                .secrets = r->secrets,
                                .secret_count = r->secret_count,
                                .asked = note_asked,
                                .filled = note_filled,
                                .ctx = r->set,
                                .up = &s->goal};
    return &s->flags;
}

const struct ia_toml_node *ia_resolve_pick(const struct ia_resolving *r, const char *key)
{
    const struct ia_toml_node *n = ia_toml_get(r->goal, key);
    return n ? n : ia_toml_get(r->defaults, key);
}

enum ia_rc ia_resolve_told_at(const struct ia_goalfile *file, const struct ia_toml_node *n,
                              struct ia_err *err)
{
    return ia_goalfile_error_at(file, n->at_line, n->at_column, err);
}

enum ia_rc ia_resolve_want_string(const struct ia_goalfile *file, const struct ia_toml_node *n,
                                  const char *what, struct ia_err *err)
{
    return n->type == IA_TOML_STRING
               ? IA_OK
               : ia_goalfile_invalid(file, n, err, "%s must be a string, not %s", what,
                                     n->type_name);
}

enum ia_rc ia_resolve_fill(const struct ia_vars *vars, const struct ia_goalfile *file,
                           const struct ia_toml_node *n, struct ia_buf *out, struct ia_err *err)
{
    enum ia_rc rc = ia_vars_fill(vars, ia_str(n->s), out, err);
    return rc == IA_OK ? IA_OK : ia_resolve_told_at(file, n, err);
}

enum ia_rc ia_resolve_text(const struct ia_resolving *r, const struct ia_toml_node *n,
                           const char *what, size_t max, const char **ret, struct ia_err *err)
{
    struct ia_resolve_scope s;
    struct ia_buf b = IA_BUF(max);
    enum ia_rc rc = ia_resolve_want_string(r->file, n, what, err);
    if (rc == IA_OK) {
        rc = ia_resolve_fill(ia_resolve_scope(r, &s, r->file, true), r->file, n, &b, err);
    }
    if (rc == IA_OK && strspn(ia_buf_cstr(&b), " \t\r\n") == b.len) {
        rc = ia_goalfile_invalid(r->file, n, err, "%s is empty", what);
    }
    if (rc == IA_OK) {
        *ret = ia_goals_own(r->set, ia_buf_steal(&b));
    }
    ia_buf_fini(&b);
    return rc;
}
