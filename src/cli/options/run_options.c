#include "cli/options/options.h"

const struct ia_opt ia_run_opts[] = {
    IA_RUN_OPTS,
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line for each event"},
    IA_OPTS_END,
};

const char ia_run_details[] =
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

const struct ia_opt ia_sweep_opts[] = {
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

const char ia_sweep_details[] =
    "Goal files are TOML (docs/goals.md); of a folder every *.toml below it is read. "
    "Everything\n"
    "is checked before the first goal runs. Without --device the sweep has simulated phones "
    "of\n"
    "its own, and every run on them begins in factory state. Ctrl-C finishes the tools in "
    "hand;\n"
    "--resume goes on. The exit status is the highest of the goals'.\n";

const struct ia_opt ia_runs_opts[] = {
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

const struct ia_opt ia_show_opts[] = {
    {.name = "transcript",
     .kind = IA_OPT_FLAG,
     .help = "also what was said to the model, and by it"},
    IA_OPTS_END,
};

const struct ia_opt ia_resume_opts[] = {
    {.name = "events", .kind = IA_OPT_FLAG, .help = "print one JSON line for each event"},
    IA_OPTS_END,
};

const char ia_resume_details[] =
    "Without RUN: every run whose process died, that was interrupted, or that waits for "
    "another\n"
    "try. A call whose result is known is never made again; of one that was under way the "
    "model\n"
    "is told that it has to look first. The exit status is the worst of the runs.\n";

const struct ia_opt ia_label_opts[] = {
    {.name = "from",
     .kind = IA_OPT_TEXT,
     .value = "NAME",
     .help = "who says it (default user)"},
    IA_OPTS_END,
};

const struct ia_opt ia_report_opts[] = {
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

const char ia_report_details[] =
    "ID is of a run or a sweep; the start or the end of an id is enough when just one has it.\n"
    "html goes to the folder ios-agent-report where --out does not say, and opens from there\n"
    "without a network; the other formats go to stdout. A report can be made again at any "
    "time,\n"
    "also of a run that still runs.\n";

const struct ia_opt ia_history_opts[] = {
    {.name = "limit",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "newest runs to look at (default 20)",
     .min = 1,
     .max = 10000},
    IA_OPTS_END,
};
