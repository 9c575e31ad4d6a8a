/* wait.c: FIND and WAIT: take snapshots until one shows what is asked for, or time is up.
 *
 * Most conditions are decided by one snapshot. STILL and SETTLED compare it with the one
 * before, so they take two even when the timeout is 0. */
#include "core/impl.h"

#include <string.h>

/* ---- find ---- */

static const char *copy(struct ia_wire_arena *arena, const char *s)
{
    return s ? ia_wire_text(arena, s, strlen(s), IA_WIRE_TEXT_MAX) : NULL;
}

static void copy_node(const struct ia_wire_node *from, uint16_t above,
                      struct ia_wire_arena *arena, struct ia_wire_node *to)
{
    *to = *from;
    to->depth = (uint16_t)(from->depth - above);
    to->identifier = copy(arena, from->identifier);
    to->label = copy(arena, from->label);
    to->value = copy(arena, from->value);
    to->placeholder = copy(arena, from->placeholder);
}

/* A copy for a reply: its depth is 0, and its flags include the estimated visibility. */
static void copy_match(struct ia_bridge_view v, int32_t at, struct ia_wire_arena *arena,
                       struct ia_wire_node *to)
{
    struct ia_wire_point point;
    bool hittable = ia_bridge_visibility(v, at, &point) == IA_WIRE_OK;
    copy_node(&v.nodes[at], v.nodes[at].depth, arena, to);
    to->flags |= IA_WIRE_NODE_HITTABLE_KNOWN;
    to->flags = (uint16_t)(hittable ? to->flags | IA_WIRE_NODE_HITTABLE
                                    : to->flags & ~IA_WIRE_NODE_HITTABLE);
}

/* How many nodes the reply may have, given the first match. */
static uint32_t most_nodes(struct ia_bridge_view v, const struct ia_wire_find *f, int32_t at)
{
    uint32_t limit = f->limit ? f->limit : 1;
    limit = limit < IA_WIRE_MATCHES_MAX ? limit : IA_WIRE_MATCHES_MAX;
    return f->whole ? ia_bridge_subtree_end(v, (uint32_t)at) - (uint32_t)at : limit;
}

static bool fill_find(struct ia_bridge_view v, const struct ia_wire_find *f,
                      struct ia_wire_reply *reply)
{
    struct ia_wire_find_reply *to = &reply->u.find;
    struct ia_wire_point point;
    int32_t at;
    to->count = ia_bridge_select(v, &f->selector, &at);
    to->reason = IA_WIRE_E_NOT_FOUND;
    to->nodes_n = 0;
    if (at == IA_BRIDGE_NONE) {
        return false;
    }
    uint32_t limit = most_nodes(v, f, at);
    struct ia_wire_node *nodes = ia_wire_alloc(&reply->arena, limit * sizeof(*nodes));
    if (!nodes) {
        return true;
    }
    to->nodes = nodes;
    /* Several matches are no failure of FIND, but nothing that could be tapped. */
    to->reason = to->count > 1 && f->selector.index == IA_WIRE_UNIQUE
                     ? IA_WIRE_E_AMBIGUOUS
                     : (uint16_t)ia_bridge_visibility(v, at, &point);
    for (uint32_t i = (uint32_t)at; i < v.n && to->nodes_n < limit; i++) {
        if (f->whole && i > (uint32_t)at) {
            copy_node(&v.nodes[i], v.nodes[at].depth, &reply->arena, &nodes[to->nodes_n++]);
        } else if (ia_bridge_matches(&f->selector, &v.nodes[i])) {
            copy_match(v, (int32_t)i, &reply->arena, &nodes[to->nodes_n++]);
        }
    }
    return true;
}

