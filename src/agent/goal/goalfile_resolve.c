/* goalfile_resolve.c: one [[goal]] of a file as a request. A value comes from the goal, else
 * from the file's [defaults], else from the base. */
#include "agent/goal/goalfile_resolve_impl.h"

#include "agent/goal/expect.h"
#include "agent/goal/oracle.h"
#include "base/suggest.h"

#include <string.h>

enum { STEPS_LIMIT_MAX = 1000, SECONDS_LIMIT_MAX = 604800 };

/* ---- values that are one text ------------------------------------------------------------ */

static enum ia_rc resolve_texts(struct ia_resolving *r, struct ia_err *err)
{
    struct ia_run_request *req = &r->out->req;
    const struct {
        const char *key;
        size_t max;
        const char **to;
    } rows[] = {
        {"hint", IA_GOALFILE_TEXT_MAX, &req->hint},
        {"fails", IA_GOALFILE_VALUE_MAX, &req->fails},
        {"app", IA_GOALFILE_VALUE_MAX, &req->app},
        {"model", IA_GOALFILE_VALUE_MAX, &req->model},
        {"verifier_model", IA_GOALFILE_VALUE_MAX, &req->verifier_model},
        {"device", IA_GOALFILE_VALUE_MAX, &r->out->device},
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < IA_COUNTOF(rows) && rc == IA_OK; i++) {
        const struct ia_toml_node *n = ia_resolve_pick(r, rows[i].key);
        rc = n ? ia_resolve_text(r, n, rows[i].key, rows[i].max, rows[i].to, err) : IA_OK;
    }
    return rc;
}

static enum ia_rc choose(const struct ia_resolving *r, const struct ia_toml_node *n,
                         const char *const *words, size_t count, size_t *ret,
                         struct ia_err *err)
{
    struct ia_buf all = IA_BUF(200);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(n->s, words[i]) == 0) {
            *ret = i;
            ia_buf_fini(&all);
            return IA_OK;
        }
        ia_buf_printf(&all, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    enum ia_rc rc = ia_goalfile_invalid(r->file, n, err, "%s must be one of %s, not \"%.60s\"",
                                        n->key, ia_buf_cstr(&all), n->s);
    const char *near = ia_nearest(ia_str(n->s), words, count);
    if (near) {
        ia_err_hint(err, "did you mean %s?", near);
    }
    ia_buf_fini(&all);
    return rc;
}

static enum ia_rc resolve_choices(struct ia_resolving *r, struct ia_err *err)
{
    static const char *const verify[] = {"auto", "always", "off"};
    static const char *const effort[] = {"low", "medium", "high", "xhigh", "max"};
    const struct ia_toml_node *n = ia_resolve_pick(r, "verify");
    enum ia_rc rc = IA_OK;
    size_t i = 0;
    if (n) {
        rc = choose(r, n, verify, IA_COUNTOF(verify), &i, err);
        r->out->req.verify = (enum ia_verify)i;
    }
    n = ia_resolve_pick(r, "effort");
    if (rc == IA_OK && n) {
        rc = choose(r, n, effort, IA_COUNTOF(effort), &i, err);
        r->out->req.effort = effort[i];
    }
    return rc;
}

static enum ia_rc in_range(const struct ia_resolving *r, const struct ia_toml_node *n,
                           int64_t min, int64_t max, struct ia_err *err)
{
    if (n->r >= (double)min && n->r <= (double)max) {
        return IA_OK;
    }
    return ia_goalfile_invalid(r->file, n, err, "%s must be %lld to %lld", n->key,
                               (long long)min, (long long)max);
}

static enum ia_rc resolve_counts(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *repeat = ia_resolve_pick(r, "repeat"),
                              *retries = ia_resolve_pick(r, "retries");
    const struct ia_toml_node *difficulty = ia_resolve_pick(r, "difficulty");
    enum ia_rc rc = IA_OK;
    /* -1: not given, so that the command line or the default decides (sweep_create.c). */
    r->out->repeat = r->out->retries = -1;
    if (repeat) {
        rc = in_range(r, repeat, 1, IA_GOALFILE_REPEAT_MAX, err);
        r->out->repeat = (int)repeat->i;
    }
    if (rc == IA_OK && retries) {
        rc = in_range(r, retries, 0, IA_GOALFILE_RETRIES_MAX, err);
        r->out->retries = (int)retries->i;
    }
    if (rc == IA_OK && difficulty) {
        rc = in_range(r, difficulty, 1, IA_GOALFILE_DIFFICULTY_MAX, err);
        r->out->difficulty = (int)difficulty->i;
    }
    return rc;
}

