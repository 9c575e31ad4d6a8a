/* cart.c: the cart, the checkout and an order. */
#include "driver/embedded/apps/shop/shop.h"

#include <string.h>

enum { ADDRESS_PARTS = 4, ZIP_DIGITS = 5 };

/* ---- the cart ---- */

static void go_to_shop(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_top(p)->arg = IA_SHOP_TAB_SHOP;
}

static void change_line(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_shop *s = ia_shop_of(p);
    int line = t->arg / 2;
    if (line < s->line_count) {
        ia_shop_set(s, line, s->lines[line].quantity + (t->arg % 2 ? 1 : -1));
    }
}

static void remove_line(struct ia_phone *p, const struct ia_touch *t)
{
    ia_shop_set(ia_shop_of(p), t->arg, 0);
}

static void apply_coupon(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_app_state *a = ia_phone_front(p);
    bool good = ia_shop_coupon_is(ia_edit_text(a, IA_SHOP_FIELD_COUPON));
    ia_edit_focus(p, -1);
    ia_shop_of(p)->coupon = good;
    a->memo[IA_SHOP_MEMO_MESSAGE] = good ? IA_SHOP_SAYS_NOTHING : IA_SHOP_SAYS_BAD_COUPON;
}

static void check_out(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_present(p, &ia_shop_checkout, 0);
    ia_edit_focus(p, IA_SHOP_FIELD_NAME);
}

static void cart_lines(struct ia_kit *k, const struct ia_shop *s)
{
    ia_kit_section(k, NULL);
    for (int i = 0; i < s->line_count; i++) {
        const struct ia_shop_item *item = &ia_shop_items[s->lines[i].item];
        int n = s->lines[i].quantity;
        ia_kit_stepper(k, &(struct ia_kit_stepper){
                              .label = item->name,
                              .subtitle = ia_scene_printf(k->scene, "%d \xC3\x97 %s", n,
                                                          ia_money_text(k->scene, item->price)),
                              .name = item->name,
                              .value = n,
                              .min = 1,
                              .max = IA_SHOP_QUANTITY_MAX,
                              .step = change_line,
                              .remove = remove_line,
                              .arg = i});
    }
}

static void sum_rows(struct ia_kit *k, const struct ia_shop *s)
{
    struct ia_shop_sums sums = ia_shop_sums(s, k->phone->bugs);
    ia_kit_section(k, "SUMMARY");
    ia_kit_fact(k, "Subtotal", "subtotal", ia_money_text(k->scene, sums.subtotal));
    if (s->coupon) {
        ia_kit_fact(k, "Discount", "discount", ia_money_text(k->scene, -sums.discount));
    }
    ia_kit_fact(k, "Shipping", "shipping",
                sums.shipping ? ia_money_text(k->scene, sums.shipping) : "Free");
    ia_kit_fact(k, "Total", "total", ia_money_text(k->scene, sums.total));
}

static void coupon_rows(struct ia_kit *k, const struct ia_shop *s)
{
    bool typed = *ia_edit_text(k->app, IA_SHOP_FIELD_COUPON) != '\0';
    ia_kit_section(k, "COUPON");
    ia_kit_field(k, IA_SHOP_FIELD_COUPON);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Apply Coupon",
                                       .ident = "apply-coupon",
                                       .color = IA_COLOR_BLUE,
                                       .button = true,
                                       .disabled = !typed,
                                       .tap = apply_coupon});
    if (s->coupon) {
        ia_kit_message(k, "WELCOME10: 10 % off", "coupon-note", IA_COLOR_GREEN);
    } else if (k->app->memo[IA_SHOP_MEMO_MESSAGE] == IA_SHOP_SAYS_BAD_COUPON) {
        ia_kit_message(k, "This coupon is not valid.", "coupon-error", IA_COLOR_RED);
    }
}

void ia_shop_build_cart(struct ia_kit *k)
{
    static const struct ia_kit_button buy = {
        .label = "Check Out", .ident = "check-out", .tap = check_out};
    static const struct ia_kit_button browse = {
        .label = "Browse the Shop", .ident = "browse", .tap = go_to_shop};
    const struct ia_shop *s = ia_shop_of_const(k->phone);
    struct ia_kit_nav nav = {.large = true};
    struct ia_kit_button tabs[IA_SHOP_TABS];
    ia_shop_tabs(k, &nav, tabs, IA_SHOP_TAB_CART);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    if (s->line_count) {
        cart_lines(k, s);
        coupon_rows(k, s);
        sum_rows(k, s);
        ia_kit_action(k, &buy);
    } else {
        ia_kit_empty(k, "Your Cart Is Empty", "What you add will appear here.");
        ia_kit_action(k, &browse);
    }
    ia_kit_end(k);
}

/* ---- checkout ---- */

static const char *part(const struct ia_phone *p, int i)
{
    return ia_edit_text(ia_phone_front_const(p), IA_SHOP_FIELD_NAME + i);
}

static const struct ia_alert alert_address =
    IA_ALERT_OK("Address Incomplete", "Enter your name, street, city and ZIP code.");
