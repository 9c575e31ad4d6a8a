/* options.h: the options of several commands (cli/cmd/commands.c has the others). */
#ifndef IA_CLI_OPTIONS_OPTIONS_H
#define IA_CLI_OPTIONS_OPTIONS_H

#include "cli/command/command.h"

#define IA_HELP_DEVICE                                                                            \
    "embedded[:NAME][?bugs=…&faults=…], iphone:UDID, bridge:UDID, bridge:HOST:PORT, wda:URL " \
    "or appium:URL"
#define IA_HELP_PHONE "embedded, or embedded:NAME"

/* Of a list, newest first. */
#define IA_LIMIT_OPT                                                                           \
    {                                                                                          \
        .name = "limit", .kind = IA_OPT_INT, .value = "N", .help = "how many (default 20)",    \
        .min = 1, .max = 10000                                                                 \
    }

/* What `run` and `schedule` have in common (runopts.h). */
/* Also without it where the variable CI is set (run.strict). */
#define IA_HELP_STRICT "a run that a model healed is no success (exit status 1)"

#define IA_RUN_OPTS                                                                            \
    {.name = "app",                                                                            \
     .kind = IA_OPT_TEXT,                                                                      \
     .value = "BUNDLE",                                                                        \
     .help = "lock the run to this app"},                                                      \
        {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_DEVICE},      \
        {.name = "agent",                                                                      \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "NAME",                                                                      \
         .help = "run as the agent [agents.NAME] of the configuration"},                       \
        {.name = "model", .kind = IA_OPT_TEXT, .value = "ID", .help = "the model that acts"},  \
        {.name = "verifier-model",                                                             \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "ID",                                                                        \
         .help = "the model that checks a pass (default: the same)"},                          \
        {.name = "verify",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "auto|always|off",                                                           \
         .help = "auto, always: a model checks each pass; off: code alone"},                   \
        {.name = "pictures",                                                                   \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "steps|end|off|sharp",                                                       \
         .help = "screenshots to keep for reports (default end; steps on a terminal)"},        \
        {.name = "replay",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "off|auto|only",                                                             \
         .help = "do it again from its recording; auto: a model takes over where needed"},     \
        {.name = "strict", .kind = IA_OPT_FLAG, .help = IA_HELP_STRICT},                       \
        {.name = "effort",                                                                     \
         .kind = IA_OPT_CHOICE,                                                                \
         .value = "low|medium|high|xhigh|max",                                                 \
         .help = "the effort asked of the model"},                                             \
        {.name = "hint",                                                                       \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "TEXT",                                                                      \
         .help = "advice on how to do it"},                                                    \
        {.name = "expect",                                                                     \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "EXPECTATION",                                                               \
         .help = "a condition on the last screen",                                             \
         .repeat = true},                                                                      \
        {.name = "secret",                                                                     \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "NAME",                                                                      \
         .help = "a variable that may be typed and is never shown",                            \
         .repeat = true},                                                                      \
        {.name = "max-steps",                                                                  \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "limit of tool calls",                                                        \
         .min = 1,                                                                             \
         .max = 1000},                                                                         \
        {.name = "max-seconds",                                                                \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "time limit in seconds; 0: none",                                             \
         .max = 604800},                                                                       \
        {.name = "max-tokens",                                                                 \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "token limit; 0: none",                                                       \
         .max = INT64_C(1000000000000)},                                                       \
        {.name = "max-usd",                                                                    \
         .kind = IA_OPT_REAL,                                                                  \
         .value = "X",                                                                         \
         .help = "dollar limit; 0: none"},                                                     \
        {.name = "retries",                                                                    \
         .kind = IA_OPT_INT,                                                                   \
         .value = "N",                                                                         \
         .help = "retry transient errors at most this often",                                  \
         .max = 5},                                                                            \
        {.name = "continue",                                                                   \
         .kind = IA_OPT_FLAG,                                                                  \
         .help = "continue the agent's last conversation (needs --agent)"},                    \
        {.name = "fresh",                                                                      \
         .kind = IA_OPT_FLAG,                                                                  \
         .help = "restore the simulated phone's factory state first"},                         \
    {                                                                                          \
        .name = "demo", .kind = IA_OPT_FLAG,                                                   \
        .help = "use the demo brain even if there is a key"                                    \
    }

#define IA_OPT_ALLOW_COMMANDS                                                                  \
    {                                                                                          \
        .name = "allow-commands", .kind = IA_OPT_FLAG, .help = "let expectations run commands" \
    }

/* sim_options.c */
extern const struct ia_opt ia_devices_opts[], ia_boot_opts[], ia_sim_opts[], ia_install_opts[],
    ia_reset_sim_opts[], ia_sim_create_opts[], ia_sim_clone_opts[];
extern const char ia_devices_details[], ia_boot_details[], ia_reset_sim_details[],
    ia_sim_create_details[], ia_sim_delete_details[];
extern const char ia_launch_details[];

/* bridge_options.c */
extern const struct ia_opt ia_bridge_build_opts[], ia_bridge_start_opts[];
extern const struct ia_opt ia_bridge_stop_opts[], ia_bridge_status_opts[],
    ia_bridge_logs_opts[];
extern const char ia_bridge_build_details[], ia_bridge_start_details[];

/* schedule_options.c */
extern const struct ia_opt ia_schedule_add_opts[], ia_schedule_edit_opts[];
extern const struct ia_opt ia_schedule_history_opts[];
extern const char ia_schedule_add_details[], ia_schedule_edit_details[];
extern const char ia_schedule_tick_details[];

/* run_options.c */
extern const struct ia_opt ia_history_opts[];
extern const struct ia_opt ia_report_opts[];
extern const struct ia_opt ia_resume_opts[];
extern const struct ia_opt ia_run_opts[];
extern const struct ia_opt ia_runs_opts[];
extern const struct ia_opt ia_label_opts[];
extern const struct ia_opt ia_show_opts[];
extern const struct ia_opt ia_sweep_opts[];
extern const struct ia_opt ia_eval_opts[];
extern const struct ia_opt ia_sweeps_opts[];
extern const char ia_report_details[];
extern const char ia_resume_details[];
extern const struct ia_opt ia_replay_opts[];
extern const char ia_replay_details[];
extern const char ia_recordings_export_details[];
extern const char ia_run_details[];
extern const char ia_sweep_details[];
extern const char ia_eval_details[];

/* setup_options.c */
extern const struct ia_opt ia_init_opts[], ia_skill_install_opts[], ia_mcp_opts[],
    ia_batch_opts[];
extern const char ia_init_details[], ia_skill_install_details[], ia_skill_show_details[];
extern const char ia_completions_details[], ia_mcp_details[], ia_batch_details[];

/* device_options.c */
extern const struct ia_opt ia_bugs_opts[];
extern const struct ia_opt ia_diff_opts[];
extern const struct ia_opt ia_embedded_opts[];
extern const struct ia_opt ia_embedded_serve_opts[];
extern const struct ia_opt ia_serve_opts[];
extern const struct ia_opt ia_mock_api_opts[];
extern const char ia_bugs_details[];
extern const char ia_diff_details[];
extern const char ia_embedded_serve_details[];
extern const char ia_serve_details[];
extern const char ia_mock_api_details[];

#endif
