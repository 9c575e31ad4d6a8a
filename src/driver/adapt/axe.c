/* axe.c: what AXe's describe-ui prints. Source: the trees under tests/data/trees/axe. */
#include "driver/adapt/impl.h"

#include <string.h>

/* A subrole is the more exact word. */
static enum ia_eltype subtype(struct ia_str subrole)
{
    static const struct {
        const char *name;
        enum ia_eltype type;
    } known[] = {
        {"AXSearchField", IA_EL_SEARCH_FIELD},
        {"AXSecureTextField", IA_EL_SECURE_TEXT_FIELD},
        {"AXSwitch", IA_EL_SWITCH},
        {"AXToggle", IA_EL_SWITCH},
        {"AXTabButton", IA_EL_TAB},
        {"AXDialog", IA_EL_DIALOG},
        {"AXSystemDialog", IA_EL_ALERT},
    };
    for (size_t i = 0; i < IA_COUNTOF(known); i++) {
        if (ia_str_is(subrole, known[i].name)) {
            return known[i].type;
        }
    }
    return IA_EL_COUNT;
}

static enum ia_eltype type_of(json_t *node)
{
    enum ia_eltype type = subtype(ia_json_field(node, "subrole"));
    if (type == IA_EL_COUNT) {
        type = ia_adapt_type(ia_json_field(node, "type"));
    }
    if (type == IA_EL_COUNT) {
        type = ia_adapt_type(ia_json_field(node, "role"));
    }
    /* The buttons of a tab bar are told apart only here; on a phone in another language they
     * stay buttons. */
    bool plain = type == IA_EL_BUTTON || type == IA_EL_RADIO_BUTTON;
    if (plain && ia_str_is(ia_json_field(node, "role_description"), "tab")) {
        type = IA_EL_TAB;
    }
    return type == IA_EL_COUNT ? IA_EL_OTHER : type;
}

static struct ia_rect frame_of(json_t *node)
{
    json_t *frame = json_object_get(node, "frame");
    if (json_is_object(frame)) {
        return ia_adapt_rect(frame);
    }
    return ia_adapt_frame_text(json_string_value(json_object_get(node, "AXFrame")));
}

static bool any_true(json_t *node, const char *a, const char *b)
{
    return json_is_true(json_object_get(node, a)) || json_is_true(json_object_get(node, b));
}

static void read_flags(struct ia_node *n, json_t *node)
{
    bool heading = ia_str_is(ia_json_field(node, "role"), "AXHeading") ||
                   ia_str_is(ia_json_field(node, "type"), "Heading");
    n->flags |= heading ? IA_NODE_HEADER : 0;
    n->flags |= any_true(node, "AXSelected", "selected") ? IA_NODE_SELECTED : 0;
    n->flags |= any_true(node, "AXFocused", "focused") ? IA_NODE_FOCUSED : 0;
    if (json_is_false(json_object_get(node, "enabled"))) {
        n->flags &= (uint16_t)~IA_NODE_ENABLED;
    }
    n->flags |= ia_json_field(node, "help").n > 0 ? IA_NODE_HINTED : 0;
    json_t *trait = NULL;
    size_t i = 0;
    json_array_foreach(json_object_get(node, "traits"), i, trait)
    {
        ia_adapt_trait(n, ia_json_str(trait));
    }
}

static void add(struct ia_adapting *a, struct ia_node *parent, json_t *node, int level)
{
    static const char *const label[] = {"AXLabel", "title", "label", NULL};
    static const char *const value[] = {"AXValue", "value", NULL};
    static const char *const identifier[] = {"AXUniqueId", "AXIdentifier", "identifier", NULL};
    static const char *const placeholder[] = {"AXPlaceholderValue", "placeholderValue", NULL};
    struct ia_node *n = ia_tree_add(a->tree, parent, type_of(node), frame_of(node));
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
    static const char *const keys[] = {"type", "role", "frame", "AXFrame", "AXLabel"};
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        if (json_object_get(v, keys[i])) {
            return true;
        }
    }
    return false;
}

static struct ia_rect joined(json_t *roots)
{
    struct ia_rect all = {0};
    json_t *root = NULL;
    size_t i = 0;
    json_array_foreach(roots, i, root)
    {
        struct ia_rect r = frame_of(root);
        if (r.w > 0 && r.h > 0) {
            double right = all.x + all.w > r.x + r.w ? all.x + all.w : r.x + r.w;
            double bottom = all.y + all.h > r.y + r.h ? all.y + all.h : r.y + r.h;
            all = (struct ia_rect){0, 0, right, bottom};
        }
    }
    return all;
}

/* Several roots become children of one that covers them, or of the application that begins idb's
 * flat list. */
static enum ia_rc add_roots(struct ia_adapting *a, json_t *roots, struct ia_err *err)
{
    size_t count = json_array_size(roots);
    json_t *first = json_array_get(roots, 0);
    bool flat = count > 1 && is_element(first) && type_of(first) == IA_EL_APPLICATION &&
                json_array_size(json_object_get(first, "children")) == 0;
    struct ia_node *parent =
        count > 1 && !flat ? ia_tree_add(a->tree, NULL, IA_EL_OTHER, joined(roots)) : NULL;
    json_t *root = NULL;
    size_t i = 0;
    json_array_foreach(roots, i, root)
    {
        if (!is_element(root)) {
            return ia_adapt_malformed(a, err, "entry %zu of its list is not an element", i);
        }
        add(a, parent, root, parent ? 2 : 1);
        parent = flat ? ia_tree_root(a->tree) : parent;
    }
    return IA_OK;
}

static enum ia_rc add_document(struct ia_adapting *a, json_t *doc, struct ia_err *err)
{
    json_t *listed = json_object_get(doc, "elements");
    if (json_is_array(doc) || json_is_array(listed)) {
        return add_roots(a, json_is_array(doc) ? doc : listed, err);
    }
    if (!is_element(doc)) {
        return ia_adapt_malformed(a, err, "it is JSON without elements");
    }
    add(a, NULL, doc, 1);
    return IA_OK;
}

enum ia_rc ia_adapt_axe(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    json_t *doc = NULL;
    enum ia_rc rc = ia_adapt_json(a, bytes, &doc, err);
    if (rc == IA_OK) {
        rc = add_document(a, doc, err);
    }
    json_decref(doc);
    return rc;
}
