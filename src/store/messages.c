/* messages.c: the transcript and the journal of a run.
 *
 * transcript  messages by number, as they are sent to the model
 * journal     a call: intent (with the answer that asks for it) ─► done (with its result)
 *
 * An intent is committed before the call is made and a result after it, so an intent without
 * a result is a call of which nobody knows whether it was made (agent/run/resume.c). */
#include "store/columns.h"
#include "store/impl.h"

#include <string.h>

/* Content comes from models and devices, so its size is checked here as well. */
static bool fits(struct ia_tx *tx, const char *what, struct ia_str json)
{
    if (json.n > IA_CONTENT_BYTES_MAX) {
        ia_tx_fail(tx, IA_E_LIMIT, "%s of %zu bytes is larger than %d", what, json.n,
                   IA_CONTENT_BYTES_MAX);
    }
    return json.n <= IA_CONTENT_BYTES_MAX;
}

/* ---- transcript ------------------------------------------------------------------------ */

static bool next_message_seq(struct ia_tx *tx, const char *run_id, int64_t *ret)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_MESSAGE_NEXT);
    ia_q_text(&q, run_id);
    if (ia_q_row(&q)) {
        *ret = ia_q_get_int(&q);
    }
    return ia_tx_end(tx, &q);
}

void ia_tx_add_message(struct ia_tx *tx, const char *run_id,
                       const struct ia_message_row *message, int *ret_seq)
{
    int64_t seq = 0;
    if (!fits(tx, "a message", message->content) || !next_message_seq(tx, run_id, &seq)) {
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_MESSAGE_ADD);
    ia_q_text(&q, run_id);
    ia_q_int(&q, seq);
    ia_q_text(&q, message->role);
    ia_q_text(&q, message->purpose ? message->purpose : "act");
    ia_q_str(&q, message->content);
    ia_q_text(&q, message->stop_reason);
    ia_q_text(&q, message->model);
    ia_q_text(&q, message->request_id);
    ia_usage_bind(&q, &message->usage);
    ia_q_int(&q, message->ms);
    ia_q_iso(&q, tx->now_ms);
    if (ia_tx_end(tx, &q) && ret_seq) {
        *ret_seq = (int)seq;
    }
}

static const struct ia_column message_columns[] =
    IA_READERS(IA_MESSAGE_COLUMNS, struct ia_message_row);

enum ia_rc ia_store_messages(struct ia_store *s, const char *run_id, const char *purpose,
                             ia_message_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_MESSAGE_LIST);
    ia_q_text(&q, run_id);
    ia_q_text(&q, purpose);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_message_row row;
        ia_columns_read(message_columns, IA_COUNTOF(message_columns), &q, &row);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

/* ---- the journal ----------------------------------------------------------------------- */

void ia_tx_add_call(struct ia_tx *tx, const char *run_id, const struct ia_call_row *call)
{
    if (!fits(tx, "the input of a tool", call->input)) {
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_CALL_ADD);
    ia_q_text(&q, run_id);
    ia_q_int(&q, call->message_seq);
    ia_q_int(&q, call->step);
    ia_q_text(&q, call->tool_use_id);
    ia_q_text(&q, call->name);
    ia_q_str(&q, call->input);
    ia_q_int(&q, call->has_effect);
    ia_q_iso(&q, tx->now_ms);
    bool added = ia_q_changed(&q);
    if (ia_tx_end(tx, &q) && !added) {
        ia_tx_fail(tx, IA_E_EXISTS, "run %s already has a tool call %.100s", run_id,
                   call->tool_use_id);
    }
}

static bool has_intent(struct ia_tx *tx, const char *run_id, const char *tool_use_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_CALL_STATE);
    ia_q_text(&q, run_id);
    ia_q_text(&q, tool_use_id);
    bool found = ia_q_row(&q);
    bool done = found && ia_call_state_from_name(ia_q_get_text(&q)) == IA_CALL_DONE;
    bool ok = ia_tx_end_found(tx, &q, found, "tool call", tool_use_id);
    if (ok && done) {
        ia_tx_fail(tx, IA_E_STATE, "the tool call %.100s already has a result", tool_use_id);
    }
    return ok && !done;
}

void ia_tx_set_begun(struct ia_tx *tx, const char *run_id, const char *tool_use_id, bool begun)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_CALL_BEGUN);
    ia_q_text(&q, run_id);
    ia_q_text(&q, tool_use_id);
    ia_q_int(&q, begun);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_set_result(struct ia_tx *tx, const char *run_id, const struct ia_call_row *call)
{
    /* A result is written once: a second one would rewrite what the model was told. */
    if (!fits(tx, "the result of a tool", call->result) ||
        !fits(tx, "the screen after a tool", call->screen) ||
        !fits(tx, "what a tool was done to", call->recorded) ||
        !has_intent(tx, run_id, call->tool_use_id)) {
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_CALL_RESULT);
    ia_q_text(&q, run_id);
    ia_q_text(&q, call->tool_use_id);
    ia_q_str(&q, call->result);
    ia_q_int(&q, call->is_error);
    ia_q_text(&q, call->code);
    ia_q_text(&q, call->outcome ? call->outcome : "");
    ia_q_int(&q, call->ms);
    ia_q_iso(&q, tx->now_ms);
    ia_q_str(&q, call->screen);
    ia_q_str(&q, call->recorded);
    (void)ia_tx_end(tx, &q);
}

static const struct ia_column call_columns[] = IA_READERS(IA_CALL_COLUMNS, struct ia_call_row);

enum ia_rc ia_store_calls(struct ia_store *s, const char *run_id, ia_call_fn *fn, void *ctx,
                          struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_CALL_LIST);
    ia_q_text(&q, run_id);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_call_row row;
        ia_columns_read(call_columns, IA_COUNTOF(call_columns), &q, &row);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

enum ia_rc ia_store_call_screen(struct ia_store *s, const char *run_id, struct ia_buf *ret,
                                struct ia_err *err)
{
    const char *values[] = {run_id, NULL};
    return ia_store_one_text(s, IA_SQL_CALL_SCREEN, values, ret, err);
}
