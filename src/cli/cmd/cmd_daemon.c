/* daemon: runs whatever is queued or due until it is stopped. */
#include "app/scheduler_thread.h"
#include "app/workers.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "cli/view/event_log.h"

#include "base/log.h"
#include "store/queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { LEASE_MS = 60000, RENEW_MS = LEASE_MS / 3, GRACE_MS = 20000 };
#define DAEMON_LANE "daemon"

struct daemon {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_workers *workers;
    struct ia_cancel *cancel;
    struct ia_lease *lease; /* one daemon for a home */
    struct ia_event_log *log;
    struct ia_scheduler_thread *scheduler;
};

static void ended(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                  const struct ia_err *refused)
{
    struct daemon *d = ctx;
    ia_event_log_ended(d->log, task->lane, r, refused);
}

static void event(void *ctx, const struct ia_queue_task *task, enum ia_event_type type,
                  struct ia_str json)
{
    struct daemon *d = ctx;
    (void)type;
    ia_event_log_event(d->log, task->lane, json);
}

static void fired(void *ctx, const struct ia_fired *f)
{
    struct daemon *d = ctx;
    ia_event_log_fired(d->log, f);
}

static void notified(void *ctx, const char *schedule, const char *problem, bool last)
{
    struct daemon *d = ctx;
    ia_event_log_notified(d->log, schedule, problem, last);
}

static void tick_failed(void *ctx, const struct ia_err *err)
{
    struct daemon *d = ctx;
    ia_event_log_say(d->log, "%s", err->msg);
}

/* ---- opening ----------------------------------------------------------------------------- */

static enum ia_rc recover(struct daemon *d, struct ia_err *err)
{
    int n = 0;
    enum ia_rc rc = ia_store_recover(d->setup.store, &n, err);
    if (rc == IA_OK && n > 0) {
        ia_event_log_say(d->log, "%d interrupted run%s of dead processes will be resumed", n,
                         n == 1 ? "" : "s");
    }
    return rc;
}

static enum ia_rc open_daemon(struct daemon *d, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&d->setup, "ios-agent daemon", err);
    if (rc == IA_OK) {
        rc = ia_lease_take(d->setup.store, DAEMON_LANE, NULL, LEASE_MS, &d->lease, err);
    }
    if (rc == IA_OK) {
        d->cancel = ia_cancel_new(err);
        rc = d->cancel ? IA_OK : err->code;
    }
    if (rc == IA_OK) {
        d->log = ia_event_log_new(STDOUT_FILENO);
        ia_interrupt_install(d->cancel, -1);
        rc = recover(d, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_workers_opts opts = {.setup = &d->setup,
                                   .credentials = &d->c->credentials,
                                   .all_lanes = true,
                                   .ended = ended,
                                   .event = event,
                                   .ctx = d};
    rc = ia_workers_new(&opts, &d->workers, err);
    if (rc == IA_OK) {
        rc = ia_queue_start(ia_workers_queue(d->workers), err);
    }
    if (rc == IA_OK) {
        struct ia_scheduler_observer observer = {
            .fired = fired, .notified = notified, .failed = tick_failed, .ctx = d};
        d->scheduler =
            ia_scheduler_thread_start(&d->setup, ia_workers_queue(d->workers), &observer, err);
        rc = d->scheduler ? IA_OK : err->code;
    }
    return rc;
}

static void close_daemon(struct daemon *d)
{
    ia_workers_free(d->workers);
    ia_lease_release(d->lease);
    ia_interrupt_remove();
    ia_cancel_free(d->cancel);
    ia_event_log_free(d->log);
    ia_setup_close(&d->setup);
}

/* ---- serving ----------------------------------------------------------------------------- */

/* The store may be locked or the disk full for a while: report it and retry. */
static bool goes_on(struct daemon *d, const struct ia_err *err)
{
    ia_event_log_say(d->log, "%s", err->msg);
    bool hopeless = err->code == IA_E_DB_CORRUPT || err->code == IA_E_DB_NEWER;
    if (!hopeless) {
        int64_t soon = ia_mono_us(ia_clock_system()) + IA_QUEUE_POLL_MS * INT64_C(1000);
        (void)ia_clock_wait(ia_clock_system(), d->cancel, soon);
    }
    return !hopeless;
}

static enum ia_rc serve(struct daemon *d, struct ia_err *err)
{
    enum ia_served served = IA_SERVED_UNTIL;
    enum ia_rc rc = IA_OK;
    while (served != IA_SERVED_CANCELLED && rc == IA_OK) {
        int64_t until = ia_wall_ms(ia_clock_system()) + RENEW_MS;
        rc =
            ia_queue_serve(ia_workers_queue(d->workers), d->cancel, until, false, &served, err);
        if (rc == IA_OK && served == IA_SERVED_UNTIL) {
            rc = ia_lease_renew(d->lease, LEASE_MS, err);
        }
        if (rc != IA_OK && rc != IA_E_STATE && goes_on(d, err)) {
            rc = IA_OK;
        }
        if (ia_cancel_fired(d->cancel)) {
            served = IA_SERVED_CANCELLED;
        }
    }
    return rc;
}

/* A run that does not end within the grace period is left to the next start. Its thread still
 * uses this memory, so nothing is freed. */
static void stop(struct daemon *d)
{
    struct ia_err err;
    ia_event_log_say(d->log, "stopping; finishing the actions in progress first");
    ia_scheduler_thread_stop(d->scheduler);
    if (ia_queue_stop(ia_workers_queue(d->workers), GRACE_MS, &err) != IA_OK) {
        ia_event_log_say(d->log, "%s", err.msg);
        _exit(ia_rc_exit(IA_E_CANCELLED));
    }
}

enum ia_rc ia_cmd_daemon(struct ia_cli *c, struct ia_err *err)
{
    struct daemon d = {.c = c};
    c->printed = true;
    enum ia_rc rc = open_daemon(&d, err);
    if (rc == IA_OK) {
        ia_event_log_say(d.log, "ready: %s", d.setup.paths.home);
        rc = serve(&d, err);
        stop(&d);
    }
    close_daemon(&d);
    return rc;
}
