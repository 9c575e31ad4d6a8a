/* scene.h: one screen of the simulated phone as a flat list of views in drawing order.
 *
 * A scene is made from the phone's state for every read or touch, and thrown away
 * after. The canonical tree, the pixels and the hit test are three readings of the same list,
 * so they cannot disagree. Views are in pre-order: a parent comes before its children, and what
 * comes later is drawn later. Coordinates are points on a half-point grid, exact in a float. */
#ifndef IA_DRIVER_EMBEDDED_DRAW_SCENE_H
#define IA_DRIVER_EMBEDDED_DRAW_SCENE_H

#include "driver/embedded/draw/style.h"
#include "driver/tree.h"

struct ia_phone;

/* Upright. */
enum { IA_SCREEN_W = 393, IA_SCREEN_H = 852, IA_SAFE_TOP = 59, IA_SAFE_BOTTOM = 34 };

/* The screen, upright or on its side: its size, what content keeps clear of (the camera, the rounded
 * corners, the line at the foot), and how high the keyboard is. */
struct ia_display {
    float w, h, top, side, foot, keyboard;
    bool wide;
};
extern const struct ia_display ia_display_upright, ia_display_wide;

/* Where a finger touched a view. fx and fy are fractions (0 to 1) of the view's frame; where it
 * began, when it was dragged. */
struct ia_touch {
    int32_t arg; /* of the view */
    float fx, fy;
    float from_fx, from_fy;
    float pinch; /* two fingers, and how far they moved apart or together; 0: one finger */
};
typedef void ia_touch_fn(struct ia_phone *p, const struct ia_touch *t);

enum ia_paint {
    IA_PAINT_NONE,
    IA_PAINT_FILL,     /* color, radius; corners by IA_VIEW_ROUND_* when any is set */
    IA_PAINT_TEXT,     /* text, color, size; one line, centred vertically */
    IA_PAINT_SWITCH,   /* IA_VIEW_ON */
    IA_PAINT_SLIDER,   /* level */
    IA_PAINT_SYMBOL,   /* symbol in color, filling the frame */
    IA_PAINT_TILE,     /* symbol in white on a rounded square of color */
    IA_PAINT_APP_ICON, /* symbol is an enum ia_app_icon */
    IA_PAINT_WALLPAPER,
    IA_PAINT_SIGNAL,     /* the right side of the status bar: level is the battery's percent
                            (IA_VIEW_ON: it is charged), size the bars of 4, radius the Wi-Fi's of
                            3; text instead of the Wi-Fi */
    IA_PAINT_CLOCK_FACE, /* level is the hour, size the minute */
    IA_PAINT_DOTS,       /* dotted paper: a dot of color every size points */
    IA_PAINT_LINE        /* from corner to corner, as wide as size; down to the right, or
                            IA_VIEW_RISING */
};

enum {
    IA_VIEW_DISABLED = 1 << 0,
    IA_VIEW_SELECTED = 1 << 1,
    IA_VIEW_FOCUSED = 1 << 2,
    IA_VIEW_HEADER = 1 << 3,
    IA_VIEW_INVISIBLE = 1 << 4, /* in the tree and drawn, but not visible to the platform */
    IA_VIEW_ADJUSTABLE = 1 << 5,
    IA_VIEW_CLIP = 1 << 6,   /* children are drawn and touched only inside the frame */
    IA_VIEW_BLOCKS = 1 << 7, /* a touch stops here although nothing happens */
    IA_VIEW_ON = 1 << 8,
    IA_VIEW_BOLD = 1 << 9,
    IA_VIEW_CENTER = 1 << 10, /* text alignment; else left */
    IA_VIEW_RIGHT = 1 << 11,
    IA_VIEW_SHADOW = 1 << 12,
    IA_VIEW_ROUND_TOP = 1 << 13, /* only these corners are round */
    IA_VIEW_ROUND_BOTTOM = 1 << 14,
    IA_VIEW_AIRPLANE = 1 << 15, /* of IA_PAINT_SIGNAL */
    IA_VIEW_NO_WIFI = 1 << 16,
    IA_VIEW_PERCENT = 1 << 17,
    IA_VIEW_LIGHT = 1 << 18, /* drawn in light colours whatever the appearance */
    IA_VIEW_FIELD = 1 << 19, /* the focused text field: kept above the keyboard */
    IA_VIEW_DRAWS = 1 << 20, /* a drag is a touch, with where it began */
    IA_VIEW_RISING = 1 << 21,
    IA_VIEW_ZOOMS = 1 << 22 /* a pinch is a touch */
};

