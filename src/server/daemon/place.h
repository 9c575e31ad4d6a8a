/* place.h: the one place of a daemon in a home: its lock and its socket.
 *
 * Whoever holds the lock of HOME/daemon.lock is the daemon, for as long as its process lives; a socket
 * whose maker holds no lock is stale by definition, and removed by the next holder. The pid inside the
 * file is for people. */
#ifndef IA_SERVER_DAEMON_PLACE_H
#define IA_SERVER_DAEMON_PLACE_H

#include "base/err.h"
#include "client/address.h"

#include <sys/types.h>

struct ia_place {
    char *home, *lock_path;
    int lock_fd;
    struct ia_address address;
    bool listening;
    dev_t socket_dev;
    ino_t socket_ino;
};

/* Takes the lock, once. IA_E_BUSY names the holder. Makes the home. End with ia_place_leave. */
enum ia_rc ia_place_take(const char *home, struct ia_place *ret, struct ia_err *err);
/* Removes a stale socket, listens and says so in the lock's file. Call it while there is one thread (it
 * changes the umask for a moment). *ret_fd is close-on-exec; the caller closes it. IA_E_EXISTS when
 * something else than a socket is in its place: that is left alone. */
enum ia_rc ia_place_listen(struct ia_place *p, bool background, int *ret_fd,
                           struct ia_err *err);
/* Whether the home or the socket was removed or replaced: then no client finds this process any more. */
bool ia_place_lost(const struct ia_place *p);
/* Removes the socket, if it is still ours: from now on clients look for the next daemon. */
void ia_place_hide(struct ia_place *p);
/* That, and gives the lock back. */
void ia_place_leave(struct ia_place *p);

#endif
