/* controls.c: the controls of the catalogue: what each kind shows, and what a touch does to it. */
#include "driver/embedded/apps/catalog/catalog.h"

#include <math.h>
#include <string.h>

enum {
    PAD = IA_KIT_MARGIN,
    ROW_H = IA_KIT_ROW_H,
    TEXT = 17,
    STEPPER_W = 94,
    STEPPER_H = 32,
    WHEEL_ROW_H = 32,
    WHEEL_ROWS = 3, /* above and below the chosen one */
    PICTURE_H = 260,
    WEB_H = 420
};

struct ia_catalog *ia_catalog_of(struct ia_phone *p)
{
    return ia_phone_front(p)->data;
}

const struct ia_catalog *ia_catalog_of_const(const struct ia_phone *p)
{
    return ia_phone_front_const(p)->data;
}

/* ---- touches ---- */

static const struct ia_catalog_item *item_of(const struct ia_phone *p, int i)
{
    return &ia_catalog_pages[ia_catalog_of_const(p)->page].items[i];
}

/* To the nearest value that the control may have. */
static void set(struct ia_phone *p, int i, long value)
{
    const struct ia_catalog_item *it = item_of(p, i);
    value = value < it->min ? it->min : value > it->max ? it->max : value;
    ia_catalog_of(p)->values[i] = (int16_t)value;
}

static void on_alert(struct ia_phone *p, const struct ia_touch *t)
{
    ia_alert_show(p, &ia_catalog_alerts[t->arg], 0);
}

static void on_button(struct ia_phone *p, const struct ia_touch *t)
{
    ia_catalog_of(p)->values[t->arg]++;
}

static void on_toggle(struct ia_phone *p, const struct ia_touch *t)
{
    set(p, t->arg, !ia_catalog_of(p)->values[t->arg]);
}

/* arg: the item twice, and 1 for one more. */
static void on_step(struct ia_phone *p, const struct ia_touch *t)
{
    int i = t->arg / 2;
    set(p, i, ia_catalog_of(p)->values[i] + (t->arg % 2 ? 1 : -1));
}

static void on_segment(struct ia_phone *p, const struct ia_touch *t)
{
    set(p, t->arg / IA_CATALOG_SEGMENTS_MAX, t->arg % IA_CATALOG_SEGMENTS_MAX);
}

static void on_slider(struct ia_phone *p, const struct ia_touch *t)
{
    set(p, t->arg, lrintf(t->fx * 100));
}

/* The right half shows the next page, the left one the page before. */
static void on_pager(struct ia_phone *p, const struct ia_touch *t)
{
    set(p, t->arg, ia_catalog_of(p)->values[t->arg] + (t->fx >= 0.5F ? 1 : -1));
}

/* A row that is touched turns to the middle; a drag turns the wheel as far as the finger moves. */
static void on_wheel(struct ia_phone *p, const struct ia_touch *t)
{
    float rows = (float)IA_CATALOG_WHEEL_H / WHEEL_ROW_H;
    bool dragged = fabsf(t->fy - t->from_fy) * rows >= 0.5F;
    long by = lrintf((dragged ? t->from_fy - t->fy : t->fy - 0.5F) * rows);
    set(p, t->arg, ia_catalog_of(p)->values[t->arg] + by * item_of(p, t->arg)->step);
}

/* ---- rows ---- */

struct ia_rect ia_catalog_cell(struct ia_kit *k, float h, ia_touch_fn *tap, int32_t arg)
{
    struct ia_rect f = ia_kit_card(k, h, PAD);
    int32_t cell = ia_scene_push(k->scene, IA_EL_CELL, (float)f.x, (float)f.y, (float)f.w, h);
    k->scene->views[cell].tap = tap;
    k->scene->views[cell].arg = arg;
    return f;
}

struct spot {
    struct ia_kit *k;
    const struct ia_catalog_item *item;
    int i;         /* of the item on its page */
    int value;     /* it shows now */
    float x, y, w; /* of its cell */
};

static struct spot spot(struct ia_kit *k, int i, float h, ia_touch_fn *tap, int32_t arg)
{
    struct ia_rect f = ia_catalog_cell(k, h, tap, arg);
    return (struct spot){
        k,          item_of(k->phone, i), i,         ia_catalog_of_const(k->phone)->values[i],
        (float)f.x, (float)f.y,           (float)f.w};
}

