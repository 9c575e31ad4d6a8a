/* image.c: PNGs from a device: measured, scaled, blackened. They are not trusted: the size in the
 * header is checked before cairo decodes a byte. */
#include "driver/image/image.h"

#include "driver/image/cairo_lib.h"

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

/* Paints the picture at the new size. The result has a failed status when something failed. */
static cairo_surface_t *scaled(const struct ia_drawing *lib, cairo_surface_t *from, int width,
                               int height)
{
    double sx = (double)width / lib->cairo_image_surface_get_width_(from);
    double sy = (double)height / lib->cairo_image_surface_get_height_(from);
    cairo_surface_t *to = lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cr = lib->cairo_create_(to);
    lib->cairo_scale_(cr, sx, sy);
    lib->cairo_set_source_surface_(cr, from, 0, 0);
    lib->cairo_pattern_set_filter_(lib->cairo_get_source_(cr), CAIRO_FILTER_GOOD);
    lib->cairo_pattern_set_extend_(lib->cairo_get_source_(cr), CAIRO_EXTEND_PAD);
    lib->cairo_paint_(cr);
    lib->cairo_destroy_(cr);
    return to;
}

static enum ia_rc rescale(struct ia_str png, int width, int height, struct ia_buf *out,
                          struct ia_err *err)
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
    cairo_surface_t *to = scaled(lib, from, width, height);
    rc = ia_drawing_write(lib, to, out, err);
    lib->cairo_surface_destroy_(to);
    lib->cairo_surface_destroy_(from);
    return rc;
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
    return rescale(png, width, height, ret_png, err);
}

static cairo_surface_t *blackened(const struct ia_drawing *lib, cairo_surface_t *from,
                                  const struct ia_rect *boxes, size_t n)
{
    int w = lib->cairo_image_surface_get_width_(from);
    int h = lib->cairo_image_surface_get_height_(from);
    cairo_surface_t *to = lib->cairo_image_surface_create_(CAIRO_FORMAT_RGB24, w, h);
    cairo_t *cr = lib->cairo_create_(to);
    lib->cairo_set_source_surface_(cr, from, 0, 0);
    lib->cairo_paint_(cr);
    lib->cairo_set_source_rgb_(cr, 0, 0, 0);
    for (size_t i = 0; i < n; i++) {
        lib->cairo_rectangle_(cr, boxes[i].x, boxes[i].y, boxes[i].w, boxes[i].h);
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
    const struct ia_drawing *lib = ia_drawing(err);
    cairo_surface_t *from = NULL;
    if (!lib) {
        return IA_E_MISSING;
    }
    rc = ia_drawing_read(lib, png, &from, err);
    if (rc != IA_OK) {
        return rc;
    }
    cairo_surface_t *to = blackened(lib, from, boxes, n);
    rc = ia_drawing_write(lib, to, ret_png, err);
    lib->cairo_surface_destroy_(to);
    lib->cairo_surface_destroy_(from);
    return rc;
}
