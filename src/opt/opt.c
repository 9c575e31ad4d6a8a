/* opt.c: parses argv against one command's table of options.
 *
 * One pass from left to right. Values are checked against the option's kind when they are read, so
 * the getters cannot fail. */
#include "opt/opt.h"

#include "base/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ia_opt *find(const struct ia_opt *opts, struct ia_str name)
{
    for (; opts->name; opts++) {
        if (ia_str_is(name, opts->name)) {
            return opts;
        }
    }
    return NULL;
}

static const struct ia_opt *find_letter(const struct ia_opt *opts, char letter)
{
    for (; opts->name; opts++) {
        if (opts->letter == letter) {
            return opts;
        }
    }
    return NULL;
}

static enum ia_rc unknown(const struct ia_opt *opts, const char *arg, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "unknown option %s", arg);
    const char *names[IA_OPTS_MAX];
    size_t count = 0;
    for (; opts->name && count < IA_OPTS_MAX; opts++) {
        names[count++] = opts->name;
    }
    const char *word = arg + strspn(arg, "-");
    const char *best = ia_nearest((struct ia_str){word, strcspn(word, "=")}, names, count);
    if (best) {
        ia_err_hint(err, "did you mean --%s?", best);
    } else {
        ia_err_hint(err, "see --help for the options of this command");
    }
    return rc;
}

static bool parse_int(const char *text, int64_t *ret)
{
    char *end = NULL;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    bool ok = errno == 0 && end != text && *end == '\0';
    if (ok) {
        *ret = v;
    }
    return ok;
}

static bool parse_real(const char *text, double *ret)
{
    char *end = NULL;
    errno = 0;
    double v = strtod(text, &end);
    bool ok = errno == 0 && end != text && *end == '\0' && isfinite(v);
    if (ok) {
        *ret = v;
    }
    return ok;
}

static bool is_choice(const char *words, const char *value)
{
    size_t n = strlen(value);
    while (*words != '\0') {
        size_t len = strcspn(words, "|");
        if (len == n && memcmp(words, value, n) == 0) {
            return true;
        }
        words += len + (words[len] == '|' ? 1 : 0);
    }
    return false;
}

static enum ia_rc check_int(const struct ia_opt *o, const char *value, struct ia_err *err)
{
    int64_t v = 0;
    if (parse_int(value, &v) && v >= o->min && v <= o->max) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_USAGE,
                      "--%s needs a whole number from %lld to %lld, not \"%s\"", o->name,
                      (long long)o->min, (long long)o->max, value);
}

static enum ia_rc check_value(const struct ia_opt *o, const char *value, struct ia_err *err)
{
    double real = 0;
    switch (o->kind) {
    case IA_OPT_INT:
        return check_int(o, value, err);
    case IA_OPT_REAL:
        if (parse_real(value, &real) && real >= 0) {
            return IA_OK;
        }
        return ia_err_set(err, IA_E_USAGE, "--%s needs a number of at least 0, not \"%s\"",
                          o->name, value);
    case IA_OPT_CHOICE:
        if (is_choice(o->value, value)) {
            return IA_OK;
        }
        return ia_err_set(err, IA_E_USAGE, "--%s must be one of %s, not \"%s\"", o->name,
                          o->value, value);
    case IA_OPT_TEXT:
    case IA_OPT_PATH:
    case IA_OPT_OUT:
    case IA_OPT_FLAG:
        break;
    }
    return IA_OK;
}

static enum ia_rc add(struct ia_args *a, const struct ia_opt *o, const char *value,
                      struct ia_err *err)
{
    if (a->set_count == IA_ARGS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "more than %d options", IA_ARGS_MAX);
    }
    if (!o->repeat && o->kind != IA_OPT_FLAG && ia_args_has(a, o->name)) {
        return ia_err_set(err, IA_E_USAGE, "--%s is given twice", o->name);
    }
    enum ia_rc rc = o->kind == IA_OPT_FLAG ? IA_OK : check_value(o, value, err);
    if (rc == IA_OK) {
        a->set[a->set_count++] = (struct ia_arg){o, value};
    }
    return rc;
}

/* Takes argv[*i] as a long option, and argv[*i + 1] when that is its value. */
static enum ia_rc take_long(struct ia_args *a, int argc, char *const *argv, int *i,
                            struct ia_err *err)
{
    const char *name = argv[*i] + 2;
    size_t n = strcspn(name, "=");
    const char *value = name[n] == '=' ? name + n + 1 : NULL;
    const struct ia_opt *o = find(a->opts, (struct ia_str){name, n});
    if (!o) {
        return unknown(a->opts, argv[*i], err);
    }
    if (o->kind == IA_OPT_FLAG && value) {
        return ia_err_set(err, IA_E_USAGE, "--%s takes no value", o->name);
    }
    if (o->kind != IA_OPT_FLAG && !value) {
        if (*i + 1 >= argc) {
            return ia_err_set(err, IA_E_USAGE, "--%s needs a value: --%s %s", o->name, o->name,
                              o->value);
        }
        value = argv[++*i];
    }
    return add(a, o, value, err);
}

static enum ia_rc take_short(struct ia_args *a, const char *arg, struct ia_err *err)
{
    const struct ia_opt *o = arg[2] == '\0' ? find_letter(a->opts, arg[1]) : NULL;
    if (!o || o->kind != IA_OPT_FLAG) {
        return unknown(a->opts, arg, err);
    }
    return add(a, o, NULL, err);
}

static enum ia_rc take_operand(struct ia_args *a, const char *arg, struct ia_err *err)
{
    if (a->operand_count == IA_ARGS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "more than %d arguments", IA_ARGS_MAX);
    }
    a->operands[a->operand_count++] = arg;
    return IA_OK;
}

