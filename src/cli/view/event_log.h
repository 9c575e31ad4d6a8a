/* lines.h: what happens on several devices at once, one plain line each, as it happens. */
#ifndef IA_CLI_LINES_H
#define IA_CLI_LINES_H

#include "agent/run/run.h"

struct ia_lines;

/* Writes to fd, line by line; any thread may call. Free with ia_lines_free. */
struct ia_lines *ia_lines_new(int fd);
void ia_lines_free(struct ia_lines *l); /* NULL is fine */

/* "03:00:00  WHAT\n". NULL lines say nothing. */
void ia_lines_say(struct ia_lines *l, const char *fmt, ...) IA_PRINTF(2, 3);
/* The events that people want to see of a run: its start, its steps, its retries. */
void ia_lines_event(struct ia_lines *l, const char *lane, const char *event,
                    struct ia_str json);
/* How the run came out; refused (may be NULL) as in crew.h. */
void ia_lines_ended(struct ia_lines *l, const char *lane, const struct ia_run_result *r,
                    const struct ia_err *refused);

#endif
