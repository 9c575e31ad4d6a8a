/* kit_field.c: text fields. */
#include "driver/embedded/ui/kit.h"

#include <string.h>

enum { TEXT = 17, PAD = 16, ROW_H = IA_KIT_ROW_H, CLEAR = 18 };

static void on_focus(struct ia_phone *p, const struct ia_touch *t)
{
    ia_edit_focus(p, t->arg);
}

static void on_clear(struct ia_phone *p, const struct ia_touch *t)
{
    ia_edit_focus(p, t->arg);
    ia_edit_set(p, t->arg, "");
}

static void clear_button(struct ia_scene *s, float x, float middle, int field)
{
    struct ia_view *v = ia_scene_add(s, IA_EL_BUTTON, x, middle - CLEAR / 2.0F, CLEAR, CLEAR);
    v->label = "Clear text";
    v->paint = IA_PAINT_SYMBOL;
    v->symbol = IA_SYMBOL_CLEAR;
    v->color = IA_COLOR_GRAY;
    v->tap = on_clear;
    v->arg = field;
}

/* The end of the text is what shows when it is longer than the field. */
static const char *visible_end(const char *text, float w)
{
    while (ia_text_width(text, strlen(text), TEXT, false) > w) {
        do {
            text++;
        } while (((unsigned char)*text & 0xC0) == 0x80);
    }
    return text;
}

const char *ia_kit_field_text(struct ia_scene *s, const struct ia_app_state *a,
                              const struct ia_field *spec, int field)
{
    const char *text = ia_edit_text(a, field);
    static const char dot[] = {'\xE2', '\x80', '\xA2'};
    char dots[sizeof(dot) * IA_FIELD_BYTES_MAX];
    size_t n = 0;
    if (spec->keyboard != IA_KEYBOARD_SECURE) {
        return text;
    }
    for (; *text; text++) {
        if (((unsigned char)*text & 0xC0) != 0x80) {
            memcpy(dots + n, dot, sizeof(dot));
            n += sizeof(dot);
        }
    }
    return ia_scene_text(s, dots, n);
}

void ia_kit_field_content(struct ia_scene *s, const struct ia_app_state *a,
                          const struct ia_field *spec, int field, struct ia_rect box,
                          bool clears)
{
    const char *text = ia_kit_field_text(s, a, spec, field);
    bool focused = a->focus == field, empty = !*text, button = clears && focused && !empty;
    float x = (float)box.x, y = (float)box.y, h = (float)box.h;
    float w = (float)box.w - (float)(button ? CLEAR + 4 : 0);
    const char *shown = empty ? spec->placeholder : visible_end(text, w - 2);
    struct ia_view *v =
        ia_scene_label(s, shown, x, y + (h - 21) / 2, w,
                       IA_INK(TEXT, empty ? IA_COLOR_TERTIARY : IA_COLOR_LABEL, 0));
    v->type = IA_EL_ANY;
    if (focused) {
        float caret = empty ? x - 2 : v->x + v->w + 1;
        (void)ia_scene_fill(s, IA_COLOR_BLUE, caret, y + (h - 22) / 2, 2, 22);
    }
    if (button) {
        clear_button(s, x + (float)box.w - CLEAR, y + h / 2, field);
    }
}

struct ia_view *ia_kit_push_field(struct ia_scene *s, const struct ia_app_state *a,
                                  const struct ia_field *spec, int field, struct ia_rect box)
{
    enum ia_eltype type =
        spec->keyboard == IA_KEYBOARD_SECURE ? IA_EL_SECURE_TEXT_FIELD : IA_EL_TEXT_FIELD;
    const char *value = a->fields[field] ? ia_kit_field_text(s, a, spec, field) : NULL;
    int32_t at = ia_scene_push(s, type, (float)box.x, (float)box.y, (float)box.w, (float)box.h);
    struct ia_view *v = &s->views[at];
    v->ident = spec->ident;
    v->label = spec->label;
    v->placeholder = *spec->placeholder ? spec->placeholder : NULL;
    v->value = value;
    v->tap = on_focus;
    v->arg = field;
    v->flags = a->focus == field ? IA_VIEW_FOCUSED : 0;
    return v;
}

void ia_kit_field(struct ia_kit *k, int field)
{
    const struct ia_field *spec = &ia_phone_app(k->phone)->fields[field];
    struct ia_rect row = ia_kit_card(k, ROW_H, PAD);
    float x = (float)row.x, y = (float)row.y, w = (float)row.w;
    (void)ia_scene_push(k->scene, IA_EL_CELL, x, y, w, ROW_H);
    struct ia_rect box = {x + PAD, y, w - 2 * PAD, ROW_H};
    struct ia_view *v = ia_kit_push_field(k->scene, k->app, spec, field, box);
    v->flags |= k->app->focus == field ? IA_VIEW_FIELD : 0;
    ia_kit_field_content(k->scene, k->app, spec, field, box, true);
    ia_scene_pop(k->scene);
    ia_scene_pop(k->scene);
}
