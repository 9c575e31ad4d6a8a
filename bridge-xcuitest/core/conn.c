/* conn.c: one connection: frames in, replies out.
 *
 *   next_frame --> token presented? --> decode --> control request --> answered (control.c)
 *                                              --> any other       --> waited for (jobs.c)
 *        ^                                                               |
 *        +--------------------------- reply is sent ---------------------+
 *
 * While a job is waited for, jobs.c calls read_ahead: health and cancel are answered at once,
 * and the first other frame is held until the reply is out. Runs in a thread of its own, so no
 * Objective-C may be reached from here. */
#include "core/impl.h"

#include <stdio.h>
#include <string.h>

static bool send_buf(struct ia_bridge_conn *c, struct ia_wire_buf *out)
{
    uint32_t ms = atomic_load(&c->bridge->closing) ? 1000 : c->bridge->opt.write_ms;
    bool ok = ia_bridge_send(c->fd, out->p, out->len, ia_bridge_now_us() + ms * INT64_C(1000));
    ia_wire_buf_fini(out);
    return ok;
}

static bool send_reply(struct ia_bridge_conn *c, const struct ia_wire_reply *r)
{
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault;
    if (!ia_wire_put_reply(&out, r, &fault)) {
        /* The reply cannot be encoded, but the effect has happened: the outcome is kept. */
        struct ia_wire_reply failure = {
            .op = r->op, .id = r->id, .code = (uint16_t)fault.code, .outcome = r->outcome};
        failure.retry_safe = r->outcome == IA_WIRE_NONE || r->outcome == IA_WIRE_NOT_SENT;
        failure.text = fault.text;
        if (failure.outcome > IA_WIRE_UNKNOWN || !ia_wire_put_reply(&out, &failure, NULL)) {
            return false;
        }
    }
    return send_buf(c, &out);
}

static bool send_answer(struct ia_bridge_conn *c, const struct ia_wire_answer *a)
{
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault;
    if (!ia_wire_put_answer(&out, a, &fault)) {
        struct ia_wire_answer failure = {.kind = IA_WIRE_ANSWER_ERROR, .text = fault.text};
        if (!ia_wire_put_answer(&out, &failure, NULL)) {
            return false;
        }
    }
    return send_buf(c, &out);
}

/* Answers a frame by an error, in the form of its generation. */
static bool refuse(struct ia_bridge_conn *c, uint8_t op, uint32_t id, enum ia_wire_code code,
                   const char *text)
{
    if (op >= IA_WIRE_OP_HELLO && op < 0x80) {
        const struct ia_wire_op *o = ia_wire_op(op);
        struct ia_wire_reply r = {.op = op, .id = id, .code = (uint16_t)code, .text = text};
        r.outcome = o && o->effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
        return send_reply(c, &r);
    }
    struct ia_wire_answer a = {.kind = IA_WIRE_ANSWER_ERROR, .text = text};
    return send_answer(c, &a);
}

/* Whether a token is required and has not been presented yet. */
static bool is_unauthenticated(const struct ia_bridge_conn *c)
{
    return c->bridge->token[0] && !c->authenticated;
}

/* ---- requests ---- */

/* Answering a frame may mean to wait for a job, and waiting means to answer health and cancel:
 * these two call each other, one level deep. */
static bool read_ahead(struct ia_bridge_conn *c, bool readable);

static bool do_control(struct ia_bridge_conn *c, const struct ia_wire_request *req)
{
    struct ia_wire_reply reply = {.op = req->op, .id = req->id};
    ia_bridge_control(c, req, &reply);
    bool ok = send_reply(c, &reply);
    bool wrong_token = reply.code == IA_WIRE_E_AUTH;
    ia_wire_reply_fini(&reply);
    /* Only now, or the process might end before the reply is out. */
    if (ok && req->op == IA_WIRE_OP_SHUTDOWN) {
        ia_bridge_stop(c->bridge);
    }
    return ok && !wrong_token;
}

