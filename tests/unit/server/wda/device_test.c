/* device_test.c: a device that is lost, fails or does not know, and an app that crashes. */
#include "served.h"
#include "server/wda/wda_impl.h"

/* ---- lost --------------------------------------------------------------------------------- */

static enum ia_rc unknown_tap(struct ia_device *d, const struct ia_deadline *deadline,
                              struct ia_point at, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)at;
    (void)ia_err_set(err, IA_E_TIMEOUT, "no answer");
    err->outcome = IA_OUTCOME_UNKNOWN;
    return IA_E_TIMEOUT;
}

static void a_failure_of_the_device_is_an_error_that_says_what_happened(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path, *body;
        int status;
        const char *error, *message, *trace;
    } rows[] = {
        {"GET", "/source", NULL, 500, "unknown error", "the cable is out", "DEVICE_LOST"},
        {"GET", "/screenshot", NULL, 500, "unable to capture screen", "the cable is out",
         "DEVICE_LOST"},
        {"GET", "/wda/device/info", NULL, 500, "unknown error", "the cable is out",
         "DEVICE_LOST"},
        {"GET", "/window/size", NULL, 500, "unknown error", "the cable is out", "DEVICE_LOST"},
        {"GET", "/wda/screen", NULL, 500, "unknown error", "the cable is out", "DEVICE_LOST"},
        {"POST", "/orientation", "{\"orientation\":\"LANDSCAPE\"}", 500, "unknown error",
         "the cable is out", "DEVICE_LOST"},
        {"POST", "/wda/tap", "{\"x\":1,\"y\":1}", 408, "timeout", "no answer",
         "TIMEOUT unknown"},
    };
    struct served s;
    served_open(&s);
    served_lose(&s);
    s.device.ops.tap = unknown_tap;
    s.device.ops.appearance = NULL;
    served_start(&s, NULL);
    served_session(&s);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct said said;
        char path[128];
        (void)snprintf(path, sizeof(path), "/session/%s%s", s.session, rows[i].path);
        served_ask(&s, rows[i].method, path, rows[i].body, &said);
        assert_int_equal(said.status, rows[i].status);
        assert_string_equal(said.error, rows[i].error);
        assert_string_equal(json_string_value(json_object_get(said.value, "message")),
                            rows[i].message);
        assert_non_null(
            strstr(json_string_value(json_object_get(said.value, "traceback")), rows[i].trace));
        said_fini(&said);
    }
    served_close(&s);
}

