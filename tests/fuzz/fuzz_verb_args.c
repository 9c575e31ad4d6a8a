/* The arguments of verbs: any JSON is refused or read as the verb's table says, and what was read is written
 * as the same request again. The first byte chooses the verb. */
#include "base/jsonw.h"
#include "client/client.h"
#include "server/verbs/verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool is_choice(const char *words, const char *value)
{
    const char *at = strstr(words, value);
    size_t n = strlen(value);
    while (at && !((at == words || at[-1] == '|') && (at[n] == '|' || at[n] == '\0'))) {
        at = strstr(at + 1, value);
    }
    return at && n > 0;
}

static void check_value(const struct ia_args *a, const struct ia_arg *arg)
{
    const struct ia_opt *o = arg->opt;
    must(!o->local && (arg->value != NULL) == (o->kind != IA_OPT_FLAG));
    if (o->kind == IA_OPT_INT) {
        int64_t v = ia_args_int(a, o->name, o->min - 1);
        must(v >= o->min && v <= o->max);
    } else if (o->kind == IA_OPT_REAL) {
        double v = ia_args_real(a, o->name, -1);
        must(v >= 0 && isfinite(v));
    } else if (o->kind == IA_OPT_CHOICE) {
        must(is_choice(o->value, arg->value));
    }
}

/* The value that the second one has of the same option: paths begin at a folder there. */
static void check_same(const struct ia_args *a, const struct ia_args *b, const struct ia_opt *o)
{
    must(ia_args_has(b, o->name));
    if (o->kind == IA_OPT_REAL) {
        must(ia_args_real(a, o->name, -1) == ia_args_real(b, o->name, -2));
    } else if (o->kind != IA_OPT_FLAG && o->kind != IA_OPT_PATH && o->kind != IA_OPT_OUT &&
               !o->repeat) {
        must(strcmp(ia_args_text(a, o->name), ia_args_text(b, o->name)) == 0);
    }
}

static void check_again(const struct ia_args *a)
{
    struct ia_buf text = IA_BUF((size_t)8 << 20);
    struct ia_args again;
    ia_client_write_args(a, &text);
    json_t *object = json_loadb(text.p, text.len, 0, NULL);
    must(object != NULL);
    must(ia_verb_args_read(a->opts, object, &again, NULL) == IA_OK);
    must(again.set_count == a->set_count);
    for (size_t i = 0; i < a->set_count; i++) {
        check_same(a, &again, a->set[i].opt);
    }
    ia_verb_args_fini(&again);
    json_decref(object);
    ia_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t verbs = 0;
    while (ia_verbs[verbs].name) {
        verbs++;
    }
    if (size < 1) {
        return 0;
    }
    const struct ia_opt *opts = ia_verbs[data[0] % verbs].opts;
    json_t *object =
        json_loadb((const char *)data + 1, size - 1, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    struct ia_args args;
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_verb_args_read(opts, object, &args, &err);
    must(rc == IA_OK ? args.owned_count == args.set_count
                     : rc == IA_E_USAGE && err.msg[0] != '\0' && args.owned_count == 0);
    if (rc == IA_OK) {
        for (size_t i = 0; i < args.set_count; i++) {
            check_value(&args, &args.set[i]);
        }
        (void)ia_args_check(&args, NULL);
        check_again(&args);
        ia_verb_args_fini(&args);
    }
    json_decref(object);
    return 0;
}
