/* app_test.c: a session's app, its capabilities and settings, apps by their ids, and limits of requests. */
#include "made.h"

#include "server/wda/wda_impl.h"

static void fill_nothing(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    (void)m;
    made_add(t, window, IA_EL_BUTTON, (struct ia_rect){10, 10, 100, 40}, "Button");
}

/* Another session, while the device is told the log. */
static void starts(struct made *m, const char *capabilities, int status, const char *text,
                   const char *log)
{
    struct said r;
    char body[1024];
    (void)snprintf(body, sizeof(body), "{\"capabilities\":{\"alwaysMatch\":{%s}}}",
                   capabilities);
    m->log[0] = '\0';
    served_ask(&m->s, "POST", "/session", body, &r);
    char *all = json_dumps(r.value, JSON_ENCODE_ANY);
    if (r.status != status || !strstr(all, text) || strcmp(m->log, log) != 0) {
        fail_msg("%s: %d %s, %s", capabilities, r.status, all, m->log);
    }
    const char *id = json_string_value(json_object_get(r.whole, "sessionId"));
    (void)snprintf(m->s.session, sizeof(m->s.session), "%s", id ? id : "");
    free(all);
    said_fini(&r);
}

static void ends(struct made *m, const char *log)
{
    made_check(m, &(struct made_row){"DELETE", "", NULL, 200, "null", log});
}

static enum ia_rc no_such_url(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *url, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    return ia_err_set(err, IA_E_DEVICE, "nobody opens %s", url);
}

static void a_session_starts_and_ends_its_app_as_asked(void **state)
{
    (void)state;
#define APP "\"bundleId\":\"" MADE_APP "\""
#define ENDS "terminate " MADE_APP "; "
#define BEGINS "launch " MADE_APP "; "
    struct made m;
    made_open(&m, fill_nothing, 0);
    starts(&m, APP, 200, MADE_APP, ENDS BEGINS);
    ends(&m, ENDS);
    starts(&m, APP ",\"forceAppLaunch\":false", 200, MADE_APP, BEGINS);
    starts(&m, APP ",\"shouldTerminateApp\":false", 200, MADE_APP, ENDS ENDS BEGINS);
    ends(&m, "");
    starts(&m, APP ",\"initialUrl\":\"a:b\"", 200, MADE_APP, ENDS BEGINS "open_url a:b; ");
    ends(&m, ENDS);
    m.s.device.ops.open_url = no_such_url;
    starts(&m, APP ",\"initialUrl\":\"a:b\"", 500, "nobody opens a:b", ENDS BEGINS ENDS);
    m.s.device.ops.launch = no_such_url;
    starts(&m, APP, 500, "Cannot launch", ENDS);
    starts(&m, "", 200, "sessionId", "");
    ends(&m, "");
    served_close(&m.s);
}

static void a_bundle_id_has_an_end(void **state)
{
    (void)state;
    for (int n = IA_WDA_APP_SIZE - 1; n <= IA_WDA_APP_SIZE; n++) {
        struct made m;
        char body[512];
        char log[512] = "";
        bool ok = n < IA_WDA_APP_SIZE;
        made_open(&m, fill_nothing, 0);
        (void)snprintf(body, sizeof(body), "{\"bundleId\":\"%0*d\"}", n, 0);
        (void)snprintf(log, sizeof(log), "launch %0*d; ", n, 0);
        made_check(&m, &(struct made_row){"POST", "/wda/apps/launch", body, ok ? 200 : 400,
                                          ok ? "null" : "'bundleId'", ok ? log : ""});
        (void)snprintf(body, sizeof(body), "\"forceAppLaunch\":false,\"bundleId\":\"%0*d\"", n,
                       0);
        starts(&m, body, ok ? 200 : 500, ok ? "sessionId" : "'bundleId' is too long",
               ok ? log : "");
        served_close(&m.s);
    }
}

static void an_app_whose_state_nobody_tells_runs_when_it_is_in_front(void **state)
{
    (void)state;
    static const struct made_row rows[] = {
        {"POST", "/wda/apps/state", "{\"bundleId\":\"" MADE_APP "\"}", 200, "4", ""},
        {"POST", "/wda/apps/state", "{\"bundleId\":\"com.example.other\"}", 200, "0", ""},
        {"POST", "/wda/deactivateApp", "{\"duration\":0}", 200, "null", "press 0; " BEGINS},
        {"POST", "/wda/deactivateApp", "{\"duration\":600.1}", 400, "0 to 600", ""},
        {"POST", "/wda/deactivateApp", "{\"duration\":-0.1}", 400, "0 to 600", ""},
    };
    struct made m;
    made_open(&m, fill_nothing, 0);
    m.s.device.ops.app_state = NULL;
    made_check_all(&m, rows, IA_COUNTOF(rows));
    served_close(&m.s);
}

