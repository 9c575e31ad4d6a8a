/* The home screen, apps that come and go, buttons, URLs, and calls that are refused. */
#include "phone_fixture.h"

#include <math.h>

static void a_new_phone_stands_on_its_home_screen(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_tree *t = tree_of(d);
    assert_string_equal(ia_tree_app(t), "com.apple.springboard");
    assert_non_null(find(t, IA_EL_ICON, "Settings"));
    assert_non_null(find(t, IA_EL_ICON, "Contacts"));
    assert_string_equal(find(t, IA_EL_STATIC_TEXT, "clock")->label, "9:41");
    ia_tree_free(t);
    assert_true(state_has(d, "\"screen\":\"Home Screen\""));
    ia_device_close(d);
}

static void it_says_that_it_is_simulated(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_device_info info;
    assert_int_equal(d->ops->info(d, &info, NULL), IA_OK);
    assert_true(info.simulated);
    assert_string_equal(info.kind, "embedded");
    assert_string_equal(info.id, "embedded:test");
    assert_true(info.width_pt == 393 && info.height_pt == 852 && info.scale == 3);
    ia_device_close(d);
}

static void an_icon_opens_its_app_and_home_leaves_it(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    tap(d, "Contacts");
    assert_true(state_has(d, "\"foreground\":\"" CONTACTS "\""));
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "Contacts"));
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_HOME, NULL), IA_OK);
    assert_true(state_has(d, "\"foreground\":\"com.apple.springboard\""));
    tap(d, "Settings");
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "Settings"));
    drag(d, 196, 845, 196, 400);
    assert_true(shows_type(d, IA_EL_ICON, "Settings"));
    ia_device_close(d);
}

static void an_app_in_the_background_keeps_its_screen(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SETTINGS);
    tap(d, "General");
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_HOME, NULL), IA_OK);
    launch(d, SETTINGS);
    assert_true(state_has(d, "\"screen\":\"General\""));
    ia_device_close(d);
}

static void a_terminated_app_starts_at_its_first_screen_with_its_data(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SETTINGS);
    tap(d, "airplane_mode");
    tap(d, "General");
    assert_int_equal(d->ops->terminate(d, &no_limit, SETTINGS, NULL), IA_OK);
    assert_true(state_has(d, "\"foreground\":\"com.apple.springboard\""));
    assert_true(state_has(d, "\"running\":[]"));
    launch(d, SETTINGS);
    assert_true(state_has(d, "\"screen\":\"Settings\""));
    assert_value(d, "airplane_mode", "1");
    ia_device_close(d);
}

static void an_unknown_app_is_refused_with_the_known_ones(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err = {0};
    assert_int_equal(d->ops->launch(d, &no_limit, "com.example.none", &err), IA_E_NO_APP);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(err.hint, CONTACTS));
    assert_int_equal(d->ops->terminate(d, &no_limit, "com.example.none", NULL), IA_E_NO_APP);
    assert_true(state_has(d, "\"seq\":0"));
    ia_device_close(d);
}

static void a_url_opens_its_page(void **state)
{
    (void)state;
    static const struct {
        const char *url, *screen, *back;
    } rows[] = {
        {"prefs:root=General", "General", "Settings"},
        {"prefs:root=General&path=About", "About", "General"},
        {"App-prefs:root=WIFI", "Wi-Fi", "Settings"},
        {"prefs:root=NoSuchPage", "Settings", NULL},
        {"prefs:", "Settings", NULL},
        {"contacts://", "Contacts", NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = phone_new();
        char screen[80];
        snprintf(screen, sizeof(screen), "\"screen\":\"%s\"", rows[i].screen);
        assert_int_equal(d->ops->open_url(d, &no_limit, rows[i].url, NULL), IA_OK);
        assert_true(state_has(d, screen));
        if (rows[i].back) {
            assert_true(shows_type(d, IA_EL_BUTTON, rows[i].back));
        }
        ia_device_close(d);
    }
}

static void a_url_that_no_app_opens_is_refused(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err = {0};
    assert_int_equal(d->ops->open_url(d, &no_limit, "https://example.com/", &err), IA_E_NO_APP);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:\x01", &err), IA_E_USAGE);
    ia_device_close(d);
}

static void the_lock_button_locks_and_home_wakes(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, CONTACTS);
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_LOCK, NULL), IA_OK);
    assert_true(shows(d, "Swipe up to open"));
    assert_true(shows(d, "Tuesday, September 9"));
    assert_int_equal(d->ops->type_text(d, &no_limit, ia_str("x"), NULL), IA_E_NO_KEYBOARD);
    drag(d, 196, 845, 196, 300);
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    ia_device_close(d);
}

