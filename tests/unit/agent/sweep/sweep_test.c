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

static void told(void *ctx, const struct ia_sweep_goal *item)
{
    struct world *w = ctx;
    assert_non_null(item->name);
    w->told++;
}

/* What the registry of devices knows: a scheme alone is its default device. */
static void lane_of(const char *device, struct ia_buf *out)
{
    struct ia_str name = {device, strcspn(device, "?")};
    ia_buf_putstr(out, name);
    ia_buf_puts(out, ia_str_is(name, "embedded") ? ":default" : "");
}

static void open_sweep(struct world *w)
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
static void reopen(struct world *w)
{
    ia_sweep_close(w->sweep);
    w->sweep = NULL;
    open_sweep(w);
}

static void begin(struct world *w, const char *toml, const struct ia_sweep_opts *opts)
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

static void finish(struct world *w)
{
    ia_sweep_close(w->sweep);
    ia_goals_free(w->goals);
    ia_store_close(w->store);
    ia_vclock_free(w->clock);
    tmpdir_free(w->dir);
}

static bool step(struct world *w)
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

static bool take(struct world *w, const char *lane, struct taken *ret)
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

static void end(struct world *w, struct taken *t, enum ia_run_state state, enum ia_rc code,
                double usd)
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

static void pass(struct world *w, struct taken *t)
{
    end(w, t, IA_RUN_PASSED, IA_OK, 0.01);
}

static void miss(struct world *w, struct taken *t)
{
    end(w, t, IA_RUN_FAILED, IA_E_FAILED, 0.01);
}

struct seek {
    const char *name;
    int repeat;
    struct ia_sweep_goal item;
    char reason[500];
};

static void look(void *ctx, const struct ia_sweep_goal *item)
{
    struct seek *s = ctx;
    if (strcmp(item->name, s->name) == 0 && (s->repeat == 0 || item->repeat == s->repeat)) {
        s->item = *item;
        (void)snprintf(s->reason, sizeof(s->reason), "%s", item->reason ? item->reason : "");
    }
}

static struct seek find(struct world *w, const char *name)
{
    struct seek s = {.name = name};
    ia_sweep_each(w->sweep, look, &s);
    assert_non_null(s.item.name);
    return s;
}

static void assert_state(struct world *w, const char *name, const char *state)
{
    assert_string_equal(ia_sweep_goal_state_name(find(w, name).item.state), state);
}

static struct ia_sweep_sums sums(struct world *w)
{
    struct ia_sweep_sums s;
    ia_sweep_sum(w->sweep, &s);
    return s;
}

#define G(name, more) "[[goal]]\nname = \"" name "\"\ngoal = \"do " name "\"\n" more
#define THREE G("a", "") G("b", "") G("c", "")
static const struct ia_sweep_opts plain = {.retries = -1};

/* ---- order ------------------------------------------------------------------------------- */

static void goals_start_in_order_and_one_on_each_lane(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0}, c = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2};
    begin(&w, THREE, &o);
    assert_false(step(&w));
    assert_true(take(&w, lanes[0], &a));
    assert_string_equal(a.row->goal, "do a");
    assert_string_equal(a.row->name, "a");
    assert_true(take(&w, lanes[1], &b));
    assert_string_equal(b.row->goal, "do b");
    assert_false(take(&w, lanes[2], &c)); /* two lanes, so no third run waits */
    assert_state(&w, "c", "waiting");
    pass(&w, &b);
    assert_false(step(&w));
    assert_state(&w, "b", "passed");
    assert_true(take(&w, lanes[1], &c));
    pass(&w, &c);
    pass(&w, &a);
    assert_true(step(&w));
    struct ia_sweep_sums s = sums(&w);
    assert_int_equal(s.passed, 3);
    assert_int_equal(s.exit_status, 0);
    assert_true(s.cost_usd > 0.0299 && s.cost_usd < 0.0301);
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    finish(&w);
}

