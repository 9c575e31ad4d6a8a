#include "cli/options/options.h"

#define SCHEDULE_OPTS                                                                          \
    {.name = "cron",                                                                           \
     .kind = IA_OPT_TEXT,                                                                      \
     .value = "EXPR",                                                                          \
     .help = "five fields, or @daily …"},                                                      \
        {.name = "every",                                                                      \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "TIME",                                                                      \
         .help = "90s, 30m, 2h, 1d, 1h30m"},                                                   \
        {.name = "at",                                                                         \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "WHEN",                                                                      \
         .help = "once: 2026-12-01T09:00"},                                                    \
        {.name = "tz",                                                                         \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "ZONE",                                                                      \
         .help = "Europe/Zurich (default: this machine's)"},                                   \
        {.name = "missed",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "latest|all|skip",                                                           \
         .help = "what of fires that were missed is done"},                                    \
        {.name = "grace",                                                                      \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "TIME",                                                                      \
         .help = "how late a fire is not yet missed (default 5m)"},                            \
        {.name = "overlap",                                                                    \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "skip|queue",                                                                \
         .help = "when the run before is not over"},                                           \
        {.name = "if",                                                                         \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "COMMAND",                                                                   \
         .help = "run only when its exit status is 0"},                                        \
    {                                                                                          \
        .name = "notify", .kind = IA_OPT_TEXT, .value = "CMD_OR_URL",                          \
        .help = "tell a change of verdict"                                                     \
    }

const struct ia_opt ia_schedule_add_opts[] = {
    {.name = "name", .kind = IA_OPT_TEXT, .value = "NAME", .help = "its name"},
    SCHEDULE_OPTS,
    IA_RUN_OPTS,
    IA_OPTS_END,
};

const struct ia_opt ia_schedule_edit_opts[] = {SCHEDULE_OPTS, IA_RUN_OPTS, IA_OPTS_END};

const struct ia_opt ia_schedule_history_opts[] = {
    {.name = "limit",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "how many (default 20)",
     .min = 1,
     .max = 10000},
    IA_OPTS_END,
};

const char ia_schedule_add_details[] =
    "One of --cron, --every, --at. In a cron expression: minute, hour, day of the month, "
    "month,\n"
    "day of the week; *, 5, 1-5, */15, 1,15, mon-fri; @hourly @daily @weekly @monthly "
    "@yearly.\n"
    "Where clocks change, a job whose minute or hour begins with * follows the clock on the "
    "wall;\n"
    "any other fires once: a skipped time at the moment of the change, a doubled one the "
    "first\n"
    "time. --every counts from when it was added.\n"
    "Missed fires: latest does one run for all of them (default), all does each (24 at most;\n"
    "they wait for each other: --overlap is queue then), skip none that is later than the "
    "grace.\n"
    "--if COMMAND runs by /bin/sh, 30 s at most; any\n"
    "other status than 0 skips the fire, with its reason in schedule history. --notify gets a\n"
    "JSON object when the verdict changes: a command on its standard input, a URL as a POST.\n";

const char ia_schedule_edit_details[] = "What is not given stays. An empty --if or "
                                        "--notify takes it away. A retired schedule that\n"
                                        "is mended fires again.\n";

const char ia_schedule_tick_details[] =
    "For cron or launchd where no daemon runs. The exit status tells whether the tick itself "
    "went\n"
    "well; how the runs ended is in schedule history and goes to --notify.\n";
