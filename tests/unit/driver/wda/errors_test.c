/* errors_test.c: what an answer means: WebDriver's errors as codes with the outcome of an effect. */
#include "driver/wda/impl.h"

#include "test.h"

static enum ia_rc read_answer(enum ia_wda_client_kind kind, int status, const char *body,
                              struct ia_err *err)
{
    struct ia_wda_client w = {.link = NULL};
    json_t *value = NULL;
    enum ia_rc rc = ia_wda_client_read(&w, kind, status, ia_str(body), &value, err);
    assert_true((rc == IA_OK) == (value != NULL));
    json_decref(value);
    return rc;
}

static void an_error_is_a_code_with_an_outcome(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *error, *message;
        enum ia_wda_client_kind kind;
        enum ia_rc rc;
        enum ia_outcome outcome; /* of an effect */
    } rows[] = {
        {404, "invalid session id", "Session does not exist", IA_WDA_ASK_TAP, IA_E_DEVICE_LOST,
         IA_OUTCOME_NOT_SENT},
        {404, "invalid session id", "A session is either terminated or not started",
         IA_WDA_ASK_TAP, IA_E_DEVICE_LOST, IA_OUTCOME_NOT_SENT},
        {404, "invalid session id",
         "Session A was deleted while this request was still pending", IA_WDA_ASK_TAP,
         IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN},
        {404, "no such alert", "An attempt was made", IA_WDA_ASK_ACCEPT, IA_E_NO_ALERT,
         IA_OUTCOME_NOT_SENT},
        {404, "stale element reference", "kAXErrorIllegalArgument", IA_WDA_ASK_TAP, IA_E_DEVICE,
         IA_OUTCOME_NOT_SENT},
        {400, "invalid element state",
         "The application under test with bundle id 'X' is not running, possibly crashed",
         IA_WDA_ASK_TAP, IA_E_APP_GONE, IA_OUTCOME_NOT_SENT},
        {400, "invalid element state", "Failed to find button with label 'X' for alert: Y",
         IA_WDA_ASK_ACCEPT, IA_E_NOT_FOUND, IA_OUTCOME_NOT_SENT},
        {400, "invalid element state", "Cannot type", IA_WDA_ASK_KEYS, IA_E_DEVICE,
         IA_OUTCOME_UNKNOWN},
        {500, "unknown error",
         "The button 'volumeUp' is unknown. Only the following button names are supported: "
         "home",
         IA_WDA_ASK_PRESS, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT},
        {400, "invalid argument", "x", IA_WDA_ASK_TAP, IA_E_USAGE, IA_OUTCOME_NOT_SENT},
        {400, "invalid selector", "x", IA_WDA_ASK_TAP, IA_E_USAGE, IA_OUTCOME_NOT_SENT},
        {400, "element not visible", "x", IA_WDA_ASK_TAP, IA_E_USAGE, IA_OUTCOME_NOT_SENT},
        {404, "unknown command", "x", IA_WDA_ASK_PRESS, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT},
        {405, "unknown method", "x", IA_WDA_ASK_PRESS, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT},
        {500, "unsupported operation", "x", IA_WDA_ASK_PRESS, IA_E_UNSUPPORTED,
         IA_OUTCOME_NOT_SENT},
        {500, "session not created", "Cannot launch app with bundle 'x'", IA_WDA_ASK_BEGIN,
         IA_E_NO_APP, IA_OUTCOME_NOT_SENT},
        {500, "session not created", "xcodebuild failed with code 65", IA_WDA_ASK_BEGIN,
         IA_E_NO_DEVICE, IA_OUTCOME_NOT_SENT},
        {408, "timeout", "x", IA_WDA_ASK_URL, IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN},
        {500, "timeout", "x", IA_WDA_ASK_URL, IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN},
        {500, "unknown error", "Unable To Rotate Device", IA_WDA_ASK_ORIENTATION,
         IA_E_UNSUPPORTED, IA_OUTCOME_SENT},
        {500, "unknown error", "Failed to launch", IA_WDA_ASK_ACTIVATE, IA_E_NO_APP,
         IA_OUTCOME_UNKNOWN},
        {500, "unknown error",
         "An unknown server-side error occurred while processing the command. Original error: "
         "Could not proxy command to the remote server. Original error: connect ECONNREFUSED "
         "127.0.0.1:8100",
         IA_WDA_ASK_TAP, IA_E_DEVICE_LOST, IA_OUTCOME_NOT_SENT},
        {500, "unknown error",
         "Could not proxy command to the remote server. Original error: socket hang up",
         IA_WDA_ASK_TAP, IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN},
        {500, "unknown error", "x", IA_WDA_ASK_TAP, IA_E_DEVICE, IA_OUTCOME_UNKNOWN},
        {500, "something new", "x", IA_WDA_ASK_TAP, IA_E_DEVICE, IA_OUTCOME_UNKNOWN},
        {200, "unknown error", "an old WebDriverAgent says 200", IA_WDA_ASK_TAP, IA_E_DEVICE,
         IA_OUTCOME_UNKNOWN},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        char body[800];
        (void)snprintf(body, sizeof(body),
                       "{\"value\":{\"error\":\"%s\",\"message\":\"%s\",\"traceback\":\"\"},"
                       "\"sessionId\":null}",
                       rows[i].error, rows[i].message);
        assert_int_equal(read_answer(rows[i].kind, rows[i].status, body, &err), rows[i].rc);
        assert_int_equal(err.outcome, rows[i].outcome);
        assert_int_equal(err.retry_safe, rows[i].outcome == IA_OUTCOME_NOT_SENT);
        assert_non_null(strstr(err.msg, rows[i].error));
        assert_int_equal(read_answer(IA_WDA_ASK_SOURCE, rows[i].status, body, &err),
                         rows[i].kind == IA_WDA_ASK_ACTIVATE ? IA_E_DEVICE : rows[i].rc);
        assert_int_equal(err.outcome, IA_OUTCOME_NONE); /* a reading has none */
    }
}

