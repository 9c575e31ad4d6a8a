/* items.h: the array that every pass of a build walks.
 *
 * It holds the tree in pre-order: an item's subtree is the run [i, items[i].end), and a later
 * item is drawn later. */
#ifndef IA_DRIVER_SNAPSHOT_ITEMS_H
#define IA_DRIVER_SNAPSHOT_ITEMS_H

#include "driver/snapshot/model.h"

/* What kind of part a role is. */
enum ia_part {
    IA_PART_NONE,    /* a wrapper: never an element by itself */
    IA_PART_CONTROL, /* can be acted on */
    IA_PART_TEXT,    /* text, heading, image, progress, labelled other */
    IA_PART_AREA     /* alert, sheet, scroll containers, keyboard */
};

enum {
    IA_IT_STATUS = 1 << 0,   /* in the status bar */
    IA_IT_BEHIND = 1 << 1,   /* behind an alert, sheet or page */
    IA_IT_KEYBOARD = 1 << 2, /* in the keyboard */
    IA_IT_GONE = 1 << 3,     /* folded away or dropped */
    IA_IT_OFF = 1 << 4,      /* outside of what its containers show */
    IA_IT_HIDDEN = 1 << 5,   /* inside an element that is off-screen, or of no area */
    IA_IT_BAR = 1 << 6,      /* in a navigation bar, tab bar or toolbar */
    IA_IT_TABBAR = 1 << 7,
    IA_IT_MODAL = 1 << 8,    /* in an alert, sheet or popover */
    IA_IT_OWNER = 1 << 9,    /* folds the texts inside it */
    IA_IT_SCROLLS = 1 << 10, /* a scroll container */
    IA_IT_NAVBAR = 1 << 11,
    IA_IT_DISABLED = 1 << 12 /* though its node is enabled: what it stands for is not */
};

struct ia_build_item {
    const struct ia_node *node;
    struct ia_rect frame;
    struct ia_rect vis;     /* what its containers and bars leave of it */
    const char *label;      /* folded */
    const char *value;      /* folded; NULL where the state or the label says it */
    const char *own;        /* its node's identifier, unless the SDK made that up */
    const char *identifier; /* of what was folded into it, for when its node has none */
    int32_t parent, end;
    int32_t owner;   /* nearest ancestor that folds texts, -1 */
    int32_t clipper; /* nearest scroll container around it that is on screen, -1 */
    int32_t pieces, last_piece, next_piece; /* texts folded into an owner */
    int32_t element;                        /* index of its element, -1 */
    uint16_t flags;
    uint8_t role, part, on, side;
    bool selected;
};

struct ia_build {
    struct ia_snapshot *s;
    struct ia_build_item *items;
    int32_t n;
    struct ia_rect viewport;
    struct ia_rect keyboard; /* its frame, empty when there is none */
    int32_t keyboard_item;   /* the item it is made of, -1 */
    bool floating;           /* it covers its own frame, not all of the screen below its top */
    struct ia_arena scratch; /* dies with the build */
};

/* Fills b->items from the tree; they are freed with free(). */
void ia_build_items(struct ia_build *b, const struct ia_tree *t);
/* False for a coordinate that no screen has, and for NaN. */
bool ia_build_sane(double v);

static inline bool ia_build_is(const struct ia_build_item *it, unsigned flags)
{
    return (it->flags & flags) != 0;
}

/* True when item i lies inside item outer (or is it). */
static inline bool ia_build_within(const struct ia_build *b, int32_t i, int32_t outer)
{
    return i >= outer && i < b->items[outer].end;
}

/* Sets flags on an item and everything inside it. */
void ia_build_mark(struct ia_build *b, int32_t i, unsigned flags);
/* True when the item's own identifier is that one. */
bool ia_build_identified(const struct ia_build_item *it, const char *identifier);

#endif
