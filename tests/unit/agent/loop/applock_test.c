#include "test.h"

#include "agent/loop/applock.h"
#include "screen.h"

struct lock_case {
    const char *goal;
    enum ia_tool tool;
    const char *input;
    enum ia_rc rc;
};

#define SHOP "{\"bundle_id\":\"com.acme.shop\"}"

static const struct lock_case lock_cases[] = {
    {"add Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.book\"}", IA_OK},
    {"add Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.Preferences\"}", IA_E_APP_LOCK},
    {"add Ada, then look into Settings", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.Preferences\"}", IA_OK},
    {"add Ada to settingsX", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.Preferences\"}",
     IA_E_APP_LOCK},
    {"use com.acme.shop too", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_OK},
    {"use the Shop too", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_OK},
    {"add Ada with phone 555-0100", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_E_APP_LOCK},
    {"Phone numbers of Ada are wrong, mend them", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_E_APP_LOCK},
    {"call Ada in Phone", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.mobilephone\"}",
     IA_OK},
    {"call Ada with the phone app", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_OK},
    {"Phone: call Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.mobilephone\"}", IA_OK},
    {"write down notes about the clock", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.mobilenotes\"}", IA_E_APP_LOCK},
    {"buy it in a shop", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}",
     IA_E_APP_LOCK},
    {"look into the app store", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.AppStore\"}",
     IA_OK},
    {"go shopping", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_TERMINATE_APP, "{\"bundle_id\":\"com.acme.shop\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_TERMINATE_APP, "{\"bundle_id\":\"com.acme.book\"}", IA_OK},
    {"add Ada", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_PRESS_BUTTON, "{\"button\":\"volume_up\"}", IA_OK},
    {"go to the home screen and back", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}", IA_OK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"https://example.com\"}", IA_E_APP_LOCK},
    {"open https://example.com in Safari", IA_TOOL_OPEN_URL,
     "{\"url\":\"https://example.com\"}", IA_OK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"book://new\"}", IA_OK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\" HTTPS://example.com\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"App-Prefs:root=General\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"contacts://\"}", IA_E_APP_LOCK},
    {"look into Settings", IA_TOOL_OPEN_URL, "{\"url\":\"prefs:root=General\"}", IA_OK},
    {"do not open Settings", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.apple.Preferences\"}",
     IA_E_APP_LOCK},
    {"Never touch the Shop. Add Ada", IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"com.acme.shop\"}",
     IA_E_APP_LOCK},
    {"Don't hurry, open Settings", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.Preferences\"}", IA_OK},
    {"add Ada without going to Settings", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.Preferences\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_TAP, "{\"ref\":3}", IA_OK},
    /* The name of an app is not an app wherever it stands. */
    {"add a contact named Ada Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"add a contact named Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"add a contact named Open Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"set the company to Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"add Ada who lives in Shop Street", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"type in Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"type \"open Shop\" into Note", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"Shop is her company, add it", IA_TOOL_LAUNCH_APP, SHOP, IA_E_APP_LOCK},
    {"add a contact named Voice Memos", IA_TOOL_LAUNCH_APP,
     "{\"bundle_id\":\"com.apple.VoiceMemos\"}", IA_E_APP_LOCK},
    {"open Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"Open the Shop, then come back", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"open \"Shop\" first", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"copy the code from Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"switch to Shop and back", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"go to the Shop", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"find Ada's order in the shop app", IA_TOOL_LAUNCH_APP, SHOP, IA_OK},
    {"change the home phone of Ada", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}",
     IA_E_APP_LOCK},
    {"add Ada who lives at Home", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}", IA_E_APP_LOCK},
    {"add a contact named Home Screen", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}",
     IA_E_APP_LOCK},
    {"lock the note of Ada", IA_TOOL_PRESS_BUTTON, "{\"button\":\"lock\"}", IA_E_APP_LOCK},
    {"press the home button", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}", IA_OK},
    {"go home and come back", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}", IA_OK},
    {"never go to the home screen", IA_TOOL_PRESS_BUTTON, "{\"button\":\"home\"}",
     IA_E_APP_LOCK},
    {"lock the phone, unlock it", IA_TOOL_PRESS_BUTTON, "{\"button\":\"lock\"}", IA_OK},
    /* A link leaves the app unless its scheme is the app's, or declared. */
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"x-apple-reminderkit://\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"whatever:go\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"no scheme\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"BOOK://x\"}", IA_OK},
    {"open whatever://go, look at Ada", IA_TOOL_OPEN_URL, "{\"url\":\"whatever://go/2\"}",
     IA_OK},
    {"do not open whatever://go", IA_TOOL_OPEN_URL, "{\"url\":\"whatever://go\"}",
     IA_E_APP_LOCK},
    {"open https://a.example/x in the app", IA_TOOL_OPEN_URL, "{\"url\":\"https://b.example\"}",
     IA_E_APP_LOCK},
    /* A host is named as one: not a part of another, of an address, or a plain word; and what
     * stands before an @ is no host. */
    {"open https://a.example/x", IA_TOOL_OPEN_URL, "{\"url\":\"https://A.example:443/y\"}",
     IA_OK},
    {"open a.example in Safari's place", IA_TOOL_OPEN_URL, "{\"url\":\"http://a.example\"}",
     IA_OK},
    {"open https://a.example/x", IA_TOOL_OPEN_URL,
     "{\"url\":\"https://a.example:x@b.example\"}", IA_E_APP_LOCK},
    {"open https://a.example/x", IA_TOOL_OPEN_URL, "{\"url\":\"https://example/\"}",
     IA_E_APP_LOCK},
    {"open https://a.example.org/x", IA_TOOL_OPEN_URL, "{\"url\":\"https://a.example\"}",
     IA_E_APP_LOCK},
    {"add Ada with the email ada@b.example", IA_TOOL_OPEN_URL,
     "{\"url\":\"https://b.example/ada\"}", IA_E_APP_LOCK},
    {"add Ada", IA_TOOL_OPEN_URL, "{\"url\":\"https://ada/\"}", IA_E_APP_LOCK},
    /* Nor is a word before a colon a scheme. */
    {"Notes: write one for Ada", IA_TOOL_OPEN_URL, "{\"url\":\"notes://ada\"}", IA_E_APP_LOCK},
};

