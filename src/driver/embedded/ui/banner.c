/* banner.c: a notification at the top of the screen, over everything but an alert. A tap opens its
 * app; after a few seconds of the phone's clock it is gone. */
#include "driver/embedded/ui/shell.h"

enum {
    Y = 56,
    Y_WIDE = 8,
    W = IA_SCREEN_W - 16,
    H = 76,
    ICON = 40,
    TEXT_X = 64,
    TEXT_W = W - 80
};

static void on_banner(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_notice notice;
    if (ia_phone_take_banner(p, &notice)) {
        ia_phone_launch(p, notice.app);
        if (ia_apps[notice.app]->open_notice) {
            ia_apps[notice.app]->open_notice(p, notice.arg);
        }
    }
}

/* Drawn only: the banner itself says the texts. */
static void line(struct ia_scene *s, const char *text, float x, float y, struct ia_ink ink)
{
    ia_scene_label(s, text, x + TEXT_X, y, TEXT_W, ink)->type = IA_EL_ANY;
}

void ia_banner_build(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_notice *n = ia_phone_banner(p);
    float x = (s->display->w - W) / 2, y = s->display->wide ? Y_WIDE : Y;
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, s->display->w, y + H);
    (void)ia_scene_push(s, IA_EL_BUTTON, x, y, W, H);
    struct ia_view *v = &s->views[s->parent];
    v->ident = "NotificationShortLookView";
    v->label = ia_scene_printf(s, "%s, now, %s%s%s", ia_apps[n->app]->name, n->title,
                               n->body[0] != '\0' ? ", " : "", n->body);
    v->tap = on_banner;
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_ALERT;
    v->radius = 20;
    v->flags = IA_VIEW_SHADOW;
    struct ia_view *icon = ia_scene_add(s, IA_EL_ANY, x + 12, y + 18, ICON, ICON);
    icon->paint = IA_PAINT_APP_ICON;
    icon->symbol = ia_apps[n->app]->icon;
    line(s, n->title, x, y + 16, IA_INK(15, IA_COLOR_LABEL, IA_VIEW_BOLD));
    line(s, n->body, x, y + 38, IA_INK(15, IA_COLOR_LABEL, 0));
    ia_scene_pop(s);
    ia_scene_pop(s);
}
