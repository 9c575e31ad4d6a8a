/* impl.h: what the adapters share. */
#ifndef IA_DRIVER_ADAPT_IMPL_H
#define IA_DRIVER_ADAPT_IMPL_H

#include "driver/adapt/adapt.h"

#include "base/buf.h"
#include "json/json.h"

struct ia_adapting;
struct ia_adapter {
    const char *name;
    const char *what;    /* in messages */
    const char *made_by; /* where a good one comes from */
    /* Leaves the tree without a root when the document has no element. */
    enum ia_rc (*read)(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err);
    int cut_levels; /* a tree this deep was cut by its maker; 0: its maker never cuts */
};

/* A tree that is being read. */
struct ia_adapting {
    const struct ia_adapter *adapter;
    struct ia_tree *tree;
    int deepest; /* levels of the deepest element, the root's is 1 */
};

/* A document of the wrong shape: IA_E_TREE_MALFORMED, with what to give instead. */
enum ia_rc ia_adapt_malformed(const struct ia_adapting *a, struct ia_err *err, const char *fmt,
                              ...) IA_PRINTF(3, 4);

/* The element type behind an accessibility role ("Button", "AXButton",
 * "XCUIElementTypeButton"), IA_EL_COUNT when unknown. */
enum ia_eltype ia_adapt_type(struct ia_str name);
/* One trait, as Apple names it ("Header", "NotEnabled"), applied to a node. */
void ia_adapt_trait(struct ia_node *n, struct ia_str trait);
/* "Button, Selected" */
void ia_adapt_traits(struct ia_node *n, struct ia_str list);
/* "{{x, y}, {w, h}}", zero when it is none. */
struct ia_rect ia_adapt_frame_text(const char *s);

/* The text behind the first of the NULL-ended keys that holds one; numbers and truth values are
 * written out. Copied into the tree; NULL when there is none. */
const char *ia_adapt_text(struct ia_tree *t, json_t *node, const char *const keys[]);
/* {"x","y","width","height"}; what is not a number is 0. */
struct ia_rect ia_adapt_rect(json_t *rect);

/* Reads one JSON document, repaired if it must be. *ret is NULL unless it is IA_OK; json_decref
 * it. */
enum ia_rc ia_adapt_json(struct ia_adapting *a, struct ia_str bytes, json_t **ret,
                         struct ia_err *err);
/* The document with all that is no character replaced by U+FFFD; how many were. json: escapes of
 * JSON are read, else references of XML. */
size_t ia_adapt_repair(struct ia_str bytes, bool json, struct ia_buf *out);
/* Adds a node and what is below it; parent NULL: as the root. */
typedef void ia_adapt_node_fn(struct ia_adapting *a, struct ia_node *parent, json_t *node,
                              int level);
/* The children, under a node that was just added. */
void ia_adapt_children(struct ia_adapting *a, struct ia_node *n, json_t *node, int level,
                       ia_adapt_node_fn *add);

/* The adapters: each is the `read` of one source. */
enum ia_rc ia_adapt_axe(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err);
enum ia_rc ia_adapt_bridge(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err);
enum ia_rc ia_adapt_wda_json(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err);
enum ia_rc ia_adapt_wda_xml(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err);
/* Takes off {"value":…}; an error of WebDriverAgent in it is IA_E_DEVICE. *ret is borrowed. */
enum ia_rc ia_adapt_wda_value(json_t *doc, json_t **ret, struct ia_err *err);

#endif
