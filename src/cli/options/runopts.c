/* runopts.c: from the options of `run` and `schedule` to a run request.
 *
 *     configuration ─► values of the schedule that is edited ─► options given now ─► request
 *
 * What has a key in the configuration is written into it by each step, so that a later step wins and
 * one rule checks the value wherever it came from. */
#include "cli/options/runopts.h"

#include "agent/goal/expect.h"
#include "app/agents.h"
#include "app/request_defaults.h"
#include "cli/sys/sim.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *option;
    enum ia_config_key key;
} rows[] = {
    {"app", IA_CFG_RUN_APP},
    {"device", IA_CFG_RUN_DEVICE},
    {"model", IA_CFG_RUN_MODEL},
    {"verifier-model", IA_CFG_RUN_VERIFIER_MODEL},
    {"verify", IA_CFG_RUN_VERIFY},
    {"effort", IA_CFG_RUN_EFFORT},
    {"pictures", IA_CFG_RUN_PICTURES},
    {"replay", IA_CFG_RUN_REPLAY},
    {"plan", IA_CFG_RUN_PLAN},
    {"strict", IA_CFG_RUN_STRICT},
    {"max-steps", IA_CFG_RUN_MAX_STEPS},
    {"max-seconds", IA_CFG_RUN_MAX_SECONDS},
    {"max-tokens", IA_CFG_RUN_MAX_TOKENS},
    {"max-usd", IA_CFG_RUN_MAX_USD},
};

static enum ia_rc apply_flags(struct ia_setup *setup, const struct ia_args *a,
                              struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < IA_COUNTOF(rows) && rc == IA_OK; i++) {
        rc = ia_args_configure(a, rows[i].option, setup->config, rows[i].key, err);
    }
    return rc;
}

/* ---- what was there before --------------------------------------------------------------- */

static enum ia_rc seed(struct ia_setup *setup, enum ia_config_key key, const char *value,
                       enum ia_rc rc, struct ia_err *err)
{
    return rc == IA_OK
               ? ia_config_set(setup->config, key, "the schedule", value ? value : "", err)
               : rc;
}

static enum ia_rc seed_int(struct ia_setup *setup, enum ia_config_key key, int64_t value,
                           enum ia_rc rc, struct ia_err *err)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%lld", (long long)value);
    return seed(setup, key, text, rc, err);
}

/* Sets the values of a job as if they had been given as options. */
static enum ia_rc seed_all(struct ia_setup *setup, const struct ia_job *before,
                           struct ia_err *err)
{
    static const char *const verify[] = {
        [IA_VERIFY_AUTO] = "auto", [IA_VERIFY_ALWAYS] = "always", [IA_VERIFY_OFF] = "off"};
    const struct ia_run_request *r = ia_job_request(before);
    char usd[40];
    (void)snprintf(usd, sizeof(usd), "%.9f", r->budget.max_usd);
    enum ia_rc rc = seed(setup, IA_CFG_RUN_APP, r->app, IA_OK, err);
    if (ia_job_device(before)) {
        rc = seed(setup, IA_CFG_RUN_DEVICE, ia_job_device(before), rc, err);
    }
    rc = seed(setup, IA_CFG_RUN_MODEL, r->model, rc, err);
    rc = seed(setup, IA_CFG_RUN_VERIFIER_MODEL, r->verifier_model, rc, err);
    rc = seed(setup, IA_CFG_RUN_VERIFY, verify[r->verify], rc, err);
    rc = seed(setup, IA_CFG_RUN_EFFORT, r->effort, rc, err);
    rc = seed(setup, IA_CFG_RUN_PICTURES, ia_pictures_name(r->pictures), rc, err);
    rc = seed(setup, IA_CFG_RUN_REPLAY, r->replay ? r->replay : "off", rc, err);
    rc = seed(setup, IA_CFG_RUN_PLAN, r->plan ? r->plan : "off", rc, err);
    rc = seed(setup, IA_CFG_RUN_STRICT, r->strict ? "true" : "auto", rc, err);
    if (r->budget.max_steps > 0) {
        rc = seed_int(setup, IA_CFG_RUN_MAX_STEPS, r->budget.max_steps, rc, err);
    }
    rc = seed_int(setup, IA_CFG_RUN_MAX_SECONDS, r->budget.max_seconds, rc, err);
    rc = seed_int(setup, IA_CFG_RUN_MAX_TOKENS, r->budget.max_tokens, rc, err);
    return seed(setup, IA_CFG_RUN_MAX_USD, usd, rc, err);
}

