/* zsh.c: the script that completes command lines in zsh: a call of _arguments for each command,
 * with the help of each option. What finds the command is the same for all: shell/reader.zsh. */
#include "cli/docs/docs.h"

#include <string.h>

/* Appends text for a specification of _arguments or _describe, in which these characters mean
 * something. */
static void put_plain(struct ia_buf *out, const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text)) {
            ia_buf_putc(out, '\\');
        }
        ia_buf_putc(out, *text);
    }
}

/* ":LABEL:ACTION" */
static void put_value(struct ia_buf *spec, const char *label, const char *values)
{
    ia_buf_putc(spec, ':');
    put_plain(spec, label, ":\\");
    ia_buf_putc(spec, ':');
    if (strcmp(values, "@files") == 0 || strcmp(values, "@folders") == 0) {
        ia_buf_puts(spec, values[2] == 'i' ? "_files" : "_files -/");
    } else if (values[0] == '@') {
        ia_buf_printf(spec, "__ios_agent_values %s", values + 1);
    } else if (values[0] != '\0') {
        ia_buf_putc(spec, '(');
        for (; *values != '\0'; values++) {
            ia_buf_putc(spec, *values == '|' ? ' ' : *values);
        }
        ia_buf_putc(spec, ')');
    } else {
        ia_buf_puts(spec, "()"); /* a message here would keep options from being completed */
    }
}

static void put_spec(struct ia_buf *out, const struct ia_buf *spec)
{
    ia_buf_puts(out, " \\\n            ");
    ia_docs_quote(out, ia_buf_cstr(spec));
}

static void put_option(struct ia_buf *out, const struct ia_opt *o)
{
    const char *values = ia_docs_option_values(o);
    struct ia_buf spec = IA_BUF(IA_DOCS_BYTES_MAX);
    ia_buf_printf(&spec, "%s--%s%s[", o->repeat ? "*" : "", o->name, values ? "=" : "");
    put_plain(&spec, o->help, "[]\\");
    ia_buf_putc(&spec, ']');
    if (values) {
        put_value(&spec, o->value, values);
    }
    put_spec(out, &spec);
    ia_buf_fini(&spec);
    if (o->letter != '\0') {
        struct ia_buf letter = IA_BUF(IA_DOCS_BYTES_MAX);
        ia_buf_printf(&letter, "-%c[", o->letter);
        put_plain(&letter, o->help, "[]\\");
        ia_buf_putc(&letter, ']');
        put_spec(out, &letter);
        ia_buf_fini(&letter);
    }
}

static void put_operands(struct ia_buf *out, const struct ia_command *cmd)
{
    struct ia_docs_operand operands[IA_DOCS_OPERANDS_MAX];
    size_t n = ia_docs_operands(cmd, operands);
    for (size_t i = 0; i < n; i++) {
        struct ia_buf spec = IA_BUF(IA_DOCS_BYTES_MAX);
        if (operands[i].more) {
            ia_buf_putc(&spec, '*');
        } else { /* two colons: it may be left out, which is the command's to say */
            ia_buf_printf(&spec, "%zu:", i + 1);
        }
        put_value(&spec, operands[i].label, operands[i].values);
        put_spec(out, &spec);
        ia_buf_fini(&spec);
    }
}

static void put_described(struct ia_buf *out, const char *word, const char *summary)
{
    struct ia_buf item = IA_BUF(IA_DOCS_BYTES_MAX);
    put_plain(&item, word, ":\\");
    ia_buf_printf(&item, ":%s", summary);
    ia_buf_putc(out, ' ');
    ia_docs_quote(out, ia_buf_cstr(&item));
    ia_buf_fini(&item);
}

static void put_second(void *ctx, const char *second, const struct ia_command *cmd)
{
    put_described(ctx, second, cmd->summary);
}

static void put_firsts(const struct ia_command *table, struct ia_buf *out)
{
    char first[IA_DOCS_NAME_MAX];
    struct ia_buf cases = IA_BUF(IA_DOCS_BYTES_MAX);
    ia_buf_puts(out, "__ios_agent_first() {\n    firsts=(");
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (!ia_docs_first(table, cmd, first)) {
            continue;
        }
        struct ia_buf seconds = IA_BUF(IA_DOCS_BYTES_MAX);
        ia_docs_seconds(table, first, put_second, &seconds);
        put_described(out, first, strchr(cmd->name, ' ') ? "…" : cmd->summary);
        if (seconds.len > 0) {
            ia_buf_printf(&cases, "    %s) seconds=(%s) ;;\n", first, ia_buf_cstr(&seconds));
        }
        ia_buf_fini(&seconds);
    }
    ia_buf_printf(out,
                  ")\n}\n\n__ios_agent_second() {\n    seconds=()\n    case $name in\n%s    "
                  "esac\n}\n\n",
                  ia_buf_cstr(&cases));
    ia_buf_fini(&cases);
}

void ia_docs_zsh(const struct ia_command *table, struct ia_buf *out)
{
    const char *bar = "";
    ia_buf_puts(out, "#compdef ios-agent\n"
                     "# Written by: ios-agent completions zsh (" IA_VERSION ")\n\n");
    put_firsts(table, out);
    ia_buf_puts(out, "__ios_agent_is() {\n    case $1 in\n    ");
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (!ia_command_hidden(cmd)) {
            ia_buf_puts(out, bar);
            ia_docs_quote(out, cmd->name);
            bar = " | ";
        }
    }
    ia_buf_puts(out, ") return 0 ;;\n    esac\n    return 1\n}\n\n"
                     "__ios_agent_arguments() {\n    case ${words[1]} in\n");
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (!ia_command_hidden(cmd)) {
            ia_buf_puts(out, "    ");
            ia_docs_quote(out, cmd->name);
            ia_buf_puts(out, ")\n        _arguments");
            for (const struct ia_opt *o = cmd->opts; o->name; o++) {
                put_option(out, o);
            }
            put_operands(out, cmd);
            ia_buf_puts(out, " ;;\n");
        }
    }
    ia_buf_puts(out, "    esac\n}\n\n");
    ia_buf_puts(out, ia_embedded_find(ia_docs_files, "reader.zsh")->data);
}
