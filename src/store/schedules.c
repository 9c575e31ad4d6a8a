/* schedules.c: repeated goals, and a row for each fire.
 *
 * Two guards make several processes safe: ia_tx_schedule_advance moves next_ms only from the
 * value that was read (and only of a schedule that is neither changed, paused nor retired
 * since), and a fire is a row with a unique key of schedule and time. */
#include "store/schedules.h"

#include "store/columns.h"
#include "store/impl.h"

#include <stdlib.h>
#include <string.h>

enum { FIRES_DEFAULT = 50 };

/* ---- writing ----------------------------------------------------------------------------- */

static void bind_schedule(struct ia_q *q, const struct ia_schedule_row *r)
{
    ia_q_text(q, r->name);
    ia_q_text(q, ia_schedule_kind_name(r->kind));
    ia_q_text(q, r->spec);
    ia_q_text(q, r->zone);
    ia_q_text(q, ia_missed_name(r->missed));
    ia_q_text(q, ia_overlap_name(r->overlap));
    ia_q_int(q, r->grace_s);
    ia_q_text(q, r->precheck);
    ia_q_text(q, r->notify);
    ia_q_text(q, r->run);
    ia_q_text(q, r->lane);
    ia_q_int(q, r->paused);
    ia_q_iso(q, r->next_ms);
    ia_q_text(q, r->problem);
}

void ia_tx_add_schedule(struct ia_tx *tx, const struct ia_schedule_row *row)
{
    if (!row->name || !row->name[0] || strlen(row->name) > IA_SCHEDULE_NAME_MAX) {
        ia_tx_fail(tx, IA_E_USAGE, "the name of a schedule must have 1 to %d bytes",
                   IA_SCHEDULE_NAME_MAX);
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_ADD);
    bind_schedule(&q, row);
    ia_q_iso(&q, tx->now_ms);
    bool added = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && !added) {
        ia_tx_fail(tx, IA_E_EXISTS, "there is already a schedule \"%s\"", row->name);
    }
}

/* Ends a statement that returns a row when the schedule is there. */
static void end_schedule(struct ia_tx *tx, struct ia_q *q, const char *name)
{
    bool found = ia_q_row(q);
    (void)ia_tx_end_found(tx, q, found, "schedule", name);
}

void ia_tx_put_schedule(struct ia_tx *tx, const struct ia_schedule_row *row)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_PUT);
    bind_schedule(&q, row);
    ia_q_iso(&q, tx->now_ms);
    /* What the row was when it was read: the statement changes no other version. */
    ia_q_iso(&q, row->updated_ms);
    bool same = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && !same) {
        ia_tx_fail(tx, IA_E_STATE, "schedule %s was changed or removed meanwhile: try again",
                   row->name);
    }
}

void ia_tx_remove_schedule(struct ia_tx *tx, const char *name)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_REMOVE);
    ia_q_text(&q, name);
    end_schedule(tx, &q, name);
}

void ia_tx_pause_schedule(struct ia_tx *tx, const char *name, bool paused, int64_t next_ms)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_PAUSE);
    ia_q_text(&q, name);
    ia_q_int(&q, paused);
    ia_q_iso(&q, next_ms);
    ia_q_iso(&q, tx->now_ms);
    end_schedule(tx, &q, name);
}

void ia_tx_schedule_problem(struct ia_tx *tx, const char *name, const char *problem)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_PROBLEM);
    ia_q_text(&q, name);
    ia_q_text(&q, problem);
    ia_q_iso(&q, tx->now_ms);
    end_schedule(tx, &q, name);
}

void ia_tx_schedule_verdict(struct ia_tx *tx, const char *name, const char *state)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_VERDICT);
    ia_q_text(&q, name);
    ia_q_text(&q, state);
    end_schedule(tx, &q, name);
}

void ia_tx_schedule_next(struct ia_tx *tx, const char *schedule, int64_t next_ms)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_NEXT);
    ia_q_text(&q, schedule);
    ia_q_iso(&q, next_ms);
    end_schedule(tx, &q, schedule);
}

void ia_tx_schedule_advance(struct ia_tx *tx, const struct ia_schedule_row *row,
                            int64_t next_ms, bool *ret_moved)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_ADVANCE);
    ia_q_text(&q, row->name);
    ia_q_iso(&q, row->next_ms);
    ia_q_iso(&q, row->updated_ms);
    ia_q_iso(&q, next_ms);
    bool moved = ia_q_row(&q);
    if (ia_tx_end(tx, &q)) {
        *ret_moved = moved;
    }
}

void ia_tx_schedule_align(struct ia_tx *tx, const struct ia_schedule_row *row,
                          int64_t anchor_ms, int64_t next_ms)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_ALIGN);
    ia_q_text(&q, row->name);
    ia_q_iso(&q, row->next_ms);
    ia_q_iso(&q, row->updated_ms);
    ia_q_iso(&q, anchor_ms);
    ia_q_iso(&q, next_ms);
    (void)ia_q_row(&q);
    (void)ia_tx_end(tx, &q);
}

/* The oldest that waits, or false. */
static bool next_waiting(struct ia_tx *tx, const char *schedule, char ret_id[IA_ID_SIZE])
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_WAITING);
    ia_q_text(&q, schedule);
    bool found = ia_q_row(&q);
    if (found) {
        struct ia_str id = ia_q_get_str(&q);
        size_t n = id.n < IA_ID_SIZE ? id.n : IA_ID_SIZE - 1;
        memcpy(ret_id, id.p, n);
        ret_id[n] = '\0';
    }
    return ia_tx_end(tx, &q) && found;
}

