/* stream.h: connected sockets that never block: every wait ends with a token or a deadline.
 *
 * Where a call fails, err says why: IA_E_CANCELLED, IA_E_TIMEOUT, or IA_E_IO with what the system
 * says. Any thread; one at a time for each descriptor. */
#ifndef IA_BASE_STREAM_H
#define IA_BASE_STREAM_H

#include "base/cancel.h"

#include <sys/types.h>

/* Who may wait, and till when (monotonic us). */
struct ia_limit {
    struct ia_cancel *cancel; /* may be NULL */
    int64_t deadline_us;
};
/* The earlier of the limit and `ms` from now. */
struct ia_limit ia_limit_within(const struct ia_limit *l, uint32_t ms);
bool ia_limit_over(const struct ia_limit *l);

/* Connects to an IP address in digits or "localhost" (looking a name up could not be cancelled),
 * or to the path of a Unix socket. *ret_fd is as ia_stream_own leaves it. IA_E_USAGE for an address
 * that is none, or a path that is too long. */
enum ia_rc ia_stream_dial_tcp(const char *address, uint16_t port, const struct ia_limit *limit,
                              int *ret_fd, struct ia_err *err);
enum ia_rc ia_stream_dial_unix(const char *path, const struct ia_limit *limit, int *ret_fd,
                               struct ia_err *err);
/* Takes a socket over, of accept(2) say: it does not block, no child inherits it, it sends at once
 * and without a signal, and is none of the standard streams. The descriptor to use from now on, or -1 with
 * errno and the socket closed. */
int ia_stream_own(int fd);

/* Until one of the events is there. `what` completes "cancelled while …". */
enum ia_rc ia_stream_wait(int fd, short events, const struct ia_limit *limit, const char *what,
                          struct ia_err *err);
/* Sends all; *ret_sent is what left this process, on failure too. */
enum ia_rc ia_stream_send(int fd, const struct ia_limit *limit, const void *bytes, size_t n,
                          size_t *ret_sent, struct ia_err *err);
/* Reads exactly n bytes: what follows them stays in the socket. *ret_got is what came, on failure
 * too; IA_E_IO where the other end closes before. */
enum ia_rc ia_stream_recv(int fd, const struct ia_limit *limit, void *dst, size_t n,
                          size_t *ret_got, struct ia_err *err);
/* Whether errno says that there is nothing yet. */
bool ia_stream_again(void);

#endif
