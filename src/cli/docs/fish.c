/* fish.c: the script that completes command lines in fish: a line for each word, option and value.
 * What tells where on a command line it is, is the same for all: shell/reader.fish. */
#include "cli/docs/docs.h"

#include <string.h>

/* Between single quotes fish knows \\ and \' alone. */
static void put_quoted(struct ia_buf *out, const char *text)
{
    ia_buf_putc(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') {
            ia_buf_putc(out, '\\');
        }
        ia_buf_putc(out, *text);
    }
    ia_buf_putc(out, '\'');
}

/* What may follow: -x takes no files, -F does. */
static void put_values(struct ia_buf *out, const char *values)
{
    if (strcmp(values, "@files") == 0) {
        ia_buf_puts(out, " -F");
    } else if (strcmp(values, "@folders") == 0) {
        ia_buf_puts(out, " -a '(__fish_complete_directories)'");
    } else if (values[0] == '@') {
        ia_buf_printf(out, " -a '(__ios_agent_values %s)'", values + 1);
    } else if (values[0] != '\0') {
        ia_buf_puts(out, " -a '");
        for (; *values != '\0'; values++) {
            ia_buf_putc(out, *values == '|' ? ' ' : *values);
        }
        ia_buf_putc(out, '\'');
    }
}

static void put_start(struct ia_buf *out, const char *condition, const char *name)
{
    ia_buf_printf(out, "complete -c ios-agent -n \"%s", condition);
    if (name) {
        ia_buf_printf(out, " '%s'", name);
    }
    ia_buf_putc(out, '"');
}

static void put_option(struct ia_buf *out, const struct ia_command *cmd, const struct ia_opt *o)
{
    const char *values = ia_docs_option_values(o);
    put_start(out, "__ios_agent_is", cmd->name);
    if (o->letter != '\0') {
        ia_buf_printf(out, " -s %c", o->letter);
    }
    ia_buf_printf(out, " -l %s -d ", o->name);
    put_quoted(out, o->help);
    if (values) {
        ia_buf_puts(out, strcmp(values, "@files") == 0 ? " -r" : " -x");
        put_values(out, values);
    }
    ia_buf_putc(out, '\n');
}

static void put_command(struct ia_buf *out, const struct ia_command *cmd)
{
    struct ia_docs_operand operands[IA_DOCS_OPERANDS_MAX];
    size_t n = ia_docs_operands(cmd, operands);
    for (const struct ia_opt *o = cmd->opts; o->name; o++) {
        put_option(out, cmd, o);
    }
    for (size_t i = 0; i < n; i++) {
        if (operands[i].values[0] != '\0') {
            put_start(out, "__ios_agent_is", cmd->name);
            put_values(out, operands[i].values);
            ia_buf_putc(out, '\n');
        }
    }
}

struct seconds {
    struct ia_buf *out;
    const char *first;
};

static void put_second(void *ctx, const char *second, const struct ia_command *cmd)
{
    struct seconds *s = ctx;
    put_start(s->out, "__ios_agent_second", s->first);
    ia_buf_printf(s->out, " -a %s -d ", second);
    put_quoted(s->out, cmd->summary);
    ia_buf_putc(s->out, '\n');
}

void ia_docs_fish(const struct ia_command *table, struct ia_buf *out)
{
    char first[IA_DOCS_NAME_MAX];
    ia_buf_puts(out, "# Completes ios-agent in fish. Written by: ios-agent completions fish "
                     "(" IA_VERSION ")\nset -g __ios_agent_pairs");
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (strchr(cmd->name, ' ')) {
            ia_buf_printf(out, " '%s'", cmd->name);
        }
    }
    ia_buf_puts(out, "\n\n");
    ia_buf_puts(out, ia_embedded_find(ia_docs_files, "reader.fish")->data);
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (ia_docs_first(table, cmd, first)) {
            struct seconds s = {out, first};
            put_start(out, "__ios_agent_first", NULL);
            ia_buf_printf(out, " -a %s -d ", first);
            put_quoted(out, strchr(cmd->name, ' ') ? "…" : cmd->summary);
            ia_buf_putc(out, '\n');
            ia_docs_seconds(table, first, put_second, &s);
        }
        if (!ia_command_hidden(cmd)) {
            put_command(out, cmd);
        }
    }
}
