/* schedule tick: fires what is due, then does the runs that wait, once: for cron and launchd
 * where no daemon runs. */
#include "agent/schedule/schedule.h"
#include "app/fleet/leader.h"
#include "app/schedule_json.h"
#include "app/scheduler_thread.h"
#include "app/workers.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "cli/view/event_log.h"
#include "store/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { GRACE_MS = 20000 };

struct tick {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_cancel *cancel;
    struct ia_leader *leader; /* NULL: no other machine has these schedules */
    struct ia_workers *workers;
    struct ia_event_log *log; /* NULL with --json */
    int64_t next_ms;
    bool fired; /* something was due */

    pthread_mutex_t mutex; /* guards what follows: workers write it */
    struct ia_buf ended;   /* JSON array of runs */
    struct ia_jsonw w;
    enum ia_rc worst; /* of the runs that came to their end */
    struct ia_err worst_err;
    struct ia_err lack; /* why this process cannot execute a queued run */
};

/* ---- reporting -------------------------------------------------------------------------- */

static void kv_time(struct ia_jsonw *w, const char *key, int64_t ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(ms, iso);
    ia_jsonw_kv(w, key, ms == 0 ? NULL : iso);
}

static void on_fired(void *ctx, const struct ia_fired *f)
{
    struct tick *t = ctx;
    struct ia_jsonw *w = &t->c->w;
    t->fired = true;
    if (f->run_id) {
        ia_event_log_say(t->log, "%s started run %s on %s", f->schedule, f->run_id, f->lane);
    } else {
        ia_event_log_say(t->log, "%s %s: %s", f->schedule, f->retired ? "retired" : "skipped",
                         f->reason);
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "schedule", f->schedule);
    kv_time(w, "scheduled", f->scheduled_ms);
    ia_jsonw_kv(w, "device", f->lane);
    ia_jsonw_kv(w, "run", f->run_id);
    ia_jsonw_kv(w, "reason", f->reason);
    ia_jsonw_kv_bool(w, "retired", f->retired);
    ia_jsonw_end_object(w);
}

static void on_notified(void *ctx, const char *schedule, const char *problem, bool last)
{
    struct tick *t = ctx;
    ia_event_log_notified(t->log, schedule, problem, last);
}

/* A run that will be retried has no result yet. */
static void keep_worst(struct tick *t, const struct ia_run_result *r,
                       const struct ia_err *refused)
{
    enum ia_rc rc = refused ? refused->code : ia_run_result_code(r);
    bool over = ia_run_state_final(ia_run_state_from_name(r->state));
    if (over && ia_rc_exit(rc) > ia_rc_exit(t->worst)) {
        t->worst = rc;
        (void)ia_err_set(&t->worst_err, rc, "run %s: %s", r->id,
                         refused ? refused->msg : (r->summary ? r->summary : r->state));
    }
}

static void on_ended(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                     const struct ia_err *refused)
{
    struct tick *t = ctx;
    if (t->log) {
        ia_event_log_ended(t->log, task->lane, r, refused);
    }
    pthread_mutex_lock(&t->mutex);
    keep_worst(t, r, refused);
    if (ia_workers_lacks(
            r, refused)) { /* it will fail the same way as long as this process lives */
        t->lack = *refused;
        ia_cancel_fire(t->cancel);
    }
    ia_jsonw_object(&t->w);
    ia_jsonw_kv(&t->w, "run", task->run_id);
    ia_jsonw_kv(&t->w, "device", task->lane);
    ia_jsonw_kv(&t->w, "state", r->state);
    ia_jsonw_kv(&t->w, "code", ia_rc_name(refused ? refused->code : r->code));
    ia_jsonw_kv(&t->w, "message", refused ? refused->msg : NULL);
    ia_jsonw_end_object(&t->w);
    pthread_mutex_unlock(&t->mutex);
}

static void on_event(void *ctx, const struct ia_queue_task *task, enum ia_event_type type,
                     struct ia_str json)
{
    struct tick *t = ctx;
    (void)type;
    if (t->log) {
        ia_event_log_event(t->log, task->lane, json);
    }
}

/* ---- the two halves ---------------------------------------------------------------------- */

static enum ia_rc open_tick(struct tick *t, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&t->setup, "ios-agent schedule tick", err);
    if (rc == IA_OK) {
        t->cancel = ia_cancel_new(err);
        rc = t->cancel ? IA_OK : err->code;
    }
    if (rc == IA_OK) {
        t->log = t->c->json ? NULL : ia_event_log_new(STDOUT_FILENO);
        t->c->printed = !t->c->json;
        ia_interrupt_install(t->cancel, -1);
        rc = ia_store_recover(t->setup.store, NULL, err);
    }
    return rc;
}

static enum ia_rc fire(struct tick *t, struct ia_err *err)
{
    struct ia_tick_env env = {
        .store = t->setup.store, .cancel = t->cancel, .on_fire = on_fired, .ctx = t};
    ia_jsonw_key(&t->c->w, "fired");
    ia_jsonw_array(&t->c->w);
    enum ia_rc rc = IA_OK;
    if (ia_leader_wanted(t->setup.config)) {
        rc = ia_leader_open(&(struct ia_leader_opts){.setup = &t->setup, .tick = true},
                            &t->leader, err);
        env.claim = ia_leader_claim;
        env.claim_ctx = t->leader;
    }
    rc = rc == IA_OK ? ia_schedule_tick(&env, &t->next_ms, err) : rc;
    ia_jsonw_end_array(&t->c->w);
    return rc;
}

