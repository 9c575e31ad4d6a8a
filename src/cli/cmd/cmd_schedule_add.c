/* schedule add | edit: a goal that repeats, and when. */
#include "agent/run/run.h"
#include "agent/schedule/cron.h"
#include "agent/schedule/schedule.h"
#include "app/agents.h"
#include "app/model_client.h"
#include "app/schedule_json.h"
#include "app/schedule_plan.h"
#include "app/secret_source.h"
#include "base/zone.h"
#include "cli/cmd/cmd.h"
#include "cli/options/runopts.h"
#include "driver/registry/device_registry.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHONE_BYTES_MAX = 256 };

/* What add and edit put together. */
struct plan {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_model_client client;
    struct ia_run_opts opts;
    struct ia_setup_step fresh;
    struct ia_schedule_row *before; /* of edit; NULL: add */
    struct ia_job *job;             /* of before */
    struct ia_schedule_plan plan;
};

/* ---- what is run ------------------------------------------------------------------------- */

static void take_fresh(struct plan *p)
{
    if (ia_args_has(&p->c->args, "fresh")) {
        p->fresh.kind = IA_SETUP_RESET;
        p->opts.setup = &p->fresh;
        p->opts.setup_count = 1;
    }
}

static bool wants_demo(const struct plan *p)
{
    return ia_args_has(&p->c->args, "demo") || (p->job && ia_job_request(p->job)->demo_brain);
}

static enum ia_rc take_device(struct plan *p, struct ia_err *err)
{
    struct ia_config *g = p->setup.config;
    if (p->before || ia_config_origin(g, IA_CFG_RUN_DEVICE) != IA_CFG_FROM_DEFAULT) {
        return IA_OK;
    }
    struct ia_buf name = IA_BUF(PHONE_BYTES_MAX);
    ia_schedule_plan_phone(p->plan.row.name, &name);
    enum ia_rc rc =
        ia_config_set(g, IA_CFG_RUN_DEVICE, "the schedule's name", ia_buf_cstr(&name), err);
    ia_buf_fini(&name);
    return rc;
}

