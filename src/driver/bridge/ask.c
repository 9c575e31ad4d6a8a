/* ask.c: a request with its answer, whatever it takes.
 *
 *   ready (ladder.c) ─► once (once.c) ─► answer
 *          ▲               │the stream broke
 *          └── a reading ──┤ at most IA_BRIDGE_CLIENT_RESENDS times
 *                          ├ an effect of which nothing was sent: the same
 *                          └ an effect that may have arrived: IA_OUTCOME_UNKNOWN, never again */
#include "driver/bridge/impl.h"

struct ia_limit ia_bridge_client_limit(const struct ia_bridge_client *h,
                                       const struct ia_deadline *deadline)
{
    struct ia_limit all = {deadline ? deadline->cancel : NULL, IA_NO_DEADLINE};
    if (deadline && deadline->at_us != IA_NO_DEADLINE) {
        all.deadline_us = deadline->at_us;
        return all;
    }
    return ia_limit_within(&all, h->limits.total_ms);
}

/* The failure of a request that never left this process. */
static enum ia_rc not_begun(const struct ia_ask *ask, enum ia_rc rc, struct ia_err *err)
{
    return ia_bridge_client_outcome(rc, ask->effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE,
                                    err);
}

/* An effect whose answer is lost. The bridge is sought at once, so that the caller can look at
 * what became of it; the effect itself is never sent again. */
static enum ia_rc lost_effect(struct ia_bridge_client *h, const struct ia_ask *ask,
                              enum ia_rc rc, struct ia_err *err)
{
    const char *name = ia_wire_op_name(ask->req->op);
    struct ia_err why = *err;
    if (rc != IA_E_TIMEOUT && rc != IA_E_CANCELLED) {
        rc = ia_bridge_client_ready(h, &ask->limit, err);
        if (rc == IA_OK) {
            rc = ia_err_set(err, IA_E_DEVICE,
                            "%s: the link broke before its answer came (%s); the bridge is "
                            "back",
                            name, why.msg);
            ia_err_hint(err,
                        "it may have taken effect: look at the screen before trying again");
        } else {
            rc = ia_err_wrap(err, rc, "%s: the connection was lost before the answer arrived",
                             name);
        }
    } else {
        rc = ia_err_set(err, rc, "%s: %s", name, why.msg);
        ia_err_hint(err, "it may have taken effect: look at the screen before trying again");
    }
    return ia_bridge_client_outcome(rc, IA_OUTCOME_UNKNOWN, err);
}

/* A reading that got no answer, even when it was sent again. */
static enum ia_rc no_answer(const struct ia_bridge_client *h, const struct ia_ask *ask,
                            enum ia_rc rc, int tries, struct ia_err *err)
{
    char where[IA_BRIDGE_CLIENT_ADDRESS_MAX + 16];
    const char *name = ia_wire_op_name(ask->req->op);
    struct ia_err why = *err;
    ia_bridge_client_where(h, where, sizeof(where));
    if (rc == IA_E_TIMEOUT || rc == IA_E_CANCELLED) {
        rc = ia_err_set(err, rc, "%s: no answer from the bridge at %s: %s", name, where,
                        why.msg);
        ia_err_hint(err, rc == IA_E_TIMEOUT
                             ? "the app or the bridge may be hanging: see ios-agent bridge logs"
                             : "");
    } else {
        rc = ia_err_set(err, IA_E_DEVICE_LOST,
                        "%s: the connection to the bridge at %s was lost %d times in a row: %s",
                        name, where, tries, why.msg);
        ia_err_hint(err,
                    "what listens there is not a bridge of this version, or it crashes on this "
                    "request: ios-agent bridge logs");
    }
    return not_begun(ask, rc, err);
}

