/* shop.c: the app, its log-in and its account. */
#include "driver/embedded/apps/shop/shop.h"

#include "driver/embedded/ui/shell.h"

#include <string.h>

/* ---- log-in ---- */

static void on_login(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_app_state *a = ia_phone_front(p);
    int user = ia_shop_account(ia_edit_text(a, IA_SHOP_FIELD_USER),
                               ia_edit_text(a, IA_SHOP_FIELD_PASSWORD));
    ia_edit_focus(p, -1);
    ia_edit_set(p, IA_SHOP_FIELD_PASSWORD, "");
    if (user < 0) {
        a->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_WRONG_PASSWORD;
        return;
    }
    ia_shop_of(p)->user = user;
    ia_edit_set(p, IA_SHOP_FIELD_USER, "");
    a->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_NOTHING;
    a->nav[0].scroll = 0;
    ia_shop_load(p);
}

static void login_head(struct ia_kit *k)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 150), middle = (float)IA_SCREEN_W / 2 - 0.5F;
    struct ia_view *v = ia_scene_add(s, IA_EL_IMAGE, middle - 36, y + 14, 72, 72);
    v->paint = IA_PAINT_APP_ICON;
    v->symbol = IA_ICON_SHOP;
    v->ident = "shop-logo";
    v->flags = IA_VIEW_INVISIBLE;
    (void)ia_scene_label(s, "Log in to see the catalogue", middle, y + 104, 340,
                         IA_INK(17, IA_COLOR_SECONDARY, IA_VIEW_CENTER));
}

void ia_shop_build_login(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {0};
    bool ready = *ia_edit_text(k->app, IA_SHOP_FIELD_USER) &&
                 *ia_edit_text(k->app, IA_SHOP_FIELD_PASSWORD);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    login_head(k);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_SHOP_FIELD_USER);
    ia_kit_field(k, IA_SHOP_FIELD_PASSWORD);
    if (k->app->memo[IA_SHOP_MEMO_MESSAGE] == IA_SHOP_SAYS_WRONG_PASSWORD) {
        ia_kit_message(k, "Wrong user name or password.", "login-error", IA_COLOR_RED);
    }
    const struct ia_kit_button login = {
        .label = "Log In", .ident = "login", .tap = on_login, .disabled = !ready};
    ia_kit_action(k, &login);
    ia_kit_footer(k, "This shop sells nothing: it is a part of the simulated iPhone.");
    ia_kit_end(k);
}

/* ---- account ---- */

static void log_out(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_shop *s = ia_shop_of(p);
    s->user = -1;
    s->line_count = 0;
    s->coupon = false;
    ia_nav_to_root(p);
    ia_nav_top(p)->arg = IA_SHOP_TAB_SHOP;
}

static const struct ia_alert alert_logout = {
    .action_sheet = true,
    .title = "Do you want to log out? Your cart will be emptied.",
    .buttons = {{"Log Out", IA_ALERT_DESTRUCTIVE, log_out}, {"Cancel", IA_ALERT_CANCEL, NULL}},
};

static void on_logout(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_alert_show(p, &alert_logout, 0);
}

static void open_order(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &ia_shop_order_page, t->arg);
}

static void order_rows(struct ia_kit *k)
{
    const struct ia_shop *s = ia_shop_of_const(k->phone);
    ia_kit_section(k, "ORDERS");
    for (int i = s->order_count - 1; i >= 0; i--) {
        const struct ia_shop_order *o = &s->orders[i];
        struct ia_civil c = ia_civil_at(o->at_ms);
        ia_kit_row(k, &(struct ia_kit_row){
                          .label = ia_scene_printf(k->scene, "Order %d", o->number),
                          .subtitle = ia_scene_printf(k->scene, "%s \xC2\xB7 %d %.3s %d",
                                                      ia_shop_count(k->scene, o->items), c.day,
                                                      ia_month_name(c.month), c.year),
                          .detail = ia_money_text(k->scene, o->total),
                          .accessory = IA_ROW_CHEVRON,
                          .tap = open_order,
                          .arg = i});
    }
    if (s->order_count == 0) {
        ia_kit_row(k, &(struct ia_kit_row){.label = "No Orders", .color = IA_COLOR_SECONDARY});
    }
}

void ia_shop_build_account(struct ia_kit *k)
{
    const struct ia_shop *s = ia_shop_of_const(k->phone);
    struct ia_kit_nav nav = {.large = true};
    struct ia_kit_button tabs[IA_SHOP_TABS];
    ia_shop_tabs(k, &nav, tabs, IA_SHOP_TAB_ACCOUNT);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = ia_shop_person(s),
                                       .ident = "account-name",
                                       .subtitle = ia_shop_user(s),
                                       .symbol = IA_SYMBOL_PERSON,
                                       .tile = IA_COLOR_GRAY});
    order_rows(k);
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Log Out",
                                       .ident = "logout",
                                       .color = IA_COLOR_RED,
                                       .button = true,
                                       .centered = true,
                                       .tap = on_logout});
    ia_kit_end(k);
}

