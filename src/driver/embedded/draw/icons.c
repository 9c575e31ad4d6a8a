/* icons.c: the apps' icons on the home screen. */
#include "driver/embedded/draw/canvas.h"

static void ground(const struct ia_canvas *c, const struct ia_view *v, uint32_t top,
                   uint32_t foot)
{
    ia_canvas_round_rect(c, v->x, v->y, v->w, v->h, 13.5, 0);
    ia_canvas_gradient(c, v->y, v->y + v->h, top, foot);
}

static void settings_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    ground(c, v, 0xE6E6EBFF, 0x96969CFF);
    ia_canvas_rgba(c, 0x3A3A3EFF);
    ia_canvas_symbol(c, IA_SYMBOL_GEAR,
                     (struct ia_rect){v->x + 7, v->y + 7, v->w - 14, v->h - 14});
}

static void contacts_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    static const uint32_t tabs[] = {0x8FB8E8FF, 0xB8D99AFF, 0xF2C879FF};
    ground(c, v, 0xEFEBE4FF, 0xD3CDC2FF);
    for (int i = 0; i < 3; i++) {
        ia_canvas_rgba(c, tabs[i]);
        c->lib->cairo_rectangle_(c->cr, v->x + v->w - 6, v->y + 14.0 + 11.0 * i, 6, 10);
        c->lib->cairo_fill_(c->cr);
    }
    ia_canvas_rgba(c, 0x837B70FF);
    ia_canvas_symbol(c, IA_SYMBOL_PERSON,
                     (struct ia_rect){v->x + 10, v->y + 11, v->w - 24, v->h - 21});
}

static void reminders_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    static const uint32_t dots[] = {0x2F7CF6FF, 0xF2574AFF, 0xF5A623FF};
    ground(c, v, 0xFFFFFFFF, 0xF1F1F4FF);
    for (int i = 0; i < 3; i++) {
        double y = v->y + 16.0 + 14.0 * i;
        ia_canvas_rgba(c, dots[i]);
        ia_canvas_circle(c, v->x + 15, y, 4.5);
        c->lib->cairo_fill_(c->cr);
        ia_canvas_rgba(c, 0xC9C9CFFF);
        ia_canvas_round_rect(c, v->x + 25, y - 1, 26, 2, 1, 0);
        c->lib->cairo_fill_(c->cr);
    }
}

static void shop_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    ground(c, v, 0x2CC7A0FF, 0x0B7F86FF);
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_symbol(c, IA_SYMBOL_BAG,
                     (struct ia_rect){v->x + 12, v->y + 11, v->w - 24, v->h - 24});
}

static void sketch_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    ground(c, v, 0xFFD56BFF, 0xF29A3DFF);
    ia_canvas_rgba(c, 0x5B3A12FF);
    ia_canvas_symbol(c, IA_SYMBOL_PENCIL,
                     (struct ia_rect){v->x + 12, v->y + 12, v->w - 24, v->h - 24});
}

static void catalog_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    ground(c, v, 0x8E8BEFFF, 0x4B47B5FF);
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_symbol(c, IA_SYMBOL_LIST,
                     (struct ia_rect){v->x + 12, v->y + 12, v->w - 24, v->h - 24});
}

static void messages_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    ground(c, v, 0x7BE87FFF, 0x1FBF3AFF);
    ia_canvas_rgba(c, 0xFFFFFFFF);
    ia_canvas_symbol(c, IA_SYMBOL_MESSAGE,
                     (struct ia_rect){v->x + 11, v->y + 10, v->w - 22, v->h - 22});
}

static void bank_icon(const struct ia_canvas *c, const struct ia_view *v)
{
    ground(c, v, 0x35548CFF, 0x14233FFF);
    ia_canvas_rgba(c, 0xF0D9A0FF);
    ia_canvas_symbol(c, IA_SYMBOL_BANK,
                     (struct ia_rect){v->x + 12, v->y + 11, v->w - 24, v->h - 24});
}

void ia_icon_paint(const struct ia_canvas *c, const struct ia_view *v)
{
    static void (*const icons[])(const struct ia_canvas *, const struct ia_view *) = {
        [IA_ICON_SETTINGS] = settings_icon,   [IA_ICON_CONTACTS] = contacts_icon,
        [IA_ICON_REMINDERS] = reminders_icon, [IA_ICON_SHOP] = shop_icon,
        [IA_ICON_SKETCH] = sketch_icon,       [IA_ICON_CATALOG] = catalog_icon,
        [IA_ICON_MESSAGES] = messages_icon,   [IA_ICON_BANK] = bank_icon,
    };
    icons[v->symbol](c, v);
}
