/* front.c: what a person cannot reach because something modal stands in front of it, found by
 * structure alone: types, dimming views, full pages.
 *
 * The tree is in drawing order, so one index is the answer: the last item that stands in front.
 * Everything drawn wholly before it is behind. What is wrongly called behind is never offered,
 * which ends a run; what is wrongly offered fails once. So each rule asks for more than one
 * sign, and a screen that fits none of them hides nothing. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/rect.h"

#include <math.h>

/* A status bar's height at most, in points: with a sensor housing, and without. */
enum { STATUS_TALL_PT = 56, STATUS_SHORT_PT = 24, TALL_SCREEN_PT = 780 };
enum {
    STATUS_PARTS_MIN = 3, /* clock, network, battery: fewer texts at the end may be an app's */
    STATUS_PARTS_MAX = 24,
    PAGE_PARTS_MAX = 48, /* of a page that are compared with another's: 48 × 48 pairs */
    COLLISIONS_MIN = 2   /* one overlap may be a badge on its icon */
};

/* Shares of the screen. They hold for the trees of tests/data/trees and UIKit's own layouts:
 *
 *   a whole width or height   within 5 % at either side, as safe areas and rounding leave some
 *   a full-height drawer      above 97 %, since a large sheet leaves the top of what it covers;
 *                             40 to 95 % wide: narrower is a sidebar, wider a page
 *   a card                    its centre within 5 % of the middle across and between 35 and
 *                             65 % down, 10 % while a keyboard pushes it up; 25 to 95 % wide:
 *                             narrower is a button, wider a page */
static const double EDGE_SHARE = 0.05;
static const double FULL_HEIGHT = 0.97;
static const double DRAWER_WIDTH_MIN = 0.4;
static const double CARD_WIDTH_MIN = 0.25;
static const double PARTIAL_WIDTH_MAX = 0.95;
static const double CARD_OFF_CENTRE_MAX = 0.05;
static const double CARD_TOP = 0.35, CARD_TOP_WITH_KEYBOARD = 0.1, CARD_BOTTOM = 0.65;
static const double SHEET_HEIGHT_MIN_PT = 80; /* lower is a bar or a banner */
/* A page fills the screen with what it shows; one that covers another does so by half. */
static const double PAGE_CONTENT_MIN = 1.0 / 4, COVERING_CONTENT_MIN = 1.0 / 2;

static bool in_strip(const struct ia_build *b, const struct ia_build_item *it)
{
    double strip = b->viewport.h >= TALL_SCREEN_PT ? STATUS_TALL_PT : STATUS_SHORT_PT;
    unsigned t = it->node->type;
    bool plain = it->part == IA_PART_TEXT || t == IA_EL_OTHER || t == IA_EL_GROUP;
    return plain && !ia_rect_empty(it->frame) && it->frame.y >= 0 &&
           it->frame.y + it->frame.h <= strip;
}

/* A flat tree ends with the loose parts of the status bar: texts in the top strip. */
static bool mark_loose_status(struct ia_build *b)
{
    int32_t run = 0;
    int32_t i = b->n - 1;
    while (i > 0 && b->items[i].parent == 0 && b->items[i].end == i + 1 &&
           in_strip(b, &b->items[i])) {
        run++;
        i--;
    }
    for (int32_t j = i + 1; run >= STATUS_PARTS_MIN && j < b->n; j++) {
        b->items[j].flags |= IA_IT_STATUS;
    }
    return run >= STATUS_PARTS_MIN;
}

/* A part says something, and nothing inside it says the same. */
static bool status_part(const struct ia_build *b, int32_t i)
{
    const struct ia_build_item *it = &b->items[i];
    bool wraps = it->end > i + 1 && (b->items[i + 1].label || b->items[i + 1].value);
    return ia_build_is(it, IA_IT_STATUS) && (it->label || it->value) && !wraps;
}

static void keep_status(struct ia_build *b)
{
    struct ia_snapshot *s = b->s;
    s->status = ia_arena_get(&s->arena, STATUS_PARTS_MAX, sizeof(*s->status));
    for (int32_t i = 0; i < b->n && s->status_count < STATUS_PARTS_MAX; i++) {
        if (status_part(b, i)) {
            s->status[s->status_count++] =
                (struct ia_status){b->items[i].label, b->items[i].value};
        }
    }
}

void ia_build_status(struct ia_build *b)
{
    bool any = false;
    for (int32_t i = 0; i < b->n; i++) {
        if (b->items[i].node->type == IA_EL_STATUS_BAR) {
            ia_build_mark(b, i, IA_IT_STATUS);
            any = true;
        }
    }
    if (mark_loose_status(b) || any) {
        keep_status(b);
    }
}

static bool counts(const struct ia_build_item *it)
{
    bool said = it->label || it->value || it->part == IA_PART_CONTROL;
    return said && (it->part == IA_PART_CONTROL || it->part == IA_PART_TEXT) &&
           !ia_build_is(it, IA_IT_STATUS | IA_IT_KEYBOARD) && !ia_rect_empty(it->frame);
}

