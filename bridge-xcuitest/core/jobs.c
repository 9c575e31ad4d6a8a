/* jobs.c: the queue between the connections and the main thread. */
#include "core/impl.h"

#include <stdlib.h>

enum ia_bridge_why ia_bridge_why(const struct ia_bridge_job *j)
{
    int why = atomic_load(&j->why);
    if (why == IA_BRIDGE_GO_ON && atomic_load(&j->bridge->stopping)) {
        why = IA_BRIDGE_STOP;
    }
    if (why == IA_BRIDGE_GO_ON && ia_bridge_now_us() >= j->deadline_us) {
        why = IA_BRIDGE_DEADLINE;
    }
    return (enum ia_bridge_why)why;
}

bool ia_bridge_cancelled(const struct ia_bridge_call *call)
{
    return ia_bridge_now_us() >= call->deadline_us ||
           (call->job && ia_bridge_why(call->job) != IA_BRIDGE_GO_ON);
}

static void set_why(struct ia_bridge_job *j, enum ia_bridge_why why)
{
    int none = IA_BRIDGE_GO_ON;
    atomic_compare_exchange_strong(&j->why, &none, (int)why);
}

void ia_bridge_job_drop(struct ia_bridge_job *j)
{
    struct ia_bridge *b = j->bridge;
    pthread_mutex_lock(&b->lock);
    bool last = --j->owners == 0;
    pthread_mutex_unlock(&b->lock);
    if (!last) {
        return;
    }
    for (uint32_t i = 0; i < j->items_n; i++) {
        ia_wire_reply_fini(&j->items[i]);
    }
    free(j->items);
    ia_wire_reply_fini(&j->reply);
    ia_wire_request_fini(&j->req);
    free(j);
}

/* ---- the text of an end ---- */

static void end_text(struct ia_wire_reply *r, enum ia_bridge_why why,
                     enum ia_wire_outcome outcome, const char *where)
{
    if (why == IA_BRIDGE_DEADLINE) {
        ia_wire_reply_fail(r, IA_WIRE_E_TIMEOUT, outcome, false,
                           "the deadline has passed while it %s", where);
    } else {
        ia_wire_reply_fail(r, IA_WIRE_E_CANCELLED, outcome, false, "%s while it %s",
                           why == IA_BRIDGE_STOP ? "the bridge stopped" : "cancelled", where);
    }
}

static enum ia_wire_outcome nothing_sent(const struct ia_wire_request *req)
{
    return ia_wire_has_effect(req) ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
}

/* ---- queue; bridge.lock is held in functions that end in _locked ---- */

static bool unlink_locked(struct ia_bridge_job *j)
{
    struct ia_bridge *b = j->bridge;
    for (struct ia_bridge_job **at = &b->head; *at; at = &(*at)->next) {
        if (*at == j) {
            *at = j->next;
            b->queued--;
            return true;
        }
    }
    return false;
}

/* Ends a job that waits. The main thread's share of it is given back. */
static void end_waiting_locked(struct ia_bridge_job *j, enum ia_bridge_why why)
{
    unlink_locked(j);
    end_text(&j->reply, why, nothing_sent(&j->req), "waited for the main thread");
    j->state = IA_BRIDGE_DONE;
    j->owners--;
    if (j->conn) {
        ia_bridge_wake(j->conn->wake[1]);
    }
}

void ia_bridge_jobs_end(struct ia_bridge *b)
{
    pthread_mutex_lock(&b->lock);
    b->ended = true;
    while (b->head) {
        end_waiting_locked(b->head, IA_BRIDGE_STOP);
    }
    pthread_mutex_unlock(&b->lock);
}

/* Why a job cannot be taken; NULL when it was. */
static void submit(struct ia_bridge *b, struct ia_bridge_job *j)
{
    pthread_mutex_lock(&b->lock);
    enum ia_wire_outcome outcome = nothing_sent(&j->req);
    if (b->ended) {
        j->state = IA_BRIDGE_DONE;
        end_text(&j->reply, IA_BRIDGE_STOP, outcome, "was asked");
    } else if (b->queued >= b->opt.queue_max) {
        j->state = IA_BRIDGE_DONE;
        ia_wire_reply_fail(&j->reply, IA_WIRE_E_BUSY, outcome, false,
                           "%u requests wait already", b->queued);
    } else {
        struct ia_bridge_job **at = &b->head;
        while (*at) {
            at = &(*at)->next;
        }
        *at = j;
        b->queued++;
        j->owners++;
    }
    pthread_mutex_unlock(&b->lock);
    ia_bridge_wake(b->wake[1]);
}

