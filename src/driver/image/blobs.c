/* blobs.c: what stands out on a picture, without knowing what it is.
 *
 *     picture ─► edges (a pixel that differs from its neighbour to the right or below)
 *             ─► grown by GROW_X and GROW_Y, so that the letters of a word touch
 *             ─► connected parts, each with the box of its edges
 *             ─► those of a size that a finger or an eye can aim at
 *
 * A word is one part, as are a symbol, a filled shape and the outline of a card. The paper's dots,
 * hairlines and the texture of a photo's ground are too small or too weak to be any. */
#include "driver/image/pixels.h"

#include "driver/snapshot/rect.h"

#include <stdlib.h>
#include <string.h>

enum {
    EDGE = 28, /* how far two neighbours are apart */
    GROW_X = 4,
    GROW_Y = 2,
    SIDE_MIN = 8, /* points; the other side may be as thin as THIN_MIN */
    THIN_MIN = 4,
    PARTS_MAX = 4096
};
/* Larger ones are the ground. */
#define SHARE_MAX 0.6

struct field {
    int w, h;
    uint8_t *edge, *grown; /* a byte a pixel; grown: 1 to visit, 2 visited */
    int32_t *stack;
};

static void find_edges(const struct ia_pixels *p, struct field *f)
{
    for (int y = 0; y + 1 < f->h; y++) {
        for (int x = 0; x + 1 < f->w; x++) {
            uint32_t here = ia_pixels_at(p, x, y);
            f->edge[(size_t)y * (size_t)f->w + (size_t)x] =
                ia_pixels_apart(here, ia_pixels_at(p, x + 1, y)) > EDGE ||
                ia_pixels_apart(here, ia_pixels_at(p, x, y + 1)) > EDGE;
        }
    }
}

/* Marks n places from `from` on, `step` apart, where one of those within `reach` is set. */
static void grow_line(const uint8_t *in, uint8_t *out, size_t from, size_t step, int n,
                      int reach)
{
    int until = -1;
    for (int i = -reach; i < n; i++) {
        if (i + reach < n && in[from + (size_t)(i + reach) * step]) {
            until = i + 2 * reach;
        }
        if (i >= 0 && i <= until) {
            out[from + (size_t)i * step] = 1;
        }
    }
}

static void grow(struct field *f)
{
    uint8_t *wide = ia_calloc((size_t)f->w * (size_t)f->h, 1);
    for (int y = 0; y < f->h; y++) {
        grow_line(f->edge, wide, (size_t)y * (size_t)f->w, 1, f->w, GROW_X);
    }
    for (int x = 0; x < f->w; x++) {
        grow_line(wide, f->grown, (size_t)x, (size_t)f->w, f->h, GROW_Y);
    }
    free(wide);
}

/* The box of the edges of the part that has that place; the part is visited then. */
static struct ia_rect take_part(struct field *f, int32_t start)
{
    int x0 = f->w, y0 = f->h, x1 = 0, y1 = 0;
    size_t n = 0;
    f->stack[n++] = start;
    f->grown[start] = 2;
    while (n > 0) {
        int32_t at = f->stack[--n];
        int x = at % f->w, y = at / f->w;
        if (f->edge[at]) {
            x0 = x < x0 ? x : x0;
            y0 = y < y0 ? y : y0;
            x1 = x + 1 > x1 ? x + 1 : x1;
            y1 = y + 1 > y1 ? y + 1 : y1;
        }
        const int32_t next[] = {x > 0 ? at - 1 : at, x + 1 < f->w ? at + 1 : at,
                                y > 0 ? at - f->w : at, y + 1 < f->h ? at + f->w : at};
        for (size_t i = 0; i < IA_COUNTOF(next); i++) {
            if (f->grown[next[i]] == 1) {
                f->grown[next[i]] = 2;
                f->stack[n++] = next[i];
            }
        }
    }
    /* An edge belongs to the pixel before it. */
    return x1 > x0 ? (struct ia_rect){x0, y0, x1 - x0 + 1, y1 - y0 + 1}
                   : (struct ia_rect){0, 0, 0, 0};
}

static bool is_target(const struct field *f, struct ia_rect r)
{
    double longer = r.w > r.h ? r.w : r.h, thinner = r.w > r.h ? r.h : r.w;
    return longer >= SIDE_MIN && thinner >= THIN_MIN &&
           ia_rect_area(r) < SHARE_MAX * f->w * f->h;
}

static int by_size(const void *a, const void *b)
{
    double x = ia_rect_area(*(const struct ia_rect *)a);
    double y = ia_rect_area(*(const struct ia_rect *)b);
    return x > y ? -1 : x < y;
}

/* In rows of about a line of text, from left to right. */
static int by_place(const void *a, const void *b)
{
    enum { ROW_PT = 16 };
    struct ia_point p = ia_rect_center(*(const struct ia_rect *)a);
    struct ia_point q = ia_rect_center(*(const struct ia_rect *)b);
    int row_p = (int)(p.y / ROW_PT), row_q = (int)(q.y / ROW_PT);
    return row_p != row_q ? row_p - row_q : p.x < q.x ? -1 : p.x > q.x;
}

static size_t collect(struct field *f, struct ia_rect *parts)
{
    size_t n = 0, count = (size_t)f->w * (size_t)f->h;
    for (size_t i = 0; i < count && n < PARTS_MAX; i++) {
        if (f->grown[i] == 1) {
            struct ia_rect r = take_part(f, (int32_t)i);
            if (is_target(f, r)) {
                parts[n++] = r;
            }
        }
    }
    return n;
}

size_t ia_pixels_blobs(const struct ia_pixels *p, struct ia_rect *ret, size_t max)
{
    size_t count = (size_t)p->width * (size_t)p->height;
    struct field f = {.w = p->width, .h = p->height};
    f.edge = ia_calloc(count + 1, 1);
    f.grown = ia_calloc(count + 1, 1);
    f.stack = ia_calloc(count + 1, sizeof(*f.stack));
    struct ia_rect *parts = ia_calloc(PARTS_MAX, sizeof(*parts));
    find_edges(p, &f);
    grow(&f);
    size_t n = collect(&f, parts);
    qsort(parts, n, sizeof(*parts), by_size);
    n = n < max ? n : max;
    qsort(parts, n, sizeof(*parts), by_place);
    memcpy(ret, parts, n * sizeof(*parts));
    free(parts);
    free(f.stack);
    free(f.grown);
    free(f.edge);
    return n;
}
