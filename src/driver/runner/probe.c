/* probe.c: what answers at a port: connect, hello, compare, and perhaps the request to end.
 *
 *     connect ── refused ─────────────────────────────► NO_LISTENER
 *        │ accepted
 *     hello ──── nothing in time, closed ─────────────► NO_ANSWER
 *        │       no frame, AUTH, any other refusal ───► UNRELATED
 *     reply ──── another UDID ────────────────────────► OTHER_DEVICE
 *                another build's key ─────────────────► OTHER_BUILD
 *                ours ────────────────────────────────► MATCH
 *
 * From OTHER_DEVICE on it took the token, so it is a runner of ours and may be asked to end. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "wire/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECT_MS = 2000, HELLO_MS = 3000 };

/* ---- a socket that waits under a call ---------------------------------------------------- */

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in a;
    memset(&a, 0, sizeof(a));
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

/* -1 when no descriptor is left. */
static int new_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        close(fd);
        return -1;
    }
#ifdef SO_NOSIGPIPE
    int on = 1;
    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
    }
#endif
    return fd;
}

bool ia_runner_port_free(uint16_t port)
{
    struct sockaddr_in a = loopback(port);
    int on = 1;
    int fd = new_socket();
    if (fd < 0) {
        return false;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    bool is_free = bind(fd, (const struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 1) == 0;
    close(fd);
    return is_free;
}

static enum ia_rc wait_for(int fd, short events, const struct ia_deadline *deadline)
{
    struct pollfd p = {fd, events, 0};
    int ready = 0;
    return ia_cancel_poll(deadline->cancel, &p, 1, deadline->at_us, &ready);
}

/* IA_E_NOT_FOUND: nobody listens. IA_E_IO: this process could not ask. */
static enum ia_rc connect_to(uint16_t port, const struct ia_deadline *deadline, int *ret_fd,
                             struct ia_err *err)
{
    struct sockaddr_in a = loopback(port);
    int error = 0;
    socklen_t size = sizeof(error);
    int fd = new_socket();
    if (fd < 0 || ia_fd_nonblocking(fd) != IA_OK) {
        error = errno;
    } else if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) != 0) {
        error = errno;
    }
    enum ia_rc rc = IA_OK;
    if (error == EINPROGRESS || error == EINTR) {
        rc = wait_for(fd, POLLOUT, deadline);
        error = 0;
        if (rc == IA_OK && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
            error = errno;
        }
    }
    /* A listener that ends while it is being connected to resets the connection. */
    if (rc == IA_OK && (error == ECONNREFUSED || error == ECONNRESET)) {
        rc = IA_E_NOT_FOUND;
    } else if (rc == IA_OK && error != 0) {
        rc = ia_err_set(err, IA_E_IO, "cannot connect to port %u: %s", (unsigned)port,
                        strerror(error));
    }
    if (rc == IA_OK) {
        *ret_fd = fd;
    } else if (fd >= 0) {
        close(fd);
    }
    return rc;
}

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE does it there */
#endif

static enum ia_rc send_all(int fd, const struct ia_wire_buf *b,
                           const struct ia_deadline *deadline)
{
    size_t sent = 0;
    enum ia_rc rc = IA_OK;
    while (sent < b->len && rc == IA_OK) {
        ssize_t n = send(fd, b->p + sent, b->len - sent, MSG_NOSIGNAL);
        if (n > 0) {
            sent += (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
            rc = wait_for(fd, POLLOUT, deadline);
        } else {
            rc = IA_E_IO;
        }
    }
    return rc;
}

/* Reads up to a whole frame. IA_E_IO: the other side closed; IA_E_PARSE: it is no frame. */
static enum ia_rc receive(int fd, struct ia_wire_reader *r, const struct ia_deadline *deadline,
                          struct ia_wire_frame *ret)
{
    enum ia_wire_read have = IA_WIRE_READ_MORE;
    while ((have = ia_wire_reader_next(r, ret)) == IA_WIRE_READ_MORE) {
        size_t room = 0;
        uint8_t *to = ia_wire_reader_space(r, &room);
        enum ia_rc rc = to ? wait_for(fd, POLLIN, deadline) : IA_E_LIMIT;
        ssize_t n = rc == IA_OK ? recv(fd, to, room, 0) : 0;
        if (rc != IA_OK) {
            return rc;
        }
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            return IA_E_IO;
        }
        ia_wire_reader_added(r, n > 0 ? (size_t)n : 0);
    }
    return have == IA_WIRE_READ_FRAME ? IA_OK : IA_E_PARSE;
}

