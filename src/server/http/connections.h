/* connections.h: the open connections, what each is doing and until when it may.
 *
 * One thread ends those whose time is over or whose watcher's client has gone; it sleeps as long
 * as there is nothing to watch. Ending one is shutdown(2): its own thread sees the end and closes. */
#ifndef IA_SERVER_HTTP_CONNECTIONS_H
#define IA_SERVER_HTTP_CONNECTIONS_H

#include "base/cancel.h"
#include "base/err.h"
#include "server/http/http.h"

/* What a connection is doing; connections.c has the diagram and how long each may take. */
enum ia_conn_phase {
    IA_CONN_HEAD,
    IA_CONN_BODY,
    IA_CONN_DELAY,
    IA_CONN_HANDLER,
    IA_CONN_ANSWER,
    IA_CONN_WAIT,
    IA_CONN_KEPT,
    IA_CONN_PHASES
};

struct ia_conns;
struct ia_conn {
    struct ia_conns *owner;
    struct ia_conn *next;
    int fd;
    enum ia_http_listener listener;
    bool full; /* there was no room for it, or it had to make some: a request is answered 503 */
    bool foreign; /* the peer is another user: 403 */
    enum ia_conn_phase phase;
    int64_t since_us, until_us; /* of the phase */
    char stream[24];            /* the client whose stream it carries; "": none */
    struct ia_cancel *watcher;  /* fired when the client has gone; NULL: none */
    bool asked; /* of the watched request: it was sent a sign of life, or can take none */
};

/* Every time limit is divided by hurry. keep_s: how long a connection waits for its next request; 0:
 * IA_HTTP_KEEP_S. half_close: http.h. */
struct ia_conns *ia_conns_new(int hurry, int keep_s, bool half_close, struct ia_err *err);
/* After the last connection was dropped. NULL is fine. */
void ia_conns_free(struct ia_conns *c);
/* A token that fires when the server stops. */
struct ia_cancel *ia_conns_stopping(struct ia_conns *c);
/* Fires it and every watcher. */
void ia_conns_stop(struct ia_conns *c);

/* On the thread that accepts. Where a listener has as many connections as it may, the one goes that was
 * idle longest. */
struct ia_conn *ia_conn_add(struct ia_conns *c, enum ia_http_listener listener, int fd);
void ia_conn_drop(struct ia_conn *conn); /* before its descriptor is closed */

void ia_conn_move(struct ia_conn *conn, enum ia_conn_phase phase);
/* A token that fires when the client has gone or the server stops; NULL when there are no
 * descriptors left. Until ia_conn_unwatch. */
struct ia_cancel *ia_conn_watch(struct ia_conn *conn, bool http_1_1);
void ia_conn_unwatch(struct ia_conn *conn);
/* False when the client, or the listener, has as many streams as it may. */
bool ia_conn_stream(struct ia_conn *conn, const char *client);
void ia_conn_stream_end(struct ia_conn *conn);

void ia_conns_count(struct ia_conns *c, int *ret_connections, int *ret_streams);
/* Waits until no request is being handled, and at most until the time for answers to be read. */
void ia_conns_drain(struct ia_conns *c, int64_t answers_until_us);

#endif
