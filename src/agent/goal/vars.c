/* vars.c: fills {{name}} in texts. Values are filled in turn, so a stack of the names under way
 * finds variables that name each other.
 *
 * {{name}}  {{name|fallback}}  {{secret:NAME}}
 *
 * A value of the user's (--var, environment, inputs of a step) is `final` and put in as it
 * stands: text from outside cannot name further variables. Secrets never become text:
 * {{secret:NAME}} stays as it is, until it is typed (agent/secrets). */
#include "agent/goal/vars.h"

#include "base/paths.h"
#include "base/suggest.h"
#include "base/textfold.h"

#include <string.h>

enum { KNOWN_MAX = 256, NAME_SIZE = IA_VAR_NAME_MAX + 1 };

static const char secret_prefix[] = "secret:";

/* One text being filled in, with the variables that led to it. */
struct filling {
    const struct ia_vars *vars;
    struct ia_buf *out;
    int uses;
    int depth;
    struct ia_str stack[IA_VAR_DEPTH_MAX];
};

bool ia_var_name_ok(struct ia_str name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    for (size_t i = 0; i < name.n; i++) {
        if (!memchr(letters, name.p[i], sizeof(letters) - 1)) {
            return false;
        }
    }
    return name.n > 0 && name.n <= IA_VAR_NAME_MAX;
}

static struct ia_str trimmed(struct ia_str s)
{
    while (s.n > 0 && s.p[0] == ' ') {
        s = (struct ia_str){s.p + 1, s.n - 1};
    }
    while (s.n > 0 && s.p[s.n - 1] == ' ') {
        s.n--;
    }
    return s;
}

/* The place of two bytes, or NULL. */
static const char *find_two(struct ia_str s, const char *two)
{
    for (size_t i = 0; i + 1 < s.n; i++) {
        if (s.p[i] == two[0] && s.p[i + 1] == two[1]) {
            return s.p + i;
        }
    }
    return NULL;
}

static bool is_secret(const struct ia_vars *vars, struct ia_str name)
{
    for (; vars; vars = vars->up) {
        for (size_t i = 0; i < vars->secret_count; i++) {
            if (ia_str_is(name, vars->secrets[i])) {
                return true;
            }
        }
    }
    return false;
}

/* Only a variable that was declared: a text could ask for any, the user's keys among them. */
static const char *ask_env(const struct ia_vars *vars, struct ia_str name)
{
    for (size_t i = 0; i < vars->env_name_count; i++) {
        if (ia_str_is(name, vars->env_names[i])) {
            return ia_env_get(vars->env, vars->env_names[i]);
        }
    }
    return NULL;
}

/* Those that have it, or NULL. */
static const struct ia_vars *find(const struct ia_vars *vars, struct ia_str name,
                                  struct ia_var *ret)
{
    for (; vars; vars = vars->up) {
        if (vars->asked) {
            vars->asked(vars->ctx, name);
        }
        for (size_t i = 0; i < vars->count; i++) {
            if (ia_str_eq(vars->items[i].name, name)) {
                *ret = vars->items[i];
                return vars;
            }
        }
        const char *value = ask_env(vars, name);
        if (value) {
            *ret = (struct ia_var){name, value, true};
            return vars;
        }
    }
    return NULL;
}

static enum ia_rc unset(const struct ia_vars *vars, struct ia_str name, struct ia_err *err)
{
    char store[KNOWN_MAX][NAME_SIZE];
    const char *known[KNOWN_MAX];
    size_t n = 0;
    for (const struct ia_vars *v = vars; v; v = v->up) {
        for (size_t i = 0; i < v->count && n < KNOWN_MAX; i++) {
            struct ia_str s = v->items[i].name;
            size_t len = s.n < IA_VAR_NAME_MAX ? s.n : IA_VAR_NAME_MAX;
            memcpy(store[n], s.p, len);
            store[n][len] = '\0';
            known[n] = store[n];
            n++;
        }
    }
    const char *near = ia_nearest(name, known, n);
    ia_err_set(err, IA_E_CONFIG, "the variable \"%.*s\" is not set", (int)name.n, name.p);
    if (near) {
        ia_err_hint(err, "did you mean {{%s}}?", near);
    } else {
        ia_err_hint(err,
                    "set it under [vars] or with --var %.*s=VALUE, or write {{%.*s|FALLBACK}}; "
                    "for a variable of the environment also declare it at the top of the file: "
                    "env = [\"%.*s\"]",
                    (int)name.n, name.p, (int)name.n, name.p, (int)name.n, name.p);
    }
    return IA_E_CONFIG;
}

static enum ia_rc circle(const struct filling *f, struct ia_str name, struct ia_err *err)
{
    struct ia_buf path = IA_BUF(1024);
    for (int i = 0; i < f->depth; i++) {
        ia_buf_putstr(&path, f->stack[i]);
        ia_buf_puts(&path, " \xe2\x86\x92 ");
    }
    ia_buf_putstr(&path, name);
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "circular variables: %s", ia_buf_cstr(&path));
    ia_buf_fini(&path);
    return rc;
}

static enum ia_rc fill(struct filling *f, struct ia_str text, struct ia_err *err);

static enum ia_rc fill_value(struct filling *f, const struct ia_var *var, struct ia_err *err)
{
    /* Without it a few lines of variables that each name another twice would fill the
     * memory. */
    if (++f->uses > IA_VAR_USES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "more than %d variables in one text",
                          IA_VAR_USES_MAX);
    }
    if (var->final) {
        ia_buf_puts(f->out, var->value);
        return IA_OK;
    }
    for (int i = 0; i < f->depth; i++) {
        if (ia_str_eq(f->stack[i], var->name)) {
            return circle(f, var->name, err);
        }
    }
    if (f->depth == IA_VAR_DEPTH_MAX) {
        return ia_err_set(err, IA_E_LIMIT,
                          "variables refer to each other more than %d levels deep",
                          IA_VAR_DEPTH_MAX);
    }
    f->stack[f->depth++] = var->name;
    enum ia_rc rc = fill(f, ia_str(var->value), err);
    f->depth--;
    return rc;
}

