/* audit_tree.c: the rules that need the tree: images that say nothing, and controls inside of what is
 * disabled. A snapshot has folded both away. */
#include "driver/snapshot/audit_impl.h"
#include "driver/snapshot/rect.h"

#include <math.h>

/* Smaller images are mostly marks and arrows, larger ones backgrounds. */
static const double IMAGE_LEAST_PT = 60, IMAGE_MOST = 0.8; /* of the screen */

/* What stands in these is read with them, or is the system's. */
static bool speaks_for(const struct ia_node *n)
{
    switch (n->type) {
    case IA_EL_BUTTON:
    case IA_EL_LINK:
    case IA_EL_ICON:
    case IA_EL_CELL:
    case IA_EL_TABLE_ROW:
    case IA_EL_TAB:
    case IA_EL_SWITCH:
    case IA_EL_TEXT_FIELD:
    case IA_EL_SEARCH_FIELD:
    case IA_EL_SECURE_TEXT_FIELD:
    case IA_EL_TEXT_VIEW:
    case IA_EL_SLIDER:
    case IA_EL_KEYBOARD:
    case IA_EL_STATUS_BAR:
    case IA_EL_NAVIGATION_BAR:
    case IA_EL_TAB_BAR:
    case IA_EL_TOOLBAR:
        return true;
    default:
        /* A group that has a name of its own. */
        return n->label && n->type != IA_EL_APPLICATION && n->type != IA_EL_WINDOW &&
               n->type != IA_EL_WEB_VIEW;
    }
}

static bool spoken_for(const struct ia_node *n)
{
    for (const struct ia_node *p = n->parent; p; p = p->parent) {
        if (speaks_for(p)) {
            return true;
        }
    }
    return false;
}

static bool holds_text(const struct ia_node *n)
{
    for (const struct ia_node *k = n->first_child; k; k = ia_node_next(k, n)) {
        if (k->label || k->value) {
            return true;
        }
    }
    return false;
}

/* On the screen, and nothing of a modal in front that is elsewhere. */
static bool shown(const struct ia_snapshot *s, const struct ia_node *n)
{
    struct ia_rect screen = {0, 0, s->width, s->height};
    struct ia_rect seen = ia_rect_cut(n->frame, screen);
    return !s->modal && !(n->flags & IA_NODE_INVISIBLE) &&
           ia_rect_area(seen) > ia_rect_area(n->frame) / 2;
}

static void check_image(struct ia_audit *a, const struct ia_snapshot *s,
                        const struct ia_node *n)
{
    double least = fmin(n->frame.w, n->frame.h);
    bool ground = ia_rect_area(n->frame) > IMAGE_MOST * s->width * s->height ||
                  (n->frame.w >= s->width && n->frame.h >= s->height * IMAGE_MOST);
    if (n->type == IA_EL_IMAGE && !n->label && !n->value && least >= IMAGE_LEAST_PT &&
        !ground && shown(s, n) && !spoken_for(n) && !holds_text(n)) {
        ia_audit_add_node(a, IA_AUDIT_IMAGE_LABEL, IA_AUDIT_NOTICE, n,
                          "says nothing to those who do not see it");
    }
}

static bool is_control(const struct ia_node *n)
{
    switch (n->type) {
    case IA_EL_BUTTON:
    case IA_EL_LINK:
    case IA_EL_SWITCH:
    case IA_EL_SLIDER:
    case IA_EL_STEPPER:
    case IA_EL_TEXT_FIELD:
    case IA_EL_SECURE_TEXT_FIELD:
    case IA_EL_SEARCH_FIELD:
    case IA_EL_TEXT_VIEW:
        return true;
    default:
        return false;
    }
}

static bool in_disabled(const struct ia_node *n)
{
    for (const struct ia_node *p = n->parent; p; p = p->parent) {
        bool system = p->type == IA_EL_KEYBOARD || p->type == IA_EL_APPLICATION ||
                      p->type == IA_EL_WINDOW;
        if (!(p->flags & IA_NODE_ENABLED) && !system) {
            return true;
        }
    }
    return false;
}

static void check_disabled(struct ia_audit *a, const struct ia_snapshot *s,
                           const struct ia_node *n)
{
    if (is_control(n) && n->flags & IA_NODE_ENABLED && n->label && shown(s, n) &&
        in_disabled(n)) {
        ia_audit_add_node(a, IA_AUDIT_DISABLED_AROUND, IA_AUDIT_WARNING, n,
                          "is enabled inside of something that is disabled");
    }
}

void ia_audit_nodes(struct ia_audit *a, const struct ia_snapshot *s, const struct ia_tree *t)
{
    struct ia_node *root = ia_tree_root(t);
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        check_image(a, s, n);
        check_disabled(a, s, n);
    }
}
