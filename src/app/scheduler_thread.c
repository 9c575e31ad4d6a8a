/* scheduler_thread.c: the scheduler: one thread that alternates between firing schedules and delivering notices.
 *
 *        ┌─► fire what is due ─► deliver notices ─► wait for the next due time, at most 2 s ─┐
 *        └──────────────────────────────────────────────────────────────────────────────────┘
 */
#include "app/scheduler_thread.h"

#include "app/live_config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_MS = 2000 }; /* between two looks for schedules that others added */

struct ia_scheduler_thread {
    const struct ia_setup *setup;
    struct ia_queue *queue;
    struct ia_scheduler_observer observer;
    struct ia_scheduler_peers peers;
    struct ia_cancel *cancel;
    pthread_t thread;
    char reported[sizeof(((struct ia_err *)0)->msg)]; /* the failure that was reported last */
};

struct ia_notify_env ia_scheduler_notify_env(const struct ia_setup *setup,
                                             struct ia_cancel *cancel)
{
    const char *ca_bundle = ia_config_str(setup->config, IA_CFG_API_CA_BUNDLE);
    const char *proxy = ia_config_str(setup->config, IA_CFG_API_PROXY);
    return (struct ia_notify_env){.store = setup->store,
                                  .cancel = cancel,
                                  .ca_bundle = ca_bundle[0] != '\0' ? ca_bundle : NULL,
                                  .proxy = proxy[0] != '\0' ? proxy : NULL};
}

static void fired(void *ctx, const struct ia_fired *f)
{
    const struct ia_scheduler_thread *t = ctx;
    if (t->observer.fired) {
        t->observer.fired(t->observer.ctx, f);
    }
    /* The run is committed: its lane need not wait for the next poll of the queue. */
    if (f->run_id) {
        ia_queue_wake(t->queue, f->lane);
    }
}

/* The loop comes by every two seconds: without this the same failure would fill the screen. */
static void report_failure(struct ia_scheduler_thread *t, enum ia_rc rc,
                           const struct ia_err *err)
{
    const char *msg = rc == IA_OK ? "" : err->msg;
    if (msg[0] != '\0' && strcmp(msg, t->reported) != 0 && t->observer.failed) {
        t->observer.failed(t->observer.ctx, err);
    }
    (void)snprintf(t->reported, sizeof(t->reported), "%s", msg);
}

static void *run(void *ctx)
{
    struct ia_scheduler_thread *t = ctx;
    const struct ia_clock *clock = ia_clock_system();
    struct ia_tick_env env = {.store = t->setup->store,
                              .cancel = t->cancel,
                              .on_fire = fired,
                              .ctx = t,
                              .claim = t->peers.claim,
                              .claim_ctx = t->peers.ctx};
    struct ia_notify_env notify = ia_scheduler_notify_env(t->setup, t->cancel);
    notify.attempts_max = 1; /* a slow receiver must not delay the schedules for long */
    notify.on_attempt = t->observer.notified;
    notify.ctx = t->observer.ctx;
    while (!ia_cancel_fired(t->cancel)) {
        struct ia_err err = {.code = IA_OK};
        int64_t next_ms = 0;
        /* Settings that are not only read when they are needed hear of a change here. */
        ia_config_give_back(t->setup, ia_config_take(t->setup));
        enum ia_rc rc = ia_schedule_tick(&env, &next_ms, &err);
        if (rc == IA_OK) {
            rc = ia_notify_tick(&notify, &err);
        }
        /* A failure because of the stop is none. */
        report_failure(t, ia_cancel_fired(t->cancel) ? IA_OK : rc, &err);
        /* Another process may have added a schedule. */
        int64_t wait_ms = LOOK_MS;
        int64_t due_ms = next_ms - ia_wall_ms(clock);
        if (rc == IA_OK && next_ms > 0 && due_ms < wait_ms) {
            wait_ms = due_ms > 0 ? due_ms : 0;
        }
        (void)ia_clock_wait(clock, t->cancel, ia_mono_us(clock) + wait_ms * 1000);
    }
    return NULL;
}

struct ia_scheduler_thread *
ia_scheduler_thread_start(const struct ia_setup *setup, struct ia_queue *queue,
                          const struct ia_scheduler_observer *observer,
                          struct ia_scheduler_peers peers, struct ia_err *err)
{
    struct ia_cancel *cancel = ia_cancel_new(err);
    if (!cancel) {
        return NULL;
    }
    struct ia_scheduler_thread *t = ia_calloc(1, sizeof(*t));
    *t = (struct ia_scheduler_thread){
        .setup = setup, .queue = queue, .peers = peers, .cancel = cancel};
    if (observer) {
        t->observer = *observer;
    }
    if (pthread_create(&t->thread, NULL, run, t) != 0) {
        (void)ia_err_set(err, IA_E_INTERNAL, "no thread is left to run schedules");
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
