/* sweep_plan.h: from the command line of `sweep` to goals, lanes and options. */
#ifndef IA_CLI_SWEEP_SWEEP_PLAN_H
#define IA_CLI_SWEEP_SWEEP_PLAN_H

#include "agent/sweep/sweep.h"
#include "app/model_client.h"
#include "app/secret_source.h"
#include "cli/command/command.h"

struct ia_sweep_plan {
    bool eval; /* every goal must have an oracle; without files, the program's own suite */
    struct ia_goals *goals;
    bool *chosen; /* of each goal */
    bool allow_commands;
    size_t chosen_count;
    size_t left_out; /* known to fail, so there is nothing to replay */
    struct ia_sweep_choice choice;
    struct ia_sweep_opts opts;
    struct ia_run_request base, force;
    const struct ia_config_agent
        *agent; /* that does the goals; NULL: none. Of the configuration */
    const char *tags[IA_ARGS_MAX], *names[IA_ARGS_MAX], *vars[IA_ARGS_MAX];
    const char **failed; /* names, with --last-failed */
    bool last_failed;
    const char *told_vars[IA_ARGS_MAX]; /* of these, those without a secret */
    char *lanes[IA_SWEEP_LANES_MAX];
    char *title;
};

/* Reads the goals and chooses, of *p all zero but eval and choice.files; opens nothing but files. setup has its configuration, and with
 * --last-failed its store. Fails for
 * any mistake in an option, a goal or a device's name. Free with ia_sweep_plan_fini, whatever it
 * returns. */
enum ia_rc ia_sweep_plan_make(struct ia_sweep_plan *p, const struct ia_cli *c,
                              struct ia_setup *setup, struct ia_err *err);
void ia_sweep_plan_fini(struct ia_sweep_plan *p);
/* Names of the goals that did not pass the last time they ran (last_failed.c); free(*ret), whatever
 * it returns. */
enum ia_rc ia_sweep_last_failed(struct ia_store *store, const struct ia_goals *goals,
                                const char ***ret, size_t *ret_n, struct ia_err *err);

/* The devices that --device names; else simulated phones of the sweep's own, which nobody holds
 * now (where setup has no store: the first ones). After ia_sweep_plan_make. */
enum ia_rc ia_sweep_plan_lanes(struct ia_sweep_plan *p, const struct ia_cli *c,
                               const struct ia_setup *setup, struct ia_err *err);
/* Whether every chosen goal would be accepted, as `run` checks it. */
enum ia_rc ia_sweep_plan_check(const struct ia_sweep_plan *p, struct ia_claude *claude,
                               struct ia_secret_source *secrets, struct ia_err *err);
/* Keeps the variables of the command line with the sweep, apart from those that hold the value
 * of a secret that a goal names. */
void ia_sweep_plan_tell_vars(struct ia_sweep_plan *p, struct ia_secret_source *secrets);
/* Reads the recordings beside the files of the chosen goals that will be replayed, and imports them (store NULL: only
 * checks them). IA_E_CONFIG: one is broken. */
enum ia_rc ia_sweep_plan_recordings(const struct ia_sweep_plan *p, struct ia_cli *c,
                                    struct ia_store *store, struct ia_err *err);
/* What would run: text for people and the result. */
void ia_sweep_plan_show(const struct ia_sweep_plan *p, struct ia_cli *c);

#endif
