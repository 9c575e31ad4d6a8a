/* sketch.c: a canvas that the accessibility tree shows as one element: what is on it can only be
 * seen in pixels. A drag draws a line; a touch on the bar at the foot picks an ink or clears; a pinch
 * shows the paper larger, around its middle. */
#include "driver/embedded/apps/sketch/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bar at the foot: four inks, and Clear at its right end. */
enum {
    TOP = IA_SAFE_TOP,
    BAR_Y = 752,
    INK_X = 24,
    INK_PITCH = 60,
    INK_SIZE = 40,
    CLEAR_X = 290
};
enum { INKS = 4, PEN = 6 };

static const struct {
    const char *name;
    uint8_t color;
} inks[INKS] = {
    {"black", IA_COLOR_LABEL},
    {"red", IA_COLOR_RED},
    {"green", IA_COLOR_GREEN},
    {"blue", IA_COLOR_BLUE},
};

/* ---- touches ---- */

static void add_stroke(struct ia_sketch *s, struct ia_stroke stroke)
{
    if (s->count < IA_SKETCH_STROKES_MAX) {
        s->strokes = ia_realloc(s->strokes, (size_t)s->count + 1, sizeof(*s->strokes));
        s->strokes[s->count++] = stroke;
    }
}

static void touch_bar(struct ia_sketch *s, float x)
{
    int ink = (int)((x - INK_X) / INK_PITCH);
    if (x >= CLEAR_X) {
        s->count = 0;
    } else if (x >= INK_X && ink < INKS) {
        s->ink = (uint8_t)ink;
    }
}

/* Where the middle of the paper is, whatever its size. */
static const float MIDDLE_X = IA_SCREEN_W / 2.0F, MIDDLE_Y = (TOP + BAR_Y) / 2.0F;

/* A place on the screen as one on the paper. */
static uint16_t on_paper(float at, float middle, float zoom)
{
    return (uint16_t)lrintf(zoom > 1 ? middle + (at - middle) / zoom : at);
}

static float on_screen(uint16_t at, float middle, float zoom)
{
    return middle + ((float)at - middle) * zoom;
}

/* A touch that begins on the bar chooses there; elsewhere it draws, up to the bar. */
static void on_canvas(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_sketch *s = ia_phone_state_of(p, &ia_app_sketch)->data;
    const float h = IA_SCREEN_H - TOP;
    float x = t->from_fx * IA_SCREEN_W, y = TOP + t->from_fy * h;
    float to_x = t->fx * IA_SCREEN_W, to_y = fminf(TOP + t->fy * h, BAR_Y - 1);
    if (lrintf(y) >= BAR_Y) {
        touch_bar(s, to_x);
    } else if (t->pinch > 0) {
        s->zoom = fminf(fmaxf(s->zoom * t->pinch, 1), IA_SKETCH_ZOOM_MAX);
    } else {
        add_stroke(s, (struct ia_stroke){.x = on_paper(x, MIDDLE_X, s->zoom),
                                         .y = on_paper(y, MIDDLE_Y, s->zoom),
                                         .to_x = on_paper(to_x, MIDDLE_X, s->zoom),
                                         .to_y = on_paper(to_y, MIDDLE_Y, s->zoom),
                                         .ink = s->ink});
    }
}

/* ---- the screen: one element, and pixels ---- */

static void draw_stroke(struct ia_scene *s, const struct ia_stroke *k, float zoom)
{
    uint16_t left = k->x < k->to_x ? k->x : k->to_x, top = k->y < k->to_y ? k->y : k->to_y;
    float w = fabsf((float)k->to_x - (float)k->x), h = fabsf((float)k->to_y - (float)k->y);
    struct ia_view *v = ia_scene_add(s, IA_EL_ANY, on_screen(left, MIDDLE_X, zoom),
                                     on_screen(top, MIDDLE_Y, zoom), w * zoom, h * zoom);
    v->paint = IA_PAINT_LINE;
    v->color = inks[k->ink].color;
    v->size = (uint8_t)lrintf(PEN * zoom);
    v->flags = (k->to_x >= k->x) == (k->to_y >= k->y) ? 0 : IA_VIEW_RISING;
}

