#include "app/scheduler_thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ia_scheduler_thread {
    const struct ia_setup *setup;
    struct ia_queue *queue;
    struct ia_event_log *lines;
    struct ia_cancel *cancel;
    pthread_t thread;
    char said[sizeof(((struct ia_err *)0)->msg)]; /* the failure that was told last */
};

void ia_scheduler_thread_say(struct ia_event_log *lines, const struct ia_fired *fired)
{
    if (fired->retired) {
        ia_event_log_say(lines, "schedule %s cannot fire any more: %s", fired->schedule,
                         fired->reason);
    } else if (fired->run_id) {
        ia_event_log_say(lines, "schedule %s fired: run %s", fired->schedule, fired->run_id);
    } else {
        ia_event_log_say(lines, "schedule %s skipped: %s", fired->schedule, fired->reason);
    }
}

static void fired(void *ctx, const struct ia_fired *f)
{
    const struct ia_scheduler_thread *t = ctx;
    ia_scheduler_thread_say(t->lines, f);
    if (f->run_id) {
        ia_queue_wake(t->queue, f->lane);
    }
}

static void notified(void *ctx, const char *schedule, const char *problem, bool last)
{
    struct ia_event_log *lines = ctx;
    if (problem) {
        ia_event_log_say(lines, "schedule %s: its change of verdict was not told%s: %s",
                         schedule, last ? " and is not tried again" : "", problem);
    } else {
        ia_event_log_say(lines, "schedule %s: its change of verdict was told", schedule);
    }
}

struct ia_notify_env ia_scheduler_thread_notify(const struct ia_setup *setup,
                                                struct ia_cancel *cancel,
                                                struct ia_event_log *lines)
{
    const char *ca_bundle = ia_config_str(setup->config, IA_CFG_API_CA_BUNDLE);
    const char *proxy = ia_config_str(setup->config, IA_CFG_API_PROXY);
    return (struct ia_notify_env){.store = setup->store,
                                  .cancel = cancel,
                                  .ca_bundle = ca_bundle[0] != '\0' ? ca_bundle : NULL,
                                  .proxy = proxy[0] != '\0' ? proxy : NULL,
                                  .tell = notified,
                                  .ctx = lines};
}

/* Every second the same failure would fill the screen. */
static void complain(struct ia_scheduler_thread *t, enum ia_rc rc, const struct ia_err *err)
{
    const char *msg = rc == IA_OK ? "" : err->msg;
    if (msg[0] != '\0' && strcmp(msg, t->said) != 0) {
        ia_event_log_say(t->lines, "%s", msg);
    }
    (void)snprintf(t->said, sizeof(t->said), "%s", msg);
}

static void *run(void *ctx)
{
    struct ia_scheduler_thread *t = ctx;
    const struct ia_clock *clock = ia_clock_system();
    struct ia_tick_env env = {
        .store = t->setup->store, .cancel = t->cancel, .tell = fired, .ctx = t};
    struct ia_notify_env notify = ia_scheduler_thread_notify(t->setup, t->cancel, t->lines);
    notify.attempts_max = 1; /* a slow one must not hold the fires for long */
    while (!ia_cancel_fired(t->cancel)) {
        struct ia_err err = {.code = IA_OK};
        int64_t next_ms = 0;
        enum ia_rc rc = ia_schedule_tick(&env, &next_ms, &err);
        if (rc == IA_OK) {
            rc = ia_notify_tick(&notify, &err);
        }
        complain(t, ia_cancel_fired(t->cancel) ? IA_OK : rc, &err);
        /* Another process may have added one: never longer than the queue's own look. */
        int64_t wait_ms = IA_QUEUE_POLL_MS;
        int64_t due_ms = next_ms - ia_wall_ms(clock);
        if (rc == IA_OK && next_ms > 0 && due_ms < wait_ms) {
            wait_ms = due_ms > 0 ? due_ms : 0;
        }
        (void)ia_clock_wait(clock, t->cancel, ia_mono_us(clock) + wait_ms * 1000);
    }
    return NULL;
}

struct ia_scheduler_thread *ia_scheduler_thread_start(const struct ia_setup *setup,
                                                      struct ia_queue *queue,
                                                      struct ia_event_log *lines,
                                                      struct ia_err *err)
{
    struct ia_cancel *cancel = ia_cancel_new(err);
    if (!cancel) {
        return NULL;
    }
    struct ia_scheduler_thread *t = ia_calloc(1, sizeof(*t));
    *t = (struct ia_scheduler_thread){
        .setup = setup, .queue = queue, .lines = lines, .cancel = cancel};
    if (pthread_create(&t->thread, NULL, run, t) != 0) {
        (void)ia_err_set(err, IA_E_INTERNAL, "no thread is left to fire schedules");
        ia_cancel_free(cancel);
        free(t);
        return NULL;
    }
    return t;
}

void ia_scheduler_thread_stop(struct ia_scheduler_thread *t)
{
    if (t) {
        ia_cancel_fire(t->cancel);
        pthread_join(t->thread, NULL);
        ia_cancel_free(t->cancel);
        free(t);
    }
}