static enum ia_rc fill_secret(struct filling *f, struct ia_str name, struct ia_err *err)
{
    if (!is_secret(f->vars, name)) {
        ia_err_set(err, IA_E_CONFIG, "\"%.*s\" is not one of the goal's secrets",
                   (int)(name.n < IA_VAR_NAME_MAX ? name.n : IA_VAR_NAME_MAX), name.p);
        ia_err_hint(err, "name it in secrets = [\"NAME\"]");
        return IA_E_CONFIG;
    }
    ia_buf_printf(f->out, "{{%s%.*s}}", secret_prefix, (int)name.n, name.p);
    return IA_OK;
}

/* What stands between the braces. */
static enum ia_rc fill_one(struct filling *f, struct ia_str inside, struct ia_err *err)
{
    if (ia_str_starts(trimmed(inside), ia_str(secret_prefix))) {
        struct ia_str all = trimmed(inside);
        size_t n = strlen(secret_prefix);
        return fill_secret(f, (struct ia_str){all.p + n, all.n - n}, err);
    }
    /* The first bar: a fallback may contain others. */
    const char *bar = memchr(inside.p, '|', inside.n);
    size_t name_len = bar ? (size_t)(bar - inside.p) : inside.n;
    struct ia_str name = trimmed((struct ia_str){inside.p, name_len});
    if (!ia_var_name_ok(name)) {
        ia_err_set(err, IA_E_CONFIG, "\"%.*s\" is not a valid variable name",
                   (int)(inside.n < IA_VAR_NAME_MAX ? inside.n : IA_VAR_NAME_MAX), inside.p);
        ia_err_hint(err, "write {{name}} or {{name|fallback}}, with a name of A-Z a-z 0-9 _ - "
                         ".");
        return IA_E_CONFIG;
    }
    /* The environment has a variable of that name, too: its value must not slip into the
     * goal. */
    if (is_secret(f->vars, name)) {
        ia_err_set(err, IA_E_CONFIG, "%.*s is a secret, so its value is never put into a text",
                   (int)name.n, name.p);
        ia_err_hint(err, "write {{secret:%.*s}} where it should be typed", (int)name.n, name.p);
        return IA_E_CONFIG;
    }
    struct ia_var var;
    size_t from = f->out->len;
    const struct ia_vars *in = find(f->vars, name, &var);
    if (!in && !bar) {
        return unset(f->vars, name, err);
    }
    enum ia_rc rc = in ? fill_value(f, &var, err) : IA_OK;
    if (!in) {
        ia_buf_put(f->out, bar + 1, inside.n - name_len - 1);
    }
    in = in ? in : f->vars;
    if (rc == IA_OK && f->depth == 0 && in->filled && ia_buf_ok(f->out)) {
        in->filled(in->ctx, name, (struct ia_str){f->out->p + from, f->out->len - from});
    }
    return rc;
}

static enum ia_rc fill(struct filling *f, struct ia_str text, struct ia_err *err)
{
    const char *end = text.p + text.n;
    const char *open;
    while ((open = find_two(text, "{{")) != NULL) {
        ia_buf_put(f->out, text.p, (size_t)(open - text.p));
        struct ia_str inside = {open + 2, (size_t)(end - open - 2)};
        const char *close = find_two(inside, "}}");
        if (!close) {
            ia_err_set(err, IA_E_CONFIG, "{{ without }}");
            ia_err_hint(err, "write {{name}} or {{name|fallback}}");
            return IA_E_CONFIG;
        }
        inside.n = (size_t)(close - inside.p);
        enum ia_rc rc = fill_one(f, inside, err);
        if (rc != IA_OK) {
            return rc;
        }
        text = (struct ia_str){close + 2, (size_t)(end - close - 2)};
    }
    ia_buf_putstr(f->out, text);
    return IA_OK;
}

enum ia_rc ia_vars_fill(const struct ia_vars *vars, struct ia_str text, struct ia_buf *out,
                        struct ia_err *err)
{
    struct filling f = {.vars = vars, .out = out};
    enum ia_rc rc = fill(&f, text.p ? text : ia_str(""), err);
    return rc == IA_OK ? ia_buf_check(out, "the text with its variables", err) : rc;
}

bool ia_vars_left(struct ia_str text, const char *value)
{
    struct ia_buf left = IA_BUF(SIZE_MAX), in = IA_BUF(SIZE_MAX), what = IA_BUF(SIZE_MAX);
    const char *open, *end = text.p + text.n;
    while ((open = find_two(text, "{{")) != NULL) {
        const char *close = find_two((struct ia_str){open, (size_t)(end - open)}, "}}");
        ia_buf_put(&left, text.p, (size_t)(open - text.p));
        ia_buf_putc(&left, '|');
        text.p = close ? close + 2 : end;
        text.n = (size_t)(end - text.p);
    }
    ia_buf_putstr(&left, text);
    ia_text_fold(&in, ia_buf_str(&left));
    ia_text_fold(&what, ia_str(value));
    bool has = strstr(ia_buf_cstr(&in), ia_buf_cstr(&what)) != NULL;
    ia_buf_fini(&left);
    ia_buf_fini(&in);
    ia_buf_fini(&what);
    return has;
}
