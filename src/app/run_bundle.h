/* run_bundle.h: a finished run as one text: its row, events, transcript and journal. The submitter imports a run that a
 * worker did from its bundle; the run is then shown and reported like any other.
 *
 * Bundles are validated: the final state must be one that a run can have, events must be known and belong to the run,
 * and sizes are limited. Nothing checks that the worker tells the truth. */
#ifndef IA_APP_RUN_BUNDLE_H
#define IA_APP_RUN_BUNDLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/store.h"

enum { IA_BUNDLE_BYTES_MAX = 24 << 20, IA_BUNDLE_BLOBS_MAX = 2000 };

/* Appends the bundle. IA_E_STATE if the run is not finished; IA_E_LIMIT if it is too large. */
enum ia_rc ia_run_bundle_write(struct ia_store *store, const char *run_id, struct ia_buf *out,
                               struct ia_err *err);

/* A parsed bundle. The run has another id at the worker, so run_id is used in messages only. */
struct ia_run_bundle;
/* IA_E_PARSE, IA_E_LIMIT. Free with ia_run_bundle_free. */
enum ia_rc ia_run_bundle_read(struct ia_str text, const char *run_id,
                              struct ia_run_bundle **ret, struct ia_err *err);
void ia_run_bundle_free(struct ia_run_bundle *b); /* NULL is fine */
/* Imports the bundle into a run that this process has claimed: appends the events and sets the final state. The lane
 * becomes WORKER/LANE, "mac-7/embedded:a". IA_E_PARSE for rows that no run can have; an error of the transaction itself
 * stays in the transaction. The caller rolls back after either. */
enum ia_rc ia_run_bundle_take(struct ia_tx *tx, const char *run_id, const char *worker,
                              int attempt, const struct ia_run_bundle *b, struct ia_err *err);
enum ia_run_state ia_run_bundle_state(const struct ia_run_bundle *b);
/* The error code of the run, or "". Borrowed. */
const char *ia_run_bundle_code(const struct ia_run_bundle *b);
/* Tokens and cost, for budgets. */
struct ia_usage_row ia_run_bundle_usage(const struct ia_run_bundle *b);
/* The hashes of its pictures, without duplicates. Borrowed. */
size_t ia_run_bundle_blobs(const struct ia_run_bundle *b,
                           const char (**ret)[IA_SHA256_HEX_SIZE]);
/* What it says of its replay, or NULL if it did not replay. Borrowed. */
const struct ia_event_replay *ia_run_bundle_replay(const struct ia_run_bundle *b);
/* The id of the replayed recording in the submitter's store, for ia_run_bundle_take; copied. */
void ia_run_bundle_set_recording(struct ia_run_bundle *b, const char *id);
/* The OS version that the device reported ("26.0"), or "". Borrowed. */
const char *ia_run_bundle_os(const struct ia_run_bundle *b);

#endif
