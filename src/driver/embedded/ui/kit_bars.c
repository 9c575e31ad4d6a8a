/* kit_bars.c: navigation bar with large title and search field, and the tab bar. */
#include "driver/embedded/ui/kit.h"

#include <math.h>
#include <string.h>

enum {
    LARGE_H = IA_KIT_LARGE_H,
    SEARCH_H = IA_KIT_SEARCH_H,
    SEARCH_BAR_H = 52, /* the bar while searching */
    FIELD_H = 36,
    TITLE = 17,
    LARGE = 34,
    TAB_BAR_H = 49
};

bool ia_kit_searching(const struct ia_kit *k)
{
    return k->nav->search && k->app->searching;
}

const char *ia_kit_query(const struct ia_kit *k)
{
    return ia_kit_searching(k) ? ia_edit_text(k->app, 0) : "";
}

/* On its side a phone has no height to spare for a large title. */
static bool large(const struct ia_kit *k)
{
    return k->nav->large && !k->scene->display->wide;
}

float ia_kit_bar_extra(const struct ia_kit *k)
{
    if (ia_kit_searching(k)) {
        return SEARCH_BAR_H - k->bar;
    }
    return (large(k) ? (float)LARGE_H : 0) + (k->nav->search ? (float)SEARCH_H : 0);
}

static void on_search(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_edit_focus(p, 0);
}

static void on_cancel_search(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_edit_end_search(p);
}

/* A button of the bar: label or symbol, ending at x when right, else beginning there. */
static void bar_button(struct ia_kit *k, const struct ia_kit_button *b, float x, bool right)
{
    float text_w = ia_text_width(b->label, strlen(b->label), TITLE, b->bold);
    float w = b->symbol ? 44 : text_w + 16;
    float left = right ? x - w : x;
    float top = k->bar_top + (k->bar - 44) / 2;
    (void)ia_kit_push_button(k, b, &(struct ia_rect){left, top, w, 44});
    enum ia_color color = b->disabled ? IA_COLOR_TERTIARY : IA_COLOR_BLUE;
    if (b->symbol) {
        struct ia_view *sym = ia_scene_add(k->scene, IA_EL_ANY, left + 10, top + 10, 24, 24);
        sym->paint = IA_PAINT_SYMBOL;
        sym->symbol = b->symbol;
        sym->color = (uint8_t)color;
    } else {
        struct ia_view *text = ia_scene_label(k->scene, b->label, left + 8, top + 11.5F, text_w,
                                              IA_INK(TITLE, color, b->bold ? IA_VIEW_BOLD : 0));
        text->type = IA_EL_ANY;
    }
    ia_scene_pop(k->scene);
}

/* The title of the screen below, or "Back" where it is long or would stand in this screen's title. */
static void back_button(struct ia_kit *k, const char *title)
{
    const char *own = ia_nav_title(k->phone, k->entry);
    float w = ia_text_width(title, strlen(title), TITLE, false);
    float middle = (k->width - ia_text_width(own, strlen(own), TITLE, true)) / 2;
    bool meets = !k->nav->hidden_title && !large(k) && 28 + w > middle;
    const char *shown = w > 110 || meets ? "Back" : title;
    w = ia_text_width(shown, strlen(shown), TITLE, false);
    (void)ia_scene_push(k->scene, IA_EL_BUTTON, k->left + 8, k->bar_top, 26 + w, 44);
    struct ia_view *v = &k->scene->views[k->scene->parent];
    v->label = shown;
    v->ident = "BackButton";
    v->tap = ia_nav_on_back;
    struct ia_view *arrow =
        ia_scene_add(k->scene, IA_EL_ANY, k->left + 6, k->bar_top + 11, 22, 22);
    arrow->paint = IA_PAINT_SYMBOL;
    arrow->symbol = IA_SYMBOL_BACK;
    arrow->color = IA_COLOR_BLUE;
    struct ia_view *text = ia_scene_label(k->scene, shown, k->left + 28, k->bar_top + 11.5F, w,
                                          IA_INK(TITLE, IA_COLOR_BLUE, 0));
    text->type = IA_EL_ANY;
    ia_scene_pop(k->scene);
}

