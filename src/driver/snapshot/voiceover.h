/* voiceover.h: what VoiceOver says of a screen, as far as its tree tells. */
#ifndef IA_DRIVER_SNAPSHOT_VOICEOVER_H
#define IA_DRIVER_SNAPSHOT_VOICEOVER_H

#include "driver/snapshot/snapshot.h"

/* A line for each element that the text form lists, in reading order:
 * `12: selected, Airplane Mode, off, switch button`. Label, value and traits stand in the order of
 * Apple's "Accessibility for UIKit"; an element without a name says `no label`. The words are English.
 * An order that the app sets itself is in no tree. */
void ia_voiceover_text(const struct ia_snapshot *s, struct ia_buf *out);

#endif
