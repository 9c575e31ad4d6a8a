/* compose.h: the texts that the loop puts before the model.
 *
 * The first user message is one text block:
 *
 *     <goal>
 *     open Contacts, add a contact named Ada Lovelace
 *     </goal>
 *     <app>com.apple.MobileAddressBook</app>          with an app lock
 *     <hint>…</hint>                                  where there are any
 *     <expect>visible "Ada Lovelace"</expect>         one a line
 *     <memory>…</memory>                              notes of earlier runs of the agent
 *     Screen boundary: k7f3m2qa
 *     step 0
 *     <screen k7f3m2qa>
 *     com.apple.springboard 402x874 #3fa2: Home
 *     3 icon Contacts
 *     </screen k7f3m2qa>
 *
 * A tool's result is one text (and an image after it for screenshot):
 *
 *     step 3 ok                    or    step 3 error STALE_REF, nothing was sent
 *     <screen k7f3m2qa>                  <screen k7f3m2qa>
 *     + 14 button Done                   12 is gone; nearest: …
 *     ~ 9 field Name = Ada               </screen k7f3m2qa>
 *     </screen k7f3m2qa>                 <screen k7f3m2qa> what changed since </screen …>
 *     notice: …                          notice: …
 *
 * After an action the screen part is what changed since the last screen text that the model
 * saw, in the form of ia_snapshot_diff: "nothing changed"; or lines after "+ ", "- ", "~ "; or
 * "new screen" and the whole text. snapshot gives the whole text. The boundary is random for
 * each run and is taken out of any text between. */
#ifndef IA_AGENT_LOOP_COMPOSE_H
#define IA_AGENT_LOOP_COMPOSE_H

#include "agent/goal/request.h"
#include "base/err.h"
#include "base/jsonw.h"
#include "events/events.h"

/* The first user message, or the one after a summary: then `done` lists the earlier steps in lines, else it is
 * empty. screen is the text form of the snapshot after that step; empty: it is shown later. memory may be NULL. */
void ia_compose_first(struct ia_buf *out, const struct ia_run_request *req, const char *memory,
                      const char *boundary, struct ia_str done, int step, struct ia_str screen);
/* Appends the note on secrets and their names, if the run has any. */
void ia_compose_secrets(struct ia_buf *out, const struct ia_run_request *req, const char *note);

enum { IA_PLAN_BYTES_MAX = 1700 }; /* of its lines: a question shows all of it */
/* Appends "1. open Settings (check: the list of settings)", a line for each step. */
void ia_compose_plan_lines(struct ia_buf *out, const struct ia_event_plan *steps, size_t n);
/* Appends the note on a plan and its lines, fenced as they may quote a screen; nothing without lines. */
void ia_compose_plan(struct ia_buf *out, const char *note, const char *boundary,
                     struct ia_str lines);

/* A text block of a message; nothing for empty text, which the API refuses. */
void ia_compose_block(struct ia_jsonw *w, struct ia_str text);

/* The first line of a result: "step 3 ok" or "step 3 error CODE, nothing was sent". */
void ia_compose_head(struct ia_buf *out, int step, enum ia_rc rc, enum ia_outcome outcome);

#endif
