/* term.h: the terminal: whether there is one, how wide, with colours or not, and a line read
 * without echo. */
#ifndef IA_BASE_TERM_H
#define IA_BASE_TERM_H

#include "base/base.h"
#include "base/err.h"

bool ia_term_is(int fd);
/* Columns of the terminal; $COLUMNS or 80 where the system does not know. */
int ia_term_width(int fd);
/* Lines of the terminal; 24 where the system does not know. */
int ia_term_rows(int fd);
/* True when fd is a terminal that shows colours: TERM is not "dumb" and NO_COLOR is not set to
 * anything (no-color.org). */
bool ia_term_colors(int fd);

/* Opens the controlling terminal, whatever stdin is. -1 and err (IA_E_IO) when there is none.
 * Closed by the caller. */
int ia_term_open(struct ia_err *err);
/* Writes prompt to the terminal tty_fd and reads one line from it without echo into dst (size
 * bytes, NUL-terminated, without the newline). The terminal is put back as it was, also when
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGTSTP arrives; such a signal is delivered after that,
 * and one that was ignored stays ignored.
 * IA_E_CANCELLED after a signal or at the end of the file, IA_E_LIMIT for a longer line; dst is
 * then wiped. Call from one thread at a time. */
enum ia_rc ia_term_read_secret(int tty_fd, const char *prompt, char *dst, size_t size,
                               struct ia_err *err);

#endif
