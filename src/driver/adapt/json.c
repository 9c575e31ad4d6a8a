/* json.c: reading JSON trees. */
#include "driver/adapt/impl.h"

#include <stdio.h>
#include <string.h>

static const char *number_text(struct ia_tree *t, json_t *v)
{
    char buf[48];
    int n = 0;
    if (json_is_number(v)) {
        n = snprintf(buf, sizeof(buf), "%.15g", json_number_value(v));
    } else {
        n = snprintf(buf, sizeof(buf), "%d", json_is_true(v));
    }
    return n > 0 ? ia_tree_text(t, buf, (size_t)n) : NULL;
}

const char *ia_adapt_text(struct ia_tree *t, json_t *node, const char *const keys[])
{
    for (; *keys; keys++) {
        json_t *v = json_object_get(node, *keys);
        const char *s = NULL;
        if (json_is_string(v)) {
            s = ia_tree_text(t, json_string_value(v), json_string_length(v));
        } else if (json_is_number(v) || json_is_boolean(v)) {
            s = number_text(t, v);
        }
        if (s) {
            return s;
        }
    }
    return NULL;
}

struct ia_rect ia_adapt_rect(json_t *r)
{
    return (struct ia_rect){json_number_value(json_object_get(r, "x")),
                            json_number_value(json_object_get(r, "y")),
                            json_number_value(json_object_get(r, "width")),
                            json_number_value(json_object_get(r, "height"))};
}

/* Any value is taken, not objects and lists alone: null stands for a screen without elements. */
static json_t *load(struct ia_str bytes, json_error_t *why)
{
    return json_loadb(bytes.p, bytes.n,
                      JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, why);
}

static json_t *load_repaired(struct ia_adapting *a, struct ia_str bytes)
{
    json_error_t why;
    struct ia_buf fixed = IA_BUF(bytes.n * 3);
    size_t count = ia_adapt_repair(bytes, true, &fixed);
    json_t *doc = count > 0 ? load(ia_buf_str(&fixed), &why) : NULL;
    ia_tree_add_repaired(a->tree, doc ? count : 0);
    ia_buf_fini(&fixed);
    return doc;
}

enum ia_rc ia_adapt_json(struct ia_adapting *a, struct ia_str bytes, json_t **ret,
                         struct ia_err *err)
{
    json_error_t why;
    *ret = NULL;
    if (bytes.n == 0) {
        return ia_adapt_malformed(a, err, "it is empty");
    }
    json_t *doc = load(bytes, &why);
    doc = doc ? doc : load_repaired(a, bytes);
    if (!doc) {
        return ia_adapt_malformed(a, err, "line %d, column %d: %.120s", why.line, why.column,
                                  why.text);
    }
    *ret = doc;
    return IA_OK;
}

void ia_adapt_children(struct ia_adapting *a, struct ia_node *n, json_t *node, int level,
                       ia_adapt_node_fn *add)
{
    json_t *child = NULL;
    size_t i = 0;
    json_array_foreach(json_object_get(node, "children"), i, child)
    {
        if (json_is_object(child)) {
            add(a, n, child, level + 1);
        }
    }
}
