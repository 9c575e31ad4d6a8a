#include "test.h"

#include "base/columns.h"
#include "base/complaint.h"
#include "cli/cmd/cmd.h"

#include <jansson.h>

static json_t *envelope(const struct ia_cli *c, enum ia_rc rc, const struct ia_err *err)
{
    struct ia_buf out = IA_BUF(100000);
    ia_cli_envelope(c, rc, err, &out);
    assert_true(ia_buf_ok(&out));
    assert_non_null(out.p);
    assert_int_equal(out.p[out.len - 1], '\n');
    assert_null(memchr(out.p, '\n', out.len - 1));
    json_t *j = json_loadb(out.p, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(j);
    ia_buf_fini(&out);
    return j;
}

static void success_is_one_envelope_with_text_and_result(void **state)
{
    (void)state;
    struct ia_cli c = {.text = IA_BUF(100), .result = IA_BUF(100)};
    ia_buf_puts(&c.text, "line\n\x1b");
    ia_buf_puts(&c.result, "{\"a\":1}");
    json_t *j = envelope(&c, IA_OK, NULL);
    assert_string_equal(json_string_value(json_object_get(j, "status")), "ok");
    assert_string_equal(json_string_value(json_object_get(j, "stdout")), "line\n\x1b");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "result"), "a")), 1);
    assert_true(json_is_null(json_object_get(j, "error")));
    assert_int_equal(json_object_size(j), 4);
    json_decref(j);
    ia_buf_fini(&c.text);
    ia_buf_fini(&c.result);
}

static void failure_carries_code_hint_outcome_and_retry(void **state)
{
    (void)state;
    struct ia_cli c = {.text = IA_BUF(100), .result = IA_BUF(100)};
    struct ia_err err;
    ia_err_set(&err, IA_E_DEVICE_LOST, "the phone \"x\" went away");
    ia_err_hint(&err, "plug it in");
    err.outcome = IA_OUTCOME_UNKNOWN;
    err.retry_safe = true;
    json_t *j = envelope(&c, IA_E_DEVICE_LOST, &err);
    json_t *e = json_object_get(j, "error");
    assert_string_equal(json_string_value(json_object_get(j, "status")), "error");
    assert_true(json_is_null(json_object_get(j, "result")));
    assert_string_equal(json_string_value(json_object_get(e, "code")), "DEVICE_LOST");
    assert_string_equal(json_string_value(json_object_get(e, "message")),
                        "the phone \"x\" went away");
    assert_string_equal(json_string_value(json_object_get(e, "hint")), "plug it in");
    assert_string_equal(json_string_value(json_object_get(e, "outcome")), "unknown");
    assert_true(json_is_true(json_object_get(e, "retry_safe")));
    json_decref(j);
}

static void a_complaint_is_indented_and_harmless(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_buf out = IA_BUF(1000);
    ia_err_set(&err, IA_E_PARSE, "bad expectation\nvisible \x1b[31m\n        ^");
    ia_err_hint(&err, "quote it");
    ia_complaint(&err, &out);
    assert_string_equal(ia_buf_cstr(&out), "ios-agent: bad expectation\n  visible ␛[31m\n"
                                           "          ^\n  hint: quote it\n");
    ia_buf_fini(&out);
}

static void commands_are_found_by_their_longest_name(void **state)
{
    (void)state;
    static char help[] = "help";
    static char version[] = "version";
    static char wrong[] = "versoin";
    char *argv[] = {help, version, wrong};
    const struct ia_command *cmd = NULL;
    int words = 0;
    struct ia_err err;
    assert_int_equal(ia_command_find(ia_commands, 3, argv, &cmd, &words, &err), IA_OK);
    assert_string_equal(cmd->name, "help");
    assert_int_equal(words, 1);
    assert_int_equal(ia_command_find(ia_commands, 1, argv + 2, &cmd, &words, &err), IA_E_USAGE);
    assert_non_null(strstr(err.hint, "ios-agent version"));
}

/* Splits at blanks; at most 4 words. */
static int words_of(char *line, char *argv[4])
{
    int n = 0;
    for (char *save = NULL, *w = strtok_r(line, " ", &save); w && n < 4;
         w = strtok_r(NULL, " ", &save)) {
        argv[n++] = w;
    }
    return n;
}

