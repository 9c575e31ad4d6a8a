/* schedule add | edit: a goal that repeats, and when. */
#include "agent/run/run.h"
#include "agent/schedule/cron.h"
#include "agent/schedule/schedule.h"
#include "app/agents.h"
#include "app/model_client.h"
#include "app/secret_env.h"
#include "base/zone.h"
#include "cli/cmd/cmd.h"
#include "cli/options/runopts.h"
#include "cli/view/schedule_json.h"
#include "driver/registry/device_registry.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_PHONE_MAX = sizeof(IA_DEVICE_EMBEDDED) + 32, GRACE_S = 300, NOTIFY_MAX = 8192 };

/* What add and edit put together. */
struct plan {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_model_client client;
    struct ia_run_opts opts;
    struct ia_setup_step fresh;
    struct ia_schedule_row *before; /* of edit; NULL: add */
    struct ia_job *job;             /* of before */
    struct ia_schedule_row row;     /* borrows from the members */
    char zone[IA_ZONE_NAME_MAX];
    char seconds[32];
    struct ia_buf lane, run, notify;
    bool when; /* what says when it fires was given */
};

/* ---- when -------------------------------------------------------------------------------- */

static enum ia_rc take_every(struct plan *p, const char *text, struct ia_err *err)
{
    int64_t seconds = 0;
    enum ia_rc rc = ia_interval_parse(text, &seconds, err);
    (void)snprintf(p->seconds, sizeof(p->seconds), "%lld", (long long)seconds);
    p->row.spec = p->seconds;
    return rc;
}

static enum ia_rc check_cron(const char *text, struct ia_err *err)
{
    struct ia_cron cron;
    return ia_cron_parse(text, &cron, err);
}

static enum ia_rc check_zone(struct plan *p, struct ia_err *err)
{
    struct ia_zone *zone = NULL;
    int64_t ms = 0;
    enum ia_rc rc = ia_zone_open(p->row.zone, &zone, err);
    if (rc == IA_OK && p->row.kind == IA_SCHEDULE_AT) {
        rc = ia_at_parse(p->row.spec, zone, &ms, err);
    }
    ia_zone_free(zone);
    return rc;
}

static enum ia_rc take_when(struct plan *p, struct ia_err *err)
{
    const struct ia_args *a = &p->c->args;
    int given = 0;
    for (int kind = 0; kind < IA_SCHEDULE_KIND_COUNT; kind++) {
        const char *option = ia_schedule_kind_name((enum ia_schedule_kind)kind);
        if (ia_args_has(a, option)) {
            p->row.kind = (enum ia_schedule_kind)kind;
            p->row.spec = ia_args_text(a, option);
            given++;
        }
    }
    p->when = given > 0 || ia_args_has(a, "tz");
    if (given > 1 || !p->row.spec) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "give one of --cron, --every or --at%s",
                                   given > 1 ? ", not several" : "");
        ia_err_hint(err, "--cron \"0 3 * * 1-5\", --every 30m, --at 2026-12-01T09:00");
        return rc;
    }
    if (given == 1 && p->row.kind == IA_SCHEDULE_CRON) {
        return check_cron(p->row.spec, err);
    }
    if (given == 1 && p->row.kind == IA_SCHEDULE_EVERY) {
        return take_every(p, p->row.spec, err);
    }
    return IA_OK;
}

static void take_zone(struct plan *p)
{
    const char *named = ia_args_text(&p->c->args, "tz");
    if (named) {
        p->row.zone = named;
    } else if (!p->row.zone) {
        ia_zone_here(p->zone);
        p->row.zone = p->zone;
    }
}

/* ---- policies ---------------------------------------------------------------------------- */

static const char *or_before(const struct ia_args *a, const char *name, const char *before)
{
    return ia_args_has(a, name) ? ia_args_text(a, name) : before;
}

static enum ia_rc take_grace(struct plan *p, struct ia_err *err)
{
    const char *text = ia_args_text(&p->c->args, "grace");
    if (!text) {
        return IA_OK;
    }
    enum ia_rc rc = ia_interval_parse(text, &p->row.grace_s, err);
    return rc == IA_OK ? rc : ia_err_wrap(err, rc, "--grace");
}

/* An empty value removes the command. */
static void take_precheck(struct plan *p)
{
    p->row.precheck = or_before(&p->c->args, "if", p->row.precheck);
    if (p->row.precheck && p->row.precheck[0] == '\0') {
        p->row.precheck = NULL;
    }
}

