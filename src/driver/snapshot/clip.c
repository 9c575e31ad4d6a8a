/* clip.c: what of each item is visible, and on which side the rest lies.
 *
 * From the root down, as an item is cut to what is visible of its clipper, the nearest
 * container around it that scrolls. What is left over is either BEHIND (under the keyboard,
 * and nothing around it scrolls) or OFF, with the side on which it lies. The band becomes the
 * snapshot's `safe` area, inside which strokes stay. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/rect.h"

#include <math.h>

/* Smaller containers do not scroll in a way that matters. */
enum { SCROLL_MIN = 40 };
/* A remaining sliver is not enough to read or touch. */
static const double SLIVER_PT = 8;

static bool scrolls(const struct ia_build_item *it)
{
    bool kind =
        it->role == IA_ROLE_LIST || it->role == IA_ROLE_SCROLL || it->role == IA_ROLE_WEB;
    return kind && it->frame.w >= SCROLL_MIN && it->frame.h >= SCROLL_MIN;
}

/* The band between the bars that span the screen; what scrolls is only seen there. */
static struct ia_rect band_of(const struct ia_build *b)
{
    double top = 0;
    double bottom = b->viewport.h;
    for (int32_t i = 0; i < b->n; i++) {
        const struct ia_build_item *it = &b->items[i];
        struct ia_rect r = ia_rect_cut(it->frame, b->viewport);
        unsigned type = it->node->type;
        bool bar =
            type == IA_EL_NAVIGATION_BAR || type == IA_EL_TAB_BAR || type == IA_EL_TOOLBAR;
        if (!bar || r.w < b->viewport.w * 0.9 || r.h > b->viewport.h / 3 ||
            ia_build_is(it, IA_IT_BEHIND | IA_IT_KEYBOARD)) {
            continue;
        }
        if (ia_rect_center(r).y < b->viewport.h / 2) {
            top = fmax(top, r.y + r.h);
        } else {
            bottom = fmin(bottom, r.y);
        }
    }
    if (!ia_rect_empty(b->keyboard) && !b->floating) {
        bottom = fmin(bottom, b->keyboard.y);
    }
    return (struct ia_rect){0, top, b->viewport.w, fmax(bottom - top, 0)};
}

/* Only content that scrolls passes under bars; the keyboard covers everything but itself. */
static struct ia_rect allowed(const struct ia_build *b, const struct ia_build_item *it,
                              struct ia_rect band)
{
    if (ia_build_is(it, IA_IT_KEYBOARD)) {
        return b->viewport;
    }
    struct ia_rect r = b->viewport;
    if (it->clipper >= 0 && !ia_build_is(it, IA_IT_BAR | IA_IT_MODAL)) {
        r = ia_rect_cut(b->items[it->clipper].vis, band);
    } else if (it->clipper >= 0) {
        r = b->items[it->clipper].vis;
    }
    if (!ia_rect_empty(b->keyboard) && !b->floating && !ia_build_is(it, IA_IT_MODAL)) {
        r.h = fmin(r.h, fmax(b->keyboard.y - r.y, 0));
    }
    return r;
}

static enum ia_side side_of(struct ia_rect f, struct ia_rect clip)
{
    struct ia_point c = ia_rect_center(f);
    if (c.y >= clip.y + clip.h) {
        return IA_SIDE_BELOW;
    }
    if (c.y < clip.y) {
        return IA_SIDE_ABOVE;
    }
    return c.x >= clip.x + clip.w ? IA_SIDE_RIGHT : c.x < clip.x ? IA_SIDE_LEFT : IA_SIDE_BELOW;
}

static bool sliver(struct ia_rect vis, struct ia_rect f)
{
    return ia_rect_empty(vis) || vis.h < fmin(SLIVER_PT, f.h / 4) ||
           vis.w < fmin(SLIVER_PT, f.w / 4);
}

static void clip_item(struct ia_build *b, int32_t i, struct ia_rect band)
{
    struct ia_build_item *it = &b->items[i];
    const struct ia_build_item *p = it->parent >= 0 ? &b->items[it->parent] : NULL;
    if (p) {
        bool inner = ia_build_is(p, IA_IT_SCROLLS) && !ia_rect_empty(p->vis);
        it->clipper = inner ? it->parent : p->clipper;
        bool hides = ia_build_is(p, IA_IT_HIDDEN) ||
                     (ia_build_is(p, IA_IT_OFF) && p->part == IA_PART_CONTROL);
        it->flags |= hides ? IA_IT_HIDDEN : 0;
    }
    struct ia_rect clip = allowed(b, it, band);
    it->vis = ia_rect_cut(it->frame, clip);
    if (ia_rect_empty(it->frame)) {
        return;
    }
    if (sliver(it->vis, it->frame)) {
        bool under = it->clipper < 0 && ia_rect_has(b->keyboard, ia_rect_center(it->frame));
        it->flags |= under ? IA_IT_BEHIND : IA_IT_OFF;
        it->side = (uint8_t)side_of(it->frame, clip);
    }
}

void ia_build_clip(struct ia_build *b)
{
    struct ia_rect band = band_of(b);
    b->s->safe = band;
    for (int32_t i = 0; i < b->n; i++) {
        struct ia_build_item *it = &b->items[i];
        it->flags |= scrolls(it) ? IA_IT_SCROLLS : 0;
        clip_item(b, i, band);
    }
}
