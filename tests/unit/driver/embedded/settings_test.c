/* The app Settings of the phone: every switch, options, sliders, alerts, search, the phone's
 * name. */
#include "phone_fixture.h"

static struct ia_device *at_page(const char *url)
{
    struct ia_device *d = phone_new();
    assert_int_equal(d->ops->open_url(d, &no_limit, url, NULL), IA_OK);
    return d;
}

static void every_switch_of_every_page_toggles_its_setting(void **state)
{
    (void)state;
    static const struct {
        const char *url, *key;
        bool on; /* factory */
    } rows[] = {
        {"prefs:", "airplane_mode", false},
        {"prefs:root=WIFI", "wifi", true},
        {"prefs:root=Bluetooth", "bluetooth", true},
        {"prefs:root=MOBILE_DATA_SETTINGS_ID", "cellular_data", true},
        {"prefs:root=MOBILE_DATA_SETTINGS_ID", "data_roaming", false},
        {"prefs:root=NOTIFICATIONS_ID", "scheduled_summary", false},
        {"prefs:root=Sounds", "keyboard_clicks", true},
        {"prefs:root=Sounds", "lock_sound", true},
        {"prefs:root=DO_NOT_DISTURB", "do_not_disturb", false},
        {"prefs:root=SCREEN_TIME", "share_across_devices", false},
        {"prefs:root=General", "background_refresh", true},
        {"prefs:root=General&path=SOFTWARE_UPDATE_LINK", "automatic_updates", true},
        {"prefs:root=General&path=DATE_AND_TIME", "twenty_four_hour_time", false},
        {"prefs:root=General&path=Keyboard", "auto_capitalization", true},
        {"prefs:root=General&path=Keyboard", "auto_correction", true},
        {"prefs:root=ACCESSIBILITY", "voiceover", false},
        {"prefs:root=ACCESSIBILITY", "zoom", false},
        {"prefs:root=ACCESSIBILITY", "reduce_motion", false},
        {"prefs:root=DISPLAY", "dark_appearance", false},
        {"prefs:root=DISPLAY", "bold_text", false},
        {"prefs:root=DISPLAY", "true_tone", true},
        {"prefs:root=Privacy", "share_analytics", false},
        {"prefs:root=Privacy&path=USER_TRACKING", "allow_tracking", false},
        {"prefs:root=BATTERY_USAGE", "battery_percentage", false},
        {"prefs:root=BATTERY_USAGE", "low_power_mode", false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = at_page(rows[i].url);
        char before[64], after[64];
        snprintf(before, sizeof(before), "\"%s\":%s", rows[i].key,
                 rows[i].on ? "true" : "false");
        snprintf(after, sizeof(after), "\"%s\":%s", rows[i].key, rows[i].on ? "false" : "true");
        assert_true(state_has(d, before));
        assert_value(d, rows[i].key, rows[i].on ? "1" : "0");
        tap(d, rows[i].key);
        assert_true(state_has(d, after));
        assert_value(d, rows[i].key, rows[i].on ? "0" : "1");
        tap(d, rows[i].key);
        assert_true(state_has(d, before));
        ia_device_close(d);
    }
}

static void a_switch_does_nothing_when_its_row_is_tapped_beside_it(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = find(t, IA_EL_CELL, "Airplane Mode")->frame;
    ia_tree_free(t);
    tap_at(d, f.x + 60, f.y + f.h / 2);
    assert_true(state_has(d, "\"airplane_mode\":false"));
    ia_device_close(d);
}

static void rows_drill_down_and_the_back_button_returns(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    tap(d, "General");
    tap(d, "About");
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "About"));
    assert_false(shows_type(d, IA_EL_NAVIGATION_BAR, "General"));
    tap(d, "BackButton");
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "General"));
    drag(d, 5, 400, 300, 400);
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "Settings"));
    drag(d, 5, 400, 300, 400);
    assert_true(shows_type(d, IA_EL_NAVIGATION_BAR, "Settings"));
    ia_device_close(d);
}

static void the_about_page_follows_the_seed(void **state)
{
    (void)state;
    char *values[3];
    static const uint64_t seeds[] = {0, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        struct ia_embedded_options opt = {.name = "test", .seed = seeds[i]};
        struct ia_device *d = NULL;
        assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
        assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:root=General&path=About", NULL),
                         IA_OK);
        values[i] = value_of(d, "serial-number");
        ia_device_close(d);
    }
    assert_string_equal(values[0], values[1]);
    assert_string_not_equal(values[1], values[2]);
    for (size_t i = 0; i < 3; i++) {
        free(values[i]);
    }
}

