/* view.c: relations between the nodes of a tree, which is a list in pre-order with depths: a
 * parent is the nearest earlier node that is less deep, a subtree ends at the next node that is
 * not deeper. Pure. */
#include "core/impl.h"

#include <math.h>

struct ia_bridge_view ia_bridge_view(const struct ia_wire_reply *tree)
{
    return (struct ia_bridge_view){tree->u.tree.nodes, tree->u.tree.nodes_n};
}

int32_t ia_bridge_parent(struct ia_bridge_view v, int32_t at)
{
    for (int32_t i = at - 1; i >= 0; i--) {
        if (v.nodes[i].depth < v.nodes[at].depth) {
            return i;
        }
    }
    return IA_BRIDGE_NONE;
}

uint32_t ia_bridge_subtree_end(struct ia_bridge_view v, uint32_t at)
{
    uint32_t i = at + 1;
    while (i < v.n && v.nodes[i].depth > v.nodes[at].depth) {
        i++;
    }
    return i;
}

uint32_t ia_bridge_path(struct ia_bridge_view v, int32_t at, uint16_t path[IA_WIRE_DEPTH_MAX])
{
    uint32_t depth = v.nodes[at].depth;
    uint32_t want = depth;
    for (uint32_t i = 0; i < depth; i++) {
        path[i] = 0;
    }
    /* Backwards from the node: what is as deep as the ancestor in hand is an earlier sibling of
     * it, what is less deep is its parent. */
    for (int32_t i = at - 1; i >= 0 && want > 0; i--) {
        if (v.nodes[i].depth == want) {
            path[want - 1]++;
        } else if (v.nodes[i].depth < want) {
            want = v.nodes[i].depth;
        }
    }
    return depth;
}

bool ia_bridge_same_frame(struct ia_wire_rect a, struct ia_wire_rect b)
{
    return fabs(a.x - b.x) < 0.5 && fabs(a.y - b.y) < 0.5 && fabs(a.w - b.w) < 0.5 &&
           fabs(a.h - b.h) < 0.5;
}
