/* hub_impl.h: what the files of the hub share (private to hub/).
 *
 *   hub.c    turns, commands, watching, all lanes together
 *   slot.c   what is open on a lane: the lock of its file, device, session */
#ifndef IA_SERVER_HUB_HUB_IMPL_H
#define IA_SERVER_HUB_HUB_IMPL_H

#include "driver/registry/device_registry.h"
#include "server/hub/hub.h"

#include <pthread.h>

enum { IA_HUB_REFS_MAX = 1 << 30 }; /* nobody gives that many; a damaged note may say so */

struct ia_hub_waiter;
/* A lane with what hangs on it, which belongs to whoever has the lane. */
struct ia_hub_slot {
    struct ia_hub_lane shared; /* first: what a command gets */
    struct ia_hub_slot *next;
    char name[IA_LANE_MAX + 1];
    struct ia_device_spec spec; /* of the device that is open */
    struct ia_lane_hold hold;
    /* What answers at an address may know a truer name: that lane is taken too, so that two names of
     * one device exclude each other. fd -1: it has none. */
    struct ia_lane_hold own;
    uint64_t generation; /* of the last hold of this hub, where `met` */
    bool met, watched;   /* it was held here before; the present taker only watches */
    char driven_by[IA_LANE_HOLDER_MAX];
    struct ia_hub_holder holder; /* why it could not be watched */
    bool driven;                 /* somebody else drove it, and no command was told yet */
    uint64_t changes;            /* under the mutex */
    char actor[32];
    struct ia_hub_waiter *waiting; /* in order of arrival */
    bool taken;
    int64_t used_us, commands;
    /* For ia_hub_lanes: of the last command that ended, under the mutex. */
    uint64_t told_generation;
    uint32_t told_ref;
    uint32_t last_ref;
};

struct ia_hub {
    const struct ia_paths *paths;
    char *command;
    struct ia_commands *commands;
    bool (*is_secret)(void *ctx, const char *text);
    void *ctx;
    pthread_mutex_t mutex;
    pthread_cond_t turned; /* a lane was left */
    uint64_t turns;        /* how often one was left or changed */
    struct ia_hub_slot *lanes;
    int count, busy;
};

/* Ends its session and closes its device. */
void ia_slot_close(struct ia_hub_slot *l);
/* Who has it, for others. */
void ia_slot_describe(const struct ia_hub *hub, const struct ia_hub_slot *l,
                      char ret[IA_LANE_HOLDER_MAX]);
/* Takes the lock of the lane of that name, to drive or to watch. */
enum ia_rc ia_slot_hold(const struct ia_hub *hub, struct ia_hub_slot *l, const char *name,
                        const struct ia_deadline *deadline, struct ia_lane_hold *ret,
                        struct ia_err *err);
/* The device as it is now, with a session whose refs hold. Takes over spec where it opens it. Who only
 * watches takes one that is open as it is, whatever it was opened with. */
enum ia_rc ia_slot_ready(const struct ia_hub *hub, struct ia_hub_slot *l,
                         struct ia_device_spec *spec, const struct ia_deadline *deadline,
                         struct ia_err *err);

#endif
