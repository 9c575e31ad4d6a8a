/* xcrun.c: one call of `xcrun`: argv, environment, time, and what an end other than its own means.
 *
 *     limit = min(the tool's limit, what is left of the call's deadline)
 *         0          IA_E_TIMEOUT, not sent
 *         it ends    IA_OK, whatever its exit status: errors.c reads that
 *         otherwise  missing: not sent; timeout, cancelled: outcome unknown */
#include "driver/simctl/xcrun.h"

#include "driver/simctl/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ; /* POSIX has no header for it */

/* ---- what the child gets ----------------------------------------------------------------- */

static size_t name_length(const char *entry)
{
    return strcspn(entry, "=");
}

static bool replaced(const char *entry, const char *const *by)
{
    size_t n = name_length(entry);
    for (; *by; by++) {
        if (name_length(*by) == n && strncmp(entry, *by, n) == 0) {
            return true;
        }
    }
    return false;
}

/* This process's environment with `more` over it. The array is new, the entries are not. */
static enum ia_rc make_env(const char *const *more, const char ***ret, struct ia_err *err)
{
    size_t n = 0;
    const char **env = ia_calloc(IA_XCRUN_ENV_MAX + 1, sizeof(*env));
    for (char **p = environ; *p && n < IA_XCRUN_ENV_MAX; p++) {
        if (!replaced(*p, more)) {
            env[n++] = *p;
        }
    }
    for (; *more && n < IA_XCRUN_ENV_MAX; more++) {
        env[n++] = *more;
    }
    if (*more) {
        free(env);
        return ia_err_set(err, IA_E_LIMIT, "the environment has more than %d variables",
                          IA_XCRUN_ENV_MAX);
    }
    *ret = env;
    return IA_OK;
}

static enum ia_rc make_argv(const char *const *args, const char *argv[IA_XCRUN_ARGS_MAX + 2],
                            struct ia_err *err)
{
    size_t n = 0;
    argv[n++] = "xcrun";
    for (; *args && n <= IA_XCRUN_ARGS_MAX; args++) {
        argv[n++] = *args;
    }
    argv[n] = NULL;
    return *args ? ia_err_set(err, IA_E_LIMIT, "more than %d arguments for %s",
                              IA_XCRUN_ARGS_MAX, argv[1])
                 : IA_OK;
}

/* ---- time -------------------------------------------------------------------------------- */

/* How long it may take: its own limit, or what is left of the call. */
static int64_t time_left_ms(const struct ia_xcrun *x, const struct ia_deadline *deadline)
{
    int64_t limit = x->limit_ms;
    if (deadline->at_us != IA_NO_DEADLINE) {
        int64_t left = (deadline->at_us - ia_mono_us(ia_clock_system())) / 1000;
        limit = left < limit ? left : limit;
    }
    return limit > 0 ? limit : 0;
}

static const char *subject(const struct ia_xcrun *x, char *dst, size_t size)
{
    if (x->waited) {
        return x->waited;
    }
    (void)snprintf(dst, size, "xcrun %s %s", x->args[0], x->args[1] ? x->args[1] : "");
    return dst;
}

/* ---- running ----------------------------------------------------------------------------- */

