/* transcript.h: the messages of a run as text. */
#ifndef IA_CLI_VIEW_TRANSCRIPT_H
#define IA_CLI_VIEW_TRANSCRIPT_H

#include "base/buf.h"
#include "store/store.h"

/* Appends one message: a line with its number, role, stop reason and tokens, then its blocks.
 * Harmless to print. Images and blocks without text become a word in brackets. */
void ia_transcript_message(struct ia_buf *out, const struct ia_message_row *row);

#endif
