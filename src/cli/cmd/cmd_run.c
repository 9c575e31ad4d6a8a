/* run "GOAL": the agent does a goal on a device, in the foreground. */
#include "app/agents.h"
#include "app/setup.h"
#include "base/fd.h"
#include "base/term.h"
#include "cli/cmd/cmd.h"
#include "cli/foreground/foreground_run.h"
#include "cli/options/runopts.h"
#include "driver/registry/device_registry.h"

#include <string.h>
#include <unistd.h>

enum { GOAL_BYTES_MAX = 64 << 10 };

/* Everything a run needs, opened in this order and closed in reverse. */
struct job {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_run_opts opts;
    struct ia_model_client model;
    struct ia_foreground foreground;
    struct ia_buf typed; /* the goal, where it came from standard input */
};

/* The goal: the operand, or standard input for "-". */
static enum ia_rc read_goal(struct job *j, const char **ret, struct ia_err *err)
{
    *ret = ia_args_operand(&j->c->args, 0);
    if (strcmp(*ret, "-") != 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_stdin_read(&j->typed, err);
    if (rc == IA_OK && j->typed.len > 0 && memchr(j->typed.p, '\0', j->typed.len)) {
        /* It would end the goal: less would be done than was asked. */
        rc = ia_err_set(err, IA_E_USAGE, "the goal has a NUL byte");
    }
    while (rc == IA_OK && j->typed.len > 0 && strchr(" \t\r\n", j->typed.p[j->typed.len - 1])) {
        ia_buf_cut(&j->typed, j->typed.len - 1);
    }
    *ret = ia_buf_cstr(&j->typed);
    return rc;
}

/* Who watches a run will look at its report, too. */
static bool wants_steps(const struct job *j)
{
    bool said = ia_config_origin(j->setup.config, IA_CFG_RUN_PICTURES) != IA_CFG_FROM_DEFAULT;
    return !said && !j->c->json && !j->foreground.events && ia_term_is(STDOUT_FILENO);
}

static struct ia_run_request request(const struct job *j)
{
    struct ia_run_request req =
        ia_run_opts_request(&j->opts, j->setup.config, j->model.demo != NULL);
    req.fresh = ia_args_has(&j->c->args, "fresh");
    if (wants_steps(j)) {
        req.pictures = IA_PICTURES_STEPS;
    }
    return req;
}

/* Checks the command line on its own, before anything is opened. */
static enum ia_rc read_args(struct job *j, struct ia_err *err)
{
    if (j->foreground.events && j->c->json) {
        return ia_err_set(err, IA_E_USAGE, "--events and --json cannot be used together");
    }
    const struct ia_args *a = &j->c->args;
    const char *goal = NULL;
    enum ia_rc rc = read_goal(j, &goal, err);
    if (rc == IA_OK) {
        rc = ia_run_opts_read(&j->opts, a, goal, NULL, err);
    }
    return rc;
}

static enum ia_rc check_device(const struct job *j, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    const char *name = ia_config_str(j->setup.config, IA_CFG_RUN_DEVICE);
    enum ia_rc rc = ia_device_spec_find(name, &j->setup.paths, &spec, err);
    ia_device_spec_fini(&spec);
    return rc;
}

/* None where the goal is only to be replayed. */
static enum ia_rc open_model(struct job *j, struct ia_err *err)
{
    const struct ia_run_request req = request(j);
    return ia_run_asks_model(&req)
               ? ia_model_client_open(&j->model, &j->c->credentials, &j->setup,
                                      ia_args_has(&j->c->args, "demo"), err)
               : IA_OK;
}

/* Everything but the device, which the executor opens last: --fresh erases its state, so
 * everything that can fail is checked before. */
static enum ia_rc open_job(struct job *j, struct ia_err *err)
{
    const struct ia_args *a = &j->c->args;
    enum ia_rc rc = ia_setup_store(&j->setup, "ios-agent run", err);
    if (rc == IA_OK) {
        rc = ia_args_configure(a, "allow-commands", j->setup.config, IA_CFG_RUN_ALLOW_COMMANDS,
                               err);
    }
    if (rc == IA_OK) {
        rc = ia_run_opts_apply(&j->opts, &j->setup, a, NULL, err);
    }
    if (rc == IA_OK) {
        rc = check_device(j, err);
    }
    if (rc == IA_OK) {
        const struct ia_executor_opts executor = {
            .setup = &j->setup, .credentials = &j->c->credentials, .model = &j->model};
        rc = ia_foreground_open(&j->foreground, &executor, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(j);
        rc = ia_secrets_check(ia_executor_secrets(j->foreground.executor), &req, err);
    }
    if (rc == IA_OK) {
        rc = open_model(j, err);
    }
    if (rc == IA_OK && j->opts.agent) {
        rc = ia_agent_store_all(j->setup.config, j->opts.agent, j->setup.store, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(j);
        rc = ia_run_check(j->model.claude, &req,
                          ia_config_bool(j->setup.config, IA_CFG_RUN_ALLOW_COMMANDS), err);
    }
    return rc == IA_OK ? ia_foreground_display(&j->foreground, err) : rc;
}

enum ia_rc ia_cmd_run(struct ia_cli *c, struct ia_err *err)
{
    struct job j = {.c = c, .typed = IA_BUF(GOAL_BYTES_MAX)};
    ia_foreground_init(&j.foreground, c);
    enum ia_rc rc = ia_foreground_signals(&j.foreground, err);
    if (rc == IA_OK) {
        rc = read_args(&j, err);
    }
    if (rc == IA_OK) {
        rc = open_job(&j, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = request(&j);
        struct ia_foreground_task task = {.request = &req,
                                          .fresh = ia_args_has(&c->args, "fresh")};
        rc = ia_foreground_run(&j.foreground, &task, err);
    }
    if (c->json) {
        ia_foreground_result(&j.foreground);
    }
    if (rc != IA_OK && j.foreground.events && !c->json && err->msg[0] != '\0') {
        ia_foreground_refusal(&j.foreground, err);
    }
    ia_foreground_fini(&j.foreground);
    ia_model_client_close(&j.model);
    ia_setup_close(&j.setup);
    ia_buf_fini(&j.typed);
    return rc;
}
