/* args.c: argument lists that own their strings. Failures are sticky: callers add everything and
 * check once. */
#include "driver/runner/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ia_runner_arg(struct ia_runner_args *w, const char *fmt, ...)
{
    char text[2 * IA_RUNNER_PATH_SIZE];
    va_list ap;
    if (w->n == IA_RUNNER_ARGS_MAX) {
        w->full = true;
        return;
    }
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    w->full = w->full || n < 0 || (size_t)n >= sizeof(text);
    w->v[w->n++] = ia_strdup(text);
    w->v[w->n] = NULL;
}

void ia_runner_args(struct ia_runner_args *w, const char *const *words)
{
    for (; *words; words++) {
        ia_runner_arg(w, "%s", *words);
    }
}

void ia_runner_args_fini(struct ia_runner_args *w)
{
    for (size_t i = 0; i < w->n; i++) {
        free(w->v[i]);
    }
    *w = (struct ia_runner_args){.n = 0};
}

enum ia_rc ia_runner_args_check(const struct ia_runner_args *w, struct ia_err *err)
{
    return w->full ? ia_err_set(err, IA_E_LIMIT, "too many or too long arguments for %s",
                                w->n > 0 ? w->v[0] : "a tool")
                   : IA_OK;
}
