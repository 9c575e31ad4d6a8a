#include "cli/command/shell_words.h"

#include "base/buf.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/docs/docs.h"
#include "source_dir.h"

#include <ctype.h>

/* The command of a line that begins with "ios-agent"; fails the test where it would be refused. `bare`:
 * the name of the command alone will do. */
static const struct ia_command *parse(const char *line, bool bare)
{
    static struct ia_args args;
    struct shell_words w;
    struct ia_err err = {.code = IA_OK};
    const struct ia_command *cmd = NULL;
    int used = 0;
    shell_split(&w, line);
    assert_true(w.count > 1);
    assert_string_equal(w.word[0], "ios-agent");
    enum ia_rc rc = ia_command_find(ia_commands, w.count - 1, w.word + 1, &cmd, &used, &err);
    if (rc == IA_OK) {
        rc = ia_args_parse(&args, cmd->opts, w.count - 1 - used, w.word + 1 + used, &err);
    }
    if (rc == IA_OK && bare && w.count - 1 == used) {
        return cmd;
    }
    if (rc == IA_OK) {
        rc = ia_args_check(&args, &err);
    }
    if (rc == IA_OK) {
        rc = ia_command_check(ia_commands, cmd, &args, &err);
    }
    if (rc != IA_OK) {
        fail_msg("%s\n%s; hint: %s", line, err.msg, err.hint);
    }
    return cmd;
}

static void every_command_has_examples_that_it_accepts(void **state)
{
    (void)state;
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        if (!cmd->examples || cmd->examples[0] == '\0') {
            fail_msg("%s has no example", cmd->name);
        }
        char lines[2048];
        assert_true(snprintf(lines, sizeof(lines), "%s", cmd->examples) < (int)sizeof(lines));
        assert_int_equal(lines[strlen(lines) - 1], '\n');
        for (char *save = NULL, *line = strtok_r(lines, "\n", &save); line;
             line = strtok_r(NULL, "\n", &save)) {
            const struct ia_command *parsed = parse(line, false);
            if (parsed != cmd) {
                fail_msg("\"%s\" is not an example of %s", line, cmd->name);
            }
        }
    }
}

static void help_shows_the_examples_at_its_end(void **state)
{
    (void)state;
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        struct ia_buf help = IA_BUF(100000), tail = IA_BUF(4096);
        ia_help_command(cmd, &help);
        ia_buf_puts(&tail, "\nExamples:\n  ");
        for (const char *c = cmd->examples; *c != '\0'; c++) {
            ia_buf_putc(&tail, *c);
            if (*c == '\n' && c[1] != '\0') {
                ia_buf_puts(&tail, "  ");
            }
        }
        assert_true(ia_buf_ok(&help) && ia_buf_ok(&tail) && help.len > tail.len);
        assert_string_equal(ia_buf_cstr(&help) + help.len - tail.len, ia_buf_cstr(&tail));
        ia_buf_fini(&help);
        ia_buf_fini(&tail);
    }
}

/* ---- texts -------------------------------------------------------------------------------- */

static int check_command(const char *name, const char *p, size_t n, bool bare)
{
    char *command = ia_strndup(p, n);
    bool real = islower((unsigned char)command[strlen("ios-agent ")]);
    if (real) { /* "ios-agent COMMAND --help" is the text's own */
        print_message("%s: %s\n", name, command);
        (void)parse(command, bare);
    }
    free(command);
    return real;
}

/* Length of a command of a code block with the lines that it goes on in. */
static size_t command_len(const char *p)
{
    size_t n = strcspn(p, "\n");
    while (n > 0 && p[n - 1] == '\\' && p[n] == '\n') {
        n += 1 + strcspn(p + n + 1, "\n");
    }
    return n;
}

/* Parses every command that a Markdown text names: a line of a code block, or between backticks. */
static int check_commands(const char *name, const char *text)
{
    static const char program[] = "ios-agent ";
    bool block = false;
    int count = 0;
    for (const char *p = text; *p != '\0'; p++) {
        bool start = p == text || p[-1] == '\n';
        block = start && strncmp(p, "```", 3) == 0 ? !block : block;
        if (strncmp(p, program, strlen(program)) != 0) {
            continue;
        }
        if (block && start) {
            count += check_command(name, p, command_len(p), false);
        } else if (!block && p > text && p[-1] == '`') {
            count += check_command(name, p, strcspn(p, "`"), true);
        }
    }
    return count;
}

/* Every name between backticks that looks like a code is one. */
static void check_codes(const char *name, const char *text)
{
    for (const char *p = strchr(text, '`'); p; p = strchr(p + 1, '`')) {
        size_t n = strspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (n < 4 || p[1 + n] != '`' || strncmp(p + 1, "IOS_AGENT_", 10) == 0) {
            continue;
        }
        char *code = ia_strndup(p + 1, n);
        if (ia_rc_from_name(code) == IA_RC_COUNT) {
            fail_msg("%s: there is no code %s", name, code);
        }
        free(code);
    }
}

static void texts_for_agents_name_only_what_there_is(void **state)
{
    (void)state;
    int count = 0;
    for (const struct ia_embedded *t = ia_docs_topics; t->name; t++) {
        count += check_commands(t->name, t->data);
        check_codes(t->name, t->data);
    }
    count += check_commands(ia_docs_stub->name, ia_docs_stub->data);
    assert_true(count > 60);
}

static void documents_name_only_commands_that_there_are(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "README.md",         "docs/getting-started.md", "docs/devices.md",  "docs/goals.md",
        "docs/schedules.md", "docs/sweeps-in-ci.md",    "docs/security.md", "docs/shell.md",
        "docs/mcp.md",       "plugin/README.md",
    };
    for (size_t i = 0; i < IA_COUNTOF(documents); i++) {
        char path[1024];
        struct ia_buf text = IA_BUF(1 << 20);
        (void)snprintf(path, sizeof(path), IA_SOURCE_DIR "/%s", documents[i]);
        assert_int_equal(ia_file_read(path, &text, NULL), IA_OK);
        (void)check_commands(documents[i], ia_buf_cstr(&text));
        ia_buf_fini(&text);
    }
}

static void core_has_the_version_and_every_command_of_a_device(void **state)
{
    (void)state;
    struct ia_buf core = IA_BUF(100000);
    ia_docs_skill(ia_commands, ia_embedded_find(ia_docs_topics, "core.md"), &core);
    const char *text = ia_buf_cstr(&core);
    assert_true(core.len <= 10 << 10);
    const char *version = strstr(text, "# ios-agent ");
    assert_ptr_equal(version, text);
    assert_true(isdigit((unsigned char)text[strlen("# ios-agent ")]));
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        char line[100];
        (void)snprintf(line, sizeof(line), "\nios-agent %s ", cmd->name);
        assert_true(!cmd->verb || strstr(text, line));
    }
    assert_null(strstr(text, "{{verbs}}"));
    assert_null(strstr(text, "{{codes}}"));
    assert_non_null(strstr(text, "{{secret:PIN}}"));
    assert_true(ia_docs_stub->size <= 3584);
    ia_buf_fini(&core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_examples_that_it_accepts),
        cmocka_unit_test(help_shows_the_examples_at_its_end),
        cmocka_unit_test(texts_for_agents_name_only_what_there_is),
        cmocka_unit_test(documents_name_only_commands_that_there_are),
        cmocka_unit_test(core_has_the_version_and_every_command_of_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
