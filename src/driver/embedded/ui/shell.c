/* shell.c: the screen around the apps: windows in their order, status bar, home and lock screen.
 *
 *   application
 *     window of the app (below a sheet, the screen that it covers) │ lock screen │ home screen
 *     status bar
 *     keyboard, while a field of the app has the focus and no alert of the system is shown; above
 *       the alert that has the field
 *     banner of a notification
 *     alert
 *     home indicator
 *
 * Later ones are drawn over earlier ones, and touched first. */
#include "driver/embedded/ui/shell.h"

#include "driver/embedded/ui/kit.h"

#include <string.h>

enum {
    ICON = 60,
    ICON_PITCH = 87,
    ICON_LEFT = 28,
    GRID_TOP = 262,
    ICON_ROW = 102,
    WIDGET = 158,
    DOCK_Y = 740
};

static void scroll_to_top(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_nav_entry *e = ia_nav_top(p);
    if (e) {
        e->scroll = 0;
    }
}

/* The right side of the status bar: by itself, or as it is overridden. */
struct signal {
    bool airplane, wifi, charging;
    int cellular_bars, wifi_bars, battery;
    const char *cellular, *network; /* labels; NULL: none */
};

static bool is(const char *word, const char *wanted)
{
    return word && strcmp(word, wanted) == 0;
}

/* Bars and a label; without service there are no bars. */
static void cellular_signal(const struct ia_status_bar *bar, struct ia_scene *s,
                            struct signal *g)
{
    const char *mode = bar->cellular_mode;
    g->cellular_bars = bar->cellular_bars >= 0 ? bar->cellular_bars : 3;
    if (mode && !is(mode, "active")) {
        g->cellular_bars = 0;
        g->cellular = is(mode, "searching") ? "Searching" : "No Service";
    } else {
        g->cellular = ia_scene_printf(s, "%d of 4 bars, signal strength", g->cellular_bars);
    }
}

/* A network that is named stands in the place of the Wi-Fi's fan. */
static void network_signal(const struct ia_status_bar *bar, struct signal *g)
{
    static const struct {
        const char *word, *shown;
    } networks[] = {{"3g", "3G"},       {"4g", "4G"},        {"lte", "LTE"},
                    {"lte-a", "LTE-A"}, {"lte+", "LTE+"},    {"5g", "5G"},
                    {"5g+", "5G+"},     {"5g-uwb", "5G UW"}, {"5g-uc", "5G UC"}};
    g->wifi_bars = bar->wifi_bars >= 0 ? bar->wifi_bars : 3;
    bool wifi_lost = bar->wifi_mode && !is(bar->wifi_mode, "active");
    bool other = bar->data_network && !is(bar->data_network, "wifi");
    g->wifi = (g->wifi || is(bar->data_network, "wifi")) && !wifi_lost && !other;
    for (size_t i = 0; i < IA_COUNTOF(networks); i++) {
        g->network = is(bar->data_network, networks[i].word) ? networks[i].shown : g->network;
    }
}

static struct signal signal_of(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_status_bar *bar = &p->system.bar;
    struct signal g = {.airplane = ia_prefs_on(&p->prefs, IA_PREF_AIRPLANE_MODE),
                       .wifi = ia_prefs_on(&p->prefs, IA_PREF_WIFI),
                       .charging = is(bar->battery_state, "charging"),
                       .battery =
                           bar->battery_level >= 0 ? bar->battery_level : ia_phone_battery(p)};
    cellular_signal(bar, s, &g);
    network_signal(bar, &g);
    return g;
}

static void status_signal(const struct ia_phone *p, struct ia_scene *s, uint32_t light)
{
    struct signal g = signal_of(p, s);
    struct ia_view *v = ia_scene_add(s, IA_EL_OTHER, 280, 20, 22, 16);
    v->label = g.airplane ? "Airplane mode on" : g.cellular;
    if (g.wifi || g.network) {
        v = ia_scene_add(s, IA_EL_OTHER, 306, 20, 18, 16);
        v->label =
            g.network ? g.network : ia_scene_printf(s, "%d of 3 Wi-Fi bars", g.wifi_bars);
    }
    v = ia_scene_add(s, IA_EL_OTHER, 330, 20, 30, 16);
    v->label =
        ia_scene_printf(s, "%d%% battery power%s", g.battery, g.charging ? ", Charging" : "");
    v = ia_scene_add(s, IA_EL_ANY, 280, 20, 80, 16);
    v->paint = IA_PAINT_SIGNAL;
    v->level = (uint8_t)g.battery;
    v->size = (uint8_t)g.cellular_bars;
    v->radius = (uint8_t)g.wifi_bars;
    v->text = g.network;
    v->flags = light | (g.airplane ? IA_VIEW_AIRPLANE : 0) | (g.wifi ? 0 : IA_VIEW_NO_WIFI) |
               (g.charging ? IA_VIEW_ON : 0);
    v->flags |= ia_prefs_on(&p->prefs, IA_PREF_BATTERY_PERCENT) ? IA_VIEW_PERCENT : 0;
}