struct ia_bridge_job *ia_bridge_job_next(struct ia_bridge *b)
{
    pthread_mutex_lock(&b->lock);
    struct ia_bridge_job *j = b->head;
    if (j) {
        unlink_locked(j);
        j->state = IA_BRIDGE_RUNNING;
        j->begun_us = ia_bridge_now_us();
        b->running = j;
    }
    pthread_mutex_unlock(&b->lock);
    return j;
}

void ia_bridge_job_done(struct ia_bridge_job *j)
{
    struct ia_bridge *b = j->bridge;
    pthread_mutex_lock(&b->lock);
    j->state = IA_BRIDGE_DONE;
    b->running = NULL;
    b->done++;
    b->late += ia_bridge_now_us() > j->deadline_us ? 1 : 0;
    if (j->conn) {
        ia_bridge_wake(j->conn->wake[1]);
    }
    pthread_mutex_unlock(&b->lock);
    ia_bridge_job_drop(j);
}

bool ia_bridge_may_send(struct ia_bridge_job *j)
{
    bool may = false;
    pthread_mutex_lock(&j->bridge->lock);
    if (j->conn && ia_bridge_why(j) == IA_BRIDGE_GO_ON) {
        j->maybe_sent = true;
        may = true;
    }
    pthread_mutex_unlock(&j->bridge->lock);
    return may;
}

static bool is_meant(const struct ia_bridge_job *j, uint32_t session, uint32_t id)
{
    return j->conn && j->session == session && (id == 0 || j->req.id == id);
}

