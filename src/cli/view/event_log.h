/* event_log.h: what happens on several devices at once, one plain line each, as it happens. */
#ifndef IA_CLI_VIEW_EVENT_LOG_H
#define IA_CLI_VIEW_EVENT_LOG_H

#include "agent/run/run.h"
#include "agent/schedule/schedule.h"

struct ia_event_log;

/* Writes to fd, line by line; any thread may call. Free with ia_event_log_free. */
struct ia_event_log *ia_event_log_new(int fd);
void ia_event_log_free(struct ia_event_log *l); /* NULL is fine */

/* "03:00:00  WHAT\n". NULL lines say nothing. */
void ia_event_log_say(struct ia_event_log *l, const char *fmt, ...) IA_PRINTF(2, 3);
/* The events that people want to see of a run: its start, its steps, its retries. */
void ia_event_log_event(struct ia_event_log *l, const char *lane, struct ia_str json);
/* How the run came out; refused (may be NULL) as in workers.h. */
void ia_event_log_ended(struct ia_event_log *l, const char *lane, const struct ia_run_result *r,
                        const struct ia_err *refused);
/* What a tick did to a schedule. */
void ia_event_log_fired(struct ia_event_log *l, const struct ia_fired *fired);
/* What came of a notice that a verdict changed; the arguments are those of struct
 * ia_notify_env. */
void ia_event_log_notified(struct ia_event_log *l, const char *schedule, const char *problem,
                           bool last);

#endif
