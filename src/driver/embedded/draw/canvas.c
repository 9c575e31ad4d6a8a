/* canvas.c: cairo, loaded at the first drawing, and the shapes, symbols and texts drawn with it.
 *
 * Text is laid out by the table of text.c. The font that is there draws each line stretched to that
 * width, so that a tree and a picture agree on every machine. */
#include "driver/embedded/draw/canvas.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this a stretched glyph looks wrong; it is centred instead. */
#define STRETCH_MAX 1.1

static struct ia_cairo table;
static struct ia_err load_err;
static enum ia_rc load_rc;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = {"libcairo.so.2", "libcairo.2.dylib",
                                        "/opt/homebrew/lib/libcairo.2.dylib",
                                        "/usr/local/lib/libcairo.2.dylib", NULL};
#define ROW(fn) IA_LAZY_ROW(struct ia_cairo, fn),
    static const struct ia_lazy_sym syms[] = {IA_CAIRO_LIST(ROW)};
#undef ROW
    load_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err);
}

const struct ia_cairo *ia_cairo_lib(struct ia_err *err)
{
    (void)pthread_once(&load_once, load);
    if (load_rc == IA_OK) {
        return &table;
    }
    if (err) {
        *err = load_err;
    }
    return NULL;
}

void ia_canvas_rgba(const struct ia_canvas *c, uint32_t v)
{
    c->lib->cairo_set_source_rgba_(c->cr, (v >> 24) / 255.0, (v >> 16 & 0xFF) / 255.0,
                                   (v >> 8 & 0xFF) / 255.0, (v & 0xFF) / 255.0);
}

void ia_canvas_color(const struct ia_canvas *c, enum ia_color color)
{
    ia_canvas_rgba(c, ia_color_rgba(color, c->dark));
}

static void add_stop(const struct ia_canvas *c, cairo_pattern_t *p, double at, uint32_t v)
{
    c->lib->cairo_pattern_add_color_stop_rgba_(p, at, (v >> 24) / 255.0,
                                               (v >> 16 & 0xFF) / 255.0,
                                               (v >> 8 & 0xFF) / 255.0, (v & 0xFF) / 255.0);
}

void ia_canvas_gradient(const struct ia_canvas *c, double y0, double y1, uint32_t top,
                        uint32_t foot)
{
    cairo_pattern_t *p = c->lib->cairo_pattern_create_linear_(0, y0, 0, y1);
    add_stop(c, p, 0, top);
    add_stop(c, p, 1, foot);
    c->lib->cairo_set_source_(c->cr, p);
    c->lib->cairo_fill_(c->cr);
    c->lib->cairo_pattern_destroy_(p);
}

static void corner(const struct ia_canvas *c, double x, double y, double r, int quarter)
{
    c->lib->cairo_arc_(c->cr, x, y, r, (quarter - 2) * IA_PI / 2, (quarter - 1) * IA_PI / 2);
}

void ia_canvas_round_rect(const struct ia_canvas *c, double x, double y, double w, double h,
                          double radius, uint32_t corners)
{
    double r = radius < w / 2 ? radius : w / 2;
    r = r < h / 2 ? r : h / 2;
    if (r <= 0) {
        c->lib->cairo_rectangle_(c->cr, x, y, w, h);
        return;
    }
    bool all = !(corners & (IA_VIEW_ROUND_TOP | IA_VIEW_ROUND_BOTTOM));
    double top = all || (corners & IA_VIEW_ROUND_TOP) ? r : 0;
    double foot = all || (corners & IA_VIEW_ROUND_BOTTOM) ? r : 0;
    c->lib->cairo_new_sub_path_(c->cr);
    corner(c, x + top, y + top, top, 0);
    corner(c, x + w - top, y + top, top, 1);
    corner(c, x + w - foot, y + h - foot, foot, 2);
    corner(c, x + foot, y + h - foot, foot, 3);
    c->lib->cairo_close_path_(c->cr);
}

void ia_canvas_circle(const struct ia_canvas *c, double x, double y, double r)
{
    c->lib->cairo_new_sub_path_(c->cr);
    c->lib->cairo_arc_(c->cr, x, y, r, 0, 2 * IA_PI);
}

enum { NUMBERS_MAX = 6 };

/* How many numbers follow a command of the symbol language. */
static int operand_count(char command)
{
    static const char commands[] = "MLCZOARFSK";
    static const int counts[] = {2, 2, 6, 0, 3, 5, 5, 0, 1, 1};
    const char *at = strchr(commands, command);
    return at ? counts[at - commands] : 0;
}