struct ia_view {
    int32_t parent, end; /* index of the parent or -1; one past the last descendant */
    float x, y, w, h;
    const char *ident, *label, *value, *placeholder;
    const char *text; /* drawn; NULL: nothing */
    ia_touch_fn *tap; /* NULL: nothing happens */
    int32_t arg;
    uint32_t flags;   /* IA_VIEW_* */
    uint8_t type;     /* enum ia_eltype; IA_EL_ANY: decoration, not in the tree */
    uint8_t paint;    /* enum ia_paint */
    uint8_t color;    /* enum ia_color */
    uint8_t size;     /* of text, points */
    uint8_t symbol;   /* enum ia_symbol */
    uint8_t level;    /* 0 to 100 */
    uint8_t radius;   /* of corners, points */
    uint8_t section;  /* of the list it is in, from 1; 0: none has begun */
    uint32_t changes; /* bit n: planted change n selects it (driver/embedded/ui/changes.c) */
};

/* A view whose content is moved by dragging: the scroll position of one navigation entry. */
struct ia_scroller {
    int32_t view;
    int32_t entry; /* index in the app's navigation stack */
    float max;     /* largest offset */
};
enum { IA_SCROLLERS_MAX = 4 };

struct ia_scene {
    struct ia_view *views;
    int32_t count, cap;
    int32_t parent; /* of the next view */
    struct ia_scene_chunk *chunks;
    struct ia_scroller scrollers[IA_SCROLLERS_MAX];
    int scroller_count;
    bool dark;
    const struct ia_display *display;
    uint8_t section; /* of the views that are added now */
    const char *app; /* bundle id in front */
};

void ia_scene_init(struct ia_scene *s);
void ia_scene_fini(struct ia_scene *s);

/* Adds a view below the current parent. The pointer is good until the next one is added. */
struct ia_view *ia_scene_add(struct ia_scene *s, enum ia_eltype type, float x, float y, float w,
                             float h);
/* The same, and makes it the parent of what follows until ia_scene_pop. Returns its index. */
int32_t ia_scene_push(struct ia_scene *s, enum ia_eltype type, float x, float y, float w,
                      float h);
void ia_scene_pop(struct ia_scene *s);
/* Moves a view and its descendants. */
void ia_scene_shift(struct ia_scene *s, int32_t from, int32_t to, float dy);

/* Inserts n empty views at index `at`, as children of `parent`. Invalidates pointers to views. */
void ia_scene_insert(struct ia_scene *s, int32_t at, int32_t n, int32_t parent);

/* Puts the views from `middle` to the last one before those from `first`, to be drawn earlier.
 * Both ranges hold complete subtrees of one parent. */
void ia_scene_bring_back(struct ia_scene *s, int32_t first, int32_t middle);

/* A formatted text that lives as long as the scene; cut at 1,024 bytes. */
const char *ia_scene_printf(struct ia_scene *s, const char *fmt, ...) IA_PRINTF(2, 3);
/* At most n bytes of text, with the same life. */
const char *ia_scene_text(struct ia_scene *s, const char *text, size_t n);

/* A rectangle of colour; not in the tree. */
struct ia_view *ia_scene_fill(struct ia_scene *s, enum ia_color color, float x, float y,
                              float w, float h);
/* The style of a text: size in points, enum ia_color, IA_VIEW_* for weight, alignment, header. */
struct ia_ink {
    uint8_t size, color;
    uint32_t flags;
};
#define IA_INK(size, color, flags) ((struct ia_ink){(size), (uint8_t)(color), (flags)})

/* A StaticText whose frame is the line box: it begins at x (or ends at x with IA_VIEW_RIGHT, or
 * has its middle there with IA_VIEW_CENTER), is at most max_w wide, and is cut with an
 * ellipsis. */
struct ia_view *ia_scene_label(struct ia_scene *s, const char *text, float x, float y,
                               float max_w, struct ia_ink ink);

/* The topmost view at a point that takes a touch, or -1: by drawing order, inside its clipping
 * ancestors, stopping at the first view that blocks. */
int32_t ia_scene_hit(const struct ia_scene *s, float x, float y);
/* The scroller that a drag from that point moves, or NULL. */
const struct ia_scroller *ia_scene_scroller_at(const struct ia_scene *s, float x, float y);
/* The touch that a point means for a view. */
struct ia_touch ia_scene_touch(const struct ia_view *v, float x, float y);

/* Adds the scene's views to an empty tree. */
void ia_scene_to_tree(const struct ia_scene *s, struct ia_tree *t);

#endif
