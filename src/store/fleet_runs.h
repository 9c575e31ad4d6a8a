/* fleet_runs.h: what is known of the runs of a fleet, in the store of who submitted them and of who does them.
 *
 *   submitter   sent ──► counted        the verdict was taken over, and what the run did
 *   worker      held ──► proposed       the submitter has the proposal
 *                    └─► lost           somebody else's verdict counts
 *
 * A row is written before the message that it is about leaves, or before the run begins. */
#ifndef IA_STORE_FLEET_RUNS_H
#define IA_STORE_FLEET_RUNS_H

#include "store/store.h"

enum { IA_FLEET_RUN_KEY = 32 };
#define IA_FLEET_RUN_SENT "sent"
#define IA_FLEET_RUN_COUNTED "counted"
#define IA_FLEET_RUN_HELD "held"
#define IA_FLEET_RUN_PROPOSED "proposed"
#define IA_FLEET_RUN_LOST "lost"

struct ia_fleet_run_row {
    const char *run_id, *batch, *state;
    const char *order_run; /* its id for who submitted it; there it is run_id */
    const char *worker,
        *fetch_from; /* NULL where there is none; written by ia_tx_end_fleet_run */
    unsigned char key[IA_FLEET_RUN_KEY];
    int attempt;
};
/* Adds the row, or leaves the one that is there as it is but for a newer attempt and the state. A key never changes. */
void ia_tx_put_fleet_run(struct ia_tx *tx, const struct ia_fleet_run_row *row);
/* fetch_from: where its pictures are, or NULL. */
void ia_tx_end_fleet_run(struct ia_tx *tx, const char *run_id, const char *state,
                         const char *worker, const char *fetch_from);
/* They are here, or are given up. */
void ia_tx_fetched_fleet_run(struct ia_tx *tx, const char *run_id);
typedef bool ia_fleet_run_fn(void *ctx, const struct ia_fleet_run_row *row);
/* That run; false in *ret_found: it is none of a fleet. */
enum ia_rc ia_store_fleet_run(struct ia_store *s, const char *run_id, ia_fleet_run_fn *fn,
                              void *ctx, bool *ret_found, struct ia_err *err);
/* The newest run that was made for that order; likewise. */
enum ia_rc ia_store_fleet_order(struct ia_store *s, const char *order_run, ia_fleet_run_fn *fn,
                                void *ctx, bool *ret_found, struct ia_err *err);
/* Those of a batch whose pictures are still to be fetched. */
enum ia_rc ia_store_fleet_fetches(struct ia_store *s, const char *batch, ia_fleet_run_fn *fn,
                                  void *ctx, struct ia_err *err);
/* All in that state. */
enum ia_rc ia_store_fleet_runs(struct ia_store *s, const char *state, ia_fleet_run_fn *fn,
                               void *ctx, struct ia_err *err);

/* Gives a run that has not begun its attempt another lane: one where nobody takes it (IA_FLEET_PARKED), or a device. A
 * run that waits for its retry still waits. IA_E_STATE while it runs or is over. */
#define IA_FLEET_PARKED "fleet:parked"
void ia_tx_set_run_lane(struct ia_tx *tx, const char *run_id, const char *lane);

#endif
