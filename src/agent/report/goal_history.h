/* goal_history.h: what all runs of one goal say together. */
#ifndef IA_AGENT_REPORT_GOAL_HISTORY_H
#define IA_AGENT_REPORT_GOAL_HISTORY_H

#include "base/wilson.h"
#include "events/basis.h"
#include "store/sweeps.h"

enum { IA_GOAL_HISTORY_LIMIT_DEFAULT = 20, IA_GOAL_HISTORY_LIMIT_MAX = 10000 };

/* One finished run. */
struct ia_goal_history_run {
    char id[IA_ID_SIZE];
    char sweep_id[IA_ID_SIZE]; /* "" outside of sweeps */
    int sweep_no;
    enum ia_run_state state;
    enum ia_basis basis;
    bool replayed, healed;  /* it passed, without or with a model's help */
    int64_t started_ms, ms; /* ms: -1 when it never started */
    int64_t finished_ms, tokens;
    int steps;
    double cost_usd;
    bool cost_known, demo;
    bool delegates;       /* it has subtasks, whose tokens and cost are not in it yet */
    bool last_try, flaky; /* of its execution; ia_goal_history_mark */
};

/* A run has a verdict when it passed or failed; what was blocked, cancelled or ended in an
 * error says nothing about the app. What a model healed is counted apart: neither a pass nor a failure. An execution is a goal of a sweep with its retries, or a
 * run alone; it is flaky when it passed after it had failed. */
struct ia_goal_history {
    char *name;
    struct ia_goal_history_run *runs; /* newest first */
    size_t count;
    int by_state[IA_RUN_STATE_COUNT];
    int verdicts, passed;
    int replayed, healed;    /* replayed ones are among the passed, healed ones are not */
    struct ia_interval rate; /* of passes among verdicts, 95 % */
    int executions, flaky;
    int changes;                                 /* of the verdict, from one run to the next */
    const struct ia_goal_history_run *last_pass; /* NULL: there is none */
    const struct ia_goal_history_run
        *failing_since; /* the first failure after it; NULL: it passes */
    int64_t ms_median, ms_min, ms_max;
    double usd_median, usd_min, usd_max, usd_total;
    int ms_count;  /* runs that started */
    int usd_count; /* runs whose cost is known and was billed */
    int64_t tokens;
};

/* Reads the newest `limit` finished runs of the goal of that name or text (at most
 * IA_GOAL_HISTORY_LIMIT_MAX; 0: the default). IA_E_NOT_FOUND where there are none. Free with
 * ia_goal_history_fini. */
enum ia_rc ia_goal_history_read(struct ia_store *store, const char *goal, int limit,
                                struct ia_goal_history *ret, struct ia_err *err);
void ia_goal_history_fini(struct ia_goal_history *p);

/* What a row of ia_store_history says. */
struct ia_goal_history_run ia_goal_history_run(const struct ia_run_row *row);
/* Adds the tokens and the cost of their subtasks to the runs. */
enum ia_rc ia_goal_history_add_below(struct ia_store *store, struct ia_goal_history_run *runs,
                                     size_t count, struct ia_err *err);
/* Says of each run, newest first, whether it is the last try of its execution, and whether that is flaky.
 * Pure. */
void ia_goal_history_mark(struct ia_goal_history_run *runs, size_t count);
/* Fills everything after `count` from the runs, which are marked. Pure. */
void ia_goal_history_count(struct ia_goal_history *p);
/* Both. */
void ia_goal_history_sum_up(struct ia_goal_history *p);

#endif
