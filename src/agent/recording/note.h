/* note.h: what must be known of an action to repeat it in another run. */
#ifndef IA_AGENT_RECORDING_NOTE_H
#define IA_AGENT_RECORDING_NOTE_H

#include "base/buf.h"
#include "driver/session/session.h"

/* Appends the target and the effect of the session's last action as a JSON object:
 *
 *   {"app":BUNDLE,"title":TEXT,"marks":[SEL…],      the screen on which it was done
 *    "asked":TEXT,                                  the question of the alert in front; absent without one
 *    "target":{"role",…,"on","nth","of","alike"},   driver/snapshot/signature.h; absent without an element
 *    "unnamed":true,                                instead: the element could not be found again
 *    "app_after":BUNDLE,                            if another app is in front afterwards
 *    "changed":true,                                if the screen's text has changed
 *    "until":[EXPECTATION…]}                        what holds since then, the best first; may be empty
 *
 * Reads the session's screens from memory and does no I/O. Appends nothing if no screen was read; of a screen
 * that is hidden from the run, only its app. Texts are the screen's, with the names of secrets in place of their
 * values. */
void ia_recording_note(const struct ia_session *s, struct ia_buf *out);

#endif
