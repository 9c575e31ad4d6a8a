/* Figures of days and goals: which day a run belongs to, and that they agree with the history of a goal. */
#include "agent/report/stats.h"

#include "tmpdir.h"

#include <stdio.h>
#include <string.h>

/* A store whose time the test decides. */
struct world {
    char *home;
    struct ia_vclock *clock;
    struct ia_store *store;
    struct ia_err err;
};

static void world_open(struct world *w, const char *now)
{
    int64_t now_ms = 0;
    assert_int_equal(ia_iso_parse(now, &now_ms), IA_OK);
    w->home = tmpdir_new();
    w->clock = ia_vclock_new(now_ms);
    const struct ia_store_opts opts = {.home = w->home, .clock = ia_vclock_clock(w->clock)};
    assert_int_equal(ia_store_open(&opts, &w->store, &w->err), IA_OK);
}

static void world_close(struct world *w)
{
    ia_store_close(w->store);
    ia_vclock_free(w->clock);
    tmpdir_free(w->home);
}

static int64_t now_ms(const struct world *w)
{
    return ia_wall_ms(ia_vclock_clock(w->clock));
}

static void wait_until(struct world *w, const char *iso)
{
    int64_t then_ms = 0;
    assert_int_equal(ia_iso_parse(iso, &then_ms), IA_OK);
    assert_true(then_ms >= now_ms(w));
    ia_vclock_advance(w->clock, (then_ms - now_ms(w)) * 1000);
}

/* What becomes of a run that begins now. */
struct done {
    const char *goal, *name, *agent, *sweep;
    int no;
    enum ia_run_state state; /* 0: it goes on */
    int64_t ms;
    double usd; /* below 0: not known */
    bool demo;
};

static void do_run(struct world *w, struct done d)
{
    char id[IA_ID_SIZE];
    struct ia_tx *tx = NULL;
    const struct ia_run_new run = {.goal = d.goal ? d.goal : "open Settings",
                                   .name = d.name,
                                   .agent = d.agent,
                                   .model = "m",
                                   .lane = "l",
                                   .sweep_id = d.sweep,
                                   .sweep_no = d.no,
                                   .demo = d.demo};
    const struct ia_usage_row usage = {.input = 1,
                                       .cache_read = 20,
                                       .cache_write = 300,
                                       .output = 4000,
                                       .cost_usd = d.usd,
                                       .cost_known = d.usd >= 0};
    assert_int_equal(ia_tx_begin(w->store, &tx, &w->err), IA_OK);
    ia_tx_add_run(tx, &run, id);
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    ia_run_move(tx, id, IA_RUN_RUNNING, NULL, NULL);
    ia_tx_set_usage(tx, id, 3, &usage);
    assert_int_equal(ia_tx_commit(tx, &w->err), IA_OK);
    ia_vclock_advance(w->clock, d.ms * 1000);
    if (d.state) {
        assert_int_equal(ia_tx_begin(w->store, &tx, &w->err), IA_OK);
        ia_run_move(tx, id, d.state, NULL, NULL);
        assert_int_equal(ia_tx_commit(tx, &w->err), IA_OK);
    }
}

static void add_sweep(struct world *w, int goals, char id[IA_ID_SIZE])
{
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->store, &tx, &w->err), IA_OK);
    ia_tx_add_sweep(tx, &(struct ia_sweep_row){.title = "t", .options = "{}"}, id);
    const struct ia_sweep_goal_row goal = {
        .name = "g", .file = "f", .needs = "[]", .tags = "[]", .job = "{}"};
    for (int i = 0; i < goals; i++) {
        ia_tx_add_sweep_goal(tx, id, &goal, NULL);
    }
    assert_int_equal(ia_tx_commit(tx, &w->err), IA_OK);
}

static struct ia_stats read_stats(struct world *w, int days, int offset_min, const char *agent,
                                  const char *goal)
{
    struct ia_stats s;
    const struct ia_stats_filter f = {now_ms(w), days, offset_min, agent, goal, 0};
    assert_int_equal(ia_stats_read(w->store, &f, &s, &w->err), IA_OK);
    assert_int_equal(s.day_count, days);
    assert_true(s.complete);
    return s;
}

