/* asked.h: requests to the API without a socket: a request as text, its answer as JSON. */
#ifndef IA_TESTS_UNIT_SERVER_API_ASKED_H
#define IA_TESTS_UNIT_SERVER_API_ASKED_H

#include "fake_http.h"
#include "server/api/api.h"

#include "test.h"
#include "tmpdir.h"

#include <jansson.h>

/* An API over a home of its own. */
struct world {
    char *home;
    struct ia_setup setup;
    struct ia_credentials credentials;
    struct ia_runs *runs;
    struct ia_hub *hub;
    struct ia_live *live;
    struct ia_api *api;
    int stops;                      /* POST /v1/daemon/stop */
    bool drained;                   /* the last of them */
    bool full;                      /* admits nothing */
    enum ia_http_listener listener; /* of the requests to come */
    enum ia_http_scope scope;
    struct ia_vclock *clock; /* of kept answers; NULL: the system's */
};
/* With runs: threads that do runs, by the demo brain. */
void world_open(struct world *w, bool runs);
void world_close(struct world *w);

struct answer {
    int status;
    struct ia_buf body, headers;
    const char *type;
    json_t *json; /* of the body; NULL: it is none */
    const struct ia_http_stream_ops *stream;
    void *stream_ctx;
};
/* "GET /v1/runs?limit=3" with header lines "A: b\n" and a body; NULL: none. Queries are not decoded. */
struct answer ask(struct world *w, const char *line, const char *headers, const char *body);
void answer_fini(struct answer *a);
/* A member of the envelope's result by its path, "run.id"; NULL: there is none. */
json_t *result(const struct answer *a, const char *path);
const char *result_text(const struct answer *a, const char *path);
/* The code of the envelope's error; "" where it has none. */
const char *code(const struct answer *a);
/* The value of a header of the answer in dst, or "". */
const char *header(const struct answer *a, const char *name, char dst[256]);

/* Asks and demands that it is done. End *ret with answer_fini. */
void expect(struct world *w, struct answer *ret, const char *line, const char *body);

#define DEMO "\"demo\":true,\"device\":\"embedded:test\""
#define GOAL "\"goal\":\"open Settings, turn on Airplane Mode\""
/* Queues a run of that goal and waits until it has passed. */
void run_to_end(struct world *w, char id[IA_ID_SIZE]);

#endif
