/* keyboard.c: finds the keyboard and its keys. XCTest gives it a type of its own; other sources
 * show plain groups and buttons, recognised by UIKit's own identifiers, which are the same in
 * every language.
 *
 *   an item of type KEYBOARD ──────────► it, and what its host view holds around it
 *   else UIKit's layout view ──────────► what lies in its region, down to the bottom edge
 *   else a backdrop with a system key ─► the same
 *
 * A docked keyboard covers everything from its top to the bottom edge; a floating one only
 * its frame. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include <string.h>

/* Shares of the screen. A docked keyboard has the full width and, in landscape, more than half of
 * the height; its host view has the globe's row below it as well. A narrower one floats. */
static const double BACKDROP_HEIGHT_MIN = 0.25, BACKDROP_HEIGHT_MAX = 0.6;
static const double HOST_HEIGHT_MAX = 0.65;
static const double FLOATING_WIDTH_MAX = 0.7;

static bool typed(const struct ia_build_item *it)
{
    return it->node->type == IA_EL_KEYBOARD;
}

/* "UIKeyboardLayoutStar Preview": UIKit's layout view. */
static bool layout_view(const struct ia_build_item *it)
{
    static const char prefix[] = "UIKeyboard";
    const char *id = it->own;
    return id && strncmp(id, prefix, sizeof(prefix) - 1) == 0;
}

/* UIKit's nameless view behind the keys: over the full width, resting on the bottom edge. */
static bool backdrop(const struct ia_build *b, const struct ia_build_item *it)
{
    double w = b->viewport.w;
    double h = b->viewport.h;
    struct ia_rect r = it->frame;
    return it->node->type == IA_EL_OTHER && !it->label && !it->value && !it->own && r.x <= 1 &&
           r.x + r.w >= w - 1 && r.y + r.h >= h - 1 && r.h >= h * BACKDROP_HEIGHT_MIN &&
           r.h <= h * BACKDROP_HEIGHT_MAX;
}

/* Keys that every system keyboard has and no app names so. */
static bool system_key(const struct ia_build_item *it)
{
    return it->part == IA_PART_CONTROL &&
           (ia_build_identified(it, "dictation") || ia_build_identified(it, "delete") ||
            ia_build_identified(it, "Return") || ia_build_identified(it, "shift"));
}

static bool inside(const struct ia_build_item *it, struct ia_rect region)
{
    struct ia_rect r = {region.x - 2, region.y - 2, region.w + 4, region.h + 4};
    struct ia_rect f = it->frame;
    return f.x >= r.x && f.y >= r.y && f.y + f.h <= r.y + r.h && f.x < r.x + r.w;
}

static bool overlaps_screen(const struct ia_build *b, const struct ia_build_item *it)
{
    return !ia_rect_empty(ia_rect_cut(it->frame, b->viewport));
}

/* From the top of the item down to the bottom edge, over the full width. */
static struct ia_rect down_from(const struct ia_build *b, const struct ia_build_item *it)
{
    return (struct ia_rect){0, it->frame.y, b->viewport.w, b->viewport.h - it->frame.y};
}

/* The outermost ancestor below the root: a window, or the item itself in a flat tree. */
static int32_t branch_of(const struct ia_build *b, int32_t i)
{
    while (b->items[i].parent > 0) {
        i = b->items[i].parent;
    }
    return i;
}

static void mark_region(struct ia_build *b, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        struct ia_build_item *it = &b->items[i];
        if (it->node->type != IA_EL_GROUP && !ia_build_is(it, IA_IT_STATUS) &&
            inside(it, b->keyboard)) {
            it->flags |= IA_IT_KEYBOARD;
        }
    }
}

/* The view that holds the typed keyboard and, below the keys, the globe and the microphone; the
 * keyboard itself when there is none. */
static int32_t host_of(const struct ia_build *b, int32_t keyboard)
{
    int32_t p = b->items[keyboard].parent;
    bool host = p > 0 && b->items[p].node->type == IA_EL_OTHER;
    return host && b->items[p].frame.h <= b->viewport.h * HOST_HEIGHT_MAX ? p : keyboard;
}

/* A small keyboard floats over an iPad's screen and leaves the rest usable. */
static bool floats(const struct ia_build *b, const struct ia_build_item *it)
{
    return it->frame.w < b->viewport.w * FLOATING_WIDTH_MAX;
}

static bool mark_typed(struct ia_build *b)
{
    for (int32_t i = 0; i < b->n; i++) {
        const struct ia_build_item *it = &b->items[i];
        if (typed(it) && overlaps_screen(b, it)) {
            ia_build_mark(b, i, IA_IT_KEYBOARD);
            b->floating = floats(b, it);
            b->keyboard = b->floating ? it->frame : down_from(b, it);
            b->keyboard_item = i;
            int32_t host = host_of(b, i);
            mark_region(b, host, b->items[host].end);
            return true;
        }
    }
    return false;
}

/* In a flat tree the keyboard is the run of siblings around its backdrop that lie inside it. */
static void mark_run(struct ia_build *b, int32_t anchor)
{
    int32_t from = anchor;
    while (from > 1 && inside(&b->items[from - 1], b->keyboard)) {
        from--;
    }
    int32_t to = b->items[anchor].end;
    while (to < b->n && inside(&b->items[to], b->keyboard)) {
        to++;
    }
    mark_region(b, from, to);
}

/* Picks the item that tells where an untyped keyboard is: its layout view, else its backdrop;
 * only where a key of the system lies inside. */
static int32_t find_untyped(const struct ia_build *b)
{
    int32_t key = -1;
    int32_t found = -1;
    for (int32_t i = 0; i < b->n; i++) {
        const struct ia_build_item *it = &b->items[i];
        if (system_key(it) && overlaps_screen(b, it)) {
            key = i;
        }
        bool view = layout_view(it) && overlaps_screen(b, it);
        if (view || (found < 0 && backdrop(b, it))) {
            found = i;
        }
        if (view) {
            break;
        }
    }
    bool holds =
        found >= 0 && (layout_view(&b->items[found]) ||
                       (key >= 0 && inside(&b->items[key], down_from(b, &b->items[found]))));
    return holds ? found : -1;
}

void ia_build_keyboard(struct ia_build *b)
{
    if (mark_typed(b)) {
        return;
    }
    int32_t anchor = find_untyped(b);
    if (anchor < 0) {
        return;
    }
    b->keyboard = down_from(b, &b->items[anchor]);
    b->keyboard_item = anchor;
    int32_t branch = branch_of(b, anchor);
    if (branch == anchor) {
        mark_run(b, anchor);
    } else {
        mark_region(b, branch, b->items[branch].end);
    }
    b->items[anchor].flags |= IA_IT_KEYBOARD;
}