static struct ia_view *text(const struct spot *at, const char *words, float x, float y)
{
    return ia_scene_label(at->k->scene, words, x, y, at->w - 2 * PAD,
                          IA_INK(TEXT, IA_COLOR_LABEL, 0));
}

static void text_row(struct ia_kit *k, int i)
{
    const struct ia_catalog_item *it = item_of(k->phone, i);
    bool alert = it->kind == IA_CATALOG_ALERT;
    struct spot at = spot(k, i, ROW_H, alert ? on_alert : NULL, it->value);
    text(&at, it->label, at.x + PAD, at.y + 11.5F)->color =
        alert ? IA_COLOR_BLUE : IA_COLOR_LABEL;
    ia_scene_pop(k->scene);
}

static void long_text(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, 120, NULL, 0);
    struct ia_scene *s = k->scene;
    int32_t view = ia_scene_push(s, IA_EL_TEXT_VIEW, at.x + PAD, at.y + 8, at.w - 2 * PAD, 104);
    s->views[view].value = at.item->label;
    int32_t lines = s->count;
    (void)ia_kit_text(s, at.item->label,
                      (struct ia_rect){at.x + PAD, at.y + 12, at.w - 2 * PAD, 0},
                      IA_INK(TEXT, IA_COLOR_LABEL, 0));
    s->views[lines].type = IA_EL_ANY; /* the text view has the text */
    ia_scene_pop(s);
    ia_scene_pop(s);
}

/* A button of a row's height, its label drawn in it. The caller pops it. */
static struct ia_view *push_button(struct ia_kit *k, const char *label, struct ia_rect box,
                                   ia_touch_fn *tap, int32_t arg)
{
    const struct ia_kit_button b = {.label = label, .tap = tap, .arg = arg};
    (void)ia_kit_push_button(k, &b, &box);
    return &k->scene->views[k->scene->parent];
}

static void caption(struct ia_scene *s, const char *label, float x, float y,
                    enum ia_color color)
{
    ia_scene_label(s, label, x, y, 200, IA_INK(TEXT, color, 0))->type = IA_EL_ANY;
}

static void button_row(struct ia_kit *k, int i)
{
    bool toggle = item_of(k->phone, i)->kind == IA_CATALOG_TOGGLE;
    struct spot at = spot(k, i, ROW_H, NULL, 0);
    float w = ia_text_width(at.item->label, strlen(at.item->label), TEXT, false) + 24;
    enum ia_symbol mark = toggle ? IA_SYMBOL_NONE : (enum ia_symbol)at.item->value;
    float left = mark ? 28 : 0;
    struct ia_view *v =
        push_button(k, at.item->label, (struct ia_rect){at.x + PAD, at.y + 4, w + left, 36},
                    toggle ? on_toggle : on_button, i);
    bool on = toggle && at.value;
    if (on) {
        v->flags |= IA_VIEW_SELECTED;
        v->paint = IA_PAINT_FILL;
        v->color = IA_COLOR_BLUE;
        v->radius = 8;
    }
    enum ia_color ink = on ? IA_COLOR_WHITE : IA_COLOR_BLUE;
    if (mark) {
        ia_kit_symbol(k->scene, mark, ink, (struct ia_rect){at.x + PAD + 8, at.y + 12, 20, 20});
    }
    caption(k->scene, at.item->label, at.x + PAD + 12 + left, at.y + 11.5F, ink);
    ia_scene_pop(k->scene);
    ia_scene_pop(k->scene);
}

/* ---- controls with values ---- */

static void stepper_half(const struct spot *at, const char *label, enum ia_symbol which,
                         float x, bool more)
{
    struct ia_view *v =
        push_button(at->k, label, (struct ia_rect){x, at->y + 6, STEPPER_W / 2.0F, STEPPER_H},
                    on_step, at->i * 2 + more);
    bool end = at->value == (more ? at->item->max : at->item->min);
    v->flags |= end ? IA_VIEW_DISABLED : 0;
    v->tap = end ? NULL : v->tap;
    ia_kit_symbol(at->k->scene, which, end ? IA_COLOR_TERTIARY : IA_COLOR_LABEL,
                  (struct ia_rect){x + 15.5F, at->y + 14, 16, 16});
    ia_scene_pop(at->k->scene);
}