/* The message names what the caller waits for, not the process. */
static enum ia_rc abnormal_end(const struct ia_xcrun *x, int64_t limit_ms, enum ia_rc rc,
                               struct ia_err *err)
{
    char words[128];
    const char *what = subject(x, words, sizeof(words));
    if (rc == IA_E_MISSING) {
        (void)ia_err_set(err, rc, "there is no xcrun on this machine");
        ia_simctl_hint_missing(err);
    } else if (rc == IA_E_TIMEOUT) {
        (void)ia_err_set(err, rc, "%s did not finish within %lld ms", what,
                         (long long)limit_ms);
        ia_err_hint(
            err,
            "the simulator service may be hanging: xcrun simctl shutdown all, then try again");
    } else if (rc == IA_E_CANCELLED) {
        (void)ia_err_set(err, rc, "%s was cancelled", what);
    }
    bool began = rc == IA_E_TIMEOUT || rc == IA_E_CANCELLED;
    if (err) {
        err->outcome = began ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

static enum ia_rc too_late(const struct ia_xcrun *x, struct ia_err *err)
{
    char words[128];
    (void)ia_err_set(err, IA_E_TIMEOUT, "there was no time left to start %s",
                     subject(x, words, sizeof(words)));
    return ia_device_not_sent(IA_E_TIMEOUT, err);
}

enum ia_rc ia_xcrun_run(const struct ia_xcrun *x, const struct ia_deadline *deadline,
                        struct ia_spawn_result *ret, struct ia_err *err)
{
    const char *argv[IA_XCRUN_ARGS_MAX + 2];
    const char **env = NULL;
    int64_t limit_ms = time_left_ms(x, deadline);
    *ret = (struct ia_spawn_result){.exit_status = -1, .out = IA_BUF(1), .err = IA_BUF(1)};
    /* Not started at all: an action that is killed at once would have an unknown outcome. */
    if (limit_ms == 0) {
        return too_late(x, err);
    }
    enum ia_rc rc = make_argv(x->args, argv, err);
    if (rc == IA_OK && x->env) {
        rc = make_env(x->env, &env, err);
    }
    if (rc == IA_OK) {
        struct ia_spawn spawn = {.argv = argv,
                                 .env = env,
                                 .cwd = x->cwd,
                                 .input = x->input,
                                 .output_max = x->output_max,
                                 .timeout_ms = limit_ms,
                                 .cancel = deadline->cancel,
                                 .watch = x->watch,
                                 .watch_ctx = x->watch_ctx};
        rc = ia_spawn_run(&spawn, ret, err);
        rc = rc == IA_OK ? rc : abnormal_end(x, limit_ms, rc, err);
    }
    free(env);
    return rc;
}

enum ia_rc ia_xcrun_background(const struct ia_xcrun *x, const char *log, pid_t *ret_pid,
                               struct ia_err *err)
{
    const char *argv[IA_XCRUN_ARGS_MAX + 2];
    const char **env = NULL;
    enum ia_rc rc = make_argv(x->args, argv, err);
    if (rc == IA_OK && x->env) {
        rc = make_env(x->env, &env, err);
    }
    if (rc == IA_OK) {
        struct ia_spawn spawn = {.argv = argv, .env = env, .cwd = x->cwd};
        rc = ia_spawn_background(&spawn, log, ret_pid, err);
        rc = rc == IA_OK ? rc : abnormal_end(x, 0, rc, err);
    }
    free(env);
    return rc;
}

/* ---- Xcode ------------------------------------------------------------------------------- */

/* What follows `label` on its line, into dst; whether there is such a line. */
static bool take_field(struct ia_str text, const char *label, char *dst, size_t size)
{
    size_t n = strlen(label);
    for (size_t i = 0; i + n < text.n; i++) {
        bool start = i == 0 || text.p[i - 1] == '\n';
        if (start && memcmp(text.p + i, label, n) == 0) {
            const char *value = text.p + i + n;
            const char *end = memchr(value, '\n', text.n - i - n);
            size_t len = end ? (size_t)(end - value) : text.n - i - n;
            (void)snprintf(dst, size, "%.*s", (int)(len < size ? len : size), value);
            return true;
        }
    }
    return false;
}

enum ia_rc ia_xcode_version(const struct ia_deadline *deadline, struct ia_xcode *ret,
                            struct ia_err *err)
{
    const char *const args[] = {"xcodebuild", "-version", NULL};
    struct ia_xcrun x = {.args = args, .limit_ms = 60000};
    struct ia_spawn_result r;
    struct ia_xcode found = {"", ""};
    enum ia_rc rc = ia_xcrun_run(&x, deadline, &r, err);
    if (rc == IA_OK && r.exit_status != 0) {
        struct ia_simctl_end end = {"xcodebuild -version", r.exit_status, r.signal,
                                    ia_buf_str(&r.out), ia_buf_str(&r.err)};
        rc = ia_simctl_explain(&end, NULL, err);
    } else if (rc == IA_OK) {
        struct ia_str out = ia_buf_str(&r.out);
        (void)take_field(out, "Build version ", found.build, sizeof(found.build));
        if (take_field(out, "Xcode ", found.version, sizeof(found.version))) {
            *ret = found;
        } else {
            rc = ia_err_set(err, IA_E_PARSE, "xcodebuild -version printed no version");
            ia_simctl_hint_missing(err);
        }
    }
    ia_spawn_result_fini(&r);
    return rc;
}
