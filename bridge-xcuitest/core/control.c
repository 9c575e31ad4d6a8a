/* control.c: requests that are answered on the connection's thread: hello, health, cancel,
 * shutdown. They work while the main thread hangs, which is when a host needs them most. */
#include "core/impl.h"

#include <string.h>

#define BIT IA_WIRE_BIT

uint64_t ia_bridge_serves(const struct ia_bridge *b)
{
    uint64_t can = b->ops.can;
    uint64_t snapshots = BIT(IA_WIRE_OP_TREE);
    uint64_t taps = snapshots | BIT(IA_WIRE_OP_TAP_POINT);
    uint64_t types = taps | BIT(IA_WIRE_OP_TYPE_TEXT) | BIT(IA_WIRE_OP_DELETE_TEXT);
    struct {
        uint64_t needs, gives;
    } const rows[] = {
        /* What a back end has to implement for the core to offer the rest. */
        {0, BIT(IA_WIRE_OP_HELLO) | BIT(IA_WIRE_OP_HEALTH) | BIT(IA_WIRE_OP_CANCEL) |
                BIT(IA_WIRE_OP_BATCH) | BIT(IA_WIRE_OP_SHUTDOWN)},
        {snapshots, BIT(IA_WIRE_OP_FIND) | BIT(IA_WIRE_OP_WAIT)},
        {taps, BIT(IA_WIRE_OP_ACT)},
        {types, BIT(IA_WIRE_OP_SET_TEXT) | BIT(IA_WIRE_OP_CLEAR)},
    };
    uint64_t serves = can;
    for (size_t i = 0; i < IA_BRIDGE_COUNTOF(rows); i++) {
        serves |= (can & rows[i].needs) == rows[i].needs ? rows[i].gives : 0;
    }
    return serves;
}

/* Takes the same time wherever the two differ, so that nobody can guess a token byte by
 * byte. */
static bool token_eq(const char *want, const char *got)
{
    size_t want_n = strlen(want), got_n = strlen(got);
    /* volatile keeps the compiler from leaving the loop early. */
    volatile unsigned char differ = want_n != got_n;
    for (size_t i = 0; i < IA_WIRE_TOKEN_MAX; i++) {
        char a = i < want_n ? want[i] : 0, b = i < got_n ? got[i] : 0;
        differ = (unsigned char)(differ | (a ^ b));
    }
    return differ == 0;
}

static void hello(struct ia_bridge_conn *c, const struct ia_wire_hello *h,
                  struct ia_wire_reply *reply)
{
    struct ia_bridge *b = c->bridge;
    if (!token_eq(b->token, b->token[0] ? h->token : "")) {
        ia_wire_reply_fail(reply, IA_WIRE_E_AUTH, IA_WIRE_NONE, false, "the token is wrong");
        reply->retry_safe = false;
        return;
    }
    if (h->version < IA_WIRE_VERSION_MIN || h->version_min > IA_WIRE_VERSION) {
        ia_wire_reply_fail(reply, IA_WIRE_E_VERSION, IA_WIRE_NONE, false,
                           "the host speaks versions %u to %u, this bridge %d to %d",
                           h->version_min, h->version, IA_WIRE_VERSION_MIN, IA_WIRE_VERSION);
        reply->retry_safe = false;
        return;
    }
    /* The small limit for frames was for strangers; a batch may be larger. */
    c->authenticated = true;
    c->reader.max = IA_WIRE_REQUEST_MAX;
    reply->u.hello = (struct ia_wire_hello_reply){
        .version = h->version < IA_WIRE_VERSION ? h->version : IA_WIRE_VERSION,
        .session = c->session,
        .ops = ia_bridge_serves(b),
        .features = b->ops.features,
        .server = b->server,
        .udid = b->udid,
    };
    ia_wire_reply_ok(reply, false);
}

static uint32_t ms_of(int64_t us)
{
    return us < 0 ? 0 : us / 1000 > UINT32_MAX ? UINT32_MAX : (uint32_t)(us / 1000);
}

static void health(struct ia_bridge *b, struct ia_wire_reply *reply)
{
    struct ia_wire_health_reply *h = &reply->u.health;
    pthread_mutex_lock(&b->lock);
    int64_t now = ia_bridge_now_us();
    const struct ia_bridge_job *j = b->running;
    if (j) {
        h->busy = true;
        h->op = j->req.op;
        h->session = j->session;
        h->request = j->req.id;
        h->busy_ms = ms_of(now - j->started_us);
        h->overdue = now > j->deadline_us;
    } else {
        /* Grows without bound if the thread in ia_bridge_run hangs outside of a request. */
        h->idle_ms = ms_of(now - b->pumped_us);
    }
    h->queued = b->queued;
    h->connections = b->conns_n;
    h->done = b->done;
    h->late = b->late;
    h->uptime_ms = ms_of(now - b->opened_us);
    pthread_mutex_unlock(&b->lock);
    ia_wire_reply_ok(reply, false);
}

void ia_bridge_control(struct ia_bridge_conn *c, const struct ia_wire_request *req,
                       struct ia_wire_reply *reply)
{
    struct ia_bridge *b = c->bridge;
    switch (req->op) {
    case IA_WIRE_OP_HELLO:
        hello(c, &req->u.hello, reply);
        break;
    case IA_WIRE_OP_HEALTH:
        health(b, reply);
        break;
    case IA_WIRE_OP_CANCEL:
        reply->u.cancel.found =
            ia_bridge_job_cancel(b, req->u.cancel.session ? req->u.cancel.session : c->session,
                                 req->u.cancel.request);
        ia_wire_reply_ok(reply, false);
        break;
    default: /* SHUTDOWN: the connection stops the bridge once the reply is out */
        ia_wire_reply_ok(reply, true);
        break;
    }
}
