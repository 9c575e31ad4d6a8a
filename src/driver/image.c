#include "driver/image.h"

#include "base/lazylib.h"

#include <cairo.h>
#include <pthread.h>
#include <string.h>

#define SYMS(X)                                                                                \
    X(cairo_image_surface_create_from_png_stream)                                              \
    X(cairo_surface_status)                                                                    \
    X(cairo_surface_destroy)                                                                   \
    X(cairo_surface_write_to_png_stream)                                                       \
    X(cairo_image_surface_create)                                                              \
    X(cairo_image_surface_get_width)                                                           \
    X(cairo_image_surface_get_height)                                                          \
    X(cairo_create)                                                                            \
    X(cairo_destroy)                                                                           \
    X(cairo_status)                                                                            \
    X(cairo_scale)                                                                             \
    X(cairo_set_source_surface)                                                                \
    X(cairo_get_source)                                                                        \
    X(cairo_pattern_set_filter)                                                                \
    X(cairo_pattern_set_extend)                                                                \
    X(cairo_paint)

struct cairo {
    SYMS(IA_LAZY_FIELD)
};

static struct cairo lib;
static struct ia_err lib_err;
static enum ia_rc lib_rc;

static void load(void)
{
#define ROW(fn) IA_LAZY_ROW(struct cairo, fn),
    static const struct ia_lazy_sym syms[] = {SYMS(ROW)};
#undef ROW
    static const char *const names[] = {"libcairo.so.2", "libcairo.2.dylib",
                                        "/opt/homebrew/lib/libcairo.2.dylib",
                                        "/usr/local/lib/libcairo.2.dylib", NULL};
    lib_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &lib, &lib_err);
}

static enum ia_rc need_cairo(struct ia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (lib_rc != IA_OK && err) {
        *err = lib_err;
    }
    return lib_rc;
}

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

static cairo_status_t read_bytes(void *closure, unsigned char *data, unsigned int n)
{
    struct ia_str *left = closure;
    if (n > left->n) {
        return CAIRO_STATUS_READ_ERROR;
    }
    memcpy(data, left->p, n);
    left->p += n;
    left->n -= n;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_status_t write_bytes(void *closure, const unsigned char *data, unsigned int n)
{
    struct ia_buf *out = closure;
    ia_buf_put(out, data, n);
    return ia_buf_ok(out) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Paints the picture at the new size. The result has a failed status when something failed. */
static cairo_surface_t *scaled(cairo_surface_t *from, int width, int height)
{
    double sx = (double)width / lib.cairo_image_surface_get_width_(from);
    double sy = (double)height / lib.cairo_image_surface_get_height_(from);
    cairo_surface_t *to = lib.cairo_image_surface_create_(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cr = lib.cairo_create_(to);
    lib.cairo_scale_(cr, sx, sy);
    lib.cairo_set_source_surface_(cr, from, 0, 0);
    lib.cairo_pattern_set_filter_(lib.cairo_get_source_(cr), CAIRO_FILTER_GOOD);
    lib.cairo_pattern_set_extend_(lib.cairo_get_source_(cr), CAIRO_EXTEND_PAD);
    lib.cairo_paint_(cr);
    lib.cairo_destroy_(cr);
    return to;
}

static enum ia_rc rescale(struct ia_str png, int width, int height, struct ia_buf *out,
                          struct ia_err *err)
{
    struct ia_str left = png;
    cairo_surface_t *from = lib.cairo_image_surface_create_from_png_stream_(read_bytes, &left);
    if (lib.cairo_surface_status_(from) != CAIRO_STATUS_SUCCESS) {
        lib.cairo_surface_destroy_(from);
        return ia_err_set(err, IA_E_PARSE, "the screenshot's PNG is damaged");
    }
    cairo_surface_t *to = scaled(from, width, height);
    cairo_status_t status = lib.cairo_surface_write_to_png_stream_(to, write_bytes, out);
    lib.cairo_surface_destroy_(to);
    lib.cairo_surface_destroy_(from);
    if (status != CAIRO_STATUS_SUCCESS) {
        return ia_err_set(err, IA_E_LIMIT, "the scaled screenshot could not be written");
    }
    return IA_OK;
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
    rc = need_cairo(err);
    return rc == IA_OK ? rescale(png, width, height, ret_png, err) : rc;
}
