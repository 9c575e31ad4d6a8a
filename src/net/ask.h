/* ask.h: one HTTP request and its whole answer, over a connection that is kept for the next.
 *
 * For servers that answer shortly and are asked often: WebDriverAgent, Appium, a collector of telemetry. It needs no thread; the
 * wait for the answer ends at once when the token fires. The Messages API has http.h, webhooks
 * post.h. One thread at a time uses a link. */
#ifndef IA_NET_ASK_H
#define IA_NET_ASK_H

#include "base/buf.h"
#include "base/cancel.h"

enum { IA_ASK_HEADER_BYTES_MAX = 64 * 1024, IA_ASK_CONNECT_MS = 10000, IA_ASK_HEADERS_MAX = 8 };

struct ia_ask_link;

struct ia_ask_place {
    const char *url;           /* http or https, up to where a path begins: no "/" at its end */
    const char *unix_socket;   /* connect there instead, or NULL */
    const char *authorization; /* the value of that header, or NULL; in no message */
    /* More header lines, "name: value", ended by NULL, at most IA_ASK_HEADERS_MAX; or NULL. In no message. */
    char *const *headers;
    bool plain_type; /* a body is "application/json", without a charset */
};

/* Connects to nothing yet. Everything is copied. IA_E_MISSING without libcurl; IA_E_USAGE for an
 * authorization or a header that is none. A proxy of the environment is used for hosts that are not
 * this machine. */
enum ia_rc ia_ask_open(const struct ia_ask_place *place, struct ia_ask_link **ret,
                       struct ia_err *err);
/* What of its authorization no message may show: what stands behind "Bearer ", say; NULL: it has none. Borrowed. */
const char *ia_ask_secret(const struct ia_ask_link *link);
/* Closes the connection; NULL is fine. */
void ia_ask_close(struct ia_ask_link *link);

struct ia_ask_request {
    const char *method; /* "GET", "POST" with a body, "DELETE" */
    const char *path;   /* behind the URL, "/status" */
    struct ia_str body; /* JSON */
    /* It has an effect: what was sent of it is never sent again. Otherwise a kept connection that
     * turns out to be dead is replaced. */
    bool once;
    size_t bytes_max;    /* of the answer's body */
    int64_t deadline_us; /* of the system's monotonic clock */
    struct ia_cancel *cancel;
};

struct ia_ask_answer {
    int status;         /* 0: none came */
    struct ia_buf body; /* free it, after a failure too */
    bool sent;          /* bytes of the body, or of a request without one, may have left */
};

/* IA_OK: an answer of any status came to its end; redirects are not followed. IA_E_CANCELLED,
 * IA_E_TIMEOUT: as the token and the deadline say. IA_E_LIMIT: an answer that is too large. IA_E_IO: no
 * connection, or it broke; msg says why in libcurl's words. After a failure the next request
 * begins on a new connection. */
enum ia_rc ia_ask(struct ia_ask_link *link, const struct ia_ask_request *request,
                  struct ia_ask_answer *ret, struct ia_err *err);

#endif