static void a_goal_with_a_device_keeps_to_it(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w,
          G("a", "device = \"embedded\"\n") G("b", "")
              G("c", "device = \"embedded:default?bugs=x\"\n"),
          &plain);
    const char *const *all;
    assert_int_equal(ia_sweep_lanes(w.sweep, &all), 2);
    assert_int_equal(ia_sweep_pool_lanes(w.sweep), 1);
    assert_string_equal(all[1], "embedded:default");
    (void)step(&w);
    assert_state(&w, "c", "waiting");
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "b");
    pass(&w, &t);
    assert_true(take(&w, "embedded:default", &t));
    assert_string_equal(t.row->name, "a");
    pass(&w, &t);
    (void)step(&w);
    assert_false(take(&w, lanes[0], &t));
    assert_true(take(&w, "embedded:default", &t));
    assert_string_equal(t.row->name, "c");
    pass(&w, &t);
    assert_true(step(&w));
    finish(&w);
}

/* ---- needs ------------------------------------------------------------------------------- */

static void a_goal_waits_for_what_it_needs(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2};
    begin(&w, G("a", "needs = [\"b\"]\n") G("b", ""), &o);
    (void)step(&w);
    assert_state(&w, "a", "waiting");
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "b");
    pass(&w, &t);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "a");
    pass(&w, &t);
    assert_true(step(&w));
    finish(&w);
}

static void what_needs_a_goal_that_failed_is_skipped_with_the_reason(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w, G("a", "") G("b", "needs = [\"a\"]\n") G("c", "needs = [\"b\"]\n") G("d", ""),
          &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    miss(&w, &t);
    assert_false(step(&w));
    assert_state(&w, "a", "failed");
    assert_state(&w, "b", "skipped");
    assert_string_equal(find(&w, "b").reason, "it needs \"a\", which failed");
    assert_string_equal(find(&w, "c").reason, "it needs \"b\", which was skipped");
    assert_true(take(&w, lanes[0], &t));
    assert_string_equal(t.row->name, "d");
    pass(&w, &t);
    assert_true(step(&w));
    assert_int_equal(sums(&w).exit_status, 1);
    assert_int_equal(sums(&w).skipped, 2);
    finish(&w);
}

/* ---- retries and repeats ----------------------------------------------------------------- */

static bool begins_with_reset(const struct ia_run_row *row)
{
    json_t *options = json_loads(row->options, 0, NULL);
    const json_t *setup = json_object_get(json_object_get(options, "job"), "setup");
    const char *what = json_string_value(json_object_get(json_array_get(setup, 0), "do"));
    bool reset = what && strcmp(what, "reset") == 0;
    json_decref(options);
    return reset;
}

