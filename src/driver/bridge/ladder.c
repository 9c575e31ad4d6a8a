/* ladder.c: from no stream to one whose bridge was greeted.
 *
 *   idle for long, or a late answer ──► is it alive? ──yes──► as it is
 *                                          │no
 *   no stream ──► connect ──► hello (or heartbeat) ──► same device? ──► target again
 *                    │no            │no                    │no
 *                    ▼              ▼                      ▼
 *                 what is left? ──► respawn, once ──► connect …   IA_E_NO_DEVICE
 *                    │simulator gone, or nobody to ask
 *                    ▼
 *                 IA_E_DEVICE_LOST
 *
 * Runs on the thread of the call, within the call's limit; each rung has a limit of its own
 * below it. One climb restarts the runner at most once. `mode` is decided by the first
 * bridge that answers and then stays: a stream that is opened later is greeted in the same
 * protocol. */
#include "driver/bridge/impl.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 200 };

/* ---- short questions on the stream that is there ---------------------------------------- */

static enum ia_rc ask_reply(struct ia_bridge_client *h, const struct ia_limit *limit,
                            uint32_t ms, struct ia_wire_request *req, struct ia_wire_reply *ret,
                            struct ia_err *err)
{
    struct ia_ask ask = {.req = req, .reply = ret, .limit = *limit, .answer_ms = ms};
    return ia_bridge_client_once(h, &ask, err);
}

/* A classic question. IA_E_PROTO when it is answered by an error. */
static enum ia_rc ask_answer(struct ia_bridge_client *h, const struct ia_limit *limit,
                             uint8_t op, const char *text, struct ia_wire_answer *ret,
                             struct ia_err *err)
{
    struct ia_wire_request req = {.op = op, .u.classic_text.text = text};
    struct ia_ask ask = {
        .req = &req, .answer = ret, .limit = *limit, .answer_ms = h->limits.heartbeat_ms};
    enum ia_rc rc = ia_bridge_client_once(h, &ask, err);
    if (rc == IA_OK && ret->kind == IA_WIRE_ANSWER_ERROR) {
        rc = ia_err_set(err, IA_E_PROTO, "%s was answered with an error: %s",
                        ia_wire_op_name(op), ret->text ? ret->text : "");
        ia_wire_answer_fini(ret);
    }
    return rc;
}

static enum ia_rc heartbeat(struct ia_bridge_client *h, const struct ia_limit *limit,
                            struct ia_err *err)
{
    struct ia_wire_answer answer = {.kind = 0};
    enum ia_rc rc = ask_answer(h, limit, IA_WIRE_OP_HEARTBEAT, "", &answer, err);
    if (rc == IA_OK) {
        ia_wire_answer_fini(&answer);
    }
    return rc;
}

/* Whether the bridge answers; *ret_hung: its main thread has been
 * in one request for too long. */
