/* wda.c: WebDriverAgent's source as JSON, and what its two formats share. */
#include "driver/adapt/impl.h"

#include <string.h>

enum ia_rc ia_adapt_wda_value(json_t *doc, json_t **ret, struct ia_err *err)
{
    json_t *value = json_object_get(doc, "value");
    json_t *type = json_object_get(doc, "type");
    /* An element has a member "value" too: only what has no type is an envelope. */
    *ret = value && !type ? value : doc;
    struct ia_str error = ia_json_field(*ret, "error");
    if (error.n == 0 || type) {
        return IA_OK;
    }
    struct ia_str message = ia_json_field(*ret, "message");
    enum ia_rc rc =
        ia_err_set(err, IA_E_DEVICE, "WebDriverAgent answered with an error: %.*s: %.*s",
                   (int)(error.n < 100 ? error.n : 100), error.p,
                   (int)(message.n < 200 ? message.n : 200), message.p ? message.p : "");
    ia_err_hint(err,
                "the app may have crashed or the session ended: launch the app and try again");
    return rc;
}

/* Truth values are "1" and "0", or real ones. absent: what a missing key means. */
static bool truth(json_t *node, const char *key, bool absent)
{
    json_t *v = json_object_get(node, key);
    if (json_is_boolean(v)) {
        return json_is_true(v);
    }
    if (json_is_number(v)) {
        return json_number_value(v) != 0;
    }
    struct ia_str s = ia_json_str(v);
    return s.n == 0 ? absent : !ia_str_is(s, "0") && !ia_str_is(s, "false");
}

static void read_flags(struct ia_node *n, json_t *node)
{
    if (!truth(node, "isEnabled", true)) {
        n->flags &= (uint16_t)~IA_NODE_ENABLED;
    }
    n->flags |= truth(node, "isVisible", true) ? 0 : IA_NODE_INVISIBLE;
    n->flags |= truth(node, "isFocused", false) ? IA_NODE_FOCUSED : 0;
    n->flags |= truth(node, "isSelected", false) ? IA_NODE_SELECTED : 0;
    ia_adapt_traits(n, ia_json_field(node, "traits"));
}

/* name is the identifier, or else the label; only the first is worth keeping. */
static const char *identifier_of(struct ia_tree *t, json_t *node, const char *label)
{
    static const char *const raw[] = {"rawIdentifier", NULL};
    static const char *const named[] = {"name", NULL};
    if (json_object_get(node, "rawIdentifier")) {
        return ia_adapt_text(t, node, raw);
    }
    const char *name = ia_adapt_text(t, node, named);
    return name && label && strcmp(name, label) == 0 ? NULL : name;
}

static struct ia_rect frame_of(json_t *node)
{
    json_t *rect = json_object_get(node, "rect");
    if (json_is_object(rect)) {
        return ia_adapt_rect(rect);
    }
    return ia_adapt_frame_text(json_string_value(json_object_get(node, "frame")));
}

static void add(struct ia_adapting *a, struct ia_node *parent, json_t *node, int level)
{
    static const char *const label[] = {"label", NULL};
    static const char *const value[] = {"value", NULL};
    static const char *const placeholder[] = {"placeholderValue", NULL};
    enum ia_eltype type = ia_adapt_type(ia_json_field(node, "type"));
    struct ia_node *n =
        ia_tree_add(a->tree, parent, type == IA_EL_COUNT ? IA_EL_OTHER : type, frame_of(node));
    if (!n) {
        return;
    }
    a->deepest = level > a->deepest ? level : a->deepest;
    n->label = ia_adapt_text(a->tree, node, label);
    n->value = ia_adapt_text(a->tree, node, value);
    n->identifier = identifier_of(a->tree, node, n->label);
    n->placeholder = ia_adapt_text(a->tree, node, placeholder);
    read_flags(n, node);
    ia_adapt_children(a, n, node, level, add);
}

static enum ia_rc add_document(struct ia_adapting *a, json_t *doc, struct ia_err *err)
{
    json_t *top = NULL;
    enum ia_rc rc = ia_adapt_wda_value(doc, &top, err);
    if (rc != IA_OK || json_is_null(top)) {
        return rc;
    }
    if (json_is_string(top)) {
        return ia_adapt_malformed(a, err, "its value is a string; XML is another source");
    }
    if (!json_is_object(top) || !json_object_get(top, "type")) {
        return ia_adapt_malformed(a, err, "its root has no type");
    }
    const char *app = json_string_value(json_object_get(top, "bundleId"));
    ia_tree_set_app(a->tree, app);
    add(a, NULL, top, 1);
    return IA_OK;
}

enum ia_rc ia_adapt_wda_json(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    json_t *doc = NULL;
    enum ia_rc rc = ia_adapt_json(a, bytes, &doc, err);
    if (rc == IA_OK) {
        rc = add_document(a, doc, err);
    }
    json_decref(doc);
    return rc;
}