static void path_step(const struct ia_canvas *c, char command, const double n[NUMBERS_MAX])
{
    const struct ia_cairo *lib = c->lib;
    switch (command) {
    case 'M':
        lib->cairo_move_to_(c->cr, n[0], n[1]);
        break;
    case 'L':
        lib->cairo_line_to_(c->cr, n[0], n[1]);
        break;
    case 'C':
        lib->cairo_curve_to_(c->cr, n[0], n[1], n[2], n[3], n[4], n[5]);
        break;
    case 'Z':
        lib->cairo_close_path_(c->cr);
        break;
    case 'O':
        ia_canvas_circle(c, n[0], n[1], n[2]);
        break;
    case 'A':
        lib->cairo_new_sub_path_(c->cr);
        lib->cairo_arc_(c->cr, n[0], n[1], n[2], n[3] * IA_PI / 180, n[4] * IA_PI / 180);
        break;
    case 'R':
        ia_canvas_round_rect(c, n[0], n[1], n[2], n[3], n[4], 0);
        break;
    case 'F':
        lib->cairo_fill_(c->cr);
        break;
    case 'S':
        lib->cairo_set_line_width_(c->cr, n[0]);
        lib->cairo_stroke_(c->cr);
        break;
    case 'K':
        ia_canvas_rgba(c, (uint32_t)n[0]);
        break;
    default:
        break;
    }
}

void ia_canvas_symbol(const struct ia_canvas *c, enum ia_symbol symbol, struct ia_rect box)
{
    const struct ia_cairo *lib = c->lib;
    lib->cairo_save_(c->cr);
    lib->cairo_translate_(c->cr, box.x, box.y);
    lib->cairo_scale_(c->cr, box.w / 24, box.h / 24);
    lib->cairo_set_fill_rule_(c->cr, CAIRO_FILL_RULE_EVEN_ODD);
    lib->cairo_set_line_cap_(c->cr, CAIRO_LINE_CAP_ROUND);
    lib->cairo_set_line_join_(c->cr, CAIRO_LINE_JOIN_ROUND);
    lib->cairo_new_path_(c->cr);
    for (const char *p = ia_symbol_path(symbol); *p;) {
        char command = *p++;
        double n[NUMBERS_MAX] = {0};
        for (int i = 0; i < operand_count(command); i++) {
            char *end;
            n[i] = strtod(p, &end);
            p = end;
        }
        path_step(c, command, n);
        p += strspn(p, " ");
    }
    lib->cairo_restore_(c->cr);
}

static double probe_width(const struct ia_canvas *c, const char *family)
{
    cairo_text_extents_t ext;
    c->lib->cairo_select_font_face_(c->cr, family, CAIRO_FONT_SLANT_NORMAL,
                                    CAIRO_FONT_WEIGHT_NORMAL);
    c->lib->cairo_set_font_size_(c->cr, 100);
    c->lib->cairo_text_extents_(c->cr, "Hamburgefonstiv 0123456789", &ext);
    return ext.x_advance;
}

/* The installed family that is nearest to the platform's own. cairo silently takes its default
 * for a family that it does not find, so one as wide as a family that nobody has is not there. */
static const char *family_of(const struct ia_canvas *c)
{
    static const char *const families[] = {"SF Pro Text", "Inter", "Helvetica Neue",
                                           "Helvetica", "Liberation Sans"};
    static const char *chosen; /* ia_paint_png draws one picture at a time */
    if (!chosen) {
        double none = probe_width(c, "no such family");
        chosen = "sans-serif";
        for (size_t i = IA_COUNTOF(families); i-- > 0;) {
            double w = probe_width(c, families[i]);
            chosen = w < none || w > none ? families[i] : chosen;
        }
    }
    return chosen;
}

void ia_canvas_text(const struct ia_canvas *c, const char *text, struct ia_rect box,
                    double size, bool bold)
{
    const struct ia_cairo *lib = c->lib;
    lib->cairo_select_font_face_(c->cr, family_of(c), CAIRO_FONT_SLANT_NORMAL,
                                 bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    lib->cairo_set_font_size_(c->cr, size);
    cairo_text_extents_t ext;
    lib->cairo_text_extents_(c->cr, text, &ext);
    if (ext.x_advance <= 0) {
        return;
    }
    double fit = box.w / ext.x_advance;
    double stretch = fit < STRETCH_MAX ? fit : STRETCH_MAX;
    double spare = box.w - ext.x_advance * stretch;
    lib->cairo_save_(c->cr);
    lib->cairo_translate_(c->cr, box.x + spare / 2, box.y + box.h / 2 + size * 0.36);
    lib->cairo_scale_(c->cr, stretch, 1);
    lib->cairo_move_to_(c->cr, 0, 0);
    lib->cairo_show_text_(c->cr, text);
    lib->cairo_restore_(c->cr);
}
