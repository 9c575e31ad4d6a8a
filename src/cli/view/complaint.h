/* complaint.h: an error as people see it on stderr. */
#ifndef IA_CLI_VIEW_COMPLAINT_H
#define IA_CLI_VIEW_COMPLAINT_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_COMPLAINT_BYTES_MAX = 8192 };

/* Appends "ios-agent: MESSAGE\n  hint: …\n", harmless to print. */
void ia_complaint(const struct ia_err *err, struct ia_buf *out);

#endif