/* The goal is checked as `run` checks it, so that no mistake waits for the first due time. */
static enum ia_rc take_run(struct plan *p, struct ia_err *err)
{
    struct ia_setup *s = &p->setup;
    enum ia_rc rc = ia_run_opts_apply(&p->opts, s, &p->c->args, p->job, err);
    if (rc == IA_OK) {
        rc = take_device(p, err);
    }
    const char *device = rc == IA_OK ? ia_config_str(s->config, IA_CFG_RUN_DEVICE) : "";
    if (rc == IA_OK) {
        rc = ia_model_client_open(&p->client, &p->c->credentials, s, wants_demo(p), err);
    }
    if (rc == IA_OK && p->opts.agent) {
        rc = ia_agent_store_all(s->config, p->opts.agent, s->store, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_run_request req =
        ia_run_opts_request(&p->opts, s->config, p->client.demo != NULL);
    req.name = p->plan.row.name;
    rc = ia_run_check(p->client.claude, &req,
                      ia_config_bool(s->config, IA_CFG_RUN_ALLOW_COMMANDS), err);
    if (rc == IA_OK) {
        struct ia_secret_source *from = ia_secret_source_new(s->store, &p->c->credentials);
        rc = ia_secrets_check_texts_now(from, &req, err);
        ia_secret_source_free(from);
    }
    return rc == IA_OK ? ia_schedule_plan_run(&p->plan, &s->paths, &req, device, err) : rc;
}

/* ---- add and edit ------------------------------------------------------------------------ */

static void fini(struct plan *p)
{
    ia_model_client_close(&p->client);
    ia_job_free(p->job);
    ia_schedule_row_free(p->before);
    ia_schedule_plan_fini(&p->plan);
    ia_setup_close(&p->setup);
}

static void put_done(struct plan *p, const char *done, int64_t next_ms)
{
    struct ia_buf *t = &p->c->text;
    p->plan.row.next_ms = next_ms;
    ia_buf_printf(t, "%s %s: ", done, p->plan.row.name);
    ia_schedule_say_when(t, &p->plan.row);
    ia_buf_puts(t, "\nnext     ");
    ia_schedule_say_time(t, next_ms, p->plan.row.zone);
    ia_buf_printf(t, " (%s) on %s%s\n", p->plan.row.zone, p->plan.row.lane,
                  p->client.demo ? ", answered by the demo brain, which does not reason" : "");
    if (p->plan.row.paused) {
        ia_buf_printf(t, "paused   ios-agent schedule resume %s\n", p->plan.row.name);
    }
    ia_buf_puts(t, "The daemon runs it (ios-agent daemon install); without a daemon: ios-agent "
                   "schedule tick\n");
    ia_jsonw_object(&p->c->w);
    ia_schedule_json(&p->c->w, &p->plan.row);
    ia_jsonw_end_object(&p->c->w);
}

static enum ia_rc need_name(const char *name, struct ia_err *err)
{
    if (name && name[0] != '\0') {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "schedule add needs --name");
    ia_err_hint(err, "the name that list, show and pause use: --name nightly");
    return rc;
}

/* Adds to what err says that the time is wrong too. */
static enum ia_rc both_lack(const struct ia_err *when, struct ia_err *err)
{
    struct ia_err name = *err;
    (void)ia_err_set(err, name.code, "%.100s; and %.300s", name.msg, when->msg);
    ia_err_hint(err, "%.150s; %.200s", name.hint, when->hint);
    return err->code;
}

/* A schedule's due time starts one run. A sweep is a process with goals, lanes and a report of its
 * own, which the system's scheduler starts as well; sweeps, show and report know it afterwards. */
static enum ia_rc refuse_sweep(const struct ia_args *a, struct ia_err *err)
{
    const char *folder = ia_args_text(a, "sweep");
    const char *cron = ia_args_text(a, "cron");
    if (folder) {
        enum ia_rc rc = ia_err_set(err, IA_E_UNSUPPORTED,
                                   "a schedule runs one goal, and %.100s holds many", folder);
        ia_err_hint(err,
                    "a line for crontab -e does it: %.40s cd %s && ios-agent sweep %.100s "
                    "--report-dir report; docs/schedules.md has launchd and systemd",
                    cron ? cron : "0 3 * * 1-5", "PROJECT", folder);
        return rc;
    }
    return ia_args_operand(a, 0) ? IA_OK
                                 : ia_err_set(err, IA_E_USAGE, "schedule add needs GOAL");
}

/* Checks the command line on its own, before anything is opened. */
static enum ia_rc read_add(struct plan *p, struct ia_err *err)
{
    const struct ia_args *a = &p->c->args;
    ia_schedule_plan_init(&p->plan, a, ia_args_text(a, "name"), NULL);
    struct ia_err when = {.code = IA_OK};
    enum ia_rc rc = refuse_sweep(a, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_schedule_plan_when(&p->plan, &when);
    if (need_name(p->plan.row.name, err) !=
        IA_OK) { /* both at once: neither waits for the other */
        return rc == IA_OK ? err->code : both_lack(&when, err);
    }
    if (rc != IA_OK) {
        *err = when;
    } else {
        rc = ia_run_opts_read(&p->opts, a, ia_args_operand(a, 0), NULL, err);
    }
    if (rc == IA_OK) {
        take_fresh(p);
        rc = ia_schedule_plan_policies(&p->plan, err);
    }
    return rc;
}

enum ia_rc ia_cmd_schedule_add(struct ia_cli *c, struct ia_err *err)
{
    struct plan p = {.c = c};
    int64_t next_ms = 0;
    enum ia_rc rc = read_add(&p, err);
    if (rc == IA_OK) {
        rc = ia_setup_store(&p.setup, "ios-agent schedule add", err);
    }
    if (rc == IA_OK) {
        rc = take_run(&p, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_add(p.setup.store, &p.plan.row, &next_ms, err);
    }
    if (rc == IA_OK) {
        put_done(&p, "added", next_ms);
    }
    fini(&p);
    return rc;
}

/* Options that are not given keep their values; a spec of another kind replaces the old one. */
static enum ia_rc read_edit(struct plan *p, struct ia_err *err)
{
    const struct ia_args *a = &p->c->args;
    enum ia_rc rc = ia_setup_store(&p->setup, "ios-agent schedule edit", err);
    if (rc == IA_OK) {
        rc = ia_schedule_find(p->setup.store, ia_args_operand(a, 0), &p->before, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    ia_schedule_plan_init(&p->plan, a, NULL, p->before);
    rc = ia_job_parse(ia_str(p->before->run), &p->job, err);
    if (rc == IA_OK) {
        rc = ia_run_opts_read(&p->opts, a, ia_args_operand(a, 1), p->job, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_plan_when(&p->plan, err);
    }
    if (rc == IA_OK) {
        take_fresh(p);
        rc = ia_schedule_plan_policies(&p->plan, err);
    }
    return rc;
}

enum ia_rc ia_cmd_schedule_edit(struct ia_cli *c, struct ia_err *err)
{
    struct plan p = {.c = c};
    int64_t next_ms = 0;
    enum ia_rc rc = read_edit(&p, err);
    if (rc == IA_OK) {
        rc = take_run(&p, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_edit(p.setup.store, &p.plan.row, p.plan.when, &next_ms, err);
    }
    if (rc == IA_OK) {
        p.plan.row.problem = NULL;
        put_done(&p, "changed", next_ms);
    }
    fini(&p);
    return rc;
}
