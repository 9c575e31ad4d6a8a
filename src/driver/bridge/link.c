/* link.c: a TCP stream that never blocks: every wait is a poll() that the call's cancel token and
 * deadline can end (ia_cancel_poll). Any failure closes the stream, as what comes next in it
 * could not be told apart from the answer to another request. */
#include "driver/bridge/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Where the flag is missing, the socket option below does it. */
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

/* Says why a wait ended. */
static enum ia_rc waited(enum ia_rc rc, const char *what, struct ia_err *err)
{
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

static enum ia_rc wait_for(int fd, short events, const struct ia_limit *limit, const char *what,
                           struct ia_err *err)
{
    struct pollfd p = {.fd = fd, .events = events};
    int ready = 0;
    return waited(ia_cancel_poll(limit->cancel, &p, 1, limit->deadline_us, &ready), what, err);
}

/* ---- dialing ---------------------------------------------------------------------------- */

/* A socket that is private to this process, does not block and sends at once. -1 with errno. */
static int new_socket(int family)
{
    int on = 1;
    int first = socket(family, SOCK_STREAM, 0);
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
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
#ifdef SO_NOSIGPIPE
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

static enum ia_rc connect_fd(int fd, const struct addrinfo *to, const struct ia_limit *limit,
                             struct ia_err *err)
{
    int failure = 0;
    socklen_t n = sizeof(failure);
    if (connect(fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS &&
        errno != EINTR) {
        return ia_err_set(err, IA_E_IO, "%s", strerror(errno));
    }
    /* Writable means that the attempt has ended, not that it succeeded: SO_ERROR tells
     * which. */
    enum ia_rc rc = wait_for(fd, POLLOUT, limit, "connecting", err);
    if (rc == IA_OK && getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &n) != 0) {
        failure = errno;
    }
    return rc == IA_OK && failure != 0 ? ia_err_set(err, IA_E_IO, "%s", strerror(failure)) : rc;
}

/* Addresses in digits only: looking a name up could not be cancelled. */
static enum ia_rc dial_tcp(void *ctx, const struct ia_bridge_client_place *place,
                           const struct ia_limit *limit, int *ret_fd, struct ia_err *err)
{
    (void)ctx;
    struct addrinfo how = {.ai_socktype = SOCK_STREAM,
                           .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *to = NULL;
    char port[8];
    bool local = strcmp(place->address, "localhost") == 0;
    (void)snprintf(port, sizeof(port), "%u", (unsigned)place->port);
    if (getaddrinfo(local ? "127.0.0.1" : place->address, port, &how, &to) != 0) {
        return ia_err_set(err, IA_E_USAGE, "\"%s\" is not an IP address", place->address);
    }
    int fd = new_socket(to->ai_family);
    enum ia_rc rc =
        fd >= 0 ? connect_fd(fd, to, limit, err)
                : ia_err_set(err, IA_E_IO, "cannot create a socket: %s", strerror(errno));
    freeaddrinfo(to);
    if (rc == IA_OK) {
        *ret_fd = fd;
    } else if (fd >= 0) {
        close(fd);
    }
    return rc;
}

const struct ia_dialer ia_dialer_tcp = {dial_tcp, NULL};

/* ---- the stream ------------------------------------------------------------------------- */

static void used(struct ia_link *l)
{
    l->used_us = ia_mono_us(ia_clock_system());
}

void ia_link_init(struct ia_link *l)
{
    *l = (struct ia_link){.fd = -1};
    ia_wire_reader_init(&l->in, IA_WIRE_REPLY_MAX);
}

void ia_link_adopt(struct ia_link *l, int fd)
{
    ia_link_drop(l);
    l->fd = fd;
    used(l);
}

void ia_link_drop(struct ia_link *l)
{
    if (l->fd >= 0) {
        close(l->fd);
    }
    ia_wire_reader_fini(&l->in);
    ia_link_init(l);
}

/* Bytes without a question, or the end of the stream: either makes the stream unusable. */
bool ia_link_quiet(struct ia_link *l)
{
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    return l->fd >= 0 && l->in.from == l->in.to && poll(&p, 1, 0) == 0;
}

static bool again(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

enum ia_rc ia_link_send(struct ia_link *l, const struct ia_limit *limit, const uint8_t *p,
                        size_t n, size_t *ret_sent, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    *ret_sent = 0;
    while (rc == IA_OK && *ret_sent < n) {
        ssize_t sent = send(l->fd, p + *ret_sent, n - *ret_sent, SEND_FLAGS);
        if (sent >= 0) {
            *ret_sent += (size_t)sent;
        } else if (again()) {
            rc = wait_for(l->fd, POLLOUT, limit, "sending", err);
        } else {
            rc = ia_err_set(err, IA_E_IO, "cannot send: %s", strerror(errno));
        }
    }
    used(l);
    if (rc != IA_OK) {
        ia_link_drop(l);
    }
    return rc;
}

/* Takes what has come; waits when nothing has. */
static enum ia_rc fill(struct ia_link *l, const struct ia_limit *limit, struct ia_err *err)
{
    size_t room = 0;
    bool midway = ia_wire_reader_midway(&l->in);
    uint8_t *to = ia_wire_reader_space(&l->in, &room);
    if (!to) {
        return ia_err_set(err, IA_E_LIMIT, "no memory for the bridge's answer");
    }
    enum ia_rc rc =
        wait_for(l->fd, POLLIN, limit,
                 midway ? "waiting for the rest of an answer" : "waiting for an answer", err);
    if (rc != IA_OK) {
        return rc;
    }
    ssize_t n = recv(l->fd, to, room, 0);
    if (n < 0 && !again()) {
        return ia_err_set(err, IA_E_IO, "%s", strerror(errno));
    }
    if (n == 0) {
        return ia_err_set(err, IA_E_IO, "the bridge closed the connection %s",
                          midway ? "in the middle of an answer" : "without an answer");
    }
    /* After EAGAIN or EINTR nothing was added; the caller asks the reader and comes back
     * here. */
    ia_wire_reader_added(&l->in, n > 0 ? (size_t)n : 0);
    return IA_OK;
}

enum ia_rc ia_link_recv(struct ia_link *l, const struct ia_limit *limit,
                        struct ia_wire_frame *ret, struct ia_err *err)
{
    for (;;) {
        enum ia_rc rc = IA_OK;
        switch (ia_wire_reader_next(&l->in, ret)) {
        case IA_WIRE_READ_FRAME:
            used(l);
            return IA_OK;
        case IA_WIRE_READ_TOO_LONG:
            rc = ia_err_set(err, IA_E_PROTO,
                            "the bridge announced an answer of more than %d MiB",
                            IA_WIRE_REPLY_MAX >> 20);
            break;
        case IA_WIRE_READ_MORE:
            rc = fill(l, limit, err);
            break;
        }
        if (rc != IA_OK) {
            ia_link_drop(l);
            return rc;
        }
    }
}