/* What is the server's own, or was told when it started. */
static bool asks_no_device(const struct ia_wda_route *r)
{
    static const char *const paths[] = {"status",
                                        "health",
                                        "wda/healthcheck",
                                        "session",
                                        "",
                                        "appium/settings",
                                        "timeouts",
                                        "wda/screens",
                                        "wda/batteryInfo",
                                        "wda/simulatedLocation"};
    for (size_t i = 0; i < IA_COUNTOF(paths); i++) {
        if (strcmp(r->path, paths[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Whatever it is asked, with whatever mistake: only what asks no device can be answered. */
static void no_route_of_a_lost_device_succeeds(void **state)
{
    (void)state;
    static const char body[] =
        "{\"bundleId\":\"com.apple.Preferences\",\"x\":1,\"y\":1,\"duration\":0,"
        "\"numberOfTaps\":1,\"scale\":2,\"fromX\":1,\"fromY\":1,\"toX\":9,\"toY\":9,"
        "\"velocity\":9,\"direction\":\"up\",\"value\":[\"a\"],\"using\":\"name\","
        "\"keys\":[\"a\"],\"url\":\"a:b\",\"name\":\"home\",\"orientation\":\"PORTRAIT\","
        "\"content\":\"YQ==\"}";
    struct served s;
    size_t n;
    const struct ia_wda_route *routes = ia_wda_routes(&n);
    served_open(&s);
    served_lose(&s);
    served_start(&s, NULL);
    served_session(&s);
    for (size_t i = 0; i < n; i++) {
        if (!asks_no_device(&routes[i])) {
            struct said r;
            char path[256];
            (void)snprintf(path, sizeof(path), "/session/%s/%s", s.session, routes[i].path);
            served_ask(&s, routes[i].method, path, body, &r);
            if (r.status < 400) {
                fail_msg("%s %s: %d", routes[i].method, path, r.status);
            }
            said_fini(&r);
        }
    }
    served_close(&s);
}

static enum ia_rc misleading_tree(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_tree **ret_tree, struct ia_err *err)
{
    enum ia_rc rc = ia_device_forward_ops.tree(d, deadline, ret_tree, err);
    ia_tree_root(*ret_tree)->label = "Lock Screen Designer";
    return rc;
}

static enum ia_rc not_simulated(struct ia_device *d, struct ia_device_info *ret,
                                struct ia_err *err)
{
    enum ia_rc rc = ia_device_forward_ops.info(d, ret, err);
    ret->simulated = false;
    return rc;
}

static void the_place_of_a_device_that_is_none_of_ours_is_unknown(void **state)
{
    (void)state;
    for (int ours = 0; ours < 2; ours++) {
        struct served s;
        served_open(&s);
        s.device.ops.info = ours ? s.device.ops.info : not_simulated;
        served_start(&s, NULL);
        served_session(&s);
        served_says(&s, "GET", "/wda/device/info", NULL, 200,
                    ours ? "\"currentLocale\": \"en_US\", \"timeZone\": \"UTC\""
                         : "\"currentLocale\": null, \"timeZone\": null");
        served_close(&s);
    }
}

static void what_a_device_does_not_know_is_not_guessed(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path, *known;
    } rows[] = {{"GET", "/wda/locked", "false"},
                {"POST", "/wda/unlock", "null"},
                {"POST", "/wda/lock", "null"},
                {"GET", "/wda/locked", "true"}};
    for (int knows = 0; knows < 2; knows++) {
        struct served s;
        served_open(&s);
        s.device.ops.tree = misleading_tree;
        s.device.ops.locked = knows ? s.device.ops.locked : NULL;
        served_start(&s, NULL);
        served_session(&s);
        for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
            served_says(&s, rows[i].method, rows[i].path, "{}", knows ? 200 : 500,
                        knows ? rows[i].known : "unsupported operation");
        }
        served_close(&s);
    }
}

/* ---- what was done before ---------------------------------------------------------------- */

static enum ia_rc second_tap_fails(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_point at, struct ia_err *err)
{
    struct served *s = (struct served *)((char *)d - offsetof(struct served, device));
    return s->inside++ == 0 ? ia_device_forward_ops.tap(d, deadline, at, err)
                            : ia_device_not_sent(ia_err_set(err, IA_E_DEVICE, "no"), err);
}

static void what_was_done_before_a_failure_is_said(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    s.device.ops.tap = second_tap_fails;
    served_start(&s, NULL);
    served_session(&s);
    served_says(&s, "POST", "/wda/doubleTap", "{\"x\":200,\"y\":20}", 500, "DEVICE sent");
    served_says(&s, "POST", "/wda/tap", "{\"x\":200,\"y\":20}", 500, "DEVICE not_sent");
    served_close(&s);
}

/* ---- an app that crashes ----------------------------------------------------------------- */

static void the_crash_of_a_sessions_app_fails_every_reading_until_it_is_launched(void **state)
{
    (void)state;
    static const char app[] = "{\"bundleId\":\"com.apple.Preferences\"}";
    static const char chain[] = "{\"using\":\"id\",\"value\":\"com.apple.settings.general\"}";
    struct served s;
    struct said r;
    served_open_with(&s, "faults=crash@4");
    served_start(&s, NULL);
    served_ask(&s, "POST", "/session",
               "{\"capabilities\":{\"alwaysMatch\":{\"bundleId\":\"com.apple.Preferences\"}}}",
               &r);
    assert_int_equal(r.status, 200);
    (void)snprintf(s.session, sizeof(s.session), "%s",
                   json_string_value(json_object_get(r.whole, "sessionId")));
    said_fini(&r);
    served_says(&s, "POST", "/element", chain, 200, "ELEMENT");
    served_says(&s, "POST", "/wda/tap", "{\"x\":200,\"y\":30}", 200, "null");
    served_says(&s, "POST", "/wda/tap", "{\"x\":200,\"y\":30}", 200, "null");
    served_says(&s, "GET", "/source", NULL, 400, "possibly crashed");
    served_says(&s, "POST", "/element", chain, 400, "possibly crashed");
    /* What is asked of the device is answered (FBCustomCommands.m: the system's app). */
    served_says(&s, "GET", "/wda/locked", NULL, 200, "false");
    served_says(&s, "GET", "/wda/screen", NULL, 200, "393");
    served_says(&s, "GET", "/wda/apps/list", NULL, 200, "com.apple.springboard");
    served_says(&s, "POST", "/wda/apps/state", app, 200, "1");
    served_says(&s, "POST", "/wda/apps/activate", app, 200, "null");
    served_says(&s, "POST", "/element", chain, 200, "ELEMENT");
    served_says(&s, "POST", "/wda/apps/terminate", app, 200, "true");
    served_says(&s, "GET", "/source", NULL, 200, "Home Screen");
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_of_the_device_is_an_error_that_says_what_happened),
        cmocka_unit_test(no_route_of_a_lost_device_succeeds),
        cmocka_unit_test(the_place_of_a_device_that_is_none_of_ours_is_unknown),
        cmocka_unit_test(what_a_device_does_not_know_is_not_guessed),
        cmocka_unit_test(what_was_done_before_a_failure_is_said),
        cmocka_unit_test(the_crash_of_a_sessions_app_fails_every_reading_until_it_is_launched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
