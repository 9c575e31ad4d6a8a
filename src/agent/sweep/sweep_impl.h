/* sweep_impl.h: what the parts of sweep.h share. Private to src/agent/sweep.
 *
 *     sweep_choose.c   tags and shards
 *     sweep_create.c   rows of a new sweep
 *     sweep_open.c     from rows to the state in memory
 *     sweep_item.c     one goal in memory: its states and their moves
 *     sweep_judge.c    what a round of the step changes
 *     sweep.c          the step: changes to rows, and then to the state in memory
 *     sweep_sum.c      counts, costs and pass rates */
#ifndef IA_AGENT_SWEEP_SWEEP_IMPL_H
#define IA_AGENT_SWEEP_SWEEP_IMPL_H

#include "agent/goal/job.h"
#include "agent/sweep/sweep.h"
#include "store/sweeps.h"

#include <pthread.h>

/* How the reason of a goal begins that failed as its file says. */
#define IA_SWEEP_AS_EXPECTED "as expected "

struct ia_sweep_item {
    int no, repeat, repeats, line;
    char *name, *file;
    struct ia_job *job;
    size_t *needs; /* indexes of items */
    size_t need_count;
    int retries;
    bool pooled; /* any lane of the pool may run it */
    size_t lane; /* unless pooled: index of its own lane */

    enum ia_sweep_goal_state state; /* ia_sweep_item_move changes it */
    char *reason;
    int tries;
    char run_id[IA_ID_SIZE];  /* the last */
    enum ia_rc code;          /* of the last */
    bool replayed;            /* the last passed without a model */
    double cost_usd, usd_max; /* of the runs that ended; usd_max: what they may have cost */
    bool cost_known;
    int64_t ms;

    /* While waiting. */
    bool wants_rest; /* its share was too small: it starts when nothing else runs, with all that
                        is left of the budget */
    /* While running. */
    double cap_usd;              /* what the run may cost; 0: no limit */
    bool capped;                 /* cap_usd is its share of the budget, below its own limit */
    bool has_rest;               /* cap_usd is all that was left of the budget */
    double run_usd, run_usd_max; /* what the run is known to have cost, and may have cost */
};

/* How many runs there are, or may be added, in the pool and on each lane of its own. */
struct ia_sweep_places {
    int *pool; /* one number */
    int *lane; /* by index of the lane */
};

struct ia_sweep {
    struct ia_sweep_env env;
    const struct ia_clock *clock;
    pthread_mutex_t mutex;
    /* Steps: one thread works for all callers that asked before it began. */
    pthread_mutex_t steps_mutex;
    pthread_cond_t stepped;
    uint64_t steps_asked, steps_done;
    bool stepping;
    enum ia_rc step_rc; /* of the last one */
    struct ia_err step_err;
    char id[IA_ID_SIZE];
    char pool[sizeof(IA_SWEEP_POOL_PREFIX) + IA_ID_SIZE];
    char **lanes;
    size_t lane_count, pool_lanes;
    struct ia_sweep_places busy; /* runs now */
    bool fresh, fail_fast, demo, asks_model;
    double max_usd;
    int64_t deadline_us; /* IA_NO_DEADLINE: none */

    struct ia_sweep_item *items;
    size_t count;
    size_t first_waiting; /* no item before it waits */
    char *why;            /* stopped: nothing new starts */
    int why_exit;         /* exit status of that, or 0 */
};

/* ---- items ---- */

/* IA_E_INTERNAL when the table of moves forbids it. */
enum ia_rc ia_sweep_item_check_move(const struct ia_sweep_item *it, enum ia_sweep_goal_state to,
                                    struct ia_err *err);
/* Keeps the invariant: nothing before first_waiting waits. After the goals are read, and part of
 * every move. */
void ia_sweep_items_advance(struct ia_sweep *s);
/* Follows a committed move: the state, first_waiting and the busy places. */
void ia_sweep_item_move(struct ia_sweep *s, struct ia_sweep_item *it,
                        enum ia_sweep_goal_state to);
/* The number in places that the item counts in. */
int *ia_sweep_places_of(const struct ia_sweep_places *places, const struct ia_sweep_item *it);
/* Its own lane; NULL: any of the pool. */
const char *ia_sweep_item_lane(const struct ia_sweep *s, const struct ia_sweep_item *it);
/* Whether it failed and its file says so. */
bool ia_sweep_item_expected(const struct ia_sweep_item *it);
/* True if its goal was reached, also if it is flaky or healed. */
bool ia_sweep_item_reached(const struct ia_sweep_item *it);
bool ia_sweep_item_passed(const struct ia_sweep_item *it); /* flaky included */
/* What a running item takes of the budget: its cap, or what it may have cost beyond that. */
double ia_sweep_item_reserved(const struct ia_sweep_item *it);
struct ia_sweep_goal ia_sweep_item_view(const struct ia_sweep *s,
                                        const struct ia_sweep_item *it);
/* Frees what an item owns. */
void ia_sweep_item_fini(struct ia_sweep_item *it);

/* ---- a round ---- */

/* One move of an item that a round plans. */
struct ia_sweep_change {
    size_t i;
    enum ia_sweep_goal_state to;
    char *reason; /* NULL: none */
    /* of the run that ended */
    enum ia_rc code;
    bool replayed;
    struct ia_usage_row usage;
    int64_t ms;
    bool no_try; /* it was over before its first request */
    /* of the run that starts */
    char run_id[IA_ID_SIZE];
    double cap_usd;
    bool has_rest;
};

struct ia_sweep_round {
    struct ia_sweep *s;
    struct ia_sweep_change *changes;
    size_t count, cap;
    int pool_free;
    struct ia_sweep_places free; /* with what this round ends and starts */
    int running;
    double spent_usd; /* what is spent and reserved */
    const char *why;  /* nothing starts */
    int why_exit;
};

/* A round without changes; the mutex is held from here to _fini, which frees what the round owns. */
void ia_sweep_round_init(struct ia_sweep_round *r, struct ia_sweep *s);
void ia_sweep_round_fini(struct ia_sweep_round *r);
/* Plans what runs that ended, needs, places and the budget ask for. Fails only where a run cannot be read:
 * the changes so far are then of no use. */
enum ia_rc ia_sweep_judge(struct ia_sweep_round *r, struct ia_err *err);
/* Plans that everything is skipped that waits. True when the sweep has not done all that it could: opening
 * it again goes on. */
bool ia_sweep_judge_end(struct ia_sweep_round *r);
/* Whole seconds, 0 when the time is up; INT64_MAX without a limit. */
int64_t ia_sweep_seconds_left(const struct ia_sweep *s);

/* ---- what a run's row says ---- */

enum ia_rc ia_sweep_run_code(const struct ia_run_row *row); /* IA_E_INTERNAL for unknown ones */
int64_t ia_sweep_run_ms(const struct ia_run_row *row);
bool ia_sweep_run_replayed(const struct ia_run_row *row); /* it passed without a model */
/* It ended by its budget before its first request: that is no try. */
bool ia_sweep_run_starved(const struct ia_run_row *row);

/* Stops with the exit status that the sweep then has at least; the mutex is held. */
void ia_sweep_stop_locked(struct ia_sweep *s, const char *why, int exit_status);

#endif