/* A body that is deeper than any client's counts as empty. */
static void a_body_is_as_deep_as_it_may_be(void **state)
{
    (void)state;
    enum { DEEPEST = 64 };
    for (int n = DEEPEST - 1; n <= DEEPEST; n++) {
        struct made m;
        char body[512];
        char open[DEEPEST + 1] = "";
        char close[DEEPEST + 1] = "";
        bool ok = n < DEEPEST;
        memset(open, '[', (size_t)n);
        memset(close, ']', (size_t)n);
        made_open(&m, fill_nothing, 0);
        (void)snprintf(body, sizeof(body),
                       "{\"using\":\"name\",\"value\":\"Button\",\"more\":%s%s}", open, close);
        made_check(&m, &(struct made_row){"POST", "/element", body, ok ? 200 : 400,
                                          ok ? "ELEMENT" : "'using'", ""});
        served_close(&m.s);
    }
}

/* ---- what a session is given -------------------------------------------------------------- */

static void a_setting_is_short(void **state)
{
    (void)state;
    struct served s;
    char body[5200];
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    for (int n = 4096; n <= 4097; n++) {
        (void)snprintf(body, sizeof(body),
                       "{\"settings\":{\"elementResponseAttributes\":\"%0*d\"}}", n, 0);
        served_says(&s, "POST", "/appium/settings", body, n == 4096 ? 200 : 400,
                    "elementResponseAttributes");
    }
    served_says(&s, "POST", "/appium/settings", "{\"settings\":{\"mjpegScalingFactor\":{}}}",
                400, "'mjpegScalingFactor'");
    served_says(&s, "POST", "/appium/settings", "{\"settings\":{\"nobodyKnows\":{}}}", 200, "");
    served_close(&s);
}

static void capabilities_that_cannot_be_kept_are_refused_by_name(void **state)
{
    (void)state;
#define SETTINGS "\"bundleId\":\"com.apple.Preferences\""
    static const struct {
        const char *always, *first;
        int status;
        const char *text;
    } rows[] = {
        {SETTINGS, "[{\"platformName\":\"iOS\"}]", 200, "com.apple.Preferences"},
        {"\"appium:bundleId\":\"com.apple.Preferences\"", "[]", 200, "com.apple.Preferences"},
        {SETTINGS ",\"arguments\":[],\"environment\":{}", "[{}]", 200, "com.apple.Preferences"},
        /* nothing is launched */
        {"\"arguments\":[\"-x\"]", "[{}]", 200, "sessionId"},
        {SETTINGS ",\"arguments\":[\"-x\"]", "[{}]", 500, "'arguments'"},
        {SETTINGS, "[{\"appium:environment\":{\"A\":\"b\"}}]", 500, "'environment'"},
        {"\"appium:platformName\":\"iOS\"", "[{}]", 500, "'appium:platformName'"},
        {"", "[{\"appium:browserName\":\"Safari\"}]", 500, "'appium:browserName'"},
        {SETTINGS, "[{\"bundleId\":\"a\"},{\"timeouts\":{}}]", 200, "com.apple.Preferences"},
        {SETTINGS, "[{\"appium:bundleId\":\"com.apple.Preferences\"}]", 500, "firstMatch"},
        {"\"initialUrl\":\"prefs:root=DISPLAY\"", "[{}]", 200, "sessionId"},
        {"\"initialUrl\":\"none:x\"", "[{}]", 500, "none:x"},
        {"\"elementResponseAttributes\":[\"type\"]", "[{}]", 500,
         "'elementResponseAttributes'"},
        {"\"bundleId\":5", "[{}]", 500, "'bundleId'"},
        {"\"bundleId\":null", "[{}]", 200, "sessionId"},
        {SETTINGS ",\"initialUrl\":{}", "[{}]", 500, "'initialUrl'"},
    };
    struct served s;
    served_open(&s);
    served_start(&s, NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct said r;
        char body[512];
        (void)snprintf(body, sizeof(body),
                       "{\"capabilities\":{\"alwaysMatch\":{%s},\"firstMatch\":%s}}",
                       rows[i].always, rows[i].first);
        served_ask(&s, "POST", "/session", body, &r);
        char *all = json_dumps(r.value, JSON_ENCODE_ANY);
        if (r.status != rows[i].status || !strstr(all, rows[i].text) ||
            strcmp(r.error, rows[i].status == 200 ? "" : "session not created") != 0) {
            fail_msg("row %zu: %d %s", i, r.status, all);
        }
        free(all);
        said_fini(&r);
    }
    served_session(&s);
    served_says(&s, "POST", "/wda/apps/launch", "{" SETTINGS ",\"arguments\":[\"-x\"]}", 500,
                "unsupported operation");
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_starts_and_ends_its_app_as_asked),
        cmocka_unit_test(a_setting_is_short),
        cmocka_unit_test(capabilities_that_cannot_be_kept_are_refused_by_name),
        cmocka_unit_test(a_bundle_id_has_an_end),
        cmocka_unit_test(an_app_whose_state_nobody_tells_runs_when_it_is_in_front),
        cmocka_unit_test(a_body_is_as_deep_as_it_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
