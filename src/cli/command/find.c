/* From the first words of a command line to the command. */
#include "base/suggest.h"
#include "cli/command/command.h"

#include <string.h>

enum { COMMANDS_MAX = 64 };

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

/* True when the first word begins a command of two words, as "key" does. */
static const struct ia_command *group_of(const struct ia_command *table, const char *word)
{
    size_t n = strlen(word);
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (strncmp(cmd->name, word, n) == 0 && cmd->name[n] == ' ') {
            return cmd;
        }
    }
    return NULL;
}

static enum ia_rc unknown(const struct ia_command *table, int argc, char *const *argv,
                          struct ia_err *err)
{
    struct ia_buf word = IA_BUF(256);
    bool grouped = group_of(table, argv[0]) != NULL;
    ia_buf_puts(&word, argv[0]);
    if (grouped && argc > 1 && argv[1][0] != '-') {
        ia_buf_printf(&word, " %s", argv[1]);
    }
    const char *names[COMMANDS_MAX];
    size_t count = 0;
    for (const struct ia_command *cmd = table; cmd->name && count < COMMANDS_MAX; cmd++) {
        names[count++] = cmd->name;
    }
    const char *best = ia_nearest(ia_buf_str(&word), names, count);
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "unknown command \"%s\"", ia_buf_cstr(&word));
    if (grouped) {
        ia_err_hint(err, "see ios-agent help %s", argv[0]);
    } else if (best) {
        ia_err_hint(err, "did you mean ios-agent %s?", best);
    } else {
        ia_err_hint(err, "ios-agent help lists the commands");
    }
    ia_buf_fini(&word);
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
