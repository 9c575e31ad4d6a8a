/* kit.c: what every screen is built from: a navigation bar over a scrolling list of sections and
 * rows.
 *
 *     ia_kit_begin ─► section, row, row, footer ... ─► ia_kit_end
 *                      content at its own height         moved under the bar by the scroll offset,
 *                                                        and clipped; the offset's range is noted */
#include "driver/embedded/ui/kit.h"

#include "driver/embedded/ui/shell.h"

#include <string.h>

enum {
    ROW_H = IA_KIT_ROW_H,
    ROW_TALL_H = 60,
    SHEET_TOP = 64,
    BAR_H = 44,
    SHEET_BAR_H = 56,
    TAB_BAR_H = 49,
    TEXT = 17,
    SMALL = 13,
    SWITCH_W = 51,
    SWITCH_H = 31,
    TILE = 29,
    BANNER_H = IA_KIT_BANNER_H
};

/* The dimmed rest of the screen above a sheet, and the sheet's own ground. */
static void sheet_ground(struct ia_kit *k)
{
    const struct ia_display *d = k->scene->display;
    struct ia_view *dim = ia_scene_add(k->scene, IA_EL_OTHER, 0, 0, d->w, d->h);
    dim->paint = IA_PAINT_FILL;
    dim->color = IA_COLOR_DIM_LIGHT;
    dim->flags = IA_VIEW_BLOCKS;
    dim->ident = "dimming-view";
    (void)ia_scene_push(k->scene, IA_EL_OTHER, 0, k->top, d->w, d->h - k->top);
    struct ia_view *v = &k->scene->views[k->scene->parent];
    v->ident = "sheet";
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_SHEET;
    v->radius = 12;
    v->flags = IA_VIEW_ROUND_TOP | IA_VIEW_BLOCKS | IA_VIEW_CLIP;
}

void ia_kit_screen(const struct ia_phone *p, struct ia_scene *s, int entry)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    const struct ia_nav_entry *e = &a->nav[entry];
    const struct ia_display *d = s->display;
    struct ia_kit k = {.phone = p, .app = a, .entry = e, .scene = s, .index = entry};
    k.left = d->side;
    k.width = d->w - 2 * d->side;
    for (int i = 0; i <= entry; i++) {
        k.sheet = k.sheet || a->nav[i].sheet;
    }
    /* On its side a phone has no height to spare: a sheet covers all of it. */
    k.top = k.sheet && !d->wide ? SHEET_TOP : 0;
    k.bar_top = k.sheet ? k.top : d->top;
    k.bar = k.sheet ? SHEET_BAR_H : BAR_H;
    if (k.sheet) {
        sheet_ground(&k);
    } else {
        (void)ia_scene_push(s, IA_EL_OTHER, 0, 0, d->w, d->h);
    }
    e->screen->build(&k);
    ia_scene_pop(s);
}

static enum ia_color ground_color(const struct ia_kit *k)
{
    if (k->style == IA_LIST_PLAIN) {
        return IA_COLOR_PLAIN;
    }
    return k->sheet ? IA_COLOR_SHEET : IA_COLOR_GROUPED;
}

void ia_kit_begin(struct ia_kit *k, const struct ia_kit_nav *nav, enum ia_list_style style)
{
    const struct ia_display *d = k->scene->display;
    k->nav = nav;
    k->style = (uint8_t)style;
    k->y = style == IA_LIST_PLAIN || (nav->search && !k->app->searching) ? 0 : 8;
    k->last_card = -1;
    k->rows_in_section = 0;
    k->scene->section = 0;
    if (!k->sheet) {
        (void)ia_scene_fill(k->scene, ground_color(k), 0, 0, d->w, d->h);
    }
    k->table = ia_scene_push(k->scene, IA_EL_TABLE, 0, k->top, d->w, d->h - k->top);
    k->scene->views[k->table].flags = IA_VIEW_CLIP | IA_VIEW_BLOCKS;
}

float ia_kit_foot(const struct ia_kit *k)
{
    const struct ia_display *d = k->scene->display;
    bool top_entry = k->index == k->app->depth - 1;
    if (top_entry && k->app->focus >= 0) {
        return d->h - d->keyboard - k->nav->bar_h;
    }
    return d->h - d->foot - (float)(k->nav->tabs ? TAB_BAR_H : 0) - k->nav->bar_h;
}

static void close_section(struct ia_kit *k)
{
    if (k->last_card >= 0) {
        struct ia_view *card = &k->scene->views[k->last_card];
        card->flags |= IA_VIEW_ROUND_BOTTOM;
        card->radius = IA_KIT_CARD_RADIUS;
    }
    k->last_card = -1;
    k->rows_in_section = 0;
}