static bool do_job(struct ia_bridge_conn *c, struct ia_wire_request *req)
{
    const struct ia_wire_reply *reply = NULL;
    struct ia_wire_reply local = {.op = req->op, .id = req->id};
    struct ia_bridge_job *j = ia_bridge_job_do(c, req, read_ahead, &reply, &local);
    bool ok = j && send_reply(c, reply);
    ia_wire_reply_fini(&local);
    if (j) {
        ia_bridge_job_drop(j);
    }
    return ok;
}

static bool do_classic_control(struct ia_bridge_conn *c, uint8_t op)
{
    struct ia_wire_answer a = {.kind = IA_WIRE_ANSWER_OK};
    if (op == IA_WIRE_OP_DEVICE_UDID) {
        a.kind = IA_WIRE_ANSWER_VALUE;
        a.text = c->bridge->udid[0] ? c->bridge->udid : NULL;
    }
    return send_answer(c, &a);
}

/* Performs a classic request as the extension it was translated to. Its memory moves to the
 * job, which may outlive this connection. */
static bool ask_classic(struct ia_bridge_conn *c, const struct ia_wire_request *classic,
                        struct ia_wire_request *req)
{
    const struct ia_wire_reply *reply = NULL;
    struct ia_wire_reply local = {.op = req->op};
    struct ia_wire_answer answer = {0};
    struct ia_wire_buf json = {0};
    struct ia_bridge_job *j = ia_bridge_job_do(c, req, read_ahead, &reply, &local);
    if (j) {
        ia_bridge_to_classic(classic, reply, &json, &answer);
    }
    bool ok = j && send_answer(c, &answer);
    ia_wire_answer_fini(&answer);
    ia_wire_buf_fini(&json);
    ia_wire_reply_fini(&local);
    if (j) {
        ia_bridge_job_drop(j);
    }
    return ok;
}

static bool do_classic(struct ia_bridge_conn *c, struct ia_wire_request *classic)
{
    struct ia_wire_request req;
    char error[256];
    bool ok;
    if (!ia_bridge_from_classic(classic, &req, error, sizeof(error))) {
        ok = refuse(c, classic->op, 0, IA_WIRE_E_USAGE, error);
    } else if (!(ia_bridge_serves(c->bridge) & IA_WIRE_BIT(req.op))) {
        snprintf(error, sizeof(error), "this bridge does not support %s",
                 ia_wire_op_name(req.op));
        ok = refuse(c, classic->op, 0, IA_WIRE_E_UNSUPPORTED, error);
    } else {
        ok = ask_classic(c, classic, &req);
    }
    ia_wire_request_fini(&req);
    return ok;
}

static bool do_request(struct ia_bridge_conn *c, struct ia_wire_request *req)
{
    const struct ia_wire_op *o = ia_wire_op(req->op);
    if (!o->reply) {
        return o->control ? do_classic_control(c, req->op) : do_classic(c, req);
    }
    if (o->control) {
        return do_control(c, req);
    }
    if (!(ia_bridge_serves(c->bridge) & IA_WIRE_BIT(req->op))) {
        char text[80];
        snprintf(text, sizeof(text), "this bridge does not support %s", o->name);
        return refuse(c, req->op, req->id, IA_WIRE_E_UNSUPPORTED, text);
    }
    return do_job(c, req);
}

/* Handles one frame, up to sending its reply. False ends the connection. */
static bool do_frame(struct ia_bridge_conn *c, const struct ia_wire_frame *f)
{
    struct ia_wire_request req;
    struct ia_wire_fault fault = {0};
    bool decoded = ia_wire_get_request(f, &req, &fault);
    bool ok;
    /* Before anything else, so that a peer without the token learns nothing but that it
     * needs one. */
    if (is_unauthenticated(c) && f->op != IA_WIRE_OP_HELLO) {
        ok = refuse(c, f->op, req.id, IA_WIRE_E_AUTH, "present the token in a hello first");
    } else if (!decoded) {
        char text[sizeof(fault.text) + 32];
        snprintf(text, sizeof(text), "decode error: %s", fault.text);
        ok = refuse(c, f->op, req.id, fault.code, text);
    } else {
        ok = do_request(c, &req);
    }
    if (decoded) {
        ia_wire_request_fini(&req);
    }
    return ok;
}