static void the_phone_is_renamed_as_its_name_is_typed(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:root=General&path=About");
    tap(d, "device-name");
    assert_value(d, "device-name", "iPhone");
    tap(d, "Clear text");
    assert_value(d, "device-name", NULL);
    assert_true(state_has(d, "\"device_name\":\"iPhone\""));
    type(d, "Test Phone\n");
    assert_false(shows(d, "space"));
    assert_true(state_has(d, "\"device_name\":\"Test Phone\""));
    tap(d, "BackButton");
    assert_value(d, "device-name", "Test Phone");
    ia_device_close(d);
}

static void searching_filters_the_settings_and_cancel_ends_it(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    tap(d, "search");
    assert_true(shows_type(d, IA_EL_KEY, "space"));
    type(d, "AUTO-l");
    assert_true(shows_type(d, IA_EL_CELL, "Auto-Lock"));
    assert_false(shows_type(d, IA_EL_CELL, "General"));
    tap(d, "Auto-Lock");
    assert_true(state_has(d, "\"screen\":\"Auto-Lock\""));
    tap(d, "BackButton");
    assert_value(d, "search", "AUTO-l");
    tap(d, "search");
    type(d, "xyz");
    assert_true(shows(d, "No Results"));
    tap(d, "Cancel");
    assert_true(shows_type(d, IA_EL_CELL, "General"));
    assert_value(d, "search", NULL);
    assert_true(state_has(d, "\"keyboard\":false"));
    ia_device_close(d);
}

static void a_found_switch_leads_to_its_page(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    tap(d, "search");
    type(d, "true tone");
    tap(d, "True Tone");
    assert_true(state_has(d, "\"screen\":\"Display & Brightness\""));
    ia_device_close(d);
}

static void an_option_is_chosen_and_checked(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:root=DISPLAY");
    assert_value(d, "auto_lock", "30 Seconds");
    tap(d, "auto_lock");
    tap(d, "2 Minutes");
    struct ia_tree *t = tree_of(d);
    assert_true(find(t, IA_EL_CELL, "2 Minutes")->flags & IA_NODE_SELECTED);
    assert_false(find(t, IA_EL_CELL, "30 Seconds")->flags & IA_NODE_SELECTED);
    ia_tree_free(t);
    assert_true(state_has(d, "\"auto_lock\":\"2 Minutes\""));
    tap(d, "BackButton");
    assert_value(d, "auto_lock", "2 Minutes");
    ia_device_close(d);
}

static void networks_go_with_wifi(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:root=WIFI");
    tap(d, "Office");
    assert_true(state_has(d, "\"wifi_network\":\"Office\""));
    tap(d, "wifi");
    assert_false(shows_type(d, IA_EL_CELL, "Office"));
    assert_false(shows(d, "3 of 3 Wi-Fi bars"));
    tap(d, "BackButton");
    assert_value(d, "com.apple.settings.wifi", "Off");
    ia_device_close(d);
}

static void a_slider_goes_where_it_is_touched_or_dragged(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:root=DISPLAY");
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = find(t, IA_EL_SLIDER, "brightness")->frame;
    ia_tree_free(t);
    assert_value(d, "brightness", "50%");
    tap_at(d, f.x + f.w * 0.25, f.y + f.h / 2);
    assert_value(d, "brightness", "25%");
    drag(d, f.x + f.w * 0.25, f.y + f.h / 2, f.x + f.w + 20, f.y);
    assert_value(d, "brightness", "100%");
    assert_true(state_has(d, "\"brightness\":100"));
    ia_device_close(d);
}

static void location_is_turned_off_only_after_a_warning(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:root=Privacy&path=LOCATION");
    tap(d, "location_services");
    assert_true(shows_type(d, IA_EL_ALERT, "Turn Off Location Services?"));
    assert_true(state_has(d, "\"alert\":\"Turn Off Location Services?\""));
    tap(d, "Cancel");
    assert_value(d, "location_services", "1");
    tap(d, "location_services");
    tap(d, "Turn Off");
    assert_value(d, "location_services", "0");
    tap(d, "location_services");
    assert_value(d, "location_services", "1");
    ia_device_close(d);
}

