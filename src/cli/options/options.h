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
    IA_OPTION(INT, "limit", "N", "how many (default 20)", .min = 1, .max = 10000)

/* What `run` and `schedule` have in common (runopts.h). */
/* The default if the variable CI is set (run.strict). */
#define IA_HELP_STRICT "a healed run is no success (exit status 1)"

#define IA_RUN_OPTS                                                                            \
    IA_OPTION(TEXT, "app", "BUNDLE", "lock the run to this app"),                              \
        IA_OPTION(TEXT, "device", "NAME", IA_HELP_DEVICE),                                     \
        IA_OPTION(TEXT, "agent", "NAME",                                                       \
                  "run as the agent [agents.NAME] of the configuration"),                      \
        IA_OPTION(TEXT, "model", "ID", "the model that acts"),                                 \
        IA_OPTION(TEXT, "verifier-model", "ID",                                                \
                  "the model that checks a pass (default: the same)"),                         \
        IA_OPTION(CHOICE, "verify", "auto|always|off",                                         \
                  "auto, always: a model checks each pass; off: code alone"),                  \
        IA_OPTION(CHOICE, "pictures", "steps|end|off|sharp",                                   \
                  "screenshots to keep for reports (default end; steps on a terminal)"),       \
        IA_OPTION(CHOICE, "replay", "off|auto|only",                                           \
                  "repeat it from its recording; auto: a model takes over where needed"),      \
        IA_FLAG("strict", IA_HELP_STRICT),                                                     \
        IA_OPTION(CHOICE, "plan", "off|show|ask",                                              \
                  "make a plan first and show it; ask: wait until a person approves it"),      \
        IA_OPTION(CHOICE, "effort", "low|medium|high|xhigh|max",                               \
                  "the effort asked of the model"),                                            \
        IA_OPTION(TEXT, "hint", "TEXT", "advice on how to do it"),                             \
        IA_OPTION(TEXT, "expect", "EXPECTATION", "a condition on the last screen",             \
                  .repeat = true),                                                             \
        IA_OPTION(TEXT, "secret", "NAME", "a variable that may be typed and is never shown",   \
                  .repeat = true),                                                             \
        IA_OPTION(INT, "max-steps", "N", "limit of tool calls", .min = 1, .max = 1000),        \
        IA_OPTION(INT, "max-seconds", "N", "time limit in seconds; 0: none", .max = 604800),   \
        IA_OPTION(INT, "max-tokens", "N", "token limit; 0: none",                              \
                  .max = INT64_C(1000000000000)),                                              \
        IA_OPTION(REAL, "max-usd", "X", "dollar limit; 0: none"),                              \
        IA_OPTION(INT, "retries", "N", "retry transient errors at most this often", .max = 5), \
        IA_FLAG("continue", "continue the agent's last conversation (needs --agent)"),         \
        IA_FLAG("fresh", "restore the simulated phone's factory state first"),                 \
        IA_FLAG("demo", "use the demo brain even if there is a key")

#define IA_OPT_ALLOW_COMMANDS IA_FLAG("allow-commands", "let expectations run commands")

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
extern const struct ia_opt ia_eval_opts[], ia_compare_opts[];
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
