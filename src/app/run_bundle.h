/* run_bundle.h: a run that is over, as one text: what its row, its events, its transcript and its journal say. A run
 * that was done elsewhere is taken over from it, and is shown and reported as any other.
 *
 * What comes from elsewhere is checked: the end must be one that a run may have, events must be known ones of that run,
 * and sizes are limited. What it says is as true as whoever did the run. */
#ifndef IA_APP_RUN_BUNDLE_H
#define IA_APP_RUN_BUNDLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/store.h"

enum { IA_BUNDLE_BYTES_MAX = 24 << 20, IA_BUNDLE_BLOBS_MAX = 2000 };

/* Appends it. IA_E_STATE for a run that is not over; IA_E_LIMIT. */
enum ia_rc ia_run_bundle_write(struct ia_store *store, const char *run_id, struct ia_buf *out,
                               struct ia_err *err);

/* One that was read. Where it was done it had an id of its own, so run_id is for messages only. */
struct ia_run_bundle;
/* IA_E_PARSE, IA_E_LIMIT. Free with ia_run_bundle_free. */
enum ia_rc ia_run_bundle_read(struct ia_str text, const char *run_id,
                              struct ia_run_bundle **ret, struct ia_err *err);
void ia_run_bundle_free(struct ia_run_bundle *b); /* NULL is fine */
/* Writes it to the run, which this process has claimed: events behind those that are there, and the end. worker goes
 * before the lane, "mac-7/embedded:a". IA_E_PARSE for what no run could have done; what the transaction itself refuses
 * is its failure. Either way the caller rolls back. */
enum ia_rc ia_run_bundle_take(struct ia_tx *tx, const char *run_id, const char *worker,
                              int attempt, const struct ia_run_bundle *b, struct ia_err *err);
enum ia_run_state ia_run_bundle_state(const struct ia_run_bundle *b);
/* As its row has it, or "". Borrowed. */
const char *ia_run_bundle_code(const struct ia_run_bundle *b);
/* What it used, for budgets. */
struct ia_usage_row ia_run_bundle_usage(const struct ia_run_bundle *b);
/* Its pictures, each once; borrowed. */
size_t ia_run_bundle_blobs(const struct ia_run_bundle *b,
                           const char (**ret)[IA_SHA256_HEX_SIZE]);
/* The system that its device said it has ("26.0"), or "". Borrowed. */
const char *ia_run_bundle_os(const struct ia_run_bundle *b);

#endif
