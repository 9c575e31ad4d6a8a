/* image.c: PNGs from a device: measured, scaled, blackened, cut. They are not trusted: the size in the
 * header is checked before cairo decodes a byte. */
#include "driver/image/image.h"

#include "driver/image/cairo_lib.h"

#include <math.h>
#include <string.h>

static uint32_t big_endian(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

enum ia_rc ia_png_size(struct ia_str png, int *ret_width, int *ret_height, struct ia_err *err)
{
    static const char start[16] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
    if (png.n < 33 || memcmp(png.p, start, sizeof(start)) != 0) {
        return ia_err_set(err, IA_E_PARSE, "the screenshot is not a PNG");
    }
    uint32_t w = big_endian(png.p + 16);
    uint32_t h = big_endian(png.p + 20);
    if (w == 0 || h == 0 || w > IA_PNG_SIDE_MAX || h > IA_PNG_SIDE_MAX ||
        (int64_t)w * h > IA_PNG_PIXELS_MAX || png.n > IA_PNG_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT,
                          "a screenshot of %u by %u pixels in %zu bytes is not "
                          "accepted",
                          w, h, png.n);
    }
    *ret_width = (int)w;
    *ret_height = (int)h;
    return IA_OK;
}

/* Makes another picture of one. The result has a failed status when something failed. */
typedef cairo_surface_t *paint_fn(const struct ia_drawing *lib, cairo_surface_t *from,
                                  const void *ctx);

static enum ia_rc redraw(struct ia_str png, paint_fn *paint, const void *ctx,
                         struct ia_buf *out, struct ia_err *err)
{
    const struct ia_drawing *lib = ia_drawing(err);
    if (!lib) {
        return IA_E_MISSING;
    }
    cairo_surface_t *from = NULL;
    enum ia_rc rc = ia_drawing_read(lib, png, &from, err);
    if (rc != IA_OK) {
        return rc;
    }
    cairo_surface_t *to = paint(lib, from, ctx);
    rc = ia_drawing_write(lib, to, out, err);
    lib->cairo_surface_destroy_(to);
    lib->cairo_surface_destroy_(from);
    return rc;
}

struct size {
    int width, height;
};

static cairo_surface_t *scaled(const struct ia_drawing *lib, cairo_surface_t *from,
                               const void *ctx)
{
    const struct size *size = ctx;
    double sx = (double)size->width / lib->cairo_image_surface_get_width_(from);
    double sy = (double)size->height / lib->cairo_image_surface_get_height_(from);
    cairo_surface_t *to =
        lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, size->width, size->height);
    cairo_t *cr = lib->cairo_create_(to);
    lib->cairo_scale_(cr, sx, sy);
    lib->cairo_set_source_surface_(cr, from, 0, 0);
    lib->cairo_pattern_set_filter_(lib->cairo_get_source_(cr), CAIRO_FILTER_GOOD);
    lib->cairo_pattern_set_extend_(lib->cairo_get_source_(cr), CAIRO_EXTEND_PAD);
    lib->cairo_paint_(cr);
    lib->cairo_destroy_(cr);
    return to;
}

enum ia_rc ia_png_scale(struct ia_str png, int width, int height, struct ia_buf *ret_png,
                        struct ia_err *err)
{
    int w = 0;
    int h = 0;
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (width <= 0 || height <= 0 || width > IA_PNG_SIDE_MAX || height > IA_PNG_SIDE_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "cannot scale a screenshot to %d by %d", width,
                          height);
    }
    if (w == width && h == height) {
        ia_buf_putstr(ret_png, png);
        return ia_buf_check(ret_png, "the screenshot", err);
    }
    return redraw(png, scaled, &(struct size){width, height}, ret_png, err);
}

struct boxes {
    const struct ia_rect *at;
    size_t n;
};

static cairo_surface_t *blackened(const struct ia_drawing *lib, cairo_surface_t *from,
                                  const void *ctx)
{
    const struct boxes *boxes = ctx;
    int w = lib->cairo_image_surface_get_width_(from);
    int h = lib->cairo_image_surface_get_height_(from);
    cairo_surface_t *to = lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, w, h);
    cairo_t *cr = lib->cairo_create_(to);
    lib->cairo_set_source_surface_(cr, from, 0, 0);
    lib->cairo_paint_(cr);
    lib->cairo_set_source_rgb_(cr, 0, 0, 0);
    for (size_t i = 0; i < boxes->n; i++) {
        lib->cairo_rectangle_(cr, boxes->at[i].x, boxes->at[i].y, boxes->at[i].w,
                              boxes->at[i].h);
        lib->cairo_fill_(cr);
    }
    lib->cairo_destroy_(cr);
    return to;
}

enum ia_rc ia_png_blacken(struct ia_str png, const struct ia_rect *boxes, size_t n,
                          struct ia_buf *ret_png, struct ia_err *err)
{
    int w = 0;
    int h = 0;
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (n == 0) {
        ia_buf_putstr(ret_png, png);
        return ia_buf_check(ret_png, "the screenshot", err);
    }
    return redraw(png, blackened, &(struct boxes){boxes, n}, ret_png, err);
}

static cairo_surface_t *cropped(const struct ia_drawing *lib, cairo_surface_t *from,
                                const void *ctx)
{
    const struct ia_rect *part = ctx;
    cairo_surface_t *to =
        lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, (int)part->w, (int)part->h);
    cairo_t *cr = lib->cairo_create_(to);
    lib->cairo_set_source_surface_(cr, from, -part->x, -part->y);
    lib->cairo_paint_(cr);
    lib->cairo_destroy_(cr);
    return to;
}

enum ia_rc ia_png_crop(struct ia_str png, const struct ia_rect *part, struct ia_buf *ret_png,
                       struct ia_err *err)
{
    int w = 0;
    int h = 0;
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    if (rc != IA_OK) {
        return rc;
    }
    double x = fmax(floor(part->x), 0);
    double y = fmax(floor(part->y), 0);
    struct ia_rect in = {x, y, fmin(ceil(part->x + part->w), w) - x,
                         fmin(ceil(part->y + part->h), h) - y};
    if (!(in.w >= 1 && in.h >= 1)) {
        return ia_err_set(err, IA_E_USAGE, "nothing of the screenshot is inside of that part");
    }
    return redraw(png, cropped, &in, ret_png, err);
}
