/* queue.h: runs that wait are done, lane by lane, in this process.
 *
 * The queue itself is rows (store/queue.h): claiming is a transaction, so that any number of
 * processes may serve one database, and a kill loses nothing. This is the engine on top: it
 * knows which lanes to ask for (lanes.h), how many runs may be at once, and how to stop.
 *
 * Two layers. ia_queue_take and ia_queue_done are one step of it, on the caller's thread: for
 * callers with threads of their own, and for tests on a virtual clock. ia_queue_start has
 * threads do that until ia_queue_stop. */
#ifndef IA_AGENT_QUEUE_QUEUE_H
#define IA_AGENT_QUEUE_QUEUE_H

#include "base/cancel.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/rand.h"

struct ia_store;
struct ia_queue;

enum { IA_QUEUE_RUNS_DEFAULT = 5, IA_QUEUE_POLL_MS = 1000 };

/* A claimed run. The worker does it to its end (ia_run_claimed) and returns. */
struct ia_queue_task {
    const char *lane;
    char run_id[IA_ID_SIZE];
    bool scheduled, begun;          /* as in struct ia_claimed */
    struct ia_cancel *cancel;       /* fires when the run shall stop */
    const _Atomic(bool) *interrupt; /* for struct ia_run_env */
    void *slot;                     /* of the queue */
};
typedef void ia_queue_work(void *ctx, const struct ia_queue_task *task);

struct ia_queue_opts {
    struct ia_store *store;
    const struct ia_clock *clock; /* NULL: the system's */
    int max_runs;                 /* at once; 0: IA_QUEUE_RUNS_DEFAULT */
    const char *pool;             /* also runs that any added lane may do; NULL: none */
    /* Whether a lane that something waits on is to be served although it was not added; NULL:
     * only added lanes are. Called by ia_queue_look, any thread. */
    bool (*serve)(void *ctx, const char *lane);
    ia_queue_work *work; /* NULL where only take and done are used */
    void *ctx;
};
/* NULL and err when no file descriptors are left. Free with ia_queue_free. */
struct ia_queue *ia_queue_new(const struct ia_queue_opts *opts, struct ia_err *err);
/* Nothing may be taken, no threads may run. NULL is fine. */
void ia_queue_free(struct ia_queue *q);

/* Any thread may call any of the following. */

/* Serves the lane from now on. */
void ia_queue_add_lane(struct ia_queue *q, const char *lane);
/* The same, but only with runs of that very lane, never of the pool. Before ia_queue_start. */
void ia_queue_add_own_lane(struct ia_queue *q, const char *lane);
/* A run was added for that lane; NULL: for the pool, or unknown which. A lane that is not
 * served is ignored. Unneeded but for speed: rows are also looked
 * for every IA_QUEUE_POLL_MS. */
void ia_queue_wake(struct ia_queue *q, const char *lane);
/* Looks for rows that other processes added, and takes back what dead ones held. */
enum ia_rc ia_queue_look(struct ia_queue *q, struct ia_err *err);

/* Claims the next run. False when there is none now, enough are active, or the queue is
 * stopping. An error of the store leaves everything as it was. */
enum ia_rc ia_queue_take(struct ia_queue *q, bool *ret_took, struct ia_queue_task *ret,
                         struct ia_err *err);
void ia_queue_done(struct ia_queue *q, const struct ia_queue_task *task);
/* When a gated lane is to be asked again, wall ms; INT64_MAX: not before a wake. */
int64_t ia_queue_due_ms(struct ia_queue *q);

/* Starts max_runs threads that take, work and are done. They need ia_queue_serve. */
enum ia_rc ia_queue_start(struct ia_queue *q, struct ia_err *err);

enum ia_served { IA_SERVED_UNTIL, IA_SERVED_EMPTY, IA_SERVED_CANCELLED };
/* Keeps the threads in work from the caller's thread (one at a time): looks for new rows, opens
 * gates. Returns at until_ms (wall; INT64_MAX: never), when nothing is active or waits any
 * more, retries included (only with until_empty), or when the token fires. An error of the
 * store that a worker or the look met is returned once; serving may go on after it. */
enum ia_rc ia_queue_serve(struct ia_queue *q, struct ia_cancel *cancel, int64_t until_ms,
                          bool until_empty, enum ia_served *ret, struct ia_err *err);
/* Stops: takes nothing new, tells the runs to go back to the queue after the tool in hand, and
 * waits for the threads at most grace_ms. IA_E_TIMEOUT when a run did not end: then the process
 * must exit without freeing; the run is recovered at the next start. May be called again. */
enum ia_rc ia_queue_stop(struct ia_queue *q, int64_t grace_ms, struct ia_err *err);

/* ---- stuck runs -------------------------------------------------------------------------- */

enum { IA_STUCK_BEAT_MS = 30000, IA_STUCK_GRACE_MS = 15000 };

enum ia_pulse { IA_PULSE_OK, IA_PULSE_STUCK, IA_PULSE_DEAD };

/* What is known of a run that is running. Wall ms; 0: never. */
struct ia_pulse_facts {
    int64_t now_ms, heartbeat_ms;
    int64_t tool_deadline_ms; /* until when the tool in hand may take; 0: none */
    bool owner_alive;
};
/* DEAD without its owner. STUCK when the heart has not beaten for longer than IA_STUCK_BEAT_MS
 * and, with a tool in hand, that is IA_STUCK_GRACE_MS past its deadline. A clock that went
 * backwards is no evidence. Pure.
 *
 * A stuck run is shown and never taken over: its owner lives, and may act at any moment. */
enum ia_pulse ia_pulse_judge(const struct ia_pulse_facts *facts);

#endif
