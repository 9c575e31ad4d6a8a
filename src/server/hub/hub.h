/* hub.h: the devices that commands share: open once, one command at a time on each, refs kept.
 *
 * A lane is taken for one command and given back at its end; the connection and the refs stay. Each
 * taker of a lane, in whatever process, raises its generation (store/lane.h), so a command finds out
 * that somebody else drove the device, and the refs that were given before are stale then.
 *
 * Who only watches (ia_hub_watch) is no driver: it raises no generation, and whatever it gives refs to
 * keeps them for the commands to come. */
#ifndef IA_SERVER_HUB_HUB_H
#define IA_SERVER_HUB_HUB_H

#include "base/config.h"
#include "base/jsonw.h"
#include "base/paths.h"
#include "driver/device.h"
#include "driver/registry/device_registry.h"
#include "driver/session/session.h"
#include "server/hub/commands.h"
#include "store/lane.h"
#include "store/store.h"

struct ia_hub;
struct ia_hub_opts {
    const struct ia_paths *paths; /* borrowed */
    const char *command;          /* who holds a lane, for others: "ios-agent daemon" */
    /* Whether nobody who watches may read a text of a command; NULL: it may be read. */
    bool (*is_secret)(void *ctx, const char *text);
    void *ctx;
};
struct ia_hub *ia_hub_new(const struct ia_hub_opts *opts);
const struct ia_paths *ia_hub_paths(const struct ia_hub *hub);
/* What its commands do, which tell it themselves (server/verbs/verbs.h). */
struct ia_commands *ia_hub_commands(struct ia_hub *hub);
bool ia_hub_is_secret(const struct ia_hub *hub, const char *text);
/* Waits for the commands in hand, closes the devices. NULL is fine. */
void ia_hub_free(struct ia_hub *hub);
/* Closes devices that nobody used for idle_us; returns how many are still open. */
int ia_hub_trim(struct ia_hub *hub, int64_t idle_us);
/* Commands in hand. */
int ia_hub_busy(struct ia_hub *hub);
/* Commands that wait for a lane. */
int ia_hub_waiting(struct ia_hub *hub, const char *lane);
/* Writes an array of {"lane","holder","waiting","commands","generation","last_ref"}. */
void ia_hub_lanes(struct ia_hub *hub, struct ia_jsonw *w);

enum { IA_HUB_WAITING_MAX = 16 }; /* commands that wait for one lane; then IA_E_BUSY */

/* A device in hand, between ia_hub_enter and ia_hub_leave. */
struct ia_hub_lane {
    struct ia_device *device;
    struct ia_session *session;
    struct ia_snapshot *shown; /* what the readers of this lane saw last; replaced by verbs */
    const char *name;          /* "embedded:default" */
    bool keep_open; /* a verb is not over, as a film: ia_hub_trim leaves the device open */
    const char *driven_by; /* not NULL: somebody else drove it since the last command */
    uint64_t generation;   /* of who drove it last: this command, or before who watches */
};
/* env: what the environment of whoever asks says of that device; NULL: nothing. */
enum ia_rc ia_hub_enter(struct ia_hub *hub, const char *device, const struct ia_device_env *env,
                        const char *actor, const struct ia_deadline *deadline,
                        struct ia_hub_lane **ret, struct ia_err *err);
void ia_hub_leave(struct ia_hub *hub, struct ia_hub_lane *lane);

/* ---- watching ---------------------------------------------------------------------------- */

/* Who has a device that cannot be watched now. */
struct ia_hub_holder {
    bool run;                   /* else a command, which is over in a moment */
    char lane[IA_LANE_MAX + 1]; /* under which it has it: the device may have a truer name */
    char who[IA_LANE_HOLDER_MAX];
};
/* Appends the name of the device's lane. */
enum ia_rc ia_hub_lane_name(const struct ia_hub *hub, const char *device, struct ia_buf *ret,
                            struct ia_err *err);
/* As ia_hub_enter, for a look: waits for its turn a quarter of a second at most. IA_E_BUSY where
 * somebody still has the device then: *ret_holder is who. What is looked at is freed before
 * ia_hub_leave. */
enum ia_rc ia_hub_watch(struct ia_hub *hub, const char *device,
                        const struct ia_deadline *deadline, struct ia_hub_lane **ret,
                        struct ia_hub_holder *ret_holder, struct ia_err *err);
/* Grows when anybody may have changed the device of that lane: a command here or in another process,
 * or what ia_hub_changed was told. */
uint64_t ia_hub_changes(struct ia_hub *hub, const char *lane);
void ia_hub_changed(struct ia_hub *hub, const char *lane);
/* Waits until some lane was left or changed since *turns, which it brings up to date (0 at first), or
 * until until_us or cancel (NULL is fine), which it sees within 50 ms. */
void ia_hub_await(struct ia_hub *hub, uint64_t *turns, struct ia_cancel *cancel,
                  int64_t until_us);
/* Closes the device of a lane in hand, after it was lost: the next command opens it anew. Its session
 * is gone with it. */
void ia_hub_lose(struct ia_hub_lane *lane);

#endif