static void an_unknown_command_leads_to_what_was_meant(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"key", "ios-agent key set, status or remove"},
        {"bridge", "ios-agent bridge build, start, stop, status or logs"},
        {"embedded", "ios-agent embedded state, log, bugs or serve"},
        {"schedule", "ios-agent schedule add, list, show, edit, pause, resume, run-now, "
                     "history, remove or tick"},
        {"schedul list", "did you mean ios-agent schedule list?"},
        {"schedule lsit", "did you mean ios-agent schedule list?"},
        {"key sett", "did you mean ios-agent key set?"},
        {"click", "ios-agent tap REF taps an element"},
        {"scroll", "ios-agent swipe up, or ios-agent scroll-to TEXT"},
        {"xyzzy", "ios-agent help lists the commands"},
        {"", "ios-agent help lists the commands"},
        {"p t", "did you mean ios-agent get?"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char line[100];
        char empty[] = "";
        char *argv[4] = {empty};
        const struct ia_command *cmd = NULL;
        int words = 0;
        struct ia_err err = {.code = IA_OK};
        (void)snprintf(line, sizeof(line), "%s", rows[i][0]);
        int n = words_of(line, argv);
        assert_int_equal(ia_command_find(ia_commands, n > 0 ? n : 1, argv, &cmd, &words, &err),
                         IA_E_USAGE);
        if (!strstr(err.hint, rows[i][1])) {
            fail_msg("%s: %s; hint: %s", rows[i][0], err.msg, err.hint);
        }
    }
}

static void operands_too_many_lead_to_quotes_or_to_a_command(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"run open Settings", "quote it: ios-agent run \"open Settings\""},
        {"run open $HOME", "quote it: ios-agent run \"…\""},
        {"say 1234 use it", "quote it: ios-agent say … \"use it\""},
        {"type 12 good morning", "quote it: ios-agent type … \"good morning\""},
        {"scroll-to Privacy & Security",
         "quote it: ios-agent scroll-to \"Privacy & Security\""},
        {"show 1 2", "usage: ios-agent show [OPTION]... ID"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char line[100];
        char *argv[4];
        const struct ia_command *cmd = NULL;
        struct ia_args args;
        int words = 0;
        struct ia_err err = {.code = IA_OK};
        (void)snprintf(line, sizeof(line), "%s", rows[i][0]);
        int n = words_of(line, argv);
        assert_int_equal(ia_command_find(ia_commands, n, argv, &cmd, &words, &err), IA_OK);
        assert_int_equal(ia_args_parse(&args, cmd->opts, n - words, argv + words, &err), IA_OK);
        assert_int_equal(ia_command_check(ia_commands, cmd, &args, &err), IA_E_USAGE);
        if (!strstr(err.hint, rows[i][1])) {
            fail_msg("%s: %s; hint: %s", rows[i][0], err.msg, err.hint);
        }
    }
}

static void every_command_has_help_that_names_its_options(void **state)
{
    (void)state;
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        struct ia_buf out = IA_BUF(100000);
        ia_help_command(cmd, &out);
        assert_true(ia_buf_ok(&out));
        assert_true(cmd->summary[0] != '\0');
        for (const struct ia_opt *o = cmd->opts; o->name; o++) {
            char dashed[64];
            snprintf(dashed, sizeof(dashed), "--%s", o->name);
            assert_non_null(strstr(ia_buf_cstr(&out), dashed));
            assert_non_null(o->help);
            assert_true(o->kind == IA_OPT_FLAG || o->value);
            assert_true(o->kind != IA_OPT_INT || o->max > o->min);
        }
        for (const char *p = ia_buf_cstr(&out); *p;) {
            size_t n = strcspn(p, "\n");
            size_t wide = ia_columns((struct ia_str){p, n});
            if (wide > 80) {
                fail_msg("%s: a help line of %zu columns: %.*s", cmd->name, wide, (int)n, p);
            }
            p += n + (p[n] == '\n');
        }
        ia_buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_one_envelope_with_text_and_result),
        cmocka_unit_test(failure_carries_code_hint_outcome_and_retry),
        cmocka_unit_test(a_complaint_is_indented_and_harmless),
        cmocka_unit_test(commands_are_found_by_their_longest_name),
        cmocka_unit_test(an_unknown_command_leads_to_what_was_meant),
        cmocka_unit_test(operands_too_many_lead_to_quotes_or_to_a_command),
        cmocka_unit_test(every_command_has_help_that_names_its_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
