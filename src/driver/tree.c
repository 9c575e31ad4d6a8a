/* tree.c: nodes and texts in chunks that die with the tree. Every byte of it comes from an app, so
 * depth, nodes, bytes and each text are capped, and a tree that reached a cap stays usable and
 * says that it is truncated. */
#include "driver/tree.h"

#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chunks start small, so that one screen costs a few of them, and grow with the tree. */
enum { CHUNK_MIN = 4096, CHUNK_MAX = 256 * 1024 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

struct ia_tree {
    struct chunk *chunks; /* newest first */
    size_t total;         /* bytes in all chunks */
    struct ia_node *root;
    size_t count;
    const char *app;
    const char *truncated_by;
    size_t repaired;
    bool truncated;
};

struct ia_tree *ia_tree_new(void)
{
    return ia_calloc(1, sizeof(struct ia_tree));
}

void ia_tree_free(struct ia_tree *t)
{
    if (!t) {
        return;
    }
    for (struct chunk *c = t->chunks; c;) {
        struct chunk *next = c->next;
        free(c);
        c = next;
    }
    free(t);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_frame(const struct ia_rect *a, const struct ia_rect *b)
{
    return a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h;
}

static bool same_node(const struct ia_node *a, const struct ia_node *b)
{
    return a->type == b->type && a->flags == b->flags && same_frame(&a->frame, &b->frame) &&
           same_text(a->label, b->label) && same_text(a->value, b->value) &&
           same_text(a->identifier, b->identifier) &&
           same_text(a->placeholder, b->placeholder) && !a->first_child == !b->first_child &&
           !a->next == !b->next;
}

/* The next in reading order; NULL behind the last. */
static const struct ia_node *next_node(const struct ia_node *n)
{
    if (n->first_child) {
        return n->first_child;
    }
    while (n && !n->next) {
        n = n->parent;
    }
    return n ? n->next : NULL;
}

bool ia_tree_equal(const struct ia_tree *a, const struct ia_tree *b)
{
    bool same = a->count == b->count && a->truncated == b->truncated &&
                same_text(a->truncated_by, b->truncated_by) && same_text(a->app, b->app) &&
                a->repaired == b->repaired && !a->root == !b->root;
    const struct ia_node *x = a->root, *y = b->root;
    /* Each has children and a sibling where the other has: both walks go the same way. */
    while (same && x) {
        same = same_node(x, y);
        x = next_node(x);
        y = next_node(y);
    }
    return same;
}

static size_t chunk_size(const struct ia_tree *t, size_t n)
{
    size_t size = t->total / 4;
    size = size < CHUNK_MIN ? CHUNK_MIN : size;
    size = size > CHUNK_MAX ? CHUNK_MAX : size;
    return n > size ? n : size;
}

/* n bytes aligned for anything, or NULL at the cap. */
static void *arena_get(struct ia_tree *t, size_t n)
{
    n = (n + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    if (!t->chunks || t->chunks->size - t->chunks->used < n) {
        size_t size = chunk_size(t, n);
        if (size > IA_TREE_BYTES_MAX - t->total) {
            return NULL;
        }
        struct chunk *c = ia_alloc(sizeof(*c) + size);
        *c = (struct chunk){.next = t->chunks, .size = size};
        t->chunks = c;
        t->total += size;
    }
    struct chunk *c = t->chunks;
    void *p = (char *)c->bytes + c->used;
    c->used += n;
    return p;
}

static int depth_of(const struct ia_node *n)
{
    int depth = 0;
    for (; n; n = n->parent) {
        depth++;
    }
    return depth;
}

static double finite_or_zero(double v)
{
    return isfinite(v) ? v : 0;
}

static void append_child(struct ia_node *parent, struct ia_node *n)
{
    n->parent = parent;
    if (parent->last_child) {
        parent->last_child->next = n;
    } else {
        parent->first_child = n;
    }
    parent->last_child = n;
}

struct ia_node *ia_tree_add(struct ia_tree *t, struct ia_node *parent, enum ia_eltype type,
                            struct ia_rect frame)
{
    if (!parent && t->root) {
        return NULL;
    }
    bool fits = t->count < IA_TREE_NODES_MAX && depth_of(parent) < IA_TREE_DEPTH_MAX;
    struct ia_node *n = fits ? arena_get(t, sizeof(*n)) : NULL;
    if (!n) {
        t->truncated = true;
        return NULL;
    }
    *n = (struct ia_node){.type = (uint16_t)type, .flags = IA_NODE_ENABLED};
    n->frame = (struct ia_rect){finite_or_zero(frame.x), finite_or_zero(frame.y),
                                finite_or_zero(frame.w), finite_or_zero(frame.h)};
    if (parent) {
        append_child(parent, n);
    } else {
        t->root = n;
    }
    t->count++;
    return n;
}

/* The sequence at s as it goes into the arena: itself, or U+FFFD for a bad byte or a NUL. */
static struct ia_str piece(const char *s, size_t n)
{
    size_t len = *s ? ia_utf8_valid_len(s, n) : 0;
    return len ? (struct ia_str){s, len} : (struct ia_str){"\xEF\xBF\xBD", 3};
}

/* Copies s as valid UTF-8 to dst (NULL: only measures), at most IA_TREE_STRING_MAX bytes, and
 * counts what it replaced. */
static size_t sanitize(const char *s, size_t n, char *dst, size_t *repaired)
{
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        size_t len = s[i] ? ia_utf8_valid_len(s + i, n - i) : 0;
        struct ia_str p = piece(s + i, n - i);
        if (out + p.n > IA_TREE_STRING_MAX) {
            break;
        }
        if (dst) {
            memcpy(dst + out, p.p, p.n);
            *repaired += len == 0;
        }
        out += p.n;
        i += len ? len : 1;
    }
    return out;
}

/* Most texts are plain ASCII and need no second look. */
static bool plain(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)s[i] - 1U >= 0x7F) {
            return false;
        }
    }
    return n <= IA_TREE_STRING_MAX;
}