/* React Native's touchables have a name and no type. */
static bool touchable(const struct ia_build_item *it, int32_t i)
{
    return it->end == i + 1 && it->node->type == IA_EL_OTHER && it->label;
}

/* What a subtree shows: the box around its controls and texts, and how many there are. */
struct shown {
    struct ia_rect box;
    int32_t controls, all;
    int32_t bars; /* navigation bars */
    int32_t on;   /* how many are shown from here to the end of the tree */
};

static struct shown *survey(const struct ia_build *b, struct ia_arena *arena)
{
    struct shown *v = ia_arena_get(arena, (size_t)b->n + 1, sizeof(*v));
    for (int32_t i = b->n - 1; i >= 0; i--) {
        const struct ia_build_item *it = &b->items[i];
        struct ia_rect vis = ia_rect_cut(it->frame, b->viewport);
        bool shows = counts(it) && !ia_rect_empty(vis);
        v[i].box = shows ? ia_rect_join(v[i].box, vis) : v[i].box;
        v[i].controls += shows && (it->part == IA_PART_CONTROL || touchable(it, i));
        v[i].all += shows;
        v[i].on = v[i + 1].on + shows;
        v[i].bars += it->node->type == IA_EL_NAVIGATION_BAR;
        if (i > 0) {
            struct shown *p = &v[it->parent];
            p->box = ia_rect_join(p->box, v[i].box);
            p->controls += v[i].controls;
            p->all += v[i].all;
            p->bars += v[i].bars;
        }
    }
    return v;
}

static bool covers_width(const struct ia_build *b, struct ia_rect r)
{
    return r.x <= b->viewport.w * EDGE_SHARE && r.x + r.w >= b->viewport.w * (1 - EDGE_SHARE);
}

static bool covers_screen(const struct ia_build *b, struct ia_rect r)
{
    return covers_width(b, r) && r.y <= b->viewport.h * EDGE_SHARE &&
           r.y + r.h >= b->viewport.h * (1 - EDGE_SHARE);
}

static bool leaf(const struct ia_build_item *it, int32_t i)
{
    bool kind = it->role == IA_ROLE_OTHER || it->role == IA_ROLE_BUTTON;
    return it->end == i + 1 && kind && it->node->type != IA_EL_MAP;
}

static bool silent(const struct ia_build_item *it)
{
    return it->role == IA_ROLE_OTHER && !it->label && !it->value;
}

/* A dimming view that UIKit lays a whole screen beyond each edge. */
static bool oversized(const struct ia_build *b, struct ia_rect r)
{
    double dx = b->viewport.w / 2;
    double dy = b->viewport.h / 2;
    return r.x <= -dx && r.y <= -dy && r.x + r.w >= b->viewport.w + dx &&
           r.y + r.h >= b->viewport.h + dy;
}

/* A sheet rests on the bottom edge over the full width; a card stands centred; a drawer fills
 * the height at one side. */
static bool sheet_or_card(const struct ia_build *b, struct ia_rect r)
{
    double w = b->viewport.w;
    double h = b->viewport.h;
    if (r.h > h * FULL_HEIGHT || r.h < SHEET_HEIGHT_MIN_PT) {
        bool side = r.x <= 1 || r.x + r.w >= w - 1;
        return r.h > h * FULL_HEIGHT && side && r.w < w * PARTIAL_WIDTH_MAX &&
               r.w > w * DRAWER_WIDTH_MIN;
    }
    bool rests = covers_width(b, r) && r.y > 0 && r.y + r.h >= h - 1;
    struct ia_point c = ia_rect_center(r);
    double top = ia_rect_empty(b->keyboard) ? CARD_TOP : CARD_TOP_WITH_KEYBOARD;
    bool centred = c.x > w * (0.5 - CARD_OFF_CENTRE_MAX) &&
                   c.x < w * (0.5 + CARD_OFF_CENTRE_MAX) && c.y > h * top &&
                   c.y < h * CARD_BOTTOM;
    return rests || (centred && r.w < w * PARTIAL_WIDTH_MAX && r.w > w * CARD_WIDTH_MIN);
}

/* A leaf over the whole screen, followed by a sheet or a card that holds controls. It may have
 * a name when a touch of it closes the sheet; it must then lie over a screen's content, lest a
 * camera's picture hides the bar above it, and what follows may be a menu anywhere. */
static bool dims(const struct ia_build *b, const struct shown *v, int32_t i, bool over)
{
    const struct ia_build_item *it = &b->items[i];
    if (!leaf(it, i) || (!silent(it) && !over)) {
        return false;
    }
    if (silent(it) && oversized(b, it->frame)) {
        return v[it->end].on > 0;
    }
    int32_t next = it->end;
    return covers_screen(b, it->frame) && next < b->n && b->items[next].parent == it->parent &&
           b->items[next].end > next + 1 && v[next].controls > 0 &&
           (!silent(it) || sheet_or_card(b, b->items[next].frame));
}

/* A sheet with a navigation bar of its own over a page that has one, bar: beside it, it is a
 * column of a split view. */
