/* annotate.c: a screenshot with a box and a number at every listed element, and a legend beside it
 * with the lines of the text form. For people (--annotate), not for the model. */
#include "driver/image/annotate.h"

#include "driver/image/cairo_lib.h"
#include "driver/image/frame.h"
#include "driver/image/image.h"
#include "driver/snapshot/model.h"
#include "driver/snapshot/rect.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* Everything is laid out in points, then scaled to pixels. */
static const double LEGEND_WIDTH = 260;
static const double LINE_HEIGHT = 14;
static const double MARGIN = 8;
enum { LEGEND_BYTES = 44 };

struct page {
    const struct ia_drawing *lib;
    cairo_t *cr;
    const struct ia_snapshot *s;
    double scale; /* pixels per point */
};

static bool marked(const struct ia_snapshot *s, size_t i)
{
    const struct ia_element *e = &s->elements[i];
    return e->listed && e->ref != 0 && e->role != IA_ROLE_TEXT && e->role != IA_ROLE_HEADING &&
           (int32_t)i != s->title && !ia_rect_empty(s->more[i].vis);
}

static void put_text(const struct page *p, double x, double y, const char *text)
{
    p->lib->cairo_move_to_(p->cr, x, y);
    p->lib->cairo_show_text_(p->cr, text);
}

static void legend_line(const struct page *p, size_t i, double y)
{
    struct ia_buf line = IA_BUF(4096);
    ia_element_text(&p->s->elements[i], &line);
    if (line.len > LEGEND_BYTES) {
        ia_buf_cut(&line, ia_utf8_cut(line.p, LEGEND_BYTES));
        ia_buf_puts(&line, "…");
    }
    put_text(p, p->s->width + MARGIN, y, ia_buf_cstr(&line));
    ia_buf_fini(&line);
}

/* One line an element, as many as there is room for. */
static void draw_legend(const struct page *p)
{
    double y = MARGIN + IA_FRAME_FONT;
    double last = p->s->height - MARGIN - LINE_HEIGHT;
    unsigned left_out = 0;
    size_t color = 0;
    for (size_t i = 0; i < p->s->count; i++) {
        if (!marked(p->s, i)) {
            continue;
        }
        ia_frame_color(p->lib, p->cr, color++);
        if (y > last) {
            left_out++;
            continue;
        }
        legend_line(p, i, y);
        y += LINE_HEIGHT;
    }
    if (left_out > 0) {
        struct ia_buf more = IA_BUF(64);
        ia_buf_printf(&more, "+%u more", left_out);
        put_text(p, p->s->width + MARGIN, y, ia_buf_cstr(&more));
        ia_buf_fini(&more);
    }
}

static void draw(const struct page *p, cairo_surface_t *screen)
{
    const struct ia_drawing *lib = p->lib;
    lib->cairo_set_source_rgb_(p->cr, 1, 1, 1);
    lib->cairo_paint_(p->cr);
    if (screen) {
        lib->cairo_set_source_surface_(p->cr, screen, 0, 0);
        lib->cairo_paint_(p->cr);
    }
    lib->cairo_scale_(p->cr, p->scale, p->scale);
    ia_frame_font(lib, p->cr);
    size_t color = 0;
    for (size_t i = 0; i < p->s->count; i++) {
        if (marked(p->s, i)) {
            ia_frame_put(lib, p->cr, p->s->more[i].vis, p->s->elements[i].ref, color++);
        }
    }
    draw_legend(p);
}

static enum ia_rc compose(struct page *p, cairo_surface_t *screen, struct ia_buf *ret_png,
                          struct ia_err *err)
{
    int w = (int)lrint((p->s->width + LEGEND_WIDTH) * p->scale);
    int h = (int)lrint(p->s->height * p->scale);
    if (w <= 0 || h <= 0 || w > IA_ANNOTATE_SIDE_MAX || h > IA_ANNOTATE_SIDE_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "cannot create a picture of %d by %d pixels", w, h);
    }
    cairo_surface_t *to = p->lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, w, h);
    p->cr = p->lib->cairo_create_(to);
    draw(p, screen);
    p->lib->cairo_destroy_(p->cr);
    enum ia_rc rc = ia_drawing_write(p->lib, to, ret_png, err);
    p->lib->cairo_surface_destroy_(to);
    return rc;
}

static enum ia_rc on_screenshot(struct page *p, struct ia_str png, struct ia_buf *ret_png,
                                struct ia_err *err)
{
    int w = 0;
    int h = 0;
    cairo_surface_t *screen = NULL;
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    if (rc == IA_OK) {
        rc = ia_drawing_read(p->lib, png, &screen, err);
    }
    if (rc == IA_OK) {
        p->scale = w / p->s->width;
        rc = compose(p, screen, ret_png, err);
        p->lib->cairo_surface_destroy_(screen);
    }
    return rc;
}

enum ia_rc ia_snapshot_annotate(const struct ia_snapshot *s, struct ia_str png,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    if (!(s->width >= 1 && s->height >= 1)) {
        return ia_err_set(err, IA_E_TREE_EMPTY, "the snapshot has no screen to draw");
    }
    struct page p = {.lib = ia_drawing(err), .s = s, .scale = 1};
    if (!p.lib) {
        return IA_E_MISSING;
    }
    return png.n > 0 ? on_screenshot(&p, png, ret_png, err) : compose(&p, NULL, ret_png, err);
}
