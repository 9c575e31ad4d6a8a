/* server.h: a loopback server that answers each request with the next step of a script, and
 * keeps what it was sent. */
#ifndef IA_TESTS_UNIT_CLAUDE_SERVER_H
#define IA_TESTS_UNIT_CLAUDE_SERVER_H

#include "base/cancel.h"

enum server_end {
    SERVER_KEEP,  /* the answer is complete; the connection stays open */
    SERVER_CLOSE, /* close after what was sent */
    SERVER_RESET, /* reset after what was sent */
    SERVER_STALL  /* send no more until the client goes away */
};

/* The end of `steps` is a step with status 0. */
enum { SERVER_RAW = -1 };
struct server_step {
    int status;          /* SERVER_RAW: the body alone is sent, without any HTTP */
    const char *headers; /* "a: b\r\n" lines besides the framing, or NULL */
    const char *body;
    enum server_end end;
    size_t cut;                /* send only so many bytes of the body; 0: all */
    struct ia_cancel *cancels; /* fired once the bytes were sent, or NULL */
    bool close_after;          /* KEEP, but close once the answer was read */
};

struct server;

struct server *server_start(const struct server_step *steps);
/* Waits for the server's thread; every step must have been asked for when `all` is set. */
void server_stop(struct server *s, bool all);
/* "http://127.0.0.1:PORT". */
const char *server_url(const struct server *s);
int server_connections(struct server *s);
int server_requests(struct server *s);
/* The head and the body of request i, from 0. Borrowed until server_stop. */
const char *server_head(struct server *s, int i);
const char *server_body(struct server *s, int i);
/* Monotonic time at which a step's token was fired. */
int64_t server_cancelled_us(struct server *s);

#endif