/* ---- the app ---- */

static void build_root(struct ia_kit *k)
{
    static void (*const tabs[IA_SHOP_TABS])(struct ia_kit *) = {
        ia_shop_build_catalogue, ia_shop_build_cart, ia_shop_build_account};
    if (!ia_shop_user(ia_shop_of_const(k->phone))) {
        ia_shop_build_login(k);
    } else {
        tabs[k->entry->arg](k);
    }
}

static const char *root_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    static const char *const titles[IA_SHOP_TABS] = {"Shop", "Cart", "Account"};
    return ia_shop_user(ia_shop_of_const(p)) ? titles[e->arg] : "Log In";
}

static void *create(uint64_t seed)
{
    (void)seed;
    return ia_shop_new();
}

static void destroy(void *data)
{
    ia_shop_free(data);
}

static void started(struct ia_phone *p)
{
    if (ia_shop_user(ia_shop_of(p))) {
        ia_shop_load(p);
    }
}

/* A screen's message disappears when something else is typed. */
static void edited(struct ia_phone *p, int field)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (a->focus == field) {
        a->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_NOTHING;
    }
}

static void left(struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)e;
    ia_phone_front(p)->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_NOTHING;
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("shop:"));
}

/* shop://add/ITEM/PIECES puts something into the cart; "-" stands for a blank. Other links, and items
 * that are unknown, sold out or too many, open the app and do nothing. */
static void open_url(struct ia_phone *p, struct ia_str url)
{
    static const char add[] = "shop://add/";
    size_t from = sizeof(add) - 1, n = 0;
    if (!ia_str_starts(url, ia_str(add))) {
        return;
    }
    while (from + n < url.n && url.p[from + n] != '/') {
        n++;
    }
    struct ia_str name = {url.p + from, n};
    int pieces = url.n == from + n + 2 ? url.p[url.n - 1] - '0' : 0;
    for (int i = 0; i < ia_shop_item_count(); i++) {
        const char *known = ia_shop_items[i].name;
        bool same = strlen(known) == name.n;
        for (size_t k = 0; same && k < name.n; k++) {
            same = known[k] == (name.p[k] == '-' ? ' ' : name.p[k]);
        }
        if (same && !ia_shop_items[i].sold_out && pieces > 0 &&
            pieces <= IA_SHOP_QUANTITY_MAX) {
            (void)ia_shop_add(ia_shop_of(p), i, pieces);
        }
    }
}

static const struct ia_screen screen_root = {"Shop", build_root, root_title, NULL};

static const struct ia_field fields[IA_SHOP_FIELD_COUNT] = {
    [IA_SHOP_FIELD_SEARCH] = {"search", "Search", "Search the shop", IA_KEYBOARD_TEXT, -1,
                              "search"},
    [IA_SHOP_FIELD_USER] = {"user", "User name", "User name", IA_KEYBOARD_EMAIL,
                            IA_SHOP_FIELD_PASSWORD, "next"},
    [IA_SHOP_FIELD_PASSWORD] = {"password", "Password", "Password", IA_KEYBOARD_SECURE, -1,
                                "return"},
    [IA_SHOP_FIELD_COUPON] = {"coupon", "Coupon code", "Coupon code", IA_KEYBOARD_TEXT, -1,
                              "done"},
    [IA_SHOP_FIELD_NAME] = {"name", "Full name", "Full name", IA_KEYBOARD_WORDS,
                            IA_SHOP_FIELD_STREET, "next"},
    [IA_SHOP_FIELD_STREET] = {"street", "Street", "Street and number", IA_KEYBOARD_WORDS,
                              IA_SHOP_FIELD_CITY, "next"},
    [IA_SHOP_FIELD_CITY] = {"city", "City", "City", IA_KEYBOARD_WORDS, IA_SHOP_FIELD_ZIP,
                            "next"},
    [IA_SHOP_FIELD_ZIP] = {"zip", "ZIP code", "ZIP code", IA_KEYBOARD_PHONE, -1, "done"},
};

const struct ia_app ia_app_shop = {
    .bundle_id = "com.example.shop",
    .name = "Shop",
    .icon = IA_ICON_SHOP,
    .root = &screen_root,
    .fields = fields,
    .create = create,
    .destroy = destroy,
    .takes_url = takes_url,
    .open_url = open_url,
    .started = started,
    .edited = edited,
    .left = left,
    .example = ia_shop_example,
    .state_json = ia_shop_json,
    .tell = ia_shop_tell,
};
