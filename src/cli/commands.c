#include "cli/cli.h"
#include "cli/nearest.h"

#include <string.h>

static const struct ia_opt plain_opts[] = {IA_OPTS_END};

const struct ia_command ia_commands[] = {
    {.name = "help",
     .operands = "[COMMAND]",
     .operands_max = 2,
     .opts = plain_opts,
     .run = ia_cmd_help,
     .summary = "show the commands, or one command's help"},
    {.name = "version",
     .opts = plain_opts,
     .run = ia_cmd_version,
     .summary = "show the version"},
    {.name = NULL},
};

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
static const struct ia_command *group_of(const char *word)
{
    size_t n = strlen(word);
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        if (strncmp(cmd->name, word, n) == 0 && cmd->name[n] == ' ') {
            return cmd;
        }
    }
    return NULL;
}

static enum ia_rc unknown(int argc, char *const *argv, struct ia_err *err)
{
    struct ia_buf word = IA_BUF(256);
    bool grouped = group_of(argv[0]) != NULL;
    ia_buf_puts(&word, argv[0]);
    if (grouped && argc > 1 && argv[1][0] != '-') {
        ia_buf_printf(&word, " %s", argv[1]);
    }
    struct ia_nearest near = {.word = ia_buf_cstr(&word)};
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        ia_nearest_offer(&near, cmd->name);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "unknown command \"%s\"", ia_buf_cstr(&word));
    if (grouped) {
        ia_err_hint(err, "see ios-agent help %s", argv[0]);
    } else if (near.best) {
        ia_err_hint(err, "did you mean ios-agent %s?", near.best);
    } else {
        ia_err_hint(err, "ios-agent help shows the commands");
    }
    ia_buf_fini(&word);
    return rc;
}

enum ia_rc ia_command_find(int argc, char *const *argv, const struct ia_command **ret,
                           int *ret_words, struct ia_err *err)
{
    int best = 0;
    for (const struct ia_command *cmd = ia_commands; cmd->name; cmd++) {
        int words = name_words(cmd, argc, argv);
        if (words > best) {
            best = words;
            *ret = cmd;
        }
    }
    *ret_words = best;
    return best > 0 ? IA_OK : unknown(argc, argv, err);
}
