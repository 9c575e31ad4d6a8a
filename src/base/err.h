/* err.h: the one list of result codes, and the error that crosses module boundaries. */
#ifndef IA_BASE_ERR_H
#define IA_BASE_ERR_H

#include "base/base.h"

/* X(code, "NAME", exit status, HTTP status of our own server, retryable)
 *
 * Exit statuses: 0 done, 1 failed assertion or action, 2 usage, 3 device or environment,
 * 4 budget or timeout, 5 blocked, 6 model provider, 7 interrupted. Codes are stored and sent by
 * name, never by number. Retryable: the same request, or the whole run, may go well later. The only
 * list of that: a garbled stream and a server that does not speak the API count as broken streams. */
#define IA_RC_LIST(X)                                                                          \
    X(IA_OK, "OK", 0, 200, false)                                                              \
    X(IA_E_INTERNAL, "INTERNAL", 3, 500, false)                                                \
    X(IA_E_LIMIT, "LIMIT", 3, 413, false)                                                      \
    X(IA_E_IO, "IO", 3, 500, false)                                                            \
    X(IA_E_PARSE, "PARSE", 2, 400, false)                                                      \
    X(IA_E_USAGE, "USAGE", 2, 400, false)                                                      \
    X(IA_E_CONFIG, "CONFIG", 2, 400, false)                                                    \
    X(IA_E_NOT_FOUND, "NOT_FOUND", 2, 404, false)                                              \
    X(IA_E_AMBIGUOUS, "AMBIGUOUS", 2, 409, false)                                              \
    X(IA_E_EXISTS, "EXISTS", 2, 409, false)                                                    \
    X(IA_E_STATE, "STATE", 2, 409, false)                                                      \
    X(IA_E_UNSUPPORTED, "UNSUPPORTED", 3, 501, false)                                          \
    X(IA_E_MISSING, "MISSING_DEPENDENCY", 3, 500, false)                                       \
    X(IA_E_CANCELLED, "CANCELLED", 7, 409, false)                                              \
    X(IA_E_INTERRUPTED, "INTERRUPTED", 7, 409, false)                                          \
    X(IA_E_TIMEOUT, "TIMEOUT", 4, 504, false)                                                  \
    X(IA_E_BUDGET, "BUDGET", 4, 429, false)                                                    \
    X(IA_E_BUSY, "BUSY", 3, 409, false)                                                        \
    X(IA_E_CHILD, "CHILD_FAILED", 3, 500, false)                                               \
    /* the daemon, and who may talk to it */                                                   \
    X(IA_E_DAEMON_VERSION, "DAEMON_VERSION", 3, 409, false)                                    \
    X(IA_E_DAEMON_START, "DAEMON_START", 3, 500, false)                                        \
    X(IA_E_AUTH_REQUIRED, "AUTH_REQUIRED", 3, 401, false)                                      \
    X(IA_E_FORBIDDEN, "FORBIDDEN", 3, 403, false)                                              \
    /* store */                                                                                \
    X(IA_E_DB, "DB", 3, 500, false)                                                            \
    X(IA_E_DB_NEWER, "DB_NEWER", 3, 500, false)                                                \
    X(IA_E_DB_LOCKED, "DB_LOCKED", 3, 503, false)                                              \
    X(IA_E_DB_READONLY, "DB_READONLY", 3, 500, false)                                          \
    X(IA_E_DB_CORRUPT, "DB_CORRUPT", 3, 500, false)                                            \
    X(IA_E_DB_FULL, "DB_FULL", 3, 507, false)                                                  \
    X(IA_E_KEY_MISSING, "KEY_MISSING", 3, 401, false)                                          \
    X(IA_E_KEY_PASSPHRASE, "KEY_PASSPHRASE", 3, 401, false)                                    \
    X(IA_E_KEY_TAMPERED, "KEY_TAMPERED", 3, 401, false)                                        \
    X(IA_E_KEY_FILE_MODE, "KEY_FILE_MODE", 3, 401, false)                                      \
    /* device and its elements */                                                              \
    X(IA_E_STALE_REF, "STALE_REF", 1, 409, false)                                              \
    X(IA_E_NO_SNAPSHOT, "NO_SNAPSHOT", 1, 409, false)                                          \
    X(IA_E_NOT_VISIBLE, "NOT_VISIBLE", 1, 409, false)                                          \
    X(IA_E_COVERED, "COVERED", 1, 409, false)                                                  \
    X(IA_E_DISABLED, "DISABLED", 1, 409, false)                                                \
    X(IA_E_MOVING, "MOVING", 1, 409, false)                                                    \
    X(IA_E_NOT_ACTIONABLE, "NOT_ACTIONABLE", 1, 409, false)                                    \
    X(IA_E_NO_KEYBOARD, "NO_KEYBOARD", 1, 409, false)                                          \
    X(IA_E_TEXT_MISMATCH, "TEXT_MISMATCH", 1, 409, false)                                      \
    X(IA_E_NO_ALERT, "NO_ALERT", 1, 409, false)                                                \
    X(IA_E_NO_BACK, "NO_BACK", 1, 409, false)                                                  \
    X(IA_E_NO_APP, "NO_APP", 3, 404, false)                                                    \
    X(IA_E_APP_GONE, "APP_GONE", 1, 409, false)                                                \
    X(IA_E_APP_LOCK, "APP_LOCK", 1, 403, false)                                                \
    X(IA_E_POLICY, "POLICY", 1, 403, false)                                                    \
    X(IA_E_DENIED, "DENIED", 1, 403, false)                                                    \
    X(IA_E_ASK, "ASK", 5, 409, false)                                                          \
    X(IA_E_NOT_MET, "NOT_MET", 1, 409, false)                                                  \
    X(IA_E_NO_EFFECT, "NO_EFFECT", 1, 409, false)                                              \
    X(IA_E_NO_DEVICE, "NO_DEVICE", 3, 404, false)                                              \
    X(IA_E_DEVICE_LOST, "DEVICE_LOST", 3, 502, true)                                           \
    X(IA_E_DEVICE, "DEVICE", 3, 502, false)                                                    \
    X(IA_E_FLEET, "FLEET", 3, 502, false)                                                      \
    X(IA_E_PROTO, "PROTO", 3, 502, false)                                                      \
    X(IA_E_AUTH, "AUTH", 3, 401, false)                                                        \
    X(IA_E_TREE_EMPTY, "TREE_EMPTY", 3, 502, false)                                            \
    X(IA_E_TREE_MALFORMED, "TREE_MALFORMED", 3, 502, false)                                    \
    /* outcome of a run */                                                                     \
    X(IA_E_FAILED, "FAILED", 1, 200, false)                                                    \
    X(IA_E_BLOCKED, "BLOCKED", 5, 200, false)                                                  \
    /* model provider */                                                                       \
    X(IA_E_API_NETWORK, "API_NETWORK", 6, 502, true)                                           \
    X(IA_E_API_STREAM, "API_STREAM", 6, 502, true)                                             \
    X(IA_E_API_TIMEOUT, "API_TIMEOUT", 6, 504, true)                                           \
    X(IA_E_API_RATE, "API_RATE_LIMIT", 6, 429, true)                                           \
    X(IA_E_API_OVERLOADED, "API_OVERLOADED", 6, 529, true)                                     \
    X(IA_E_API_SERVER, "API_SERVER", 6, 502, true)                                             \
    X(IA_E_API_SPEND, "API_SPEND_LIMIT", 6, 402, false)                                        \
    X(IA_E_API_AUTH, "API_AUTH", 6, 401, false)                                                \
    X(IA_E_API_PERMISSION, "API_PERMISSION", 6, 403, false)                                    \
    X(IA_E_API_BILLING, "API_BILLING", 6, 402, false)                                          \
    X(IA_E_API_NOT_FOUND, "API_NOT_FOUND", 6, 404, false)                                      \
    X(IA_E_API_TOO_LARGE, "API_TOO_LARGE", 6, 413, false)                                      \
    X(IA_E_API_INVALID, "API_INVALID_REQUEST", 6, 400, false)                                  \
    X(IA_E_API_PROTOCOL, "API_PROTOCOL", 6, 502, true)                                         \
    X(IA_E_API_STOP, "API_STOP", 6, 502, false)

