/* act.c: touching an element safely.
 *
 *   snapshot --> there, visible, enabled? --yes--> same frame as in the last snapshot?
 *      ^                  | no                        | no         | yes
 *      +------ sleep <----+---------------------------+            v
 *      ^                                                      snapshot, at once
 *      +------------------- frame differs <------------------------+
 *                                                                  | same frame
 *                                                                  v
 *                                                      touch its middle, once
 *
 * The frame in a signature counts as the first snapshot. The touch goes to a point and never to
 * an element, because XCTest waits for the app to be idle before it touches an element. */
#include "core/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCH = 40, TOGGLE = 41 };

/* In a table row a switch sits inside another node of its type that is as wide as the row. Only
 * the inner one reacts to a tap. */
static int32_t inner_switch(struct ia_bridge_view v, int32_t at)
{
    uint16_t type = v.nodes[at].type;
    if (type != SWITCH && type != TOGGLE) {
        return at;
    }
    uint32_t end = ia_bridge_subtree_end(v, (uint32_t)at);
    for (uint32_t i = (uint32_t)at + 1; i < end; i++) {
        if (v.nodes[i].type == SWITCH || v.nodes[i].type == TOGGLE) {
            return (int32_t)i;
        }
    }
    return at;
}

/* ---- the spot to touch ---- */

static char *heap_copy(const char *s)
{
    size_t n = s ? strlen(s) + 1 : 0;
    char *p = s ? malloc(n) : NULL;
    if (p) {
        memcpy(p, s, n);
    }
    return p;
}

void ia_bridge_spot_fini(struct ia_bridge_spot *s)
{
    free(s->value);
    free(s->placeholder);
    *s = (struct ia_bridge_spot){0};
}

/* Whether a node has the keyboard that is neither the element, nor inside it, nor around it. */
static bool focus_elsewhere(struct ia_bridge_view v, int32_t at)
{
    uint32_t end = ia_bridge_subtree_end(v, (uint32_t)at);
    for (uint32_t i = 0; i < v.n; i++) {
        bool focused = v.nodes[i].flags & IA_WIRE_NODE_FOCUSED;
        bool within = i >= (uint32_t)at && i < end;
        if (focused && !within &&
            (i > (uint32_t)at || ia_bridge_subtree_end(v, i) <= (uint32_t)at)) {
            return true;
        }
    }
    return false;
}

/* `at` is the element; the node to touch may be inside it. */
static enum ia_wire_code spot_at(struct ia_bridge_view v, int32_t at, struct ia_bridge_spot *to)
{
    int32_t inner = inner_switch(v, at);
    const struct ia_wire_node *n = &v.nodes[inner];
    ia_bridge_spot_fini(to);
    to->frame = n->frame;
    to->type = n->type;
    to->flags = n->flags;
    to->focus_elsewhere = focus_elsewhere(v, at);
    to->value = heap_copy(n->value);
    to->placeholder = heap_copy(n->placeholder);
    to->visibility = ia_bridge_visibility(v, inner, &to->at);
    return to->visibility;
}

/* Until when to reread something that has to change. */
static int64_t verify_until(const struct ia_bridge_ctx *ctx)
{
    int64_t until = ia_bridge_clock(ctx) + ctx->bridge->opt.verify_ms * INT64_C(1000);
    return until < ctx->call.deadline_us ? until : ctx->call.deadline_us;
}

bool ia_bridge_reread(struct ia_bridge_ctx *ctx, const struct ia_wire_target *t,
                      struct ia_bridge_spot *ret)
{
    struct ia_wire_reply tree, ignored = {.op = ctx->job->req.op};
    int32_t at;
    ia_bridge_spot_fini(ret);
    if (!ia_bridge_snapshot(ctx, verify_until(ctx), &tree, &ignored)) {
        ia_wire_reply_fini(&ignored);
        return false;
    }
    if (ia_bridge_resolve(ia_bridge_view(&tree), t, &at) == IA_WIRE_OK) {
        (void)spot_at(ia_bridge_view(&tree), at, ret);
    }
    ia_wire_reply_fini(&tree);
    return true;
}

/* One snapshot for ia_bridge_wait_until_steady. False: there is no tree, and reply says why. */
static bool check_once(struct ia_bridge_ctx *ctx, const struct ia_wire_target *t,
                       int64_t until_us, struct ia_bridge_spot *spot, enum ia_wire_code *code,
                       struct ia_wire_reply *reply)
{
    struct ia_wire_reply tree;
    int32_t at;
    if (!ia_bridge_snapshot(ctx, until_us, &tree, reply)) {
        return false;
    }
    struct ia_bridge_view v = ia_bridge_view(&tree);
    *code = ia_bridge_resolve(v, t, &at);
    if (*code == IA_WIRE_OK) {
        *code = spot_at(v, at, spot);
    }
    ia_wire_reply_fini(&tree);
    return true;
}

