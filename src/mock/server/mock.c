/* mock.c: the socket of the double: libmicrohttpd around core.h.
 *
 * One thread serves one connection, so that pacing, latency and stalls are plain waits; all of
 * them end when the double is stopped.
 *
 *     on_request: headers ─► upload pieces ─► answer (core) ─► latency ─► queue the response
 *     read_reply: called for each chunk: pace between events, the fault at strike_at, or bytes
 *     on_done:    the request's memory is freed, whatever became of it */
#include "mock/server/mock.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "mock/server/core.h"
#include "net/mhd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTION_BYTES = 8 << 10,
    CONNECTIONS_MAX = 4096,
    CHUNK_BYTES = 4096,
    SPLIT_ONE_IN = 4,
    PORT_MAX = 65535
};

struct ia_mock {
    const struct ia_mhd *mhd;
    struct MHD_Daemon *daemon;
    struct ia_mock_core *core;
    struct ia_cancel *stop;
    int port;
};

/* One request, from its first header to the last byte of its answer. */
struct call {
    struct ia_mock *m;
    struct MHD_Connection *connection;
    struct ia_buf body;
    bool too_large;
    struct ia_mock_reply reply;
    size_t frame; /* the next frame to send */
    uint64_t rand_state;
    bool stalled;
};

static int fd_of(const struct call *call)
{
    return ia_mhd_fd(call->m->mhd, call->connection);
}

/* Waits for ms (-1: for ever), until the double stops, or until the client goes or sends more.
 * True when the time is over. */
static bool pause_ms(const struct call *call, int64_t ms, bool watch_client)
{
    int ready;
    struct pollfd fd = {.fd = fd_of(call), .events = POLLIN};
    int64_t until =
        ms < 0 ? IA_NO_DEADLINE : ia_mono_us(ia_clock_system()) + ms * INT64_C(1000);
    return ia_cancel_poll(call->m->stop, &fd, watch_client ? 1 : 0, until, &ready) ==
           IA_E_TIMEOUT;
}

/* Closes the connection with RST at once. The library would send FIN first, so the socket goes
 * away under it: its descriptor becomes /dev/null, which the library then closes. */
static void reset_now(const struct call *call)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    int fd = fd_of(call);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || null < 0) {
        return;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    (void)dup2(null, fd);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    close(null);
}

/* What happens at strike_at. True to go on sending. */
static bool strike(struct call *call)
{
    switch (call->reply.strike) {
    case IA_MOCK_STRIKE_STALL:
        call->stalled = true;
        return pause_ms(call, call->reply.stall_ms, true);
    case IA_MOCK_STRIKE_RESET:
        reset_now(call);
        return false;
    case IA_MOCK_STRIKE_CUT:
        return false;
    case IA_MOCK_STRIKE_NONE:
        break;
    }
    return true;
}

static bool struck(const struct call *call, size_t pos)
{
    return call->reply.strike != IA_MOCK_STRIKE_NONE && !call->stalled &&
           pos >= call->reply.strike_at;
}

/* The first place inside a character between from and to, else `to`. */
static size_t inside_character(const struct ia_mock_stream *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (((unsigned char)s->bytes.p[i] & 0xc0) == 0x80) {
            return i;
        }
    }
    return to;
}

/* How much to send as one chunk: to the end of a frame, or a part of it, rather one that ends
 * inside a character. */
static size_t chunk_end(struct call *call, size_t pos, size_t max)
{
    const struct ia_mock_stream *s = &call->reply.body;
    struct ia_rand rand = ia_rand_seeded(&call->rand_state);
    size_t end = s->ends[call->frame];
    if (end - pos > 1 && ia_rand_next(&rand) % SPLIT_ONE_IN == 0) {
        size_t torn = inside_character(s, pos + 1, end);
        end = torn < end ? torn : pos + 1 + (size_t)(ia_rand_next(&rand) % (end - pos - 1));
    }
    return end - pos > max ? pos + max : end;
}

