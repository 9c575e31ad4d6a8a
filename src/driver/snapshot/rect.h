/* rect.h: rectangles on a screen, in points. Pure. */
#ifndef IA_DRIVER_SNAPSHOT_RECT_H
#define IA_DRIVER_SNAPSHOT_RECT_H

#include "driver/tree.h"

/* True without an area. */
bool ia_rect_empty(struct ia_rect r);
double ia_rect_area(struct ia_rect r);
struct ia_point ia_rect_center(struct ia_rect r);
/* Whether p lies in it; the right and bottom edges are outside. */
bool ia_rect_has(struct ia_rect r, struct ia_point p);
/* What both cover; zero when they do not meet. */
struct ia_rect ia_rect_cut(struct ia_rect a, struct ia_rect b);
/* The smallest one around both; an empty one does not count. */
struct ia_rect ia_rect_join(struct ia_rect a, struct ia_rect b);
/* True when they differ by at most eps on each side. */
bool ia_rect_near(struct ia_rect a, struct ia_rect b, double eps);

#endif
