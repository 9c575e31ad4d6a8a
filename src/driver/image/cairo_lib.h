/* cairo_lib.h: the functions of cairo that pictures are made with, loaded on first use. */
#ifndef IA_DRIVER_IMAGE_CAIRO_LIB_H
#define IA_DRIVER_IMAGE_CAIRO_LIB_H

#include "base/buf.h"
#include "base/lazylib.h"

#include <cairo.h>

#define IA_DRAWING_SYMS(X)                                                                     \
    X(cairo_image_surface_create_from_png_stream)                                              \
    X(cairo_surface_status)                                                                    \
    X(cairo_surface_destroy)                                                                   \
    X(cairo_surface_write_to_png_stream)                                                       \
    X(cairo_image_surface_create)                                                              \
    X(cairo_image_surface_get_width)                                                           \
    X(cairo_image_surface_get_height)                                                          \
    X(cairo_image_surface_get_data)                                                            \
    X(cairo_image_surface_get_stride)                                                          \
    X(cairo_surface_flush)                                                                     \
    X(cairo_line_to)                                                                           \
    X(cairo_set_source_rgba)                                                                   \
    X(cairo_create)                                                                            \
    X(cairo_destroy)                                                                           \
    X(cairo_status)                                                                            \
    X(cairo_scale)                                                                             \
    X(cairo_set_source_surface)                                                                \
    X(cairo_get_source)                                                                        \
    X(cairo_pattern_set_filter)                                                                \
    X(cairo_pattern_set_extend)                                                                \
    X(cairo_paint)                                                                             \
    X(cairo_set_source_rgb)                                                                    \
    X(cairo_rectangle)                                                                         \
    X(cairo_fill)                                                                              \
    X(cairo_stroke)                                                                            \
    X(cairo_set_line_width)                                                                    \
    X(cairo_move_to)                                                                           \
    X(cairo_select_font_face)                                                                  \
    X(cairo_set_font_size)                                                                     \
    X(cairo_show_text)                                                                         \
    X(cairo_text_extents)

struct ia_drawing {
    IA_DRAWING_SYMS(IA_LAZY_FIELD)
};

/* NULL with IA_E_MISSING in err when cairo cannot be loaded. */
const struct ia_drawing *ia_drawing(struct ia_err *err);
/* The picture behind PNG bytes that ia_png_size accepts; IA_E_PARSE. Destroy it. */
enum ia_rc ia_drawing_read(const struct ia_drawing *lib, struct ia_str png,
                           cairo_surface_t **ret, struct ia_err *err);
/* Appends it as a PNG; IA_E_LIMIT when it is none or the buffer is full. */
enum ia_rc ia_drawing_write(const struct ia_drawing *lib, cairo_surface_t *surface,
                            struct ia_buf *ret_png, struct ia_err *err);

#endif