static void what_is_no_webdriver_answer_is_told_with_its_status(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
        enum ia_rc rc;
        enum ia_outcome outcome;
    } rows[] = {
        {200, "", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {200, "<html>hello</html>", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {200, "{\"sessionId\":null}", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {200, "[]", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {200, "{\"value\":nul", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {200, "{\"value\":1}x", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {201, "", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {201, "{\"value\":1}", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {202, "{\"value\":1}", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {204, "", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {206, "{\"value\":1}", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {302, "", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {404, "not found", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {500, "{\"value\":null}", IA_E_PROTO, IA_OUTCOME_UNKNOWN},
        {401, "<html>login</html>", IA_E_AUTH, IA_OUTCOME_NOT_SENT},
        {401, "{\"value\":{\"error\":\"invalid argument\",\"message\":\"needs a token\"}}",
         IA_E_AUTH, IA_OUTCOME_NOT_SENT},
        {403, "", IA_E_AUTH, IA_OUTCOME_NOT_SENT},
        {407, "", IA_E_AUTH, IA_OUTCOME_NOT_SENT},
        {502, "bad gateway", IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN},
        {503, "", IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN},
        {504, "{}", IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        char status[8];
        (void)snprintf(status, sizeof(status), "%d", rows[i].status);
        assert_int_equal(read_answer(IA_WDA_ASK_TAP, rows[i].status, rows[i].body, &err),
                         rows[i].rc);
        assert_int_equal(err.outcome, rows[i].outcome);
        assert_non_null(strstr(err.msg, status));
        assert_true(err.hint[0] != '\0');
    }
}

/* jansson goes down a level of its stack for each of the document's. */
static void a_document_that_is_too_deep_is_no_answer(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(1 << 20);
    struct ia_err err = {0};
    ia_buf_puts(&b, "{\"value\":");
    for (int i = 0; i < 100000; i++) {
        ia_buf_putc(&b, '[');
    }
    assert_int_equal(read_answer(IA_WDA_ASK_TAP, 200, ia_buf_cstr(&b), &err), IA_E_PROTO);
    ia_buf_fini(&b);
}

/* Messages come from apps, too: a terminal must not obey them. */
static void a_message_is_made_harmless_and_short(void **state)
{
    (void)state;
    struct ia_err err = {0};
    struct ia_buf b = IA_BUF(1 << 20);
    ia_buf_puts(&b, "{\"value\":{\"error\":\"unknown error\",\"message\":\"\\u001b[31mred\\n");
    for (int i = 0; i < 5000; i++) {
        ia_buf_puts(&b, "long ");
    }
    ia_buf_puts(&b, "\"}}");
    assert_int_equal(read_answer(IA_WDA_ASK_TAP, 500, ia_buf_cstr(&b), &err), IA_E_DEVICE);
    assert_null(strpbrk(err.msg, "\x1b\n"));
    assert_true(strlen(err.msg) < 600);
    ia_buf_fini(&b);
}

static void an_id_is_letters_digits_and_few_signs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
    } rows[] = {{"68E8FD6F-30E7-44BF-8F58-F8922B6EB0AE", true},
                {"abc_1.2:3", true},
                {"a..b", true},
                {"", false},
                {".", false},
                {"..", false},
                {"a/b", false},
                {"a b", false},
                {"ä", false},
                {"a\n", false}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char id[IA_WDA_ID_MAX + 1] = "before";
        assert_int_equal(ia_wda_client_id(ia_str(rows[i].text), id), rows[i].ok);
        assert_string_equal(id, rows[i].ok ? rows[i].text : "before");
    }
    char text[IA_WDA_ID_MAX + 2], id[IA_WDA_ID_MAX + 1];
    memset(text, 'a', sizeof(text));
    assert_true(ia_wda_client_id((struct ia_str){text, IA_WDA_ID_MAX}, id));
    assert_false(ia_wda_client_id((struct ia_str){text, IA_WDA_ID_MAX + 1}, id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_a_code_with_an_outcome),
        cmocka_unit_test(what_is_no_webdriver_answer_is_told_with_its_status),
        cmocka_unit_test(a_document_that_is_too_deep_is_no_answer),
        cmocka_unit_test(a_message_is_made_harmless_and_short),
        cmocka_unit_test(an_id_is_letters_digits_and_few_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
