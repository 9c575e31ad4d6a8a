/* orders.c: turns an order into a run, or gives it back.
 *
 *   delivered before?  if there is a verdict: done; if a proposal waits: later
 *   allowed here?      this machine's policy: secrets, commands. Otherwise another worker gets it
 *   which attempt?     the first that can be claimed at the server. If none is left, the run ends as an error
 *   row "held" and run queued, in one transaction ─► the lane's thread does it */
#include "agent/run/claim.h"
#include "agent/run/run_store.h"
#include "app/fleet/work_impl.h"
#include "app/secret_source.h"
#include "base/clock.h"
#include "base/killpoint.h"
#include "base/log.h"
#include "base/rand.h"
#include "driver/registry/device_registry.h"
#include "fleet/ask.h"
#include "store/fleet_runs.h"

#include <stdlib.h>
#include <string.h>

enum {
    OTHER_MS = 1000,
    LATER_MS = 2000,
    SMALL = 1 << 20,
    REFUSALS = 10, /* for each attempt, until a run ends that no worker may do */
};

/* What is done with an order. */
enum answer { TAKE, DONE, LATER, KEPT };

/* An order and everything read from it. */
struct incoming {
    struct ia_fleet_order order;
    char *job_text;
    struct ia_job *job;
    json_t *recording; /* NULL: none */
    char recording_id[IA_ID_SIZE];
    struct ia_fleet_loan loan;
    struct ia_run_request req;
    struct ia_setup_step steps[IA_JOB_SETUP_MAX + 1];
    int attempt;
};

static void incoming_fini(struct incoming *in)
{
    ia_fleet_loan_fini(&in->loan);
    json_decref(in->recording);
    ia_job_free(in->job);
    free(in->job_text);
}

struct checking {
    struct ia_fleet_work *w;
    const struct incoming *in;
};

/* ---- is it allowed here? ------------------------------------------------------------------- */

/* A run types secrets that its submitter shares, and those of this machine that are allowed. */
static enum ia_rc check_secrets(const struct ia_fleet_work *w, const struct incoming *in,
                                struct ia_err *err)
{
    const struct ia_run_request *req = &in->req;
    const char *list = ia_config_str(w->opts.setup->config, IA_CFG_FLEET_SECRETS);
    for (size_t i = 0; i < req->secret_count; i++) {
        if (!ia_fleet_names(in->order.shared.p, req->secrets[i]) &&
            !ia_fleet_names(list, req->secrets[i])) {
            return ia_err_set(err, IA_E_POLICY,
                              "runs of a fleet may not type the secret %s here (fleet.secrets)",
                              req->secrets[i]);
        }
    }
    return IA_OK;
}

/* For struct ia_secret_lookup: the submitter's values take precedence over this machine's. */
static enum ia_rc secret_value(void *ctx, const char *name, struct ia_buf *ret,
                               struct ia_err *err)
{
    const struct checking *c = ctx;
    const struct ia_secret *shared = ia_fleet_loan_value(&c->in->loan, name);
    if (shared) {
        ia_buf_putstr(ret, ia_secret_bytes(shared));
        return IA_OK;
    }
    const struct ia_secret_lookup own =
        ia_secret_source_lookup(ia_executor_secrets(ia_workers_executor(c->w->workers)));
    return own.value(own.ctx, name, ret, err);
}

static enum ia_rc check_values(struct ia_fleet_work *w, struct incoming *in, struct ia_err *err)
{
    struct checking c = {w, in};
    const struct ia_secret_lookup lookup = {.value = secret_value, .ctx = &c};
    enum ia_rc rc = IA_OK;
    if (in->order.shared.n > 0 && in->loan.n == 0) {
        rc = ia_fleet_borrow(w, &in->order, &in->req, &in->loan, err);
    }
    return rc == IA_OK ? ia_secrets_check_by(&lookup, &in->req, err) : rc;
}

static double least_usd(double a, double b)
{
    return !(a > 0) || (b > 0 && b < a) ? b : a;
}

/* This machine's limits apply in addition to those of the order. */
static void limit(const struct ia_fleet_work *w, struct ia_run_request *req)
{
    const struct ia_config *c = w->opts.setup->config;
    int64_t seconds = ia_config_int(c, IA_CFG_RUN_MAX_SECONDS);
    req->budget.max_usd = least_usd(req->budget.max_usd, ia_config_real(c, IA_CFG_RUN_MAX_USD));
    if (ia_config_origin(c, IA_CFG_RUN_MAX_SECONDS) != IA_CFG_FROM_DEFAULT && seconds > 0 &&
        (req->budget.max_seconds == 0 || seconds < req->budget.max_seconds)) {
        req->budget.max_seconds = (int)seconds;
    }
}

