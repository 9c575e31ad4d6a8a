/* runner_supervisor.c: what the bridge's client asks when no bridge answers.
 *
 *     poll     is the simulator booted? ── no ──► DEVICE_GONE
 *                 │ yes, or nobody can tell
 *                 ▼
 *              the runner's state file and process ──► RUNNER_GONE, RUNNER_UP, or UNKNOWN
 *     respawn  find the simulator ─► stop the runner that was lost ─► start one ─► its place
 *
 * Called by the client on the thread of the call. The client owns the supervisor once
 * ia_runner_supervisor_take() has succeeded, and frees it when the device is closed. */
#include "driver/registry/runner_supervisor.h"

#include "base/config.h"
#include "driver/runner/runner.h"
#include "driver/simctl/simctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_US = 10000000 }; /* for the question who listens, before the device is opened */

struct supervisor {
    struct ia_runner_opts opts;
    char *home;
    char udid[IA_RUNNER_UDID_SIZE];
    struct ia_simctl *simctl;
};

static enum ia_rc status_of(struct supervisor *o, const struct ia_deadline *deadline,
                            struct ia_runner_status *ret)
{
    struct ia_err ignored;
    return ia_runner_get_status(&o->opts, deadline, o->udid, ret, &ignored);
}

/* Without simctl nobody can tell; then the runner's own state decides. */
static bool simulator_gone(struct supervisor *o, const struct ia_deadline *deadline)
{
    struct ia_err ignored;
    enum ia_sim_state state = IA_SIM_BOOTED;
    enum ia_rc rc = ia_simctl_state(o->simctl, deadline, o->udid, &state, &ignored);
    return rc == IA_E_NO_DEVICE || (rc == IA_OK && state != IA_SIM_BOOTED);
}

static enum ia_bridge_client_life poll_runner(void *ctx, const struct ia_deadline *deadline,
                                              char *ret_last, size_t last_size)
{
    struct supervisor *o = ctx;
    struct ia_runner_status status;
    enum ia_rc rc = status_of(o, deadline, &status);
    if (rc == IA_OK && last_size > 0) {
        (void)snprintf(ret_last, last_size, "%s", status.last);
    }
    if (simulator_gone(o, deadline)) {
        return IA_BRIDGE_CLIENT_DEVICE_GONE;
    }
    if (rc != IA_OK) {
        return IA_BRIDGE_CLIENT_LIFE_UNKNOWN;
    }
    bool gone = status.health == IA_RUNNER_NONE || status.health == IA_RUNNER_DEAD;
    return gone ? IA_BRIDGE_CLIENT_RUNNER_GONE : IA_BRIDGE_CLIENT_RUNNER_UP;
}

static void take_place(const struct ia_runner *r, struct ia_bridge_client_place *place)
{
    place->port = r->port;
    (void)snprintf(place->address, sizeof(place->address), "127.0.0.1");
    (void)snprintf(place->token, sizeof(place->token), "%s", r->token);
}

/* A runner at the place that was lost has to go; one that somebody started elsewhere meanwhile,
 * or that is only starting, is the one that is wanted. */
static enum ia_rc stop_lost(struct supervisor *o, const struct ia_deadline *deadline,
                            const struct ia_bridge_client_place *place, struct ia_err *err)
{
    struct ia_runner_status status;
    bool was = false;
    if (status_of(o, deadline, &status) != IA_OK || status.health == IA_RUNNER_NONE ||
        status.runner.phase == IA_RUNNER_STARTING || status.runner.port != place->port ||
        strcmp(status.runner.token, place->token) != 0) {
        return IA_OK;
    }
    return ia_runner_stop(&o->opts, deadline, o->udid, &was, err);
}

static enum ia_rc respawn(void *ctx, const struct ia_deadline *deadline,
                          struct ia_bridge_client_place *place, struct ia_err *err)
{
    struct supervisor *o = ctx;
    struct ia_sim_query query = {.name = o->udid};
    struct ia_sim_found found;
    struct ia_runner runner;
    enum ia_rc rc = ia_simctl_find(o->simctl, deadline, &query, &found, err);
    if (rc == IA_OK) {
        rc = stop_lost(o, deadline, place, err);
    }
    if (rc == IA_OK) {
        struct ia_runner_sim sim = {found.sim->udid, found.sim->name, found.sim->runtime};
        rc = ia_runner_start(&o->opts, deadline, &sim, &runner, err);
    }
    if (rc == IA_OK) {
        take_place(&runner, place);
    }
    return rc;
}

static void free_supervisor(void *ctx)
{
    struct supervisor *o = ctx;
    ia_simctl_free(o->simctl);
    free(o->home);
    free(o);
}

/* What `bridge start` would start it with. */
static enum ia_rc read_config(struct supervisor *o, const struct ia_paths *paths,
                              struct ia_err *err)
{
    struct ia_config *config = NULL;
    enum ia_rc rc = ia_config_load(paths, NULL, &config, err);
    if (rc == IA_OK) {
        o->opts.ready_ms = ia_config_int(config, IA_CFG_RUNNER_START_S) * 1000;
        o->opts.skip_quiescence = ia_config_bool(config, IA_CFG_RUNNER_SKIP_QUIESCENCE);
        ia_config_free(config);
    }
    return rc;
}

enum ia_rc ia_runner_supervisor_take(const struct ia_paths *paths, const char *udid,
                                     struct ia_bridge_client_options *opt, struct ia_err *err)
{
    struct supervisor *o = ia_calloc(1, sizeof(*o));
    struct ia_runner_status status;
    o->home = ia_strdup(paths->home);
    o->opts.home = o->home;
    o->simctl = ia_simctl_new();
    (void)snprintf(o->udid, sizeof(o->udid), "%s", udid);
    enum ia_rc rc = read_config(o, paths, err);
    if (rc != IA_OK) {
        free_supervisor(o);
        return rc;
    }
    opt->udid = udid;
    opt->supervisor = (struct ia_bridge_client_supervisor){
        .ctx = o, .poll = poll_runner, .respawn = respawn, .free = free_supervisor};
    (void)snprintf(opt->place.address, sizeof(opt->place.address), "127.0.0.1");
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) + LOOK_US};
    if (status_of(o, &deadline, &status) == IA_OK && status.health == IA_RUNNER_LIVE) {
        take_place(&status.runner, &opt->place);
    }
    return IA_OK;
}