/* Where a phone of this size has its camera: at its upright top. */
static void camera(struct ia_scene *s, enum ia_orientation o)
{
    float w = s->display->w, h = s->display->h;
    struct ia_rect box = {(w - 126) / 2, 11, 126, 37};
    if (s->display->wide) {
        box = (struct ia_rect){o == IA_LANDSCAPE_LEFT ? 11 : w - 48, (h - 126) / 2, 37, 126};
    }
    ia_scene_fill(s, IA_COLOR_BLACK, (float)box.x, (float)box.y, (float)box.w, (float)box.h)
        ->radius = 18;
}

void ia_status_bar_build(const struct ia_phone *p, struct ia_scene *s)
{
    bool light = p->locked || p->foreground == IA_NO_APP;
    uint32_t flag = light ? IA_VIEW_LIGHT : 0;
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    int32_t bar = ia_scene_push(s, IA_EL_STATUS_BAR, 0, 0, IA_SCREEN_W, 54);
    s->views[bar].tap = light ? NULL : scroll_to_top;
    const char *clock = p->system.bar.time ? p->system.bar.time : ia_time_text(p, s, p->now_ms);
    struct ia_view *v = ia_scene_label(
        s, clock, 72, 18, 70,
        IA_INK(17, light ? IA_COLOR_WHITE : IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_CENTER));
    v->ident = "clock";
    status_signal(p, s, flag);
    camera(s, IA_PORTRAIT);
    ia_scene_pop(s);
    ia_scene_pop(s);
}

/* The line at the foot of the screen that is dragged up to go home. */
static void home_indicator(struct ia_scene *s, bool light)
{
    enum ia_color color = light ? IA_COLOR_WHITE : IA_COLOR_LABEL;
    struct ia_view *v =
        ia_scene_fill(s, color, (s->display->w - 140) / 2, s->display->h - 13, 140, 5);
    v->radius = 2;
}

