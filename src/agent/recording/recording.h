/* recording.h: a passed run in the form in which it can be done again without a model.
 *
 * In memory it is a JSON document, in a file TOML; both have the same members, and what a file may hold is one
 * table (recording_toml.c). Unknown members are mistakes: a step whose meaning is not known in full must not
 * be done.
 *
 *     format = 1
 *     goal = "a contact is added"              # by name; its text and expectations stay in the goal file
 *     goal_hash = "sha256:…"                   # ia_goal_hash
 *     steps = 1                                # how many follow: part of a recording is none
 *     vars = ["first"]                         # variables of the goal whose {{names}} stand below (recording_vars.h)
 *     [recorded]
 *     run = "0198…"
 *     at = "2026-11-22T08:20:00.000Z"
 *     program = "0.9.0"
 *     model = "claude-…"
 *     [device]
 *     kind = "embedded"
 *     os = "iOS 18.5"
 *
 *     [[step]]
 *     act = "tap"                              # a tool that has an effect
 *     why = "open the form for a new contact"  # the model's words
 *     app = "com.apple.MobileAddressBook"      # in front before the step
 *     title = "Contacts"
 *     marks = ['#add', '#search']              # what else tells that screen from others
 *     asked = "Delete it?"                     # what the alert or action sheet in front asked; absent without one
 *     capture = { code = 'text "code is {{code}}"' } # read before the step, for the steps from here on
 *     target = { role = "button", id = "add", label = "Add", after = "Ada", nth = 1, of = 1, alike = 1 }
 *     input = { text = "Ada", submit = true }  # the tool's, without its ref
 *     until = ['visible #first-name']          # expectations that hold after the step and not before: all values, one of the rest
 *     changed = true                           # of a step without until: the screen reads differently after it
 *     ms = 340                                 # what it took; waits are limited by it
 *     commit = true                            # is never healed
 *
 * Pure; a recording may be read by any number of threads. */
#ifndef IA_AGENT_RECORDING_RECORDING_H
#define IA_AGENT_RECORDING_RECORDING_H

#include "agent/goal/request.h"
#include "agent/prompts/prompts.h"
#include "base/buf.h"
#include "driver/snapshot/signature.h"

#include <jansson.h>

enum {
    IA_RECORDING_FORMAT = 1,
    IA_RECORDING_STEPS_MAX = 200,
    IA_RECORDING_BYTES_MAX = 256 << 10
};

/* Reads the TOML form. path stands in messages. IA_E_CONFIG: "path:line:column: what is wrong", with a hint.
 * *ret is to be json_decref'ed. */
enum ia_rc ia_recording_read(const char *path, struct ia_str toml, json_t **ret,
                             struct ia_err *err);
/* Appends the TOML form: the same document, the same bytes. */
void ia_recording_write(const json_t *recording, struct ia_buf *out);

size_t ia_recording_count(const json_t *recording);
/* One step from 0; borrowed. */
const json_t *ia_recording_step(const json_t *recording, size_t i);
enum ia_tool ia_recording_act(const json_t *step);
/* Its target; false where it has none. Free with ia_signature_fini. */
bool ia_recording_target(const json_t *step, struct ia_signature *ret);
/* Appends a signature as the object above. */
void ia_recording_put_target(struct ia_jsonw *w, const struct ia_signature *sig);

#endif
