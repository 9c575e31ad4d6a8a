/* submit.h: runs of a sweep, done by workers of a fleet.
 *
 *   queued ─► claimed here, row "sent" ─► order ─► a worker pulls it, does it, proposes what came of it
 *                                                            │
 *            run, events, journal as rows ◄─ verdict stored ◄─┘ checked by the run's key
 *
 * The rows here are those of a local run, before and after: reports, exit codes and the table of a sweep know nothing of
 * a fleet. What counts is the one message at ia.verdict.BATCH.RUN, which only the submitter writes, and which the server
 * takes once. A kill at any moment leaves a row "sent": the sweep is resumed, the order is sent again with the same id,
 * and a proposal that waits is taken then.
 *
 * One thread serves; events come on a thread of the library. */
#ifndef IA_APP_FLEET_SUBMIT_H
#define IA_APP_FLEET_SUBMIT_H

#include "base/cancel.h"
#include "events/events.h"
#include "fleet/message.h"
#include "store/store.h"

struct ia_fleet_submit;
struct ia_secret_source;

enum { IA_FLEET_SLOTS_MAX = 4096 };

struct ia_fleet_submit_opts {
    struct ia_bus *bus;
    struct ia_store *store;
    const char *batch;        /* the sweep's id */
    const char *pool;         /* where its runs wait */
    const char *needs;        /* the class that workers must serve */
    const char *const *lanes; /* names of the places of runs that are out; borrowed */
    size_t slots;             /* how many: so many runs are out at once, at most */
    /* Names of secrets that workers get from here, with commas, or ""; and where their values are. Borrowed. */
    const char *share;
    struct ia_secret_source *secrets;
    int attempts;
    /* All runs together have a limit in dollars: nobody knows what a worker spent that died, so its run is given to no
     * other one. It ends as an error, and counts with all that it might have spent (lost). */
    bool budgeted;
    void (*lost)(void *ctx, const char *run_id, double usd_max);
    int64_t lease_ms;
    int replicas;
    /* An event of a run as it happens, on a thread of the library. lane: one of these. NULL: not wanted, and then
     * nothing of them is received. */
    void (*event)(void *ctx, const char *lane, const char *run_id, enum ia_event_type type,
                  struct ia_str json);
    /* Something for people, once. */
    void (*say)(void *ctx, const char *text);
    void *ctx;
};
/* Makes the streams where they are missing. */
enum ia_rc ia_fleet_submit_open(const struct ia_fleet_submit_opts *opts,
                                struct ia_fleet_submit **ret, struct ia_err *err);
/* Works until then (wall ms), or until something ended: *ret_ended. A server that is away is waited for. An error is
 * the store's, or one that waiting does not cure. */
enum ia_rc ia_fleet_submit_serve(struct ia_fleet_submit *s, struct ia_cancel *cancel,
                                 int64_t until_ms, bool *ret_ended, struct ia_err *err);
/* Takes back what no worker has pulled. What is in a worker's hands is finished there, and is collected when the sweep
 * is resumed. *ret_out: how many those are. */
enum ia_rc ia_fleet_submit_withdraw(struct ia_fleet_submit *s, size_t *ret_out,
                                    struct ia_err *err);
/* Waits until the pictures of what ended are here, ms at most. False: some are not; they stay noted. */
bool ia_fleet_submit_settle(struct ia_fleet_submit *s, int64_t ms);
/* What the fleet did, for people and reports. NULL: zeros. */
struct ia_fleet_figures {
    size_t sent, counted, again, superseded, refused;
};
struct ia_fleet_figures ia_fleet_submit_figures(const struct ia_fleet_submit *s);
void ia_fleet_submit_close(struct ia_fleet_submit *s); /* NULL is fine */

/* How many devices the workers have that serve that class, and are up. */
enum ia_rc ia_fleet_capacity(struct ia_bus *bus, const char *needs, size_t *ret_lanes,
                             size_t *ret_workers, struct ia_err *err);

#endif
