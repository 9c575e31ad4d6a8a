/* simctl.c: the handle, one call of simctl, the checks of what goes into an argv, and the list.
 *
 * The list is read once and kept. A verb that changes states notes the new state in it when it
 * succeeded, and drops it when it failed: what became of the simulator is not known then. */
#include "driver/simctl/simctl.h"

#include "driver/simctl/impl.h"
#include "driver/simctl/xcrun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ia_simctl *ia_simctl_new(void)
{
    return ia_calloc(1, sizeof(struct ia_simctl));
}

void ia_simctl_free(struct ia_simctl *s)
{
    if (s) {
        ia_sim_list_free(s->list);
        free(s);
    }
}

void ia_simctl_forget(struct ia_simctl *s)
{
    ia_sim_list_free(s->list);
    s->list = NULL;
}

void ia_simctl_set_state(struct ia_simctl *s, const char *udid, enum ia_sim_state state)
{
    for (size_t i = 0; s->list && i < s->list->count; i++) {
        struct ia_sim *sim = &s->list->sims[i];
        if (strcasecmp(sim->udid, udid) == 0) {
            sim->state = state;
            sim->state_text = ia_sim_state_name(state);
        }
    }
}

/* ---- one call ---------------------------------------------------------------------------- */

static enum ia_rc make_args(const char *const *args, const char *ret[IA_XCRUN_ARGS_MAX + 1],
                            struct ia_err *err)
{
    size_t n = 0;
    ret[n++] = "simctl";
    for (; *args && n < IA_XCRUN_ARGS_MAX; args++) {
        ret[n++] = *args;
    }
    ret[n] = NULL;
    return *args ? ia_err_set(err, IA_E_LIMIT, "more than %d arguments for simctl",
                              IA_XCRUN_ARGS_MAX)
                 : IA_OK;
}

static enum ia_rc check_exit(const struct ia_simctl_verb *verb, const struct ia_spawn_result *r,
                             enum ia_simctl_cause *ret_cause, struct ia_err *err)
{
    struct ia_simctl_end end = {verb->args[0], r->exit_status, r->signal, ia_buf_str(&r->out),
                                ia_buf_str(&r->err)};
    return r->exit_status == 0 ? IA_OK : ia_simctl_explain(&end, ret_cause, err);
}

/* Output that was cut at the cap is not usable. */
static enum ia_rc copy_output(const struct ia_simctl_verb *verb,
                              const struct ia_spawn_result *r, struct ia_buf *ret_out,
                              struct ia_err *err)
{
    if (ret_out && r->truncated) {
        return ia_err_set(err, IA_E_LIMIT, "simctl %s printed more than %zu bytes",
                          verb->args[0], r->out.max);
    }
    if (ret_out) {
        ia_buf_putstr(ret_out, ia_buf_str(&r->out));
        return ia_buf_check(ret_out, "what simctl printed", err);
    }
    return IA_OK;
}

/* A call that changed nothing, or whose repetition changes nothing more, may be made again. */
static void set_retry(const struct ia_simctl_verb *verb, struct ia_err *err)
{
    if (!err) {
        return;
    }
    if (verb->reads) {
        err->outcome = IA_OUTCOME_NONE;
    }
    err->retry_safe = err->retry_safe || verb->reads || verb->repeatable;
}

enum ia_rc ia_simctl_do(struct ia_simctl *s, const struct ia_deadline *deadline,
                        const struct ia_simctl_verb *verb, struct ia_buf *ret_out,
                        enum ia_simctl_cause *ret_cause, struct ia_err *err)
{
    const char *args[IA_XCRUN_ARGS_MAX + 1];
    struct ia_xcrun x = {.args = args,
                         .env = verb->env,
                         .input = verb->input,
                         .output_max = verb->output_max,
                         .limit_ms = verb->limit_ms,
                         .watch = verb->watch,
                         .watch_ctx = verb->watch_ctx};
    struct ia_spawn_result r = {.out = IA_BUF(1), .err = IA_BUF(1)};
    if (ret_cause) {
        *ret_cause = IA_SIMCTL_OTHER;
    }
    enum ia_rc rc = make_args(verb->args, args, err);
    if (rc == IA_OK) {
        rc = ia_xcrun_run(&x, deadline, &r, err);
    }
    if (rc == IA_OK) {
        rc = check_exit(verb, &r, ret_cause, err);
    }
    if (rc == IA_OK) {
        rc = copy_output(verb, &r, ret_out, err);
    }
    if (rc != IA_OK) {
        set_retry(verb, err);
    }
    if (rc != IA_OK && verb->changes_list) {
        ia_simctl_forget(s);
    }
    ia_spawn_result_fini(&r);
    return rc;
}

/* ---- what goes into an argv -------------------------------------------------------------- */