static void stepper(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, ROW_H, NULL, 0);
    struct ia_scene *s = k->scene;
    float x = at.x + PAD;
    int32_t view = ia_scene_push(s, IA_EL_STEPPER, x, at.y + 6, STEPPER_W, STEPPER_H);
    s->views[view].paint = IA_PAINT_FILL;
    s->views[view].color = IA_COLOR_FIELD;
    s->views[view].radius = 8;
    const char *value = ia_scene_printf(s, "%d", at.value);
    s->views[view].value = value;
    stepper_half(&at, "Decrement", IA_SYMBOL_MINUS, x, false);
    stepper_half(&at, "Increment", IA_SYMBOL_PLUS, x + STEPPER_W / 2.0F, true);
    ia_scene_pop(s);
    (void)text(&at, value, x + STEPPER_W + 24, at.y + 11.5F);
    ia_scene_pop(s);
}

static int names_count(const char *const *names)
{
    int n = 0;
    while (names[n]) {
        n++;
    }
    return n;
}

/* Buttons side by side, the chosen one on a ground of its own: segments, or a toolbar. */
static void segments(struct ia_kit *k, int i)
{
    bool bar = item_of(k->phone, i)->kind == IA_CATALOG_TOOLBAR;
    struct spot at = spot(k, i, ROW_H, NULL, 0);
    struct ia_scene *s = k->scene;
    int n = names_count(at.item->names);
    float x = at.x + PAD, w = floorf((at.w - 2 * PAD) / (float)n);
    struct ia_view *all =
        &s->views[ia_scene_push(s, bar ? IA_EL_TOOLBAR : IA_EL_SEGMENTED_CONTROL, x, at.y + 6,
                                w * (float)n, STEPPER_H)];
    all->label = at.item->label;
    all->paint = IA_PAINT_FILL;
    all->color = IA_COLOR_FIELD;
    all->radius = 8;
    for (int b = 0; b < n; b++) {
        const char *name = at.item->names[b];
        float left = x + (float)b * w, text_w = ia_text_width(name, strlen(name), TEXT, false);
        struct ia_view *v = push_button(k, name, (struct ia_rect){left, at.y + 6, w, STEPPER_H},
                                        on_segment, i * IA_CATALOG_SEGMENTS_MAX + b);
        if (b == at.value) {
            v->flags |= IA_VIEW_SELECTED;
            ia_scene_fill(s, IA_COLOR_SHEET_CARD, left + 2, at.y + 8, w - 4, STEPPER_H - 4)
                ->radius = 6;
        }
        caption(s, name, left + (w - text_w) / 2, at.y + 11.5F,
                bar ? IA_COLOR_BLUE : IA_COLOR_LABEL);
        ia_scene_pop(s);
    }
    ia_scene_pop(s);
    ia_scene_pop(s);
}

static void adjusted(struct ia_kit *k, int i)
{
    bool slides = item_of(k->phone, i)->kind == IA_CATALOG_SLIDER;
    struct spot at = spot(k, i, ROW_H, NULL, 0);
    struct ia_scene *s = k->scene;
    const char *value = ia_scene_printf(s, "%d%%", at.value);
    float x = at.x + PAD, w = at.w - 2 * PAD;
    struct ia_view *v = ia_scene_add(s, slides ? IA_EL_SLIDER : IA_EL_PROGRESS_INDICATOR, x,
                                     at.y + (slides ? 6 : 20), w, slides ? 32 : 4);
    v->label = at.item->label;
    v->value = value;
    v->paint = slides ? IA_PAINT_SLIDER : IA_PAINT_FILL;
    v->color = IA_COLOR_TRACK;
    v->radius = 2;
    v->level = (uint8_t)at.value;
    if (slides) {
        v->flags = IA_VIEW_ADJUSTABLE;
        v->tap = on_slider;
        v->arg = i;
    } else {
        ia_scene_fill(s, IA_COLOR_BLUE, x, at.y + 20, w * (float)at.value / 100, 4)->radius = 2;
    }
    ia_scene_pop(s);
}

