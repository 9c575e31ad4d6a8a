#include "cli/command/shell_words.h"

#include "cli/cmd/cmd.h"

/* The command of a line that begins with "ios-agent"; fails the test where it would be refused. */
static const struct ia_command *parse(const char *line)
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
            const struct ia_command *parsed = parse(line);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_examples_that_it_accepts),
        cmocka_unit_test(help_shows_the_examples_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
