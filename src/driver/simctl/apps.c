/* apps.c: install, uninstall, launch, terminate, openurl, and what runs.
 *
 * Everything that reaches an argv is checked first: a bundle id that begins with a dash would be
 * an option. What is refused here was certainly not sent. */
#include "driver/simctl/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ia_simctl_verb verb_of(const char *const *args, int64_t limit_ms)
{
    return (struct ia_simctl_verb){.args = args, .limit_ms = limit_ms, .repeatable = true};
}

static enum ia_rc check_both(const char *udid, const char *bundle_id, struct ia_err *err)
{
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    return rc == IA_OK ? ia_simctl_check_bundle(bundle_id, err) : rc;
}

/* ---- install, uninstall ------------------------------------------------------------------ */

enum ia_rc ia_simctl_install(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *app, struct ia_err *err)
{
    char *path = NULL;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK) {
        rc = ia_simctl_check_path("the app", app, &path, err);
    }
    if (rc == IA_OK) {
        const char *const args[] = {"install", udid, path, NULL};
        struct ia_simctl_verb verb = verb_of(args, IA_SIMCTL_INSTALL_MS);
        rc = ia_simctl_do(s, deadline, &verb, NULL, NULL, err);
    }
    free(path);
    return rc;
}

enum ia_rc ia_simctl_uninstall(struct ia_simctl *s, const struct ia_deadline *deadline,
                               const char *udid, const char *bundle_id, struct ia_err *err)
{
    const char *const args[] = {"uninstall", udid, bundle_id, NULL};
    struct ia_simctl_verb verb = verb_of(args, IA_SIMCTL_INSTALL_MS);
    enum ia_rc rc = check_both(udid, bundle_id, err);
    return rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
}

/* ---- launch ------------------------------------------------------------------------------ */

static bool is_variable(const char *entry)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char more[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return strspn(entry, letters) > 0 && entry[strspn(entry, more)] == '=';
}

static void free_env(char **env)
{
    for (size_t i = 0; env && env[i]; i++) {
        free(env[i]);
    }
    free((void *)env);
}

/* SIMCTL_CHILD_NAME=value for each NAME=value: simctl takes the prefix off. */
static enum ia_rc make_env(const char *const *vars, char ***ret, struct ia_err *err)
{
    char **env = ia_calloc(IA_SIM_LAUNCH_ENV_MAX + 1, sizeof(*env));
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; vars && vars[i] && rc == IA_OK; i++) {
        if (i == IA_SIM_LAUNCH_ENV_MAX) {
            rc = ia_err_set(err, IA_E_LIMIT, "more than %d variables for an app",
                            IA_SIM_LAUNCH_ENV_MAX);
        } else if (!is_variable(vars[i])) {
            rc = ia_err_set(err, IA_E_USAGE, "not NAME=VALUE: %.*s", (int)strcspn(vars[i], "="),
                            vars[i]);
        } else {
            struct ia_buf entry = IA_BUF(1 << 16);
            ia_buf_printf(&entry, "SIMCTL_CHILD_%s", vars[i]);
            rc = ia_buf_check(&entry, "a variable for an app", err);
            env[i] = ia_buf_steal(&entry);
        }
    }
    if (rc != IA_OK) {
        free_env(env);
        return ia_device_not_sent(rc, err);
    }
    *ret = env;
    return IA_OK;
}

/* "--stdout=FILE" in new memory, or NULL without a file. */
static char *redirection(const char *option, const char *file)
{
    struct ia_buf b = IA_BUF(1 << 16);
    if (file) {
        ia_buf_printf(&b, "%s=%s", option, file);
    }
    return file ? ia_buf_steal(&b) : NULL;
}

/* to: the redirections, which may be NULL. */
static enum ia_rc make_args(const char *udid, const struct ia_sim_launch *l, char *const to[2],
                            const char *args[IA_SIM_LAUNCH_ARGS_MAX + 8], struct ia_err *err)
{
    size_t n = 0;
    args[n++] = "launch";
    for (size_t i = 0; i < 2; i++) {
        if (to[i]) {
            args[n++] = to[i];
        }
    }
    if (l->relaunch) {
        args[n++] = "--terminate-running-process";
    }
    if (l->wait_for_debugger) {
        args[n++] = "-w";
    }
    args[n++] = udid;
    args[n++] = l->bundle_id;
    for (size_t i = 0; l->args && l->args[i]; i++) {
        if (i == IA_SIM_LAUNCH_ARGS_MAX) {
            (void)ia_err_set(err, IA_E_LIMIT, "more than %d arguments for an app",
                             IA_SIM_LAUNCH_ARGS_MAX);
            return ia_device_not_sent(IA_E_LIMIT, err);
        }
        args[n++] = l->args[i];
    }
    args[n] = NULL;
    return IA_OK;
}

/* "com.example.shop: 34881": the number behind the id. */
static enum ia_rc read_pid(const char *bundle_id, const struct ia_buf *out, int *ret,
                           struct ia_err *err)
{
    const char *line = strstr(ia_buf_cstr(out), bundle_id);
    const char *number = line ? line + strlen(bundle_id) : "";
    long pid = strncmp(number, ": ", 2) == 0 ? strtol(number + 2, NULL, 10) : 0;
    if (pid <= 0 || pid > INT32_MAX) {
        (void)ia_err_set(err, IA_E_PARSE, "simctl launch printed no process id for %s",
                         bundle_id);
        ia_err_hint(err, "it may be running anyway: check with ios-agent devices");
        if (err) {
            err->outcome = IA_OUTCOME_SENT;
        }
        return IA_E_PARSE;
    }
    *ret = (int)pid;
    return IA_OK;
}

