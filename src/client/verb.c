/* verb.c: a command line as a request: the table of options says what each value is. */
#include "base/fd.h"
#include "base/jsonw.h"
#include "base/paths.h"
#include "client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGS_JSON_MAX = 1 << 20, PATH_CAP = 4096, VERB_MAX = 64 };

static void write_value(struct ia_jsonw *w, const struct ia_args *a, const struct ia_opt *o,
                        const char *value)
{
    char cwd[PATH_CAP];
    switch (o->kind) {
    case IA_OPT_FLAG:
        ia_jsonw_bool(w, true);
        break;
    case IA_OPT_INT:
        ia_jsonw_int(w, ia_args_int(a, o->name, 0));
        break;
    case IA_OPT_REAL:
        ia_jsonw_real(w, ia_args_real(a, o->name, 0));
        break;
    case IA_OPT_OUT:
    case IA_OPT_PATH: {
        char *path = getcwd(cwd, sizeof(cwd)) && strcmp(value, "-") != 0
                         ? ia_path_join(cwd, value)
                         : ia_strdup(value);
        ia_jsonw_string(w, path);
        free(path);
        break;
    }
    case IA_OPT_TEXT:
    case IA_OPT_CHOICE:
        ia_jsonw_string(w, value);
        break;
    }
}

/* What is for the command line alone stays here, but for the form of the answer. */
static bool travels(const struct ia_opt *o)
{
    return !o->local || strcmp(o->name, "json") == 0;
}

static void write_option(struct ia_jsonw *w, const struct ia_args *a, const struct ia_opt *o)
{
    const char *values[IA_ARGS_MAX];
    size_t n = ia_args_list(a, o->name, values, IA_COUNTOF(values));
    if (n == 0 || !travels(o)) {
        return;
    }
    ia_jsonw_key(w, o->name);
    if (!o->repeat) {
        write_value(w, a, o, values[n - 1]);
        return;
    }
    ia_jsonw_array(w);
    for (size_t i = 0; i < n; i++) {
        write_value(w, a, o, values[i]);
    }
    ia_jsonw_end_array(w);
}

void ia_client_write_args(const struct ia_args *args, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    for (const struct ia_opt *o = args->opts; o->name; o++) {
        write_option(&w, args, o);
    }
    ia_jsonw_end_object(&w);
}

/* ---- the answer's file --------------------------------------------------------------------- */

/* Where the user wants the file. */
static const char *file_path(const struct ia_args *a)
{
    for (const struct ia_opt *o = a->opts; o->name; o++) {
        if (o->kind == IA_OPT_OUT) {
            return ia_args_has(a, o->name) ? ia_args_text(a, o->name) : o->fallback;
        }
    }
    return NULL;
}

static enum ia_rc keep_file(const struct ia_args *a, struct ia_client_answer *ret,
                            struct ia_err *err)
{
    const char *path = file_path(a);
    size_t n = ret->file_bytes;
    enum ia_rc rc = IA_OK;
    if (n == 0) {
        return IA_OK;
    }
    if (!path) {
        rc = ia_err_set(err, IA_E_INTERNAL, "the daemon sent a file that nobody asked for");
    } else if (strcmp(path, "-") == 0) {
        rc = ia_write_all(STDOUT_FILENO, ret->body.p, n);
    } else {
        rc = ia_file_write_atomic(path, ret->body.p, n, 0644, err);
    }
    ia_buf_consume(&ret->body, n);
    return rc;
}

/* ---- the call ------------------------------------------------------------------------------ */

static const char *device_of_environment(void)
{
    const char *device = ia_env_get(NULL, "IOS_AGENT_DEVICE");
    return device ? device : ia_env_get(NULL, "IOS_AGENT_RUN_DEVICE");
}

enum ia_rc ia_client_verb(struct ia_client *c, const char *verb, const struct ia_args *args,
                          struct ia_client_answer *ret, struct ia_err *err)
{
    char path[VERB_MAX];
    struct ia_buf body = IA_BUF(ARGS_JSON_MAX);
    int n = snprintf(path, sizeof(path), "/device/%s?as=cli", verb);
    for (char *p = path; *p != '\0'; p++) { /* "sim create" */
        *p = *p == ' ' ? '-' : *p;
    }
    ia_client_write_args(args, &body);
    *ret = (struct ia_client_answer){.exit_status = -1};
    enum ia_rc rc = n < VERB_MAX ? ia_buf_check(&body, "the command line", err)
                                 : ia_err_set(err, IA_E_INTERNAL, "no verb is called %s", verb);
    if (rc == IA_OK) {
        struct ia_client_request q = {.method = "POST",
                                      .path = path,
                                      .body = ia_buf_str(&body),
                                      .device = device_of_environment(),
                                      .lends = true,
                                      .session = ia_env_get(NULL, "IOS_AGENT_SESSION"),
                                      .deadline_ms = ia_args_deadline_ms(args)};
        rc = ia_client_call(c, &q, ret, err);
    }
    ia_buf_fini(&body);
    return rc == IA_OK ? keep_file(args, ret, err) : rc;
}
