/* ticker.h: fires schedules and delivers notices, beside whatever else a process does.
 *
 * A thread of its own: a precheck may take half a minute, a webhook ten seconds, and the queue
 * must be served meanwhile. */
#ifndef IA_CLI_TICKER_H
#define IA_CLI_TICKER_H

#include "agent/queue/queue.h"
#include "agent/schedule/notify.h"
#include "agent/schedule/schedule.h"
#include "app/setup.h"
#include "cli/view/event_log.h"

struct ia_ticker;

/* Everything is borrowed until ia_ticker_stop; lines may be NULL. NULL and err when there is no
 * thread or descriptor left. */
struct ia_ticker *ia_ticker_start(const struct ia_setup *setup, struct ia_queue *queue,
                                  struct ia_lines *lines, struct ia_err *err);
/* Ends what it does, a precheck in hand too, and frees. NULL is fine. */
void ia_ticker_stop(struct ia_ticker *t);

/* How notices are delivered, by the configuration; what comes of them is said on lines. */
struct ia_notify_env ia_ticker_notify(const struct ia_setup *setup, struct ia_cancel *cancel,
                                      struct ia_lines *lines);
/* What a tick did, as a line. */
void ia_ticker_say(struct ia_lines *lines, const struct ia_fired *fired);

#endif
