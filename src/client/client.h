/* client.h: talks to the daemon of a home, and starts it where there is none.
 *
 * Thin on purpose: it opens no database, reads no configuration and parses no JSON, as a command that
 * it carries should cost little more than starting a program. One request at a time; one thread.
 *
 *   struct ia_client *c = ia_client_new(&(struct ia_client_opts){.start = true});
 *   rc = ia_client_call(c, &request, &answer, &err);     connects, or starts the daemon first
 *   ia_client_answer_fini(&answer);
 *   ia_client_free(c);                                   the connection was kept for the next call
 *
 * A request is never sent again once its first byte may have left, unless the daemon said that it did
 * nothing with it. */
#ifndef IA_CLIENT_CLIENT_H
#define IA_CLIENT_CLIENT_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"
#include "opt/opt.h"

struct ia_client;

struct ia_client_opts {
    const char *home; /* absolute; NULL: where base/paths.h finds it */
    bool start;       /* start the daemon where there is none */
    bool quiet;       /* nothing on stderr while it starts, and of builds that differ */
};
/* Connects to nothing yet. NULL and err when the home cannot be found. */
struct ia_client *ia_client_new(const struct ia_client_opts *opts, struct ia_err *err);
void ia_client_free(struct ia_client *c); /* NULL is fine */

/* Bytes of a body that comes in pieces. */
typedef void ia_client_piece_fn(void *ctx, struct ia_str bytes);

struct ia_client_request {
    const char *method;           /* "POST" */
    const char *path;             /* below the version's: "/device/tap?as=cli" */
    struct ia_str body;           /* JSON, or empty */
    const char *device, *session; /* of the caller's environment; NULL: none */
    bool
        lends; /* a device may be opened for it: how this environment says, IOS_AGENT_DEVICE_TOKEN and
                 * IOS_AGENT_APPIUM_CAPS */
    int64_t
        deadline_ms; /* of the daemon; the client waits 2 s longer. 0: IA_CLIENT_DEADLINE_MS */
    /* A header whose value is wiped from this process's memory once it was sent; name NULL: none. */
    struct {
        const char *name;
        struct ia_str value;
    } secret;
    const char *api_base_url; /* Ios-Agent-Api-Base-Url; NULL: not said */
    struct ia_cancel *cancel; /* ends it with IA_E_CANCELLED, and the connection; NULL: none */
    /* Takes an event stream: its bytes come here, and the answer's body stays empty. NULL: only answers
     * of one piece are taken. */
    ia_client_piece_fn *piece;
    void *piece_ctx;
};
enum { IA_CLIENT_DEADLINE_MS = 30000, IA_CLIENT_ANSWER_MAX = 32 << 20 };

struct ia_client_answer {
    int http_status;
    struct ia_buf body;
    int exit_status;   /* Ios-Agent-Exit; -1: not said */
    bool to_stderr;    /* Ios-Agent-Stream: err */
    size_t file_bytes; /* Ios-Agent-File-Bytes: so many of the body are a file's */
    size_t err_bytes;  /* Ios-Agent-Err-Bytes: so many at its end are for stderr */
    bool again;     /* Ios-Agent-Code: DAEMON_VERSION: nothing was done, it may be repeated */
    bool drains;    /* Ios-Agent-Drains: this daemon ends, as this program is newer */
    char build[64]; /* Ios-Agent-Build */
};
void ia_client_answer_fini(struct ia_client_answer *a);

/* One request and its answer, whatever its HTTP status. IA_E_NO_DAEMON where none runs and none is to
 * be started; IA_E_DAEMON_START with the last lines of its log; IA_E_DAEMON_VERSION when one of another
 * version does not give up its place; IA_E_TIMEOUT, IA_E_IO, IA_E_PROTO: err->outcome says whether it
 * may have been done. *ret is written in every case. */
enum ia_rc ia_client_call(struct ia_client *c, const struct ia_client_request *request,
                          struct ia_client_answer *ret, struct ia_err *err);

/* A device verb from the command line: the arguments as the JSON body, $IOS_AGENT_DEVICE and
 * $IOS_AGENT_SESSION beside it, as=cli. Bytes of a file in the answer were written to the path that the
 * arguments name and are no longer in the body: what is left of it belongs on stdout or stderr. */
enum ia_rc ia_client_verb(struct ia_client *c, const char *verb, const struct ia_args *args,
                          struct ia_client_answer *ret, struct ia_err *err);
/* Writes the JSON body of ia_client_verb. */
void ia_client_write_args(const struct ia_args *args, struct ia_buf *out);

/* Whether commands are to be done in the calling process: $IOS_AGENT_NO_DAEMON. */
bool ia_client_unwanted(void);

#endif
