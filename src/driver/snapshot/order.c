/* order.c: reading order. The tree's order is the platform's own and mostly right; only siblings
 * that lie wholly above others are moved before them, such as a navigation bar that the platform
 * lists after the content below it.
 *
 * "Above" is not an order that qsort accepts (two elements side by side are neither), so the sort
 * is a merge sort that is stable, and runs only where something is out of order. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/rect.h"

struct order {
    struct ia_build *b;
    struct ia_rect *boxes; /* of what a person sees of each subtree */
    int32_t *children, *spare;
    int32_t *out;
    int32_t count;
};

static bool seen(const struct ia_build_item *it)
{
    return (it->part == IA_PART_CONTROL || it->part == IA_PART_TEXT) &&
           !ia_build_is(it,
                        IA_IT_GONE | IA_IT_STATUS | IA_IT_HIDDEN | IA_IT_OFF | IA_IT_BEHIND);
}

static void survey(struct order *o)
{
    /* Backwards: the items are in pre-order, so the children come before their parent. */
    for (int32_t i = o->b->n - 1; i >= 0; i--) {
        const struct ia_build_item *it = &o->b->items[i];
        if (seen(it)) {
            o->boxes[i] = ia_rect_join(o->boxes[i], it->vis);
        }
        if (i > 0) {
            o->boxes[it->parent] = ia_rect_join(o->boxes[it->parent], o->boxes[i]);
        }
    }
}

/* True when all of a is seen above all of b. */
static bool above(const struct order *o, int32_t a, int32_t b)
{
    const struct ia_rect *x = &o->boxes[a];
    const struct ia_rect *y = &o->boxes[b];
    return !ia_rect_empty(*x) && !ia_rect_empty(*y) && x->y + x->h <= y->y + 1;
}

static void merge(const struct order *o, const int32_t *from, int32_t *to, int32_t mid,
                  int32_t n)
{
    int32_t i = 0;
    int32_t j = mid;
    for (int32_t k = 0; k < n; k++) {
        bool right = i == mid || (j < n && above(o, from[j], from[i]));
        to[k] = right ? from[j++] : from[i++];
    }
}

/* Stable; v is sorted in place with the help of spare. */
static void sort(const struct order *o, int32_t *v, int32_t *spare, int32_t n)
{
    for (int32_t width = 1; width < n; width *= 2) {
        for (int32_t i = 0; i < n; i += 2 * width) {
            int32_t run = n - i < 2 * width ? n - i : 2 * width;
            int32_t mid = run < width ? run : width;
            merge(o, v + i, spare + i, mid, run);
        }
        for (int32_t i = 0; i < n; i++) {
            v[i] = spare[i];
        }
    }
}

static bool in_order(const struct order *o, const int32_t *v, int32_t n)
{
    int32_t lowest = -1; /* the sibling so far whose top is lowest on the screen */
    for (int32_t i = 0; i < n; i++) {
        if (ia_rect_empty(o->boxes[v[i]])) {
            continue;
        }
        if (lowest >= 0 && above(o, v[i], lowest)) {
            return false;
        }
        bool lower = lowest < 0 || o->boxes[v[i]].y > o->boxes[lowest].y;
        lowest = lower ? v[i] : lowest;
    }
    return true;
}

/* Writes item i and what is inside it, its children sorted. The children's slots at `at` and
 * beyond are free; the depth is capped by the tree. */
static void visit(struct order *o, int32_t i, int32_t at)
{
    o->out[o->count++] = i;
    int32_t n = 0;
    for (int32_t c = i + 1; c < o->b->items[i].end; c = o->b->items[c].end) {
        o->children[at + n++] = c;
    }
    if (!in_order(o, o->children + at, n)) {
        sort(o, o->children + at, o->spare, n);
    }
    for (int32_t k = 0; k < n; k++) {
        visit(o, o->children[at + k], at + n);
    }
}

int32_t *ia_build_order(struct ia_build *b)
{
    size_t n = (size_t)b->n + 1;
    struct order o = {.b = b};
    o.boxes = ia_arena_get(&b->scratch, n, sizeof(*o.boxes));
    o.children = ia_arena_get(&b->scratch, n, sizeof(*o.children));
    o.spare = ia_arena_get(&b->scratch, n, sizeof(*o.spare));
    o.out = ia_arena_get(&b->scratch, n, sizeof(*o.out));
    survey(&o);
    if (b->n > 0) {
        visit(&o, 0, 0);
    }
    return o.out;
}
