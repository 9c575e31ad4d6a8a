/* What a server of a phone can ask beyond the device vtable. */
#include "phone_fixture.h"

#include <unistd.h>

static struct ia_embedded_app app_of(struct ia_device *d, const char *bundle_id)
{
    struct ia_embedded_app app;
    for (int i = 0; ia_embedded_device_app(d, i, &app); i++) {
        if (strcmp(app.bundle_id, bundle_id) == 0) {
            return app;
        }
    }
    fail_msg("%s is not installed", bundle_id);
    return app;
}

static void an_app_runs_from_its_launch_and_is_in_front_until_home(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_embedded_app ignored;
    assert_false(app_of(d, CONTACTS).running);
    launch(d, CONTACTS);
    assert_string_equal(app_of(d, CONTACTS).name, "Contacts");
    assert_true(app_of(d, CONTACTS).running && app_of(d, CONTACTS).front);
    assert_false(app_of(d, SETTINGS).running);
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_HOME, NULL), IA_OK);
    assert_true(app_of(d, CONTACTS).running);
    assert_false(app_of(d, CONTACTS).front);
    assert_false(ia_embedded_device_app(d, -1, &ignored));
    assert_false(ia_embedded_device_app(d, 100, &ignored));
    ia_device_close(d);
}

static void an_alert_has_its_texts_buttons_owner_and_frame(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_embedded_alert a;
    assert_false(ia_embedded_device_alert(d, &a));
    assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:root=Privacy&path=LOCATION", NULL),
                     IA_OK);
    if (!shows(d, "location_services")) {
        tap(d, "location");
    }
    tap(d, "location_services");
    assert_true(ia_embedded_device_alert(d, &a));
    assert_false(a.system);
    assert_string_equal(a.title, "Turn Off Location Services?");
    assert_int_equal(a.buttons_n, 2);
    assert_string_equal(a.buttons[0], "Cancel");
    assert_string_equal(a.buttons[1], "Turn Off");
    assert_string_equal(a.dismiss, "Cancel");
    assert_string_equal(a.accept, "Turn Off");
    struct ia_tree *t = tree_of(d);
    struct ia_node *n = find(t, IA_EL_ALERT, "Turn Off Location Services?");
    assert_memory_equal(&a.frame, &n->frame, sizeof(a.frame));
    ia_tree_free(t);
    ia_device_close(d);
}

static void the_buttons_of_a_sheet_are_in_their_order_on_the_screen(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_embedded_alert a;
    launch(d, CONTACTS);
    tap(d, "add");
    type(d, "Ada");
    tap(d, "cancel");
    assert_true(ia_embedded_device_alert(d, &a));
    struct ia_tree *t = tree_of(d);
    for (int i = 1; i < a.buttons_n; i++) {
        struct ia_node *before = find(t, IA_EL_BUTTON, a.buttons[i - 1]);
        struct ia_node *after = find(t, IA_EL_BUTTON, a.buttons[i]);
        assert_true(before->frame.y < after->frame.y);
    }
    assert_string_equal(a.buttons[a.buttons_n - 1], "Keep Editing");
    struct ia_node *n = find(t, IA_EL_SHEET, a.title);
    assert_memory_equal(&a.frame, &n->frame, sizeof(a.frame));
    ia_tree_free(t);
    ia_device_close(d);
}

static void a_system_alert_is_marked_as_one(void **state)
{
    (void)state;
    struct ia_device *d = NULL;
    struct ia_embedded_alert a;
    struct ia_embedded_options opt = {.name = "test", .query = "faults=popup@2"};
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    launch(d, CONTACTS);
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_VOLUME_UP, NULL), IA_OK);
    assert_true(ia_embedded_device_alert(d, &a));
    assert_true(a.system);
    assert_true(a.buttons_n > 0);
    ia_device_close(d);
}

static void the_appearance_is_an_operation_that_the_log_keeps(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    assert_false(ia_embedded_device_dark(d));
    assert_int_equal(ia_embedded_device_set_dark(d, &no_limit, true, NULL), IA_OK);
    assert_int_equal(ia_embedded_device_set_dark(d, &no_limit, true, NULL), IA_OK);
    assert_true(state_has(d, "\"seq\":2"));
    assert_true(ia_embedded_device_dark(d));
    assert_true(state_has(d, "\"dark_appearance\":true"));
    ia_device_close(d);
    d = phone_open(folder, "a");
    assert_true(ia_embedded_device_dark(d));
    assert_int_equal(ia_embedded_device_set_dark(d, &no_limit, false, NULL), IA_OK);
    assert_false(ia_embedded_device_dark(d));
    ia_device_close(d);
    folder_remove(folder);
}

static void the_phone_tells_whether_it_is_locked(void **state)
{
    (void)state;
    static const struct {
        enum ia_button press;
        bool locked;
    } rows[] = {{IA_BUTTON_LOCK, true}, {IA_BUTTON_HOME, false}};
    struct ia_device *d = phone_new();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        bool locked = !rows[i].locked;
        assert_int_equal(d->ops->press(d, &no_limit, rows[i].press, NULL), IA_OK);
        assert_int_equal(ia_device_locked(d, &no_limit, &locked, NULL), IA_OK);
        assert_int_equal(locked, rows[i].locked);
    }
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_app_runs_from_its_launch_and_is_in_front_until_home),
        cmocka_unit_test(an_alert_has_its_texts_buttons_owner_and_frame),
        cmocka_unit_test(the_buttons_of_a_sheet_are_in_their_order_on_the_screen),
        cmocka_unit_test(a_system_alert_is_marked_as_one),
        cmocka_unit_test(the_phone_tells_whether_it_is_locked),
        cmocka_unit_test(the_appearance_is_an_operation_that_the_log_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
