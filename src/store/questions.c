/* questions.c: questions to people, and their answers. questions.h has the picture. */
#include "store/questions.h"

#include "base/killpoint.h"
#include "base/rand.h"
#include "store/columns.h"
#include "store/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPIRED_MAX = 100 };

static const struct ia_column columns[] =
    IA_READERS(IA_QUESTION_COLUMNS, struct ia_question_row);

/* ---- writing ---------------------------------------------------------------------------- */

void ia_tx_ask(struct ia_tx *tx, const struct ia_question_row *row, char ret_id[IA_ID_SIZE])
{
    char id[IA_ID_SIZE];
    ia_id_new(tx->store->clock, tx->store->rand, id);
    struct ia_q q = ia_tx_q(tx, IA_SQL_QUESTION_PUT);
    ia_q_text(&q, id);
    ia_q_text(&q, row->run_id);
    ia_q_text(&q, row->tool_use_id);
    ia_q_text(&q, row->rule);
    ia_q_text(&q, row->text);
    ia_q_text(&q, row->detail);
    ia_q_iso(&q, tx->now_ms);
    ia_q_iso(&q, row->expires_ms);
    if (ia_tx_end(tx, &q)) {
        memcpy(ret_id, id, sizeof(id));
    }
}

void ia_tx_use_question(struct ia_tx *tx, const char *id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_QUESTION_USE);
    ia_q_text(&q, id);
    bool used = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && !used) {
        ia_tx_fail(tx, IA_E_STATE, "question %s is not approved", id);
    }
}

/* Why a question takes no answer. */
static void refuse(struct ia_tx *tx, const char *id)
{
    struct ia_question_row row = {.id = NULL};
    struct ia_q q = ia_tx_q(tx, IA_SQL_QUESTION_GET);
    ia_q_text(&q, id);
    bool found = ia_q_row(&q);
    if (found) {
        ia_columns_read(columns, IA_COUNTOF(columns), &q, &row);
        ia_tx_fail(tx, IA_E_STATE, "question %s is not open: %s", id,
                   ia_question_state_name(row.state));
    }
    (void)ia_tx_end_found(tx, &q, found, "question", id);
}

static void answer(struct ia_tx *tx, const char *id, bool approve, const char *by,
                   const char *note)
{
    char run_id[IA_ID_SIZE] = {0};
    const char *word =
        ia_question_state_name(approve ? IA_QUESTION_APPROVED : IA_QUESTION_DENIED);
    struct ia_q q = ia_tx_q(tx, IA_SQL_QUESTION_ANSWER);
    ia_q_text(&q, id);
    ia_q_text(&q, word);
    ia_q_iso(&q, tx->now_ms);
    ia_q_text(&q, by);
    ia_q_text(&q, note);
    if (ia_q_row(&q)) {
        (void)snprintf(run_id, sizeof(run_id), "%s", ia_q_get_text(&q));
    }
    if (!ia_tx_end(tx, &q)) {
        return;
    }
    if (!run_id[0]) {
        refuse(tx, id);
        return;
    }
    const struct ia_event_run_answered answered = {
        .question = ia_str(id), .answer = ia_str(word), .by = ia_str(by), .note = ia_str(note)};
    const struct ia_run_moved moved = {.event = IA_EVENT(&answered)};
    ia_run_move(tx, run_id, IA_RUN_QUEUED, &moved, NULL);
}

static enum ia_rc commit_answer(struct ia_store *s, const char *id, bool approve,
                                const char *by, const char *note, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    answer(tx, id, approve, by, note);
    IA_KILL_POINT("policy.answer.before");
    rc = ia_tx_commit(tx, err);
    IA_KILL_POINT("policy.answer.after");
    return rc;
}

/* ---- expiring --------------------------------------------------------------------------- */