void ia_bridge_find(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply)
{
    const struct ia_wire_find *f = &req->u.find;
    const struct ia_wire_target t = {.selector = &f->selector};
    int64_t until = ia_bridge_until(ctx, f->timeout_ms);
    struct ia_wire_reply tree;
    if (!ia_bridge_check_target(&t, false, reply)) {
        reply->outcome = IA_WIRE_NONE;
        return;
    }
    for (bool found = false; !found;) {
        if (!ia_bridge_snapshot(ctx, until, &tree, reply)) {
            return;
        }
        found = fill_find(ia_bridge_view(&tree), f, reply);
        ia_wire_reply_fini(&tree);
        if (!found &&
            (f->timeout_ms == 0 ||
             !ia_bridge_sleep(ctx, ctx->bridge->opt.poll_ms * INT64_C(1000), until))) {
            break;
        }
    }
    /* A deadline is how a search ends that found nothing: only a cancel or a stop is a
     * failure. */
    enum ia_bridge_stop_reason reason = ia_bridge_stop_reason(ctx->job);
    if (reason == IA_BRIDGE_NO_STOP || reason == IA_BRIDGE_STOP_DEADLINE ||
        !ia_bridge_fail_if_stopped(ctx, reply, IA_WIRE_NONE)) {
        ia_wire_reply_ok(reply, false);
    }
}

/* ---- wait ---- */

/* FNV-1a over everything that a tree contains, so that only a number has to be kept of it. */
static uint64_t mix(uint64_t h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = (h ^ ((const uint8_t *)p)[i]) * UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t mix_text(uint64_t h, const char *s)
{
    return mix(h, s ? s : "\1", strlen(s ? s : "\1") + 1);
}

/* An app's element for its state (sdk/) is no part of the screen: a state that goes on changing does not
 * keep the screen from being stable. */
#define APP_STATE "ios-agent.state"

static uint64_t tree_hash(struct ia_bridge_view v)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < v.n; i++) {
        const struct ia_wire_node *n = &v.nodes[i];
        if (n->identifier && strcmp(n->identifier, APP_STATE) == 0) {
            continue;
        }
        h = mix(h, &n->depth, sizeof(n->depth));
        h = mix(h, &n->type, sizeof(n->type));
        h = mix(h, &n->flags, sizeof(n->flags));
        h = mix(h, &n->frame, sizeof(n->frame));
        h = mix_text(h, n->identifier);
        h = mix_text(h, n->label);
        h = mix_text(h, n->value);
        h = mix_text(h, n->placeholder);
    }
    return h;
}

static bool any_text_contains(struct ia_bridge_view v, const char *text)
{
    for (uint32_t i = 0; i < v.n; i++) {
        const struct ia_wire_node *n = &v.nodes[i];
        if ((n->label && strstr(n->label, text)) || (n->value && strstr(n->value, text)) ||
            (n->placeholder && strstr(n->placeholder, text))) {
            return true;
        }
    }
    return false;
}

/* A disabled element is visible all the same. */
static bool any_visible(struct ia_bridge_view v, const struct ia_wire_selector *s)
{
    struct ia_wire_point point;
    for (uint32_t i = 0; i < v.n; i++) {
        if (ia_bridge_matches(s, &v.nodes[i])) {
            enum ia_wire_code code = ia_bridge_visibility(v, (int32_t)i, &point);
            if (code == IA_WIRE_OK || code == IA_WIRE_E_DISABLED) {
                return true;
            }
        }
    }
    return false;
}

/* What the previous snapshot showed, for the conditions that compare two. */
struct previous {
    bool valid;
    uint64_t hash;
    struct ia_wire_rect frame;
};

static bool same_as_previous(struct previous *previous, uint64_t hash,
                             struct ia_wire_rect frame)
{
    bool same = previous->valid && previous->hash == hash &&
                ia_bridge_same_frame(previous->frame, frame);
    *previous = (struct previous){true, hash, frame};
    return same;
}

static bool node_holds(struct ia_bridge_view v, int32_t at, const struct ia_wire_wait *w,
                       struct previous *previous)
{
    const struct ia_wire_node *n = &v.nodes[at];
    struct ia_wire_point point;
    switch (w->condition) {
    case IA_WIRE_WAIT_ENABLED:
        return n->flags & IA_WIRE_NODE_ENABLED;
    case IA_WIRE_WAIT_HITTABLE:
        return ia_bridge_visibility(v, at, &point) == IA_WIRE_OK;
    case IA_WIRE_WAIT_FOCUSED:
        return n->flags & IA_WIRE_NODE_FOCUSED;
    case IA_WIRE_WAIT_VALUE:
        return strcmp(n->value ? n->value : "", w->text) == 0;
    case IA_WIRE_WAIT_STILL:
        return same_as_previous(previous, 0, n->frame);
    default:
        return true; /* EXISTS */
    }
}