enum ia_rc ia_bridge_client_ask(struct ia_bridge_client *h, struct ia_ask *ask,
                                struct ia_err *err)
{
    const struct ia_deadline limit = {ask->limit.cancel, ask->limit.deadline_us};
    for (int tries = 1;; tries++) {
        enum ia_rc rc = ia_bridge_client_ready(h, &ask->limit, err);
        /* A call that is late sends nothing, even to a bridge that would answer at once. */
        if (rc == IA_OK) {
            rc = ia_deadline_check(&limit, ia_clock_system(), err);
        }
        if (rc != IA_OK) {
            return not_begun(ask, rc, err);
        }
        rc = ia_bridge_client_once(h, ask, err);
        /* With the stream still up, the failure is that of the request itself. */
        if (rc == IA_OK || ia_link_up(&h->link)) {
            return rc;
        }
        if (ask->effect && ask->sent > 0) {
            return lost_effect(h, ask, rc, err);
        }
        if (rc == IA_E_CANCELLED || tries > IA_BRIDGE_CLIENT_RESENDS ||
            ia_limit_over(&ask->limit)) {
            return no_answer(h, ask, rc, tries, err);
        }
        h->status.resent += ask->sent > 0;
    }
}

/* ---- the public requests ---------------------------------------------------------------- */

/* After a late answer: says in the hint when the bridge's main thread is stuck in a request,
 * since the app may hang. */
static void hint_health(struct ia_bridge_client *h, const struct ia_limit *limit,
                        struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HEALTH};
    struct ia_wire_reply reply = {.op = 0};
    struct ia_err ignored;
    struct ia_ask ask = {
        .req = &req, .reply = &reply, .limit = *limit, .answer_ms = h->limits.heartbeat_ms};
    h->suspect = true;
    if (!ia_link_up(&h->link) || ia_bridge_client_once(h, &ask, &ignored) != IA_OK) {
        return;
    }
    const struct ia_wire_health_reply *u = &reply.u.health;
    if (reply.code == IA_WIRE_OK && u->busy) {
        ia_err_hint(err,
                    "the bridge's main thread has been in %s for %.1f s: the app may be "
                    "hanging; look again, relaunch the app, or restart the bridge",
                    ia_wire_op_name(u->op), u->busy_ms / 1000.0);
    }
    ia_wire_reply_fini(&reply);
}

enum ia_rc ia_bridge_client_request(struct ia_bridge_client *h,
                                    const struct ia_deadline *deadline,
                                    struct ia_wire_request *req, struct ia_wire_reply *ret,
                                    struct ia_err *err)
{
    struct ia_err local_err = {.code = IA_OK};
    struct ia_err *e = err ? err : &local_err;
    struct ia_ask ask = {.req = req,
                         .reply = ret,
                         .limit = ia_bridge_client_limit(h, deadline),
                         .effect = ia_wire_has_effect(req)};
    if (!ia_bridge_client_serves(h, req->op)) {
        return ia_bridge_client_unsupported(h, ia_wire_op_name(req->op), err);
    }
    enum ia_rc rc = ia_bridge_client_ask(h, &ask, e);
    if (rc != IA_OK || ret->code == IA_WIRE_OK) {
        return rc;
    }
    rc = ia_bridge_client_reply_err(ret, ask.effect, e);
    if (ret->code == IA_WIRE_E_TIMEOUT) {
        hint_health(h, &ask.limit, e);
    }
    ia_wire_reply_fini(ret);
    return rc;
}

enum ia_rc ia_bridge_client_classic(struct ia_bridge_client *h,
                                    const struct ia_deadline *deadline,
                                    const struct ia_wire_request *req,
                                    struct ia_wire_answer *ret, struct ia_err *err)
{
    struct ia_err local_err = {.code = IA_OK};
    struct ia_err *e = err ? err : &local_err;
    struct ia_wire_request copy = *req;
    struct ia_ask ask = {.req = &copy,
                         .answer = ret,
                         .limit = ia_bridge_client_limit(h, deadline),
                         .effect = ia_wire_has_effect(req)};
    enum ia_rc rc = ia_bridge_client_ask(h, &ask, e);
    if (rc != IA_OK || ret->kind != IA_WIRE_ANSWER_ERROR) {
        return rc;
    }
    rc = ia_bridge_client_answer_err(ret->text, ask.effect, e);
    ia_wire_answer_fini(ret);
    return rc;
}
