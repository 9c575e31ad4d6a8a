/* run_options.c: the options and help of the commands about runs and sweeps. */
#include "agent/goal/goalfile.h"
#include "cli/options/options.h"
#include "store/store.h"

const struct ia_opt ia_run_opts[] = {
    IA_RUN_OPTS,
    IA_OPT_ALLOW_COMMANDS,
    IA_FLAG("events", "print one JSON line per event"),
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
    IA_OPTION(TEXT, "tag", "T", "only goals with this tag, and the goals they need",           \
              .repeat = true),                                                                 \
        IA_OPTION(TEXT, "goal", "NAME",                                                        \
                  "only the goal with this name, and the goals it needs", .repeat = true),     \
        IA_OPTION(TEXT, "var", "NAME=VALUE", "set a variable of the goals", .repeat = true),   \
        IA_OPTION(INT, "jobs", "N",                                                            \
                  "number of simulated phones of its own (default queue.max_runs)", .min = 1,  \
                  .max = 1024),                                                                \
        IA_OPTION(TEXT, "device", "NAME", "use this device instead, one run at a time",        \
                  .repeat = true),                                                             \
        IA_OPTION(INT, "repeat", "N", "run each goal this often and report the pass rate",     \
                  .min = 1, .max = 1000),                                                      \
        IA_OPTION(REAL, "max-usd", "X", "dollar limit of the whole sweep; 0: none"),           \
        IA_OPTION(INT, "max-seconds", "N",                                                     \
                  "time limit of the whole sweep, in seconds; 0: none", .max = 604800),        \
        IA_OPTION(TEXT, "report-dir", "D",                                                     \
                  "write HTML, JUnit, JSON, Markdown and CTRF there"),                         \
        IA_FLAG("dry-run", "show what would run and run nothing"),                             \
        IA_OPTION(TEXT, "resume", "ID", "continue a sweep that was stopped or killed"),        \
        IA_OPTION(TEXT, "model", "ID", "the model that acts"),                                 \
        IA_OPTION(TEXT, "verifier-model", "ID",                                                \
                  "the model that checks a pass (default: the same)"),                         \
        IA_OPTION(CHOICE, "verify", "auto|always|off",                                         \
                  "auto, always: a model checks each pass; off: code alone"),                  \
        IA_OPTION(CHOICE, "effort", "low|medium|high|xhigh|max",                               \
                  "the effort asked of the model"),                                            \
        IA_OPTION(CHOICE, "pictures", "end|steps|off|sharp",                                   \
                  "pictures to keep (default end; steps with --report-dir; sharp: steps in "   \
                  "pixels)"),                                                                  \
        IA_FLAG("demo", "use the demo brain even if there is a key"),                          \
        IA_FLAG("events", "print one JSON line per event"),                                    \
        IA_OPTION(TEXT, "shard", "K/N", "only the K-th of N parts"),                           \
        IA_FLAG("fail-fast", "start nothing more once a goal did not pass"),                   \
        IA_OPT_ALLOW_COMMANDS,                                                                 \
        IA_OPTION(INT, "seeds", "N", "run each goal with N sets of data", .min = 1,            \
                  .max = IA_GOALFILE_SEEDS_MAX),                                               \
        IA_OPTION(INT, "wordings", "N", "run each goal in up to N wordings", .min = 1,         \
                  .max = IA_GOALFILE_LIST_MAX)

const struct ia_opt ia_sweep_opts[] = {
    MANY_GOALS_OPTS,
    IA_OPTION(CHOICE, "replay", "off|auto|only",
              "repeat goals from their recordings; auto: a model takes over where needed"),
    IA_FLAG("strict", IA_HELP_STRICT),
    IA_OPTION(TEXT, "agent", "NAME", "run the goals as this agent of the configuration"),
    IA_FLAG("last-failed", "only goals that did not pass the last time they ran"),
    IA_OPTION(INT, "retries", "N", "run a failed goal again, from fresh state", .max = 20),
    IA_OPTION(TEXT, "fleet", "URL",
              "have workers on other machines run the goals, by this NATS server"),
    IA_OPTION(TEXT, "labels", "NAME=VALUE,...", "only on workers with these labels"),
    IA_FLAG("watch", "then wait, and run again what changes in the goal files"),
    IA_OPTION(PATH, "watch-path", "PATH",
              "the same, and run everything again when something changes there",
              .repeat = true),
    IA_OPTS_END,
};

const struct ia_opt ia_eval_opts[] = {
    MANY_GOALS_OPTS,
    IA_OPTION(INT, "first-seed", "N", "the seed to begin with (default 1)", .min = 1,
              .max = IA_GOALFILE_SEEDS_MAX),
    IA_OPTS_END,
};

const struct ia_opt ia_compare_opts[] = {
    IA_OPTION(TEXT, "out", "FILE", "also write both side by side as an HTML page"),
    IA_OPTS_END,
};

const char ia_eval_details[] =
    "Without files, it runs the program's own suite of goals over its simulated apps.\n"
    "A goal is a success if its run passed and its oracle holds for the phone's own\n"
    "state, which neither the model nor the verifier sees (docs/eval.md). Every run\n"
    "starts in factory state, on simulated phones of the evaluation's own.\n"
    "--report-dir also writes eval.html and eval.json. --resume continues an\n"
    "evaluation that was stopped or killed. The exit status is 0 when every goal was\n"
    "measured, whatever the results.\n";

const char ia_sweep_details[] =
    "Goal files are TOML (docs/goals.md); in a folder, every *.toml at any depth is\n"
    "read. Everything is checked before the first goal runs. Without --device, the\n"
    "sweep uses simulated phones of its own, and every run on them starts in factory\n"
    "state. Ctrl-C, SIGTERM and SIGHUP finish the actions in progress; --resume\n"
    "continues. The exit status is the highest of the goals'.\n";

const struct ia_opt ia_runs_opts[] = {
    IA_LIMIT_OPT,
    IA_OPTION(CHOICE, "state", IA_RUN_FILTERS,
              "only those; passed has the replayed and the healed, too"),
    IA_OPTION(TEXT, "device", "LANE", "only this device"),
    IA_OPTS_END,
};

const struct ia_opt ia_sweeps_opts[] = {IA_LIMIT_OPT, IA_OPTS_END};

const struct ia_opt ia_show_opts[] = {
    IA_FLAG("transcript", "also show the messages to and from the model"),
    IA_FLAG("tree", "show the run and those that it delegated, as a tree"),
    IA_OPTS_END,
};

const struct ia_opt ia_resume_opts[] = {
    IA_OPT_ALLOW_COMMANDS,
    IA_FLAG("events", "print one JSON line per event"),
    IA_OPTS_END,
};

const struct ia_opt ia_replay_opts[] = {
    IA_OPTION(TEXT, "device", "NAME", IA_HELP_DEVICE),
    IA_FLAG("fresh", "restore the factory state of the phone first"),
    IA_FLAG("heal", "let a model do a step that the app has changed"),
    IA_FLAG("strict", IA_HELP_STRICT),
    IA_OPTION(TEXT, "var", "NAME=VALUE", "with FILE: set a variable of the goals",
              .repeat = true),
    IA_OPT_ALLOW_COMMANDS,
    IA_FLAG("events", "print one JSON line per event"),
    IA_OPTS_END,
};

const char ia_replay_details[] =
    "Repeats a passed run without a model: finds each element by its recorded\n"
    "signature, expects each step to have its recorded effect, and judges the run by\n"
    "the goal's expectations. The first difference ends the replay. FILE is a\n"
    "recording, NAME.rec.toml; its goal is looked up in the GOALFILEs, or in the\n"
    "folder of FILE. A GOAL is judged by what its file or schedule expects now, a RUN\n"
    "by what it expected then.\n";

const char ia_recordings_export_details[] =
    "Without FILE, it writes beside the goal file that a sweep has run, under the\n"
    "goal's name: a-contact-is-added.rec.toml. From there, sweep --replay prefers it\n"
    "to other recordings of that goal.\n";

const char ia_resume_details[] =
    "Without RUN: every run whose process died, that was interrupted, or that waits for a "
    "retry.\n"
    "A call whose result is known is never repeated; if a call was in progress, the model is "
    "told\n"
    "to look at the screen first. The exit status is the worst of the runs.\n";

const struct ia_opt ia_label_opts[] = {
    IA_OPTION(TEXT, "from", "NAME", "the sender (default user)"),
    IA_OPTS_END,
};

const struct ia_opt ia_report_opts[] = {
    IA_OPTION(CHOICE, "format", "html|junit|json|md|ctrf",
              "format of the report (default html)"),
    IA_OPTION(TEXT, "out", "PATH", "html: a folder or NAME.html; otherwise a file; -: stdout"),
    IA_OPTION(CHOICE, "junit-flavor", "rich|strict|surefire",
              "strict: by the schemas of Ant and Jenkins; surefire: by Maven's"),
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
