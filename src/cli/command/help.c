/* The texts of help: the overview, one command, and the commands that share their first word. */
#include "cli/command/command.h"
#include "cli/view/wrap.h"

#include <string.h>

static const char overview_head[] = "ios-agent gives Claude eyes and hands on iOS apps.\n"
                                    "\n"
                                    "Usage: ios-agent COMMAND [OPTION]... [ARGUMENT]...\n"
                                    "\n"
                                    "Commands:\n";

static const char overview_tail[] =
    "\n"
    "First steps, without a key and without a Mac:\n"
    "  ios-agent run \"open Settings, turn on Airplane Mode\"\n"
    "\n"
    "Exit status: 0 passed or done, 1 failed, 2 usage, 3 device or environment,\n"
    "4 budget or timeout, 5 blocked (needs a person), 6 model provider,\n"
    "7 interrupted.\n"
    "ios-agent help COMMAND shows the options of one command.\n";

void ia_help_overview(const struct ia_command *table, struct ia_buf *out)
{
    ia_buf_puts(out, overview_head);
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (!ia_command_hidden(cmd)) {
            ia_buf_printf(out, "  %-17s %s\n", cmd->name, cmd->summary);
        }
    }
    ia_buf_puts(out, overview_tail);
}

enum { COL_VALUE = 6, COL_HELP = 28, WIDTH = 80 };

/* Breaks long lists of choices; the line began at start. */
static void put_value(const char *value, size_t start, struct ia_buf *out)
{
    for (size_t n; *value; value += n) {
        n = strcspn(value, "|");
        n += value[n] == '|';
        if (out->len - start + n > WIDTH) {
            start = out->len + 1;
            ia_buf_printf(out, "\n%*s", COL_VALUE, "");
        }
        ia_buf_put(out, value, n);
    }
}

static void put_option(const struct ia_opt *o, struct ia_buf *out)
{
    size_t start = out->len;
    ia_buf_puts(out, "  ");
    if (o->letter != '\0') {
        ia_buf_printf(out, "-%c, ", o->letter);
    }
    ia_buf_printf(out, "--%s", o->name);
    if (o->kind != IA_OPT_FLAG) {
        ia_buf_putc(out, ' ');
        put_value(o->value, start, out);
    }
    if (out->len - start > COL_HELP - 2) {
        ia_buf_putc(out, '\n');
        start = out->len;
    }
    struct ia_buf help = IA_BUF(4096);
    ia_buf_printf(&help, "%s%s", o->help, o->repeat ? " (repeatable)" : "");
    ia_buf_printf(out, "%*s", COL_HELP - (int)(out->len - start), "");
    ia_wrap(out, ia_buf_str(&help), WIDTH, COL_HELP, COL_HELP);
    ia_buf_putc(out, '\n');
    ia_buf_fini(&help);
}

static void put_examples(const char *lines, struct ia_buf *out)
{
    ia_buf_puts(out, "\nExamples:\n");
    for (const char *end; *lines != '\0'; lines = end + 1) {
        end = strchr(lines, '\n');
        ia_buf_printf(out, "  %.*s\n", (int)(end - lines), lines);
    }
}

void ia_help_command(const struct ia_command *cmd, struct ia_buf *out)
{
    ia_buf_printf(out, "Usage: ios-agent %s [OPTION]...%s%s\n\n%s\n", cmd->name,
                  cmd->operands ? " " : "", cmd->operands ? cmd->operands : "", cmd->summary);
    if (cmd->details) {
        ia_buf_putc(out, '\n');
        ia_wrap_prose(out, cmd->details, WIDTH);
    }
    ia_buf_puts(out, "\nOptions:\n");
    for (const struct ia_opt *o = cmd->opts; o->name; o++) {
        put_option(o, out);
    }
    if (cmd->examples) {
        put_examples(cmd->examples, out);
    }
}

bool ia_help_group(const struct ia_command *table, const char *word, struct ia_buf *out)
{
    size_t n = strlen(word);
    bool any = false;
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (strncmp(cmd->name, word, n) == 0 && cmd->name[n] == ' ') {
            ia_buf_printf(out, "  ios-agent %-17s %s\n", cmd->name, cmd->summary);
            any = true;
        }
    }
    return any;
}
