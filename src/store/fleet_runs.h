/* fleet_runs.h: the state of a fleet's runs, in the submitter's store and in the worker's.
 *
 *   submitter   sent ──► counted        its verdict and its rows were imported
 *   worker      held ──► proposed       the server has stored the proposal
 *                    └─► lost           another worker does the run
 *
 * A row is written before its message is sent, or before its run begins. */
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
    const char *
        order_run; /* the submitter's id of the run; the submitter's own row has the same run_id */
    const char *worker,
        *fetch_from; /* NULL where there is none; written by ia_tx_end_fleet_run */
    unsigned char key[IA_FLEET_RUN_KEY];
    int attempt;
};
/* Adds the row. If there is one, only its attempt and its state change, and never its key. */
void ia_tx_put_fleet_run(struct ia_tx *tx, const struct ia_fleet_run_row *row);
/* fetch_from: where its pictures are, or NULL. */
void ia_tx_end_fleet_run(struct ia_tx *tx, const char *run_id, const char *state,
                         const char *worker, const char *fetch_from);
/* Notes that the pictures were fetched or given up. */
void ia_tx_fetched_fleet_run(struct ia_tx *tx, const char *run_id);
typedef bool ia_fleet_run_fn(void *ctx, const struct ia_fleet_run_row *row);
/* Reads the row of a run. *ret_found: whether the run is one of a fleet. */
enum ia_rc ia_store_fleet_run(struct ia_store *s, const char *run_id, ia_fleet_run_fn *fn,
                              void *ctx, bool *ret_found, struct ia_err *err);
/* The same for the newest run of an order. */
enum ia_rc ia_store_fleet_order(struct ia_store *s, const char *order_run, ia_fleet_run_fn *fn,
                                void *ctx, bool *ret_found, struct ia_err *err);
/* Lists the runs of a batch whose pictures are to be fetched. */
enum ia_rc ia_store_fleet_fetches(struct ia_store *s, const char *batch, ia_fleet_run_fn *fn,
                                  void *ctx, struct ia_err *err);
/* Lists the runs in a state. */
enum ia_rc ia_store_fleet_runs(struct ia_store *s, const char *state, ia_fleet_run_fn *fn,
                               void *ctx, struct ia_err *err);

/* Moves a run that has not begun its attempt to another lane: a device, or IA_FLEET_PARKED, from which nothing takes it. A
 * run that waits for its retry keeps waiting. IA_E_STATE if it runs or is finished. */
#define IA_FLEET_PARKED "fleet:parked"
void ia_tx_set_run_lane(struct ia_tx *tx, const char *run_id, const char *lane);

#endif