bool ia_bridge_wait_until_steady(struct ia_bridge_ctx *ctx, const struct ia_wire_target *t,
                                 uint32_t timeout_ms, struct ia_bridge_spot *ret,
                                 struct ia_wire_reply *reply)
{
    int64_t until = ia_bridge_until(ctx, timeout_ms);
    int still = t->signature ? 1 : 0; /* snapshots in a row with this frame */
    struct ia_wire_rect last = t->signature ? t->signature->frame : (struct ia_wire_rect){0};
    enum ia_wire_code code;
    while (check_once(ctx, t, until, ret, &code, reply)) {
        if (code == IA_WIRE_OK) {
            still = still > 0 && ia_bridge_same_frame(last, ret->frame) ? still + 1 : 1;
            last = ret->frame;
            if (timeout_ms == 0 || still >= 3) {
                return true;
            }
        } else {
            still = 0;
        }
        /* After two equal snapshots the third follows at once, as close to the touch as
         * possible. */
        if (still < 2 &&
            !ia_bridge_sleep(ctx, ctx->bridge->opt.poll_ms * INT64_C(1000), until)) {
            enum ia_bridge_stop_reason reason = ia_bridge_stop_reason(ctx->job);
            if (reason != IA_BRIDGE_NO_STOP && reason != IA_BRIDGE_STOP_DEADLINE) {
                ia_bridge_fail_if_stopped(ctx, reply, IA_WIRE_NOT_SENT);
            } else {
                ia_bridge_fail_target(reply, t, code == IA_WIRE_OK ? IA_WIRE_E_MOVING : code);
            }
            return false;
        }
    }
    return false;
}

/* ---- the touch ---- */

static bool touch(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                  struct ia_wire_reply *reply)
{
    struct ia_wire_reply done;
    ia_bridge_primitive(ctx, req, &done);
    bool ok = done.code == IA_WIRE_OK;
    if (!ok) {
        ia_bridge_copy_failure(reply, &done);
    }
    ia_wire_reply_fini(&done);
    return ok;
}

bool ia_bridge_tap(struct ia_bridge_ctx *ctx, struct ia_wire_point at, uint8_t taps,
                   struct ia_wire_reply *reply)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TAP_POINT, .id = reply->id};
    req.u.tap_point.at = at;
    req.u.tap_point.taps = taps;
    return touch(ctx, &req, reply);
}

static bool touch_spot(struct ia_bridge_ctx *ctx, const struct ia_wire_act *act,
                       struct ia_wire_point at, struct ia_wire_reply *reply)
{
    if (act->action != IA_WIRE_LONG_PRESS) {
        return ia_bridge_tap(ctx, at, act->action == IA_WIRE_DOUBLE_TAP ? 2 : 1, reply);
    }
    struct ia_wire_request req = {.op = IA_WIRE_OP_LONG_PRESS_POINT, .id = reply->id};
    req.u.long_press_point.at = at;
    req.u.long_press_point.duration_s = act->duration_s > 0 ? act->duration_s : 1;
    return touch(ctx, &req, reply);
}

/* Waits until the switch reads differently than before; one that has disappeared led to another
 * screen, which is a change too. If it does not change, or nothing can be read, the reply
 * becomes that failure. */
static void verify_switch(struct ia_bridge_ctx *ctx, const struct ia_wire_act *act,
                          const char *before, struct ia_wire_reply *reply)
{
    struct ia_bridge_spot now = {0};
    int64_t until = verify_until(ctx);
    bool read = false, changed = false, in_time = true;
    while (!changed && in_time) {
        read = ia_bridge_reread(ctx, &act->target, &now);
        changed = read && (!now.value || strcmp(now.value, before) != 0);
        in_time =
            changed || ia_bridge_sleep(ctx, ctx->bridge->opt.poll_ms * INT64_C(1000), until);
    }
    reply->u.act.value = ia_wire_str(&reply->arena, now.value);
    ia_bridge_spot_fini(&now);
    if (!changed && read) {
        ia_wire_reply_fail(reply, IA_WIRE_E_NO_EFFECT, IA_WIRE_SENT, true,
                           "the switch was tapped but still reads '%.80s'", before);
    } else if (!changed) {
        ia_wire_reply_fail(
            reply, IA_WIRE_E_DEVICE, IA_WIRE_SENT, true,
            "the switch was tapped, but the screen could not be read afterwards");
    }
}

void ia_bridge_act(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                   struct ia_wire_reply *reply)
{
    const struct ia_wire_act *act = &req->u.act;
    struct ia_bridge_spot spot = {0};
    if (!ia_bridge_check_target(&act->target, false, reply)) {
        return;
    }
    if (ia_bridge_wait_until_steady(ctx, &act->target, act->timeout_ms, &spot, reply)) {
        uint32_t waited = ia_bridge_since_ms(ctx);
        uint16_t snapshots = ctx->snapshots;
        bool is_switch = spot.type == SWITCH || spot.type == TOGGLE;
        if (touch_spot(ctx, act, spot.at, reply)) {
            reply->u.act = (struct ia_wire_act_reply){.at = spot.at,
                                                      .frame = spot.frame,
                                                      .waited_ms = waited,
                                                      .snapshots = snapshots};
            ia_wire_reply_ok(reply, true);
            if (is_switch && spot.value && act->action == IA_WIRE_TAP &&
                !(act->flags & IA_WIRE_ACT_UNVERIFIED)) {
                verify_switch(ctx, act, spot.value, reply);
            }
        }
    }
    ia_bridge_spot_fini(&spot);
}
