/* run "GOAL": the agent does a goal on a device, in the foreground. */
#include "agent/job.h"
#include "cli/agents.h"
#include "cli/cli.h"
#include "cli/front.h"
#include "cli/secret_env.h"
#include "cli/setup.h"

#include <string.h>

/* Everything a run needs, opened one after the other and closed in reverse. */
struct job {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_prompts *prompts;
    const struct ia_config_agent *agent; /* NULL: none was named */
    struct ia_brain brain;
    struct ia_phone phone;
    struct ia_front front;
    const char *expect[IA_ARGS_MAX], *secrets[IA_ARGS_MAX];
};

/* ---- what the user asked for ----------------------------------------------------------- */

static enum ia_rc apply_flags(struct job *j, struct ia_err *err)
{
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
        {"max-steps", IA_CFG_RUN_MAX_STEPS},
        {"max-seconds", IA_CFG_RUN_MAX_SECONDS},
        {"max-tokens", IA_CFG_RUN_MAX_TOKENS},
        {"max-usd", IA_CFG_RUN_MAX_USD},
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < IA_COUNTOF(rows) && rc == IA_OK; i++) {
        rc = ia_setup_flag(&j->setup, &j->c->args, rows[i].option, rows[i].key, err);
    }
    return rc;
}

static enum ia_rc check_secrets(struct job *j, struct ia_err *err)
{
    size_t n = ia_args_list(&j->c->args, "secret", j->secrets, IA_COUNTOF(j->secrets));
    for (size_t i = 0; i < n; i++) {
        if (!ia_secret_name_ok(ia_str(j->secrets[i]))) {
            return ia_err_set(err, IA_E_USAGE, "--secret %.60s is no name of A-Z a-z 0-9 _",
                              j->secrets[i]);
        }
    }
    struct ia_run_request req = {.secrets = j->secrets, .secret_count = n};
    return ia_secrets_check(&req, err);
}

static enum ia_rc check_goal(struct job *j, struct ia_err *err)
{
    const char *goal = ia_args_operand(&j->c->args, 0);
    if (j->front.events && j->c->json) {
        return ia_err_set(err, IA_E_USAGE, "--events and --json exclude each other");
    }
    if (goal[strspn(goal, " \t\r\n")] == '\0') {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the goal is empty");
        ia_err_hint(err, "say what is to be done: ios-agent run \"open Settings, turn on "
                         "Airplane Mode\"");
        return rc;
    }
    size_t n = ia_args_list(&j->c->args, "expect", j->expect, IA_COUNTOF(j->expect));
    enum ia_rc rc = ia_expect_check(j->expect, n, err);
    return rc == IA_OK ? check_secrets(j, err) : rc;
}

static const char *set_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* --model, else the agent's own, else the configured one. */
static const char *model(const struct job *j)
{
    const struct ia_config *g = j->setup.config;
    bool flag = ia_config_origin(g, IA_CFG_RUN_MODEL) == IA_CFG_FROM_FLAG;
    if (!flag && j->agent && j->agent->model[0] != '\0') {
        return j->agent->model;
    }
    return ia_config_str(g, IA_CFG_RUN_MODEL);
}

