/* fetch.h: fetches pictures, and bundles that are too large for a message, from a worker: by HTTP, by SHA-256, encrypted
 * with the run's key. */
#ifndef IA_APP_FLEET_FETCH_H
#define IA_APP_FLEET_FETCH_H

#include "base/buf.h"
#include "fleet/message.h"
#include "store/store.h"

struct ia_fleet_fetch;

/* Fetches one blob on the caller's thread, within 10 s, and appends it. IA_E_NOT_FOUND if the worker does not have it,
 * IA_E_PROTO if its hash is wrong. */
enum ia_rc ia_fleet_fetch_blob(const char *url, const char *run_id, const char *sha256,
                               const struct ia_fleet_key *key, size_t max, struct ia_buf *out,
                               struct ia_err *err);

/* Starts a thread that fetches the pictures of a batch's runs, as noted in the store (store/fleet_runs.h). */
struct ia_fleet_fetch *ia_fleet_fetch_new(struct ia_store *store, const char *batch);
/* Tells the thread that rows were added. Any thread. */
void ia_fleet_fetch_wake(struct ia_fleet_fetch *f);
/* Waits up to ms until no row is left. */
bool ia_fleet_fetch_wait(struct ia_fleet_fetch *f, int64_t ms);
/* Ends the thread; missing pictures stay noted in the store. NULL is fine. */
void ia_fleet_fetch_free(struct ia_fleet_fetch *f);

#endif