static void a_failed_goal_is_tried_again_from_fresh_state_and_then_flaky(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    begin(&w, G("a", "retries = 1\n") G("b", "needs = [\"a\"]\n"), &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_false(begins_with_reset(t.row));
    miss(&w, &t);
    assert_false(step(&w));
    assert_state(&w, "a", "running");
    assert_true(take(&w, lanes[0], &t));
    assert_true(begins_with_reset(t.row));
    pass(&w, &t);
    assert_false(step(&w));
    assert_state(&w, "a", "flaky");
    assert_int_equal(find(&w, "a").item.tries, 2);
    assert_true(take(&w, lanes[0], &t));
    pass(&w, &t);
    assert_true(step(&w));
    assert_int_equal(sums(&w).exit_status, 0);
    assert_int_equal(sums(&w).flaky, 1);
    finish(&w);
}

static void tries_end_and_errors_of_the_world_are_not_tried_again(void **state)
{
    (void)state;
    static const struct {
        enum ia_run_state state;
        enum ia_rc code;
        int runs, exit_status;
        const char *want;
    } rows[] = {
        {IA_RUN_FAILED, IA_E_FAILED, 3, 1, "failed"},
        {IA_RUN_BLOCKED, IA_E_BLOCKED, 3, 5, "blocked"},
        {IA_RUN_ERROR, IA_E_TIMEOUT, 3, 4, "error"},
        {IA_RUN_ERROR, IA_E_BUDGET, 3, 4, "error"},
        {IA_RUN_ERROR, IA_E_API_AUTH, 1, 6, "error"},
        {IA_RUN_ERROR, IA_E_DEVICE_LOST, 1, 3, "error"},
        {IA_RUN_CANCELLED, IA_E_CANCELLED, 1, 7, "cancelled"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        struct taken t = {0};
        struct ia_sweep_opts o = {.retries = 2};
        int runs = 0;
        begin(&w, G("a", ""), &o);
        while (!step(&w)) {
            assert_true(take(&w, lanes[0], &t));
            end(&w, &t, rows[i].state, rows[i].code, 0.01);
            runs++;
        }
        assert_int_equal(runs, rows[i].runs);
        assert_state(&w, "a", rows[i].want);
        assert_int_equal(sums(&w).exit_status, rows[i].exit_status);
        finish(&w);
    }
}

static void only_a_pass_opens_the_way_to_what_needs_it(void **state)
{
    (void)state;
    static const struct {
        enum ia_run_state state;
        enum ia_rc code;
        const char *why;
    } rows[] = {
        {IA_RUN_FAILED, IA_E_FAILED, "it needs \"a\", which failed"},
        {IA_RUN_BLOCKED, IA_E_BLOCKED, "it needs \"a\", which is blocked"},
        {IA_RUN_ERROR, IA_E_BUDGET, "it needs \"a\", which ended in an error"},
        {IA_RUN_ERROR, IA_E_API_AUTH, "it needs \"a\", which ended in an error"},
        {IA_RUN_CANCELLED, IA_E_CANCELLED, "it needs \"a\", which was cancelled"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        struct taken t = {0};
        struct ia_sweep_opts o = {.retries = 0};
        begin(&w, G("a", "") G("b", "needs = [\"a\"]\n"), &o);
        assert_false(step(&w));
        assert_true(take(&w, lanes[0], &t));
        end(&w, &t, rows[i].state, rows[i].code, 0.01);
        while (!step(&w)) {
            assert_false(take(&w, lanes[0], &t));
        }
        assert_state(&w, "b", "skipped");
        assert_string_equal(find(&w, "b").reason, rows[i].why);
        finish(&w);
    }
}

static void own_phones_begin_every_run_in_factory_state(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .fresh = true};
    begin(&w, G("a", "setup = [\"launch com.x\"]\n") G("b", "device = \"embedded:own\"\n"), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_true(begins_with_reset(t.row));
    pass(&w, &t);
    assert_true(take(&w, "embedded:own", &t));
    assert_false(begins_with_reset(t.row));
    pass(&w, &t);
    assert_true(step(&w));
    finish(&w);
}

static void keep_rate(void *ctx, const struct ia_sweep_rate *rate)
{
    *(struct ia_sweep_rate *)ctx = *rate;
}

static void repeats_give_a_rate_and_need_their_own_like(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .repeat = 4};
    begin(&w, G("a", "") G("b", "needs = [\"a\"]\n"), &o);
    for (int n = 0; !step(&w); n++) {
        assert_true(take(&w, lanes[0], &t));
        if (n == 1) {
            miss(&w, &t); /* the second a, so the second b is skipped */
        } else {
            pass(&w, &t);
        }
    }
    struct seek s = {.name = "b", .repeat = 2};
    ia_sweep_each(w.sweep, look, &s);
    assert_int_equal(s.item.state, IA_SWEEP_GOAL_SKIPPED);
    struct ia_sweep_rate rate = {0};
    ia_sweep_rates(w.sweep, keep_rate, &rate);
    assert_string_equal(rate.name, "b");
    assert_int_equal(rate.n, 3);
    assert_int_equal(rate.passed, 3);
    assert_true(rate.interval.low > 0.43 && rate.interval.low < 0.44);
    assert_int_equal(sums(&w).goals, 8);
    finish(&w);
}

/* ---- stopping ---------------------------------------------------------------------------- */

static void fail_fast_starts_nothing_more(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0}, c = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .fail_fast = true};
    begin(&w, THREE, &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    miss(&w, &a);
    assert_false(step(&w)); /* b is in hand and comes to its verdict */
    pass(&w, &b);
    assert_true(step(&w));
    assert_false(take(&w, lanes[0], &c));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_state(&w, "c", "skipped");
    assert_non_null(strstr(find(&w, "c").reason, "--fail-fast"));
    assert_state(&w, "b", "passed");
    assert_int_equal(sums(&w).exit_status, 1);
    finish(&w);
}

static void a_stopped_sweep_goes_on_where_it_was(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_row *row = NULL;
    begin(&w, THREE, &plain);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    pass(&w, &t);
    ia_sweep_stop(w.sweep, "interrupted");
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_int_equal(sums(&w).exit_status, 7);
    assert_int_equal(ia_store_sweep(w.store, w.id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_SWEEP_STOPPED);
    assert_string_equal(row->why, "interrupted");
    ia_sweep_row_free(row);
    reopen(&w);
    assert_state(&w, "a", "passed");
    assert_state(&w, "b", "waiting");
    while (!step(&w)) {
        assert_true(take(&w, lanes[0], &t));
        pass(&w, &t);
    }
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_int_equal(sums(&w).passed, 3);
    ia_sweep_close(w.sweep);
    struct ia_sweep_env env = {.store = w.store};
    assert_int_equal(ia_sweep_open(&env, w.id, &w.sweep, NULL), IA_E_STATE);
    w.sweep = NULL;
    finish(&w);
}

/* A clock that looks at the sweep's row when it is asked. */
struct witness {
    struct world *w;
    char state[16]; /* of the sweep, when the clock was asked first */
};

static int64_t witness_mono(void *ctx)
{
    struct witness *n = ctx;
    struct ia_sweep_row *row = NULL;
    assert_int_equal(ia_store_sweep(n->w->store, n->w->id, &row, NULL), IA_OK);
    if (n->state[0] == '\0') {
        (void)snprintf(n->state, sizeof(n->state), "%s", ia_sweep_state_name(row->state));
    }
    ia_sweep_row_free(row);
    return 0;
}

/* Its time limit asks for the time while the options are read, which is before the goals. */
static void a_sweep_is_taken_before_its_goals_are_read(void **state)
{
    (void)state;
    struct world w;
    struct ia_sweep_opts o = {.retries = -1, .max_seconds = 60};
    begin(&w, THREE, &o);
    ia_sweep_stop(w.sweep, "interrupted");
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    ia_sweep_close(w.sweep);
    struct witness n = {.w = &w};
    struct ia_clock clock = *ia_vclock_clock(w.clock);
    clock.mono_us = witness_mono;
    clock.ctx = &n;
    struct ia_sweep_env env = {.store = w.store, .clock = &clock};
    assert_int_equal(ia_sweep_open(&env, w.id, &w.sweep, NULL), IA_OK);
    assert_string_equal(n.state, "running");
    finish(&w);
}

static void a_sweep_that_cannot_be_read_is_given_back_as_it_was(void **state)
{
    (void)state;
    struct world w;
    struct ia_tx *tx = NULL;
    struct ia_sweep_row *row = NULL;
    struct ia_err err = {0};
    begin(&w, THREE, &plain);
    ia_sweep_stop(w.sweep, "interrupted");
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    ia_sweep_close(w.sweep);
    w.sweep = NULL;
    struct ia_sweep_goal_row lost = {.name = "lost", .needs = "[\"nobody\"]"};
    lost.job = "{\"goal\":\"x\",\"model\":\"m\"}";
    assert_int_equal(ia_tx_begin(w.store, &tx, NULL), IA_OK);
    ia_tx_add_sweep_goal(tx, w.id, &lost, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    struct ia_sweep_env env = {.store = w.store};
    assert_int_equal(ia_sweep_open(&env, w.id, &w.sweep, &err), IA_E_STATE);
    assert_non_null(strstr(err.msg, "nobody"));
    assert_int_equal(ia_store_sweep(w.store, w.id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_SWEEP_STOPPED);
    assert_string_equal(row->why, "interrupted");
    ia_sweep_row_free(row);
    finish(&w);
}

static void after_its_time_nothing_starts(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .max_seconds = 60};
    begin(&w, THREE, &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &t));
    assert_non_null(strstr(t.row->budget, "\"max_seconds\":60"));
    ia_vclock_advance(w.clock, 20 * INT64_C(1000000));
    pass(&w, &t);
    assert_false(step(&w));
    assert_true(take(&w, lanes[0], &t));
    assert_non_null(strstr(t.row->budget, "\"max_seconds\":40"));
    ia_vclock_advance(w.clock, 41 * INT64_C(1000000));
    end(&w, &t, IA_RUN_ERROR, IA_E_TIMEOUT, 0.01);
    assert_true(step(&w));
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_state(&w, "c", "skipped");
    assert_int_equal(sums(&w).exit_status, 4);
    finish(&w);
}

/* ---- the budget -------------------------------------------------------------------------- */

static double cap_of(const struct taken *t)
{
    json_t *budget = json_loads(t->row->budget, 0, NULL);
    double usd = json_number_value(json_object_get(budget, "max_usd"));
    json_decref(budget);
    return usd;
}

static void the_budget_is_shared_and_stops_the_sweep(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0}, c = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .max_usd = 1.0};
    begin(&w, G("a", "") G("b", "budget = { max_usd = 0.2 }\n") G("c", ""), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    assert_true(cap_of(&a) > 0.4999 && cap_of(&a) < 0.5001);
    assert_true(cap_of(&b) > 0.1999 && cap_of(&b) < 0.2001);
    end(&w, &b, IA_RUN_PASSED, IA_OK, 0.1);
    (void)step(&w);
    assert_true(take(&w, lanes[1], &c));
    assert_true(cap_of(&c) > 0.3999 && cap_of(&c) < 0.4001); /* 1.0 - 0.5 - 0.1 */
    end(&w, &a, IA_RUN_ERROR, IA_E_BUDGET, 0.5);
    end(&w, &c, IA_RUN_PASSED, IA_OK, 0.4);
    assert_true(step(&w));
    assert_state(&w, "a", "error");
    finish(&w);
}

static void a_run_that_got_too_little_to_begin_waits_for_the_whole_rest(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .max_usd = 0.1};
    begin(&w, G("a", "") G("b", "") G("c", ""), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    end(&w, &a, IA_RUN_ERROR, IA_E_BUDGET, 0); /* not one request was made */
    (void)step(&w);
    assert_state(&w, "a", "waiting");
    end(&w, &b, IA_RUN_PASSED, IA_OK, 0.02);
    (void)step(&w);
    struct taken t = {0};
    bool whole = false;
    for (int n = 0; !step(&w) && n < 10; n++) {
        for (int k = 0; k < 2; k++) {
            if (take(&w, lanes[k], &t)) {
                whole = whole || (strcmp(t.row->name, "a") == 0 && cap_of(&t) > 0.059);
                end(&w, &t, IA_RUN_PASSED, IA_OK, 0.02);
            }
        }
    }
    assert_true(whole);
    assert_state(&w, "a", "passed"); /* not flaky: it never tried */
    finish(&w);
}

static void
a_run_that_got_too_little_is_no_verdict_for_the_process_that_goes_on_either(void **state)
{
    (void)state;
    struct world w;
    struct taken a = {0}, b = {0};
    struct ia_sweep_opts o = {.retries = -1, .lane_count = 2, .max_usd = 0.1};
    begin(&w, G("a", "") G("b", ""), &o);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    assert_true(take(&w, lanes[1], &b));
    reopen(&w);
    end(&w, &a, IA_RUN_ERROR, IA_E_BUDGET, 0);
    (void)step(&w);
    assert_state(&w, "a", "waiting");
    end(&w, &b, IA_RUN_PASSED, IA_OK, 0.02);
    (void)step(&w);
    assert_true(take(&w, lanes[0], &a));
    end(&w, &a, IA_RUN_PASSED, IA_OK, 0.02);
    assert_true(step(&w));
    assert_state(&w, "a", "passed");
    finish(&w);
}

static void a_rest_that_is_too_small_for_anything_stops_the_sweep(void **state)
{
    (void)state;
    struct world w;
    struct taken t = {0};
    struct ia_sweep_opts o = {.retries = -1, .max_usd = 0.1};
    int runs = 0;
    begin(&w, THREE, &o);
    while (!step(&w)) {
        assert_true(take(&w, lanes[0], &t));
        bool first = runs++ == 0;
        end(&w, &t, first ? IA_RUN_PASSED : IA_RUN_ERROR, first ? IA_OK : IA_E_BUDGET,
            first ? 0.0999 : 0);
    }
    assert_true(runs <= 3);
    assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
    assert_state(&w, "b", "skipped"); /* it asked for nothing: that is no verdict */
    assert_state(&w, "c", "skipped");
    assert_non_null(strstr(find(&w, "c").reason, "budget"));
    assert_int_equal(sums(&w).exit_status, 4);
    finish(&w);
}

/* ---- whatever happens -------------------------------------------------------------------- */

static void random_goals(struct ia_buf *b, const struct ia_rand *r, int n)
{
    for (int i = 0; i < n; i++) {
        ia_buf_printf(b, "[[goal]]\nname = \"g%d\"\ngoal = \"x\"\n", i);
        if (i > 0 && ia_rand_next(r) % 3 == 0) {
            ia_buf_printf(b, "needs = [\"g%d\"]\n", (int)(ia_rand_next(r) % (uint64_t)i));
        }
        if (ia_rand_next(r) % 5 == 0) {
            ia_buf_puts(b, "device = \"embedded:own\"\n");
        }
        if (ia_rand_next(r) % 4 == 0) {
            ia_buf_puts(b, "retries = 2\n");
        }
        if (ia_rand_next(r) % 6 == 0) {
            ia_buf_puts(b, "repeat = 2\n");
        }
        if (ia_rand_next(r) % 6 == 0) {
            ia_buf_puts(b, "budget = { max_usd = 0.05 }\n");
        }
    }
}

static void end_somehow(struct world *w, struct taken *t, const struct ia_rand *r)
{
    double cap = cap_of(t);
    double usd = (cap > 0 ? cap : 0.1) * (double)(ia_rand_next(r) % 101) / 100;
    switch (ia_rand_next(r) % 5) {
    case 0:
        end(w, t, IA_RUN_FAILED, IA_E_FAILED, usd);
        break;
    case 1:
        end(w, t, IA_RUN_ERROR, IA_E_BUDGET, usd);
        break;
    default:
        end(w, t, IA_RUN_PASSED, IA_OK, usd);
        break;
    }
}

static void sum_cost(void *ctx, const struct ia_sweep_goal *item)
{
    *(double *)ctx += item->cost_usd;
    assert_int_not_equal(item->state, IA_SWEEP_GOAL_RUNNING);
}

/* Nothing is lost, nothing runs twice at once, the budget holds, and a process that dies
 * between any two steps changes nothing of it. */
static void every_sweep_comes_to_its_end_within_its_budget(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed;
        struct ia_rand r = ia_rand_seeded(&s);
        struct world w;
        struct ia_buf toml = IA_BUF(1 << 20);
        struct ia_sweep_opts o = {.retries = -1,
                                  .lane_count = 1 + ia_rand_next(&r) % LANES,
                                  .fresh = ia_rand_next(&r) % 2,
                                  .max_usd = seed % 2 ? 0.4 : 0};
        random_goals(&toml, &r, 4 + (int)(ia_rand_next(&r) % 12));
        begin(&w, ia_buf_cstr(&toml), &o);
        struct taken hands[LANES + 1] = {0};
        const char *const at[LANES + 1] = {lanes[0], lanes[1], lanes[2], "embedded:own"};
        bool over = step(&w);
        for (int n = 0; !over; n++) {
            assert_true(n < 5000);
            size_t k = ia_rand_next(&r) % (LANES + 1);
            if (hands[k].row) {
                end_somehow(&w, &hands[k], &r);
            } else if (k == LANES || k < o.lane_count) {
                (void)take(&w, at[k], &hands[k]);
            }
            if (ia_rand_next(&r) % 8 == 0) {
                reopen(&w);
            }
            over = step(&w);
        }
        assert_int_equal(ia_sweep_end(w.sweep, NULL), IA_OK);
        double usd = 0;
        ia_sweep_each(w.sweep, sum_cost, &usd);
        struct ia_usage_row used = {0};
        assert_int_equal(ia_store_sweep_usage(w.store, w.id, &used, NULL), IA_OK);
        assert_true(used.cost_usd > usd - 1e-9 && used.cost_usd < usd + 1e-9);
        assert_true(o.max_usd <= 0 || usd <= o.max_usd + 1e-9);
        struct ia_sweep_sums sum = sums(&w);
        assert_int_equal(sum.waiting + sum.running, 0);
        assert_int_equal(sum.goals, sum.passed + sum.flaky + sum.failed + sum.blocked +
                                        sum.errors + sum.cancelled + sum.skipped);
        finish(&w);
        ia_buf_fini(&toml);
    }
}