static bool is_url(const char *text)
{
    return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

/* http://user:password@HOST:80/… */
static bool has_host(const char *url)
{
    const char *from = strstr(url, "://") + strlen("://");
    size_t n = strcspn(from, "/?#"), host = 0;
    for (size_t i = 0; i < n; i++) {
        host = from[i] == '@' ? i + 1 : host;
    }
    return host < n && from[host] != ':';
}

static enum ia_rc take_notify(struct plan *p, struct ia_err *err)
{
    struct ia_jsonw w;
    const char *text = ia_args_text(&p->c->args, "notify");
    if (!text) {
        return IA_OK;
    }
    p->row.notify = NULL;
    if (text[0] == '\0') {
        return IA_OK;
    }
    if (!is_url(text) && strstr(text, "://") && !strpbrk(text, " \t")) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "--notify %.80s is not an http or https URL", text);
        ia_err_hint(err,
                    "a webhook begins with https:// or http://; anything else is a command");
        return rc;
    }
    if (is_url(text) && !has_host(text)) {
        return ia_err_set(err, IA_E_USAGE, "--notify: the URL has no host");
    }
    ia_jsonw_init(&w, &p->notify);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, is_url(text) ? "url" : "command", text);
    ia_jsonw_end_object(&w);
    p->row.notify = ia_buf_cstr(&p->notify);
    return ia_buf_check(&p->notify, "--notify", err);
}

static enum ia_rc take_policies(struct plan *p, struct ia_err *err)
{
    const char *missed = ia_args_text(&p->c->args, "missed");
    const char *overlap = ia_args_text(&p->c->args, "overlap");
    p->row.missed = missed ? ia_missed_from_name(missed) : p->row.missed;
    p->row.overlap = overlap ? ia_overlap_from_name(overlap) : p->row.overlap;
    if (missed && p->row.missed == IA_MISSED_ALL && !overlap) {
        /* With skip, the first of the missed runs would make all others be skipped. */
        p->row.overlap = IA_OVERLAP_QUEUE;
    }
    take_precheck(p);
    enum ia_rc rc = take_grace(p, err);
    return rc == IA_OK ? take_notify(p, err) : rc;
}

/* ---- what is run ------------------------------------------------------------------------- */

static enum ia_rc take_lane(struct plan *p, const char *device, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(device, &p->setup.paths, &spec, err);
    if (rc == IA_OK) {
        ia_device_spec_lane(&spec, &p->lane);
        p->row.lane = ia_buf_cstr(&p->lane);
    }
    ia_device_spec_fini(&spec);
    return rc;
}

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

/* "embedded:schedule-nightly". A schedule that names no device must not find what a person left on
 * the default phone, and with --fresh it must not erase that. */
static void own_phone(const char *schedule, struct ia_buf *out)
{
    ia_buf_puts(out, IA_DEVICE_EMBEDDED ":schedule-");
    for (const char *p = schedule; *p != '\0' && out->len < OWN_PHONE_MAX; p++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
        bool allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        ia_buf_putc(out, allowed ? c : '-');
    }
}

