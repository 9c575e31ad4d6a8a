/* pinch.c: the element that stands somewhere, named as the wire names elements: by type, identifier
 * and label, and as the how-manieth of those that have the same. Pure. */
#include "driver/bridge/impl.h"

#include <math.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_kind(const struct ia_wire_node *a, const struct ia_wire_node *b)
{
    return a->type == b->type && same_text(a->identifier, b->identifier) &&
           same_text(a->label, b->label);
}

static bool stands_at(const struct ia_wire_node *n, struct ia_rect r)
{
    const struct ia_wire_rect *f = &n->frame;
    return fabs(f->x - r.x) < 0.5 && fabs(f->y - r.y) < 0.5 && fabs(f->w - r.w) < 0.5 &&
           fabs(f->h - r.h) < 0.5;
}

bool ia_bridge_client_sign(const struct ia_wire_tree_reply *tree, struct ia_rect frame,
                           struct ia_wire_signature *ret)
{
    const struct ia_wire_node *on = NULL;
    uint32_t before = 0, count = 0;
    /* Inner nodes come after outer ones. */
    for (uint32_t i = 0; i < tree->nodes_n; i++) {
        on = stands_at(&tree->nodes[i], frame) ? &tree->nodes[i] : on;
    }
    for (uint32_t i = 0; on && i < tree->nodes_n; i++) {
        if (same_kind(&tree->nodes[i], on)) {
            before += &tree->nodes[i] < on;
            count++;
        }
    }
    if (!on || count > UINT16_MAX) {
        return false;
    }
    *ret = (struct ia_wire_signature){.identifier = on->identifier,
                                      .label = on->label,
                                      .type = on->type,
                                      .frame = on->frame,
                                      .ordinal = (uint16_t)before,
                                      .count = (uint16_t)count};
    return true;
}
