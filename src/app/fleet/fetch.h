/* fetch.h: what a worker keeps and its proposal only names: pictures, and what is too large for a message. It is
 * fetched from the worker by HTTP, by its SHA-256, encrypted with the run's key. */
#ifndef IA_APP_FLEET_FETCH_H
#define IA_APP_FLEET_FETCH_H

#include "base/buf.h"
#include "fleet/message.h"
#include "store/store.h"

struct ia_fleet_fetch;

/* Fetches one, on the caller's thread, within 10 s; appends it. IA_E_NOT_FOUND where the worker has none,
 * IA_E_PROTO for what is not of that hash. */
enum ia_rc ia_fleet_fetch_blob(const char *url, const char *run_id, const char *sha256,
                               const struct ia_fleet_key *key, size_t max, struct ia_buf *out,
                               struct ia_err *err);

/* A thread that fetches the pictures of a batch's runs, as rows say (store/fleet_runs.h). */
struct ia_fleet_fetch *ia_fleet_fetch_new(struct ia_store *store, const char *batch);
/* Rows were added. Any thread. */
void ia_fleet_fetch_wake(struct ia_fleet_fetch *f);
/* Waits until no row is left, ms at most. */
bool ia_fleet_fetch_wait(struct ia_fleet_fetch *f, int64_t ms);
/* Ends the thread; what is missing stays noted. NULL is fine. */
void ia_fleet_fetch_free(struct ia_fleet_fetch *f);

#endif
