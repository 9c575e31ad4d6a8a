/* main.c: prepares descriptors and signals, finds the command, hands it to the daemon or runs it,
 * prints its result.
 *
 *   words ─► command and arguments ─┬─ a device verb ─► the daemon (client/client.h) ─► copied out
 *                                   └─ any other, or --no-daemon ─► keys, configuration, … ─► run
 *
 * A verb is handed over before anything is opened or loaded: most of a command's time is its start.
 * Commands print nothing themselves: they fill `text` (for people) and `result` (JSON), and
 * ia_cli_finish writes one of them and chooses the exit status. */
#include "cli/cmd/cmd.h"
#include "cli/key/passphrase.h"
#include "cli/sys/handover.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Whoever starts a program without the three standard descriptors must not get its output into
 * the next file that it opens. */
static void fill_standard_fds(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd) {
            _exit(ia_rc_exit(IA_E_IO));
        }
    }
}

/* A write to a pipe whose reader went away, or past the limit of a file's size, is an error to
 * handle, not a death. */
static void ignore_write_signals(void)
{
    struct sigaction sa = {.sa_handler = SIG_IGN};
    sigemptyset(&sa.sa_mask);
    (void)sigaction(SIGPIPE, &sa, NULL);
    (void)sigaction(SIGXFSZ, &sa, NULL);
}

/* Whether an error in the command line itself must already be an envelope. */
static bool wants_json(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            return true;
        }
    }
    return false;
}

/* "key --help": the commands that begin with that word. */
static bool help_of_group(struct ia_cli *c, int argc, char *const *argv)
{
    bool asked = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    return asked && ia_help_group(c->commands, argv[0], &c->text);
}

static enum ia_rc ask_passphrase(void *ctx, struct ia_secret **ret, struct ia_err *err)
{
    (void)ctx;
    return ia_passphrase_ask(false, ret, err);
}

static enum ia_rc run_here(struct ia_cli *c, struct ia_err *err)
{
    enum ia_rc rc = ia_credentials_take(&c->credentials, err);
    c->credentials.passphrase = ask_passphrase;
    return rc == IA_OK ? c->command->run(c, err) : rc;
}

/* ---- the command --------------------------------------------------------------------------- */

static enum ia_rc run_command(struct ia_cli *c, int argc, char *const *argv, struct ia_err *err)
{
    int words = 0;
    enum ia_rc rc = ia_command_find(c->commands, argc, argv, &c->command, &words, err);
    if (rc != IA_OK && help_of_group(c, argc, argv)) {
        return IA_OK;
    }
    if (rc == IA_OK) {
        rc = ia_args_parse(&c->args, c->command->opts, argc - words, argv + words, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    if (ia_args_has(&c->args, "help")) {
        ia_help_command(c->command, &c->text);
        return IA_OK;
    }
    rc = ia_command_check(c->commands, c->command, &c->args, err);
    if (rc != IA_OK) {
        return rc;
    }
    return c->command->verb && ia_handover_wanted(c) ? ia_handover(c, c->command->verb, err)
                                                     : run_here(c, err);
}

/* The words that people try before they know the commands. */
static char *spelled_as_command(char *word)
{
    static char help[] = "help";
    static char version[] = "version";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return help;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        return version;
    }
    return word;
}

static enum ia_rc no_command(struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no command given");
    ia_err_hint(err, "ios-agent help lists the commands");
    return rc;
}

int main(int argc, char **argv)
{
    static struct ia_cli c;
    struct ia_err err = {.code = IA_OK};
    fill_standard_fds();
    ignore_write_signals();
    enum ia_rc rc;
    c.commands = ia_commands;
    c.program = argc > 0 ? argv[0] : "ios-agent";
    c.text = IA_BUF(IA_CLI_OUTPUT_MAX);
    c.result = IA_BUF(IA_CLI_OUTPUT_MAX);
    c.json = wants_json(argc, argv);
    ia_jsonw_init(&c.w, &c.result);
    if (argc < 2) {
        rc = no_command(&err);
    } else {
        argv[1] = spelled_as_command(argv[1]);
        rc = run_command(&c, argc - 1, argv + 1, &err);
    }
    int status = c.handed_over ? c.exit_status : ia_cli_finish(&c, rc, &err);
    ia_buf_fini(&c.text);
    ia_buf_fini(&c.result);
    ia_credentials_fini(&c.credentials);
    return status;
}
