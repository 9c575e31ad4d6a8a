/* api.h: the control API: what a shell, a page or a script asks of the daemon, as paths under /v1,
 * and /metrics, where a scraper expects it.
 *
 * Answers are the envelope of the command line (base/envelope.h), with the HTTP status that the code
 * has (base/err.h), except events (a stream) and blobs (bytes). A path's query and body are read by
 * the same tables as a command's options; what a table has not is IA_E_USAGE. The routes, with
 * their tables, are in routes.c; docs/openapi.json is written from them.
 *
 * POST /v1/device/VERB?as=cli answers what a command line prints. Request headers: Ios-Agent-Cwd,
 * Ios-Agent-Device ($IOS_AGENT_DEVICE), Ios-Agent-Session, Ios-Agent-Deadline-Ms,
 * Ios-Agent-Request-Id; on the Unix socket also Ios-Agent-Device-Token and Ios-Agent-Appium-Caps (struct
 * ia_device_env). The body holds, in this order:
 *
 *   Ios-Agent-File-Bytes bytes   for the file that the user named (absent: 0)
 *   what is left                 for stdout, or stderr: Ios-Agent-Stream: out|err
 *   Ios-Agent-Err-Bytes bytes    for stderr, behind what is for stdout (absent: 0)
 *
 * and Ios-Agent-Exit is the exit status. A member "json": true in the body asks for the envelope
 * line instead of text. Every failure has its code in Ios-Agent-Code: DAEMON_VERSION, USAGE, … */
#ifndef IA_SERVER_API_API_H
#define IA_SERVER_API_API_H

#include "app/runs.h"
#include "server/api/live.h"
#include "server/http/http.h"
#include "server/hub/hub.h"

struct ia_api;

/* What only the owner of the process knows. */
struct ia_api_facts {
    int64_t started_ms; /* wall clock */
    int64_t idle_in_s;  /* until it ends when nobody asks for anything; -1: never */
    char http[64];      /* "http://127.0.0.1:4848"; empty: no TCP */
    int clients;        /* connections open now */
};

/* How the API reaches that owner. Called on connection threads, several at once. */
struct ia_api_daemon {
    void (*facts)(void *ctx, struct ia_api_facts *ret);
    /* Ends the daemon once lanes are free; without drain it cancels what is in hand. Returns at once:
     * the answer leaves before the socket closes. */
    void (*stop)(void *ctx, bool drain);
    /* Opens the TCP listener unless it is open; its port. NULL: there is none. */
    enum ia_rc (*listen)(void *ctx, int *ret_port, struct ia_err *err);
    /* Refuses work that this daemon must not begin any more (IA_E_DAEMON_VERSION, not sent). Asked
     * before everything but GET /v1/daemon and POST /v1/daemon/stop. NULL: takes all. */
    enum ia_rc (*admit)(void *ctx, const struct ia_http_request *request, struct ia_err *err);
    void *ctx;
};

struct ia_api_opts {
    const struct ia_setup *setup;             /* with its store; borrowed, as all here */
    const struct ia_credentials *credentials; /* of this process */
    struct ia_runs *runs;
    struct ia_hub *hub;
    struct ia_live *live;     /* NULL: nothing is told that is not stored */
    struct ia_access *access; /* NULL where there is no TCP: then there are no codes */
    struct ia_api_daemon daemon;
    const char *build, *version;
    /* Writes the texts for coding agents: {"name","description","version","text"} each. NULL: there
     * are none. Any thread. */
    void (*skills)(const void *ctx, struct ia_jsonw *w);
    const void *skills_ctx;
    const char *program;          /* its file, for doctor; NULL: not known */
    const struct ia_clock *clock; /* NULL: the system's */
};
struct ia_api *ia_api_new(const struct ia_api_opts *opts);
/* What goes on that is neither a request nor a run: sweeps, in processes of their own. Any thread. */
int ia_api_busy(struct ia_api *api);
/* No request may be in hand. Stops what goes on. NULL is fine. */
void ia_api_free(struct ia_api *api);

/* An ia_http_handler; ctx is the struct ia_api. */
void ia_api_handle(void *ctx, const struct ia_http_request *request,
                   struct ia_http_reply *reply);

#endif
