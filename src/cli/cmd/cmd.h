/* cmd.h: the commands. A new one is a file cmd_<name>.c here, its name in this list, and its row in
 * commands.c. */
#ifndef IA_CLI_CMD_CMD_H
#define IA_CLI_CMD_CMD_H

#include "cli/command/command.h"
#include "store/sweeps.h"

/* The table, ended by a NULL name. */
extern const struct ia_command ia_commands[];

#define IA_COMMAND_LIST(X)                                                                     \
    X(run)                                                                                     \
    X(sweep)                                                                                   \
    X(eval)                                                                                    \
    X(eval_show)                                                                               \
    X(eval_compare)                                                                            \
    X(runs)                                                                                    \
    X(sweeps)                                                                                  \
    X(show)                                                                                    \
    X(report)                                                                                  \
    X(history)                                                                                 \
    X(worker)                                                                                  \
    X(fleet_status)                                                                            \
    X(fleet_workers)                                                                           \
    X(fleet_drain)                                                                             \
    X(cancel)                                                                                  \
    X(skills_list)                                                                             \
    X(skills_show)                                                                             \
    X(skills_trust)                                                                            \
    X(skills_untrust)                                                                          \
    X(skills_check)                                                                            \
    X(skills_new)                                                                              \
    X(questions)                                                                               \
    X(approve)                                                                                 \
    X(deny)                                                                                    \
    X(recordings_list)                                                                         \
    X(recordings_show)                                                                         \
    X(recordings_accept)                                                                       \
    X(recordings_reject)                                                                       \
    X(recordings_import)                                                                       \
    X(recordings_export)                                                                       \
    X(replay)                                                                                  \
    X(resume)                                                                                  \
    X(say)                                                                                     \
    X(verb)                                                                                    \
    X(diff)                                                                                    \
    X(key_set)                                                                                 \
    X(key_status)                                                                              \
    X(key_remove)                                                                              \
    X(secret_set)                                                                              \
    X(secret_list)                                                                             \
    X(secret_remove)                                                                           \
    X(schedule_add)                                                                            \
    X(schedule_list)                                                                           \
    X(schedule_show)                                                                           \
    X(schedule_edit)                                                                           \
    X(schedule_pause)                                                                          \
    X(schedule_resume)                                                                         \
    X(schedule_run_now)                                                                        \
    X(schedule_history)                                                                        \
    X(schedule_remove)                                                                         \
    X(schedule_tick)                                                                           \
    X(daemon_install)                                                                          \
    X(daemon_uninstall)                                                                        \
    X(daemon)                                                                                  \
    X(daemon_background)                                                                       \
    X(daemon_logs)                                                                             \
    X(daemon_restart)                                                                          \
    X(daemon_status)                                                                           \
    X(daemon_stop)                                                                             \
    X(daemon_token)                                                                            \
    X(dashboard)                                                                               \
    X(config)                                                                                  \
    X(config_path)                                                                             \
    X(config_set)                                                                              \
    X(config_unset)                                                                            \
    X(embedded_state)                                                                          \
    X(embedded_log)                                                                            \
    X(embedded_bugs)                                                                           \
    X(devices)                                                                                 \
    X(forward)                                                                                 \
    X(batch)                                                                                   \
    X(bridge_build)                                                                            \
    X(bridge_start)                                                                            \
    X(bridge_stop)                                                                             \
    X(bridge_status)                                                                           \
    X(bridge_logs)                                                                             \
    X(boot)                                                                                    \
    X(shutdown)                                                                                \
    X(sim_create)                                                                              \
    X(sim_clone)                                                                               \
    X(sim_delete)                                                                              \
    X(reset_sim)                                                                               \
    X(install)                                                                                 \
    X(uninstall)                                                                               \
    X(launch)                                                                                  \
    X(terminate)                                                                               \
    X(open_url)                                                                                \
    X(embedded_serve)                                                                          \
    X(serve)                                                                                   \
    X(mcp)                                                                                     \
    X(mock_api)                                                                                \
    X(version)                                                                                 \
    X(help)                                                                                    \
    X(init)                                                                                    \
    X(skill_install)                                                                           \
    X(skill_show)                                                                              \
    X(completions)                                                                             \
    X(complete_values)                                                                         \
    X(lockdown)                                                                                \
    X(man_pages)

#define IA_COMMAND_DECLARE(name) ia_command_fn ia_cmd_##name;
IA_COMMAND_LIST(IA_COMMAND_DECLARE)
#undef IA_COMMAND_DECLARE

/* One sweep; of the goals in these files alone (n > 0), named as sweep reads them. *ret_stopped: a signal
 * ended it. */
enum ia_rc ia_cmd_sweep_once(struct ia_cli *c, const char *const *files, size_t n,
                             bool *ret_stopped, struct ia_err *err);

/* `show` of a sweep: its goals, then the sweep. */
enum ia_rc ia_cmd_show_sweep(struct ia_cli *c, struct ia_store *store,
                             const struct ia_sweep_row *row, struct ia_err *err);

/* `show --tree` of a run. */
enum ia_rc ia_cmd_show_tree(struct ia_cli *c, struct ia_store *store,
                            const struct ia_run_row *run, struct ia_err *err);

/* Does the verb with the arguments of the command, in the daemon unless that was refused. */
enum ia_rc ia_cli_verb(struct ia_cli *c, const char *verb, struct ia_err *err);

#endif
