/* visibility.c: whether an element can be touched, estimated from the tree alone. Pure.
 *
 * XCTest's own answer costs a request for each element and may wait for the app to be idle; the
 * estimate is one walk over a tree that is there anyway. An element is visible where its frame
 * lies on the screen and inside every container that scrolls it. It is covered when the middle
 * of that part lies under an alert, a sheet, a keyboard or a bar that is drawn later and does
 * not contain it. Plain views on top do not count, since most of them are transparent. */
#include "core/impl.h"

/* Numbers of XCUIElementType. */
enum {
    SHEET = 5,
    ALERT = 7,
    POPOVER = 18,
    KEYBOARD = 19,
    NAVIGATION_BAR = 21,
    TAB_BAR = 22,
    TOOLBAR = 24,
    TABLE = 26,
    COLLECTION_VIEW = 32,
    SCROLL_VIEW = 46,
    WEB_VIEW = 58
};
static const uint16_t clipping_types[] = {SCROLL_VIEW, TABLE, COLLECTION_VIEW, WEB_VIEW};
static const uint16_t covering_types[] = {ALERT,          SHEET,   POPOVER, KEYBOARD,
                                          NAVIGATION_BAR, TAB_BAR, TOOLBAR};

static bool is_one_of(uint16_t type, const uint16_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == type) {
            return true;
        }
    }
    return false;
}

static bool is_empty(struct ia_wire_rect r)
{
    return !(r.w > 0 && r.h > 0);
}

static struct ia_wire_rect intersect(struct ia_wire_rect a, struct ia_wire_rect b)
{
    double left = a.x > b.x ? a.x : b.x, top = a.y > b.y ? a.y : b.y;
    double right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
    double bottom = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
    return (struct ia_wire_rect){left, top, right - left, bottom - top};
}

static bool rect_contains(struct ia_wire_rect r, struct ia_wire_point p)
{
    return p.x >= r.x && p.x < r.x + r.w && p.y >= r.y && p.y < r.y + r.h;
}

static struct ia_wire_rect visible_part(struct ia_bridge_view v, int32_t at)
{
    struct ia_wire_rect part = v.nodes[at].frame;
    for (int32_t up = ia_bridge_parent(v, at); up != IA_BRIDGE_NONE;
         up = ia_bridge_parent(v, up)) {
        const struct ia_wire_node *n = &v.nodes[up];
        /* The root, which is the app's window, clips as the screen does. */
        bool clips =
            up == 0 || is_one_of(n->type, clipping_types, IA_BRIDGE_COUNTOF(clipping_types));
        if (clips && !is_empty(n->frame)) {
            part = intersect(part, n->frame);
        }
    }
    return part;
}

enum ia_wire_code ia_bridge_visibility(struct ia_bridge_view v, int32_t at,
                                       struct ia_wire_point *ret_point)
{
    const struct ia_wire_node *n = &v.nodes[at];
    struct ia_wire_rect part = visible_part(v, at);
    struct ia_wire_point middle = {part.x + part.w / 2, part.y + part.h / 2};
    bool known_unhittable =
        (n->flags & IA_WIRE_NODE_HITTABLE_KNOWN) && !(n->flags & IA_WIRE_NODE_HITTABLE);
    if (is_empty(part) || (n->flags & IA_WIRE_NODE_INVISIBLE)) {
        return IA_WIRE_E_NOT_VISIBLE;
    }
    /* What comes after the element's subtree is drawn over it. */
    for (uint32_t i = ia_bridge_subtree_end(v, (uint32_t)at); i < v.n; i++) {
        if (is_one_of(v.nodes[i].type, covering_types, IA_BRIDGE_COUNTOF(covering_types)) &&
            rect_contains(v.nodes[i].frame, middle)) {
            return IA_WIRE_E_COVERED;
        }
    }
    if (!(n->flags & IA_WIRE_NODE_ENABLED)) {
        return IA_WIRE_E_DISABLED;
    }
    if (known_unhittable) {
        return IA_WIRE_E_NOT_VISIBLE;
    }
    *ret_point = middle;
    return IA_WIRE_OK;
}
