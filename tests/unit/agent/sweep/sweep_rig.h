/* sweep_rig.h: a sweep over a store on a virtual clock, and runs that the test plays. */
#ifndef SWEEP_RIG_H
#define SWEEP_RIG_H

#include "test.h"

#include "agent/goal/job.h"
#include "agent/sweep/sweep.h"
#include "base/rand.h"
#include "store/queue.h"
#include "store/sweeps.h"
#include "tmpdir.h"

#include <jansson.h>

enum { SEEDS = 30, LANES = 3 };

static const char *const lanes[LANES] = {"embedded:sweep-1", "embedded:sweep-2",
                                         "embedded:sweep-3"};

/* A store, a sweep in it, and a worker that does whatever it is told. */
struct world {
    char *dir;
    struct ia_store *store;
    struct ia_vclock *clock;
    struct ia_goals *goals;
    char id[IA_ID_SIZE];
    struct ia_sweep *sweep;
    int told; /* changes that were observed */
};

static inline void told(void *ctx, const struct ia_sweep_goal *item)
{
    struct world *w = ctx;
    assert_non_null(item->name);
    w->told++;
}

/* What the registry of devices knows: a scheme alone is its default device. */
static inline void lane_of(const char *device, struct ia_buf *out)
{
    struct ia_str name = {device, strcspn(device, "?")};
    ia_buf_putstr(out, name);
    ia_buf_puts(out, ia_str_is(name, "embedded") ? ":default" : "");
}

static inline void open_sweep(struct world *w)
{
    struct ia_err err = {0};
    struct ia_sweep_env env = {.store = w->store,
                               .clock = ia_vclock_clock(w->clock),
                               .observe = told,
                               .ctx = w,
                               .lane = lane_of};
    enum ia_rc rc = ia_sweep_open(&env, w->id, &w->sweep, &err);
    if (rc != IA_OK) {
        print_message("%s\n", err.msg);
    }
    assert_int_equal(rc, IA_OK);
}

/* Forgets everything that is not rows, as a killed process does. */
static inline void reopen(struct world *w)
{
    ia_sweep_close(w->sweep);
    w->sweep = NULL;
    open_sweep(w);
}

static inline void begin(struct world *w, const char *toml, const struct ia_sweep_opts *opts)
{
    static const struct ia_run_request base = {.model = "m"};
    static const struct ia_goal_sources src = {.base = &base};
    struct ia_err err = {0};
    *w = (struct world){.dir = tmpdir_new()};
    w->clock = ia_vclock_new(1800000000000);
    struct ia_store_opts so = {.home = w->dir, .clock = ia_vclock_clock(w->clock)};
    assert_int_equal(ia_store_open(&so, &w->store, &err), IA_OK);
    assert_int_equal(ia_goals_parse("g.toml", ia_str(toml), &src, &w->goals, &err), IA_OK);
    bool *chosen = ia_calloc(ia_goals_count(w->goals), sizeof(*chosen));
    struct ia_sweep_choice all = {0};
    ia_sweep_choose(w->goals, &all, chosen);
    struct ia_sweep_opts o = *opts;
    o.title = "g.toml";
    o.lanes = o.lanes ? o.lanes : lanes;
    o.lane_count = o.lane_count ? o.lane_count : 1;
    assert_int_equal(ia_sweep_create(w->store, w->goals, chosen, &o, w->id, &err), IA_OK);
    free(chosen);
    open_sweep(w);
}

static inline void finish(struct world *w)
{
    ia_sweep_close(w->sweep);
    ia_goals_free(w->goals);
    ia_store_close(w->store);
    ia_vclock_free(w->clock);
    tmpdir_free(w->dir);
}

static inline bool step(struct world *w)
{
    struct ia_err err = {0};
    bool over = false;
    assert_int_equal(ia_sweep_step(w->sweep, NULL, &over, &err), IA_OK);
    return over;
}

/* A run that a lane has claimed. */
struct taken {
    char id[IA_ID_SIZE];
    struct ia_run_row *row;
};

static inline bool take(struct world *w, const char *lane, struct taken *ret)
{
    struct ia_claim claim = {.lane = lane, .pool = ia_sweep_pool(w->sweep)};
    struct ia_claimed claimed = {0};
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->store, &tx, NULL), IA_OK);
    ia_tx_claim(tx, &claim, &claimed);
    if (!ia_tx_failed(tx) && claimed.why == IA_CLAIM_RUN) {
        ia_run_move(tx, claimed.run_id, IA_RUN_RUNNING, NULL, NULL);
    }
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    if (claimed.why != IA_CLAIM_RUN) {
        return false;
    }
    memcpy(ret->id, claimed.run_id, sizeof(ret->id));
    assert_int_equal(ia_store_run(w->store, ret->id, &ret->row, NULL), IA_OK);
    return true;
}

static inline void end(struct world *w, struct taken *t, enum ia_run_state state,
                       enum ia_rc code, double usd)
{
    struct ia_run_moved moved = {.code = ia_rc_name(code), .summary = "it is as it is"};
    struct ia_usage_row usage = {
        .input = usd > 0 ? 10 : 0, .cost_usd = usd, .cost_known = true};
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->store, &tx, NULL), IA_OK);
    ia_tx_set_usage(tx, t->id, 1, &usage);
    ia_run_move(tx, t->id, state, &moved, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    ia_run_row_free(t->row);
    t->row = NULL;
}

static inline void pass(struct world *w, struct taken *t)
{
    end(w, t, IA_RUN_PASSED, IA_OK, 0.01);
}

static inline void miss(struct world *w, struct taken *t)
{
    end(w, t, IA_RUN_FAILED, IA_E_FAILED, 0.01);
}

struct seek {
    const char *name;
    int repeat;
    struct ia_sweep_goal item;
    char reason[500];
};

static inline void look(void *ctx, const struct ia_sweep_goal *item)
{
    struct seek *s = ctx;
    if (strcmp(item->name, s->name) == 0 && (s->repeat == 0 || item->repeat == s->repeat)) {
        s->item = *item;
        (void)snprintf(s->reason, sizeof(s->reason), "%s", item->reason ? item->reason : "");
    }
}

static inline struct seek find(struct world *w, const char *name)
{
    struct seek s = {.name = name};
    ia_sweep_each(w->sweep, look, &s);
    assert_non_null(s.item.name);
    return s;
}

static inline void assert_state(struct world *w, const char *name, const char *state)
{
    assert_string_equal(ia_sweep_goal_state_name(find(w, name).item.state), state);
}

static inline struct ia_sweep_sums sums(struct world *w)
{
    struct ia_sweep_sums s;
    ia_sweep_sum(w->sweep, &s);
    return s;
}

#define G(name, more) "[[goal]]\nname = \"" name "\"\ngoal = \"do " name "\"\n" more
#define THREE G("a", "") G("b", "") G("c", "")
static const struct ia_sweep_opts plain = {.retries = -1};

#endif
