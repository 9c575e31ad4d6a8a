/* nodes.c: the wire's list of nodes in pre-order becomes the canonical tree. */
#include "driver/bridge/impl.h"

#include <stdio.h>
#include <string.h>

enum { CAUSE_MAX = 256 };
enum {
    FLAGS = IA_NODE_ENABLED | IA_NODE_SELECTED | IA_NODE_FOCUSED | IA_NODE_HEADER |
            IA_NODE_INVISIBLE | IA_NODE_ADJUSTABLE | IA_NODE_HINTED
};

_Static_assert((int)IA_WIRE_NODE_ENABLED == (int)IA_NODE_ENABLED &&
                   (int)IA_WIRE_NODE_SELECTED == (int)IA_NODE_SELECTED &&
                   (int)IA_WIRE_NODE_FOCUSED == (int)IA_NODE_FOCUSED &&
                   (int)IA_WIRE_NODE_HEADER == (int)IA_NODE_HEADER &&
                   (int)IA_WIRE_NODE_INVISIBLE == (int)IA_NODE_INVISIBLE &&
                   (int)IA_WIRE_NODE_ADJUSTABLE == (int)IA_NODE_ADJUSTABLE &&
                   (int)IA_WIRE_NODE_HINTED == (int)IA_NODE_HINTED,
               "the wire's flags of a node are the tree's");
_Static_assert((int)IA_TREE_DEPTH_MAX >= (int)IA_WIRE_DEPTH_MAX,
               "a deep tree of the wire fits");

static const char *text(struct ia_tree *t, const char *s)
{
    return s ? ia_tree_text(t, s, strlen(s)) : NULL;
}

static struct ia_node *add(struct ia_tree *t, struct ia_node *parent,
                           const struct ia_wire_node *w)
{
    struct ia_rect frame = {w->frame.x, w->frame.y, w->frame.w, w->frame.h};
    enum ia_eltype type = w->type < IA_EL_COUNT ? (enum ia_eltype)w->type : IA_EL_OTHER;
    struct ia_node *n = ia_tree_add(t, parent, type, frame);
    if (n) {
        n->flags = (uint16_t)(w->flags & FLAGS);
        n->identifier = text(t, w->identifier);
        n->label = text(t, w->label);
        n->value = text(t, w->value);
        n->placeholder = text(t, w->placeholder);
    }
    return n;
}

/* The decoder has checked that no depth is more than one beyond the last. */
static void add_all(struct ia_tree *t, const struct ia_wire_tree_reply *r)
{
    struct ia_node *open[IA_WIRE_DEPTH_MAX + 2] = {NULL};
    for (uint32_t i = 0; i < r->nodes_n; i++) {
        const struct ia_wire_node *w = &r->nodes[i];
        size_t depth = w->depth <= IA_WIRE_DEPTH_MAX ? w->depth : IA_WIRE_DEPTH_MAX;
        struct ia_node *parent = depth > 0 ? open[depth - 1] : NULL;
        bool orphan = depth > 0 ? !parent : i > 0;
        open[depth] = orphan ? NULL : add(t, parent, w);
        if (!open[depth]) {
            ia_tree_set_truncated(t); /* with what is below it */
        }
    }
}

enum ia_rc ia_bridge_client_tree(const struct ia_wire_tree_reply *reply, struct ia_tree **ret,
                                 struct ia_err *err)
{
    struct ia_tree *t = ia_tree_new();
    add_all(t, reply);
    if (reply->app && reply->app[0] != '\0') {
        ia_tree_set_app(t, reply->app);
    }
    if (reply->cut & ~(unsigned)IA_WIRE_CUT_SPLICED) {
        char why[CAUSE_MAX];
        ia_bridge_client_cut_text(reply->cut, why, sizeof(why));
        ia_tree_set_truncated_by(t, why);
    }
    enum ia_rc rc = ia_tree_check(t, err);
    if (rc != IA_OK) {
        ia_tree_free(t);
        return rc;
    }
    *ret = t;
    return IA_OK;
}

void ia_bridge_client_cut_text(uint8_t cut, char *dst, size_t size)
{
    static const struct {
        uint8_t bit;
        const char *what;
    } causes[] = {
        {IA_WIRE_CUT_NODES, "more elements than the bridge delivers"},
        {IA_WIRE_CUT_DEPTH, "elements nested deeper than the bridge reports"},
        {IA_WIRE_CUT_BYTES, "texts longer than an answer may be"},
        {IA_WIRE_CUT_SPLICED, "too deep for one snapshot, assembled from several"},
        {IA_WIRE_CUT_FAILED, "a part could not be read"},
    };
    size_t n = 0;
    if (size > 0) {
        dst[0] = '\0';
    }
    for (size_t i = 0; i < IA_COUNTOF(causes); i++) {
        if ((cut & causes[i].bit) && n < size) {
            int more = snprintf(dst + n, size - n, "%s%s", n > 0 ? "; " : "", causes[i].what);
            n += more > 0 ? (size_t)more : 0;
        }
    }
}