static bool holds(struct ia_bridge_view v, const struct ia_wire_wait *w, int32_t at,
                  uint32_t count, struct previous *previous)
{
    switch (w->condition) {
    case IA_WIRE_WAIT_GONE:
        return count == 0;
    case IA_WIRE_WAIT_HIDDEN:
        return !any_visible(v, &w->selector);
    case IA_WIRE_WAIT_TEXT:
        return any_text_contains(v, w->text);
    case IA_WIRE_WAIT_COUNT:
        return count == w->count;
    case IA_WIRE_WAIT_SETTLED:
        return same_as_previous(previous, tree_hash(v), (struct ia_wire_rect){0});
    default:
        break;
    }
    /* Without a single match, stillness has to begin anew. */
    if (at == IA_BRIDGE_NONE || (w->selector.index == IA_WIRE_UNIQUE && count > 1)) {
        previous->valid = false;
        return false;
    }
    return node_holds(v, at, w, previous);
}

static bool needs_selector(uint8_t condition)
{
    return condition != IA_WIRE_WAIT_TEXT && condition != IA_WIRE_WAIT_SETTLED;
}

/* Checks the condition on one snapshot. False: there is no tree, and reply says why. */
static bool check_condition(struct ia_bridge_ctx *ctx, const struct ia_wire_wait *w,
                            int64_t until_us, struct previous *previous, bool *ret_holds,
                            struct ia_wire_reply *reply)
{
    struct ia_wire_reply tree;
    int32_t at = IA_BRIDGE_NONE;
    if (!ia_bridge_snapshot(ctx, until_us, &tree, reply)) {
        return false;
    }
    struct ia_bridge_view v = ia_bridge_view(&tree);
    reply->u.wait = (struct ia_wire_wait_reply){0};
    if (needs_selector(w->condition)) {
        reply->u.wait.count = ia_bridge_select(v, &w->selector, &at);
    }
    *ret_holds = holds(v, w, at, reply->u.wait.count, previous);
    if (at != IA_BRIDGE_NONE) {
        /* The copy of an earlier snapshot is dropped, or a long wait would pile them up. */
        ia_wire_arena_fini(&reply->arena);
        struct ia_wire_node *node = ia_wire_alloc(&reply->arena, sizeof(*node));
        if (node) {
            copy_match(v, at, &reply->arena, node);
        }
        reply->u.wait.element = node;
    }
    ia_wire_reply_fini(&tree);
    return true;
}

void ia_bridge_wait(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply)
{
    const struct ia_wire_wait *w = &req->u.wait;
    const struct ia_wire_target t = {.selector = &w->selector};
    int64_t poll_us = (w->poll_ms ? w->poll_ms : ctx->bridge->opt.poll_ms) * INT64_C(1000);
    bool compares = w->condition == IA_WIRE_WAIT_STILL || w->condition == IA_WIRE_WAIT_SETTLED;
    int64_t until = ia_bridge_until(ctx, w->timeout_ms);
    struct previous previous = {0};
    bool met = false;
    if (needs_selector(w->condition) && !ia_bridge_check_target(&t, false, reply)) {
        reply->outcome = IA_WIRE_NONE;
        return;
    }
    for (int snapshots = 1;; snapshots++) {
        if (!check_condition(ctx, w, until, &previous, &met, reply)) {
            return;
        }
        /* Two snapshots are needed even if the timeout ends after the first. */
        int64_t limit = compares && snapshots < 2 ? ctx->call.deadline_us : until;
        if (met || !ia_bridge_sleep(ctx, poll_us, limit)) {
            break;
        }
    }
    reply->u.wait.waited_ms = ia_bridge_since_ms(ctx);
    enum ia_bridge_stop_reason reason = ia_bridge_stop_reason(ctx->job);
    if (met) {
        ia_wire_reply_ok(reply, false);
    } else if (reason == IA_BRIDGE_NO_STOP || reason == IA_BRIDGE_STOP_DEADLINE) {
        ia_wire_reply_fail(reply, IA_WIRE_E_NOT_MET, IA_WIRE_NONE, true,
                           "the condition was not met within %u ms", reply->u.wait.waited_ms);
    } else {
        ia_bridge_fail_if_stopped(ctx, reply, IA_WIRE_NONE);
    }
}