/* A banner that pushes the list down. */
static float banner_height(const struct ia_kit *k)
{
    return k->phone->shifted ? BANNER_H : 0;
}

static void banner(struct ia_kit *k, float y)
{
    if (!k->phone->shifted) {
        return;
    }
    static const char text[] = "Your data is up to date";
    (void)ia_scene_push(k->scene, IA_EL_OTHER, 0, y, k->scene->display->w, BANNER_H);
    struct ia_view *v = &k->scene->views[k->scene->parent];
    v->ident = "banner";
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_INDIGO;
    v->flags = IA_VIEW_BLOCKS;
    (void)ia_scene_label(k->scene, text, k->left + k->width / 2, y + (BANNER_H - 18) / 2.0F,
                         360, IA_INK(15, IA_COLOR_WHITE, IA_VIEW_BOLD | IA_VIEW_CENTER));
    ia_scene_pop(k->scene);
}

/* Moves the content to its place under the bar and keeps what it may be scrolled by. */
static float place_content(struct ia_kit *k)
{
    float start = k->bar_top + k->bar + ia_kit_bar_extra(k) + banner_height(k);
    float over = start + k->y + IA_KIT_MARGIN - ia_kit_foot(k);
    float max = over > 0 ? over : 0;
    /* The content may have become shorter since it was scrolled. */
    float offset = k->entry->scroll < max ? k->entry->scroll : max;
    ia_scene_shift(k->scene, k->table + 1, k->scene->count, start - offset);
    if (k->scene->scroller_count < IA_SCROLLERS_MAX) {
        k->scene->scrollers[k->scene->scroller_count++] =
            (struct ia_scroller){k->table, k->index, max};
    }
    return offset;
}

static const char *pages(struct ia_scene *s, const char *which, int n)
{
    return ia_scene_printf(s, "%s scroll bar, %d page%s", which, n, n == 1 ? "" : "s");
}

/* The last two children of the list, where the platform has them: along its edges. */
static void place_scroll_bars(struct ia_kit *k, int32_t at, float offset)
{
    struct ia_scene *s = k->scene;
    float max = s->scrollers[s->scroller_count - 1].max;
    float w = s->display->w, top = s->views[k->table].y, h = s->display->h - top, across = 30;
    const char *down = pages(s, "Vertical", 1 + (int)((max + h - 1) / h));
    const char *value = ia_scene_printf(s, "%d%%", max > 0 ? (int)(offset * 100 / max) : 0);
    struct ia_view *v = &s->views[at];
    v[0].x = w - across;
    v[0].y = top;
    v[0].w = across;
    v[0].h = h;
    v[0].label = down;
    v[0].value = value;
    v[1].y = top + h - across;
    v[1].w = w;
    v[1].h = across;
    v[1].label = pages(s, "Horizontal", 1);
    v[0].flags = v[1].flags = IA_VIEW_INVISIBLE;
}

/* The bar comes before the table, as in the platform's own trees, and the table begins where
 * the bar ends, so that nothing of it lies over the bar. */
void ia_kit_end(struct ia_kit *k)
{
    close_section(k);
    int32_t bars = k->scene->count;
    for (int i = 0; k->nav->scroll_bars && i < 2; i++) {
        (void)ia_scene_add(k->scene, IA_EL_OTHER, 0, 0, 0, 0);
    }
    ia_scene_pop(k->scene);
    float offset = place_content(k);
    int32_t bar = k->scene->count;
    float y = ia_kit_nav_bar(k, offset);
    banner(k, y);
    y += banner_height(k);
    k->scene->views[k->table].y = y;
    k->scene->views[k->table].h = k->scene->display->h - y;
    if (k->nav->scroll_bars) {
        place_scroll_bars(k, bars, offset);
    }
    ia_scene_bring_back(k->scene, k->table, bar);
    if (k->nav->tabs) {
        ia_kit_tab_bar(k);
    }
}

float ia_kit_space(struct ia_kit *k, float h)
{
    float y = k->y;
    close_section(k);
    k->y += h;
    return y;
}

static void plain_header(struct ia_kit *k, const char *header)
{
    (void)ia_scene_label(k->scene, header, k->left + IA_KIT_MARGIN, k->y + 9, 300,
                         IA_INK(15, IA_COLOR_SECONDARY, IA_VIEW_BOLD | IA_VIEW_HEADER));
    k->y += IA_KIT_PLAIN_HEADER_H;
}

