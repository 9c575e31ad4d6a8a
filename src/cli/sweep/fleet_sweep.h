/* fleet_sweep.h: a sweep whose runs are done by a fleet. Each of its lanes is a slot for one run that a worker does. */
#ifndef IA_CLI_SWEEP_FLEET_SWEEP_H
#define IA_CLI_SWEEP_FLEET_SWEEP_H

#include "app/fleet/submit.h"
#include "cli/sweep/sweep_plan.h"

struct ia_sweep_fleet {
    struct ia_bus *bus; /* NULL: no fleet */
    struct ia_fleet_submit *submit;
    const struct ia_credentials *credentials;
    struct ia_secret_source *secrets; /* of which workers get those that are shared */
    char needs[IA_FLEET_CLASS_SIZE];
};

/* Whether the command line asks for a fleet. */
bool ia_sweep_fleet_wanted(const struct ia_cli *c);
/* Whether a sweep that is resumed was one of a fleet. */
bool ia_sweep_fleet_was(const struct ia_sweep *sweep);
/* Connects to the server that --fleet or the configuration names. */
enum ia_rc ia_sweep_fleet_connect(struct ia_sweep_fleet *f, const struct ia_cli *c,
                                  const struct ia_setup *setup, struct ia_err *err);
/* Makes the lanes of a new sweep: --jobs, or two for each device that its workers have. IA_E_USAGE for --device and for a
 * goal that names its device. */
enum ia_rc ia_sweep_fleet_lanes(struct ia_sweep_fleet *f, struct ia_sweep_plan *p,
                                const struct ia_cli *c, struct ia_err *err);

/* As struct ia_fleet_submit_opts has them. */
struct ia_sweep_fleet_callbacks {
    void (*event)(void *ctx, const char *lane, const char *run_id, enum ia_event_type type,
                  struct ia_str json);
    void (*lost)(void *ctx, const char *run_id, double usd_max);
    void *ctx;
};
enum ia_rc ia_sweep_fleet_open(struct ia_sweep_fleet *f, const struct ia_setup *setup,
                               const struct ia_sweep *sweep,
                               const struct ia_sweep_fleet_callbacks *callbacks,
                               struct ia_err *err);
/* Puts claimed runs back for --resume and waits for the pictures of finished ones. Empty is fine. */
void ia_sweep_fleet_stop(struct ia_sweep_fleet *f);
/* Frees; empty is fine. */
void ia_sweep_fleet_close(struct ia_sweep_fleet *f);

#endif
