/* watch.h: the state of the fleet for clients that poll, such as dashboard pages.
 *
 * A thread of its own has one connection, which is opened at the first request, so a request never waits longer than it
 * wants to, whatever the server does. However many requests come, the server is read at most once a second. The connection
 * is closed after a minute without requests. Without fleet.url nothing is loaded, and there is no thread. */
#ifndef IA_APP_FLEET_WATCH_H
#define IA_APP_FLEET_WATCH_H

#include "app/setup.h"
#include "base/cancel.h"
#include "base/jsonw.h"

struct ia_fleet_watch;

/* setup is borrowed. Its configuration may change while this runs (app/live_config.h). */
struct ia_fleet_watch *ia_fleet_watch_new(const struct ia_setup *setup);
/* Writes {"configured","connected","url","error","looked","workers","runs_out","proposed","verdicts","queues","leader"}. The
 * last ones are as in overview.h, and empty while it is not connected; then error says why, in
 * the usual form. Waits at most wait_ms. Any thread. */
void ia_fleet_watch_json(struct ia_fleet_watch *w, int64_t wait_ms, struct ia_jsonw *out);
/* Drains a worker as ia_fleet_drain does. IA_E_STATE: no fleet is configured. IA_E_IO: its server cannot be reached. Any
 * thread. */
enum ia_rc ia_fleet_watch_drain(struct ia_fleet_watch *w, const char *name,
                                struct ia_cancel *cancel, struct ia_err *err);
/* Frees; no thread may call any more. Waits for a current read, up to 10 s if the server does not answer. NULL is fine. */
void ia_fleet_watch_free(struct ia_fleet_watch *w);

#endif
