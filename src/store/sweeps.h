/* sweeps.h: batches of goals, and the history of a goal over all its runs. */
#ifndef IA_STORE_SWEEPS_H
#define IA_STORE_SWEEPS_H

#include "store/store.h"

/* Each enum is stored by name; _from_name returns the _COUNT for an unknown one. */
enum ia_sweep_state {
    IA_SWEEP_RUNNING,
    IA_SWEEP_DONE,
    IA_SWEEP_STOPPED, /* by its budget, --fail-fast or a signal */
    IA_SWEEP_STATE_COUNT
};
const char *ia_sweep_state_name(enum ia_sweep_state state);
enum ia_sweep_state ia_sweep_state_from_name(const char *name);

/* Of one goal of a sweep; agent/sweep/sweep.h has the picture. */
enum ia_sweep_goal_state {
    IA_SWEEP_GOAL_WAITING,
    IA_SWEEP_GOAL_RUNNING,
    IA_SWEEP_GOAL_PASSED,
    IA_SWEEP_GOAL_FLAKY,  /* passed, but not at the first try */
    IA_SWEEP_GOAL_HEALED, /* passed, but a model did a step of its recording */
    IA_SWEEP_GOAL_FAILED,
    IA_SWEEP_GOAL_BLOCKED,
    IA_SWEEP_GOAL_ERROR,
    IA_SWEEP_GOAL_CANCELLED,
    IA_SWEEP_GOAL_SKIPPED,
    IA_SWEEP_GOAL_STATE_COUNT
};
const char *ia_sweep_goal_state_name(enum ia_sweep_goal_state state);
enum ia_sweep_goal_state ia_sweep_goal_state_from_name(const char *name);

struct ia_sweep_row {
    const char *id, *title; /* title: the files as given */
    const char *options;    /* JSON object: jobs, devices, tags, shard, retries, repeat, … */
    double max_usd;         /* 0: no limit */
    int64_t created_ms, finished_ms;
    enum ia_sweep_state state;
    const char *why; /* why it was stopped, or NULL */
    int64_t owner_pid;
    bool owner_alive; /* false while it is running: it was killed */
    int goals;        /* rows */
};
/* id, state, why, owner and times are ignored: it is running, and this process owns it. */
void ia_tx_add_sweep(struct ia_tx *tx, const struct ia_sweep_row *row, char ret_id[IA_ID_SIZE]);
/* To go on with a sweep that was stopped, or whose process died: it is running, and this
 * process owns it. IA_E_BUSY when a living other process does, IA_E_STATE when it is done. */
void ia_tx_take_sweep(struct ia_tx *tx, const char *id);
void ia_tx_end_sweep(struct ia_tx *tx, const char *id, enum ia_sweep_state state,
                     const char *why);
/* By id, or its unique start or end as for runs; the newest for "last". Free with ia_sweep_row_free. */
enum ia_rc ia_store_sweep(struct ia_store *s, const char *id, struct ia_sweep_row **ret,
                          struct ia_err *err);
void ia_sweep_row_free(struct ia_sweep_row *row);
typedef bool ia_sweep_fn(void *ctx, const struct ia_sweep_row *row);
/* Newest first, at most `limit`. */
enum ia_rc ia_store_sweeps(struct ia_store *s, int limit, ia_sweep_fn *fn, void *ctx,
                           struct ia_err *err);

/* What an id names: a run or a sweep. The other one is NULL. "last" is the newest run, or the sweep
 * that it belongs to. IA_E_NOT_FOUND; IA_E_USAGE when several have such an id. Free both. */
enum ia_rc ia_store_run_or_sweep(struct ia_store *s, const char *id,
                                 struct ia_run_row **ret_run, struct ia_sweep_row **ret_sweep,
                                 struct ia_err *err);

/* One goal of a sweep, one row for each repeat. */
struct ia_sweep_goal_row {
    int no;                          /* 1, 2, … within the sweep; given by the store */
    const char *name, *file, *needs; /* needs: JSON array of names */
    int line, repeat;                /* repeat: 1, 2, … */
    const char *tags;                /* JSON array */
    const char *job;                 /* JSON object: what is to be run (agent/goal/job.h) */
    const char *eval;   /* JSON object: what it is judged by (agent/eval/eval.h), or NULL */
    const char *judged; /* JSON object: what that said (the same), or NULL: not yet */
    enum ia_sweep_goal_state state;
    const char *reason;  /* why it was skipped, or the last run's summary; or NULL */
    int tries;           /* runs made for it so far */
    const char *run_id;  /* the last of them, or NULL */
    const char *code;    /* of that one; NULL unless it ended without passing */
    const char *outcome; /* of that one, as in struct ia_run_row */
    double cost_usd;     /* of all its runs */
    bool cost_known;
    int64_t ms; /* of all its runs */
};
/* no, judged and what comes from runs are ignored. IA_E_NOT_FOUND for an unknown sweep. */
void ia_tx_add_sweep_goal(struct ia_tx *tx, const char *sweep_id,
                          const struct ia_sweep_goal_row *row, int *ret_no);
void ia_tx_set_sweep_goal(struct ia_tx *tx, const char *sweep_id, int no,
                          enum ia_sweep_goal_state state, const char *reason);
/* Keeps what the phone's state said of it; what was said first stays. */
void ia_tx_judge_sweep_goal(struct ia_tx *tx, const char *sweep_id, int no, const char *judged);
typedef bool ia_sweep_goal_fn(void *ctx, const struct ia_sweep_goal_row *row);
enum ia_rc ia_store_sweep_goals(struct ia_store *s, const char *sweep_id, ia_sweep_goal_fn *fn,
                                void *ctx, struct ia_err *err);
/* Runs of one goal of a sweep, or of all with no 0, in the order in which they were added. */
enum ia_rc ia_store_sweep_runs(struct ia_store *s, const char *sweep_id, int no, ia_run_fn *fn,
                               void *ctx, struct ia_err *err);
/* What the sweep's runs used up, those in hand included. The cost is unknown as soon as one run
 * used tokens without a known cost; cost_usd is then what is known. */
enum ia_rc ia_store_sweep_usage(struct ia_store *s, const char *sweep_id,
                                struct ia_usage_row *ret, struct ia_err *err);

/* Runs of the goal with that name (goals of sweeps and schedules) or, where none has it, with
 * that text, newest first, finished ones only. Of the row only what figures are made of is there:
 * id, goal, name, state, basis, outcome, created, started, finished, demo, sweep, steps, usage. */
enum ia_rc ia_store_history(struct ia_store *s, const char *goal, int limit, ia_run_fn *fn,
                            void *ctx, struct ia_err *err);

struct ia_history_range {
    int64_t from_ms, until_ms; /* they ended at or after the one and before the other */
    const char *agent, *goal;  /* as in struct ia_run_filter */
    int limit;
};
/* The same of all goals, the one that ended last first. */
enum ia_rc ia_store_history_days(struct ia_store *s, const struct ia_history_range *range,
                                 ia_run_fn *fn, void *ctx, struct ia_err *err);

/* A goal that has finished runs, by name or else by text. Of the newest 10,000 runs. */
struct ia_history_goal {
    const char *goal, *newest_run;
    int runs, passed, failed;
    int healed; /* not among the passed */
};
typedef bool ia_history_goal_fn(void *ctx, const struct ia_history_goal *goal);
/* The goals whose last run is the newest first, at most `limit`. */
enum ia_rc ia_store_history_goals(struct ia_store *s, int limit, ia_history_goal_fn *fn,
                                  void *ctx, struct ia_err *err);

#endif
