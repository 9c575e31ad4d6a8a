/* act.c: touching an element safely.
 *
 *     look ──► there, seen, enabled? ──yes──► frame as in the last look?
 *      ▲               │ no                        │ no         │ yes
 *      └──── rest ◄────┴───────────────────────────┘            ▼
 *      ▲                                                   look again
 *      └──────────────── frame differs ◄────────────────────────┤
 *                                                               ▼ same frame
 *                                                   touch its middle, once
 *
 * The frame that a signature brings counts as the first look. The touch goes to a point and
 * never to an element, since XCTest waits for idle before it touches one. */
#include "core/impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCH = 40, TOGGLE = 41 };

bool ia_bridge_target_sound(const struct ia_wire_target *t, bool may_be_none,
                            struct ia_wire_reply *reply)
{
    const struct ia_wire_selector *s = t->selector;
    const char *wrong = NULL;
    if (t->signature && s) {
        wrong = "a signature and a selector: which is meant?";
    } else if (!t->signature && !s && !may_be_none) {
        wrong = "no element is named";
    } else if (s && !s->identifier && !s->label && !s->value && !s->text && s->type == 0) {
        wrong = "a selector without a part selects everything";
    }
    if (wrong) {
        ia_wire_reply_fail(reply, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, false, "%s", wrong);
    }
    return !wrong;
}

static void append(char *out, size_t size, const char *what, const char *text)
{
    size_t n = strlen(out);
    if (text) {
        snprintf(out + n, size - n, "%s%s '%.80s'", n ? " with " : "", what, text);
    }
}

void ia_bridge_describe(const struct ia_wire_target *t, char *out, size_t size)
{
    const struct ia_wire_selector *s = t->selector;
    const struct ia_wire_signature *g = t->signature;
    uint16_t type = s ? s->type : g ? g->type : 0;
    out[0] = 0;
    if (type) {
        snprintf(out, size, "%s", ia_wire_type_name(type));
    }
    append(out, size, "identifier", s ? s->identifier : g ? g->identifier : NULL);
    append(out, size, "label", s ? s->label : g ? g->label : NULL);
    append(out, size, "value", s ? s->value : NULL);
    append(out, size, "identifier or label", s ? s->text : NULL);
    if (s && s->index != 0 && s->index != IA_WIRE_UNIQUE) {
        size_t n = strlen(out);
        snprintf(out + n, size - n, "[%u]", s->index);
    }
}

static const char *why_not(enum ia_wire_code code)
{
    switch (code) {
    case IA_WIRE_E_NOT_FOUND:
        return "not found";
    case IA_WIRE_E_STALE_REF:
        return "is not there any more, or cannot be told from others like it";
    case IA_WIRE_E_NOT_VISIBLE:
        return "is not visible";
    case IA_WIRE_E_COVERED:
        return "is covered by something that lies over it";
    case IA_WIRE_E_DISABLED:
        return "is disabled";
    case IA_WIRE_E_MOVING:
        return "did not hold still";
    default:
        return "matches more than one element";
    }
}

void ia_bridge_refuse(struct ia_wire_reply *to, const struct ia_wire_target *t,
                      enum ia_wire_code code)
{
    char what[400];
    const struct ia_wire_op *op = ia_wire_op(to->op);
    ia_bridge_describe(t, what, sizeof(what));
    ia_wire_reply_fail(to, code, op && op->effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, false,
                       "Element with %s %s", what[0] ? what : "the keyboard", why_not(code));
}

/* A switch in a row is itself inside a node of the same type that is as wide as the row; only
 * the inner one reacts. */
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

