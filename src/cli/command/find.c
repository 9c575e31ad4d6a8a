/* From the first words of a command line to the command, and what to say of those that lead to
 * none or are too few or too many. */
#include "base/suggest.h"
#include "cli/command/command.h"

#include <string.h>

enum { COMMANDS_MAX = 160 };

/* How many words of argv the command's name takes, or 0. */
static int name_words(const struct ia_command *cmd, int argc, char *const *argv)
{
    const char *name = cmd->name;
    int words = 0;
    while (*name != '\0') {
        size_t n = strcspn(name, " ");
        if (words == argc || strncmp(argv[words], name, n) != 0 || argv[words][n] != '\0') {
            return 0;
        }
        words++;
        name += n + strspn(name + n, " ");
    }
    return words;
}

/* Whether the word begins the command's name of two words, as "key" does. */
static bool in_group(const struct ia_command *cmd, const char *word)
{
    size_t n = strlen(word);
    return strncmp(cmd->name, word, n) == 0 && cmd->name[n] == ' ';
}

static const struct ia_command *group_of(const struct ia_command *table, const char *word)
{
    while (table->name && !in_group(table, word)) {
        table++;
    }
    return table->name ? table : NULL;
}

/* What people try before they know the commands. */
static const struct {
    const char *words, *hint; /* the words stand between blanks */
} tried[] = {
    {" click touch ", "ios-agent tap REF taps an element; ios-agent snapshot shows the refs"},
    {" scroll ", "ios-agent swipe up, or ios-agent scroll-to TEXT"},
    {" wait ", "ios-agent wait-for waits until something holds"},
    {" find ", "ios-agent get and is take \"label\", role \"label\" and #identifier"},
    {" test ", "ios-agent run \"GOAL\" runs one goal, ios-agent sweep FOLDER many"},
    {" start ", "ios-agent run \"GOAL\", or ios-agent bridge start for a simulator's runner"},
    {" stop ", "ios-agent cancel ID stops a run"},
    {" list ls status ", "ios-agent runs, sweeps, devices and schedule list say what there is"},
    {" log logs ", "ios-agent show last says what the last run did"},
    {" login auth ", "ios-agent key set stores the API key"},
    {" setup new ", "ios-agent init writes a project's first files, ios-agent doctor checks "
                    "what there is"},
};

static const char *hint_for(const char *word)
{
    if (word[0] == '\0' || strchr(word, ' ')) {
        return NULL;
    }
    for (size_t i = 0; i < IA_COUNTOF(tried); i++) {
        const char *at = strstr(tried[i].words, word);
        if (at && at[-1] == ' ' && at[strlen(word)] == ' ') {
            return tried[i].hint;
        }
    }
    return NULL;
}

/* "ios-agent key set, key status or key remove" */
static void hint_group(const struct ia_command *table, const char *group, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(sizeof(err->hint));
    const struct ia_command *last = NULL;
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        last = in_group(cmd, group) ? cmd : last;
    }
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (in_group(cmd, group)) {
            ia_buf_printf(&text, "%s%s",
                          text.len == 0 ? "ios-agent "
                          : cmd == last ? " or "
                                        : ", ",
                          text.len == 0 ? cmd->name : cmd->name + strlen(group) + 1);
        }
    }
    ia_err_hint(err, "%s", ia_buf_cstr(&text));
    ia_buf_fini(&text);
}

static const char *nearest(const struct ia_command *table, struct ia_str words)
{
    const char *names[COMMANDS_MAX];
    size_t count = 0;
    for (const struct ia_command *cmd = table; cmd->name && count < COMMANDS_MAX; cmd++) {
        if (!ia_command_hidden(cmd)) {
            names[count++] = cmd->name;
        }
    }
    return ia_nearest(words, names, count);
}

static enum ia_rc unknown(const struct ia_command *table, int argc, char *const *argv,
                          struct ia_err *err)
{
    const char *word = argv[0];
    const char *second = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    bool grouped = group_of(table, word) != NULL;
    struct ia_buf both = IA_BUF(256);
    ia_buf_printf(&both, "%s%s%s", word, second ? " " : "", second ? second : "");
    const char *shown = grouped && ia_buf_ok(&both) ? ia_buf_cstr(&both) : word;
    /* "schedul list" as a whole, else "schedul" alone; but "key" is no misspelt "say". */
    const char *best = grouped && !second ? NULL : nearest(table, ia_buf_str(&both));
    best = best || grouped ? best : nearest(table, ia_str(word));
    enum ia_rc rc = grouped && !second
                        ? ia_err_set(err, IA_E_USAGE, "%s needs one more word", word)
                        : ia_err_set(err, IA_E_USAGE, "unknown command \"%s\"", shown);
    if (hint_for(word)) {
        ia_err_hint(err, "%s", hint_for(word));
    } else if (best) {
        ia_err_hint(err, "did you mean ios-agent %s?", best);
    } else if (grouped) {
        hint_group(table, word, err);
    } else {
        ia_err_hint(err, "ios-agent help lists the commands");
    }
    ia_buf_fini(&both);
    return rc;
}