void ia_kit_section(struct ia_kit *k, const char *header)
{
    close_section(k);
    k->scene->section++;
    if (k->style == IA_LIST_PLAIN) {
        if (header) {
            plain_header(k, header);
        }
        return;
    }
    k->y += k->y > 8 ? 20 : 0;
    if (header) {
        (void)ia_scene_label(k->scene, header, k->left + IA_KIT_MARGIN + 16, k->y + 4, 320,
                             IA_INK(SMALL, IA_COLOR_SECONDARY, IA_VIEW_HEADER));
        k->y += 26;
    }
}

void ia_kit_footer(struct ia_kit *k, const char *text)
{
    close_section(k);
    struct ia_rect box = {k->left + IA_KIT_MARGIN + 16, k->y + 7, k->width - 4 * IA_KIT_MARGIN,
                          0};
    k->y += 7 + ia_kit_text(k->scene, text, box, IA_INK(SMALL, IA_COLOR_SECONDARY, 0));
}

void ia_kit_empty(struct ia_kit *k, const char *text, const char *detail)
{
    close_section(k);
    float middle = k->left + k->width / 2 - 0.5F;
    (void)ia_scene_label(k->scene, text, middle, k->y + 110, 340,
                         IA_INK(22, IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_CENTER));
    (void)ia_scene_label(k->scene, detail, middle, k->y + 142, 340,
                         IA_INK(15, IA_COLOR_SECONDARY, IA_VIEW_CENTER));
    k->y += 180;
}

static void row_tile(struct ia_kit *k, const struct ia_kit_row *row, float x, float middle)
{
    struct ia_view *v = ia_scene_add(k->scene, IA_EL_IMAGE, x, middle - 14.5F, TILE, TILE);
    v->paint = IA_PAINT_TILE;
    v->symbol = row->symbol;
    v->color = row->tile;
    v->flags = IA_VIEW_INVISIBLE;
}

/* The switch, chevron or check mark at the right edge; returns the edge left of it. */
static float row_accessory(struct ia_kit *k, const struct ia_kit_row *row, float right,
                           float middle)
{
    struct ia_scene *s = k->scene;
    struct ia_view *v;
    switch ((enum ia_accessory)row->accessory) {
    case IA_ROW_SWITCH:
        v = ia_scene_add(s, IA_EL_SWITCH, right - SWITCH_W, middle - 15.5F, SWITCH_W, SWITCH_H);
        v->paint = IA_PAINT_SWITCH;
        v->flags = row->on ? IA_VIEW_ON : 0;
        v->label = row->label;
        v->ident = row->ident;
        v->value = row->on ? "1" : "0";
        v->tap = row->tap;
        v->arg = row->arg;
        return right - SWITCH_W - 8;
    case IA_ROW_CHEVRON:
        v = ia_scene_add(s, IA_EL_BUTTON, right - 8, middle - 6.5F, 8, 13);
        v->paint = IA_PAINT_SYMBOL;
        v->symbol = IA_SYMBOL_CHEVRON;
        v->color = IA_COLOR_TERTIARY;
        v->label = "chevron";
        v->flags = IA_VIEW_DISABLED | IA_VIEW_INVISIBLE;
        return right - 16;
    case IA_ROW_CHECK:
        if (row->on) {
            v = ia_scene_add(s, IA_EL_IMAGE, right - 16, middle - 8, 16, 16);
            v->paint = IA_PAINT_SYMBOL;
            v->symbol = IA_SYMBOL_CHECK;
            v->color = IA_COLOR_BLUE;
            v->ident = "checkmark";
            v->flags = IA_VIEW_INVISIBLE;
        }
        return right - 24;
    case IA_ROW_PLAIN:
        break;
    }
    return right;
}

/* Label at the left, detail at the right; the detail has the larger claim on the room. */
static void row_texts(struct ia_kit *k, const struct ia_kit_row *row, float left, float right,
                      const struct ia_rect *frame)
{
    struct ia_scene *s = k->scene;
    float y = (float)frame->y + (row->subtitle ? 9 : ((float)frame->h - 21) / 2);
    if (row->detail) {
        struct ia_view *v = ia_scene_label(s, row->detail, right, y, 220,
                                           IA_INK(TEXT, IA_COLOR_SECONDARY, IA_VIEW_RIGHT));
        v->type = row->unread ? IA_EL_ANY : v->type; /* the row says another value */
        right = v->x - 8;
    }
    enum ia_color color = row->disabled ? IA_COLOR_TERTIARY : (enum ia_color)row->color;
    if (row->centered) {
        (void)ia_scene_label(s, row->label, k->left + k->width / 2 - 0.5F, y, 320,
                             IA_INK(TEXT, color, IA_VIEW_CENTER));
    } else {
        (void)ia_scene_label(s, row->label, left, y, right - left, IA_INK(TEXT, color, 0));
    }
    if (row->subtitle) {
        (void)ia_scene_label(s, row->subtitle, left, y + 23, right - left,
                             IA_INK(SMALL, IA_COLOR_SECONDARY, 0));
    }
}

