/* A schedule, its fires and their runs: one row for each fire, whoever ticks. */
#include "child.h"
#include "home.h"

#include "store/queue.h"
#include "store/schedules.h"

static const struct ia_schedule_row nightly = {.name = "nightly",
                                               .kind = IA_SCHEDULE_CRON,
                                               .spec = "0 3 * * 1-5",
                                               .zone = "Europe/Zurich",
                                               .missed = IA_MISSED_LATEST,
                                               .overlap = IA_OVERLAP_SKIP,
                                               .run = "{\"goal\":\"g\"}",
                                               .lane = "a",
                                               .next_ms = 2000};

static void add_schedule(struct ia_store *s, const char *name, int64_t next_ms)
{
    struct ia_schedule_row row = nightly;
    row.name = name;
    row.next_ms = next_ms;
    struct ia_tx *tx = begin(s);
    ia_tx_add_schedule(tx, &row);
    commit(tx);
}

struct seen {
    int n;
    char names[200];
    struct ia_schedule_row last; /* its texts are not kept */
    bool has_problem, has_verdict;
};

static bool see(void *ctx, const struct ia_schedule_row *row)
{
    struct seen *seen = ctx;
    size_t n = strlen(seen->names);
    snprintf(seen->names + n, sizeof(seen->names) - n, "%s ", row->name);
    seen->n++;
    seen->last = *row;
    seen->has_problem = row->problem != NULL;
    seen->has_verdict = row->last_verdict != NULL;
    return true;
}

static void a_schedule_is_kept_as_it_was_given(void **state)
{
    struct ia_store *s = home_open(*state);
    struct seen seen = {0};
    add_schedule(s, "nightly", 2000);
    assert_rc(IA_OK, ia_store_schedules(s, NULL, see, &seen, NULL));
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.next_ms, 2000);
    assert_true(seen.last.anchor_ms > 0 && seen.last.anchor_ms == seen.last.created_ms);
    assert_false(seen.last.paused || seen.has_problem || seen.has_verdict);
    struct ia_err err;
    struct ia_tx *tx = begin(s);
    ia_tx_add_schedule(tx, &nightly);
    assert_rc(IA_E_EXISTS, ia_tx_commit(tx, &err));
    assert_contains(err.msg, "nightly");
    assert_rc(IA_E_NOT_FOUND, ia_store_schedules(s, "daily", see, &seen, &err));
    assert_contains(err.msg, "daily");
    ia_store_close(s);
}

static void an_empty_or_too_long_name_or_an_unknown_policy_is_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    char long_name[IA_SCHEDULE_NAME_MAX + 2];
    memset(long_name, 'n', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    struct ia_schedule_row rows[] = {nightly, nightly, nightly, nightly, nightly};
    rows[0].name = "";
    rows[1].name = long_name;
    rows[2].kind = IA_SCHEDULE_KIND_COUNT;
    rows[3].missed = IA_MISSED_COUNT;
    rows[4].overlap = IA_OVERLAP_COUNT;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_add_schedule(tx, &rows[i]);
        assert_rc(i < 2 ? IA_E_USAGE : IA_E_DB, ia_tx_commit(tx, NULL));
    }
    ia_store_close(s);
}