enum ia_rc ia_simctl_launch(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, const struct ia_sim_launch *launch, int *ret_pid,
                            struct ia_err *err)
{
    const char *args[IA_SIM_LAUNCH_ARGS_MAX + 8];
    char *to[2] = {redirection("--stdout", launch->out_file),
                   redirection("--stderr", launch->err_file)};
    char **env = NULL;
    struct ia_buf out = IA_BUF(65536);
    enum ia_rc rc = check_both(udid, launch->bundle_id, err);
    rc = rc == IA_OK ? make_args(udid, launch, to, args, err) : rc;
    rc = rc == IA_OK ? make_env(launch->env, &env, err) : rc;
    if (rc == IA_OK) {
        struct ia_simctl_verb verb = verb_of(args, IA_SIMCTL_APP_MS);
        verb.env = (const char *const *)env;
        verb.repeatable = false;
        rc = ia_simctl_do(s, deadline, &verb, &out, NULL, err);
    }
    if (rc == IA_OK) {
        rc = read_pid(launch->bundle_id, &out, ret_pid, err);
    }
    free_env(env);
    free(to[0]);
    free(to[1]);
    ia_buf_fini(&out);
    return rc;
}

/* ---- terminate, openurl ------------------------------------------------------------------ */

enum ia_rc ia_simctl_terminate(struct ia_simctl *s, const struct ia_deadline *deadline,
                               const char *udid, const char *bundle_id, bool *ret_already,
                               struct ia_err *err)
{
    const char *const args[] = {"terminate", udid, bundle_id, NULL};
    struct ia_simctl_verb verb = verb_of(args, IA_SIMCTL_APP_MS);
    enum ia_simctl_cause cause;
    *ret_already = false;
    enum ia_rc rc = check_both(udid, bundle_id, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_simctl_do(s, deadline, &verb, NULL, &cause, err);
    *ret_already = rc != IA_OK && cause == IA_SIMCTL_NOT_RUNNING;
    return *ret_already ? IA_OK : rc;
}

/* A scheme is letters, digits, "+", "-", "." behind a letter (RFC 3986, section 3.1). */
static bool has_scheme(const char *url)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char more[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.";
    return url && strspn(url, letters) > 0 && url[strspn(url, more)] == ':';
}

enum ia_rc ia_simctl_openurl(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *url, struct ia_err *err)
{
    const char *const args[] = {"openurl", udid, url, NULL};
    struct ia_simctl_verb verb = verb_of(args, IA_SIMCTL_APP_MS);
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK && !has_scheme(url)) {
        (void)ia_err_set(err, IA_E_USAGE, "\"%s\" is not a URL: it has no scheme",
                         url ? url : "");
        ia_err_hint(err, "write https://… or the app's own scheme, such as shop://cart");
        return ia_device_not_sent(IA_E_USAGE, err);
    }
    verb.repeatable = false;
    return rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
}

/* ---- what runs, and where it lives ------------------------------------------------------- */

/* Lines "PID\tSTATUS\tUIKitApplication:com.example.shop[b2c1][rb-legacy]"; PID is "-" for what
 * launchd only knows. */
static int find_pid(const char *list, const char *bundle_id)
{
    static const char mark[] = "UIKitApplication:";
    size_t n = strlen(bundle_id);
    for (const char *at = strstr(list, mark); at; at = strstr(at + 1, mark)) {
        const char *id = at + sizeof(mark) - 1;
        if (strncmp(id, bundle_id, n) != 0 || !strchr("[ \t\r\n", id[n])) {
            continue; /* also another id that begins alike */
        }
        const char *line = at;
        while (line > list && line[-1] != '\n') {
            line--;
        }
        long pid = strtol(line, NULL, 10);
        if (pid > 0 && pid <= INT32_MAX) {
            return (int)pid;
        }
    }
    return 0;
}

enum ia_rc ia_simctl_running(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *bundle_id, int *ret_pid,
                             struct ia_err *err)
{
    const char *const args[] = {"spawn", udid, "launchctl", "list", NULL};
    struct ia_simctl_verb verb = verb_of(args, IA_SIMCTL_SETTING_MS);
    struct ia_buf out = IA_BUF(IA_SPAWN_OUTPUT_MAX);
    verb.reads = true;
    enum ia_rc rc = check_both(udid, bundle_id, err);
    if (rc == IA_OK) {
        rc = ia_simctl_do(s, deadline, &verb, &out, NULL, err);
    }
    if (rc == IA_OK && strncmp(ia_buf_cstr(&out), "PID", 3) != 0) {
        rc = ia_err_set(err, IA_E_PARSE, "launchctl list of %s printed no table", udid);
    }
    if (rc == IA_OK) {
        *ret_pid = find_pid(ia_buf_cstr(&out), bundle_id);
    }
    ia_buf_fini(&out);
    return rc;
}
