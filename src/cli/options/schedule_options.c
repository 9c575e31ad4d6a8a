/* schedule_options.c: the options and help of `schedule ...`. */
#include "cli/options/options.h"

#define SCHEDULE_OPTS                                                                          \
    IA_OPTION(TEXT, "cron", "EXPR", "five fields, or @daily …"),                               \
        IA_OPTION(TEXT, "every", "TIME", "90s, 30m, 2h, 1d, 1h30m"),                           \
        IA_OPTION(TEXT, "at", "WHEN", "once: 2026-12-01T09:00"),                               \
        IA_OPTION(TEXT, "tz", "ZONE", "Europe/Zurich (default: this machine's)"),              \
        IA_OPTION(CHOICE, "missed", "latest|all|skip", "what to do about missed due times"),   \
        IA_OPTION(TEXT, "grace", "TIME", "lateness still accepted (default 5m)"),              \
        IA_OPTION(CHOICE, "overlap", "skip|queue",                                             \
                  "what to do if the previous run is not over"),                               \
        IA_OPTION(TEXT, "if", "COMMAND", "run only if this exits with status 0"),              \
        IA_OPTION(TEXT, "notify", "CMD_OR_URL", "send a message when the verdict changes")

const struct ia_opt ia_schedule_add_opts[] = {
    IA_OPTION(TEXT, "name", "NAME", "its name"),
    SCHEDULE_OPTS,
    IA_OPTION(TEXT, "sweep", "FOLDER",
              "refused: a schedule runs one goal; the message says how a sweep is repeated"),
    IA_RUN_OPTS,
    IA_OPTS_END,
};

const struct ia_opt ia_schedule_edit_opts[] = {SCHEDULE_OPTS, IA_RUN_OPTS, IA_OPTS_END};

const struct ia_opt ia_schedule_history_opts[] = {
    IA_LIMIT_OPT,
    IA_OPTS_END,
};

const char ia_schedule_add_details[] =
    "Without --device, it gets a simulated phone of its own: embedded:schedule-NAME.\n"
    "Give one of --cron, --every, --at. A cron expression is minute, hour, day of the month, "
    "month,\n"
    "day of the week; *, 5, 1-5, */15, 1,15, mon-fri; @hourly @daily @weekly @monthly "
    "@yearly.\n"
    "When clocks change, a job whose minute or hour begins with * follows the clock; any other "
    "runs\n"
    "once: at the moment of the change if its time is skipped, the first time if it comes "
    "twice.\n"
    "--every counts from when the schedule was added.\n"
    "Missed due times: latest runs once for all of them (default), all runs each (24 at most, "
    "one\n"
    "after the other: --overlap is then queue), skip drops due times later than the grace.\n"
    "--if COMMAND runs in /bin/sh for at most 30 s; any status but 0 skips the run, and "
    "schedule\n"
    "history gives the reason. --notify gets a JSON object when the verdict changes: a command "
    "on\n"
    "its standard input, a URL as a POST.\n";

const char ia_schedule_edit_details[] = "Options that are not given stay as they are. An empty "
                                        "--if or --notify removes it. A retired\n"
                                        "schedule runs again once its problem is fixed.\n";

const char ia_schedule_tick_details[] =
    "For cron or launchd where no daemon runs. The exit status is the worst of the runs, "
    "or 7\n"
    "when it was stopped; the runs it had in hand wait for the next one. schedule\n"
    "history has each outcome, and --notify reports changes.\n";
