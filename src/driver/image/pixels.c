/* pixels.c: a PNG as numbers, and what changed between two of them. */
#include "driver/image/pixels.h"

#include "base/hash.h"
#include "driver/image/cairo_lib.h"
#include "driver/image/image.h"
#include "driver/snapshot/rect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A surface of the kind that every PNG can be painted on: 0x00RRGGBB, a number a pixel. */
static cairo_surface_t *as_rgb(const struct ia_drawing *lib, cairo_surface_t *from)
{
    int w = lib->cairo_image_surface_get_width_(from);
    int h = lib->cairo_image_surface_get_height_(from);
    cairo_surface_t *to = lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, w, h);
    cairo_t *cr = lib->cairo_create_(to);
    lib->cairo_set_source_surface_(cr, from, 0, 0);
    lib->cairo_paint_(cr);
    lib->cairo_destroy_(cr);
    lib->cairo_surface_flush_(to);
    return to;
}

static void copy_rows(const struct ia_drawing *lib, cairo_surface_t *s, struct ia_pixels *p)
{
    const unsigned char *rows = lib->cairo_image_surface_get_data_(s);
    size_t stride = (size_t)lib->cairo_image_surface_get_stride_(s), w = (size_t)p->width;
    for (size_t y = 0; y < (size_t)p->height; y++) {
        memcpy(p->rgb + y * w, rows + y * stride, w * sizeof(*p->rgb));
    }
    for (size_t i = 0; i < w * (size_t)p->height; i++) {
        p->rgb[i] &= 0xffffff; /* the upper byte is not defined */
    }
}

static enum ia_rc read_rgb(const struct ia_drawing *lib, cairo_surface_t *from,
                           struct ia_pixels *ret, struct ia_err *err)
{
    cairo_surface_t *rgb = as_rgb(lib, from);
    enum ia_rc rc = IA_OK;
    if (lib->cairo_surface_status_(rgb) == CAIRO_STATUS_SUCCESS) {
        *ret = (struct ia_pixels){lib->cairo_image_surface_get_width_(rgb),
                                  lib->cairo_image_surface_get_height_(rgb), NULL};
        ret->rgb = ia_calloc((size_t)ret->width * (size_t)ret->height, sizeof(*ret->rgb));
        copy_rows(lib, rgb, ret);
    } else {
        rc = ia_err_set(err, IA_E_LIMIT, "the screenshot cannot be drawn");
    }
    lib->cairo_surface_destroy_(rgb);
    return rc;
}

enum ia_rc ia_pixels_read(struct ia_str png, struct ia_pixels *ret, struct ia_err *err)
{
    int w = 0, h = 0;
    cairo_surface_t *from = NULL;
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    const struct ia_drawing *lib = rc == IA_OK ? ia_drawing(err) : NULL;
    if (rc != IA_OK || !lib) {
        return rc != IA_OK ? rc : IA_E_MISSING;
    }
    rc = ia_drawing_read(lib, png, &from, err);
    if (rc == IA_OK) {
        rc = read_rgb(lib, from, ret, err);
        lib->cairo_surface_destroy_(from);
    }
    return rc;
}

void ia_pixels_fini(struct ia_pixels *p)
{
    free(p->rgb);
    *p = (struct ia_pixels){0};
}

uint32_t ia_pixels_at(const struct ia_pixels *p, int x, int y)
{
    return p->rgb[(size_t)y * (size_t)p->width + (size_t)x];
}

int ia_pixels_apart(uint32_t a, uint32_t b)
{
    int most = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int d = abs((int)(a >> shift & 0xff) - (int)(b >> shift & 0xff));
        most = d > most ? d : most;
    }
    return most;
}

/* Rows and columns of the picture that lie in the rectangle. */
struct window {
    int x0, y0, x1, y1;
};

static struct window window_of(const struct ia_pixels *p, struct ia_rect in)
{
    struct ia_rect all = {0, 0, p->width, p->height};
    struct ia_rect r = ia_rect_cut(all, in);
    return (struct window){(int)floor(r.x), (int)floor(r.y), (int)ceil(r.x + r.w),
                           (int)ceil(r.y + r.h)};
}

bool ia_pixels_differ(const struct ia_pixels *a, const struct ia_pixels *b, struct ia_rect in,
                      struct ia_pixels_change *ret)
{
    *ret = (struct ia_pixels_change){0};
    if (a->width != b->width || a->height != b->height) {
        *ret = (struct ia_pixels_change){{0, 0, b->width, b->height}, b->width * b->height};
        return true;
    }
    struct window w = window_of(a, in);
    struct window hit = {w.x1, w.y1, w.x0, w.y0};
    for (int y = w.y0; y < w.y1; y++) {
        for (int x = w.x0; x < w.x1; x++) {
            if (ia_pixels_apart(ia_pixels_at(a, x, y), ia_pixels_at(b, x, y)) >
                IA_PIXELS_NOISE) {
                ret->pixels++;
                hit.x0 = x < hit.x0 ? x : hit.x0;
                hit.y0 = y < hit.y0 ? y : hit.y0;
                hit.x1 = x + 1 > hit.x1 ? x + 1 : hit.x1;
                hit.y1 = y + 1 > hit.y1 ? y + 1 : hit.y1;
            }
        }
    }
    if (ret->pixels > 0) {
        ret->box = (struct ia_rect){hit.x0, hit.y0, hit.x1 - hit.x0, hit.y1 - hit.y0};
    }
    return ret->pixels > 0;
}

/* ---- a screen ---------------------------------------------------------------------------- */

enum {
    STATUS_PT = 54, /* the status bar of the highest kind */
    STATUS_PAD_PT = 32,
    CURSOR_PT = 4, /* a cursor is no wider */
    CURSOR_HIGH_PT = 48
};
/* Of a phone's height: its status bar is no higher. */
#define STATUS_SHARE 0.065
#define PHONE_SHAPE 1.6 /* taller than so many widths: a phone */

double ia_pixels_status(const struct ia_pixels *p)
{
    if (p->width > p->height) {
        return 0;
    }
    bool phone = p->height > PHONE_SHAPE * p->width;
    return phone ? fmin(STATUS_PT, floor(STATUS_SHARE * p->height))
                 : fmin(STATUS_PAD_PT, p->height);
}

bool ia_pixels_changed(const struct ia_pixels *a, const struct ia_pixels *b,
                       struct ia_pixels_change *ret)
{
    double top = ia_pixels_status(b);
    bool differ =
        ia_pixels_differ(a, b, (struct ia_rect){0, top, b->width, b->height - top}, ret);
    return differ && !(ret->box.w <= CURSOR_PT && ret->box.h <= CURSOR_HIGH_PT);
}

uint64_t ia_pixels_hash(const struct ia_pixels *p)
{
    size_t from = (size_t)ia_pixels_status(p) * (size_t)p->width;
    size_t all = (size_t)p->width * (size_t)p->height;
    uint64_t h = ia_hash(IA_HASH_SEED, p->rgb + from, (all - from) * sizeof(*p->rgb));
    return h ? h : 1;
}
