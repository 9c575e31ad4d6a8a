/* Pausing, editing, removing and running now, and schedules that cannot be used. */
#include "schedule_rig.h"

#include "store/queue.h"

#include <unistd.h>

static void fires_missed_during_a_pause_are_not_made_up_for(void **state)
{
    struct rig r;
    int cancelled = -1;
    int64_t next_ms = 0;
    struct ia_schedule_row row = hourly;
    row.missed = IA_MISSED_ALL;
    open_rig(&r, state);
    add(&r, &row);
    advance(&r, 2 * HOUR);
    tick(&r);
    assert_rc(IA_OK, ia_schedule_pause(r.store, "hourly", &cancelled, NULL));
    assert_int_equal(cancelled, 2);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM runs WHERE state = 'cancelled' AND "
                                 "summary = 'its schedule was paused'"),
                     2);
    advance(&r, 5 * HOUR + MINUTE);
    tick(&r);
    assert_int_equal(r.told, 0);
    assert_true(r.next_ms == 0);
    assert_rc(IA_OK, ia_schedule_resume(r.store, "hourly", &next_ms, NULL));
    assert_true(next_ms == START_MS + 8 * HOUR);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").n, 2);
    assert_rc(IA_E_STATE, ia_schedule_resume(r.store, "hourly", NULL, NULL));
    close_rig(&r);
}

static void a_pause_does_not_cancel_a_run_that_has_started(void **state)
{
    struct rig r;
    int cancelled = -1;
    struct ia_claim claim = {.lane = "a"};
    struct ia_claimed got = {.why = IA_CLAIM_NONE};
    open_rig(&r, state);
    add(&r, &hourly);
    advance(&r, 2 * HOUR);
    tick(&r);
    struct ia_tx *tx = begin(r.store);
    ia_tx_claim(tx, &claim, &got);
    commit(tx);
    assert_rc(IA_OK, move_run(r.store, got.run_id, IA_RUN_RUNNING, NULL));
    assert_rc(IA_OK, ia_schedule_pause(r.store, "hourly", &cancelled, NULL));
    assert_int_equal(cancelled, 0);
    assert_rc(IA_OK, move_run(r.store, got.run_id, IA_RUN_QUEUED, NULL)); /* interrupted */
    assert_rc(IA_OK, ia_schedule_remove(r.store, "hourly", &cancelled, NULL));
    assert_int_equal(cancelled, 0);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM runs WHERE state = 'queued'"), 1);
    close_rig(&r);
}

static void a_single_time_that_passed_during_a_pause_cannot_be_resumed(void **state)
{
    struct rig r;
    struct ia_err err = {0};
    struct ia_schedule_row row = hourly;
    row.kind = IA_SCHEDULE_AT;
    row.spec = "2026-11-01T09:00";
    open_rig(&r, state);
    add(&r, &row);
    assert_rc(IA_OK, ia_schedule_pause(r.store, "hourly", NULL, NULL));
    advance(&r, DAY);
    assert_rc(IA_E_USAGE, ia_schedule_resume(r.store, "hourly", NULL, &err));
    assert_contains(err.msg, "is in the past");
    close_rig(&r);
}

static void only_an_edit_of_the_time_moves_the_next_fire(void **state)
{
    struct rig r;
    int64_t next_ms = 0;
    struct ia_schedule_row *row = NULL;
    open_rig(&r, state);
    add(&r, &hourly);
    advance(&r, HOUR + 1000);
    assert_rc(IA_OK, ia_schedule_find(r.store, "hourly", &row, NULL));
    struct ia_schedule_row edited = *row;
    edited.run = "{\"goal\":\"other\",\"model\":\"m\"}";
    assert_rc(IA_OK, ia_schedule_edit(r.store, &edited, false, &next_ms, NULL));
    assert_true(next_ms == START_MS + HOUR); /* still due: an edit swallows no fire */
    tick(&r);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM goals WHERE text = 'other'"), 1);
    ia_schedule_row_free(row);
    assert_rc(IA_OK, ia_schedule_find(r.store, "hourly", &row, NULL));
    edited = *row;
    edited.spec = "30 5 * * *";
    assert_rc(IA_OK, ia_schedule_edit(r.store, &edited, true, &next_ms, NULL));
    assert_true(next_ms == START_MS + 5 * HOUR + 30 * MINUTE);
    edited.spec = "61 * * * *";
    assert_rc(IA_E_USAGE, ia_schedule_edit(r.store, &edited, true, NULL, NULL));
    ia_schedule_row_free(row);
    close_rig(&r);
}

