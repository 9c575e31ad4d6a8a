/* sketch.h: a drawing board without accessibility: the tree has one element for all of it, and
 * only the pixels show what is there. */
#ifndef IA_DRIVER_EMBEDDED_APPS_SKETCH_SKETCH_H
#define IA_DRIVER_EMBEDDED_APPS_SKETCH_SKETCH_H

#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_sketch;

enum { IA_SKETCH_STROKES_MAX = 400, IA_SKETCH_ZOOM_MAX = 4 };

/* A straight line, or a dot; points of the paper, which are those of the screen until it is zoomed. */
struct ia_stroke {
    uint16_t x, y, to_x, to_y;
    uint8_t ink;
};

struct ia_sketch {
    struct ia_stroke *strokes;
    int count;
    uint8_t ink; /* that the next stroke is drawn with */
    float zoom;  /* how much larger than life the paper is shown, 1 to IA_SKETCH_ZOOM_MAX */
};

#endif
