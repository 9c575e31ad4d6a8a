/* What a tick fires: fires, missed fires, overlap and prechecks. */
#include "schedule_rig.h"

#include "agent/schedule/cron.h"
#include "store/queue.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_year_of_fires_in_three_zones_is_a_run_each(void **state)
{
    static const char *const zones[] = {"Europe/Zurich", "America/New_York",
                                        "Australia/Sydney"};
    struct rig r;
    open_rig(&r, state);
    for (size_t i = 0; i < 3; i++) {
        struct ia_schedule_row row = hourly;
        row.name = zones[i] + strcspn(zones[i], "/") + 1;
        row.spec = "30 2 * * *";
        row.zone = zones[i];
        add(&r, &row);
    }
    r.next_ms = START_MS;
    while (r.next_ms < START_MS + INT64_C(365) * DAY) {
        advance(&r, r.next_ms - now(&r));
        tick(&r);
        assert_true(r.next_ms > now(&r));
    }
    for (size_t i = 0; i < 3; i++) {
        struct ia_cron cron;
        struct ia_zone *zone = NULL;
        struct seen s = fires(&r, zones[i] + strcspn(zones[i], "/") + 1);
        assert_rc(IA_OK, ia_cron_parse("30 2 * * *", &cron, NULL));
        assert_rc(IA_OK, ia_zone_open(zones[i], &zone, NULL));
        assert_int_equal(s.n, 365);
        assert_int_equal(s.runs, 365);
        int64_t at = START_MS;
        for (int k = s.n - 1; k >= 0; k--) { /* listed newest first */
            at = ia_cron_next(&cron, zone, at);
            assert_true(s.at[k] == at);
        }
        ia_zone_free(zone);
    }
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM runs"), 3 * 365);
    assert_int_equal(sql_int(&r, "SELECT count(DISTINCT schedule) FROM runs"), 3);
    close_rig(&r);
}

static void a_fire_is_a_queued_run_of_the_schedules_goal(void **state)
{
    struct rig r;
    open_rig(&r, state);
    add(&r, &hourly);
    tick(&r);
    assert_int_equal(r.told, 0);
    assert_true(r.next_ms == START_MS + HOUR);
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(r.told, 1);
    assert_true(r.next_ms == START_MS + 2 * HOUR);
    tick(&r);
    assert_int_equal(r.told, 0);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM runs JOIN goals g ON g.id = goal_id "
                                 "WHERE kind = 'scheduled' AND schedule = 'hourly' AND "
                                 "lane = 'a' AND state = 'queued' AND g.text = 'g'"),
                     1);
    close_rig(&r);
}

static void intervals_stay_on_the_grid_of_when_they_were_added(void **state)
{
    struct rig r;
    struct ia_schedule_row row = hourly;
    row.kind = IA_SCHEDULE_EVERY;
    row.spec = "1800";
    open_at(&r, state, START_MS + 7 * MINUTE);
    add(&r, &row);
    tick(&r);
    assert_true(r.next_ms == START_MS + 37 * MINUTE);
    advance(&r, 30 * MINUTE + 20000); /* twenty seconds late */
    tick(&r);
    assert_true(r.next_ms == START_MS + 67 * MINUTE);
    advance(&r, 10 * HOUR);
    tick(&r);
    assert_int_equal((r.next_ms - START_MS - 7 * MINUTE) % (30 * MINUTE), 0);
    assert_true(r.next_ms > now(&r) && r.next_ms <= now(&r) + 30 * MINUTE);
    close_rig(&r);
}

static void a_single_time_fires_once(void **state)
{
    struct rig r;
    struct ia_schedule_row row = hourly;
    row.kind = IA_SCHEDULE_AT;
    row.spec = "2026-11-01T09:00";
    row.zone = "Europe/Zurich";
    open_rig(&r, state);
    add(&r, &row);
    advance(&r, 8 * HOUR);
    tick(&r);
    assert_int_equal(r.told, 1);
    assert_true(r.next_ms == 0);
    advance(&r, DAY);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").n, 1);
    close_rig(&r);
}

