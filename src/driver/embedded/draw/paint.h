/* paint.h: a scene as pixels. cairo is loaded on first use. */
#ifndef IA_DRIVER_EMBEDDED_DRAW_PAINT_H
#define IA_DRIVER_EMBEDDED_DRAW_PAINT_H

#include "base/buf.h"
#include "driver/embedded/draw/scene.h"

enum { IA_PAINT_SCALE = 3 }; /* pixels per point */

/* Appends a PNG of the scene, 393 by 852 times scale pixels. Same scene, same fonts, same
 * bytes. One picture is drawn at a time in the whole process, because one in device pixels
 * takes 12 MB. IA_E_MISSING without cairo. Any thread. */
enum ia_rc ia_paint_png(const struct ia_scene *s, int scale, struct ia_buf *ret_png,
                        struct ia_err *err);

#endif