static void volume_buttons_move_the_volume_within_its_range(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_true(state_has(d, "\"volume\":75"));
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_VOLUME_DOWN, NULL), IA_OK);
    assert_true(state_has(d, "\"volume\":69"));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_VOLUME_UP, NULL), IA_OK);
    }
    assert_true(state_has(d, "\"volume\":100"));
    ia_device_close(d);
}

static void a_point_outside_the_screen_is_refused(void **state)
{
    (void)state;
    static const struct ia_point bad[] = {{-1, 5},  {5, -0.1},  {393, 5},
                                          {5, 852}, {5, 1e300}, {(double)NAN, 5}};
    struct ia_device *d = phone_new();
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_err err = {0};
        struct ia_point good = {5, 5};
        assert_int_equal(d->ops->tap(d, &no_limit, bad[i], &err), IA_E_USAGE);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
        assert_int_equal(d->ops->long_press(d, &no_limit, bad[i], 500, NULL), IA_E_USAGE);
        assert_int_equal(d->ops->drag(d, &no_limit, bad[i], good, 100, NULL), IA_E_USAGE);
        assert_int_equal(d->ops->drag(d, &no_limit, good, bad[i], 100, NULL), IA_E_USAGE);
    }
    assert_true(state_has(d, "\"seq\":0"));
    ia_device_close(d);
}

static void a_cancelled_or_late_call_sends_nothing(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    ia_cancel_fire(cancel);
    struct ia_deadline cancelled = {cancel, IA_NO_DEADLINE}, late = {NULL, 1};
    struct ia_err err = {0};
    assert_int_equal(d->ops->launch(d, &cancelled, CONTACTS, &err), IA_E_CANCELLED);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(d->ops->launch(d, &late, CONTACTS, &err), IA_E_TIMEOUT);
    assert_true(err.retry_safe);
    struct ia_tree *t = NULL;
    assert_int_equal(d->ops->tree(d, &cancelled, &t, &err), IA_E_CANCELLED);
    assert_true(state_has(d, "\"seq\":0"));
    ia_cancel_free(cancel);
    ia_device_close(d);
}

static void the_clock_moves_one_second_with_each_operation(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    for (int i = 0; i < 60; i++) {
        tap_at(d, 196, 600);
    }
    assert_true(shows(d, "9:42"));
    assert_true(state_has(d, "\"time_ms\":1757410920000"));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_phone_stands_on_its_home_screen),
        cmocka_unit_test(it_says_that_it_is_simulated),
        cmocka_unit_test(an_icon_opens_its_app_and_home_leaves_it),
        cmocka_unit_test(an_app_in_the_background_keeps_its_screen),
        cmocka_unit_test(a_terminated_app_starts_at_its_first_screen_with_its_data),
        cmocka_unit_test(an_unknown_app_is_refused_with_the_known_ones),
        cmocka_unit_test(a_url_opens_its_page),
        cmocka_unit_test(a_url_that_no_app_opens_is_refused),
        cmocka_unit_test(the_lock_button_locks_and_home_wakes),
        cmocka_unit_test(volume_buttons_move_the_volume_within_its_range),
        cmocka_unit_test(a_point_outside_the_screen_is_refused),
        cmocka_unit_test(a_cancelled_or_late_call_sends_nothing),
        cmocka_unit_test(the_clock_moves_one_second_with_each_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
