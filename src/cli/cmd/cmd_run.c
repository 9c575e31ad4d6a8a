/* run "GOAL": the agent does a goal on a device, in the foreground. */
#include "app/agents.h"
#include "app/secret_env.h"
#include "app/setup.h"
#include "cli/cli.h"
#include "cli/foreground/foreground_run.h"
#include "cli/options/runopts.h"

/* Everything a run needs, opened one after the other and closed in reverse. */
struct job {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_prompts *prompts;
    struct ia_run_opts opts;
    struct ia_model_client brain;
    struct ia_device_spec phone;
    struct ia_foreground front;
};

/* ---- what the user asked for ----------------------------------------------------------- */

static enum ia_rc check_output(struct job *j, struct ia_err *err)
{
    return j->front.events && j->c->json
               ? ia_err_set(err, IA_E_USAGE, "--events and --json exclude each other")
               : IA_OK;
}

static struct ia_run_request request(const struct job *j)
{
    return ia_run_opts_request(&j->opts, j->setup.config, j->brain.demo != NULL);
}

/* ---- opening and closing --------------------------------------------------------------- */

static enum ia_rc open_inputs(struct job *j, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&j->setup, "ios-agent run", err);
    if (rc == IA_OK) {
        rc = ia_run_opts_apply(&j->opts, &j->setup, &j->c->args, NULL, err);
    }
    if (rc == IA_OK) {
        const struct ia_config *g = j->setup.config;
        rc = ia_device_spec_find(ia_config_str(g, IA_CFG_RUN_DEVICE), &j->setup.paths,
                                 &j->phone, err);
    }
    if (rc == IA_OK) {
        const char *dir = ia_config_str(j->setup.config, IA_CFG_PROMPTS_DIR);
        rc = ia_prompts_open(dir[0] != '\0' ? dir : NULL, &j->prompts, err);
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
        rc = ia_model_client_open(&j->brain, &j->c->credentials, &j->setup,
                                  ia_args_has(&j->c->args, "demo"), err);
    }
    if (rc == IA_OK && j->opts.agent) {
        rc = ia_agent_store(j->opts.agent, j->setup.store, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(j);
        rc = ia_run_check(j->brain.claude, &req, err);
    }
    if (rc == IA_OK) {
        lend(j);
        rc = ia_foreground_display(&j->front, err);
    }
    bool fresh = ia_args_has(&j->c->args, "fresh");
    return rc == IA_OK ? ia_foreground_open_phone(&j->front, fresh, err) : rc;
}

static void close_job(struct job *j)
{
    ia_foreground_fini(&j->front);
    ia_model_client_close(&j->brain);
    ia_prompts_free(j->prompts);
    ia_device_spec_fini(&j->phone);
    ia_setup_close(&j->setup);
}

/* ---- the run --------------------------------------------------------------------------- */

enum ia_rc ia_cmd_run(struct ia_cli *c, struct ia_err *err)
{
    struct job j = {.c = c};
    ia_foreground_init(&j.front, c);
    enum ia_rc rc = ia_foreground_signals(&j.front, err);
    if (rc == IA_OK) {
        rc = check_output(&j, err);
    }
    if (rc == IA_OK) {
        rc = ia_run_opts_read(&j.opts, &c->args, ia_args_operand(&c->args, 0), NULL, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = {.goal = j.opts.goal,
                                     .hint = j.opts.hint,
                                     .expect = j.opts.expect,
                                     .expect_count = j.opts.expect_count,
                                     .secrets = j.opts.secrets,
                                     .secret_count = j.opts.secret_count};
        rc = ia_secrets_check(&req, err);
    }
    if (rc == IA_OK) {
        rc = open_job(&j, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(&j);
        rc = ia_foreground_run(&j.front, &req, err);
    }
    if (c->json) {
        ia_foreground_result(&j.front);
    }
    if (rc != IA_OK && j.front.events && !c->json && err->msg[0] != '\0') {
        ia_foreground_refusal(&j.front, err);
    }
    close_job(&j);
    return rc;
}