/* At the fire of the first schedule another process edits the second, which is due as well. */
static void edit_the_second(void *ctx, const struct ia_fired *fired)
{
    struct rig *r = ctx;
    struct ia_schedule_row *row = NULL;
    if (strcmp(fired->schedule, "first") == 0) {
        advance(r, 1);
        assert_rc(IA_OK, ia_schedule_find(r->store, "second", &row, NULL));
        struct ia_schedule_row edited = *row;
        edited.run = "{\"goal\":\"edited\",\"model\":\"m\"}";
        assert_rc(IA_OK, ia_schedule_edit(r->store, &edited, false, NULL, NULL));
        ia_schedule_row_free(row);
    }
}

static void a_schedule_edited_during_a_tick_fires_only_as_edited(void **state)
{
    struct rig r;
    struct ia_schedule_row first = hourly, second = hourly;
    first.name = "first";
    first.spec = "59 * * * *";
    second.name = "second";
    open_rig(&r, state);
    add(&r, &first);
    add(&r, &second);
    advance(&r, HOUR);
    struct ia_tick_env env = {.store = r.store,
                              .clock = ia_vclock_clock(r.vc),
                              .on_fire = edit_the_second,
                              .ctx = &r};
    assert_rc(IA_OK, ia_schedule_tick(&env, &r.next_ms, NULL));
    assert_int_equal(fires(&r, "second").n, 0);
    assert_true(r.next_ms <= now(&r) + 1000); /* soon again */
    tick(&r);
    assert_int_equal(fires(&r, "second").runs, 1);
    assert_int_equal(sql_int(&r,
                             "SELECT count(*) FROM runs JOIN goals ON goals.id = runs.goal_id "
                             "WHERE schedule = 'second' AND text = 'edited'"),
                     1);
    close_rig(&r);
}

static void an_edit_does_not_undo_a_pause(void **state)
{
    struct rig r;
    struct ia_schedule_row *row = NULL;
    open_rig(&r, state);
    add(&r, &hourly);
    assert_rc(IA_OK, ia_schedule_find(r.store, "hourly", &row, NULL));
    advance(&r, 1);
    assert_rc(IA_OK, ia_schedule_pause(r.store, "hourly", NULL, NULL));
    assert_rc(IA_E_STATE, ia_schedule_edit(r.store, row, false, NULL, NULL));
    assert_int_equal(sql_int(&r, "SELECT paused FROM schedules"), 1);
    ia_schedule_row_free(row);
    close_rig(&r);
}

static void run_now_is_in_addition_to_the_fires(void **state)
{
    struct rig r;
    char id[IA_ID_SIZE], second[IA_ID_SIZE];
    struct ia_err err = {0};
    struct ia_schedule_row row = hourly;
    row.overlap = IA_OVERLAP_SKIP;
    open_rig(&r, state);
    add(&r, &row);
    assert_rc(IA_OK, ia_schedule_pause(r.store, "hourly", NULL, NULL));
    assert_rc(IA_OK, ia_schedule_run_now(r.store, "hourly", id, NULL));
    assert_rc(IA_E_BUSY, ia_schedule_run_now(r.store, "hourly", second, &err));
    finish_runs(&r);
    assert_rc(IA_OK, ia_schedule_run_now(r.store, "hourly", second, NULL));
    assert_int_equal(fires(&r, "hourly").runs, 2); /* in the same millisecond */
    assert_rc(IA_E_NOT_FOUND, ia_schedule_run_now(r.store, "hourlx", second, &err));
    assert_contains(err.hint, "did you mean hourly?");
    close_rig(&r);
}

