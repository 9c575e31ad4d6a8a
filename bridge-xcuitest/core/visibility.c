/* visibility.c: whether an element can be touched, estimated from the tree alone. Pure.
 *
 * XCTest's own answer costs a request per element and may wait for idle; the estimate is one
 * walk. An element is seen where its frame lies on the screen and in every container that
 * scrolls it; it is covered when the middle of that part is under an alert, a sheet, a keyboard
 * or a bar that is drawn later and is not around it. A plain view that lies above is not
 * counted: most are transparent. */
#include "core/impl.h"

static const uint16_t scrolls[] = {46 /* ScrollView */, 26 /* Table */, 32 /* CollectionView */,
                                   58 /* WebView */};
static const uint16_t covers[] = {7 /* Alert */,
                                  5 /* Sheet */,
                                  18 /* Popover */,
                                  19 /* Keyboard */,
                                  21 /* NavigationBar */,
                                  22 /* TabBar */,
                                  24 /* Toolbar */};

static bool is_one_of(uint16_t type, const uint16_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == type) {
            return true;
        }
    }
    return false;
}

static bool empty(struct ia_wire_rect r)
{
    return !(r.w > 0 && r.h > 0);
}

static struct ia_wire_rect both(struct ia_wire_rect a, struct ia_wire_rect b)
{
    double left = a.x > b.x ? a.x : b.x, top = a.y > b.y ? a.y : b.y;
    double right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
    double bottom = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
    return (struct ia_wire_rect){left, top, right - left, bottom - top};
}

static bool inside(struct ia_wire_rect r, struct ia_wire_point p)
{
    return p.x >= r.x && p.x < r.x + r.w && p.y >= r.y && p.y < r.y + r.h;
}

static struct ia_wire_rect visible_part(struct ia_bridge_view v, int32_t at)
{
    struct ia_wire_rect part = v.nodes[at].frame;
    for (int32_t up = ia_bridge_parent(v, at); up != IA_BRIDGE_NONE;
         up = ia_bridge_parent(v, up)) {
        const struct ia_wire_node *n = &v.nodes[up];
        bool clips = up == 0 || is_one_of(n->type, scrolls, IA_BRIDGE_COUNTOF(scrolls));
        if (clips && !empty(n->frame)) {
            part = both(part, n->frame);
        }
    }
    return part;
}

enum ia_wire_code ia_bridge_seen(struct ia_bridge_view v, int32_t at,
                                 struct ia_wire_point *ret_point)
{
    const struct ia_wire_node *n = &v.nodes[at];
    struct ia_wire_rect part = visible_part(v, at);
    struct ia_wire_point middle = {part.x + part.w / 2, part.y + part.h / 2};
    bool refused =
        (n->flags & IA_WIRE_NODE_HITTABLE_KNOWN) && !(n->flags & IA_WIRE_NODE_HITTABLE);
    if (empty(part) || (n->flags & IA_WIRE_NODE_INVISIBLE)) {
        return IA_WIRE_E_NOT_VISIBLE;
    }
    for (uint32_t i = ia_bridge_subtree_end(v, (uint32_t)at); i < v.n; i++) {
        if (is_one_of(v.nodes[i].type, covers, IA_BRIDGE_COUNTOF(covers)) &&
            inside(v.nodes[i].frame, middle)) {
            return IA_WIRE_E_COVERED;
        }
    }
    if (!(n->flags & IA_WIRE_NODE_ENABLED)) {
        return IA_WIRE_E_DISABLED;
    }
    if (refused) {
        return IA_WIRE_E_NOT_VISIBLE;
    }
    *ret_point = middle;
    return IA_WIRE_OK;
}
