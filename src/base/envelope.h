/* envelope.h: what a command came to, as one JSON object: the same from the command line and from the
 * daemon, byte for byte. */
#ifndef IA_BASE_ENVELOPE_H
#define IA_BASE_ENVELOPE_H

#include "base/buf.h"
#include "base/err.h"

/* Appends {"status":"ok"|"error","stdout":TEXT,"result":VALUE|null,"error":null|{…}} and a newline.
 * result is one JSON value, or empty for null; err counts unless rc is IA_OK. */
void ia_envelope(struct ia_buf *out, struct ia_str text, struct ia_str result, enum ia_rc rc,
                 const struct ia_err *err);

/* The same, harmless to a terminal and in one line for every reader (clean.h). One that is larger
 * than max bytes is an envelope with IA_E_LIMIT instead. Returns the code that was written; out
 * must hold 6 * max bytes. */
enum ia_rc ia_envelope_line(struct ia_buf *out, struct ia_str text, struct ia_str result,
                            enum ia_rc rc, const struct ia_err *err, size_t max);

#endif
