/* The commands: one row each. The help, the hints for a misspelt name and the tests read this table. */
#include "cli/cmd/cmd.h"
#include "cli/docs/docs.h"
#include "cli/doctor/doctor.h"
#include "cli/options/options.h"
#include "server/verbs/verbs.h"

static const struct ia_opt plain_opts[] = {IA_OPTS_END};

static const struct ia_opt skills_trust_opts[] = {
    IA_OPTION(TEXT, "grant", "SECRET", "a variable of its secrets that its programs get",
              .repeat = true),
    IA_OPTS_END,
};

static const struct ia_opt skills_new_opts[] = {
    IA_FLAG("user", "beside your own configuration instead of in the project"),
    IA_OPTS_END,
};

static const struct ia_opt answer_opts[] = {
    IA_OPTION(TEXT, "note", "TEXT",
              "what the agent is told with a denial; kept with the answer"),
    IA_OPTS_END,
};

static const struct ia_opt questions_opts[] = {
    IA_FLAG("all", "also those that were answered"),
    IA_OPTS_END,
};

static const struct ia_opt doctor_opts[] = {
    IA_OPTION(TEXT, "device", "NAME", IA_HELP_DEVICE),
    IA_OPTS_END,
};

static const struct ia_opt key_set_opts[] = {
    IA_FLAG("passphrase", "seal the key with a passphrase"),
    IA_OPTS_END,
};

static const char key_set_details[] =
    "The key is typed at the terminal without echo, or read from stdin; it is never an "
    "argument.\n"
    "It is sealed with a key file (mode 600) in the data folder, or with a passphrase, which "
    "is\n"
    "typed, or read from the file that IOS_AGENT_PASSPHRASE_FILE names.\n";

static const struct ia_opt secret_set_opts[] = {
    IA_FLAG("passphrase", "seal it with a passphrase"),
    IA_OPTS_END,
};

static const char secret_set_details[] =
    "The value is typed at the terminal without echo, or read from stdin; it is never an "
    "argument.\nIt is sealed as the API key is. A run that names it (--secret NAME, or secrets "
    "= "
    "[\"NAME\"] in a goal\nfile) takes it from the environment variable NAME where there is "
    "one, "
    "else from here. A daemon cannot\nask for a passphrase: what it is to type is sealed "
    "without.\n";

static const char daemon_details[] =
    "Resumes interrupted runs, runs what is queued (one run at a time on each device), starts\n"
    "schedules, and does the device commands of this data folder. Prints one line per event. A "
    "daemon that\n"
    "a device command started in the background makes way for this one. Ctrl-C, SIGTERM or "
    "SIGHUP finishes the actions in "
    "progress and\n"
    "puts their runs back into the queue; they are resumed at the next start.\n";

#define FLEET_OPT                                                                              \
    IA_OPTION(TEXT, "fleet", "URL", "the NATS server of the fleet (default fleet.url)")
static const struct ia_opt fleet_opts[] = {FLEET_OPT, IA_OPTS_END};

static const struct ia_opt worker_opts[] = {
    FLEET_OPT,
    IA_OPTION(TEXT, "labels", "NAME=VALUE,...", "what these devices are, such as os=26"),
    IA_OPTION(TEXT, "device", "NAME", "a device to use, one run at a time", .repeat = true),
    IA_OPTION(INT, "jobs", "N", "number of simulated phones of its own (default 1)", .min = 1,
              .max = 64),
    IA_OPTION(TEXT, "name", "NAME",
              "of this worker (default: of the machine and the data folder)"),
    IA_OPTION(TEXT, "listen", "ADDRESS:PORT",
              "where pictures are fetched (default 127.0.0.1 and a free port)"),
    IA_OPTION(TEXT, "url", "URL",
              "by which others reach that, such as http://mac-7.local:7070"),
    IA_OPTS_END,
};

static const char worker_details[] =
    "Pulls runs that \"sweep --fleet\" submits, for as many devices as are free, and does them "
    "as\n"
    "\"run\" does: with the key, the policy and the limits of this machine. The first Ctrl-C "
    "or\n"
    "SIGTERM finishes what is in hand; the second ends at once, and another worker gets it\n"
    "(docs/fleet.md).\n";

