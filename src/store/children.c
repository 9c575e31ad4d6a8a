/* children.c: delegated runs and the runs above them (children.h).
 *
 * runs.c adds and ends runs and calls this in the same transaction, so the number that a parent waits
 * for always fits the states of its children. */
#include "store/children.h"

#include "store/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------- */

static enum ia_rc list(struct ia_store *s, enum ia_sql which, const char *run_id,
                       const char *call, ia_run_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        struct ia_q q = ia_q(db, which);
        ia_q_text(&q, run_id);
        if (call) {
            ia_q_text(&q, call);
        }
        rc = ia_run_each(&q, fn, ctx, NULL, err);
        ia_store_done(s, db);
    }
    return rc;
}

enum ia_rc ia_store_children(struct ia_store *s, const char *run_id, ia_run_fn *fn, void *ctx,
                             struct ia_err *err)
{
    return list(s, IA_SQL_RUN_CHILDREN, run_id, NULL, fn, ctx, err);
}

static bool keep_id(void *ctx, const struct ia_run_row *row)
{
    (void)snprintf(ctx, IA_ID_SIZE, "%s", row->id);
    return false;
}

enum ia_rc ia_store_child_of(struct ia_store *s, const char *run_id, const char *call,
                             struct ia_run_row **ret, struct ia_err *err)
{
    char id[IA_ID_SIZE] = {0};
    *ret = NULL;
    enum ia_rc rc = list(s, IA_SQL_RUN_CHILD_OF_CALL, run_id, call, keep_id, id, err);
    return rc == IA_OK && id[0] ? ia_store_run(s, id, ret, err) : rc;
}

enum ia_rc ia_store_below(struct ia_store *s, const char *run_id, struct ia_below *ret,
                          struct ia_err *err)
{
    struct ia_db *db = NULL;
    struct ia_below b = {.cost_known = true};
    bool known;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_RUN_BELOW);
    ia_q_text(&q, run_id);
    ia_q_int(&q, IA_DELEGATE_DEPTH_MAX);
    if (ia_q_row(&q)) {
        b.runs = ia_q_get_int(&q);
        b.steps = ia_q_get_int(&q);
        b.tokens = ia_q_get_int(&q);
        b.usd = ia_q_get_real(&q, &known);
        b.cost_known = ia_q_get_int(&q) == 0;
        b.usd_max = ia_q_get_real(&q, &known);
        b.ran_ms = ia_q_get_int(&q);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret = b;
    }
    return rc;
}

enum ia_rc ia_store_above(struct ia_store *s, const char *run_id, ia_run_fn *fn, void *ctx,
                          struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        struct ia_q q = ia_q(db, IA_SQL_RUN_ABOVE);
        ia_q_text(&q, run_id);
        ia_q_int(&q, IA_DELEGATE_DEPTH_MAX);
        rc = ia_run_each(&q, fn, ctx, NULL, err);
        ia_store_done(s, db);
    }
    return rc;
}

/* ---- the tree ---------------------------------------------------------------------------- */

struct walk {
    struct ia_store *store;
    ia_tree_fn *fn;
    void *ctx;
    bool ended;
};

struct ids {
    char (*id)[IA_ID_SIZE];
    int n;
};

static bool add_id(void *ctx, const struct ia_run_row *row)
{
    struct ids *ids = ctx;
    (void)snprintf(ids->id[ids->n++], IA_ID_SIZE, "%s", row->id);
    return ids->n < IA_DELEGATE_RUNS_MAX;
}

static enum ia_rc walk(struct walk *w, const char *run_id, int depth, struct ia_err *err)
{
    struct ids ids = {.id = ia_calloc(IA_DELEGATE_RUNS_MAX, sizeof(*ids.id))};
    enum ia_rc rc = ia_store_children(w->store, run_id, add_id, &ids, err);
    for (int i = 0; rc == IA_OK && i < ids.n && !w->ended; i++) {
        struct ia_run_row *row = NULL;
        rc = ia_store_run(w->store, ids.id[i], &row, err);
        if (rc == IA_OK) {
            w->ended = !w->fn(w->ctx, &(struct ia_tree_item){.row = row,
                                                             .number = i + 1,
                                                             .depth = depth,
                                                             .last = i + 1 == ids.n});
        }
        ia_run_row_free(row);
        if (rc == IA_OK && !w->ended && depth + 1 < IA_DELEGATE_DEPTH_MAX) {
            rc = walk(w, ids.id[i], depth + 1, err);
        }
    }
    free(ids.id);
    return rc;
}

enum ia_rc ia_store_tree(struct ia_store *s, const char *run_id, ia_tree_fn *fn, void *ctx,
                         struct ia_err *err)
{
    struct walk w = {.store = s, .fn = fn, .ctx = ctx};
    return walk(&w, run_id, 0, err);
}

/* ---- in the transactions of runs.c ------------------------------------------------------- */

bool ia_child_is_new(struct ia_tx *tx, const struct ia_run_new *run)
{
    if (!run->parent_id) {
        return true;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_CHILD_OF_CALL);
    ia_q_text(&q, run->parent_id);
    ia_q_text(&q, run->parent_call);
    bool there = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && there) {
        ia_tx_fail(tx, IA_E_EXISTS, "call %.80s of run %s has its run already",
                   run->parent_call, run->parent_id);
    }
    return !tx->failed;
}

bool ia_child_count(struct ia_tx *tx, const char *parent_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_COUNT_CHILDREN);
    ia_q_text(&q, parent_id);
    bool open = ia_q_row(&q) && ia_q_get_int(&q) != 0;
    return ia_tx_end(tx, &q) && open;
}

int ia_tx_child_number(struct ia_tx *tx, const char *run_id, const char *child_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_CHILD_NO);
    ia_q_text(&q, run_id);
    ia_q_text(&q, child_id);
    int n = ia_q_row(&q) ? (int)ia_q_get_int(&q) : 0;
    return ia_tx_end(tx, &q) ? n : 0;
}

size_t ia_child_open(struct ia_tx *tx, const char *run_id, char ids[][IA_ID_SIZE], size_t n)
{
    size_t count = 0;
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_CHILDREN_OPEN);
    ia_q_text(&q, run_id);
    ia_q_int(&q, (int64_t)n);
    while (count < n && ia_q_row(&q)) {
        (void)snprintf(ids[count++], IA_ID_SIZE, "%s", ia_q_get_text(&q));
    }
    return ia_tx_end(tx, &q) ? count : 0;
}

void ia_child_ended(struct ia_tx *tx, const char *run_id, const char *parent_id,
                    enum ia_run_state state, const struct ia_run_moved *moved)
{
    /* Nothing comes after the end of a run. */
    if (!parent_id[0] || !ia_child_count(tx, parent_id)) {
        return;
    }
    const struct ia_event_run_child_finished finished = {
        .number = ia_tx_child_number(tx, parent_id, run_id),
        .child = ia_str(run_id),
        .state = ia_str(ia_run_state_name(state)),
        .code = ia_str(moved->code),
        .basis = ia_str(moved->basis),
    };
    ia_tx_add_event(tx, parent_id, IA_EVENT(&finished), NULL);
}
