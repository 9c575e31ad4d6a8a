/* Every failure of simctl that was ever seen has its code and its hint. */
#include "source_dir.h"
#include "test.h"

#include "base/fd.h"
#include "driver/simctl/errors.h"

#include <jansson.h>

enum { STATUS_UNKNOWN = 1 }; /* for rows whose exit status nobody noted */

/* What each row of errors.jsonl must come to, by its "cmd". */
static const struct expected {
    const char *cmd;
    enum ia_rc rc;
    enum ia_simctl_cause cause;
    const char *in_msg, *in_hint;
} expected[] = {
    {"boot|bootstatus -b <booted>", IA_E_STATE, IA_SIMCTL_ALREADY_BOOTED, "state: Booted",
     "it is already booted"},
    {"boot <booted> (Xcode<=11)", IA_E_STATE, IA_SIMCTL_ALREADY_BOOTED, "state: Booted",
     "it is already booted"},
    {"bootstatus <booted> -b (race)", IA_E_STATE, IA_SIMCTL_ALREADY_BOOTED, "state: Booted",
     "it is already booted"},
    {"shutdown <shutdown>", IA_E_STATE, IA_SIMCTL_ALREADY_SHUT_DOWN, "state: Shutdown",
     "it is already shut down"},
    {"erase <booted>", IA_E_STATE, IA_SIMCTL_NOT_SHUT_DOWN, "erase contents", "reset-sim"},
    {"install|launch|get_app_container <shutdown>", IA_E_STATE, IA_SIMCTL_NOT_BOOTED,
     "state: Shutdown", "ios-agent boot"},
    {"<any> <bad udid>", IA_E_NO_DEVICE, IA_SIMCTL_NO_DEVICE, "Invalid device: 00000000",
     "ios-agent devices"},
    {"boot <bad udid> (device or pair)", IA_E_NO_DEVICE, IA_SIMCTL_NO_DEVICE, "device pair",
     "ios-agent devices"},
    {"<any> booted, none booted", IA_E_NO_DEVICE, IA_SIMCTL_NONE_BOOTED, "No devices",
     "ios-agent boot"},
    {"launch <udid> <not installed>", IA_E_NO_APP, IA_SIMCTL_NOT_INSTALLED, "com.example.nope",
     "ios-agent install"},
    {"launch|openurl denied", IA_E_DEVICE, IA_SIMCTL_DENIED, "host.exp.Exponent",
     "install it again"},
    {"terminate <udid> <not running>", IA_E_STATE, IA_SIMCTL_NOT_RUNNING, "com.test.myapp",
     "is not running"},
    {"terminate <udid> <not running> (Xcode 14)", IA_E_STATE, IA_SIMCTL_NOT_RUNNING,
     "nothing to terminate", "is not running"},
    {"install <udid> <missing path>", IA_E_NOT_FOUND, IA_SIMCTL_NO_FILE, "install", ".app"},
    {"install <udid> <missing path> (Xcode 9-11)", IA_E_NOT_FOUND, IA_SIMCTL_NO_FILE,
     "requested application", ".app"},
    {"install <udid> <wrong platform/min OS>", IA_E_UNSUPPORTED, IA_SIMCTL_WRONG_PLATFORM,
     "updated by the developer", "iphonesimulator"},
    {"openurl <udid> <no handler> (new)", IA_E_NO_APP, IA_SIMCTL_NO_HANDLER, "zzzz://nothing",
     "CFBundleURLTypes"},
    {"openurl <udid> <no handler> (old)", IA_E_NO_APP, IA_SIMCTL_NO_HANDLER, "-10814",
     "CFBundleURLTypes"},
    {"boot (launchd_sim dead)", IA_E_DEVICE_LOST, IA_SIMCTL_SERVICE_DEAD, "Unable to boot",
     "shutdown all"},
    {"boot (runtime missing)", IA_E_MISSING, IA_SIMCTL_RUNTIME_MISSING, "runtime bundle",
     "downloadPlatform"},
    {"boot (runtime unavailable)", IA_E_MISSING, IA_SIMCTL_RUNTIME_MISSING, "iOS 12.0",
     "downloadPlatform"},
    {"create <name> <bad type>", IA_E_NOT_FOUND, IA_SIMCTL_BAD_TYPE, "device type: X",
     "list devicetypes"},
    {"create <name> <type> <bad runtime>", IA_E_NOT_FOUND, IA_SIMCTL_BAD_RUNTIME, "runtime: X",
     "list runtimes"},
    {"create (type/runtime mismatch)", IA_E_UNSUPPORTED, IA_SIMCTL_MISMATCH, "Incompatible",
     "another pair"},
    {"privacy grant <bad service>", IA_E_UNSUPPORTED, IA_SIMCTL_BAD_SERVICE, "not permitted",
     "microphone"},
    {"status_bar override <bad value>", IA_E_USAGE, IA_SIMCTL_BAD_VALUE, "Invalid argument",
     "simctl help"},
    {"<unknown subcommand>", IA_E_UNSUPPORTED, IA_SIMCTL_BAD_COMMAND, "nosuchsub",
     "update Xcode"},
    {"xcrun without Xcode", IA_E_MISSING, IA_SIMCTL_NO_XCODE, "DEVELOPER_DIR", "unset it"},
    {"xcrun CLT only", IA_E_MISSING, IA_SIMCTL_NO_SIMCTL, "unable to find utility",
     "install Xcode"},
    {"io <shutdown> screenshot", IA_E_STATE, IA_SIMCTL_NO_SCREEN, "screen surfaces",
     "ios-agent boot"},
};

