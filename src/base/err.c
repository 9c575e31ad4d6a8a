/* err.c: the table of result codes, and how an error's text is built.
 *
 * The rows come from IA_RC_LIST, so a code cannot lack its name or its exit status. */
#include "base/err.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef ia_err_set
#undef ia_err_wrap

struct rc_info {
    const char *name;
    int exit_status;
    int http;
    bool retryable;
};

static const struct rc_info infos[IA_RC_COUNT] = {
#define IA_RC_ROW(code, name, exit_status, http, retryable)                                    \
    [code] = {name, exit_status, http, retryable},
    IA_RC_LIST(IA_RC_ROW)
#undef IA_RC_ROW
};

static const struct rc_info *info(enum ia_rc rc)
{
    return (unsigned)rc < IA_RC_COUNT ? &infos[rc] : &infos[IA_E_INTERNAL];
}

const char *ia_rc_name(enum ia_rc rc)
{
    return info(rc)->name;
}

int ia_rc_exit(enum ia_rc rc)
{
    return info(rc)->exit_status;
}

int ia_rc_http(enum ia_rc rc)
{
    return info(rc)->http;
}

bool ia_rc_retryable(enum ia_rc rc)
{
    return info(rc)->retryable;
}

enum ia_rc ia_rc_from_name(const char *name)
{
    for (int i = 0; i < IA_RC_COUNT; i++) {
        if (strcmp(infos[i].name, name) == 0) {
            return (enum ia_rc)i;
        }
    }
    return IA_RC_COUNT;
}

const char *ia_outcome_name(enum ia_outcome outcome)
{
    static const char *const names[] = {"", "not_sent", "sent", "unknown"};
    return (unsigned)outcome < IA_COUNTOF(names) ? names[outcome] : "";
}

/* Formats into a fixed array; a cut text never ends inside a UTF-8 sequence. */
IA_PRINTF(3, 0)
static void format(char *dst, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(dst, size, fmt, ap);
    if (n < 0) {
        dst[0] = '\0';
    }
    if (n < 0 || (size_t)n < size) {
        return;
    }
    dst[ia_utf8_cut(dst, size - 1)] = '\0';
}

enum ia_rc ia_err_set(struct ia_err *err, enum ia_rc rc, const char *fmt, ...)
{
    if (!err) {
        return rc;
    }
    *err = (struct ia_err){.code = rc, .retry_after_ms = -1};
    va_list ap;
    va_start(ap, fmt);
    format(err->msg, sizeof(err->msg), fmt, ap);
    va_end(ap);
    return rc;
}

void ia_err_hint(struct ia_err *err, const char *fmt, ...)
{
    if (!err) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    format(err->hint, sizeof(err->hint), fmt, ap);
    va_end(ap);
}

void ia_err_join(struct ia_err *err, const struct ia_err *all, size_t n)
{
    if (!err) {
        return;
    }
    char lines[sizeof(err->msg)];
    size_t used = 0, fit = 0;
    for (; n > 1 && fit < n; fit++) {
        const char *hint = all[fit].hint;
        bool hinted = hint[0] != '\0';
        int more =
            snprintf(lines + used, sizeof(lines) - used, "%s%s%s%s%s", fit > 0 ? "\n" : "",
                     all[fit].msg, hinted ? " (" : "", hint, hinted ? ")" : "");
        if (more < 0 || (size_t)more >= sizeof(lines) - used) {
            break;
        }
        used += (size_t)more;
    }
    *err = all[0];
    if (fit > 0) {
        memcpy(err->msg, lines, used);
        err->msg[used] = '\0';
        err->hint[0] = '\0';
    }
    if (fit > 0 && fit < n) {
        ia_err_hint(err, "mistakes that are not shown: %zu", n - fit);
    }
}

void ia_err_go_on(struct ia_err *err, const char *fmt, ...)
{
    char first[sizeof(err->hint)], command[sizeof(err->hint)];
    va_list ap;
    memcpy(first, err->hint, sizeof(first));
    va_start(ap, fmt);
    format(command, sizeof(command), fmt, ap);
    va_end(ap);
    ia_err_hint(err, "%s%s%s", command, first[0] != '\0' ? "; first " : "", first);
}

enum ia_rc ia_err_wrap(struct ia_err *err, enum ia_rc rc, const char *fmt, ...)
{
    if (!err) {
        return rc;
    }
    char context[sizeof(err->msg)];
    va_list ap;
    va_start(ap, fmt);
    format(context, sizeof(context), fmt, ap);
    va_end(ap);
    /* A plain copy of the old message first: it is an argument of its own replacement. */
    struct ia_err old = *err;
    (void)ia_err_set(err, rc, "%s: %s", context, old.msg);
    memcpy(old.msg, err->msg, sizeof(old.msg));
    *err = old;
    return rc;
}