static void what_is_behind_an_alert_stays_in_the_tree_and_takes_no_touch(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    tap(d, "com.apple.settings.account");
    assert_true(shows_type(d, IA_EL_ALERT, "Sign In Unavailable"));
    assert_true(shows_type(d, IA_EL_SWITCH, "airplane_mode"));
    tap(d, "airplane_mode");
    assert_true(state_has(d, "\"airplane_mode\":false"));
    drag(d, 196, 700, 196, 300);
    drag(d, 5, 700, 300, 700);
    assert_true(shows_type(d, IA_EL_ALERT, "Sign In Unavailable"));
    tap(d, "OK");
    assert_false(shows_type(d, IA_EL_ALERT, "Sign In Unavailable"));
    ia_device_close(d);
}

static void alerts_are_answered_by_accept_dismiss_or_button(void **state)
{
    (void)state;
    static const struct {
        enum ia_alert_action action;
        const char *button;
        const char *value;
    } rows[] = {{IA_ALERT_ACCEPT, NULL, "0"},
                {IA_ALERT_DISMISS, NULL, "1"},
                {IA_ALERT_BUTTON, "Turn Off", "0"},
                {IA_ALERT_BUTTON, "Cancel", "1"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = at_page("prefs:root=Privacy&path=LOCATION");
        tap(d, "location_services");
        assert_int_equal(d->ops->alert(d, &no_limit, rows[i].action, rows[i].button, NULL),
                         IA_OK);
        assert_value(d, "location_services", rows[i].value);
        ia_device_close(d);
    }
}

static void an_alert_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    struct ia_err err = {0};
    assert_int_equal(d->ops->alert(d, &no_limit, IA_ALERT_ACCEPT, NULL, &err), IA_E_NO_ALERT);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    tap(d, "com.apple.settings.account");
    assert_int_equal(d->ops->alert(d, &no_limit, IA_ALERT_BUTTON, "Maybe", &err),
                     IA_E_NOT_FOUND);
    assert_non_null(strstr(err.hint, "\"OK\""));
    ia_device_close(d);
}

static void resetting_the_settings_brings_the_factory_values_back(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    tap(d, "airplane_mode");
    assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:root=General&path=Reset", NULL),
                     IA_OK);
    tap(d, "reset-all-settings");
    assert_true(state_has(d, "\"airplane_mode\":true"));
    tap(d, "Reset All Settings");
    assert_true(state_has(d, "\"airplane_mode\":false"));
    ia_device_close(d);
}

static void the_status_bar_shows_what_is_set(void **state)
{
    (void)state;
    struct ia_device *d = at_page("prefs:");
    assert_true(shows(d, "3 of 4 bars, signal strength"));
    tap(d, "airplane_mode");
    assert_true(shows(d, "Airplane mode on"));
    assert_int_equal(
        d->ops->open_url(d, &no_limit, "prefs:root=General&path=DATE_AND_TIME", NULL), IA_OK);
    tap(d, "twenty_four_hour_time");
    assert_true(shows(d, "09:41"));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_switch_of_every_page_toggles_its_setting),
        cmocka_unit_test(a_switch_does_nothing_when_its_row_is_tapped_beside_it),
        cmocka_unit_test(rows_drill_down_and_the_back_button_returns),
        cmocka_unit_test(the_about_page_follows_the_seed),
        cmocka_unit_test(the_phone_is_renamed_as_its_name_is_typed),
        cmocka_unit_test(searching_filters_the_settings_and_cancel_ends_it),
        cmocka_unit_test(a_found_switch_leads_to_its_page),
        cmocka_unit_test(an_option_is_chosen_and_checked),
        cmocka_unit_test(networks_go_with_wifi),
        cmocka_unit_test(a_slider_goes_where_it_is_touched_or_dragged),
        cmocka_unit_test(location_is_turned_off_only_after_a_warning),
        cmocka_unit_test(what_is_behind_an_alert_stays_in_the_tree_and_takes_no_touch),
        cmocka_unit_test(alerts_are_answered_by_accept_dismiss_or_button),
        cmocka_unit_test(an_alert_that_is_not_there_is_refused),
        cmocka_unit_test(resetting_the_settings_brings_the_factory_values_back),
        cmocka_unit_test(the_status_bar_shows_what_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
