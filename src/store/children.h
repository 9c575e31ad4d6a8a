/* children.h: runs that a run delegated: a tree of rows.
 *
 *   parent  running ─► queued, waits_for 2 ──────────────► queued, waits_for 0 ─► claimed …
 *   child 1           queued ─► running ─► passed              ▲
 *   child 2           queued ─► running ────────► failed ──────┘
 *
 * A child belongs to one call of its parent, by a unique index, so a call that is made again after
 * a kill finds its run. The transactions that add and end children count what the parent waits for.
 * While it waits, nobody can claim it, and its lane does other work. The transaction that ends a run
 * also adds run.child_finished to its parent's events and cancels the run's own open subtasks. */
#ifndef IA_STORE_CHILDREN_H
#define IA_STORE_CHILDREN_H

#include "store/store.h"

/* No chain is followed further than this, and no run has more. */
enum { IA_DELEGATE_DEPTH_MAX = 8, IA_DELEGATE_RUNS_MAX = 200 };

/* The runs that this one delegated, in the order in which it did. */
enum ia_rc ia_store_children(struct ia_store *s, const char *run_id, ia_run_fn *fn, void *ctx,
                             struct ia_err *err);
/* The run of that call; *ret is NULL where it has none. Free with ia_run_row_free. */
enum ia_rc ia_store_child_of(struct ia_store *s, const char *run_id, const char *call,
                             struct ia_run_row **ret, struct ia_err *err);

/* What all runs below a run used, at any depth. */
struct ia_below {
    int64_t runs, steps, tokens, ran_ms;
    double usd;      /* as far as it is known */
    bool cost_known; /* whether usd is all of it */
    double usd_max;  /* with an upper estimate for the rest: what counts against a limit */
};
enum ia_rc ia_store_below(struct ia_store *s, const char *run_id, struct ia_below *ret,
                          struct ia_err *err);
/* The runs above it, nearest first. */
enum ia_rc ia_store_above(struct ia_store *s, const char *run_id, ia_run_fn *fn, void *ctx,
                          struct ia_err *err);

/* One run below another, in the order in which a tree is drawn: each before those below it. */
struct ia_tree_item {
    const struct ia_run_row *row; /* borrowed for the call */
    int number;                   /* within the run that delegated it, from 1 */
    int depth;                    /* 0: delegated by the root itself */
    bool last;                    /* of those that its parent delegated */
};
/* Returns false to end. */
typedef bool ia_tree_fn(void *ctx, const struct ia_tree_item *item);
/* All runs below a run, at most IA_DELEGATE_DEPTH_MAX deep. */
enum ia_rc ia_store_tree(struct ia_store *s, const char *run_id, ia_tree_fn *fn, void *ctx,
                         struct ia_err *err);

/* The number of a subtask within its run, from 1. */
int ia_tx_child_number(struct ia_tx *tx, const char *run_id, const char *child_id);

#endif
