/* sim.h: what the commands of simulators share: which one is meant, and how it is said. */
#ifndef IA_CLI_SYS_SIM_H
#define IA_CLI_SYS_SIM_H

#include "cli/command/command.h"
#include "cli/view/spinner.h"
#include "driver/simctl/simctl.h"
#include "server/verbs/verb_options.h"

/* A simulator that a command works on. The texts are copies: the list may be read again. */
struct ia_cli_sim {
    struct ia_simctl *ctl;
    struct ia_cancel *cancel; /* fired by Ctrl-C */
    struct ia_deadline deadline;
    char udid[IA_SIM_UDID_SIZE];
    char name[128];
    char runtime[IA_SIM_RUNTIME_SIZE];
    enum ia_sim_state state; /* when it was found */
};

/* Opens simctl without naming a simulator, and lets Ctrl-C cancel its calls. */
enum ia_rc ia_cli_sim_begin(struct ia_cli_sim *ret, struct ia_err *err);
/* That, and finds the simulator that the options --sim and --runtime or the operand (may be
 * NULL) name. For an ambiguous name the result is {"candidates":[{"udid","name","runtime",
 * "state"}…]}. Free with ia_cli_sim_close, whatever this returned. */
enum ia_rc ia_cli_sim_open(struct ia_cli *c, const char *operand, struct ia_cli_sim *ret,
                           struct ia_err *err);
/* The same for a command that has no option --sim. */
enum ia_rc ia_cli_sim_open_named(struct ia_cli *c, const char *name, struct ia_cli_sim *ret,
                                 struct ia_err *err);
void ia_cli_sim_close(struct ia_cli_sim *s);
/* What destroys a simulator (the command that is named) takes its whole name or its UDID, where the
 * beginning of a name is enough to boot it. IA_E_USAGE. */
enum ia_rc ia_cli_sim_check_whole(const struct ia_cli_sim *s, const char *name,
                                  const char *command, struct ia_err *err);

/* Where run.device names a device as people do (driver/registry/sim_name.h), puts its name as a device there:
 * "bridge:UDID" for "iPhone 17", "iphone:UDID" for "iphone:Ada's iPhone". Files in its settings become absolute. Asks simctl, or the iPhones, only then.
 * IA_E_NO_DEVICE, IA_E_AMBIGUOUS. */
enum ia_rc ia_cli_sim_device(struct ia_config *config, struct ia_err *err);

/* Begins the result: {"simulator":{"udid","name","runtime","state"}, and leaves the object
 * open. */
void ia_cli_sim_result(struct ia_cli *c, const struct ia_cli_sim *s, enum ia_sim_state state);
/* On a terminal: says what is waited for ("booting"), until it is freed with ia_spinner_free.
 * NULL elsewhere. */
struct ia_spinner *ia_cli_sim_wait(const struct ia_cli_sim *s, const char *doing);
/* "iPhone 17, iOS 26.2", harmless to print. */
void ia_cli_sim_put_name(struct ia_buf *out, const struct ia_cli_sim *s);

#endif
