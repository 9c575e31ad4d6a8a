/* submit_impl.h: what the files of a submitter share (private to app/fleet). */
#ifndef IA_APP_FLEET_SUBMIT_IMPL_H
#define IA_APP_FLEET_SUBMIT_IMPL_H

#include "agent/goal/request.h"
#include "app/fleet/fetch.h"
#include "app/fleet/submit.h"
#include "app/run_bundle.h"

#include <pthread.h>
#include <stdatomic.h>

enum { IA_FLEET_WORKERS_MAX = 4096 };

/* A run that is out. */
struct ia_fleet_slot {
    char run_id[IA_ID_SIZE]; /* "": free */
    char class_key[IA_FLEET_CLASS_SIZE];
    struct ia_fleet_key key;
    bool published;
    bool judged;   /* its limits are known */
    int sends;     /* how often its order was sent */
    int losses;    /* how often it was gone without a verdict */
    int refusals;  /* of what workers said of it */
    int unfetched; /* tries to fetch what a worker keeps */
    bool cancelling;
    int64_t cancel_us;
    bool doubted;        /* what a worker said of it cannot count: is its order there still? */
    _Atomic(bool) heard; /* of a worker that has it */
    _Atomic(int64_t) sign_us; /* of the last sign of life */
    double max_usd;           /* what it may cost; 0: no limit */
    int64_t overdue_us;       /* until when a worker must have it; 0: any time */
};

struct ia_fleet_submit {
    struct ia_fleet_submit_opts opts;
    struct ia_bus_pull *proposals;
    struct ia_bus_watch *live, *beats, *asks;
    struct ia_fleet_fetch *fetch;
    struct ia_fleet_worker *workers; /* that were there at the last look */
    size_t worker_count;
    int64_t looked_us;
    char made[IA_FLEET_CLASS_SIZE]; /* the class whose queue was made last */
    bool said_none;
    struct ia_fleet_figures figures;
    uint64_t commit; /* the newest; what follows from it waits until it is durable */

    pthread_mutex_t
        mutex; /* guards the run_id and the key of slots, which threads of libnats read */
    struct ia_fleet_slot *slots;
    size_t out; /* slots that are not free */
};

/* The slot of that run, or NULL. */
struct ia_fleet_slot *ia_fleet_slot_of(struct ia_fleet_submit *s, const char *run_id);
void ia_fleet_slot_free(struct ia_fleet_submit *s, struct ia_fleet_slot *slot);

/* Takes one proposal to its end: counted, superseded or refused. False in *ret_ended: nothing ended by it. *ret_done: the
 * message is to be acknowledged, once the commit s->commit is durable; otherwise it was given back. It stays the
 * caller's. */
enum ia_rc ia_fleet_settle(struct ia_fleet_submit *s, const struct ia_bus_message *m,
                           bool *ret_ended, bool *ret_done, struct ia_err *err);
/* Reads the workers that are there. */
void ia_fleet_read_workers(struct ia_fleet_submit *s);
/* How many devices the workers of that class have. */
size_t ia_fleet_lanes_of_class(const struct ia_fleet_submit *s, const char *class_key);
/* Chooses the class with the fewest runs per device. False: no worker can do the sweep's runs. */
bool ia_fleet_choose_class(const struct ia_fleet_submit *s, char ret[IA_FLEET_CLASS_SIZE]);

/* Appends the names of the request's secrets that are shared, with commas. */
void ia_fleet_shared_names(const struct ia_fleet_submit *s, const struct ia_run_request *req,
                           struct ia_buf *out);
/* Answers workers that ask for them, on a thread of libnats. Does nothing if none is shared. */
enum ia_rc ia_fleet_share(struct ia_fleet_submit *s, struct ia_err *err);

/* Chooses the recording that the run replays, appends it to body, and notes it at the run; body stays empty if there is
 * none. req loses what only this machine knows. IA_E_NOT_FOUND: the run may only be replayed, and has no recording. */
enum ia_rc ia_fleet_lend_recording(struct ia_fleet_submit *s, const char *run_id,
                                   struct ia_run_request *req, struct ia_buf *body,
                                   bool *ret_quarantined, struct ia_err *err);
/* Counts the replay that the bundle reports for the recording that the run was sent with. */
void ia_fleet_count_replay(struct ia_tx *tx, const struct ia_run_row *run,
                           const struct ia_run_bundle *b);

/* Makes the recording of a run that a model healed, once its rows are here, so that somebody can decide on it. If that
 * fails, the next replay of the goal makes it. */
void ia_fleet_keep_healed(struct ia_fleet_submit *s, const char *run_id,
                          const struct ia_run_bundle *b);

/* Ends a run without a worker: as cancelled, or as an error. */
enum ia_rc ia_fleet_give_up(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                            const struct ia_err *why, struct ia_err *err);

#endif