/* ---- asking ------------------------------------------------------------------------------ */

static enum ia_rc exchange(int fd, struct ia_wire_reader *r, const struct ia_wire_request *req,
                           const struct ia_deadline *deadline, struct ia_wire_reply *ret)
{
    struct ia_wire_buf out = {.p = NULL};
    struct ia_wire_frame f;
    enum ia_rc rc = ia_wire_put_request(&out, req, NULL) ? IA_OK : IA_E_LIMIT;
    if (rc == IA_OK) {
        rc = send_all(fd, &out, deadline);
    }
    if (rc == IA_OK) {
        rc = receive(fd, r, deadline, &f);
    }
    if (rc == IA_OK) {
        bool reply = f.op == IA_WIRE_OP_REPLY && ia_wire_get_reply(&f, ret, NULL);
        rc = reply ? IA_OK : IA_E_PARSE;
    }
    ia_wire_buf_fini(&out);
    return rc;
}

static void set_answer(struct ia_runner_probe *p, enum ia_runner_answer answer, const char *fmt,
                       ...) IA_PRINTF(3, 4);

static void set_answer(struct ia_runner_probe *p, enum ia_runner_answer answer, const char *fmt,
                       ...)
{
    va_list ap;
    va_start(ap, fmt);
    p->answer = answer;
    (void)vsnprintf(p->note, sizeof(p->note), fmt, ap);
    va_end(ap);
}

/* The key stands behind the version: "ios-agent 0.2.0+0123456789abcdef xcuitest". */
static bool has_key(const char *server, const char *key)
{
    const char *plus = strchr(server, '+');
    size_t n = plus ? strcspn(plus + 1, " ") : 0;
    return plus && n == strlen(key) && strncmp(plus + 1, key, n) == 0;
}

static void compare(const struct ia_runner *r, const struct ia_wire_reply *reply,
                    struct ia_runner_probe *p)
{
    const struct ia_wire_hello_reply *h = &reply->u.hello;
    const char *udid = h->udid ? h->udid : "";
    const char *server = h->server ? h->server : "";
    if (reply->code == IA_WIRE_E_AUTH) {
        set_answer(p, IA_RUNNER_UNRELATED,
                   "another bridge listens on port %u: it requires a different token",
                   (unsigned)r->port);
    } else if (reply->code != IA_WIRE_OK) {
        set_answer(p, IA_RUNNER_UNRELATED, "the program that listens on port %u refuses: %s",
                   (unsigned)r->port,
                   reply->text ? reply->text : ia_wire_code_name(reply->code));
    } else if (strcasecmp(udid, r->udid) != 0) {
        set_answer(p, IA_RUNNER_OTHER_DEVICE,
                   "the runner on port %u belongs to the device \"%s\"", (unsigned)r->port,
                   udid);
    } else if (!has_key(server, r->key)) {
        set_answer(p, IA_RUNNER_OTHER_BUILD, "the runner is \"%s\", not build %s", server,
                   r->key);
    } else {
        set_answer(p, IA_RUNNER_MATCH, "%s", server);
    }
}