bool ia_bridge_job_cancel(struct ia_bridge *b, uint32_t session, uint32_t id)
{
    bool found = false;
    pthread_mutex_lock(&b->lock);
    struct ia_bridge_job *next;
    for (struct ia_bridge_job *j = b->head; j; j = next) {
        next = j->next;
        if (is_meant(j, session, id)) {
            end_waiting_locked(j, IA_BRIDGE_CANCEL);
            found = true;
        }
    }
    struct ia_bridge_job *j = b->running;
    if (j && is_meant(j, session, id)) {
        set_why(j, IA_BRIDGE_CANCEL);
        ia_bridge_wake(j->conn->wake[1]);
        found = true;
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

/* ---- a connection waits ---- */

/* What a batch has done so far, and the item that did not come back. */
static void abandoned_batch_locked(struct ia_bridge_job *j, enum ia_wire_outcome outcome,
                                   enum ia_bridge_why why, struct ia_wire_reply *to)
{
    uint32_t n = j->items_n;
    struct ia_wire_reply *items = ia_wire_alloc(&to->arena, (n + 1) * sizeof(*items));
    if (!items || n >= j->req.u.batch.items_n) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        items[i] = j->items[i];
        items[i].arena = (struct ia_wire_arena){0};
    }
    const struct ia_wire_request *at = &j->req.u.batch.items[n];
    items[n] = (struct ia_wire_reply){.op = at->op, .id = at->id};
    items[n].arena = to->arena;
    end_text(&items[n], why, ia_wire_has_effect(at) ? outcome : IA_WIRE_NONE,
             "was on the main thread");
    to->arena = items[n].arena;
    items[n].arena = (struct ia_wire_arena){0};
    to->u.batch.items = items;
    to->u.batch.items_n = n + 1;
    ia_bridge_sum_up(to, ia_wire_has_effect(&j->req));
}

/* Gives up a job that runs: what it says from now on is dropped. `to` is the connection's own,
 * since the job's reply may be written to at any time. */
static void abandon_locked(struct ia_bridge_job *j, struct ia_wire_reply *to)
{
    enum ia_bridge_why why = ia_bridge_why(j);
    enum ia_wire_outcome outcome = nothing_sent(&j->req);
    if (outcome == IA_WIRE_NOT_SENT && j->maybe_sent) {
        outcome = IA_WIRE_UNKNOWN;
    }
    set_why(j, why);
    j->conn = NULL;
    end_text(to, why, outcome, "was on the main thread");
    if (j->req.op == IA_WIRE_OP_BATCH) {
        abandoned_batch_locked(j, outcome, why, to);
    }
}

/* One look at a job that is waited for. True when its reply is there: *ret. */
static bool settled(struct ia_bridge_job *j, struct ia_wire_reply *own,
                    const struct ia_wire_reply **ret, int64_t *give_up_us)
{
    struct ia_bridge *b = j->bridge;
    bool over = true;
    pthread_mutex_lock(&b->lock);
    enum ia_bridge_why why = ia_bridge_why(j);
    int64_t now = ia_bridge_now_us();
    if (j->state == IA_BRIDGE_WAITING && why == IA_BRIDGE_DEADLINE) {
        end_waiting_locked(j, why);
    }
    if (j->state == IA_BRIDGE_RUNNING && why != IA_BRIDGE_GO_ON && *give_up_us == 0) {
        *give_up_us = now + b->opt.grace_ms * INT64_C(1000);
    }
    if (j->state == IA_BRIDGE_DONE) {
        *ret = &j->reply;
    } else if (*give_up_us != 0 && now >= *give_up_us) {
        abandon_locked(j, own);
        *ret = own;
    } else {
        over = false;
    }
    pthread_mutex_unlock(&b->lock);
    return over;
}

/* The peer has gone: nobody waits for it any more. */
static void leave(struct ia_bridge_job *j)
{
    pthread_mutex_lock(&j->bridge->lock);
    set_why(j, IA_BRIDGE_GONE);
    j->conn = NULL;
    if (j->state == IA_BRIDGE_WAITING) {
        end_waiting_locked(j, IA_BRIDGE_GONE);
    }
    pthread_mutex_unlock(&j->bridge->lock);
}

static struct ia_bridge_job *job_new(struct ia_bridge_conn *c, struct ia_wire_request *req)
{
    struct ia_bridge *b = c->bridge;
    struct ia_bridge_job *j = calloc(1, sizeof(*j));
    if (!j) {
        return NULL;
    }
    uint32_t ms = req->deadline_ms ? req->deadline_ms : b->opt.deadline_ms;
    ms = ms < IA_WIRE_DEADLINE_MAX_MS ? ms : IA_WIRE_DEADLINE_MAX_MS;
    j->bridge = b;
    j->conn = c;
    j->req = *req;
    *req = (struct ia_wire_request){0};
    j->reply = (struct ia_wire_reply){.op = j->req.op, .id = j->req.id};
    j->owners = 1;
    j->session = c->session;
    j->deadline_us = ia_bridge_now_us() + ms * INT64_C(1000);
    return j;
}

static bool wait_settled(struct ia_bridge_conn *c, struct ia_bridge_job *j,
                         struct ia_wire_reply *own, const struct ia_wire_reply **ret)
{
    int64_t give_up_us = 0;
    if (!c->held && !ia_bridge_conn_aside(c, false)) {
        return false;
    }
    while (!settled(j, own, ret, &give_up_us)) {
        int64_t until = give_up_us != 0 ? give_up_us : j->deadline_us;
        int ready = ia_bridge_poll(c->held ? -1 : c->fd, c->wake[0], until);
        if (ready & 2) {
            ia_bridge_drain(c->wake[0]);
        }
        if ((ready & 1) && !ia_bridge_conn_aside(c, true)) {
            return false;
        }
    }
    return true;
}

struct ia_bridge_job *ia_bridge_job_do(struct ia_bridge_conn *c, struct ia_wire_request *req,
                                       const struct ia_wire_reply **ret,
                                       struct ia_wire_reply *own)
{
    struct ia_bridge_job *j = job_new(c, req);
    if (!j) {
        return NULL;
    }
    submit(c->bridge, j);
    if (wait_settled(c, j, own, ret)) {
        return j;
    }
    leave(j);
    ia_bridge_job_drop(j);
    return NULL;
}