static void switch_row(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, ROW_H, NULL, 0);
    (void)text(&at, at.item->label, at.x + PAD, at.y + 11.5F);
    struct ia_view *v =
        ia_scene_add(k->scene, IA_EL_SWITCH, at.x + at.w - PAD - 51, at.y + 6.5F, 51, 31);
    v->paint = IA_PAINT_SWITCH;
    v->flags = at.value ? IA_VIEW_ON : 0;
    v->label = at.item->label;
    v->value = at.value ? "1" : "0";
    v->tap = on_toggle;
    v->arg = i;
    ia_scene_pop(k->scene);
}

static void spinner(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, 60, NULL, 0);
    float size = (float)at.item->value;
    struct ia_view *v = ia_scene_add(k->scene, IA_EL_ACTIVITY_INDICATOR, at.x + PAD,
                                     at.y + 30 - rintf(size / 2), size, size);
    v->label = "In progress";
    v->value = "1";
    v->ident = at.item->label;
    v->paint = IA_PAINT_SYMBOL;
    v->symbol = IA_SYMBOL_SPINNER;
    v->color = IA_COLOR_GRAY;
    ia_scene_pop(k->scene);
}

static void pager(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, ROW_H, NULL, 0);
    struct ia_scene *s = k->scene;
    int n = at.item->max;
    float w = (float)n * 16, x = at.x + rintf((at.w - w) / 2);
    const char *value = ia_scene_printf(s, "page %d of %d", at.value, n);
    struct ia_view *v = &s->views[ia_scene_push(s, IA_EL_PAGE_INDICATOR, x, at.y + 8, w, 28)];
    v->label = at.item->label;
    v->value = value;
    v->flags = IA_VIEW_ADJUSTABLE;
    v->tap = on_pager;
    v->arg = i;
    for (int d = 0; d < n; d++) {
        enum ia_color color = d + 1 == at.value ? IA_COLOR_BLUE : IA_COLOR_TERTIARY;
        ia_scene_fill(s, color, x + (float)d * 16 + 4, at.y + 18, 8, 8)->radius = 4;
    }
    ia_scene_pop(s);
    ia_scene_pop(s);
}

/* ---- wheels ---- */

static const char *wheel_name(struct ia_scene *s, const struct ia_catalog_item *it, int value)
{
    return it->names ? it->names[value] : ia_scene_printf(s, "%d", value);
}

static void wheel_row(struct ia_scene *s, const char *name, int off, float middle, float y)
{
    static const struct {
        uint8_t size;
        uint8_t color;
    } looks[WHEEL_ROWS + 1] = {{21, IA_COLOR_LABEL},
                               {19, IA_COLOR_SECONDARY},
                               {17, IA_COLOR_TERTIARY},
                               {15, IA_COLOR_SEPARATOR}};
    int far = off < 0 ? -off : off;
    uint8_t size = looks[far].size;
    ia_scene_label(s, name, middle, y + (float)off * WHEEL_ROW_H - ia_text_height(size) / 2,
                   120, IA_INK(size, looks[far].color, IA_VIEW_CENTER))
        ->type = IA_EL_ANY;
}

static void wheel(struct ia_kit *k, int i, float x, float y, float w)
{
    const struct ia_catalog_item *it = item_of(k->phone, i);
    struct ia_scene *s = k->scene;
    int value = ia_catalog_of_const(k->phone)->values[i];
    const char *name = wheel_name(s, it, value);
    struct ia_view *v =
        &s->views[ia_scene_push(s, IA_EL_PICKER_WHEEL, x, y, w, IA_CATALOG_WHEEL_H)];
    v->label = it->label;
    v->value = name;
    v->flags = IA_VIEW_ADJUSTABLE | IA_VIEW_DRAWS | IA_VIEW_CLIP;
    v->tap = on_wheel;
    v->arg = i;
    for (int off = -WHEEL_ROWS; off <= WHEEL_ROWS; off++) {
        int shown = value + off * it->step;
        if (shown >= it->min && shown <= it->max) {
            wheel_row(s, wheel_name(s, it, shown), off, x + w / 2,
                      y + IA_CATALOG_WHEEL_H / 2.0F);
        }
    }
    ia_scene_pop(s);
}