static void make_hello(const struct ia_runner *r, struct ia_wire_request *req)
{
    *req = (struct ia_wire_request){.op = IA_WIRE_OP_HELLO, .id = 1, .deadline_ms = HELLO_MS};
    req->u.hello = (struct ia_wire_hello){.version = IA_WIRE_VERSION,
                                          .version_min = IA_WIRE_VERSION_MIN,
                                          .token = r->token,
                                          .client = "ios-agent " IA_VERSION};
}

/* The reply does not matter: the runner may end before it is sent. */
static void ask_to_end(int fd, struct ia_wire_reader *reader,
                       const struct ia_deadline *deadline)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_SHUTDOWN, .id = 2, .deadline_ms = HELLO_MS};
    struct ia_wire_reply reply;
    if (exchange(fd, reader, &req, deadline, &reply) == IA_OK) {
        ia_wire_reply_fini(&reply);
    }
}

static enum ia_rc exchange_hello(int fd, const struct ia_runner *r,
                                 const struct ia_deadline *deadline, bool shut_down,
                                 struct ia_runner_probe *p)
{
    struct ia_wire_reader reader;
    struct ia_wire_request req;
    struct ia_wire_reply reply;
    ia_wire_reader_init(&reader, IA_WIRE_REQUEST_MAX);
    make_hello(r, &req);
    enum ia_rc rc = exchange(fd, &reader, &req, deadline, &reply);
    if (rc == IA_OK) {
        compare(r, &reply, p);
        ia_wire_reply_fini(&reply);
        if (shut_down && p->answer >= IA_RUNNER_OTHER_DEVICE) {
            ask_to_end(fd, &reader, deadline);
        }
    }
    ia_wire_reader_fini(&reader);
    return rc;
}

/* Whether the call itself has ended, not only the limit of this probe. */
static enum ia_rc check_deadline(const struct ia_deadline *deadline, struct ia_err *err)
{
    if (ia_cancel_fired(deadline->cancel)) {
        return ia_err_set(err, IA_E_CANCELLED, "cancelled while asking the runner");
    }
    return ia_mono_us(ia_clock_system()) >= deadline->at_us
               ? ia_err_set(err, IA_E_TIMEOUT, "there was no time left to ask the runner")
               : IA_OK;
}

enum ia_rc ia_runner_probe_port(const struct ia_runner *r, const struct ia_deadline *deadline,
                                bool shut_down, struct ia_runner_probe *ret, struct ia_err *err)
{
    struct ia_deadline to_connect = ia_runner_within(deadline, CONNECT_MS);
    int fd = -1;
    set_answer(ret, IA_RUNNER_NO_LISTENER, "nothing listens on port %u", (unsigned)r->port);
    struct ia_err why;
    enum ia_rc rc = connect_to(r->port, &to_connect, &fd, &why);
    if (rc == IA_OK) {
        struct ia_deadline to_talk = ia_runner_within(deadline, HELLO_MS);
        rc = exchange_hello(fd, r, &to_talk, shut_down, ret);
        close(fd);
        if (rc == IA_E_TIMEOUT) {
            set_answer(ret, IA_RUNNER_NO_ANSWER,
                       "the program that listens on port %u does not answer",
                       (unsigned)r->port);
        } else if (rc == IA_E_PARSE) {
            set_answer(ret, IA_RUNNER_UNRELATED,
                       "the program that listens on port %u is not a bridge",
                       (unsigned)r->port);
        } else if (rc == IA_E_IO) {
            set_answer(ret, IA_RUNNER_NO_ANSWER,
                       "the program that listens on port %u closes the connection",
                       (unsigned)r->port);
        }
    } else if (rc == IA_E_TIMEOUT) {
        set_answer(ret, IA_RUNNER_NO_ANSWER, "port %u does not accept connections",
                   (unsigned)r->port);
    } else if (rc == IA_E_IO) { /* this says nothing about the runner */
        return ia_err_set(err, rc, "%s", why.msg);
    }
    return check_deadline(deadline, err);
}
