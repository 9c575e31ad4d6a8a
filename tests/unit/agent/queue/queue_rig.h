/* queue_rig.h: a queue over a store on a virtual clock, and runs that the test plays. */
#ifndef QUEUE_RIG_H
#define QUEUE_RIG_H

#include "tmpdir.h"

#include "agent/queue/queue.h"
#include "store/queue.h"

#include <stdatomic.h>

struct rig {
    char *dir;
    struct ia_vclock *vc;
    struct ia_store *store;
    struct ia_queue *q;
};

static inline struct ia_tx *begin(struct rig *r)
{
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    return tx;
}

struct run {
    char id[IA_ID_SIZE];
};

static inline enum ia_rc try_add(struct rig *r, const char *lane, enum ia_run_kind kind,
                                 const char *unique, struct run *ret)
{
    struct ia_run_new run = {
        .goal = "g", .model = "m", .lane = lane, .kind = kind, .unique = unique, .demo = true};
    struct ia_tx *tx = begin(r);
    ia_tx_add_run(tx, &run, ret->id);
    enum ia_rc rc = ia_tx_commit(tx, NULL);
    if (rc == IA_OK) {
        ia_queue_add_lane(r->q, lane);
    }
    return rc;
}

static inline struct run add(struct rig *r, const char *lane, enum ia_run_kind kind)
{
    struct run run;
    assert_int_equal(try_add(r, lane, kind, NULL, &run), IA_OK);
    return run;
}

static inline struct run add_goal(struct rig *r, const char *lane)
{
    return add(r, lane, IA_RUN_GOAL);
}

static inline void move(struct rig *r, const char *id, enum ia_run_state to,
                        const struct ia_run_moved *moved)
{
    struct ia_tx *tx = begin(r);
    ia_run_move(tx, id, to, moved, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

#endif
