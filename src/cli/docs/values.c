/* values.c: what may stand in each place of a command line, read from the table of commands.
 *
 * The table says it already: a CHOICE has its words, a PATH is a file, an option that is called
 * "device" takes a device, and the help's words for values ("FILE", "ID") mean one thing each. */
#include "cli/docs/docs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct meaning {
    const char *word, *values;
};

static const struct meaning by_option[] = {
    {"device", "@devices"}, {"agent", "@agents"},  {"session", "@sessions"},
    {"secret", "@secrets"}, {"resume", "@sweeps"}, {"report-dir", "@folders"},
    {NULL, NULL},
};

static const struct meaning by_value[] = {
    {"FILE", "@files"},
    {"PATH", "@files"},
    {"OUT", "@files"},
    {"OUT.png", "@files"},
    {"FILE_OR_FOLDER", "@files"},
    {"FOLDER", "@folders"},
    {"DIR", "@folders"},
    {NULL, NULL},
};

static const struct meaning by_operand[] = {
    {"ID", "@ids"},       {"RUN", "@runs"},     {"COMMAND", "@commands"},
    {"APP", "@files"},    {"A", "@files"},      {"B", "@files"},
    {"TOPIC", "@topics"}, {"KEY", "@settings"}, {NULL, NULL},
};

static const char *find(const struct meaning *table, const char *word)
{
    while (table->word && strcmp(table->word, word) != 0) {
        table++;
    }
    return table->values;
}

const char *ia_docs_option_values(const struct ia_opt *o)
{
    if (o->kind == IA_OPT_FLAG || o->kind == IA_OPT_CHOICE) {
        return o->kind == IA_OPT_FLAG ? NULL : o->value;
    }
    const char *values = find(by_option, o->name);
    values = values ? values : find(by_value, o->value);
    return values ? values : o->kind == IA_OPT_PATH || o->kind == IA_OPT_OUT ? "@files" : "";
}

/* "bash|zsh|fish", but not "FILE|TEXT": such words stand for others. */
static bool are_words(const char *label)
{
    bool bar = strchr(label, '|') != NULL;
    for (; *label != '\0' && bar; label++) {
        bar = islower((unsigned char)*label) || strchr("|-_", *label);
    }
    return bar;
}

static const char *operand_values(const struct ia_command *cmd, const char *label)
{
    static const struct meaning of_group[] = {
        {"schedule ", "@schedules"}, {"secret ", "@secrets"}, {NULL, NULL}};
    for (const struct meaning *m = of_group; m->word && strcmp(label, "NAME") == 0; m++) {
        if (strncmp(cmd->name, m->word, strlen(m->word)) == 0) {
            return m->values;
        }
    }
    const char *values = find(by_operand, label);
    values = values ? values : find(by_value, label);
    return values ? values : "";
}

/* Takes "[NAME]", "FILE..." or "a|b" out of the help's text; NULL at its end, and at "--". */
static const char *next_operand(const char *text, struct ia_docs_operand *o)
{
    text += strspn(text, " [");
    size_t n = strcspn(text, " ].");
    if (n == 0 || n >= sizeof(o->label) || text[0] == '-') {
        return NULL;
    }
    memcpy(o->label, text, n);
    o->label[n] = '\0';
    text += n;
    o->more = strncmp(text, "...", 3) == 0;
    return text + strcspn(text, " ");
}

/* Words of a device command fall into options. */
static size_t placed(const struct ia_command *cmd, struct ia_docs_operand *ret)
{
    size_t n = 0;
    for (const struct ia_opt *o = cmd->opts; o->name && n < IA_DOCS_OPERANDS_MAX; o++) {
        if (o->operand > 0) {
            (void)snprintf(ret[n].label, sizeof(ret[n].label), "%s", o->value);
            ret[n].values = ia_docs_option_values(o);
            ret[n++].more = o->repeat;
        }
    }
    return n;
}

size_t ia_docs_operands(const struct ia_command *cmd,
                        struct ia_docs_operand ret[IA_DOCS_OPERANDS_MAX])
{
    size_t n = placed(cmd, ret);
    const char *text = n == 0 ? cmd->operands : NULL;
    while (text && n < IA_DOCS_OPERANDS_MAX) {
        struct ia_docs_operand *o = &ret[n];
        text = next_operand(text, o);
        if (text) {
            (void)snprintf(o->words, sizeof(o->words), "%s", o->label);
            o->values = are_words(o->label) ? o->words : operand_values(cmd, o->label);
            n++;
        }
    }
    return n;
}

/* ---- words of names ---------------------------------------------------------------------- */

void ia_docs_seconds(const struct ia_command *table, const char *first, ia_docs_second_fn *fn,
                     void *ctx)
{
    size_t n = strlen(first);
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (strncmp(cmd->name, first, n) == 0 && cmd->name[n] == ' ') {
            fn(ctx, cmd->name + n + 1, cmd);
        }
    }
}

bool ia_docs_first(const struct ia_command *table, const struct ia_command *cmd,
                   char ret[IA_DOCS_NAME_MAX])
{
    size_t n = strcspn(cmd->name, " ");
    (void)snprintf(ret, IA_DOCS_NAME_MAX, "%.*s", (int)n, cmd->name);
    for (const struct ia_command *above = table; above < cmd; above++) {
        if (strncmp(above->name, ret, n) == 0 &&
            (above->name[n] == '\0' || above->name[n] == ' ')) {
            return false;
        }
    }
    return !ia_command_hidden(cmd);
}

void ia_docs_quote(struct ia_buf *out, const char *text)
{
    ia_buf_putc(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            ia_buf_puts(out, "'\\''");
        } else {
            ia_buf_putc(out, *text);
        }
    }
    ia_buf_putc(out, '\'');
}
