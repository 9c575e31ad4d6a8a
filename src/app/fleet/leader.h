/* leader.h: this machine among those that have the same schedules (fleet.schedules).
 *
 * One of them leads: it starts what is due. Who leads is a row of a bucket that the server forgets after its TTL, and that
 * is written only with its last revision. The leader writes it again every third of the TTL, and considers itself no leader
 * two thirds of it after the last write that it knows of:
 *
 *     follows ──► row gone, empty or this machine's own: written with its revision ──► leads
 *        ▲                                                                               │
 *        └── written by another, or not written for 2/3 of the TTL, or ended (row emptied) ──┘
 *
 * That alone does not keep two machines apart: one may be stopped behind the question whether it leads. So a due time
 * belongs to whoever stored the one message that the server takes of it (ia.fired.SCHEDULE.DUE), and is started by
 * nobody else. A machine that was killed behind that finds its own name there.
 *
 * A machine that does not reach the server starts nothing. */
#ifndef IA_APP_FLEET_LEADER_H
#define IA_APP_FLEET_LEADER_H

#include "agent/schedule/schedule.h"
#include "app/setup.h"
#include "fleet/message.h"

struct ia_leader;

struct ia_leader_opts {
    const struct ia_setup *setup; /* borrowed */
    /* For one tick: connects at once, and claims without leading. */
    bool tick;
    void (*say)(void *ctx, const char *line); /* for people; any thread; may be NULL */
    void *ctx;
};
/* Whether fleet.schedules asks for it. */
bool ia_leader_wanted(const struct ia_config *config);
/* Begins to stand for leader, on a thread of its own, which connects when it can. With tick: errors as for ia_bus_open,
 * and those of its streams. */
enum ia_rc ia_leader_open(const struct ia_leader_opts *opts, struct ia_leader **ret,
                          struct ia_err *err);
/* Lets another lead at once, and claims nothing any more. Other threads may still ask. NULL is fine. */
void ia_leader_leave(struct ia_leader *l);
/* Leaves, and frees: nobody asks any more. NULL is fine. */
void ia_leader_close(struct ia_leader *l);
bool ia_leader_leads(struct ia_leader *l);
/* For struct ia_tick_env; ctx is the struct ia_leader. IA_E_IO where the server cannot be reached. */
enum ia_rc ia_leader_claim(void *ctx, const char *schedule, int64_t due_ms, bool take,
                           enum ia_fire_owner *ret, struct ia_err *err);

/* Who leads now, by any connection. False in *ret_found: nobody, also where nobody ever did. */
enum ia_rc ia_fleet_leader_read(struct ia_bus *bus, struct ia_fleet_leader *ret,
                                bool *ret_found, struct ia_err *err);

#endif
