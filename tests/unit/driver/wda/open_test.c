/* open_test.c: what answers at an address, and what it says of itself. */
#include "phone_double.h"

#include "test.h"

#include "base/utf8.h"

static void something_else_that_answers_is_no_device(void **state)
{
    (void)state;
    static const struct {
        bool appium;
        enum ia_wda_dialect wanted;
        const char *status; /* NULL: as usual */
        enum ia_rc rc;
        const char *says;
    } rows[] = {
        {false, IA_WDA_ANY, NULL, IA_OK, NULL},
        {true, IA_WDA_ANY, NULL, IA_OK, NULL},
        {false, IA_WDA_APPIUM, NULL, IA_E_NO_DEVICE, "write wda:"},
        {true, IA_WDA_DIRECT, NULL, IA_E_NO_DEVICE, "write appium:"},
        {false, IA_WDA_ANY,
         "{\"value\":{\"build\":{\"version\":\"140\"},\"message\":\"ChromeDriver ready for new "
         "sessions.\",\"os\":{\"name\":\"Linux\"},\"ready\":true}}",
         IA_E_NO_DEVICE, "check the address"},
        {false, IA_WDA_DIRECT, "{\"value\":null}", IA_E_NO_DEVICE, "check the address"},
        {false, IA_WDA_DIRECT, "{\"value\":[]}", IA_E_NO_DEVICE, "check the address"},
        {false, IA_WDA_DIRECT, "<html>hello</html>", IA_E_PROTO, "check the address"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct phone_double p;
        struct ia_device *d = NULL;
        struct ia_err err = {0};
        double_start(&p, rows[i].appium);
        if (rows[i].status) {
            p.trouble =
                (struct trouble){.on = "GET /status", .status = 200, .body = rows[i].status};
        }
        struct ia_wda_options opt = {.dialect = rows[i].wanted};
        assert_int_equal(double_try(&p, opt, &d, &err), rows[i].rc);
        if (rows[i].says && !strstr(err.hint, rows[i].says)) {
            fail_msg("%zu: %s", i, err.hint);
        }
        if (d) {
            ia_device_close(d);
        }
        double_stop(&p);
    }
}

static void nobody_there_is_no_device(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    double_start(&p, false);
    struct ia_wda_options opt = {.url = ia_strdup(peer_url(p.peer))};
    double_stop(&p);
    assert_int_equal(double_try(&p, opt, &d, &err), IA_E_NO_DEVICE);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(err.hint, "start WebDriverAgent"));
    free((char *)(uintptr_t)opt.url);
}

/* A server could send anything for an id, and it goes into paths. */
static void an_id_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const ids[] = {"../../x", "a b", "",    "a\\r\\nX: y",
                                      "a?b",     "a#b", "a%20"};
    for (size_t i = 0; i < IA_COUNTOF(ids); i++) {
        char body[200];
        struct phone_double p;
        struct ia_device *d = NULL;
        double_start(&p, false);
        (void)snprintf(body, sizeof(body), "{\"value\":{\"sessionId\":\"%s\"}}", ids[i]);
        p.trouble = (struct trouble){.on = "POST /session", .status = 200, .body = body};
        assert_int_equal(double_try(&p, (struct ia_wda_options){.url = NULL}, &d, NULL),
                         IA_E_PROTO);
        assert_int_equal(peer_count(p.peer), 2);
        double_stop(&p);
    }
}

static void a_device_says_what_it_is(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct phone_double p;
        struct ia_device_info i;
        double_start(&p, appium);
        struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
        assert_int_equal(ia_device_info(d, &i, NULL), IA_OK);
        assert_string_equal(i.kind, "wda");
        assert_string_equal(i.id, "wda:test");
        assert_string_equal(i.name, "Ada's iPhone");
        assert_string_equal(i.os, "iOS 18.5");
        assert_true(i.width_pt == 390 && i.height_pt == 844 && i.scale == 3);
        assert_false(i.simulated || i.instant);
        ia_device_close(d);
        double_stop(&p);
    }
}