static void search_field(struct ia_kit *k, float x, float y, float w)
{
    struct ia_scene *s = k->scene;
    const struct ia_field *spec = &ia_phone_app(k->phone)->fields[0];
    (void)ia_scene_push(s, IA_EL_SEARCH_FIELD, x, y, w, FIELD_H);
    struct ia_view *v = &s->views[s->parent];
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_FIELD;
    v->radius = 10;
    v->ident = spec->ident;
    v->label = spec->label;
    v->placeholder = spec->placeholder;
    v->value = k->app->fields[0];
    v->tap = on_search;
    v->flags = k->app->focus == 0 ? IA_VIEW_FOCUSED : 0;
    struct ia_view *glass = ia_scene_add(s, IA_EL_IMAGE, x + 8, y + 10, 16, 16);
    glass->paint = IA_PAINT_SYMBOL;
    glass->symbol = IA_SYMBOL_SEARCH;
    glass->color = IA_COLOR_GRAY;
    glass->ident = "magnifyingglass";
    glass->flags = IA_VIEW_INVISIBLE;
    struct ia_rect box = {x + 28, y, w - 36, FIELD_H};
    ia_kit_field_content(s, k->app, spec, 0, box, true);
    ia_scene_pop(s);
}

/* The bar's ground reaches up behind the status bar. Scrolled content shows a hairline. */
static void bar_ground(struct ia_kit *k, float h, bool scrolled)
{
    if (k->sheet && !scrolled) {
        return;
    }
    enum ia_color color = k->style == IA_LIST_PLAIN ? IA_COLOR_PLAIN : IA_COLOR_GROUPED;
    color = k->sheet ? IA_COLOR_SHEET : color;
    float top = k->top, w = k->scene->display->w;
    struct ia_view *v = ia_scene_fill(k->scene, scrolled ? IA_COLOR_BAR : color, 0, top, w,
                                      k->bar_top - top + h);
    v->radius = k->sheet ? 12 : 0;
    v->flags = k->sheet ? IA_VIEW_ROUND_TOP : 0;
    if (scrolled) {
        (void)ia_scene_fill(k->scene, IA_COLOR_SEPARATOR, 0, k->bar_top + h - 0.5F, w, 0.5F);
    }
}

/* Large title and search field, pushed up under the bar by `hidden` points. */
static void bar_extra(struct ia_kit *k, const char *title, float extra, float hidden)
{
    float top = k->bar_top + k->bar;
    (void)ia_scene_push(k->scene, IA_EL_ANY, 0, top, k->scene->display->w, extra - hidden);
    k->scene->views[k->scene->parent].flags = IA_VIEW_CLIP;
    float y = top - hidden;
    if (large(k)) {
        if (hidden < 30) {
            (void)ia_scene_label(k->scene, title, k->left + 16, y + 5, k->width - 32,
                                 IA_INK(LARGE, IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_HEADER));
        }
        y += LARGE_H;
    }
    if (k->nav->search && y + FIELD_H / 2.0F > top) {
        search_field(k, k->left + 16, y + 1, k->width - 32);
    }
    ia_scene_pop(k->scene);
}

static void bar_title(struct ia_kit *k, const char *title)
{
    (void)ia_scene_label(
        k->scene, title, k->left + k->width / 2 - 0.5F, k->bar_top + (k->bar - 21) / 2, 200,
        IA_INK(TITLE, IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_CENTER | IA_VIEW_HEADER));
}

static void bar_buttons(struct ia_kit *k)
{
    const char *back = ia_nav_back_title(k->phone, k->app, k->index);
    if (k->nav->left.label) {
        bar_button(k, &k->nav->left, k->left + 8, false);
    } else if (back) {
        back_button(k, back);
    }
    if (k->nav->right.label) {
        bar_button(k, &k->nav->right, k->left + k->width - 8, true);
    }
}

