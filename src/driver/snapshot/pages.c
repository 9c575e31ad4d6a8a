/* pages.c: two pages in one flat list.
 *
 * Some apps keep the page below mounted under the one in front, and the platform then lists the
 * elements of both in one run, ordered by place, so that the order of drawing is lost. A leaf
 * over the whole screen with an identifier marks a page; the elements of that page share a stem
 * with it. It is believed only when the stem parts every pair of elements that lie upon each
 * other; otherwise nothing is hidden.
 *
 * The longest stem is tried first and each shorter one, up to the separators, after it. Two
 * pairs that are parted are the least evidence that is believed; more than PAGE_ITEMS_MAX
 * items are not compared at all, as the pairs grow with the square. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/rect.h"

#include <string.h>

enum { PAGE_ITEMS_MAX = 200, CONFLICTS_MIN = 2, MEMBERS_MIN = 2, STEM_BYTES_MAX = 96 };

struct page {
    const struct ia_build *b;
    int32_t items[PAGE_ITEMS_MAX]; /* what the two pages show */
    bool member[PAGE_ITEMS_MAX];   /* shares the stem that is tried */
    int32_t n;
};

static bool shows(const struct ia_build_item *it)
{
    bool text = it->part == IA_PART_TEXT && it->label;
    return (text || it->part == IA_PART_CONTROL) && !ia_rect_empty(it->frame) &&
           !ia_build_is(it, IA_IT_STATUS | IA_IT_KEYBOARD | IA_IT_BEHIND);
}

static bool separator(char c)
{
    return c == '\0' || strchr("-_./:", c);
}

/* True when the identifier begins with the first n bytes of stem, up to a separator. */
static bool has_stem(const struct ia_build_item *it, const char *stem, size_t n)
{
    const char *id = it->own;
    return id && strncmp(id, stem, n) == 0 && separator(id[n]);
}

static bool collide(const struct ia_build_item *a, const struct ia_build_item *b)
{
    double common = ia_rect_area(ia_rect_cut(a->frame, b->frame));
    double small = ia_rect_area(a->frame);
    if (ia_rect_area(b->frame) < small) {
        small = ia_rect_area(b->frame);
    }
    return common > small * 0.3;
}

/* Collisions inside one page are -1 (the stem is wrong); otherwise how many were parted. */
static int parted(const struct page *p)
{
    int count = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const struct ia_build_item *a = &p->b->items[p->items[i]];
        for (int32_t j = i + 1; j < p->n; j++) {
            const struct ia_build_item *b = &p->b->items[p->items[j]];
            bool nested = p->items[j] < a->end;
            if (nested || !collide(a, b)) {
                continue;
            }
            if (p->member[i] == p->member[j]) {
                return -1;
            }
            count++;
        }
    }
    return count;
}

static int members(struct page *p, const char *stem, size_t n)
{
    int count = 0;
    for (int32_t i = 0; i < p->n; i++) {
        p->member[i] = has_stem(&p->b->items[p->items[i]], stem, n);
        count += p->member[i];
    }
    return count;
}

/* Length of the longest stem of the marker's identifier that parts the pages, or 0. */
static size_t stem_of(struct page *p, const char *id)
{
    for (size_t n = strnlen(id, STEM_BYTES_MAX); n > 0; n--) {
        if (!separator(id[n])) {
            continue;
        }
        int m = members(p, id, n);
        if (m >= MEMBERS_MIN && m < p->n && parted(p) >= CONFLICTS_MIN) {
            return n;
        }
    }
    return 0;
}

static bool marker(const struct ia_build *b, int32_t i)
{
    const struct ia_build_item *it = &b->items[i];
    struct ia_rect f = it->frame;
    return it->end == i + 1 && it->parent >= 0 && it->own && it->role == IA_ROLE_OTHER &&
           f.x <= 0 && f.y <= 0 && f.w >= b->viewport.w && f.h >= b->viewport.h &&
           !ia_build_is(it, IA_IT_BEHIND | IA_IT_KEYBOARD);
}

static bool collect(struct page *p, int32_t parent)
{
    const struct ia_build_item *items = p->b->items;
    for (int32_t i = parent + 1; i < items[parent].end; i++) {
        if (!shows(&items[i])) {
            continue;
        }
        if (p->n == PAGE_ITEMS_MAX) {
            return false;
        }
        p->items[p->n++] = i;
    }
    return true;
}

static void hide_others(struct ia_build *b, const struct page *p, const char *id, size_t stem)
{
    for (int32_t i = 0; i < p->n; i++) {
        struct ia_build_item *it = &b->items[p->items[i]];
        if (!has_stem(it, id, stem)) {
            it->flags |= IA_IT_BEHIND;
        }
    }
}

void ia_build_pages(struct ia_build *b)
{
    int32_t found = -1; /* the last marker is the page in front */
    for (int32_t i = 0; i < b->n; i++) {
        found = marker(b, i) ? i : found;
    }
    if (found < 0) {
        return;
    }
    struct page p = {.b = b};
    const char *id = b->items[found].own;
    if (collect(&p, b->items[found].parent)) {
        size_t stem = stem_of(&p, id);
        if (stem > 0) {
            hide_others(b, &p, id, stem);
        }
    }
}