static enum ia_rc health(struct ia_bridge_client *h, const struct ia_limit *limit,
                         bool *ret_hung, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HEALTH};
    struct ia_wire_reply reply = {.op = 0};
    enum ia_rc rc = ask_reply(h, limit, h->limits.heartbeat_ms, &req, &reply, err);
    if (rc == IA_OK) {
        const struct ia_wire_health_reply *u = &reply.u.health;
        *ret_hung = u->busy && u->busy_ms >= h->limits.hung_ms;
        /* Not busy any more: the late answer that made it suspect is over. */
        h->suspect = h->suspect && u->busy;
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

/* ---- greeting --------------------------------------------------------------------------- */

static enum ia_rc dial(struct ia_bridge_client *h, const struct ia_limit *limit,
                       struct ia_err *err)
{
    struct ia_limit mine = ia_limit_within(limit, h->limits.connect_ms);
    int fd = -1;
    enum ia_rc rc = h->dialer.dial(h->dialer.ctx, &h->place, &mine, &fd, err);
    if (rc == IA_OK) {
        ia_link_adopt(&h->link, fd);
        h->status.connects++;
    }
    return rc;
}

static void copy(char *dst, size_t size, const char *s)
{
    (void)snprintf(dst, size, "%s", s ? s : "");
}

/* The device behind a link must stay the same one. */
static enum ia_rc check_udid(struct ia_bridge_client *h, const char *udid, struct ia_err *err)
{
    const char *wanted = h->wanted[0] != '\0' ? h->wanted : h->status.udid;
    if (wanted[0] == '\0' || !udid || udid[0] == '\0' || strcmp(wanted, udid) == 0) {
        if (udid && udid[0] != '\0') {
            copy(h->status.udid, sizeof(h->status.udid), udid);
        }
        return IA_OK;
    }
    ia_link_drop(&h->link);
    enum ia_rc rc =
        ia_err_set(err, IA_E_NO_DEVICE, "the bridge on port %u belongs to device %s, not %s",
                   (unsigned)h->place.port, udid, wanted);
    ia_err_hint(err, "ios-agent bridge status lists the bridges and their ports");
    return rc;
}

static enum ia_rc take_hello(struct ia_bridge_client *h, const struct ia_wire_reply *reply,
                             struct ia_err *err)
{
    const struct ia_wire_hello_reply *u = &reply->u.hello;
    if (reply->code != IA_WIRE_OK) {
        ia_link_drop(&h->link);
        return ia_bridge_client_reply_err(reply, false, err);
    }
    h->mode = IA_BRIDGE_CLIENT_EXTENDED;
    h->status.version = u->version;
    h->status.session = u->session;
    h->status.ops = u->ops;
    h->status.features = u->features;
    copy(h->status.server, sizeof(h->status.server), u->server);
    return check_udid(h, u->udid, err);
}

/* Says hello and takes whatever answer comes. *ret_plain: it is one of the classic protocol. */
static enum ia_rc say_hello(struct ia_bridge_client *h, const struct ia_limit *limit,
                            bool *ret_plain, struct ia_err *err)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HELLO,
                                  .u.hello = {.version = IA_WIRE_VERSION,
                                              .version_min = IA_WIRE_VERSION_MIN,
                                              .token = h->place.token,
                                              .client = h->client}};
    struct ia_wire_reply reply = {.op = 0};
    struct ia_ask ask = {.req = &req,
                         .reply = &reply,
                         .limit = *limit,
                         .answer_ms = h->limits.hello_ms,
                         .plain = ret_plain};
    enum ia_rc rc = ia_bridge_client_once(h, &ask, err);
    if (rc == IA_OK) {
        rc = take_hello(h, &reply, err);
        ia_wire_reply_fini(&reply);
    }
    return rc;
}

static enum ia_rc classic_udid(struct ia_bridge_client *h, const struct ia_limit *limit,
                               struct ia_err *err)
{
    struct ia_wire_answer answer = {.kind = 0};
    enum ia_rc rc = ask_answer(h, limit, IA_WIRE_OP_DEVICE_UDID, "", &answer, err);
    if (rc == IA_E_PROTO && ia_link_up(&h->link)) {
        return IA_OK; /* an agent that does not know the question */
    }
    if (rc == IA_OK) {
        rc = check_udid(h, answer.kind == IA_WIRE_ANSWER_VALUE ? answer.text : NULL, err);
        ia_wire_answer_fini(&answer);
    }
    return rc;
}

static enum ia_rc greet_classic(struct ia_bridge_client *h, const struct ia_limit *limit,
                                struct ia_err *err)
{
    enum ia_rc rc = heartbeat(h, limit, err);
    if (rc == IA_OK) {
        h->mode = IA_BRIDGE_CLIENT_CLASSIC;
        h->status.classic = true;
        rc = classic_udid(h, limit, err);
    }
    if (rc != IA_OK) {
        ia_link_drop(&h->link);
    }
    return rc;
}

/* Failures that neither another stream nor a new runner would fix. */
static bool final(enum ia_rc rc)
{
    return rc == IA_E_CANCELLED || rc == IA_E_AUTH || rc == IA_E_UNSUPPORTED ||
           rc == IA_E_NO_DEVICE || rc == IA_E_USAGE;
}

/* The first bridge that answers decides what is spoken. One that does not know hello answers it
 * with an error, with nothing, or hangs up; then the heartbeat decides. */
static enum ia_rc greet_unknown(struct ia_bridge_client *h, const struct ia_limit *limit,
                                struct ia_err *err)
{
    bool plain = false;
    struct ia_err second;
    enum ia_rc rc = say_hello(h, limit, &plain, err);
    if (rc == IA_OK || final(rc) || (rc == IA_E_PROTO && !plain)) {
        return rc;
    }
    if (!ia_link_up(&h->link)) {
        if (ia_limit_over(limit) || dial(h, limit, &second) != IA_OK) {
            return rc;
        }
    }
    return greet_classic(h, limit, &second) == IA_OK ? IA_OK : rc;
}

