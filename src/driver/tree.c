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

static const char *const names[IA_EL_COUNT] = {
    [IA_EL_ANY] = "Any",
    [IA_EL_OTHER] = "Other",
    [IA_EL_APPLICATION] = "Application",
    [IA_EL_GROUP] = "Group",
    [IA_EL_WINDOW] = "Window",
    [IA_EL_SHEET] = "Sheet",
    [IA_EL_DRAWER] = "Drawer",
    [IA_EL_ALERT] = "Alert",
    [IA_EL_DIALOG] = "Dialog",
    [IA_EL_BUTTON] = "Button",
    [IA_EL_RADIO_BUTTON] = "RadioButton",
    [IA_EL_RADIO_GROUP] = "RadioGroup",
    [IA_EL_CHECK_BOX] = "CheckBox",
    [IA_EL_DISCLOSURE_TRIANGLE] = "DisclosureTriangle",
    [IA_EL_POP_UP_BUTTON] = "PopUpButton",
    [IA_EL_COMBO_BOX] = "ComboBox",
    [IA_EL_MENU_BUTTON] = "MenuButton",
    [IA_EL_TOOLBAR_BUTTON] = "ToolbarButton",
    [IA_EL_POPOVER] = "Popover",
    [IA_EL_KEYBOARD] = "Keyboard",
    [IA_EL_KEY] = "Key",
    [IA_EL_NAVIGATION_BAR] = "NavigationBar",
    [IA_EL_TAB_BAR] = "TabBar",
    [IA_EL_TAB_GROUP] = "TabGroup",
    [IA_EL_TOOLBAR] = "Toolbar",
    [IA_EL_STATUS_BAR] = "StatusBar",
    [IA_EL_TABLE] = "Table",
    [IA_EL_TABLE_ROW] = "TableRow",
    [IA_EL_TABLE_COLUMN] = "TableColumn",
    [IA_EL_OUTLINE] = "Outline",
    [IA_EL_OUTLINE_ROW] = "OutlineRow",
    [IA_EL_BROWSER] = "Browser",
    [IA_EL_COLLECTION_VIEW] = "CollectionView",
    [IA_EL_SLIDER] = "Slider",
    [IA_EL_PAGE_INDICATOR] = "PageIndicator",
    [IA_EL_PROGRESS_INDICATOR] = "ProgressIndicator",
    [IA_EL_ACTIVITY_INDICATOR] = "ActivityIndicator",
    [IA_EL_SEGMENTED_CONTROL] = "SegmentedControl",
    [IA_EL_PICKER] = "Picker",
    [IA_EL_PICKER_WHEEL] = "PickerWheel",
    [IA_EL_SWITCH] = "Switch",
    [IA_EL_TOGGLE] = "Toggle",
    [IA_EL_LINK] = "Link",
    [IA_EL_IMAGE] = "Image",
    [IA_EL_ICON] = "Icon",
    [IA_EL_SEARCH_FIELD] = "SearchField",
    [IA_EL_SCROLL_VIEW] = "ScrollView",
    [IA_EL_SCROLL_BAR] = "ScrollBar",
    [IA_EL_STATIC_TEXT] = "StaticText",
    [IA_EL_TEXT_FIELD] = "TextField",
    [IA_EL_SECURE_TEXT_FIELD] = "SecureTextField",
    [IA_EL_DATE_PICKER] = "DatePicker",
    [IA_EL_TEXT_VIEW] = "TextView",
    [IA_EL_MENU] = "Menu",
    [IA_EL_MENU_ITEM] = "MenuItem",
    [IA_EL_MENU_BAR] = "MenuBar",
    [IA_EL_MENU_BAR_ITEM] = "MenuBarItem",
    [IA_EL_MAP] = "Map",
    [IA_EL_WEB_VIEW] = "WebView",
    [IA_EL_INCREMENT_ARROW] = "IncrementArrow",
    [IA_EL_DECREMENT_ARROW] = "DecrementArrow",
    [IA_EL_TIMELINE] = "Timeline",
    [IA_EL_RATING_INDICATOR] = "RatingIndicator",
    [IA_EL_VALUE_INDICATOR] = "ValueIndicator",
    [IA_EL_SPLIT_GROUP] = "SplitGroup",
    [IA_EL_SPLITTER] = "Splitter",
    [IA_EL_RELEVANCE_INDICATOR] = "RelevanceIndicator",
    [IA_EL_COLOR_WELL] = "ColorWell",
    [IA_EL_HELP_TAG] = "HelpTag",
    [IA_EL_MATTE] = "Matte",
    [IA_EL_DOCK_ITEM] = "DockItem",
    [IA_EL_RULER] = "Ruler",
    [IA_EL_RULER_MARKER] = "RulerMarker",
    [IA_EL_GRID] = "Grid",
    [IA_EL_LEVEL_INDICATOR] = "LevelIndicator",
    [IA_EL_CELL] = "Cell",
    [IA_EL_LAYOUT_AREA] = "LayoutArea",
    [IA_EL_LAYOUT_ITEM] = "LayoutItem",
    [IA_EL_HANDLE] = "Handle",
    [IA_EL_STEPPER] = "Stepper",
    [IA_EL_TAB] = "Tab",
    [IA_EL_TOUCH_BAR] = "TouchBar",
    [IA_EL_STATUS_ITEM] = "StatusItem",
};

const char *ia_eltype_name(enum ia_eltype type)
{
    return (unsigned)type < IA_EL_COUNT ? names[type] : names[IA_EL_OTHER];
}

enum ia_eltype ia_eltype_from_name(struct ia_str name)
{
    static const char prefix[] = "XCUIElementType";
    if (ia_str_starts(name, ia_str(prefix))) {
        name.p += sizeof(prefix) - 1;
        name.n -= sizeof(prefix) - 1;
    }
    for (int i = 0; i < IA_EL_COUNT; i++) {
        if (ia_str_is(name, names[i])) {
            return (enum ia_eltype)i;
        }
    }
    return IA_EL_COUNT;
}
