/* scene.c: the list of views: adding, moving, texts, the hit test, and the list as a tree.
 *
 * Texts live in chunks that belong to the scene, so building one takes a handful of allocations.
 * The hit test goes backwards: the last view drawn is the topmost.
 *
 *   views   [screen [table [cell, cell] bar] …]     pre-order: `parent` < own index < `end`
 *
 * push and pop bracket the children; `end` is one behind the last of them. Views of
 * IA_EL_ANY are only drawn: the tree leaves them out and hangs what is inside them on the
 * next ancestor. */
#include "driver/embedded/draw/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS_FIRST = 96, CHUNK = 1016, TEXT_MAX = 1024 };

struct ia_scene_chunk {
    struct ia_scene_chunk *next;
    size_t used, size;
    char bytes[];
};

const struct ia_display ia_display_upright = {IA_SCREEN_W,    IA_SCREEN_H, IA_SAFE_TOP, 0,
                                              IA_SAFE_BOTTOM, 291,         false};
const struct ia_display ia_display_wide = {IA_SCREEN_H, IA_SCREEN_W, 0,   IA_SAFE_TOP,
                                           21,          185,         true};

void ia_scene_init(struct ia_scene *s)
{
    *s = (struct ia_scene){.parent = -1, .cap = VIEWS_FIRST, .display = &ia_display_upright};
    s->views = ia_calloc(VIEWS_FIRST, sizeof(*s->views));
}

void ia_scene_fini(struct ia_scene *s)
{
    for (struct ia_scene_chunk *c = s->chunks; c;) {
        struct ia_scene_chunk *next = c->next;
        free(c);
        c = next;
    }
    free(s->views);
    *s = (struct ia_scene){.parent = -1};
}

static void make_room(struct ia_scene *s, int32_t n)
{
    while (s->count + n > s->cap) {
        s->cap += s->cap / 2;
    }
    s->views = ia_realloc(s->views, (size_t)s->cap, sizeof(*s->views));
}

struct ia_view *ia_scene_add(struct ia_scene *s, enum ia_eltype type, float x, float y, float w,
                             float h)
{
    if (s->count == s->cap) {
        make_room(s, 1);
    }
    struct ia_view *v = &s->views[s->count++];
    *v = (struct ia_view){.parent = s->parent, .end = s->count, .x = x, .y = y, .w = w, .h = h};
    v->type = (uint8_t)type;
    v->section = s->section;
    return v;
}

int32_t ia_scene_push(struct ia_scene *s, enum ia_eltype type, float x, float y, float w,
                      float h)
{
    (void)ia_scene_add(s, type, x, y, w, h);
    s->parent = s->count - 1;
    return s->parent;
}

void ia_scene_pop(struct ia_scene *s)
{
    struct ia_view *v = &s->views[s->parent];
    v->end = s->count;
    s->parent = v->parent;
}

void ia_scene_shift(struct ia_scene *s, int32_t from, int32_t to, float dy)
{
    for (int32_t i = from; i < to; i++) {
        s->views[i].y += dy;
    }
}

/* Renumbers the views from..to, which have moved by `by`; what lay before `first` did not. */
static void renumber(struct ia_scene *s, int32_t from, int32_t to, int32_t first, int32_t by)
{
    for (int32_t i = from; i < to; i++) {
        struct ia_view *v = &s->views[i];
        v->parent += v->parent >= first ? by : 0;
        v->end += by;
    }
}

void ia_scene_insert(struct ia_scene *s, int32_t at, int32_t n, int32_t parent)
{
    make_room(s, n);
    memmove(s->views + at + n, s->views + at, (size_t)(s->count - at) * sizeof(*s->views));
    s->count += n;
    for (int32_t i = 0; i < s->count; i++) {
        struct ia_view *v = &s->views[i];
        if (i >= at && i < at + n) {
            *v = (struct ia_view){.parent = parent, .end = i + 1};
            continue;
        }
        v->end += v->end > at ? n : 0;
        v->parent += v->parent >= at ? n : 0;
    }
    for (int32_t i = parent; i >= 0 && s->views[i].end == at; i = s->views[i].parent) {
        s->views[i].end += n;
    }
    for (int i = 0; i < s->scroller_count; i++) {
        s->scrollers[i].view += s->scrollers[i].view >= at ? n : 0;
    }
}

