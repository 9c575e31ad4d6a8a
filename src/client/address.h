/* address.h: where the daemon of a home listens.
 *
 *   HOME/daemon.sock                            while that fits into a socket's address
 *   ROOT/ios-agent-UID/<16 hex of SHA-256>.sock else; ROOT is $XDG_RUNTIME_DIR or /tmp, the folder
 *                                               0700 and ours, the hash that of the home's path
 *   HOME/daemon.lock                            is locked by the daemon for as long as it lives, and
 *                                               says in its text who it is and where it listens
 */
#ifndef IA_CLIENT_ADDRESS_H
#define IA_CLIENT_ADDRESS_H

#include "base/base.h"
#include "base/err.h"

enum { IA_ADDRESS_MAX = 103 }; /* bytes that every system takes */

struct ia_address {
    char path[IA_ADDRESS_MAX + 1];
    bool in_home;
};

/* Where the daemon of this home listens or would. make: the folder outside of the home is made where
 * it is missing. IA_E_IO when that folder belongs to somebody else or is open to others. */
enum ia_rc ia_address_find(const char *home, bool make, struct ia_address *ret,
                           struct ia_err *err);

/* What HOME/daemon.lock says; empty where it says nothing. For people, and for a client whose
 * environment leads to another ROOT than the daemon's. */
struct ia_lock_note {
    int64_t pid;
    bool background; /* a command started it, and it ends by itself */
    char build[64];
    char address[IA_ADDRESS_MAX + 1];
};
void ia_lock_note_read(const char *home, struct ia_lock_note *ret);
/* The text that ia_lock_note_read reads. */
void ia_lock_note_write(const struct ia_lock_note *note, char *dst, size_t size);

#endif
