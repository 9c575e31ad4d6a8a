#include "test.h"

#include "agent/loop/applock.h"
#include "screen.h"

struct lock_case {
    const char *goal;
    enum ia_tool tool;
    const char *input;
    enum ia_rc rc;
};

static void leaving_the_app_needs_the_goal_to_name_where_to(void **state)
{
    (void)state;
    static const struct lock_case cases[] = {
        {"add Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.book\"}", IA_OK},
        {"add Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.Preferences\"}",
         IA_E_APP_LOCK},
        {"add Ada, then look into Settings", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.Preferences\"}", IA_OK},
        {"add Ada to settingsX", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.Preferences\"}", IA_E_APP_LOCK},
        {"use com.acme.shop too", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}",
         IA_OK},
        {"use the Shop too", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_OK},
        {"add Ada with phone 555-0100", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_E_APP_LOCK},
        {"Phone numbers of Ada are wrong, mend them", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_E_APP_LOCK},
        {"call Ada in Phone", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.mobilephone\"}",
         IA_OK},
        {"call Ada with the phone app", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_OK},
        {"Phone: call Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.mobilephone\"}",
         IA_OK},
        {"write down notes about the clock", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.mobilenotes\"}", IA_E_APP_LOCK},
        {"buy it in a shop", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}",
         IA_E_APP_LOCK},
        {"look into the app store", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.AppStore\"}", IA_OK},
        {"go shopping", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_E_APP_LOCK},
        {"add Ada", IA_TOOL_TERMINATE_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_E_APP_LOCK},
        {"add Ada", IA_TOOL_TERMINATE_APP, "{\"bundle_id\":\"com.acme.book\"}", IA_OK},
        {"add Ada", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}", IA_E_APP_LOCK},
        {"add Ada", IA_TOOL_PRESS_BUTTON, "{\"button\":\"volume_up\"}", IA_OK},
        {"go to the home screen and back", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}",
         IA_OK},
        {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"https://example.com\"}", IA_E_APP_LOCK},
        {"open https://example.com in Safari", IA_TOOL_OPEN_URL,
         "{\"url\":\"https://example.com\"}", IA_OK},
        {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"book://new\"}", IA_OK},
        {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\" HTTPS://example.com\"}", IA_E_APP_LOCK},
        {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"App-Prefs:root=General\"}", IA_E_APP_LOCK},
        {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"contacts://\"}", IA_E_APP_LOCK},
        {"look into Settings", IA_TOOL_OPEN_URL, "{\"url\":\"prefs:root=General\"}", IA_OK},
        {"do not open Settings", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.Preferences\"}", IA_E_APP_LOCK},
        {"Never touch the Shop. Add Ada", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.acme.shop\"}", IA_E_APP_LOCK},
        {"Don't hurry, open Settings", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.Preferences\"}", IA_OK},
        {"add Ada without going to Settings", IA_TOOL_LAUNCH_APP,
         "{\"bundle_id\":\"com.apple.Preferences\"}", IA_E_APP_LOCK},
        {"add Ada", IA_TOOL_TAP, "{\"ref\":3}", IA_OK},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_app_lock lock = {"com.acme.book", cases[i].goal};
        struct ia_err err = {0};
        json_t *input = json_loads(cases[i].input, 0, NULL);
        if (ia_app_lock_tool(&lock, cases[i].tool, input, &err) != cases[i].rc) {
            fail_msg("%s: %s %s", cases[i].goal, cases[i].input, err.msg);
        }
        assert_true(cases[i].rc == IA_OK || err.outcome == IA_OUTCOME_NOT_SENT);
        lock.app = NULL;
        assert_int_equal(ia_app_lock_tool(&lock, cases[i].tool, input, &err), IA_OK);
        json_decref(input);
    }
}

static void a_tool_without_a_rule_is_refused(void **state)
{
    (void)state;
    struct ia_app_lock lock = {"com.acme.book", "add Ada"};
    struct ia_err err = {0};
    assert_int_equal(ia_app_lock_tool(&lock, IA_TOOL_COUNT, NULL, &err), IA_E_APP_LOCK);
}

static enum ia_rc on_screen(const char *goal, const char *app, enum ia_eltype type)
{
    struct ia_app_lock lock = {"com.acme.book", goal};
    struct piece piece = {type, "Allow", NULL, NULL, 100};
    struct screen s = screen_of(app, &piece, 1);
    struct ia_err err = {0};
    enum ia_rc rc = ia_app_lock_screen(&lock, s.snapshot, &err);
    screen_free(&s);
    return rc;
}

static void foreign_apps_are_not_touched_but_alerts_of_the_system_are(void **state)
{
    (void)state;
    assert_int_equal(on_screen("add Ada", "com.acme.book", IA_EL_BUTTON), IA_OK);
    assert_int_equal(on_screen("add Ada", NULL, IA_EL_BUTTON), IA_OK);
    assert_int_equal(on_screen("add Ada", "com.acme.shop", IA_EL_BUTTON), IA_E_APP_LOCK);
    assert_int_equal(on_screen("add Ada", "com.acme.shop", IA_EL_ALERT), IA_E_APP_LOCK);
    assert_int_equal(on_screen("add Ada", IA_SPRINGBOARD, IA_EL_BUTTON), IA_E_APP_LOCK);
    assert_int_equal(on_screen("add Ada", IA_SPRINGBOARD, IA_EL_ALERT), IA_OK);
    assert_int_equal(on_screen("also use the shop app", "com.acme.shop", IA_EL_BUTTON), IA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_the_app_needs_the_goal_to_name_where_to),
        cmocka_unit_test(a_tool_without_a_rule_is_refused),
        cmocka_unit_test(foreign_apps_are_not_touched_but_alerts_of_the_system_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
