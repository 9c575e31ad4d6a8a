/* kit_parts.c: what bars, fields, controls and alerts are put together from. */
#include "driver/embedded/ui/kit.h"

float ia_kit_text(struct ia_scene *s, const char *text, struct ia_rect box, struct ia_ink ink)
{
    float x = (float)box.x, y = (float)box.y, w = (float)box.w,
          line_h = ia_text_height(ink.size);
    int32_t block = ia_scene_push(s, IA_EL_STATIC_TEXT, x, y, w, line_h);
    s->views[block].label = text;
    s->views[block].flags = ink.flags & IA_VIEW_HEADER;
    float used = 0;
    for (const char *p = text; *p; used += line_h) {
        size_t n = ia_text_line(p, ink.size, (ink.flags & IA_VIEW_BOLD) != 0, w);
        struct ia_view *v = ia_scene_add(s, IA_EL_ANY, x, y + used, w, line_h);
        v->paint = IA_PAINT_TEXT;
        v->size = ink.size;
        v->color = ink.color;
        v->flags = ink.flags & ~(uint32_t)IA_VIEW_HEADER;
        v->text = ia_scene_text(s, p, n > 0 && p[n - 1] == ' ' ? n - 1 : n);
        p += n;
    }
    s->views[block].h = used;
    ia_scene_pop(s);
    return used;
}

struct ia_view *ia_kit_push_button(struct ia_kit *k, const struct ia_kit_button *b,
                                   const struct ia_rect *frame)
{
    int32_t at = ia_scene_push(k->scene, IA_EL_BUTTON, (float)frame->x, (float)frame->y,
                               (float)frame->w, (float)frame->h);
    struct ia_view *v = &k->scene->views[at];
    v->label = b->label;
    v->ident = b->ident;
    v->tap = b->disabled ? NULL : b->tap;
    v->arg = b->arg;
    v->flags = b->disabled ? IA_VIEW_DISABLED : 0;
    return v;
}

struct ia_rect ia_kit_card(struct ia_kit *k, float h, float inset)
{
    bool plain = k->style == IA_LIST_PLAIN, first = k->rows_in_section++ == 0;
    float margin = plain ? 0 : IA_KIT_MARGIN, y = k->y;
    float x = k->left + margin, w = k->width - 2 * margin;
    if (!plain) {
        enum ia_color color = k->sheet ? IA_COLOR_SHEET_CARD : IA_COLOR_CARD;
        struct ia_view *card = ia_scene_fill(k->scene, color, x, y, w, h);
        card->radius = first ? IA_KIT_CARD_RADIUS : 0;
        card->flags = first ? IA_VIEW_ROUND_TOP : 0;
        k->last_card = k->scene->count - 1;
    }
    if (!first) {
        (void)ia_scene_fill(k->scene, IA_COLOR_SEPARATOR, x + inset, y, w - inset, 0.5F);
    }
    k->y += h;
    return (struct ia_rect){x, y, w, h};
}
