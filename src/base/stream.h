/* stream.h: connected sockets that never block: a token or a deadline ends every wait.
 *
 * When a call fails, err says why: IA_E_CANCELLED, IA_E_TIMEOUT, or IA_E_IO with the system's message.
 * Any thread; one at a time for each descriptor. */
#ifndef IA_BASE_STREAM_H
#define IA_BASE_STREAM_H

#include "base/cancel.h"

#include <sys/types.h>

/* What ends a wait: a token, or the time (monotonic us). */
struct ia_limit {
    struct ia_cancel *cancel; /* may be NULL */
    int64_t deadline_us;
};
/* The earlier of the limit and `ms` from now. */
struct ia_limit ia_limit_within(const struct ia_limit *l, uint32_t ms);
bool ia_limit_over(const struct ia_limit *l);

/* Connects to an IP address in digits or "localhost" (looking a name up could not be cancelled),
 * or to the path of a Unix socket. *ret_fd is as ia_stream_own leaves it. IA_E_USAGE for an invalid
 * address, or a path that is too long. */
enum ia_rc ia_stream_dial_tcp(const char *address, uint16_t port, const struct ia_limit *limit,
                              int *ret_fd, struct ia_err *err);
enum ia_rc ia_stream_dial_unix(const char *path, const struct ia_limit *limit, int *ret_fd,
                               struct ia_err *err);
/* Takes over a socket, for example from accept(2), and makes it non-blocking, not inherited by children, without
 * delay (TCP) or SIGPIPE, and none of the standard streams. Returns the descriptor to use from now on, or -1
 * with errno and the socket closed. */
int ia_stream_own(int fd);

/* Waits for one of the events. `what` completes "cancelled while …". */
enum ia_rc ia_stream_wait(int fd, short events, const struct ia_limit *limit, const char *what,
                          struct ia_err *err);
/* Sends all. *ret_sent is the number of bytes that left this process, on failure too. */
enum ia_rc ia_stream_send(int fd, const struct ia_limit *limit, const void *bytes, size_t n,
                          size_t *ret_sent, struct ia_err *err);
/* Reads exactly n bytes; what follows stays in the socket. *ret_got is the number of bytes that came, on
 * failure too. IA_E_IO when the other end closes first. */
enum ia_rc ia_stream_recv(int fd, const struct ia_limit *limit, void *dst, size_t n,
                          size_t *ret_got, struct ia_err *err);
/* Whether errno says that there is nothing yet. */
bool ia_stream_again(void);

#endif
