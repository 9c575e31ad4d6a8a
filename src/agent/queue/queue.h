/* queue.h: runs the queue's rows in this process, lane by lane.
 *
 * The queue itself is rows (store/queue.h): claiming is a transaction, so that any number of
 * processes may serve one database, and a kill loses nothing. This is the engine on top: it
 * knows which lanes to ask for (lanes.h), how many runs may be active at once, and how to stop.
 *
 * Two layers. ia_queue_take and ia_queue_done are one step, on the caller's thread: for
 * callers with threads of their own, and for tests on a virtual clock. ia_queue_start has
 * threads do that until ia_queue_stop. */
#ifndef IA_AGENT_QUEUE_QUEUE_H
#define IA_AGENT_QUEUE_QUEUE_H

#include "base/cancel.h"
#include "base/clock.h"
#include "base/defaults.h"
#include "base/err.h"
#include "base/rand.h"

struct ia_store;
struct ia_queue;

enum { IA_QUEUE_RUNS_DEFAULT = IA_DEFAULT_RUNS, IA_QUEUE_POLL_MS = 1000 };

/* A claimed run. The worker runs it to its end (ia_run_claimed) and returns. */
struct ia_queue_task {
    const char *lane;
    char run_id[IA_ID_SIZE];
    bool scheduled, begun;          /* as in struct ia_claimed */
    struct ia_cancel *cancel;       /* fires when the run must stop */
    const _Atomic(bool) *interrupt; /* for struct ia_run_env */
    void *slot;                     /* of the queue */
};
typedef void ia_queue_work(void *ctx, const struct ia_queue_task *task);

struct ia_queue_opts {
    struct ia_store *store;
    const struct ia_clock *clock; /* decides what is due; NULL: the system's */
    int max_runs;                 /* at once; 0: IA_QUEUE_RUNS_DEFAULT */
    const char *pool;             /* any added lane may take its runs; NULL: none */
    /* Whether to serve a lane that was not added but has runs waiting; NULL: only added lanes
     * are served. Called by ia_queue_poll, any thread. */
    bool (*serve)(void *ctx, const char *lane);
    ia_queue_work *work; /* NULL where only take and done are used */
    void *ctx;
};
/* NULL and err when no file descriptors are left. Free with ia_queue_free. */
struct ia_queue *ia_queue_new(const struct ia_queue_opts *opts, struct ia_err *err);
/* Nothing may be taken. Threads that run are stopped first, however long the runs that they have in
 * hand take to stop. NULL is fine. */
void ia_queue_free(struct ia_queue *q);

/* Any thread may call any of the following. */

/* Serves the lane from now on. */
void ia_queue_add_lane(struct ia_queue *q, const char *lane);
/* The same, but only with runs of that very lane, never of the pool. Before ia_queue_start. */
void ia_queue_add_dedicated_lane(struct ia_queue *q, const char *lane);
/* A run was added for that lane; NULL: for the pool, or for an unknown lane. A lane that is not
 * served is ignored. Only makes it faster: ia_queue_serve polls the rows every
 * IA_QUEUE_POLL_MS anyway. */
void ia_queue_wake(struct ia_queue *q, const char *lane);
/* Finds runs that other processes added, and recovers those of processes that died. */
enum ia_rc ia_queue_poll(struct ia_queue *q, struct ia_err *err);

/* Claims the next run. False in *ret_took when there is none now, max_runs are active, or the
 * queue is stopping. An error of the store leaves everything as it was. */
enum ia_rc ia_queue_take(struct ia_queue *q, bool *ret_took, struct ia_queue_task *ret,
                         struct ia_err *err);
void ia_queue_done(struct ia_queue *q, const struct ia_queue_task *task);
/* When the first gated lane may be asked again, wall ms; INT64_MAX: not before a wake. */
int64_t ia_queue_due_ms(struct ia_queue *q);

/* From now on so many at once. Runs that are in hand go on. Before ia_queue_start, or after. */
void ia_queue_set_max_runs(struct ia_queue *q, int max_runs);
/* Starts max_runs threads that take runs and work on them. They need ia_queue_serve. */
enum ia_rc ia_queue_start(struct ia_queue *q, struct ia_err *err);

enum ia_served { IA_SERVED_UNTIL, IA_SERVED_EMPTY, IA_SERVED_CANCELLED };
/* Keeps the threads supplied, from the caller's thread (one at a time): polls for new rows and
 * opens gates. Returns at until_ms (wall; INT64_MAX: never), with until_empty as soon as nothing
 * is active or waiting, retries included, or when the token fires. An error of the store that a
 * worker or the poll met is returned once; the caller may serve again after it. */
enum ia_rc ia_queue_serve(struct ia_queue *q, struct ia_cancel *cancel, int64_t until_ms,
                          bool until_empty, enum ia_served *ret, struct ia_err *err);
/* Takes no new runs from now on; those in hand go on. Any thread. */
void ia_queue_hold(struct ia_queue *q);
/* Runs in hand. */
int ia_queue_active(struct ia_queue *q);
/* Stops: takes no new runs, sends active ones back to the queue after their current tool call,
 * and waits at most grace_ms for the threads. IA_E_TIMEOUT when a run did not end: then the
 * process must exit without freeing; the run is recovered at the next start. May be called
 * again. */
enum ia_rc ia_queue_stop(struct ia_queue *q, int64_t grace_ms, struct ia_err *err);

#endif
