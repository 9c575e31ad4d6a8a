/* recording_vars.h: {{name}} in the steps of a recording: a variable of the goal, or a word that an earlier step
 * captured.
 *
 * A run types and shows values; its recording has names instead, so that it can be replayed with other values. A
 * name replaces a whole text, or whole words of one. {{secret:NAME}} is not such a name. Pure; any thread. */
#ifndef IA_AGENT_RECORDING_RECORDING_VARS_H
#define IA_AGENT_RECORDING_RECORDING_VARS_H

#include "agent/recording/recording.h"

/* Replaces the values of the request's variables by their names. Sets the member "vars", and "fixed" for variables of
 * which it is not certain what depends on them: their values stay. IA_E_STATE: two variables
 * have the same value, so a step's name would be ambiguous; or a text has braces of its own. */
enum ia_rc ia_recording_name_vars(json_t *recording, const struct ia_run_request *req,
                                  struct ia_err *err);
/* True if it is certain what in steps, in which the variable's name replaces its value, depends on the variable: an
 * action has the name, the value or a part of it is nowhere else, and what is typed was not on the screen before. */
bool ia_recording_certain(const json_t *steps, struct ia_str name, const char *value);
/* Replaces names by values, n texts "NAME=VALUE"; other names stay. */
void ia_recording_fill(json_t *recording, const char *const *vars, size_t n);
/* Iterates over the names in a text: returns false after the last. *at starts at 0. *ret_name is "" for a name that is
 * invalid or has no end. Skips secrets. */
bool ia_recording_next_name(struct ia_str text, size_t *at, struct ia_str *ret_name);

/* Replaces a value by a name in one step. */
void ia_recording_name_shown(json_t *step, const char *name, const char *value);

/* Captures: words that a step reads from the screen before it is done. "capture" has one expectation
 * (agent/goal/expect.h) for each name, in which {{name}} stands for the word: text "Your code is {{name}}", or
 * value SEL = "{{name}}". Its other digits match any digits. */

/* Checks a pattern. IA_E_PARSE: the message names the mistake. */
enum ia_rc ia_recording_capture_check(const char *name, const char *text, struct ia_err *err);
/* Appends a pattern that reads the word from a screen in text form (driver/snapshot). Returns false if the screen does not
 * have the word, or has no other words around it. */
bool ia_recording_capture_of(const char *screen, const char *word, const char *name,
                             struct ia_buf *out);
/* Reads all captures of a step. Returns true and passes each to `take` as "NAME=VALUE" if every pattern gives exactly
 * one word; otherwise returns false and appends to why which one does not. */
bool ia_recording_capture(const json_t *step, const struct ia_snapshot *s,
                          void (*take)(void *ctx, const char *var), void *ctx,
                          struct ia_buf *why);

#endif