enum ia_rc ia_simctl_check_udid(const char *udid, struct ia_err *err)
{
    if (udid && ia_sim_is_udid(udid)) {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_USAGE, "\"%s\" is not the UDID of a simulator",
                     udid ? udid : "");
    ia_err_hint(err, "ios-agent devices shows the UDIDs");
    return ia_device_not_sent(IA_E_USAGE, err);
}

enum ia_rc ia_simctl_check_bundle(const char *bundle_id, struct ia_err *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
    size_t n = bundle_id ? strspn(bundle_id, allowed) : 0;
    if (n > 0 && n < 256 && bundle_id[n] == '\0' && bundle_id[0] != '-') {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_USAGE, "\"%s\" is not a bundle id", bundle_id ? bundle_id : "");
    ia_err_hint(err,
                "a bundle id is letters, digits, dots and dashes, such as com.example.shop");
    return ia_device_not_sent(IA_E_USAGE, err);
}

enum ia_rc ia_simctl_check_word(const char *what, const char *word, struct ia_err *err)
{
    if (word && word[0] != '\0' && word[0] != '-') {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_USAGE, "%s must not be empty or begin with a dash: \"%s\"", what,
                     word ? word : "");
    return ia_device_not_sent(IA_E_USAGE, err);
}

enum ia_rc ia_simctl_check_path(const char *what, const char *path, char **ret,
                                struct ia_err *err)
{
    char *real = path ? realpath(path, NULL) : NULL;
    if (real) {
        *ret = real;
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_NOT_FOUND, "%s %s: %s", what, path ? path : "",
                     strerror(path ? errno : ENOENT));
    ia_err_hint(err, "give an existing path");
    return ia_device_not_sent(IA_E_NOT_FOUND, err);
}

/* ---- the list ---------------------------------------------------------------------------- */

/* Runs a verb that prints JSON into out. */
static enum ia_rc read_json(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *const *args, struct ia_buf *out, struct ia_err *err)
{
    const struct ia_simctl_verb verb = {.args = args,
                                        .output_max = IA_SIM_LIST_BYTES_MAX,
                                        .limit_ms = IA_SIMCTL_LIST_MS,
                                        .reads = true};
    *out = IA_BUF(IA_SIM_LIST_BYTES_MAX);
    return ia_simctl_do(s, deadline, &verb, out, NULL, err);
}

static enum ia_rc read_list(struct ia_simctl *s, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    static const char *const args[] = {"list", "-j", NULL};
    struct ia_buf out;
    enum ia_rc rc = read_json(s, deadline, args, &out, err);
    if (rc == IA_OK) {
        rc = ia_sim_list_parse(ia_buf_str(&out), &s->list, err);
    }
    ia_buf_fini(&out);
    return rc;
}

enum ia_rc ia_simctl_list(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const struct ia_sim_list **ret, struct ia_err *err)
{
    enum ia_rc rc = s->list ? IA_OK : read_list(s, deadline, err);
    if (rc == IA_OK) {
        *ret = s->list;
    }
    return rc;
}

enum ia_rc ia_simctl_images(struct ia_simctl *s, const struct ia_deadline *deadline,
                            struct ia_sim_images **ret, struct ia_err *err)
{
    static const char *const args[] = {"runtime", "list", "-j", NULL};
    struct ia_buf out;
    enum ia_rc rc = read_json(s, deadline, args, &out, err);
    if (rc == IA_OK) {
        rc = ia_sim_images_parse(ia_buf_str(&out), ret, err);
    }
    ia_buf_fini(&out);
    return rc;
}

enum ia_rc ia_simctl_find(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const struct ia_sim_query *query, struct ia_sim_found *ret,
                          struct ia_err *err)
{
    const struct ia_sim_list *list = NULL;
    *ret = (struct ia_sim_found){.sim = NULL};
    enum ia_rc rc = ia_simctl_list(s, deadline, &list, err);
    return rc == IA_OK ? ia_sim_resolve(list, query, ret, err) : rc;
}

enum ia_rc ia_simctl_state(struct ia_simctl *s, const struct ia_deadline *deadline,
                           const char *udid, enum ia_sim_state *ret, struct ia_err *err)
{
    const struct ia_sim_list *list = NULL;
    ia_simctl_forget(s);
    enum ia_rc rc = ia_simctl_list(s, deadline, &list, err);
    const struct ia_sim *sim = rc == IA_OK ? ia_sim_by_udid(list, udid) : NULL;
    if (rc == IA_OK && !sim) {
        rc = ia_err_set(err, IA_E_NO_DEVICE, "no simulator has the UDID %s", udid);
        ia_err_hint(err, "it was deleted or never existed: check with ios-agent devices");
    }
    if (rc == IA_OK) {
        *ret = sim->state;
    }
    return rc;
}

const char *ia_sim_state_name(enum ia_sim_state state)
{
    static const char *const names[] = {"Shutdown",      "Booting",  "Booted",
                                        "Shutting Down", "Creating", "Unknown"};
    return (unsigned)state < IA_COUNTOF(names) ? names[state] : "Unknown";
}
