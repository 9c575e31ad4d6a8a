/* paint.h: a scene as pixels. cairo is loaded on first use. */
#ifndef IA_DRIVER_EMBEDDED_DRAW_PAINT_H
#define IA_DRIVER_EMBEDDED_DRAW_PAINT_H

#include "base/buf.h"
#include "driver/device.h"
#include "driver/embedded/draw/scene.h"

enum { IA_PAINT_SCALE = 3 }; /* pixels per point */

/* Appends a PNG of the scene, its display's points times scale pixels. With the orientation of a wide
 * scene as turned_back it is drawn on its side, into a picture in which the phone's own top is up;
 * IA_PORTRAIT: as it is seen. Same scene, same fonts, same bytes. One picture is drawn at a time in the whole process, because one in device pixels
 * takes 12 MB. IA_E_MISSING without cairo. Any thread. */
enum ia_rc ia_paint_png(const struct ia_scene *s, int scale, enum ia_orientation turned_back,
                        struct ia_buf *ret_png, struct ia_err *err);

#endif
