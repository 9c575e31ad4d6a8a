/* goalfile.c: reads goal files into one set.
 *
 *     paths ─► trees ─► [[goal]] and [steps] entries ─► requests ─► needs and groups
 *     find     here      here                          resolve     needs
 *
 * Mistakes are collected, one for each table of each file, and reported together; the second pass runs
 * only where the first found none.
 *
 * Nothing is resolved before all files are read, since a goal may use a step of any of them.
 * Nodes are borrowed from each file's tree, which the set keeps until it is freed; texts
 * that are made are owned by the set (ia_goals_own). */
#include "agent/goal/goalfile_impl.h"

#include "base/fd.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

/* ---- one file ---------------------------------------------------------------------------- */

static enum ia_rc read_vars(struct ia_goalfile *file, struct ia_err *err)
{
    const struct ia_toml_node *table = ia_toml_get(file->root, "vars");
    if (!table || !table->first) {
        return IA_OK;
    }
    file->vars = ia_calloc(table->count, sizeof(*file->vars));
    for (const struct ia_toml_node *n = table->first; n; n = n->next) {
        if (!n->key || !ia_var_name_ok(ia_str(n->key))) {
            return ia_goalfile_invalid(file, n, err,
                                       "a variable's name may contain A-Z a-z 0-9 _ - .");
        }
        if (n->type != IA_TOML_STRING) {
            return ia_goalfile_invalid(file, n, err, "%s must be a string, not %s", n->key,
                                       n->type_name);
        }
        file->vars[file->var_count++] = (struct ia_var){ia_str(n->key), n->s, false};
    }
    return IA_OK;
}

static enum ia_rc read_env(struct ia_goalfile *file, struct ia_err *err)
{
    const struct ia_toml_node *list = ia_toml_get(file->root, "env");
    enum ia_rc rc = IA_OK;
    if (list && list->count > IA_GOALFILE_LIST_MAX) {
        return ia_goalfile_invalid(file, list, err, "env has more than %d entries",
                                   IA_GOALFILE_LIST_MAX);
    }
    file->env_names = ia_calloc((list ? list->count : 0) + 1, sizeof(*file->env_names));
    for (const struct ia_toml_node *n = list ? list->first : NULL; n && rc == IA_OK;
         n = n->next) {
        rc = ia_goalfile_env_name(file, n, "a variable in env", err);
        file->env_names[file->env_name_count++] = n->s;
    }
    return rc;
}

static enum ia_rc same_step(const struct ia_goal_step *old, const struct ia_goalfile *file,
                            const struct ia_toml_node *n, struct ia_err *err)
{
    return ia_goalfile_invalid(file, n, err, "the step \"%.60s\" is already in %s:%u", n->key,
                               old->file->path, old->node->line);
}

static enum ia_rc read_step(struct ia_goals *set, const struct ia_goalfile *file,
                            const struct ia_toml_node *n, struct ia_err *err)
{
    if (n->type != IA_TOML_TABLE || !n->key || n->key[0] == '\0') {
        return ia_goalfile_invalid(file, n, err, "a step must be a section [steps.NAME]");
    }
    /* Steps of all files share one space of names. */
    for (size_t i = 0; i < set->step_count; i++) {
        if (strcmp(set->steps[i].node->key, n->key) == 0) {
            return same_step(&set->steps[i], file, n, err);
        }
    }
    enum ia_rc rc = ia_goalfile_keys(file, n, IA_IN_STEP, err);
    if (rc == IA_OK && !ia_toml_get(n, "goal")) {
        rc = ia_goalfile_invalid(file, n, err, "the step \"%.60s\" has no goal", n->key);
    }
    if (rc == IA_OK) {
        set->steps = ia_realloc(set->steps, set->step_count + 1, sizeof(*set->steps));
        set->steps[set->step_count++] = (struct ia_goal_step){file, n};
    }
    return rc;
}

static enum ia_rc read_goal(struct ia_goals *set, const struct ia_goalfile *file,
                            const struct ia_toml_node *n, struct ia_err *err)
{
    if (n->type != IA_TOML_TABLE) {
        return ia_goalfile_invalid(file, n, err, "a goal must be a section [[goal]], not %s",
                                   n->type_name);
    }
    enum ia_rc rc = ia_goalfile_keys(file, n, IA_IN_GOAL, err);
    if (rc != IA_OK) {
        return rc;
    }
    const struct ia_toml_node *more = ia_toml_get(n, "wordings");
    int seeds = set->src->seeds > 1 ? set->src->seeds : 1;
    int first = set->src->first_seed > 1 ? set->src->first_seed : 1;
    int wordings = set->src->wordings > 1 ? set->src->wordings : 1;
    int there = 1 + (int)(more ? more->count : 0);
    wordings = wordings < there ? wordings : there;
    size_t total = (size_t)seeds * (size_t)wordings;
    if (set->count + total > IA_GOALFILE_GOALS_MAX) {
        return ia_goalfile_invalid(file, n, err, "there are more than %d goals",
                                   IA_GOALFILE_GOALS_MAX);
    }
    set->entries = ia_realloc(set->entries, set->count + total, sizeof(*set->entries));
    for (int i = 0; i < (int)total; i++) {
        set->entries[set->count++] =
            (struct ia_goal_entry){file, n, 1 + i / seeds, first + i % seeds};
    }
    return IA_OK;
}

