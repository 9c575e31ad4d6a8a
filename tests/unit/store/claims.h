/* claims.h: runs that are added and claimed, for the tests of the queue. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "child.h"
#include "home.h"

#include "store/queue.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <unistd.h>

static inline void add(struct ia_store *s, const char *lane, enum ia_run_kind kind,
                       char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {
        .goal = "open Settings", .model = "m", .lane = lane, .kind = kind};
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
}

static inline struct ia_claimed claim_streak(struct ia_store *s, const char *lane,
                                             const char *pool, int streak)
{
    const struct ia_claim claim = {.lane = lane, .pool = pool, .scheduled_streak = streak};
    struct ia_claimed got = {.why = (enum ia_claim_why) - 1};
    struct ia_tx *tx = begin(s);
    ia_tx_claim(tx, &claim, &got);
    commit(tx);
    return got;
}

static inline struct ia_claimed claim(struct ia_store *s, const char *lane)
{
    return claim_streak(s, lane, NULL, 0);
}

#define assert_claimed(expected_id, got)                                                       \
    do {                                                                                       \
        struct ia_claimed got_ = (got);                                                        \
        assert_int_equal(got_.why, IA_CLAIM_RUN);                                              \
        assert_string_equal(got_.run_id, (expected_id));                                       \
    } while (0)

#endif
