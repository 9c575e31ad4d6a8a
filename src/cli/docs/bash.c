/* bash.c: the script that completes command lines in bash, from version 3.2 (macOS) on.
 *
 * The table becomes one `case` with a line for each command: its options as "name", "name=" or
 * "name=VALUES" and the values of its arguments (docs.h says what VALUES are). What reads those
 * lines is the same for all: shell/reader.bash. */
#include "cli/docs/docs.h"

#include <string.h>

static const char head[] =
    "# Completes ios-agent in bash. Written by: ios-agent completions bash (" IA_VERSION ")\n";

static void put_row(const struct ia_command *cmd, struct ia_buf *out)
{
    struct ia_docs_operand operands[IA_DOCS_OPERANDS_MAX];
    size_t n = ia_docs_operands(cmd, operands);
    ia_buf_puts(out, "    ");
    ia_docs_quote(out, cmd->name);
    ia_buf_puts(out, ") opts='");
    for (const struct ia_opt *o = cmd->opts; o->name; o++) {
        const char *values = ia_docs_option_values(o);
        ia_buf_printf(out, "%s%s%s%s", o == cmd->opts ? "" : " ", o->name, values ? "=" : "",
                      values ? values : "");
    }
    ia_buf_puts(out, "' args='");
    for (size_t i = 0; i < n; i++) { /* "." is free text */
        ia_buf_printf(out, "%s%s%s", i == 0 ? "" : " ",
                      operands[i].values[0] == '\0' ? "." : operands[i].values,
                      operands[i].more ? "..." : "");
    }
    ia_buf_puts(out, "' ;;\n");
}

static void put_second(void *ctx, const char *second, const struct ia_command *cmd)
{
    (void)cmd;
    ia_buf_printf(ctx, "%s|", second);
}

/* echo a|b|c, without the last bar */
static void put_words(struct ia_buf *out, const struct ia_buf *words)
{
    ia_buf_printf(out, "echo '%.*s'", (int)(words->len - (words->len > 0)), words->p);
}

static void put_firsts(const struct ia_command *table, struct ia_buf *out)
{
    char first[IA_DOCS_NAME_MAX];
    struct ia_buf words = IA_BUF(IA_DOCS_BYTES_MAX);
    struct ia_buf cases = IA_BUF(IA_DOCS_BYTES_MAX);
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (!ia_docs_first(table, cmd, first)) {
            continue;
        }
        ia_buf_printf(&words, "%s|", first);
        struct ia_buf seconds = IA_BUF(IA_DOCS_BYTES_MAX);
        ia_docs_seconds(table, first, put_second, &seconds);
        if (seconds.len > 0) {
            ia_buf_printf(&cases, "    %s) ", first);
            put_words(&cases, &seconds);
            ia_buf_puts(&cases, " ;;\n");
        }
        ia_buf_fini(&seconds);
    }
    ia_buf_puts(out, "\n__ios_agent_first() {\n    ");
    put_words(out, &words);
    ia_buf_printf(out, "\n}\n\n__ios_agent_second() {\n    case $name in\n%s    esac\n}\n",
                  ia_buf_cstr(&cases));
    ia_buf_fini(&words);
    ia_buf_fini(&cases);
}

void ia_docs_bash(const struct ia_command *table, struct ia_buf *out)
{
    ia_buf_puts(out, head);
    put_firsts(table, out);
    ia_buf_puts(out, "\n# The options and arguments of a command.\n"
                     "__ios_agent_row() {\n    case $1 in\n");
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (!ia_command_hidden(cmd)) {
            put_row(cmd, out);
        }
    }
    ia_buf_puts(out, "    *) return 1 ;;\n    esac\n}\n\n");
    ia_buf_puts(out, ia_embedded_find(ia_docs_files, "reader.bash")->data);
}