static void a_run_belongs_to_the_local_day_on_which_it_ended(void **state)
{
    (void)state;
    struct world w;
    static const char *const ends[] = {"2026-10-30T12:00:00.000Z", "2026-10-31T23:59:59.999Z",
                                       "2026-11-01T00:00:00.000Z", "2026-11-01T04:30:00.000Z",
                                       "2026-11-02T10:00:00.000Z"};
    /* Runs of the last four days, oldest first, as clocks of three places see it. */
    static const struct {
        int offset_min;
        int64_t today;
        int runs[4];
    } cases[] = {{0, 20759, {1, 1, 2, 1}},
                 {-300, 20759, {1, 3, 0, 1}},
                 {60, 20759, {1, 0, 3, 1}},
                 {840, 20760, {1, 3, 0, 1}},
                 {-24 * 60, 20758, {1, 1, 2, 1}}};
    world_open(&w, "2026-10-29T00:00:00.000Z");
    for (size_t i = 0; i < IA_COUNTOF(ends); i++) {
        wait_until(&w, ends[i]);
        do_run(&w, (struct done){.state = IA_RUN_PASSED, .usd = 1});
    }
    do_run(&w, (struct done){.state = 0}); /* not over */
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_stats s = read_stats(&w, 4, cases[i].offset_min, NULL, NULL);
        size_t all = 0;
        for (size_t d = 0; d < 4; d++) {
            assert_int_equal(s.days[d].day, cases[i].today - 3 + (int64_t)d);
            assert_int_equal(s.days[d].sum.count, cases[i].runs[d]);
            all += s.days[d].sum.count;
        }
        assert_int_equal(s.total.count, all);
        ia_stats_fini(&s);
    }
    struct ia_stats one = read_stats(&w, 1, 0, NULL, NULL);
    assert_int_equal(one.total.count, 1);
    ia_stats_fini(&one);
    world_close(&w);
}

/* Failed on the 31st, passed on the 1st: one execution, flaky, of the 1st. */
static void an_execution_over_midnight_counts_on_the_day_of_its_last_try(void **state)
{
    (void)state;
    struct world w;
    char sweep[IA_ID_SIZE];
    world_open(&w, "2026-10-31T23:50:00.000Z");
    add_sweep(&w, 2, sweep);
    do_run(&w, (struct done){.sweep = sweep, .no = 1, .state = IA_RUN_FAILED, .ms = 60000});
    do_run(&w, (struct done){.sweep = sweep, .no = 2, .state = IA_RUN_PASSED, .ms = 60000});
    wait_until(&w, "2026-11-01T00:05:00.000Z");
    do_run(&w, (struct done){.sweep = sweep, .no = 1, .state = IA_RUN_PASSED, .ms = 60000});
    for (int days = 1; days <= 3;
         days++) { /* with one day, its first try is before the first */
        struct ia_stats s = read_stats(&w, days, 0, NULL, NULL);
        const struct ia_goal_history *last = &s.days[days - 1].sum;
        assert_int_equal(last->count, 1);
        assert_int_equal(last->executions, 1);
        assert_int_equal(last->flaky, 1);
        assert_int_equal(s.total.count, days == 1 ? 1 : 3);
        assert_int_equal(s.total.executions, days == 1 ? 1 : 2);
        assert_int_equal(s.total.flaky, 1);
        if (days > 1) {
            assert_int_equal(s.days[days - 2].sum.count, 2);
            assert_int_equal(s.days[days - 2].sum.executions, 1);
            assert_int_equal(s.days[days - 2].sum.flaky, 0);
        }
        ia_stats_fini(&s);
    }
    world_close(&w);
}