static void the_policy_decides_which_missed_fires_run(void **state)
{
    static const struct {
        enum ia_missed missed;
        int64_t grace_s, asleep_ms;
        int runs, skips;
        const char *reason;
    } rows[] = {
        {IA_MISSED_LATEST, 0, HOUR + 59000, 1, 0, ""}, /* not late */
        {IA_MISSED_LATEST, 0, HOUR + 61000, 1, 0, ""}, /* late, but the latest */
        {IA_MISSED_LATEST, 0, 5 * HOUR + 61000, 1, 1, "4 fires from"},
        {IA_MISSED_LATEST, 0, 5 * HOUR + 5000, 1, 1, "4 fires from"},
        {IA_MISSED_ALL, 0, 5 * HOUR + 61000, 5, 0, ""},
        {IA_MISSED_ALL, 0, 40 * HOUR + 61000, 24, 1,
         "16 fires from 2026-11-01T01:00Z to "
         "2026-11-01T16:00Z"},
        {IA_MISSED_SKIP, 0, 5 * HOUR + 59000, 1, 1, "4 fires"},
        {IA_MISSED_SKIP, 0, 5 * HOUR + 61000, 0, 1, "5 fires"},
        {IA_MISSED_SKIP, 600, 5 * HOUR + 599000, 1, 1, "4 fires"},
        {IA_MISSED_SKIP, 600, 5 * HOUR + 601000, 0, 1, "5 fires"},
        {IA_MISSED_SKIP, 0, HOUR + 61000, 0, 1, "missed: nothing was ticking"},
        {IA_MISSED_SKIP, 3 * 3600, 5 * HOUR + 1000, 3, 1, "2 fires"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct rig r;
        char name[16];
        struct ia_schedule_row row = hourly;
        snprintf(name, sizeof(name), "s%zu", i);
        row.name = name;
        row.missed = rows[i].missed;
        row.grace_s = rows[i].grace_s;
        open_rig(&r, state);
        add(&r, &row);
        advance(&r, rows[i].asleep_ms);
        tick(&r);
        struct seen s = fires(&r, name);
        if (s.runs != rows[i].runs || s.skips != rows[i].skips) {
            fail_msg("row %zu: %d runs, %d skipped", i, s.runs, s.skips);
        }
        assert_contains(s.reason, rows[i].reason);
        assert_true(r.next_ms > now(&r));
        tick(&r);
        assert_int_equal(fires(&r, name).n, s.n);
        struct ia_tx *tx = begin(r.store);
        ia_tx_remove_schedule(tx, name);
        commit(tx);
        close_rig(&r);
    }
}

static void a_clock_that_jumps_by_years_costs_one_row(void **state)
{
    struct rig r;
    struct ia_schedule_row row = hourly;
    row.spec = "* * * * *";
    open_rig(&r, state);
    add(&r, &row);
    advance(&r, INT64_C(3650) * DAY);
    tick(&r);
    struct seen s = fires(&r, "hourly");
    assert_int_equal(s.runs, 2); /* this minute's and the last one's are not late */
    assert_int_equal(s.skips, 1);
    assert_contains(s.reason, "more than ");
    assert_true(r.next_ms > now(&r) && r.next_ms <= now(&r) + MINUTE);
    close_rig(&r);
}

static void a_clock_that_goes_back_fires_nothing_twice(void **state)
{
    struct rig r;
    open_rig(&r, state);
    add(&r, &hourly);
    advance(&r, 2 * HOUR);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").runs, 1);
    assert_rc(IA_OK, ia_schedule_pause(r.store, "hourly", NULL, NULL));
    advance(&r, -HOUR - MINUTE);
    assert_rc(IA_OK, ia_schedule_resume(r.store, "hourly", NULL, NULL));
    advance(&r, MINUTE + HOUR); /* two o'clock comes again */
    tick(&r);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM schedule_runs WHERE "
                                 "scheduled_for = '2026-11-01T02:00:00.000Z'"),
                     1);
    assert_true(r.next_ms == START_MS + 3 * HOUR);
    close_rig(&r);
}

static void a_clock_that_was_ahead_for_one_tick_silences_nothing(void **state)
{
    struct rig r;
    open_rig(&r, state);
    add(&r, &hourly);
    advance(&r, 5 * (int64_t)DAY + MINUTE);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").runs, 1);
    advance(&r, -5 * (int64_t)DAY);
    tick(&r);
    assert_true(r.next_ms == START_MS + HOUR);
    int days_ahead = 1; /* what fired then */
    for (int hour = 1; hour < 5 * 24 + 3; hour++) {
        advance(&r, HOUR);
        tick(&r);
        assert_true(r.next_ms == START_MS + (hour + 1) * (int64_t)HOUR);
        int again = fires(&r, "hourly").runs - days_ahead;
        /* The last of the five days fired while the clock was ahead, and so did the row of what was
         * missed then: each time has one row. */
        assert_int_equal(again, hour < 5 * 24 - 1 ? hour
                                : hour > 5 * 24   ? hour - 2
                                                  : 5 * 24 - 2);
    }
    close_rig(&r);
}

/* As clocks are put right every day. */
static void a_clock_that_goes_back_a_little_changes_nothing(void **state)
{
    struct rig r;
    open_rig(&r, state);
    add(&r, &hourly);
    advance(&r, HOUR);
    tick(&r);
    advance(&r, -2000);
    tick(&r);
    assert_true(r.next_ms == START_MS + 2 * HOUR);
    assert_int_equal(fires(&r, "hourly").n, 1);
    close_rig(&r);
}

static void a_fire_during_an_unfinished_run_is_skipped_or_waits(void **state)
{
    struct rig r;
    struct ia_schedule_row skips = hourly, queues = hourly;
    skips.name = "skips";
    skips.overlap = IA_OVERLAP_SKIP;
    queues.name = "queues";
    open_rig(&r, state);
    add(&r, &skips);
    add(&r, &queues);
    for (int i = 0; i < 3; i++) {
        advance(&r, HOUR);
        tick(&r);
    }
    struct seen s = fires(&r, "skips");
    assert_int_equal(s.runs, 1);
    assert_int_equal(s.skips, 2);
    assert_contains(s.reason, "not over");
    assert_int_equal(fires(&r, "queues").runs, 3);
    finish_runs(&r);
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(fires(&r, "skips").runs, 2);
    close_rig(&r);
}