/* Keeps a mistake and goes on to the next table. */
static void note(struct ia_goals *set, enum ia_rc rc, const struct ia_err *mistake)
{
    if (rc != IA_OK && set->mistake_count < IA_GOALFILE_MISTAKES_MAX) {
        set->mistakes[set->mistake_count++] = *mistake;
    }
}

static enum ia_rc mistakes(const struct ia_goals *set, struct ia_err *err)
{
    if (set->mistake_count == 0) {
        return IA_OK;
    }
    ia_err_join(err, set->mistakes, set->mistake_count);
    return set->mistakes[0].code;
}

static void read_children(struct ia_goals *set, const struct ia_goalfile *file, const char *key,
                          enum ia_rc (*read)(struct ia_goals *, const struct ia_goalfile *,
                                             const struct ia_toml_node *, struct ia_err *))
{
    const struct ia_toml_node *list = ia_toml_get(file->root, key);
    struct ia_err err;
    for (const struct ia_toml_node *n = list ? list->first : NULL; n; n = n->next) {
        note(set, read(set, file, n, &err), &err);
    }
}

/* The tables of a file whose own keys are right. */
static void read_tree(struct ia_goals *set, struct ia_goalfile *file)
{
    const struct ia_toml_node *defaults = ia_toml_get(file->root, "defaults");
    struct ia_err err;
    enum ia_rc rc = ia_goalfile_keys(file, file->root, IA_IN_FILE, &err);
    note(set, rc, &err);
    if (rc != IA_OK) {
        return;
    }
    if (defaults) {
        note(set, ia_goalfile_keys(file, defaults, IA_IN_DEFAULTS, &err), &err);
    }
    note(set, read_vars(file, &err), &err);
    note(set, read_env(file, &err), &err);
    read_children(set, file, "steps", read_step);
    read_children(set, file, "goal", read_goal);
}

static enum ia_rc read_text(struct ia_goals *set, struct ia_goalfile *file, struct ia_str text,
                            struct ia_err *err)
{
    unsigned line = 0, column = 0;
    enum ia_rc rc = ia_toml_parse(text, &file->root, &line, &column, err);
    if (rc != IA_OK) {
        return ia_goalfile_error_at(file, line, column, err);
    }
    read_tree(set, file);
    return IA_OK;
}

static enum ia_rc read_file(struct ia_goals *set, struct ia_goalfile *file, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_TOML_BYTES_MAX);
    enum ia_rc rc = ia_file_read(file->path, &text, err);
    if (rc == IA_OK) {
        rc = read_text(set, file, ia_buf_str(&text), err);
    } else if (rc == IA_E_LIMIT) {
        rc = ia_err_set(err, IA_E_CONFIG, "%s: larger than %d bytes", file->path,
                        IA_TOML_BYTES_MAX);
    }
    ia_buf_fini(&text);
    return rc;
}

/* ---- the set ----------------------------------------------------------------------------- */

static enum ia_rc read_flags(struct ia_goals *set, struct ia_err *err)
{
    const struct ia_goal_sources *src = set->src;
    set->flags = ia_calloc(src->var_count + 1, sizeof(*set->flags));
    for (size_t i = 0; i < src->var_count; i++) {
        const char *equals = strchr(src->vars[i], '=');
        struct ia_str name = {src->vars[i], equals ? (size_t)(equals - src->vars[i]) : 0};
        if (!ia_var_name_ok(name)) {
            enum ia_rc rc =
                ia_err_set(err, IA_E_USAGE, "--var %.100s is not NAME=VALUE", src->vars[i]);
            ia_err_hint(err, "a name may contain A-Z a-z 0-9 _ - .");
            return rc;
        }
        set->flags[set->flag_count++] = (struct ia_var){name, equals + 1, true};
    }
    return IA_OK;
}

static bool was_asked(const struct ia_goals *set, struct ia_str name)
{
    for (size_t i = 0; i < set->asked_count; i++) {
        if (ia_str_is(name, set->asked[i])) {
            return true;
        }
    }
    return false;
}

