/* spinner.h: the one line of a terminal that moves while the program waits.
 *
 * A thread of its own draws it ten times a second while it is shown. Whoever writes to the same
 * terminal hides it first; after ia_spinner_hide returned nothing is drawn. Any thread. */
#ifndef IA_CLI_VIEW_SPINNER_H
#define IA_CLI_VIEW_SPINNER_H

#include "base/err.h"

struct ia_spinner;

/* fd is a terminal; borrowed. NULL and err when there is no thread or descriptor left. */
struct ia_spinner *ia_spinner_new(int fd, struct ia_err *err);
/* Hides it, ends the thread and frees. NULL is fine. */
void ia_spinner_free(struct ia_spinner *s);

/* Shows the text (already harmless, one line, at most 200 bytes are kept) with the seconds
 * since this call. NULL spinner: does nothing. */
void ia_spinner_show(struct ia_spinner *s, const char *text);
/* Erases the line. NULL spinner: does nothing. */
void ia_spinner_hide(struct ia_spinner *s);

#endif
