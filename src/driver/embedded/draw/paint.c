/* paint.c: a scene as a PNG: views in their order, each by its enum ia_paint, and children of a
 * clipping view inside its frame. */
#include "driver/embedded/draw/paint.h"

#include "driver/embedded/draw/canvas.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct ia_rect box_of(const struct ia_view *v)
{
    return (struct ia_rect){v->x, v->y, v->w, v->h};
}

static void fill_view(const struct ia_canvas *c, const struct ia_view *v)
{
    if (v->flags & IA_VIEW_SHADOW) {
        ia_canvas_rgba(c, 0x0000004D);
        ia_canvas_round_rect(c, v->x, v->y + 1.0, v->w, v->h, v->radius, v->flags);
        c->lib->cairo_fill_(c->cr);
    }
    ia_canvas_color(c, (enum ia_color)v->color);
    ia_canvas_round_rect(c, v->x, v->y, v->w, v->h, v->radius, v->flags);
    c->lib->cairo_fill_(c->cr);
}

static void text_view(const struct ia_canvas *c, const struct ia_view *v)
{
    struct ia_rect box = box_of(v);
    bool bold = (v->flags & IA_VIEW_BOLD) != 0;
    float w = ia_text_width(v->text, strlen(v->text), v->size, bold);
    if (v->flags & IA_VIEW_CENTER) {
        box.x += (box.w - w) / 2;
    }
    box.w = w;
    ia_canvas_color(c, (enum ia_color)v->color);
    ia_canvas_text(c, v->text, box, v->size, bold);
}

static void switch_view(const struct ia_canvas *c, const struct ia_view *v)
{
    bool on = (v->flags & IA_VIEW_ON) != 0;
    double r = v->h / 2.0;
    ia_canvas_color(c, on ? IA_COLOR_GREEN : IA_COLOR_TRACK);
    ia_canvas_round_rect(c, v->x, v->y, v->w, v->h, r, 0);
    c->lib->cairo_fill_(c->cr);
    double x = on ? v->x + v->w - r : v->x + r;
    ia_canvas_rgba(c, 0x00000026);
    ia_canvas_circle(c, x, v->y + r + 1, r - 1.5);
    c->lib->cairo_fill_(c->cr);
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_circle(c, x, v->y + r, r - 2);
    c->lib->cairo_fill_(c->cr);
}

static void slider_view(const struct ia_canvas *c, const struct ia_view *v)
{
    double middle = v->y + v->h / 2.0, at = v->x + (double)v->w * v->level / 100;
    ia_canvas_color(c, IA_COLOR_TRACK);
    ia_canvas_round_rect(c, v->x, middle - 2, v->w, 4, 2, 0);
    c->lib->cairo_fill_(c->cr);
    ia_canvas_color(c, IA_COLOR_BLUE);
    ia_canvas_round_rect(c, v->x, middle - 2, at - v->x, 4, 2, 0);
    c->lib->cairo_fill_(c->cr);
    ia_canvas_rgba(c, 0x00000033);
    ia_canvas_circle(c, at, middle + 1, 14.5);
    c->lib->cairo_fill_(c->cr);
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_circle(c, at, middle, 14);
    c->lib->cairo_fill_(c->cr);
}

static void tile_view(const struct ia_canvas *c, const struct ia_view *v)
{
    ia_canvas_color(c, (enum ia_color)v->color);
    ia_canvas_round_rect(c, v->x, v->y, v->w, v->h, 7, 0);
    c->lib->cairo_fill_(c->cr);
    double inset = v->w * 0.17;
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_symbol(
        c, (enum ia_symbol)v->symbol,
        (struct ia_rect){v->x + inset, v->y + inset, v->w - 2 * inset, v->h - 2 * inset});
}

/* Hills of flat colour over a vertical gradient: rows of one colour, quick to compress. */
static void wallpaper(const struct ia_canvas *c, const struct ia_view *v)
{
    static const struct {
        double x, y, r;
        uint32_t light, dark;
    } hills[] = {
        {320, 560, 330, 0x7C6FD033, 0x4A3F8A33},
        {30, 760, 380, 0xC779B84D, 0x6A3F6A4D},
        {380, 980, 400, 0xF2A0A866, 0x8A4A6A55},
    };
    c->lib->cairo_rectangle_(c->cr, v->x, v->y, v->w, v->h);
    ia_canvas_gradient(c, v->y, v->y + v->h, c->dark ? 0x0E1C44FF : 0x3F86D9FF,
                       c->dark ? 0x33204FFF : 0x8E6CC8FF);
    for (size_t i = 0; i < IA_COUNTOF(hills); i++) {
        ia_canvas_rgba(c, c->dark ? hills[i].dark : hills[i].light);
        ia_canvas_circle(c, hills[i].x, hills[i].y, hills[i].r);
        c->lib->cairo_fill_(c->cr);
    }
}