/* A --var that no text looks for is misspelt, and the run would be another than the one meant. */
static enum ia_rc check_flags(const struct ia_goals *set, struct ia_err *err)
{
    for (size_t i = 0; i < set->flag_count; i++) {
        struct ia_str name = set->flags[i].name;
        if (!was_asked(set, name)) {
            const char *near =
                ia_nearest(name, (const char *const *)set->asked, set->asked_count);
            (void)ia_err_set(err, IA_E_USAGE, "--var %.*s: no goal uses {{%.*s}}", (int)name.n,
                             name.p, (int)name.n, name.p);
            ia_err_hint(err, near ? "did you mean --var %s=VALUE?" : "leave it out%s",
                        near ? near : "");
            return IA_E_USAGE;
        }
    }
    return IA_OK;
}

/* Once all files are read: steps may stand in any of them. */
static enum ia_rc finish(struct ia_goals *set, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (set->count == 0) {
        rc = ia_err_set(err, IA_E_USAGE, "there is no [[goal]] in %s%s",
                        set->file_count > 0 ? set->files[0].path : "no file",
                        set->file_count > 1 ? " and the other files" : "");
        ia_err_hint(err, "write [[goal]] with name = \"…\" and goal = \"…\"");
        return rc;
    }
    set->goals = ia_calloc(set->count, sizeof(*set->goals));
    for (size_t i = 0; i < set->count; i++) {
        struct ia_err mistake;
        note(set, ia_goalfile_resolve(set, i, &mistake), &mistake);
    }
    rc = mistakes(set, err);
    if (rc == IA_OK) {
        rc = check_flags(set, err);
    }
    return rc == IA_OK ? ia_goalfile_link(set, err) : rc;
}

static struct ia_goals *new_set(const struct ia_goal_sources *src, size_t files)
{
    struct ia_goals *set = ia_calloc(1, sizeof(*set));
    set->src = src;
    set->files = ia_calloc(files + 1, sizeof(*set->files));
    return set;
}

static enum ia_rc hand_over(struct ia_goals *set, enum ia_rc rc, struct ia_goals **ret,
                            struct ia_err *err)
{
    if (rc == IA_OK) {
        rc = mistakes(set, err);
    }
    if (rc == IA_OK) {
        rc = finish(set, err);
    }
    if (rc != IA_OK) {
        ia_goals_free(set);
        return rc;
    }
    *ret = set;
    return IA_OK;
}

enum ia_rc ia_goals_load(const char *const *paths, size_t n, const struct ia_goal_sources *src,
                         struct ia_goals **ret, struct ia_err *err)
{
    char **found = NULL;
    size_t count = 0, built_in = 0;
    while (src->built_in && src->built_in[built_in].name) {
        built_in++;
    }
    enum ia_rc rc = ia_goalfile_find(paths, n, &found, &count, err);
    struct ia_goals *set = new_set(src, count + built_in);
    if (rc == IA_OK) {
        rc = read_flags(set, err);
    }
    for (size_t i = 0; i < count; i++) {
        struct ia_goalfile *file = &set->files[set->file_count++];
        /* Taken over for all of them, also after a failure, so that ia_goals_free frees each
         * once. */
        file->path = found[i];
        rc = rc == IA_OK ? read_file(set, file, err) : rc;
    }
    free(found);
    for (size_t i = 0; i < built_in && rc == IA_OK; i++) {
        struct ia_goalfile *file = &set->files[set->file_count++];
        file->path = ia_strdup(src->built_in[i].name);
        rc = read_text(set, file, ia_str(src->built_in[i].data), err);
    }
    return hand_over(set, rc, ret, err);
}

enum ia_rc ia_goals_parse(const char *path, struct ia_str text,
                          const struct ia_goal_sources *src, struct ia_goals **ret,
                          struct ia_err *err)
{
    struct ia_goals *set = new_set(src, 1);
    set->files[set->file_count++].path = ia_strdup(path);
    enum ia_rc rc = read_flags(set, err);
    if (rc == IA_OK) {
        rc = read_text(set, &set->files[0], text, err);
    }
    return hand_over(set, rc, ret, err);
}

void ia_goals_free(struct ia_goals *set)
{
    if (!set) {
        return;
    }
    for (size_t i = 0; i < set->file_count; i++) {
        free(set->files[i].path);
        free(set->files[i].vars);
        free(set->files[i].env_names);
        ia_toml_free(set->files[i].root);
    }
    for (size_t i = 0; i < set->owned_count; i++) {
        free(set->owned[i]);
    }
    for (size_t i = 0; i < set->asked_count; i++) {
        free(set->asked[i]);
    }
    free(set->asked);
    free(set->owned);
    free(set->files);
    free(set->flags);
    free(set->entries);
    free(set->steps);
    free(set->goals);
    free(set);
}

size_t ia_goals_count(const struct ia_goals *set)
{
    return set->count;
}

const struct ia_goal *ia_goals_at(const struct ia_goals *set, size_t i)
{
    return &set->goals[i];
}
