/* build.h: the passes that turn a tree into a snapshot, in the order in which they run.
 *
 *   tree
 *     │ items      the tree as one array (items.h); frames that cannot be true are emptied
 *     │ roles      what each item is: role, state, its texts as phrases
 *     │ status     the status bar, which is never an element
 *     │ keyboard   the keyboard and its keys, lest the next passes take them for a sheet
 *     │ front      what lies behind an alert, a sheet or a page pushed over it
 *     │ pages      the same where a flat list has lost the order of drawing
 *     │ clip       what containers, bars and the keyboard leave visible of each item
 *     │ fold       wrappers and twins go, the texts of a row join it
 *     │ elements   what is left, in reading order
 *     │ reach      where each can be touched, and what can be done with it
 *     │ title      the screen's title and its back control
 *     │ lines      the lines of the text form, and between them what scrolling would show
 *     │ hashes     of layout and motion
 *     ▼
 *   a snapshot without refs: enough to see whether the screen moves
 *     │ identity   what makes an element the same one in another snapshot
 *     │ refs       numbers from the session's registry
 *     │ content    the hash of all that the text form shows
 *     ▼
 *   the snapshot
 *
 * Every pass is linear in the number of nodes, up to caps that have names. */
#ifndef IA_DRIVER_SNAPSHOT_BUILD_H
#define IA_DRIVER_SNAPSHOT_BUILD_H

#include "driver/snapshot/items.h"

void ia_build_roles(struct ia_build *b);    /* roles.c */
void ia_build_status(struct ia_build *b);   /* front.c */
void ia_build_keyboard(struct ia_build *b); /* keyboard.c */
void ia_build_front(struct ia_build *b);    /* front.c */
void ia_build_pages(struct ia_build *b);    /* pages.c */
void ia_build_clip(struct ia_build *b);     /* clip.c */
void ia_build_fold(struct ia_build *b);     /* fold.c */
/* pieces.c, for fold.c: item i belongs to what its owner says; the owner's label with all that. */
void ia_build_gather(struct ia_build *b, int32_t owner, int32_t i);
void ia_build_join(struct ia_build *b, struct ia_build_item *it);
void ia_build_elements(struct ia_build *b); /* elements.c */
int32_t *
ia_build_order(struct ia_build *b);      /* order.c, for elements.c: items as they are read */
void ia_build_reach(struct ia_build *b); /* reach.c */
void ia_build_title(struct ia_build *b); /* title.c */
void ia_build_lines(struct ia_build *b); /* lines.c */
void ia_build_hashes(struct ia_snapshot *s);                   /* hashes.c: layout and motion */
void ia_build_identity(struct ia_snapshot *s);                 /* identity.c */
void ia_refs_assign(struct ia_refs *r, struct ia_snapshot *s); /* refs.c */
void ia_build_content(struct ia_snapshot *s);                  /* hashes.c */

#endif
