/* evidence.h: whether a quote stands in the text of a screen.
 *
 * A screen is the text form of a snapshot (driver/snapshot/snapshot.h). A quote holds when each of its
 * lines is found within one line of the screen, at word boundaries, and covers text of the screen
 * itself: a label, a value, a title, and not just the words of the form (roles, states, numbers of
 * refs). Compared is what ia_text_fold (base/textfold.h) makes of both, punctuation around a quote
 * aside; `label: value` and `label = value` are the same, and a state counts as the value of what has
 * none (`Airplane Mode: on`). The keyboard's keys are not text of the screen. Pure; any thread. */
#ifndef IA_AGENT_VERDICT_EVIDENCE_H
#define IA_AGENT_VERDICT_EVIDENCE_H

#include "base/base.h"

enum { IA_QUOTE_LINES_MAX = 20, IA_QUOTE_SIGNS_MIN = 2 };

/* True when the quote has fewer than IA_QUOTE_SIGNS_MIN letters or digits: it proves nothing, unless
 * it is the whole of a label or value. */
bool ia_evidence_trivial(struct ia_str quote);

/* True when the quote holds. */
bool ia_evidence_shown(struct ia_str quote, struct ia_str screen);

#endif