/* Their ids, as an array of IA_ID_SIZE bytes each. */
static enum ia_rc expired(struct ia_store *s, struct ia_buf *ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_QUESTION_EXPIRED);
    ia_q_iso(&q, ia_wall_ms(s->clock));
    while (ia_q_row(&q)) {
        char id[IA_ID_SIZE] = {0};
        (void)snprintf(id, sizeof(id), "%s", ia_q_get_text(&q));
        ia_buf_put(ret, id, sizeof(id));
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_expire_questions(struct ia_store *s, struct ia_err *err)
{
    struct ia_buf ids = IA_BUF(EXPIRED_MAX * IA_ID_SIZE);
    enum ia_rc rc = expired(s, &ids, err);
    for (size_t at = 0; rc == IA_OK && at + IA_ID_SIZE <= ids.len; at += IA_ID_SIZE) {
        rc = commit_answer(s, ids.p + at, false, IA_QUESTION_BY_TIMEOUT,
                           "Nobody answered in time.", err);
        /* Somebody was faster. */
        rc = rc == IA_E_STATE ? IA_OK : rc;
    }
    ia_buf_fini(&ids);
    return rc;
}

enum ia_rc ia_store_answer(struct ia_store *s, const char *id, bool approve, const char *by,
                           const char *note, struct ia_err *err)
{
    if (note && strlen(note) > IA_QUESTION_NOTE_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "a note has at most %d bytes", IA_QUESTION_NOTE_MAX);
    }
    /* What is too old is denied, whoever comes first. */
    enum ia_rc rc = ia_store_expire_questions(s, err);
    return rc == IA_OK ? commit_answer(s, id, approve, by, note, err) : rc;
}

/* ---- reading ---------------------------------------------------------------------------- */

static enum ia_rc each(struct ia_q *q, ia_question_fn *fn, void *ctx, struct ia_err *err)
{
    bool more = true;
    while (more && ia_q_row(q)) {
        struct ia_question_row row;
        ia_columns_read(columns, IA_COUNTOF(columns), q, &row);
        more = fn(ctx, &row);
    }
    return ia_q_end(q, err);
}

static bool keep(void *ctx, const struct ia_question_row *row)
{
    struct ia_question_row **ret = ctx;
    *ret = ia_columns_copy(columns, IA_COUNTOF(columns), row, sizeof(*row));
    return false;
}

static enum ia_rc one(struct ia_db *db, enum ia_sql which, const char *id,
                      struct ia_question_row **ret, struct ia_err *err)
{
    struct ia_q q = ia_q(db, which);
    ia_q_text(&q, id);
    *ret = NULL;
    return each(&q, keep, ret, err);
}

enum ia_rc ia_store_question(struct ia_store *s, const char *text, struct ia_question_row **ret,
                             struct ia_err *err)
{
    struct ia_db *db = NULL;
    char id[IA_ID_SIZE] = {0};
    struct ia_question_row *row = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_match_id(db, IA_SQL_QUESTION_MATCH, "question", text, id, err);
    if (rc == IA_OK) {
        rc = one(db, IA_SQL_QUESTION_GET, id, &row, err);
    }
    ia_store_done(s, db);
    if (rc == IA_OK && !row) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no question %.60s", text);
    }
    if (rc == IA_OK) {
        *ret = row;
    }
    return rc;
}

enum ia_rc ia_store_question_of(struct ia_store *s, const char *run_id,
                                struct ia_question_row **ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        rc = one(db, IA_SQL_QUESTION_OF_RUN, run_id, ret, err);
        ia_store_done(s, db);
    }
    return rc;
}

enum ia_rc ia_store_questions(struct ia_store *s, bool all, const char *run_id,
                              ia_question_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        struct ia_q q = ia_q(db, IA_SQL_QUESTION_LIST);
        ia_q_int(&q, all);
        ia_q_text(&q, run_id);
        rc = each(&q, fn, ctx, err);
        ia_store_done(s, db);
    }
    return rc;
}