static const struct ia_alert alert_zip =
    IA_ALERT_OK("Check the ZIP Code", "A ZIP code has five digits.");
static const struct ia_alert alert_orders =
    IA_ALERT_OK("Cannot Order", "This shop takes no more orders.");

static void close_checkout(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    for (int i = 0; i < ADDRESS_PARTS; i++) {
        ia_edit_set(p, IA_SHOP_FIELD_NAME + i, "");
    }
    ia_nav_pop(p);
}

static const struct ia_alert *objection(const struct ia_phone *p)
{
    for (int i = 0; i < ADDRESS_PARTS; i++) {
        const char *text = part(p, i);
        if (text[strspn(text, " ")] == '\0') {
            return &alert_address;
        }
    }
    const char *zip = part(p, 3);
    size_t digits = strspn(zip, "0123456789");
    return digits == ZIP_DIGITS && !zip[digits] ? NULL : &alert_zip;
}

static void place_order(struct ia_phone *p, const struct ia_touch *t)
{
    const char *const address[ADDRESS_PARTS] = {part(p, 0), part(p, 1), part(p, 2), part(p, 3)};
    const struct ia_alert *no = objection(p);
    if (no) {
        ia_alert_show(p, no, 0);
        return;
    }
    struct ia_shop *s = ia_shop_of(p);
    if (!ia_shop_place(s, address, p->now_ms, p->bugs)) {
        ia_alert_show(p, &alert_orders, 0);
        return;
    }
    close_checkout(p, t);
    ia_edit_set(p, IA_SHOP_FIELD_COUPON, "");
    ia_nav_present(p, &ia_shop_confirmation, s->order_count - 1);
}

static void build_checkout(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = close_checkout}};
    static const struct ia_kit_button place = {
        .label = "Place Order", .ident = "place-order", .tap = place_order};
    const struct ia_shop *s = ia_shop_of_const(k->phone);
    struct ia_shop_sums sums = ia_shop_sums(s, k->phone->bugs);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, "DELIVER TO");
    for (int i = 0; i < ADDRESS_PARTS; i++) {
        ia_kit_field(k, IA_SHOP_FIELD_NAME + i);
    }
    ia_kit_section(k, NULL);
    ia_kit_fact(k, ia_shop_count(k->scene, ia_shop_pieces(s)), "pieces", NULL);
    ia_kit_fact(k, "Total", "total", ia_money_text(k->scene, sums.total));
    ia_kit_action(k, &place);
    ia_kit_end(k);
}

/* ---- an order ---- */

static const struct ia_shop_order *order_of(const struct ia_kit *k)
{
    return &ia_shop_of_const(k->phone)->orders[k->entry->arg];
}

static void order_rows(struct ia_kit *k, const struct ia_shop_order *o)
{
    ia_kit_section(k, NULL);
    ia_kit_fact(k, "Order number", "order-number", ia_scene_printf(k->scene, "%d", o->number));
    ia_kit_fact(k, "Items", "order-items", ia_scene_printf(k->scene, "%d", o->items));
    ia_kit_fact(k, "Total", "order-total", ia_money_text(k->scene, o->total));
    ia_kit_section(k, "DELIVER TO");
    ia_kit_fact(k, "Name", "order-name", o->name);
    ia_kit_fact(k, "Street", "order-street", o->street);
    ia_kit_fact(k, "City", "order-city", ia_scene_printf(k->scene, "%s %s", o->zip, o->city));
}

static void confirmation_head(struct ia_kit *k)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 150), middle = (float)IA_SCREEN_W / 2 - 0.5F;
    struct ia_view *v = ia_scene_fill(s, IA_COLOR_GREEN, middle - 36, y + 10, 72, 72);
    v->radius = 36;
    v = ia_scene_add(s, IA_EL_ANY, middle - 18, y + 28, 36, 36);
    v->paint = IA_PAINT_SYMBOL;
    v->symbol = IA_SYMBOL_CHECK;
    v->color = IA_COLOR_WHITE;
    (void)ia_scene_label(s, "Thank you for your order", middle, y + 100, 340,
                         IA_INK(22, IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_CENTER));
}

static void build_confirmation(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .right = {.label = "Done", .ident = "done", .bold = true, .tap = ia_nav_on_back}};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    confirmation_head(k);
    order_rows(k, order_of(k));
    ia_kit_end(k);
}

static void build_order(struct ia_kit *k)
{
    struct ia_kit_nav nav = {0};
    struct ia_kit_button tabs[IA_SHOP_TABS];
    ia_shop_tabs(k, &nav, tabs, IA_SHOP_TAB_ACCOUNT);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    order_rows(k, order_of(k));
    ia_kit_end(k);
}

static const char *order_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    (void)e;
    return "Order";
}

const struct ia_screen ia_shop_checkout = {"Checkout", build_checkout, NULL, close_checkout};
const struct ia_screen ia_shop_confirmation = {"Order Confirmed", build_confirmation, NULL,
                                               ia_nav_on_back};
const struct ia_screen ia_shop_order_page = {"Order", build_order, order_title, NULL};