static void editing_keeps_the_anchor_and_the_verdict(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct ia_schedule_row edited = nightly;
    struct seen seen = {0};
    add_schedule(s, "nightly", 2000);
    raw_sql(h->db, "UPDATE schedules SET anchor_at = '2001-01-01T00:00:00.000Z', "
                   "created_at = '2001-01-01T00:00:00.000Z'");
    edited.spec = "1800";
    edited.kind = IA_SCHEDULE_EVERY;
    edited.next_ms = 3000;
    edited.anchor_ms = 1;
    assert_rc(IA_OK, ia_store_schedules(s, "nightly", see, &seen, NULL));
    edited.updated_ms = seen.last.updated_ms;
    struct ia_tx *tx = begin(s);
    ia_tx_schedule_verdict(tx, "nightly", "passed");
    ia_tx_put_schedule(tx, &edited);
    commit(tx);
    assert_rc(IA_OK, ia_store_schedules(s, "nightly", see, &seen, NULL));
    assert_true(seen.has_verdict);
    assert_int_equal(seen.last.next_ms, 3000);
    assert_true(seen.last.anchor_ms == 978307200000);
    assert_true(seen.last.updated_ms > seen.last.anchor_ms);
    edited.name = "daily";
    tx = begin(s);
    ia_tx_put_schedule(tx, &edited);
    assert_rc(IA_E_STATE, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

static void what_is_due_is_neither_paused_nor_retired_and_comes_earliest_first(void **state)
{
    struct ia_store *s = home_open(*state);
    static const struct {
        const char *name;
        int64_t next_ms;
    } rows[] = {{"second", 2000}, {"first", 1000}, {"later", 5000}, {"never", 0},
                {"paused", 1500}, {"sick", 1600},  {"last", 9000}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        add_schedule(s, rows[i].name, rows[i].next_ms);
    }
    struct ia_tx *tx = begin(s);
    ia_tx_pause_schedule(tx, "paused", true, 1500);
    ia_tx_schedule_problem(tx, "sick", "its time zone is gone");
    commit(tx);
    struct seen seen = {0};
    int64_t next_ms = -1;
    assert_rc(IA_OK, ia_store_due(s, 2000, see, &seen, &next_ms, NULL));
    assert_string_equal(seen.names, "first second ");
    assert_int_equal(next_ms, 5000);
    tx = begin(s);
    ia_tx_schedule_problem(tx, "sick", NULL);
    ia_tx_pause_schedule(tx, "paused", false, 20000);
    commit(tx);
    memset(&seen, 0, sizeof(seen));
    assert_rc(IA_OK, ia_store_due(s, 19000, see, &seen, &next_ms, NULL));
    assert_string_equal(seen.names, "first sick second later last ");
    assert_int_equal(next_ms, 20000);
    assert_rc(IA_OK, ia_store_due(s, 20000, see, &seen, &next_ms, NULL));
    assert_int_equal(next_ms, 0);
    ia_store_close(s);
}

/* ---- fires ------------------------------------------------------------------------------- */

/* One fire with its run. True when it was new and is committed. */
static bool fire(struct ia_store *s, const char *name, int64_t at_ms, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {
        .goal = "g", .model = "m", .lane = "a", .kind = IA_RUN_SCHEDULED};
    struct ia_tx *tx = NULL;
    bool is_new = false;
    if (ia_tx_begin(s, &tx, NULL) != IA_OK) {
        return false;
    }
    ia_tx_add_run(tx, &run, id);
    ia_tx_add_fire(tx, name, at_ms, id, NULL, &is_new);
    ia_tx_schedule_next(tx, name, at_ms + 1000);
    if (!is_new) {
        ia_tx_rollback(tx);
        return false;
    }
    return ia_tx_commit(tx, NULL) == IA_OK;
}

struct fires {
    char text[400];
};

static bool see_fire(void *ctx, const struct ia_fire_row *f)
{
    struct fires *fires = ctx;
    size_t n = strlen(fires->text);
    snprintf(fires->text + n, sizeof(fires->text) - n, "%d:%s:%s:%s ", (int)f->scheduled_ms,
             f->run_id ? "run" : "skipped",
             f->run_state != IA_RUN_STATE_COUNT ? ia_run_state_name(f->run_state) : "-",
             f->reason ? f->reason : "-");
    assert_int_equal(f->run_id != NULL, f->run_state != IA_RUN_STATE_COUNT);
    assert_true(f->fired_ms > 0);
    return true;
}

static void a_fire_has_one_row_and_its_run_names_its_schedule(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE] = "", again[IA_ID_SIZE] = "";
    struct ia_run_row *row = NULL;
    bool is_new = false;
    add_schedule(s, "nightly", 2000);
    assert_true(fire(s, "nightly", 2000, id));
    assert_false(fire(s, "nightly", 2000, again));
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs"), 1);
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_string_equal(row->schedule, "nightly");
    assert_int_equal(row->kind, IA_RUN_SCHEDULED);
    ia_run_row_free(row);
    struct ia_tx *tx = begin(s);
    ia_tx_add_fire(tx, "nightly", 3000, NULL, "still running", &is_new);
    commit(tx);
    assert_true(is_new);
    struct fires fires = {""};
    assert_rc(IA_OK, ia_store_fires(s, "nightly", 0, see_fire, &fires, NULL));
    assert_string_equal(fires.text, "3000:skipped:-:still running 2000:run:queued:- ");
    memset(&fires, 0, sizeof(fires));
    assert_rc(IA_OK, ia_store_fires(s, "nightly", 1, see_fire, &fires, NULL));
    assert_string_equal(fires.text, "3000:skipped:-:still running ");
    tx = begin(s);
    ia_tx_add_fire(tx, "weekly", 3000, NULL, "x", &is_new);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

static void a_schedule_is_busy_while_a_run_of_it_is_not_over(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    bool busy = true;
    add_schedule(s, "nightly", 2000);
    assert_rc(IA_OK, ia_store_schedule_busy(s, "nightly", &busy, NULL));
    assert_false(busy);
    assert_true(fire(s, "nightly", 2000, id));
    assert_rc(IA_OK, ia_store_schedule_busy(s, "nightly", &busy, NULL));
    assert_true(busy);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_CLAIMED, NULL));
    busy = false;
    struct ia_tx *tx = begin(s);
    ia_tx_schedule_busy(tx, "nightly", &busy);
    commit(tx);
    assert_true(busy);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_CANCELLED, NULL));
    assert_rc(IA_OK, ia_store_schedule_busy(s, "nightly", &busy, NULL));
    assert_false(busy);
    ia_store_close(s);
}