static const struct expected *find(const char *cmd)
{
    for (size_t i = 0; i < IA_COUNTOF(expected); i++) {
        if (strcmp(expected[i].cmd, cmd) == 0) {
            return &expected[i];
        }
    }
    fail_msg("errors.jsonl has a row that nothing is expected of: %s", cmd);
    return NULL;
}

static void check_row(json_t *row)
{
    const char *cmd = json_string_value(json_object_get(row, "cmd"));
    const json_t *status = json_object_get(row, "exit");
    const struct expected *want = find(cmd);
    char verb[32];
    (void)snprintf(verb, sizeof(verb), "%.*s", (int)strcspn(cmd, " |"), cmd);
    struct ia_simctl_end end = {
        .verb = verb,
        .exit_status =
            json_is_integer(status) ? (int)json_integer_value(status) : STATUS_UNKNOWN,
        .err = ia_str(json_string_value(json_object_get(row, "stderr")))};
    enum ia_simctl_cause cause = IA_SIMCTL_OTHER;
    struct ia_err err = {0};
    enum ia_rc rc = ia_simctl_explain(&end, &cause, &err);
    if (rc != want->rc || cause != want->cause || !strstr(err.msg, want->in_msg) ||
        !strstr(err.hint, want->in_hint)) {
        fail_msg("%s: %s (cause %d): %s / %s", cmd, ia_rc_name(rc), (int)cause, err.msg,
                 err.hint);
    }
    assert_null(strstr(err.msg, "An error was encountered"));
    assert_null(strstr(err.hint, "doctor")); /* the hint of unknown failures */
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
}

static void each_recorded_failure_has_its_code_and_hint(void **state)
{
    (void)state;
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_err err = {0};
    size_t rows = 0;
    assert_int_equal(ia_file_read(IA_TEST_DATA "/simctl/errors.jsonl", &text, &err), IA_OK);
    const char *p = ia_buf_cstr(&text);
    for (const char *end = strchr(p, '\n'); end; p = end + 1, end = strchr(p, '\n')) {
        json_error_t why;
        json_t *row = json_loadb(p, (size_t)(end - p), 0, &why);
        assert_non_null(row);
        check_row(row);
        json_decref(row);
        rows++;
    }
    assert_int_equal(rows, IA_COUNTOF(expected));
    ia_buf_fini(&text);
}

static enum ia_rc explain(int status, int signo, const char *out, const char *text,
                          enum ia_simctl_cause *cause, struct ia_err *err)
{
    struct ia_simctl_end end = {"boot", status, signo, ia_str(out), ia_str(text)};
    return ia_simctl_explain(&end, cause, err);
}

