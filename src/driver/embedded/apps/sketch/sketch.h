/* sketch.h: a drawing board without accessibility: the tree has one element for all of it, and
 * only the pixels show what is there. */
#ifndef IA_DRIVER_EMBEDDED_APPS_SKETCH_SKETCH_H
#define IA_DRIVER_EMBEDDED_APPS_SKETCH_SKETCH_H

#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_sketch;

enum { IA_SKETCH_STROKES_MAX = 400 };

/* A straight line, or a dot; points of the screen. */
struct ia_stroke {
    uint16_t x, y, to_x, to_y;
    uint8_t ink;
};

struct ia_sketch {
    struct ia_stroke *strokes;
    int count;
    uint8_t ink; /* that the next stroke is drawn with */
};

#endif