enum ia_rc ia_command_find(const struct ia_command *table, int argc, char *const *argv,
                           const struct ia_command **ret, int *ret_words, struct ia_err *err)
{
    int best = 0;
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        int words = name_words(cmd, argc, argv);
        if (words > best) {
            best = words;
            *ret = cmd;
        }
    }
    *ret_words = best;
    return best > 0 ? IA_OK : unknown(table, argc, argv, err);
}

/* ---- operands ---------------------------------------------------------------------------- */

/* Whether a person's own words stand last, which a shell splits when they are not quoted. */
static bool ends_in_prose(const struct ia_command *cmd)
{
    return cmd->operands && (strstr(cmd->operands, "GOAL") || strstr(cmd->operands, "TEXT"));
}

/* The word with the last place among the options, NULL: the command has none. */
static const struct ia_arg *last_placed(const struct ia_args *a)
{
    const struct ia_arg *last = NULL;
    for (size_t i = 0; i < a->set_count; i++) {
        int place = a->set[i].opt->operand;
        last = place > (last ? last->opt->operand : 0) ? &a->set[i] : last;
    }
    return last;
}

/* The command as it was meant, with its last words in quotes. */
static void hint_quote(const struct ia_command *cmd, const struct ia_args *a,
                       struct ia_err *err)
{
    struct ia_buf goal = IA_BUF(sizeof(err->hint) / 2);
    const struct ia_arg *last = last_placed(a);
    size_t begin = cmd->operands_max > 0 ? cmd->operands_max - 1 : 0;
    ia_buf_puts(&goal, last ? last->value : "");
    for (size_t i = begin; i < a->operand_count; i++) {
        ia_buf_printf(&goal, "%s%s", goal.len > 0 ? " " : "", a->operands[i]);
    }
    bool plain = ia_buf_ok(&goal) && !strpbrk(ia_buf_cstr(&goal), "\"$`\\!");
    ia_err_hint(err, "quote it: ios-agent %s%s \"%s\"", cmd->name,
                cmd->operands_max > 1 || (last && last->opt->operand > 1) ? " …" : "",
                plain ? ia_buf_cstr(&goal) : "…");
    ia_buf_fini(&goal);
}

enum ia_rc ia_command_check(const struct ia_command *table, const struct ia_command *cmd,
                            const struct ia_args *a, struct ia_err *err)
{
    if (ia_args_check(a, err) != IA_OK) {
        ia_err_hint(err, "usage: ios-agent %s [OPTION]... %s", cmd->name,
                    cmd->operands ? cmd->operands : "");
        return IA_E_USAGE;
    }
    if (a->operand_count >= cmd->operands_min && a->operand_count <= cmd->operands_max) {
        return IA_OK;
    }
    if (a->operand_count < cmd->operands_min) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%s needs %s", cmd->name, cmd->operands);
        ia_err_hint(err, "usage: ios-agent %s [OPTION]... %s", cmd->name, cmd->operands);
        return rc;
    }
    const char *first = a->operands[cmd->operands_max];
    if (strcmp(cmd->name, "key set") == 0) { /* it may be the key: it is not repeated */
        (void)ia_err_set(err, IA_E_USAGE,
                         "key set takes no argument: others can read a command line");
        ia_err_hint(
            err, "type the key at the prompt, or pipe it in: ios-agent key set < FILE; a key "
                 "that was typed in a command may be in the shell's history");
        return IA_E_USAGE;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%s does not take \"%s\"", cmd->name, first);
    struct ia_buf both = IA_BUF(256);
    ia_buf_printf(&both, "%s %s", cmd->name, first);
    const char *best = group_of(table, cmd->name) ? nearest(table, ia_buf_str(&both)) : NULL;
    if (ends_in_prose(cmd)) {
        hint_quote(cmd, a, err);
    } else if (best && strcmp(best, cmd->name) != 0) {
        ia_err_hint(err, "did you mean ios-agent %s?", best);
    } else {
        ia_err_hint(err, "usage: ios-agent %s [OPTION]...%s%s", cmd->name,
                    cmd->operands ? " " : "", cmd->operands ? cmd->operands : "");
    }
    ia_buf_fini(&both);
    return rc;
}