enum ia_wire_code ia_bridge_resolve(struct ia_bridge_view v, const struct ia_wire_target *t,
                                    int32_t *ret_at)
{
    *ret_at = IA_BRIDGE_NONE;
    if (t->signature) {
        *ret_at = ia_bridge_recognise(v, t->signature);
        return *ret_at == IA_BRIDGE_NONE ? IA_WIRE_E_STALE_REF : IA_WIRE_OK;
    }
    if (t->selector) {
        uint32_t n = ia_bridge_select(v, t->selector, ret_at);
        if (n > 1 && t->selector->index == IA_WIRE_UNIQUE) {
            return IA_WIRE_E_AMBIGUOUS;
        }
        return *ret_at == IA_BRIDGE_NONE ? IA_WIRE_E_NOT_FOUND : IA_WIRE_OK;
    }
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.nodes[i].flags & IA_WIRE_NODE_FOCUSED) {
            *ret_at = (int32_t)i; /* the innermost */
        }
    }
    return *ret_at == IA_BRIDGE_NONE ? IA_WIRE_E_NO_KEYBOARD : IA_WIRE_OK;
}

/* ---- spots ---- */

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

/* Whether a node that is neither the element, nor in it, nor around it, has the keyboard. */
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

/* `at` is the element; what is touched may be a part of it. */
static enum ia_wire_code spot_at(struct ia_bridge_view v, int32_t at, struct ia_bridge_spot *to)
{
    int32_t inner = inner_switch(v, at);
    const struct ia_wire_node *n = &v.nodes[inner];
    ia_bridge_spot_fini(to);
    to->frame = n->frame;
    to->type = n->type;
    to->flags = n->flags;
    to->elsewhere = focus_elsewhere(v, at);
    to->value = heap_copy(n->value);
    to->placeholder = heap_copy(n->placeholder);
    to->seen = ia_bridge_seen(v, inner, &to->at);
    return to->seen;
}

/* How long something is read again that has to become as wanted. */
static int64_t verify_until(const struct ia_bridge_doing *d)
{
    int64_t until = ia_bridge_clock(d) + d->bridge->opt.verify_ms * INT64_C(1000);
    return until < d->call.deadline_us ? until : d->call.deadline_us;
}

bool ia_bridge_reread(struct ia_bridge_doing *d, const struct ia_wire_target *t,
                      struct ia_bridge_spot *ret)
{
    struct ia_wire_reply tree, ignored = {.op = d->job->req.op};
    int32_t at;
    ia_bridge_spot_fini(ret);
    if (!ia_bridge_look(d, verify_until(d), &tree, &ignored)) {
        ia_wire_reply_fini(&ignored);
        return false;
    }
    if (ia_bridge_resolve(ia_bridge_view(&tree), t, &at) == IA_WIRE_OK) {
        (void)spot_at(ia_bridge_view(&tree), at, ret);
    }
    ia_wire_reply_fini(&tree);
    return true;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.5;
}

static bool same_frame(struct ia_wire_rect a, struct ia_wire_rect b)
{
    return near(a.x, b.x) && near(a.y, b.y) && near(a.w, b.w) && near(a.h, b.h);
}

/* One look for ia_bridge_steady. False: no tree, reply says why. */
static bool look_for(struct ia_bridge_doing *d, const struct ia_wire_target *t,
                     int64_t until_us, struct ia_bridge_spot *spot, enum ia_wire_code *code,
                     struct ia_wire_reply *reply)
{
    struct ia_wire_reply tree;
    int32_t at;
    if (!ia_bridge_look(d, until_us, &tree, reply)) {
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

bool ia_bridge_steady(struct ia_bridge_doing *d, const struct ia_wire_target *t,
                      uint32_t timeout_ms, struct ia_bridge_spot *ret,
                      struct ia_wire_reply *reply)
{
    int64_t until = ia_bridge_until(d, timeout_ms);
    int still = t->signature ? 1 : 0; /* looks in a row with that frame */
    struct ia_wire_rect last = t->signature ? t->signature->frame : (struct ia_wire_rect){0};
    enum ia_wire_code code;
    while (look_for(d, t, until, ret, &code, reply)) {
        if (code == IA_WIRE_OK) {
            still = still > 0 && same_frame(last, ret->frame) ? still + 1 : 1;
            last = ret->frame;
            if (timeout_ms == 0 || still >= 3) {
                return true;
            }
        } else {
            still = 0;
        }
        /* Two equal looks: the third follows at once, as near to the touch as can be. */
        if (still < 2 && !ia_bridge_rest(d, d->bridge->opt.poll_ms * INT64_C(1000), until)) {
            enum ia_bridge_why why = ia_bridge_why(d->job);
            if (why != IA_BRIDGE_GO_ON && why != IA_BRIDGE_DEADLINE) {
                ia_bridge_ended(d, reply, IA_WIRE_NOT_SENT);
            } else {
                ia_bridge_refuse(reply, t, code == IA_WIRE_OK ? IA_WIRE_E_MOVING : code);
            }
            return false;
        }
    }
    return false;
}

/* ---- the touch ---- */

static bool touch(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                  struct ia_wire_reply *reply)
{
    struct ia_wire_reply done;
    ia_bridge_primitive(d, req, &done);
    bool ok = done.code == IA_WIRE_OK;
    if (!ok) {
        ia_bridge_pass_on(reply, &done);
    }
    ia_wire_reply_fini(&done);
    return ok;
}

bool ia_bridge_tap(struct ia_bridge_doing *d, struct ia_wire_point at, uint8_t taps,
                   struct ia_wire_reply *reply)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TAP_POINT, .id = reply->id};
    req.u.tap_point.at = at;
    req.u.tap_point.taps = taps;
    return touch(d, &req, reply);
}

