/* node.h: the elements of a tree as WebDriverAgent shows them: attributes, identity, what is seen.
 *
 * A screen is built once from a finished tree and borrows it; both are read-only after, so any
 * threads may read them. Elements are numbered in pre-order, the root is 0, and a subtree is the
 * run of numbers from an element to its `end`.
 *
 * Names and rules of attributes: WebDriverAgent's FBElement.h, FBElementUtils.m and
 * XCUIElement+FBWebDriverAttributes.m. What only a live UIKit could tell is derived from types:
 * whether an element is one of its own for VoiceOver (accessible, nativeAccessibilityElement), and
 * hittable, which is visible here.
 *
 * Errors of this folder, and the WebDriver error that a server answers with:
 *   IA_E_PARSE    invalid selector
 *   IA_E_USAGE    invalid argument
 *   IA_E_TIMEOUT  timeout
 *   all others    unknown error (WebDriverAgent: an unknown attribute, a bad predicate) */
#ifndef IA_SERVER_WDA_SELECT_NODE_H
#define IA_SERVER_WDA_SELECT_NODE_H

#include "driver/tree.h"

/* X(id, "name"), in the order in which WebDriverAgent lists them. Each is also known with the prefix
 * wd and a capital: wdName, wdUID. */
#define IA_WDA_ATTRIBUTE_LIST(X)                                                               \
    X(UID, "UID")                                                                              \
    X(CONTAINER, "accessibilityContainer")                                                     \
    X(ACCESSIBLE, "accessible")                                                                \
    X(ACTIONS, "customActions")                                                                \
    X(ENABLED, "enabled")                                                                      \
    X(FOCUSED, "focused")                                                                      \
    X(FRAME, "frame")                                                                          \
    X(HITTABLE, "hittable")                                                                    \
    X(INDEX, "index")                                                                          \
    X(LABEL, "label")                                                                          \
    X(MAX, "maxValue")                                                                         \
    X(MIN, "minValue")                                                                         \
    X(NAME, "name")                                                                            \
    X(NATIVE_ELEMENT, "nativeAccessibilityElement")                                            \
    X(NATIVE_FRAME, "nativeFrame")                                                             \
    X(PLACEHOLDER, "placeholderValue")                                                         \
    X(RECT, "rect")                                                                            \
    X(SELECTED, "selected")                                                                    \
    X(TRAITS, "traits")                                                                        \
    X(TYPE, "type")                                                                            \
    X(VALUE, "value")                                                                          \
    X(VISIBLE, "visible")

enum ia_wda_attribute {
#define IA_WDA_ATTRIBUTE_ENUM(id, name) IA_WDA_##id,
    IA_WDA_ATTRIBUTE_LIST(IA_WDA_ATTRIBUTE_ENUM)
#undef IA_WDA_ATTRIBUTE_ENUM
        IA_WDA_ATTRIBUTE_COUNT
};

/* Of ia_wda_node.state. */
enum {
    IA_WDA_IS_VISIBLE = 1 << 0,
    IA_WDA_IS_ACCESSIBLE = 1 << 1,
    IA_WDA_IS_ELEMENT = 1 << 2,   /* nativeAccessibilityElement */
    IA_WDA_IS_CONTAINER = 1 << 3, /* something below it is one */
    IA_WDA_IS_INSIDE = 1 << 4     /* something above it is one */
};

struct ia_wda_node {
    const struct ia_node *node;
    struct ia_rect
        seen; /* of its frame, after each window, list, scroll view and the screen clip it;
                            without an area when nothing is */
    uint64_t
        kind; /* equal for elements with the same type and identifier, or, where there is no
                            identifier, the same type and label */
    uint64_t path;   /* equal for elements at the same place below the root */
    int32_t parent;  /* -1: the root */
    int32_t end;     /* one past its last descendant */
    int32_t index;   /* among its siblings */
    int32_t ordinal; /* among those of its kind, in pre-order */
    int32_t alike;   /* how many there are of its kind */
    uint32_t state;  /* IA_WDA_IS_* */
};

struct ia_wda_screen {
    const struct ia_tree *tree;
    struct ia_wda_node *nodes;
    int32_t count;
};

/* What an attribute is. A text is borrowed from the tree or lies in `room`: such a value is not copied. */
struct ia_wda_value {
    enum {
        IA_WDA_NULL,
        IA_WDA_BOOL,   /* truth */
        IA_WDA_NUMBER, /* number */
        IA_WDA_TEXT,   /* text, valid UTF-8 and ended by a NUL; may be empty */
        IA_WDA_RECT_OF /* rect: rect, frame, nativeFrame */
    } is;
    bool truth;
    double number;
    struct ia_str text;
    struct ia_rect rect;
    char room[96];
};

/* Elements that were found, by number. */
struct ia_wda_nodes {
    int32_t *at;
    int32_t n;
    int32_t cap;
};

enum { IA_WDA_UID_SIZE = 37 }; /* 8-4-4-4-12 hexadecimal digits and a NUL */

/* The tree outlives the screen, and may be empty; free with _free. */
struct ia_wda_screen *ia_wda_screen_new(const struct ia_tree *tree);
void ia_wda_screen_free(struct ia_wda_screen *s);

/* The attribute behind "name" or "wdName". IA_E_NOT_FOUND "The attribute 'X' is unknown. Valid
 * attribute names are: …" otherwise. */
enum ia_rc ia_wda_attribute(struct ia_str name, enum ia_wda_attribute *ret, struct ia_err *err);
/* Without the prefix. */
const char *ia_wda_attribute_name(enum ia_wda_attribute a);
/* Reads it. rect and frame are rounded outwards (CGRectIntegral). */
void ia_wda_get(const struct ia_wda_screen *s, int32_t node, enum ia_wda_attribute a,
                struct ia_wda_value *ret);
/* The three that most callers want; NULL when absent. name: the identifier, else the label. */
const char *ia_wda_name(const struct ia_node *n);
const char *ia_wda_label(const struct ia_node *n); /* "" for a text field without one */
const char *ia_wda_text_value(const struct ia_node *n);
/* Rounded outwards; {-1, -1, 0, 0} for what lies a billion points away. */
struct ia_rect ia_wda_rect(const struct ia_node *n);
/* The type of "XCUIElementTypeButton". One that starts so and is unknown is IA_EL_OTHER; any other
 * word: IA_EL_COUNT. */
enum ia_eltype ia_wda_type_from_name(struct ia_str name);
/* Whether it is one that users type into: without a value its placeholder is its value. */
bool ia_wda_takes_text(const struct ia_node *n);
/* Looks like a UUID, the same for the same kind and ordinal, among as many alike, in the same app: when
 * one of several equal buttons has gone, none of the others takes over an id that a client still has. */
void ia_wda_uid(const struct ia_wda_screen *s, int32_t node, char ret[IA_WDA_UID_SIZE]);

void ia_wda_nodes_add(struct ia_wda_nodes *list, int32_t node);
/* Appends those of more in pre-order, however they lie there. */
void ia_wda_nodes_append(struct ia_wda_nodes *list, const struct ia_wda_nodes *more);
void ia_wda_nodes_fini(struct ia_wda_nodes *list);

#endif