const char *ia_tree_text(struct ia_tree *t, const char *s, size_t n)
{
    if (!s || n == 0) {
        return NULL;
    }
    bool as_it_is = plain(s, n);
    size_t len = as_it_is ? n : sanitize(s, n, NULL, &t->repaired);
    char *dst = arena_get(t, len + 1);
    if (!dst) {
        t->truncated = true;
        return NULL;
    }
    if (as_it_is) {
        memcpy(dst, s, n);
    } else {
        (void)sanitize(s, n, dst, &t->repaired);
    }
    dst[len] = '\0';
    return dst;
}

struct ia_node *ia_tree_root(const struct ia_tree *t)
{
    return t->root;
}

size_t ia_tree_count(const struct ia_tree *t)
{
    return t->count;
}

bool ia_tree_truncated(const struct ia_tree *t)
{
    return t->truncated;
}

void ia_tree_set_truncated(struct ia_tree *t)
{
    t->truncated = true;
}

void ia_tree_set_truncated_by(struct ia_tree *t, const char *why)
{
    t->truncated = true;
    t->truncated_by = ia_tree_text(t, why, strlen(why));
}

size_t ia_tree_repaired(const struct ia_tree *t)
{
    return t->repaired;
}

void ia_tree_add_repaired(struct ia_tree *t, size_t count)
{
    t->repaired += count;
}

const char *ia_tree_truncated_by(const struct ia_tree *t)
{
    return t->truncated_by;
}

const char *ia_tree_app(const struct ia_tree *t)
{
    return t->app;
}

void ia_tree_set_app(struct ia_tree *t, const char *bundle_id)
{
    t->app = bundle_id ? ia_tree_text(t, bundle_id, strlen(bundle_id)) : NULL;
}

struct ia_node *ia_node_next(const struct ia_node *node, const struct ia_node *root)
{
    if (node->first_child) {
        return node->first_child;
    }
    while (node != root && !node->next) {
        node = node->parent;
    }
    return node == root ? NULL : node->next;
}

