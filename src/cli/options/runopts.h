/* runopts.h: the options that say how a goal is run, the same for `run` and `schedule`.
 *
 * The configuration is read first, then the options are set in it, so that each value has one
 * place and one check. */
#ifndef IA_CLI_OPTIONS_RUNOPTS_H
#define IA_CLI_OPTIONS_RUNOPTS_H

#include "agent/goal/job.h"
#include "app/setup.h"
#include "opt/opt.h"

struct ia_run_opts {
    const struct ia_config_agent *agent; /* NULL: none was named */
    const char *goal, *hint, *agent_name;
    const char *expect[IA_ARGS_MAX];
    size_t expect_count;
    const struct ia_setup_step *setup; /* those of before */
    size_t setup_count;
    const char *const *secrets; /* names: given, or those of before */
    const char *given_secrets[IA_ARGS_MAX];
    size_t secret_count;
    int tries;
    bool continue_session;
};

/* Reads what needs nothing but the command line, over those of `before` (NULL: none), which the
 * options replace one by one. goal NULL: that of before. Expectations are parsed. Borrows from
 * the arguments, the job and o itself, which must not move. IA_E_USAGE, IA_E_PARSE. */
enum ia_rc ia_run_opts_read(struct ia_run_opts *o, const struct ia_args *a, const char *goal,
                            const struct ia_job *before, struct ia_err *err);
/* Then what is set in the configuration, and the agent of it: IA_E_CONFIG, IA_E_NOT_FOUND. */
enum ia_rc ia_run_opts_apply(struct ia_run_opts *o, struct ia_setup *setup,
                             const struct ia_args *a, const struct ia_job *before,
                             struct ia_err *err);
/* The request that they make; demo: the demo brain answers. Borrows from o and the
 * configuration. */
struct ia_run_request ia_run_opts_request(const struct ia_run_opts *o,
                                          const struct ia_config *config, bool demo);

#endif
