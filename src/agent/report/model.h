/* model.h: what a report tells, read from the store. Private to src/agent/report.
 *
 *     model.c        a run or a sweep with the heads of its runs
 *     model_run.c    the head of one run: its row and its result
 *     command.c      the command that does a run again
 *     steps.c        the steps of one run, one after another
 *     subtasks.c     the runs that it delegated
 *     policy.c       what it asked a person, and text that tried to give it orders
 *     html*.c junit.c json.c md.c ctrf.c github.c    what is made of them
 *     write.c        opens what is to be read and written
 *
 * Heads are in memory (a few KiB a run), steps and messages never are. All texts are as hostile
 * as their source; whoever writes one escapes it. */
#ifndef IA_AGENT_REPORT_MODEL_H
#define IA_AGENT_REPORT_MODEL_H

#include "agent/eval/eval.h"
#include "agent/report/report.h"
#include "base/format.h"
#include "base/wilson.h"
#include "store/children.h"
#include "store/sweeps.h"

#include <jansson.h>

enum {
    IA_REP_RUNS_MAX = 1000, /* runs of one goal that are told of */
    IA_REP_TEXT_MAX = 4096, /* bytes of one text of a step */
    IA_REP_REASON_MAX = 600
};

struct ia_rep_evidence {
    const char *quote;
    int step;      /* 0 and up; -1: on the last screen */
    bool pictured; /* it was read on a picture */
    bool unproven; /* it was not found; the expectations hold without it */
};

struct ia_rep_run {
    struct ia_run_row *row; /* owned */
    struct ia_event end; /* run.finished as its row keeps it; IA_EVENT_COUNT: there is none */
    json_t *device, *expect;
    json_t *job;           /* what else was asked for: verify, effort … */
    int64_t ms;            /* from its start to its end or to now; 0 before it */
    struct ia_below below; /* what the runs used that it delegated, at any depth */
    const char *device_name, *os;
    bool simulated;
    bool gone;           /* unfinished, and its process is gone */
    const char *message; /* why it did not pass; "" where the summary says it, or it passed */
    const char *hint;
    struct ia_rep_evidence *evidence;
    size_t evidence_count;
};

enum ia_rep_state {
    IA_REP_WAITING,
    IA_REP_RUNNING,
    IA_REP_PASSED,
    IA_REP_FLAKY,
    IA_REP_FAILED,
    IA_REP_BLOCKED,
    IA_REP_ERROR,
    IA_REP_CANCELLED,
    IA_REP_SKIPPED,
    IA_REP_EXPECTED, /* failed, as the goal's file says */
    IA_REP_HEALED,   /* passed, but a model did a step of its recording */
    IA_REP_STATE_COUNT
};
const char *ia_rep_state_name(enum ia_rep_state state);
/* The state with that name; IA_REP_ERROR for one that is not known. */
enum ia_rep_state ia_rep_state_from_name(const char *name);
/* "failed" as a reader's class: passed, flaky and healed are good, skipped and waiting are neither. */
bool ia_rep_state_good(enum ia_rep_state state);
bool ia_rep_state_bad(enum ia_rep_state state);
bool ia_rep_state_open(enum ia_rep_state state); /* waiting or running */

struct ia_rep_goal {
    bool fails;       /* its file says that it fails */
    bool strict;      /* a healed run is no success */
    int no;           /* 1, 2, … in the report */
    char *name;       /* never NULL; a goal without a name has its text */
    char *file;       /* NULL outside of sweeps */
    int line, repeat; /* 0 where there is none */
    enum ia_rep_state state;
    char *reason; /* or NULL */
    json_t *tags;
    struct ia_rep_run *runs; /* in order of their tries; may be none */
    size_t run_count;
    /* over all repeats of the goal of that name in this report */
    int repeats, repeats_done, repeats_passed;
    struct ia_interval rate; /* 95 % interval of the pass rate */
};

