/* inbox.c: messages to a run, and how far its transcript has taken them.
 *
 * A message is a row that stays; the run's inbox_cursor says how far its transcript has
 * taken them. Moving the cursor is part of the transaction that writes the user message, so
 * a message is taken once, whatever is killed. Rolling a run back sets the cursor to 0: its
 * next attempt reads them all again. */
#include "store/columns.h"
#include "store/impl.h"
#include "store/queue.h"

#include <string.h>

static bool may_say(struct ia_tx *tx, const char *run_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_INBOX_CHECK);
    ia_q_text(&q, run_id);
    bool found = ia_q_row(&q);
    enum ia_run_state state = IA_RUN_QUEUED;
    bool scheduled = false;
    int64_t pending = 0;
    if (found) {
        state = ia_run_state_from_name(ia_q_get_text(&q));
        scheduled = ia_run_kind_from_name(ia_q_get_text(&q)) == IA_RUN_SCHEDULED;
        pending = ia_q_get_int(&q);
    }
    if (!ia_tx_end_found(tx, &q, found, "run", run_id)) {
        return false;
    }
    if (ia_run_state_final(state)) {
        ia_tx_fail(tx, IA_E_STATE, "run %s has ended: %s", run_id, ia_run_state_name(state));
    } else if (scheduled) {
        ia_tx_fail(tx, IA_E_STATE, "run %s was started by a schedule, whose goal is fixed",
                   run_id);
    } else if (pending >= IA_SAY_PENDING_MAX) {
        ia_tx_fail(tx, IA_E_LIMIT, "run %s has %d unread messages; wait until it has read some",
                   run_id, IA_SAY_PENDING_MAX);
    }
    return !tx->failed;
}

void ia_tx_say(struct ia_tx *tx, const char *run_id, const char *sender, struct ia_str text)
{
    if (text.n == 0 || text.n > IA_SAY_BYTES_MAX) {
        ia_tx_fail(tx, text.n == 0 ? IA_E_USAGE : IA_E_LIMIT,
                   "a message must have 1 to %d bytes", IA_SAY_BYTES_MAX);
        return;
    }
    if (!may_say(tx, run_id)) {
        return;
    }
    int64_t id = 0;
    struct ia_q q = ia_tx_q(tx, IA_SQL_INBOX_ADD);
    ia_q_text(&q, run_id);
    ia_q_text(&q, sender);
    ia_q_str(&q, text);
    ia_q_iso(&q, tx->now_ms);
    if (ia_q_row(&q)) {
        id = ia_q_get_int(&q);
    }
    if (ia_tx_end(tx, &q)) {
        const struct ia_event_message_queued queued = {
            .id = id, .sender = ia_str(sender), .text = text};
        ia_tx_add_event(tx, run_id, IA_EVENT(&queued), NULL);
    }
}

static const struct ia_column columns[] = IA_READERS(IA_INBOX_COLUMNS, struct ia_inbox_row);

enum ia_rc ia_store_inbox(struct ia_store *s, const char *run_id, ia_inbox_fn *fn, void *ctx,
                          struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_INBOX_LIST);
    ia_q_text(&q, run_id);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_inbox_row row;
        ia_columns_read(columns, IA_COUNTOF(columns), &q, &row);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

void ia_tx_inbox_taken(struct ia_tx *tx, const char *run_id, int64_t inbox_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_INBOX_TAKEN);
    ia_q_text(&q, run_id);
    ia_q_int(&q, inbox_id);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "such message for run", run_id);
}