/* Signal bars, or an airplane. */
static void signal_bars(const struct ia_canvas *c, const struct ia_view *v)
{
    if (v->flags & IA_VIEW_AIRPLANE) {
        ia_canvas_symbol(c, IA_SYMBOL_AIRPLANE, (struct ia_rect){v->x + 2, v->y, 16, 16});
        return;
    }
    for (int i = 0; i < 4; i++) {
        double h = 4.0 + 2.6 * i;
        uint32_t full = v->flags & IA_VIEW_LIGHT || c->dark ? 0xFFFFFFFF : 0x000000FF;
        ia_canvas_rgba(c, i < v->size ? full : (full & 0xFFFFFF00) | 0x4D);
        ia_canvas_round_rect(c, v->x + 4.8 * i, v->y + 14 - h, 3.2, h, 1, 0);
        c->lib->cairo_fill_(c->cr);
    }
}

/* The fan's arcs lie over each other: weaker, only its lower part is in full ink. */
static void wifi_fan(const struct ia_canvas *c, const struct ia_view *v, uint32_t ink)
{
    struct ia_rect box = {v->x + 26, v->y + 0.5, 17, 15};
    double top = v->radius >= 3 ? 0 : v->radius == 2 ? 0.36 : v->radius == 1 ? 0.58 : 1;
    if (top > 0) {
        ia_canvas_rgba(c, (ink & 0xFFFFFF00) | 0x4D);
        ia_canvas_symbol(c, IA_SYMBOL_WIFI, box);
        ia_canvas_rgba(c, ink);
    }
    c->lib->cairo_save_(c->cr);
    c->lib->cairo_rectangle_(c->cr, box.x, box.y + box.h * top, box.w, box.h * (1 - top));
    c->lib->cairo_clip_(c->cr);
    if (top < 1) {
        ia_canvas_symbol(c, IA_SYMBOL_WIFI, box);
    }
    c->lib->cairo_restore_(c->cr);
}

static void signal_view(const struct ia_canvas *c, const struct ia_view *v)
{
    uint32_t ink = v->flags & IA_VIEW_LIGHT || c->dark ? 0xFFFFFFFF : 0x000000FF;
    ia_canvas_rgba(c, ink);
    signal_bars(c, v);
    ia_canvas_rgba(c, ink);
    if (!(v->flags & IA_VIEW_NO_WIFI)) {
        wifi_fan(c, v, ink);
    } else if (v->text) {
        double w = fmin(ia_text_width(v->text, strlen(v->text), 11, true), 25);
        ia_canvas_text(c, v->text, (struct ia_rect){v->x + 46 - w, v->y + 1, w, 14}, 11, true);
    }
    double x = v->x + 50, y = v->y + 2;
    ia_canvas_rgba(c, (ink & 0xFFFFFF00) | 0x66);
    c->lib->cairo_set_line_width_(c->cr, 1);
    ia_canvas_round_rect(c, x + 0.5, y + 0.5, 24, 11.5, 3.8, 0);
    c->lib->cairo_stroke_(c->cr);
    ia_canvas_round_rect(c, x + 25.7, y + 4.2, 1.6, 4, 0.8, 0);
    c->lib->cairo_fill_(c->cr);
    if (v->flags & IA_VIEW_ON) {
        ia_canvas_color(c, IA_COLOR_GREEN);
    } else {
        ia_canvas_rgba(c, ink);
    }
    ia_canvas_round_rect(c, x + 2, y + 2, 21.0 * v->level / 100, 8.5, 2.4, 0);
    c->lib->cairo_fill_(c->cr);
    if (v->flags & IA_VIEW_PERCENT) {
        char digits[4] = {(char)('0' + v->level / 10 % 10), (char)('0' + v->level % 10)};
        const char *text = v->level == 100 ? "100" : digits;
        double w = ia_text_width(text, strlen(text), 10, true);
        ia_canvas_rgba(c, ink == 0x000000FF ? 0xFFFFFFFF : 0x000000FF);
        ia_canvas_text(c, text, (struct ia_rect){x + 12.5 - w / 2, y, w, 12.5}, 10, true);
    }
}

