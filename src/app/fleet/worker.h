/* worker.h: does runs of a fleet on this machine's devices as a daemon does the runs of its own queue: with the same
 * executor, store, journal and proof.
 *
 *   pull ─► accept: row "held", run queued on a free lane ─► done ─► proposal stored ─► acknowledged
 *
 * A free lane pulls one order; no order is pulled in advance. The order of a run is prolonged every quarter of the lease.
 * If this process dies, the server delivers the order to another worker after the lease, which begins the next attempt. No
 * attempt is begun twice: after a kill, unfinished runs are ended as cancelled, and an order that is delivered again begins
 * a new run.
 *
 * The worker's own configuration limits what it does: policy, apps, commands, secrets (fleet.secrets), budgets. */
#ifndef IA_APP_FLEET_WORKER_H
#define IA_APP_FLEET_WORKER_H

#include "app/credentials.h"
#include "app/setup.h"
#include "base/cancel.h"
#include "fleet/message.h"

struct ia_fleet_work;

struct ia_fleet_work_opts {
    const struct ia_setup *setup; /* with its store */
    const struct ia_credentials *credentials;
    struct ia_bus *bus;
    const char *name, *class_key;
    const char *const *lanes;
    const char *const *devices; /* of each lane, as the user named it */
    size_t lane_count;
    const char
        *listen; /* HOST:PORT of the server for pictures; port 0: any free one; "": no server */
    const char *url; /* under which others reach it; NULL: http://HOST:PORT */
    void (*say)(void *ctx, const char *text); /* for people; any thread */
    void *ctx;
};
/* Starts the worker. Ends runs that an earlier process of this home left unfinished, and proposes those that it finished. */
enum ia_rc ia_fleet_work_open(const struct ia_fleet_work_opts *opts, struct ia_fleet_work **ret,
                              struct ia_err *err);
/* Works until cancel fires or, once drained, until no run is left. */
enum ia_rc ia_fleet_work_serve(struct ia_fleet_work *w, struct ia_cancel *cancel,
                               struct ia_err *err);
/* Stops pulling; current runs go on. Any thread. */
void ia_fleet_work_drain(struct ia_fleet_work *w);
/* Stops current runs at their next safe moment, gives their orders back, and frees everything. IA_E_TIMEOUT if one did not
 * stop: then nothing is freed, and the process must exit. */
enum ia_rc ia_fleet_work_close(struct ia_fleet_work *w, int64_t grace_ms, struct ia_err *err);
int64_t ia_fleet_work_done(const struct ia_fleet_work *w); /* runs */

#endif
