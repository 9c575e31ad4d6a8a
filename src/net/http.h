/* http.h: one streamed request over libcurl, cancellable at any moment.
 *
 * The reactor moves the bytes; the sending thread waits for the end, for the cancel token and
 * for its limits in the one cancellable wait of base/cancel.h, so a cancelled call returns at
 * once and not at the next byte. Knows nothing of what is sent: the caller gives the body as a
 * source, and gets header lines and bytes by callbacks. */
#ifndef IA_NET_HTTP_H
#define IA_NET_HTTP_H

#include "base/buf.h"
#include "base/cancel.h"
#include "net/reactor.h"

struct ia_http; /* one conversation, one thread at a time */

enum {
    IA_HTTP_HEADERS_MAX = 10,
    IA_HTTP_BEAT_MS = 1000,
    IA_HTTP_HEADER_BYTES_MAX = 256 * 1024, /* of one answer, interim ones and trailers too */
    IA_HTTP_ERROR_BODY_MAX = 64 * 1024,    /* bytes of an error body that are kept */
    IA_HTTP_TAIL_MS = 200 /* how long a body's end may lag behind the answer's last event */
};

/* What the reactor of a client is made with. */
ia_reactor_ready ia_http_ready;
ia_reactor_done ia_http_done;

enum ia_rc ia_http_new(struct ia_reactor *reactor, struct ia_http **ret, struct ia_err *err);
void ia_http_free(struct ia_http *h);

/* The body of a request, read on the reactor's thread. */
struct ia_http_source {
    int64_t size_bytes;
    /* At most n bytes; *ret_n 0 at the end. An error ends the call with that code. */
    enum ia_rc (*read)(void *ctx, char *dst, size_t n, size_t *ret_n, struct ia_err *err);
    /* Back to the first byte: curl starts over when a kept connection turns out to be dead. */
    void (*rewind)(void *ctx);
    void *ctx;
};

struct ia_http_call {
    const char *method; /* NULL: POST. Any other is sent without a body. */
    const char *url;
    char *headers[IA_HTTP_HEADERS_MAX]; /* "name: value"; borrowed; NULL ends */
    struct ia_http_source body;
    const char *ca_bundle; /* or NULL */
    const char *proxy;     /* "" for none; NULL: from the environment */
    int64_t connect_timeout_ms;
    int64_t idle_timeout_ms;
    int64_t deadline_us; /* of the system's monotonic clock */
    size_t bytes_max;    /* of a body of status 200 that wait for take at a time */
    struct ia_cancel *cancel;
    /* On the reactor's thread: an answer begins (again, after an interim one), and one of its
     * header lines, white space trimmed. */
    void (*begin)(void *ctx);
    void (*header)(void *ctx, struct ia_str name, struct ia_str value);
    /* Bytes of a body of status 200. Anything but IA_OK ends the call with that code. With
     * `direct` it is called on the reactor's thread, else on the sending one; never on both. */
    enum ia_rc (*take)(void *ctx, const char *p, size_t n, struct ia_err *err);
    bool (*complete)(void *ctx); /* asked after take: true once no more bytes are needed */
    bool direct;
    /* Every IA_HTTP_BEAT_MS or so, on the sending thread; may be NULL. */
    void (*beat)(void *ctx);
    void *ctx;
};

struct ia_http_answer {
    int status;               /* 0: none arrived */
    struct ia_buf error_body; /* of another status than 200, cut at IA_HTTP_ERROR_BODY_MAX */
};

/* IA_OK when an answer arrived to its end, whatever its status. IA_E_CANCELLED, IA_E_TIMEOUT:
 * as the token and deadline say. IA_E_API_TIMEOUT: nothing arrived for too long.
 * IA_E_API_NETWORK: no connection; *ret_final is true when a retry cannot help.
 * IA_E_API_STREAM: it broke. Else what take or the body returned. answer is filled as far as it
 * came; free its error_body. */
enum ia_rc ia_http_post(struct ia_http *h, const struct ia_http_call *call,
                        struct ia_http_answer *answer, bool *ret_final, struct ia_err *err);

#endif