/* The wheels from item i on, side by side in one picker. */
static int picker(struct ia_kit *k, int i)
{
    const struct ia_catalog_page *page = &ia_catalog_pages[k->entry->arg];
    int end = i;
    while (end < page->count && page->items[end].kind == IA_CATALOG_WHEEL) {
        end++;
    }
    struct ia_rect f = ia_catalog_cell(k, IA_CATALOG_WHEEL_H, NULL, 0);
    float x = (float)f.x, y = (float)f.y, w = floorf((float)f.w / (float)(end - i));
    (void)ia_scene_push(k->scene, (enum ia_eltype)page->picker, x, y, (float)f.w,
                        IA_CATALOG_WHEEL_H);
    ia_scene_fill(k->scene, IA_COLOR_FIELD, x + 8,
                  y + (IA_CATALOG_WHEEL_H - WHEEL_ROW_H) / 2.0F, (float)f.w - 16, WHEEL_ROW_H)
        ->radius = 8;
    for (int n = i; n < end; n++) {
        wheel(k, n, x + (float)(n - i) * w, y, w);
    }
    ia_scene_pop(k->scene);
    ia_scene_pop(k->scene);
    return end;
}

/* ---- pictures ---- */

static void picture(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, PICTURE_H, NULL, 0);
    struct ia_scene *s = k->scene;
    int32_t view = ia_scene_push(s, IA_EL_IMAGE, at.x, at.y, at.w, PICTURE_H);
    s->views[view].flags = IA_VIEW_CLIP;
    s->views[view].ident = "Flowers_1";
    ia_scene_add(s, IA_EL_ANY, at.x, at.y, at.w, PICTURE_H)->paint = IA_PAINT_WALLPAPER;
    ia_kit_symbol(s, IA_SYMBOL_SUN, IA_COLOR_WHITE,
                  (struct ia_rect){at.x + at.w / 2 - 40, at.y + 90, 80, 80});
    ia_scene_pop(s);
    ia_scene_pop(s);
}

static void web(struct ia_kit *k, int i)
{
    struct spot at = spot(k, i, WEB_H, NULL, 0);
    struct ia_scene *s = k->scene;
    (void)ia_scene_push(s, IA_EL_WEB_VIEW, at.x, at.y, at.w, WEB_H);
    (void)ia_kit_text(s, at.item->label,
                      (struct ia_rect){at.x + PAD, at.y + PAD, at.w - 2 * PAD, 0},
                      IA_INK(TEXT, IA_COLOR_LABEL, IA_VIEW_BOLD));
    ia_scene_pop(s);
    ia_scene_pop(s);
}

static void section(struct ia_kit *k, int i)
{
    ia_kit_section(k, item_of(k->phone, i)->label);
}

static void field(struct ia_kit *k, int i)
{
    ia_kit_field(k, item_of(k->phone, i)->value);
}

int ia_catalog_build_item(struct ia_kit *k, int i)
{
    static void (*const build[])(struct ia_kit *, int) = {
        [IA_CATALOG_SECTION] = section,     [IA_CATALOG_ALERT] = text_row,
        [IA_CATALOG_BUTTON] = button_row,   [IA_CATALOG_TOGGLE] = button_row,
        [IA_CATALOG_STEPPER] = stepper,     [IA_CATALOG_SEGMENTS] = segments,
        [IA_CATALOG_SLIDER] = adjusted,     [IA_CATALOG_SWITCH] = switch_row,
        [IA_CATALOG_SPINNER] = spinner,     [IA_CATALOG_PROGRESS] = adjusted,
        [IA_CATALOG_PAGER] = pager,         [IA_CATALOG_WHEEL] = NULL,
        [IA_CATALOG_FIELD] = field,         [IA_CATALOG_TEXT] = text_row,
        [IA_CATALOG_LONG_TEXT] = long_text, [IA_CATALOG_PICTURE] = picture,
        [IA_CATALOG_TOOLBAR] = segments,    [IA_CATALOG_WEB] = web,
    };
    enum ia_catalog_kind kind = (enum ia_catalog_kind)item_of(k->phone, i)->kind;
    if (kind == IA_CATALOG_WHEEL) {
        return picker(k, i);
    }
    build[kind](k, i);
    return i + 1;
}
