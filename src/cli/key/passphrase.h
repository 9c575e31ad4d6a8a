/* passphrase.h: secrets typed by a person or piped in by a program, never from argv. */
#ifndef IA_CLI_KEY_PASSPHRASE_H
#define IA_CLI_KEY_PASSPHRASE_H

#include "store/secret.h"

/* A passphrase: the content of the file named by IOS_AGENT_PASSPHRASE_FILE (which must not be
 * readable by others), else typed at the terminal without echo; twice when `confirm`.
 * IA_E_KEY_PASSPHRASE when there is neither. Free with ia_secret_free. */
enum ia_rc ia_passphrase_ask(bool confirm, struct ia_secret **ret, struct ia_err *err);

/* An API key: typed at the terminal without echo when stdin is a terminal, else all of stdin.
 * One trailing newline is dropped. IA_E_USAGE when it is empty or holds a blank or a control
 * character. Free with ia_secret_free. */
enum ia_rc ia_key_read(struct ia_secret **ret, struct ia_err *err);
/* The same for any text, whose name the prompt shows: IA_E_USAGE only where it is empty. */
enum ia_rc ia_secret_read(const char *name, struct ia_secret **ret, struct ia_err *err);

#endif