static bool barred_sheet(const struct ia_build *b, const struct shown *v, int32_t i,
                         int32_t bar)
{
    const struct ia_build_item *it = &b->items[i];
    if (it->role != IA_ROLE_OTHER || v[i].bars == 0 || v[i].controls == 0 || it->parent < 0 ||
        v[it->parent].bars <= v[i].bars || bar < 0) {
        return false;
    }
    struct ia_rect page = b->items[bar].frame;
    double common =
        fmin(page.x + page.w, it->frame.x + it->frame.w) - fmax(page.x, it->frame.x);
    return common > fmin(page.w, it->frame.w) / 2 && sheet_or_card(b, it->frame);
}

static bool modal_type(const struct ia_build_item *it)
{
    return it->role == IA_ROLE_ALERT || it->role == IA_ROLE_SHEET;
}

/* What a page shows, up to a cap. */
struct parts {
    struct ia_rect r[PAGE_PARTS_MAX];
    int n;
};

static struct parts parts_of(const struct ia_build *b, int32_t page)
{
    struct parts p = {.n = 0};
    for (int32_t i = page; i < b->items[page].end && p.n < PAGE_PARTS_MAX; i++) {
        if (counts(&b->items[i])) {
            p.r[p.n++] = b->items[i].frame;
        }
    }
    return p;
}

/* Pages that are seen together leave each other room; one that covers another does not. */
static bool collide(const struct ia_build *b, int32_t x, int32_t y)
{
    struct parts p = parts_of(b, x);
    struct parts q = parts_of(b, y);
    int count = 0;
    for (int i = 0; i < p.n; i++) {
        for (int k = 0; k < q.n; k++) {
            count += !ia_rect_empty(ia_rect_cut(p.r[i], q.r[k]));
        }
    }
    return count >= COLLISIONS_MIN;
}

/* A page that was pushed over others which stay mounted: a later sibling over the whole screen
 * that fills it, upon what an earlier one shows. */
static bool covering_page(const struct ia_build *b, const struct shown *v, int32_t i,
                          int32_t before)
{
    const struct ia_build_item *it = &b->items[i];
    return before >= 0 && covers_screen(b, it->frame) && it->end > i + 1 && v[i].controls > 0 &&
           ia_rect_area(v[i].box) >= ia_rect_area(b->viewport) * COVERING_CONTENT_MIN &&
           collide(b, before, i);
}

static bool page(const struct ia_build *b, const struct shown *v, int32_t i)
{
    return v[i].controls > 0 && covers_screen(b, b->items[i].frame) &&
           ia_rect_area(v[i].box) >= ia_rect_area(b->viewport) * PAGE_CONTENT_MIN;
}

/* What earlier siblings of an item are. */
struct earlier {
    int32_t page; /* the nearest that is a page, -1 */
    bool whole;   /* one shows something and is as large as the screen; the first child of an
                     item of that size inherits it */
    int32_t last; /* the same of the item's own children, while they are visited */
    bool whole_inside;
};

static struct earlier *survey_earlier(const struct ia_build *b, const struct shown *v,
                                      struct ia_arena *arena)
{
    struct earlier *e = ia_arena_get(arena, (size_t)b->n + 1, sizeof(*e));
    for (int32_t i = 0; i < b->n; i++) {
        int32_t p = b->items[i].parent;
        e[i].page = e[i].last = -1;
        if (p >= 0) {
            e[i].page = e[p].last;
            bool begins = i == p + 1 && covers_screen(b, b->items[p].frame);
            e[i].whole = e[p].whole_inside || (begins && e[p].whole);
            e[p].last = page(b, v, i) ? i : e[p].last;
            e[p].whole_inside |=
                v[i].all > 0 && covers_screen(b, b->items[i].frame) && b->items[i].end > i + 1;
        }
    }
    return e;
}

/* The first item of what stands in front, 0 when nothing does. */
static int32_t front_of(struct ia_build *b, const struct shown *v, const struct earlier *e)
{
    int32_t front = 0;
    int32_t bar = -1; /* the latest navigation bar */
    for (int32_t i = 1; i < b->n; i++) {
        const struct ia_build_item *it = &b->items[i];
        bar = it->node->type == IA_EL_NAVIGATION_BAR ? i : bar;
        if (ia_build_is(it, IA_IT_KEYBOARD | IA_IT_STATUS)) {
            continue;
        }
        bool shows = v[i].all > 0 && !ia_rect_empty(ia_rect_cut(it->frame, b->viewport));
        bool modal = (modal_type(it) && shows) || dims(b, v, i, e[i].whole) ||
                     barred_sheet(b, v, i, bar);
        if (modal || covering_page(b, v, i, e[i].page)) {
            front = i;
            b->s->modal = modal;
        }
    }
    return front;
}

void ia_build_front(struct ia_build *b)
{
    struct ia_arena *arena = &b->scratch;
    struct shown *v = survey(b, arena);
    int32_t front = front_of(b, v, survey_earlier(b, v, arena));
    for (int32_t i = 0; i < front; i++) {
        struct ia_build_item *it = &b->items[i];
        if (it->end <= front && !ia_build_is(it, IA_IT_KEYBOARD)) {
            it->flags |= IA_IT_BEHIND;
        }
    }
}
