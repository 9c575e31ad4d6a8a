/* note.h: what of an action has to be known to do it again in another run. */
#ifndef IA_AGENT_RECORDING_NOTE_H
#define IA_AGENT_RECORDING_NOTE_H

#include "base/buf.h"
#include "driver/session/session.h"

/* Appends what the session's last action was done to and what it led to, as a JSON object:
 *
 *   {"app":BUNDLE,"title":TEXT,"marks":[SEL…],      the screen on which it was done
 *    "asked":TEXT,                                  what an alert in front of it asked; absent without one
 *    "target":{"role",…,"on","nth","of","alike"},   driver/snapshot/signature.h; absent without an element
 *    "unnamed":true,                                instead of it: nothing would find the element again
 *    "app_after":BUNDLE,                            where that is another one
 *    "changed":true,                                where the screen reads differently since then
 *    "until":[EXPECTATION…]}                        what holds since then, the best first; may be empty
 *
 * Pure but for the session, whose screens are read from memory. Nothing is appended where no screen was
 * read; of a screen that is hidden from the run, only its app. Texts are those of the screen, in which secrets stand by their names. */
void ia_recording_note(const struct ia_session *s, struct ia_buf *out);

#endif