static void wallpaper(struct ia_scene *s)
{
    struct ia_view *v = ia_scene_add(s, IA_EL_ANY, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    v->paint = IA_PAINT_WALLPAPER;
}

static void on_icon(struct ia_phone *p, const struct ia_touch *t)
{
    ia_phone_launch(p, t->arg);
}

static void app_icon(const struct ia_phone *p, struct ia_scene *s, int app, float x, float y,
                     bool named)
{
    int badge = ia_apps[app]->badge ? ia_apps[app]->badge(p->apps[app].data) : 0;
    (void)ia_scene_push(s, IA_EL_ICON, x, y, ICON, named ? 81 : ICON);
    struct ia_view *v = &s->views[s->parent];
    v->label = ia_apps[app]->name;
    v->ident = ia_apps[app]->name;
    v->tap = on_icon;
    v->arg = app;
    struct ia_view *picture = ia_scene_add(s, IA_EL_ANY, x, y, ICON, ICON);
    picture->paint = IA_PAINT_APP_ICON;
    picture->symbol = ia_apps[app]->icon;
    if (badge > 0) {
        s->views[s->parent].value =
            ia_scene_printf(s, "%d new item%s", badge, badge == 1 ? "" : "s");
        ia_kit_badge(s, ia_scene_printf(s, "%d", badge), x + ICON - 2, y - 7, IA_COLOR_RED);
    }
    if (named) {
        struct ia_view *text = ia_scene_label(s, ia_apps[app]->name, x + ICON / 2.0F, y + 65,
                                              80, IA_INK(12, IA_COLOR_WHITE, IA_VIEW_CENTER));
        /* Drawn only: the icon itself has the name. */
        text->type = IA_EL_ANY;
    }
    ia_scene_pop(s);
}

static int32_t widget(struct ia_scene *s, float x, float y, const char *label)
{
    int32_t at = ia_scene_push(s, IA_EL_OTHER, x, y, WIDGET, WIDGET);
    s->views[at].paint = IA_PAINT_FILL;
    s->views[at].color = IA_COLOR_WIDGET;
    s->views[at].radius = 22;
    s->views[at].label = label;
    return at;
}

static void widgets(const struct ia_phone *p, struct ia_scene *s)
{
    struct ia_civil c = ia_civil_at(p->now_ms);
    const char *weekday = ia_weekday_name(c.weekday);
    float x = 26, y = 76;
    (void)widget(s, x, y,
                 ia_scene_printf(s, "Calendar, %s %d, No events today", weekday, c.day));
    struct ia_view *v =
        ia_scene_label(s, weekday, x + 16, y + 14, 120, IA_INK(12, IA_COLOR_RED, IA_VIEW_BOLD));
    v->type = IA_EL_ANY;
    v = ia_scene_label(s, ia_scene_printf(s, "%d", c.day), x + 16, y + 28, 120,
                       IA_INK(36, IA_COLOR_LABEL, 0));
    v->type = IA_EL_ANY;
    v = ia_scene_label(s, "No events today", x + 16, y + 122, 130,
                       IA_INK(13, IA_COLOR_SECONDARY, 0));
    v->type = IA_EL_ANY;
    ia_scene_pop(s);
    x += WIDGET + 24;
    (void)widget(s, x, y, ia_scene_printf(s, "Clock, %s", ia_time_text(p, s, p->now_ms)));
    v = ia_scene_add(s, IA_EL_ANY, x + 13, y + 13, WIDGET - 26, WIDGET - 26);
    v->paint = IA_PAINT_CLOCK_FACE;
    v->level = (uint8_t)(c.hour % 12);
    v->size = (uint8_t)c.minute;
    ia_scene_pop(s);
}

static void dock(const struct ia_phone *p, struct ia_scene *s)
{
    (void)ia_scene_push(s, IA_EL_OTHER, 12, DOCK_Y, IA_SCREEN_W - 24, 88);
    struct ia_view *v = &s->views[s->parent];
    v->ident = "Dock";
    v->label = "Dock";
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_GLASS;
    v->radius = 30;
    int n = 0;
    for (int i = 0; ia_apps[i]; i++) {
        if (ia_apps[i]->dock) {
            app_icon(p, s, i, ICON_LEFT + (float)(n++ * ICON_PITCH), DOCK_Y + 14, false);
        }
    }
    ia_scene_pop(s);
}

void ia_home_build(const struct ia_phone *p, struct ia_scene *s)
{
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    (void)ia_scene_push(s, IA_EL_OTHER, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    s->views[s->parent].ident = "Home screen icons";
    wallpaper(s);
    widgets(p, s);
    int n = 0;
    for (int i = 0; ia_apps[i]; i++) {
        if (!ia_apps[i]->dock && !ia_apps[i]->off_home) {
            float x = ICON_LEFT + (float)(n % 4 * ICON_PITCH);
            int row = n++ / 4;
            app_icon(p, s, i, x, (float)(GRID_TOP + row * ICON_ROW), true);
        }
    }
    dock(p, s);
    ia_scene_pop(s);
    ia_scene_pop(s);
}

void ia_lock_build(const struct ia_phone *p, struct ia_scene *s)
{
    struct ia_civil c = ia_civil_at(p->now_ms);
    float middle = (float)IA_SCREEN_W / 2 - 0.5F;
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    (void)ia_scene_push(s, IA_EL_OTHER, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    s->views[s->parent].ident = "lock-screen";
    wallpaper(s);
    const char *date = ia_scene_printf(s, "%s, %s %d", ia_weekday_name(c.weekday),
                                       ia_month_name(c.month), c.day);
    (void)ia_scene_label(s, date, middle, 110, 360,
                         IA_INK(22, IA_COLOR_WHITE, IA_VIEW_CENTER | IA_VIEW_BOLD));
    (void)ia_scene_label(s, ia_time_text(p, s, p->now_ms), middle, 136, 360,
                         IA_INK(90, IA_COLOR_WHITE, IA_VIEW_CENTER | IA_VIEW_BOLD));
    (void)ia_scene_label(s, "Swipe up to open", middle, 804, 360,
                         IA_INK(15, IA_COLOR_WHITE, IA_VIEW_CENTER));
    ia_scene_pop(s);
    ia_scene_pop(s);
}

/* The entries that are on the screen: the last one, and below a sheet the one it covers. */
static void app_window(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, s->display->w, s->display->h);
    int top = a->depth - 1, sheet = top;
    while (sheet > 0 && !a->nav[sheet].sheet) {
        sheet--;
    }
    if (sheet > 0) {
        ia_kit_screen(p, s, sheet - 1);
    }
    ia_kit_screen(p, s, top);
    ia_scene_pop(s);
}

/* The keyboard, and the menu of the field that has it. */
static void editing(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    if (a && a->focus >= 0 && !p->system_alert && !p->locked) {
        ia_edit_menu_build(p, s);
        ia_keyboard_build(p, s);
    }
}

static void app_scene(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    app_window(p, s);
    if (!s->display->wide) {
        ia_status_bar_build(p, s); /* on its side a phone shows none */
    }
    if (!a->alert) {
        editing(p, s);
    }
}

void ia_phone_scene(const struct ia_phone *p, struct ia_scene *s)
{
    ia_scene_init(s);
    const struct ia_app *app = p->locked ? NULL : ia_phone_app(p);
    s->dark = ia_prefs_on(&p->prefs, IA_PREF_DARK_APPEARANCE);
    s->display = ia_phone_display(p);
    s->app = app ? app->bundle_id : IA_SPRINGBOARD;
    (void)ia_scene_push(s, IA_EL_APPLICATION, 0, 0, s->display->w, s->display->h);
    s->views[0].label = app ? app->name : ia_phone_title(p);
    if (app) {
        app_scene(p, s);
    } else if (p->locked) {
        ia_lock_build(p, s);
        ia_status_bar_build(p, s);
    } else {
        ia_home_build(p, s);
        ia_status_bar_build(p, s);
    }
    if (ia_phone_banner(p)) {
        ia_banner_build(p, s);
    }
    if (ia_alert_shown(p)) {
        ia_alert_build(p, s);
        editing(p, s);
    }
    if (s->display->wide) {
        camera(s, ia_phone_orientation(p));
    }
    home_indicator(s, !app);
    ia_scene_pop(s);
    if (app && p->changes) {
        ia_changes_build(p, s);
    }
}
