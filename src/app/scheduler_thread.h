/* scheduler_thread.h: fires schedules and delivers notices, beside whatever else a process does.
 *
 * A thread of its own: a precheck may take half a minute, a webhook ten seconds, and the queue
 * must be served meanwhile. */
#ifndef IA_APP_SCHEDULER_THREAD_H
#define IA_APP_SCHEDULER_THREAD_H

#include "agent/queue/queue.h"
#include "agent/schedule/notify.h"
#include "agent/schedule/schedule.h"
#include "app/setup.h"

struct ia_scheduler_thread;

/* Hears what the thread does, on that thread. Any function may be NULL. */
struct ia_scheduler_observer {
    /* A schedule fired, skipped a time or was retired. */
    void (*fired)(void *ctx, const struct ia_fired *fired);
    /* An attempt to deliver a notice ended; the arguments are those of struct ia_notify_env. */
    void (*notified)(void *ctx, const char *schedule, const char *problem, bool last);
    /* A tick failed. A failure that repeats is reported once, until another or none follows. */
    void (*failed)(void *ctx, const struct ia_err *err);
    void *ctx;
};

/* Other machines with the same schedules (struct ia_tick_env). claim NULL: none. */
struct ia_scheduler_peers {
    ia_fire_claim_fn *claim;
    void *ctx;
};

/* setup and queue are borrowed until ia_scheduler_thread_stop; observer is copied and may be
 * NULL. NULL and err when there is no thread or descriptor left. */
struct ia_scheduler_thread *
ia_scheduler_thread_start(const struct ia_setup *setup, struct ia_queue *queue,
                          const struct ia_scheduler_observer *observer,
                          struct ia_scheduler_peers peers, struct ia_err *err);
/* Cancels what the thread is doing, even in the middle of a precheck, and frees. NULL is fine. */
void ia_scheduler_thread_stop(struct ia_scheduler_thread *t);

/* How notices are delivered, by the configuration. The caller adds its own observer. */
struct ia_notify_env ia_scheduler_notify_env(const struct ia_setup *setup,
                                             struct ia_cancel *cancel);

#endif
