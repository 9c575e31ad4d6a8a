/* leases.c: who drives a device. The file lock decides, the row explains.
 *
 * take     file lock ─► row          a lock without a row: being taken, or killed in between
 * release  row ─► file lock
 * kill     the system drops the lock; the row is a leftover that the next take replaces and
 *          ia_store_recover deletes
 *
 * The row tells people who holds the device and since when; that its owner is alive is
 * checked by pid and start token, not believed from expires_ms alone. */
#include "base/fd.h"
#include "store/columns.h"
#include "store/impl.h"
#include "store/lanelock.h"
#include "store/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 200, MS_PER_S = 1000, COMMAND_US = 3000000, COMMAND_POLL_US = 10000 };

struct ia_lease {
    struct ia_store *store;
    char *lane;
    int64_t since_ms; /* with the owner it tells this lease from any later one */
    bool has_row;     /* as far as is known */
    int fd;
};

static const struct ia_column columns[] = IA_READERS(IA_LEASE_COLUMNS, struct ia_lease_row);

static struct ia_lease_row read_lease(struct ia_q *q)
{
    struct ia_lease_row r;
    ia_columns_read(columns, IA_COUNTOF(columns), q, &r);
    r.owner_alive = ia_process_alive(r.owner_pid, ia_q_get_text(q));
    return r;
}

/* ---- refusing -------------------------------------------------------------------------- */

/* IA_E_BUSY with the text that people see. row NULL: between the holder's file lock and its
 * row. */
static enum ia_rc refuse(const struct ia_store *s, const char *lane,
                         const struct ia_lease_row *row, struct ia_err *err)
{
    if (!row) {
        return ia_err_set(err, IA_E_BUSY, "%s is busy: another process is taking it right now",
                          lane);
    }
    long long seconds = (ia_wall_ms(s->clock) - row->since_ms) / MS_PER_S;
    enum ia_rc rc =
        ia_err_set(err, IA_E_BUSY, "%s is busy: held by %s%s%s%s, pid %lld%s for %lld s", lane,
                   row->run_id ? "run " : "", row->run_id ? row->run_id : "",
                   row->run_id ? " (" : "", row->owner_command, (long long)row->owner_pid,
                   row->run_id ? ")" : "", seconds > 0 ? seconds : 0);
    if (row->run_id) {
        ia_err_hint(err,
                    "wait for it, end it with `ios-agent cancel %s`, or use another device",
                    row->run_id);
    } else {
        ia_err_hint(err, "wait for it, or use another device");
    }
    return rc;
}

static enum ia_rc refuse_by_lock(struct ia_store *s, const char *lane,
                                 const struct ia_lane_note *holder, struct ia_err *err)
{
    if (holder->kind == IA_LANE_COMMAND) {
        return ia_lane_busy(lane, holder, err);
    }
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_LEASE_GET);
    ia_q_text(&q, lane);
    bool found = ia_q_row(&q);
    struct ia_lease_row row = found ? read_lease(&q) : (struct ia_lease_row){0};
    enum ia_rc refused = refuse(s, lane, found ? &row : NULL, err);
    rc = ia_q_end(&q, NULL);
    ia_store_done(s, db);
    return rc == IA_OK ? refused : rc;
}

/* ---- taking ---------------------------------------------------------------------------- */

/* With the file lock in hand a row can only be a leftover, unless somebody removed the lock
 * files under a process that still drives: so a live owner's lease counts until it expires. */
static void refuse_held(struct ia_tx *tx, const char *lane)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_LEASE_GET);
    ia_q_text(&q, lane);
    if (ia_q_row(&q)) {
        struct ia_lease_row row = read_lease(&q);
        if (row.owner_alive && row.expires_ms > tx->now_ms) {
            (void)refuse(tx->store, lane, &row, &tx->err);
            tx->failed = true;
        }
    }
    (void)ia_tx_end(tx, &q);
}

void ia_tx_put_lease(struct ia_tx *tx, struct ia_lease *lease, const char *run_id,
                     int64_t ttl_ms)
{
    /* Replaces a leftover: refuse_held has looked in this very transaction. */
    const struct ia_owner *self = &tx->store->self;
    refuse_held(tx, lease->lane);
    struct ia_q q = ia_tx_q(tx, IA_SQL_LEASE_PUT);
    ia_q_text(&q, lease->lane);
    ia_q_text(&q, run_id);
    ia_q_int(&q, self->pid);
    ia_q_text(&q, self->token);
    ia_q_text(&q, self->command);
    ia_q_iso(&q, tx->now_ms);
    ia_q_iso(&q, tx->now_ms + ttl_ms);
    lease->has_row = ia_tx_end(tx, &q);
    lease->since_ms = tx->now_ms;
}

