/* screen.h: the screen as a model knows it from a conversation: the text form of
 * driver/snapshot/snapshot.h, read back line by line, with later changes applied.
 *
 * This is the only file of the double that knows that text form. It is written against the
 * grammar in driver/snapshot/snapshot.h and reads what it does not know as nothing. Pure. */
#ifndef IA_MOCK_BRAIN_SCREEN_H
#define IA_MOCK_BRAIN_SCREEN_H

#include "base/base.h"

#include <stddef.h>

enum { IA_BRAIN_ITEMS_MAX = 2000, IA_BRAIN_ROLE_MAX = 24, IA_BRAIN_APP_MAX = 160 };

struct ia_brain_item {
    uint32_t ref;
    char role[IA_BRAIN_ROLE_MAX];
    bool on, off; /* off: a switch, checkbox or radio without "on" */
    bool selected, disabled, focused;
    char *label; /* never NULL */
    char *value; /* never NULL */
};

struct ia_brain_screen {
    char app[IA_BRAIN_APP_MAX]; /* "" when unknown */
    char *title;                /* never NULL after the first text; NULL before */
    struct ia_brain_item *items;
    size_t count;
    size_t cap;
    char *outside;   /* the lines that name what scrolling would show; NULL for none */
    bool incomplete; /* something was left out of the text, or a change could not be applied */
};

void ia_brain_screen_init(struct ia_brain_screen *s);
void ia_brain_screen_fini(struct ia_brain_screen *s);
/* Reads the screen part of a message (what stands between the boundary lines): a complete
 * screen, which replaces everything, or changes. False when there was neither. */
bool ia_brain_screen_read(struct ia_brain_screen *s, struct ia_str text);

/* Adds every element that a line of text names, also behind "+ " or "~ ", and removes nothing:
 * what was ever shown, in a text with several screens. The latest line about a ref counts. */
void ia_brain_screen_note(struct ia_brain_screen *s, struct ia_str text);

/* What stands between the last "<screen B>" and "</screen B>" lines of a message's text. Empty
 * when there is none. */
struct ia_str ia_brain_screen_part(struct ia_str message);

/* The first item that `#identifier`, `"label"`, `role "label"` or `role` selects, by exact
 * label; NULL when there is none (identifiers do not stand in the text form). */
const struct ia_brain_item *ia_brain_screen_select(const struct ia_brain_screen *s,
                                                   struct ia_str selector);

#endif
