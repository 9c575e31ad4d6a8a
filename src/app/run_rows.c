/* run_rows.c: what can be said and asked of runs as rows, by any process that has the store: no threads. */
#include "agent/sweep/sweep.h"
#include "app/run_json.h"
#include "app/runs.h"
#include "store/children.h"
#include "store/queue.h"
#include "store/sweeps.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Hands the row over where it is asked for. */
static void give(struct ia_run_row *row, struct ia_run_row **ret)
{
    if (ret) {
        *ret = row;
    } else {
        ia_run_row_free(row);
    }
}

enum ia_rc ia_runs_say(struct ia_store *store, const char *run_id, const char *sender,
                       const char *text, struct ia_run_row **ret_run, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct ia_tx *tx = NULL;
    if (text[strspn(text, " \t\r\n")] == '\0') {
        return ia_err_set(err, IA_E_USAGE, "the message is empty");
    }
    if (sender && (sender[0] == '\0' || strlen(sender) > IA_RUNS_SENDER_MAX)) {
        return ia_err_set(err, IA_E_USAGE, "the sender's name must have 1 to %d bytes",
                          IA_RUNS_SENDER_MAX);
    }
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK) {
        rc = ia_tx_begin(store, &tx, err);
    }
    if (rc == IA_OK) {
        ia_tx_say(tx, row->id, sender ? sender : "user", ia_str(text));
        rc = ia_tx_commit(tx, err);
    }
    give(row, ret_run);
    return rc;
}

enum ia_rc ia_runs_cancel(struct ia_store *store, const char *run_id,
                          enum ia_cancel_result *ret, struct ia_run_row **ret_run,
                          struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK) {
        rc = ia_store_cancel_run(store, row->id, ret, err);
    }
    give(row, ret_run);
    return rc;
}

bool ia_run_waits_for_sweep(const struct ia_run_row *row)
{
    return strncmp(row->lane, IA_SWEEP_POOL_PREFIX, sizeof(IA_SWEEP_POOL_PREFIX) - 1) == 0;
}

enum ia_rc ia_run_unanswered(const char *run_id, struct ia_err *err)
{
    ia_err_set(err, IA_E_ASK, "run %s waits until a person answers its question", run_id);
    ia_err_hint(err, "ios-agent approve %s or ios-agent deny %s answers it", run_id, run_id);
    return IA_E_ASK;
}

enum ia_rc ia_run_resumable(const struct ia_run_row *row, struct ia_err *err)
{
    if (ia_run_state_final(row->state)) {
        return ia_err_set(err, IA_E_STATE, "run %s has already finished: %s", row->id,
                          ia_run_state_name(row->state));
    }
    if (ia_run_waits_for_sweep(row)) {
        ia_err_set(err, IA_E_STATE, "run %s waits for a device of its sweep", row->id);
        ia_err_hint(err, "ios-agent sweep --resume %s continues it", row->sweep_id);
        return IA_E_STATE;
    }
    if (row->state == IA_RUN_QUEUED || row->state == IA_RUN_RETRY_WAIT) {
        return IA_OK;
    }
    if (row->state == IA_RUN_ASKING) {
        return ia_run_unanswered(row->id, err);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "run %s is being run by %s, pid %lld", row->id,
                               row->owner_command ? row->owner_command : "another process",
                               (long long)row->owner_pid);
    ia_err_hint(err, "wait for it, or stop it with ios-agent cancel %s", row->id);
    return rc;
}

enum ia_rc ia_runs_cancel_sweep(struct ia_store *store, const struct ia_sweep_row *sweep,
                                enum ia_cancel_result *ret, struct ia_err *err)
{
    if (sweep->state != IA_SWEEP_RUNNING) {
        *ret = IA_CANCEL_TOO_LATE;
        return IA_OK;
    }
    /* The row's token has told that process from a later one with its number. */
    if (sweep->owner_alive) {
        *ret = IA_CANCEL_ASKED;
        return kill((pid_t)sweep->owner_pid, IA_CANCEL_SIGNAL) == 0
                   ? IA_OK
                   : ia_err_set(err, IA_E_IO, "cannot stop process %lld: %s",
                                (long long)sweep->owner_pid, strerror(errno));
    }
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_end_sweep(tx, sweep->id, IA_SWEEP_STOPPED, "cancelled");
        rc = ia_tx_commit(tx, err);
    }
    if (rc == IA_OK) {
        *ret = IA_CANCEL_DONE;
    }
    return rc;
}

static bool put_row(void *ctx, const struct ia_run_row *row)
{
    ia_run_json(ctx, row);
    return true;
}

enum ia_rc ia_runs_list(struct ia_store *store, const struct ia_run_filter *filter,
                        struct ia_jsonw *w, struct ia_err *err)
{
    ia_jsonw_array(w);
    enum ia_rc rc = ia_store_runs(store, filter, put_row, w, err);
    ia_jsonw_end_array(w);
    return rc;
}

enum ia_rc ia_runs_children(struct ia_store *store, const char *run_id, struct ia_jsonw *w,
                            struct ia_err *err)
{
    struct ia_below below;
    ia_jsonw_key(w, "children");
    ia_jsonw_array(w);
    enum ia_rc rc = ia_store_children(store, run_id, put_row, w, err);
    ia_jsonw_end_array(w);
    if (rc == IA_OK) {
        rc = ia_store_below(store, run_id, &below, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_key(w, "below");
        ia_jsonw_object(w);
        ia_jsonw_kv_int(w, "runs", below.runs);
        ia_jsonw_kv_int(w, "steps", below.steps);
        ia_jsonw_kv_int(w, "tokens", below.tokens);
        ia_jsonw_kv_known(w, "cost_usd", below.usd, below.cost_known);
        ia_jsonw_end_object(w);
    }
    return rc;
}

/* ---- {"run":{…},"children":[{"run":{…},"children":[…]},…]} -------------------------------- */

struct nesting {
    struct ia_jsonw *w;
    ia_tree_fn *fn;
    void *ctx;
    int open; /* objects that are open below the root */
};

static void put_node(struct ia_jsonw *w, const struct ia_run_row *row)
{
    ia_jsonw_key(w, "run");
    ia_run_json(w, row);
    ia_jsonw_key(w, "children");
    ia_jsonw_array(w);
}

static void close_to(struct nesting *n, int depth)
{
    for (; n->open > depth; n->open--) {
        ia_jsonw_end_array(n->w);
        ia_jsonw_end_object(n->w);
    }
}

static bool nest(void *ctx, const struct ia_tree_item *item)
{
    struct nesting *n = ctx;
    close_to(n, item->depth);
    ia_jsonw_object(n->w);
    put_node(n->w, item->row);
    n->open = item->depth + 1;
    return !n->fn || n->fn(n->ctx, item);
}

enum ia_rc ia_runs_tree(struct ia_store *store, const struct ia_run_row *run, ia_tree_fn *fn,
                        void *ctx, struct ia_jsonw *w, struct ia_err *err)
{
    struct nesting n = {.w = w, .fn = fn, .ctx = ctx};
    put_node(w, run);
    enum ia_rc rc = ia_store_tree(store, run->id, nest, &n, err);
    close_to(&n, 0);
    ia_jsonw_end_array(w);
    return rc;
}

enum ia_rc ia_runs_show(struct ia_store *store, const char *run_id, struct ia_jsonw *w,
                        struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK) {
        ia_run_json(w, row);
    }
    ia_run_row_free(row);
    return rc;
}