static enum ia_rc take_device(struct plan *p, struct ia_err *err)
{
    struct ia_config *g = p->setup.config;
    if (p->before || ia_config_origin(g, IA_CFG_RUN_DEVICE) != IA_CFG_FROM_DEFAULT) {
        return IA_OK;
    }
    struct ia_buf name = IA_BUF(2 * OWN_PHONE_MAX);
    own_phone(p->row.name, &name);
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
        rc = take_lane(p, device, err);
    }
    if (rc == IA_OK) {
        rc = ia_model_client_open(&p->client, &p->c->credentials, s, wants_demo(p), err);
    }
    if (rc == IA_OK && p->opts.agent) {
        rc = ia_agent_store(p->opts.agent, s->store, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_run_request req =
        ia_run_opts_request(&p->opts, s->config, p->client.demo != NULL);
    req.name = p->row.name;
    rc = ia_run_check(p->client.claude, &req,
                      ia_config_bool(s->config, IA_CFG_RUN_ALLOW_COMMANDS), err);
    if (rc == IA_OK) {
        rc = ia_secrets_check_texts_now(&req, err);
    }
    if (rc == IA_OK) {
        ia_job_write(&req, device, &p->run);
        p->row.run = ia_buf_cstr(&p->run);
        rc = ia_buf_check(&p->run, "the goal with its options", err);
    }
    return rc;
}

/* ---- add and edit ------------------------------------------------------------------------ */

static void fini(struct plan *p)
{
    ia_model_client_close(&p->client);
    ia_job_free(p->job);
    ia_schedule_row_free(p->before);
    ia_buf_fini(&p->lane);
    ia_buf_fini(&p->run);
    ia_buf_fini(&p->notify);
    ia_setup_close(&p->setup);
}

static void put_done(struct plan *p, const char *done, int64_t next_ms)
{
    struct ia_buf *t = &p->c->text;
    p->row.next_ms = next_ms;
    ia_buf_printf(t, "%s %s: ", done, p->row.name);
    ia_schedule_say_when(t, &p->row);
    ia_buf_puts(t, "\nnext     ");
    ia_schedule_say_time(t, next_ms, p->row.zone);
    ia_buf_printf(t, " (%s) on %s%s\n", p->row.zone, p->row.lane,
                  p->client.demo ? ", answered by the demo brain, which does not reason" : "");
    if (p->row.paused) {
        ia_buf_printf(t, "paused   ios-agent schedule resume %s\n", p->row.name);
    }
    ia_buf_puts(t, "The daemon runs it (ios-agent daemon install); without a daemon: ios-agent "
                   "schedule tick\n");
    ia_jsonw_object(&p->c->w);
    ia_schedule_json(&p->c->w, &p->row);
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
    p->row = (struct ia_schedule_row){.name = ia_args_text(a, "name"),
                                      .missed = IA_MISSED_LATEST,
                                      .overlap = IA_OVERLAP_SKIP,
                                      .grace_s = GRACE_S};
    struct ia_err when = {.code = IA_OK};
    enum ia_rc rc = refuse_sweep(a, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = take_when(p, &when);
    if (need_name(p->row.name, err) != IA_OK) { /* both at once: neither waits for the other */
        return rc == IA_OK ? err->code : both_lack(&when, err);
    }
    if (rc != IA_OK) {
        *err = when;
    } else {
        rc = ia_run_opts_read(&p->opts, a, ia_args_operand(a, 0), NULL, err);
    }
    if (rc == IA_OK) {
        take_fresh(p);
        take_zone(p);
        rc = take_policies(p, err);
    }
    return rc == IA_OK ? check_zone(p, err) : rc;
}

static struct plan plan_of(struct ia_cli *c)
{
    return (struct plan){.c = c,
                         .lane = IA_BUF(2 * (size_t)IA_LANE_MAX),
                         .run = IA_BUF(IA_JOB_BYTES_MAX),
                         .notify = IA_BUF(NOTIFY_MAX)};
}

enum ia_rc ia_cmd_schedule_add(struct ia_cli *c, struct ia_err *err)
{
    struct plan p = plan_of(c);
    int64_t next_ms = 0;
    enum ia_rc rc = read_add(&p, err);
    if (rc == IA_OK) {
        rc = ia_setup_store(&p.setup, "ios-agent schedule add", err);
    }
    if (rc == IA_OK) {
        rc = take_run(&p, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_add(p.setup.store, &p.row, &next_ms, err);
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
    p->row = *p->before;
    rc = ia_job_parse(ia_str(p->before->run), &p->job, err);
    if (rc == IA_OK) {
        rc = ia_run_opts_read(&p->opts, a, ia_args_operand(a, 1), p->job, err);
    }
    if (rc == IA_OK) {
        rc = take_when(p, err);
    }
    if (rc == IA_OK) {
        take_fresh(p);
        take_zone(p);
        rc = take_policies(p, err);
    }
    return rc == IA_OK ? check_zone(p, err) : rc;
}

enum ia_rc ia_cmd_schedule_edit(struct ia_cli *c, struct ia_err *err)
{
    struct plan p = plan_of(c);
    int64_t next_ms = 0;
    enum ia_rc rc = read_edit(&p, err);
    if (rc == IA_OK) {
        rc = take_run(&p, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_edit(p.setup.store, &p.row, p.when, &next_ms, err);
    }
    if (rc == IA_OK) {
        p.row.problem = NULL;
        put_done(&p, "changed", next_ms);
    }
    fini(&p);
    return rc;
}
