/* canvas.h: cairo through its function table, and the shapes that painting needs. */
#ifndef IA_DRIVER_EMBEDDED_DRAW_CANVAS_H
#define IA_DRIVER_EMBEDDED_DRAW_CANVAS_H

#include "base/lazylib.h"
#include "driver/embedded/draw/scene.h"

#include <cairo.h>

#define IA_CAIRO_LIST(X)                                                                       \
    X(cairo_image_surface_create)                                                              \
    X(cairo_surface_destroy)                                                                   \
    X(cairo_surface_write_to_png_stream)                                                       \
    X(cairo_create)                                                                            \
    X(cairo_destroy)                                                                           \
    X(cairo_status)                                                                            \
    X(cairo_save)                                                                              \
    X(cairo_restore)                                                                           \
    X(cairo_scale)                                                                             \
    X(cairo_translate)                                                                         \
    X(cairo_rotate)                                                                            \
    X(cairo_rectangle)                                                                         \
    X(cairo_arc)                                                                               \
    X(cairo_move_to)                                                                           \
    X(cairo_line_to)                                                                           \
    X(cairo_curve_to)                                                                          \
    X(cairo_close_path)                                                                        \
    X(cairo_new_path)                                                                          \
    X(cairo_new_sub_path)                                                                      \
    X(cairo_fill)                                                                              \
    X(cairo_stroke)                                                                            \
    X(cairo_clip)                                                                              \
    X(cairo_set_source_rgba)                                                                   \
    X(cairo_set_source)                                                                        \
    X(cairo_set_line_width)                                                                    \
    X(cairo_set_line_cap)                                                                      \
    X(cairo_set_line_join)                                                                     \
    X(cairo_set_fill_rule)                                                                     \
    X(cairo_pattern_create_linear)                                                             \
    X(cairo_pattern_add_color_stop_rgba)                                                       \
    X(cairo_pattern_destroy)                                                                   \
    X(cairo_select_font_face)                                                                  \
    X(cairo_set_font_size)                                                                     \
    X(cairo_font_options_create)                                                               \
    X(cairo_font_options_set_hint_style)                                                       \
    X(cairo_font_options_set_hint_metrics)                                                     \
    X(cairo_font_options_set_antialias)                                                        \
    X(cairo_font_options_destroy)                                                              \
    X(cairo_set_font_options)                                                                  \
    X(cairo_text_extents)                                                                      \
    X(cairo_show_text)

#define IA_PI 3.14159265358979323846

struct ia_cairo {
    IA_CAIRO_LIST(IA_LAZY_FIELD)
};

struct ia_canvas {
    const struct ia_cairo *lib;
    cairo_t *cr; /* in points */
    bool dark;
};

/* The table, loaded once, or NULL and err. Any thread. */
const struct ia_cairo *ia_cairo_lib(struct ia_err *err);

void ia_canvas_color(const struct ia_canvas *c, enum ia_color color);
void ia_canvas_rgba(const struct ia_canvas *c, uint32_t rrggbbaa);
/* A rectangle as the path; corners is a set of IA_VIEW_ROUND_*, 0 for all four. */
void ia_canvas_round_rect(const struct ia_canvas *c, double x, double y, double w, double h,
                          double radius, uint32_t corners);
/* Fills the path so far from one colour down to another; 0xRRGGBBAA. */
void ia_canvas_gradient(const struct ia_canvas *c, double y0, double y1, uint32_t top,
                        uint32_t foot);
void ia_canvas_circle(const struct ia_canvas *c, double x, double y, double r);
/* A symbol in the current colour, filling the box. */
void ia_canvas_symbol(const struct ia_canvas *c, enum ia_symbol symbol, struct ia_rect box);
/* One line in the current colour, squeezed or (a little) stretched to the box's width. */
void ia_canvas_text(const struct ia_canvas *c, const char *text, struct ia_rect box,
                    double size, bool bold);

/* The icon of an app (icons.c): v's symbol is its enum ia_app_icon. */
void ia_icon_paint(const struct ia_canvas *c, const struct ia_view *v);

#endif
