/* watch.h: a look at the fleet for those who ask again and again, as pages do.
 *
 * One connection, opened when somebody asks first, on a thread of its own: who asks never waits longer than he says,
 * whatever the server does. However many ask, the server is looked at once a second at most; when nobody has asked for
 * a minute the connection is closed. Without fleet.url nothing is loaded, and there is no thread. */
#ifndef IA_APP_FLEET_WATCH_H
#define IA_APP_FLEET_WATCH_H

#include "app/setup.h"
#include "base/cancel.h"
#include "base/jsonw.h"

struct ia_fleet_watch;

/* setup is borrowed, and is followed or not (app/live_config.h): the address may change. */
struct ia_fleet_watch *ia_fleet_watch_new(const struct ia_setup *setup);
/* Writes {"configured","connected","url","error","looked","workers","runs_out","proposed","verdicts","queues","leader"}. The
 * last ones are as in overview.h, and empty while it is not connected: then error says why, as
 * everywhere. Without fleet.url it is not configured. Waits wait_ms at most. Any thread. */
void ia_fleet_watch_json(struct ia_fleet_watch *w, int64_t wait_ms, struct ia_jsonw *out);
/* As ia_fleet_drain; waits as long as that. IA_E_STATE: no fleet is configured; IA_E_IO: its server cannot be reached.
 * Any thread. */
enum ia_rc ia_fleet_watch_drain(struct ia_fleet_watch *w, const char *name,
                                struct ia_cancel *cancel, struct ia_err *err);
/* Nobody asks any more. Waits for a look that is under way: 10 s where the server does not answer. NULL is fine. */
void ia_fleet_watch_free(struct ia_fleet_watch *w);

#endif
