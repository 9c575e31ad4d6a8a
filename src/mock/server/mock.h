/* mock.h: a strict double of the Messages API on loopback HTTP, with a script or the demo brain
 * in the model's place.
 *
 * Serves POST /v1/messages (stream true or false), POST /v1/messages/count_tokens,
 * GET /v1/models, GET /v1/models/{id} and GET /health, keep-alive, one thread per connection.
 * Requests are checked as strictly as the real service checks them; cache counters are computed
 * from real prefix hashes. Everything the double answers is derived from the request alone;
 * only the prompt cache and the signatures of thinking blocks that it sent are remembered.
 *
 * Everything here may be called from any thread. */
#ifndef IA_MOCK_SERVER_MOCK_H
#define IA_MOCK_SERVER_MOCK_H

#include "base/err.h"
#include "base/jsonw.h"

struct ia_mock;

/* Where answers come from. */
enum ia_mock_brain {
    IA_MOCK_DEMO,  /* the demo brain: follows literal steps, does not reason */
    IA_MOCK_SCRIPT /* turns of a script file, see script.h for its format */
};

/* All zero: any free port, demo brain, no faults, any key. Strings are copied.
 *
 * faults is a comma list; an entry is NAME['@'N['-'M]]{':'ARG}:
 *   NAME  400 401 402 403 404 409 413 429 500 503 504 529   an error answer with that status
 *         spend-limit   429 with details.error_code enforced_spend_limit_reached
 *         html502 html413   a body that is not JSON
 *         error-event   200, then an `error` event after the frame (default 2); an answer that is
 *                       not streamed is that error, with its status
 *         cut           the connection closes after the frame (default 2)
 *         reset         RST after the frame (default 0: before any answer)
 *         stall         silence after the frame (default 2) for ms=N, or until the client goes
 *         garbage       an event whose data is no JSON after the frame (default 2)
 *   @N    only the Nth POST /v1/messages since the start, counted from 1; @N-M for a range
 *   ARG   a number with a decimal point: the probability, from 0.0 to 1.0
 *         a whole number: the frame (SSE event, counted from 1) after which it strikes
 *         retry-after=S  retry-after-ms=MS  should-retry=true|false   headers of an error answer
 *         type=T        the error type of error-event (default overloaded_error)
 *         ms=N          the length of a stall
 *
 * Without @ and without a probability an entry strikes every time. The first entry that strikes
 * wins. Example: "429@1:retry-after=1,529:0.3,cut@4:5". */
struct ia_mock_options {
    int port; /* 0: any free one */
    enum ia_mock_brain brain;
    const char *script; /* JSON text of the script, for IA_MOCK_SCRIPT */
    const char *faults; /* NULL: none */
    uint64_t seed;      /* of probabilities and of where texts are split */
    int latency_ms;     /* before the first byte of every answer to /v1/messages */
    int pace_ms;        /* between two events of a stream */
    const char *key;    /* the only key that is accepted; NULL: any that is not empty */
    int keep_requests; /* how many of the latest request bodies ia_mock_request_body can show */
};

/* Starts serving on 127.0.0.1 and returns at once. IA_E_USAGE with the position for a bad fault
 * list, IA_E_PARSE for a bad script, IA_E_BUSY for a port in use, IA_E_MISSING without
 * libmicrohttpd. Stop with ia_mock_stop. */
enum ia_rc ia_mock_start(const struct ia_mock_options *opt, struct ia_mock **ret,
                         struct ia_err *err);
/* Cuts every connection, waits for their threads and frees. NULL is fine. */
void ia_mock_stop(struct ia_mock *m);
int ia_mock_port(const struct ia_mock *m);

/* {"requests","messages","count_tokens","models","answered","streams",
 *  "rejected":{"REASON":n,…},      4xx by the name of the rule that was broken
 *  "unmatched",                    requests that no turn of the script matched
 *  "faults":{"NAME":n,…},          injected
 *  "tokens":{"input","cache_read","cache_creation","output"},
 *  "delivered":{likewise},         those of answers that no fault broke
 *  "connections":{"now","most"}} */
void ia_mock_stats_json(struct ia_mock *m, struct ia_jsonw *w);
/* Appends the body of a POST /v1/messages: index 0 is the latest, 1 the one before it, and so
 * on. False when it is not kept (see keep_requests). */
bool ia_mock_request_body(struct ia_mock *m, int index, struct ia_buf *out);

#endif