static bool has_area(const struct ia_tree *t)
{
    for (const struct ia_node *n = t->root; n; n = ia_node_next(n, t->root)) {
        if (n->frame.w > 0 && n->frame.h > 0) {
            return true;
        }
    }
    return false;
}

enum ia_rc ia_tree_check(const struct ia_tree *t, struct ia_err *err)
{
    if (!t->root) {
        ia_err_set(err, IA_E_TREE_EMPTY, "the tree has no elements");
        ia_err_hint(err, "no app is in front, or it was just killed: launch the app again");
        return IA_E_TREE_EMPTY;
    }
    if (!has_area(t)) {
        ia_err_set(err, IA_E_TREE_EMPTY, "none of the %zu elements of the tree has an area",
                   t->count);
        ia_err_hint(err,
                    "accessibility is not ready, as right after a boot: wait a few seconds, "
                    "then launch the app again");
        return IA_E_TREE_EMPTY;
    }
    return IA_OK;
}

#define PREFIX "XCUIElementType"
static const size_t prefix_n = sizeof(PREFIX) - 1;
static const char *const names[IA_EL_COUNT] = {
    [IA_EL_ANY] = PREFIX "Any",
    [IA_EL_OTHER] = PREFIX "Other",
    [IA_EL_APPLICATION] = PREFIX "Application",
    [IA_EL_GROUP] = PREFIX "Group",
    [IA_EL_WINDOW] = PREFIX "Window",
    [IA_EL_SHEET] = PREFIX "Sheet",
    [IA_EL_DRAWER] = PREFIX "Drawer",
    [IA_EL_ALERT] = PREFIX "Alert",
    [IA_EL_DIALOG] = PREFIX "Dialog",
    [IA_EL_BUTTON] = PREFIX "Button",
    [IA_EL_RADIO_BUTTON] = PREFIX "RadioButton",
    [IA_EL_RADIO_GROUP] = PREFIX "RadioGroup",
    [IA_EL_CHECK_BOX] = PREFIX "CheckBox",
    [IA_EL_DISCLOSURE_TRIANGLE] = PREFIX "DisclosureTriangle",
    [IA_EL_POP_UP_BUTTON] = PREFIX "PopUpButton",
    [IA_EL_COMBO_BOX] = PREFIX "ComboBox",
    [IA_EL_MENU_BUTTON] = PREFIX "MenuButton",
    [IA_EL_TOOLBAR_BUTTON] = PREFIX "ToolbarButton",
    [IA_EL_POPOVER] = PREFIX "Popover",
    [IA_EL_KEYBOARD] = PREFIX "Keyboard",
    [IA_EL_KEY] = PREFIX "Key",
    [IA_EL_NAVIGATION_BAR] = PREFIX "NavigationBar",
    [IA_EL_TAB_BAR] = PREFIX "TabBar",
    [IA_EL_TAB_GROUP] = PREFIX "TabGroup",
    [IA_EL_TOOLBAR] = PREFIX "Toolbar",
    [IA_EL_STATUS_BAR] = PREFIX "StatusBar",
    [IA_EL_TABLE] = PREFIX "Table",
    [IA_EL_TABLE_ROW] = PREFIX "TableRow",
    [IA_EL_TABLE_COLUMN] = PREFIX "TableColumn",
    [IA_EL_OUTLINE] = PREFIX "Outline",
    [IA_EL_OUTLINE_ROW] = PREFIX "OutlineRow",
    [IA_EL_BROWSER] = PREFIX "Browser",
    [IA_EL_COLLECTION_VIEW] = PREFIX "CollectionView",
    [IA_EL_SLIDER] = PREFIX "Slider",
    [IA_EL_PAGE_INDICATOR] = PREFIX "PageIndicator",
    [IA_EL_PROGRESS_INDICATOR] = PREFIX "ProgressIndicator",
    [IA_EL_ACTIVITY_INDICATOR] = PREFIX "ActivityIndicator",
    [IA_EL_SEGMENTED_CONTROL] = PREFIX "SegmentedControl",
    [IA_EL_PICKER] = PREFIX "Picker",
    [IA_EL_PICKER_WHEEL] = PREFIX "PickerWheel",
    [IA_EL_SWITCH] = PREFIX "Switch",
    [IA_EL_TOGGLE] = PREFIX "Toggle",
    [IA_EL_LINK] = PREFIX "Link",
    [IA_EL_IMAGE] = PREFIX "Image",
    [IA_EL_ICON] = PREFIX "Icon",
    [IA_EL_SEARCH_FIELD] = PREFIX "SearchField",
    [IA_EL_SCROLL_VIEW] = PREFIX "ScrollView",
    [IA_EL_SCROLL_BAR] = PREFIX "ScrollBar",
    [IA_EL_STATIC_TEXT] = PREFIX "StaticText",
    [IA_EL_TEXT_FIELD] = PREFIX "TextField",
    [IA_EL_SECURE_TEXT_FIELD] = PREFIX "SecureTextField",
    [IA_EL_DATE_PICKER] = PREFIX "DatePicker",
    [IA_EL_TEXT_VIEW] = PREFIX "TextView",
    [IA_EL_MENU] = PREFIX "Menu",
    [IA_EL_MENU_ITEM] = PREFIX "MenuItem",
    [IA_EL_MENU_BAR] = PREFIX "MenuBar",
    [IA_EL_MENU_BAR_ITEM] = PREFIX "MenuBarItem",
    [IA_EL_MAP] = PREFIX "Map",
    [IA_EL_WEB_VIEW] = PREFIX "WebView",
    [IA_EL_INCREMENT_ARROW] = PREFIX "IncrementArrow",
    [IA_EL_DECREMENT_ARROW] = PREFIX "DecrementArrow",
    [IA_EL_TIMELINE] = PREFIX "Timeline",
    [IA_EL_RATING_INDICATOR] = PREFIX "RatingIndicator",
    [IA_EL_VALUE_INDICATOR] = PREFIX "ValueIndicator",
    [IA_EL_SPLIT_GROUP] = PREFIX "SplitGroup",
    [IA_EL_SPLITTER] = PREFIX "Splitter",
    [IA_EL_RELEVANCE_INDICATOR] = PREFIX "RelevanceIndicator",
    [IA_EL_COLOR_WELL] = PREFIX "ColorWell",
    [IA_EL_HELP_TAG] = PREFIX "HelpTag",
    [IA_EL_MATTE] = PREFIX "Matte",
    [IA_EL_DOCK_ITEM] = PREFIX "DockItem",
    [IA_EL_RULER] = PREFIX "Ruler",
    [IA_EL_RULER_MARKER] = PREFIX "RulerMarker",
    [IA_EL_GRID] = PREFIX "Grid",
    [IA_EL_LEVEL_INDICATOR] = PREFIX "LevelIndicator",
    [IA_EL_CELL] = PREFIX "Cell",
    [IA_EL_LAYOUT_AREA] = PREFIX "LayoutArea",
    [IA_EL_LAYOUT_ITEM] = PREFIX "LayoutItem",
    [IA_EL_HANDLE] = PREFIX "Handle",
    [IA_EL_STEPPER] = PREFIX "Stepper",
    [IA_EL_TAB] = PREFIX "Tab",
    [IA_EL_TOUCH_BAR] = PREFIX "TouchBar",
    [IA_EL_STATUS_ITEM] = PREFIX "StatusItem",
};

const char *ia_eltype_full_name(enum ia_eltype type)
{
    return (unsigned)type < IA_EL_COUNT ? names[type] : names[IA_EL_OTHER];
}

const char *ia_eltype_name(enum ia_eltype type)
{
    return ia_eltype_full_name(type) + prefix_n;
}

enum ia_eltype ia_eltype_from_name(struct ia_str name)
{
    size_t skip = ia_str_starts(name, ia_str(PREFIX)) ? 0 : prefix_n;
    for (int i = 0; i < IA_EL_COUNT; i++) {
        if (ia_str_is(name, names[i] + skip)) {
            return (enum ia_eltype)i;
        }
    }
    return IA_EL_COUNT;
}