static void hand(const struct ia_canvas *c, double x, double y, double turn, double len,
                 double w)
{
    double a = turn * 2 * IA_PI - IA_PI / 2;
    c->lib->cairo_set_line_width_(c->cr, w);
    c->lib->cairo_set_line_cap_(c->cr, CAIRO_LINE_CAP_ROUND);
    c->lib->cairo_move_to_(c->cr, x, y);
    c->lib->cairo_line_to_(c->cr, x + len * cos(a), y + len * sin(a));
    c->lib->cairo_stroke_(c->cr);
}

static void clock_view(const struct ia_canvas *c, const struct ia_view *v)
{
    double r = v->w / 2.0, x = v->x + r, y = v->y + r;
    ia_canvas_rgba(c, c->dark ? 0x2C2C2EFF : 0x1C1C1EFF);
    ia_canvas_circle(c, x, y, r);
    c->lib->cairo_fill_(c->cr);
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_circle(c, x, y, r - 5);
    c->lib->cairo_fill_(c->cr);
    ia_canvas_rgba(c, 0x1C1C1EFF);
    for (int i = 1; i <= 12; i++) {
        static const char *const numbers[] = {"1", "2", "3", "4",  "5",  "6",
                                              "7", "8", "9", "10", "11", "12"};
        double a = i * IA_PI / 6 - IA_PI / 2,
               w = ia_text_width(numbers[i - 1], i > 9 ? 2 : 1, 13, true);
        struct ia_rect box = {x + (r - 16) * cos(a) - w / 2, y + (r - 16) * sin(a) - 8, w, 16};
        ia_canvas_text(c, numbers[i - 1], box, 13, true);
    }
    double minutes = v->size;
    hand(c, x, y, (v->level + minutes / 60) / 12, r * 0.45, 4);
    hand(c, x, y, minutes / 60, r * 0.68, 3);
    ia_canvas_color(c, IA_COLOR_ORANGE);
    ia_canvas_circle(c, x, y, 3);
    c->lib->cairo_fill_(c->cr);
}

static void line_view(const struct ia_canvas *c, const struct ia_view *v)
{
    bool rising = (v->flags & IA_VIEW_RISING) != 0;
    ia_canvas_color(c, (enum ia_color)v->color);
    c->lib->cairo_set_line_width_(c->cr, v->size);
    c->lib->cairo_set_line_cap_(c->cr, CAIRO_LINE_CAP_ROUND);
    c->lib->cairo_move_to_(c->cr, v->x, rising ? v->y + v->h : v->y);
    c->lib->cairo_line_to_(c->cr, v->x + v->w, rising ? v->y : v->y + v->h);
    c->lib->cairo_stroke_(c->cr);
}

static void dots_view(const struct ia_canvas *c, const struct ia_view *v)
{
    int across = (int)(v->w / (float)v->size), down = (int)(v->h / (float)v->size);
    ia_canvas_color(c, (enum ia_color)v->color);
    for (int i = 0; i < across * down; i++) {
        int column = i % across, row = i / across;
        ia_canvas_circle(c, v->x + (column + 0.5) * v->size, v->y + (row + 0.5) * v->size, 0.8);
    }
    c->lib->cairo_fill_(c->cr);
}

static void paint_view(const struct ia_canvas *c, const struct ia_view *v)
{
    switch ((enum ia_paint)v->paint) {
    case IA_PAINT_NONE:
        break;
    case IA_PAINT_FILL:
        fill_view(c, v);
        break;
    case IA_PAINT_TEXT:
        text_view(c, v);
        break;
    case IA_PAINT_SWITCH:
        switch_view(c, v);
        break;
    case IA_PAINT_SLIDER:
        slider_view(c, v);
        break;
    case IA_PAINT_SYMBOL:
        ia_canvas_color(c, (enum ia_color)v->color);
        ia_canvas_symbol(c, (enum ia_symbol)v->symbol, box_of(v));
        break;
    case IA_PAINT_TILE:
        tile_view(c, v);
        break;
    case IA_PAINT_APP_ICON:
        ia_icon_paint(c, v);
        break;
    case IA_PAINT_WALLPAPER:
        wallpaper(c, v);
        break;
    case IA_PAINT_SIGNAL:
        signal_view(c, v);
        break;
    case IA_PAINT_CLOCK_FACE:
        clock_view(c, v);
        break;
    case IA_PAINT_DOTS:
        dots_view(c, v);
        break;
    case IA_PAINT_LINE:
        line_view(c, v);
        break;
    }
}

