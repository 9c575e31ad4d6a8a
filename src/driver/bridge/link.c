/* link.c: a stream that never blocks (base/stream.h): the call's cancel token and deadline end every wait. Any failure closes the stream, as what comes next in it
 * could not be told apart from the answer to another request. */
#include "driver/bridge/link.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- dialing ---------------------------------------------------------------------------- */

static enum ia_rc dial_tcp(void *ctx, const struct ia_bridge_client_place *place,
                           const struct ia_limit *limit, int *ret_fd, struct ia_err *err)
{
    (void)ctx;
    return ia_stream_dial_tcp(place->address, place->port, limit, ret_fd, err);
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

enum ia_rc ia_link_send(struct ia_link *l, const struct ia_limit *limit, const uint8_t *p,
                        size_t n, size_t *ret_sent, struct ia_err *err)
{
    enum ia_rc rc = ia_stream_send(l->fd, limit, p, n, ret_sent, err);
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
    enum ia_rc rc = ia_stream_wait(
        l->fd, POLLIN, limit,
        midway ? "waiting for the rest of an answer" : "waiting for an answer", err);
    if (rc != IA_OK) {
        return rc;
    }
    ssize_t n = recv(l->fd, to, room, 0);
    if (n < 0 && !ia_stream_again()) {
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