static void a_bad_schedule_is_refused(void **state)
{
    static const struct {
        const char *what;
        size_t at;
        const char *text; /* NULL: number is put there */
        enum ia_rc rc;
        const char *says;
        unsigned number;
    } rows[] = {
        {"cron", offsetof(struct ia_schedule_row, spec), "0 25 * * *", IA_E_USAGE, "^", 0},
        {"never", offsetof(struct ia_schedule_row, spec), "0 0 30 2 *", IA_E_USAGE, "", 0},
        {"zone", offsetof(struct ia_schedule_row, zone), "Mars/Olympus", IA_E_USAGE, "Mars", 0},
        {"name", offsetof(struct ia_schedule_row, name), "a b", IA_E_USAGE, "a b", 0},
        {"name", offsetof(struct ia_schedule_row, name), "", IA_E_USAGE, "name", 0},
        {"missed", offsetof(struct ia_schedule_row, missed), NULL, IA_E_USAGE, "missed",
         IA_MISSED_COUNT},
        {"overlap", offsetof(struct ia_schedule_row, overlap), NULL, IA_E_USAGE, "overlap",
         IA_OVERLAP_COUNT},
        {"kind", offsetof(struct ia_schedule_row, kind), NULL, IA_E_PARSE, "kind",
         IA_SCHEDULE_KIND_COUNT},
        {"interval", offsetof(struct ia_schedule_row, kind), NULL, IA_E_PARSE, "interval",
         IA_SCHEDULE_EVERY},
        {"job", offsetof(struct ia_schedule_row, run), "{\"goals\":1}", IA_E_PARSE, "goals", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_schedule_row row = hourly;
        struct ia_err err = {0};
        int64_t next_ms = 0;
        if (rows[i].text) {
            memcpy((char *)&row + rows[i].at, &rows[i].text, sizeof(rows[i].text));
        } else {
            memcpy((char *)&row + rows[i].at, &rows[i].number, sizeof(rows[i].number));
        }
        enum ia_rc rc = ia_schedule_check(&row, START_MS, &next_ms, &err);
        if (rc != rows[i].rc) {
            fail_msg("%s: %s %s", rows[i].what, ia_rc_name(rc), err.msg);
        }
        assert_contains(err.msg, rows[i].says);
    }
    (void)state;
}

static void an_unusable_schedule_is_retired_and_the_others_go_on(void **state)
{
    struct rig r;
    struct ia_schedule_row *row = NULL;
    struct ia_schedule_row other = hourly;
    other.name = "other";
    open_rig(&r, state);
    add(&r, &hourly);
    add(&r, &other);
    raw_sql(r.home->db, "UPDATE schedules SET zone = 'Gone/Away' WHERE name = 'hourly'");
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(r.told, 2);
    assert_int_equal(r.retired, 1);
    assert_int_equal(fires(&r, "other").runs, 1);
    assert_rc(IA_OK, ia_schedule_find(r.store, "hourly", &row, NULL));
    assert_contains(row->problem, "Gone/Away");
    ia_schedule_row_free(row);
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(r.told, 1); /* said once */
    raw_sql(r.home->db, "UPDATE schedules SET zone = 'UTC' WHERE name = 'hourly'");
    assert_rc(IA_OK, ia_schedule_resume(r.store, "hourly", NULL, NULL));
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").runs, 1);
    close_rig(&r);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(fires_missed_during_a_pause_are_not_made_up_for),
        T(a_pause_does_not_cancel_a_run_that_has_started),
        T(a_single_time_that_passed_during_a_pause_cannot_be_resumed),
        T(only_an_edit_of_the_time_moves_the_next_fire),
        T(a_schedule_edited_during_a_tick_fires_only_as_edited),
        T(an_edit_does_not_undo_a_pause),
        T(run_now_is_in_addition_to_the_fires),
        T(a_bad_schedule_is_refused),
        T(an_unusable_schedule_is_retired_and_the_others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
