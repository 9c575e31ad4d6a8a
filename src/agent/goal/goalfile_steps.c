/* goalfile_steps.c: the steps that a goal uses, with their inputs and secrets, before its own text. */
#include "agent/goal/goalfile_resolve_impl.h"

#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { USES_MAX = 32 };

static enum ia_rc take_secrets(struct ia_resolving *r, const struct ia_goalfile *file,
                               const struct ia_toml_node *list, struct ia_err *err)
{
    for (const struct ia_toml_node *n = list ? list->first : NULL; n; n = n->next) {
        enum ia_rc rc = ia_goalfile_env_name(file, n, "a secret", err);
        if (rc != IA_OK) {
            return rc;
        }
        bool there = false;
        for (size_t i = 0; i < r->secret_count; i++) {
            there = there || strcmp(r->secrets[i], n->s) == 0;
        }
        if (!there && r->secret_count == IA_JOB_SECRETS_MAX) {
            return ia_goalfile_invalid(file, n, err, "a goal can have at most %d secrets",
                                       IA_JOB_SECRETS_MAX);
        }
        if (!there) {
            r->secrets[r->secret_count++] = n->s;
        }
    }
    return IA_OK;
}

static enum ia_rc find_step(const struct ia_resolving *r, const struct ia_toml_node *use,
                            const struct ia_goal_step **ret, struct ia_err *err)
{
    const struct ia_toml_node *n = use->type == IA_TOML_TABLE ? ia_toml_get(use, "step") : use;
    if (!n || n->type != IA_TOML_STRING) {
        return ia_goalfile_invalid(r->file, use, err,
                                   "uses takes \"STEP\" or { step = \"STEP\", INPUT = \"…\" }");
    }
    const char **names = ia_calloc(r->set->step_count + 1, sizeof(*names));
    const struct ia_goal_step *found = NULL;
    for (size_t i = 0; i < r->set->step_count; i++) {
        names[i] = r->set->steps[i].node->key;
        found = strcmp(names[i], n->s) == 0 ? &r->set->steps[i] : found;
    }
    enum ia_rc rc = IA_OK;
    if (!found) {
        rc = ia_goalfile_invalid(r->file, n, err, "there is no step \"%.60s\"", n->s);
        const char *near = ia_nearest(ia_str(n->s), names, r->set->step_count);
        ia_err_hint(err, near ? "did you mean %s?" : "define it in a section [steps.NAME]%s",
                    near ? near : "");
    }
    free(names);
    *ret = found;
    return rc;
}

