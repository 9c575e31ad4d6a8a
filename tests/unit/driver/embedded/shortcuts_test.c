/* The Shortcuts app: run by touch and by URL, with input, its result on the pasteboard, and imported. */
#include "phone_fixture.h"

#include "base/base64.h"
#include "base/urlquery.h"

#define SHORTCUTS "com.apple.shortcuts"
#define RUN "shortcuts://run-shortcut?name="

static enum ia_rc open_url(struct ia_device *d, const char *url)
{
    return ia_device_open_url(d, &no_limit, url, NULL);
}

static void assert_pasted(struct ia_device *d, const char *text)
{
    struct ia_buf pasted = IA_BUF(2000);
    assert_int_equal(ia_device_pasteboard(d, &no_limit, &pasted, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&pasted), text);
    ia_buf_fini(&pasted);
}

static void a_shortcut_runs_by_url_with_input_and_copies_its_result(void **state)
{
    (void)state;
    static const struct {
        const char *url, *result;
    } rows[] = {
        {RUN "Shout&input=text&text=half%20past%20ten", "HALF PAST TEN"},
        {"shortcuts://x-callback-url/run-shortcut?name=Shout&input=text&text=a%26b%3Dc",
         "A&B=C"},
        {RUN "Count%20Characters&input=text&text=Zo%C3%AB", "3"},
        {RUN "Today's%20Date", "2025-09-09"},
        {RUN "Buy%20Later&input=text&text=milk", "Buy milk"},
    };
    struct ia_device *d = phone_new();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(open_url(d, rows[i].url), IA_OK);
        assert_pasted(d, rows[i].result);
    }
    assert_true(state_has(d, "\"title\":\"Buy milk\""));
    assert_int_equal(ia_device_set_pasteboard(d, &no_limit, ia_str("soft"), NULL), IA_OK);
    assert_int_equal(open_url(d, RUN "Shout&input=clipboard"), IA_OK);
    assert_pasted(d, "SOFT");
    assert_true(state_has(d, "\"shortcut_run\":{\"name\":\"Shout\",\"result\":\"SOFT\"}"));
    ia_device_close(d);
}

static void a_shortcut_runs_by_touch_and_shows_its_result(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    launch(d, SHORTCUTS);
    tap(d, "Good Morning");
    tap(d, "run");
    assert_value(d, "result", "Good morning, Alex");
    tap(d, "BackButton");
    tap(d, "BackButton");
    assert_value(d, "last-run", "Good morning, Alex");
    ia_device_close(d);
}

static void a_shortcut_that_is_not_there_is_an_alert(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_int_equal(open_url(d, RUN "Nothing"), IA_OK);
    assert_true(shows_type(d, IA_EL_ALERT, "Shortcut Not Found"));
    assert_true(state_has(d, "\"shortcut_run\":{\"name\":null,\"result\":null}"));
    ia_device_close(d);
}

/* A property list as create_shortcut_url makes it, as the URL that imports it. */
static void import(struct ia_device *d, const char *name, const char *plist)
{
    struct ia_buf data = IA_BUF(8192), url = IA_BUF(8192);
    ia_buf_puts(&data, "data:application/x-plist;base64,");
    char text[2048];
    ia_buf_put(&data, text, ia_base64_encode(plist, strlen(plist), text));
    ia_buf_printf(&url, "shortcuts://import-shortcut?name=%s&url=", name);
    ia_url_escape(&url, ia_buf_str(&data));
    assert_int_equal(open_url(d, ia_buf_cstr(&url)), IA_OK);
    ia_buf_fini(&data);
    ia_buf_fini(&url);
}

static void a_shortcut_is_imported_and_replaces_its_namesake(void **state)
{
    (void)state;
    static const char plist[] =
        "<dict><key>WFWorkflowActionIdentifier</key><string>is.workflow.actions.gettext</"
        "string>"
        "<key>WFTextActionText</key><string>Dear {input} &amp; Co</string></dict>"
        "<dict><key>WFWorkflowActionIdentifier</key>"
        "<string>is.workflow.actions.setclipboard</string></dict>";
    struct ia_device *d = phone_new();
    for (int i = 0; i < 2; i++) {
        import(d, "Dear", plist);
        assert_int_equal(open_url(d, RUN "Dear&input=text&text=Ada"), IA_OK);
        assert_pasted(d, "Dear Ada & Co");
    }
    assert_true(state_has(d, "\"Good Morning\",\"Dear\"]"));
    import(d, "Empty", "<dict/>");
    assert_true(shows_type(d, IA_EL_ALERT, "Could Not Import"));
    assert_int_equal(open_url(d, "shortcuts://import-shortcut?name=A&url=http%3A%2F%2Fa"),
                     IA_OK);
    assert_true(state_has(d, "\"Good Morning\",\"Dear\"]"));
    ia_device_close(d);
}

static void a_link_to_a_message_fills_the_field_and_sends_nothing(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    assert_int_equal(open_url(d, "sms:555-0123?&body=On%20my%20way%21%0ASoon"), IA_OK);
    assert_value(d, "message", "On my way!\nSoon");
    assert_false(state_has(d, "On my way"));
    tap(d, "send");
    assert_true(state_has(d, "On my way!\\nSoon"));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shortcut_runs_by_url_with_input_and_copies_its_result),
        cmocka_unit_test(a_shortcut_runs_by_touch_and_shows_its_result),
        cmocka_unit_test(a_shortcut_that_is_not_there_is_an_alert),
        cmocka_unit_test(a_shortcut_is_imported_and_replaces_its_namesake),
        cmocka_unit_test(a_link_to_a_message_fills_the_field_and_sends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
