#include "test.h"

#include "driver/registry/iphone_check.h"

#define UDID "00008110-000A1B2C3D4E5F60"
#define STATUS(version, session)                                                               \
    "{\"sessionId\":" session                                                                  \
    ",\"value\":{\"state\":\"success\",\"os\":{\"version\":\"18.5\"},"                         \
    "\"build\":{" version "}}}"
#define VERSION(v) "\"version\":\"" v "\""

static void what_answers_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *body, *own;
        bool take;
        enum ia_rc rc;
        const char *says, *hint;
    } rows[] = {
        {STATUS(VERSION("16.12.9"), "null"), "", false, IA_OK,
         "WebDriverAgent 16.12.9, no session", NULL},
        {STATUS(VERSION("16.7"), "null"), "", false, IA_OK, "WebDriverAgent 16.7, no session",
         NULL},
        {STATUS(VERSION("16.6.9"), "null"), "", false, IA_OK, "(before 16.7 an app that hangs",
         NULL},
        {STATUS(VERSION("9.3.0"), "null"), "", false, IA_OK, "(before 16.7 an app that hangs",
         NULL},
        {STATUS(VERSION("9.2.9"), "null"), "", false, IA_E_UNSUPPORTED, "9.2.9 is too old",
         "build"},
        {STATUS(VERSION("8.12.0"), "null"), "", false, IA_E_UNSUPPORTED, "8.12.0 is too old",
         "build"},
        {STATUS("", "null"), "", false, IA_OK, "of an unknown version", NULL},
        {STATUS(VERSION("x"), "null"), "", false, IA_OK, "of an unknown version", NULL},
        {STATUS(VERSION("16.12.9"), "\"A-1\""), "", false, IA_E_BUSY, "session A-1", "take"},
        {STATUS(VERSION("16.12.9"), "\"A-1\""), "B", false, IA_E_BUSY, "session A-1", "take"},
        {STATUS(VERSION("16.12.9"), "\"A-1\""), "A-1", false, IA_OK, "session A-1", NULL},
        {STATUS(VERSION("16.12.9"), "\"A-1\""), "", true, IA_OK, "session A-1", NULL},
        {"{\"value\":{\"ready\":true,\"build\":{\"version\":\"3.8.0\"}}}", "", false,
         IA_E_PROTO, "is not WebDriverAgent", "end the app"}, /* an Appium server */
        {"<html>hello</html>", "", false, IA_E_PROTO, "is not WebDriverAgent", "end the app"},
        {"", "", false, IA_E_PROTO, "is not WebDriverAgent", "end the app"},
        {"[]", "", false, IA_E_PROTO, "is not WebDriverAgent", "end the app"},
        {"{\"value\":null}", "", false, IA_E_PROTO, "status 200", "end the app"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(1024);
        struct ia_err err = {.code = IA_OK};
        enum ia_rc rc = ia_iphone_check_status(200, ia_str(rows[i].body), rows[i].own,
                                               rows[i].take, &out, &err);
        assert_int_equal(rc, rows[i].rc);
        assert_non_null(strstr(rc == IA_OK ? ia_buf_cstr(&out) : err.msg, rows[i].says));
        assert_true(rc == IA_OK || strstr(err.hint, rows[i].hint));
        assert_true(rc == IA_OK || out.len == 0);
        ia_buf_fini(&out);
    }
}

static void a_phone_that_is_reached_by_wifi_is_named(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(1024);
    struct ia_err err = {.code = IA_OK};
    const char *body =
        "{\"value\":{\"state\":\"success\",\"os\":{},\"ios\":{\"ip\":\"192.0.2.7\"},"
        "\"build\":{\"version\":\"16.12.9\"}},\"sessionId\":null}";
    assert_int_equal(ia_iphone_check_status(200, ia_str(body), "", false, &out, &err), IA_OK);
    assert_non_null(
        strstr(ia_buf_cstr(&out), "192.0.2.7 by anybody: start it with USE_IP=127.0.0.1"));
    ia_buf_fini(&out);
}

static void how_a_runner_is_started_depends_on_its_ios(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        const char *tunnel, *on_linux, *never; /* parts of what is said, and of what is not */
    } rows[] = {
        {"15.8.2", "no tunnel", "start the runner: ios image auto --udid=" UDID,
         "tunnel start"},
        {"16.7", "no tunnel", "ios runwda --udid=" UDID, "tunnel start"},
        {"17.0", "as root", "on a Mac (from Linux it takes iOS 17.4", "ios runwda"},
        {"17.3.1", "as root", "xcodebuild test-without-building", "ios runwda"},
        {"17.4", "without root", "ios tunnel start --userspace; ios image auto", "xcodebuild"},
        {"18.5", "without root", "ios tunnel start --userspace", "xcodebuild"},
        {"27.0", "without root", "ios tunnel start --userspace", "devicectl"},
        {"", "without root", "ios tunnel start --userspace", "xcodebuild"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {.code = IA_OK};
        (void)ia_err_set(&err, IA_E_NO_DEVICE, "x");
        assert_non_null(strstr(ia_iphone_tunnel(rows[i].version), rows[i].tunnel));
        ia_iphone_start_hint(rows[i].version, UDID, false, &err);
        assert_non_null(strstr(err.hint, rows[i].on_linux));
        assert_null(strstr(err.hint, rows[i].never));
        ia_iphone_start_hint(rows[i].version, UDID, true, &err);
        assert_non_null(strstr(err.hint, "xcodebuild test-without-building"));
        assert_non_null(strstr(err.hint, "id=" UDID));
        assert_null(strstr(err.hint, "ios runwda"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_answers_is_told_apart),
        cmocka_unit_test(a_phone_that_is_reached_by_wifi_is_named),
        cmocka_unit_test(how_a_runner_is_started_depends_on_its_ios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