static void a_schedule_goes_on_however_its_run_ended(void **state)
{
    static const enum ia_run_state ends[] = {IA_RUN_FAILED, IA_RUN_ERROR, IA_RUN_BLOCKED,
                                             IA_RUN_CANCELLED};
    struct rig r;
    struct ia_schedule_row row = hourly;
    row.overlap = IA_OVERLAP_SKIP;
    open_rig(&r, state);
    add(&r, &row);
    for (size_t i = 0; i < IA_COUNTOF(ends); i++) {
        struct ia_claim claim = {.lane = "a"};
        struct ia_claimed got = {.why = IA_CLAIM_NONE};
        advance(&r, HOUR);
        tick(&r);
        struct ia_tx *tx = begin(r.store);
        ia_tx_claim(tx, &claim, &got);
        commit(tx);
        assert_int_equal(got.why, IA_CLAIM_RUN);
        assert_rc(IA_OK, move_run(r.store, got.run_id, IA_RUN_RUNNING, NULL));
        assert_rc(IA_OK, move_run(r.store, got.run_id, ends[i], NULL));
    }
    assert_int_equal(fires(&r, "hourly").runs, IA_COUNTOF(ends));
    close_rig(&r);
}

static void a_precheck_that_fails_is_logged_as_a_skip(void **state)
{
    static const struct {
        const char *command;
        bool runs;
        const char *reason;
    } rows[] = {
        {"true", true, ""},
        {"exit 3", false, "--if: exit status 3"},
        {"echo no build >&2; exit 1", false, "exit status 1: no build"},
        {"kill -9 $$", false, "signal 9"},
        {"/no/such/program", false, "exit status 127"},
        {"head -c 300000 /dev/zero; exit 2", false, "exit status 2"},
    };
    struct rig r;
    open_rig(&r, state);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_schedule_row row = hourly;
        char name[16];
        snprintf(name, sizeof(name), "p%zu", i);
        row.name = name;
        row.precheck = rows[i].command;
        add(&r, &row);
    }
    advance(&r, HOUR);
    tick(&r);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%zu", i);
        struct seen s = fires(&r, name);
        assert_int_equal(s.n, 1);
        assert_int_equal(s.runs, rows[i].runs);
        assert_contains(s.reason, rows[i].reason);
    }
    close_rig(&r);
}

struct stopper {
    char fifo[120];
    struct ia_cancel *cancel;
};

/* Fires the token once the precheck runs. */
static void *stop_when_it_runs(void *ctx)
{
    struct stopper *s = ctx;
    int fd = open(s->fifo, O_RDONLY);
    ia_cancel_fire(s->cancel);
    close(fd);
    return NULL;
}

static void a_stopped_precheck_leaves_the_fire_for_the_next_tick(void **state)
{
    struct rig r;
    struct ia_err err = {0};
    struct stopper stopper;
    char command[200];
    pthread_t thread;
    open_rig(&r, state);
    snprintf(stopper.fifo, sizeof(stopper.fifo), "%s/fifo", r.home->dir);
    snprintf(command, sizeof(command), "echo > %s; exec sleep 100", stopper.fifo);
    assert_int_equal(mkfifo(stopper.fifo, 0600), 0);
    struct ia_schedule_row row = hourly;
    row.precheck = command;
    add(&r, &row);
    advance(&r, HOUR);
    stopper.cancel = r.cancel = ia_cancel_new(NULL);
    assert_int_equal(pthread_create(&thread, NULL, stop_when_it_runs, &stopper), 0);
    assert_rc(IA_E_CANCELLED, try_tick(&r, &err));
    pthread_join(thread, NULL);
    assert_int_equal(fires(&r, "hourly").n, 0);
    r.cancel = NULL;
    ia_cancel_free(stopper.cancel);
    raw_sql(r.home->db, "UPDATE schedules SET precheck = NULL");
    tick(&r);
    assert_int_equal(fires(&r, "hourly").runs, 1);
    close_rig(&r);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_year_of_fires_in_three_zones_is_a_run_each),
        T(a_fire_is_a_queued_run_of_the_schedules_goal),
        T(intervals_stay_on_the_grid_of_when_they_were_added),
        T(a_single_time_fires_once),
        T(the_policy_decides_which_missed_fires_run),
        T(a_clock_that_jumps_by_years_costs_one_row),
        T(a_clock_that_goes_back_fires_nothing_twice),
        T(a_clock_that_was_ahead_for_one_tick_silences_nothing),
        T(a_clock_that_goes_back_a_little_changes_nothing),
        T(a_fire_during_an_unfinished_run_is_skipped_or_waits),
        T(a_schedule_goes_on_however_its_run_ended),
        T(a_precheck_that_fails_is_logged_as_a_skip),
        T(a_stopped_precheck_leaves_the_fire_for_the_next_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
