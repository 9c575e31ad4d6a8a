/* client.h: calls of the Messages API: streamed, cancellable, retried.
 *
 * struct ia_claude is a configured client that any number of threads share. struct
 * ia_claude_conn is one conversation: it keeps its connection open between turns and what was
 * learned from refused requests, and belongs to one thread at a time. */
#ifndef IA_AGENT_CLAUDE_CLIENT_H
#define IA_AGENT_CLAUDE_CLIENT_H

#include "agent/claude/message.h"
#include "agent/claude/models.h"
#include "agent/claude/request.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/defaults.h"
#include "base/err.h"
#include "base/rand.h"

#define IA_CLAUDE_BASE_URL IA_DEFAULT_API_URL
#define IA_CLAUDE_VERSION IA_DEFAULT_API_VERSION
#define IA_CLAUDE_MODEL IA_DEFAULT_MODEL
enum { IA_CLAUDE_IDLE_MS = IA_DEFAULT_IDLE_S * 1000, IA_CLAUDE_CONNECT_MS = 10000 };

enum ia_claude_auth {
    IA_CLAUDE_AUTH_API_KEY, /* x-api-key: KEY */
    IA_CLAUDE_AUTH_BEARER   /* Authorization: Bearer KEY */
};

/* Lends the secret for the time of one request. borrow returns an empty string when there is
 * none; release, which may be NULL, is called exactly once after each borrow. Both may be
 * called from any thread that sends. The client writes the secret only into the header lines of
 * the request, which it wipes before it returns. */
struct ia_claude_secret {
    struct ia_str (*borrow)(void *ctx);
    void (*release)(void *ctx);
    void *ctx;
};

/* Zero means the default everywhere. Strings are copied by ia_claude_new. */
struct ia_claude_options {
    const char *base_url; /* scheme://host[:port][/prefix]; requests go to PREFIX/v1/messages.
                             Plain http is refused except for loopback addresses, unless
                             allow_http is set: the key would travel in clear */
    bool allow_http;
    enum ia_claude_auth auth;
    struct ia_claude_secret secret;
    const char *version; /* anthropic-version */
    const char *user_agent;
    const char *ca_bundle;   /* PEM file instead of the system's */
    const char *proxy;       /* NULL: HTTPS_PROXY and NO_PROXY; never for loopback */
    const char *models_path; /* NULL: the table compiled in */
    int max_retries;         /* 0: IA_DEFAULT_RETRIES; -1: none (retry.h) */
    int64_t idle_timeout_ms; /* nothing arrived for so long */
    int64_t connect_timeout_ms;
    const struct ia_clock *clock; /* for waits between tries; borrowed; NULL: the system's */
    const struct ia_rand *rand;   /* borrowed; NULL: the system's */
};

struct ia_claude;
struct ia_claude_conn;

/* Checks the options and loads the models table. libcurl is loaded by the first connection.
 * IA_E_CONFIG names the option. */
enum ia_rc ia_claude_new(const struct ia_claude_options *opt, struct ia_claude **ret,
                         struct ia_err *err);
/* After all its connections were freed. */
void ia_claude_free(struct ia_claude *c);
const struct ia_models *ia_claude_models(const struct ia_claude *c);

/* IA_E_MISSING when libcurl cannot be loaded. */
enum ia_rc ia_claude_conn_new(struct ia_claude *c, struct ia_claude_conn **ret,
                              struct ia_err *err);
void ia_claude_conn_free(struct ia_claude_conn *conn);

/* What attempts that broke off have used. How much of it is billed is not known. */
struct ia_claude_broken {
    int turns;             /* attempts that started to answer and did not finish */
    int64_t input_tokens;  /* input, cache read and cache write of those, as announced */
    int64_t output_tokens; /* estimated from the bytes that arrived, at three bytes a token */
};

struct ia_claude_retry_notice {
    int attempt;     /* the one that failed, from 1 */
    int64_t wait_ms; /* until the next */
    enum ia_rc code;
    const char *message; /* borrowed */
    bool text_discarded; /* text was already given to the text hook and will come anew */
    bool repaired;       /* the request was changed instead of repeated */
};

/* Each function may be NULL. All are called on the sending thread while it waits in
 * ia_claude_send, and may take their time; with `direct`, text and event are called on the
 * thread that serves all of the client's connections, and must return at once. Without text and
 * event, or with `direct`, the sending thread is not woken for every piece of the answer: what
 * a process with hundreds of conversations wants. */
struct ia_claude_hooks {
    void (*text)(void *ctx, struct ia_str utf8);
    void (*event)(void *ctx, struct ia_str name, struct ia_str data); /* every decoded event */
    void (*retry)(void *ctx, const struct ia_claude_retry_notice *notice);
    /* Asked before a further attempt with what those that broke off have used: an error ends the
     * call with it. It may lower max_tokens of the request. */
    enum ia_rc (*again)(void *ctx, const struct ia_claude_broken *broken, struct ia_err *err);
    void (*beat)(void *ctx); /* about once a second, and when the wait begins */
    bool direct;
    void *ctx;
};

struct ia_claude_reply {
    struct ia_claude_message message;
    char request_id[96]; /* "" when the server sent none */
    int attempts;
    int64_t first_byte_us; /* of the last attempt, from its start to the first event */
    int64_t duration_us;   /* of the whole call, waits included */
    struct ia_claude_broken broken;
    double cost_usd; /* of this message; broken attempts excluded */
    bool cost_known;
};
void ia_claude_reply_fini(struct ia_claude_reply *r);

/* Sends the request and reads the answer to its message_stop, retrying as retry.h allows.
 *
 * deadline_us is monotonic time of the options' clock, IA_NO_DEADLINE for none; cancel may be
 * NULL. IA_E_CANCELLED within 100 ms of the token; IA_E_TIMEOUT at the deadline; else
 * IA_E_API_* with the status and a hint. ret and err are written only on success and on failure,
 * however many attempts it took. */
enum ia_rc ia_claude_send(struct ia_claude_conn *conn, const struct ia_claude_request *req,
                          const struct ia_claude_hooks *hooks, struct ia_cancel *cancel,
                          int64_t deadline_us, struct ia_claude_reply *ret, struct ia_err *err);

/* What the attempts of the last call that broke off have used, also when the call failed. */
struct ia_claude_broken ia_claude_conn_broken(const struct ia_claude_conn *conn);

#endif
