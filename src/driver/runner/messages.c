#include "driver/runner/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ia_runner_word(struct ia_runner_words *w, const char *fmt, ...)
{
    char text[2 * IA_RUNNER_PATH_SIZE];
    va_list ap;
    if (w->n == IA_RUNNER_WORDS_MAX) {
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

void ia_runner_words(struct ia_runner_words *w, const char *const *words)
{
    for (; *words; words++) {
        ia_runner_word(w, "%s", *words);
    }
}

void ia_runner_words_fini(struct ia_runner_words *w)
{
    for (size_t i = 0; i < w->n; i++) {
        free(w->v[i]);
    }
    *w = (struct ia_runner_words){.n = 0};
}

enum ia_rc ia_runner_words_check(const struct ia_runner_words *w, struct ia_err *err)
{
    return w->full ? ia_err_set(err, IA_E_LIMIT, "too many or too long arguments for %s",
                                w->n > 0 ? w->v[0] : "a tool")
                   : IA_OK;
}
