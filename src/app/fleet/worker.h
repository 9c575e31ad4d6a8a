/* worker.h: does runs of a fleet on the devices of this machine, as a daemon does those of its own queue: the same
 * executor, store, journal and proof.
 *
 *   pull ─► accept: row "held", run queued on a free lane ─► done ─► proposal stored ─► acknowledged
 *
 * A lane that is free pulls one order; nothing is taken in advance. While a run is in hand its order is prolonged, at a
 * quarter of the lease; when this process dies, the server gives the order to another worker after the lease, as the next
 * attempt. An attempt is never begun twice: after a kill the runs that were in hand are ended as cancelled, and an
 * order that comes again begins a new run.
 *
 * What a worker does is limited by its own configuration: policy, apps, commands, secrets (fleet.secrets), budgets. */
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
    const char *listen; /* HOST:PORT for who fetches pictures; port 0: any; "": none */
    const char *url;    /* by which others reach that; NULL: http://HOST:PORT */
    void (*say)(void *ctx, const char *text); /* for people; any thread */
    void *ctx;
};
/* Begins; ends what an earlier process of this home left, and proposes what that finished. */
enum ia_rc ia_fleet_work_open(const struct ia_fleet_work_opts *opts, struct ia_fleet_work **ret,
                              struct ia_err *err);
/* Works until cancel fires, or, once it is drained, until nothing is in hand. */
enum ia_rc ia_fleet_work_serve(struct ia_fleet_work *w, struct ia_cancel *cancel,
                               struct ia_err *err);
/* Pulls nothing more; runs in hand go on. Any thread. */
void ia_fleet_work_drain(struct ia_fleet_work *w);
/* Stops the runs in hand at their next safe moment, gives their orders back, and frees all. IA_E_TIMEOUT when one did
 * not stop: then nothing is freed, and the process must exit. */
enum ia_rc ia_fleet_work_close(struct ia_fleet_work *w, int64_t grace_ms, struct ia_err *err);
int64_t ia_fleet_work_done(const struct ia_fleet_work *w); /* runs */

#endif
