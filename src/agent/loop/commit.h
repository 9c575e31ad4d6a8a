/* commit.h: one transaction of a run with its events, which the observer sees only when a kill can no longer
 * undo them: when they are durable, or, where the caller commits `soon`, on their way to the disk. */
#ifndef IA_AGENT_LOOP_COMMIT_H
#define IA_AGENT_LOOP_COMMIT_H

#include "agent/loop/run_ctx.h"

enum { IA_COMMIT_EVENTS_MAX = 8 };
struct ia_commit {
    struct ia_run_ctx *run;
    struct ia_tx *tx;
    struct ia_run_now now; /* its deadline is the caller's, the rest is filled at the end */
    bool leaves;           /* it ends the run's lease */
    /* The caller's: it is not waited for (ia_tx_commit_soon), and made durable behind the run's back,
     * or, where it is gated as well, by the effect that comes next (ia_commit_settled). */
    bool soon, gated;
    struct ia_buf json; /* the committed events, one after another */
    struct {
        enum ia_event_type type;
        size_t from, to;
    } events[IA_COMMIT_EVENTS_MAX];
    size_t count;
};
enum ia_rc ia_commit_begin(struct ia_commit *c, struct ia_run_ctx *run, struct ia_err *err);
void ia_commit_event(struct ia_commit *c, struct ia_event_ref event);
/* Moves the run; moved has an event. */
void ia_commit_move(struct ia_commit *c, enum ia_run_state to,
                    const struct ia_run_moved *moved);
/* Adds heartbeat and usage, commits, and only then notifies the observer. */
enum ia_rc ia_commit_end(struct ia_commit *c, struct ia_err *err);
/* Returns when all that the run has committed is durable: before anything has an effect outside. ctx is
 * the run (a gate of device_forward.h). */
enum ia_rc ia_commit_settled(void *ctx, struct ia_err *err);
/* One event in a transaction of its own. */
enum ia_rc ia_commit_one(struct ia_run_ctx *run, struct ia_event_ref event, struct ia_err *err);
/* An event that is not committed. */
void ia_live_event(struct ia_run_ctx *run, struct ia_event_ref event);

#endif
