/* goalfile_check.c: which keys the tables of a goal file may have, and how a mistake is
 * reported. */
#include "agent/goal/goalfile_impl.h"

#include "base/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { KEYS_MAX = 32 };

static const struct ia_goalfile_key keys[] = {
    {"vars", IA_IN_FILE | IA_IN_GOAL, IA_TOML_TABLE},
    {"env", IA_IN_FILE, IA_TOML_ARRAY},
    {"defaults", IA_IN_FILE, IA_TOML_TABLE},
    {"steps", IA_IN_FILE, IA_TOML_TABLE},
    {"goal", IA_IN_FILE, IA_TOML_ARRAY},
    {"name", IA_IN_GOAL, IA_TOML_STRING},
    {"goal", IA_IN_GOAL | IA_IN_STEP, IA_TOML_STRING},
    {"inputs", IA_IN_STEP, IA_TOML_ARRAY},
    {"needs", IA_IN_GOAL, IA_TOML_ARRAY},
    {"hint", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"fails", IA_IN_GOAL, IA_TOML_STRING},
    {"app", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"device", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"model", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"verifier_model", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"verify", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"effort", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_STRING},
    {"expect", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_ARRAY},
    {"setup", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_ARRAY},
    {"uses", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_ARRAY},
    {"secrets", IA_IN_GOAL | IA_IN_DEFAULTS | IA_IN_STEP, IA_TOML_ARRAY},
    {"tags", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_ARRAY},
    {"budget", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_TABLE},
    {"oracle", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_ARRAY},
    {"difficulty", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_INT},
    {"wordings", IA_IN_GOAL, IA_TOML_ARRAY},
    {"repeat", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_INT},
    {"retries", IA_IN_GOAL | IA_IN_DEFAULTS, IA_TOML_INT},
    {"max_steps", IA_IN_BUDGET, IA_TOML_INT},
    {"max_seconds", IA_IN_BUDGET, IA_TOML_INT},
    {"max_tokens", IA_IN_BUDGET, IA_TOML_INT},
    {"max_usd", IA_IN_BUDGET, IA_TOML_REAL},
};

void *ia_goals_own(struct ia_goals *set, void *p)
{
    if (set->owned_count == set->owned_cap) {
        set->owned_cap = set->owned_cap ? 2 * set->owned_cap : 64;
        set->owned = ia_realloc(set->owned, set->owned_cap, sizeof(*set->owned));
    }
    set->owned[set->owned_count++] = p;
    return p;
}

void ia_goalfile_place(const struct ia_goalfile *file, unsigned line, unsigned column,
                       struct ia_err *err)
{
    if (err) {
        err->code = IA_E_CONFIG; /* also for what the parsers below refused */
    }
    if (line == 0) {
        (void)ia_err_wrap(err, IA_E_CONFIG, "%s", file->path);
    } else {
        (void)ia_err_wrap(err, IA_E_CONFIG, "%s:%u:%u", file->path, line, column);
    }
}

void ia_goalfile_explain(const struct ia_goalfile *file, const struct ia_toml_node *at,
                         struct ia_err *err, const char *fmt, ...)
{
    char what[sizeof(err->msg)];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    (void)ia_err_set(err, IA_E_CONFIG, "%s", what);
    ia_goalfile_place(file, at->line, at->column, err);
}

static enum ia_rc unknown_key(const struct ia_goalfile *file, const struct ia_toml_node *at,
                              unsigned in, struct ia_err *err)
{
    const char *known[KEYS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        if (keys[i].in & in) {
            known[n++] = keys[i].name;
        }
    }
    const char *key = at->key ? at->key : "(with a NUL)";
    enum ia_rc rc = ia_goalfile_invalid(file, at, err, "unknown key %.60s", key);
    const char *near = ia_nearest(ia_str(key), known, n);
    if (near) {
        ia_err_hint(err, "did you mean %s?", near);
        return rc;
    }
    struct ia_buf all = IA_BUF(sizeof(err->hint));
    for (size_t i = 0; i < n; i++) {
        ia_buf_printf(&all, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    ia_err_hint(err, "allowed here: %s", ia_buf_cstr(&all));
    ia_buf_fini(&all);
    return rc;
}

static const char *type_name(enum ia_toml_type type)
{
    switch (type) {
    case IA_TOML_TABLE:
        return "a section";
    case IA_TOML_STRING:
        return "a string";
    case IA_TOML_INT:
        return "an integer";
    case IA_TOML_REAL:
        return "a number";
    default:
        return "a list";
    }
}

static bool type_fits(enum ia_toml_type want, enum ia_toml_type have)
{
    return want == have || (want == IA_TOML_REAL && have == IA_TOML_INT);
}

enum ia_rc ia_goalfile_keys(const struct ia_goalfile *file, const struct ia_toml_node *table,
                            unsigned in, struct ia_err *err)
{
    for (const struct ia_toml_node *n = table->first; n; n = n->next) {
        const struct ia_goalfile_key *key = NULL;
        for (size_t i = 0; n->key && i < IA_COUNTOF(keys); i++) {
            if ((keys[i].in & in) && strcmp(keys[i].name, n->key) == 0) {
                key = &keys[i];
            }
        }
        if (!key) {
            return unknown_key(file, n, in, err);
        }
        if (!type_fits(key->type, n->type)) {
            return ia_goalfile_invalid(file, n, err, "%s must be %s, not %s", n->key,
                                       type_name(key->type), n->type_name);
        }
    }
    return IA_OK;
}

enum ia_rc ia_goalfile_env_name(const struct ia_goalfile *file, const struct ia_toml_node *n,
                                const char *what, struct ia_err *err)
{
    static const char *const ours[] = {"IOS_AGENT_", "ANTHROPIC_"};
    if (n->type != IA_TOML_STRING || !ia_secret_name_ok(ia_str(n->s))) {
        return ia_goalfile_invalid(file, n, err, "%s must be a name of A-Z a-z 0-9 _", what);
    }
    for (size_t i = 0; i < IA_COUNTOF(ours); i++) {
        if (ia_str_starts(ia_str(n->s), ia_str(ours[i]))) {
            return ia_goalfile_invalid(
                file, n, err, "%s cannot be %.64s, which is for ios-agent itself", what, n->s);
        }
    }
    return IA_OK;
}