/* ---- choosing ---------------------------------------------------------------------------- */

static struct ia_goals *parse(const char *toml)
{
    static const struct ia_run_request base = {.model = "m"};
    static const struct ia_goal_sources src = {.base = &base};
    struct ia_goals *goals = NULL;
    assert_int_equal(ia_goals_parse("g", ia_str(toml), &src, &goals, NULL), IA_OK);
    return goals;
}

static void tags_choose_goals_and_what_they_need(void **state)
{
    (void)state;
    static const char *const tags[] = {"x", "z"};
    struct ia_goals *goals =
        parse(G("a", "") G("b", "needs = [\"a\"]\n") G("c", "needs = [\"b\"]\ntags = [\"x\"]\n")
                  G("d", "tags = [\"y\"]\n") G("e", "tags = [\"y\", \"z\"]\n"));
    struct ia_sweep_choice choice = {.tags = tags, .tag_count = 2};
    static const bool want[] = {true, true, true, false, true};
    bool got[5];
    ia_sweep_choose(goals, &choice, got);
    assert_memory_equal(got, want, sizeof(want));
    ia_goals_free(goals);
}

static void put_goals(struct ia_buf *b, int from, int to)
{
    for (int i = from; i < to; i++) {
        ia_buf_printf(b, "[[goal]]\nname = \"goal %d\"\ngoal = \"x\"\n", i);
        if (i % 7 == 3) {
            ia_buf_printf(b, "needs = [\"goal %d\"]\n", i - 2);
        }
    }
}

