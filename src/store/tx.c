/* tx.c: transactions: whose turn it is, and the one failure that a transaction keeps.
 *
 * begin ─► turn of the ticket ─► BEGIN or SAVEPOINT (batch.c) ─► writes … ─► commit or rollback
 *                                                                   │
 *                                            the first failure stays; the rest does nothing
 *
 * The ia_tx_… functions therefore need no checks between them: after a failure ia_tx_q gives
 * a statement that is not run, and commit undoes the part and returns the first error. What
 * ia_tx_commit returned IA_OK for is on the disk (durable.c); a kill before that leaves nothing of
 * it, or all. The turn spans begin to commit, on one thread: nothing slow belongs
 * in between. There is only one struct ia_tx, in the store, as only one can be open. */
#include "base/killpoint.h"
#include "store/columns.h"
#include "store/impl.h"

#include <stdarg.h>
#include <stdio.h>

enum { AT_ONCE_MS = 20 }; /* a commit of another process takes less */

/* With the turn in hand. */
static enum ia_rc begin_turn(struct ia_store *s, int64_t deadline_us, struct ia_tx **ret,
                             struct ia_err *err)
{
    s->writer.busy_deadline_us = deadline_us;
    enum ia_rc rc = ia_batch_begin(&s->batch, err);
    if (rc == IA_OK) {
        /* One time for the whole transaction, so that its rows and events agree with each
         * other. */
        s->tx = (struct ia_tx){.store = s, .db = &s->writer, .now_ms = ia_wall_ms(s->clock)};
        *ret = &s->tx;
    }
    return rc;
}

void ia_tx_set_time(struct ia_tx *tx, int64_t wall_ms)
{
    tx->now_ms = wall_ms;
}

enum ia_rc ia_tx_begin(struct ia_store *s, struct ia_tx **ret, struct ia_err *err)
{
    /* Counted from before the queue, so that a foreign lock makes each thread wait busy_ms once
     * and not once for every thread before it. */
    int64_t deadline_us = ia_mono_us(ia_clock_system()) + (int64_t)s->busy_ms * 1000;
    if (!ia_ticket_lock(&s->ticket)) {
        return ia_err_set(err, IA_E_INTERNAL,
                          "a transaction was begun on a thread that already has one open");
    }
    return begin_turn(s, deadline_us, ret, err);
}

enum ia_rc ia_tx_begin_at_once(struct ia_store *s, struct ia_tx **ret, struct ia_err *err)
{
    bool mine = ia_ticket_try(&s->ticket);
    if (mine && !ia_durable_has_room(&s->durable)) {
        ia_ticket_unlock(&s->ticket);
        mine = false;
    }
    if (!mine) {
        return ia_err_set(err, IA_E_DB_LOCKED, "another thread is writing");
    }
    /* Other threads are not waited for at all; another process for no longer than a commit
     * takes, since the ticket is held meanwhile. */
    int64_t deadline_us = ia_mono_us(ia_clock_system()) + (int64_t)AT_ONCE_MS * 1000;
    return begin_turn(s, deadline_us, ret, err);
}

static enum ia_rc commit(struct ia_tx *tx, uint64_t *ret_number, struct ia_err *err)
{
    struct ia_batch *batch = &tx->store->batch;
    /* Tests kill the process at these two points: before, nothing may be found; after,
     * everything. */
    IA_KILL_POINT("store.commit.before");
    enum ia_rc rc = IA_OK;
    if (tx->failed) {
        struct ia_err why = tx->err; /* the struct is the next thread's once the turn is gone */
        rc = why.code;
        ia_batch_undo(batch, &why);
        if (err) {
            *err = why;
        }
    } else {
        rc = ia_batch_keep(batch, ret_number, err);
    }
    IA_KILL_POINT("store.commit.after");
    return rc;
}

enum ia_rc ia_tx_commit(struct ia_tx *tx, struct ia_err *err)
{
    return commit(tx, NULL, err);
}

enum ia_rc ia_tx_commit_soon(struct ia_tx *tx, uint64_t *ret_number, struct ia_err *err)
{
    return commit(tx, ret_number, err);
}

void ia_store_sync_soon(struct ia_store *s, uint64_t number)
{
    ia_durable_soon(&s->durable, number);
}

enum ia_rc ia_store_await(struct ia_store *s, uint64_t number, struct ia_err *err)
{
    return ia_durable_await(&s->durable, number, err);
}

void ia_tx_rollback(struct ia_tx *tx)
{
    if (tx) {
        /* A copy for the same reason as in ia_tx_commit. */
        struct ia_err why = tx->err;
        ia_batch_undo(&tx->store->batch, tx->failed ? &why : NULL);
    }
}

bool ia_tx_failed(const struct ia_tx *tx)
{
    return tx->failed;
}

int64_t ia_tx_wall_ms(const struct ia_tx *tx)
{
    return tx->now_ms;
}

struct ia_q ia_tx_q(struct ia_tx *tx, enum ia_sql which)
{
    if (tx->failed) {
        return (struct ia_q){.db = tx->db, .rc = SQLITE_ABORT};
    }
    return ia_q(tx->db, which);
}

bool ia_tx_end(struct ia_tx *tx, struct ia_q *q)
{
    /* The statement has to be reset whatever happened, but a later failure must not hide the
     * first. */
    bool failed_before = tx->failed;
    if (failed_before) {
        q->rc = SQLITE_ABORT;
    }
    if (ia_q_end(q, failed_before ? NULL : &tx->err) != IA_OK) {
        tx->failed = true;
    }
    return !tx->failed;
}

bool ia_tx_end_found(struct ia_tx *tx, struct ia_q *q, bool found, const char *what,
                     const char *name)
{
    bool ok = ia_tx_end(tx, q);
    if (ok && !found) {
        ia_tx_fail(tx, IA_E_NOT_FOUND, "there is no %s %s", what, name);
    }
    return ok && found;
}

void ia_tx_fail(struct ia_tx *tx, enum ia_rc rc, const char *fmt, ...)
{
    if (tx->failed) {
        return;
    }
    /* Formatted apart, as an argument may point into tx->err itself. */
    char msg[sizeof(tx->err.msg)];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof(msg), fmt, ap);
    va_end(ap);
    tx->failed = true;
    (void)ia_err_set(&tx->err, rc, "%s", msg);
}

/* ---- columns that several tables have --------------------------------------------------- */

struct ia_usage_row ia_usage_read(struct ia_q *q)
{
    static const struct ia_column columns[] = IA_READERS(IA_USAGE_COLUMNS, struct ia_usage_row);
    struct ia_usage_row u;
    ia_columns_read(columns, IA_COUNTOF(columns), q, &u);
    return u;
}

void ia_usage_bind(struct ia_q *q, const struct ia_usage_row *usage)
{
    ia_q_int(q, usage->input);
    ia_q_int(q, usage->cache_read);
    ia_q_int(q, usage->cache_write);
    ia_q_int(q, usage->output);
    if (usage->cost_known) {
        ia_q_real(q, usage->cost_usd);
    } else {
        ia_q_null(q);
    }
}
