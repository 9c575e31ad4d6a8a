/* man.c: the man page of one command, in man(7). ios-agent(1) is the overview, which people write.
 *
 * Every character that roff gives a meaning is escaped, and those beyond ASCII are written by their
 * number, so that any formatter reads them in any locale. */
#include "base/utf8.h"
#include "cli/docs/docs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void ia_docs_man_name(const struct ia_command *cmd, char ret[IA_DOCS_NAME_MAX])
{
    (void)snprintf(ret, IA_DOCS_NAME_MAX, "ios-agent-%s", cmd->name);
    for (char *c = ret; *c != '\0'; c++) {
        *c = *c == ' ' ? '-' : *c;
    }
}

static void put_char(struct ia_buf *out, uint32_t c)
{
    switch (c) {
    case '\\':
        ia_buf_puts(out, "\\e");
        break;
    case '-':
        ia_buf_puts(out, "\\-");
        break;
    case '\'':
        ia_buf_puts(out, "\\(aq");
        break;
    case '^':
        ia_buf_puts(out, "\\(ha");
        break;
    case '~':
        ia_buf_puts(out, "\\(ti");
        break;
    case '`':
        ia_buf_puts(out, "\\(ga");
        break;
    default:
        if (c < 0x80) {
            ia_buf_putc(out, (char)c);
        } else {
            ia_buf_printf(out, "\\[u%04X]", (unsigned)c);
        }
    }
}

/* Text of one line, which roff does not take for a request. */
static void put_text(struct ia_buf *out, struct ia_str text)
{
    if (text.n > 0 && text.p[0] == '.') {
        ia_buf_puts(out, "\\&");
    }
    for (size_t i = 0, n; i < text.n; i += n) {
        for (n = 1; i + n < text.n && ((unsigned char)text.p[i + n] & 0xc0) == 0x80;) {
            n++;
        }
        put_char(out, ia_utf8_decode(text.p + i, n));
    }
}

static void put_line(struct ia_buf *out, struct ia_str text)
{
    put_text(out, text);
    ia_buf_putc(out, '\n');
}

/* Lines, as they are where they begin with a blank or all are `code`; an empty one begins a
 * paragraph. */
static void put_prose(struct ia_buf *out, const char *text, bool code)
{
    bool as_is = false, gap = false;
    for (struct ia_str line = {text, 0}; line.p[0] != '\0';
         line.p += line.n + (line.p[line.n] == '\n')) {
        line.n = strcspn(line.p, "\n");
        bool literal = line.n > 0 && (code || line.p[0] == ' ');
        gap = gap || line.n == 0 || (literal != as_is && line.p != text);
        ia_buf_puts(out, as_is && !literal ? ".fi\n" : "");
        if (line.n > 0) {
            ia_buf_puts(out, gap ? ".PP\n" : "");
            ia_buf_puts(out, literal && !as_is ? ".nf\n" : "");
            put_line(out, line);
            gap = false;
        }
        as_is = literal;
    }
    ia_buf_puts(out, as_is ? ".fi\n" : "");
}

static void put_option(struct ia_buf *out, const struct ia_opt *o)
{
    ia_buf_puts(out, ".TP\n");
    if (o->letter != '\0') {
        ia_buf_printf(out, "\\fB\\-%c\\fP, ", o->letter);
    }
    ia_buf_puts(out, "\\fB\\-\\-");
    put_text(out, ia_str(o->name));
    ia_buf_puts(out, "\\fP");
    if (o->kind != IA_OPT_FLAG) {
        ia_buf_puts(out, " \\fI");
        put_text(out, ia_str(o->value));
        ia_buf_puts(out, "\\fP");
    }
    ia_buf_putc(out, '\n');
    put_text(out, ia_str(o->help));
    ia_buf_puts(out, o->repeat ? " (repeatable)\n" : "\n");
}

/* The other commands that share its first word. */
static void put_see_also(struct ia_buf *out, const struct ia_command *table,
                         const struct ia_command *cmd)
{
    size_t n = strcspn(cmd->name, " ");
    ia_buf_puts(out, ".SH SEE ALSO\n.BR ios\\-agent (1)");
    for (; table->name; table++) {
        if (table != cmd && strncmp(table->name, cmd->name, n) == 0 &&
            (table->name[n] == ' ' || table->name[n] == '\0')) {
            char name[IA_DOCS_NAME_MAX];
            ia_docs_man_name(table, name);
            ia_buf_puts(out, ",\n.BR ");
            put_text(out, ia_str(name));
            ia_buf_puts(out, " (1)");
        }
    }
    ia_buf_putc(out, '\n');
}

static void put_synopsis(struct ia_buf *out, const struct ia_command *cmd)
{
    ia_buf_puts(out, ".SH SYNOPSIS\n.B ios\\-agent ");
    put_line(out, ia_str(cmd->name));
    ia_buf_puts(out, "[\\fIoption\\fP]...");
    if (cmd->operands) {
        ia_buf_puts(out, " \\fI");
        put_text(out, ia_str(cmd->operands));
        ia_buf_puts(out, "\\fP");
    }
    ia_buf_putc(out, '\n');
}

void ia_docs_man(const struct ia_command *table, const struct ia_command *cmd,
                 struct ia_buf *out)
{
    char name[IA_DOCS_NAME_MAX];
    ia_docs_man_name(cmd, name);
    ia_buf_puts(out, ".TH \"");
    for (const char *c = name; *c != '\0'; c++) {
        put_char(out, (uint32_t)toupper((unsigned char)*c));
    }
    ia_buf_puts(out, "\" 1 \"\" \"ios\\-agent " IA_VERSION "\" \"User commands\"\n.SH NAME\n");
    put_text(out, ia_str(name));
    ia_buf_puts(out, " \\- ");
    put_line(out, ia_str(cmd->summary));
    put_synopsis(out, cmd);
    ia_buf_puts(out, ".SH DESCRIPTION\n");
    put_char(out, (uint32_t)toupper((unsigned char)cmd->summary[0]));
    put_text(out, ia_str(cmd->summary + 1));
    ia_buf_puts(out, ".\n");
    if (cmd->details) {
        ia_buf_puts(out, ".PP\n");
        put_prose(out, cmd->details, false);
    }
    ia_buf_puts(out, ".SH OPTIONS\n");
    for (const struct ia_opt *o = cmd->opts; o->name; o++) {
        put_option(out, o);
    }
    ia_buf_puts(out, ".SH EXAMPLES\n");
    put_prose(out, cmd->examples ? cmd->examples : "", true);
    ia_buf_puts(out, ".SH EXIT STATUS\nAs for all commands: see\n.BR ios\\-agent (1).\n");
    put_see_also(out, table, cmd);
}