static enum ia_rc greet(struct ia_bridge_client *h, const struct ia_limit *limit,
                        struct ia_err *err)
{
    bool plain = false;
    switch (h->mode) {
    case IA_BRIDGE_CLIENT_CLASSIC:
        return greet_classic(h, limit, err);
    case IA_BRIDGE_CLIENT_EXTENDED: {
        enum ia_rc rc = say_hello(h, limit, &plain, err);
        if (plain) {
            ia_link_drop(&h->link);
        }
        return rc;
    }
    default:
        return greet_unknown(h, limit, err);
    }
}

/* Makes the app that was launched last the target again, as the stream may lead to a new runner.
 * A refusal is no failure here: the next request shows what became of the app. */
static enum ia_rc target_again(struct ia_bridge_client *h, const struct ia_limit *limit,
                               struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (h->target[0] == '\0') {
        return IA_OK;
    }
    if (h->mode == IA_BRIDGE_CLIENT_CLASSIC) {
        struct ia_wire_answer answer = {.kind = 0};
        rc = ask_answer(h, limit, IA_WIRE_OP_SET_TARGET, h->target, &answer, err);
        if (rc == IA_OK) {
            ia_wire_answer_fini(&answer);
        }
    } else if (ia_bridge_client_serves(h, IA_WIRE_OP_TARGET)) {
        struct ia_wire_request req = {.op = IA_WIRE_OP_TARGET, .u.bundle.bundle_id = h->target};
        struct ia_wire_reply reply = {.op = 0};
        rc = ask_reply(h, limit, h->limits.action_ms, &req, &reply, err);
        if (rc == IA_OK) {
            ia_wire_reply_fini(&reply);
        }
    }
    return ia_link_up(&h->link) ? IA_OK : rc;
}

static enum ia_rc join(struct ia_bridge_client *h, const struct ia_limit *limit,
                       struct ia_err *err)
{
    enum ia_rc rc = dial(h, limit, err);
    if (rc == IA_OK) {
        rc = greet(h, limit, err);
    }
    if (rc == IA_OK) {
        rc = target_again(h, limit, err);
    }
    if (rc != IA_OK) {
        ia_link_drop(&h->link);
    }
    return rc;
}

/* ---- what is left ----------------------------------------------------------------------- */

/* Failures of the link itself, which a new runner may fix; and another bridge at its place,
 * where a supervisor knows the right one. */
static bool fixable(const struct ia_bridge_client *h, enum ia_rc rc)
{
    bool stranger = rc == IA_E_AUTH || rc == IA_E_NO_DEVICE;
    return rc == IA_E_IO || rc == IA_E_TIMEOUT || rc == IA_E_PROTO ||
           (stranger && h->supervisor.respawn);
}

static enum ia_bridge_client_life poll_runner(struct ia_bridge_client *h,
                                              const struct ia_limit *limit, char *ret_last,
                                              size_t last_size)
{
    struct ia_deadline deadline = {limit->cancel, limit->deadline_us};
    ret_last[0] = '\0';
    return h->supervisor.poll
               ? h->supervisor.poll(h->supervisor.ctx, &deadline, ret_last, last_size)
               : IA_BRIDGE_CLIENT_LIFE_UNKNOWN;
}

