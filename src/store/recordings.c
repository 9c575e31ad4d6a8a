/* recordings.c: rows of runs that can be replayed. */
#include "store/recordings.h"

#include "base/rand.h"
#include "store/columns.h"
#include "store/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ia_column columns[] =
    IA_READERS(IA_RECORDING_COLUMNS, struct ia_recording_row);

/* ---- writing ---------------------------------------------------------------------------- */

void ia_tx_add_recording(struct ia_tx *tx, const struct ia_recording_row *row,
                         char ret_id[IA_ID_SIZE])
{
    char id[IA_ID_SIZE];
    ia_id_new(tx->store->clock, tx->store->rand, id);
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_ADD);
    ia_q_text(&q, id);
    ia_q_text(&q, row->name);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, row->run_id);
    ia_q_text(&q, row->parent);
    ia_q_text(&q, ia_recording_state_name(row->state));
    ia_q_text(&q, row->steps_hash);
    ia_q_text(&q, row->body);
    ia_q_iso(&q, tx->now_ms);
    ia_q_text(&q, row->decided_by);
    if (ia_tx_end(tx, &q)) {
        memcpy(ret_id, id, sizeof(id));
    }
}

/* The id that the statement finds; false: none. */
static bool find_id(struct ia_tx *tx, struct ia_q q, char ret_id[IA_ID_SIZE])
{
    bool found = ia_q_row(&q);
    if (found) {
        (void)snprintf(ret_id, IA_ID_SIZE, "%s", ia_q_get_text(&q));
    }
    return ia_tx_end(tx, &q) && found;
}

void ia_tx_add_recording_once(struct ia_tx *tx, const struct ia_recording_row *row,
                              char ret_id[IA_ID_SIZE])
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_SAME_STATE);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, row->body);
    ia_q_text(&q, ia_recording_state_name(row->state));
    ia_q_text(&q, row->decided_by);
    if (!find_id(tx, q, ret_id)) {
        ia_tx_add_recording(tx, row, ret_id);
    }
}

void ia_tx_import_recording(struct ia_tx *tx, const struct ia_recording_row *row, bool by_hand,
                            char ret_id[IA_ID_SIZE])
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_SAME);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, row->body);
    if (!find_id(tx, q, ret_id)) {
        ia_tx_add_recording(tx, row, ret_id);
    }
    q = ia_tx_q(tx, IA_SQL_RECORDING_REPLACE_OTHERS);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, ret_id);
    ia_q_int(&q, by_hand);
    if (!ia_tx_end(tx, &q)) {
        return;
    }
    q = ia_tx_q(tx, IA_SQL_RECORDING_TRUST);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, ret_id);
    ia_q_text(&q, row->decided_by);
    ia_q_iso(&q, tx->now_ms);
    ia_q_int(&q, by_hand);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_run_replays(struct ia_tx *tx, const char *run_id, const char *recording_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_REPLAYS);
    ia_q_text(&q, run_id);
    ia_q_text(&q, recording_id);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_recording_rejected(struct ia_tx *tx, const struct ia_recording_row *row, bool *ret)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_REJECTED);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, row->steps_hash);
    *ret = ia_q_row(&q);
    (void)ia_tx_end(tx, &q);
}

bool ia_tx_recording_same_heal(struct ia_tx *tx, const struct ia_recording_row *row,
                               char ret_id[IA_ID_SIZE])
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_SAME_HEAL);
    ia_q_text(&q, row->goal_hash);
    ia_q_text(&q, row->steps_hash);
    ia_q_text(&q, row->run_id);
    return find_id(tx, q, ret_id);
}

static void with_id(struct ia_tx *tx, enum ia_sql which, const char *id)
{
    struct ia_q q = ia_tx_q(tx, which);
    ia_q_text(&q, id);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_recording_replayed(struct ia_tx *tx, const char *id, bool passed)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_REPLAYED);
    ia_q_text(&q, id);
    ia_q_int(&q, passed);
    ia_q_int(&q, IA_RECORDING_PASSES);
    if (ia_tx_end(tx, &q)) {
        with_id(tx, IA_SQL_RECORDING_REPLACE_PARENT, id);
    }
}