/* A command that holds the device is over in a moment: worth waiting for. */
static enum ia_rc take_lock(struct ia_store *s, const char *lane, const char *run_id,
                            int *ret_fd, struct ia_lane_note *ret_holder, struct ia_err *err)
{
    char who[IA_LANE_HOLDER_MAX];
    int64_t until = ia_mono_us(s->clock) + COMMAND_US;
    (void)snprintf(who, sizeof(who), "%s%s (%s, pid %lld)", run_id ? "run " : "",
                   run_id ? run_id : "a lease", s->self.command, (long long)s->self.pid);
    for (;;) {
        enum ia_rc rc =
            ia_lanelock_take(s->home, lane, IA_LANE_RUN, who, ret_fd, ret_holder, err);
        int64_t now = ia_mono_us(s->clock);
        if (rc != IA_E_BUSY || ret_holder->kind != IA_LANE_COMMAND || now >= until) {
            return rc;
        }
        (void)ia_clock_wait(s->clock, NULL, now + COMMAND_POLL_US);
    }
}

enum ia_rc ia_lease_lock(struct ia_store *s, const char *lane, const char *run_id,
                         struct ia_lease **ret, struct ia_err *err)
{
    int fd = -1;
    struct ia_lane_note holder;
    enum ia_rc rc = take_lock(s, lane, run_id, &fd, &holder, err);
    if (rc == IA_E_BUSY) {
        return refuse_by_lock(s, lane, &holder, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_lease *lease = ia_alloc(sizeof(*lease));
    *lease = (struct ia_lease){.store = s, .lane = ia_strdup(lane), .fd = fd};
    *ret = lease;
    return IA_OK;
}

enum ia_rc ia_lease_take(struct ia_store *s, const char *lane, const char *run_id,
                         int64_t ttl_ms, struct ia_lease **ret, struct ia_err *err)
{
    struct ia_lease *lease = NULL;
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_lease_lock(s, lane, run_id, &lease, err);
    if (!lease) {
        return rc;
    }
    rc = ia_tx_begin(s, &tx, err);
    if (rc == IA_OK) {
        ia_tx_put_lease(tx, lease, run_id, ttl_ms);
        rc = ia_tx_commit(tx, err);
    }
    /* No file lock without a row: nobody could say who holds it. */
    if (rc != IA_OK) {
        ia_lease_dropped(lease);
        ia_lease_release(lease);
        return rc;
    }
    *ret = lease;
    return IA_OK;
}

/* ---- keeping and giving back ------------------------------------------------------------ */

static struct ia_q own_row(struct ia_tx *tx, enum ia_sql which, const struct ia_lease *lease)
{
    struct ia_q q = ia_tx_q(tx, which);
    ia_q_text(&q, lease->lane);
    ia_q_int(&q, lease->store->self.pid);
    ia_q_text(&q, lease->store->self.token);
    ia_q_iso(&q, lease->since_ms);
    return q;
}

enum ia_rc ia_lease_renew(struct ia_lease *lease, int64_t ttl_ms, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(lease->store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = own_row(tx, IA_SQL_LEASE_RENEW, lease);
    ia_q_iso(&q, tx->now_ms + ttl_ms);
    /* No such row: it expired, and another process replaced it. */
    bool mine = ia_q_row(&q);
    if (ia_tx_end(tx, &q) && !mine) {
        ia_tx_fail(tx, IA_E_STATE, "%s was taken over by another process", lease->lane);
    }
    return ia_tx_commit(tx, err);
}

/* The row goes first: without the file lock it would still be ours for an instant, without the
 * row a newcomer reads "is taking it right now". A row that cannot be removed expires. */
void ia_tx_drop_lease(struct ia_tx *tx, const struct ia_lease *lease)
{
    struct ia_q q = own_row(tx, IA_SQL_LEASE_REMOVE, lease);
    (void)ia_tx_end(tx, &q);
}

void ia_lease_dropped(struct ia_lease *lease)
{
    if (lease) {
        lease->has_row = false;
    }
}

void ia_lease_release(struct ia_lease *lease)
{
    if (!lease) {
        return;
    }
    struct ia_tx *tx = NULL;
    if (lease->has_row && ia_tx_begin(lease->store, &tx, NULL) == IA_OK) {
        ia_tx_drop_lease(tx, lease);
        /* Ignored on purpose, see above. */
        enum ia_rc rc = ia_tx_commit(tx, NULL);
        (void)rc;
    }
    close(lease->fd);
    free(lease->lane);
    free(lease);
}

void ia_tx_put_back_run(struct ia_tx *tx, const char *run_id)
{
    const struct ia_event_run_interrupted interrupted = {.owner_pid = 0};
    const struct ia_run_moved back = {.event = IA_EVENT(&interrupted)};
    ia_run_move(tx, run_id, IA_RUN_QUEUED, &back, NULL);
    /* The lease goes in the same transaction: a run that is queued again must not look as if
     * it held its device. */
    struct ia_q q = ia_tx_q(tx, IA_SQL_LEASE_OF_RUN);
    ia_q_text(&q, run_id);
    ia_q_int(&q, tx->store->self.pid);
    ia_q_text(&q, tx->store->self.token);
    (void)ia_tx_end(tx, &q);
}

enum ia_rc ia_store_leases(struct ia_store *s, ia_lease_fn *fn, void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_LEASE_LIST);
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_lease_row row = read_lease(&q);
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}
