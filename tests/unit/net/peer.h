/* peer.h: an HTTP server for tests of clients, on a thread of its own: it remembers every request that
 * arrived whole, and answers as a function says, well or badly. */
#ifndef IA_TESTS_UNIT_NET_PEER_H
#define IA_TESTS_UNIT_NET_PEER_H

#include "base/buf.h"

/* What becomes of a request that was read. */
enum peer_how {
    PEER_ANSWER,   /* the answer in one write; the connection stays */
    PEER_CLOSE,    /* the same, and the connection is closed without having said so */
    PEER_CUT,      /* nothing is answered; the connection is closed */
    PEER_CUT_HEAD, /* half of the header */
    PEER_CUT_BODY, /* half of the body */
    PEER_RESET,    /* nothing is answered; the connection is reset */
    PEER_CHUNKED,  /* the answer in chunks of a few bytes */
    PEER_SILENT,   /* nothing, and the connection stays */
    PEER_RAW,      /* the bytes of the body are all that is sent */
    PEER_KILLED,   /* as PEER_CUT, and nobody listens any more */
    PEER_HOW_COUNT
};

struct peer_request {
    int connection; /* 1 is the first */
    char method[16];
    char path[512];
    char head[2048]; /* all header lines */
    char *body;
};

struct peer_reply {
    enum peer_how how;
    int status; /* 0: 200 */
    const char *type;
    const char *headers; /* more lines, each with its line end; or NULL */
    struct ia_buf body;
};

/* Called on the peer's thread. ret is an empty answer with status 200. */
typedef void peer_fn(void *ctx, const struct peer_request *request, struct peer_reply *ret);

struct peer;
/* Listens on 127.0.0.1, or on a Unix socket where a path is given. */
struct peer *peer_start(const char *socket_path, peer_fn *answer, void *ctx);
/* Ends the thread and closes everything; NULL is fine. */
void peer_stop(struct peer *p);
int peer_port(const struct peer *p);
/* "http://127.0.0.1:PORT" */
const char *peer_url(const struct peer *p);

/* How many requests there were, and the i-th, which stays as it is. */
size_t peer_count(struct peer *p);
const struct peer_request *peer_request(struct peer *p, size_t i);
/* How many requests whose method and path begin like this, "POST /session/". */
size_t peer_count_of(struct peer *p, const char *start);

#endif