/* ---- the stream ---- */

/* Reads what is there. False at the end of the stream, or without memory. */
static bool read_available(struct ia_bridge_conn *c)
{
    size_t room;
    uint8_t *to = ia_wire_reader_space(&c->reader, &room);
    long n = to ? ia_bridge_recv(c->fd, to, room) : 0;
    if (n > 0) {
        ia_wire_reader_added(&c->reader, (size_t)n);
    }
    return n != 0;
}

static bool read_ahead(struct ia_bridge_conn *c, bool readable)
{
    if (readable && !read_available(c)) {
        return false;
    }
    struct ia_wire_frame f;
    while (!c->held) {
        enum ia_wire_read got = ia_wire_reader_next(&c->reader, &f);
        if (got != IA_WIRE_READ_FRAME) {
            return got == IA_WIRE_READ_MORE;
        }
        /* One frame at most is held, and the socket is not read until it is taken: a peer
         * that sends on fills the kernel's buffer, not this process. */
        if (f.op != IA_WIRE_OP_HEALTH && f.op != IA_WIRE_OP_CANCEL) {
            c->held = true;
            c->frame = f;
        } else if (!do_frame(c, &f)) {
            return false;
        }
    }
    return true;
}

/* Until when the next bytes may come. Without the token the time counts from the beginning of
 * the connection and not from each frame, so that nobody can hold one of the few
 * connections. */
static int64_t read_deadline(const struct ia_bridge_conn *c, bool midway, int64_t began_us)
{
    const struct ia_bridge_options *o = &c->bridge->opt;
    if (is_unauthenticated(c)) {
        return c->accepted_us + o->frame_ms * INT64_C(1000);
    }
    return began_us + (midway ? o->frame_ms : o->idle_ms) * INT64_C(1000);
}

/* Waits for the next frame. False: the peer disconnected or was too slow, the frame is too
 * long, or the bridge closes. */
static bool next_frame(struct ia_bridge_conn *c, struct ia_wire_frame *ret)
{
    int64_t began_us = ia_bridge_now_us();
    if (atomic_load(&c->bridge->closing) || began_us >= read_deadline(c, false, began_us)) {
        return false;
    }
    if (c->held) {
        *ret = c->frame;
        c->held = false;
        return true;
    }
    for (bool was_midway = false;;) {
        enum ia_wire_read got = ia_wire_reader_next(&c->reader, ret);
        if (got == IA_WIRE_READ_TOO_LONG) {
            refuse(c, IA_WIRE_OP_ERROR, 0, IA_WIRE_E_LIMIT, "decode error: frame too long");
        }
        if (got != IA_WIRE_READ_MORE) {
            return got == IA_WIRE_READ_FRAME;
        }
        bool midway = ia_wire_reader_midway(&c->reader);
        if (midway && !was_midway) {
            began_us = ia_bridge_now_us();
            was_midway = true;
        }
        int64_t until_us = read_deadline(c, midway, began_us);
        int ready = ia_bridge_poll(c->fd, c->wake_pipe[0], until_us);
        ia_bridge_drain(c->wake_pipe[0]);
        if (atomic_load(&c->bridge->closing) || ((ready & 1) && !read_available(c)) ||
            (ready == 0 && ia_bridge_now_us() >= until_us)) {
            return false;
        }
    }
}

void *ia_bridge_conn_main(void *arg)
{
    struct ia_bridge_conn *c = arg;
    struct ia_bridge *b = c->bridge;
    struct ia_wire_frame f;
    while (next_frame(c, &f) && do_frame(c, &f)) {
    }
    pthread_mutex_lock(&b->lock);
    c->ended = true;
    pthread_mutex_unlock(&b->lock);
    ia_bridge_wake(b->accept_pipe[1]);
    return NULL;
}
