/* tabs.c: what the pages of the shop share: its data, its tab bar, its wait. */
#include "driver/embedded/apps/shop/shop.h"

#include <string.h>

enum { LOAD_MS = 5000 };

struct ia_shop *ia_shop_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_shop)->data;
}

const struct ia_shop *ia_shop_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_shop)->data;
}

void ia_shop_load(struct ia_phone *p)
{
    ia_phone_busy(p, LOAD_MS);
}

const char *ia_shop_count(struct ia_scene *s, int pieces)
{
    return ia_scene_printf(s, "%d item%s", pieces, pieces == 1 ? "" : "s");
}

static void on_tab(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_to_root(p);
    ia_phone_front(p)->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_NOTHING;
    ia_nav_top(p)->arg = t->arg;
}

void ia_shop_tabs(struct ia_kit *k, struct ia_kit_nav *nav,
                  struct ia_kit_button buf[IA_SHOP_TABS], int selected)
{
    static const struct ia_kit_button tabs[IA_SHOP_TABS] = {
        {.label = "Shop", .ident = "tab-shop", .symbol = IA_SYMBOL_BAG, .tap = on_tab},
        {.label = "Cart", .ident = "tab-cart", .symbol = IA_SYMBOL_CART, .tap = on_tab},
        {.label = "Account", .ident = "tab-account", .symbol = IA_SYMBOL_PERSON, .tap = on_tab},
    };
    int pieces = ia_shop_pieces(ia_shop_of_const(k->phone));
    memcpy(buf, tabs, sizeof(tabs));
    buf[IA_SHOP_TAB_CART].value = pieces ? ia_shop_count(k->scene, pieces) : NULL;
    nav->tabs = buf;
    nav->tab_count = IA_SHOP_TABS;
    nav->tab_selected = selected;
}