void ia_scene_bring_back(struct ia_scene *s, int32_t first, int32_t middle)
{
    int32_t front = middle - first, back = s->count - middle;
    struct ia_view *v = s->views + first;
    struct ia_view *moved = ia_calloc((size_t)back + 1, sizeof(*moved));
    memcpy(moved, v + front, (size_t)back * sizeof(*v));
    memmove(v + back, v, (size_t)front * sizeof(*v));
    memcpy(v, moved, (size_t)back * sizeof(*v));
    free(moved);
    renumber(s, first, first + back, first, -front);
    renumber(s, first + back, s->count, first, back);
    for (int i = 0; i < s->scroller_count; i++) {
        int32_t *view = &s->scrollers[i].view;
        *view += *view >= first && *view < middle ? back : 0;
    }
}

static char *text_room(struct ia_scene *s, size_t n)
{
    if (!s->chunks || s->chunks->size - s->chunks->used < n) {
        size_t size = n > CHUNK ? n : CHUNK;
        struct ia_scene_chunk *c = ia_alloc(sizeof(*c) + size);
        *c = (struct ia_scene_chunk){.next = s->chunks, .size = size};
        s->chunks = c;
    }
    char *p = s->chunks->bytes + s->chunks->used;
    s->chunks->used += n;
    return p;
}

const char *ia_scene_text(struct ia_scene *s, const char *text, size_t n)
{
    char *p = text_room(s, n + 1);
    memcpy(p, text, n);
    p[n] = '\0';
    return p;
}

