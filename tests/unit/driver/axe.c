#include "axe.h"

#include <jansson.h>
#include <string.h>

struct name {
    const char *axe;
    enum ia_eltype type;
};

static const struct name names[] = {
    {"Application", IA_EL_APPLICATION},
    {"Group", IA_EL_GROUP},
    {"Button", IA_EL_BUTTON},
    {"Heading", IA_EL_STATIC_TEXT},
    {"StaticText", IA_EL_STATIC_TEXT},
    {"GenericElement", IA_EL_OTHER},
    {"CheckBox", IA_EL_SWITCH},
    {"Slider", IA_EL_SLIDER},
    {"ScrollArea", IA_EL_SCROLL_VIEW},
    {"TextField", IA_EL_TEXT_FIELD},
    {"Image", IA_EL_IMAGE},
};

static const char *text(json_t *node, const char *key)
{
    return json_string_value(json_object_get(node, key));
}

static enum ia_eltype type_of(json_t *node)
{
    const char *subrole = text(node, "subrole");
    if (subrole && strcmp(subrole, "AXSearchField") == 0) {
        return IA_EL_SEARCH_FIELD;
    }
    const char *type = text(node, "type");
    for (size_t i = 0; type && i < IA_COUNTOF(names); i++) {
        if (strcmp(names[i].axe, type) == 0) {
            return names[i].type;
        }
    }
    return IA_EL_OTHER;
}

static const char *copy(struct ia_tree *t, const char *s)
{
    return s ? ia_tree_text(t, s, strlen(s)) : NULL;
}

static double number(json_t *frame, const char *key)
{
    return json_number_value(json_object_get(frame, key));
}

static void add(struct ia_tree *t, struct ia_node *parent, json_t *node)
{
    json_t *f = json_object_get(node, "frame");
    struct ia_rect r = {number(f, "x"), number(f, "y"), number(f, "width"),
                        number(f, "height")};
    struct ia_node *n = ia_tree_add(t, parent, type_of(node), r);
    if (!n) {
        return;
    }
    const char *type = text(node, "type");
    n->flags |= type && strcmp(type, "Heading") == 0 ? IA_NODE_HEADER : 0;
    if (json_is_false(json_object_get(node, "enabled"))) {
        n->flags &= (uint16_t)~IA_NODE_ENABLED;
    }
    n->label = copy(t, text(node, "AXLabel"));
    n->value = copy(t, text(node, "AXValue"));
    n->identifier = copy(t, text(node, "AXUniqueId"));
    json_t *child = NULL;
    size_t i = 0;
    json_array_foreach(json_object_get(node, "children"), i, child)
    {
        add(t, n, child);
    }
}

struct ia_tree *axe_load(const char *path)
{
    json_error_t err;
    json_t *doc = json_load_file(path, 0, &err);
    json_t *root = json_is_array(doc) ? json_array_get(doc, 0) : doc;
    struct ia_tree *t = NULL;
    if (json_is_object(root)) {
        t = ia_tree_new();
        add(t, NULL, root);
    }
    json_decref(doc);
    return t;
}
