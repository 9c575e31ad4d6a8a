/* keyfile.h: <home>/sealing.key, the master key of secrets that have no passphrase (private to
 * store/).
 *
 * One line of text, "ios-agent sealing key v1 <64 lower-case hexadecimal digits>\n", in a
 * regular file of this user that nobody else can read. */
#ifndef IA_STORE_KEYFILE_H
#define IA_STORE_KEYFILE_H

#include "base/err.h"

enum { IA_MASTER_BYTES = 32 };

/* Reads the master key into 32 bytes (of guarded memory). IA_E_KEY_MISSING without the file,
 * IA_E_KEY_FILE_MODE when it is a link, not ours or readable for others, IA_E_KEY_TAMPERED when
 * its text is not of the form. */
enum ia_rc ia_keyfile_read(const char *home, unsigned char *ret_master, struct ia_err *err);
/* Makes the file with a fresh key unless there is one; whole or not at all, and of two
 * processes that do this at once both then read the same key. */
enum ia_rc ia_keyfile_ensure(const char *home, struct ia_err *err);

#endif
