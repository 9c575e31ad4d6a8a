/* session_test.c: whose session it is, what it changes, and what is put back. */
#include "phone_double.h"

#include "test.h"
#include "tmpdir.h"

static int setting(struct phone_double *p, const char *name)
{
    return (int)json_integer_value(json_object_get(p->settings, name));
}

static void a_foreign_session_is_left_alone(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    double_start(&p, false);
    (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
    assert_int_equal(double_try(&p, (struct ia_wda_options){.url = NULL}, &d, &err), IA_E_BUSY);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(err.msg, DOUBLE_FOREIGN));
    assert_non_null(strstr(err.hint, "wda:test?take"));
    assert_int_equal(peer_count(p.peer), 1); /* GET /status */
    assert_string_equal(p.session, DOUBLE_FOREIGN);
    double_stop(&p);
}

static void take_ends_it(void **state)
{
    (void)state;
    struct phone_double p;
    double_start(&p, false);
    (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.take = true});
    assert_string_not_equal(p.session, DOUBLE_FOREIGN);
    ia_device_close(d);
    double_stop(&p);
}

static void a_session_has_no_app_and_ends_none(void **state)
{
    (void)state;
    struct phone_double p;
    double_start(&p, false);
    ia_device_close(double_open(&p, (struct ia_wda_options){.url = NULL}));
    json_t *args = double_last(&p, "POST /session");
    json_t *caps = json_object_get(json_object_get(args, "capabilities"), "alwaysMatch");
    assert_null(json_object_get(caps, "bundleId"));
    assert_true(json_is_false(json_object_get(caps, "shouldTerminateApp")));
    assert_true(json_is_false(json_object_get(caps, "forceAppLaunch")));
    assert_int_equal(json_integer_value(json_object_get(caps, "waitForIdleTimeout")), 0);
    json_decref(args);
    double_stop(&p);
}

static void settings_are_sent_at_once_and_put_back(void **state)
{
    (void)state;
    struct phone_double p;
    double_start(&p, false);
    json_t *before = json_deep_copy(p.settings), *value;
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    assert_int_equal(double_count(&p, "POST /appium/settings"), 1);
    assert_int_equal(setting(&p, "snapshotMaxDepth"), 62);
    assert_int_equal(setting(&p, "keyboardAutocorrection"), 0);
    assert_int_equal(setting(&p, "mjpegServerFramerate"), 10);
    ia_device_close(d);
    assert_int_equal(double_count(&p, "POST /appium/settings"), 2);
    assert_int_equal(double_count(&p, "DELETE session"), 1);
    const char *name;
    json_object_foreach(before, name, value)
    {
        assert_true(json_equal(json_object_get(p.settings, name), value));
    }
    json_decref(before);
    double_stop(&p);
}

/* It tells none of WebDriverAgent's settings, so that nobody could put them back. */
static void through_appium_settings_are_capabilities(void **state)
{
    (void)state;
    struct phone_double p;
    double_start(&p, true);
    ia_device_close(double_open(&p, (struct ia_wda_options){.url = NULL}));
    assert_int_equal(double_count(&p, "GET /appium/settings"), 0);
    assert_int_equal(double_count(&p, "POST /appium/settings"), 0);
    assert_int_equal(double_count(&p, "DELETE session"), 1);
    double_stop(&p);
}

/* A run that was killed leaves its session, its file and its settings. */
static void our_own_dead_run_is_no_stranger(void **state)
{
    (void)state;
    struct phone_double p;
    char *dir = tmpdir_new(), *file = ia_path_join(dir, "session.json");
    struct ia_wda_options opt = {.session_file = file};
    struct stat st;
    double_start(&p, false);
    struct ia_device *d = double_open(&p, opt);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    char dead[64];
    (void)snprintf(dead, sizeof(dead), "%s", p.session);
    assert_int_equal(ia_device_release(d, NULL), IA_OK); /* as its end does */
    struct ia_device *next = double_open(&p, opt);
    assert_string_not_equal(p.session, dead);
    assert_int_equal(setting(&p, "snapshotMaxDepth"), 62);
    ia_device_close(next);
    assert_int_equal(setting(&p, "snapshotMaxDepth"), 50); /* as before the first one */
    assert_int_equal(setting(&p, "keyboardAutocorrection"), 1);
    assert_int_equal(stat(file, &st), -1);
    ia_device_close(d);
    assert_int_equal(setting(&p, "snapshotMaxDepth"), 50);
    free(file);
    tmpdir_free(dir);
    double_stop(&p);
}

