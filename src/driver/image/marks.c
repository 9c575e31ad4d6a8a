/* marks.c: frames, numbers and a grid over a screenshot. */
#include "driver/image/marks.h"

#include "driver/image/frame.h"
#include "driver/image/image.h"

#include <math.h>

struct sheet {
    const struct ia_drawing *lib;
    cairo_t *cr;
    const struct ia_marks_page *page;
    double w, h;
};

/* One line of the grid at that place, light on dark and dark on light. */
static void put_line(const struct sheet *s, bool upright, double at)
{
    const struct ia_drawing *lib = s->lib;
    for (int i = 0; i < 2; i++) {
        lib->cairo_set_source_rgba_(s->cr, i ? 0 : 1, i ? 0.45 : 1, i ? 0.9 : 1,
                                    i ? 0.5 : 0.35);
        lib->cairo_set_line_width_(s->cr, i ? 0.7 : 1.6);
        lib->cairo_move_to_(s->cr, upright ? at : 0, upright ? 0 : at);
        lib->cairo_line_to_(s->cr, upright ? at : s->w, upright ? s->h : at);
        lib->cairo_stroke_(s->cr);
    }
}

static void put_number(const struct sheet *s, double x, double y, int value)
{
    struct ia_buf digits = IA_BUF(16);
    cairo_text_extents_t size;
    ia_buf_printf(&digits, "%d", value);
    s->lib->cairo_text_extents_(s->cr, ia_buf_cstr(&digits), &size);
    s->lib->cairo_set_source_rgba_(s->cr, 1, 1, 1, 0.85);
    s->lib->cairo_rectangle_(s->cr, x, y, size.x_advance + 2, IA_FRAME_FONT);
    s->lib->cairo_fill_(s->cr);
    s->lib->cairo_set_source_rgb_(s->cr, 0, 0.3, 0.7);
    s->lib->cairo_move_to_(s->cr, x + 1, y + IA_FRAME_FONT - 2);
    s->lib->cairo_show_text_(s->cr, ia_buf_cstr(&digits));
    ia_buf_fini(&digits);
}

/* All lines of one direction; the numbers count points of the screen. */
static void put_lines(const struct sheet *s, bool upright)
{
    int step = s->page->grid_pt;
    double shift = upright ? s->page->shift.x : s->page->shift.y, end = upright ? s->w : s->h;
    for (int i = (int)floor(shift / step) + 1; i * step - shift < end; i++) {
        double at = i * step - shift;
        put_line(s, upright, at);
        if (i % 2 == 0) {
            put_number(s, upright ? at + 1 : 0, upright ? 0 : at + 1, i * step);
        }
    }
}

static void put_marks(const struct sheet *s)
{
    for (size_t i = 0; i < s->page->count; i++) {
        struct ia_rect r = s->page->marks[i].box;
        r.x -= s->page->shift.x;
        r.y -= s->page->shift.y;
        if (r.x < s->w && r.y < s->h && r.x + r.w > 0 && r.y + r.h > 0) {
            ia_frame_put(s->lib, s->cr, r, s->page->marks[i].number, i);
        }
    }
}

static enum ia_rc paint(struct sheet *s, cairo_surface_t *from, struct ia_buf *ret_png,
                        struct ia_err *err)
{
    const struct ia_drawing *lib = s->lib;
    s->w = lib->cairo_image_surface_get_width_(from);
    s->h = lib->cairo_image_surface_get_height_(from);
    cairo_surface_t *to =
        lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, (int)s->w, (int)s->h);
    s->cr = lib->cairo_create_(to);
    lib->cairo_set_source_surface_(s->cr, from, 0, 0);
    lib->cairo_paint_(s->cr);
    ia_frame_font(lib, s->cr);
    if (s->page->grid_pt > 0) {
        put_lines(s, true);
        put_lines(s, false);
    }
    put_marks(s);
    lib->cairo_destroy_(s->cr);
    enum ia_rc rc = ia_drawing_write(lib, to, ret_png, err);
    lib->cairo_surface_destroy_(to);
    return rc;
}

enum ia_rc ia_png_mark(struct ia_str png, const struct ia_marks_page *page,
                       struct ia_buf *ret_png, struct ia_err *err)
{
    int w = 0, h = 0;
    cairo_surface_t *from = NULL;
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (page->count == 0 && page->grid_pt <= 0) {
        ia_buf_putstr(ret_png, png);
        return ia_buf_check(ret_png, "the screenshot", err);
    }
    struct sheet s = {.lib = ia_drawing(err), .page = page};
    if (!s.lib) {
        return IA_E_MISSING;
    }
    rc = ia_drawing_read(s.lib, png, &from, err);
    if (rc == IA_OK) {
        rc = paint(&s, from, ret_png, err);
        s.lib->cairo_surface_destroy_(from);
    }
    return rc;
}
