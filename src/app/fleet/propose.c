/* propose.c: sends the result of a run to the submitter. The row stays "held" until the server has stored the proposal, so
 * a process that was killed proposes it again. The same text has the same message id. */
#include "app/fleet/work_impl.h"
#include "app/run_bundle.h"
#include "base/clock.h"
#include "base/killpoint.h"
#include "base/log.h"
#include "store/blob.h"
#include "store/fleet_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN_US = 500000, WAITING_MAX = 16 };

/* The submitter fetches a bundle that is too large for a message. */
static enum ia_rc write_proposal(struct ia_fleet_work *w, const char *run_id,
                                 const struct ia_fleet_order *order, int attempt,
                                 struct ia_buf *out, struct ia_err *err)
{
    struct ia_buf bundle = IA_BUF(IA_BUNDLE_BYTES_MAX);
    struct ia_fleet_proposal p = {.attempt = attempt};
    enum ia_rc rc = ia_run_bundle_write(w->opts.setup->store, run_id, &bundle, err);
    memcpy(p.batch, order->batch, sizeof(p.batch));
    memcpy(p.run, order->run, sizeof(p.run));
    (void)snprintf(p.worker, sizeof(p.worker), "%s", w->opts.name);
    (void)snprintf(p.url, sizeof(p.url), "%s", ia_fleet_blobs_url(w->blobs));
    ia_sha256_hex(ia_buf_cstr(&bundle), bundle.len, p.sha256);
    p.bundle = ia_buf_str(&bundle);
    if (rc == IA_OK && bundle.len > IA_FLEET_INLINE_MAX) {
        rc = ia_blob_put(w->opts.setup->store, bundle.p, bundle.len, p.sha256, err);
        p.bundle.n = 0;
    }
    if (rc == IA_OK) {
        ia_fleet_proposal_write(&p, &order->key, out);
        rc = ia_buf_check(out, "the proposal of a run", err);
    }
    ia_buf_fini(&bundle);
    return rc;
}

static enum ia_rc publish(struct ia_fleet_work *w, const struct ia_fleet_order *order,
                          struct ia_str body, struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    char hash[IA_SHA256_HEX_SIZE];
    char id[IA_ID_SIZE + 2 + IA_SHA256_HEX_SIZE];
    enum ia_bus_put put;
    enum ia_rc rc;
    ia_fleet_subject(IA_FLEET_PROPOSAL, w->opts.name, order->batch, order->run, subject);
    ia_sha256_hex(body.p, body.n, hash); /* another proposal of the run gets another id */
    (void)snprintf(id, sizeof(id), "p-%s-%s", order->run, hash);
    do { /* a publish without an answer may have been stored: retry with the same id */
        rc = ia_bus_publish(w->opts.bus, subject, body, id, false, &put, err);
    } while (rc == IA_E_TIMEOUT &&
             ia_clock_wait(ia_clock_system(), w->stop,
                           ia_mono_us(ia_clock_system()) + AGAIN_US) == IA_OK);
    return rc;
}

enum ia_rc ia_fleet_propose(struct ia_fleet_work *w, const char *run_id,
                            const struct ia_fleet_order *order, int attempt, struct ia_err *err)
{
    struct ia_buf body = IA_BUF(IA_FLEET_MESSAGE_MAX);
    struct ia_tx *tx = NULL;
    enum ia_rc rc = write_proposal(w, run_id, order, attempt, &body, err);
    IA_KILL_POINT("fleet.propose.before");
    if (rc == IA_OK) {
        rc = publish(w, order, ia_buf_str(&body), err);
    }
    IA_KILL_POINT("fleet.proposed");
    ia_buf_fini(&body);
    if (rc == IA_OK) {
        rc = ia_tx_begin(w->opts.setup->store, &tx, err);
    }
    if (rc == IA_OK) {
        uint64_t number = 0;
        /* If a power failure loses this commit, the run is proposed again. */
        ia_tx_end_fleet_run(tx, run_id, IA_FLEET_RUN_PROPOSED, w->opts.name, NULL);
        rc = ia_tx_commit_soon(tx, &number, err);
        ia_store_sync_soon(w->opts.setup->store, number);
        atomic_fetch_add(&w->done, rc == IA_OK ? 1 : 0);
    }
    return rc;
}

/* Moves a lane's run to the list of finished runs. */
static bool hand_over(struct ia_fleet_work *w, const char *run_id)
{
    for (size_t i = 0; i < w->opts.lane_count; i++) {
        struct ia_fleet_hand *h = &w->hands[i];
        if (h->taken && strcmp(h->run_id, run_id) == 0) {
            struct ia_fleet_done *d = ia_calloc(1, sizeof(*d));
            d->hand = *h;
            *h = (struct ia_fleet_hand){.lane = h->lane};
            *w->over_end = d;
            w->over_end = &d->next;
            w->over_count++;
            return true;
        }
    }
    return false;
}