static int shard_with(const struct ia_goals *goals, const char *name, int shards)
{
    int found = 0;
    bool *got = ia_calloc(ia_goals_count(goals), sizeof(*got));
    for (int k = 1; k <= shards; k++) {
        struct ia_sweep_choice choice = {.shard = k, .shards = shards};
        ia_sweep_choose(goals, &choice, got);
        for (size_t i = 0; i < ia_goals_count(goals); i++) {
            if (got[i] && strcmp(ia_goals_at(goals, i)->req.name, name) == 0) {
                assert_int_equal(found, 0); /* in one shard only */
                found = k;
            }
        }
    }
    assert_int_not_equal(found, 0);
    free(got);
    return found;
}

static void every_goal_is_in_one_shard_and_stays_there(void **state)
{
    (void)state;
    enum { N = 60, SHARDS = 4 };
    struct ia_buf all = IA_BUF(1 << 20), other = IA_BUF(1 << 20);
    put_goals(&all, 0, N);
    put_goals(&other, N, N + 5); /* new goals before, and some gone */
    put_goals(&other, 0, N - 10);
    struct ia_goals *a = parse(ia_buf_cstr(&all)), *b = parse(ia_buf_cstr(&other));
    int sizes[SHARDS] = {0};
    for (size_t i = 0; i < N; i++) {
        const struct ia_goal *g = ia_goals_at(a, i);
        int shard = shard_with(a, g->req.name, SHARDS);
        sizes[shard - 1]++;
        for (size_t k = 0; k < g->need_count; k++) {
            assert_int_equal(shard_with(a, ia_goals_at(a, g->needs[k])->req.name, SHARDS),
                             shard);
        }
        if (i < N - 10) {
            assert_int_equal(shard_with(b, g->req.name, SHARDS), shard);
        }
    }
    for (int k = 0; k < SHARDS; k++) {
        print_message("shard %d: %d goals\n", k + 1, sizes[k]);
        assert_in_range(sizes[k], N / SHARDS / 2, N / SHARDS * 2);
    }
    ia_goals_free(a);
    ia_goals_free(b);
    ia_buf_fini(&all);
    ia_buf_fini(&other);
}