static bool on_screen(const struct ia_display *d, const struct ia_view *v)
{
    return v->y < d->h && v->y + v->h > 0 && v->x < d->w && v->x + v->w > 0;
}

/* Paints from..to, each clipping view's descendants inside its frame. */
static void paint_range(const struct ia_canvas *c, const struct ia_scene *s, int32_t from,
                        int32_t to)
{
    for (int32_t i = from; i < to;) {
        const struct ia_view *v = &s->views[i];
        if (on_screen(s->display, v)) {
            paint_view(c, v);
        }
        if (v->flags & IA_VIEW_CLIP) {
            c->lib->cairo_save_(c->cr);
            c->lib->cairo_rectangle_(c->cr, v->x, v->y, v->w, v->h);
            c->lib->cairo_clip_(c->cr);
            paint_range(c, s, i + 1, v->end);
            c->lib->cairo_restore_(c->cr);
            i = v->end;
        } else {
            i++;
        }
    }
}

/* Glyphs are placed and drawn the same at any position. */
static void plain_glyphs(const struct ia_canvas *c)
{
    cairo_font_options_t *o = c->lib->cairo_font_options_create_();
    c->lib->cairo_font_options_set_hint_style_(o, CAIRO_HINT_STYLE_NONE);
    c->lib->cairo_font_options_set_hint_metrics_(o, CAIRO_HINT_METRICS_OFF);
    c->lib->cairo_font_options_set_antialias_(o, CAIRO_ANTIALIAS_GRAY);
    c->lib->cairo_set_font_options_(c->cr, o);
    c->lib->cairo_font_options_destroy_(o);
}

static cairo_status_t write_png(void *ctx, const unsigned char *bytes, unsigned n)
{
    struct ia_buf *out = ctx;
    ia_buf_put(out, bytes, n);
    return ia_buf_ok(out) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* From points of the screen to pixels of a picture in which the phone's own top is up. */
static void turn_back(const struct ia_canvas *c, enum ia_orientation o)
{
    bool left = o == IA_LANDSCAPE_LEFT;
    if (o != IA_PORTRAIT) {
        c->lib->cairo_translate_(c->cr, left ? IA_SCREEN_W : 0, left ? 0 : IA_SCREEN_H);
        c->lib->cairo_rotate_(c->cr, left ? IA_PI / 2 : -IA_PI / 2);
    }
}

static enum ia_rc paint(const struct ia_cairo *lib, const struct ia_scene *s, int scale,
                        enum ia_orientation o, struct ia_buf *out, struct ia_err *err)
{
    const struct ia_display *d = o == IA_PORTRAIT ? s->display : &ia_display_upright;
    cairo_surface_t *surface = lib->cairo_image_surface_create_(
        CAIRO_FORMAT_RGB24, (int)d->w * scale, (int)d->h * scale);
    struct ia_canvas c = {lib, lib->cairo_create_(surface), s->dark};
    lib->cairo_scale_(c.cr, scale, scale);
    turn_back(&c, o);
    plain_glyphs(&c);
    paint_range(&c, s, 0, s->count);
    bool good = lib->cairo_status_(c.cr) == CAIRO_STATUS_SUCCESS;
    lib->cairo_destroy_(c.cr);
    good = good && lib->cairo_surface_write_to_png_stream_(surface, write_png, out) ==
                       CAIRO_STATUS_SUCCESS;
    lib->cairo_surface_destroy_(surface);
    if (!ia_buf_ok(out)) {
        return ia_buf_check(out, "the screenshot", err);
    }
    return good ? IA_OK : ia_err_set(err, IA_E_DEVICE, "cairo could not draw the screen");
}

enum ia_rc ia_paint_png(const struct ia_scene *s, int scale, enum ia_orientation turned_back,
                        struct ia_buf *ret_png, struct ia_err *err)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    const struct ia_cairo *lib = ia_cairo_lib(err);
    if (!lib) {
        return IA_E_MISSING;
    }
    (void)pthread_mutex_lock(&one);
    enum ia_rc rc = paint(lib, s, scale, turned_back, ret_png, err);
    (void)pthread_mutex_unlock(&one);
    return rc;
}
