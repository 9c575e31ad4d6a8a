/* frame.c: frames around elements and marks, with their numbers. */
#include "driver/image/frame.h"

#include <math.h>

enum { COLORS = 6, DIGITS_BYTES = 16, LINE_PT = 30 };

void ia_frame_font(const struct ia_drawing *lib, cairo_t *cr)
{
    lib->cairo_select_font_face_(cr, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                                 CAIRO_FONT_WEIGHT_NORMAL);
    lib->cairo_set_font_size_(cr, IA_FRAME_FONT);
}

/* Source of the palette: Okabe and Ito, 2008. */
void ia_frame_color(const struct ia_drawing *lib, cairo_t *cr, size_t n)
{
    static const double rgb[COLORS][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00},
                                          {0.00, 0.50, 0.37}, {0.70, 0.30, 0.55},
                                          {0.35, 0.35, 0.35}, {0.55, 0.40, 0.00}};
    const double *c = rgb[n % COLORS];
    lib->cairo_set_source_rgb_(cr, c[0], c[1], c[2]);
}

static void put_tag(const struct ia_drawing *lib, cairo_t *cr, struct ia_rect r,
                    uint32_t number)
{
    struct ia_buf digits = IA_BUF(DIGITS_BYTES);
    ia_buf_printf(&digits, "%u", (unsigned)number);
    cairo_text_extents_t size;
    lib->cairo_text_extents_(cr, ia_buf_cstr(&digits), &size);
    /* Beside what is no higher than a line of text, which it would hide. */
    double w = size.x_advance + 4;
    r.x -= r.h < LINE_PT && r.x >= w ? w : 0;
    lib->cairo_rectangle_(cr, r.x, r.y, w, IA_FRAME_FONT + 2);
    lib->cairo_fill_(cr);
    lib->cairo_set_source_rgb_(cr, 1, 1, 1);
    lib->cairo_move_to_(cr, r.x + 2, r.y + IA_FRAME_FONT - 1);
    lib->cairo_show_text_(cr, ia_buf_cstr(&digits));
    ia_buf_fini(&digits);
}

void ia_frame_put(const struct ia_drawing *lib, cairo_t *cr, struct ia_rect r, uint32_t number,
                  size_t n)
{
    ia_frame_color(lib, cr, n);
    lib->cairo_set_line_width_(cr, 1.5);
    lib->cairo_rectangle_(cr, r.x + 0.75, r.y + 0.75, fmax(r.w - 1.5, 1), fmax(r.h - 1.5, 1));
    lib->cairo_stroke_(cr);
    put_tag(lib, cr, r, number);
}
