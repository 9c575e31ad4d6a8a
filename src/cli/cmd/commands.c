#include "base/suggest.h"
#include "cli/command/command.h"
#include "cli/options/options.h"

#include <string.h>

enum { COMMANDS_MAX = 64 };

static const struct ia_opt plain_opts[] = {IA_OPTS_END};

static const struct ia_opt key_set_opts[] = {
    {.name = "passphrase", .kind = IA_OPT_FLAG, .help = "seal the key with a passphrase"},
    IA_OPTS_END,
};

static const char key_set_details[] =
    "The key is typed at the terminal without echo, or comes from stdin: it is never an "
    "argument.\n"
    "It is sealed with a key file (mode 600) in the data folder, or with a passphrase, which "
    "is\n"
    "typed, or read from the file that IOS_AGENT_PASSPHRASE_FILE names.\n";

static const char daemon_details[] =
    "Resumes what was interrupted, does queued runs, each device one at a time, and fires\n"
    "schedules. One line an event on stdout. Ctrl-C or SIGTERM: the tools in hand are "
    "finished,\n"
    "their runs go back to the queue and are resumed at the next start.\n";

static const struct ia_opt daemon_install_opts[] = {
    {.name = "print", .kind = IA_OPT_FLAG, .help = "show the file, and write nothing"},
    {.name = "for",
     .kind = IA_OPT_CHOICE,
     .value = "launchd|systemd",
     .help = "whose file (default: of this system)"},
    {.name = "force", .kind = IA_OPT_FLAG, .help = "replace a file that says something else"},
    IA_OPTS_END,
};

static const struct ia_opt daemon_uninstall_opts[] = {
    {.name = "for",
     .kind = IA_OPT_CHOICE,
     .value = "launchd|systemd",
     .help = "whose file (default: of this system)"},
    IA_OPTS_END,
};

static const char daemon_install_details[] =
    "Writes a launchd agent (macOS: ~/Library/LaunchAgents) or a systemd user unit\n"
    "(~/.config/systemd/user) that starts ios-agent daemon with this IOS_AGENT_HOME and PATH,\n"
    "and tells the command that starts it. Another IOS_AGENT_HOME gets a service of its own.\n";

