/* Service files: paths with blanks, quotes and specifiers arrive as they are. */
#include "cli/sys/service.h"

#include "test.h"

#include <string.h>

static struct ia_service awkward(enum ia_service_kind kind)
{
    return (struct ia_service){.kind = kind,
                               .name = "ios-agent",
                               .program = "/opt/a b/$x%h\"<&\\/ios-agent",
                               .home = "/home/100% \"mine\"",
                               .log = "/home/log",
                               .env = {{"PATH", "/bin:/a b%c"}},
                               .env_count = 1};
}

static void has_line(const struct ia_buf *b, const char *line)
{
    if (!strstr(ia_buf_cstr(b), line)) {
        fail_msg("no line %s in\n%s", line, ia_buf_cstr(b));
    }
}

static void a_unit_quotes_words_and_doubles_specifiers(void **state)
{
    (void)state;
    struct ia_service s = awkward(IA_SERVICE_SYSTEMD);
    struct ia_buf b = IA_BUF(IA_SERVICE_BYTES_MAX);
    assert_int_equal(ia_service_text(&s, &b, NULL), IA_OK);
    has_line(&b, "\nExecStart=\"/opt/a b/$$x%%h\\\"<&\\\\/ios-agent\" daemon\n");
    has_line(&b, "\nEnvironment=\"IOS_AGENT_HOME=/home/100%% \\\"mine\\\"\"\n");
    has_line(&b, "\nEnvironment=\"PATH=/bin:/a b%%c\"\n");
    has_line(&b, "\nWorkingDirectory=/home/100%% \"mine\"\n");
    has_line(&b, "\nWantedBy=default.target\n");
    ia_buf_fini(&b);
}

static void a_plist_escapes_what_xml_reserves(void **state)
{
    (void)state;
    struct ia_service s = awkward(IA_SERVICE_LAUNCHD);
    struct ia_buf b = IA_BUF(IA_SERVICE_BYTES_MAX);
    assert_int_equal(ia_service_text(&s, &b, NULL), IA_OK);
    has_line(&b, "<string>/opt/a b/$x%h&quot;&lt;&amp;\\/ios-agent</string>");
    has_line(&b, "<key>IOS_AGENT_HOME</key>\n\t\t<string>/home/100% &quot;mine&quot;</string>");
    ia_buf_fini(&b);
}

static void a_line_break_in_a_path_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"/a\nExecStartPre=x", "/a\x7f", "/a\xff", "/a\tb"};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        for (int which = 0; which < 3; which++) {
            struct ia_service s = awkward(i % 2 ? IA_SERVICE_LAUNCHD : IA_SERVICE_SYSTEMD);
            struct ia_buf b = IA_BUF(IA_SERVICE_BYTES_MAX);
            struct ia_err err;
            s.home = which == 0 ? bad[i] : s.home;
            s.program = which == 1 ? bad[i] : s.program;
            s.env[0].value = which == 2 ? bad[i] : s.env[0].value;
            assert_int_equal(ia_service_text(&s, &b, &err), IA_E_USAGE);
            assert_int_equal(b.len, 0);
            ia_buf_fini(&b);
        }
    }
}

static void another_home_gets_another_name(void **state)
{
    (void)state;
    char plain[IA_SERVICE_NAME_MAX], a[IA_SERVICE_NAME_MAX], b[IA_SERVICE_NAME_MAX];
    ia_service_name(NULL, plain);
    ia_service_name("/a", a);
    ia_service_name("/b", b);
    assert_string_equal(plain, "ios-agent");
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), strlen("ios-agent-12345678"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_quotes_words_and_doubles_specifiers),
        cmocka_unit_test(a_plist_escapes_what_xml_reserves),
        cmocka_unit_test(a_line_break_in_a_path_is_refused),
        cmocka_unit_test(another_home_gets_another_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
