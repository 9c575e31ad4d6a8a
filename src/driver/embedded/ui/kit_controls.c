/* kit_controls.c: what a list has besides rows: wide buttons, steppers, chips, progress. */
#include "driver/embedded/ui/kit.h"

#include <string.h>

enum {
    MARGIN = 16,
    ACTION_H = 50,
    CHIP_H = 32,
    STEPPER_W = 94,
    STEPPER_H = 32,
    STEPPER_ROW_H = 64,
    TEXT = 17,
    SMALL = 13
};

static struct ia_view *decoration(struct ia_view *v)
{
    v->type = IA_EL_ANY;
    return v;
}

void ia_kit_symbol(struct ia_scene *s, enum ia_symbol which, enum ia_color color,
                   struct ia_rect box)
{
    struct ia_view *v =
        ia_scene_add(s, IA_EL_ANY, (float)box.x, (float)box.y, (float)box.w, (float)box.h);
    v->paint = IA_PAINT_SYMBOL;
    v->symbol = (uint8_t)which;
    v->color = (uint8_t)color;
}

void ia_kit_action(struct ia_kit *k, const struct ia_kit_button *b)
{
    float y = ia_kit_space(k, ACTION_H + 16) + 16, x = k->left + MARGIN,
          w = k->width - 2 * MARGIN;
    struct ia_view *v = ia_kit_push_button(k, b, &(struct ia_rect){x, y, w, ACTION_H});
    v->paint = IA_PAINT_FILL;
    v->color = b->disabled ? IA_COLOR_TRACK : IA_COLOR_BLUE;
    v->radius = 12;
    (void)decoration(ia_scene_label(k->scene, b->label, k->left + k->width / 2, y + 14.5F,
                                    w - 16,
                                    IA_INK(TEXT, b->disabled ? IA_COLOR_GRAY : IA_COLOR_WHITE,
                                           IA_VIEW_BOLD | IA_VIEW_CENTER)));
    ia_scene_pop(k->scene);
}

/* ---- stepper ---- */

struct half {
    const char *verb, *ident;
    enum ia_symbol symbol;
    bool enabled;
    int32_t arg;
};

static void stepper_half(struct ia_kit *k, const struct ia_kit_stepper *row, struct half half,
                         float x, float y)
{
    struct ia_scene *s = k->scene;
    const char *label =
        row->name ? ia_scene_printf(s, "%s %s", half.verb, row->name) : half.verb;
    (void)ia_scene_push(s, IA_EL_BUTTON, x, y, STEPPER_H, STEPPER_H);
    struct ia_view *v = &s->views[s->parent];
    v->label = label;
    v->ident = half.ident;
    v->tap = half.enabled ? row->step : NULL;
    v->arg = half.arg;
    v->flags = half.enabled ? 0 : IA_VIEW_DISABLED;
    ia_kit_symbol(s, half.symbol, half.enabled ? IA_COLOR_LABEL : IA_COLOR_TERTIARY,
                  (struct ia_rect){x + 8, y + 8, 16, 16});
    ia_scene_pop(s);
}

/* The value stands between the halves, as a text of its own. */
static void stepper_parts(struct ia_kit *k, const struct ia_kit_stepper *row, float x, float y)
{
    struct ia_scene *s = k->scene;
    struct ia_view *ground = ia_scene_fill(s, IA_COLOR_FIELD, x, y, STEPPER_W, STEPPER_H);
    ground->radius = 8;
    stepper_half(k, row,
                 (struct half){"Decrease", "decrement", IA_SYMBOL_MINUS, row->value > row->min,
                               row->arg * 2},
                 x, y);
    struct ia_view *v =
        ia_scene_label(s, ia_scene_printf(s, "%d", row->value), x + STEPPER_W / 2.0F, y + 5.5F,
                       30, IA_INK(TEXT, IA_COLOR_LABEL, IA_VIEW_CENTER));
    v->ident = "quantity";
    stepper_half(k, row,
                 (struct half){"Increase", "increment", IA_SYMBOL_PLUS, row->value < row->max,
                               row->arg * 2 + 1},
                 x + STEPPER_W - STEPPER_H, y);
}

