/* wire.h: a server with a handler of the tests, and a client on raw sockets that hides nothing. */
#ifndef IA_TESTS_UNIT_SERVER_HTTP_WIRE_H
#define IA_TESTS_UNIT_SERVER_HTTP_WIRE_H

#include "server/http/access.h"

#include "test.h"
#include "tmpdir.h"

struct wire {
    char *dir;
    char *socket_path;
    int unix_fd; /* listens there; the server's once it runs */
    struct ia_access *access;
    struct ia_http_server *server;
    int port; /* 0: no TCP */
    char token[IA_ACCESS_TOKEN_SIZE];
    _Atomic int handled;            /* requests that reached the handler */
    _Atomic int waiting, cancelled; /* in /v1/wait; by ia_http_cancel */
    _Atomic bool go;                /* ends those */
};

/* A Unix socket that clients may connect to before it is served, and a token file. */
struct wire *wire_new(void);
/* A server on it and, unless tcp is false, on TCP with the allowed host "phones.example:8443". ctx of the
 * handler is the struct wire. Times are divided by hurry. */
void wire_serve(struct wire *w, ia_http_handler *handler, bool tcp, int hurry);
struct wire *wire_start(ia_http_handler *handler, bool tcp, int hurry); /* both */
void wire_stop(struct wire *w);
/* /v1/echo answers method, path, scope, client and the body's size; /v1/bytes?n= so many bytes; /v1/wait
 * waits; /v1/login trades ?code=. */
void wire_handler(void *ctx, const struct ia_http_request *r, struct ia_http_reply *reply);

struct wire_reply {
    int status; /* 0: the connection ended before a status line */
    char head[8192];
    struct ia_buf body; /* without the framing of chunks */
    bool closed;        /* the server closed the connection behind it */
};
int wire_unix(const struct wire *w);
int wire_tcp(const struct wire *w);
void wire_send(int fd, const char *fmt, ...) IA_PRINTF(2, 3);
/* One answer; fails the test after a minute. Free with wire_reply_fini. */
void wire_read(int fd, struct wire_reply *ret);
void wire_reply_fini(struct wire_reply *r);
/* A header's value in dst, or "". */
const char *wire_header(const struct wire_reply *r, const char *name, char dst[256]);
/* True when the server closes within ms. */
bool wire_closes(int fd, int ms);

/* Waits until *value is at least n; fails the test after a minute. */
void wire_until(const _Atomic int *value, int n);
/* One request over TCP with the good Host and token, and these header lines ("A: b\r\n") and body; the
 * status of its answer. */
int wire_status(const struct wire *w, const char *line, const char *headers, const char *body);

#endif