static void a_text_with_another_code_is_another_failure(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *text;
    } cases[] = {
        {149, "An error was encountered processing the command "
              "(domain=com.apple.CoreSimulator.SimError, code=999):\n"
              "Unable to boot device in current state: Booted\n"},
        {5, "found nothing to terminate\n"},
        {22, "An error was encountered processing the command (domain=NSPOSIXErrorDomain, "
             "code=5):\nInvalid argument\n"},
        {149, "Something else\n"}, /* and a known status alone says nothing */
        {4, "Something else\n"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        enum ia_simctl_cause cause = IA_SIMCTL_DENIED;
        struct ia_err err = {0};
        assert_int_equal(explain(cases[i].status, 0, "", cases[i].text, &cause, &err),
                         IA_E_DEVICE);
        assert_int_equal(cause, IA_SIMCTL_OTHER);
        assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
        assert_false(err.retry_safe);
    }
}

static void other_states_are_distinct(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum ia_simctl_cause cause;
    } cases[] = {
        {"Unable to boot device in current state: Shutting Down", IA_SIMCTL_WRONG_STATE},
        {"Unable to boot device in current state: Creating", IA_SIMCTL_WRONG_STATE},
        {"Unable to erase contents and settings in current state: Booting",
         IA_SIMCTL_NOT_SHUT_DOWN},
        {"Unable to clone device in current state: Booted", IA_SIMCTL_NOT_SHUT_DOWN},
        {"Unable to openurl in current state: Shutdown", IA_SIMCTL_NOT_BOOTED},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf text = IA_BUF(4096);
        enum ia_simctl_cause cause = IA_SIMCTL_OTHER;
        struct ia_err err = {0};
        ia_buf_printf(&text,
                      "An error was encountered processing the command "
                      "(domain=com.apple.CoreSimulator.SimError, code=405):\n%s\n",
                      cases[i].line);
        assert_int_equal(explain(149, 0, "", ia_buf_cstr(&text), &cause, &err), IA_E_STATE);
        assert_int_equal(cause, cases[i].cause);
        ia_buf_fini(&text);
    }
}

static void an_unknown_failure_is_reported_by_its_first_meaningful_line(void **state)
{
    (void)state;
    static const struct {
        int status, signo;
        const char *out, *err, *in_msg;
    } cases[] = {
        {61, 0, "",
         "An error was encountered processing the command (domain=X, code=61):\n"
         "\tThe moon is full.\nmore\n",
         "simctl boot: The moon is full. (status 61)"},
        {2, 0, "", "\n\nOnly this\r\n", "Only this (status 2)"},
        {3, 0, "usage: simctl boot <device>\n", "", "usage: simctl boot"},
        {9, 0, "", "", "it printed nothing (status 9)"},
        {7, 0, "", "An error was encountered processing the command (domain=X, code=7):\n",
         "An error was encountered processing the command (domain=X, code=7)"},
        {-1, 9, "", "half a li", "killed by signal 9: half a li"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_err err = {0};
        assert_int_equal(
            explain(cases[i].status, cases[i].signo, cases[i].out, cases[i].err, NULL, &err),
            IA_E_DEVICE);
        if (!strstr(err.msg, cases[i].in_msg)) {
            fail_msg("%s", err.msg);
        }
        assert_null(strstr(err.msg, "unknown error"));
        assert_true(err.hint[0] != '\0');
    }
}

static void xcodes_own_failures_have_their_hints(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *err, *in_hint;
    } cases[] = {
        {69,
         "Agreeing to the Xcode/iOS license requires admin privileges, please run \"sudo "
         "xcodebuild -license\" and then retry this command.\n",
         "-license accept"},
        {1, "Error: You have not agreed to the Xcode license.\n", "-license accept"},
        {1,
         "xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools), "
         "missing xcrun at: /Library/Developer/CommandLineTools/usr/bin/xcrun\n",
         "xcode-select -s"},
        {1, "xcode-select: note: No developer tools were found, requesting install.\n",
         "xcode-select -s"},
        {1,
         "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer "
         "directory '/Library/Developer/CommandLineTools' is a command line tools instance\n",
         "xcode-select -s"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_err err = {0};
        assert_int_equal(explain(cases[i].status, 0, "", cases[i].err, NULL, &err),
                         IA_E_MISSING);
        assert_non_null(strstr(err.hint, cases[i].in_hint));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_recorded_failure_has_its_code_and_hint),
        cmocka_unit_test(a_text_with_another_code_is_another_failure),
        cmocka_unit_test(other_states_are_distinct),
        cmocka_unit_test(an_unknown_failure_is_reported_by_its_first_meaningful_line),
        cmocka_unit_test(xcodes_own_failures_have_their_hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
