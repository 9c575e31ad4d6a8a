/* stream.c: sockets in non-blocking mode, and poll() for every wait (ia_cancel_poll). */
#include "base/stream.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Systems without the flag have the socket option below. */
#ifdef MSG_NOSIGNAL
enum { SEND_FLAGS = MSG_NOSIGNAL };
#else
enum { SEND_FLAGS = 0 };
#endif

struct ia_limit ia_limit_within(const struct ia_limit *l, uint32_t ms)
{
    int64_t until_us = ia_mono_us(ia_clock_system()) + (int64_t)ms * 1000;
    return (struct ia_limit){l->cancel, until_us < l->deadline_us ? until_us : l->deadline_us};
}

bool ia_limit_over(const struct ia_limit *l)
{
    return ia_cancel_fired(l->cancel) || ia_mono_us(ia_clock_system()) >= l->deadline_us;
}

bool ia_stream_again(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

enum ia_rc ia_stream_wait(int fd, short events, const struct ia_limit *limit, const char *what,
                          struct ia_err *err)
{
    struct pollfd p = {.fd = fd, .events = events};
    int ready = 0;
    enum ia_rc rc = ia_cancel_poll(limit->cancel, &p, 1, limit->deadline_us, &ready);
    switch (rc) {
    case IA_OK:
        return IA_OK;
    case IA_E_CANCELLED:
        return ia_err_set(err, rc, "cancelled while %s", what);
    case IA_E_TIMEOUT:
        return ia_err_set(err, rc, "the time ran out while %s", what);
    default:
        return ia_err_set(err, IA_E_IO, "cannot wait while %s: %s", what, strerror(errno));
    }
}

/* ---- dialing ---------------------------------------------------------------------------- */

int ia_stream_own(int first)
{
    int on = 1;
    if (first < 0) {
        return -1;
    }
    /* Never one of the standard streams, should one of them be closed. */
    int fd = fcntl(first, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int saved = errno;
    close(first);
    errno = saved;
    if (fd < 0) {
        return -1;
    }
    /* Unix sockets have no TCP options and need none. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
#ifdef SO_NOSIGPIPE
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

static enum ia_rc connect_fd(int fd, const struct sockaddr *to, socklen_t size,
                             const struct ia_limit *limit, struct ia_err *err)
{
    int failure = 0;
    socklen_t n = sizeof(failure);
    if (connect(fd, to, size) != 0 && errno != EINPROGRESS && errno != EINTR) {
        return ia_err_set(err, IA_E_IO, "%s", strerror(errno));
    }
    /* Writable means that the attempt has ended, not that it succeeded: SO_ERROR tells
     * which. */
    enum ia_rc rc = ia_stream_wait(fd, POLLOUT, limit, "connecting", err);
    if (rc == IA_OK && getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &n) != 0) {
        failure = errno;
    }
    return rc == IA_OK && failure != 0 ? ia_err_set(err, IA_E_IO, "%s", strerror(failure)) : rc;
}

static enum ia_rc dial(const struct sockaddr *to, socklen_t size, const struct ia_limit *limit,
                       int *ret_fd, struct ia_err *err)
{
    int fd = ia_stream_own(socket(to->sa_family, SOCK_STREAM, 0));
    enum ia_rc rc =
        fd >= 0 ? connect_fd(fd, to, size, limit, err)
                : ia_err_set(err, IA_E_IO, "cannot create a socket: %s", strerror(errno));
    if (rc == IA_OK) {
        *ret_fd = fd;
    } else if (fd >= 0) {
        close(fd);
    }
    return rc;
}

enum ia_rc ia_stream_dial_tcp(const char *address, uint16_t port, const struct ia_limit *limit,
                              int *ret_fd, struct ia_err *err)
{
    struct addrinfo how = {.ai_socktype = SOCK_STREAM,
                           .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *to = NULL;
    char digits[8];
    bool local = strcmp(address, "localhost") == 0;
    (void)snprintf(digits, sizeof(digits), "%u", (unsigned)port);
    if (getaddrinfo(local ? "127.0.0.1" : address, digits, &how, &to) != 0) {
        return ia_err_set(err, IA_E_USAGE, "\"%s\" is not an IP address", address);
    }
    enum ia_rc rc = dial(to->ai_addr, to->ai_addrlen, limit, ret_fd, err);
    freeaddrinfo(to);
    return rc;
}

enum ia_rc ia_stream_dial_unix(const char *path, const struct ia_limit *limit, int *ret_fd,
                               struct ia_err *err)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    if (n >= sizeof(to.sun_path)) {
        return ia_err_set(err, IA_E_USAGE, "the path of the socket is longer than %zu bytes",
                          sizeof(to.sun_path) - 1);
    }
    memcpy(to.sun_path, path, n);
    return dial((const struct sockaddr *)&to, sizeof(to), limit, ret_fd, err);
}

/* ---- bytes ------------------------------------------------------------------------------ */

enum ia_rc ia_stream_send(int fd, const struct ia_limit *limit, const void *bytes, size_t n,
                          size_t *ret_sent, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    *ret_sent = 0;
    while (rc == IA_OK && *ret_sent < n) {
        ssize_t sent = send(fd, (const char *)bytes + *ret_sent, n - *ret_sent, SEND_FLAGS);
        if (sent >= 0) {
            *ret_sent += (size_t)sent;
        } else if (ia_stream_again()) {
            rc = ia_stream_wait(fd, POLLOUT, limit, "sending", err);
        } else {
            rc = ia_err_set(err, IA_E_IO, "cannot send: %s", strerror(errno));
        }
    }
    return rc;
}

enum ia_rc ia_stream_recv(int fd, const struct ia_limit *limit, void *dst, size_t n,
                          size_t *ret_got, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    *ret_got = 0;
    while (rc == IA_OK && *ret_got < n) {
        ssize_t got = recv(fd, (char *)dst + *ret_got, n - *ret_got, 0);
        if (got > 0) {
            *ret_got += (size_t)got;
        } else if (got == 0) {
            rc = ia_err_set(err, IA_E_IO, "the other end closed the connection %s",
                            *ret_got > 0 ? "in the middle of an answer" : "without an answer");
        } else if (ia_stream_again()) {
            rc = ia_stream_wait(fd, POLLIN, limit, "waiting for an answer", err);
        } else {
            rc = ia_err_set(err, IA_E_IO, "cannot read: %s", strerror(errno));
        }
    }
    return rc;
}
