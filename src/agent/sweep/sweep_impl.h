/* sweep_impl.h: what the parts of sweep.h share. Private to src/agent.
 *
 *     sweep_choose.c   tags and shards
 *     sweep_create.c   rows of a new sweep
 *     sweep_open.c     from rows to the state in memory
 *     sweep.c          the step
 *     sweep_sum.c      what it came to */
#ifndef IA_AGENT_SWEEP_SWEEP_IMPL_H
#define IA_AGENT_SWEEP_SWEEP_IMPL_H

#include "agent/goal/job.h"
#include "agent/sweep/sweep.h"
#include "store/sweeps.h"

#include <pthread.h>

struct ia_sweep_item {
    int no, repeat, repeats, line;
    char *name, *file;
    struct ia_job *job;
    size_t *needs; /* indexes of items */
    size_t need_count;
    int retries;
    size_t lane; /* index of its own lane, or SIZE_MAX */

    enum ia_sweep_goal_state state;
    char *reason;
    int tries;
    char run_id[IA_ID_SIZE];  /* the last */
    enum ia_rc code;          /* of the last */
    double cost_usd, usd_max; /* of the runs that ended; usd_max: what they may have cost */
    bool cost_known;
    int64_t ms;
    double cap_usd; /* of the run in hand, 0: none */
    bool capped;    /* that is a part of the sweep's budget, below its own limit */
    bool alone;     /* waiting: its part was too small, and it starts when nothing else is in
                       hand; running: its part is all that was left */
    double hand_usd, hand_known; /* what the run in hand may have cost, and is known to have */
};

struct ia_sweep {
    struct ia_sweep_env env;
    const struct ia_clock *clock;
    pthread_mutex_t mutex;
    char id[IA_ID_SIZE];
    char pool[sizeof(IA_SWEEP_POOL_PREFIX) + IA_ID_SIZE];
    char **lanes;
    size_t lane_count, pool_lanes;
    int *lane_busy; /* runs in hand that only that lane does */
    int pool_busy;  /* runs in hand of the pool */
    bool fresh, fail_fast, demo;
    double max_usd;
    int64_t deadline_us; /* IA_NO_DEADLINE: none */

    struct ia_sweep_item *items;
    size_t count;
    size_t first_waiting; /* no item before it waits */
    char *why;            /* stopped: nothing new starts */
    int why_exit;         /* exit status of that, or 0 */
};

struct ia_sweep_goal ia_sweep_item_view(const struct ia_sweep *s,
                                        const struct ia_sweep_item *it);
/* The state that a final run gives its item, without regard to retries. */
enum ia_sweep_goal_state ia_sweep_item_state_of(enum ia_run_state run, int tries);
/* Frees what an item owns. */
void ia_sweep_item_fini(struct ia_sweep_item *it);
/* Stops with the exit status that the sweep then has at least; the mutex is held. */
void ia_sweep_stop_locked(struct ia_sweep *s, const char *why, int exit_status);

#endif