static void search_bar(struct ia_kit *k)
{
    static const struct ia_kit_button cancel = {.label = "Cancel", .tap = on_cancel_search};
    search_field(k, k->left + 16, k->bar_top + 4, k->width - 105);
    bar_button(k, &cancel, k->left + k->width - 8, true);
}

float ia_kit_nav_bar(struct ia_kit *k, float offset)
{
    const char *title = ia_nav_title(k->phone, k->entry);
    float extra = ia_kit_bar_extra(k);
    bool searching = ia_kit_searching(k);
    float hidden = searching ? 0 : fminf(offset, extra);
    float h = k->bar + extra - hidden;
    int32_t bar =
        ia_scene_push(k->scene, IA_EL_NAVIGATION_BAR, 0, k->bar_top, k->scene->display->w, h);
    k->scene->views[bar].ident = title;
    k->scene->views[bar].flags = IA_VIEW_BLOCKS;
    bar_ground(k, h, searching || (offset > 0 && hidden == extra));
    if (searching) {
        search_bar(k);
    } else {
        if (extra > hidden) {
            bar_extra(k, title, extra, hidden);
        }
        bar_buttons(k);
        if (!k->nav->hidden_title && (!large(k) || hidden >= 30)) {
            bar_title(k, title);
        }
    }
    ia_scene_pop(k->scene);
    return k->bar_top + h;
}

void ia_kit_badge(struct ia_scene *s, const char *number, float x, float y, enum ia_color color)
{
    float w = fmaxf(ia_text_width(number, strlen(number), 12, false) + 9, 18);
    ia_scene_fill(s, color, x - w / 2, y, w, 18)->radius = 9;
    ia_scene_label(s, number, x, y + 1.5F, w, IA_INK(12, IA_COLOR_WHITE, IA_VIEW_CENTER))
        ->type = IA_EL_ANY;
}

static void tab(struct ia_kit *k, int i, float x, float y, float w)
{
    const struct ia_kit_button *b = &k->nav->tabs[i];
    bool selected = i == k->nav->tab_selected;
    (void)ia_scene_push(k->scene, IA_EL_BUTTON, x, y, w, TAB_BAR_H);
    struct ia_view *v = &k->scene->views[k->scene->parent];
    v->label = b->label;
    v->ident = b->ident;
    v->tap = b->tap;
    v->arg = i;
    v->value = b->value;
    v->flags = selected ? IA_VIEW_SELECTED : 0;
    enum ia_color color = selected ? IA_COLOR_BLUE : IA_COLOR_GRAY;
    struct ia_view *sym = ia_scene_add(k->scene, IA_EL_ANY, x + w / 2 - 13, y + 5, 26, 26);
    sym->paint = IA_PAINT_SYMBOL;
    sym->symbol = b->symbol;
    sym->color = (uint8_t)color;
    struct ia_view *text = ia_scene_label(k->scene, b->label, x + w / 2, y + 33, w,
                                          IA_INK(10, color, IA_VIEW_BOLD | IA_VIEW_CENTER));
    text->type = IA_EL_ANY;
    if (b->value) {
        const char *word = ia_scene_text(k->scene, b->value, strcspn(b->value, " "));
        ia_kit_badge(k->scene, word, x + w / 2 + 15, y + 3, IA_COLOR_RED);
    }
    ia_scene_pop(k->scene);
}

void ia_kit_tab_bar(struct ia_kit *k)
{
    const struct ia_display *d = k->scene->display;
    float h = TAB_BAR_H + d->foot, y = d->h - h;
    int32_t bar = ia_scene_push(k->scene, IA_EL_TAB_BAR, 0, y, d->w, h);
    struct ia_view *v = &k->scene->views[bar];
    v->label = "Tab Bar";
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_BAR;
    v->flags = IA_VIEW_BLOCKS;
    (void)ia_scene_fill(k->scene, IA_COLOR_SEPARATOR, 0, y, d->w, 0.5F);
    float w = floorf(k->width / (float)k->nav->tab_count);
    for (int i = 0; i < k->nav->tab_count; i++) {
        tab(k, i, k->left + (float)i * w, y, w);
    }
    ia_scene_pop(k->scene);
}
