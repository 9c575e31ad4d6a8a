/* say.h: user messages of a run: the first one, nudges, and what an interrupted run is told. */
#ifndef IA_AGENT_LOOP_SAY_H
#define IA_AGENT_LOOP_SAY_H

#include "agent/loop/inbox.h"

/* A user message. What is NULL is left out. */
struct ia_say {
    bool *resumed; /* true: the run was interrupted and the model does not know it yet. Then the
                         message begins with that, and false is written */
    const char *text;
    struct ia_inbox *inbox;    /* what was said to the run; NULL: it is read here */
    struct ia_event_ref event; /* committed with the message */
};

/* Appends the message to store and history. Nothing where the run ends meanwhile, as the device
 * could not be looked at. */
enum ia_rc ia_say(struct ia_run_ctx *run, const struct ia_say *message, struct ia_err *err);

/* Appends the part of the newest screen that the model may see, and notes that it has seen it. A device that fails
 * ends the run. */
void ia_say_screen(struct ia_run_ctx *run, struct ia_buf *screen);

/* Appends the note that the run was interrupted, and what the screen shows now, where *resumed
 * is true; writes false. A device that fails ends the run. */
void ia_say_resumed(struct ia_run_ctx *run, bool *resumed, struct ia_buf *text);

#endif
