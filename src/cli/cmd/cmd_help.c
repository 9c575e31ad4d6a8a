/* help [COMMAND]: the commands, or the options of one. */
#include "cli/cmd/cmd.h"

enum ia_rc ia_cmd_help(struct ia_cli *c, struct ia_err *err)
{
    size_t n = c->args.operand_count;
    if (n == 0) {
        ia_help_overview(c->commands, &c->text);
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
