/* once.c: one request and one answer on the stream that is there.
 *
 *   encode ─► send ─► receive one frame ─► is it the answer to this request? ─► the caller's
 *                                             │no
 *                                             ▼
 *                                          the stream is dropped: nobody knows any more where
 *                                          the next answer begins
 *
 * ask->sent counts the bytes that left, from which ask.c tells NOT_SENT from UNKNOWN when
 * this fails. */
#include "driver/bridge/impl.h"

#include <stdio.h>
#include <string.h>

enum {
    CHARACTER_MS = 150, /* to type one: XCTest types about ten a second */
    TREE_TIMES = 3,     /* a tree may take so many times as long as another reading */
    MARGIN_US_MAX = 500000,
    MARGIN_PART = 5 /* the bridge's deadline ends a fifth of what is left before ours */
};

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

/* How long the request itself lets the bridge take. */
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
    /* The limit of the kind of request, and on top of it the time that the request itself
     * asks for. */
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

/* The bridge's time ends a little before ours, so that its own word of what became of the
 * request arrives and the stream stays in step. */
static uint32_t deadline_for_bridge(const struct ia_limit *limit)
{
    int64_t left = limit->deadline_us - ia_mono_us(ia_clock_system());
    int64_t margin = left / MARGIN_PART;
    left -= margin < MARGIN_US_MAX ? margin : MARGIN_US_MAX;
    return left < 1000 ? 1 : (uint32_t)(left / 1000);
}

/* Writes the request into h->out. One that cannot be written is not sent. */
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
                   "%s cannot be sent: %s", ia_wire_op_name(ask->req->op), fault.text);
    ia_err_hint(err, "%s", fault.code == IA_WIRE_E_LIMIT ? "request less at once" : "");
    return ia_bridge_client_outcome(rc, ask->effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE,
                                    err);
}

static enum ia_rc foreign(struct ia_bridge_client *h, const char *why, struct ia_err *err)
{
    ia_link_drop(&h->link);
    return ia_err_set(err, IA_E_PROTO, "what came is not an answer to the request: %s", why);
}

static enum ia_rc take_reply(struct ia_bridge_client *h, struct ia_ask *ask,
                             const struct ia_wire_frame *f, struct ia_err *err)
{
    struct ia_wire_fault fault = {.text = ""};
    char why[96];
    if (ask->plain && (f->op == IA_WIRE_OP_ANSWER || f->op == IA_WIRE_OP_ERROR)) {
        *ask->plain = true;
        return ia_err_set(err, IA_E_PROTO, "the agent does not support hello");
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
    (void)snprintf(why, sizeof(why), "it belongs to request %lu, not %lu",
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
