/* fake_http.h: what handlers ask of the HTTP server, over a request that was made up. Linked before
 * the server, whose own functions of these names are then never taken. */
#ifndef IA_TESTS_FUZZ_FAKE_HTTP_H
#define IA_TESTS_FUZZ_FAKE_HTTP_H

#include "server/http/http.h"

enum { FAKE_MEMBERS_MAX = IA_HTTP_QUERY_MAX, FAKE_HEADERS_MAX = 16 };

struct fake_request {
    struct ia_http_request r; /* its connection is this struct */
    char *line, *headers, *body;
    const char *names[FAKE_MEMBERS_MAX], *values[FAKE_MEMBERS_MAX];
    size_t members;
    const char *header_names[FAKE_HEADERS_MAX], *header_values[FAKE_HEADERS_MAX];
    size_t header_count;
};
/* From "GET /v1/runs?limit=3", header lines "A: b\n" and a body; NULL: none. Queries are not decoded.
 * False for what the server itself would refuse. */
bool fake_request_init(struct fake_request *f, const char *line, const char *headers,
                       struct ia_str body);
void fake_request_fini(struct fake_request *f);

/* ia_http_stream_wait ends the stream after so many waits. */
extern int stream_waits_left;

#endif
