/* complaint.h: an error as people see it on stderr. */
#ifndef IA_BASE_COMPLAINT_H
#define IA_BASE_COMPLAINT_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_COMPLAINT_BYTES_MAX = 8192 };

/* Replaces what may be an API key ("sk-…") in the message and the hint: people type one where a
 * name belongs, and an error repeats what was typed. */
void ia_hide_keys(char *text); /* the same of any text, in place; it never grows */
void ia_complaint_hide_keys(struct ia_err *err);

/* Appends "ios-agent: MESSAGE\n  hint: …\n", harmless to print. */
void ia_complaint(const struct ia_err *err, struct ia_buf *out);

#endif