struct ia_rep_totals {
    int count[IA_REP_STATE_COUNT];
    int replayed; /* goals whose last run passed without a model */
    int runs, steps;
    int64_t tokens_in, tokens_cached, tokens_out, run_ms;
    double cost_usd;
    bool cost_known;      /* of every run that is not the demo brain's */
    bool demo, simulated; /* some run is */
};

struct ia_rep {
    struct ia_store *store;
    bool sweep;
    char *id, *title;
    json_t *options; /* of the sweep */
    char *common;    /* the folder below which all its files are, or its only file; or NULL */
    char *state;     /* of the sweep: "running", "done", "stopped"; else the run's */
    char *why;       /* or NULL */
    int64_t started_ms, finished_ms; /* 0: not yet */
    int64_t now_ms;
    const char *program;
    struct ia_rep_goal *goals;
    size_t goal_count;
    struct ia_rep_totals totals;
    bool has_oracles;
    struct ia_eval *eval; /* of a sweep whose goals have oracles, or NULL; owned */
};

/* Reads all but steps and messages. Free with ia_rep_fini. */
enum ia_rc ia_rep_read(struct ia_store *store, const struct ia_report_opts *opts,
                       struct ia_rep *ret, struct ia_err *err);
void ia_rep_fini(struct ia_rep *r);
bool ia_rep_unfinished(const struct ia_rep *r);
int ia_rep_goals_bad(const struct ia_rep *r);
/* The last run, or NULL. */
const struct ia_rep_run *ia_rep_last(const struct ia_rep_goal *g);
/* Time and cost of all runs of the goal. */
int64_t ia_rep_goal_ms(const struct ia_rep_goal *g);
double ia_rep_goal_cost(const struct ia_rep_goal *g, bool *ret_known);
/* True if its last run passed by a replay, without a model. */
bool ia_rep_replayed(const struct ia_rep_goal *g);
/* True if it was healed and counts as a failure (strict). */
bool ia_rep_refused(const struct ia_rep_goal *g);
/* Why it did not pass, or what it came to: the best short text there is. */
const char *ia_rep_goal_story(const struct ia_rep_goal *g);

/* ---- model_run.c ------------------------------------------------------------------------- */

/* Takes the row over. device: JSON, as its start says it, or NULL. */
void ia_rep_run_fill(struct ia_rep_run *run, struct ia_run_row *row, const char *device,
                     int64_t now_ms);
void ia_rep_run_fini(struct ia_rep_run *run);
/* A member of a JSON object, "" where it is no string. Borrowed. */
struct ia_str ia_rep_text(const json_t *object, const char *key);
enum ia_rep_state ia_rep_run_state(const struct ia_rep_run *run);
/* What the last finish found of that expectation, or NULL where it was not checked. */
const struct ia_event_expects *ia_rep_checked(const struct ia_rep_run *run, const char *expect);
/* "holds", "does not hold", "not checked" (NULL) */
const char *ia_rep_checked_words(const struct ia_event_expects *checked);
/* In words: "every expectation holds, checked by code"; "" where it rests on nothing. */
const char *ia_rep_basis(const struct ia_rep_run *run);
/* Appends "replayed 9 of 10 steps, 1 drifted (step 4: container), …"; nothing for other runs. */
void ia_rep_replay(const struct ia_rep_run *run, struct ia_buf *out);
/* The command that does the goal again, quoted for a shell (command.c): for a goal of a sweep one
 * of `sweep`. */
void ia_rep_command(const struct ia_rep *r, const struct ia_rep_goal *g,
                    const struct ia_rep_run *run, struct ia_buf *out);
/* What it and the runs that it delegated cost: "$0.0123", "unknown", or, of the demo brain, "nothing
 * billed". */
void ia_rep_cost(const struct ia_rep_run *run, struct ia_buf *out);
/* The same as a number; false: it is not known, and *ret_usd is the part that is. */
bool ia_rep_run_usd(const struct ia_rep_run *run, double *ret_usd);

