/* say.h: user messages of a run: the first one, nudges, and what an interrupted run is told. */
#ifndef IA_AGENT_LOOP_SAY_H
#define IA_AGENT_LOOP_SAY_H

#include "agent/loop/inbox.h"

/* Appends a user message to store and history, and with it what was said to the run. event
 * is committed with it; IA_EVENT_NONE: none. */
enum ia_rc ia_say(struct ia_run_ctx *run, const char *text, struct ia_event_ref event,
                  struct ia_err *err);
/* The same with messages that were read already. */
enum ia_rc ia_say_with(struct ia_run_ctx *run, const char *text, struct ia_inbox *box,
                       struct ia_event_ref event, struct ia_err *err);
/* Appends the note that the run was interrupted, and what the screen shows now; clears
 * say_resumed. A device that fails ends the run. */
void ia_say_resumed(struct ia_run_ctx *run, struct ia_buf *text);

#endif
