/* run_options.c: the options and help of the commands about runs and sweeps. */
#include "agent/goal/goalfile.h"
#include "cli/options/options.h"

const struct ia_opt ia_run_opts[] = {
    IA_RUN_OPTS,
    IA_OPT_ALLOW_COMMANDS,
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line per event"},
    IA_OPTS_END,
};

const char ia_run_details[] =
    "GOAL says in plain words what to do; quote it. An EXPECTATION is checked by code in the "
    "end:\n"
    "  visible SEL    gone SEL         value SEL = \"text\"   count SEL = N\n"
    "  appears SEL    disappears SEL   changes SEL          against the first screen\n"
    "  text \"part\"    app BUNDLE       after relaunch: one of these\n"
    "  state \"name\" = \"text\"          what the app tells by the SDK (docs/app-sdk.md)\n"
    "  command \"program argument\"     exits with 0; needs --allow-commands\n"
    "SEL is #identifier, \"label\", role \"label\", or role. The value of a switch is on or "
    "off.\n"
    "\n"
    "The key comes from ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN (bearer) or ios-agent key "
    "set.\n"
    "Without a key, the demo brain answers: it follows literal steps and does not reason.\n"
    "Ctrl-C cancels the run safely; a second one ends the program at once. SIGTERM and SIGHUP\n"
    "leave it for ios-agent resume. Both end with status 7.\n";

/* Of both commands that do many goals. */
#define MANY_GOALS_OPTS                                                                        \
    {.name = "tag",                                                                            \
     .kind = IA_OPT_TEXT,                                                                      \
     .value = "T",                                                                             \
     .help = "only goals with this tag, and the goals they need",                              \
     .repeat = true},                                                                          \
        {.name = "goal",                                                                       \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "NAME",                                                                      \
         .help = "only the goal with this name, and the goals it needs",                       \
         .repeat = true},                                                                      \
        {.name = "var",                                                                        \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "NAME=VALUE",                                                                \
         .help = "set a variable of the goals",                                                \
         .repeat = true},                                                                      \
        {.name = "jobs",                                                                       \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "number of simulated phones of its own (default queue.max_runs)",             \
         .min = 1,                                                                             \
         .max = 64},                                                                           \
        {.name = "device",                                                                     \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "NAME",                                                                      \
         .help = "use this device instead, one run at a time",                                 \
         .repeat = true},                                                                      \
        {.name = "repeat",                                                                     \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "run each goal this often and report the pass rate",                          \
         .min = 1,                                                                             \
         .max = 1000},                                                                         \
        {.name = "max-usd",                                                                    \
         .kind = IA_OPT_REAL,                                                                  \
         .value = "X",                                                                         \
         .help = "dollar limit of the whole sweep; 0: none"},                                  \
        {.name = "max-seconds",                                                                \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "time limit of the whole sweep, in seconds; 0: none",                         \
         .max = 604800},                                                                       \
        {.name = "report-dir",                                                                 \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "D",                                                                         \
         .help = "write HTML, JUnit, JSON, Markdown and CTRF there"},                          \
        {.name = "dry-run",                                                                    \
         .kind = IA_OPT_FLAG,                                                                  \
         .help = "show what would run and run nothing"},                                       \
        {.name = "resume",                                                                     \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "ID",                                                                        \
         .help = "continue a sweep that was stopped or killed"},                               \
        {.name = "model", .kind = IA_OPT_TEXT, .value = "ID", .help = "the model that acts"},  \
        {.name = "verifier-model",                                                             \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "ID",                                                                        \
         .help = "the model that checks a pass (default: the same)"},                          \
        {.name = "verify",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "auto|always|off",                                                           \
         .help = "auto, always: a model checks each pass; off: code alone"},                   \
        {.name = "effort",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "low|medium|high|xhigh|max",                                                 \
         .help = "the effort asked of the model"},                                             \
        {.name = "pictures",                                                                   \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "end|steps|off|sharp",                                                       \
         .help = "pictures to keep (default end; steps with --report-dir; sharp: steps in "    \
                 "pixels)"},                                                                   \
        {.name = "demo",                                                                       \
         .kind = IA_OPT_FLAG,                                                                  \
         .help = "use the demo brain even if there is a key"},                                 \
        {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line per event"},      \
        {.name = "shard",                                                                      \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "K/N",                                                                       \
         .help = "only the K-th of N parts"},                                                  \
        {.name = "fail-fast",                                                                  \
         .kind = IA_OPT_FLAG,                                                                  \
         .help = "start nothing more once a goal did not pass"},                               \
        {.name = "replay",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "off|auto|only",                                                             \
         .help =                                                                               \
             "do goals again from their recordings; auto: a model takes over where needed"},   \
        {.name = "strict", .kind = IA_OPT_FLAG, .help = IA_HELP_STRICT},                       \
        IA_OPT_ALLOW_COMMANDS,                                                                 \
        {.name = "seeds",                                                                      \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "do each goal with N sets of data",                                           \
         .min = 1,                                                                             \
         .max = IA_GOALFILE_SEEDS_MAX},                                                        \
    {                                                                                          \
        .name = "wordings", .kind = IA_OPT_INT, .value = "N",                                  \
        .help = "and in up to N wordings", .min = 1, .max = IA_GOALFILE_LIST_MAX               \
    }

const struct ia_opt ia_sweep_opts[] = {
    MANY_GOALS_OPTS,
    {.name = "last-failed",
     .kind = IA_OPT_FLAG,
     .help = "only goals that did not pass the last time they ran"},
    {.name = "retries",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "run a failed goal again, from fresh state",
     .max = 20},
    {.name = "watch",
     .kind = IA_OPT_FLAG,
     .help = "then wait, and run again what changes in the goal files"},
    {.name = "watch-path",
     .kind = IA_OPT_PATH,
     .value = "PATH",
     .help = "the same, and run everything again when something changes there",
     .repeat = true},
    IA_OPTS_END,
};

const struct ia_opt ia_eval_opts[] = {MANY_GOALS_OPTS, IA_OPTS_END};

const char ia_eval_details[] =
    "Without files, the program's own suite of goals over its simulated apps. A goal is a "
    "success "
    "when its\n"
    "run passed and the phone's own state, which neither model nor verifier is shown, is what "
    "the "
    "goal's\n"
    "oracle says (docs/eval.md). Every run begins in factory state, on simulated phones of the "
    "evaluation's\n"
    "own. --report-dir also writes eval.html and eval.json. --resume continues one that was "
    "stopped "
    "or killed.\n"
    "The exit status is 0 when all was measured, whatever came of the goals.\n";

const char ia_sweep_details[] =
    "Goal files are TOML (docs/goals.md); in a folder, every *.toml at any depth is read. "
    "Everything\n"
    "is checked before the first goal runs. Without --device, the sweep uses simulated phones "
    "of\n"
    "its own, and every run on them starts in factory state. Ctrl-C, SIGTERM and SIGHUP "
    "finish\n"
    "the actions in progress; --resume continues. The exit status is the highest of the "
    "goals'.\n";

const struct ia_opt ia_runs_opts[] = {
    IA_LIMIT_OPT,
    {.name = "state",
     .kind = IA_OPT_TEXT,
     .value = "STATE",
     .help = "only this state, or unfinished"},
    {.name = "device", .kind = IA_OPT_TEXT, .value = "LANE", .help = "only this device"},
    IA_OPTS_END,
};

const struct ia_opt ia_sweeps_opts[] = {IA_LIMIT_OPT, IA_OPTS_END};

const struct ia_opt ia_show_opts[] = {
    {.name = "transcript",
     .kind = IA_OPT_FLAG,
     .help = "also show the messages to and from the model"},
    IA_OPTS_END,
};

const struct ia_opt ia_resume_opts[] = {
    IA_OPT_ALLOW_COMMANDS,
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line per event"},
    IA_OPTS_END,
};

const struct ia_opt ia_replay_opts[] = {
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_DEVICE},
    {.name = "fresh",
     .kind = IA_OPT_FLAG,
     .help = "restore the factory state of the phone first"},
    {.name = "heal",
     .kind = IA_OPT_FLAG,
     .help = "let the model do a step of which the app has changed"},
    {.name = "strict", .kind = IA_OPT_FLAG, .help = IA_HELP_STRICT},
    {.name = "var",
     .kind = IA_OPT_TEXT,
     .value = "NAME=VALUE",
     .help = "with FILE: set a variable of the goals",
     .repeat = true},
    IA_OPT_ALLOW_COMMANDS,
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line per event"},
    IA_OPTS_END,
};