static ssize_t read_reply(void *ctx, uint64_t at, char *dst, size_t max)
{
    struct call *call = ctx;
    const struct ia_mock_stream *s = &call->reply.body;
    size_t pos = (size_t)at;
    if (struck(call, pos) && !strike(call)) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    while (call->frame < s->frames && s->ends[call->frame] <= pos) {
        call->frame++;
    }
    if (call->frame >= s->frames) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    bool starts = pos > 0 && call->frame > 0 && s->ends[call->frame - 1] == pos;
    if (starts && call->reply.pace_ms > 0 && !pause_ms(call, call->reply.pace_ms, false)) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t end = chunk_end(call, pos, max);
    /* The chunk ends where the strike is due, so that the next call begins with it. */
    if (call->reply.strike != IA_MOCK_STRIKE_NONE && pos < call->reply.strike_at &&
        end > call->reply.strike_at) {
        end = call->reply.strike_at;
    }
    memcpy(dst, s->bytes.p + pos, end - pos);
    return (ssize_t)(end - pos);
}

static void add_header(const struct call *call, struct MHD_Response *r, const char *name,
                       const char *value)
{
    if (value && *value) {
        (void)call->m->mhd->MHD_add_response_header_(r, name, value);
    }
}

static enum MHD_Result send_reply(struct call *call)
{
    const struct ia_mhd *mhd = call->m->mhd;
    const struct ia_mock_reply *reply = &call->reply;
    bool stream = strncmp(reply->content_type, "text/event-stream", 17) == 0;
    uint64_t size = stream ? MHD_SIZE_UNKNOWN : reply->body.bytes.len;
    struct MHD_Response *r =
        mhd->MHD_create_response_from_callback_(size, CHUNK_BYTES, read_reply, call, NULL);
    if (!r) {
        return MHD_NO;
    }
    add_header(call, r, "content-type", reply->content_type);
    add_header(call, r, "request-id", reply->request_id);
    add_header(call, r, "cache-control", stream ? "no-cache" : NULL);
    add_header(call, r, "retry-after", reply->retry_after);
    add_header(call, r, "retry-after-ms", reply->retry_after_ms);
    add_header(call, r, "x-should-retry", reply->should_retry);
    enum MHD_Result result =
        mhd->MHD_queue_response_(call->connection, (unsigned)reply->status, r);
    mhd->MHD_destroy_response_(r);
    return result;
}

static const char *header(const struct call *call, const char *name)
{
    return call->m->mhd->MHD_lookup_connection_value_(call->connection, MHD_HEADER_KIND, name);
}

static const char *argument(const struct call *call, const char *name)
{
    return call->m->mhd->MHD_lookup_connection_value_(call->connection, MHD_GET_ARGUMENT_KIND,
                                                      name);
}

static enum MHD_Result answer(struct call *call, const char *method, const char *path)
{
    struct ia_mock_headers h = {
        .api_key = header(call, "x-api-key"),
        .authorization = header(call, "authorization"),
        .version = header(call, "anthropic-version"),
        .beta = header(call, "anthropic-beta"),
        .content_type = header(call, "content-type"),
        .limit = argument(call, "limit"),
        .after_id = argument(call, "after_id"),
        .before_id = argument(call, "before_id"),
    };
    ia_mock_core_answer(call->m->core, method, path, &h, ia_buf_str(&call->body),
                        call->too_large, &call->reply);
    ia_buf_fini(&call->body);
    call->rand_state = call->reply.seed;
    if (call->reply.latency_ms > 0 && !pause_ms(call, call->reply.latency_ms, true)) {
        return MHD_NO;
    }
    /* A reset before the first byte comes before the status line, too. */
    if (call->reply.strike == IA_MOCK_STRIKE_RESET && call->reply.strike_at == 0) {
        reset_now(call);
        return MHD_NO;
    }
    return send_reply(call);
}