void ia_tx_cancel_waiting(struct ia_tx *tx, const char *schedule, const char *why,
                          int *ret_count)
{
    char id[IA_ID_SIZE];
    int count = 0;
    /* One at a time: each cancel moves a row out of what the query finds, so the query is
     * asked again instead of being read on. */
    while (next_waiting(tx, schedule, id)) {
        ia_run_cancel_unowned(tx, id, why);
        count++;
    }
    if (!tx->failed && ret_count) {
        *ret_count = count;
    }
}

/* ---- fires ------------------------------------------------------------------------------- */

static bool add_fire(struct ia_tx *tx, const char *schedule, int64_t scheduled_for_ms,
                     const char *run_id, const char *reason)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_FIRE_ADD);
    ia_q_text(&q, schedule);
    ia_q_iso(&q, scheduled_for_ms);
    ia_q_text(&q, run_id);
    ia_q_text(&q, reason);
    ia_q_iso(&q, tx->now_ms);
    bool added = ia_q_row(&q);
    return ia_tx_end(tx, &q) && added;
}

void ia_tx_add_fire(struct ia_tx *tx, const char *schedule, int64_t scheduled_for_ms,
                    const char *run_id, const char *reason, bool *ret_new)
{
    bool added = add_fire(tx, schedule, scheduled_for_ms, run_id, reason);
    /* The run points back at its schedule, for its end to be found (notices.c). */
    if (added && run_id) {
        struct ia_q q = ia_tx_q(tx, IA_SQL_FIRE_RUN);
        ia_q_text(&q, run_id);
        ia_q_text(&q, schedule);
        bool found = ia_q_row(&q);
        (void)ia_tx_end_found(tx, &q, found, "run", run_id);
    }
    if (!tx->failed) {
        *ret_new = added;
    }
}

static const struct ia_column fire_columns[] = IA_READERS(IA_FIRE_COLUMNS, struct ia_fire_row);

enum ia_rc ia_store_fires(struct ia_store *s, const char *schedule, int limit, ia_fire_fn *fn,
                          void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_FIRE_LIST);
    ia_q_text(&q, schedule);
    ia_q_int(&q, limit > 0 ? limit : FIRES_DEFAULT);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_fire_row row;
        ia_columns_read(fire_columns, IA_COUNTOF(fire_columns), &q, &row);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

void ia_tx_schedule_busy(struct ia_tx *tx, const char *schedule, bool *ret)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SCHEDULE_BUSY);
    ia_q_text(&q, schedule);
    bool busy = ia_q_row(&q) && ia_q_get_int(&q) != 0;
    if (ia_tx_end(tx, &q)) {
        *ret = busy;
    }
}

enum ia_rc ia_store_schedule_busy(struct ia_store *s, const char *schedule, bool *ret,
                                  struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SCHEDULE_BUSY);
    ia_q_text(&q, schedule);
    bool busy = ia_q_row(&q) && ia_q_get_int(&q) != 0;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret = busy;
    }
    return rc;
}

/* ---- reading ----------------------------------------------------------------------------- */

static const struct ia_column columns[] =
    IA_READERS(IA_SCHEDULE_COLUMNS, struct ia_schedule_row);

struct ia_schedule_row *ia_schedule_row_dup(const struct ia_schedule_row *row)
{
    return ia_columns_copy(columns, IA_COUNTOF(columns), row, sizeof(*row));
}

void ia_schedule_row_free(struct ia_schedule_row *row)
{
    free(row);
}

static enum ia_rc each_schedule(struct ia_q *q, ia_schedule_fn *fn, void *ctx, bool *ret_found,
                                struct ia_err *err)
{
    bool more = true;
    while (more && ia_q_row(q)) {
        struct ia_schedule_row row;
        ia_columns_read(columns, IA_COUNTOF(columns), q, &row);
        *ret_found = true;
        more = fn(ctx, &row);
    }
    return ia_q_end(q, err);
}

enum ia_rc ia_store_schedules(struct ia_store *s, const char *name, ia_schedule_fn *fn,
                              void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    bool found = false;
    struct ia_q q = ia_q(db, IA_SQL_SCHEDULE_LIST);
    ia_q_text(&q, name);
    rc = each_schedule(&q, fn, ctx, &found, err);
    ia_store_done(s, db);
    if (rc == IA_OK && name && !found) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no schedule \"%.80s\"", name);
        ia_err_hint(err, "`ios-agent schedule list` lists them");
    }
    return rc;
}

static enum ia_rc next_due(struct ia_db *db, int64_t now_ms, int64_t *ret, struct ia_err *err)
{
    struct ia_q q = ia_q(db, IA_SQL_SCHEDULE_DUE_LATER);
    ia_q_iso(&q, now_ms);
    int64_t next_ms = ia_q_row(&q) ? ia_q_get_iso(&q) : 0;
    enum ia_rc rc = ia_q_end(&q, err);
    if (rc == IA_OK) {
        *ret = next_ms;
    }
    return rc;
}

enum ia_rc ia_store_schedules_ahead(struct ia_store *s, int64_t now_ms, int64_t slack_ms,
                                    ia_schedule_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    bool found = false;
    struct ia_q q = ia_q(db, IA_SQL_SCHEDULE_AHEAD);
    ia_q_iso(&q, now_ms);
    ia_q_iso(&q, now_ms + slack_ms);
    rc = each_schedule(&q, fn, ctx, &found, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_due(struct ia_store *s, int64_t now_ms, ia_schedule_fn *fn, void *ctx,
                        int64_t *ret_next_ms, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    bool found = false;
    struct ia_q q = ia_q(db, IA_SQL_SCHEDULE_DUE);
    ia_q_iso(&q, now_ms);
    rc = each_schedule(&q, fn, ctx, &found, err);
    if (rc == IA_OK && ret_next_ms) {
        rc = next_due(db, now_ms, ret_next_ms, err);
    }
    ia_store_done(s, db);
    return rc;
}
