/* launch_options.c: the two ways to start a runner. simctl launch is faster and lets Xcode be;
 * xcodebuild test-without-building also works for runtimes before iOS 17, and where XCTest wants a
 * controller. Port, token and options reach the runner as environment variables (xcodebuild passes
 * on those with the prefix TEST_RUNNER_), never as arguments, which other users can see. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "driver/simctl/simctl.h"
#include "driver/simctl/xcrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = 65536, VARIABLE_MAX = 256, LAUNCH_MS = 300000, TERMINATE_MS = 20000 };

/* ---- what both need ---------------------------------------------------------------------- */

struct variables {
    char port[VARIABLE_MAX], token[VARIABLE_MAX], quiescence[VARIABLE_MAX];
    const char *env[4];
};

static void set_variables(struct variables *v, const char *prefix, const struct ia_runner *r)
{
    (void)snprintf(v->port, sizeof(v->port), "%sBRIDGE_PORT=%u", prefix, (unsigned)r->port);
    (void)snprintf(v->token, sizeof(v->token), "%sBRIDGE_TOKEN=%s", prefix, r->token);
    (void)snprintf(v->quiescence, sizeof(v->quiescence), "%sBRIDGE_QUIESCENCE=%s", prefix,
                   r->skip_quiescence ? "skip" : "wait");
    v->env[0] = v->port;
    v->env[1] = v->token;
    v->env[2] = v->quiescence;
    v->env[3] = NULL;
}

/* New and empty, so that what an earlier runner wrote is not taken for this one's. */
static enum ia_rc new_log(const struct ia_runner_opts *opts, const char *udid, const char *kind,
                          char **ret, struct ia_err *err)
{
    char *path = ia_runner_path(opts, "runners/%s.%s", udid, kind);
    (void)unlink(path);
    enum ia_rc rc = ia_file_write_atomic(path, "", 0, 0600, err);
    *ret = path;
    return rc;
}

static void note_pid(struct ia_runner *r, int64_t pid)
{
    r->pid = pid;
    ia_process_token(pid, r->pid_token);
}

/* ---- simctl launch ----------------------------------------------------------------------- */

static enum ia_rc by_simctl(const struct ia_runner_opts *opts,
                            const struct ia_deadline *deadline,
                            const struct ia_runner_build *build, struct ia_runner *r,
                            struct ia_err *err)
{
    struct ia_simctl *s = ia_simctl_new();
    struct ia_deadline limit = ia_runner_within(deadline, LAUNCH_MS);
    struct variables v;
    char *out = NULL;
    char *errors = NULL;
    int pid = 0;
    set_variables(&v, "", r);
    enum ia_rc rc = new_log(opts, r->udid, "log", &out, err);
    if (rc == IA_OK) {
        rc = new_log(opts, r->udid, "err", &errors, err);
    }
    if (rc == IA_OK) {
        rc = ia_simctl_install(s, &limit, r->udid, build->app, err);
    }
    if (rc == IA_OK) {
        struct ia_sim_launch launch = {.bundle_id = IA_RUNNER_BUNDLE_ID,
                                       .env = v.env,
                                       .out_file = out,
                                       .err_file = errors,
                                       .relaunch = true};
        rc = ia_simctl_launch(s, &limit, r->udid, &launch, &pid, err);
    }
    if (rc == IA_OK) {
        note_pid(r, pid);
    }
    free(out);
    free(errors);
    ia_simctl_free(s);
    return rc;
}

/* ---- xcodebuild -------------------------------------------------------------------------- */

static void xcodebuild_words(const struct ia_runner_opts *opts,
                             const struct ia_runner_build *build, const struct ia_runner *r,
                             struct ia_runner_args *w)
{
    static const char *const first[] = {"xcodebuild", "test-without-building", "-xctestrun",
                                        NULL};
    static const char *const last[] = {"-test-timeouts-enabled", "NO",
                                       "-collect-test-diagnostics", "never", NULL};
    char *derived = ia_runner_path(opts, "runners/%s.derived", r->udid);
    ia_runner_args(w, first);
    ia_runner_arg(w, "%s", build->xctestrun);
    ia_runner_arg(w, "-destination");
    ia_runner_arg(w, "id=%s", r->udid);
    ia_runner_arg(w, "-derivedDataPath");
    ia_runner_arg(w, "%s", derived);
    ia_runner_args(w, last);
    free(derived);
}

static enum ia_rc by_xcodebuild(const struct ia_runner_opts *opts,
                                const struct ia_runner_build *build, struct ia_runner *r,
                                struct ia_err *err)
{
    struct ia_runner_args w = {.n = 0};
    struct variables v;
    char *log = NULL;
    char *errors = NULL;
    pid_t pid = -1;
    set_variables(&v, "TEST_RUNNER_", r);
    xcodebuild_words(opts, build, r, &w);
    enum ia_rc rc = ia_runner_args_check(&w, err);
    if (rc == IA_OK) {
        rc = new_log(opts, r->udid, "err", &errors, err);
    }
    if (rc == IA_OK) {
        rc = new_log(opts, r->udid, "log", &log, err);
    }
    if (rc == IA_OK) {
        struct ia_xcrun x = {
            .args = (const char *const *)w.v, .env = v.env, .cwd = build->folder};
        rc = ia_xcrun_background(&x, log, &pid, err);
    }
    if (rc == IA_OK) {
        note_pid(r, pid);
    }
    free(log);
    free(errors);
    ia_runner_args_fini(&w);
    return rc;
}

enum ia_rc ia_runner_launch(const struct ia_runner_opts *opts,
                            const struct ia_deadline *deadline,
                            const struct ia_runner_build *build, struct ia_runner *r,
                            struct ia_err *err)
{
    return r->way == IA_RUNNER_BY_SIMCTL ? by_simctl(opts, deadline, build, r, err)
                                         : by_xcodebuild(opts, build, r, err);
}

bool ia_runner_terminate(const struct ia_deadline *deadline, const char *udid)
{
    struct ia_simctl *s = ia_simctl_new();
    struct ia_deadline limit = ia_runner_within(deadline, TERMINATE_MS);
    bool already = false;
    enum ia_rc rc = ia_simctl_terminate(s, &limit, udid, IA_RUNNER_BUNDLE_ID, &already, NULL);
    ia_simctl_free(s);
    return rc == IA_OK && !already;
}

/* ---- its output -------------------------------------------------------------------------- */

/* Nothing should print the token; if something does, it is not passed on. */
static void redact(struct ia_buf *b, const char *token)
{
    size_t n = strlen(token);
    for (size_t i = 0; n > 0 && i + n <= b->len; i++) {
        if (memcmp(b->p + i, token, n) == 0) {
            memset(b->p + i, '*', n);
        }
    }
}

void ia_runner_output(const struct ia_runner_opts *opts, const char *udid, const char *token,
                      struct ia_buf *ret)
{
    char *out = ia_runner_path(opts, "runners/%s.log", udid);
    char *errors = ia_runner_path(opts, "runners/%s.err", udid);
    ia_runner_tail(out, OUTPUT_MAX, ret);
    ia_runner_tail(errors, OUTPUT_MAX, ret);
    redact(ret, token);
    free(out);
    free(errors);
}
