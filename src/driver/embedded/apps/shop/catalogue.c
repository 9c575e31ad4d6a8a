/* catalogue.c: what there is to buy, and the page of one item. */
#include "driver/embedded/apps/shop/shop.h"

#include <string.h>

/* ---- the catalogue ---- */

static void open_item(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_app_state *a = ia_phone_front(p);
    ia_nav_push(p, &ia_shop_item_page, t->arg);
    a->memo[IA_SHOP_MEMO_QUANTITY] = 1;
    a->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_NOTHING;
}

static void choose_category(struct ia_phone *p, const struct ia_touch *t)
{
    ia_phone_front(p)->memo[IA_SHOP_MEMO_CATEGORY] = t->arg;
    ia_nav_top(p)->scroll = 0;
}

static void item_row(struct ia_kit *k, int i)
{
    const struct ia_shop_item *item = &ia_shop_items[i];
    ia_kit_row(k, &(struct ia_kit_row){
                      .label = item->name,
                      .subtitle = item->sold_out ? "Sold out"
                                                 : ia_shop_category_name(
                                                       (enum ia_shop_category)item->category),
                      .detail = ia_money_text(k->scene, item->price),
                      .symbol = item->symbol,
                      .tile = item->color,
                      .accessory = IA_ROW_CHEVRON,
                      .tap = open_item,
                      .arg = i});
}

static void chips(struct ia_kit *k)
{
    struct ia_kit_button buttons[1 + IA_SHOP_CATEGORIES];
    buttons[0] = (struct ia_kit_button){.label = "All", .tap = choose_category};
    for (int i = 0; i < IA_SHOP_CATEGORIES; i++) {
        buttons[i + 1] =
            (struct ia_kit_button){.label = ia_shop_category_name((enum ia_shop_category)i),
                                   .tap = choose_category,
                                   .arg = i + 1};
    }
    ia_kit_chips(k, buttons, IA_COUNTOF(buttons), k->app->memo[IA_SHOP_MEMO_CATEGORY]);
}

static void category_rows(struct ia_kit *k, int category)
{
    ia_kit_section(k, ia_shop_category_name((enum ia_shop_category)category));
    for (int i = 0; i < ia_shop_item_count(); i++) {
        if (ia_shop_items[i].category == category) {
            item_row(k, i);
        }
    }
}

static void all_rows(struct ia_kit *k)
{
    int chosen = k->app->memo[IA_SHOP_MEMO_CATEGORY];
    chips(k);
    for (int c = 0; c < IA_SHOP_CATEGORIES; c++) {
        if (chosen == 0 || chosen == c + 1) {
            category_rows(k, c);
        }
    }
}

static void found_rows(struct ia_kit *k, const char *query)
{
    int n = 0;
    for (int i = 0; i < ia_shop_item_count(); i++) {
        const struct ia_shop_item *item = &ia_shop_items[i];
        if (ia_kit_matches(item->name, query) || ia_kit_matches(item->text, query)) {
            if (n++ == 0) {
                ia_kit_section(k, "RESULTS");
            }
            item_row(k, i);
        }
    }
    if (n == 0) {
        ia_kit_empty(k, "No Results", ia_scene_printf(k->scene, "for \"%s\"", query));
    }
}

void ia_shop_build_catalogue(struct ia_kit *k)
{
    bool loaded = ia_phone_loaded(k->phone) == 100;
    struct ia_kit_nav nav = {.large = true, .search = loaded};
    struct ia_kit_button tabs[IA_SHOP_TABS];
    ia_shop_tabs(k, &nav, tabs, IA_SHOP_TAB_SHOP);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    const char *query = ia_kit_query(k);
    if (!loaded) {
        ia_kit_progress(k, "Loading the catalogue");
    } else if (*query) {
        found_rows(k, query);
    } else {
        all_rows(k);
    }
    ia_kit_end(k);
}

/* ---- an item ---- */

static void change_quantity(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_app_state *a = ia_phone_front(p);
    a->memo[IA_SHOP_MEMO_QUANTITY] += t->arg % 2 ? 1 : -1;
    a->memo[IA_SHOP_MEMO_MESSAGE] = IA_SHOP_SAYS_NOTHING;
}

static void add_to_cart(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_app_state *a = ia_phone_front(p);
    bool added = ia_shop_add(ia_shop_of(p), t->arg, a->memo[IA_SHOP_MEMO_QUANTITY]);
    a->memo[IA_SHOP_MEMO_MESSAGE] = added ? IA_SHOP_SAYS_ADDED : IA_SHOP_SAYS_FULL;
}

static void item_head(struct ia_kit *k, const struct ia_shop_item *item)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 262);
    struct ia_view *v = ia_scene_add(s, IA_EL_IMAGE, 16, y, IA_SCREEN_W - 32, 170);
    v->paint = IA_PAINT_FILL;
    v->color = item->color;
    v->radius = 14;
    v->label = ia_scene_printf(s, "Picture of %s", item->name);
    struct ia_view *sym =
        ia_scene_add(s, IA_EL_ANY, (float)IA_SCREEN_W / 2 - 68.5F, y + 17, 137, 137);
    sym->paint = IA_PAINT_SYMBOL;
    sym->symbol = item->symbol;
    v = ia_scene_label(s, item->name, 16, y + 188, 361,
                       IA_INK(26, IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_HEADER));
    v->ident = "item-name";
    const char *price = ia_money_text(s, item->price);
    v = ia_scene_label(s, price, 16, y + 226, 361, IA_INK(20, IA_COLOR_SECONDARY, 0));
    v->ident = "item-price";
    struct ia_rect box = {16, y + 262, IA_SCREEN_W - 32, 0};
    (void)ia_kit_space(k, ia_kit_text(s, item->text, box, IA_INK(15, IA_COLOR_LABEL, 0)));
}

static void item_cart(struct ia_kit *k, const struct ia_shop_item *item)
{
    int32_t i = k->entry->arg, shown = k->app->memo[IA_SHOP_MEMO_MESSAGE];
    int have = ia_shop_in_cart(ia_shop_of_const(k->phone), i);
    (void)ia_kit_space(k, 16);
    ia_kit_stepper(k, &(struct ia_kit_stepper){.label = "Quantity",
                                               .value = k->app->memo[IA_SHOP_MEMO_QUANTITY],
                                               .min = 1,
                                               .max = IA_SHOP_QUANTITY_MAX,
                                               .step = change_quantity,
                                               .arg = i});
    const struct ia_kit_button add = {.label = item->sold_out ? "Sold Out" : "Add to Cart",
                                      .ident = "add-to-cart",
                                      .tap = add_to_cart,
                                      .arg = i,
                                      .disabled = item->sold_out};
    ia_kit_action(k, &add);
    if (shown == IA_SHOP_SAYS_FULL) {
        ia_kit_message(k, "You can order nine of one item.", "cart-full", IA_COLOR_RED);
    } else if (have) {
        ia_kit_message(k, ia_scene_printf(k->scene, "%d in your cart", have), "in-cart",
                       IA_COLOR_GREEN);
    }
}

static void build_item(struct ia_kit *k)
{
    const struct ia_shop_item *item = &ia_shop_items[k->entry->arg];
    struct ia_kit_nav nav = {.hidden_title = true};
    struct ia_kit_button tabs[IA_SHOP_TABS];
    ia_shop_tabs(k, &nav, tabs, IA_SHOP_TAB_SHOP);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    item_head(k, item);
    item_cart(k, item);
    ia_kit_end(k);
}

static const char *item_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return ia_shop_items[e->arg].name;
}

const struct ia_screen ia_shop_item_page = {"Item", build_item, item_title, NULL};
