#include "cli/command/command.h"

#include <string.h>

static const char overview_head[] = "ios-agent gives Claude eyes and hands on iOS apps.\n"
                                    "\n"
                                    "Usage: ios-agent COMMAND [OPTION]... [ARGUMENT]...\n"
                                    "\n"
                                    "Commands:\n";

static const char overview_tail[] =
    "\n"
    "First steps, without a key and without a Mac:\n"
    "  ios-agent run \"open Contacts, add a contact named Ada Lovelace with phone 555-0100,\n"
    "                 check that Ada Lovelace is in the list\"\n"
    "\n"
    "Exit status: 0 passed or done, 1 failed, 2 usage, 3 device or environment, 4 budget or\n"
    "timeout, 5 blocked, needs a person, 6 model provider, 7 interrupted.\n"
    "ios-agent help COMMAND tells more about one command.\n";

void ia_help_overview(struct ia_buf *out)
{
    ia_buf_puts(out, overview_head);
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        ia_buf_printf(out, "  %-16s %s\n", cmd->name, cmd->summary);
    }
    ia_buf_puts(out, overview_tail);
}

enum { COL_HELP = 28 };

static void put_option(const struct ia_opt *o, struct ia_buf *out)
{
    size_t start = out->len;
    ia_buf_puts(out, "  ");
    if (o->letter != '\0') {
        ia_buf_printf(out, "-%c, ", o->letter);
    }
    ia_buf_printf(out, "--%s", o->name);
    if (o->kind != IA_OPT_FLAG) {
        ia_buf_printf(out, " %s", o->value);
    }
    if (out->len - start > COL_HELP - 2) {
        ia_buf_putc(out, '\n');
        start = out->len;
    }
    int pad = COL_HELP - (int)(out->len - start);
    ia_buf_printf(out, "%*s%s%s\n", pad, "", o->help, o->repeat ? " (repeatable)" : "");
}

void ia_help_command(const struct ia_command *cmd, struct ia_buf *out)
{
    ia_buf_printf(out, "Usage: ios-agent %s [OPTION]...%s%s\n\n%s\n", cmd->name,
                  cmd->operands ? " " : "", cmd->operands ? cmd->operands : "", cmd->summary);
    if (cmd->details) {
        ia_buf_printf(out, "\n%s", cmd->details);
    }
    ia_buf_puts(out, "\nOptions:\n");
    for (const struct ia_opt *o = cmd->opts; o->name; o++) {
        put_option(o, out);
    }
}

/* "key" alone: the lines of every command that begins with it. */
static bool put_group(const char *word, struct ia_buf *out)
{
    size_t n = strlen(word);
    bool any = false;
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        if (strncmp(cmd->name, word, n) == 0 && cmd->name[n] == ' ') {
            ia_buf_printf(out, "  ios-agent %-16s %s\n", cmd->name, cmd->summary);
            any = true;
        }
    }
    return any;
}

enum ia_rc ia_cmd_help(struct ia_cli *c, struct ia_err *err)
{
    size_t n = c->args.operand_count;
    if (n == 0) {
        ia_help_overview(&c->text);
        return IA_OK;
    }
    char *words[] = {(char *)(uintptr_t)c->args.operands[0],
                     n > 1 ? (char *)(uintptr_t)c->args.operands[1] : NULL};
    const struct ia_command *cmd = NULL;
    int used = 0;
    enum ia_rc rc = ia_command_find((int)n, words, &cmd, &used, err);
    if (rc == IA_OK && used == (int)n) {
        ia_help_command(cmd, &c->text);
        return IA_OK;
    }
    if (n == 1 && put_group(words[0], &c->text)) {
        return IA_OK;
    }
    return rc != IA_OK
               ? rc
               : ia_err_set(err, IA_E_USAGE, "unknown command \"%s %s\"", words[0], words[1]);
}
