/* node.c: a tree becomes a screen: one walk over its elements in pre-order, which knows all above an
 * element when it comes and all below when it goes, then one over the elements sorted by kind. */
#include "server/wda/select/node.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What of the parent lets its children be seen: the frame of each clips is what remains of it. */
static bool clips(unsigned type)
{
    return type == IA_EL_APPLICATION || type == IA_EL_WINDOW || type == IA_EL_TABLE ||
           type == IA_EL_COLLECTION_VIEW || type == IA_EL_SCROLL_VIEW || type == IA_EL_WEB_VIEW;
}

/* Types that hold what VoiceOver reads and are not read themselves. */
static bool holds(unsigned type)
{
    static const uint8_t holders[] = {
        IA_EL_APPLICATION,
        IA_EL_WINDOW,
        IA_EL_OTHER,
        IA_EL_GROUP,
        IA_EL_TABLE,
        IA_EL_SHEET,
        IA_EL_COLLECTION_VIEW,
        IA_EL_SCROLL_VIEW,
        IA_EL_WEB_VIEW,
        IA_EL_TOOLBAR,
        IA_EL_NAVIGATION_BAR,
        IA_EL_TAB_BAR,
        IA_EL_STATUS_BAR,
        IA_EL_KEYBOARD,
        IA_EL_ALERT,
        IA_EL_DIALOG,
        IA_EL_POPOVER,
        IA_EL_PICKER,
        IA_EL_DATE_PICKER,
        IA_EL_STEPPER,
        IA_EL_SEGMENTED_CONTROL,
        IA_EL_MENU,
        IA_EL_MAP,
    };
    return memchr(holders, (int)type, sizeof(holders)) != NULL;
}

static bool is_element(const struct ia_node *n)
{
    return !holds(n->type) || (n->type == IA_EL_OTHER && n->label && !n->first_child);
}

static struct ia_rect cut(struct ia_rect a, struct ia_rect b)
{
    double x = fmax(a.x, b.x);
    double y = fmax(a.y, b.y);
    double w = fmin(a.x + a.w, b.x + b.w) - x;
    double h = fmin(a.y + a.h, b.y + b.h) - y;
    return w > 0 && h > 0 ? (struct ia_rect){x, y, w, h} : (struct ia_rect){x, y, 0, 0};
}

static uint64_t kind_of(const struct ia_node *n)
{
    char head[] = {(char)n->type, n->identifier ? 'i' : 'l'};
    const char *text = n->identifier ? n->identifier : n->label;
    uint64_t h = ia_hash(IA_HASH_SEED, head, sizeof(head));
    return text ? ia_hash(h, text, strlen(text)) : h;
}

/* through: what is seen of those that clip, above the element; taken and handed on to its children. Below
 * a root without an area nothing is cut. */
static void see(struct ia_wda_node *w, struct ia_rect *through)
{
    bool root = w->parent < 0;
    w->seen = root ? w->node->frame : cut(w->node->frame, *through);
    bool area = w->seen.w > 0 && w->seen.h > 0;
    if (clips(w->node->type) || root) {
        *through = root && !area ? (struct ia_rect){-1e9, -1e9, 2e9, 2e9} : w->seen;
    }
    if (area && !(w->node->flags & IA_NODE_INVISIBLE)) {
        w->state |= IA_WDA_IS_VISIBLE;
    }
}

static void tell_ancestors(struct ia_wda_screen *s, int32_t at)
{
    while (at >= 0 && !(s->nodes[at].state & IA_WDA_IS_CONTAINER)) {
        s->nodes[at].state |= IA_WDA_IS_CONTAINER;
        at = s->nodes[at].parent;
    }
}

/* VoiceOver reads the outermost of elements that lie in each other. */
static void hear(struct ia_wda_screen *s, struct ia_wda_node *w)
{
    const struct ia_wda_node *parent = w->parent >= 0 ? &s->nodes[w->parent] : NULL;
    bool inside = parent && parent->state & (IA_WDA_IS_INSIDE | IA_WDA_IS_ELEMENT);
    w->state |= inside ? IA_WDA_IS_INSIDE : 0;
    if (is_element(w->node)) {
        w->state |= IA_WDA_IS_ELEMENT | (inside ? 0 : IA_WDA_IS_ACCESSIBLE);
        tell_ancestors(s, w->parent);
    }
}