static const struct ia_opt daemon_opts[] = {
    IA_FLAG("http", "also serve this machine by HTTP, on PORT or a free one"),
    IA_OPTS_END,
};

static const struct ia_opt daemon_stop_opts[] = {
    IA_FLAG("now",
            "interrupt its runs, which the next daemon resumes, instead of waiting for them"),
    IA_OPTS_END,
};

static const struct ia_opt daemon_token_opts[] = {
    IA_FLAG("new", "make a new one, which invalidates the old one"),
    IA_OPTS_END,
};

static const struct ia_opt dashboard_opts[] = {
    IA_FLAG("view-only", "a page that shows and changes nothing"),
    IA_FLAG("print", "print the address, and open no browser"),
    IA_OPTS_END,
};

static const char dashboard_details[] = "The page comes from the daemon of this data folder, "
                                        "which this command starts where there\n"
                                        "is none, and is for this machine alone. The address "
                                        "works once, within a minute; each call\n"
                                        "makes a new one. Pages that are open stay open, and "
                                        "one whose daemon was restarted goes on\n"
                                        "when the dashboard is opened again.\n";

static const char daemon_token_details[] =
    "Whoever asks a daemon with --http shows this token: \"Authorization: Bearer TOKEN\". It "
    "is "
    "made\n"
    "when it is asked for first, and kept in the data folder (daemon.token, mode 600).\n";

static const struct ia_opt daemon_install_opts[] = {
    IA_FLAG("print", "show the file and write nothing"),
    IA_OPTION(CHOICE, "for", "launchd|systemd",
              "the system the file is for (default: this one)"),
    IA_FLAG("force", "replace an existing file with other content"),
    IA_OPTS_END,
};

static const struct ia_opt daemon_uninstall_opts[] = {
    IA_OPTION(CHOICE, "for", "launchd|systemd",
              "the system the file is for (default: this one)"),
    IA_OPTS_END,
};

static const char daemon_install_details[] =
    "Writes a launchd agent (macOS: ~/Library/LaunchAgents) or a systemd user unit\n"
    "(~/.config/systemd/user) that starts ios-agent daemon with this IOS_AGENT_HOME and PATH,\n"
    "and prints the command that starts it. Each IOS_AGENT_HOME gets its own service.\n";

static const char forward_details[] =
    "IPHONE is a UDID, or the name that `ios-agent devices` shows. PORT is the iPhone's, LOCAL "
    "this computer's, on 127.0.0.1; without LOCAL the system "
    "chooses a free\n"
    "one. Prints the address, then carries connections until a signal comes. Everybody on this "
    "computer\n"
    "can connect, and WebDriverAgent asks for no password: to drive the iPhone with ios-agent "
    "use\n"
    "--device iphone:UDID instead, which needs no port here.\n";

static const char config_set_details[] =
    "Changes one line of the user's file (ios-agent config path shows it) and keeps the rest, "
    "comments too.\nA value that loading the file would refuse is refused, and so is a file "
    "that "
    "does not load.\nA running daemon uses the value for the next run; where it listens, its "
    "prompts and what it\nnotifies through are as they were when it started.\n";

/* A verb's row: its words and options are the verb's own. */
#define VERB_ROW(id, name_, operands_, flags, summary_, examples_)                             \
    {.name = (name_),                                                                          \
     .operands = (operands_),                                                                  \
     .opts = ia_verb_##id##_opts,                                                              \
     .run = ia_cmd_verb,                                                                       \
     .summary = (summary_),                                                                    \
     .examples = (examples_),                                                                  \
     .verb = (name_)},

/* ia_cmd_<fn>, the name, the operands (NULL: none) and how many they may be, the options, the summary; other
 * members follow the summary. */
#define COMMAND(fn, name_, operands_, min, max, opts_, ...)                                    \
    {                                                                                          \
        .name = (name_), .operands = (operands_), .operands_min = (min),                       \
        .operands_max = (max), .opts = (opts_), .run = ia_cmd_##fn, .summary = __VA_ARGS__     \
    }