static enum ia_rc take_budget(struct ia_resolving *r, const struct ia_toml_node *table,
                              struct ia_err *err)
{
    struct ia_budget *b = &r->out->req.budget;
    enum ia_rc rc = table ? ia_goalfile_keys(r->file, table, IA_IN_BUDGET, err) : IA_OK;
    for (const struct ia_toml_node *n = table ? table->first : NULL; n && rc == IA_OK;
         n = n->next) {
        if (strcmp(n->key, "max_steps") == 0) {
            rc = in_range(r, n, 1, STEPS_LIMIT_MAX, err);
            b->max_steps = (int)(rc == IA_OK ? n->i : 0);
        } else if (strcmp(n->key, "max_seconds") == 0) {
            rc = in_range(r, n, 0, SECONDS_LIMIT_MAX, err);
            b->max_seconds = (int)(rc == IA_OK ? n->i : 0);
        } else if (strcmp(n->key, "max_tokens") == 0) {
            rc = in_range(r, n, 0, INT64_C(1000000000000), err);
            b->max_tokens = n->i;
        } else {
            rc = in_range(r, n, 0, 1000000, err);
            b->max_usd = n->r;
        }
    }
    return rc;
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Checks the size; an array for it, owned by the set. */
static enum ia_rc new_list(const struct ia_resolving *r, const struct ia_toml_node *list,
                           size_t max, size_t size, void **ret, struct ia_err *err)
{
    if (list->count > max) {
        return ia_goalfile_invalid(r->file, list, err, "%s has more than %zu entries",
                                   list->key, max);
    }
    *ret = ia_goals_own(r->set, ia_calloc(list->count + 1, size));
    return IA_OK;
}

/* Reads a list of texts and checks each. */
static enum ia_rc resolve_rules(struct ia_resolving *r, const char *key, const char *what,
                                enum ia_rc (*check)(const struct ia_resolving *, const char *,
                                                    struct ia_err *),
                                const char *const **ret, size_t *ret_count, struct ia_err *err)
{
    const struct ia_toml_node *list = ia_resolve_pick(r, key);
    void *memory = NULL;
    enum ia_rc rc =
        list ? new_list(r, list, IA_JOB_EXPECTS_MAX, sizeof(char *), &memory, err) : IA_OK;
    const char **texts = memory;
    size_t i = 0;
    for (const struct ia_toml_node *n = list ? list->first : NULL; n && rc == IA_OK;
         n = n->next) {
        rc = ia_resolve_text(r, n, what, IA_GOALFILE_VALUE_MAX, &texts[i], err);
        if (rc == IA_OK && check(r, texts[i], err) != IA_OK) {
            rc = ia_resolve_told_at(r->file, n, err);
        }
        i++;
    }
    *ret = texts;
    *ret_count = i;
    return rc;
}

static enum ia_rc check_expect(const struct ia_resolving *r, const char *text,
                               struct ia_err *err)
{
    (void)r;
    return ia_expect_check(&text, 1, err);
}

static enum ia_rc resolve_expect(struct ia_resolving *r, struct ia_err *err)
{
    return resolve_rules(r, "expect", "an expectation", check_expect, &r->out->req.expect,
                         &r->out->req.expect_count, err);
}

static enum ia_rc check_oracle(const struct ia_resolving *r, const char *text,
                               struct ia_err *err)
{
    return ia_oracle_check(text, r->set->src->state, err);
}

static enum ia_rc resolve_oracle(struct ia_resolving *r, struct ia_err *err)
{
    return r->kept ? IA_OK /* not part of the hash */
                   : resolve_rules(r, "oracle", "a rule of an oracle", check_oracle,
                                   &r->out->oracle, &r->out->oracle_count, err);
}

static enum ia_rc no_setup(const struct ia_resolving *r, const struct ia_toml_node *n,
                           struct ia_str word, struct ia_err *err)
{
    static const char *const words[] = {"reset", "launch", "terminate", "open-url"};
    enum ia_rc rc = ia_goalfile_invalid(r->file, n, err, "unknown setup step \"%.*s\"",
                                        (int)(word.n < 60 ? word.n : 60), word.p);
    const char *near = ia_nearest(word, words, IA_COUNTOF(words));
    if (near) {
        ia_err_hint(err, "did you mean %s?", near);
    } else {
        ia_err_hint(
            err, "use \"reset\", \"launch BUNDLE\", \"terminate BUNDLE\" or \"open-url URL\"");
    }
    return rc;
}

/* "reset", or a word and its value. */
static enum ia_rc take_setup(struct ia_resolving *r, const struct ia_toml_node *n,
                             struct ia_setup_step *ret, struct ia_err *err)
{
    const char *text = NULL;
    enum ia_rc rc = ia_resolve_text(r, n, "a setup step", IA_GOALFILE_VALUE_MAX, &text, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_str word = {text, strcspn(text, " ")};
    const char *value = text + word.n + strspn(text + word.n, " ");
    if (!ia_setup_kind_from_name(word, &ret->kind)) {
        return no_setup(r, n, word, err);
    }
    ret->value = value[0] != '\0' ? value : NULL;
    if (ret->kind == IA_SETUP_RESET) {
        return !ret->value ? IA_OK
                           : ia_goalfile_invalid(r->file, n, err, "reset takes no argument");
    }
    return ret->value
               ? IA_OK
               : ia_goalfile_invalid(r->file, n, err, "%s needs %s",
                                     ia_setup_kind_name(ret->kind),
                                     ret->kind == IA_SETUP_OPEN_URL ? "a URL" : "a bundle id");
}

static enum ia_rc resolve_setup(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *list = ia_resolve_pick(r, "setup");
    void *memory = NULL;
    enum ia_rc rc =
        list ? new_list(r, list, IA_JOB_SETUP_MAX, sizeof(struct ia_setup_step), &memory, err)
             : IA_OK;
    struct ia_setup_step *steps = memory;
    for (const struct ia_toml_node *n = list ? list->first : NULL; n && rc == IA_OK;
         n = n->next) {
        rc = take_setup(r, n, &steps[r->out->req.setup_count++], err);
    }
    r->out->req.setup = steps;
    return rc;
}

static enum ia_rc resolve_tags(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *list = ia_resolve_pick(r, "tags");
    void *memory = NULL;
    enum ia_rc rc =
        list ? new_list(r, list, IA_GOALFILE_LIST_MAX, sizeof(char *), &memory, err) : IA_OK;
    const char **tags = memory;
    for (const struct ia_toml_node *n = list ? list->first : NULL; n && rc == IA_OK;
         n = n->next) {
        rc = ia_resolve_want_string(r->file, n, "a tag", err);
        if (rc == IA_OK && (n->s[0] == '\0' || strlen(n->s) > IA_GOALFILE_NAME_MAX)) {
            rc = ia_goalfile_invalid(r->file, n, err, "a tag must have 1 to %d bytes",
                                     IA_GOALFILE_NAME_MAX);
        }
        tags[r->out->tag_count++] = n->s;
    }
    r->out->tags = tags;
    return rc;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* "NAME", "NAME (seed 2)", "NAME (wording 2, seed 3)" */
static void name_variant(const struct ia_resolving *r, const char *name)
{
    struct ia_buf b = IA_BUF(IA_GOALFILE_NAME_MAX + 64);
    ia_buf_puts(&b, name);
    if (r->wording > 1) {
        ia_buf_printf(&b, " (wording %d%s", r->wording, r->seed > 1 ? ", " : ")");
    }
    if (r->seed > 1) {
        ia_buf_printf(&b, "%sseed %d)", r->wording > 1 ? "" : " (", r->seed);
    }
    r->out->base_name = name;
    r->out->req.name = ia_goals_own(r->set, ia_buf_steal(&b));
    r->out->wording = r->wording;
    r->out->seed = r->seed;
}

static enum ia_rc resolve_name(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *name = ia_toml_get(r->goal, "name");
    if (!name || !ia_toml_get(r->goal, "goal")) {
        return ia_goalfile_invalid(r->file, r->goal, err, "a goal needs %s = \"…\"",
                                   name ? "goal" : "name");
    }
    size_t n = strlen(name->s);
    bool control = false;
    for (size_t i = 0; i < n; i++) {
        control = control || (unsigned char)name->s[i] < 0x20 || name->s[i] == 0x7F;
    }
    if (n == 0 || n > IA_GOALFILE_NAME_MAX || control || name->s[0] == ' ' ||
        name->s[n - 1] == ' ') {
        return ia_goalfile_invalid(
            r->file, name, err,
            "a name must have 1 to %d bytes on one line, without spaces around it",
            IA_GOALFILE_NAME_MAX);
    }
    if (strstr(name->s, "{{")) {
        enum ia_rc rc =
            ia_goalfile_invalid(r->file, name, err, "a name cannot contain variables");
        ia_err_hint(err, "history, needs and shards refer to the name, so it must not change");
        return rc;
    }
    r->out->line = name->line;
    r->out->column = name->column;
    name_variant(r, name->s);
    return IA_OK;
}

/* The element of a list for that seed, starting over after the last. */
static const struct ia_toml_node *value_for(const struct ia_toml_node *n, int seed)
{
    if (n->type != IA_TOML_ARRAY || n->count == 0) {
        return n;
    }
    const struct ia_toml_node *value = n->first;
    for (size_t i = (size_t)(seed - 1) % n->count; i > 0; i--) {
        value = value->next;
    }
    return value;
}

static enum ia_rc read_goal_vars(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *table = ia_toml_get(r->goal, "vars");
    struct ia_buf text = IA_BUF(32);
    ia_buf_printf(&text, "%d", r->seed);
    const char *seed = ia_goals_own(r->set, ia_buf_steal(&text));
    r->goal_vars =
        ia_goals_own(r->set, ia_calloc((table ? table->count : 0) + 1, sizeof(*r->goal_vars)));
    for (const struct ia_toml_node *n = table ? table->first : NULL; n; n = n->next) {
        const struct ia_toml_node *value = value_for(n, r->seed);
        if (!n->key || !ia_var_name_ok(ia_str(n->key)) || value->type != IA_TOML_STRING) {
            return ia_goalfile_invalid(r->file, n, err,
                                       "a variable must be a name of A-Z a-z 0-9 _ - . with a "
                                       "string, or a list of strings");
        }
        r->goal_vars[r->goal_var_count++] = (struct ia_var){ia_str(n->key), value->s, false};
    }
    /* Behind the goal's own, so that one of this name wins. */
    r->goal_vars[r->goal_var_count++] = (struct ia_var){ia_str("seed"), seed, false};
    return IA_OK;
}

static void apply_force(const struct ia_goal_sources *src, struct ia_run_request *req)
{
    const struct ia_run_request *f = src->force;
    if (!f) {
        return;
    }
    req->model = f->model ? f->model : req->model;
    req->verifier_model = f->verifier_model ? f->verifier_model : req->verifier_model;
    req->effort = f->effort ? f->effort : req->effort;
    req->verify = src->force_verify ? f->verify : req->verify;
}

/* Resolves the goal, with the names of the variables in `kept` in place of values, or with all values. */
static enum ia_rc resolve(struct ia_goals *set, size_t i, const struct ia_var *kept,
                          struct ia_goal *out, struct ia_err *err)
{
    static enum ia_rc (*const parts[])(struct ia_resolving *, struct ia_err *) = {
        resolve_name,  read_goal_vars,  ia_resolve_secrets, ia_resolve_goal,
        resolve_texts, resolve_choices, resolve_counts,     resolve_expect,
        resolve_setup, resolve_tags,    resolve_oracle,
    };
    struct ia_resolving r = {
        .set = set,
        .file = set->entries[i].file,
        .goal = set->entries[i].node,
        .defaults = ia_toml_get(set->entries[i].file->root, "defaults"),
        .kept = kept,
        .out = out,
        .wording = set->entries[i].wording,
        .seed = set->entries[i].seed,
    };
    enum ia_rc rc = IA_OK;
    out->req = *set->src->base;
    out->file = r.file->path;
    for (size_t k = 0; k < IA_COUNTOF(parts) && rc == IA_OK; k++) {
        rc = parts[k](&r, err);
    }
    if (rc == IA_OK) {
        apply_force(set->src, &out->req);
        rc = take_budget(&r, ia_toml_get(r.defaults, "budget"), err);
    }
    return rc == IA_OK ? take_budget(&r, ia_toml_get(r.goal, "budget"), err) : rc;
}

/* A text with the names of variables in place of values has the value, too; a short one is in every text. */
static bool is_in_texts(const struct ia_run_request *texts, const char *value)
{
    bool has = strlen(value) < IA_VAR_VALUE_MIN || ia_vars_left(ia_str(texts->goal), value);
    for (size_t i = 0; i < texts->expect_count && !has; i++) {
        has = ia_vars_left(ia_str(texts->expect[i]), value);
    }
    return has;
}

/* The values in the file, with which the goal may have been recorded. */
static void add_known(struct ia_goals *set, struct ia_run_request *req, struct ia_str name,
                      const char *value)
{
    struct ia_buf b = IA_BUF(SIZE_MAX);
    ia_buf_printf(&b, "%.*s=%s", (int)name.n, name.p, value);
    const char **all = ia_calloc(req->known_count + 1, sizeof(*all));
    for (size_t i = 0; i < req->known_count; i++) {
        all[i] = req->known[i];
    }
    all[req->known_count++] = ia_goals_own(set, ia_buf_steal(&b));
    req->known = ia_goals_own(set, all);
}

static void find_known(struct ia_goals *set, size_t i, struct ia_run_request *req)
{
    const struct ia_goalfile *file = set->entries[i].file;
    const struct ia_toml_node *table = ia_toml_get(set->entries[i].node, "vars");
    for (const struct ia_toml_node *n = table ? table->first : NULL; n; n = n->next) {
        bool list = n->type == IA_TOML_ARRAY;
        const struct ia_toml_node *v = list ? n->first : n;
        for (; v; v = list ? v->next : NULL) {
            if (n->key && v->type == IA_TOML_STRING) {
                add_known(set, req, ia_str(n->key), v->s);
            }
        }
    }
    for (size_t k = 0; k < file->var_count; k++) {
        add_known(set, req, file->vars[k].name, file->vars[k].value);
    }
}

/* True if a literal of the goal may mean the variable: it has the value of now, or one in the file. */
static bool is_ambiguous(const struct ia_run_request *req, const struct ia_run_request *texts,
                         const struct ia_var *v)
{
    bool found = is_in_texts(texts, v->value);
    for (size_t i = 0; i < req->known_count && !found; i++) {
        size_t n = strcspn(req->known[i], "=");
        found = ia_str_eq(v->name, (struct ia_str){req->known[i], n}) &&
                is_in_texts(texts, req->known[i] + n + 1);
    }
    return found;
}

/* Keeps the values of ambiguous variables. Returns true if there are any. */
static bool keep_ambiguous(const struct ia_goals *set, const struct ia_run_request *req,
                           const struct ia_run_request *texts, struct ia_var *names)
{
    bool any = false;
    for (size_t k = 0; k < set->filled_count; k++) {
        bool ambiguous = is_ambiguous(req, texts, &set->filled[k]);
        names[k].value = ambiguous ? set->filled[k].value : names[k].value;
        any = any || ambiguous;
    }
    return any;
}

/* Sets the hash of the goal with names in place of values, so that recordings serve any values. If a variable is
 * ambiguous, or an expectation invalid without a value, the hash is that of the value. */
static void keep_vars(struct ia_goals *set, size_t i)
{
    struct ia_goal *goal = &set->goals[i], kept = {.file = NULL};
    size_t n = set->filled_count;
    const char **told = ia_goals_own(set, ia_calloc(n + 1, sizeof(*told)));
    struct ia_var names[IA_JOB_VARS_MAX];
    struct ia_buf b = IA_BUF(SIZE_MAX);
    struct ia_err none;
    for (size_t k = 0; k < n; k++) {
        const struct ia_var *v = &set->filled[k];
        ia_buf_printf(&b, "%.*s=%s", (int)v->name.n, v->name.p, v->value);
        told[k] = ia_goals_own(set, ia_buf_steal(&b));
        ia_buf_printf(&b, "{{%.*s}}", (int)v->name.n, v->name.p);
        names[k] = (struct ia_var){v->name, ia_goals_own(set, ia_buf_steal(&b)), true};
    }
    bool ok = n > 0 && !set->too_many && resolve(set, i, names, &kept, &none) == IA_OK;
    find_known(set, i, &goal->req);
    if (ok && keep_ambiguous(set, &goal->req, &kept.req, names)) {
        kept = (struct ia_goal){.file = NULL};
        ok = resolve(set, i, names, &kept, &none) == IA_OK;
    }
    if (ok) {
        char *hash = ia_goals_own(set, ia_alloc(IA_GOAL_HASH_SIZE));
        ia_goal_hash(&kept.req, hash);
        goal->req.goal_hash = hash;
        goal->req.vars = told;
        goal->req.var_count = n;
    }
    ia_buf_fini(&b);
}

enum ia_rc ia_goalfile_resolve(struct ia_goals *set, size_t i, struct ia_err *err)
{
    set->filled_count = 0;
    set->too_many = false;
    enum ia_rc rc = resolve(set, i, NULL, &set->goals[i], err);
    if (rc == IA_OK) {
        keep_vars(set, i);
    }
    return rc;
}