static bool later_word_fits(const struct ia_args *a, size_t from, const struct ia_opt *o)
{
    for (size_t i = from + 1; i < a->operand_count; i++) {
        if (is_choice(o->value, a->operands[i])) {
            return true;
        }
    }
    return false;
}

/* The option with a place that takes the n-th word: the first that was not given. One of a few words
 * leaves any other word to a later option, if it can do without or a later word is its own; else that
 * word is the mistake. NULL: every place is taken. */
static const struct ia_opt *place_of(const struct ia_args *a, size_t n)
{
    const struct ia_opt *first = NULL;
    for (const struct ia_opt *o = a->opts; o->name; o++) {
        if (o->operand == 0 || ia_args_has(a, o->name)) {
            continue;
        }
        bool leaves = o->kind == IA_OPT_CHOICE && !is_choice(o->value, a->operands[n]) &&
                      (!o->required || later_word_fits(a, n, o));
        if (!leaves) {
            return o;
        }
        first = first ? first : o;
    }
    return first;
}

static enum ia_rc place_operands(struct ia_args *a, struct ia_err *err)
{
    size_t taken = 0;
    enum ia_rc rc = IA_OK;
    const struct ia_opt *o = NULL;
    while (rc == IA_OK && taken < a->operand_count && (o = place_of(a, taken))) {
        rc = add(a, o, a->operands[taken++], err);
    }
    a->operand_count -= taken;
    memmove(a->operands, a->operands + taken, a->operand_count * sizeof(*a->operands));
    return rc;
}

enum ia_rc ia_args_check(const struct ia_args *a, struct ia_err *err)
{
    for (const struct ia_opt *o = a->opts; o->name; o++) {
        if (o->required && !ia_args_has(a, o->name)) {
            return ia_err_set(err, IA_E_USAGE, "--%s %s is missing", o->name, o->value);
        }
    }
    return IA_OK;
}

/* "-" is standard input, and "-33.9,18.4" a place: no option is called by a digit. */
static bool is_option(const char *arg)
{
    return arg[0] == '-' && arg[1] != '\0' && !(arg[1] >= '0' && arg[1] <= '9');
}

enum ia_rc ia_args_parse(struct ia_args *a, const struct ia_opt *opts, int argc,
                         char *const *argv, struct ia_err *err)
{
    a->opts = opts;
    a->set_count = 0;
    a->operand_count = 0;
    bool only_operands = false;
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < argc && rc == IA_OK; i++) {
        const char *arg = argv[i];
        if (only_operands || !is_option(arg)) {
            rc = take_operand(a, arg, err);
        } else if (strcmp(arg, "--") == 0) {
            only_operands = true;
        } else if (arg[1] == '-') {
            rc = take_long(a, argc, argv, &i, err);
        } else {
            rc = take_short(a, arg, err);
        }
    }
    return rc == IA_OK ? place_operands(a, err) : rc;
}

/* The last occurrence, or NULL. */
static const struct ia_arg *given(const struct ia_args *a, const char *name)
{
    if (!find(a->opts, ia_str(name))) {
        abort();
    }
    for (size_t i = a->set_count; i > 0; i--) {
        if (strcmp(a->set[i - 1].opt->name, name) == 0) {
            return &a->set[i - 1];
        }
    }
    return NULL;
}

bool ia_args_has(const struct ia_args *a, const char *name)
{
    return given(a, name) != NULL;
}

const char *ia_args_text(const struct ia_args *a, const char *name)
{
    const struct ia_arg *arg = given(a, name);
    return arg ? arg->value : NULL;
}

int64_t ia_args_int(const struct ia_args *a, const char *name, int64_t fallback)
{
    const struct ia_arg *arg = given(a, name);
    int64_t v = fallback;
    if (arg) {
        (void)parse_int(arg->value, &v);
    }
    return v;
}

double ia_args_real(const struct ia_args *a, const char *name, double fallback)
{
    const struct ia_arg *arg = given(a, name);
    double v = fallback;
    if (arg) {
        (void)parse_real(arg->value, &v);
    }
    return v;
}

size_t ia_args_list(const struct ia_args *a, const char *name, const char **ret, size_t max)
{
    (void)given(a, name);
    size_t n = 0;
    for (size_t i = 0; i < a->set_count; i++) {
        if (strcmp(a->set[i].opt->name, name) != 0) {
            continue;
        }
        if (n < max) {
            ret[n] = a->set[i].value;
        }
        n++;
    }
    return n;
}

const char *ia_args_operand(const struct ia_args *a, size_t i)
{
    return i < a->operand_count ? a->operands[i] : NULL;
}

enum { DEADLINE_MS = 30000, MORE_MS = 5000 };

int64_t ia_args_deadline_ms(const struct ia_args *a)
{
    bool waits = find(a->opts, ia_str("seconds")) != NULL;
    int64_t ms = waits ? 1000 * ia_args_int(a, "seconds", 0) + MORE_MS : 0;
    return ms > DEADLINE_MS ? ms : DEADLINE_MS;
}

enum ia_rc ia_args_configure(const struct ia_args *a, const char *option,
                             struct ia_config *config, enum ia_config_key key,
                             struct ia_err *err)
{
    const struct ia_arg *arg = given(a, option);
    const char *text = !arg ? NULL : arg->value ? arg->value : "true";
    char flag[64];
    (void)snprintf(flag, sizeof(flag), "--%s", option);
    return text ? ia_config_set(config, key, flag, text, err) : IA_OK;
}
