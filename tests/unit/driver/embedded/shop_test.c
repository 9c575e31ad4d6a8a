/* The app Shop of the phone: login, a catalogue that loads, the cart, an order. */
#include "phone_fixture.h"

/* Looks until the catalogue is there; each look lets a second pass. Returns how many. */
static int await_catalogue(struct ia_device *d)
{
    int looks = 0;
    while (shows(d, "loading")) {
        looks++;
        assert_true(looks < 20);
    }
    return looks;
}

static void log_in(struct ia_device *d, const char *user, const char *password)
{
    tap(d, "user");
    type(d, user);
    tap(d, "password");
    type(d, password);
    tap(d, "login");
}

static struct ia_device *at_shop(void)
{
    struct ia_device *d = phone_new();
    launch(d, SHOP);
    log_in(d, "ada", "engine-1843");
    (void)await_catalogue(d);
    return d;
}

static void put_in(struct ia_device *d, const char *item, int more)
{
    tap(d, item);
    for (int i = 0; i < more; i++) {
        tap(d, "increment");
    }
    tap(d, "add-to-cart");
    tap(d, "tab-shop");
}

static void the_password_is_shown_as_dots(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SHOP);
    tap(d, "password");
    type(d, "h\xC3\xA9!");
    assert_true(shows_type(d, IA_EL_SECURE_TEXT_FIELD, "password"));
    assert_value(d, "password", "\xE2\x80\xA2\xE2\x80\xA2\xE2\x80\xA2");
    char *tree = tree_text(d);
    assert_null(strstr(tree, "h\xC3\xA9!"));
    free(tree);
    ia_device_close(d);
}

static void a_typed_password_is_not_shown_in_the_log(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, SHOP);
    log_in(d, "ada", "engine-1843");
    char *left = state_of(d);
    ia_device_close(d);
    struct ia_buf out = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    struct ia_embedded_options opt = {.folder = folder, .name = "a"};
    assert_int_equal(ia_embedded_log_json(&opt, &w, NULL), IA_OK);
    assert_null(strstr(out.p, "engine-1843"));
    assert_non_null(strstr(out.p, "\"text\":\"ada\"}"));
    assert_non_null(
        strstr(out.p, "\"text\":\"\xE2\x80\xA2\xE2\x80\xA2\xE2\x80\xA2\",\"secure\":true}"));
    ia_buf_fini(&out);
    d = phone_open(folder, "a");
    char *found = state_of(d);
    assert_string_equal(left, found);
    ia_device_close(d);
    free(left);
    free(found);
    folder_remove(folder);
}

static void an_invalid_password_is_reported_until_something_is_typed(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SHOP);
    log_in(d, "ada", "ada");
    assert_true(shows(d, "login-error"));
    assert_true(state_has(d, "\"user\":null"));
    assert_value(d, "user", "ada");
    tap(d, "password");
    type(d, "engine-1843");
    assert_false(shows(d, "login-error"));
    tap(d, "login");
    assert_true(state_has(d, "\"user\":\"ada\""));
    ia_device_close(d);
}

static void the_catalogue_takes_a_while_and_each_read_is_a_second(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SHOP);
    log_in(d, "grace", "compiler-1952");
    assert_false(shows(d, "search"));
    int looks = await_catalogue(d);
    assert_in_range(looks, 3, 6);
    assert_true(shows(d, "search"));
    assert_true(shows_type(d, IA_EL_CELL, "Desk Lamp"));
    char *before = state_of(d);
    assert_true(shows(d, "Desk Lamp"));
    char *after = state_of(d);
    assert_string_equal(before, after);
    free(before);
    free(after);
    ia_device_close(d);
}

static void search_and_categories_choose_from_the_catalogue(void **state)
{
    (void)state;
    struct ia_device *d = at_shop();
    tap(d, "Kitchen");
    assert_true(shows_type(d, IA_EL_CELL, "Tea Kettle"));
    assert_false(shows_type(d, IA_EL_CELL, "Desk Lamp"));
    tap(d, "All");
    tap(d, "search");
    type(d, "WHISTLES");
    assert_true(shows_type(d, IA_EL_CELL, "Tea Kettle"));
    assert_false(shows_type(d, IA_EL_CELL, "Espresso Cups"));
    type(d, "!");
    assert_true(shows(d, "No Results"));
    ia_device_close(d);
}

static void the_cart_adds_up(void **state)
{
    (void)state;
    struct ia_device *d = at_shop();
    put_in(d, "Desk Lamp", 1);
    put_in(d, "Record Brush", 0);
    put_in(d, "Desk Lamp", 0);
    assert_true(state_has(d, "\"cart\":[{\"item\":\"Desk Lamp\",\"quantity\":3,\"price\":"
                             "\"39.90\"},{\"item\":\"Record Brush\",\"quantity\":1,"));
    assert_value(d, "tab-cart", "4 items");
    tap(d, "tab-cart");
    assert_value(d, "subtotal", "$138.60");
    assert_value(d, "shipping", "Free");
    assert_value(d, "total", "$138.60");
    tap(d, "Decrease Desk Lamp");
    tap(d, "Decrease Desk Lamp");
    assert_value(d, "shipping", "$5.90");
    assert_value(d, "total", "$64.70");
    tap(d, "Remove Record Brush");
    assert_value(d, "total", "$45.80");
    tap(d, "Remove Desk Lamp");
    assert_true(shows(d, "Your Cart Is Empty"));
    ia_device_close(d);
}