const struct ia_command ia_commands[] = {
    {.name = "run",
     .operands = "GOAL",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_run_opts,
     .run = ia_cmd_run,
     .summary = "do a goal on a device, and prove it",
     .details = ia_run_details},
    {.name = "sweep",
     .operands = "FILE_OR_FOLDER...",
     .operands_max = IA_ARGS_MAX,
     .opts = ia_sweep_opts,
     .run = ia_cmd_sweep,
     .summary = "do a batch of goals, on several devices at once",
     .details = ia_sweep_details},
    {.name = "runs",
     .opts = ia_runs_opts,
     .run = ia_cmd_runs,
     .summary = "list runs, newest first"},
    {.name = "show",
     .operands = "ID",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_show_opts,
     .run = ia_cmd_show,
     .summary = "show what happened in a run",
     .details = "ID may be the start or the end of an id, when just one run has it.\n"},
    {.name = "report",
     .operands = "ID",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_report_opts,
     .run = ia_cmd_report,
     .summary = "make a report of a run or a sweep",
     .details = ia_report_details},
    {.name = "history",
     .operands = "GOAL",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_history_opts,
     .run = ia_cmd_history,
     .summary = "how often a goal passed, and what it took",
     .details = "GOAL is its name, as sweeps and schedules give it, or its whole text.\n"},
    {.name = "cancel",
     .operands = "ID",
     .operands_min = 1,
     .operands_max = 1,
     .opts = plain_opts,
     .run = ia_cmd_cancel,
     .summary = "stop a run, from any terminal"},
    {.name = "daemon",
     .opts = plain_opts,
     .run = ia_cmd_daemon,
     .summary = "do the runs that wait, until it is stopped",
     .details = daemon_details},
    {.name = "daemon install",
     .opts = daemon_install_opts,
     .run = ia_cmd_daemon_install,
     .summary = "have the system keep the daemon running",
     .details = daemon_install_details},
    {.name = "daemon uninstall",
     .opts = daemon_uninstall_opts,
     .run = ia_cmd_daemon_uninstall,
     .summary = "remove what daemon install wrote"},
    {.name = "schedule add",
     .operands = "GOAL",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_schedule_add_opts,
     .run = ia_cmd_schedule_add,
     .summary = "repeat a goal: by a cron expression, an interval, or once",
     .details = ia_schedule_add_details},
    {.name = "schedule list",
     .opts = plain_opts,
     .run = ia_cmd_schedule_list,
     .summary = "list schedules and when they fire next"},
    {.name = "schedule show",
     .operands = "NAME",
     .operands_min = 1,
     .operands_max = 1,
     .opts = plain_opts,
     .run = ia_cmd_schedule_show,
     .summary = "show one with its next fires"},
    {.name = "schedule edit",
     .operands = "NAME [GOAL]",
     .operands_min = 1,
     .operands_max = 2,
     .opts = ia_schedule_edit_opts,
     .run = ia_cmd_schedule_edit,
     .summary = "change what it does, or when",
     .details = ia_schedule_edit_details},
    {.name = "schedule pause",
     .operands = "NAME",
     .operands_min = 1,
     .operands_max = 1,
     .opts = plain_opts,
     .run = ia_cmd_schedule_pause,
     .summary = "fire no more; its runs that wait are cancelled"},
    {.name = "schedule resume",
     .operands = "NAME",
     .operands_min = 1,
     .operands_max = 1,
     .opts = plain_opts,
     .run = ia_cmd_schedule_resume,
     .summary = "fire again from now on"},
    {.name = "schedule run-now",
     .operands = "NAME",
     .operands_min = 1,
     .operands_max = 1,
     .opts = plain_opts,
     .run = ia_cmd_schedule_run_now,
     .summary = "queue a run of it beside its fires"},
    {.name = "schedule history",
     .operands = "NAME",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_schedule_history_opts,
     .run = ia_cmd_schedule_history,
     .summary = "show what became of each fire, newest first"},
    {.name = "schedule remove",
     .operands = "NAME",
     .operands_min = 1,
     .operands_max = 1,
     .opts = plain_opts,
     .run = ia_cmd_schedule_remove,
     .summary = "delete it; its runs stay"},
    {.name = "schedule tick",
     .opts = plain_opts,
     .run = ia_cmd_schedule_tick,
     .summary = "fire what is due and do what waits, once",
     .details = ia_schedule_tick_details},
    {.name = "resume",
     .operands = "[RUN]",
     .operands_max = 1,
     .opts = ia_resume_opts,
     .run = ia_cmd_resume,
     .summary = "go on with runs that were interrupted",
     .details = ia_resume_details},
    {.name = "say",
     .operands = "RUN TEXT",
     .operands_min = 2,
     .operands_max = 2,
     .opts = ia_label_opts,
     .run = ia_cmd_say,
     .summary = "tell a run something; it reads it with its next turn"},
    {.name = "snapshot",
     .opts = ia_snapshot_opts,
     .run = ia_cmd_snapshot,
     .summary = "show what the model sees of a screen",
     .details = ia_snapshot_details},
    {.name = "diff",
     .operands = "A B",
     .operands_min = 2,
     .operands_max = 2,
     .opts = ia_diff_opts,
     .run = ia_cmd_diff,
     .summary = "show what changed between two trees",
     .details = ia_diff_details},
    {.name = "bridge build",
     .opts = ia_bridge_build_opts,
     .run = ia_cmd_bridge_build,
     .summary = "build the runner that drives simulators",
     .details = ia_bridge_build_details},
    {.name = "bridge start",
     .operands = "[NAME]",
     .operands_max = 1,
     .opts = ia_bridge_start_opts,
     .run = ia_cmd_bridge_start,
     .summary = "start it on a simulator, or find the one that runs",
     .details = ia_bridge_start_details},
    {.name = "bridge stop",
     .operands = "[NAME]",
     .operands_max = 1,
     .opts = ia_bridge_stop_opts,
     .run = ia_cmd_bridge_stop,
     .summary = "stop it"},
    {.name = "bridge status",
     .operands = "[NAME]",
     .operands_max = 1,
     .opts = ia_bridge_status_opts,
     .run = ia_cmd_bridge_status,
     .summary = "show which runners there are, and whether they answer"},
    {.name = "bridge logs",
     .operands = "[NAME]",
     .operands_max = 1,
     .opts = ia_bridge_logs_opts,
     .run = ia_cmd_bridge_logs,
     .summary = "show what a runner wrote"},
    {.name = "devices",
     .opts = ia_devices_opts,
     .run = ia_cmd_devices,
     .summary = "list simulators, and the phones that this program simulates",
     .details = ia_devices_details},
    {.name = "list-sims",
     .opts = ia_devices_opts,
     .run = ia_cmd_devices,
     .summary = "another name of devices",
     .details = ia_devices_details},
    {.name = "boot",
     .operands = "[SIM]",
     .operands_max = 1,
     .opts = ia_boot_opts,
     .run = ia_cmd_boot,
     .summary = "boot a simulator, and wait until it is ready",
     .details = ia_boot_details},
    {.name = "shutdown",
     .operands = "[SIM]",
     .operands_max = 1,
     .opts = ia_sim_opts,
     .run = ia_cmd_shutdown,
     .summary = "shut a simulator down"},
    {.name = "reset-sim",
     .operands = "[SIM]",
     .operands_max = 1,
     .opts = ia_reset_sim_opts,
     .run = ia_cmd_reset_sim,
     .summary = "erase a simulator: contents and settings as new",
     .details = ia_reset_sim_details},
    {.name = "install",
     .operands = "APP",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_sim_opts,
     .run = ia_cmd_install,
     .summary = "install an .app folder on a simulator"},
    {.name = "uninstall",
     .operands = "BUNDLE",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_sim_opts,
     .run = ia_cmd_uninstall,
     .summary = "remove an app from a simulator"},
    {.name = "launch",
     .operands = "BUNDLE [-- ARG...]",
     .operands_min = 1,
     .operands_max = IA_ARGS_MAX,
     .opts = ia_launch_opts,
     .run = ia_cmd_launch,
     .summary = "start an app",
     .details = ia_launch_details},
    {.name = "terminate",
     .operands = "BUNDLE",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_app_opts,
     .run = ia_cmd_terminate,
     .summary = "end an app"},
    {.name = "open-url",
     .operands = "URL",
     .operands_min = 1,
     .operands_max = 1,
     .opts = ia_app_opts,
     .run = ia_cmd_open_url,
     .summary = "open a URL, in the app that takes it"},
    {.name = "key set",
     .opts = key_set_opts,
     .run = ia_cmd_key_set,
     .summary = "store the API key, sealed",
     .details = key_set_details},
    {.name = "key status",
     .opts = plain_opts,
     .run = ia_cmd_key_status,
     .summary = "tell which key is stored and which is used"},
    {.name = "key remove",
     .opts = plain_opts,
     .run = ia_cmd_key_remove,
     .summary = "delete the stored key"},
    {.name = "doctor",
     .opts = plain_opts,
     .run = ia_cmd_doctor,
     .summary = "check every part, and say what mends it"},
    {.name = "config",
     .opts = plain_opts,
     .run = ia_cmd_config,
     .summary = "show every setting and where it comes from"},
    {.name = "config path",
     .opts = plain_opts,
     .run = ia_cmd_config_path,
     .summary = "show where the files are looked for"},
    {.name = "embedded state",
     .opts = ia_embedded_opts,
     .run = ia_cmd_embedded_state,
     .summary = "show what is true on a simulated phone (JSON)"},
    {.name = "embedded log",
     .opts = ia_embedded_opts,
     .run = ia_cmd_embedded_log,
     .summary = "show every operation that reached it (JSON)"},
    {.name = "embedded bugs",
     .opts = ia_bugs_opts,
     .run = ia_cmd_embedded_bugs,
     .summary = "list the bugs and faults that can be planted, or plant bugs",
     .details = ia_bugs_details},
    {.name = "embedded serve",
     .opts = ia_embedded_serve_opts,
     .run = ia_cmd_embedded_serve,
     .summary = "serve a simulated phone over the wire of the bridge",
     .details = ia_embedded_serve_details},
    {.name = "mock-api",
     .opts = ia_mock_api_opts,
     .run = ia_cmd_mock_api,
     .summary = "serve a strict double of the Messages API",
     .details = ia_mock_api_details},
    {.name = "version",
     .opts = plain_opts,
     .run = ia_cmd_version,
     .summary = "show the version"},
    {.name = "help",
     .operands = "[COMMAND]",
     .operands_max = 2,
     .opts = plain_opts,
     .run = ia_cmd_help,
     .summary = "show the commands, or one command's help"},
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
    const char *names[COMMANDS_MAX];
    size_t count = 0;
    for (const struct ia_command *cmd = ia_commands; cmd->name && count < COMMANDS_MAX; cmd++) {
        names[count++] = cmd->name;
    }
    const char *best = ia_nearest(ia_buf_str(&word), names, count);
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "unknown command \"%s\"", ia_buf_cstr(&word));
    if (grouped) {
        ia_err_hint(err, "see ios-agent help %s", argv[0]);
    } else if (best) {
        ia_err_hint(err, "did you mean ios-agent %s?", best);
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
