/* notices.c: what has to be told of a schedule's runs. */
#include "store/notices.h"

#include "store/impl.h"

enum { NOTICES_DEFAULT = 50 };

/* ---- runs that ended --------------------------------------------------------------------- */

static struct ia_fire_end read_end(struct ia_q *q)
{
    struct ia_fire_end e = {0};
    e.event_id = ia_q_get_int(q);
    e.finished_ms = ia_q_get_iso(q);
    e.schedule = ia_q_get_text(q);
    e.scheduled_ms = ia_q_get_iso(q);
    e.run_id = ia_q_get_text(q);
    e.state = ia_q_get_text(q);
    e.code = ia_q_get_text(q);
    e.summary = ia_q_get_text(q);
    e.demo = ia_q_get_int(q) != 0;
    e.steps = ia_q_get_int(q);
    e.cost_usd = ia_q_get_real(q, &e.cost_known);
    e.goal = ia_q_get_text(q);
    e.last_verdict = ia_q_get_text(q);
    e.notify = ia_q_get_text(q);
    return e;
}

enum ia_rc ia_store_fire_end(struct ia_store *s, int64_t after_event_id, ia_fire_end_fn *fn,
                             void *ctx, bool *ret_found, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_FIRE_END);
    ia_q_int(&q, after_event_id);
    bool found = ia_q_row(&q);
    if (found) {
        struct ia_fire_end end = read_end(&q);
        fn(ctx, &end);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret_found = found;
    }
    return rc;
}

/* ---- notices ----------------------------------------------------------------------------- */

void ia_tx_add_notice(struct ia_tx *tx, const char *schedule, const char *run_id,
                      const char *target, struct ia_str body)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_NOTICE_ADD);
    ia_q_text(&q, schedule);
    ia_q_text(&q, run_id);
    ia_q_text(&q, target);
    ia_q_str(&q, body);
    ia_q_iso(&q, tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_try_notice(struct ia_tx *tx, const struct ia_notice_row *row, int64_t due_ms,
                      bool *ret_mine)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_NOTICE_TRY);
    ia_q_int(&q, row->id);
    ia_q_int(&q, row->attempts);
    ia_q_iso(&q, due_ms);
    bool mine = ia_q_row(&q);
    if (ia_tx_end(tx, &q)) {
        *ret_mine = mine;
    }
}

void ia_tx_end_notice(struct ia_tx *tx, int64_t id, const char *state, const char *problem,
                      int64_t due_ms)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_NOTICE_END);
    ia_q_int(&q, id);
    ia_q_text(&q, state);
    ia_q_text(&q, problem);
    ia_q_iso(&q, due_ms > 0 ? due_ms : tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

/* In the order of NOTICE_COLUMNS in sql.c. */
static struct ia_notice_row read_notice(struct ia_q *q)
{
    struct ia_notice_row n = {0};
    n.id = ia_q_get_int(q);
    n.schedule = ia_q_get_text(q);
    n.run_id = ia_q_get_text(q);
    n.target = ia_q_get_text(q);
    n.body = ia_q_get_text(q);
    n.state = ia_q_get_text(q);
    n.attempts = (int)ia_q_get_int(q);
    n.due_ms = ia_q_get_iso(q);
    n.problem = ia_q_get_text(q);
    n.created_ms = ia_q_get_iso(q);
    return n;
}

static enum ia_rc each_notice(struct ia_q *q, ia_notice_fn *fn, void *ctx, bool *ret_found,
                              struct ia_err *err)
{
    bool more = true;
    *ret_found = false;
    while (more && ia_q_row(q)) {
        struct ia_notice_row row = read_notice(q);
        *ret_found = true;
        more = fn(ctx, &row);
    }
    return ia_q_end(q, err);
}

enum ia_rc ia_store_due_notice(struct ia_store *s, int64_t now_ms, ia_notice_fn *fn, void *ctx,
                               bool *ret_found, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_NOTICE_DUE);
    ia_q_iso(&q, now_ms);
    rc = each_notice(&q, fn, ctx, ret_found, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_notices(struct ia_store *s, const char *schedule, int limit,
                            ia_notice_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    bool found;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_NOTICE_LIST);
    ia_q_text(&q, schedule);
    ia_q_int(&q, limit > 0 ? limit : NOTICES_DEFAULT);
    rc = each_notice(&q, fn, ctx, &found, err);
    ia_store_done(s, db);
    return rc;
}
