/* leader.h: elects one of the machines that have the same schedules (fleet.schedules) as their leader.
 *
 * The leader starts the schedules that are due. It is named in a row of a bucket, which expires after its TTL and is only
 * written with its last revision. The leader renews the row every third of the TTL. Two thirds of the TTL after its last
 * known write, it stops leading:
 *
 *     follows ──► row gone, empty or this machine's own: written with its revision ──► leads
 *        ▲                                                                               │
 *        └── written by another, or not renewed for 2/3 of the TTL, or left (row emptied) ───┘
 *
 * Leadership alone does not exclude two machines, since one may be paused after it checked whether it leads. So a due time
 * belongs to the machine whose message the server stored at ia.fired.SCHEDULE.DUE, where it takes one message; no other
 * machine starts it. A machine that was killed after that finds its own name there.
 *
 * A machine that cannot reach the server starts nothing. */
#ifndef IA_APP_FLEET_LEADER_H
#define IA_APP_FLEET_LEADER_H

#include "agent/schedule/schedule.h"
#include "app/setup.h"
#include "fleet/message.h"

struct ia_leader;

struct ia_leader_opts {
    const struct ia_setup *setup; /* borrowed */
    /* For a single tick: connects at once and claims without leading. */
    bool tick;
    void (*say)(void *ctx, const char *line); /* for people; any thread; may be NULL */
    void *ctx;
};
/* Whether the configuration has fleet.schedules. */
bool ia_leader_wanted(const struct ia_config *config);
/* Starts a thread that connects as soon as possible and stands for leader. With tick: errors as for ia_bus_open and for
 * its streams. */
enum ia_rc ia_leader_open(const struct ia_leader_opts *opts, struct ia_leader **ret,
                          struct ia_err *err);
/* Gives up leadership at once and claims nothing more. Other threads may still call. NULL is fine. */
void ia_leader_leave(struct ia_leader *l);
/* Leaves and frees. No other thread may call any more. NULL is fine. */
void ia_leader_close(struct ia_leader *l);
bool ia_leader_leads(struct ia_leader *l);
/* The claim function for struct ia_tick_env; ctx is the struct ia_leader. IA_E_IO if the server cannot be reached. */
enum ia_rc ia_leader_claim(void *ctx, const char *schedule, int64_t due_ms, bool take,
                           enum ia_fire_owner *ret, struct ia_err *err);

/* Reads the current leader through any connection. *ret_found: whether there is one. */
enum ia_rc ia_fleet_leader_read(struct ia_bus *bus, struct ia_fleet_leader *ret,
                                bool *ret_found, struct ia_err *err);

#endif
