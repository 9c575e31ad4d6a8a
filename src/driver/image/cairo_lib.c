/* cairo_lib.c: cairo, loaded when the first picture is drawn: most commands draw none, and loading
 * it costs more than the rest of a start. */
#include "driver/image/cairo_lib.h"

#include <pthread.h>
#include <string.h>

static struct ia_drawing table;
static struct ia_err load_err;
static enum ia_rc load_rc;

static void load(void)
{
#define ROW(fn) IA_LAZY_ROW(struct ia_drawing, fn),
    static const struct ia_lazy_sym syms[] = {IA_DRAWING_SYMS(ROW)};
#undef ROW
    static const char *const names[] = {"libcairo.so.2", "libcairo.2.dylib",
                                        "/opt/homebrew/lib/libcairo.2.dylib",
                                        "/usr/local/lib/libcairo.2.dylib", NULL};
    load_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err);
}

const struct ia_drawing *ia_drawing(struct ia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (load_rc == IA_OK) {
        return &table;
    }
    if (err) {
        *err = load_err;
    }
    return NULL;
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

enum ia_rc ia_drawing_read(const struct ia_drawing *lib, struct ia_str png,
                           cairo_surface_t **ret, struct ia_err *err)
{
    struct ia_str left = png;
    cairo_surface_t *s = lib->cairo_image_surface_create_from_png_stream_(read_bytes, &left);
    if (lib->cairo_surface_status_(s) != CAIRO_STATUS_SUCCESS) {
        lib->cairo_surface_destroy_(s);
        return ia_err_set(err, IA_E_PARSE, "the screenshot's PNG is damaged");
    }
    *ret = s;
    return IA_OK;
}

enum ia_rc ia_drawing_write(const struct ia_drawing *lib, cairo_surface_t *surface,
                            struct ia_buf *ret_png, struct ia_err *err)
{
    if (lib->cairo_surface_write_to_png_stream_(surface, write_bytes, ret_png) !=
        CAIRO_STATUS_SUCCESS) {
        return ia_err_set(err, IA_E_LIMIT, "cannot write the picture");
    }
    return IA_OK;
}