enum ia_rc {
#define IA_RC_ENUM(code, name, exit_status, http, retryable) code,
    IA_RC_LIST(IA_RC_ENUM)
#undef IA_RC_ENUM
        IA_RC_COUNT
};

/* Whether an effect reached the device before the failure. */
enum ia_outcome {
    IA_OUTCOME_NONE,     /* the failure concerns no effect */
    IA_OUTCOME_NOT_SENT, /* certainly nothing happened */
    IA_OUTCOME_SENT,     /* it happened */
    IA_OUTCOME_UNKNOWN   /* it may have happened: observe before trying again */
};

/* Caller-owned, no heap, safe to copy across threads. Written only on failure. */
struct ia_err {
    enum ia_rc code;
    enum ia_outcome outcome;
    bool retry_safe;        /* the same call may be repeated without a double effect */
    bool foreign;           /* IA_E_BUSY: by no part of this program, and who knows how long */
    int http_status;        /* of a provider's answer, else 0 */
    int64_t retry_after_ms; /* -1 unless the other side named a wait */
    char msg[1024]; /* what happened and where: the longest path, and the cause after it */
    char hint[768]; /* what to do about it; may be empty */
};

const char *ia_rc_name(enum ia_rc rc);
int ia_rc_exit(enum ia_rc rc);
int ia_rc_http(enum ia_rc rc);
bool ia_rc_retryable(enum ia_rc rc);
/* The code with that name, or IA_RC_COUNT. */
enum ia_rc ia_rc_from_name(const char *name);
/* "", "not_sent", "sent" or "unknown". */
const char *ia_outcome_name(enum ia_outcome outcome);