static struct ia_run_request request(const struct job *j)
{
    const struct ia_config *g = j->setup.config;
    const struct ia_args *a = &j->c->args;
    return (struct ia_run_request){
        .goal = ia_args_operand(a, 0),
        .app = set_or_null(ia_config_str(g, IA_CFG_RUN_APP)),
        .hint = ia_args_text(a, "hint"),
        .agent = j->agent ? j->agent->name : NULL,
        .model = model(j),
        .verifier_model = set_or_null(ia_config_str(g, IA_CFG_RUN_VERIFIER_MODEL)),
        .effort = set_or_null(ia_config_str(g, IA_CFG_RUN_EFFORT)),
        .verify = (enum ia_verify)ia_config_int(g, IA_CFG_RUN_VERIFY),
        .expect = j->expect,
        .expect_count = ia_args_list(a, "expect", NULL, 0),
        .secrets = j->secrets,
        .secret_count = ia_args_list(a, "secret", NULL, 0),
        .pictures = (enum ia_pictures)ia_config_int(g, IA_CFG_RUN_PICTURES),
        .budget = {.max_steps = (int)ia_config_int(g, IA_CFG_RUN_MAX_STEPS),
                   .max_seconds = (int)ia_config_int(g, IA_CFG_RUN_MAX_SECONDS),
                   .max_tokens = ia_config_int(g, IA_CFG_RUN_MAX_TOKENS),
                   .max_usd = ia_config_real(g, IA_CFG_RUN_MAX_USD)},
        .answer_tokens = (int)ia_config_int(g, IA_CFG_API_MAX_TOKENS),
        .demo_brain = j->brain.demo != NULL,
        .continue_session = ia_args_has(a, "continue"),
        .tries = 1 + (int)ia_args_int(a, "retries", 0),
    };
}

/* ---- opening and closing --------------------------------------------------------------- */

static enum ia_rc open_inputs(struct job *j, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&j->setup, "ios-agent run", err);
    if (rc == IA_OK) {
        rc = apply_flags(j, err);
    }
    if (rc == IA_OK && ia_args_has(&j->c->args, "agent")) {
        rc = ia_agent_find(j->setup.config, ia_args_text(&j->c->args, "agent"), &j->agent, err);
    }
    if (rc == IA_OK) {
        const struct ia_config *g = j->setup.config;
        rc =
            ia_phone_find(ia_config_str(g, IA_CFG_RUN_DEVICE), &j->setup.paths, &j->phone, err);
    }
    if (rc == IA_OK) {
        const char *dir = ia_config_str(j->setup.config, IA_CFG_PROMPTS_DIR);
        rc = ia_prompts_open(set_or_null(dir), &j->prompts, err);
    }
    return rc;
}

static void lend(struct job *j)
{
    j->front.store = j->setup.store;
    j->front.prompts = j->prompts;
    j->front.brain = &j->brain;
    j->front.phone = &j->phone;
}

/* The device comes last: opening a fresh one forgets the old, and nothing may fail after that
 * for a reason that could have been seen before. */
static enum ia_rc open_job(struct job *j, struct ia_err *err)
{
    enum ia_rc rc = open_inputs(j, err);
    if (rc == IA_OK) {
        rc = ia_brain_open(&j->brain, &j->c->credentials, &j->setup,
                           ia_args_has(&j->c->args, "demo"), err);
    }
    if (rc == IA_OK && j->agent) {
        rc = ia_agent_store(j->agent, j->setup.store, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(j);
        rc = ia_run_check(j->brain.claude, &req, err);
    }
    if (rc == IA_OK) {
        lend(j);
        rc = ia_front_display(&j->front, err);
    }
    bool fresh = ia_args_has(&j->c->args, "fresh");
    return rc == IA_OK ? ia_front_open_phone(&j->front, fresh, err) : rc;
}

static void close_job(struct job *j)
{
    ia_front_fini(&j->front);
    ia_brain_close(&j->brain);
    ia_prompts_free(j->prompts);
    ia_phone_fini(&j->phone);
    ia_setup_close(&j->setup);
}

/* ---- the run --------------------------------------------------------------------------- */

enum ia_rc ia_cmd_run(struct ia_cli *c, struct ia_err *err)
{
    struct job j = {.c = c};
    ia_front_init(&j.front, c);
    enum ia_rc rc = ia_front_signals(&j.front, err);
    if (rc == IA_OK) {
        rc = check_goal(&j, err);
    }
    if (rc == IA_OK) {
        rc = open_job(&j, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(&j);
        rc = ia_front_run(&j.front, &req, err);
    }
    if (c->json) {
        ia_front_result(&j.front);
    }
    if (rc != IA_OK && j.front.events && !c->json && err->msg[0] != '\0') {
        ia_front_refusal(&j.front, err);
    }
    close_job(&j);
    return rc;
}
