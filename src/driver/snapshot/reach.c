/* reach.c: where an element can be touched, if at all, and what can be done with it.
 *
 * A point is free when nothing that is drawn later and takes touches lies over it: controls,
 * alerts, sheets, bars, the keyboard. Only the topmost OCCLUDERS_MAX are looked at, so that the
 * time stays linear whatever the tree.
 *
 * Runs once the elements exist and before refs are given. For each element: the actions its
 * role allows, then a point that is free, else COVERED; a disabled control keeps its point
 * but has no actions. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include <math.h>

enum { OCCLUDERS_MAX = 256, KNOB_WITHIN = 8 };
/* A switch's knob is on the trailing edge of a wide frame; where the label is written from
 * right to left that is the left one. */
static const double SWITCH_WIDE_PT = 100;
static const double SWITCH_INSET_PT = 32;

struct occluder {
    struct ia_rect r;
    int32_t item;
    bool control; /* else an area or a bar, which hides texts too */
    bool leaf;    /* a touchable leaf: only told from a text of its own group by its place */
};

struct reach {
    struct ia_build *b;
    struct occluder over[OCCLUDERS_MAX]; /* the last drawn first */
    int n;
};

static bool bar_type(const struct ia_build_item *it)
{
    unsigned t = it->node->type;
    return t == IA_EL_NAVIGATION_BAR || t == IA_EL_TAB_BAR || t == IA_EL_TOOLBAR;
}

/* A named leaf that is no control by its type is touched like one, as React Native's are. One
 * that is as large as a page may be anything. */
static bool touchable_leaf(const struct ia_build *b, const struct ia_build_item *it)
{
    bool leaf = it->end == (int32_t)(it - b->items) + 1;
    return leaf && it->parent >= 0 && it->role == IA_ROLE_OTHER && it->label &&
           it->node->type == IA_EL_OTHER &&
           ia_rect_area(it->frame) < ia_rect_area(b->viewport) / 2;
}

static bool occludes(const struct ia_build *b, const struct ia_build_item *it,
                     bool *ret_control)
{
    *ret_control = false;
    if (b->floating && it - b->items == b->keyboard_item) {
        return true;
    }
    if (ia_build_is(it, IA_IT_STATUS | IA_IT_BEHIND | IA_IT_OFF | IA_IT_KEYBOARD)) {
        return false;
    }
    *ret_control = it->part == IA_PART_CONTROL || touchable_leaf(b, it);
    bool area = it->role == IA_ROLE_ALERT || it->role == IA_ROLE_SHEET;
    return (it->element >= 0 && *ret_control) || area || bar_type(it);
}

static void collect(struct reach *r)
{
    for (int32_t i = r->b->n - 1; i >= 0 && r->n < OCCLUDERS_MAX; i--) {
        const struct ia_build_item *it = &r->b->items[i];
        bool control = false;
        if (occludes(r->b, it, &control)) {
            r->over[r->n++] = (struct occluder){it->vis, i, control, touchable_leaf(r->b, it)};
        }
    }
}

/* Drawn after i, and not around it; what lies inside i also keeps its own touches. Two controls
 * in the same place are both offered: a touch goes to the same point either way. */
static bool above(const struct reach *r, const struct occluder *o, int32_t i, bool texts)
{
    bool inside = ia_build_within(r->b, o->item, i);
    if (texts && (o->control || inside)) {
        return false;
    }
    if (o->leaf && ia_build_within(r->b, i, r->b->items[o->item].parent)) {
        return false; /* in one group the order may be that of reading, not of drawing */
    }
    if (o->control && ia_rect_near(r->b->items[o->item].frame, r->b->items[i].frame, 1)) {
        return false;
    }
    return o->item > i && (o->control || !inside);
}

static bool covered(const struct reach *r, int32_t i, struct ia_point p, bool texts)
{
    for (int k = 0; k < r->n && r->over[k].item > i; k++) {
        if (ia_rect_has(r->over[k].r, p) && above(r, &r->over[k], i, texts)) {
            return true;
        }
    }
    return false;
}

/* SwiftUI's switch spans its row and holds the knob as another switch. */
static const struct ia_build_item *knob_of(const struct ia_build *b,
                                           const struct ia_build_item *it)
{
    int32_t i = (int32_t)(it - b->items);
    for (int32_t k = i + 1; k < it->end && k <= i + KNOB_WITHIN; k++) {
        const struct ia_build_item *inner = &b->items[k];
        bool toggle = inner->role == IA_ROLE_SWITCH && !ia_rect_empty(inner->vis);
        if (toggle && inner->frame.w <= SWITCH_WIDE_PT) {
            return inner;
        }
    }
    return NULL;
}