/* A run that was killed before it read the answer to POST /session: nobody has told it the session's id. */
static char *begun_unheard(struct phone_double *p, char *dir)
{
    char *file = ia_path_join(dir, "session.json");
    struct ia_device *d = NULL;
    double_start(p, false);
    p->trouble = (struct trouble){.on = "POST /session", .how = PEER_CUT, .times = 1};
    assert_int_equal(double_try(p, (struct ia_wda_options){.session_file = file}, &d, NULL),
                     IA_E_DEVICE_LOST);
    assert_int_equal(peer_count_of(p->peer, "POST /session"), 1);
    assert_int_equal(p->sessions, 1);
    return file;
}

static void a_session_begun_unheard_is_our_own(void **state)
{
    (void)state;
    struct phone_double p;
    struct stat st;
    char *dir = tmpdir_new(), *file = begun_unheard(&p, dir);
    p.trouble = (struct trouble){.on = "POST /session", .how = PEER_CUT, .times = 1};
    struct ia_device *d = NULL;
    struct ia_wda_options opt = {.session_file = file};
    assert_int_equal(double_try(&p, opt, &d, NULL), IA_E_DEVICE_LOST); /* and once more */
    d = double_open(&p, opt);
    assert_int_equal(p.sessions, 3);
    ia_device_close(d);
    assert_int_equal(stat(file, &st), -1);
    free(file);
    tmpdir_free(dir);
    double_stop(&p);
}

/* Its POST reached WebDriverAgent and then another client took over, or it never arrived: either way the mark
 * is not in that session. */
static void a_stranger_who_came_meanwhile_is_left_alone(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_err err = {0};
    struct ia_device *d = NULL;
    char *dir = tmpdir_new(), *file = begun_unheard(&p, dir);
    (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
    (void)json_object_set_new(p.settings, "elementResponseAttributes",
                              json_string("type,label")); /* as every new session has it */
    size_t asked = peer_count(p.peer);
    assert_int_equal(double_try(&p, (struct ia_wda_options){.session_file = file}, &d, &err),
                     IA_E_BUSY);
    assert_int_equal(peer_count(p.peer), asked + 2); /* its id, and its settings */
    assert_string_equal(p.session, DOUBLE_FOREIGN);
    free(file);
    tmpdir_free(dir);
    double_stop(&p);
}

/* The file names the session, but its run lives: neither the session nor what it does is disturbed. */
static void our_own_live_run_is_left_alone(bool appium, bool take)
{
    struct phone_double p;
    char *dir = tmpdir_new(), *file = ia_path_join(dir, "session.json");
    struct ia_wda_options opt = {.session_file = file, .take = take};
    struct ia_device *other = NULL;
    struct ia_err err = {0};
    double_start(&p, appium);
    struct ia_device *d = double_open(&p, opt);
    size_t asked = peer_count(p.peer);
    assert_int_equal(double_try(&p, opt, &other, &err), IA_E_BUSY);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(err.msg, "another run"));
    assert_int_equal(peer_count(p.peer), asked);
    assert_int_equal(p.sessions, 1);
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 1}, NULL), IA_OK);
    ia_device_close(d);
    ia_device_close(double_open(&p, opt));
    free(file);
    tmpdir_free(dir);
    double_stop(&p);
}

static void a_live_run_of_our_own_is_left_alone(void **state)
{
    (void)state;
    our_own_live_run_is_left_alone(false, false);
    our_own_live_run_is_left_alone(false, true);
    our_own_live_run_is_left_alone(true, false);
}

/* Between two commands others may have the phone; then it is driven on in a new session. */
static void released_it_is_shared(bool appium)
{
    struct phone_double p;
    char *dir = tmpdir_new(), *file = ia_path_join(dir, "session.json");
    struct ia_wda_options opt = {.session_file = file};
    bool changed = true;
    double_start(&p, appium);
    struct ia_device *d = double_open(&p, opt);
    assert_int_equal(ia_device_release(d, NULL), IA_OK);
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 1}, NULL), IA_E_INTERNAL);
    assert_int_equal(ia_device_acquire(d, NULL, &changed, NULL), IA_OK);
    assert_false(changed);
    assert_int_equal(p.sessions, 1);
    assert_int_equal(ia_device_release(d, NULL), IA_OK);
    struct ia_device *other = double_open(&p, opt);
    assert_int_equal(ia_device_acquire(d, NULL, &changed, NULL), IA_E_BUSY);
    ia_device_close(other);
    assert_int_equal(ia_device_acquire(d, NULL, &changed, NULL), IA_OK);
    assert_true(changed);
    assert_int_equal(p.sessions, 3);
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 1}, NULL), IA_OK);
    ia_device_close(d);
    free(file);
    tmpdir_free(dir);
    double_stop(&p);
}