static void remove_button(struct ia_kit *k, const struct ia_kit_stepper *row, float x, float y)
{
    struct ia_scene *s = k->scene;
    (void)ia_scene_push(s, IA_EL_BUTTON, x, y, 36, 36);
    struct ia_view *v = &s->views[s->parent];
    v->label = ia_scene_printf(s, "Remove %s", row->name ? row->name : row->label);
    v->ident = "remove";
    v->tap = row->remove;
    v->arg = row->arg;
    ia_kit_symbol(s, IA_SYMBOL_TRASH, IA_COLOR_RED, (struct ia_rect){x + 8, y + 8, 20, 20});
    ia_scene_pop(s);
}

void ia_kit_stepper(struct ia_kit *k, const struct ia_kit_stepper *row)
{
    float h = row->subtitle ? STEPPER_ROW_H : 52;
    struct ia_rect f = ia_kit_card(k, h, MARGIN);
    float x = (float)f.x, y = (float)f.y, w = (float)f.w;
    (void)ia_scene_push(k->scene, IA_EL_CELL, x, y, w, h);
    const char *count = ia_scene_printf(k->scene, "%d", row->value);
    struct ia_view *v = &k->scene->views[k->scene->parent];
    v->label = row->label;
    v->value = row->subtitle ? row->subtitle : count;
    v->ident = row->ident;
    float right = x + w - (float)(row->remove ? 44 : MARGIN);
    float room = right - STEPPER_W - 8 - (x + MARGIN), top = row->subtitle ? 12 : (h - 21) / 2;
    (void)ia_scene_label(k->scene, row->label, x + MARGIN, y + top, room,
                         IA_INK(TEXT, IA_COLOR_LABEL, 0));
    if (row->subtitle) {
        (void)ia_scene_label(k->scene, row->subtitle, x + MARGIN, y + 36, room,
                             IA_INK(SMALL, IA_COLOR_SECONDARY, 0));
    }
    stepper_parts(k, row, right - STEPPER_W, y + (h - STEPPER_H) / 2);
    if (row->remove) {
        remove_button(k, row, right + 4, y + (h - 36) / 2);
    }
    ia_scene_pop(k->scene);
}

/* ---- chips ---- */

void ia_kit_chips(struct ia_kit *k, const struct ia_kit_button *chips, int count, int selected)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, CHIP_H + 12) + 4, x = k->left + MARGIN;
    for (int i = 0; i < count; i++) {
        bool on = i == selected;
        float text_w = ia_text_width(chips[i].label, strlen(chips[i].label), 15, on);
        struct ia_view *v =
            ia_kit_push_button(k, &chips[i], &(struct ia_rect){x, y, text_w + 24, CHIP_H});
        v->flags |= on ? IA_VIEW_SELECTED : 0;
        v->paint = IA_PAINT_FILL;
        v->color = on ? IA_COLOR_BLUE : IA_COLOR_CARD;
        v->radius = CHIP_H / 2;
        (void)decoration(ia_scene_label(
            s, chips[i].label, x + 12, y + 7, text_w,
            IA_INK(15, on ? IA_COLOR_WHITE : IA_COLOR_LABEL, on ? IA_VIEW_BOLD : 0)));
        ia_scene_pop(s);
        x += text_w + 32;
    }
}

/* ---- progress, messages ---- */

void ia_kit_progress(struct ia_kit *k, const char *label)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 220), middle = k->left + k->width / 2 - 0.5F;
    struct ia_view *v = ia_scene_add(s, IA_EL_ACTIVITY_INDICATOR, middle - 18, y + 110, 36, 36);
    v->label = label;
    v->ident = "loading";
    v->paint = IA_PAINT_SYMBOL;
    v->symbol = IA_SYMBOL_SPINNER;
    v->color = IA_COLOR_GRAY;
    const char *value = ia_scene_printf(s, "%d%%", ia_phone_loaded(k->phone));
    v->value = value;
    (void)decoration(ia_scene_label(s, label, middle, y + 160, 340,
                                    IA_INK(15, IA_COLOR_SECONDARY, IA_VIEW_CENTER)));
}

void ia_kit_message(struct ia_kit *k, const char *text, const char *ident, enum ia_color color)
{
    float y = ia_kit_space(k, 0) + 8;
    int32_t at = k->scene->count;
    struct ia_rect box = {k->left + 2 * MARGIN, y, k->width - 4 * MARGIN, 0};
    k->y += 8 + ia_kit_text(k->scene, text, box, IA_INK(SMALL, color, 0));
    k->scene->views[at].ident = ident;
}
