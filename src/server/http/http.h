/* http.h: the HTTP server of the daemon, and of a device that is served (server/wda): one handler behind a
 * Unix socket, loopback TCP or both.
 *
 * Who may talk is decided here, before the handler: see access.h. The handler runs on the
 * connection's own thread (libmicrohttpd, one thread a connection) and may block under the
 * request's deadline. Every answer carries Ios-Agent-Build, X-Content-Type-Options: nosniff,
 * Cross-Origin-Resource-Policy: same-origin, and Cache-Control: no-store unless the handler set
 * another; none ever has a CORS header or a cookie. */
#ifndef IA_SERVER_HTTP_HTTP_H
#define IA_SERVER_HTTP_HTTP_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

struct ia_http_server;

enum ia_http_listener { IA_HTTP_UNIX, IA_HTTP_TCP };
/* What the caller may do: nothing but public paths, look (GET), or act. */
enum ia_http_scope { IA_HTTP_SCOPE_NONE, IA_HTTP_SCOPE_VIEW, IA_HTTP_SCOPE_ACT };

struct ia_http_request {
    const char *method; /* "GET", "POST", "PUT", "PATCH" or "DELETE"; HEAD comes as GET */
    const char *path;   /* "/v1/runs/0199", decoded, without the query; no "..", "//" or NUL */
    struct ia_str body; /* complete, at most IA_HTTP_BODY_MAX */
    enum ia_http_listener listener;
    enum ia_http_scope scope;
    const char *
        client; /* names the token's holder or the peer, for limits and logs; never the token */
    void *connection; /* private */
};

/* What one request, one answer and one caller may take; beyond it the status in brackets. */
enum {
    IA_HTTP_LINE_MAX = 4 << 10,     /* request line (414) */
    IA_HTTP_HEADERS_MAX = 16 << 10, /* names and values (431) */
    IA_HTTP_BODY_MAX = 1 << 20,     /* (413) */
    IA_HTTP_QUERY_MAX = 32,         /* members of the query (400) */
    IA_HTTP_ANSWER_MAX = 16 << 20,  /* (500, IA_E_LIMIT) */
    IA_HTTP_UNIX_MAX = 64,   /* connections; a new one ends the one that is idle longest, */
    IA_HTTP_TCP_MAX = 32,    /* and where all are in use it is answered 503 */
    IA_HTTP_STREAMS_MAX = 8, /* of one token (429); of a listener 3/4 of its connections */
    IA_HTTP_HEAD_S = 10,     /* until the headers are complete */
    IA_HTTP_BODY_S = 30,     /* until the body is complete */
    IA_HTTP_KEEP_S = 30,     /* until the next request */
    IA_HTTP_ANSWER_S = 60    /* until the client has read an answer, or a stream's next bytes */
};

/* A client's own key, for the one run that it asks for: over the Unix socket only. */
#define IA_HTTP_API_KEY_HEADER "Ios-Agent-Api-Key"
#define IA_HTTP_AUTH_TOKEN_HEADER "Ios-Agent-Auth-Token"
/* The server that the key is for; without it the configured one. */
#define IA_HTTP_BASE_URL_HEADER "Ios-Agent-Api-Base-Url"

/* NULL when it is absent. Borrowed until the handler returns. Header names in any case. */
const char *ia_http_query(const struct ia_http_request *r, const char *name);
const char *ia_http_header(const struct ia_http_request *r, const char *name);
/* Calls fn for each member of the query, so that an unknown one can be refused. */
typedef void ia_http_query_fn(void *ctx, const char *name, const char *value);
void ia_http_query_each(const struct ia_http_request *r, ia_http_query_fn *fn, void *ctx);
/* A token that fires when the client has gone or the server stops, for waits of the handler. Made
 * by the first call, freed after the handler; it notices a closed connection within 0.1 s, with
 * half_close 0.2 s. NULL when no descriptors are left. */
struct ia_cancel *ia_http_cancel(const struct ia_http_request *r);

/* A streamed body (SSE). next is called on the connection's thread whenever the socket takes bytes:
 * it appends at most a few KB to out, or nothing, and says when the stream has ended. When it has
 * nothing to say it waits with ia_http_stream_wait, which returns at the deadline, at
 * ia_http_stream_wake, when the client has gone or the server stops (then false: the stream ends).
 * A wake that comes while nobody waits ends the next wait at once. */
struct ia_http_stream;
struct ia_http_stream_ops {
    bool (*next)(void *ctx, struct ia_http_stream *s, struct ia_buf *out); /* false: the end */
    void (*done)(void *ctx); /* once, whatever happened; may be NULL; no wake after it */
};
bool ia_http_stream_wait(struct ia_http_stream *s, int64_t until_us);
void ia_http_stream_wake(struct ia_http_stream *s); /* any thread */

/* What the handler answers. Empty before it is called; it fills what it needs. */
struct ia_http_reply {
    int status;                              /* 0: 200 */
    const char *content_type;                /* NULL: application/json */
    struct ia_buf body;                      /* up to IA_HTTP_ANSWER_MAX */
    struct ia_buf headers;                   /* more header lines, "Name: value\n" each */
    const struct ia_http_stream_ops *stream; /* not NULL: instead of body */
    void *stream_ctx;
};
/* Line breaks in the value become spaces. */
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
    const char *build; /* of each answer's Ios-Agent-Build; borrowed */
    /* How a request is answered that never reaches the handler, for a protocol with an error format
     * of its own; the status is set. NULL: ia_http_reply_error. */
    void (*refusal)(struct ia_http_reply *reply, const struct ia_err *err);
    int keep_s; /* IA_HTTP_KEEP_S for this server; 0: that */
    /* A client that only sends no more gets its answer: what tells it from one that has gone is "100
     * Continue", which is sent to both. */
    bool half_close;
    bool exact_port; /* a taken port is an error, not another port */
    int hurry;       /* tests divide the seconds above by it; 0 is 1 */
};
/* IA_E_MISSING without the library, IA_E_IO with the port in its message. On failure the caller
 * still owns unix_fd. *ret is set before the first request reaches the handler. Raises the process's
 * soft limit of descriptors to what the connections may need. */
enum ia_rc ia_http_start(const struct ia_http_opts *opts, struct ia_http_server **ret,
                         struct ia_err *err);
/* Opens the TCP listener later (a dashboard was asked for). Where the port is taken, another one.
 * Returns its port; the same one when it is open already. Any thread. */
enum ia_rc ia_http_listen_tcp(struct ia_http_server *s, int port, int *ret_port,
                              struct ia_err *err);
int ia_http_port(struct ia_http_server *s); /* 0: no TCP */
/* Connections open now, streams open now: for the idle rule. */
void ia_http_counts(struct ia_http_server *s, int *ret_connections, int *ret_streams);
/* Accepts nothing new, fires every ia_http_cancel, ends every stream, waits for the handlers and
 * for at most 2 s until their answers are read. Not from a handler. NULL is fine. */
void ia_http_stop(struct ia_http_server *s);

#endif
