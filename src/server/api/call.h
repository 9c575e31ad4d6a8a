/* call.h: one request in hand, and what every route has in common (private to api/). */
#ifndef IA_SERVER_API_CALL_H
#define IA_SERVER_API_CALL_H

#include "agent/goal/job.h"
#include "base/jsonw.h"
#include "opt/opt.h"
#include "server/api/api.h"
#include "server/api/feed.h"
#include "server/api/frames.h"
#include "server/api/pictures.h"
#include "server/api/replay.h"
#include "server/api/sweep_start.h"
#include "server/api/totals.h"

#include <jansson.h>

enum {
    IA_API_PARAMS_MAX = 2,
    IA_API_PARAM_BYTES_MAX = 256,
    IA_API_JSON_DEPTH_MAX = 32,
    IA_API_ANSWER_BYTES_MAX = IA_HTTP_ANSWER_MAX,
    IA_API_PAGE = 50, /* rows of a list, unless `limit` says otherwise */
    IA_API_PAGE_MAX = 200
};

struct ia_api_route;
struct ia_api {
    struct ia_api_opts opts;
    const struct ia_clock *clock;
    const struct ia_api_route *routes;
    struct ia_replay *replay;
    struct ia_feed *feed;
    struct ia_pictures_kept *pictures;
    struct ia_frames *frames;
    struct ia_sweep_starts *sweeps;
    struct ia_totals_kept *totals;
    struct ia_fleet_watch *fleet;
};

struct ia_api_call {
    struct ia_api *api;
    const struct ia_api_route *route;
    const struct ia_http_request *http;
    struct ia_http_reply *reply;
    char params[IA_API_PARAMS_MAX][IA_API_PARAM_BYTES_MAX]; /* of the path */
    json_t *query_json, *body;                              /* objects */
    struct ia_job *job;          /* what is to be run; NULL: the body has none */
    struct ia_args query, input; /* the same, read by the route's tables */
    struct ia_buf text, result;  /* what the envelope holds */
    struct ia_jsonw w;           /* writes into result */
    bool as_cli, json;           /* what a command line prints; as its --json prints it */
    struct ia_buf file;          /* for the file that the command line's user named */
    bool answered;               /* the route filled the reply itself */
};

typedef enum ia_rc ia_api_fn(struct ia_api_call *call, struct ia_err *err);

enum ia_api_flags {
    IA_API_ACTS = 1,       /* needs the right to act, and its answer is kept for a repeat */
    IA_API_PUBLIC = 2,     /* needs no token */
    IA_API_ALWAYS = 4,     /* also while the daemon takes no new work */
    IA_API_ANY_BODY = 8,   /* the route reads the body's members itself */
    IA_API_ANY_QUERY = 16, /* the same for the query */
    IA_API_VERB = 32,      /* the verb of the path says whether it acts */
    IA_API_RAW = 64,       /* its answer is no envelope, unless it fails */
    IA_API_JOB = 128,      /* the body is a job (agent/goal/job.h) */
    IA_API_RUN = 256,      /* the body has one as its member "run" */
    IA_API_SECRET = 512    /* no byte of the body is repeated, or stays in memory */
};

/* A row of the table. path has "{name}" where any one segment stands. */
struct ia_api_route {
    const char *method, *path;
    ia_api_fn *run;
    const struct ia_opt *query, *body; /* NULL: nothing may be there */
    unsigned flags;
    const char *summary;
    const char *result; /* the members of the envelope's result, "a, b", for the document */
    const char
        *types; /* what a RAW route, or a verb, may answer as well: "image/png|text/plain" */
};
/* Ended by a NULL path. */
extern const struct ia_api_route ia_api_routes[];

/* Ends a table of query or body members. */
#define IA_API_OPTS_END                                                                        \
    {                                                                                          \
        .name = NULL                                                                           \
    }

/* Reads the query and the body by the route's tables. IA_E_USAGE, IA_E_PARSE. */
enum ia_rc ia_api_read(struct ia_api_call *call, struct ia_err *err);
void ia_api_call_fini(struct ia_api_call *call);
/* A header as a whole number from min to max; fallback where it is absent. IA_E_USAGE. */
enum ia_rc ia_api_header_int(const struct ia_api_call *call, const char *name, int64_t min,
                             int64_t max, int64_t fallback, int64_t *ret, struct ia_err *err);

/* Writes the result as an object: what `put` writes into it, and "as_of": the newest event of what
 * was read. Who follows the events after that one misses nothing. */
enum ia_rc ia_api_as_of(struct ia_api_call *call, ia_api_fn *put, struct ia_err *err);
/* A request of the job, with what it leaves open from the caller's configuration. Where neither names
 * a device it is `device` (NULL: the configuration's default). End it with ia_api_request_fini,
 * whatever this returns. IA_E_KEY_MISSING where there is no key and the demo brain was not asked for. */
struct ia_api_request {
    struct ia_setup setup; /* of the caller's folder: configuration and paths */
    struct ia_buf model;
    struct ia_run_request request; /* borrows from these and the job */
};
enum ia_rc ia_api_request(struct ia_api_call *call, const char *device,
                          struct ia_api_request *ret, struct ia_err *err);
void ia_api_request_fini(struct ia_api_request *r);
/* The demo brain answers only where it was asked for: a goal that it did would look as if a model had.
 * IA_E_KEY_MISSING where it was not, and there is no key. */
enum ia_rc ia_api_check_key(const struct ia_api_call *call, bool demo, struct ia_err *err);
/* A key of the caller's own, for the run that it asks for; NULL: it has none. */
const char *ia_api_own_key(const struct ia_api_call *call, const char *header);
/* The folder in which the caller works, or NULL: only a caller of this machine's user has one. */
const char *ia_api_folder(const struct ia_api_call *call);

#endif
