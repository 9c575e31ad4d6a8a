/* suspicious.h: text that gives orders, in what a run shows to its model (agent/policy/suspect.h).
 *
 * The model is told where it stands, the next commit has an event of it, and from then on the policy's rule `suspicious`
 * applies to what the run does. Run's thread. */
#ifndef IA_AGENT_LOOP_SUSPICIOUS_H
#define IA_AGENT_LOOP_SUSPICIOUS_H

#include "agent/loop/commit.h"

/* Searches the screen that the model is shown with this message, and appends a notice where something new is found. */
void ia_suspicious_screen(struct ia_run_ctx *run, struct ia_buf *out);
/* Searches what a tool returned from outside. Lines with the run's boundary are the program's own. */
void ia_suspicious_text(struct ia_run_ctx *run, struct ia_str text, struct ia_buf *out);
/* Adds the event of what was found since the last commit; nothing where nothing was. */
void ia_suspicious_commit(struct ia_commit *c, int step);

#endif
