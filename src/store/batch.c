/* batch.c: one COMMIT for several threads' transactions. batch.h has the picture. A waiting thread
 * sleeps on a condition of its own, so that the COMMIT wakes exactly those it was for.
 *
 * Everything in struct ia_batch is guarded by the turn (ticket.h): who has it is the only
 * thread that touches the batch or the write connection. Whoever holds the turn either
 * passes it on with parts left uncommitted, and then sleeps, or commits for everybody. So a
 * part that waits is always followed by a thread that is in the line, and every way out of
 * such a thread's turn (keep, undo, a failed begin) must either pass it on again or commit:
 * that is what goes_on decides in each of them. */
#include "store/batch.h"

#include "base/clock.h"

#include <sched.h>

/* Lives on the stack of the thread that waits. Each has a mutex of its own: with a common one
 * those that wake up at once would queue for it one after the other. */
struct ia_batch_wait {
    pthread_mutex_t mutex;
    pthread_cond_t over;
    bool is_over, soon;
    uint64_t number; /* of the commit, for durable.h */
    enum ia_rc rc;
    struct ia_err err;
    struct ia_batch_wait *next;
};

void ia_batch_init(struct ia_batch *b, struct ia_db *db, struct ia_ticket *turn,
                   struct ia_durable *durable)
{
    *b = (struct ia_batch){.db = db, .turn = turn, .durable = durable};
}

static enum ia_rc run(struct ia_batch *b, enum ia_sql which, struct ia_err *err)
{
    struct ia_q q = ia_q(b->db, which);
    return ia_q_end(&q, err);
}

/* False after SQLite rolled back by itself, as it does on some failures. */
static bool in_transaction(const struct ia_batch *b)
{
    return !sqlite3_get_autocommit(b->db->conn);
}

/* Unless SQLite did. What was read anew by it was nobody else's. */
static void roll_back(struct ia_batch *b)
{
    if (in_transaction(b)) {
        (void)run(b, IA_SQL_ROLLBACK, NULL);
        ia_db_wrote(b->db);
    }
}

/* ---- the end of a batch ------------------------------------------------------------------ */

/* Says that a failure was not the part's own. */
static void share_failure(const struct ia_batch *b, struct ia_err *err)
{
    if (err && b->parts > 1) {
        (void)ia_err_wrap(err, err->code,
                          "a commit shared by %d transactions failed; none of them took effect",
                          b->parts);
        err->retry_safe = true;
    }
}

/* How a batch ended. */
struct ended {
    struct ia_batch_wait *waiting;
    enum ia_rc rc;
    uint64_t number;
};

/* Gives up the turn after the end of a batch: before anybody is woken, so that the next batch need not wait for
 * so many calls of the system. */
static struct ended end_turn(struct ia_batch *b, enum ia_rc rc, uint64_t number)
{
    struct ended end = {b->first, rc, number};
    b->first = NULL;
    b->parts = 0;
    ia_ticket_unlock(b->turn);
    return end;
}

/* Wakes those whose parts waited with what became of them; only those that go on `soon` where that
 * is said. Each is gone once its mutex is free. */
static void wake(struct ended *end, bool soon, const struct ia_err *err)
{
    for (struct ia_batch_wait **at = &end->waiting, *w = *at; w; w = *at) {
        if (soon && !w->soon) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        pthread_mutex_lock(&w->mutex);
        w->rc = end->rc;
        w->number = end->number;
        if (end->rc != IA_OK) {
            w->err = *err;
        }
        w->is_over = true;
        pthread_cond_signal(&w->over);
        pthread_mutex_unlock(&w->mutex);
    }
}

/* What each part does after the commit. */
static enum ia_rc settle(struct ia_batch *b, uint64_t number, uint64_t *ret_number,
                         struct ia_err *err)
{
    if (!ret_number) {
        return ia_durable_await(b->durable, number, err);
    }
    *ret_number = number;
    return IA_OK;
}

/* Commits for all and gives up the turn. */
static enum ia_rc commit_all(struct ia_batch *b, uint64_t *ret_number, struct ia_err *err)
{
    enum ia_rc rc = run(b, IA_SQL_COMMIT, err);
    uint64_t number = 0;
    if (rc != IA_OK) {
        share_failure(b, err);
        /* A failed COMMIT leaves the transaction open when it was, for example, busy. */
        roll_back(b);
    } else {
        ia_db_wrote(b->db);
        if (b->db->copy_rc != 0) {
            ia_durable_failed(b->durable, b->db->copy_rc, b->db->copy_errno);
        }
        number = ia_durable_written(b->durable, ia_db_log(b->db));
        rc = ia_db_check_files(b->db, err);
    }
    struct ended end = end_turn(b, rc, number);
    wake(&end, true, err);
    /* The others, who would wait for the disk as well, sleep on until it is over. */
    rc = rc == IA_OK ? settle(b, number, ret_number, err) : rc;
    wake(&end, false, err);
    return rc;
}

