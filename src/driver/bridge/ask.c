/* ask.c: one request and its answer. Readings are sent again when the link broke, effects
 * never. */
#include "driver/bridge/impl.h"

#include <stdio.h>
#include <string.h>

enum { CHARACTER_MS = 150, TREE_TIMES = 3, MARGIN_US_MAX = 500000, MARGIN_PART = 5 };

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

bool ia_bridge_client_serves(const struct ia_bridge_client *h, uint8_t op)
{
    return op >= IA_WIRE_OP_HELLO && op < IA_WIRE_OP_HELLO + 64 &&
           (h->status.ops & IA_WIRE_BIT(op)) != 0;
}

static uint64_t ms_of(double seconds)
{
    return seconds > 0 && seconds < IA_WIRE_DEADLINE_MAX_MS / 1000.0
               ? (uint64_t)(seconds * 1000)
               : 0;
}

/* What a request asks the bridge to wait by itself. */
static uint64_t own_wait_ms(const struct ia_wire_request *r)
{
    switch (r->op) {
    case IA_WIRE_OP_FIND:
        return r->u.find.timeout_ms;
    case IA_WIRE_OP_ACT:
        return r->u.act.timeout_ms + ms_of(r->u.act.duration_s);
    case IA_WIRE_OP_WAIT:
        return r->u.wait.timeout_ms;
    case IA_WIRE_OP_SET_TEXT:
        return r->u.set_text.timeout_ms + CHARACTER_MS * strlen(r->u.set_text.text);
    case IA_WIRE_OP_CLEAR:
        return r->u.clear.timeout_ms;
    case IA_WIRE_OP_TYPE_TEXT:
        return CHARACTER_MS * (uint64_t)strlen(r->u.type_text.text);
    case IA_WIRE_OP_CLASSIC_TYPE_TEXT:
        return CHARACTER_MS * (uint64_t)strlen(r->u.classic_text.text);
    case IA_WIRE_OP_DELETE_TEXT:
        return CHARACTER_MS * (uint64_t)r->u.delete_text.count;
    case IA_WIRE_OP_LONG_PRESS_POINT:
        return ms_of(r->u.long_press_point.duration_s);
    case IA_WIRE_OP_LONG_PRESS:
        return ms_of(r->u.long_press.duration_s);
    case IA_WIRE_OP_DRAG:
        return ms_of(r->u.drag.press_s + r->u.drag.duration_s + r->u.drag.hold_s);
    case IA_WIRE_OP_SWIPE:
        return r->u.swipe.duration_s.has ? ms_of(r->u.swipe.duration_s.v) : 0;
    case IA_WIRE_OP_TAP_ELEMENT:
    case IA_WIRE_OP_TAP_BY_LABEL:
        return r->u.tap_element.timeout_ms.has ? r->u.tap_element.timeout_ms.v : 0;
    case IA_WIRE_OP_TAP_WITH_TYPE:
        return r->u.tap_with_type.timeout_ms.has ? r->u.tap_with_type.timeout_ms.v : 0;
    case IA_WIRE_OP_GET_VALUE:
        return r->u.get_value.timeout_ms.has ? r->u.get_value.timeout_ms.v : 0;
    default:
        return 0;
    }
}

uint32_t ia_bridge_client_answer_ms(const struct ia_bridge_client *h,
                                    const struct ia_wire_request *req)
{
    bool effect = ia_wire_has_effect(req);
    uint64_t ms = effect ? h->limits.action_ms : h->limits.read_ms;
    if (req->op == IA_WIRE_OP_TREE || req->op == IA_WIRE_OP_DUMP_TREE ||
        req->op == IA_WIRE_OP_AUDIT) {
        ms *= TREE_TIMES;
    } else if (req->op == IA_WIRE_OP_BATCH) {
        for (uint32_t i = 0; i < req->u.batch.items_n; i++) {
            ms += ia_bridge_client_answer_ms(h, &req->u.batch.items[i]);
        }
    }
    ms += own_wait_ms(req);
    return ms < IA_WIRE_DEADLINE_MAX_MS ? (uint32_t)ms : IA_WIRE_DEADLINE_MAX_MS;
}

