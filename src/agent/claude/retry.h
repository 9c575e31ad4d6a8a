/* retry.h: what a failed Messages API call means, and when it may be tried again.
 *
 * Pure: no clock, no I/O. Source: Anthropic's reference of the Messages API, "Errors". */
#ifndef IA_AGENT_CLAUDE_RETRY_H
#define IA_AGENT_CLAUDE_RETRY_H

#include "agent/claude/request.h"
#include "base/defaults.h"
#include "base/err.h"

enum {
    IA_RETRY_TRIES = 2, /* further tries after the first, at most, but for 429 and 529 */
    IA_RETRY_TRIES_OVERLOAD = IA_DEFAULT_RETRIES,
    IA_RETRY_BASE_MS = 500,
    IA_RETRY_CAP_MS = 8000,
    IA_RETRY_CAP_OVERLOAD_MS = 60000,
    IA_RETRY_AFTER_MAX_MS = 600000 /* asked to wait longer, the failure is final */
};

/* The response headers that matter here. */
struct ia_api_headers {
    char request_id[96];     /* "" when absent */
    char retry_after[48];    /* "" when absent */
    char retry_after_ms[24]; /* "" when absent */
    char content_type[64];
    int should_retry; /* x-should-retry: 1 true, 0 false, -1 absent */
};
/* An answer begins: nothing is known yet. */
void ia_api_headers_reset(struct ia_api_headers *h);
/* Keeps the header when it is one of those above; a value that is no printable ASCII, or too
 * long, counts as absent. */
void ia_api_headers_take(struct ia_api_headers *h, struct ia_str name, struct ia_str value);

/* A failed attempt. */
struct ia_api_failure {
    int status;          /* HTTP status, or 0 when there was none */
    enum ia_rc code;     /* what ia_api_error found, or a transport code */
    char type[48];       /* error.type, or "" */
    char error_code[64]; /* error.details.error_code, or "" */
    char message[512];   /* error.message, or the start of another body */
    struct ia_api_headers headers;
};

/* Reads an error body (JSON, HTML or anything) or the data of an error event (status 0: the
 * status is taken from the type) into f->type, error_code, message, code and status. */
void ia_api_error(struct ia_api_failure *f, int status, struct ia_str body);
/* Fills err from a failure: code, status, what to do. model may be NULL. Returns f->code. */
enum ia_rc ia_api_failure_err(const struct ia_api_failure *f, const char *model,
                              struct ia_err *err);

struct ia_retry {
    int tries_left;          /* for most failures */
    int overload_tries_left; /* for 429 and 529 */
    int tried;               /* failures so far, the exponent of the wait */
    int64_t deadline_us;     /* monotonic; no wait may end after it */
};

/* max_retries: for 429 and 529, and for other failures where that is less than IA_RETRY_TRIES. */
struct ia_retry ia_retry_start(int max_retries, int64_t deadline_us);

/* Decides what to do after a failed attempt.
 *
 * Returns true and writes *ret_wait_ms when the same request may be sent again after that many
 * milliseconds; false when the failure is final. rnd is any random number. wall_ms is the wall
 * clock, for a retry-after that is a date. Never waits. */
bool ia_retry_next(struct ia_retry *r, const struct ia_api_failure *f, int64_t now_us,
                   int64_t wall_ms, uint64_t rnd, int64_t *ret_wait_ms);

/* The wait that the headers ask for, or -1: retry-after-ms, else retry-after as seconds or as
 * an HTTP date (RFC 9110, section 10.2.3). */
int64_t ia_retry_after_ms(const struct ia_api_headers *h, int64_t wall_ms);

enum ia_repair {
    IA_REPAIR_NONE,
    IA_REPAIR_BINDING,     /* send again, dropping thinking bound to another prefix */
    IA_REPAIR_STRIP,       /* the same, where the server knows no binding control */
    IA_REPAIR_THINKING,    /* send again without the thinking member */
    IA_REPAIR_TOOL_CHOICE, /* send again without the tool_choice member */
    IA_REPAIR_IMAGES       /* send again with old images dropped; done by the caller */
};

/* The one change that may repair a refused request, and the flag for it set in rep. Each flag is
 * set once per session, so no repair repeats. IA_REPAIR_IMAGES sets no flag. */
enum ia_repair ia_repair_next(const struct ia_api_failure *f,
                              const struct ia_claude_request *req,
                              struct ia_claude_repairs *rep);

#endif
