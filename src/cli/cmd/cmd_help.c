/* help [COMMAND]: the commands, or the options of one; help demo: what the demo brain understands. */
#include "cli/cmd/cmd.h"

#include "mock/brain/goal.h"

#include <string.h>

static const char demo_head[] =
    "Without a key the demo brain answers. It follows steps, one or several in a sentence, "
    "and\n"
    "does not reason. These are its sentences, by the app that they are about; names, numbers\n"
    "and texts are examples, and other words for the same thing often do.\n";

static const char demo_tail[] =
    "\n"
    "Steps are joined by a comma, \"and\", \"then\" or a new line. A text that is to be typed\n"
    "as it stands is quoted. What it does not understand wholly it does not begin: the run\n"
    "ends blocked. With a key, Claude understands any goal: ios-agent key set stores one.\n";

/* From the table that goals are read by: it cannot promise anything else. */
static void help_demo(struct ia_buf *out)
{
    const char *about, *example, *last = "";
    ia_buf_puts(out, demo_head);
    for (size_t i = 0; ia_goal_example(i, &about, &example); i++) {
        if (strcmp(about, last) != 0) {
            ia_buf_printf(out, "\n%s:\n", about);
        }
        ia_buf_printf(out, "  %s\n", example);
        last = about;
    }
    ia_buf_puts(out, demo_tail);
}

enum ia_rc ia_cmd_help(struct ia_cli *c, struct ia_err *err)
{
    size_t n = c->args.operand_count;
    if (n == 0) {
        ia_help_overview(c->commands, &c->text);
        return IA_OK;
    }
    if (n == 1 && strcmp(c->args.operands[0], "demo") == 0) {
        help_demo(&c->text);
        return IA_OK;
    }
    char *words[] = {(char *)(uintptr_t)c->args.operands[0],
                     n > 1 ? (char *)(uintptr_t)c->args.operands[1] : NULL};
    const struct ia_command *cmd = NULL;
    int used = 0;
    enum ia_rc rc = ia_command_find(c->commands, (int)n, words, &cmd, &used, err);
    if (rc == IA_OK && used == (int)n) {
        ia_help_command(cmd, &c->text);
        return IA_OK;
    }
    if (n == 1 && ia_help_group(c->commands, words[0], &c->text)) {
        return IA_OK;
    }
    return rc != IA_OK
               ? rc
               : ia_err_set(err, IA_E_USAGE, "unknown command \"%s %s\"", words[0], words[1]);
}
