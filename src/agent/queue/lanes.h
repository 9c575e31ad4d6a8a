/* lanes.h: which lane is served next: first in, first out, each at most once at a time.
 *
 * Pure bookkeeping without clock, threads or store: the store knows which runs wait on a lane
 * (store/queue.h); this only knows which lanes are worth asking. A lane is
 *
 *     idle ──wake──► waiting ──next──► active ──done──► waiting (more), idle (none)
 *                       ▲                                 or gated until a time
 *                       └──────────── time comes ◄───────────────┘
 *
 * A wake while the lane is active is remembered; a wake while it is gated changes nothing, since
 * a waiting retry closes the lane to all other runs. Times are wall milliseconds, given by the caller. */
#ifndef IA_AGENT_QUEUE_LANES_H
#define IA_AGENT_QUEUE_LANES_H

#include "base/base.h"

struct ia_lanes;
struct ia_lane; /* borrowed from ia_lanes; stays valid as long as that */

/* At most max_active lanes are active at once. Free with ia_lanes_free. */
struct ia_lanes *ia_lanes_new(int max_active);
void ia_lanes_free(struct ia_lanes *ls);
/* From now on at most so many; those that are active stay so. */
void ia_lanes_set_max_active(struct ia_lanes *ls, int max_active);

/* The lane of that name, added idle when it is new. */
struct ia_lane *ia_lanes_get(struct ia_lanes *ls, const char *name);
/* NULL when there is none of that name. */
struct ia_lane *ia_lanes_find(const struct ia_lanes *ls, const char *name);
const char *ia_lane_name(const struct ia_lane *lane);

/* The lane may have work. */
void ia_lanes_wake(struct ia_lanes *ls, struct ia_lane *lane);
/* Any lane may have work. */
void ia_lanes_wake_all(struct ia_lanes *ls);
/* The longest waiting lane, now active; NULL when none waits or enough are active. Gated lanes
 * whose time has come wait first, in the order of their times. */
struct ia_lane *ia_lanes_next(struct ia_lanes *ls, int64_t now_ms);

enum ia_lane_left {
    IA_LANE_MORE, /* it ran something; other lanes go first, then it is asked again */
    IA_LANE_NONE, /* nothing waited; idle unless it was woken meanwhile */
    IA_LANE_GATED /* not to be asked before the given time */
};
/* The active lane is free again. */
void ia_lanes_done(struct ia_lanes *ls, struct ia_lane *lane, enum ia_lane_left left,
                   int64_t until_ms);

/* No lane is active, waiting or gated: nothing is left to do. */
bool ia_lanes_quiet(const struct ia_lanes *ls);
/* When the first gated lane is due, or INT64_MAX. */
int64_t ia_lanes_due_ms(const struct ia_lanes *ls);

#endif
