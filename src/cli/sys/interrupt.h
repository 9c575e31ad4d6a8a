/* interrupt.h: Ctrl-C, and the other signals that ask a process to end.
 *
 * The first SIGINT, SIGTERM or SIGHUP fires the cancel token, and the work ends at its next
 * safe moment. The second ends the process at once with exit status 7, after the terminal's
 * colours were put back: everything that matters is in the database by then. A SIGHUP is never the
 * second, and one that is ignored (nohup) stays ignored.
 *
 * Who presses Ctrl-C (SIGINT) wants the work of his hands to end; a system that shuts down or a
 * terminal that closes (SIGTERM, SIGHUP) wants it to go on later. */
#ifndef IA_CLI_SYS_INTERRUPT_H
#define IA_CLI_SYS_INTERRUPT_H

#include "base/cancel.h"

/* tty_fd is a terminal that may be in the middle of coloured text, or -1. One at a time; call
 * ia_interrupt_remove before the token is freed. Calling it again changes the terminal. */
void ia_interrupt_install(struct ia_cancel *cancel, int tty_fd);
/* Becomes true with the first signal: the token may fire for other reasons too. For struct
 * ia_run_env; lives as long as the process. */
const _Atomic(bool) *ia_interrupt_flag(void);
/* The same, but only where the first signal was SIGTERM or SIGHUP. */
const _Atomic(bool) *ia_interrupt_later_flag(void);
/* Signals end the process again as they do by default. */
void ia_interrupt_remove(void);

#endif
