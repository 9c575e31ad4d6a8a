/* submit.c: the submitter's loop.
 *
 * Each turn claims runs for free slots, sends their orders, and settles proposals. Once a second it also reads the workers,
 * handles cancels, and checks runs that no worker reported on for long: their orders may be gone without a verdict, if a
 * worker acknowledged an order that it never did. */
#include "app/fleet/submit_impl.h"

#include "agent/goal/job.h"
#include "agent/recording/recording.h"
#include "agent/run/claim.h"
#include "agent/run/run.h"
#include "base/clock.h"
#include "base/killpoint.h"
#include "base/log.h"
#include "store/fleet_runs.h"
#include "store/queue.h"

#include <stdlib.h>
#include <string.h>

enum {
    FETCH_MS = 20,
    COLLECT_MAX = 64,
    LOOK_US = 1000000,
    CANCEL_US = 10000000,        /* until a cancelled run that no worker stops is ended here */
    CANCEL_UNHEARD_US = 2000000, /* the same if no worker seems to have it */
    PENDING_MAX = 5000,
    LIVE_MAX = 64 << 10,
    LOSSES_MAX = 5,
    PROPOSAL_WAIT_MS =
        5000, /* until a proposal that a killed submitter had is delivered again */
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* ---- beats and live events ---------------------------------------------------------------- */

/* Notes that a worker reported on the run that the subject ends with. Returns its slot, or NULL. */
static struct ia_fleet_slot *hear(struct ia_fleet_submit *s, const char *subject)
{
    const char *dot = strrchr(subject, '.');
    if (!dot || !ia_id_valid(dot + 1)) {
        return NULL;
    }
    pthread_mutex_lock(&s->mutex);
    struct ia_fleet_slot *slot = ia_fleet_slot_of(s, dot + 1);
    if (slot) {
        slot->sign_us = now_us();
        slot->heard = true;
    }
    pthread_mutex_unlock(&s->mutex);
    return slot;
}

static void on_beat(void *ctx, const char *subject, struct ia_str body)
{
    (void)body;
    (void)hear(ctx, subject);
}

static void on_live(void *ctx, const char *subject, struct ia_str body)
{
    struct ia_fleet_submit *s = ctx;
    struct ia_event e = {.type = IA_EVENT_COUNT};
    const struct ia_fleet_slot *slot = body.n <= LIVE_MAX ? hear(s, subject) : NULL;
    if (slot && ia_event_read(&e, body)) {
        s->opts.event(s->opts.ctx, s->opts.lanes[slot - s->slots], strrchr(subject, '.') + 1,
                      e.type, body);
    }
    ia_event_fini(&e);
}

/* ---- orders ------------------------------------------------------------------------------ */

static bool copy_key(void *ctx, const struct ia_fleet_run_row *row)
{
    memcpy(((struct ia_fleet_key *)ctx)->bytes, row->key, IA_FLEET_KEY_SIZE);
    return false;
}

static void set_overdue(struct ia_fleet_slot *slot, int max_seconds)
{
    if (max_seconds > 0 && slot->overdue_us == 0) {
        slot->overdue_us = now_us() + INT64_C(1000000) * max_seconds;
    }
}

/* The run without its device, which the worker chooses, and with the recording that it replays. */
static enum ia_rc write_order(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                              struct ia_buf *out, struct ia_err *err)
{
    struct ia_run_recalled r;
    struct ia_buf job = IA_BUF(IA_JOB_BYTES_MAX);
    struct ia_buf recording = IA_BUF(IA_RECORDING_BYTES_MAX);
    struct ia_buf shared = IA_BUF(IA_JOB_BYTES_MAX);
    struct ia_run_request req = {.goal = NULL};
    struct ia_fleet_order order = {.attempts = s->opts.budgeted ? 1 : s->opts.attempts,
                                   .lease_ms = s->opts.lease_ms,
                                   .key = slot->key};
    enum ia_rc rc = ia_run_recall(s->opts.store, slot->run_id, &r, err);
    if (rc == IA_OK && !r.job) {
        *err = r.unreadable;
        rc = err->code;
    }
    if (rc == IA_OK) {
        req = *ia_job_request(r.job);
        req.device = NULL;
        rc =
            ia_fleet_lend_recording(s, slot->run_id, &req, &recording, &order.quarantined, err);
    }
    if (rc == IA_OK) {
        set_overdue(slot, req.budget.max_seconds);
        slot->max_usd = req.budget.max_usd;
        slot->judged = true;
        ia_job_write(&req, NULL, &job);
        (void)snprintf(order.batch, sizeof(order.batch), "%s", s->opts.batch);
        (void)snprintf(order.run, sizeof(order.run), "%s", slot->run_id);
        (void)snprintf(order.class_key, sizeof(order.class_key), "%s", slot->class_key);
        order.job = ia_buf_str(&job);
        order.recording = ia_buf_str(&recording);
        ia_fleet_shared_names(s, &req, &shared);
        order.shared = ia_buf_str(&shared);
        ia_fleet_order_write(&order, out);
        rc = ia_buf_check(out, "the order of a run", err);
    }
    ia_run_recalled_fini(&r);
    ia_buf_fini(&shared);
    ia_buf_fini(&recording);
    ia_buf_fini(&job);
    return rc;
}

static enum ia_rc add_class(struct ia_fleet_submit *s, const char *class_key,
                            struct ia_err *err)
{
    char filter[IA_FLEET_SUBJECT_SIZE];
    if (strcmp(s->made, class_key) == 0) {
        return IA_OK;
    }
    ia_fleet_subject(IA_FLEET_RUN, class_key, "*", "*", filter);
    const struct ia_bus_consumer consumer = {.stream = IA_FLEET_RUNS,
                                             .name = class_key,
                                             .filter = filter,
                                             .ack_wait_ms = s->opts.lease_ms,
                                             .pending_max = PENDING_MAX};
    enum ia_rc rc = ia_bus_add_consumer(s->opts.bus, &consumer, err);
    (void)snprintf(s->made, sizeof(s->made), "%s", rc == IA_OK ? class_key : "");
    return rc;
}

/* A run that may only be replayed and has no recording, or whose order is too large. */
static enum ia_rc end_unsent(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                             struct ia_err *err)
{
    const struct ia_err why = *err;
    return ia_fleet_give_up(s, slot, &why, err);
}

/* Sends an order. If it is in the queue already, from before a kill or because a response was lost, it is not added again: the
 * stream takes one message per subject. */
static enum ia_rc send_order(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                             struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    char id[IA_ID_SIZE + 12];
    struct ia_buf order = IA_BUF(IA_FLEET_ORDER_MAX);
    enum ia_bus_put put;
    bool served = ia_fleet_choose_class(s, slot->class_key);
    enum ia_rc rc = served || !slot->judged ? write_order(s, slot, &order, err) : IA_OK;
    if (rc != IA_OK || !served) {
        slot->class_key[0] = '\0';
        ia_buf_fini(&order);
        return rc == IA_E_NOT_FOUND || rc == IA_E_LIMIT ? end_unsent(s, slot, err) : rc;
    }
    ia_fleet_subject(IA_FLEET_RUN, slot->class_key, s->opts.batch, slot->run_id, subject);
    (void)snprintf(id, sizeof(id), "%s-%d", slot->run_id, slot->sends);
    if (rc == IA_OK) {
        rc = add_class(s, slot->class_key, err);
    }
    if (rc == IA_OK) {
        rc = ia_bus_publish(s->opts.bus, subject, ia_buf_str(&order), id, false, &put, err);
    }
    IA_KILL_POINT("fleet.order.sent");
    if (rc == IA_OK) {
        slot->published = true;
        slot->sends++;
        slot->sign_us = now_us();
        s->figures.sent++;
    }
    ia_buf_fini(&order);
    return rc == IA_E_TIMEOUT ? IA_OK : rc;
}

/* A run that was sent before this submitter was killed keeps its key, since a proposal with that key may wait. */
static enum ia_rc read_key(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                           struct ia_err *err)
{
    bool found = false;
    struct ia_fleet_key key = slot->key;
    enum ia_rc rc =
        ia_store_fleet_run(s->opts.store, slot->run_id, copy_key, &key, &found, err);
    if (rc == IA_OK && memcmp(&key, &slot->key, sizeof(key)) != 0) {
        s->figures.again++;
        pthread_mutex_lock(&s->mutex);
        slot->key = key;
        pthread_mutex_unlock(&s->mutex);
    }
    return rc;
}

/* Claims a run for the slot and notes that it will be sent, in one commit, which is not durable yet. */
static enum ia_rc claim(struct ia_fleet_submit *s, struct ia_fleet_slot *slot, bool *ret_took,
                        struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    struct ia_claimed claimed = {.why = IA_CLAIM_NONE};
    const struct ia_claim ask = {.lane = s->opts.lanes[slot - s->slots], .pool = s->opts.pool};
    struct ia_fleet_run_row row = {
        .batch = s->opts.batch, .state = IA_FLEET_RUN_SENT, .attempt = 1};
    enum ia_rc rc = ia_tx_begin(s->opts.store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_fleet_key_new(&slot->key);
    ia_tx_claim(tx, &ask, &claimed);
    *ret_took = !ia_tx_failed(tx) && claimed.why == IA_CLAIM_RUN;
    if (*ret_took) {
        row.run_id = row.order_run = claimed.run_id;
        memcpy(row.key, slot->key.bytes, sizeof(row.key));
        ia_tx_put_fleet_run(tx, &row);
    }
    rc = ia_tx_commit_soon(tx, &s->commit, err);
    if (rc != IA_OK || !*ret_took) {
        return rc;
    }
    pthread_mutex_lock(&s->mutex);
    memcpy(slot->run_id, claimed.run_id, sizeof(slot->run_id));
    slot->sign_us = now_us();
    s->out++;
    pthread_mutex_unlock(&s->mutex);
    return read_key(s, slot, err);
}

/* Claims for all free slots first, so that one write to the disk makes all of them durable. */
static enum ia_rc fill(struct ia_fleet_submit *s, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool more = true;
    for (size_t i = 0; i < s->opts.slots && rc == IA_OK && more; i++) {
        if (!s->slots[i].run_id[0]) {
            rc = claim(s, &s->slots[i], &more, err);
        }
    }
    if (rc == IA_OK) {
        rc = ia_store_await(s->opts.store, s->commit, err);
    }
    for (size_t i = 0; i < s->opts.slots && rc == IA_OK; i++) {
        if (s->slots[i].run_id[0] && !s->slots[i].published) {
            rc = send_order(s, &s->slots[i], err);
        }
    }
    return rc;
}

/* ---- silent runs --------------------------------------------------------------------------- */

static void say_none(struct ia_fleet_submit *s)
{
    char text[IA_FLEET_CLASS_SIZE + 80];
    char class_key[IA_FLEET_CLASS_SIZE];
    if (s->said_none || s->out == 0 || ia_fleet_choose_class(s, class_key)) {
        return;
    }
    bool any = strcmp(s->opts.needs, "any") == 0;
    (void)snprintf(text, sizeof(text),
                   "no worker%s%s is there; waiting for one (ios-agent worker)",
                   any ? "" : " with ", any ? "" : s->opts.needs);
    s->said_none = true;
    s->opts.say(s->opts.ctx, text);
}

/* Ends a run whose time limit passed before a worker had it. */
static enum ia_rc end_overdue(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                              struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    struct ia_err why;
    ia_fleet_subject(IA_FLEET_RUN, "*", s->opts.batch, slot->run_id, subject);
    enum ia_rc rc = ia_bus_purge(s->opts.bus, IA_FLEET_RUNS, subject, err);
    (void)ia_err_set(&why, IA_E_FLEET, "no worker had time for it before its time limit");
    return rc == IA_OK ? ia_fleet_give_up(s, slot, &why, err) : rc;
}

/* Ends a run whose orders vanish: a worker acknowledges them without doing them, or cannot read them. */
static enum ia_rc end_lost(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                           struct ia_err *err)
{
    struct ia_err why;
    (void)ia_err_set(
        &why, IA_E_FLEET,
        "%d times its order was taken from the queue and not done: a worker may be "
        "of another version (ios-agent fleet workers)",
        slot->losses);
    return ia_fleet_give_up(s, slot, &why, err);
}

/* The order of a run that waits or is being done is in the stream. If it is gone and no proposal waits, it is sent again. */
static enum ia_rc look_for(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                           struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    struct ia_buf order = IA_BUF(IA_FLEET_ORDER_MAX);
    bool there = true;
    uint64_t waiting = 1;
    uint64_t in_hand = 0;
    ia_fleet_subject(IA_FLEET_RUN, slot->class_key, s->opts.batch, slot->run_id, subject);
    enum ia_rc rc = ia_bus_last(s->opts.bus, IA_FLEET_RUNS, subject, &order, &there, err);
    ia_buf_fini(&order);
    if (rc == IA_OK && !there) {
        rc = ia_bus_consumer_count(s->opts.bus, IA_FLEET_PROPOSED, s->opts.batch, &waiting,
                                   &in_hand, err);
    }
    if (rc == IA_OK && !there && waiting == 0 && in_hand == 0) {
        IA_LOG(IA_LOG_WARN, "fleet.order_lost", IA_S("run", slot->run_id));
        if (++slot->losses >= LOSSES_MAX) {
            return end_lost(s, slot, err);
        }
        s->figures.again++;
        slot->published = false;
        slot->doubted = false;
    } else if (rc == IA_OK && ia_fleet_lanes_of_class(s, slot->class_key) == 0 &&
               s->worker_count > 0) {
        /* No worker of its class is left, but others can do it. */
        rc = ia_bus_purge(s->opts.bus, IA_FLEET_RUNS, subject, err);
        slot->published = rc != IA_OK;
    }
    pthread_mutex_lock(&s->mutex);
    slot->sign_us = now_us();
    pthread_mutex_unlock(&s->mutex);
    return rc == IA_E_TIMEOUT ? IA_OK : rc;
}

static enum ia_rc cancel_one(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                             struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    struct ia_err why;
    if (!slot->cancelling) {
        slot->cancelling = true;
        slot->cancel_us = now_us() + (slot->heard ? CANCEL_US : CANCEL_UNHEARD_US);
    }
    ia_fleet_subject(IA_FLEET_CANCEL, NULL, s->opts.batch, slot->run_id, subject);
    ia_bus_tell(s->opts.bus, subject, (struct ia_str){"", 0});
    if (now_us() < slot->cancel_us) {
        return IA_OK;
    }
    ia_fleet_subject(IA_FLEET_RUN, "*", s->opts.batch, slot->run_id, subject);
    enum ia_rc rc = ia_bus_purge(s->opts.bus, IA_FLEET_RUNS, subject, err);
    (void)ia_err_set(&why, IA_E_CANCELLED, "cancelled before a worker did it");
    return rc == IA_OK ? ia_fleet_give_up(s, slot, &why, err) : rc;
}

static enum ia_rc look(struct ia_fleet_submit *s, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    int64_t silent_us = s->opts.lease_ms * 2000;
    ia_fleet_read_workers(s);
    say_none(s);
    for (size_t i = 0; i < s->opts.slots && rc == IA_OK; i++) {
        struct ia_fleet_slot *slot = &s->slots[i];
        bool cancel = false;
        if (!slot->run_id[0]) {
            continue;
        }
        rc = ia_store_cancel_requested(s->opts.store, slot->run_id, &cancel, err);
        if (rc == IA_OK && cancel) {
            rc = cancel_one(s, slot, err);
        } else if (rc == IA_OK && !slot->heard && slot->overdue_us > 0 &&
                   now_us() > slot->overdue_us) {
            rc = end_overdue(s, slot, err);
        } else if (rc == IA_OK && slot->published &&
                   (slot->doubted || now_us() - slot->sign_us > silent_us)) {
            rc = look_for(s, slot, err);
        }
        rc = rc == IA_E_TIMEOUT ? IA_OK : rc;
    }
    return rc;
}

/* ---- serving ----------------------------------------------------------------------------- */

/* Acknowledges settled proposals once their rows are on disk. Until then they would be delivered again. */
static enum ia_rc acknowledge(struct ia_fleet_submit *s, struct ia_bus_message *messages,
                              const bool *done, size_t n, enum ia_rc rc, struct ia_err *err)
{
    struct ia_err ignored;
    if (rc == IA_OK) {
        rc = ia_store_await(s->opts.store, s->commit, err);
    }
    for (size_t i = 0; i < n; i++) {
        if (rc == IA_OK && done[i]) {
            (void)ia_bus_ack(s->opts.bus, &messages[i], false, &ignored);
        }
        ia_bus_message_free(s->opts.bus, &messages[i]);
    }
    return rc;
}

/* Settles all waiting proposals; waits briefly for the first one. */
static enum ia_rc collect(struct ia_fleet_submit *s, bool *ret_ended, struct ia_err *err)
{
    struct ia_bus_message messages[COLLECT_MAX];
    bool done[COLLECT_MAX] = {false};
    bool got = false;
    size_t n = 0;
    enum ia_rc rc = ia_bus_fetch(s->proposals, FETCH_MS, &messages[0], &got, err);
    if (rc != IA_OK || !got) {
        return rc;
    }
    rc = ia_bus_fetch_waiting(s->proposals, COLLECT_MAX - 1, messages + 1, &n, err);
    n++;
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        rc = ia_fleet_settle(s, &messages[i], ret_ended, &done[i], err);
    }
    return acknowledge(s, messages, done, n, rc, err);
}

enum ia_rc ia_fleet_submit_serve(struct ia_fleet_submit *s, struct ia_cancel *cancel,
                                 int64_t until_ms, bool *ret_ended, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    *ret_ended = false;
    do {
        if (now_us() - s->looked_us > LOOK_US) {
            rc = look(s, err);
        }
        rc = rc == IA_OK ? fill(s, err) : rc;
        rc = rc == IA_OK ? collect(s, ret_ended, err) : rc;
    } while (rc == IA_OK && !*ret_ended && !ia_cancel_fired(cancel) &&
             ia_wall_ms(ia_clock_system()) < until_ms);
    return rc;
}

/* ---- life -------------------------------------------------------------------------------- */

static enum ia_rc listen_to_proposals(struct ia_fleet_submit *s, struct ia_err *err)
{
    char filter[IA_FLEET_SUBJECT_SIZE];
    ia_fleet_subject(IA_FLEET_PROPOSAL, "*", s->opts.batch, "*", filter);
    const struct ia_bus_consumer consumer = {.stream = IA_FLEET_PROPOSED,
                                             .name = s->opts.batch,
                                             .filter = filter,
                                             .ack_wait_ms = PROPOSAL_WAIT_MS,
                                             .pending_max = PENDING_MAX};
    enum ia_rc rc = ia_bus_add_consumer(s->opts.bus, &consumer, err);
    if (rc == IA_OK) {
        rc =
            ia_bus_pull_open(s->opts.bus, IA_FLEET_PROPOSED, s->opts.batch, &s->proposals, err);
    }
    ia_fleet_subject(IA_FLEET_BEAT, "*", s->opts.batch, "*", filter);
    rc = rc == IA_OK ? ia_bus_listen(s->opts.bus, filter, on_beat, s, &s->beats, err) : rc;
    ia_fleet_subject(IA_FLEET_LIVE, "*", s->opts.batch, "*", filter);
    rc = rc == IA_OK ? ia_fleet_share(s, err) : rc;
    return rc == IA_OK && s->opts.event
               ? ia_bus_listen(s->opts.bus, filter, on_live, s, &s->live, err)
               : rc;
}

enum ia_rc ia_fleet_submit_open(const struct ia_fleet_submit_opts *opts,
                                struct ia_fleet_submit **ret, struct ia_err *err)
{
    struct ia_fleet_submit *s = ia_calloc(1, sizeof(*s));
    s->opts = *opts;
    s->slots = ia_calloc(opts->slots, sizeof(*s->slots));
    s->workers = ia_calloc(IA_FLEET_WORKERS_MAX, sizeof(*s->workers));
    pthread_mutex_init(&s->mutex, NULL);
    enum ia_rc rc = ia_fleet_make(opts->bus, opts->replicas, err);
    if (rc == IA_OK) {
        s->fetch = ia_fleet_fetch_new(opts->store, opts->batch);
        rc = s->fetch ? listen_to_proposals(s, err)
                      : ia_err_set(err, IA_E_LIMIT, "no thread is left to fetch pictures");
    }
    if (rc != IA_OK) {
        ia_fleet_submit_close(s);
        return rc;
    }
    ia_fleet_read_workers(s);
    *ret = s;
    return IA_OK;
}

enum ia_rc ia_fleet_submit_withdraw(struct ia_fleet_submit *s, size_t *ret_out,
                                    struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    *ret_out = 0;
    ia_fleet_subject(IA_FLEET_RUN, "*", s->opts.batch, "*", subject);
    for (size_t i = 0; i < s->opts.slots; i++) {
        if (s->slots[i].run_id[0]) {
            ++*ret_out;
            (void)ia_claim_put_back(s->opts.store, s->slots[i].run_id, NULL);
        }
    }
    return *ret_out > 0 ? ia_bus_purge(s->opts.bus, IA_FLEET_RUNS, subject, err) : IA_OK;
}

bool ia_fleet_submit_settle(struct ia_fleet_submit *s, int64_t ms)
{
    return ia_fleet_fetch_wait(s->fetch, ms);
}

struct ia_fleet_figures ia_fleet_submit_figures(const struct ia_fleet_submit *s)
{
    return s ? s->figures : (struct ia_fleet_figures){0};
}

void ia_fleet_submit_close(struct ia_fleet_submit *s)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    if (!s) {
        return;
    }
    ia_bus_unlisten(s->live);
    ia_bus_unlisten(s->beats);
    ia_bus_unlisten(s->asks);
    ia_fleet_fetch_free(s->fetch);
    if (s->proposals && s->out == 0) { /* nothing more is expected, and what came is counted */
        ia_fleet_subject(IA_FLEET_PROPOSAL, "*", s->opts.batch, "*", subject);
        (void)ia_bus_remove_consumer(s->opts.bus, IA_FLEET_PROPOSED, s->opts.batch, NULL);
        (void)ia_bus_purge(s->opts.bus, IA_FLEET_PROPOSED, subject, NULL);
    }
    ia_bus_pull_close(s->proposals);
    pthread_mutex_destroy(&s->mutex);
    free(s->workers);
    free(s->slots);
    free(s);
}
