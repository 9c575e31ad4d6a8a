/* http.c: the server: two listeners of libmicrohttpd with one set of callbacks (call.h).
 *
 * The library starts a thread for each connection; nothing runs while nobody talks. Its own timeouts and
 * limits are not used: a total time for the headers and a place for somebody else are not among them
 * (connections.h). */
#include "server/http/http.h"

#include "base/clock.h"
#include "server/http/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    /* Of a connection: its headers, and a block of its answer. More than what is allowed, so that what
     * is too long is refused by us. */
    MEMORY_BYTES = IA_HTTP_HEADERS_MAX + IA_HTTP_LINE_MAX + (28 << 10),
    /* Connections that are on their way out, or are told that there is no room. */
    SPARE = 32,
    DESCRIPTORS = 3 * (IA_HTTP_UNIX_MAX + IA_HTTP_TCP_MAX + 2 * SPARE) + 256,
    PORT_MAX = 65535,
    ANSWERS_US = 2000000
};

struct ia_http_server {
    struct ia_call_ctx ctx;
    struct MHD_Daemon *listeners[2]; /* by enum ia_http_listener; NULL: none */
    pthread_mutex_t lock;            /* of opening the TCP listener */
    bool exact_port;
};

/* What the library hands to a listener's callbacks about connections. */
static void connection_of(struct ia_http_server *s, enum ia_http_listener listener,
                          struct MHD_Connection *connection, void **conn,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *conn = ia_conn_add(s->ctx.conns, listener, ia_mhd_fd(s->ctx.mhd, connection));
    } else {
        ia_conn_drop(*conn);
        *conn = NULL;
    }
}

static void on_unix(void *ctx, struct MHD_Connection *connection, void **conn,
                    enum MHD_ConnectionNotificationCode what)
{
    connection_of(ctx, IA_HTTP_UNIX, connection, conn, what);
}

static void on_tcp(void *ctx, struct MHD_Connection *connection, void **conn,
                   enum MHD_ConnectionNotificationCode what)
{
    connection_of(ctx, IA_HTTP_TCP, connection, conn, what);
}

static enum ia_rc listen_on(struct ia_http_server *s, enum ia_http_listener listener, int fd,
                            struct ia_err *err)
{
    static const unsigned most[] = {IA_HTTP_UNIX_MAX + SPARE, IA_HTTP_TCP_MAX + SPARE};
    struct ia_mhd_server server = {.fd = fd,
                                   .connections_max = most[listener],
                                   .connection_bytes = MEMORY_BYTES,
                                   .request = ia_call_request,
                                   .line = ia_call_line,
                                   .done = ia_call_done,
                                   .connection = listener == IA_HTTP_UNIX ? on_unix : on_tcp,
                                   .ctx = &s->ctx,
                                   .connection_ctx = s};
    s->listeners[listener] = ia_mhd_start(s->ctx.mhd, &server);
    return s->listeners[listener] ? IA_OK
                                  : ia_err_set(err, IA_E_IO, "cannot start the HTTP server: %s",
                                               errno ? strerror(errno) : "unknown reason");
}

/* ---- loopback TCP ------------------------------------------------------------------------- */

static enum ia_rc open_tcp(struct ia_http_server *s, int port, struct ia_err *err)
{
    if (port < 0 || port > PORT_MAX) {
        return ia_err_set(err, IA_E_USAGE, "port %d is not between 0 and %d", port, PORT_MAX);
    }
    int ours = 0;
    int fd = ia_mhd_listen(port, &ours);
    if (fd < 0 && port != 0 && !s->exact_port && (errno == EADDRINUSE || errno == EACCES)) {
        fd = ia_mhd_listen(0, &ours);
    }
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot listen on 127.0.0.1:%d: %s", port,
                          strerror(errno));
    }
    /* First: a request may come at once, and its Host is compared with the port. */
    s->ctx.port = ours;
    enum ia_rc rc = listen_on(s, IA_HTTP_TCP, fd, err);
    if (rc != IA_OK) {
        s->ctx.port = 0;
        close(fd);
    }
    return rc;
}

enum ia_rc ia_http_listen_tcp(struct ia_http_server *s, int port, int *ret_port,
                              struct ia_err *err)
{
    pthread_mutex_lock(&s->lock);
    enum ia_rc rc = s->ctx.port != 0 ? IA_OK : open_tcp(s, port, err);
    if (rc == IA_OK && ret_port) {
        *ret_port = s->ctx.port;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int ia_http_port(struct ia_http_server *s)
{
    return s->ctx.port;
}

/* ---- life --------------------------------------------------------------------------------- */

/* Each connection takes its own descriptor, and two more for a stream or a watched request. Where there are
 * too few (256 are usual on macOS), accepting would fail again and again until one is free. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS) {
        limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum ia_rc start_listeners(struct ia_http_server *s, const struct ia_http_opts *opts,
                                  struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (opts->tcp_port >= 0) {
        rc = ia_http_listen_tcp(s, opts->tcp_port, NULL, err);
    }
    if (rc == IA_OK && opts->unix_fd >= 0) {
        rc = listen_on(s, IA_HTTP_UNIX, opts->unix_fd, err);
    }
    return rc;
}

enum ia_rc ia_http_start(const struct ia_http_opts *opts, struct ia_http_server **ret,
                         struct ia_err *err)
{
    const struct ia_mhd *mhd = ia_mhd(err);
    if (!mhd) {
        return IA_E_MISSING;
    }
    allow_descriptors();
    struct ia_conns *conns =
        ia_conns_new(opts->hurry > 0 ? opts->hurry : 1, opts->keep_s, opts->half_close, err);
    if (!conns) {
        return IA_E_IO;
    }
    struct ia_http_server *s = ia_calloc(1, sizeof(*s));
    s->ctx =
        (struct ia_call_ctx){.mhd = mhd,
                             .conns = conns,
                             .access = opts->access,
                             .handler = opts->handler,
                             .handler_ctx = opts->ctx,
                             .build = opts->build ? opts->build : "",
                             .refusal = opts->refusal ? opts->refusal : ia_http_reply_error};
    s->exact_port = opts->exact_port;
    pthread_mutex_init(&s->lock, NULL);
    /* First: a request may come at once, and its handler may ask for the server. */
    *ret = s;
    enum ia_rc rc = start_listeners(s, opts, err);
    if (rc != IA_OK) {
        ia_http_stop(s);
        *ret = NULL;
    }
    return rc;
}

void ia_http_counts(struct ia_http_server *s, int *ret_connections, int *ret_streams)
{
    ia_conns_count(s->ctx.conns, ret_connections, ret_streams);
}

void ia_http_stop(struct ia_http_server *s)
{
    if (!s) {
        return;
    }
    const struct ia_mhd *mhd = s->ctx.mhd;
    for (size_t i = 0; i < IA_COUNTOF(s->listeners); i++) {
        if (s->listeners[i]) {
            int fd = (int)mhd->MHD_quiesce_daemon_(s->listeners[i]);
            if (fd >= 0) {
                close(fd);
            }
        }
    }
    ia_conns_stop(s->ctx.conns);
    ia_conns_drain(s->ctx.conns, ia_mono_us(ia_clock_system()) + ANSWERS_US);
    for (size_t i = 0; i < IA_COUNTOF(s->listeners); i++) {
        if (s->listeners[i]) {
            mhd->MHD_stop_daemon_(s->listeners[i]);
        }
    }
    ia_conns_free(s->ctx.conns);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
