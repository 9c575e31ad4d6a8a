/* fleet_runs.c: runs of a fleet, by their state. */
#include "store/fleet_runs.h"

#include "store/impl.h"

#include <string.h>

void ia_tx_put_fleet_run(struct ia_tx *tx, const struct ia_fleet_run_row *row)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_FLEET_PUT);
    ia_q_text(&q, row->run_id);
    ia_q_text(&q, row->batch);
    ia_q_blob(&q, row->key, sizeof(row->key));
    ia_q_int(&q, row->attempt);
    ia_q_text(&q, row->state);
    ia_q_text(&q, row->order_run);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_end_fleet_run(struct ia_tx *tx, const char *run_id, const char *state,
                         const char *worker, const char *fetch_from)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_FLEET_END);
    ia_q_text(&q, run_id);
    ia_q_text(&q, state);
    ia_q_text(&q, worker);
    ia_q_text(&q, fetch_from);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "run of a fleet", run_id);
}

void ia_tx_fetched_fleet_run(struct ia_tx *tx, const char *run_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_FLEET_FETCHED);
    ia_q_text(&q, run_id);
    (void)ia_tx_end(tx, &q);
}

static enum ia_rc list(struct ia_store *s, enum ia_sql which, const char *value,
                       ia_fleet_run_fn *fn, void *ctx, bool *ret_found, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, which);
    ia_q_text(&q, value);
    bool more = true;
    *ret_found = false;
    while (more && ia_q_row(&q)) {
        struct ia_fleet_run_row row = {.run_id = ia_q_get_text(&q),
                                       .batch = ia_q_get_text(&q),
                                       .state = ia_q_get_text(&q),
                                       .order_run = ia_q_get_text(&q),
                                       .worker = ia_q_get_text(&q),
                                       .fetch_from = ia_q_get_text(&q)};
        struct ia_str key = ia_q_get_blob(&q);
        memcpy(row.key, key.p, key.n < sizeof(row.key) ? key.n : sizeof(row.key));
        row.attempt = (int)ia_q_get_int(&q);
        *ret_found = true;
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_fleet_run(struct ia_store *s, const char *run_id, ia_fleet_run_fn *fn,
                              void *ctx, bool *ret_found, struct ia_err *err)
{
    return list(s, IA_SQL_FLEET_GET, run_id, fn, ctx, ret_found, err);
}

enum ia_rc ia_store_fleet_order(struct ia_store *s, const char *order_run, ia_fleet_run_fn *fn,
                                void *ctx, bool *ret_found, struct ia_err *err)
{
    return list(s, IA_SQL_FLEET_ORDER, order_run, fn, ctx, ret_found, err);
}

enum ia_rc ia_store_fleet_fetches(struct ia_store *s, const char *batch, ia_fleet_run_fn *fn,
                                  void *ctx, struct ia_err *err)
{
    bool found;
    return list(s, IA_SQL_FLEET_FETCHES, batch, fn, ctx, &found, err);
}

enum ia_rc ia_store_fleet_runs(struct ia_store *s, const char *state, ia_fleet_run_fn *fn,
                               void *ctx, struct ia_err *err)
{
    bool found;
    return list(s, IA_SQL_FLEET_LIST, state, fn, ctx, &found, err);
}

void ia_tx_set_run_lane(struct ia_tx *tx, const char *run_id, const char *lane)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_LANE);
    ia_q_text(&q, run_id);
    ia_q_text(&q, lane);
    bool changed = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && !changed) {
        ia_tx_fail(tx, IA_E_STATE, "run %s runs or is over", run_id);
    }
}