/* ---- subtasks.c -------------------------------------------------------------------------- */

/* Appends "failed, hand on embedded:bob, $0.0123: turn on … (no switch), run …". */
void ia_rep_subtask(const struct ia_tree_item *item, struct ia_buf *out);
/* The member "subtasks": a flat array of all below the run. */
enum ia_rc ia_rep_put_subtasks(struct ia_jsonw *w, struct ia_store *store, const char *run_id,
                               struct ia_err *err);

/* ---- steps.c ----------------------------------------------------------------------------- */

struct ia_rep_picture {
    const char *sha;   /* NULL: none */
    int width, height; /* in points; 0 where it is not known */
};

/* One tool call. Borrowed for the call. */
struct ia_rep_step {
    int step;
    const char *tool, *element, *input; /* input: JSON text */
    const char *replay; /* of a replay: the step of the recording, or "by a model"; else "" */
    const char *reason; /* what the model said before the call; may be "" */
    bool done;          /* false: it has no result (yet) */
    bool ok, changed;
    const char *code, *outcome, *changes;
    int64_t ms;
    bool has_box;
    double x, y, w, h; /* in points */
    struct ia_rep_picture before, after;
    /* of the answer that asked for it; all 0 on the second call of one answer */
    int turn;
    int64_t model_ms, tokens_in, tokens_cached, tokens_out;
    bool cost_known;
    double cost_usd;
    /* finish only */
    const char *missing;  /* what a refused finish lacks, a line each; or "" */
    const char *verifier; /* what it said, or "" */
    bool verifier_agrees;
    const char *relaunched; /* the app that was launched again to check what is left, or "" */
};
/* Returns false to end. */
typedef bool ia_rep_step_fn(void *ctx, const struct ia_rep_step *step);
/* The steps in order. fn may take its time and may call the store. */
enum ia_rc ia_rep_steps(struct ia_store *store, const char *run_id, ia_rep_step_fn *fn,
                        void *ctx, struct ia_err *err);

/* ---- policy.c ---------------------------------------------------------------------------- */

struct ia_jsonw;
struct ia_question_row;
/* One text that tried to give orders, with its ref and why; step: whose screen showed it, 0: the first. Borrowed.
 * Returns false to end. */
typedef bool ia_rep_suspect_fn(void *ctx, int step, struct ia_str text);
/* Those of a run, in order. fn must not call the store. */
enum ia_rc ia_rep_suspicious(struct ia_store *store, const char *run_id, ia_rep_suspect_fn *fn,
                             void *ctx, struct ia_err *err);
/* Appends "denied by terminal: use the other account", without any escape. */
void ia_rep_answer(const struct ia_question_row *q, struct ia_buf *out);
/* Adds "questions" and "suspicious" of a run to the open object. */
enum ia_rc ia_rep_put_policy(struct ia_jsonw *w, struct ia_store *store, const char *run_id,
                             struct ia_err *err);

/* ---- the formats ------------------------------------------------------------------------- */

struct ia_out;
enum ia_rc ia_rep_junit(const struct ia_rep *r, enum ia_junit_flavor flavor, const char *path,
                        struct ia_out *out, struct ia_err *err);
enum ia_rc ia_rep_json(const struct ia_rep *r, struct ia_out *out, struct ia_err *err);
/* Adds "expectations": each as it was written, and what the last finish found of it. */
void ia_rep_put_expectations(struct ia_jsonw *w, const struct ia_rep_run *run);
enum ia_rc ia_rep_ctrf(const struct ia_rep *r, struct ia_out *out, struct ia_err *err);
enum ia_rc ia_rep_md(const struct ia_rep *r, struct ia_out *out, struct ia_err *err);
/* Writes all files; path as in struct ia_report_opts. Fills path, pictures and bytes of ret. */
enum ia_rc ia_rep_html(const struct ia_rep *r, const char *path, struct ia_report_done *ret,
                       struct ia_err *err);

#endif
