/* net.c: sockets and pipes, POSIX only. All descriptors are non-blocking and closed on exec;
 * every wait is a poll with a deadline that a byte in a pipe ends early. Listens on the
 * loopback address only. */
#include "core/impl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS: SO_NOSIGPIPE below does it */
#endif

static bool set_nonblocking(int fd)
{
    return fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static void enable_option(int fd, int level, int name)
{
    int one = 1;
    (void)setsockopt(fd, level, name, &one, sizeof(one));
}

bool ia_bridge_pipe(int fds[2])
{
    if (pipe(fds) != 0) {
        fds[0] = fds[1] = -1;
        return false;
    }
    if (!set_nonblocking(fds[0]) || !set_nonblocking(fds[1])) {
        ia_bridge_pipe_close(fds);
        return false;
    }
    return true;
}

void ia_bridge_pipe_close(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
        fds[i] = -1;
    }
}

void ia_bridge_wake(int fd)
{
    int saved = errno;
    /* A full pipe wakes the reader just as well. */
    while (write(fd, "", 1) < 0 && errno == EINTR) {
    }
    errno = saved;
}

void ia_bridge_drain(int fd)
{
    char sink[64];
    ssize_t n;
    do {
        n = read(fd, sink, sizeof(sink));
    } while (n > 0 || (n < 0 && errno == EINTR));
}

bool ia_bridge_listen(struct ia_bridge *b, struct ia_wire_fault *fault)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof(at);
    at.sin_port = htons(b->opt.port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    b->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (b->listener < 0 || !set_nonblocking(b->listener)) {
        return ia_wire_fault_set(fault, IA_WIRE_E_IO, "cannot create a socket: %s",
                                 strerror(errno));
    }
    enable_option(b->listener, SOL_SOCKET, SO_REUSEADDR);
    if (bind(b->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        listen(b->listener, IA_BRIDGE_BACKLOG) != 0 ||
        getsockname(b->listener, (struct sockaddr *)&at, &size) != 0) {
        return ia_wire_fault_set(fault, IA_WIRE_E_IO, "cannot listen on 127.0.0.1:%u: %s",
                                 b->opt.port, strerror(errno));
    }
    b->port = ntohs(at.sin_port);
    return true;
}

int ia_bridge_accept(int listener)
{
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) {
        return -1;
    }
    if (!set_nonblocking(fd)) {
        close(fd);
        return -1;
    }
    /* Replies are small and awaited: Nagle's algorithm would delay each one. */
    enable_option(fd, IPPROTO_TCP, TCP_NODELAY);
    enable_option(fd, SOL_SOCKET, SO_KEEPALIVE);
#ifdef SO_NOSIGPIPE
    enable_option(fd, SOL_SOCKET, SO_NOSIGPIPE);
#endif
    return fd;
}

static int remaining_ms(int64_t until_us)
{
    int64_t remaining = until_us - ia_bridge_now_us();
    if (remaining <= 0) {
        return 0;
    }
    /* Rounded up, or the last millisecond would be spent in a tight loop. */
    remaining = (remaining + 999) / 1000;
    return remaining > 60000 ? 60000 : (int)remaining;
}

int ia_bridge_poll(int fd, int wake, int64_t until_us)
{
    struct pollfd p[2] = {{.fd = wake, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    int n = poll(p, fd >= 0 ? 2 : 1, remaining_ms(until_us));
    if (n <= 0) {
        return 0;
    }
    return (fd >= 0 && p[1].revents ? 1 : 0) | (p[0].revents ? 2 : 0);
}

/* A reset connection counts as the end of the stream: either way the peer has gone. */
long ia_bridge_recv(int fd, void *to, size_t n)
{
    ssize_t got;
    do {
        got = recv(fd, to, n, 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
    }
    return (long)got;
}

bool ia_bridge_send(int fd, const void *from, size_t n, int64_t until_us)
{
    const char *p = from;
    while (n > 0) {
        ssize_t put = send(fd, p, n, MSG_NOSIGNAL);
        if (put > 0) {
            p += put;
            n -= (size_t)put;
            continue;
        }
        if (put < 0 && errno == EINTR) {
            continue;
        }
        /* The peer reads slowly; until_us limits the whole reply and not each write. */
        struct pollfd out = {.fd = fd, .events = POLLOUT};
        int remaining = remaining_ms(until_us);
        if (put < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            return false;
        }
        if (remaining == 0 || (poll(&out, 1, remaining) < 0 && errno != EINTR)) {
            return false;
        }
    }
    return true;
}
