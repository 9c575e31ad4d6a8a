/* schedule_plan.c: checks each value of a schedule when it is read, so that no mistake waits for the
 * first due time. */
#include "app/schedule_plan.h"

#include "agent/goal/job.h"
#include "agent/schedule/cron.h"
#include "agent/schedule/notify.h"
#include "agent/schedule/schedule.h"
#include "driver/registry/device_registry.h"

#include <stdio.h>
#include <string.h>

enum { PHONE_BYTES_MAX = sizeof(IA_DEVICE_EMBEDDED) + 32, GRACE_S = 300, NOTIFY_MAX = 8192 };

void ia_schedule_plan_init(struct ia_schedule_plan *p, const struct ia_args *args,
                           const char *name, const struct ia_schedule_row *before)
{
    *p = (struct ia_schedule_plan){.args = args,
                                   .lane = IA_BUF(2 * (size_t)IA_LANE_MAX),
                                   .run = IA_BUF(IA_JOB_BYTES_MAX),
                                   .notify = IA_BUF(NOTIFY_MAX)};
    if (before) {
        p->row = *before;
    } else {
        p->row = (struct ia_schedule_row){.name = name,
                                          .missed = IA_MISSED_LATEST,
                                          .overlap = IA_OVERLAP_SKIP,
                                          .grace_s = GRACE_S};
    }
}

void ia_schedule_plan_fini(struct ia_schedule_plan *p)
{
    ia_buf_fini(&p->lane);
    ia_buf_fini(&p->run);
    ia_buf_fini(&p->notify);
}

/* ---- when -------------------------------------------------------------------------------- */

static enum ia_rc take_every(struct ia_schedule_plan *p, const char *text, struct ia_err *err)
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

static enum ia_rc check_zone(struct ia_schedule_plan *p, struct ia_err *err)
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

enum ia_rc ia_schedule_plan_when(struct ia_schedule_plan *p, struct ia_err *err)
{
    const struct ia_args *a = p->args;
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

static void take_zone(struct ia_schedule_plan *p)
{
    const char *named = ia_args_text(p->args, "tz");
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

static enum ia_rc take_grace(struct ia_schedule_plan *p, struct ia_err *err)
{
    const char *text = ia_args_text(p->args, "grace");
    if (!text) {
        return IA_OK;
    }
    enum ia_rc rc = ia_interval_parse(text, &p->row.grace_s, err);
    return rc == IA_OK ? rc : ia_err_wrap(err, rc, "--grace");
}

/* An empty value removes the command. */
static void take_precheck(struct ia_schedule_plan *p)
{
    p->row.precheck = or_before(p->args, "if", p->row.precheck);
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

static enum ia_rc take_notify(struct ia_schedule_plan *p, struct ia_err *err)
{
    const char *text = ia_args_text(p->args, "notify");
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
    ia_notify_target(text, &p->notify);
    p->row.notify = ia_buf_cstr(&p->notify);
    return ia_buf_check(&p->notify, "--notify", err);
}

static enum ia_rc take_policies(struct ia_schedule_plan *p, struct ia_err *err)
{
    const char *missed = ia_args_text(p->args, "missed");
    const char *overlap = ia_args_text(p->args, "overlap");
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

enum ia_rc ia_schedule_plan_policies(struct ia_schedule_plan *p, struct ia_err *err)
{
    take_zone(p);
    enum ia_rc rc = take_policies(p, err);
    return rc == IA_OK ? check_zone(p, err) : rc;
}

/* ---- what is run ------------------------------------------------------------------------- */

static enum ia_rc take_lane(struct ia_schedule_plan *p, const struct ia_paths *paths,
                            const char *device, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(device, paths, &spec, err);
    if (rc == IA_OK) {
        ia_device_spec_lane(&spec, &p->lane);
        p->row.lane = ia_buf_cstr(&p->lane);
    }
    ia_device_spec_fini(&spec);
    return rc;
}

void ia_schedule_plan_phone(const char *name, struct ia_buf *out)
{
    ia_buf_puts(out, IA_DEVICE_EMBEDDED ":schedule-");
    for (const char *p = name; *p != '\0' && out->len < PHONE_BYTES_MAX; p++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
        bool allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        ia_buf_putc(out, allowed ? c : '-');
    }
}

enum ia_rc ia_schedule_plan_run(struct ia_schedule_plan *p, const struct ia_paths *paths,
                                const struct ia_run_request *request, const char *device,
                                struct ia_err *err)
{
    enum ia_rc rc = take_lane(p, paths, device, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_job_write(request, device, &p->run);
    p->row.run = ia_buf_cstr(&p->run);
    return ia_buf_check(&p->run, "the goal with its options", err);
}
