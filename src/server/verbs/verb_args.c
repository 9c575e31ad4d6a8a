/* verb_args.c: a JSON object as the values of a verb, by the verb's own table.
 *
 * Values become the texts that a command line would have, and the parser of the command line checks
 * them, so that both say the same of the same mistake. */
#include "base/suggest.h"
#include "server/verbs/verbs.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = IA_ARGS_MAX };

/* "max_bytes" and "max-bytes" name the same option. */
static bool same_name(const char *option, const char *member)
{
    for (; *option && *member; option++, member++) {
        if (*option != *member && !(*option == '-' && *member == '_')) {
            return false;
        }
    }
    return *option == *member;
}

static const struct ia_opt *find(const struct ia_opt *opts, const char *member)
{
    for (; opts->name; opts++) {
        if (!opts->local && same_name(opts->name, member)) {
            return opts;
        }
    }
    return NULL;
}

static enum ia_rc unknown(const struct ia_opt *opts, const char *member, struct ia_err *err)
{
    const char *names[IA_OPTS_MAX];
    size_t n = 0;
    for (; opts->name && n < IA_OPTS_MAX; opts++) {
        if (!opts->local) {
            names[n++] = opts->name;
        }
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "unknown member \"%s\"", member);
    const char *best = ia_nearest(ia_str(member), names, n);
    if (best) {
        ia_err_hint(err, "did you mean \"%s\"?", best);
    }
    return rc;
}

/* One value as a word, "--name=value", in new memory. NULL: the value is not of that kind. */
static char *word_of(const struct ia_opt *o, const json_t *value)
{
    struct ia_buf word = IA_BUF(IA_VERB_WORD_MAX);
    bool number = o->kind == IA_OPT_INT || o->kind == IA_OPT_REAL;
    bool ok = true;
    ia_buf_printf(&word, "--%s", o->name);
    if (o->kind == IA_OPT_FLAG) {
        ok = json_is_true(value);
    } else if (json_is_string(value) && !number) {
        ok = strlen(json_string_value(value)) == json_string_length(value);
        ia_buf_printf(&word, "=%s", json_string_value(value));
    } else if (json_is_integer(value)) { /* a ref may be written as the number that it is */
        ia_buf_printf(&word, "=%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value) && o->kind == IA_OPT_REAL) {
        ia_buf_printf(&word, "=%.17g", json_real_value(value));
    } else {
        ok = false;
    }
    ok = ok && ia_buf_ok(&word);
    char *ret = ok ? ia_buf_steal(&word) : NULL;
    ia_buf_fini(&word);
    return ret;
}

static enum ia_rc add(const struct ia_opt *o, const json_t *value, char **words, int *n,
                      struct ia_err *err)
{
    if (*n == WORDS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "more than %d values", WORDS_MAX);
    }
    words[*n] = word_of(o, value);
    if (!words[*n]) {
        return ia_err_set(err, IA_E_USAGE, "\"%s\" has a value of the wrong type", o->name);
    }
    (*n)++;
    return IA_OK;
}

static enum ia_rc add_member(const struct ia_opt *opts, const char *name, const json_t *value,
                             char **words, int *n, struct ia_err *err)
{
    const struct ia_opt *o = find(opts, name);
    if (!o) {
        return unknown(opts, name, err);
    }
    /* What is null or false was left out. */
    if (json_is_null(value) || (o->kind == IA_OPT_FLAG && json_is_false(value))) {
        return IA_OK;
    }
    if (!o->repeat || !json_is_array(value)) {
        return add(o, value, words, n, err);
    }
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < json_array_size(value) && rc == IA_OK; i++) {
        rc = add(o, json_array_get(value, i), words, n, err);
    }
    return rc;
}

enum ia_rc ia_verb_args_read(const struct ia_opt *opts, const json_t *object,
                             struct ia_args *ret, struct ia_err *err)
{
    char *words[WORDS_MAX];
    int n = 0;
    const char *name = NULL;
    json_t *value = NULL;
    enum ia_rc rc = json_is_object(object)
                        ? IA_OK
                        : ia_err_set(err, IA_E_USAGE, "the arguments must be a JSON object");
    json_object_foreach((json_t *)object, name, value)
    {
        if (rc == IA_OK) {
            rc = add_member(opts, name, value, words, &n, err);
        }
    }
    *ret = (struct ia_args){.opts = opts};
    if (rc == IA_OK) {
        rc = ia_args_parse(ret, opts, n, words, err);
    }
    /* The values of the arguments point into the words. */
    for (int i = 0; i < n; i++) {
        ret->owned[i] = words[i];
    }
    ret->owned_count = (size_t)n;
    if (rc != IA_OK) {
        ia_verb_args_fini(ret);
    }
    return rc;
}

void ia_verb_args_fini(struct ia_args *args)
{
    for (size_t i = 0; i < args->owned_count; i++) {
        free(args->owned[i]);
    }
    args->owned_count = 0;
}