static bool is_input(const struct ia_goal_step *step, const char *name)
{
    const struct ia_toml_node *list = ia_toml_get(step->node, "inputs");
    for (const struct ia_toml_node *n = list ? list->first : NULL; n; n = n->next) {
        if (n->s && strcmp(n->s, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Every key beside `step` is an input of the step. */
static enum ia_rc check_inputs(const struct ia_resolving *r, const struct ia_goal_step *step,
                               const struct ia_toml_node *use, struct ia_err *err)
{
    bool table = use->type == IA_TOML_TABLE;
    for (const struct ia_toml_node *n = table ? use->first : NULL; n; n = n->next) {
        if (!n->key || (strcmp(n->key, "step") != 0 && !is_input(step, n->key))) {
            return ia_goalfile_invalid(r->file, n, err, "the step \"%.60s\" has no input %.60s",
                                       step->node->key, n->key ? n->key : "with a NUL");
        }
    }
    return IA_OK;
}

/* The inputs of the step with the values that the goal gives them. */
static enum ia_rc take_inputs(const struct ia_resolving *r, const struct ia_goal_step *step,
                              const struct ia_toml_node *use, struct ia_var *ret,
                              size_t *ret_count, struct ia_err *err)
{
    const struct ia_toml_node *list = ia_toml_get(step->node, "inputs");
    enum ia_rc rc = check_inputs(r, step, use, err);
    for (const struct ia_toml_node *n = list ? list->first : NULL; n && rc == IA_OK;
         n = n->next) {
        if (n->type != IA_TOML_STRING || !ia_var_name_ok(ia_str(n->s)) ||
            *ret_count == IA_GOALFILE_LIST_MAX) {
            return ia_goalfile_invalid(
                step->file, n, err,
                "an input must be a name of A-Z a-z 0-9 _ - ., and there can be at most %d",
                IA_GOALFILE_LIST_MAX);
        }
        const struct ia_toml_node *given =
            use->type == IA_TOML_TABLE ? ia_toml_get(use, n->s) : NULL;
        if (!given) {
            return ia_goalfile_invalid(r->file, use, err, "the step \"%.60s\" needs %s = \"…\"",
                                       step->node->key, n->s);
        }
        struct ia_var *var = &ret[(*ret_count)++];
        *var = (struct ia_var){.name = ia_str(n->s), .final = true};
        rc = ia_resolve_text(r, given, n->s, IA_GOALFILE_VALUE_MAX, &var->value, err);
    }
    return rc;
}

static enum ia_rc put_step(const struct ia_resolving *r, const struct ia_toml_node *use,
                           struct ia_buf *out, struct ia_err *err)
{
    const struct ia_goal_step *step = NULL;
    struct ia_var inputs[IA_GOALFILE_LIST_MAX];
    struct ia_vars vars = {.items = inputs};
    struct ia_resolve_scope scope;
    enum ia_rc rc = find_step(r, use, &step, err);
    if (rc == IA_OK) {
        rc = take_inputs(r, step, use, inputs, &vars.count, err);
    }
    if (rc == IA_OK) {
        /* The step's own file and not the goal's, and without the goal's variables: a step
         * depends only on its inputs, its file and --var. */
        vars.up = ia_resolve_scope(r, &scope, step->file, false);
        rc = ia_resolve_fill(&vars, step->file, ia_toml_get(step->node, "goal"), out, err);
        ia_buf_putc(out, '\n');
    }
    return rc;
}

enum ia_rc ia_resolve_secrets(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *uses = ia_resolve_pick(r, "uses");
    enum ia_rc rc = take_secrets(r, r->file, ia_resolve_pick(r, "secrets"), err);
    if (rc == IA_OK && uses && uses->count > USES_MAX) {
        rc = ia_goalfile_invalid(r->file, uses, err, "uses has more than %d entries", USES_MAX);
    }
    for (const struct ia_toml_node *n = uses ? uses->first : NULL; n && rc == IA_OK;
         n = n->next) {
        const struct ia_goal_step *step = NULL;
        rc = find_step(r, n, &step, err);
        if (rc == IA_OK) {
            rc = take_secrets(r, step->file, ia_toml_get(step->node, "secrets"), err);
        }
    }
    const char **names = ia_calloc(r->secret_count + 1, sizeof(*names));
    memcpy(names, r->secrets, r->secret_count * sizeof(*names));
    r->out->req.secrets = ia_goals_own(r->set, names);
    r->out->req.secret_count = r->secret_count;
    return rc;
}

/* The goal's text in the wording that is asked for. */
static const struct ia_toml_node *wording_of(const struct ia_resolving *r)
{
    const struct ia_toml_node *list = ia_toml_get(r->goal, "wordings");
    const struct ia_toml_node *n = r->wording > 1 ? list->first : ia_toml_get(r->goal, "goal");
    for (int i = 2; i < r->wording; i++) {
        n = n->next;
    }
    return n;
}

enum ia_rc ia_resolve_goal(struct ia_resolving *r, struct ia_err *err)
{
    const struct ia_toml_node *uses = ia_resolve_pick(r, "uses"), *own = wording_of(r);
    struct ia_buf text = IA_BUF(IA_GOALFILE_TEXT_MAX);
    const char *last = NULL;
    enum ia_rc rc = IA_OK;
    for (const struct ia_toml_node *n = uses ? uses->first : NULL; n && rc == IA_OK;
         n = n->next) {
        rc = put_step(r, n, &text, err);
    }
    if (rc == IA_OK) {
        rc = ia_resolve_text(r, own, "goal", IA_GOALFILE_TEXT_MAX, &last, err);
    }
    if (rc == IA_OK) {
        ia_buf_puts(&text, last);
        if (!ia_buf_ok(&text)) {
            rc = ia_goalfile_invalid(r->file, own, err, "the goal is longer than %d bytes",
                                     IA_GOALFILE_TEXT_MAX);
        }
        r->out->req.goal = ia_goals_own(r->set, ia_buf_steal(&text));
    }
    ia_buf_fini(&text);
    return rc;
}