const struct ia_command ia_commands[] = {
    COMMAND(
        run, "run", "GOAL", 1, 1, ia_run_opts, "run a goal on a device and prove the result",
        .details = ia_run_details,
        .examples =
            "ios-agent run \"open Settings, turn on Airplane Mode\" --fresh\n"
            "ios-agent run \"add a contact named Ada\" --expect 'visible \"Ada\"' --max-usd 1\n"
            "ios-agent run \"log in with {{secret:PIN}}\" --secret PIN --json\n"),
    COMMAND(sweep, "sweep", "FILE_OR_FOLDER...", 0, IA_ARGS_MAX, ia_sweep_opts,
            "run many goals, on several devices at once", .details = ia_sweep_details,
            .examples = "ios-agent sweep goals --jobs 4 --report-dir report\n"
                        "ios-agent sweep goals/shop.toml --tag smoke --retries 1 --max-usd 2\n"
                        "ios-agent sweep goals --watch --watch-path build/App.app\n"
                        "ios-agent sweep --resume last\n"),
    COMMAND(eval, "eval", "[FILE_OR_FOLDER...]", 0, IA_ARGS_MAX, ia_eval_opts,
            "measure a model by the phone's own state", .details = ia_eval_details,
            .examples = "ios-agent eval --demo\n"
                        "ios-agent eval --seeds 3 --wordings 2 --jobs 8 --report-dir eval\n"
                        "ios-agent eval evals/shop.toml --tag shop --repeat 5 --max-usd 3\n"),
    COMMAND(eval_show, "eval show", "ID", 1, 1, plain_opts, "show what an evaluation measured",
            .examples = "ios-agent eval show 0199a1b2\n"),
    COMMAND(
        eval_compare, "eval compare", "A B", 2, 2, ia_compare_opts,
        "compare two evaluations goal by goal",
        .details =
            "Pairs the goals that both ran, and prints the 95 % interval of the difference of\n"
            "their success rates.\n",
        .examples = "ios-agent eval compare 0199a1b2 0199c3d4 --out compared.html\n"),
    COMMAND(runs, "runs", NULL, 0, 0, ia_runs_opts, "list runs, newest first",
            .examples = "ios-agent runs --limit 5\n"),
    COMMAND(sweeps, "sweeps", NULL, 0, 0, ia_sweeps_opts, "list sweeps, newest first",
            .examples = "ios-agent sweeps --limit 5\n"),
    COMMAND(show, "show", "ID", 1, 1, ia_show_opts, "show what happened in a run or a sweep",
            .details = "ID may be the start or the end of an id if only one matches; last is "
                       "the newest.\n",
            .examples = "ios-agent show last\n"
                        "ios-agent show last --transcript\n"
                        "ios-agent show last --tree\n"),
    COMMAND(report, "report", "ID", 1, 1, ia_report_opts, "write a report of a run or a sweep",
            .details = ia_report_details,
            .examples = "ios-agent report last\n"
                        "ios-agent report last --format junit --out junit.xml\n"),
    COMMAND(history, "history", "[GOAL]", 0, 1, ia_history_opts,
            "show how often a goal passed, and its time and cost",
            .details = "GOAL is its name, as given by sweeps and schedules, or its whole text. "
                       "Without it: the "
                       "goals\nthat have finished runs.\n",
            .examples = "ios-agent history\n"
                        "ios-agent history \"log in\" --limit 50\n"),
    COMMAND(worker, "worker", NULL, 0, 0, worker_opts,
            "do the runs of a fleet on this machine's devices", .details = worker_details,
            .examples = "ios-agent worker --fleet tls://fleet.example:4222 --labels os=26\n"
                        "ios-agent worker --fleet nats://127.0.0.1:4222 --jobs 4\n"),
    COMMAND(fleet_status, "fleet status", NULL, 0, 0, fleet_opts,
            "show what waits in a fleet, and what works",
            .examples = "ios-agent fleet status --fleet nats://127.0.0.1:4222\n"),
    COMMAND(fleet_workers, "fleet workers", NULL, 0, 0, fleet_opts,
            "list the workers of a fleet", .examples = "ios-agent fleet workers\n"),
    COMMAND(fleet_drain, "fleet drain", "WORKER", 1, 1, fleet_opts,
            "let a worker finish what it has, and end",
            .examples = "ios-agent fleet drain mac-7-1f0a2b\n"),
    COMMAND(cancel, "cancel", "ID", 1, 1, plain_opts,
            "stop a run or a sweep, from any terminal", .examples = "ios-agent cancel last\n"),
    COMMAND(questions, "questions", NULL, 0, 0, questions_opts,
            "list what runs ask a person (policy.delete = \"ask\" and the like)",
            .examples = "ios-agent questions\n"),
    COMMAND(approve, "approve", "ID", 1, 1, answer_opts,
            "allow what a run asks, once; it then goes on",
            .details = "ID is the question's or the run's. The run is queued: a daemon goes on "
                       "with it, or\n"
                       "ios-agent resume.\n",
            .examples = "ios-agent approve last\n"),
    COMMAND(deny, "deny", "ID", 1, 1, answer_opts, "forbid what a run asks; it then goes on",
            .details = "As approve. The agent is told that a person denied it.\n",
            .examples = "ios-agent deny last --note \"not this one\"\n"),
    COMMAND(daemon, "daemon", "[PORT]", 0, 1, daemon_opts,
            "run queued goals, schedules, device commands until stopped",
            .details = daemon_details,
            .examples = "ios-agent daemon\n"
                        "ios-agent daemon --http 4848\n"),
    COMMAND(daemon_background, "__daemon", NULL, 0, 0, plain_opts,
            "the daemon as device commands start it", .examples = "ios-agent __daemon\n"),
    COMMAND(daemon_status, "daemon status", NULL, 0, 0, plain_opts,
            "show the daemon, its devices and who holds them",
            .examples = "ios-agent daemon status\n"),
    COMMAND(daemon_stop, "daemon stop", NULL, 0, 0, daemon_stop_opts,
            "end the daemon when its work is done",
            .examples = "ios-agent daemon stop\n"
                        "ios-agent daemon stop --now\n"),
    COMMAND(daemon_restart, "daemon restart", NULL, 0, 0, plain_opts,
            "end the daemon and start it in the background",
            .examples = "ios-agent daemon restart\n"),
    COMMAND(daemon_logs, "daemon logs", NULL, 0, 0, plain_opts,
            "show what a daemon in the background did", .examples = "ios-agent daemon logs\n"),
    COMMAND(daemon_token, "daemon token", NULL, 0, 0, daemon_token_opts,
            "show the token for the daemon's HTTP", .details = daemon_token_details,
            .examples = "ios-agent daemon token\n"
                        "ios-agent daemon token --new\n"),
    COMMAND(dashboard, "dashboard", NULL, 0, 0, dashboard_opts,
            "open the page for people: runs, devices, agents, reports",
            .details = dashboard_details,
            .examples = "ios-agent dashboard\n"
                        "ios-agent dashboard --view-only --print\n"),
    COMMAND(daemon_install, "daemon install", NULL, 0, 0, daemon_install_opts,
            "have the system keep the daemon running", .details = daemon_install_details,
            .examples = "ios-agent daemon install\n"
                        "ios-agent daemon install --print --for systemd\n"),
    COMMAND(daemon_uninstall, "daemon uninstall", NULL, 0, 0, daemon_uninstall_opts,
            "remove what daemon install wrote", .examples = "ios-agent daemon uninstall\n"),
    COMMAND(schedule_add, "schedule add", "GOAL", 0, 1, ia_schedule_add_opts,
            "repeat a goal: by a cron expression, an interval, or once",
            .details = ia_schedule_add_details,
            .examples =
                "ios-agent schedule add --name nightly --cron \"0 3 * * 1-5\" \"log in\"\n"
                "ios-agent schedule add --name hourly --every 1h --notify ./tell \"log in\"\n"),
    COMMAND(schedule_list, "schedule list", NULL, 0, 0, plain_opts,
            "list schedules and when they run next", .examples = "ios-agent schedule list\n"),
    COMMAND(schedule_show, "schedule show", "NAME", 1, 1, plain_opts,
            "show a schedule and its next due times",
            .examples = "ios-agent schedule show nightly\n"),
    COMMAND(schedule_edit, "schedule edit", "NAME [GOAL]", 1, 2, ia_schedule_edit_opts,
            "change the goal, options or times of a schedule",
            .details = ia_schedule_edit_details,
            .examples = "ios-agent schedule edit nightly --cron \"0 4 * * *\"\n"),
    COMMAND(schedule_pause, "schedule pause", "NAME", 1, 1, plain_opts,
            "pause a schedule and cancel its queued runs",
            .examples = "ios-agent schedule pause nightly\n"),
    COMMAND(schedule_resume, "schedule resume", "NAME", 1, 1, plain_opts,
            "continue a paused schedule", .examples = "ios-agent schedule resume nightly\n"),
    COMMAND(schedule_run_now, "schedule run-now", "NAME", 1, 1, plain_opts,
            "queue one extra run of a schedule",
            .examples = "ios-agent schedule run-now nightly\n"),
    COMMAND(schedule_history, "schedule history", "NAME", 1, 1, ia_schedule_history_opts,
            "show the outcome of each due time, newest first",
            .examples = "ios-agent schedule history nightly --limit 10\n"),
    COMMAND(schedule_remove, "schedule remove", "NAME", 1, 1, plain_opts,
            "delete a schedule and keep its runs",
            .examples = "ios-agent schedule remove nightly\n"),
    COMMAND(schedule_tick, "schedule tick", NULL, 0, 0, plain_opts,
            "start what is due and run what is queued, once",
            .details = ia_schedule_tick_details, .examples = "ios-agent schedule tick\n"),
    COMMAND(replay, "replay", "RUN|GOAL|FILE [GOALFILE…]", 1, IA_ARGS_MAX, ia_replay_opts,
            "repeat a passed run without a model", .details = ia_replay_details,
            .examples = "ios-agent replay last\n"
                        "ios-agent replay \"a contact is added\" --fresh\n"
                        "ios-agent replay goals/a-contact-is-added.rec.toml --fresh\n"),
    COMMAND(recordings_list, "recordings list", "[GOAL]", 0, 1, plain_opts,
            "list recordings of goals, newest first",
            .examples = "ios-agent recordings list\n"),
    COMMAND(recordings_show, "recordings show", "RECORDING|GOAL|RUN", 1, 1, plain_opts,
            "show a recording",
            .examples = "ios-agent recordings show \"a contact is added\"\n"),
    COMMAND(recordings_accept, "recordings accept", "RECORDING|GOAL|RUN", 1, 1, ia_label_opts,
            "trust a recording, such as one that was healed",
            .examples = "ios-agent recordings accept \"a contact is added\"\n"),
    COMMAND(recordings_reject, "recordings reject", "RECORDING|GOAL|RUN", 1, 1, ia_label_opts,
            "never replay a recording again",
            .examples = "ios-agent recordings reject \"a contact is added\"\n"),
    COMMAND(recordings_export, "recordings export", "RECORDING|GOAL|RUN [FILE]", 1, 2,
            plain_opts, "write a recording as TOML, beside the file of its goal",
            .details = ia_recordings_export_details,
            .examples = "ios-agent recordings export \"a contact is added\"\n"
                        "ios-agent recordings export last contact.rec.toml\n"),
    COMMAND(recordings_import, "recordings import", "FILE…", 1, IA_ARGS_MAX, plain_opts,
            "import recordings from files",
            .examples = "ios-agent recordings import goals/a-contact-is-added.rec.toml\n"),
    COMMAND(resume, "resume", "[RUN]", 0, 1, ia_resume_opts, "resume interrupted runs",
            .details = ia_resume_details,
            .examples = "ios-agent resume\n"
                        "ios-agent resume last\n"),
    COMMAND(say, "say", "RUN TEXT", 2, 2, ia_label_opts, "send a message to a running agent",
            .examples = "ios-agent say last \"use the work account\"\n"),
    IA_VERB_LIST(VERB_ROW)
#undef VERB_ROW
        COMMAND(batch, "batch", "[LINE...]", 0, IA_ARGS_MAX, ia_batch_opts,
                "do many device commands over one connection", .details = ia_batch_details,
                .examples = "ios-agent batch 'open Settings' 'tap Wi-Fi' back\n"
                            "ios-agent batch --json < lines.txt\n"),
    COMMAND(diff, "diff", "A B", 2, 2, ia_diff_opts, "show what changed between two trees",
            .details = ia_diff_details, .examples = "ios-agent diff before.json after.json\n"),
    COMMAND(bridge_build, "bridge build", NULL, 0, 0, ia_bridge_build_opts,
            "build the runner that drives simulators", .details = ia_bridge_build_details,
            .examples = "ios-agent bridge build\n"
                        "ios-agent bridge build --recipe B\n"),
    COMMAND(bridge_start, "bridge start", "[NAME]", 0, 1, ia_bridge_start_opts,
            "start it on a simulator, or reuse a running one",
            .details = ia_bridge_start_details,
            .examples = "ios-agent bridge start \"iPhone 17\"\n"),
    COMMAND(bridge_stop, "bridge stop", "[NAME]", 0, 1, ia_bridge_stop_opts, "stop it",
            .examples = "ios-agent bridge stop --all\n"),
    COMMAND(bridge_status, "bridge status", "[NAME]", 0, 1, ia_bridge_status_opts,
            "show all runners and whether they answer",
            .examples = "ios-agent bridge status\n"),
    COMMAND(bridge_logs, "bridge logs", "[NAME]", 0, 1, ia_bridge_logs_opts,
            "show a runner's output",
            .examples = "ios-agent bridge logs \"iPhone 17\" --lines 100\n"),
    COMMAND(devices, "devices", NULL, 0, 0, ia_devices_opts,
            "list simulators, plugged-in iPhones and simulated phones",
            .details = ia_devices_details,
            .examples = "ios-agent devices\n"
                        "ios-agent devices --all --json\n"),
    COMMAND(devices, "list-sims", NULL, 0, 0, ia_devices_opts, "another name for devices",
            .details = ia_devices_details, .examples = "ios-agent list-sims\n"),
    COMMAND(forward, "forward", "IPHONE PORT[:LOCAL]", 2, 2, plain_opts,
            "make a port of a plugged-in iPhone a port of this computer",
            .details = forward_details,
            .examples = "ios-agent forward 00008110-000A1B2C3D4E5F60 8100:8100\n"
                        "ios-agent forward \"Ada's iPhone\" 9100 --json\n"),
    COMMAND(boot, "boot", "[SIM]", 0, 1, ia_boot_opts,
            "boot a simulator and wait until it is ready", .details = ia_boot_details,
            .examples = "ios-agent boot \"iPhone 17\"\n"),
    COMMAND(shutdown, "shutdown", "[SIM]", 0, 1, ia_sim_opts, "shut a simulator down",
            .examples = "ios-agent shutdown \"iPhone 17\"\n"),
    COMMAND(reset_sim, "reset-sim", "[SIM]", 0, 1, ia_reset_sim_opts,
            "erase a simulator's contents and settings", .details = ia_reset_sim_details,
            .examples = "ios-agent reset-sim \"iPhone 17\" --boot\n"
                        "ios-agent reset-sim --device embedded\n"),
    COMMAND(
        sim_create, "sim create", "TYPE", 1, 1, ia_sim_create_opts, "create a simulator",
        .details = ia_sim_create_details,
        .examples =
            "ios-agent sim create \"iPhone 17\"\n"
            "ios-agent sim create \"iPad Pro 13-inch (M4)\" --runtime 26.2 --name qa --boot\n"),
    COMMAND(sim_clone, "sim clone", "SIM NAME", 2, 2, ia_sim_clone_opts,
            "copy a simulator that is shut down, with its apps and data",
            .examples = "ios-agent sim clone \"iPhone 17\" \"iPhone 17 with data\"\n"),
    COMMAND(sim_delete, "sim delete", "SIM", 1, 1, ia_sim_clone_opts,
            "delete a simulator with all that is on it", .details = ia_sim_delete_details,
            .examples = "ios-agent sim delete \"iPhone 17 with data\"\n"),
    COMMAND(install, "install", "APP", 1, 1, ia_install_opts,
            "install an .app folder on a simulator",
            .examples = "ios-agent install ./app.app --sim \"iPhone 14\"\n"),
    COMMAND(uninstall, "uninstall", "BUNDLE", 1, 1, ia_install_opts,
            "remove an app from a simulator",
            .examples = "ios-agent uninstall com.example.App\n"),
    COMMAND(
        launch, "launch", "BUNDLE [-- ARG...]", 0, IA_ARGS_MAX, ia_verb_launch_opts,
        "start an app", .details = ia_launch_details,
        .examples =
            "ios-agent launch com.example.App\n"
            "ios-agent launch com.example.App --relaunch --env API=staging -- -debug YES\n"),
    COMMAND(terminate, "terminate", "BUNDLE", 0, 0, ia_verb_terminate_opts, "end an app",
            .examples = "ios-agent terminate com.example.App\n"),
    COMMAND(open_url, "open-url", "URL", 0, 0, ia_verb_open_url_opts,
            "open a URL in the app that handles it",
            .examples = "ios-agent open-url https://example.com\n"),
    COMMAND(key_set, "key set", NULL, 0, 0, key_set_opts, "store the API key, sealed",
            .details = key_set_details,
            .examples = "ios-agent key set\n"
                        "ios-agent key set < key.txt\n"),
    COMMAND(key_status, "key status", NULL, 0, 0, plain_opts,
            "show which key is stored and which is used", .examples = "ios-agent key status\n"),
    COMMAND(key_remove, "key remove", NULL, 0, 0, plain_opts, "delete the stored key",
            .examples = "ios-agent key remove\n"),
    COMMAND(secret_set, "secret set", "NAME", 1, 1, secret_set_opts,
            "store a text that runs may type and nobody may read",
            .details = secret_set_details,
            .examples = "ios-agent secret set SHOP_PASSWORD\n"
                        "ios-agent secret set SHOP_PASSWORD < password.txt\n"
                        "ios-agent secret set SHOP_PASSWORD --passphrase\n"),
    COMMAND(secret_list, "secret list", NULL, 0, 0, plain_opts,
            "list secrets by name, never a value", .examples = "ios-agent secret list\n"),
    COMMAND(secret_remove, "secret remove", "NAME", 1, 1, plain_opts, "delete a stored secret",
            .examples = "ios-agent secret remove SHOP_PASSWORD\n"),
    COMMAND(doctor, "doctor", NULL, 0, 0, doctor_opts,
            "check every part, and say how to fix what is broken",
            .examples = "ios-agent doctor\n"
                        "ios-agent doctor --device iphone:00008110-000A1B2C3D4E5F60\n"),
    COMMAND(config, "config", NULL, 0, 0, plain_opts,
            "show every setting and where it comes from", .examples = "ios-agent config\n"),
    COMMAND(config_path, "config path", NULL, 0, 0, plain_opts,
            "show where ios-agent looks for its files", .examples = "ios-agent config path\n"),
    COMMAND(config_set, "config set", "KEY VALUE", 2, 2, plain_opts,
            "change a setting in the user's file", .details = config_set_details,
            .examples = "ios-agent config set run.max_usd 0.50\n"
                        "ios-agent config set run.device \"iPhone 17\"\n"),
    COMMAND(config_unset, "config unset", "KEY", 1, 1, plain_opts,
            "take a setting out of the user's file",
            .examples = "ios-agent config unset run.max_usd\n"),
    COMMAND(embedded_state, "embedded state", NULL, 0, 0, ia_embedded_opts,
            "print a simulated phone's actual state (JSON)",
            .examples = "ios-agent embedded state\n"
                        "ios-agent embedded state --device embedded:qa --at 12\n"),
    COMMAND(embedded_log, "embedded log", NULL, 0, 0, ia_embedded_opts,
            "print every operation that reached it (JSON)",
            .examples = "ios-agent embedded log\n"),
    COMMAND(embedded_bugs, "embedded bugs", NULL, 0, 0, ia_bugs_opts,
            "list the bugs and faults that can be planted, or plant bugs",
            .details = ia_bugs_details,
            .examples = "ios-agent embedded bugs\n"
                        "ios-agent embedded bugs --device embedded:qa --set shop-total\n"),
    COMMAND(embedded_serve, "embedded serve", NULL, 0, 0, ia_embedded_serve_opts,
            "serve a simulated phone with the bridge protocol",
            .details = ia_embedded_serve_details,
            .examples = "ios-agent embedded serve --port 8100 --no-token\n"
                        "ios-agent embedded serve --protocol wda --port 8100\n"),
    COMMAND(serve, "serve", NULL, 0, 0, ia_serve_opts,
            "serve a device with WebDriverAgent's protocol", .details = ia_serve_details,
            .examples = "ios-agent serve --protocol wda --device embedded:qa --port 8100\n"
                        "ios-agent serve --device bridge:127.0.0.1:8200 --mjpeg-port 9100\n"),
    COMMAND(mcp, "mcp", NULL, 0, 0, ia_mcp_opts,
            "serve coding agents over the Model Context Protocol", .details = ia_mcp_details,
            .examples = "ios-agent mcp\n"
                        "ios-agent mcp --read-only\n"
                        "ios-agent mcp --tools full --demo\n"),
    COMMAND(mock_api, "mock-api", NULL, 0, 0, ia_mock_api_opts,
            "serve a strict test double of the Messages API", .details = ia_mock_api_details,
            .examples = "ios-agent mock-api\n"),
    COMMAND(version, "version", NULL, 0, 0, plain_opts, "show the version",
            .examples = "ios-agent version --json\n"),
    COMMAND(help, "help", "[COMMAND]", 0, 2, plain_opts,
            "show the commands, help for one, or the demo brain's (demo)",
            .examples = "ios-agent help run\n"
                        "ios-agent help demo\n"),
    COMMAND(init, "init", "[DIR]", 0, 1, ia_init_opts, "write the first files of a project",
            .details = ia_init_details,
            .examples = "ios-agent init\n"
                        "ios-agent init my-app --ci gitlab\n"),
    COMMAND(skills_list, "skills list", NULL, 0, 0, plain_opts,
            "list the skills that agents may have", .examples = "ios-agent skills list\n"),
    COMMAND(skills_show, "skills show", "NAME", 1, 1, plain_opts,
            "show what a skill does, may do, and tells the model",
            .examples = "ios-agent skills show accessibility\n"),
    COMMAND(skills_trust, "skills trust", "NAME", 1, 1, skills_trust_opts,
            "let a project's skill run, until any of its files changes",
            .examples = "ios-agent skills trust orders --grant SHOP_TOKEN\n"),
    COMMAND(skills_untrust, "skills untrust", "NAME", 1, 1, plain_opts,
            "do not let it run any more", .examples = "ios-agent skills untrust orders\n"),
    COMMAND(skills_check, "skills check", "NAME", 1, 1, plain_opts,
            "check a skill's files, and try its tools with their examples",
            .examples = "ios-agent skills check orders\n"),
    COMMAND(skills_new, "skills new", "NAME", 1, 1, skills_new_opts,
            "write a skill with a working example",
            .examples = "ios-agent skills new orders\n"),
    COMMAND(skill_show, "skill show", "[TOPIC]", 0, 1, plain_opts,
            "print what coding agents need to know of this build",
            .details = ia_skill_show_details,
            .examples = "ios-agent skill show\nios-agent skill show goals\n"),
    COMMAND(skill_install, "skill install", "[DIR]", 0, 1, ia_skill_install_opts,
            "install the skill for coding agents", .details = ia_skill_install_details,
            .examples =
                "ios-agent skill install\nios-agent skill install --project --agents\n"),
    COMMAND(completions, "completions", IA_DOCS_SHELLS, 1, 1, plain_opts,
            "print the script that completes commands in a shell",
            .details = ia_completions_details,
            .examples = "ios-agent completions bash > ios-agent.bash\n"
                        "ios-agent completions zsh > _ios-agent\n"
                        "ios-agent completions fish > ios-agent.fish\n"),
    COMMAND(complete_values, "__complete", "KIND [PREFIX]", 1, 2, plain_opts,
            "print the values that a shell offers",
            .examples = "ios-agent __complete devices emb\n"),
    COMMAND(lockdown, "__lockdown", "UDID [paired]", 1, 2, plain_opts,
            "print what an iPhone says of itself",
            .examples = "ios-agent __lockdown 00008110-000A1B2C3D4E5F60 paired\n"),
    COMMAND(man_pages, "__man", "DIR", 1, 1, plain_opts,
            "write a man page for each command into a folder",
            .examples = "ios-agent __man build/man1\n"),
    {.name = NULL},
};
