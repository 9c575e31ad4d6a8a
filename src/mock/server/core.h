/* core.h: the double without its socket: a request's headers and body in, a reply out.
 *
 * Thread-safe: every call works on its own request; cache, sent turns and counters lock for
 * themselves. At most IA_MOCK_WORKERS requests are worked on at a time, so that a thousand
 * connections do not hold a thousand parsed bodies. */
#ifndef IA_MOCK_SERVER_CORE_H
#define IA_MOCK_SERVER_CORE_H

#include "mock/api/request.h"
#include "mock/server/emit.h"
#include "mock/server/faults.h"
#include "mock/server/mock.h"
#include "mock/server/stats.h"

enum { IA_MOCK_WORKERS = 4, IA_MOCK_HEADER_MAX = 32 };

/* How a reply ends when a fault strikes it at byte strike_at. */
enum ia_mock_strike {
    IA_MOCK_STRIKE_NONE,
    IA_MOCK_STRIKE_CUT,
    IA_MOCK_STRIKE_RESET,
    IA_MOCK_STRIKE_STALL
};

struct ia_mock_reply {
    int status;
    const char *content_type;
    char request_id[IA_MOCK_ID_SIZE];
    char retry_after[IA_MOCK_HEADER_MAX];    /* "" for none */
    char retry_after_ms[IA_MOCK_HEADER_MAX]; /* "" for none */
    const char *should_retry;                /* NULL for none */
    struct ia_mock_stream body;              /* an answer that is no stream is one frame */
    int latency_ms;
    int pace_ms;
    enum ia_mock_strike strike;
    size_t strike_at;
    int64_t stall_ms; /* -1: for as long as the client stays */
    uint64_t seed;    /* of the splits into chunks */
};
void ia_mock_reply_fini(struct ia_mock_reply *r);

struct ia_mock_core;

enum ia_rc ia_mock_core_new(const struct ia_mock_options *opt, struct ia_mock_core **ret,
                            struct ia_err *err);
void ia_mock_core_free(struct ia_mock_core *c);
struct ia_mock_stats *ia_mock_core_stats(struct ia_mock_core *c);
bool ia_mock_core_request_body(struct ia_mock_core *c, int index, struct ia_buf *out);

/* Answers any request. method and path as in the request line, without the query. too_large:
 * the body was longer than IA_MOCK_BODY_MAX and is not given. body is borrowed. */
void ia_mock_core_answer(struct ia_mock_core *c, const char *method, const char *path,
                         const struct ia_mock_headers *h, struct ia_str body, bool too_large,
                         struct ia_mock_reply *ret);

#endif