const char *ia_scene_printf(struct ia_scene *s, const char *fmt, ...)
{
    char line[TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n;
    return ia_scene_text(s, line, len < sizeof(line) ? len : sizeof(line) - 1);
}

struct ia_view *ia_scene_fill(struct ia_scene *s, enum ia_color color, float x, float y,
                              float w, float h)
{
    struct ia_view *v = ia_scene_add(s, IA_EL_ANY, x, y, w, h);
    v->paint = IA_PAINT_FILL;
    v->color = (uint8_t)color;
    return v;
}

/* The text as it is drawn: itself, or its beginning with an ellipsis. */
static const char *shortened(struct ia_scene *s, const char *text, uint8_t size, bool bold,
                             float max_w)
{
    size_t n = strlen(text);
    size_t fit = ia_text_fit(text, n, size, bold, max_w);
    return fit == n ? text : ia_scene_printf(s, "%.*s\xE2\x80\xA6", (int)fit, text);
}

struct ia_view *ia_scene_label(struct ia_scene *s, const char *text, float x, float y,
                               float max_w, struct ia_ink ink)
{
    bool bold = (ink.flags & IA_VIEW_BOLD) != 0;
    const char *drawn = shortened(s, text, ink.size, bold, max_w);
    float w = ia_text_width(drawn, strlen(drawn), ink.size, bold);
    if (ink.flags & IA_VIEW_RIGHT) {
        x -= w;
    } else if (ink.flags & IA_VIEW_CENTER) {
        x -= floorf(w) / 2;
    }
    struct ia_view *v = ia_scene_add(s, IA_EL_STATIC_TEXT, x, y, w, ia_text_height(ink.size));
    v->label = text;
    v->text = drawn;
    v->paint = IA_PAINT_TEXT;
    v->color = ink.color;
    v->size = ink.size;
    v->flags = ink.flags & ~(uint32_t)(IA_VIEW_RIGHT | IA_VIEW_CENTER);
    return v;
}

static bool inside(const struct ia_view *v, float x, float y)
{
    return x >= v->x && y >= v->y && x < v->x + v->w && y < v->y + v->h;
}

static bool touchable(const struct ia_scene *s, const struct ia_view *v, float x, float y)
{
    if (!inside(v, x, y)) {
        return false;
    }
    for (int32_t i = v->parent; i >= 0; i = s->views[i].parent) {
        if ((s->views[i].flags & IA_VIEW_CLIP) && !inside(&s->views[i], x, y)) {
            return false;
        }
    }
    return true;
}

int32_t ia_scene_hit(const struct ia_scene *s, float x, float y)
{
    for (int32_t i = s->count - 1; i >= 0; i--) {
        const struct ia_view *v = &s->views[i];
        if ((v->tap || (v->flags & IA_VIEW_BLOCKS)) && touchable(s, v, x, y)) {
            return i;
        }
    }
    return -1;
}

static const struct ia_scroller *scroller_of(const struct ia_scene *s, int32_t view)
{
    for (int i = 0; i < s->scroller_count; i++) {
        if (s->scrollers[i].view == view) {
            return &s->scrollers[i];
        }
    }
    return NULL;
}

const struct ia_scroller *ia_scene_scroller_at(const struct ia_scene *s, float x, float y)
{
    for (int32_t i = ia_scene_hit(s, x, y); i >= 0; i = s->views[i].parent) {
        const struct ia_scroller *found = scroller_of(s, i);
        if (found) {
            return found;
        }
    }
    return NULL;
}

static float fraction(float v, float from, float size)
{
    float f = size > 0 ? (v - from) / size : 0;
    return f < 0 ? 0 : f > 1 ? 1 : f;
}

struct ia_touch ia_scene_touch(const struct ia_view *v, float x, float y)
{
    float fx = fraction(x, v->x, v->w), fy = fraction(y, v->y, v->h);
    return (struct ia_touch){v->arg, fx, fy, fx, fy, 0};
}

static unsigned node_flags(uint32_t flags)
{
    static const struct {
        uint32_t view;
        unsigned node;
    } map[] = {
        {IA_VIEW_SELECTED, IA_NODE_SELECTED},     {IA_VIEW_FOCUSED, IA_NODE_FOCUSED},
        {IA_VIEW_HEADER, IA_NODE_HEADER},         {IA_VIEW_INVISIBLE, IA_NODE_INVISIBLE},
        {IA_VIEW_ADJUSTABLE, IA_NODE_ADJUSTABLE},
    };
    unsigned out = flags & IA_VIEW_DISABLED ? 0 : IA_NODE_ENABLED;
    for (size_t i = 0; i < IA_COUNTOF(map); i++) {
        out |= flags & map[i].view ? map[i].node : 0;
    }
    return out;
}

static const char *copy(struct ia_tree *t, const char *text)
{
    return text ? ia_tree_text(t, text, strlen(text)) : NULL;
}

static void fill_node(struct ia_tree *t, struct ia_node *n, const struct ia_view *v)
{
    n->identifier = copy(t, v->ident);
    n->label = v->label == v->ident ? n->identifier : copy(t, v->label);
    n->value = copy(t, v->value);
    n->placeholder = v->placeholder == v->label ? n->label : copy(t, v->placeholder);
    n->flags = (uint16_t)node_flags(v->flags);
}

/* The nearest ancestor that is in the tree, as an index, or -1. */
static int32_t tree_parent(const struct ia_scene *s, int32_t i)
{
    do {
        i = s->views[i].parent;
    } while (i >= 0 && s->views[i].type == IA_EL_ANY);
    return i;
}

void ia_scene_to_tree(const struct ia_scene *s, struct ia_tree *t)
{
    struct ia_node **nodes = ia_calloc((size_t)s->count + 1, sizeof(struct ia_node *));
    for (int32_t i = 0; i < s->count; i++) {
        const struct ia_view *v = &s->views[i];
        int32_t up = tree_parent(s, i);
        /* The second half: the tree was full when the parent's turn came. */
        if (v->type == IA_EL_ANY || (up >= 0 && !nodes[up])) {
            continue;
        }
        struct ia_rect frame = {v->x, v->y, v->w, v->h};
        nodes[i] = ia_tree_add(t, up >= 0 ? nodes[up] : NULL, (enum ia_eltype)v->type, frame);
        if (nodes[i]) {
            fill_node(t, nodes[i], v);
        }
    }
    free(nodes);
    ia_tree_set_app(t, s->app);
}
