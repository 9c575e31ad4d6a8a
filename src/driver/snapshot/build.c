#include "driver/snapshot/build.h"

#include "driver/snapshot/phrase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger coordinates are a broken tree; they are taken as no frame at all. */
static const double COORDINATE_MAX = 1e6;

static bool sane(double v)
{
    return v >= -COORDINATE_MAX && v <= COORDINATE_MAX; /* false for NaN */
}

static struct ia_rect clean_frame(struct ia_rect r)
{
    bool ok = sane(r.x) && sane(r.y) && sane(r.w) && sane(r.h) && r.w >= 0 && r.h >= 0;
    return ok ? r : (struct ia_rect){0};
}

bool ia_rect_has(struct ia_rect r, struct ia_point p)
{
    return p.x >= r.x && p.y >= r.y && p.x < r.x + r.w && p.y < r.y + r.h;
}

struct ia_rect ia_rect_cut(struct ia_rect a, struct ia_rect b)
{
    double x = fmax(a.x, b.x);
    double y = fmax(a.y, b.y);
    double w = fmin(a.x + a.w, b.x + b.w) - x;
    double h = fmin(a.y + a.h, b.y + b.h) - y;
    return w > 0 && h > 0 ? (struct ia_rect){x, y, w, h} : (struct ia_rect){0};
}

bool ia_rect_empty(struct ia_rect r)
{
    return !(r.w > 0 && r.h > 0);
}

double ia_rect_area(struct ia_rect r)
{
    return r.w * r.h;
}

struct ia_point ia_rect_center(struct ia_rect r)
{
    return (struct ia_point){r.x + r.w / 2, r.y + r.h / 2};
}

struct ia_rect ia_rect_join(struct ia_rect a, struct ia_rect b)
{
    if (ia_rect_empty(a) || ia_rect_empty(b)) {
        return ia_rect_empty(a) ? b : a;
    }
    double x = fmin(a.x, b.x);
    double y = fmin(a.y, b.y);
    double right = fmax(a.x + a.w, b.x + b.w);
    double bottom = fmax(a.y + a.h, b.y + b.h);
    return (struct ia_rect){x, y, right - x, bottom - y};
}

bool ia_rect_near(struct ia_rect a, struct ia_rect b, double eps)
{
    return fabs(a.x - b.x) <= eps && fabs(a.y - b.y) <= eps &&
           fabs(a.x + a.w - b.x - b.w) <= eps && fabs(a.y + a.h - b.y - b.h) <= eps;
}

void ia_item_mark(struct ia_build *b, int32_t i, unsigned flags)
{
    for (int32_t j = i, end = b->items[i].end; j < end; j++) {
        b->items[j].flags |= (uint16_t)flags;
    }
}

bool ia_item_system(const struct ia_item *it, const char *identifier)
{
    const char *id = it->node->identifier;
    return id && strcmp(id, identifier) == 0;
}

static struct ia_item item_of(const struct ia_node *n, int32_t parent, int32_t i)
{
    return (struct ia_item){.node = n,
                            .frame = clean_frame(n->frame),
                            .parent = parent,
                            .end = i + 1,
                            .owner = -1,
                            .clipper = -1,
                            .pieces = -1,
                            .last_piece = -1,
                            .next_piece = -1,
                            .element = -1};
}

static void flatten(struct ia_build *b, const struct ia_tree *t)
{
    const struct ia_node *root = ia_tree_root(t);
    size_t count = ia_tree_count(t);
    b->items = ia_alloc((count + 1) * sizeof(*b->items));
    int32_t last = -1;
    for (const struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        while (last >= 0 && b->items[last].node != n->parent) {
            last = b->items[last].parent;
        }
        b->items[b->n] = item_of(n, last, b->n);
        last = b->n++;
    }
    for (int32_t i = b->n - 1; i > 0; i--) {
        struct ia_item *parent = &b->items[b->items[i].parent];
        parent->end = parent->end > b->items[i].end ? parent->end : b->items[i].end;
    }
}

/* The root's frame, else that of the first node that has an area. */
static struct ia_rect frame_of_screen(const struct ia_build *b)
{
    for (int32_t i = 0; i < b->n; i++) {
        if (!ia_rect_empty(b->items[i].frame)) {
            return b->items[i].frame;
        }
    }
    return (struct ia_rect){0};
}

static void set_screen(struct ia_build *b, const struct ia_tree *t, double width, double height)
{
    struct ia_rect r = frame_of_screen(b);
    struct ia_snapshot *s = b->s;
    s->width = sane(width) && width > 0 ? width : r.w;
    s->height = sane(height) && height > 0 ? height : r.h;
    b->viewport = (struct ia_rect){0, 0, s->width, s->height};
    s->truncated = ia_tree_truncated(t);
    s->truncated_by = ia_phrase_fold(&s->arena, ia_tree_truncated_by(t));
    s->app = ia_phrase_fold(&s->arena, ia_tree_app(t));
    const struct ia_node *root = ia_tree_root(t);
    if (!s->app && root && root->type == IA_EL_APPLICATION) {
        s->app = ia_phrase_fold(&s->arena, root->label);
    }
}

static void run_passes(struct ia_build *b)
{
    ia_build_roles(b);
    ia_build_status(b);
    ia_build_keyboard(b);
    ia_build_front(b);
    ia_build_pages(b);
    ia_build_clip(b);
    ia_build_fold(b);
    ia_build_elements(b);
    ia_build_reach(b);
    ia_build_title(b);
    ia_build_lines(b);
}

struct ia_snapshot *ia_snapshot_build(const struct ia_tree *t, double width_pt,
                                      double height_pt)
{
    struct ia_snapshot *s = ia_calloc(1, sizeof(*s));
    s->title = s->back = s->main_scroll = s->keyboard = s->alert = -1;
    struct ia_build b = {.s = s, .keyboard_item = -1};
    flatten(&b, t);
    set_screen(&b, t, width_pt, height_pt);
    run_passes(&b);
    ia_build_hashes(s);
    ia_arena_fini(&b.scratch);
    free(b.items);
    return s;
}

void ia_snapshot_adopt(struct ia_snapshot *s, struct ia_refs *refs)
{
    ia_build_identity(s);
    ia_refs_assign(refs, s);
    ia_build_content(s);
}

struct ia_snapshot *ia_snapshot_new(const struct ia_tree *t, struct ia_refs *refs,
                                    double width_pt, double height_pt)
{
    struct ia_snapshot *s = ia_snapshot_build(t, width_pt, height_pt);
    ia_snapshot_adopt(s, refs);
    return s;
}

struct ia_snapshot *ia_snapshot_ref(const struct ia_snapshot *s)
{
    struct ia_snapshot *shared = (struct ia_snapshot *)s; /* what is seen does not change */
    shared->shares++;
    return shared;
}

void ia_snapshot_free(struct ia_snapshot *s)
{
    if (s && s->shares-- == 0) {
        ia_arena_fini(&s->arena);
        free(s);
    }
}