static enum ia_rc lost(struct ia_bridge_client *h, const struct ia_limit *limit,
                       const struct ia_err *why, struct ia_err *err)
{
    static const char *const what[][2] = {
        [IA_BRIDGE_CLIENT_LIFE_UNKNOWN] =
            {"no bridge answers at ",
             ": its runner or simulator has stopped, or was never started"},
        [IA_BRIDGE_CLIENT_RUNNER_UP] = {"the runner is running, but its bridge at ",
                                        " does not answer"},
        [IA_BRIDGE_CLIENT_RUNNER_GONE] = {"the runner whose bridge was at ",
                                          " has exited or crashed"},
        [IA_BRIDGE_CLIENT_DEVICE_GONE] = {"the simulator of the bridge at ",
                                          " is shut down or gone"}};
    char where[IA_BRIDGE_CLIENT_ADDRESS_MAX + 16];
    char last[LINE_MAX_BYTES];
    enum ia_bridge_client_life life = poll_runner(h, limit, last, sizeof(last));
    enum ia_rc rc = h->mode == IA_BRIDGE_CLIENT_UNDECIDED ? IA_E_NO_DEVICE : IA_E_DEVICE_LOST;
    ia_bridge_client_where(h, where, sizeof(where));
    (void)ia_err_set(err, rc, "%s%s%s (%s)%s%s", what[life][0], where, what[life][1], why->msg,
                     last[0] != '\0' ? "; its last line: " : "", last);
    if (why->hint[0] != '\0') { /* of what lies before the bridge, as usbmuxd */
        ia_err_hint(err, "%s", why->hint);
    } else {
        ia_bridge_client_fix(h, life, err);
    }
    return rc;
}

static enum ia_rc respawn(struct ia_bridge_client *h, const struct ia_limit *limit,
                          struct ia_err *err)
{
    struct ia_limit mine = ia_limit_within(limit, h->limits.respawn_ms);
    struct ia_deadline deadline = {mine.cancel, mine.deadline_us};
    *err = (struct ia_err){.code = IA_E_DEVICE_LOST, .retry_after_ms = -1};
    enum ia_rc rc = h->supervisor.respawn(h->supervisor.ctx, &deadline, &h->place, err);
    if (rc == IA_OK) {
        h->status.respawns++;
        h->suspect = false;
        return IA_OK;
    }
    if (h->mode == IA_BRIDGE_CLIENT_UNDECIDED) {
        return rc; /* there never was one: it simply cannot be started */
    }
    if (rc != IA_E_CANCELLED && rc != IA_E_TIMEOUT) {
        rc = err->code = IA_E_DEVICE_LOST;
    }
    return ia_err_wrap(err, rc, "the runner has stopped, and restarting it failed");
}

/* One round of the ladder. hung: the bridge answers, but its main thread does not return. */
static enum ia_rc climb(struct ia_bridge_client *h, const struct ia_limit *limit, bool hung,
                        struct ia_err *err)
{
    struct ia_err why;
    char last[LINE_MAX_BYTES];
    enum ia_rc rc = hung ? ia_err_set(&why, IA_E_TIMEOUT, "its main thread is hanging")
                         : join(h, limit, &why);
    if (rc == IA_OK) {
        return IA_OK;
    }
    if (!fixable(h, rc) || ia_limit_over(limit)) {
        *err = why;
        return rc;
    }
    if (!h->supervisor.respawn ||
        poll_runner(h, limit, last, sizeof(last)) == IA_BRIDGE_CLIENT_DEVICE_GONE) {
        return lost(h, limit, &why, err);
    }
    rc = respawn(h, limit, err);
    if (rc == IA_OK) {
        rc = join(h, limit, err);
        why = *err;
        if (fixable(h, rc) && !ia_limit_over(limit)) {
            rc = lost(h, limit, &why, err);
        }
    }
    return rc;
}

/* ---- from outside ----------------------------------------------------------------------- */

static bool idle_for_long(const struct ia_bridge_client *h)
{
    int64_t idle_us = ia_mono_us(ia_clock_system()) - h->link.used_us;
    return idle_us >= (int64_t)h->limits.idle_ms * 1000;
}

enum ia_rc ia_bridge_client_ready(struct ia_bridge_client *h, const struct ia_limit *limit,
                                  struct ia_err *err)
{
    bool hung = false;
    if (ia_link_up(&h->link) && !ia_link_quiet(&h->link)) {
        ia_link_drop(&h->link);
    }
    if (ia_link_up(&h->link) && (h->suspect || idle_for_long(h))) {
        enum ia_rc rc = h->mode == IA_BRIDGE_CLIENT_CLASSIC ? heartbeat(h, limit, err)
                                                            : health(h, limit, &hung, err);
        if (rc == IA_E_CANCELLED) {
            return rc;
        }
        /* Without a supervisor a hung bridge is kept: there is no other. */
        hung = hung && h->supervisor.respawn;
        if (rc != IA_OK || hung) {
            ia_link_drop(&h->link);
        }
    }
    return ia_link_up(&h->link) ? IA_OK : climb(h, limit, hung, err);
}
