/* http.h: a small blocking HTTP client on raw sockets, so that tests see what curl would hide:
 * chunks, keep-alive, FIN and RST. */
#ifndef IA_TESTS_UNIT_MOCK_HTTP_H
#define IA_TESTS_UNIT_MOCK_HTTP_H

#include "base/buf.h"

#include <jansson.h>

enum http_end {
    HTTP_COMPLETE, /* the whole answer came; the connection is still open */
    HTTP_CLOSED,   /* closed before the end of the answer */
    HTTP_RESET,    /* reset before the end of the answer */
    HTTP_SILENT    /* nothing more came within the time */
};

struct http_reply {
    int status; /* 0: no status line came */
    char head[4096];
    struct ia_buf body; /* without chunk framing */
    size_t chunks;
    bool chunk_inside_utf8; /* some chunk ended inside a character */
    enum http_end end;
};

/* NULL where a header is to be left out. */
struct http_headers {
    const char *api_key;
    const char *authorization;
    const char *version;
    const char *beta;
    const char *content_type;
};
extern const struct http_headers http_good;

/* A connection to 127.0.0.1; fails the test when there is none. Close with close(). */
int http_connect(int port);
void http_send(int fd, const char *method, const char *path, const struct http_headers *h,
               struct ia_str body);
/* wait_ms: how long to wait for more before HTTP_SILENT. */
void http_receive(int fd, int wait_ms, struct http_reply *ret);
void http_reply_fini(struct http_reply *r);
/* The value of a header of the reply in dst, or "". */
const char *http_header(const struct http_reply *r, const char *name, char dst[256]);

/* One request on a connection of its own. */
void http_call(int port, const char *method, const char *path, const struct http_headers *h,
               const char *body, struct http_reply *ret);
/* POST /v1/messages with good headers; body with ' for ". */
void http_message(int port, const char *body, struct http_reply *ret);

/* Replaces ' by ". Free with free(). */
char *quotes(const char *text);
/* The reply's body as JSON; fails the test when it is none. json_decref. */
json_t *http_json(const struct http_reply *r);
/* Puts a stream together the way a client does: {"content":[…],"stop_reason","usage",
 * "start_usage","events":[names]}. Fails the test on a stream that is not well formed.
 * json_decref. */
json_t *http_stream(const struct http_reply *r);
/* A member by path, "usage.input_tokens", as integer; -1 when missing. */
long long json_at(const json_t *j, const char *path);
const char *text_at(const json_t *j, const char *path);

#endif