/* It is said by something between here and there: who knows what became of the tap. */
static void a_success_of_another_kind_is_no_answer(void **state)
{
    (void)state;
    static const int statuses[] = {201, 202, 204};
    struct phone_double p;
    double_start(&p, false);
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    for (size_t i = 0; i < IA_COUNTOF(statuses); i++) {
        struct ia_err err = {0};
        char status[8];
        (void)snprintf(status, sizeof(status), "%d", statuses[i]);
        p.trouble = (struct trouble){.on = "POST /wda/tap",
                                     .status = statuses[i],
                                     .body = statuses[i] == 204 ? "" : "{\"value\":null}"};
        assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 1}, &err), IA_E_PROTO);
        assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
        assert_non_null(strstr(err.msg, status));
    }
    assert_int_equal(double_count(&p, "POST /wda/tap"), IA_COUNTOF(statuses));
    ia_device_close(d);
    double_stop(&p);
}

/* At every length: 63 bytes end within a character of two or four bytes somewhere. */
static void a_long_name_ends_with_a_whole_character(void **state)
{
    (void)state;
    for (int shift = 0; shift < 4; shift++) {
        struct phone_double p;
        struct ia_device_info i;
        struct ia_buf status = IA_BUF(1024), about = IA_BUF(1024);
        double_start(&p, false);
        ia_buf_printf(&status, "{\"value\":{\"state\":\"success\",\"os\":{\"version\":\"%.*s",
                      shift, "abc");
        ia_buf_printf(&about, "{\"value\":{\"name\":\"%.*s", shift, "abc");
        for (int k = 0; k < 40; k++) {
            ia_buf_puts(&status, "\xF0\x9F\x93\xB1");
            ia_buf_puts(&about, "\xF0\x9F\x93\xB1");
        }
        ia_buf_puts(&status, "\"}},\"sessionId\":null}");
        ia_buf_puts(&about, "\"}}");
        p.trouble = (struct trouble){
            .on = "GET /status", .times = 1, .status = 200, .body = ia_buf_cstr(&status)};
        struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
        assert_int_equal(ia_device_info(d, &i, NULL), IA_OK);
        assert_true(ia_utf8_printable(ia_str(i.os), "") && strlen(i.os) > 50);
        ia_device_close(d);
        p.trouble = (struct trouble){
            .on = "GET /wda/device/info", .status = 200, .body = ia_buf_cstr(&about)};
        d = double_open(&p, (struct ia_wda_options){.url = NULL});
        assert_int_equal(ia_device_info(d, &i, NULL), IA_OK);
        assert_true(ia_utf8_printable(ia_str(i.name), "") && strlen(i.name) > 50);
        ia_device_close(d);
        ia_buf_fini(&status);
        ia_buf_fini(&about);
        double_stop(&p);
    }
}

static void a_phone_that_ios_agent_simulates_says_so(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_device_info i;
    double_start(&p, false);
    p.trouble = (struct trouble){
        .on = "GET /status",
        .status = 200,
        .body = "{\"value\":{\"state\":\"success\",\"build\":"
                "{\"productBundleIdentifier\":\"ios-agent.embedded\"}},\"sessionId\":null}"};
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    assert_int_equal(ia_device_info(d, &i, NULL), IA_OK);
    assert_true(i.simulated);
    ia_device_close(d);
    double_stop(&p);
}

static void describing_it_opens_no_session(void **state)
{
    (void)state;
    struct phone_double p;
    struct ia_buf out = IA_BUF(4096);
    double_start(&p, false);
    struct ia_wda_options opt = {.url = peer_url(p.peer)};
    (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
    assert_int_equal(ia_wda_describe(&opt, NULL, &out, NULL), IA_OK);
    assert_non_null(strstr(ia_buf_cstr(&out), "WebDriverAgent 16.12.9 at http://127.0.0.1:"));
    assert_non_null(strstr(ia_buf_cstr(&out), ", iOS 18.5, driven by session " DOUBLE_FOREIGN));
    assert_int_equal(peer_count(p.peer), 1);
    ia_buf_fini(&out);
    double_stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(something_else_that_answers_is_no_device),
        cmocka_unit_test(nobody_there_is_no_device),
        cmocka_unit_test(an_id_that_is_none_is_refused),
        cmocka_unit_test(a_device_says_what_it_is),
        cmocka_unit_test(a_success_of_another_kind_is_no_answer),
        cmocka_unit_test(a_long_name_ends_with_a_whole_character),
        cmocka_unit_test(a_phone_that_ios_agent_simulates_says_so),
        cmocka_unit_test(describing_it_opens_no_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