static enum ia_rc check(struct ia_fleet_work *w, struct incoming *in, struct ia_err *err)
{
    struct ia_run_request *req = &in->req;
    bool commands = ia_config_bool(w->opts.setup->config, IA_CFG_RUN_ALLOW_COMMANDS);
    struct ia_model_use use = {.claude = NULL};
    struct ia_executor *x = ia_workers_executor(w->workers);
    enum ia_rc rc = check_secrets(w, in, err);
    if (rc == IA_OK && (req->continue_session || req->agent)) {
        rc = ia_err_set(err, IA_E_POLICY, "runs of a fleet have no agent here");
    }
    if (rc == IA_OK && in->order.recording.n > 0 && !in->recording) {
        rc = ia_fleet_read_recording(&in->order, req, &in->recording, err);
    }
    if (rc == IA_OK && ia_run_asks_model(req)) {
        rc = ia_executor_model(x, req->demo_brain, &use, err);
    }
    if (rc == IA_OK) {
        rc = ia_run_check(use.claude, req, commands, err);
    }
    ia_executor_model_done(x, &use);
    return rc == IA_OK ? check_values(w, in, err) : rc;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Simulated phones are reset, as in a local sweep. */
static void make_fresh(struct incoming *in, const char *lane)
{
    struct ia_run_request *req = &in->req;
    bool has = req->setup_count > 0 && req->setup[0].kind == IA_SETUP_RESET;
    if (has || !ia_device_lane_simulated(lane)) {
        return;
    }
    in->steps[0] = (struct ia_setup_step){.kind = IA_SETUP_RESET};
    for (size_t i = 0; i < req->setup_count && i < IA_JOB_SETUP_MAX; i++) {
        in->steps[i + 1] = req->setup[i];
    }
    req->setup = in->steps;
    req->setup_count++;
}

static enum ia_rc add_run(struct ia_fleet_work *w, struct incoming *in, const char *lane,
                          char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    const struct ia_run_place place = {.lane = lane, .kind = IA_RUN_GOAL};
    struct ia_fleet_run_row row = {.run_id = ret_id,
                                   .batch = in->order.batch,
                                   .order_run = in->order.run,
                                   .state = IA_FLEET_RUN_HELD,
                                   .attempt = in->attempt};
    struct ia_tx *tx = NULL;
    uint64_t number = 0;
    memcpy(row.key, in->order.key.bytes, sizeof(row.key));
    make_fresh(in, lane);
    enum ia_rc rc = ia_tx_begin(w->opts.setup->store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (in->recording) {
        rc = ia_fleet_keep_recording(tx, in->recording, in->order.quarantined, in->recording_id,
                                     err);
        in->req.recording = in->recording_id;
    }
    if (rc != IA_OK) {
        ia_tx_rollback(tx);
        return rc;
    }
    ia_run_store_add(tx, &in->req, &place, ret_id);
    /* Before the commit: its lane may take the run at once. */
    ia_fleet_loan_give(&in->loan, ia_executor_lent_secrets(ia_workers_executor(w->workers)),
                       ret_id);
    if (!ia_tx_failed(tx)) {
        ia_tx_put_fleet_run(tx, &row);
    }
    /* If a power failure loses this commit, it loses the whole run, and the order is delivered again. */
    rc = ia_tx_commit_soon(tx, &number, err);
    if (rc != IA_OK) {
        ia_fleet_forget_secrets(w, ret_id);
    }
    return rc;
}

static struct ia_fleet_hand *free_lane(struct ia_fleet_work *w)
{
    for (size_t i = 0; i < w->opts.lane_count; i++) {
        if (!w->hands[i].taken) {
            return &w->hands[i];
        }
    }
    return NULL;
}

/* Begins the run. The mutex is held, so that the lane's thread finds the order when the run ends. */
static enum ia_rc begin(struct ia_fleet_work *w, struct incoming *in, struct ia_bus_message *m,
                        struct ia_err *err)
{
    pthread_mutex_lock(&w->mutex);
    struct ia_fleet_hand *h = free_lane(w);
    in->req.device = h ? w->opts.devices[h - w->hands] : NULL;
    enum ia_rc rc = h ? add_run(w, in, h->lane, h->run_id, err)
                      : ia_err_set(err, IA_E_BUSY, "no lane is free");
    IA_KILL_POINT("fleet.order.held");
    if (rc == IA_OK) {
        h->taken = true;
        h->order = in->order;
        h->order.job = h->order.recording = (struct ia_str){0};
        h->attempt = in->attempt;
        h->lease_ms = in->order.lease_ms;
        h->prolong_us = 0;
        h->message = *m;
        *m = (struct ia_bus_message){.handle = NULL};
        ia_queue_wake(ia_workers_queue(w->workers), h->lane);
    }
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

/* ---- orders that were delivered before ------------------------------------------------------ */

static bool take_message(struct ia_fleet_work *w, struct ia_fleet_hand *h,
                         const struct incoming *in, struct ia_bus_message *m)
{
    if (!h->taken || strcmp(h->order.run, in->order.run) != 0) {
        return false;
    }
    ia_bus_message_free(w->opts.bus, &h->message);
    h->message = *m;
    *m = (struct ia_bus_message){.handle = NULL};
    return true;
}

/* Whether this worker has the order already: its lease expired while this machine or the network was stalled. */
static bool is_in_hand(struct ia_fleet_work *w, const struct incoming *in,
                       struct ia_bus_message *m)
{
    bool found = false;
    pthread_mutex_lock(&w->mutex);
    for (size_t i = 0; i < w->opts.lane_count && !found; i++) {
        found = take_message(w, &w->hands[i], in, m);
    }
    for (struct ia_fleet_done *d = w->over; d && !found; d = d->next) {
        found = take_message(w, &d->hand, in, m);
    }
    pthread_mutex_unlock(&w->mutex);
    return found;
}

static enum ia_rc is_there(struct ia_fleet_work *w, const char *stream,
                           enum ia_fleet_subject what, const struct incoming *in, bool *ret,
                           struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    struct ia_buf body = IA_BUF(SMALL);
    ia_fleet_subject(what, what == IA_FLEET_PROPOSAL ? "*" : NULL, in->order.batch,
                     in->order.run, subject);
    enum ia_rc rc = ia_bus_last(w->opts.bus, stream, subject, &body, ret, err);
    ia_buf_fini(&body);
    return rc;
}

/* Ends the run without beginning it; its verdict says why. */
static enum answer give_up(struct ia_fleet_work *w, struct incoming *in,
                           const struct ia_err *why)
{
    char run_id[IA_ID_SIZE];
    enum ia_run_state to;
    struct ia_err err;
    struct ia_err ignored;
    enum ia_rc rc = add_run(w, in, IA_FLEET_PARKED, run_id, &err);
    if (rc == IA_OK) {
        rc = ia_claim_take(w->opts.setup->store, run_id, &err);
    }
    if (rc == IA_OK) {
        (void)ia_claim_refuse(w->opts.setup->store, run_id, why, &to, &ignored);
        rc = ia_fleet_propose(w, run_id, &in->order, in->attempt, &err);
        ia_fleet_forget_secrets(w, run_id);
    }
    return rc == IA_OK ? DONE : LATER;
}

static enum answer give_up_attempts(struct ia_fleet_work *w, struct incoming *in)
{
    struct ia_err why;
    (void)ia_err_set(&why, IA_E_FLEET,
                     "workers began the run %d times, and none came to a verdict: they died or "
                     "lost the server (fleet.attempts)",
                     in->order.attempts);
    return give_up(w, in, &why);
}

/* This machine may not or cannot do it, but others may. After many deliveries the run ends. */
static enum answer refuse(struct ia_fleet_work *w, struct incoming *in,
                          const struct ia_bus_message *m, const struct ia_err *reason)
{
    struct ia_err why;
    if (m->deliveries < (uint64_t)in->order.attempts * REFUSALS) {
        return LATER;
    }
    (void)ia_err_set(&why, IA_E_FLEET, "no worker may do the run; the last one, %s, says: %s",
                     w->opts.name, reason->msg);
    return give_up(w, in, &why);
}

/* Claims the attempt in->attempt. The claim stays if this worker is killed. */
static enum ia_rc publish_claim(struct ia_fleet_work *w, const struct incoming *in,
                                const char *nonce, enum ia_bus_put *ret, struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    char id[2 * IA_ID_SIZE];
    int64_t until_us = ia_mono_us(ia_clock_system()) + in->order.lease_ms * 1000;
    enum ia_rc rc;
    ia_fleet_subject(IA_FLEET_CLAIM, NULL, in->order.batch, in->order.run, subject);
    size_t n = strlen(subject);
    (void)snprintf(subject + n, sizeof(subject) - n, ".%d", in->attempt);
    (void)snprintf(id, sizeof(id), "c-%s", nonce);
    do { /* without a response it may be stored: retry with the same id until the lease expires */
        rc = ia_bus_publish(w->opts.bus, subject, ia_str(w->opts.name), id, true, ret, err);
    } while (rc == IA_E_TIMEOUT && ia_mono_us(ia_clock_system()) < until_us &&
             !ia_cancel_fired(w->stop));
    return rc;
}

/* Checks an order that was delivered before, here or to another worker. */
static enum answer judge_again(struct ia_fleet_work *w, struct incoming *in,
                               struct ia_bus_message *m, struct ia_err *err)
{
    bool there = false;
    if (is_in_hand(w, in, m)) {
        return KEPT;
    }
    if (is_there(w, IA_FLEET_VERDICTS, IA_FLEET_VERDICT, in, &there, err) != IA_OK) {
        return LATER;
    }
    if (there) {
        return DONE;
    }
    if (is_there(w, IA_FLEET_PROPOSED, IA_FLEET_PROPOSAL, in, &there, err) == IA_OK && there) {
        return LATER;
    }
    return TAKE;
}

/* Claims the first free attempt. The server's count of deliveries includes refusals and is lost when the server is killed,
 * so it is not used. */
static enum answer claim(struct ia_fleet_work *w, struct incoming *in, struct ia_bus_message *m,
                         struct ia_err *err)
{
    char nonce[IA_ID_SIZE];
    enum ia_bus_put put = IA_BUS_TAKEN;
    enum answer answer = TAKE;
    for (in->attempt = 1; in->attempt <= in->order.attempts; in->attempt++) {
        ia_id_new(ia_clock_system(), ia_rand_system(), nonce);
        if (publish_claim(w, in, nonce, &put, err) != IA_OK) {
            return LATER;
        }
        if (put != IA_BUS_TAKEN) {
            return TAKE;
        }
        if (in->attempt == 1 && m->deliveries == 1) {
            answer = judge_again(w, in, m, err);
        }
        if (answer != TAKE) {
            return answer;
        }
    }
    return give_up_attempts(w, in);
}

/* ---- accepting ------------------------------------------------------------------------------ */

static enum answer judge(struct ia_fleet_work *w, struct incoming *in, struct ia_bus_message *m,
                         struct ia_err *err)
{
    if (ia_fleet_order_read(m->body, &in->order, &in->job_text, err) != IA_OK ||
        ia_job_parse(in->order.job, &in->job, err) != IA_OK) {
        return DONE; /* no worker can do it; the submitter notices that it is gone */
    }
    in->req = *ia_job_request(in->job);
    in->req.device = NULL;
    limit(w, &in->req);
    enum answer answer = m->deliveries != 1 ? judge_again(w, in, m, err) : TAKE;
    if (answer == TAKE && check(w, in, err) != IA_OK) {
        answer = err->code == IA_E_TIMEOUT ? LATER : refuse(w, in, m, err);
    }
    if (answer == TAKE) {
        answer = claim(w, in, m, err);
        IA_KILL_POINT("fleet.order.claimed");
    }
    if (answer == TAKE) {
        answer = begin(w, in, m, err) == IA_OK ? KEPT : LATER;
    }
    return answer;
}

void ia_fleet_accept(struct ia_fleet_work *w, struct ia_bus_message *m)
{
    struct incoming in = {.attempt = 1};
    struct ia_err err = {0};
    enum answer answer = judge(w, &in, m, &err);
    if (err.code != IA_OK) {
        IA_LOG(IA_LOG_WARN, "fleet.order", IA_S("run", in.order.run), IA_S("why", err.msg));
        w->opts.say(w->opts.ctx, err.msg);
    }
    if (answer == DONE) {
        (void)ia_bus_ack(w->opts.bus, m, false, &err);
    } else if (answer == LATER) {
        ia_bus_give_back(w->opts.bus, m, err.code == IA_E_POLICY ? OTHER_MS : LATER_MS);
    }
    ia_bus_message_free(w->opts.bus, m);
    incoming_fini(&in);
}
