/* stats.h: what the runs of some days say together: by day, by goal, and all of them. A run counts when it is
 * over, on the day on which it ended; the rules are those of goal_history.h. Subtasks are not runs of their own here:
 * what they used is in the run above them. Of one agent, subtasks count as its runs, each with what it used itself. */
#ifndef IA_AGENT_REPORT_STATS_H
#define IA_AGENT_REPORT_STATS_H

#include "agent/report/goal_history.h"

enum { IA_STATS_DAYS_MAX = 366, IA_STATS_GOALS_MAX = 200, IA_STATS_RUNS_MAX = 200000 };

struct ia_stats_filter {
    int64_t now_ms;
    int days;                 /* up to today; 1 to IA_STATS_DAYS_MAX */
    int offset_min;           /* of the local time, whose days they are, from UTC */
    const char *agent, *goal; /* as in struct ia_run_filter */
    int limit;                /* runs at most; 0: IA_STATS_RUNS_MAX */
};

/* `sum` has no name, and its runs belong to the whole. */
struct ia_stats_part {
    const char *goal; /* its name or else its text; NULL for a day */
    int64_t day;      /* since 1970, local; 0 for a goal */
    struct ia_goal_history sum;
};

struct ia_stats {
    struct ia_goal_history total;
    struct ia_stats_part *days; /* oldest first, those without runs too */
    size_t day_count;
    struct ia_stats_part *goals; /* the one that ran last first, at most IA_STATS_GOALS_MAX */
    size_t goal_count;
    bool complete; /* false: only the newest runs of the days are in it, up to the limit */
    struct ia_goal_history_run *runs[2]; /* by their end, by goal: what the sums point to */
    char **names;                        /* goals of runs[0] */
    size_t count, cap;                   /* of runs[0], and of names */
};

/* Free with ia_stats_fini. */
enum ia_rc ia_stats_read(struct ia_store *store, const struct ia_stats_filter *filter,
                         struct ia_stats *ret, struct ia_err *err);
void ia_stats_fini(struct ia_stats *s);

#endif