const char ia_replay_details[] =
    "Does a run that passed again, without a model: each element is found by what names it, "
    "each step\n"
    "has to lead to what it led to, and the goal's expectations give the verdict. The first "
    "difference\n"
    "ends the replay. FILE is a recording, NAME.rec.toml; its goal is looked for in the "
    "GOALFILEs, or in\n"
    "the folder of FILE. A GOAL is judged by what its file, or its schedule, expects now, a "
    "RUN "
    "as it was then.\n";

const char ia_recordings_export_details[] =
    "Without FILE: beside the goal file, as a sweep named it, with the goal's name: "
    "a-contact-is-added.rec.toml.\n"
    "There, sweep --replay takes it for that goal, whatever else was recorded.\n";

const char ia_resume_details[] =
    "Without RUN: every run whose process died, that was interrupted, or that waits for a "
    "retry.\n"
    "A call whose result is known is never repeated; if a call was in progress, the model is "
    "told\n"
    "to look at the screen first. The exit status is the worst of the runs.\n";

const struct ia_opt ia_label_opts[] = {
    {.name = "from", .kind = IA_OPT_TEXT, .value = "NAME", .help = "the sender (default user)"},
    IA_OPTS_END,
};

const struct ia_opt ia_report_opts[] = {
    {.name = "format",
     .kind = IA_OPT_CHOICE,
     .value = "html|junit|json|md|ctrf",
     .help = "format of the report (default html)"},
    {.name = "out",
     .kind = IA_OPT_TEXT,
     .value = "PATH",
     .help = "html: a folder or NAME.html; otherwise a file; -: stdout"},
    {.name = "junit-flavor",
     .kind = IA_OPT_CHOICE,
     .value = "rich|strict|surefire",
     .help = "strict: by the schemas of Ant and Jenkins; surefire: by Maven's"},
    IA_OPTS_END,
};

const char ia_report_details[] =
    "ID is the id of a run or a sweep, or its start or end if only one matches. html is "
    "written to\n"
    "the folder ios-agent-report, or where --out says, and opens without a network; the other\n"
    "formats go to stdout. A report can be made again at any time, also while the run is "
    "still\n"
    "going.\n";

const struct ia_opt ia_history_opts[] = {
    IA_LIMIT_OPT,
    IA_OPTS_END,
};
