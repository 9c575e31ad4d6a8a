/* bridge.c: UIElementJSON, one object a node. */
#include "driver/adapt/impl.h"

static enum ia_eltype type_of(json_t *node)
{
    enum ia_eltype type = ia_adapt_type(ia_json_field(node, "type"));
    if (type == IA_EL_COUNT) {
        type = ia_adapt_type(ia_json_field(node, "role"));
    }
    return type == IA_EL_COUNT ? IA_EL_OTHER : type;
}

/* enabled, selected, focused, header and placeholder are in newer bridges only. */
static void read_flags(struct ia_node *n, json_t *node)
{
    static const struct {
        const char *key;
        uint16_t flag;
    } flags[] = {{"selected", IA_NODE_SELECTED},
                 {"focused", IA_NODE_FOCUSED},
                 {"header", IA_NODE_HEADER}};
    for (size_t i = 0; i < IA_COUNTOF(flags); i++) {
        n->flags |= json_is_true(json_object_get(node, flags[i].key)) ? flags[i].flag : 0;
    }
    if (json_is_false(json_object_get(node, "enabled"))) {
        n->flags &= (uint16_t)~IA_NODE_ENABLED;
    }
    if (ia_str_is(ia_json_field(node, "role"), "AXHeading")) {
        n->flags |= IA_NODE_HEADER;
    }
    ia_adapt_traits(n, ia_json_field(node, "traits"));
}

static void add(struct ia_adapting *a, struct ia_node *parent, json_t *node, int level)
{
    static const char *const label[] = {"AXLabel", NULL};
    static const char *const value[] = {"AXValue", NULL};
    static const char *const identifier[] = {"AXUniqueId", NULL};
    static const char *const placeholder[] = {"placeholder", NULL};
    struct ia_rect frame = ia_adapt_rect(json_object_get(node, "frame"));
    struct ia_node *n = ia_tree_add(a->tree, parent, type_of(node), frame);
    if (!n) {
        return;
    }
    a->deepest = level > a->deepest ? level : a->deepest;
    n->label = ia_adapt_text(a->tree, node, label);
    n->value = ia_adapt_text(a->tree, node, value);
    n->identifier = ia_adapt_text(a->tree, node, identifier);
    n->placeholder = ia_adapt_text(a->tree, node, placeholder);
    read_flags(n, node);
    ia_adapt_children(a, n, node, level, add);
}

static bool is_element(json_t *v)
{
    return json_is_object(v) && (json_array_size(json_object_get(v, "children")) > 0 ||
                                 json_object_get(v, "frame") || json_object_get(v, "type"));
}

/* Classic agents answer with a list of roots, mostly of one. Several become the children of one
 * that covers them. */
static enum ia_rc add_list(struct ia_adapting *a, json_t *roots, struct ia_err *err)
{
    struct ia_rect all = {0, 0, 0, 0};
    struct ia_node *parent = NULL;
    json_t *root = NULL;
    size_t i = 0;
    json_array_foreach(roots, i, root)
    {
        struct ia_rect r = ia_adapt_rect(json_object_get(root, "frame"));
        if (!is_element(root)) {
            return ia_adapt_malformed(a, err, "entry %zu of its list is not an element", i);
        }
        all.w = r.x + r.w > all.w ? r.x + r.w : all.w;
        all.h = r.y + r.h > all.h ? r.y + r.h : all.h;
    }
    if (json_array_size(roots) > 1) {
        parent = ia_tree_add(a->tree, NULL, IA_EL_OTHER, all);
    }
    json_array_foreach(roots, i, root)
    {
        add(a, parent, root, parent ? 2 : 1);
    }
    return IA_OK;
}

enum ia_rc ia_adapt_bridge(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    json_t *doc = NULL;
    enum ia_rc rc = ia_adapt_json(a, bytes, &doc, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (json_is_array(doc)) {
        rc = add_list(a, doc, err);
    } else if (is_element(doc)) {
        ia_tree_set_app(a->tree, json_string_value(json_object_get(doc, "bundleId")));
        add(a, NULL, doc, 1);
    } else if (json_is_object(doc)) {
        rc = ia_adapt_malformed(a, err, "its root has neither type, frame nor children");
    } else if (!json_is_null(doc)) {
        rc = ia_adapt_malformed(a, err, "its root is neither an element nor a list of them");
    }
    json_decref(doc);
    return rc;
}