/* A run that does not end within the grace period is left to the next start. Its thread still
 * uses this memory, so nothing is freed. */
static void stop(struct tick *t)
{
    struct ia_err err;
    if (ia_queue_stop(ia_workers_queue(t->workers), GRACE_MS, &err) != IA_OK) {
        ia_event_log_say(t->log, "%s", err.msg);
        _exit(ia_rc_exit(IA_E_CANCELLED));
    }
}

/* Until nothing waits any more. */
static enum ia_rc do_runs(struct tick *t, struct ia_err *err)
{
    struct ia_workers_opts opts = {.setup = &t->setup,
                                   .credentials = &t->c->credentials,
                                   .all_lanes = true,
                                   .ended = on_ended,
                                   .event = on_event,
                                   .ctx = t};
    enum ia_served served = IA_SERVED_EMPTY;
    enum ia_rc rc = ia_workers_new(&opts, &t->workers, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_queue_start(ia_workers_queue(t->workers), err);
    if (rc == IA_OK) {
        rc = ia_queue_serve(ia_workers_queue(t->workers), t->cancel, INT64_MAX, true, &served,
                            err);
    }
    stop(t);
    if (rc == IA_OK && t->lack.code != IA_OK) {
        *err = t->lack;
        rc = err->code;
    } else if (rc == IA_OK && served == IA_SERVED_CANCELLED) {
        rc = ia_err_set(err, IA_E_INTERRUPTED, "stopped; unfinished runs wait");
        ia_err_hint(err, "continue with ios-agent resume, schedule tick or daemon");
    }
    return rc;
}

/* Sends the notifications that are due; those that fail are retried by a later tick. */
static enum ia_rc notify(struct tick *t, struct ia_err *err)
{
    struct ia_notify_env env = ia_scheduler_notify_env(&t->setup, t->cancel);
    env.on_attempt = on_notified;
    env.ctx = t;
    return ia_notify_tick(&env, err);
}

static void close_tick(struct tick *t)
{
    ia_workers_free(t->workers);
    ia_leader_close(t->leader);
    ia_interrupt_remove();
    ia_cancel_free(t->cancel);
    ia_event_log_free(t->log);
    ia_setup_close(&t->setup);
    pthread_mutex_destroy(&t->mutex);
    ia_buf_fini(&t->ended);
}

static void put_end(struct tick *t)
{
    ia_jsonw_end_array(&t->w);
    ia_jsonw_key(&t->c->w, "runs");
    ia_jsonw_raw(&t->c->w, ia_buf_str(&t->ended));
    kv_time(&t->c->w, "next", t->next_ms);
    ia_jsonw_end_object(&t->c->w);
}

struct upcoming {
    int count, active;
    struct ia_buf when; /* of the next one */
    int64_t next_ms;
};

static bool on_schedule(void *ctx, const struct ia_schedule_row *row)
{
    struct upcoming *u = ctx;
    bool active = !row->paused && !row->problem && row->next_ms > 0;
    u->count++;
    u->active += active;
    if (active && (u->next_ms == 0 || row->next_ms < u->next_ms)) {
        u->next_ms = row->next_ms;
        ia_buf_reset(&u->when);
        ia_schedule_say_time(&u->when, row->next_ms, row->zone);
        ia_buf_printf(&u->when, " (%s)", row->name);
    }
    return true;
}

/* Silence would look like a failure to whoever tries it by hand. */
static void say_idle(struct tick *t)
{
    struct upcoming u = {.when = IA_BUF(4096)};
    if (t->fired || t->ended.len > 1 || !t->log) {
        return;
    }
    if (ia_store_schedules(t->setup.store, NULL, on_schedule, &u, NULL) == IA_OK &&
        u.active > 0) {
        ia_event_log_say(t->log, "nothing is due; the next is %s", ia_buf_cstr(&u.when));
    } else {
        ia_event_log_say(t->log, "nothing is due: %s",
                         u.count > 0 ? "no schedule is active (ios-agent schedule list)"
                                     : "there are no schedules (ios-agent schedule add)");
    }
    ia_buf_fini(&u.when);
}

/* An error in one schedule does not stop the runs of the others. */
enum ia_rc ia_cmd_schedule_tick(struct ia_cli *c, struct ia_err *err)
{
    struct tick t = {.c = c, .ended = IA_BUF(IA_CLI_OUTPUT_MAX)};
    struct ia_err first = {.code = IA_OK};
    pthread_mutex_init(&t.mutex, NULL);
    ia_jsonw_init(&t.w, &t.ended);
    ia_jsonw_array(&t.w);
    ia_jsonw_object(&c->w);
    enum ia_rc rc = open_tick(&t, err);
    if (rc == IA_OK) {
        enum ia_rc fired = fire(&t, &first);
        rc = ia_cancel_fired(t.cancel) ? fired : do_runs(&t, err);
        if (rc == IA_OK) {
            rc = notify(&t, err);
        }
        if (rc == IA_OK) {
            say_idle(&t);
        }
        if (rc == IA_OK && t.worst != IA_OK) {
            *err = t.worst_err;
            rc = t.worst;
        }
        if (fired != IA_OK) {
            *err = first;
            rc = fired;
        }
        put_end(&t);
    }
    close_tick(&t);
    return rc;
}