static void what_is_not_known_is_not_counted_as_nothing(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "2026-11-01T10:00:00.000Z");
    do_run(&w, (struct done){.name = "dear", .state = IA_RUN_PASSED, .ms = 10, .usd = 2});
    do_run(&w, (struct done){.name = "dear", .state = IA_RUN_ERROR, .ms = 30, .usd = -1});
    do_run(&w, (struct done){
                   .name = "demo", .state = IA_RUN_PASSED, .ms = 10, .usd = 7, .demo = true});
    struct ia_stats s = read_stats(&w, 1, 0, NULL, NULL);
    assert_int_equal(s.total.usd_count, 1);
    assert_true(s.total.usd_total > 1.99 && s.total.usd_total < 2.01);
    assert_int_equal(s.total.tokens, 3 * 4321);
    assert_int_equal(s.total.verdicts, 2);
    assert_int_equal(s.goal_count, 2);
    assert_string_equal(s.goals[0].goal, "demo");
    assert_int_equal(s.goals[0].sum.usd_count, 0);
    assert_int_equal(s.goals[1].sum.ms_median, 10);
    assert_int_equal(s.goals[1].sum.ms_count, 2);
    ia_stats_fini(&s);
    world_close(&w);
}

static void no_runs_are_days_without_any(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "2026-11-01T10:00:00.000Z");
    struct ia_stats s = read_stats(&w, IA_STATS_DAYS_MAX, 0, "nobody", "nothing");
    assert_int_equal(s.goal_count, 0);
    assert_int_equal(s.total.count, 0);
    assert_int_equal(s.total.ms_count, 0);
    assert_int_equal(s.days[0].sum.count, 0);
    ia_stats_fini(&s);
    world_close(&w);
}

/* ---- against the history of a goal -------------------------------------------------------- */

static void expect_same(struct world *w, const char *goal, const struct ia_goal_history *sum)
{
    struct ia_goal_history h;
    assert_int_equal(
        ia_goal_history_read(w->store, goal, IA_GOAL_HISTORY_LIMIT_MAX, &h, &w->err), IA_OK);
    assert_int_equal(sum->count, h.count);
    assert_memory_equal(sum->by_state, h.by_state, sizeof(h.by_state));
    assert_int_equal(sum->verdicts, h.verdicts);
    assert_int_equal(sum->passed, h.passed);
    assert_int_equal(sum->executions, h.executions);
    assert_int_equal(sum->flaky, h.flaky);
    assert_int_equal(sum->ms_median, h.ms_median);
    assert_int_equal(sum->usd_count, h.usd_count);
    assert_true(sum->rate.low == h.rate.low && sum->rate.high == h.rate.high);
    assert_true(sum->usd_median == h.usd_median);
    assert_true(sum->usd_total > h.usd_total - 1e-9 && sum->usd_total < h.usd_total + 1e-9);
    ia_goal_history_fini(&h);
}

static void a_lot_of_runs(struct world *w, int n)
{
    static const char *const names[] = {"a", "b", NULL, NULL}, *const texts[] = {"x", "y", "a",
                                                                                 "z"};
    static const char *const agents[] = {"anna", NULL};
    static const enum ia_run_state states[] = {IA_RUN_PASSED, IA_RUN_FAILED,    IA_RUN_PASSED,
                                               IA_RUN_ERROR,  IA_RUN_CANCELLED, IA_RUN_BLOCKED};
    char sweep[IA_ID_SIZE] = "";
    uint32_t seed = 7;
    for (int i = 0; i < n; i++) {
        if (i % 20 == 0) {
            add_sweep(w, 6, sweep);
        }
        seed = seed * 1664525 + 1013904223;
        uint32_t dice = seed >> 8;
        struct done d = {.name = names[dice % 4],
                         .goal = texts[dice % 4],
                         .agent = agents[dice / 4 % 2],
                         .state = states[dice / 8 % 6],
                         .ms = dice / 64 % 5000,
                         .usd = dice / 512 % 5 ? (dice / 64 % 700) / 100.0 : -1,
                         .demo = dice / 1024 % 9 == 0};
        if (d.name && dice / 2048 % 2) { /* a number of a sweep is of one goal */
            d.sweep = sweep;
            d.no = 1 + (int)(dice % 4) + 2 * (int)(dice / 4096 % 3);
        }
        do_run(w, d);
        ia_vclock_advance(w->clock, (dice / 32 % 9000) * 1000000LL);
    }
}