static bool touch_spot(struct ia_bridge_doing *d, const struct ia_wire_act *act,
                       struct ia_wire_point at, struct ia_wire_reply *reply)
{
    if (act->action != IA_WIRE_LONG_PRESS) {
        return ia_bridge_tap(d, at, act->action == IA_WIRE_DOUBLE_TAP ? 2 : 1, reply);
    }
    struct ia_wire_request req = {.op = IA_WIRE_OP_LONG_PRESS_POINT, .id = reply->id};
    req.u.long_press_point.at = at;
    req.u.long_press_point.duration_s = act->duration_s > 0 ? act->duration_s : 1;
    return touch(d, &req, reply);
}

/* Looks until the switch reads otherwise than before; one that is gone led somewhere. When it
 * does not, or nothing can be read, the reply becomes that failure. */
static void verify_switch(struct ia_bridge_doing *d, const struct ia_wire_act *act,
                          const char *before, struct ia_wire_reply *reply)
{
    struct ia_bridge_spot now = {0};
    int64_t until = verify_until(d);
    bool read = false, changed = false, go_on = true;
    while (!changed && go_on) {
        read = ia_bridge_reread(d, &act->target, &now);
        changed = read && (!now.value || strcmp(now.value, before) != 0);
        go_on = changed || ia_bridge_rest(d, d->bridge->opt.poll_ms * INT64_C(1000), until);
    }
    reply->u.act.value = ia_wire_str(&reply->arena, now.value);
    ia_bridge_spot_fini(&now);
    if (!changed && read) {
        ia_wire_reply_fail(reply, IA_WIRE_E_NO_EFFECT, IA_WIRE_SENT, true,
                           "the switch was tapped and still reads '%.80s'", before);
    } else if (!changed) {
        ia_wire_reply_fail(reply, IA_WIRE_E_DEVICE, IA_WIRE_SENT, true,
                           "the switch was tapped, and the screen could not be read after it");
    }
}

void ia_bridge_act(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                   struct ia_wire_reply *reply)
{
    const struct ia_wire_act *act = &req->u.act;
    struct ia_bridge_spot spot = {0};
    if (!ia_bridge_target_sound(&act->target, false, reply)) {
        return;
    }
    if (ia_bridge_steady(d, &act->target, act->timeout_ms, &spot, reply)) {
        uint32_t waited = ia_bridge_since_ms(d);
        uint16_t looks = d->looks;
        bool is_switch = spot.type == SWITCH || spot.type == TOGGLE;
        if (touch_spot(d, act, spot.at, reply)) {
            reply->u.act = (struct ia_wire_act_reply){
                .at = spot.at, .frame = spot.frame, .waited_ms = waited, .looks = looks};
            ia_wire_reply_ok(reply, true);
            if (is_switch && spot.value && act->action == IA_WIRE_TAP &&
                !(act->flags & IA_WIRE_ACT_UNVERIFIED)) {
                verify_switch(d, act, spot.value, reply);
            }
        }
    }
    ia_bridge_spot_fini(&spot);
}
