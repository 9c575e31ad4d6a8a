/* recording_vars.h: {{name}} in the texts of a recording's steps: a value of the goal's variables, or one that an earlier
 * step captured.
 *
 * What a run typed and saw has values; the recording has names, so that it can be done again with others. A name
 * stands for a whole text, or for whole words in one. {{secret:NAME}} is none of them. */
#ifndef IA_AGENT_RECORDING_RECORDING_VARS_H
#define IA_AGENT_RECORDING_RECORDING_VARS_H

#include "agent/recording/recording.h"

/* Puts names in place of the values of the request's variables, and their list into the document as "vars". IA_E_STATE: two
 * have the same value, so nobody knows which of them a step has; a text has braces of its own. */
enum ia_rc ia_recording_name_vars(json_t *recording, const struct ia_run_request *req,
                                  struct ia_err *err);
/* Puts values ("NAME=VALUE") in place of names; other names stay. */
void ia_recording_fill(json_t *recording, const char *const *vars, size_t n);
/* The names in a text, one after the other: false behind the last. *at begins at 0; name is "" for one that does not
 * end or is none. Secrets are passed over. */
bool ia_recording_next_name(struct ia_str text, size_t *at, struct ia_str *ret_name);

/* Puts one name in place of a value, in one step. */
void ia_recording_name_shown(json_t *step, const char *name, const char *value);

/* What a step reads from the screen before it is done: "capture" has an expectation (agent/goal/expect.h) for each name, in
 * which {{name}} stands for one word: text "Your code is {{name}}", or value SEL = "{{name}}". Other digits of it
 * stand for any digits. */

/* Whether it is one; IA_E_PARSE. */
enum ia_rc ia_recording_capture_check(const char *name, const char *text, struct ia_err *err);
/* Appends the pattern for a word in the text form of a screen (driver/snapshot); false where it is not there, or nothing
 * is around it. */
bool ia_recording_capture_of(const char *screen, const char *word, const char *name,
                             struct ia_buf *out);
/* True where each is read in one way; then each was passed to `take` as "NAME=VALUE". False: why has the one that is
 * not. */
bool ia_recording_capture(const json_t *step, const struct ia_snapshot *s,
                          void (*take)(void *ctx, const char *var), void *ctx,
                          struct ia_buf *why);

#endif
