/* store.c: the catalogue, the cart and the orders themselves. */
#include "driver/embedded/apps/shop/shop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ia_shop_item ia_shop_items[] = {
    {"Studio Headphones", "Closed headphones with a soft band and a cable of three metres.",
     12900, IA_SHOP_AUDIO, IA_SYMBOL_HEADPHONES, IA_COLOR_MIST, false},
    {"Pocket Speaker", "A small speaker that plays for twelve hours.", 4950, IA_SHOP_AUDIO,
     IA_SYMBOL_LOUDSPEAKER, IA_COLOR_MIST, false},
    {"Record Brush", "Carbon fibre, for vinyl records.", 1890, IA_SHOP_AUDIO, IA_SYMBOL_BRUSH,
     IA_COLOR_MIST, false},
    {"Desk Lamp", "Warm light, with an arm that turns and a dimmer.", 3990, IA_SHOP_HOME,
     IA_SYMBOL_LAMP, IA_COLOR_SAND, false},
    {"Wool Blanket", "130 by 180 centimetres, woven from new wool.", 6400, IA_SHOP_HOME,
     IA_SYMBOL_BLANKET, IA_COLOR_SAND, false},
    {"Wall Clock", "Silent, with a face of enamel.", 2750, IA_SHOP_HOME, IA_SYMBOL_WALL_CLOCK,
     IA_COLOR_SAND, true},
    {"Coffee Grinder", "A hand mill with steel burrs and eighteen steps.", 8900,
     IA_SHOP_KITCHEN, IA_SYMBOL_GRINDER, IA_COLOR_MINT, false},
    {"Tea Kettle", "Holds a litre and a half and whistles.", 4500, IA_SHOP_KITCHEN,
     IA_SYMBOL_KETTLE, IA_COLOR_MINT, false},
    {"Espresso Cups", "A set of four, glazed by hand.", 2400, IA_SHOP_KITCHEN, IA_SYMBOL_CUPS,
     IA_COLOR_MINT, false},
    {"Fountain Pen", "With a fine nib and a converter for ink.", 3400, IA_SHOP_PAPER,
     IA_SYMBOL_FOUNTAIN_PEN, IA_COLOR_ROSE, false},
    {"Sketchbook", "A hundred sheets of heavy paper, stitched.", 1250, IA_SHOP_PAPER,
     IA_SYMBOL_SKETCHBOOK, IA_COLOR_ROSE, false},
    {"Year Planner", "A week on two pages.", 2195, IA_SHOP_PAPER, IA_SYMBOL_PLANNER,
     IA_COLOR_ROSE, false},
};

static const struct {
    const char *user, *password, *person;
} accounts[] = {
    {"ada", "engine-1843", "Ada Lovelace"},
    {"grace", "compiler-1952", "Grace Hopper"},
};

int ia_shop_item_count(void)
{
    return IA_COUNTOF(ia_shop_items);
}

const char *ia_shop_category_name(enum ia_shop_category category)
{
    static const char *const names[IA_SHOP_CATEGORIES] = {"Audio", "Home", "Kitchen", "Paper"};
    return names[category];
}

struct ia_shop *ia_shop_new(void)
{
    struct ia_shop *s = ia_calloc(1, sizeof(*s));
    s->user = -1;
    return s;
}

void ia_shop_free(struct ia_shop *s)
{
    for (int i = 0; i < s->order_count; i++) {
        free(s->orders[i].name);
        free(s->orders[i].street);
        free(s->orders[i].city);
        free(s->orders[i].zip);
    }
    free(s->orders);
    free(s);
}

