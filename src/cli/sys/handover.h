/* handover.h: handing a verb of a device to the daemon, which keeps refs from one command to the next. */
#ifndef IA_CLI_SYS_HANDOVER_H
#define IA_CLI_SYS_HANDOVER_H

#include "cli/command/command.h"

/* False with --no-daemon and its variable, and for what only this process can do (--from). */
bool ia_handover_wanted(const struct ia_cli *c);
/* Has the daemon, which is started when there is none, do the verb with the arguments of the command,
 * and prints its answer. */
enum ia_rc ia_handover(struct ia_cli *c, const char *verb, struct ia_err *err);
/* The option text with the value "-" is read from standard input: an argument shows in the list of
 * processes. text keeps it. */
enum ia_rc ia_handover_stdin(struct ia_args *a, struct ia_buf *text, struct ia_err *err);

#endif