static void a_shard_is_one_of_n(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "1",    "0/4",  "5/4",    "1/0",
                                      "a/b", "1/4x", "-1/4", "1/1001", "1/99999999999"};
    int shard = 0, shards = 0;
    assert_int_equal(ia_sweep_shard_parse("2/4", &shard, &shards, NULL), IA_OK);
    assert_int_equal(shard, 2);
    assert_int_equal(shards, 4);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(ia_sweep_shard_parse(bad[i], &shard, &shards, NULL), IA_E_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_start_in_order_and_one_on_each_lane),
        cmocka_unit_test(a_goal_with_a_device_keeps_to_it),
        cmocka_unit_test(a_goal_waits_for_what_it_needs),
        cmocka_unit_test(what_needs_a_goal_that_failed_is_skipped_with_the_reason),
        cmocka_unit_test(only_a_pass_opens_the_way_to_what_needs_it),
        cmocka_unit_test(a_failed_goal_is_tried_again_from_fresh_state_and_then_flaky),
        cmocka_unit_test(tries_end_and_errors_of_the_world_are_not_tried_again),
        cmocka_unit_test(own_phones_begin_every_run_in_factory_state),
        cmocka_unit_test(repeats_give_a_rate_and_need_their_own_like),
        cmocka_unit_test(fail_fast_starts_nothing_more),
        cmocka_unit_test(a_stopped_sweep_goes_on_where_it_was),
        cmocka_unit_test(a_sweep_is_taken_before_its_goals_are_read),
        cmocka_unit_test(a_sweep_that_cannot_be_read_is_given_back_as_it_was),
        cmocka_unit_test(after_its_time_nothing_starts),
        cmocka_unit_test(the_budget_is_shared_and_stops_the_sweep),
        cmocka_unit_test(a_run_that_got_too_little_to_begin_waits_for_the_whole_rest),
        cmocka_unit_test(
            a_run_that_got_too_little_is_no_verdict_for_the_process_that_goes_on_either),
        cmocka_unit_test(a_rest_that_is_too_small_for_anything_stops_the_sweep),
        cmocka_unit_test(every_sweep_comes_to_its_end_within_its_budget),
        cmocka_unit_test(tags_choose_goals_and_what_they_need),
        cmocka_unit_test(every_goal_is_in_one_shard_and_stays_there),
        cmocka_unit_test(a_shard_is_one_of_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