/* ---- once ------------------------------------------------------------------------------- */

/* The bridge's time ends a little before ours, so that its own word of what became of the
 * request arrives and the stream stays in step. */
static uint32_t deadline_for_bridge(const struct ia_limit *limit)
{
    int64_t left = limit->deadline_us - ia_mono_us(ia_clock_system());
    int64_t margin = left / MARGIN_PART;
    left -= margin < MARGIN_US_MAX ? margin : MARGIN_US_MAX;
    return left < 1000 ? 1 : (uint32_t)(left / 1000);
}

/* A request that cannot be written never began. */
static enum ia_rc encode(struct ia_bridge_client *h, struct ia_ask *ask,
                         const struct ia_limit *limit, struct ia_err *err)
{
    struct ia_wire_fault fault;
    ask->req->id = ++h->last_id;
    ask->req->deadline_ms = deadline_for_bridge(limit);
    h->out.len = 0;
    if (ia_wire_put_request(&h->out, ask->req, &fault)) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, fault.code == IA_WIRE_E_LIMIT ? IA_E_LIMIT : IA_E_USAGE,
                   "%s cannot be asked for: %s", ia_wire_op_name(ask->req->op), fault.text);
    ia_err_hint(err, "%s", fault.code == IA_WIRE_E_LIMIT ? "ask for less at once" : "");
    return ia_bridge_client_outcome(rc, ask->effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE,
                                    err);
}

static enum ia_rc foreign(struct ia_bridge_client *h, const char *why, struct ia_err *err)
{
    ia_link_drop(&h->link);
    return ia_err_set(err, IA_E_PROTO, "what came is no answer to the request: %s", why);
}

static enum ia_rc take_reply(struct ia_bridge_client *h, struct ia_ask *ask,
                             const struct ia_wire_frame *f, struct ia_err *err)
{
    struct ia_wire_fault fault = {.text = ""};
    char why[96];
    if (ask->plain && (f->op == IA_WIRE_OP_ANSWER || f->op == IA_WIRE_OP_ERROR)) {
        *ask->plain = true;
        return ia_err_set(err, IA_E_PROTO, "the agent does not know hello");
    }
    if (f->op != IA_WIRE_OP_REPLY) {
        (void)snprintf(why, sizeof(why), "its opcode is %02x", (unsigned)f->op);
        return foreign(h, why, err);
    }
    if (!ia_wire_get_reply(f, ask->reply, &fault)) {
        return foreign(h, fault.text, err);
    }
    if (ask->reply->id == ask->req->id && ask->reply->op == ask->req->op) {
        return IA_OK;
    }
    (void)snprintf(why, sizeof(why), "it is of request %lu, not of %lu",
                   (unsigned long)ask->reply->id, (unsigned long)ask->req->id);
    ia_wire_reply_fini(ask->reply);
    return foreign(h, why, err);
}

static enum ia_rc take_answer(struct ia_bridge_client *h, struct ia_ask *ask,
                              const struct ia_wire_frame *f, struct ia_err *err)
{
    struct ia_wire_fault fault = {.text = ""};
    return ia_wire_get_answer(f, ask->answer, &fault) ? IA_OK : foreign(h, fault.text, err);
}

enum ia_rc ia_bridge_client_once(struct ia_bridge_client *h, struct ia_ask *ask,
                                 struct ia_err *err)
{
    uint32_t ms = ask->answer_ms > 0 ? ask->answer_ms : ia_bridge_client_answer_ms(h, ask->req);
    struct ia_limit limit = ia_limit_within(&ask->limit, ms);
    struct ia_wire_frame frame;
    ask->sent = 0;
    enum ia_rc rc = encode(h, ask, &limit, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_link_send(&h->link, &limit, h->out.p, h->out.len, &ask->sent, err);
    if (rc == IA_OK) {
        rc = ia_link_recv(&h->link, &limit, &frame, err);
    }
    if (rc == IA_OK) {
        rc = ask->reply ? take_reply(h, ask, &frame, err) : take_answer(h, ask, &frame, err);
    }
    return rc;
}

/* ---- with the ladder -------------------------------------------------------------------- */

static bool link_up(const struct ia_bridge_client *h)
{
    return h->link.fd >= 0;
}

/* A request that never left this process. */
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
                            "there again",
                            name, why.msg);
            ia_err_hint(err, "it may have happened: look at the screen before trying again");
        } else {
            rc = ia_err_wrap(err, rc, "%s: the link broke before its answer came", name);
        }
    } else {
        rc = ia_err_set(err, rc, "%s: %s", name, why.msg);
        ia_err_hint(err, "it may have happened: look at the screen before trying again");
    }
    return ia_bridge_client_outcome(rc, IA_OUTCOME_UNKNOWN, err);
}

