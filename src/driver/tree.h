/* tree.h: the canonical accessibility tree that every device delivers.
 *
 * All nodes and strings live in the tree's arena and die with it. Coordinates are points in the
 * screen's space (origin top left). A tree is built by one thread and read-only after. */
#ifndef IA_DRIVER_TREE_H
#define IA_DRIVER_TREE_H

#include "base/base.h"
#include "base/err.h"

/* Numbers are XCUIElementType's (Apple's XCUIElementTypes.h),
 * so that they can cross the wire. */
enum ia_eltype {
    IA_EL_ANY = 0,
    IA_EL_OTHER = 1,
    IA_EL_APPLICATION = 2,
    IA_EL_GROUP = 3,
    IA_EL_WINDOW = 4,
    IA_EL_SHEET = 5,
    IA_EL_DRAWER = 6,
    IA_EL_ALERT = 7,
    IA_EL_DIALOG = 8,
    IA_EL_BUTTON = 9,
    IA_EL_RADIO_BUTTON = 10,
    IA_EL_RADIO_GROUP = 11,
    IA_EL_CHECK_BOX = 12,
    IA_EL_DISCLOSURE_TRIANGLE = 13,
    IA_EL_POP_UP_BUTTON = 14,
    IA_EL_COMBO_BOX = 15,
    IA_EL_MENU_BUTTON = 16,
    IA_EL_TOOLBAR_BUTTON = 17,
    IA_EL_POPOVER = 18,
    IA_EL_KEYBOARD = 19,
    IA_EL_KEY = 20,
    IA_EL_NAVIGATION_BAR = 21,
    IA_EL_TAB_BAR = 22,
    IA_EL_TAB_GROUP = 23,
    IA_EL_TOOLBAR = 24,
    IA_EL_STATUS_BAR = 25,
    IA_EL_TABLE = 26,
    IA_EL_TABLE_ROW = 27,
    IA_EL_TABLE_COLUMN = 28,
    IA_EL_OUTLINE = 29,
    IA_EL_OUTLINE_ROW = 30,
    IA_EL_BROWSER = 31,
    IA_EL_COLLECTION_VIEW = 32,
    IA_EL_SLIDER = 33,
    IA_EL_PAGE_INDICATOR = 34,
    IA_EL_PROGRESS_INDICATOR = 35,
    IA_EL_ACTIVITY_INDICATOR = 36,
    IA_EL_SEGMENTED_CONTROL = 37,
    IA_EL_PICKER = 38,
    IA_EL_PICKER_WHEEL = 39,
    IA_EL_SWITCH = 40,
    IA_EL_TOGGLE = 41,
    IA_EL_LINK = 42,
    IA_EL_IMAGE = 43,
    IA_EL_ICON = 44,
    IA_EL_SEARCH_FIELD = 45,
    IA_EL_SCROLL_VIEW = 46,
    IA_EL_SCROLL_BAR = 47,
    IA_EL_STATIC_TEXT = 48,
    IA_EL_TEXT_FIELD = 49,
    IA_EL_SECURE_TEXT_FIELD = 50,
    IA_EL_DATE_PICKER = 51,
    IA_EL_TEXT_VIEW = 52,
    IA_EL_MENU = 53,
    IA_EL_MENU_ITEM = 54,
    IA_EL_MENU_BAR = 55,
    IA_EL_MENU_BAR_ITEM = 56,
    IA_EL_MAP = 57,
    IA_EL_WEB_VIEW = 58,
    IA_EL_INCREMENT_ARROW = 59,
    IA_EL_DECREMENT_ARROW = 60,
    IA_EL_TIMELINE = 61,
    IA_EL_RATING_INDICATOR = 62,
    IA_EL_VALUE_INDICATOR = 63,
    IA_EL_SPLIT_GROUP = 64,
    IA_EL_SPLITTER = 65,
    IA_EL_RELEVANCE_INDICATOR = 66,
    IA_EL_COLOR_WELL = 67,
    IA_EL_HELP_TAG = 68,
    IA_EL_MATTE = 69,
    IA_EL_DOCK_ITEM = 70,
    IA_EL_RULER = 71,
    IA_EL_RULER_MARKER = 72,
    IA_EL_GRID = 73,
    IA_EL_LEVEL_INDICATOR = 74,
    IA_EL_CELL = 75,
    IA_EL_LAYOUT_AREA = 76,
    IA_EL_LAYOUT_ITEM = 77,
    IA_EL_HANDLE = 78,
    IA_EL_STEPPER = 79,
    IA_EL_TAB = 80,
    IA_EL_TOUCH_BAR = 81,
    IA_EL_STATUS_ITEM = 82,
    IA_EL_COUNT
};