int ia_shop_account(const char *user, const char *password)
{
    for (size_t i = 0; i < IA_COUNTOF(accounts); i++) {
        if (strcmp(accounts[i].user, user) == 0 &&
            strcmp(accounts[i].password, password) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *ia_shop_user(const struct ia_shop *s)
{
    return s->user < 0 ? NULL : accounts[s->user].user;
}

const char *ia_shop_person(const struct ia_shop *s)
{
    return s->user < 0 ? "" : accounts[s->user].person;
}

/* ---- cart ---- */

static struct ia_shop_line *line_of(struct ia_shop *s, int item)
{
    for (int i = 0; i < s->line_count; i++) {
        if (s->lines[i].item == item) {
            return &s->lines[i];
        }
    }
    return NULL;
}

int ia_shop_in_cart(const struct ia_shop *s, int item)
{
    for (int i = 0; i < s->line_count; i++) {
        if (s->lines[i].item == item) {
            return s->lines[i].quantity;
        }
    }
    return 0;
}

bool ia_shop_add(struct ia_shop *s, int item, int quantity)
{
    int have = ia_shop_in_cart(s, item);
    if (have + quantity > IA_SHOP_QUANTITY_MAX ||
        (have == 0 && s->line_count == IA_SHOP_LINES_MAX)) {
        return false;
    }
    struct ia_shop_line *line = have ? line_of(s, item) : &s->lines[s->line_count++];
    *line = (struct ia_shop_line){(uint8_t)item, (uint8_t)(have + quantity)};
    return true;
}

void ia_shop_set(struct ia_shop *s, int line, int quantity)
{
    if (line < 0 || line >= s->line_count || quantity > IA_SHOP_QUANTITY_MAX) {
        return;
    }
    if (quantity > 0) {
        s->lines[line].quantity = (uint8_t)quantity;
        return;
    }
    s->line_count--;
    memmove(&s->lines[line], &s->lines[line + 1],
            (size_t)(s->line_count - line) * sizeof(s->lines[0]));
    s->coupon = s->coupon && s->line_count > 0;
}

int ia_shop_pieces(const struct ia_shop *s)
{
    int n = 0;
    for (int i = 0; i < s->line_count; i++) {
        n += s->lines[i].quantity;
    }
    return n;
}

bool ia_shop_coupon_is(const char *code)
{
    return strcmp(code, "WELCOME10") == 0;
}

struct ia_shop_sums ia_shop_sums(const struct ia_shop *s, uint32_t bugs)
{
    struct ia_shop_sums sums = {0};
    /* Two planted bugs: the total ignores quantities; the discount is shown and not taken
     * off. */
    bool once = (bugs >> IA_BUG_SHOP_TOTAL & 1) != 0;
    bool useless = (bugs >> IA_BUG_SHOP_COUPON & 1) != 0;
    for (int i = 0; i < s->line_count; i++) {
        sums.subtotal +=
            ia_shop_items[s->lines[i].item].price * (once ? 1 : s->lines[i].quantity);
    }
    sums.discount = s->coupon ? sums.subtotal * IA_SHOP_COUPON_PERCENT / 100 : 0;
    int32_t rest = sums.subtotal - (useless ? 0 : sums.discount);
    sums.shipping = rest > 0 && rest < IA_SHOP_FREE_SHIPPING ? IA_SHOP_SHIPPING : 0;
    sums.total = rest + sums.shipping;
    return sums;
}

int32_t ia_shop_place(struct ia_shop *s, const char *const address[4], int64_t now_ms,
                      uint32_t bugs)
{
    if (s->order_count == IA_SHOP_ORDERS_MAX || s->line_count == 0) {
        return 0;
    }
    struct ia_shop_order order = {
        .number = IA_SHOP_FIRST_ORDER + s->order_count,
        .total = ia_shop_sums(s, bugs).total,
        .items = ia_shop_pieces(s),
        .at_ms = now_ms,
        .name = ia_strdup(address[0]),
        .street = ia_strdup(address[1]),
        .city = ia_strdup(address[2]),
        .zip = ia_strdup(address[3]),
    };
    s->orders = ia_realloc(s->orders, (size_t)s->order_count + 1, sizeof(*s->orders));
    s->orders[s->order_count++] = order;
    /* A planted bug leaves the cart full after the order. */
    if (!(bugs >> IA_BUG_SHOP_CART & 1)) {
        s->line_count = 0;
        s->coupon = false;
    }
    return order.number;
}

void ia_shop_example(void *shop)
{
    static const char *const address[4] = {"", "", "", ""};
    (void)ia_shop_add(shop, 0, 1);
    (void)ia_shop_place(shop, address, 0, 0);
    (void)ia_shop_add(shop, 0, 1);
}

/* ---- oracle ---- */

static void cart_json(const struct ia_shop *s, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "cart");
    ia_jsonw_array(w);
    for (int i = 0; i < s->line_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "item", ia_shop_items[s->lines[i].item].name);
        ia_jsonw_kv_int(w, "quantity", s->lines[i].quantity);
        ia_money_json(w, "price", ia_shop_items[s->lines[i].item].price);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void orders_json(const struct ia_shop *s, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "orders");
    ia_jsonw_array(w);
    for (int i = 0; i < s->order_count; i++) {
        const struct ia_shop_order *o = &s->orders[i];
        ia_jsonw_object(w);
        ia_jsonw_kv_int(w, "number", o->number);
        ia_jsonw_kv_int(w, "items", o->items);
        ia_money_json(w, "total", o->total);
        ia_jsonw_kv(w, "name", o->name);
        ia_jsonw_kv(w, "street", o->street);
        ia_jsonw_kv(w, "city", o->city);
        ia_jsonw_kv(w, "zip", o->zip);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

void ia_shop_json(const void *shop, struct ia_jsonw *w)
{
    const struct ia_shop *s = shop;
    ia_jsonw_key(w, "shop");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "user", ia_shop_user(s));
    cart_json(s, w);
    ia_jsonw_kv_bool(w, "coupon", s->coupon);
    orders_json(s, w);
    ia_jsonw_end_object(w);
}

/* ---- what its build for tests tells ---- */

void ia_shop_tell(const void *shop, uint32_t bugs, struct ia_jsonw *w)
{
    const struct ia_shop *s = shop;
    const char *user = ia_shop_user(s);
    ia_jsonw_kv(w, "user", user ? user : "nobody");
    ia_count_json(w, "cart.items", ia_shop_pieces(s));
    ia_money_json(w, "cart.total", ia_shop_sums(s, bugs).total);
    ia_jsonw_kv(w, "cart.coupon", s->coupon ? "WELCOME10" : "none");
    ia_count_json(w, "orders", s->order_count);
}