/* A reading that got no answer, however often it was asked for. */
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
                             ? "the app or the bridge hangs: ios-agent bridge logs"
                             : "");
    } else {
        rc = ia_err_set(err, IA_E_DEVICE_LOST,
                        "%s: the link to the bridge at %s broke %d times in a row: %s", name,
                        where, tries, why.msg);
        ia_err_hint(err,
                    "what listens there is no bridge of this version, or it crashes at this "
                    "request: ios-agent bridge logs");
    }
    return not_begun(ask, rc, err);
}

/* A call that is cancelled or late before it began sends nothing, however fast a bridge is. */
static enum ia_rc too_late(const struct ia_ask *ask, struct ia_err *err)
{
    bool cancelled = ia_cancel_fired(ask->limit.cancel);
    return cancelled
               ? ia_err_set(err, IA_E_CANCELLED, "cancelled before anything was sent")
               : ia_err_set(err, IA_E_TIMEOUT, "the time was over before anything was sent");
}

enum ia_rc ia_bridge_client_ask(struct ia_bridge_client *h, struct ia_ask *ask,
                                struct ia_err *err)
{
    for (int tries = 1;; tries++) {
        enum ia_rc rc = ia_bridge_client_ready(h, &ask->limit, err);
        if (rc == IA_OK && ia_limit_over(&ask->limit)) {
            rc = too_late(ask, err);
        }
        if (rc != IA_OK) {
            return not_begun(ask, rc, err);
        }
        rc = ia_bridge_client_once(h, ask, err);
        if (rc == IA_OK || link_up(h)) {
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

/* A late main thread is worth a look: its app may hang. */
static void tell_health(struct ia_bridge_client *h, const struct ia_limit *limit,
                        struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HEALTH};
    struct ia_wire_reply reply = {.op = 0};
    struct ia_err ignored;
    struct ia_ask ask = {
        .req = &req, .reply = &reply, .limit = *limit, .answer_ms = h->limits.heartbeat_ms};
    h->suspect = true;
    if (!link_up(h) || ia_bridge_client_once(h, &ask, &ignored) != IA_OK) {
        return;
    }
    const struct ia_wire_health_reply *u = &reply.u.health;
    if (reply.code == IA_WIRE_OK && u->busy) {
        ia_err_hint(err,
                    "the bridge's main thread has been in %s for %.1f s: the app may hang; "
                    "look again, launch it again, or restart the bridge",
                    ia_wire_op_name(u->op), u->busy_ms / 1000.0);
    }
    ia_wire_reply_fini(&reply);
}

enum ia_rc ia_bridge_client_request(struct ia_bridge_client *h,
                                    const struct ia_deadline *deadline,
                                    struct ia_wire_request *req, struct ia_wire_reply *ret,
                                    struct ia_err *err)
{
    struct ia_err own = {.code = IA_OK};
    struct ia_err *e = err ? err : &own;
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
        tell_health(h, &ask.limit, e);
    }
    ia_wire_reply_fini(ret);
    return rc;
}

enum ia_rc ia_bridge_client_classic(struct ia_bridge_client *h,
                                    const struct ia_deadline *deadline,
                                    const struct ia_wire_request *req,
                                    struct ia_wire_answer *ret, struct ia_err *err)
{
    struct ia_err own = {.code = IA_OK};
    struct ia_err *e = err ? err : &own;
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