struct ia_point {
    double x, y;
};

struct ia_rect {
    double x, y, w, h;
};

/* Node flags. IA_NODE_HEADER and _SELECTED come from accessibility
 * traits where there are any. */
enum {
    IA_NODE_ENABLED = 1 << 0,
    IA_NODE_SELECTED = 1 << 1,
    IA_NODE_FOCUSED = 1 << 2,
    IA_NODE_HEADER = 1 << 3,    /* a heading */
    IA_NODE_INVISIBLE = 1 << 4, /* the platform itself says that it is not visible */
    IA_NODE_ADJUSTABLE = 1 << 5,
    IA_NODE_HINTED = 1 << 6 /* an accessibility hint tells what a touch does */
};

struct ia_node {
    struct ia_node *parent, *first_child, *last_child, *next; /* next sibling; drawn later */
    const char *identifier;                                   /* strings are NULL when absent */
    const char *label;
    const char *value;
    const char *placeholder;
    struct ia_rect frame;
    uint16_t type;  /* enum ia_eltype */
    uint16_t flags; /* IA_NODE_* */
};

struct ia_tree; /* opaque; owns everything below it */

/* Caps on what a device may deliver; beyond them the tree is marked truncated. */
enum { IA_TREE_DEPTH_MAX = 200, IA_TREE_NODES_MAX = 20000, IA_TREE_STRING_MAX = 16384 };
#define IA_TREE_BYTES_MAX ((size_t)32 << 20)

struct ia_tree *ia_tree_new(void);
void ia_tree_free(struct ia_tree *t);
/* Whether two trees say the same, node by node. */
bool ia_tree_equal(const struct ia_tree *a, const struct ia_tree *b);

/* Appends a child (parent NULL: the root, once) with flags IA_NODE_ENABLED and returns it, or
 * NULL when a cap is reached; the tree is then marked truncated and stays usable. Numbers in
 * the frame that are not finite become 0. */
struct ia_node *ia_tree_add(struct ia_tree *t, struct ia_node *parent, enum ia_eltype type,
                            struct ia_rect frame);
/* Copies n bytes into the arena, made valid UTF-8 and cut at IA_TREE_STRING_MAX. NULL for NULL
 * or an empty string. */
const char *ia_tree_text(struct ia_tree *t, const char *s, size_t n);

struct ia_node *ia_tree_root(const struct ia_tree *t);
size_t ia_tree_count(const struct ia_tree *t);
bool ia_tree_truncated(const struct ia_tree *t);
void ia_tree_set_truncated(struct ia_tree *t);
/* The same with the reason in plain words, "more elements than the bridge delivers". */
void ia_tree_set_truncated_by(struct ia_tree *t, const char *why);
/* NULL when no reason was told. */
const char *ia_tree_truncated_by(const struct ia_tree *t);
/* How many characters of the tree's texts could not be read and are U+FFFD. */
size_t ia_tree_repaired(const struct ia_tree *t);
void ia_tree_add_repaired(struct ia_tree *t, size_t count);
/* The foreground app's bundle id, or NULL when the device does not tell. */
const char *ia_tree_app(const struct ia_tree *t);
void ia_tree_set_app(struct ia_tree *t, const char *bundle_id);
/* IA_OK for a tree with at least one element that has an area. Otherwise IA_E_TREE_EMPTY, whose
 * message and hint tell a tree without elements from one whose elements have no area. */
enum ia_rc ia_tree_check(const struct ia_tree *t, struct ia_err *err);
/* The next node in pre-order within root's subtree, or NULL at its end. */
struct ia_node *ia_node_next(const struct ia_node *node, const struct ia_node *root);
/* "Button" for IA_EL_BUTTON, as XCUIElementType names it without its prefix. */
const char *ia_eltype_name(enum ia_eltype type);
/* "XCUIElementTypeButton". */
const char *ia_eltype_full_name(enum ia_eltype type);
/* Accepts "Button" and "XCUIElementTypeButton"; IA_EL_COUNT when unknown. */
enum ia_eltype ia_eltype_from_name(struct ia_str name);

#endif