static void a_link_fills_the_cart_before_anybody_logs_in(void **state)
{
    (void)state;
    static const char *const links[] = {
        "shop://add/Desk-Lamp/2",
        "shop://add/Sketchbook/1",
        "shop://add/Wall-Clock/1",
        "shop://add/Desk Lamp/12",
        "shop://add/Desk-Lamp/0",
        "shop://add/Nothing/1",
        "shop://add/",
        "shop://add/Sketchbook",
    };
    struct ia_device *d = phone_new();
    for (size_t i = 0; i < IA_COUNTOF(links); i++) {
        assert_int_equal(d->ops->open_url(d, &no_limit, links[i], NULL), IA_OK);
    }
    assert_true(state_has(d, "\"cart\":[{\"item\":\"Desk Lamp\",\"quantity\":2,\"price\":"
                             "\"39.90\"},{\"item\":\"Sketchbook\",\"quantity\":1,\"price\":"
                             "\"12.50\"}]"));
    assert_true(shows(d, "login"));
    log_in(d, "ada", "engine-1843");
    (void)await_catalogue(d);
    assert_value(d, "tab-cart", "3 items");
    ia_device_close(d);
}

static void a_coupon_is_checked(void **state)
{
    (void)state;
    struct ia_device *d = at_shop();
    put_in(d, "Desk Lamp", 0);
    tap(d, "tab-cart");
    tap(d, "coupon");
    type(d, "welcome");
    tap(d, "apply-coupon");
    assert_true(shows(d, "coupon-error"));
    assert_value(d, "total", "$45.80");
    tap(d, "coupon");
    tap(d, "Clear text");
    type(d, "WELCOME10");
    tap(d, "apply-coupon");
    assert_false(shows(d, "coupon-error"));
    assert_value(d, "discount", "-$3.99");
    assert_value(d, "total", "$41.81");
    ia_device_close(d);
}

static void what_is_sold_out_cannot_be_bought_nor_more_than_nine(void **state)
{
    (void)state;
    struct ia_device *d = at_shop();
    tap(d, "Wall Clock");
    tap(d, "add-to-cart");
    assert_true(state_has(d, "\"cart\":[]"));
    tap(d, "tab-shop");
    put_in(d, "Desk Lamp", 12);
    assert_true(state_has(d, "\"quantity\":9"));
    tap(d, "Desk Lamp");
    tap(d, "add-to-cart");
    assert_true(shows(d, "cart-full"));
    assert_true(state_has(d, "\"quantity\":9"));
    ia_device_close(d);
}

static void fill_address(struct ia_device *d, const char *zip)
{
    tap(d, "name");
    type(d, "Ada Lovelace\nHigh Street 1\nLondon\n");
    type(d, zip);
}

static void an_order_needs_a_complete_address(void **state)
{
    (void)state;
    struct ia_device *d = at_shop();
    put_in(d, "Desk Lamp", 1);
    tap(d, "tab-cart");
    tap(d, "check-out");
    tap(d, "place-order");
    assert_true(state_has(d, "\"alert\":\"Address Incomplete\""));
    tap(d, "OK");
    fill_address(d, "123");
    tap(d, "place-order");
    assert_true(state_has(d, "\"alert\":\"Check the ZIP Code\""));
    tap(d, "OK");
    tap(d, "zip");
    type(d, "45");
    tap(d, "place-order");
    assert_true(shows(d, "Thank you for your order"));
    assert_value(d, "order-number", "1001");
    assert_value(d, "order-total", "$85.70");
    assert_true(state_has(d, "\"cart\":[],\"coupon\":false,\"orders\":[{\"number\":1001,"
                             "\"items\":2,\"total\":\"85.70\",\"name\":\"Ada Lovelace\","
                             "\"street\":\"High Street 1\",\"city\":\"London\",\"zip\":"
                             "\"12345\"}]"));
    tap(d, "done");
    tap(d, "tab-account");
    tap(d, "Order 1001");
    assert_value(d, "order-items", "2");
    ia_device_close(d);
}

static void logging_out_asks_and_empties_the_cart(void **state)
{
    (void)state;
    struct ia_device *d = at_shop();
    put_in(d, "Desk Lamp", 0);
    tap(d, "tab-account");
    tap(d, "logout");
    tap(d, "Cancel");
    assert_true(state_has(d, "\"user\":\"ada\""));
    tap(d, "logout");
    tap(d, "Log Out");
    assert_true(state_has(d, "\"shop\":{\"user\":null,\"cart\":[]"));
    assert_true(state_has(d, "\"screen\":\"Log In\""));
    ia_device_close(d);
}

/* The waiting is in the log, so that a phone is found where it was left. */
static void a_phone_that_was_left_loading_is_found_so(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, SHOP);
    log_in(d, "ada", "engine-1843");
    assert_true(shows(d, "loading"));
    assert_value(d, "loading", "20%");
    char *left = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *found = state_of(d);
    assert_string_equal(left, found);
    assert_value(d, "loading", "40%");
    assert_int_equal(await_catalogue(d), 2);
    ia_device_close(d);
    free(left);
    free(found);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_password_is_shown_as_dots),
        cmocka_unit_test(a_typed_password_is_not_shown_in_the_log),
        cmocka_unit_test(an_invalid_password_is_reported_until_something_is_typed),
        cmocka_unit_test(the_catalogue_takes_a_while_and_each_read_is_a_second),
        cmocka_unit_test(search_and_categories_choose_from_the_catalogue),
        cmocka_unit_test(the_cart_adds_up),
        cmocka_unit_test(a_link_fills_the_cart_before_anybody_logs_in),
        cmocka_unit_test(a_coupon_is_checked),
        cmocka_unit_test(what_is_sold_out_cannot_be_bought_nor_more_than_nine),
        cmocka_unit_test(an_order_needs_a_complete_address),
        cmocka_unit_test(logging_out_asks_and_empties_the_cart),
        cmocka_unit_test(a_phone_that_was_left_loading_is_found_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
