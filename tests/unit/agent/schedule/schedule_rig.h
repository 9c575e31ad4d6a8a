/* schedule_rig.h: a store on a virtual clock, and ticks on it. */
#ifndef IA_TESTS_AGENT_SCHEDULE_RIG_H
#define IA_TESTS_AGENT_SCHEDULE_RIG_H

#include "home.h"

#include "agent/schedule/schedule.h"
#include "store/queue.h"

static const int64_t START_MS = 1793491200000; /* Sunday 2026-11-01T00:00:00Z */
enum { MINUTE = 60000, HOUR = 3600000, DAY = 86400000 };

/* Every hour on the hour, UTC; runs may wait for each other. */
static const struct ia_schedule_row hourly = {.name = "hourly",
                                              .kind = IA_SCHEDULE_CRON,
                                              .spec = "0 * * * *",
                                              .zone = "UTC",
                                              .missed = IA_MISSED_LATEST,
                                              .overlap = IA_OVERLAP_QUEUE,
                                              .run = "{\"goal\":\"g\",\"model\":\"m\"}",
                                              .lane = "a"};

/* A store on a virtual clock. */
struct rig {
    struct home *home;
    struct ia_vclock *vc;
    struct ia_store *store;
    int64_t next_ms; /* as the last tick said */
    int told, retired;
    struct ia_cancel *cancel;
    ia_fire_claim_fn *claim; /* other machines; NULL: none */
    void *claim_ctx;
};

static inline void open_at(struct rig *r, void **state, int64_t at_ms)
{
    struct ia_err err = {0};
    *r = (struct rig){.home = *state, .vc = ia_vclock_new(at_ms)};
    struct ia_store_opts opts = {
        .home = r->home->dir, .clock = ia_vclock_clock(r->vc), .busy_ms = 20000};
    if (ia_store_open(&opts, &r->store, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

static inline void open_rig(struct rig *r, void **state)
{
    open_at(r, state, START_MS);
}

static inline void close_rig(struct rig *r)
{
    ia_store_close(r->store);
    ia_vclock_free(r->vc);
}

static inline int64_t now(const struct rig *r)
{
    return ia_wall_ms(ia_vclock_clock(r->vc));
}

static inline void advance(struct rig *r, int64_t ms)
{
    ia_vclock_advance(r->vc, ms * 1000);
}

static inline void on_fired(void *ctx, const struct ia_fired *fired)
{
    struct rig *r = ctx;
    r->told++;
    r->retired += fired->retired;
}

static inline enum ia_rc try_tick(struct rig *r, struct ia_err *err)
{
    struct ia_tick_env env = {.store = r->store,
                              .clock = ia_vclock_clock(r->vc),
                              .cancel = r->cancel,
                              .on_fire = on_fired,
                              .ctx = r,
                              .claim = r->claim,
                              .claim_ctx = r->claim_ctx};
    r->told = 0;
    return ia_schedule_tick(&env, &r->next_ms, err);
}

static inline void tick(struct rig *r)
{
    struct ia_err err = {0};
    if (try_tick(r, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

static inline void add(struct rig *r, const struct ia_schedule_row *row)
{
    struct ia_err err = {0};
    if (ia_schedule_add(r->store, row, NULL, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

/* The fires of a schedule, newest first. */
struct seen {
    int64_t at[2000];
    int runs, skips, n;
    char reason[700]; /* of the newest that was skipped */
};

static inline bool see_fire(void *ctx, const struct ia_fire_row *f)
{
    struct seen *s = ctx;
    s->at[s->n++] = f->scheduled_ms;
    s->runs += f->run_id != NULL;
    if (!f->run_id) {
        if (s->skips++ == 0) {
            snprintf(s->reason, sizeof(s->reason), "%s", f->reason);
        }
    }
    return true;
}

static inline struct seen fires(struct rig *r, const char *name)
{
    static struct seen s;
    memset(&s, 0, sizeof(s));
    assert_rc(IA_OK, ia_store_fires(r->store, name, 2000, see_fire, &s, NULL));
    return s;
}

static inline int64_t sql_int(struct rig *r, const char *sql)
{
    return raw_int(r->home->db, sql);
}

/* Claims and passes every waiting run. */
static inline void finish_runs(struct rig *r)
{
    for (;;) {
        struct ia_claim claim = {.lane = "a"};
        struct ia_claimed got = {.why = IA_CLAIM_NONE};
        struct ia_tx *tx = begin(r->store);
        ia_tx_claim(tx, &claim, &got);
        commit(tx);
        if (got.why != IA_CLAIM_RUN) {
            return;
        }
        assert_rc(IA_OK, move_run(r->store, got.run_id, IA_RUN_RUNNING, NULL));
        assert_rc(IA_OK, move_run(r->store, got.run_id, IA_RUN_PASSED, NULL));
    }
}

#endif