static void a_released_device_is_shared(void **state)
{
    (void)state;
    released_it_is_shared(false);
    released_it_is_shared(true);
}

/* Closing a device that was released asks nothing of a phone that another process drives by now. */
static void the_end_of_a_released_device_leaves_the_next_one_alone(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct phone_double p;
        char *dir = tmpdir_new(), *file = ia_path_join(dir, "session.json");
        struct ia_wda_options opt = {.session_file = file};
        struct stat st;
        double_start(&p, appium);
        struct ia_device *d = double_open(&p, opt);
        assert_int_equal(ia_device_release(d, NULL), IA_OK);
        struct ia_device *other = double_open(&p, opt);
        size_t asked = peer_count(p.peer);
        ia_device_close(d);
        assert_int_equal(peer_count(p.peer), asked);
        assert_int_equal(stat(file, &st), 0);
        assert_int_equal(ia_device_tap(other, NULL, (struct ia_point){1, 1}, NULL), IA_OK);
        ia_device_close(other);
        assert_int_equal(stat(file, &st), -1);
        free(file);
        tmpdir_free(dir);
        double_stop(&p);
    }
}

static void a_session_file_of_another_run_excuses_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"session\":\"OTHER\",\"settings\":null}",
                                        "{}",
                                        "",
                                        "nonsense",
                                        "[1]",
                                        "{\"session\":\"\",\"mark\":\"\"}",
                                        "{\"session\":\"\",\"mark\":\"ios-agent-1\"}",
                                        "{\"session\":\"\",\"mark\":[]}",
                                        "{\"session\":7}"};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        struct phone_double p;
        struct ia_device *d = NULL;
        char *dir = tmpdir_new(), *file = tmpdir_file(dir, "session.json", texts[i]);
        double_start(&p, false);
        (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
        assert_int_equal(
            double_try(&p, (struct ia_wda_options){.session_file = file}, &d, NULL), IA_E_BUSY);
        free(file);
        tmpdir_free(dir);
        double_stop(&p);
    }
}

/* Somebody's POST /session ended ours and is gone again. */
static void a_lost_session_is_begun_again_for_a_reading(void **state)
{
    (void)state;
    struct phone_double p;
    double_start(&p, false);
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    struct ia_tree *t = NULL;
    p.session[0] = '\0';
    assert_int_equal(ia_device_tree(d, NULL, &t, NULL), IA_OK);
    ia_tree_free(t);
    assert_int_equal(p.sessions, 2);
    assert_int_equal(setting(&p, "snapshotMaxDepth"), 62);
    ia_device_close(d);
    double_stop(&p);
}

static void an_effect_in_a_lost_session_is_not_sent_again(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_err err = {0};
    double_start(&p, false);
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    p.session[0] = '\0';
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 2}, &err), IA_E_DEVICE_LOST);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(double_count(&p, "POST /wda/tap"), 1);
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 2}, &err), IA_OK);
    assert_int_equal(p.sessions, 2);
    ia_device_close(d);
    double_stop(&p);
}

static void a_stolen_session_is_not_stolen_back(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_err err = {0};
    struct ia_tree *t = NULL;
    double_start(&p, false);
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
    assert_int_equal(ia_device_tree(d, NULL, &t, &err), IA_E_BUSY);
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 2}, &err), IA_E_BUSY);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(double_count(&p, "POST /wda/tap"), 0);
    ia_device_close(d);
    assert_string_equal(p.session, DOUBLE_FOREIGN);
    assert_int_equal(p.sessions, 1);
    double_stop(&p);
}

/* Nobody can tell whether another client has the phone: only the user. */
static void a_session_lost_through_appium_is_begun_again_only_with_take(void **state)
{
    (void)state;
    for (int take = 0; take < 2; take++) {
        struct phone_double p;
        struct ia_err err = {0};
        struct ia_tree *t = NULL;
        double_start(&p, true);
        struct ia_device *d = double_open(&p, (struct ia_wda_options){.take = take});
        p.session[0] = '\0';
        assert_int_equal(ia_device_tree(d, NULL, &t, &err), take ? IA_OK : IA_E_DEVICE_LOST);
        assert_int_equal(p.sessions, 1 + take);
        ia_tree_free(t);
        ia_device_close(d);
        double_stop(&p);
    }
}

