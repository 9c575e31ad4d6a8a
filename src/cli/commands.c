#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/treefile.h"

#include <string.h>

enum { COMMANDS_MAX = 64 };

static const struct ia_opt plain_opts[] = {IA_OPTS_END};

static const struct ia_opt run_opts[] = {
    IA_RUN_OPTS,
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line for each event"},
    IA_OPTS_END,
};

static const char run_details[] =
    "GOAL says in plain words what is to be done; quote it. An EXPECTATION is checked by code\n"
    "on the last screen:\n"
    "  visible SEL          gone SEL          value SEL = \"text\"\n"
    "  text \"substring\"     app BUNDLE\n"
    "SEL is #identifier, \"label\", role \"label\", or role. A switch has the value on or "
    "off.\n"
    "\n"
    "The key is taken from ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN (bearer) or ios-agent key\n"
    "set. Without one the demo brain answers: it follows literal steps and does not reason.\n"
    "Ctrl-C stops the run safely; a second one ends the program at once.\n";

static const struct ia_opt sweep_opts[] = {
    {.name = "tag",
     .kind = IA_OPT_TEXT,
     .value = "T",
     .help = "only goals with this tag, and what they need",
     .repeat = true},
    {.name = "goal",
     .kind = IA_OPT_TEXT,
     .value = "NAME",
     .help = "only the goal of this name, and what it needs",
     .repeat = true},
    {.name = "shard", .kind = IA_OPT_TEXT, .value = "K/N", .help = "only the K-th of N parts"},
    {.name = "var",
     .kind = IA_OPT_TEXT,
     .value = "NAME=VALUE",
     .help = "set a variable of the goals",
     .repeat = true},
    {.name = "jobs",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "simulated phones of its own (default queue.max_runs)",
     .min = 1,
     .max = 64},
    {.name = "device",
     .kind = IA_OPT_TEXT,
     .value = "NAME",
     .help = "use this device instead; one job each",
     .repeat = true},
    {.name = "repeat",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "run each goal so often, and tell the pass rate",
     .min = 1,
     .max = 1000},
    {.name = "retries",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "try a goal that failed again from fresh state",
     .max = 20},
    {.name = "fail-fast",
     .kind = IA_OPT_FLAG,
     .help = "start nothing after a goal that failed"},
    {.name = "max-usd",
     .kind = IA_OPT_REAL,
     .value = "X",
     .help = "dollars of the whole sweep at most; 0: no limit"},
    {.name = "max-seconds",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "seconds of the whole sweep at most; 0: no limit",
     .max = 604800},
    {.name = "report-dir",
     .kind = IA_OPT_TEXT,
     .value = "D",
     .help = "write HTML, JUnit, JSON, Markdown and CTRF there"},
    {.name = "dry-run", .kind = IA_OPT_FLAG, .help = "show what would run, and run nothing"},
    {.name = "resume",
     .kind = IA_OPT_TEXT,
     .value = "ID",
     .help = "go on with a sweep that was stopped or killed"},
    {.name = "model", .kind = IA_OPT_TEXT, .value = "ID", .help = "the model that acts"},
    {.name = "verifier-model",
     .kind = IA_OPT_TEXT,
     .value = "ID",
     .help = "the model that checks a pass (default: the same)"},
    {.name = "verify",
     .kind = IA_OPT_CHOICE,
     .value = "auto|always|off",
     .help = "check a pass; auto: without expectations"},
    {.name = "effort",
     .kind = IA_OPT_CHOICE,
     .value = "low|medium|high|xhigh|max",
     .help = "effort asked of the model"},
    {.name = "pictures",
     .kind = IA_OPT_CHOICE,
     .value = "end|steps|off",
     .help = "pictures that are kept (default end; steps with --report-dir)"},
    {.name = "demo",
     .kind = IA_OPT_FLAG,
     .help = "use the demo brain even where there is a key"},
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line for each event"},
    IA_OPTS_END,
};

static const char sweep_details[] =
    "Goal files are TOML (docs/goals.md); of a folder every *.toml below it is read. "
    "Everything\n"
    "is checked before the first goal runs. Without --device the sweep has simulated phones "
    "of\n"
    "its own, and every run on them begins in factory state. Ctrl-C finishes the tools in "
    "hand;\n"
    "--resume goes on. The exit status is the highest of the goals'.\n";

static const struct ia_opt runs_opts[] = {
    {.name = "limit",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "how many (default 20)",
     .min = 1,
     .max = 10000},
    {.name = "state",
     .kind = IA_OPT_TEXT,
     .value = "STATE",
     .help = "only this state, or unfinished"},
    {.name = "device", .kind = IA_OPT_TEXT, .value = "LANE", .help = "only this device"},
    IA_OPTS_END,
};

static const struct ia_opt show_opts[] = {
    {.name = "transcript",
     .kind = IA_OPT_FLAG,
     .help = "also what was said to the model, and by it"},
    IA_OPTS_END,
};

