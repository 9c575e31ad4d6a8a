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
#include "cli/view/event_log.h"

struct ia_scheduler_thread;

/* Everything is borrowed until ia_scheduler_thread_stop; lines may be NULL. NULL and err when there is no
 * thread or descriptor left. */
struct ia_scheduler_thread *ia_scheduler_thread_start(const struct ia_setup *setup,
                                                      struct ia_queue *queue,
                                                      struct ia_event_log *lines,
                                                      struct ia_err *err);
/* Ends what it does, a precheck in hand too, and frees. NULL is fine. */
void ia_scheduler_thread_stop(struct ia_scheduler_thread *t);

/* How notices are delivered, by the configuration; what comes of them is said on lines. */
struct ia_notify_env ia_scheduler_thread_notify(const struct ia_setup *setup,
                                                struct ia_cancel *cancel,
                                                struct ia_event_log *lines);
/* What a tick did, as a line. */
void ia_scheduler_thread_say(struct ia_event_log *lines, const struct ia_fired *fired);

#endif
