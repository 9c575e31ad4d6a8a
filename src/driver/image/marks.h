/* marks.h: a screenshot for a model that is to point at something on it: frames with numbers, and
 * lines that say where a place is. */
#ifndef IA_DRIVER_IMAGE_MARKS_H
#define IA_DRIVER_IMAGE_MARKS_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/tree.h"

struct ia_mark {
    uint32_t number;
    struct ia_rect box; /* in points of the screen */
};

struct ia_marks_page {
    const struct ia_mark *marks; /* those outside of the picture are left out */
    size_t count;
    int grid_pt; /* a line every so many points, every second one with its number; 0: none */
    struct ia_point shift; /* what the picture's left upper corner is on the screen */
};

/* Appends the picture (one pixel a point) with marks and grid; one without both is the same
 * bytes. Errors as ia_png_scale. */
enum ia_rc ia_png_mark(struct ia_str png, const struct ia_marks_page *page,
                       struct ia_buf *ret_png, struct ia_err *err);

#endif