static struct ia_point first_choice(const struct ia_build *b, const struct ia_build_item *it)
{
    struct ia_point c = ia_rect_center(it->vis);
    const struct ia_build_item *inner = it->role == IA_ROLE_SWITCH ? knob_of(b, it) : NULL;
    if (inner && ia_rect_has(it->vis, ia_rect_center(inner->vis))) {
        return ia_rect_center(inner->vis);
    }
    bool knob = it->role == IA_ROLE_SWITCH && it->frame.w > SWITCH_WIDE_PT;
    double edge = it->vis.x + it->vis.w - SWITCH_INSET_PT;
    if (knob && edge > it->vis.x) {
        bool mirrored = it->label && ia_phrase_rtl(it->label);
        c.x = mirrored ? it->vis.x + SWITCH_INSET_PT : edge;
    }
    return c;
}

/* Tries the usual point, then a coarse and a fine grid over the visible part. */
static bool free_point(const struct reach *r, int32_t i, bool texts, struct ia_point *ret)
{
    const struct ia_build_item *it = &r->b->items[i];
    struct ia_point p = first_choice(r->b, it);
    if (!covered(r, i, p, texts)) {
        *ret = p;
        return true;
    }
    for (int grid = 3; grid <= 7; grid += 4) {
        for (int k = 0; k < grid * grid; k++) {
            int column = k % grid;
            int line = k / grid;
            p.x = it->vis.x + it->vis.w * (2 * column + 1) / (2 * grid);
            p.y = it->vis.y + it->vis.h * (2 * line + 1) / (2 * grid);
            if (!covered(r, i, p, texts)) {
                *ret = p;
                return true;
            }
        }
    }
    return false;
}

static unsigned actions_of(const struct ia_element *e, const struct ia_build_item *it)
{
    switch (e->role) {
    case IA_ROLE_FIELD:
    case IA_ROLE_SECURE:
    case IA_ROLE_SEARCH:
        return IA_ACT_TAP | IA_ACT_LONG_PRESS | IA_ACT_TYPE;
    case IA_ROLE_SLIDER:
    case IA_ROLE_PICKER:
    case IA_ROLE_STEPPER:
        return IA_ACT_TAP | IA_ACT_LONG_PRESS | IA_ACT_SWIPE | IA_ACT_ADJUST;
    case IA_ROLE_ROW:
        return IA_ACT_TAP | IA_ACT_LONG_PRESS | IA_ACT_SWIPE;
    case IA_ROLE_LIST:
    case IA_ROLE_SCROLL:
    case IA_ROLE_WEB:
        return IA_ACT_SWIPE;
    case IA_ROLE_ALERT:
    case IA_ROLE_KEYBOARD:
    case IA_ROLE_PROGRESS:
        return 0;
    case IA_ROLE_SHEET:
        return IA_ACT_SWIPE;
    case IA_ROLE_KEY:
        return IA_ACT_TAP | IA_ACT_LONG_PRESS;
    default:
        break;
    }
    bool adjusts = (it->node->flags & IA_NODE_ADJUSTABLE) != 0;
    return IA_ACT_TAP | IA_ACT_LONG_PRESS | IA_ACT_SWIPE | (adjusts ? IA_ACT_ADJUST : 0u);
}

/* Swiping needs no free point of its own; tapping does. */
static bool areas_only(unsigned actions)
{
    return (actions & IA_ACT_TAP) == 0;
}

static void reach_item(const struct reach *r, int32_t i)
{
    struct ia_build_item *it = &r->b->items[i];
    struct ia_element *e = &r->b->s->elements[it->element];
    if (e->reach != IA_REACH_OK || e->role == IA_ROLE_KEYBOARD) {
        return;
    }
    unsigned actions = actions_of(e, it);
    bool texts = it->part == IA_PART_TEXT && it->role != IA_ROLE_OTHER;
    e->activation = ia_rect_center(it->vis);
    if (!areas_only(actions) && !free_point(r, i, texts, &e->activation)) {
        /* Filled by controls it cannot be touched, but still says something. */
        struct ia_point p;
        bool says = (it->end > i + 1 || it->part == IA_PART_TEXT) && (e->label || e->value);
        e->listed = e->listed && says && free_point(r, i, true, &p);
        e->reach = IA_REACH_COVERED;
        return;
    }
    bool plain =
        e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING || e->role == IA_ROLE_IMAGE;
    if (e->disabled && !plain) {
        e->reach = IA_REACH_DISABLED;
        return;
    }
    e->actions = (uint16_t)actions;
}

void ia_build_reach(struct ia_build *b)
{
    struct reach r = {.b = b};
    collect(&r);
    for (int32_t i = 0; i < b->n; i++) {
        if (b->items[i].element >= 0) {
            reach_item(&r, i);
        }
    }
}
