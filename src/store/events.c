/* events.c: the append-only log and how far its readers are.
 *
 * An event gets its number within the run in the transaction that writes it, so the numbers
 * have no gaps and follow the order of the commits. The id over all runs is never given
 * twice (AUTOINCREMENT), which is why a reader's cursor can be an id. */
#include "store/columns.h"
#include "store/impl.h"

#include <stdio.h>
#include <string.h>

/* Asked once for the events of a run that follow each other in a transaction, as nobody else can write in
 * between. */
static bool next_event_seq(struct ia_tx *tx, const char *run_id, int64_t *ret)
{
    if (strcmp(tx->event_run, run_id) == 0) {
        *ret = ++tx->event_seq;
        return !tx->failed;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_EVENT_NEXT);
    ia_q_text(&q, run_id);
    if (ia_q_row(&q)) {
        *ret = tx->event_seq = ia_q_get_int(&q);
    }
    (void)snprintf(tx->event_run, sizeof(tx->event_run), "%s", run_id);
    return ia_tx_end(tx, &q);
}

static bool insert_event(struct ia_tx *tx, const char *run_id, const char *type, int64_t seq,
                         struct ia_str json)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_EVENT_ADD);
    ia_q_text(&q, run_id);
    ia_q_int(&q, seq);
    ia_q_text(&q, type);
    ia_q_iso(&q, tx->now_ms);
    ia_q_str(&q, json);
    return ia_tx_end(tx, &q);
}

void ia_tx_add_event(struct ia_tx *tx, const char *run_id, struct ia_event_ref event,
                     struct ia_buf *ret_json)
{
    struct ia_event_envelope envelope = {.run_id = run_id, .ts_ms = tx->now_ms};
    const char *name = ia_event_name(event.type);
    if (!next_event_seq(tx, run_id, &envelope.seq)) {
        return;
    }
    struct ia_buf json = IA_BUF(IA_EVENT_BYTES_MAX);
    ia_event_write(&json, event, &envelope);
    if (!ia_buf_ok(&json)) {
        ia_tx_fail(tx, IA_E_LIMIT, "the event %s is larger than %d bytes", name,
                   IA_EVENT_BYTES_MAX);
    } else if (insert_event(tx, run_id, name, envelope.seq, ia_buf_str(&json)) && ret_json) {
        ia_buf_putstr(ret_json, ia_buf_str(&json));
    }
    ia_buf_fini(&json);
}

static const struct ia_column event_columns[] =
    IA_READERS(IA_EVENT_COLUMNS, struct ia_event_row);

/* Which of three statements the range needs: for all events, those of a run, of a lane. */
static struct ia_q range_q(struct ia_db *db, const struct ia_event_range *range,
                           const enum ia_sql of[3], int limit)
{
    const char *what = range->run_id ? range->run_id : range->lane;
    struct ia_q q = ia_q(db, of[range->run_id ? 1 : range->lane ? 2 : 0]);
    ia_q_int(&q, range->after_id);
    ia_q_int(&q, limit);
    if (what) {
        ia_q_text(&q, what);
    }
    if (range->run_id) {
        ia_q_int(&q, range->after_seq);
    }
    return q;
}

enum ia_rc ia_store_events(struct ia_store *s, const struct ia_event_range *range,
                           ia_event_fn *fn, void *ctx, int64_t *ret_last, struct ia_err *err)
{
    static const enum ia_sql list[] = {IA_SQL_EVENT_LIST_ALL, IA_SQL_EVENT_LIST_RUN,
                                       IA_SQL_EVENT_LIST_LANE};
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* A reader holds a connection while its callbacks run, so there is a limit to each
     * listing. */
    bool capped = range->limit <= 0 || range->limit > IA_EVENT_BATCH_MAX;
    struct ia_q q = range_q(db, range, list, capped ? IA_EVENT_BATCH_MAX : range->limit);
    int64_t last = range->after_id;
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_event_row row;
        ia_columns_read(event_columns, IA_COUNTOF(event_columns), &q, &row);
        last = row.id;
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK && ret_last) {
        *ret_last = last;
    }
    return rc;
}

enum ia_rc ia_store_events_count(struct ia_store *s, const struct ia_event_range *range,
                                 int *ret, struct ia_err *err)
{
    static const enum ia_sql count[] = {IA_SQL_EVENT_COUNT, IA_SQL_EVENT_COUNT_RUN,
                                        IA_SQL_EVENT_COUNT_LANE};
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = range_q(db, range, count, range->limit);
    *ret = ia_q_row(&q) ? (int)ia_q_get_int(&q) : 0;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_last_event(struct ia_store *s, int64_t *ret_event_id, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_EVENT_LAST);
    int64_t id = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret_event_id = id;
    }
    return rc;
}

enum ia_rc ia_store_one_text(struct ia_store *s, enum ia_sql which, const char *const *values,
                             struct ia_buf *ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, which);
    for (; *values; values++) {
        ia_q_text(&q, *values);
    }
    if (ia_q_row(&q)) {
        ia_buf_putstr(ret, ia_q_get_str(&q));
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc == IA_OK ? ia_buf_check(ret, "what was stored", err) : rc;
}

enum ia_rc ia_store_newest_event(struct ia_store *s, const char *run_id,
                                 enum ia_event_type type, struct ia_buf *ret_json,
                                 struct ia_err *err)
{
    const char *values[] = {run_id, ia_event_name(type), NULL};
    return ia_store_one_text(s, IA_SQL_EVENT_NEWEST, values, ret_json, err);
}

/* ---- cursors --------------------------------------------------------------------------- */

enum ia_rc ia_store_cursor(struct ia_store *s, const char *consumer, int64_t *ret_event_id,
                           struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_CURSOR_GET);
    ia_q_text(&q, consumer);
    int64_t id = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret_event_id = id;
    }
    return rc;
}

void ia_tx_move_cursor(struct ia_tx *tx, const char *consumer, int64_t event_id,
                       bool *ret_moved)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_CURSOR_SET);
    ia_q_text(&q, consumer);
    ia_q_int(&q, event_id);
    ia_q_iso(&q, tx->now_ms);
    bool moved = ia_q_row(&q);
    if (ia_tx_end(tx, &q)) {
        *ret_moved = moved;
    }
}

void ia_tx_set_cursor(struct ia_tx *tx, const char *consumer, int64_t event_id)
{
    bool ignored;
    ia_tx_move_cursor(tx, consumer, event_id, &ignored);
}
