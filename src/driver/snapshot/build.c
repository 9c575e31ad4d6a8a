/* build.c: a snapshot from a tree: the screen's size, the passes in their order (build.h), and
 * the life of the result. */
#include "driver/snapshot/build.h"

#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include <stdlib.h>

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
    /* A device that was turned since it told its size. */
    bool turned = r.w == height && r.h == width;
    s->width = ia_build_sane(width) && width > 0 && !turned ? width : r.w;
    s->height = ia_build_sane(height) && height > 0 && !turned ? height : r.h;
    b->viewport = (struct ia_rect){0, 0, s->width, s->height};
    s->truncated = ia_tree_truncated(t);
    s->repaired = ia_tree_repaired(t);
    s->truncated_by = ia_phrase_fold(&s->arena, ia_tree_truncated_by(t));
    s->app = ia_phrase_fold(&s->arena, ia_tree_app(t));
    const struct ia_node *root = ia_tree_root(t);
    if (!s->app && root && root->type == IA_EL_APPLICATION) {
        s->app = ia_phrase_fold(&s->arena, root->label);
    }
}

struct ia_snapshot *ia_snapshot_build(const struct ia_tree *t, double width_pt,
                                      double height_pt)
{
    struct ia_snapshot *s = ia_calloc(1, sizeof(*s));
    s->title = s->back = s->main_scroll = s->keyboard = s->alert = -1;
    struct ia_build b = {.s = s, .keyboard_item = -1};
    ia_build_items(&b, t);
    set_screen(&b, t, width_pt, height_pt);
    ia_build_roles(&b);
    ia_build_status(&b);
    ia_build_keyboard(&b);
    ia_build_front(&b);
    ia_build_pages(&b);
    ia_build_clip(&b);
    ia_build_fold(&b);
    ia_build_elements(&b);
    ia_build_reach(&b);
    ia_build_title(&b);
    ia_build_lines(&b);
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
