/* eval.h: measures a model by a sweep whose goals are also judged by the phone's own state.
 *
 * A goal with an `oracle` (agent/goal/oracle.h) is judged twice: by its run, from what the model and the
 * verifier saw, and by the oracle. It is a success only if both agree that it was done:
 *
 *                          the run passed     the run did not pass
 *     oracle holds         success            false failure
 *     oracle does not      false pass         failure
 *
 * For a goal that its file marks as impossible (fails), a pass is false. The success is a run that itself says that it
 * failed or is blocked, leaves the phone as the oracle wants it, and has seen or said why: a rule `seen` or `answer`
 * has the reason. A run that met a limit or did not understand has found nothing out, so a model that always gives
 * up gains nothing, as it does where the word FAIL is enough (OSWorld, issue 177); WebArena compares the reason, too
 * (issue 79). Runs that ended by an outside error and runs whose phone could not be read are counted apart and in no
 * rate.
 *
 * The rows hold JSON. sweep_goals.eval, written with the sweep:
 *     {"goal":NAME,"difficulty":N,"wording":N,"seed":N,"oracle":[RULE…]}
 * sweep_goals.judged, written once after the run has ended:
 *     {"holds":BOOL,"wrong":[TEXT…],"lane":LANE,"before":N,"after":N}    numbers of the phone's
 *     {"error":TEXT}                                                     operations */
#ifndef IA_AGENT_EVAL_EVAL_H
#define IA_AGENT_EVAL_EVAL_H

#include "base/jsonw.h"
#include "base/wilson.h"
#include "store/sweeps.h"

/* The title of a sweep over the suite that is compiled in. */
#define IA_EVAL_BUILT_IN "built-in suite"

enum ia_eval_kind {
    IA_EVAL_FALSE_PASS, /* in the order in which a report lists them */
    IA_EVAL_FALSE_FAILURE,
    IA_EVAL_FAILURE,
    IA_EVAL_ERROR,
    IA_EVAL_OPEN, /* not run to its end, or not judged, yet */
    IA_EVAL_SUCCESS,
    IA_EVAL_KINDS
};
/* "false pass", … */
const char *ia_eval_kind_name(enum ia_eval_kind kind);

/* One run of a goal in the evaluation, which owns it. */
struct ia_eval_row {
    int no, line, repeat, difficulty, wording, seed; /* difficulty 0: the file does not say */
    char *name, *goal, *file; /* goal: its name without wording and seed */
    char *text;               /* what was asked for */
    char *task;               /* equal if it is the same goal in another evaluation */
    char *run_id, *state;     /* "" before the first run */
    char *said;               /* the run's summary, or why it ended */
    char *wrong; /* the oracle's violations, a line each; or why there is no judgement */
    bool impossible, holds;
    bool says_no; /* the model itself finished the run as failed or blocked */
    enum ia_eval_kind kind;
    int steps;
    int64_t ms;
    struct ia_usage_row usage;
};

/* Sums over some of the goals. */
struct ia_eval_sum {
    int goals, n; /* n: those that count in the rate */
    int kinds[IA_EVAL_KINDS];
    int holds; /* of n: the oracle holds */
    int64_t steps, ms;
    struct ia_usage_row usage;
    struct ia_interval rate; /* of the successes in n, with 95 % confidence */
};

struct ia_eval {
    char *id, *title, *model; /* model: who answered; NULL before the first run */
    bool demo, unfinished;
    int first_seed, last_seed; /* of its rows */
    int64_t started_ms, finished_ms;
    struct ia_eval_row *rows; /* in the order of their numbers */
    size_t count;
};

/* Reads an evaluation by the id of its sweep. Free *ret with ia_eval_free. IA_E_USAGE: no goal of the sweep has an oracle;
 * otherwise the errors of ia_store_sweep. Any thread. */
enum ia_rc ia_eval_read(struct ia_store *store, const char *id, struct ia_eval **ret,
                        struct ia_err *err);
void ia_eval_free(struct ia_eval *e);

/* Sums over the goals for which only(row, ctx) is true, or over all if it is NULL. */
typedef bool ia_eval_only(const struct ia_eval_row *row, const void *ctx);
struct ia_eval_sum ia_eval_sum(const struct ia_eval *e, ia_eval_only *only, const void *ctx);
/* The i-th group: each difficulty, each area (the name of a file), each seed where there are several but few, and the
 * impossible goals. Returns false if there is no i-th. */
struct ia_eval_group {
    const char *kind; /* "difficulty", "area", "seed" or "kind" */
    char name[256];
    struct ia_eval_sum sum;
};
bool ia_eval_group(const struct ia_eval *e, size_t i, struct ia_eval_group *ret);
/* Appends "difficulty 3", "shop", "seed 2" or "cannot be done". */
void ia_eval_group_name(const struct ia_eval_group *g, struct ia_buf *out);
/* Dollars per success; false if the cost is unknown or there is no success. */
bool ia_eval_usd_per_success(const struct ia_eval_sum *s, double *ret);

/* Two evaluations over the same goals. */
struct ia_eval_compared {
    int pairs, both, only_a, only_b, neither;
    int left_out; /* goals that only one has, that differ, or that do not count in one of the two */
    double rate_a, rate_b, difference; /* over the pairs; b - a */
    struct ia_interval interval;       /* of the difference, with 95 % confidence */
};
/* Compares two evaluations. pair(ctx, a, b), which may be NULL, is called for each pair that ended differently. */
typedef void ia_eval_pair_fn(void *ctx, const struct ia_eval_row *a,
                             const struct ia_eval_row *b);
struct ia_eval_compared ia_eval_compare(const struct ia_eval *a, const struct ia_eval *b,
                                        ia_eval_pair_fn *pair, void *ctx);

/* "B is better", "A is better" or "no difference shown". */
const char *ia_eval_verdict(const struct ia_eval_compared *c);

/* ---- figures (figures.c). Pure. ---- */

/* The design effect: by what factor the variance of grouped values exceeds that of independent ones, 1 or more.
 * value[i] belongs to group[i], a number below groups. Runs of one goal resemble each other, so ten of them tell
 * less than ten goals.
 * Source: L. Kish, "Survey Sampling" (1965), 5.4; E. Miller, "Adding Error Bars to Evals" (2024), 2.2. */
double ia_eval_design_effect(const double *value, const size_t *group, size_t n, size_t groups);
/* The 95 % interval of the difference of two paired rates, within -1 and 1: `gained` and `lost` of n pairs. n may be
 * the effective number of pairs. Source: D. G. Bonett, R. M. Price, "Adjusted Wald Confidence
 * Interval for a Difference of Binomial Proportions Based on Paired Data", J. Educ. Behav. Stat. 37 (2012). */
struct ia_interval ia_eval_difference(double gained, double lost, double n);

/* ---- as texts (say.c): both forms, for people and as JSON (docs/eval.schema.json) ---- */

/* Appends "seed 1" or "seeds 1 to 3". */
void ia_eval_seeds(const struct ia_eval *e, struct ia_buf *out);
/* Append the text to out, or write one object. */
void ia_eval_say(const struct ia_eval *e, struct ia_buf *out);
void ia_eval_put(const struct ia_eval *e, struct ia_jsonw *w);
void ia_eval_say_compared(const struct ia_eval *a, const struct ia_eval *b, struct ia_buf *out);
void ia_eval_put_compared(const struct ia_eval *a, const struct ia_eval *b, struct ia_jsonw *w);

#endif
