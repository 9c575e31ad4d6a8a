/* stream.c: a body that is made while it is sent.
 *
 *     read_on (libmicrohttpd, whenever the socket takes bytes)
 *        bytes left? ── yes ─► copy                             phase ANSWER: the client must read
 *             └ no ──► ops->next: appends, or waits for wake    phase WAIT: for as long as it likes
 *                      in a poll on { wake pipe, the client's end, the server's stop }
 *
 * Only what one call of next appended is in memory: a slow reader holds its own thread and no more. */
#include "server/http/stream.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/platform.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An event of the store may have 1 MiB, and others may stand before it. */
enum { BLOCK_BYTES = 16 << 10, PENDING_MAX = (1 << 20) + (64 << 10) };

struct ia_http_stream {
    struct ia_conn *conn;
    const struct ia_http_stream_ops *ops;
    void *ctx;
    struct ia_buf pending;
    size_t sent; /* of pending */
    bool ended;
    bool gone; /* the client has, or the server stops */
    bool deaf; /* the client sent more: its end cannot be seen any more on every system */
    int wake[2];
};

bool ia_http_stream_wait(struct ia_http_stream *s, int64_t until_us)
{
    int ready;
    struct pollfd fds[] = {
        {.fd = s->wake[0], .events = POLLIN},
        {.fd = s->deaf ? -1 : s->conn->fd, .events = ia_platform_hangup_events()}};
    enum ia_rc rc = ia_cancel_poll(ia_conns_stopping(s->conn->owner), fds, IA_COUNTOF(fds),
                                   until_us, &ready);
    if (rc == IA_OK && fds[0].revents) {
        char bytes[64];
        (void)!read(s->wake[0], bytes, sizeof(bytes));
    }
    if (rc == IA_OK && fds[1].revents) {
        s->gone = ia_platform_peer_gone(s->conn->fd);
        s->deaf = !s->gone;
    }
    s->gone = s->gone || rc == IA_E_CANCELLED;
    return !s->gone;
}

void ia_http_stream_wake(struct ia_http_stream *s)
{
    (void)!write(s->wake[1], "", 1);
}

/* Fills pending. False when there is nothing more to send. */
static bool fill(struct ia_http_stream *s)
{
    ia_conn_move(s->conn, IA_CONN_WAIT);
    ia_buf_reset(&s->pending);
    s->sent = 0;
    while (s->pending.len == 0 && !s->ended && !s->gone) {
        s->gone = ia_cancel_fired(ia_conns_stopping(s->conn->owner));
        s->ended = s->gone || !s->ops->next(s->ctx, s, &s->pending) || !ia_buf_ok(&s->pending);
    }
    ia_conn_move(s->conn, IA_CONN_ANSWER);
    return s->pending.len > 0;
}

static ssize_t read_on(void *ctx, uint64_t at, char *dst, size_t max)
{
    struct ia_http_stream *s = ctx;
    (void)at;
    if (s->sent == s->pending.len && !fill(s)) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t left = s->pending.len - s->sent;
    size_t n = left < max ? left : max;
    memcpy(dst, s->pending.p + s->sent, n);
    s->sent += n;
    return (ssize_t)n;
}

/* The connection may be gone by now. */
static void end(void *ctx)
{
    struct ia_http_stream *s = ctx;
    if (s->ops->done) {
        s->ops->done(s->ctx);
    }
    if (s->wake[0] >= 0) {
        close(s->wake[0]);
        close(s->wake[1]);
    }
    ia_buf_fini(&s->pending);
    free(s);
}

struct MHD_Response *ia_stream_response(const struct ia_mhd *mhd, struct ia_conn *conn,
                                        const struct ia_http_stream_ops *ops, void *ctx,
                                        struct ia_err *err)
{
    struct ia_http_stream *s = ia_calloc(1, sizeof(*s));
    *s = (struct ia_http_stream){
        .conn = conn, .ops = ops, .ctx = ctx, .pending = IA_BUF(PENDING_MAX), .wake = {-1, -1}};
    struct MHD_Response *r = NULL;
    if (ia_pipe(s->wake, err) == IA_OK) {
        (void)ia_fd_nonblocking(s->wake[1]);
        r = mhd->MHD_create_response_from_callback_(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_on, s,
                                                    end);
    } else {
        s->wake[0] = -1;
    }
    if (!r) {
        end(s);
    }
    return r;
}