static void leaving_the_app_needs_the_goal_to_name_where_to(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(lock_cases); i++) {
        struct ia_app_lock lock = {.app = "com.acme.book", .goal = lock_cases[i].goal};
        struct ia_err err = {0};
        json_t *input = json_loads(lock_cases[i].input, 0, NULL);
        if (ia_app_lock_tool(&lock, lock_cases[i].tool, input, &err) != lock_cases[i].rc) {
            fail_msg("%s: %s %s", lock_cases[i].goal, lock_cases[i].input, err.msg);
        }
        assert_true(lock_cases[i].rc == IA_OK || err.outcome == IA_OUTCOME_NOT_SENT);
        lock.app = NULL;
        assert_int_equal(ia_app_lock_tool(&lock, lock_cases[i].tool, input, &err), IA_OK);
        json_decref(input);
    }
}

static void a_tool_without_a_rule_is_refused(void **state)
{
    (void)state;
    struct ia_app_lock lock = {.app = "com.acme.book", .goal = "add Ada"};
    struct ia_err err = {0};
    assert_int_equal(ia_app_lock_tool(&lock, IA_TOOL_COUNT, NULL, &err), IA_E_APP_LOCK);
}

static enum ia_rc on_screen(const char *goal, const char *app, enum ia_eltype type)
{
    struct ia_app_lock lock = {.app = "com.acme.book", .goal = goal};
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

static void what_the_run_was_given_declares_links_and_apps(void **state)
{
    (void)state;
    const struct ia_setup_step setup[] = {{IA_SETUP_RESET, NULL},
                                          {IA_SETUP_OPEN_URL, "acme-book://start"}};
    const char *const texts[] = {"visible \"Ada\"", "app com.acme.shop"};
    struct ia_expects expects;
    struct ia_err err = {0};
    assert_int_equal(ia_expects_parse(texts, 2, &expects, &err), IA_OK);
    struct ia_app_lock lock = {.app = "com.acme.book", .goal = "add Ada"};
    json_t *link = json_loads("{\"url\":\"acme-book://add\"}", 0, NULL);
    assert_int_equal(ia_app_lock_tool(&lock, IA_TOOL_OPEN_URL, link, &err), IA_E_APP_LOCK);
    assert_non_null(strstr(err.hint, "goal"));
    assert_false(ia_app_lock_allows(&lock, "com.acme.shop"));
    lock.setup = setup;
    lock.setup_count = 2;
    lock.expects = &expects;
    assert_int_equal(ia_app_lock_tool(&lock, IA_TOOL_OPEN_URL, link, &err), IA_OK);
    assert_true(ia_app_lock_allows(&lock, "com.acme.shop"));
    json_decref(link);
    ia_expects_fini(&expects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_the_app_needs_the_goal_to_name_where_to),
        cmocka_unit_test(what_the_run_was_given_declares_links_and_apps),
        cmocka_unit_test(a_tool_without_a_rule_is_refused),
        cmocka_unit_test(foreign_apps_are_not_touched_but_alerts_of_the_system_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