void ia_tx_decide_recording(struct ia_tx *tx, const char *id, bool accept, const char *by)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RECORDING_DECIDE);
    ia_q_text(&q, id);
    ia_q_text(&q,
              ia_recording_state_name(accept ? IA_RECORDING_TRUSTED : IA_RECORDING_REJECTED));
    ia_q_text(&q, by);
    ia_q_iso(&q, tx->now_ms);
    bool changed = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && !changed) {
        ia_tx_fail(tx, IA_E_STATE, "recording %s was rejected or replaced before", id);
    } else if (changed) {
        with_id(tx, accept ? IA_SQL_RECORDING_REPLACE_PARENT : IA_SQL_RECORDING_RESTORE_PARENT,
                id);
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

static enum ia_rc each(struct ia_q *q, ia_recording_fn *fn, void *ctx, struct ia_err *err)
{
    bool more = true;
    while (more && ia_q_row(q)) {
        struct ia_recording_row row;
        ia_columns_read(columns, IA_COUNTOF(columns), q, &row);
        more = fn(ctx, &row);
    }
    return ia_q_end(q, err);
}

static bool keep(void *ctx, const struct ia_recording_row *row)
{
    struct ia_recording_row **ret = ctx;
    *ret = ia_columns_copy(columns, IA_COUNTOF(columns), row, sizeof(*row));
    return false;
}

static enum ia_rc one(struct ia_db *db, enum ia_sql which, const char *text,
                      struct ia_recording_row **ret, struct ia_err *err)
{
    struct ia_q q = ia_q(db, which);
    ia_q_text(&q, text);
    *ret = NULL;
    return each(&q, keep, ret, err);
}

enum ia_rc ia_store_recording(struct ia_store *s, const char *text,
                              struct ia_recording_row **ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    char id[IA_ID_SIZE];
    struct ia_recording_row *row = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = one(db, IA_SQL_RECORDING_OF_NAME, text, &row, err);
    if (rc == IA_OK && !row) {
        rc = ia_match_id(db, IA_SQL_RECORDING_MATCH, "recording", text, id, err);
    }
    if (rc == IA_OK && !row) {
        rc = one(db, IA_SQL_RECORDING_GET, id, &row, err);
    }
    if (rc == IA_OK && !row) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no recording %.80s", text);
        ia_err_hint(err, "ios-agent recordings list shows those there are");
    }
    ia_store_done(s, db);
    if (rc == IA_OK) {
        *ret = row;
    }
    return rc;
}

static enum ia_rc find(struct ia_store *s, enum ia_sql which, const char *text,
                       struct ia_recording_row **ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        rc = one(db, which, text, ret, err);
        ia_store_done(s, db);
    }
    return rc;
}

enum ia_rc ia_store_recording_heals(struct ia_store *s, const char *id, int64_t step,
                                    int64_t *ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        struct ia_q q = ia_q(db, IA_SQL_RECORDING_HEALS);
        ia_q_text(&q, id);
        ia_q_int(&q, step);
        *ret = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
        rc = ia_q_end(&q, err);
        ia_store_done(s, db);
    }
    return rc;
}

enum ia_rc ia_store_recording_for(struct ia_store *s, const char *goal_hash,
                                  struct ia_recording_row **ret, struct ia_err *err)
{
    return find(s, IA_SQL_RECORDING_FOR, goal_hash, ret, err);
}

enum ia_rc ia_store_recording_of(struct ia_store *s, const char *run_id,
                                 struct ia_recording_row **ret, struct ia_err *err)
{
    return find(s, IA_SQL_RECORDING_OF_RUN, run_id, ret, err);
}

void ia_recording_row_free(struct ia_recording_row *row)
{
    free(row);
}

enum ia_rc ia_store_recordings(struct ia_store *s, const char *name, const char *state,
                               ia_recording_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        struct ia_q q = ia_q(db, IA_SQL_RECORDING_LIST);
        ia_q_text(&q, name);
        ia_q_text(&q, state);
        rc = each(&q, fn, ctx, err);
        ia_store_done(s, db);
    }
    return rc;
}

enum ia_rc ia_store_goal_file(struct ia_store *s, const char *goal_hash, ia_goal_file_fn *fn,
                              void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_RECORDING_GOAL_FILE);
    ia_q_text(&q, goal_hash);
    if (ia_q_row(&q)) {
        const char *file = ia_q_get_text(&q);
        fn(ctx, file, ia_q_get_text(&q));
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}
