/* sweep.h: a batch of goals: what runs next, what is retried, what is skipped, when it ends.
 *
 * Everything a sweep knows is rows: ia_sweep_create makes them, ia_sweep_open reads them, and a
 * sweep that was killed is simply opened again. Whoever claims its runs executes them
 * (agent/queue/queue.h): they wait in the pool ia_sweep_pool, or on the lane of a goal that names
 * its own device. ia_sweep_step takes the results of runs that ended and adds those that can
 * start, at most one for each lane, so that the rest of the budget is known at every start.
 *
 *     waiting ──► running ──► passed | flaky | healed | failed | blocked | error | cancelled
 *        │          ▲  │
 *        │          └──┘ failed, retries left: another run, from fresh state
 *        └──► skipped: a need has not passed, or the sweep was stopped
 *
 * sweep_item.c has the table of moves. Functions on a struct ia_sweep may be called by any
 * thread. */
#ifndef IA_AGENT_SWEEP_SWEEP_H
#define IA_AGENT_SWEEP_SWEEP_H

#include "agent/goal/goalfile.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/wilson.h"
#include "store/sweeps.h"

struct ia_sweep;

enum { IA_SWEEP_ROWS_MAX = 100000, IA_SWEEP_LANES_MAX = 1024, IA_SWEEP_SHARDS_MAX = 1000 };

/* ---- choosing ---------------------------------------------------------------------------- */

struct ia_sweep_choice {
    const char *const *tags; /* a goal with any of them is chosen; none: every goal */
    size_t tag_count;
    const char *const *names; /* only goals with one of these; none: every goal */
    size_t name_count;
    const char *const *files; /* only goals of one of these files; none: every goal */
    size_t file_count;
    int shard, shards; /* 1 to shards; shards 0: all of them */
};
/* "2/4". IA_E_USAGE. */
enum ia_rc ia_sweep_shard_parse(const char *text, int *ret_shard, int *ret_shards,
                                struct ia_err *err);
/* Sets ret[i] for every chosen goal i, and for what a chosen goal needs. Goals connected by needs
 * share a shard. It follows from the hash of the first of their names in byte order, so neither
 * other goals nor the order of goals change it. Pure. */
void ia_sweep_choose(const struct ia_goals *goals, const struct ia_sweep_choice *choice,
                     bool *ret);

/* ---- making ------------------------------------------------------------------------------ */

struct ia_sweep_opts {
    const char *title;        /* the operands */
    const char *const *lanes; /* of the pool: names of devices */
    size_t lane_count;
    const char *const *vars; /* "name=value" as they were given, for the command of a report */
    size_t var_count;
    bool fresh;      /* every run of the pool begins with a reset */
    int repeat;      /* 0: as the files say, else 1 */
    int retries;     /* -1: as the files say, else 0 */
    bool demo;       /* the demo brain answers */
    bool fail_fast;  /* nothing starts after the first goal that did not pass */
    double max_usd;  /* of all runs together; 0: no limit */
    int max_seconds; /* from when it was started, or last resumed; 0: no limit */
};
/* Writes the sweep and a row for each repeat of each chosen goal, in one transaction.
 * IA_E_USAGE when no goal is chosen, or more than IA_SWEEP_ROWS_MAX rows are needed. */
enum ia_rc ia_sweep_create(struct ia_store *store, const struct ia_goals *goals,
                           const bool *chosen, const struct ia_sweep_opts *opts,
                           char ret_id[IA_ID_SIZE], struct ia_err *err);

/* ---- running ----------------------------------------------------------------------------- */

/* Runs of a sweep wait for one of its lanes in the pool of this name and the sweep's id. */
#define IA_SWEEP_POOL_PREFIX "sweep:"

/* Whether that row is of a goal that failed as its file says (fails): it counts as good. */
bool ia_sweep_row_expected(const struct ia_sweep_goal_row *row);
/* Whether the end of a goal says something about it: its pass rate counts it (ia_run_counts). code: of
 * its last run. */
bool ia_sweep_goal_counts(enum ia_sweep_goal_state state, enum ia_rc code);