static void take_before(struct ia_run_opts *o, const struct ia_job *before)
{
    const struct ia_run_request *r = ia_job_request(before);
    o->goal = r->goal;
    o->hint = r->hint;
    o->agent_name = r->agent;
    memcpy(o->expect, r->expect, r->expect_count * sizeof(*o->expect));
    o->expect_count = r->expect_count;
    o->setup = r->setup;
    o->setup_count = r->setup_count;
    o->secrets = r->secrets;
    o->secret_count = r->secret_count;
    o->tries = r->tries;
    o->continue_session = r->continue_session;
}

/* ---- what is given now ------------------------------------------------------------------- */

/* Whether the goal's text is the name of a file or folder with goals. */
static bool is_file(const char *goal)
{
    size_t n = strlen(goal);
    if (strpbrk(goal, " \t\r\n")) {
        return false;
    }
    bool toml = n > 5 && strcmp(goal + n - 5, ".toml") == 0;
    return toml || (strchr(goal, '/') && access(goal, F_OK) == 0);
}

static enum ia_rc take_goal(struct ia_run_opts *o, const char *goal, struct ia_err *err)
{
    o->goal = goal ? goal : o->goal;
    if (goal && is_file(goal)) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%.200s is a file, not a goal", goal);
        ia_err_hint(err, "ios-agent sweep %.200s runs the goals in it", goal);
        return rc;
    }
    if (o->goal && o->goal[strspn(o->goal, " \t\r\n")] != '\0') {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the goal is empty");
    ia_err_hint(err, "say what to do: ios-agent run \"open Settings, turn on Airplane Mode\"");
    return rc;
}

static void take_given(struct ia_run_opts *o, const struct ia_args *a)
{
    o->hint = ia_args_has(a, "hint") ? ia_args_text(a, "hint") : o->hint;
    o->agent_name = ia_args_has(a, "agent") ? ia_args_text(a, "agent") : o->agent_name;
    if (ia_args_has(a, "expect")) {
        o->expect_count = ia_args_list(a, "expect", o->expect, IA_COUNTOF(o->expect));
    }
    if (ia_args_has(a, "retries")) {
        o->tries = 1 + (int)ia_args_int(a, "retries", 0);
    }
    o->continue_session = o->continue_session || ia_args_has(a, "continue");
}

static enum ia_rc take_secrets(struct ia_run_opts *o, const struct ia_args *a,
                               struct ia_err *err)
{
    size_t n = ia_args_list(a, "secret", o->given_secrets, IA_COUNTOF(o->given_secrets));
    for (size_t i = 0; i < n; i++) {
        if (!ia_secret_name_ok(ia_str(o->given_secrets[i]))) {
            return ia_err_set(err, IA_E_USAGE, "--secret %.60s is not a name of A-Z a-z 0-9 _",
                              o->given_secrets[i]);
        }
    }
    if (n > 0) {
        o->secrets = o->given_secrets;
        o->secret_count = n;
    }
    return IA_OK;
}

enum ia_rc ia_run_opts_read(struct ia_run_opts *o, const struct ia_args *a, const char *goal,
                            const struct ia_job *before, struct ia_err *err)
{
    *o = (struct ia_run_opts){.goal = NULL};
    if (before) {
        take_before(o, before);
    }
    take_given(o, a);
    enum ia_rc rc = take_goal(o, goal, err);
    if (rc == IA_OK) {
        rc = ia_expect_check(o->expect, o->expect_count, err);
    }
    return rc == IA_OK ? take_secrets(o, a, err) : rc;
}

enum ia_rc ia_run_opts_apply(struct ia_run_opts *o, struct ia_setup *setup,
                             const struct ia_args *a, const struct ia_job *before,
                             struct ia_err *err)
{
    enum ia_rc rc = before ? seed_all(setup, before, err) : IA_OK;
    if (rc == IA_OK) {
        rc = apply_flags(setup, a, err);
    }
    if (rc == IA_OK) {
        rc = ia_cli_sim_device(setup->config, err);
    }
    if (rc == IA_OK && o->agent_name) {
        rc = ia_agent_find(setup->config, o->agent_name, &o->agent, err);
    }
    return rc;
}

/* ---- the request ------------------------------------------------------------------------- */

struct ia_run_request ia_run_opts_request(const struct ia_run_opts *o,
                                          const struct ia_config *g, bool demo)
{
    struct ia_run_request request = {
        .goal = o->goal,
        .hint = o->hint,
        .expect = o->expect,
        .expect_count = o->expect_count,
        .demo_brain = demo,
        .setup = o->setup,
        .setup_count = o->setup_count,
        .secrets = o->secrets,
        .secret_count = o->secret_count,
        .continue_session = o->continue_session,
        .tries = o->tries,
    };
    ia_run_request_plan(g, &request);
    ia_run_request_defaults(g, o->agent, &request);
    return request;
}
