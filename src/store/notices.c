/* notices.c: what has to be told of runs. */
#include "store/notices.h"

#include "store/columns.h"
#include "store/impl.h"

/* ---- runs that ended --------------------------------------------------------------------- */

static const struct ia_column end_columns[] =
    IA_READERS(IA_FIRE_END_COLUMNS, struct ia_fire_end);

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
        struct ia_fire_end end;
        ia_columns_read(end_columns, IA_COUNTOF(end_columns), &q, &end);
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
                      const char *question_id, const char *target, struct ia_str body)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_NOTICE_ADD);
    ia_q_text(&q, schedule);
    ia_q_text(&q, run_id);
    ia_q_text(&q, target);
    ia_q_str(&q, body);
    ia_q_text(&q, question_id);
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

void ia_tx_end_notice(struct ia_tx *tx, int64_t id, enum ia_notice_state state,
                      const char *problem, int64_t due_ms)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_NOTICE_END);
    ia_q_int(&q, id);
    ia_q_text(&q, ia_notice_state_name(state));
    ia_q_text(&q, problem);
    ia_q_iso(&q, due_ms > 0 ? due_ms : tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

static const struct ia_column columns[] = IA_READERS(IA_NOTICE_COLUMNS, struct ia_notice_row);

static enum ia_rc each_notice(struct ia_q *q, ia_notice_fn *fn, void *ctx, bool *ret_found,
                              struct ia_err *err)
{
    bool more = true;
    *ret_found = false;
    while (more && ia_q_row(q)) {
        struct ia_notice_row row;
        ia_columns_read(columns, IA_COUNTOF(columns), q, &row);
        *ret_found = true;
        more = fn(ctx, &row);
    }
    return ia_q_end(q, err);
}

enum ia_rc ia_store_due_notice(struct ia_store *s, int64_t now_ms, const char *run_id,
                               ia_notice_fn *fn, void *ctx, bool *ret_found, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_NOTICE_DUE);
    ia_q_iso(&q, now_ms);
    ia_q_text(&q, run_id);
    rc = each_notice(&q, fn, ctx, ret_found, err);
    ia_store_done(s, db);
    return rc;
}