/* One goal of the sweep, as it stands. Borrowed for the call. */
struct ia_sweep_goal {
    int no, repeat, repeats;
    const char *name, *file;
    int line;
    enum ia_sweep_goal_state state;
    bool expected;      /* it failed, as its file says (fails): it counts as good */
    const char *reason; /* or NULL */
    int tries;
    const char *run_id;  /* the last; "" before the first */
    const char *outcome; /* of the last, as in struct ia_run_row */
    const char *lane;    /* of its own, or NULL: any of the pool */
    enum ia_rc code;     /* of the last run, IA_OK unless it ended without passing */
    double cost_usd;     /* of its runs that ended; unless cost_known, what is known of it */
    bool cost_known;
    int64_t ms;
};
/* Called after every commit that changed the goal, with the sweep locked: it must not call the
 * sweep. */
typedef void ia_sweep_observer(void *ctx, const struct ia_sweep_goal *item);

struct ia_sweep_env {
    struct ia_store *store;
    const struct ia_clock *clock; /* NULL: the system's */
    ia_sweep_observer *observe;   /* may be NULL */
    void *ctx;
    /* Appends the lane of a device that a goal names; NULL: its name up to "?". A callback,
     * because only the registry of devices knows, and the agent does not know the registry. */
    void (*lane)(const char *device, struct ia_buf *out);
};
/* Opens a sweep by its id, or a unique start or end of it, to continue it: this process owns it
 * from now on. IA_E_BUSY when a living process does; IA_E_STATE when it is done. Skipped goals
 * wait again. The sweep is taken before its rows are read, and given back when they cannot be
 * read. Free with ia_sweep_close. */
enum ia_rc ia_sweep_open(const struct ia_sweep_env *env, const char *id, struct ia_sweep **ret,
                         struct ia_err *err);
void ia_sweep_close(struct ia_sweep *s); /* NULL is fine */

const char *ia_sweep_id(const struct ia_sweep *s);
bool ia_sweep_demo(const struct ia_sweep *s);       /* the demo brain answers its goals */
bool ia_sweep_asks_model(const struct ia_sweep *s); /* false: all are only replayed */
bool ia_sweep_budgeted(const struct ia_sweep *s);   /* it has a limit in dollars */
const char *ia_sweep_pool(const struct ia_sweep *s);
/* Lanes of the pool, then those of goals with a device of their own, each once. */
size_t ia_sweep_lanes(const struct ia_sweep *s, const char *const **ret);
size_t ia_sweep_pool_lanes(const struct ia_sweep *s);

/* Takes the results of runs that ended and adds those that can start. Concurrent calls share one commit; *ret_added (may
 * be NULL) is the number of added runs, returned to one of the callers, which then wakes the queue. *ret_over: nothing runs and nothing can start. A failure of the
 * store changes nothing; it may be called again. */
enum ia_rc ia_sweep_step(struct ia_sweep *s, int *ret_added, bool *ret_over,
                         struct ia_err *err);
/* Reports what a running run is known to have cost by now, and may have cost at most (spent.usd
 * and spent.usd_max of its events). */
void ia_sweep_spent(struct ia_sweep *s, const char *run_id, double usd, double usd_max);
/* From now on nothing new starts. `why` becomes the reason of what is skipped; the first call's
 * counts. */
void ia_sweep_stop(struct ia_sweep *s, const char *why);
/* Ends the sweep as done, or as stopped with the reason, and skips what still waits. Runs that
 * are running stay so: ia_sweep_open continues with them. */
enum ia_rc ia_sweep_end(struct ia_sweep *s, struct ia_err *err);

/* ---- results ----------------------------------------------------------------------------- */

struct ia_sweep_sums {
    int expected; /* failed, as their files say; not in failed */
    int distinct; /* goals, each counted once however often it is repeated */
    int replayed; /* among passed and flaky: without a model */
    int goals, waiting, running, passed, flaky, healed, failed, blocked, errors, cancelled,
        skipped;
    double cost_usd; /* of what ended */
    bool cost_known;
    int exit_status; /* the highest of its goals; 4 when a budget stopped it, 7 for a signal */
    const char *why; /* why it was stopped, or NULL; borrowed from the sweep */
};
void ia_sweep_sum(struct ia_sweep *s, struct ia_sweep_sums *ret);
void ia_sweep_each(struct ia_sweep *s, ia_sweep_observer *fn, void *ctx);

/* How often the repeats of one goal passed: flaky ones count, healed ones do not. */
struct ia_sweep_rate {
    const char *name;
    int passed, n; /* n: those that count (ia_run_counts) */
    struct ia_interval interval;
};
typedef void ia_sweep_rate_fn(void *ctx, const struct ia_sweep_rate *rate);
/* For every goal with more than one repeat, in order. */
void ia_sweep_rates(struct ia_sweep *s, ia_sweep_rate_fn *fn, void *ctx);

#endif
