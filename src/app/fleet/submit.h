/* submit.h: has the runs of a sweep done by the workers of a fleet.
 *
 *   queued ─► claimed here, row "sent" ─► order ─► a worker pulls it, does it, proposes what came of it
 *                                                            │
 *            run, events, journal as rows ◄─ verdict stored ◄─┘ checked by the run's key
 *
 * The rows in the submitter's store are those of a local run, before and after: reports, exit codes and the sweep's table
 * know nothing of a fleet. The verdict that counts is the one message at ia.verdict.BATCH.RUN, which only the submitter
 * writes and the server takes once. A submitter that is killed leaves a row "sent". When the sweep is resumed, the order is
 * sent again with the same id, and a waiting proposal is settled.
 *
 * One thread serves; events come on a thread of libnats. */
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
    const char *pool;         /* of its queued runs */
    const char *needs;        /* the class that workers must serve */
    const char *const *lanes; /* names of the slots; borrowed */
    size_t slots;             /* how many: at most so many runs are with workers at once */
    /* Names of secrets that workers get from here, with commas, or ""; and where their values are. Borrowed. */
    const char *share;
    struct ia_secret_source *secrets;
    int attempts;
    /* The sweep has a limit in dollars. If a worker dies, its spending is unknown, so its run is not given to another worker:
     * it ends as an error and counts with its whole limit (lost). */
    bool budgeted;
    void (*lost)(void *ctx, const char *run_id, double usd_max);
    int64_t lease_ms;
    int replicas;
    /* An event of a run as it happens, on a thread of libnats. lane: one of lanes. NULL: events are not received. */
    void (*event)(void *ctx, const char *lane, const char *run_id, enum ia_event_type type,
                  struct ia_str json);
    /* A line for people. */
    void (*say)(void *ctx, const char *text);
    void *ctx;
};
/* Makes the streams where they are missing. */
enum ia_rc ia_fleet_submit_open(const struct ia_fleet_submit_opts *opts,
                                struct ia_fleet_submit **ret, struct ia_err *err);
/* Works until that time (wall ms) or until a run ended: *ret_ended. Waits if the server cannot be reached. Returns errors of
 * the store and errors that do not pass. */
enum ia_rc ia_fleet_submit_serve(struct ia_fleet_submit *s, struct ia_cancel *cancel,
                                 int64_t until_ms, bool *ret_ended, struct ia_err *err);
/* Takes back orders that no worker has pulled. Workers finish the other runs, whose results are collected when the sweep is
 * resumed. *ret_out: how many runs were with workers or waiting. */
enum ia_rc ia_fleet_submit_withdraw(struct ia_fleet_submit *s, size_t *ret_out,
                                    struct ia_err *err);
/* Waits up to ms until all pictures of ended runs were fetched. False: some are missing and stay noted. */
bool ia_fleet_submit_settle(struct ia_fleet_submit *s, int64_t ms);
/* What the fleet did, for people and reports. NULL: zeros. */
struct ia_fleet_figures {
    size_t sent, counted, again, superseded, refused;
};
struct ia_fleet_figures ia_fleet_submit_figures(const struct ia_fleet_submit *s);
void ia_fleet_submit_close(struct ia_fleet_submit *s); /* NULL is fine */

/* Counts the workers that are up and serve that class, and their devices. */
enum ia_rc ia_fleet_capacity(struct ia_bus *bus, const char *needs, size_t *ret_lanes,
                             size_t *ret_workers, struct ia_err *err);

#endif