static void figures_agree_with_the_history_of_each_goal(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "2026-03-01T00:00:00.000Z");
    a_lot_of_runs(&w, 400);
    struct ia_stats s = read_stats(&w, 60, 90, NULL, NULL);
    assert_int_equal(s.total.count, 400);
    struct ia_goal_history days = {.count = 0}, goals = {.count = 0};
    for (size_t i = 0; i < s.day_count; i++) {
        days.count += s.days[i].sum.count;
        days.executions += s.days[i].sum.executions;
        days.flaky += s.days[i].sum.flaky;
        days.tokens += s.days[i].sum.tokens;
    }
    assert_int_equal(s.goal_count, 3); /* the name and the text "a" are one, as in `history` */
    for (size_t i = 0; i < s.goal_count; i++) {
        goals.count += s.goals[i].sum.count;
        goals.executions += s.goals[i].sum.executions;
        goals.flaky += s.goals[i].sum.flaky;
        if (strcmp(s.goals[i].goal, "a") != 0) {
            expect_same(&w, s.goals[i].goal, &s.goals[i].sum);
        }
    }
    assert_true(s.total.flaky > 5 && s.total.executions < 400);
    assert_int_equal(days.count, 400);
    assert_int_equal(goals.count, 400);
    assert_int_equal(days.executions, s.total.executions);
    assert_int_equal(goals.executions, s.total.executions);
    assert_int_equal(days.flaky, s.total.flaky);
    assert_int_equal(goals.flaky, s.total.flaky);
    assert_int_equal(days.tokens, s.total.tokens);
    ia_stats_fini(&s);
    static const char *const asked[] = {"a", "b", "z",
                                        "x"}; /* by name, by name, by text twice */
    for (size_t i = 0; i < IA_COUNTOF(asked); i++) {
        s = read_stats(&w, 60, -300, NULL, asked[i]);
        expect_same(&w, asked[i], &s.total);
        ia_stats_fini(&s);
    }
    struct ia_stats anna = read_stats(&w, 60, 0, "anna", NULL);
    assert_true(anna.total.count > 100 && anna.total.count < 300);
    ia_stats_fini(&anna);
    world_close(&w);
}

static void of_too_many_runs_the_newest_count_and_it_is_said(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "2026-11-01T10:00:00.000Z");
    for (int i = 0; i < 4; i++) {
        do_run(&w, (struct done){.state = i ? IA_RUN_PASSED : IA_RUN_FAILED, .ms = 1000});
    }
    for (int limit = 3; limit <= 4; limit++) {
        struct ia_stats s;
        const struct ia_stats_filter f = {now_ms(&w), 1, 0, NULL, NULL, limit};
        assert_int_equal(ia_stats_read(w.store, &f, &s, &w.err), IA_OK);
        assert_int_equal(s.complete, limit == 4);
        assert_int_equal(s.total.count, limit);
        assert_int_equal(s.total.passed, 3);
        assert_int_equal(s.goals[0].sum.count, limit);
        ia_stats_fini(&s);
    }
    world_close(&w);
}

static void only_so_many_goals_are_told(void **state)
{
    (void)state;
    struct world w;
    char text[16];
    world_open(&w, "2026-11-01T00:00:00.000Z");
    for (int i = 0; i < IA_STATS_GOALS_MAX + 5; i++) {
        (void)snprintf(text, sizeof(text), "goal %d", i);
        do_run(&w, (struct done){.goal = text, .state = IA_RUN_PASSED, .ms = 10});
    }
    struct ia_stats s = read_stats(&w, 1, 0, NULL, NULL);
    assert_int_equal(s.goal_count, IA_STATS_GOALS_MAX);
    assert_int_equal(s.total.count, IA_STATS_GOALS_MAX + 5);
    assert_string_equal(s.goals[0].goal, text);
    ia_stats_fini(&s);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_belongs_to_the_local_day_on_which_it_ended),
        cmocka_unit_test(an_execution_over_midnight_counts_on_the_day_of_its_last_try),
        cmocka_unit_test(what_is_not_known_is_not_counted_as_nothing),
        cmocka_unit_test(no_runs_are_days_without_any),
        cmocka_unit_test(figures_agree_with_the_history_of_each_goal),
        cmocka_unit_test(of_too_many_runs_the_newest_count_and_it_is_said),
        cmocka_unit_test(only_so_many_goals_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