void ia_fleet_finish(struct ia_fleet_work *w, const char *run_id)
{
    ia_fleet_forget_secrets(w, run_id);
    pthread_mutex_lock(&w->mutex);
    while (w->over_count > w->opts.lane_count + WAITING_MAX && !ia_cancel_fired(w->stop)) {
        pthread_cond_wait(&w->freed, &w->mutex);
    }
    if (hand_over(w, run_id)) {
        pthread_cond_signal(&w->proposes);
        pthread_cond_broadcast(&w->freed);
    }
    pthread_mutex_unlock(&w->mutex);
}

/* Removes the oldest finished run. Its order may have been delivered again meanwhile: the newest message is answered. */
static void drop_first(struct ia_fleet_work *w, bool done)
{
    struct ia_err ignored;
    pthread_mutex_lock(&w->mutex);
    struct ia_fleet_done *d = w->over;
    w->over = d->next;
    w->over_end = w->over ? w->over_end : &w->over;
    w->over_count--;
    pthread_cond_broadcast(&w->freed);
    pthread_mutex_unlock(&w->mutex);
    if (done) {
        (void)ia_bus_ack(w->opts.bus, &d->hand.message, false, &ignored);
    } else {
        ia_bus_give_back(w->opts.bus, &d->hand.message, 0);
    }
    ia_bus_message_free(w->opts.bus, &d->hand.message);
    free(d);
}

/* Waits for a finished run and copies it. It stays in the list, where the keeper prolongs it; only this thread removes it. */
static bool wait_for_first(struct ia_fleet_work *w, struct ia_fleet_hand *ret)
{
    pthread_mutex_lock(&w->mutex);
    while (!w->over && !ia_cancel_fired(w->stop)) {
        pthread_cond_wait(&w->proposes, &w->mutex);
    }
    bool found = w->over != NULL;
    if (found) {
        *ret = w->over->hand;
    }
    pthread_mutex_unlock(&w->mutex);
    return found;
}

void *ia_fleet_propose_all(void *work)
{
    struct ia_fleet_work *w = work;
    struct ia_fleet_hand h;
    while (wait_for_first(w, &h)) {
        struct ia_err err = {0};
        enum ia_rc rc = ia_fleet_propose(w, h.run_id, &h.order, h.attempt, &err);
        if (rc != IA_OK) {
            IA_LOG(IA_LOG_WARN, "fleet.not_proposed", IA_S("run", h.run_id),
                   IA_S("why", err.msg));
        }
        drop_first(w, rc == IA_OK);
    }
    return NULL;
}

/* ---- runs of an earlier process ------------------------------------------------------------ */

enum ia_rc ia_fleet_lose(struct ia_fleet_work *w, const char *run_id, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_cancel_result ignored;
    ia_fleet_forget_secrets(w, run_id);
    enum ia_rc rc = ia_tx_begin(w->opts.setup->store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_end_fleet_run(tx, run_id, IA_FLEET_RUN_LOST, NULL, NULL);
        rc = ia_tx_commit(tx, err);
    }
    return rc == IA_OK ? ia_store_cancel_run(w->opts.setup->store, run_id, &ignored, err) : rc;
}

struct held {
    struct ia_buf rows; /* of struct ia_fleet_run_row's copies below */
};
struct held_row {
    char run_id[IA_ID_SIZE];
    struct ia_fleet_order order;
    int attempt;
};

static bool on_held(void *ctx, const struct ia_fleet_run_row *row)
{
    struct held *h = ctx;
    struct held_row r = {.attempt = row->attempt};
    (void)snprintf(r.run_id, sizeof(r.run_id), "%s", row->run_id);
    (void)snprintf(r.order.batch, sizeof(r.order.batch), "%s", row->batch);
    (void)snprintf(r.order.run, sizeof(r.order.run), "%s", row->order_run);
    memcpy(r.order.key.bytes, row->key, sizeof(r.order.key.bytes));
    ia_buf_put(&h->rows, &r, sizeof(r));
    return true;
}

static enum ia_rc each_left(struct ia_fleet_work *w, bool over, struct ia_err *err)
{
    struct held held = {.rows = IA_BUF(16 << 20)};
    enum ia_rc rc =
        ia_store_fleet_runs(w->opts.setup->store, IA_FLEET_RUN_HELD, on_held, &held, err);
    for (size_t at = 0; rc == IA_OK && at < held.rows.len; at += sizeof(struct held_row)) {
        struct held_row row;
        enum ia_run_state state;
        memcpy(&row, held.rows.p + at, sizeof(row));
        rc = ia_store_run_state(w->opts.setup->store, row.run_id, &state, err);
        if (rc != IA_OK || ia_run_state_final(state) != over) {
            continue;
        }
        rc = over ? ia_fleet_propose(w, row.run_id, &row.order, row.attempt, err)
                  : ia_fleet_lose(w, row.run_id, err);
    }
    ia_buf_fini(&held.rows);
    return rc;
}

/* Another worker has the order by now, or gets it soon: the run must not go on here as well. */
enum ia_rc ia_fleet_end_left(struct ia_fleet_work *w, struct ia_err *err)
{
    return each_left(w, false, err);
}

/* A finished run that is still "held" may not have been proposed. */
enum ia_rc ia_fleet_propose_left(struct ia_fleet_work *w, struct ia_err *err)
{
    return each_left(w, true, err);
}