/* The accessibility of a row as one element. A row that is a button leaves that to the button. */
static void name_cell(struct ia_view *v, const struct ia_kit_row *row)
{
    bool is_switch = row->accessory == IA_ROW_SWITCH;
    v->label = row->label;
    v->value = row->detail ? row->detail : row->subtitle;
    v->ident = is_switch ? NULL : row->ident;
    v->tap = is_switch || row->disabled ? NULL : row->tap;
    v->arg = row->arg;
    v->flags |= row->disabled ? IA_VIEW_DISABLED : 0;
    v->flags |= row->accessory == IA_ROW_CHECK && row->on ? IA_VIEW_SELECTED : 0;
}

void ia_kit_row(struct ia_kit *k, const struct ia_kit_row *row)
{
    float inset = (float)(IA_KIT_MARGIN + (row->symbol ? TILE + 15 : 0));
    struct ia_rect f = ia_kit_card(k, row->subtitle ? ROW_TALL_H : ROW_H, inset);
    float x = (float)f.x, y = (float)f.y, w = (float)f.w, h = (float)f.h;
    int32_t cell = ia_scene_push(k->scene, IA_EL_CELL, x, y, w, h);
    k->scene->views[cell].flags = row->disabled ? IA_VIEW_DISABLED : 0;
    if (row->button) {
        cell = ia_scene_push(k->scene, IA_EL_BUTTON, x, y, w, h);
    }
    name_cell(&k->scene->views[cell], row);
    if (row->unread) {
        k->scene->views[cell].value = ia_scene_printf(k->scene, "%d unread", row->unread);
    }
    if (row->symbol) {
        row_tile(k, row, x + IA_KIT_MARGIN, y + h / 2);
    }
    float right = row_accessory(k, row, x + w - IA_KIT_MARGIN, y + h / 2);
    if (row->unread) {
        right -= 36;
        ia_kit_badge(k->scene, ia_scene_printf(k->scene, "%d", row->unread), right + 18,
                     y + h / 2 - 9, IA_COLOR_BLUE);
    }
    row_texts(k, row, x + inset, right, &f);
    if (row->button) {
        ia_scene_pop(k->scene);
    }
    ia_scene_pop(k->scene);
}

void ia_kit_fact(struct ia_kit *k, const char *label, const char *ident, const char *detail)
{
    ia_kit_row(k, &(struct ia_kit_row){.label = label, .ident = ident, .detail = detail});
}

void ia_kit_slider(struct ia_kit *k, const char *label, const char *ident, int level,
                   ia_touch_fn *tap, int32_t arg)
{
    struct ia_rect f = ia_kit_card(k, ROW_H, IA_KIT_MARGIN);
    float x = (float)f.x, y = (float)f.y, w = (float)f.w;
    (void)ia_scene_push(k->scene, IA_EL_CELL, x, y, w, ROW_H);
    struct ia_view *v = ia_scene_add(k->scene, IA_EL_SLIDER, x + 40, y + 6, w - 80, ROW_H - 12);
    v->paint = IA_PAINT_SLIDER;
    v->level = (uint8_t)level;
    v->label = label;
    v->ident = ident;
    v->flags = IA_VIEW_ADJUSTABLE;
    v->tap = tap;
    v->arg = arg;
    const char *value = ia_scene_printf(k->scene, "%d%%", level);
    v->value = value;
    ia_scene_pop(k->scene);
}

bool ia_kit_matches(const char *hay, const char *needle)
{
    for (size_t n = strlen(needle); *hay || n == 0; hay++) {
        size_t i = 0;
        while (i < n && hay[i]) {
            unsigned char a = (unsigned char)hay[i], b = (unsigned char)needle[i];
            a = a >= 'A' && a <= 'Z' ? (unsigned char)(a + 32) : a;
            b = b >= 'A' && b <= 'Z' ? (unsigned char)(b + 32) : b;
            if (a != b) {
                break;
            }
            i++;
        }
        if (i == n) {
            return true;
        }
    }
    return false;
}
