/* recover.c: runs and leases of processes that died are given back: the runs to the queue, or
 * cancelled where that was asked, the leases deleted.
 *
 * Every process that serves a queue calls this at each poll, so any process that lives
 * cleans up after one that died. Two passes: a read that costs no writer anything, and, only
 * if it found somebody dead, the same question again inside a transaction, because another
 * process may have given the run back in between. A process counts as dead when its pid is
 * gone or belongs to a process with another start token. */
#include "store/impl.h"
#include "store/questions.h"
#include "store/queue.h"

#include <string.h>

/* A run or a lease that a process holds which may be dead. Runs on lanes: there are few. */
struct held {
    char name[IA_LANE_MAX + 1]; /* run id or lane */
    char token[IA_PROCESS_TOKEN_SIZE];
    int64_t pid;
    bool lease;
    bool cancel; /* somebody asked to cancel the run */
};

enum { HELD_BYTES_MAX = 16 << 20 };

static void copy_text(char *dst, size_t size, struct ia_str text)
{
    size_t n = text.n < size ? text.n : size - 1;
    if (n > 0) {
        memcpy(dst, text.p, n);
    }
    dst[n] = '\0';
}

/* Both statements give name, owner_pid, owner_token and whether a cancel was asked for. */
static enum ia_rc collect(const struct ia_store *s, struct ia_db *db, struct ia_buf *dead,
                          struct ia_err *err)
{
    static const enum ia_sql lists[] = {IA_SQL_HELD_LIST, IA_SQL_LEASE_HELD};
    for (size_t i = 0; i < IA_COUNTOF(lists); i++) {
        struct ia_q q = ia_q(db, lists[i]);
        while (ia_q_row(&q)) {
            struct held h = {.lease = lists[i] == IA_SQL_LEASE_HELD};
            copy_text(h.name, sizeof(h.name), ia_q_get_str(&q));
            h.pid = ia_q_get_int(&q);
            copy_text(h.token, sizeof(h.token), ia_q_get_str(&q));
            h.cancel = ia_q_get_int(&q) != 0;
            /* Collected rather than changed at once: a statement that is being read must not
             * see its own rows move. */
            if (!ia_owner_is_self(s, h.pid, h.token) && !ia_process_alive(h.pid, h.token)) {
                ia_buf_put(dead, (const char *)&h, sizeof(h));
            }
        }
        enum ia_rc rc = ia_q_end(&q, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    return ia_buf_check(dead, "the list of what dead processes held", err);
}

/* Reads outside a transaction first: usually nobody died, and then no writer has to wait. */
static enum ia_rc anybody_dead(struct ia_store *s, bool *ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf dead = IA_BUF(HELD_BYTES_MAX);
    rc = collect(s, db, &dead, err);
    ia_store_done(s, db);
    *ret = ia_buf_str(&dead).n > 0;
    ia_buf_fini(&dead);
    return rc;
}

static void forget_lease(struct ia_tx *tx, const struct held *h)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_LEASE_FORGET);
    ia_q_text(&q, h->name);
    ia_q_int(&q, h->pid);
    ia_q_text(&q, h->token);
    (void)ia_tx_end(tx, &q);
}

static int give_back(struct ia_tx *tx, const struct ia_buf *dead)
{
    int runs = 0;
    struct ia_str list = ia_buf_str(dead);
    for (size_t at = 0; at < list.n; at += sizeof(struct held)) {
        /* Copied out: the bytes of the buffer have no alignment. */
        struct held h;
        memcpy(&h, list.p + at, sizeof(h));
        if (h.lease) {
            forget_lease(tx, &h);
        } else {
            ia_run_give_back(tx, h.name, h.pid, h.cancel);
            runs++;
        }
    }
    return runs;
}

enum ia_rc ia_store_recover(struct ia_store *s, int *ret_count, struct ia_err *err)
{
    bool any = false;
    enum ia_rc rc = ia_store_expire_questions(s, err);
    if (rc == IA_OK) {
        rc = anybody_dead(s, &any, err);
    }
    struct ia_tx *tx = NULL;
    if (rc == IA_OK && any) {
        rc = ia_tx_begin(s, &tx, err);
    }
    int runs = 0;
    if (rc == IA_OK && any) {
        struct ia_buf dead = IA_BUF(HELD_BYTES_MAX);
        /* Through the transaction's own connection: it must see what the write lock now
         * protects. */
        rc = collect(s, tx->db, &dead, err);
        runs = rc == IA_OK ? give_back(tx, &dead) : 0;
        ia_buf_fini(&dead);
        if (rc != IA_OK) {
            ia_tx_rollback(tx);
        } else {
            rc = ia_tx_commit(tx, err);
        }
    }
    if (rc == IA_OK && ret_count) {
        *ret_count = runs;
    }
    return rc;
}
