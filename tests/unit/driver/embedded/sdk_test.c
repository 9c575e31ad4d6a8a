/* What an app with the SDK adds to the phone's tree: identifiers by the knob `ids`, and its state. */
#include "phone_fixture.h"

#include "driver/app_sdk.h"

static struct ia_device *phone_with(const char *query)
{
    struct ia_embedded_options opt = {.name = "test", .query = query};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    if (ia_embedded_open(&opt, &d, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return d;
}

/* Identifiers that begin so, in the order of the tree; static. */
static const char *called(const struct ia_tree *t, const char *prefix)
{
    static char list[1 << 16];
    size_t n = 0;
    const struct ia_node *root = ia_tree_root(t);
    list[0] = '\0';
    for (const struct ia_node *k = root; k; k = ia_node_next(k, root)) {
        if (k->identifier && strncmp(k->identifier, prefix, strlen(prefix)) == 0) {
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s\n", k->identifier);
        }
    }
    return list;
}

static void views_without_an_identifier_are_called_by_where_they_stand(void **state)
{
    (void)state;
    struct ia_device *d = phone_with("ids=sdk");
    assert_int_equal(ia_device_open_url(d, NULL, "prefs:root=WIFI", NULL), IA_OK);
    struct ia_tree *t = tree_of(d);
    assert_string_equal(called(t, IA_SDK_GENERATED "SettingsView/Table0/cell"),
                        "ia~SettingsView/Table0/cell[0,0]\n"
                        "ia~SettingsView/Table0/cell[0,0]/StaticText0\n"
                        "ia~SettingsView/Table0/cell[1,0]/StaticText0\n"
                        "ia~SettingsView/Table0/cell[1,1]/StaticText0\n"
                        "ia~SettingsView/Table0/cell[1,2]/StaticText0\n");
    assert_non_null(find(t, IA_EL_SWITCH, "wifi")); /* the app's own */
    ia_tree_free(t);
    ia_device_close(d);
}

static void an_app_may_be_without_any(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        bool own, generated;
    } cases[] = {
        {NULL, true, false},
        {"ids=sdk", true, true},
        {"ids=bare", false, false},
        {"ids=sdk,bare", false, true},
        {"ids=bare,sdk&seed=3", false, true},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_device *d = phone_with(cases[i].query);
        launch(d, SHOP);
        struct ia_tree *t = tree_of(d);
        assert_true((*called(t, "user") != '\0') == cases[i].own);
        assert_true((*called(t, IA_SDK_GENERATED) != '\0') == cases[i].generated);
        /* What is not the app's is as it was. */
        assert_true(*called(t, "clock") != '\0');
        assert_string_equal(called(t, IA_SDK_STATE), IA_SDK_STATE "\n");
        ia_tree_free(t);
        ia_device_close(d);
    }
}

static void a_word_that_ids_does_not_know_is_refused(void **state)
{
    (void)state;
    static const char *const queries[] = {"ids=", "ids=all", "ids=sdk,all", "ids=sdk;bare",
                                          "ids"};
    for (size_t i = 0; i < IA_COUNTOF(queries); i++) {
        struct ia_err err = {0};
        assert_int_equal(ia_embedded_check(queries[i], &err), IA_E_USAGE);
        assert_non_null(strstr(err.msg, "ids=sdk"));
    }
}

/* Whoever looks changes nothing: the log and the oracle are as without. */
static void identifiers_are_no_part_of_the_phone(void **state)
{
    (void)state;
    struct ia_device *plain = phone_with(NULL), *named = phone_with("ids=sdk,bare");
    struct ia_device *both[] = {plain, named};
    for (size_t i = 0; i < IA_COUNTOF(both); i++) {
        launch(both[i], CONTACTS);
        tap(both[i], "Nora Abbott");
    }
    char *a = state_of(plain), *b = state_of(named);
    assert_string_equal(a, b);
    free(a);
    free(b);
    ia_device_close(plain);
    ia_device_close(named);
}

static void a_place_is_the_same_in_every_row(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"ia~V/Table0/cell[0,1]/Button0", "ia~V/Table0/cell[3,12]/Button0", true},
        {"ia~V/Table0/cell[0,1]/Button0", "ia~V/Table0/cell[0,1]/Button1", false},
        {"ia~V/Table0/cell[0,1]", "ia~V/Table0/cell[0,1]/Button0", false},
        {"ia~V/Button0", "ia~W/Button0", false},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_true((ia_sdk_place(cases[i].a) == ia_sdk_place(cases[i].b)) == cases[i].same);
        assert_true(ia_sdk_place(cases[i].a) != 0);
    }
    char cut[IA_SDK_IDENTIFIER_MAX + 1];
    memset(cut, 'x', sizeof(cut));
    memcpy(cut, IA_SDK_GENERATED, 3);
    cut[IA_SDK_IDENTIFIER_MAX] = '\0';
    assert_true(ia_sdk_place(cut) == 0);
    assert_true(ia_sdk_place("button[0,1]") == 0 && ia_sdk_place(NULL) == 0);
    assert_true(ia_sdk_place("ia~V/cell[") != 0); /* not from the SDK, and no harm */
}

/* The app tells it wherever it is in front, and nobody else does. */
static void the_shop_tells_its_cart(void **state)
{
    (void)state;
    struct ia_device *d = phone_with(NULL);
    assert_int_equal(ia_device_open_url(d, NULL, "shop://add/Desk-Lamp/2", NULL), IA_OK);
    assert_value(d, IA_SDK_STATE,
                 "{\"v\":1,\"state\":{\"user\":\"nobody\",\"cart.items\":\"2\",\"cart.total\":"
                 "\"85.70\",\"cart.coupon\":\"none\",\"orders\":\"0\"}}");
    launch(d, SETTINGS);
    assert_false(shows(d, IA_SDK_STATE));
    launch(d, SHOP);
    assert_true(shows(d, IA_SDK_STATE));
    assert_int_equal(ia_device_press(d, NULL, IA_BUTTON_LOCK, NULL), IA_OK);
    assert_false(shows(d, IA_SDK_STATE));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_without_an_identifier_are_called_by_where_they_stand),
        cmocka_unit_test(an_app_may_be_without_any),
        cmocka_unit_test(a_word_that_ids_does_not_know_is_refused),
        cmocka_unit_test(identifiers_are_no_part_of_the_phone),
        cmocka_unit_test(a_place_is_the_same_in_every_row),
        cmocka_unit_test(the_shop_tells_its_cart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
