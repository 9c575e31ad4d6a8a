/* http.h: the HTTP server of the daemon: one handler behind a Unix socket and, when asked, loopback TCP.
 *
 * Who may talk is decided here, before the handler: see access.h. The handler runs on the
 * connection's own thread (libmicrohttpd, one thread a connection) and may block under the
 * request's deadline. */
#ifndef IA_SERVER_HTTP_HTTP_H
#define IA_SERVER_HTTP_HTTP_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

struct ia_http_server;

enum ia_http_listener { IA_HTTP_UNIX, IA_HTTP_TCP };
/* What the caller may do: nothing but public paths, look, or act. */
enum ia_http_scope { IA_HTTP_SCOPE_NONE, IA_HTTP_SCOPE_VIEW, IA_HTTP_SCOPE_ACT };

struct ia_http_request {
    const char *method; /* "GET" */
    const char *path;   /* "/v1/runs/0199", decoded, without the query; no "..", no NUL */
    struct ia_str body; /* complete, at most IA_HTTP_BODY_MAX */
    enum ia_http_listener listener;
    enum ia_http_scope scope;
    const char *
        client; /* names the token's holder or the peer, for limits and logs; never the token */
    void *connection; /* private */
};
enum { IA_HTTP_BODY_MAX = 1 << 20, IA_HTTP_HEADERS_MAX = 16 << 10, IA_HTTP_QUERY_MAX = 32 };

/* NULL when it is absent. Borrowed until the handler returns. Header names in any case. */
const char *ia_http_query(const struct ia_http_request *r, const char *name);
const char *ia_http_header(const struct ia_http_request *r, const char *name);
/* Calls fn for each member of the query, so that an unknown one can be refused. */
typedef void ia_http_query_fn(void *ctx, const char *name, const char *value);
void ia_http_query_each(const struct ia_http_request *r, ia_http_query_fn *fn, void *ctx);

/* A streamed body (SSE). next is called on the connection's thread whenever the socket takes bytes:
 * it appends at most a few KB to out, or nothing, and says when the stream has ended. When it has
 * nothing to say it waits with ia_http_stream_wait, which returns at the deadline, at
 * ia_http_stream_wake, when the client has gone or the server stops (then false: the stream ends). */
struct ia_http_stream;
struct ia_http_stream_ops {
    bool (*next)(void *ctx, struct ia_http_stream *s, struct ia_buf *out); /* false: the end */
    void (*done)(void *ctx); /* once, whatever happened; may be NULL */
};
bool ia_http_stream_wait(struct ia_http_stream *s, int64_t until_us);
void ia_http_stream_wake(struct ia_http_stream *s); /* any thread */

/* What the handler answers. Zeroed before it is called; it fills what it needs. */
struct ia_http_reply {
    int status;               /* 0: 200 */
    const char *content_type; /* NULL: application/json */
    struct ia_buf body;
    struct ia_buf headers;                   /* more header lines, "Name: value\n" each */
    const struct ia_http_stream_ops *stream; /* not NULL: instead of body */
    void *stream_ctx;
};
void ia_http_reply_header(struct ia_http_reply *r, const char *name, const char *fmt, ...)
    IA_PRINTF(3, 4);
/* The envelope of a failure, with the status that the code has (err.h). */
void ia_http_reply_error(struct ia_http_reply *r, const struct ia_err *err);

typedef void ia_http_handler(void *ctx, const struct ia_http_request *request,
                             struct ia_http_reply *reply);

struct ia_access; /* access.h: tokens, codes, hosts */

struct ia_http_opts {
    int unix_fd;              /* a listening AF_UNIX socket, owned by the server; -1: none */
    int tcp_port;             /* wished port on 127.0.0.1, 0: any; -1: no TCP */
    struct ia_access *access; /* borrowed; not NULL where there is TCP */
    ia_http_handler *handler;
    void *ctx;
    const char *build; /* of each answer's Ios-Agent-Build */
};
/* IA_E_MISSING without the library, IA_E_IO with the port in its message. */
enum ia_rc ia_http_start(const struct ia_http_opts *opts, struct ia_http_server **ret,
                         struct ia_err *err);
/* Opens the TCP listener later (a dashboard was asked for). Returns its port; the same one when it
 * is open already. */
enum ia_rc ia_http_listen_tcp(struct ia_http_server *s, int port, int *ret_port,
                              struct ia_err *err);
int ia_http_port(const struct ia_http_server *s); /* 0: no TCP */
/* Connections open now, streams open now: for the idle rule. */
void ia_http_counts(struct ia_http_server *s, int *ret_connections, int *ret_streams);
/* Accepts nothing new, wakes every stream, waits for handlers. NULL is fine. */
void ia_http_stop(struct ia_http_server *s);

#endif
