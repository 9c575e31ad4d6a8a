/* overview.h: the state of a fleet for people, on the terminal and on the dashboard. */
#ifndef IA_APP_FLEET_OVERVIEW_H
#define IA_APP_FLEET_OVERVIEW_H

#include "base/cancel.h"
#include "base/jsonw.h"
#include "fleet/message.h"

/* A worker and its lanes. */
struct ia_fleet_member {
    struct ia_fleet_worker worker;
    struct ia_fleet_lane *lanes;
    size_t lane_count; /* at most IA_FLEET_LANES_SHOWN */
    int64_t quiet_ms;  /* since its last write, if somebody watches (watch.h); -1: unknown */
};
/* Counts of the orders of a class. */
struct ia_fleet_queue {
    char class_key[IA_FLEET_CLASS_SIZE];
    uint64_t waiting, in_hand;
};
struct ia_fleet_overview {
    struct ia_fleet_member *workers; /* by name */
    size_t worker_count, lane_count;
    struct ia_fleet_queue *queues; /* by class */
    size_t queue_count;
    struct ia_bus_count runs, proposed, verdicts; /* messages in the streams */
    struct ia_fleet_leader leader;                /* of the schedules, if led */
    bool led;
};

/* Reads the workers only; a server that was never used has none. Free *ret with ia_fleet_overview_fini, whatever this
 * returns. Any thread; waits for the server. */
enum ia_rc ia_fleet_look_at_workers(struct ia_bus *bus, struct ia_fleet_overview *ret,
                                    struct ia_err *err);
/* Reads everything. */
enum ia_rc ia_fleet_look(struct ia_bus *bus, struct ia_fleet_overview *ret, struct ia_err *err);
void ia_fleet_overview_fini(struct ia_fleet_overview *o);
/* The worker of that name, or NULL. */
const struct ia_fleet_member *ia_fleet_member_of(const struct ia_fleet_overview *o,
                                                 const char *name);

/* [{"worker","state","labels","devices","busy","done","version","since","quiet_s","lanes":[{"device","batch","run",
 * "since"}]}]. Times are text. Unknown values are null, as are batch and run of a free lane. */
void ia_fleet_workers_json(const struct ia_fleet_overview *o, struct ia_jsonw *w);
/* Members of an object: "runs_out", "proposed", "verdicts", and "queues":[{"labels","waiting","in_hand"}]. */
void ia_fleet_queues_json(const struct ia_fleet_overview *o, struct ia_jsonw *w);
/* The member "leader": {"machine","version","since"}, or null if no machine leads. */
void ia_fleet_leader_json(const struct ia_fleet_overview *o, struct ia_jsonw *w);

/* Drains a worker and waits until its row says so or is gone, for at most 10 s or until cancel (may be NULL) fires.
 * IA_E_NOT_FOUND: there is no such worker. IA_E_TIMEOUT. */
enum ia_rc ia_fleet_drain(struct ia_bus *bus, const char *name, struct ia_cancel *cancel,
                          struct ia_err *err);

#endif