/* The same where there is nothing left to commit. */
static void fail_all(struct ia_batch *b, const struct ia_err *why)
{
    struct ia_err err = {.retry_after_ms = -1};
    if (why) {
        err = *why;
    } else {
        (void)ia_err_set(&err, IA_E_DB, "%s: SQLite gave up the transaction", b->db->path);
    }
    b->parts++; /* the one that failed */
    share_failure(b, &err);
    roll_back(b);
    struct ended end = end_turn(b, err.code, 0);
    wake(&end, false, &err);
}

/* True when the next thread in line shall add its part. */
static bool goes_on(const struct ia_batch *b)
{
    /* Bounded in number and in time, so that the first of a batch does not wait for an
     * endless line behind it. */
    return b->parts < IA_BATCH_MAX && ia_ticket_wanted(b->turn) &&
           ia_mono_us(ia_clock_system()) < b->until_us;
}

/* ---- parts ------------------------------------------------------------------------------- */

/* Only the first part opens the transaction and may have to wait for the disk, or for another
 * process; later ones are savepoints in it. */
static enum ia_rc begin_batch(struct ia_batch *b, struct ia_err *err)
{
    enum ia_rc rc = ia_durable_room(b->durable, err);
    if (rc == IA_OK) {
        rc = run(b, IA_SQL_BEGIN, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    /* Under the write lock that BEGIN just took: the file of the WAL may be grown by its
     * writer only. */
    ia_db_room_ahead(b->db);
    b->until_us = ia_mono_us(ia_clock_system()) + IA_BATCH_US;
    if (ia_db_foreign(b->db)) {
        rc = ia_durable_all(b->durable, ia_db_log(b->db), err);
    }
    if (rc != IA_OK) {
        roll_back(b);
    }
    return rc;
}

enum ia_rc ia_batch_begin(struct ia_batch *b, struct ia_err *err)
{
    bool alone = b->parts == 0;
    enum ia_rc rc = alone ? begin_batch(b, err) : run(b, IA_SQL_PART_BEGIN, err);
    if (rc != IA_OK) {
        struct ia_err unused;
        /* This part never was, but the ones before it wait for someone to commit, and this
         * thread was the one they counted on. */
        if (!alone && !goes_on(b)) {
            (void)commit_all(b, NULL, &unused);
        } else {
            ia_ticket_unlock(b->turn);
        }
    }
    return rc;
}

/* Gives up the turn and waits for the one who does the COMMIT. */
static enum ia_rc wait_for_commit(struct ia_batch *b, uint64_t *ret_number, struct ia_err *err)
{
    struct ia_batch_wait self = {.next = b->first, .soon = ret_number != NULL};
    pthread_mutex_init(&self.mutex, NULL);
    pthread_cond_init(&self.over, NULL);
    b->first = &self;
    /* From here another thread may commit and mark this one as over, even before the lock
     * below. */
    ia_ticket_unlock(b->turn);
    pthread_mutex_lock(&self.mutex);
    while (!self.is_over) {
        pthread_cond_wait(&self.over, &self.mutex);
    }
    /* tell_all has let go of the mutex when this thread could take it, so `self` may go. */
    pthread_mutex_unlock(&self.mutex);
    pthread_cond_destroy(&self.over);
    pthread_mutex_destroy(&self.mutex);
    if (self.rc != IA_OK && err) {
        *err = self.err;
    }
    return self.rc == IA_OK ? settle(b, self.number, ret_number, err) : self.rc;
}

enum ia_rc ia_batch_keep(struct ia_batch *b, uint64_t *ret_number, struct ia_err *err)
{
    struct ia_err why;
    /* The first part has no savepoint to release. `why` is a local as `err` may be NULL and
     * the reason is needed for those who wait. */
    if (b->parts > 0 && run(b, IA_SQL_PART_KEEP, &why) != IA_OK) {
        ia_batch_undo(b, &why);
        if (err) {
            *err = why;
        }
        return why.code;
    }
    b->parts++;
    if (goes_on(b)) {
        return wait_for_commit(b, ret_number, err);
    }
    bool shared = b->parts > 1;
    enum ia_rc rc = commit_all(b, ret_number, &why);
    if (shared) {
        (void)sched_yield(); /* those just woken would ask for a turn as this thread may */
    }
    if (rc != IA_OK && err) {
        *err = why;
    }
    return rc;
}

void ia_batch_undo(struct ia_batch *b, const struct ia_err *why)
{
    struct ia_err unused;
    /* Alone: nobody else's work is in the transaction. */
    if (b->parts == 0) {
        roll_back(b);
    } else if (!in_transaction(b) || run(b, IA_SQL_PART_UNDO, NULL) != IA_OK ||
               run(b, IA_SQL_PART_KEEP, NULL) != IA_OK) {
        /* SQLite rolled back all of it (a full disk, for example) or cannot take this part
         * out: then what the others wrote is gone too, and they are told to try again. */
        fail_all(b, why);
        return;
    } else if (!goes_on(b)) {
        (void)commit_all(b, NULL, &unused);
        return;
    }
    ia_ticket_unlock(b->turn);
}
