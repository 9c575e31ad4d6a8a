/* Schedules under several processes and under SIGKILL: one run for a fire. */
#include "child.h"
#include "schedule_rig.h"

/* ---- several at once, and kills ---------------------------------------------------------- */

enum { TICKERS = 3, HOURS = 60 };

static int tick_for_days(void *ctx, int in, int out)
{
    struct rig r;
    void *state = ctx;
    open_rig(&r, &state);
    /* Hour by hour together, as processes of one machine share its clock. */
    for (int i = 0; i < HOURS; i++) {
        (void)hear(in);
        advance(&r, HOUR);
        tick(&r);
        tell(out, 't');
    }
    close_rig(&r);
    return 0;
}

static void processes_that_tick_at_once_fire_each_time_once(void **state)
{
    struct child c[TICKERS];
    struct rig r;
    for (int i = 0; i < TICKERS; i++) {
        c[i] = child_start(tick_for_days, *state);
    }
    open_rig(&r, state);
    add(&r, &hourly);
    for (int i = 0; i < HOURS * TICKERS; i++) {
        child_go(&c[i % TICKERS]);
        for (int k = 0; i % TICKERS == TICKERS - 1 && k < TICKERS; k++) {
            assert_int_equal(child_byte(&c[k]), 't');
        }
    }
    for (int i = 0; i < TICKERS; i++) {
        assert_int_equal(child_wait(&c[i]), 0);
    }
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM runs"), HOURS);
    assert_int_equal(sql_int(&r, "SELECT count(DISTINCT run_id) FROM schedule_runs"), HOURS);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM schedule_runs"), HOURS);
    close_rig(&r);
}

#ifdef IA_TEST_HOOKS
struct victim {
    struct home *home;
    const char *kill_at;
};

static int tick_and_die(void *ctx, int in, int out)
{
    struct victim *v = ctx;
    struct rig r;
    void *state = v->home;
    (void)in;
    (void)out;
    (void)setenv("IOS_AGENT_KILL_AT", v->kill_at, 1);
    open_at(&r, &state, START_MS + 5 * HOUR + 2 * MINUTE);
    tick(&r);
    close_rig(&r);
    return 0;
}

static int add_in_child(void *ctx, int in, int out)
{
    struct rig r;
    void *state = ctx;
    struct ia_schedule_row row = hourly;
    (void)in;
    (void)out;
    row.missed = IA_MISSED_ALL;
    row.precheck = "true";
    open_rig(&r, &state);
    add(&r, &row);
    close_rig(&r);
    return 0;
}

/* Five fires are due. Whatever was killed, the next tick makes them five. */
static void after_a_kill_anywhere_in_a_tick_each_fire_has_one_run(void **state)
{
    static const char *const points[] = {
        "schedule.precheck.after:1", "schedule.fire.before:1", "schedule.fire.before:2",
        "schedule.fire.before:5",    "store.commit.before:1",  "store.commit.before:3",
        "store.commit.after:1",      "store.commit.after:4",   "store.commit.after:5"};
    struct home *h = *state;
    for (size_t i = 0; i < IA_COUNTOF(points); i++) {
        struct child adder = child_start(add_in_child, h);
        assert_int_equal(child_wait(&adder), 0);
        struct victim v = {h, points[i]};
        struct child c = child_start(tick_and_die, &v);
        if (child_wait(&c) != 128 + 9) {
            fail_msg("%s was not reached", points[i]);
        }
        v.kill_at = "nothing";
        c = child_start(tick_and_die, &v);
        assert_int_equal(child_wait(&c), 0);
        assert_int_equal(raw_int(h->db, "SELECT count(*) FROM schedule_runs"), 5);
        assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs"), 5);
        raw_sql(h->db, "DELETE FROM schedule_runs; DELETE FROM schedules; DELETE FROM events; "
                       "DELETE FROM runs; DELETE FROM goals");
    }
}
#endif

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

/* The order matters: where the process shall die is read once, at the first kill point. */
int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef IA_TEST_HOOKS
        T(after_a_kill_anywhere_in_a_tick_each_fire_has_one_run),
#endif
        T(processes_that_tick_at_once_fire_each_time_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
