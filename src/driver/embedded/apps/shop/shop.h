/* shop.h: a shop: log in, search, fill the cart, order. */
#ifndef IA_DRIVER_EMBEDDED_APPS_SHOP_SHOP_H
#define IA_DRIVER_EMBEDDED_APPS_SHOP_SHOP_H

#include "driver/embedded/ui/format.h"
#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_shop;

enum {
    IA_SHOP_FIELD_SEARCH,
    IA_SHOP_FIELD_USER,
    IA_SHOP_FIELD_PASSWORD,
    IA_SHOP_FIELD_COUPON,
    IA_SHOP_FIELD_NAME,
    IA_SHOP_FIELD_STREET,
    IA_SHOP_FIELD_CITY,
    IA_SHOP_FIELD_ZIP,
    IA_SHOP_FIELD_COUNT
};

/* Money is in cents. */
enum {
    IA_SHOP_LINES_MAX = 20,
    IA_SHOP_ORDERS_MAX = 50,
    IA_SHOP_QUANTITY_MAX = 9,
    IA_SHOP_FIRST_ORDER = 1001,
    IA_SHOP_SHIPPING = 590,
    IA_SHOP_FREE_SHIPPING = 10000,
    IA_SHOP_COUPON_PERCENT = 10
};

enum ia_shop_category { IA_SHOP_AUDIO, IA_SHOP_HOME, IA_SHOP_KITCHEN, IA_SHOP_PAPER };
enum { IA_SHOP_CATEGORIES = 4 };

struct ia_shop_item {
    const char *name, *text;
    int32_t price;
    uint8_t category, symbol, color;
    bool sold_out;
};

extern const struct ia_shop_item ia_shop_items[];
int ia_shop_item_count(void);
const char *ia_shop_category_name(enum ia_shop_category category);

struct ia_shop_line {
    uint8_t item, quantity;
};

struct ia_shop_order {
    int32_t number, total;
    int items; /* pieces, not lines */
    int64_t at_ms;
    char *name, *street, *city, *zip;
};

/* What the app keeps. */
struct ia_shop {
    int user; /* index into the accounts, or -1 */
    bool coupon;
    uint8_t line_count;
    struct ia_shop_line lines[IA_SHOP_LINES_MAX];
    int order_count;
    struct ia_shop_order *orders;
};

struct ia_shop *ia_shop_new(void);
void ia_shop_free(struct ia_shop *s);
void ia_shop_example(void *shop);
void ia_shop_json(const void *shop, struct ia_jsonw *w);
void ia_shop_tell(const void *shop, uint32_t bugs, struct ia_jsonw *w);

/* Index of the account that takes the password, or -1. */
int ia_shop_account(const char *user, const char *password);
const char *ia_shop_user(const struct ia_shop *s); /* NULL: nobody is logged in */
const char *ia_shop_person(const struct ia_shop *s);
/* Puts more of an item into the cart; false when there is no room for so many. */
bool ia_shop_add(struct ia_shop *s, int item, int quantity);
/* Changes the quantity of a line; 0 takes it out. */
void ia_shop_set(struct ia_shop *s, int line, int quantity);
int ia_shop_pieces(const struct ia_shop *s);
int ia_shop_in_cart(const struct ia_shop *s, int item);
bool ia_shop_coupon_is(const char *code);

/* The sums of the cart. bugs: the phone's, see bugs.h. */
struct ia_shop_sums {
    int32_t subtotal, discount, shipping, total;
};
struct ia_shop_sums ia_shop_sums(const struct ia_shop *s, uint32_t bugs);
/* Orders what is in the cart; the number of the order, or 0 when no more are taken. The texts
 * are copied. */
int32_t ia_shop_place(struct ia_shop *s, const char *const address[4], int64_t now_ms,
                      uint32_t bugs);

/* ---- of the screens ---- */

enum { IA_SHOP_TAB_SHOP, IA_SHOP_TAB_CART, IA_SHOP_TAB_ACCOUNT, IA_SHOP_TABS };
/* memo: what the catalogue shows (0: all, else 1 + category), the quantity on an item's page,
 * and a message that a screen shows until something else happens. */
enum { IA_SHOP_MEMO_CATEGORY, IA_SHOP_MEMO_QUANTITY, IA_SHOP_MEMO_MESSAGE };
enum {
    IA_SHOP_SAYS_NOTHING,
    IA_SHOP_SAYS_WRONG_PASSWORD,
    IA_SHOP_SAYS_BAD_COUPON,
    IA_SHOP_SAYS_ADDED,
    IA_SHOP_SAYS_FULL
};

extern const struct ia_screen ia_shop_item_page, ia_shop_checkout, ia_shop_order_page,
    ia_shop_confirmation;
struct ia_shop *ia_shop_of(struct ia_phone *p);
const struct ia_shop *ia_shop_of_const(const struct ia_phone *p);
/* The tab bar for a screen; buf is filled and must live as long as the screen is built. */
void ia_shop_tabs(struct ia_kit *k, struct ia_kit_nav *nav,
                  struct ia_kit_button buf[IA_SHOP_TABS], int selected);
void ia_shop_build_login(struct ia_kit *k);
void ia_shop_build_catalogue(struct ia_kit *k);
void ia_shop_build_cart(struct ia_kit *k);
void ia_shop_build_account(struct ia_kit *k);
/* Begins to load the catalogue. */
void ia_shop_load(struct ia_phone *p);
/* "3 items" */
const char *ia_shop_count(struct ia_scene *s, int pieces);

#endif
