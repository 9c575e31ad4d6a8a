/* jobs.c: the queue between the connections and the main thread.
 *
 *   connection                     queue                    main thread
 *   ia_bridge_job_do --> submit --> [job][job] --> ia_bridge_job_next --> perform --> job_done
 *        |                                                                               |
 *        +-- wait_for_job <------------------- wake_pipe --------------------------------+
 *
 * A job has two owners, because either side may be done with it first: a connection leaves when
 * its peer disconnects or the deadline passes, and the main thread may hang in an operation for
 * minutes. What a connection answers for a job that it abandons is written to a reply of its
 * own, since the main thread may write to the job's at any time.
 *
 *   WAITING ──job_next──► RUNNING ──job_done──► DONE     the connection sends the reply
 *      │ deadline, cancel, peer gone, stop: end_waiting_locked ──► DONE, and nothing was sent
 *               │ grace_ms after a stop reason: abandon_locked ──► the connection replies, the
 *               │                                                  the job's result is dropped
 *
 * State, owners and connection of a job change under bridge.lock; stop_reason is atomic; the
 * reply is the main thread's while the job is RUNNING. */
#include "core/impl.h"

#include <stdlib.h>

static void set_stop_reason(struct ia_bridge_job *j, enum ia_bridge_stop_reason reason)
{
    int none = IA_BRIDGE_NO_STOP;
    atomic_compare_exchange_strong(&j->stop_reason, &none, (int)reason);
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

/* ---- failures of jobs that were stopped ---- */

static void fail_stopped(struct ia_wire_reply *r, enum ia_bridge_stop_reason reason,
                         enum ia_wire_outcome outcome, const char *where)
{
    if (reason == IA_BRIDGE_STOP_DEADLINE) {
        ia_wire_reply_fail(r, IA_WIRE_E_TIMEOUT, outcome, false,
                           "the deadline has passed while it %s", where);
    } else {
        ia_wire_reply_fail(r, IA_WIRE_E_CANCELLED, outcome, false, "%s while it %s",
                           reason == IA_BRIDGE_STOP_SERVER ? "the bridge stopped" : "cancelled",
                           where);
    }
}

static enum ia_wire_outcome outcome_not_sent(const struct ia_wire_request *req)
{
    return ia_wire_has_effect(req) ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
}

/* ---- the queue; the caller of a function that ends in _locked holds bridge.lock ---- */

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

/* Ends a waiting job. The main thread will never see it, so its share is given back here. */
static void end_waiting_locked(struct ia_bridge_job *j, enum ia_bridge_stop_reason reason)
{
    unlink_locked(j);
    fail_stopped(&j->reply, reason, outcome_not_sent(&j->req), "waited for the main thread");
    j->state = IA_BRIDGE_DONE;
    j->owners--;
    if (j->conn) {
        ia_bridge_wake(j->conn->wake_pipe[1]);
    }
}

void ia_bridge_jobs_end(struct ia_bridge *b)
{
    pthread_mutex_lock(&b->lock);
    b->ended = true;
    while (b->head) {
        end_waiting_locked(b->head, IA_BRIDGE_STOP_SERVER);
    }
    pthread_mutex_unlock(&b->lock);
}

/* Queues a job, or answers at once that it cannot be queued. */
static void submit(struct ia_bridge *b, struct ia_bridge_job *j)
{
    pthread_mutex_lock(&b->lock);
    enum ia_wire_outcome outcome = outcome_not_sent(&j->req);
    if (b->ended) {
        j->state = IA_BRIDGE_DONE;
        fail_stopped(&j->reply, IA_BRIDGE_STOP_SERVER, outcome, "was asked");
    } else if (b->queued >= b->opt.queue_max) {
        j->state = IA_BRIDGE_DONE;
        ia_wire_reply_fail(&j->reply, IA_WIRE_E_BUSY, outcome, false,
                           "the queue is full: %u requests are waiting", b->queued);
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
    ia_bridge_wake(b->wake_pipe[1]);
}

struct ia_bridge_job *ia_bridge_job_next(struct ia_bridge *b)
{
    pthread_mutex_lock(&b->lock);
    struct ia_bridge_job *j = b->head;
    if (j) {
        unlink_locked(j);
        j->state = IA_BRIDGE_RUNNING;
        j->started_us = ia_bridge_now_us();
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
        ia_bridge_wake(j->conn->wake_pipe[1]);
    }
    pthread_mutex_unlock(&b->lock);
    ia_bridge_job_drop(j);
}

/* Asked right before an effect. The lock makes it a decision: either abandon_locked() sees
 * maybe_sent and answers "unknown", or this sees that nobody waits any more and the effect
 * is not sent. */
bool ia_bridge_may_send(struct ia_bridge_job *j)
{
    bool may = false;
    pthread_mutex_lock(&j->bridge->lock);
    if (j->conn && ia_bridge_stop_reason(j) == IA_BRIDGE_NO_STOP) {
        j->maybe_sent = true;
        may = true;
    }
    pthread_mutex_unlock(&j->bridge->lock);
    return may;
}

static bool has_id(const struct ia_bridge_job *j, uint32_t session, uint32_t id)
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
        if (has_id(j, session, id)) {
            end_waiting_locked(j, IA_BRIDGE_STOP_CANCELLED);
            found = true;
        }
    }
    struct ia_bridge_job *j = b->running;
    if (j && has_id(j, session, id)) {
        set_stop_reason(j, IA_BRIDGE_STOP_CANCELLED);
        ia_bridge_wake(j->conn->wake_pipe[1]);
        found = true;
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

/* ---- the connection that waits ---- */

/* The reply to a batch that hangs: the items that were done, and the failure of the one that
 * was running. Copies of replies share their strings with the job, which its connection keeps
 * until the reply is out. */
static void abandoned_batch_locked(struct ia_bridge_job *j, enum ia_wire_outcome outcome,
                                   enum ia_bridge_stop_reason reason, struct ia_wire_reply *to)
{
    uint32_t n = j->items_n;
    struct ia_wire_reply *items = ia_wire_alloc(&to->arena, (n + 1) * sizeof(*items));
    if (!items || n >= j->req.u.batch.items_n) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        items[i] = j->items[i];
        /* Borrowed: freeing the reply must not free what the job owns. */
        items[i].arena = (struct ia_wire_arena){0};
    }
    const struct ia_wire_request *at = &j->req.u.batch.items[n];
    items[n] = (struct ia_wire_reply){.op = at->op, .id = at->id};
    /* Lent for the text of the failure, so that it lives as long as the reply. */
    items[n].arena = to->arena;
    fail_stopped(&items[n], reason, ia_wire_has_effect(at) ? outcome : IA_WIRE_NONE,
                 "was on the main thread");
    to->arena = items[n].arena;
    items[n].arena = (struct ia_wire_arena){0};
    to->u.batch.items = items;
    to->u.batch.items_n = n + 1;
    ia_bridge_batch_outcome(to, ia_wire_has_effect(&j->req));
}

/* Gives up a running job, whose result will be dropped. */
static void abandon_locked(struct ia_bridge_job *j, struct ia_wire_reply *to)
{
    enum ia_bridge_stop_reason reason = ia_bridge_stop_reason(j);
    enum ia_wire_outcome outcome = outcome_not_sent(&j->req);
    if (outcome == IA_WIRE_NOT_SENT && j->maybe_sent) {
        outcome = IA_WIRE_UNKNOWN;
    }
    set_stop_reason(j, reason);
    j->conn = NULL;
    fail_stopped(to, reason, outcome, "was on the main thread");
    if (j->req.op == IA_WIRE_OP_BATCH) {
        abandoned_batch_locked(j, outcome, reason, to);
    }
}

/* Checks on a job that is waited for. True once there is a reply: *ret. A running job that has
 * to stop gets some time to report its own outcome, which knows more than "unknown". */
static bool poll_job(struct ia_bridge_job *j, struct ia_wire_reply *local,
                     const struct ia_wire_reply **ret, int64_t *give_up_us)
{
    struct ia_bridge *b = j->bridge;
    bool over = true;
    pthread_mutex_lock(&b->lock);
    enum ia_bridge_stop_reason reason = ia_bridge_stop_reason(j);
    int64_t now = ia_bridge_now_us();
    if (j->state == IA_BRIDGE_WAITING && reason == IA_BRIDGE_STOP_DEADLINE) {
        end_waiting_locked(j, reason);
    }
    if (j->state == IA_BRIDGE_RUNNING && reason != IA_BRIDGE_NO_STOP && *give_up_us == 0) {
        *give_up_us = now + b->opt.grace_ms * INT64_C(1000);
    }
    if (j->state == IA_BRIDGE_DONE) {
        *ret = &j->reply;
    } else if (*give_up_us != 0 && now >= *give_up_us) {
        abandon_locked(j, local);
        *ret = local;
    } else {
        over = false;
    }
    pthread_mutex_unlock(&b->lock);
    return over;
}

/* Moves the request out of *req. */
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

static bool wait_for_job(struct ia_bridge_conn *c, struct ia_bridge_job *j,
                         ia_bridge_read_ahead *read_ahead, struct ia_wire_reply *local,
                         const struct ia_wire_reply **ret)
{
    int64_t give_up_us = 0;
    /* Frames that came together with this one are in the reader already, and no poll reports
     * them. */
    if (!c->held && !read_ahead(c, false)) {
        return false;
    }
    while (!poll_job(j, local, ret, &give_up_us)) {
        int64_t until = give_up_us != 0 ? give_up_us : j->deadline_us;
        int ready = ia_bridge_poll(c->held ? -1 : c->fd, c->wake_pipe[0], until);
        if (ready & 2) {
            /* Before the state is checked again: a wake that comes after the check is not
             * lost. */
            ia_bridge_drain(c->wake_pipe[0]);
        }
        if ((ready & 1) && !read_ahead(c, true)) {
            return false;
        }
    }
    return true;
}

struct ia_bridge_job *ia_bridge_job_do(struct ia_bridge_conn *c, struct ia_wire_request *req,
                                       ia_bridge_read_ahead *read_ahead,
                                       const struct ia_wire_reply **ret,
                                       struct ia_wire_reply *local)
{
    struct ia_bridge_job *j = job_new(c, req);
    if (!j) {
        return NULL;
    }
    submit(c->bridge, j);
    if (wait_for_job(c, j, read_ahead, local, ret)) {
        return j;
    }
    /* The peer has disconnected. A running job finishes, but sends nothing any more
     * (may_send). */
    pthread_mutex_lock(&j->bridge->lock);
    set_stop_reason(j, IA_BRIDGE_STOP_PEER_GONE);
    j->conn = NULL;
    if (j->state == IA_BRIDGE_WAITING) {
        end_waiting_locked(j, IA_BRIDGE_STOP_PEER_GONE);
    }
    pthread_mutex_unlock(&j->bridge->lock);
    ia_bridge_job_drop(j);
    return NULL;
}
