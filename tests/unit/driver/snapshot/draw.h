/* draw.h: trees written as text, for tests.
 *
 *     Application 'Shop' 0,0,400,800
 *      NavigationBar 0,50,400,44
 *       Button #back 'Back' 8,50,60,44 disabled
 *
 * One node a line, one space a level; then #identifier, 'label', ='value', ?'placeholder', the
 * frame x,y,w,h and the words disabled, selected, focused, header, invisible, adjustable. \n in
 * a text is a newline. */
#ifndef IA_TESTS_UNIT_DRIVER_DRAW_H
#define IA_TESTS_UNIT_DRIVER_DRAW_H

#include "driver/snapshot/snapshot.h"

/* Fails the test on a mistake in the text. The app is "com.test". */
struct ia_tree *draw_tree(const char *text);
/* A snapshot of it; the caller frees. */
struct ia_snapshot *draw(const char *text, struct ia_refs *refs);
/* The text form without its header line; static, until the next call. */
const char *lines_of(const struct ia_snapshot *s);
const char *header_of(const struct ia_snapshot *s);
/* Draws and compares the lines, with fresh refs; prints both where they differ. */
bool lines_are(const char *tree, const char *want);
#define assert_lines(tree, want) assert_true(lines_are(tree, want))

#endif