static void removing_a_schedule_keeps_its_runs(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE];
    struct ia_run_row *row = NULL;
    add_schedule(s, "nightly", 2000);
    assert_true(fire(s, "nightly", 2000, id));
    struct ia_tx *tx = begin(s);
    ia_tx_remove_schedule(tx, "nightly");
    commit(tx);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM schedule_runs"), 0);
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->state, IA_RUN_QUEUED);
    assert_string_equal(row->schedule, "nightly");
    ia_run_row_free(row);
    add_schedule(s, "nightly", 2000);
    assert_true(fire(s, "nightly", 2000, id));
    tx = begin(s);
    ia_tx_remove_schedule(tx, "weekly");
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

enum { TICKERS = 3, FIRES = 30 };

static int tick_in_process(void *ctx, int in, int out)
{
    struct ia_store *s = home_open_as(ctx, NULL, 20000);
    char id[IA_ID_SIZE];
    (void)hear(in);
    for (int i = 1; i <= FIRES; i++) {
        (void)fire(s, "nightly", i * 1000, id);
    }
    ia_store_close(s);
    (void)out;
    return 0;
}

static void processes_that_tick_at_once_fire_each_time_once(void **state)
{
    struct home *h = *state;
    struct child c[TICKERS];
    for (int i = 0; i < TICKERS; i++) {
        c[i] = child_start(tick_in_process, h);
    }
    struct ia_store *s = home_open_as(h, NULL, 20000);
    add_schedule(s, "nightly", 1000);
    for (int i = 0; i < TICKERS; i++) {
        child_go(&c[i]);
    }
    for (int i = 0; i < TICKERS; i++) {
        assert_int_equal(child_wait(&c[i]), 0);
    }
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM schedule_runs"), FIRES);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs"), FIRES);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(processes_that_tick_at_once_fire_each_time_once),
        T(a_schedule_is_kept_as_it_was_given),
        T(an_empty_or_too_long_name_or_an_unknown_policy_is_refused),
        T(editing_keeps_the_anchor_and_the_verdict),
        T(what_is_due_is_neither_paused_nor_retired_and_comes_earliest_first),
        T(a_fire_has_one_row_and_its_run_names_its_schedule),
        T(a_schedule_is_busy_while_a_run_of_it_is_not_over),
        T(removing_a_schedule_keeps_its_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