static void appium_gets_prefixed_capabilities_and_no_timeout(void **state)
{
    (void)state;
    struct phone_double p;
    double_start(&p, true);
    struct ia_wda_options opt = {
        .udid = "00008110-000A1B2C3D4E5F60",
        .capabilities = "{\"platformVersion\":\"18.5\",\"appium:wdaLocalPort\":8200,"
                        "\"platformName\":\"iOS\",\"farm:options\":{\"a\":1}}"};
    ia_device_close(double_open(&p, opt));
    json_t *args = double_last(&p, "POST /session");
    json_t *caps = json_object_get(json_object_get(args, "capabilities"), "alwaysMatch");
    json_t *want = json_loads(
        "{\"platformName\":\"iOS\",\"appium:automationName\":\"XCUITest\",\"appium:noReset\":"
        "true,"
        "\"appium:newCommandTimeout\":0,\"appium:waitForIdleTimeout\":0,"
        "\"appium:skipLogCapture\":true,\"appium:settings[snapshotMaxDepth]\":62,"
        "\"appium:settings[animationCoolOffTimeout]\":0,"
        "\"appium:settings[useClearTextShortcut]\":false,"
        "\"appium:settings[accessibilityDeadline]\":15,"
        "\"appium:settings[pageSourceExcludedAttributes]\":\"accessible\",\"appium:udid\":"
        "\"00008110-000A1B2C3D4E5F60\","
        "\"appium:platformVersion\":\"18.5\",\"appium:wdaLocalPort\":8200,"
        "\"farm:options\":{\"a\":1}}",
        0, NULL);
    assert_true(json_equal(caps, want));
    json_decref(want);
    json_decref(args);
    double_stop(&p);
}

static void capabilities_that_are_no_object_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "[]", "nonsense", "{\"a\":1,\"a\":2}", "3"};
    struct phone_double p;
    double_start(&p, true);
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        struct ia_device *d = NULL;
        assert_int_equal(
            double_try(&p, (struct ia_wda_options){.capabilities = texts[i]}, &d, NULL),
            IA_E_USAGE);
    }
    assert_int_equal(p.sessions, 0);
    double_stop(&p);
}

static void capabilities_that_do_not_fit_begin_no_session(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    struct ia_buf text = IA_BUF(2 << 20);
    double_start(&p, true);
    ia_buf_puts(&text, "{\"a\":\"");
    while (text.len < (1 << 20)) {
        ia_buf_puts(&text, "0123456789");
    }
    ia_buf_puts(&text, "\"}");
    assert_int_equal(
        double_try(&p, (struct ia_wda_options){.capabilities = ia_buf_cstr(&text)}, &d, &err),
        IA_E_LIMIT);
    assert_int_equal(p.sessions, 0);
    ia_buf_fini(&text);
    double_stop(&p);
}

/* It would hold the phone for ever. */
static void the_session_of_a_dead_run_through_appium_is_ended_first(void **state)
{
    (void)state;
    struct phone_double p;
    char *dir = tmpdir_new(), *file = ia_path_join(dir, "session.json");
    struct ia_wda_options opt = {.session_file = file};
    double_start(&p, true);
    struct ia_device *dead = double_open(&p, opt);
    assert_int_equal(ia_device_release(dead, NULL), IA_OK); /* as its end does */
    struct ia_device *d = double_open(&p, opt);
    assert_int_equal(double_count(&p, "DELETE session"), 1);
    assert_int_equal(p.sessions, 2);
    ia_device_close(d);
    ia_device_close(dead);
    free(file);
    tmpdir_free(dir);
    double_stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_foreign_session_is_left_alone),
        cmocka_unit_test(take_ends_it),
        cmocka_unit_test(a_session_has_no_app_and_ends_none),
        cmocka_unit_test(settings_are_sent_at_once_and_put_back),
        cmocka_unit_test(through_appium_settings_are_capabilities),
        cmocka_unit_test(our_own_dead_run_is_no_stranger),
        cmocka_unit_test(a_session_begun_unheard_is_our_own),
        cmocka_unit_test(a_stranger_who_came_meanwhile_is_left_alone),
        cmocka_unit_test(a_live_run_of_our_own_is_left_alone),
        cmocka_unit_test(a_released_device_is_shared),
        cmocka_unit_test(the_end_of_a_released_device_leaves_the_next_one_alone),
        cmocka_unit_test(a_session_file_of_another_run_excuses_nothing),
        cmocka_unit_test(a_lost_session_is_begun_again_for_a_reading),
        cmocka_unit_test(an_effect_in_a_lost_session_is_not_sent_again),
        cmocka_unit_test(a_stolen_session_is_not_stolen_back),
        cmocka_unit_test(a_session_lost_through_appium_is_begun_again_only_with_take),
        cmocka_unit_test(appium_gets_prefixed_capabilities_and_no_timeout),
        cmocka_unit_test(capabilities_that_are_no_object_are_refused),
        cmocka_unit_test(capabilities_that_do_not_fit_begin_no_session),
        cmocka_unit_test(the_session_of_a_dead_run_through_appium_is_ended_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
