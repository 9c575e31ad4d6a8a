/* run_store.h: a run as rows: how it is added, what its columns hold of the request, its start
 * and its end. */
#ifndef IA_AGENT_RUN_RUN_STORE_H
#define IA_AGENT_RUN_RUN_STORE_H

#include "agent/goal/job.h"
#include "agent/prompts/fence.h"
#include "store/store.h"

struct ia_run_ctx;

/* Where a run that is not started now waits. */
struct ia_run_place {
    const char *lane; /* or a pool (store/queue.h) */
    enum ia_run_kind kind;
    const char *unique, *sweep_id; /* as in struct ia_run_new; NULL: none */
    int sweep_no;
    const char *parent_id, *parent_call; /* of a subtask; NULL: none */
};

/* Adds a run to be claimed later, in a transaction of the caller: the goal, everything that a
 * resume needs, state queued. The request was checked by ia_run_check. */
void ia_run_store_add(struct ia_tx *tx, const struct ia_run_request *req,
                      const struct ia_run_place *place, char ret_id[IA_ID_SIZE]);
/* Adds the run, claimed by this process. */
enum ia_rc ia_run_store_new(struct ia_run_ctx *run, struct ia_err *err);
/* Reads back what the columns of a run hold of the request. */
enum ia_rc ia_run_store_read(const struct ia_run_row *row, struct ia_job **ret_job,
                             char ret_boundary[IA_BOUNDARY_SIZE], struct ia_err *err);
/* Takes its lane and moves it to running: run.started, or run.resumed where it has begun.
 * IA_E_BUSY when the lane is held; the run is then as it was. */
enum ia_rc ia_run_store_start(struct ia_run_ctx *run, struct ia_err *err);
/* For a run that cannot go on being recorded, or never got its lane: moves it to error if that
 * can still be written. Returns why->code. */
enum ia_rc ia_run_store_failure(struct ia_run_ctx *run, const struct ia_err *why);
/* Keeps the last picture, fills the result and moves the run to its end. */
enum ia_rc ia_run_store_end(struct ia_run_ctx *run, struct ia_err *err);

#endif
