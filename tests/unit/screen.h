/* screen.h: snapshots of small made-up screens. */
#ifndef IA_TESTS_AGENT_SCREEN_H
#define IA_TESTS_AGENT_SCREEN_H

#include "driver/snapshot/snapshot.h"

struct piece {
    enum ia_eltype type;
    const char *label, *value, *identifier;
    double y; /* 44 points high, one below the other; beyond 800 it is off the screen */
};

/* A screen of 400 by 800 with the pieces in it. Free both with screen_free. */
struct screen {
    struct ia_tree *tree;
    struct ia_refs *refs;
    struct ia_snapshot *snapshot;
};

static inline struct screen screen_of(const char *app, const struct piece *pieces, size_t n)
{
    struct screen s = {.tree = ia_tree_new(), .refs = ia_refs_new()};
    struct ia_rect all = {0, 0, 400, 800};
    struct ia_node *root = ia_tree_add(s.tree, NULL, IA_EL_APPLICATION, all);
    struct ia_node *window = ia_tree_add(s.tree, root, IA_EL_WINDOW, all);
    for (size_t i = 0; i < n; i++) {
        struct ia_rect box = {0, pieces[i].y, 400, 44};
        if (pieces[i].type == IA_EL_ALERT) {
            box = (struct ia_rect){50, 300, 300, 200};
        }
        struct ia_node *node = ia_tree_add(s.tree, window, pieces[i].type, box);
        node->label = pieces[i].label;
        node->value = pieces[i].value;
        node->identifier = pieces[i].identifier;
    }
    ia_tree_set_app(s.tree, app);
    s.snapshot = ia_snapshot_new(s.tree, s.refs, 400, 800);
    return s;
}

static inline void screen_free(struct screen *s)
{
    ia_snapshot_free(s->snapshot);
    ia_refs_free(s->refs);
    ia_tree_free(s->tree);
}

#endif
