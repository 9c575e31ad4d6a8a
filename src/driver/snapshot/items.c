/* items.c: the tree as one array in pre-order. */
#include "driver/snapshot/items.h"

#include "driver/app_sdk.h"
#include "driver/snapshot/rect.h"

#include <string.h>

/* Larger coordinates are a broken tree; they are taken as no frame at all. */
static const double COORDINATE_MAX = 1e6;

bool ia_build_sane(double v)
{
    return v >= -COORDINATE_MAX && v <= COORDINATE_MAX; /* false for NaN */
}

static struct ia_rect clean_frame(struct ia_rect r)
{
    bool ok = ia_build_sane(r.x) && ia_build_sane(r.y) && ia_build_sane(r.w) &&
              ia_build_sane(r.h) && r.w >= 0 && r.h >= 0;
    return ok ? r : (struct ia_rect){0};
}

void ia_build_mark(struct ia_build *b, int32_t i, unsigned flags)
{
    for (int32_t j = i, end = b->items[i].end; j < end; j++) {
        b->items[j].flags |= (uint16_t)flags;
    }
}

bool ia_build_identified(const struct ia_build_item *it, const char *identifier)
{
    const char *id = it->own;
    return id && strcmp(id, identifier) == 0;
}

static struct ia_build_item item_of(const struct ia_node *n, int32_t parent, int32_t i)
{
    return (struct ia_build_item){.node = n,
                                  .own = ia_sdk_generated(n->identifier) ? NULL : n->identifier,
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

/* As it stands, since it is compared and never shown. */
static void keep_state(struct ia_snapshot *s, const struct ia_node *n)
{
    const char *text = n->value ? n->value : "";
    s->app_state = ia_arena_str(&s->arena, text, strlen(text));
    s->app_states++;
}

void ia_build_items(struct ia_build *b, const struct ia_tree *t)
{
    const struct ia_node *root = ia_tree_root(t);
    size_t count = ia_tree_count(t);
    b->items = ia_alloc((count + 1) * sizeof(*b->items));
    int32_t last = -1;
    for (const struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        if (ia_sdk_is_state(n)) {
            keep_state(b->s, n);
            continue;
        }
        while (last >= 0 && b->items[last].node != n->parent) {
            last = b->items[last].parent;
        }
        b->items[b->n] = item_of(n, last, b->n);
        last = b->n++;
    }
    /* Backwards, so that the end of an item is final before its parent takes it over. */
    for (int32_t i = b->n - 1; i > 0; i--) {
        struct ia_build_item *parent = &b->items[b->items[i].parent];
        parent->end = parent->end > b->items[i].end ? parent->end : b->items[i].end;
    }
}