static const struct ia_opt resume_opts[] = {
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line for each event"},
    IA_OPTS_END,
};

static const char resume_details[] =
    "Without RUN: every run whose process died, that was interrupted, or that waits for "
    "another\n"
    "try. A call whose result is known is never made again; of one that was under way the "
    "model\n"
    "is told that it has to look first. The exit status is the worst of the runs.\n";

static const struct ia_opt say_opts[] = {
    {.name = "from",
     .kind = IA_OPT_TEXT,
     .value = "NAME",
     .help = "who says it (default user)"},
    IA_OPTS_END,
};

static const struct ia_opt report_opts[] = {
    {.name = "format",
     .kind = IA_OPT_CHOICE,
     .value = "html|junit|json|md|ctrf",
     .help = "what is made of it (default html)"},
    {.name = "out",
     .kind = IA_OPT_TEXT,
     .value = "PATH",
     .help = "html: a folder, or NAME.html; else a file; - is stdout"},
    {.name = "junit-flavor",
     .kind = IA_OPT_CHOICE,
     .value = "rich|strict",
     .help = "strict: only what every schema allows"},
    IA_OPTS_END,
};

static const char report_details[] =
    "ID is of a run or a sweep; the start or the end of an id is enough when just one has it.\n"
    "html goes to the folder ios-agent-report where --out does not say, and opens from there\n"
    "without a network; the other formats go to stdout. A report can be made again at any "
    "time,\n"
    "also of a run that still runs.\n";

static const struct ia_opt history_opts[] = {
    {.name = "limit",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "newest runs to look at (default 20)",
     .min = 1,
     .max = 10000},
    IA_OPTS_END,
};

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

static const struct ia_opt mock_api_opts[] = {
    {.name = "port",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "port on 127.0.0.1; 0: any free one (default)",
     .max = 65535},
    {.name = "brain", .kind = IA_OPT_CHOICE, .value = "demo", .help = "who answers (default)"},
    {.name = "script", .kind = IA_OPT_TEXT, .value = "FILE", .help = "answer by this script"},
    {.name = "fault", .kind = IA_OPT_TEXT, .value = "SPEC", .help = "inject faults"},
    {.name = "seed",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "of probabilities and chunk sizes",
     .max = INT64_MAX},
    {.name = "latency-ms",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "wait before every answer",
     .max = 600000},
    {.name = "pace-ms",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "wait between two events of a stream",
     .max = 600000},
    IA_OPTS_END,
};

static const char bugs_details[] =
    "A phone's name can ask for them too, and for faults:\n"
    "  --device \"embedded:qa?bugs=shop-total&faults=popup@5,slow-tree:300&seed=7\"\n"
    "Bugs stay on that phone until others are set or it is made anew with --fresh; faults "
    "last\n"
    "for the one command. A goal's setup can open embedded://?bugs=LIST: till the next "
    "reset.\n";

static const char mock_api_details[] =
    "A strict double of the Messages API on loopback. It prints its URL on stdout, serves "
    "until\n"
    "a signal comes, and then prints what happened on stderr. SPEC is a comma list of\n"
    "NAME[@N[-M]][:ARG], for example 429@1:retry-after=1,529:0.3,cut@4:5. Names: 400 401 402\n"
    "403 404 409 413 429 500 503 504 529 spend-limit html502 html413 error-event cut reset\n"
    "stall garbage.\n";

static const struct ia_opt embedded_opts[] = {
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_PHONE},
    IA_OPTS_END,
};

static const struct ia_opt embedded_serve_opts[] = {
    {.name = "port",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "listen there; 0, the default: any free port",
     .max = 65535},
    {.name = "name",
     .kind = IA_OPT_TEXT,
     .value = "PHONE",
     .help = "which phone: default, or \"qa?faults=popup@5\""},
    {.name = "fresh", .kind = IA_OPT_FLAG, .help = "forget what was done to it"},
    {.name = "token-file",
     .kind = IA_OPT_TEXT,
     .value = "FILE",
     .help = "write the token there instead of beside the phone"},
    {.name = "no-token", .kind = IA_OPT_FLAG, .help = "ask no client for a token"},
    IA_OPTS_END,
};

static const char embedded_serve_details[] =
    "Serves on 127.0.0.1 what the bridge to a real device serves, to any client of its wire, "
    "until\n"
    "a signal comes. Prints one line when it is ready: the address, and the file with the "
    "token\n"
    "that a client has to know (for this user only, removed at the end). The classic requests\n"
    "of the wire know no token: they need --no-token.\n";

static const struct ia_opt bugs_opts[] = {
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_PHONE},
    {.name = "set",
     .kind = IA_OPT_TEXT,
     .value = "LIST",
     .help = "plant exactly these on that phone: NAME,NAME or all or none"},
    IA_OPTS_END,
};

