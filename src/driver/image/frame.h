/* frame.h: a frame with a number, as pictures for models and people have them. Private to this folder. */
#ifndef IA_DRIVER_IMAGE_FRAME_H
#define IA_DRIVER_IMAGE_FRAME_H

#include "driver/image/cairo_lib.h"

#include "driver/tree.h"

/* The size of letters, in points. */
#define IA_FRAME_FONT 11.0

/* Sets font and size for what follows. */
void ia_frame_font(const struct ia_drawing *lib, cairo_t *cr);
/* The nth colour: dark enough for white digits, and apart for the colour-blind. */
void ia_frame_color(const struct ia_drawing *lib, cairo_t *cr, size_t n);
/* A frame inside r in the nth colour, with the number on a patch in its upper left corner. */
void ia_frame_put(const struct ia_drawing *lib, cairo_t *cr, struct ia_rect r, uint32_t number,
                  size_t n);

#endif