static int32_t add(struct ia_wda_screen *s, const struct ia_node *n, int32_t parent,
                   int32_t index)
{
    struct ia_wda_node *w = &s->nodes[s->count];
    *w = (struct ia_wda_node){.node = n, .parent = parent, .index = index, .kind = kind_of(n)};
    uint64_t above = parent >= 0 ? s->nodes[parent].path : IA_HASH_SEED;
    w->path = ia_hash(above, &index, sizeof(index));
    hear(s, w);
    return s->count++;
}

/* All below it was added; returns its parent. */
static int32_t leave(struct ia_wda_screen *s, int32_t at)
{
    s->nodes[at].end = s->count;
    return s->nodes[at].parent;
}

static void walk(struct ia_wda_screen *s, const struct ia_node *root)
{
    struct ia_rect through[IA_TREE_DEPTH_MAX + 1];
    int depth = 0;
    int32_t at = -1;
    for (const struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        int32_t index = 0;
        for (; at >= 0 && s->nodes[at].node != n->parent; depth--) {
            index = s->nodes[at].index + 1;
            at = leave(s, at);
        }
        at = add(s, n, at, index);
        through[depth] = depth > 0 ? through[depth - 1] : (struct ia_rect){0};
        see(&s->nodes[at], &through[depth++]);
    }
    while (at >= 0) {
        at = leave(s, at);
    }
}

struct by_kind {
    uint64_t kind;
    int32_t at;
};

static int compare(const void *a, const void *b)
{
    const struct by_kind *x = a, *y = b;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

static void number_kinds(struct ia_wda_screen *s)
{
    struct by_kind *all = ia_calloc((size_t)s->count, sizeof(*all));
    for (int32_t i = 0; i < s->count; i++) {
        all[i] = (struct by_kind){s->nodes[i].kind, i};
    }
    qsort(all, (size_t)s->count, sizeof(*all), compare);
    for (int32_t from = 0, to = 0; from < s->count; from = to) {
        for (; to < s->count && all[to].kind == all[from].kind; to++) {
            s->nodes[all[to].at].ordinal = to - from;
        }
        for (int32_t i = from; i < to; i++) {
            s->nodes[all[i].at].alike = to - from;
        }
    }
    free(all);
}

struct ia_wda_screen *ia_wda_screen_new(const struct ia_tree *tree)
{
    struct ia_wda_screen *s = ia_calloc(1, sizeof(*s));
    s->tree = tree;
    const struct ia_node *root = ia_tree_root(tree);
    if (root) {
        s->nodes = ia_calloc(ia_tree_count(tree), sizeof(*s->nodes));
        walk(s, root);
        number_kinds(s);
    }
    return s;
}

void ia_wda_screen_free(struct ia_wda_screen *s)
{
    if (s) {
        free(s->nodes);
        free(s);
    }
}

void ia_wda_uid(const struct ia_wda_screen *s, int32_t node, char ret[IA_WDA_UID_SIZE])
{
    const struct ia_wda_node *w = &s->nodes[node];
    const char *app = ia_tree_app(s->tree);
    const int32_t which[] = {w->ordinal, w->alike};
    uint64_t high = ia_hash(w->kind, which, sizeof(which));
    high = app ? ia_hash(high, app, strlen(app)) : high;
    uint64_t low = ia_hash(high, "uid", 3);
    snprintf(ret, IA_WDA_UID_SIZE, "%08X-%04X-%04X-%04X-%012llX", (unsigned)(high >> 32),
             (unsigned)(high >> 16) & 0xFFFF, (unsigned)high & 0xFFFF, (unsigned)(low >> 48),
             (unsigned long long)(low & 0xFFFFFFFFFFFF));
}

void ia_wda_nodes_add(struct ia_wda_nodes *list, int32_t node)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 16;
        list->at = ia_realloc(list->at, (size_t)list->cap, sizeof(*list->at));
    }
    list->at[list->n++] = node;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

void ia_wda_nodes_append(struct ia_wda_nodes *list, const struct ia_wda_nodes *more)
{
    int32_t had = list->n;
    for (int32_t i = 0; i < more->n; i++) {
        ia_wda_nodes_add(list, more->at[i]);
    }
    if (list->n > had) {
        qsort(list->at + had, (size_t)(list->n - had), sizeof(*list->at), by_number);
    }
}

void ia_wda_nodes_fini(struct ia_wda_nodes *list)
{
    free(list->at);
    *list = (struct ia_wda_nodes){0};
}