static const struct ia_opt snapshot_opts[] = {
    {.name = "text", .kind = IA_OPT_FLAG, .help = "the text form (default)"},
    {.name = "rows", .kind = IA_OPT_FLAG, .help = "ref|action|role|label|value|identifier"},
    {.name = "next", .kind = IA_OPT_FLAG, .help = "also what would probably be tried next"},
    {.name = "max-bytes",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "leave out the least useful beyond this size (default 12000)",
     .min = 100,
     .max = 1000000},
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_DEVICE},
    {.name = "from",
     .kind = IA_OPT_TEXT,
     .value = "FILE",
     .help = "a tree that another tool printed; - is standard input"},
    {.name = "source",
     .kind = IA_OPT_CHOICE,
     .value = IA_TREEFILE_SOURCES,
     .help = "who printed it"},
    {.name = "annotate",
     .kind = IA_OPT_TEXT,
     .value = "OUT.png",
     .help = "write the screenshot with refs and a legend"},
    {.name = "screenshot",
     .kind = IA_OPT_FLAG,
     .help = "with --json: put the screenshot into it, in points"},
    IA_OPTS_END,
};

static const char snapshot_details[] =
    "One line an element, in reading order: ref, role, states, label, value. Refs count from "
    "1\n"
    "in every snapshot that this command takes. With --from there is no screenshot, and\n"
    "--annotate draws on a blank screen.\n";

static const struct ia_opt diff_opts[] = {
    {.name = "source",
     .kind = IA_OPT_CHOICE,
     .value = IA_TREEFILE_SOURCES,
     .help = "who printed the files"},
    {.name = "max-bytes",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "at most this size (default 12000)",
     .min = 100,
     .max = 1000000},
    IA_OPTS_END,
};

static const char diff_details[] =
    "A and B are trees that another tool printed; - is standard input. Lines begin with + for\n"
    "what appeared, - for what is gone, ~ for what reads differently.\n";

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
     .opts = run_opts,
     .run = ia_cmd_run,
     .summary = "do a goal on a device, and prove it",
     .details = run_details},
    {.name = "sweep",
     .operands = "FILE_OR_FOLDER...",
     .operands_max = IA_ARGS_MAX,
     .opts = sweep_opts,
     .run = ia_cmd_sweep,
     .summary = "do a batch of goals, on several devices at once",
     .details = sweep_details},
    {.name = "runs",
     .opts = runs_opts,
     .run = ia_cmd_runs,
     .summary = "list runs, newest first"},
    {.name = "show",
     .operands = "ID",
     .operands_min = 1,
     .operands_max = 1,
     .opts = show_opts,
     .run = ia_cmd_show,
     .summary = "show what happened in a run",
     .details = "ID may be the start or the end of an id, when just one run has it.\n"},
    {.name = "report",
     .operands = "ID",
     .operands_min = 1,
     .operands_max = 1,
     .opts = report_opts,
     .run = ia_cmd_report,
     .summary = "make a report of a run or a sweep",
     .details = report_details},
    {.name = "history",
     .operands = "GOAL",
     .operands_min = 1,
     .operands_max = 1,
     .opts = history_opts,
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
     .opts = resume_opts,
     .run = ia_cmd_resume,
     .summary = "go on with runs that were interrupted",
     .details = resume_details},
    {.name = "say",
     .operands = "RUN TEXT",
     .operands_min = 2,
     .operands_max = 2,
     .opts = say_opts,
     .run = ia_cmd_say,
     .summary = "tell a run something; it reads it with its next turn"},
    {.name = "snapshot",
     .opts = snapshot_opts,
     .run = ia_cmd_snapshot,
     .summary = "show what the model sees of a screen",
     .details = snapshot_details},
    {.name = "diff",
     .operands = "A B",
     .operands_min = 2,
     .operands_max = 2,
     .opts = diff_opts,
     .run = ia_cmd_diff,
     .summary = "show what changed between two trees",
     .details = diff_details},
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
     .opts = embedded_opts,
     .run = ia_cmd_embedded_state,
     .summary = "show what is true on a simulated phone (JSON)"},
    {.name = "embedded log",
     .opts = embedded_opts,
     .run = ia_cmd_embedded_log,
     .summary = "show every operation that reached it (JSON)"},
    {.name = "embedded bugs",
     .opts = bugs_opts,
     .run = ia_cmd_embedded_bugs,
     .summary = "list the bugs and faults that can be planted, or plant bugs",
     .details = bugs_details},
    {.name = "embedded serve",
     .opts = embedded_serve_opts,
     .run = ia_cmd_embedded_serve,
     .summary = "serve a simulated phone over the wire of the bridge",
     .details = embedded_serve_details},
    {.name = "mock-api",
     .opts = mock_api_opts,
     .run = ia_cmd_mock_api,
     .summary = "serve a strict double of the Messages API",
     .details = mock_api_details},
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
