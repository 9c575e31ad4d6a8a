/* recording.h: a passed run in a form that can be replayed without a model.
 *
 * It is a JSON document in memory and TOML in a file, with the same members; one table lists those that a file may
 * have (recording_toml.c). Unknown members are errors: a step that is not fully understood must not be
 * done.
 *
 *     format = 1
 *     goal = "a contact is added"              # by name; its text and expectations stay in the goal file
 *     goal_hash = "sha256:…"                   # ia_goal_hash
 *     steps = 1                                # how many follow; a truncated file is refused
 *     vars = ["first"]                         # variables of the goal that are used below (recording_vars.h)
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
 *     marks = ['#add', '#search']              # what else identifies that screen
 *     asked = "Delete it?"                     # the question of the alert or action sheet in front; absent without one
 *     capture = { code = 'text "code is {{code}}"' } # read before the step, for the steps from here on
 *     target = { role = "button", id = "add", label = "Add", after = "Ada", nth = 1, of = 1, alike = 1 }
 *     input = { text = "Ada", submit = true }  # the tool's, without its ref
 *     until = ['visible #first-name']          # expectations that hold after the step and not before: all values, and one of the others
 *     changed = true                           # of a step without until: its effect is that the screen's text changes
 *     ms = 340                                 # how long it took; limits the waits
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

/* Reads the TOML form. Release *ret with json_decref. IA_E_CONFIG: "path:line:column: MISTAKE", with a hint. */
enum ia_rc ia_recording_read(const char *path, struct ia_str toml, json_t **ret,
                             struct ia_err *err);
/* Appends the TOML form: equal documents give equal bytes. */
void ia_recording_write(const json_t *recording, struct ia_buf *out);

/* The number of its steps. */
size_t ia_recording_count(const json_t *recording);
/* Step i, from 0; borrowed. */
const json_t *ia_recording_step(const json_t *recording, size_t i);
/* The tool of a step. */
enum ia_tool ia_recording_act(const json_t *step);
/* Reads the target of a step; free it with ia_signature_fini. Returns false if the step has none. */
bool ia_recording_target(const json_t *step, struct ia_signature *ret);
/* Writes a signature as the object `target` above. */
void ia_recording_put_target(struct ia_jsonw *w, const struct ia_signature *sig);

#endif