/* Fills err (which may be NULL) and returns rc, so that a failure is one statement:
 *     return ia_err_set(err, IA_E_IO, "cannot read %s: %s", path, strerror(errno));
 * Text beyond the fixed size is cut at a UTF-8 boundary. */
enum ia_rc ia_err_set(struct ia_err *err, enum ia_rc rc, const char *fmt, ...) IA_PRINTF(3, 4);
/* Sets what the user can do. Call after ia_err_set. */
void ia_err_hint(struct ia_err *err, const char *fmt, ...) IA_PRINTF(2, 3);
/* Several errors as one that has the code of the first: a line each, with its hint in brackets, and how
 * many did not fit. One alone stays as it is. n is at least 1; err may be NULL. */
void ia_err_join(struct ia_err *err, const struct ia_err *all, size_t n);
/* Says which command goes on once the hint was followed: "COMMAND; first HINT". Before the hint,
 * which a long path may cut. */
void ia_err_go_on(struct ia_err *err, const char *fmt, ...) IA_PRINTF(2, 3);
/* Puts "context: " before the message; everything else stays. rc is the code that is being
 * passed on, and is returned, so that it is not lost where err is NULL. */
enum ia_rc ia_err_wrap(struct ia_err *err, enum ia_rc rc, const char *fmt, ...) IA_PRINTF(3, 4);

/* Tells clang's analyzer, which looks at one file at a time, that they return what they get. */
#ifdef __clang_analyzer__
#define ia_err_set(err, rc, ...) ((void)ia_err_set(err, rc, __VA_ARGS__), (rc))
#define ia_err_wrap(err, rc, ...) ((void)ia_err_wrap(err, rc, __VA_ARGS__), (rc))
#endif

#endif