static void take_upload(struct call *call, const char *bytes, size_t n)
{
    if (!call->too_large) {
        ia_buf_put(&call->body, bytes, n);
    }
    if (!ia_buf_ok(&call->body)) {
        call->too_large = true;
        ia_buf_fini(&call->body);
    }
}

/* The library's signature. NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *upload, size_t *upload_size, void **state)
{
    (void)version;
    struct call *call = *state;
    if (!call) {
        call = ia_calloc(1, sizeof(*call));
        call->m = ctx;
        call->connection = connection;
        call->body = IA_BUF(IA_MOCK_BODY_MAX);
        *state = call;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        take_upload(call, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    return answer(call, method, path);
}

static void on_done(void *ctx, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode reason)
{
    (void)ctx;
    (void)connection;
    (void)reason;
    struct call *call = *state;
    if (call) {
        ia_buf_fini(&call->body);
        ia_mock_reply_fini(&call->reply);
        free(call);
        *state = NULL;
    }
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what)
{
    (void)connection;
    (void)state;
    const struct ia_mock *m = ctx;
    ia_mock_stats_connection(ia_mock_core_stats(m->core),
                             what == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1);
}

static enum ia_rc start_daemon(struct ia_mock *m, int port, struct ia_err *err)
{
    struct ia_mhd_server server = {.fd = ia_mhd_listen(port, &m->port),
                                   .connections_max = CONNECTIONS_MAX,
                                   .connection_bytes = CONNECTION_BYTES,
                                   .request = on_request,
                                   .done = on_done,
                                   .connection = on_connection,
                                   .ctx = m,
                                   .connection_ctx = m};
    m->daemon = server.fd >= 0 ? ia_mhd_start(m->mhd, &server) : NULL;
    if (m->daemon) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "cannot listen on 127.0.0.1:%d: %s", port,
                               errno ? strerror(errno) : "unknown reason");
    ia_err_hint(err, "choose another port, or 0 for any free one");
    if (server.fd >= 0) {
        close(server.fd);
    }
    return rc;
}

enum ia_rc ia_mock_start(const struct ia_mock_options *opt, struct ia_mock **ret,
                         struct ia_err *err)
{
    if (opt->port < 0 || opt->port > PORT_MAX) {
        return ia_err_set(err, IA_E_USAGE, "port %d is not between 0 and %d", opt->port,
                          PORT_MAX);
    }
    const struct ia_mhd *mhd = ia_mhd(err);
    if (!mhd) {
        return IA_E_MISSING;
    }
    struct ia_mock *m = ia_calloc(1, sizeof(*m));
    m->mhd = mhd;
    m->stop = ia_cancel_new(err);
    enum ia_rc rc = m->stop ? ia_mock_core_new(opt, &m->core, err) : IA_E_IO;
    if (rc == IA_OK) {
        rc = start_daemon(m, opt->port, err);
    }
    if (rc != IA_OK) {
        ia_mock_stop(m);
        return rc;
    }
    *ret = m;
    return IA_OK;
}

void ia_mock_stop(struct ia_mock *m)
{
    if (!m) {
        return;
    }
    /* First: stopping the daemon joins the connections' threads, which may be in a stall
     * without end. */
    ia_cancel_fire(m->stop);
    if (m->daemon) {
        m->mhd->MHD_stop_daemon_(m->daemon);
    }
    ia_mock_core_free(m->core);
    ia_cancel_free(m->stop);
    free(m);
}

int ia_mock_port(const struct ia_mock *m)
{
    return m->port;
}

void ia_mock_stats_json(struct ia_mock *m, struct ia_jsonw *w)
{
    ia_mock_stats_write(ia_mock_core_stats(m->core), w);
}

bool ia_mock_request_body(struct ia_mock *m, int index, struct ia_buf *out)
{
    return ia_mock_core_request_body(m->core, index, out);
}