static void draw_paper(struct ia_scene *s, float zoom)
{
    (void)ia_scene_fill(s, IA_COLOR_PLAIN, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    struct ia_view *dots = ia_scene_add(s, IA_EL_ANY, 0, TOP, IA_SCREEN_W, BAR_Y - TOP);
    dots->paint = IA_PAINT_DOTS;
    dots->color = IA_COLOR_SEPARATOR;
    dots->size = (uint8_t)lrintf(21 * zoom);
}

static void draw_ink(struct ia_scene *s, int ink, bool chosen)
{
    float x = (float)(INK_X + ink * INK_PITCH), y = BAR_Y + 12;
    if (chosen) {
        ia_scene_fill(s, IA_COLOR_BLUE, x - 4, y - 4, INK_SIZE + 8, INK_SIZE + 8)->radius =
            (INK_SIZE + 8) / 2;
        ia_scene_fill(s, IA_COLOR_CARD, x - 2, y - 2, INK_SIZE + 4, INK_SIZE + 4)->radius =
            (INK_SIZE + 4) / 2;
    }
    ia_scene_fill(s, (enum ia_color)inks[ink].color, x, y, INK_SIZE, INK_SIZE)->radius =
        INK_SIZE / 2;
}

/* A floating bar: the inks, the chosen one in a ring, and Clear. */
static void draw_bar(struct ia_scene *s, const struct ia_sketch *sketch)
{
    struct ia_view *bar =
        ia_scene_fill(s, IA_COLOR_CARD, 10, BAR_Y + 2, IA_SCREEN_W - 20, INK_SIZE + 20);
    bar->radius = (INK_SIZE + 20) / 2;
    bar->flags |= IA_VIEW_SHADOW;
    for (int i = 0; i < INKS; i++) {
        draw_ink(s, i, i == sketch->ink);
    }
    struct ia_view *trash = ia_scene_add(s, IA_EL_ANY, CLEAR_X, BAR_Y + 22, 20, 20);
    trash->paint = IA_PAINT_SYMBOL;
    trash->symbol = IA_SYMBOL_TRASH;
    trash->color = IA_COLOR_RED;
    struct ia_view *clear =
        ia_scene_label(s, "Clear", CLEAR_X + 28, BAR_Y + 22, 60, IA_INK(17, IA_COLOR_RED, 0));
    clear->type = IA_EL_ANY;
}

static void build(struct ia_kit *k)
{
    struct ia_scene *s = k->scene;
    const struct ia_sketch *sketch = ia_phone_state_of_const(k->phone, &ia_app_sketch)->data;
    draw_paper(s, sketch->zoom);
    (void)ia_scene_push(s, IA_EL_OTHER, 0, TOP, IA_SCREEN_W, IA_SCREEN_H - TOP);
    struct ia_view *v = &s->views[s->parent];
    v->label = "Drawing board";
    v->tap = on_canvas;
    v->flags = IA_VIEW_DRAWS | IA_VIEW_ZOOMS | IA_VIEW_CLIP;
    if (sketch->zoom > 1) {
        v->value = ia_scene_printf(s, "%ld%%", lrintf(sketch->zoom * 100));
    }
    for (int i = 0; i < sketch->count; i++) {
        draw_stroke(s, &sketch->strokes[i], sketch->zoom);
    }
    draw_bar(s, sketch);
    ia_scene_pop(s);
}

/* ---- the app ---- */

static void *create(uint64_t seed)
{
    (void)seed;
    struct ia_sketch *s = ia_calloc(1, sizeof(*s));
    s->zoom = 1;
    return s;
}

static void destroy(void *data)
{
    struct ia_sketch *s = data;
    free(s->strokes);
    free(s);
}

/* sketch://save puts the drawing among the photos, once that is permitted. */
static void save(struct ia_phone *p)
{
    struct ia_buf name = IA_BUF(64);
    ia_buf_printf(&name, "Sketch %d.png", p->system.media_count + 1);
    ia_system_add_media(&p->system, ia_buf_str(&name), p->now_ms);
    ia_buf_fini(&name);
}

static void on_allow(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_system_permit(&p->system, IA_PRIVACY_GRANT, ia_app_find(ia_app_sketch.bundle_id),
                     ia_privacy_service_find(ia_str("photos-add")));
    save(p);
}

static void on_deny(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_system_permit(&p->system, IA_PRIVACY_REVOKE, ia_app_find(ia_app_sketch.bundle_id),
                     ia_privacy_service_find(ia_str("photos-add")));
}

static const struct ia_alert may_save = {
    .title = "\xE2\x80\x9CSketch\xE2\x80\x9D Would Like to Add to Your Photos",
    .message = "Drawings that you save are put there.",
    .buttons = {{"Don\xE2\x80\x99t Allow", IA_ALERT_CANCEL, on_deny},
                {"Allow", IA_ALERT_DEFAULT, on_allow}}};

static const struct ia_alert denied = {
    .title = "Cannot Save",
    .message = "Sketch may not add to your photos. You can change that in Settings.",
    .buttons = {{"OK", IA_ALERT_CANCEL, NULL}}};

static void open_url(struct ia_phone *p, struct ia_str url)
{
    int app = ia_app_find(ia_app_sketch.bundle_id);
    enum ia_permission may = ia_system_permission(&p->system, app, "photos-add");
    if (!ia_str_is(url, "sketch://save")) {
        return;
    }
    if (may == IA_PERMISSION_GRANTED) {
        save(p);
    } else if (may == IA_PERMISSION_DENIED) {
        ia_alert_show(p, &denied, 0);
    } else {
        p->system_alert = &may_save;
    }
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("sketch:"));
}

static void example(void *data)
{
    add_stroke(data, (struct ia_stroke){.x = 0});
}

static void state_json(const void *data, struct ia_jsonw *w)
{
    const struct ia_sketch *s = data;
    ia_jsonw_key(w, "sketch");
    ia_jsonw_array(w);
    for (int i = 0; i < s->count; i++) {
        const struct ia_stroke *k = &s->strokes[i];
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "ink", inks[k->ink].name);
        ia_jsonw_kv_int(w, "x", k->x);
        ia_jsonw_kv_int(w, "y", k->y);
        ia_jsonw_kv_int(w, "to_x", k->to_x);
        ia_jsonw_kv_int(w, "to_y", k->to_y);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_kv_int(w, "sketch_zoom_percent", lrintf(s->zoom * 100));
}

static const struct ia_screen screen = {"Sketch", build, NULL, NULL};

static const struct ia_field fields[] = {
    {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"}};

const struct ia_app ia_app_sketch = {
    .bundle_id = "com.example.sketch",
    .name = "Sketch",
    .icon = IA_ICON_SKETCH,
    .root = &screen,
    .fields = fields,
    .create = create,
    .destroy = destroy,
    .takes_url = takes_url,
    .open_url = open_url,
    .example = example,
    .state_json = state_json,
};
