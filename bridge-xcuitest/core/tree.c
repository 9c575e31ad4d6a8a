/* tree.c: builds the reply to TREE while a back end walks its snapshot, in pre-order: enforces
 * the limits on depth, nodes and bytes, prunes nodes without content when they are left, and
 * cleans strings. */
#include "core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NODE_BYTES is a node on the wire without its texts, rounded up. TREE_BYTES_MAX leaves room
 * for the JSON form of the classic protocol, which is several times as long. */
enum { NODE_BYTES = 64, TREE_BYTES_MAX = IA_WIRE_JSON_MAX / 8, TYPES = 83, OTHER = 1 };

void ia_bridge_tree_begin(struct ia_bridge_tree *t, const struct ia_wire_tree *how,
                          struct ia_wire_reply *reply)
{
    *t = (struct ia_bridge_tree){.reply = reply};
    t->max_nodes = how->max_nodes ? how->max_nodes : IA_BRIDGE_TREE_NODES;
    t->max_depth = how->max_depth ? how->max_depth : IA_BRIDGE_TREE_DEPTH;
    t->max_nodes = t->max_nodes < IA_WIRE_NODES_MAX ? t->max_nodes : IA_WIRE_NODES_MAX;
    t->max_depth = t->max_depth < IA_WIRE_DEPTH_MAX ? t->max_depth : IA_WIRE_DEPTH_MAX;
    t->unpruned = how->flags & IA_WIRE_TREE_UNPRUNED;
}

static bool cut_node(struct ia_bridge_tree *t, uint8_t cut)
{
    t->cut |= cut;
    if (t->depth > 0) {
        t->nodes[t->open[t->depth - 1]].flags |= IA_WIRE_NODE_CUT;
    }
    return false;
}

static bool reserve(struct ia_bridge_tree *t)
{
    if (t->n < t->cap) {
        return true;
    }
    uint32_t cap = t->cap ? t->cap * 2 : 128;
    struct ia_wire_node *nodes = realloc(t->nodes, cap * sizeof(*nodes));
    if (!nodes) {
        t->reply->arena.failed = true;
        return false;
    }
    t->nodes = nodes;
    t->cap = cap;
    return true;
}

static const char *copy_text(struct ia_bridge_tree *t, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    if (n == 0) {
        return NULL;
    }
    t->cut |= n > IA_WIRE_TEXT_MAX ? IA_WIRE_CUT_BYTES : 0;
    const char *copy = ia_wire_text(&t->reply->arena, s, n, IA_WIRE_TEXT_MAX);
    t->bytes += copy ? strlen(copy) : 0;
    return copy;
}

static double finite_or_0(double v)
{
    return isfinite(v) ? v : 0;
}

bool ia_bridge_tree_enter(struct ia_bridge_tree *t, const struct ia_wire_node *node)
{
    if (t->depth >= t->max_depth) {
        return cut_node(t, IA_WIRE_CUT_DEPTH);
    }
    /* Visited, not kept: pruned nodes cost the back end as much as the others. */
    if (t->visited >= t->max_nodes) {
        return cut_node(t, IA_WIRE_CUT_NODES);
    }
    if (t->bytes >= TREE_BYTES_MAX || !reserve(t)) {
        return cut_node(t, IA_WIRE_CUT_BYTES);
    }
    struct ia_wire_node *to = &t->nodes[t->n];
    *to = *node;
    to->depth = (uint16_t)t->depth;
    to->type = node->type < TYPES ? node->type : OTHER;
    to->frame.x = finite_or_0(node->frame.x);
    to->frame.y = finite_or_0(node->frame.y);
    to->frame.w = finite_or_0(node->frame.w);
    to->frame.h = finite_or_0(node->frame.h);
    to->identifier = copy_text(t, node->identifier);
    to->label = copy_text(t, node->label);
    to->value = copy_text(t, node->value);
    to->placeholder = copy_text(t, node->placeholder);
    t->open[t->depth++] = t->n++;
    t->visited++;
    t->bytes += NODE_BYTES;
    return true;
}

void ia_bridge_tree_leave(struct ia_bridge_tree *t)
{
    uint32_t at = t->open[--t->depth];
    const struct ia_wire_node *n = &t->nodes[at];
    bool has_content =
        n->identifier || n->label || n->value || (n->frame.w > 0 && n->frame.h > 0);
    /* Its empty children are gone already, so an empty branch goes from its leaves up. */
    if (t->n == at + 1 && !t->unpruned && !has_content) {
        t->n = at;
        t->bytes -= NODE_BYTES;
    }
}

void ia_bridge_tree_cut(struct ia_bridge_tree *t, uint8_t cut)
{
    t->cut |= cut;
}

void ia_bridge_tree_end(struct ia_bridge_tree *t, const char *app)
{
    struct ia_wire_reply *r = t->reply;
    struct ia_wire_node *nodes = NULL;
    if (t->n > 0 && (nodes = ia_wire_alloc(&r->arena, t->n * sizeof(*nodes)))) {
        memcpy(nodes, t->nodes, t->n * sizeof(*nodes));
    }
    free(t->nodes);
    t->nodes = NULL;
    /* Callers retry this: an app that is starting shows nothing yet. */
    if (t->n == 0) {
        ia_wire_reply_fail(r, IA_WIRE_E_TREE_EMPTY, IA_WIRE_NONE, false, "%s shows no element",
                           app && app[0] ? app : "the app");
        return;
    }
    r->u.tree = (struct ia_wire_tree_reply){
        .app = app ? ia_wire_text(&r->arena, app, strlen(app), IA_WIRE_NAME_MAX) : "",
        .cut = t->cut,
        .visited = t->visited,
        .nodes = nodes,
        .nodes_n = nodes ? t->n : 0};
    ia_wire_reply_ok(r, false);
}
