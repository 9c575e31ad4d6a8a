/* Which run a lane gets: order, pools, keys, retries, and the list of what waits. */
#include "claims.h"

enum { START_MS = 1790000000, HOUR_MS = 3600000 };

/* A store on a wall clock that the test sets. */
struct world {
    int64_t now_ms;
    struct ia_clock clock;
    struct ia_store *s;
};

static int64_t world_mono(void *ctx)
{
    (void)ctx;
    return ia_mono_us(ia_clock_system());
}

static int64_t world_wall(void *ctx)
{
    return ((struct world *)ctx)->now_ms;
}

static void world_open(struct world *w, const struct home *h)
{
    w->now_ms = (int64_t)START_MS * 1000;
    w->clock = (struct ia_clock){.mono_us = world_mono, .wall_ms = world_wall, .ctx = w};
    struct ia_store_opts opts = {.home = h->dir, .clock = &w->clock};
    assert_rc(IA_OK, ia_store_open(&opts, &w->s, NULL));
}

static void finish(struct ia_store *s, const char *id)
{
    assert_rc(IA_OK, move_run(s, id, IA_RUN_RUNNING, NULL));
    assert_rc(IA_OK, move_run(s, id, IA_RUN_PASSED, NULL));
}

static void retry_later(struct world *w, const char *id, int64_t delay_ms)
{
    const struct ia_run_moved moved = {.retry_at_ms = w->now_ms + delay_ms,
                                       .code = "API_OVERLOADED"};
    struct ia_tx *tx = begin(w->s);
    ia_run_move(tx, id, IA_RUN_RETRY_WAIT, &moved, NULL);
    commit(tx);
}

static void an_empty_queue_gives_nothing(void **state)
{
    struct ia_store *s = home_open(*state);
    assert_int_equal(claim(s, "a").why, IA_CLAIM_NONE);
    ia_store_close(s);
}

static void a_lane_gets_its_own_runs_oldest_first_and_one_at_a_time(void **state)
{
    struct ia_store *s = home_open(*state);
    char ids[3][IA_ID_SIZE], other[IA_ID_SIZE];
    add(s, "b", IA_RUN_GOAL, other);
    for (int i = 0; i < 3; i++) {
        add(s, "a", i == 1 ? IA_RUN_FOLLOW_UP : IA_RUN_GOAL, ids[i]);
    }
    for (int i = 0; i < 3; i++) {
        assert_claimed(ids[i], claim(s, "a"));
        assert_int_equal(claim(s, "a").why, IA_CLAIM_BUSY);
        assert_rc(IA_OK, move_run(s, ids[i], IA_RUN_RUNNING, NULL));
        assert_int_equal(claim(s, "a").why, IA_CLAIM_BUSY);
        assert_rc(IA_OK, move_run(s, ids[i], IA_RUN_FAILED, NULL));
    }
    assert_int_equal(claim(s, "a").why, IA_CLAIM_NONE);
    assert_claimed(other, claim(s, "b"));
    ia_store_close(s);
}

static void scheduled_runs_go_first_but_the_others_get_their_turn(void **state)
{
    struct ia_store *s = home_open(*state);
    char goals[2][IA_ID_SIZE], fires[5][IA_ID_SIZE], order[8] = "";
    for (int i = 0; i < 2; i++) {
        add(s, "a", i ? IA_RUN_FOLLOW_UP : IA_RUN_GOAL, goals[i]);
    }
    for (int i = 0; i < 5; i++) {
        add(s, "a", IA_RUN_SCHEDULED, fires[i]);
    }
    for (int i = 0, streak = 0; i < 7; i++) {
        struct ia_claimed got = claim_streak(s, "a", NULL, streak);
        assert_int_equal(got.why, IA_CLAIM_RUN);
        streak = got.scheduled ? streak + 1 : 0;
        order[i] = got.scheduled ? 's' : 'g';
        finish(s, got.run_id);
    }
    assert_string_equal(order, "sssgssg");
    ia_store_close(s);
}

static void expect_lane(struct ia_store *s, const char *id, const char *lane)
{
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_string_equal(row->lane, lane);
    ia_run_row_free(row);
}

static void any_lane_of_a_pool_takes_its_runs(void **state)
{
    struct ia_store *s = home_open(*state);
    char ids[3][IA_ID_SIZE], own[IA_ID_SIZE];
    for (int i = 0; i < 3; i++) {
        add(s, "sweep:x", IA_RUN_GOAL, ids[i]);
    }
    add(s, "b", IA_RUN_GOAL, own);
    assert_int_equal(claim(s, "a").why, IA_CLAIM_NONE);
    assert_claimed(ids[0], claim_streak(s, "a", "sweep:x", 0));
    assert_claimed(ids[1], claim_streak(s, "b", "sweep:x", 0));
    expect_lane(s, ids[1], "b");
    finish(s, ids[0]);
    finish(s, ids[1]);
    assert_claimed(ids[2], claim_streak(s, "b", "sweep:x", 0));
    finish(s, ids[2]);
    assert_claimed(own, claim_streak(s, "b", "sweep:x", 0));
    ia_store_close(s);
}

static void a_run_of_a_pool_is_bound_to_its_lane_once_it_has_a_transcript(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE], younger[IA_ID_SIZE];
    struct ia_message_row message = {.role = "user", .content = ia_str("[{}]")};
    add(s, "sweep:x", IA_RUN_GOAL, id);
    add(s, "sweep:x", IA_RUN_GOAL, younger);
    assert_claimed(id, claim_streak(s, "a", "sweep:x", 0));
    assert_rc(IA_OK, move_run(s, id, IA_RUN_QUEUED, NULL));
    expect_lane(s, id, "sweep:x");
    assert_claimed(id, claim_streak(s, "b", "sweep:x", 0));
    assert_rc(IA_OK, move_run(s, id, IA_RUN_RUNNING, NULL));
    struct ia_tx *tx = begin(s);
    ia_tx_add_message(tx, id, &message, NULL);
    commit(tx);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_QUEUED, NULL));
    expect_lane(s, id, "b");
    assert_claimed(younger, claim_streak(s, "a", "sweep:x", 0));
    assert_claimed(id, claim_streak(s, "b", "sweep:x", 0));
    ia_store_close(s);
}

static void
an_interrupted_run_comes_before_what_is_older_and_says_that_it_has_begun(void **state)
{
    struct ia_store *s = home_open(*state);
    char fire[IA_ID_SIZE], cut[IA_ID_SIZE];
    struct ia_message_row message = {.role = "user", .content = ia_str("[{}]")};
    add(s, "a", IA_RUN_SCHEDULED, fire);
    add(s, "a", IA_RUN_GOAL, cut);
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, cut, IA_RUN_CLAIMED, NULL, NULL);
    ia_run_move(tx, cut, IA_RUN_RUNNING, NULL, NULL);
    ia_tx_add_message(tx, cut, &message, NULL);
    ia_run_move(tx, cut, IA_RUN_QUEUED, NULL, NULL);
    commit(tx);
    struct ia_claimed got = claim(s, "a");
    assert_claimed(cut, got);
    assert_true(got.begun);
    finish(s, cut);
    got = claim(s, "a");
    assert_claimed(fire, got);
    assert_false(got.begun);
    ia_store_close(s);
}

static void a_claim_is_an_event_and_makes_this_process_the_owner(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE];
    struct ia_run_row *row = NULL;
    add(s, "embedded:\"x\"", IA_RUN_GOAL, id);
    assert_claimed(id, claim(s, "embedded:\"x\""));
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->state, IA_RUN_CLAIMED);
    assert_int_equal(row->owner_pid, getpid());
    assert_true(ia_run_owner_alive(row));
    ia_run_row_free(row);
    ia_store_close(s);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM events WHERE type = 'run.claimed' "
                                    "AND json ->> 'lane' = 'embedded:\"x\"' "
                                    "AND json ->> 'attempt' = 1"),
                     1);
}

static void expect_deadline(struct ia_store *s, const char *id, int64_t deadline_ms)
{
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_true(row->tool_deadline_ms == deadline_ms);
    ia_run_row_free(row);
}

static void set_deadline(struct ia_store *s, const char *id, int64_t deadline_ms)
{
    struct ia_tx *tx = begin(s);
    ia_tx_run_now(tx, id,
                  &(struct ia_run_now){.sets_deadline = true, .tool_deadline_ms = deadline_ms},
                  NULL);
    commit(tx);
    expect_deadline(s, id, deadline_ms);
}

static void a_run_has_its_tools_deadline_until_it_is_given_back(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "a", id);
    expect_deadline(s, id, 0);
    set_deadline(s, id, 1790000000123);
    set_deadline(s, id, 0);
    set_deadline(s, id, 1790000000456);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_QUEUED, NULL));
    expect_deadline(s, id, 0);
    struct ia_tx *tx = begin(s);
    ia_tx_run_now(tx, "nobody",
                  &(struct ia_run_now){.sets_deadline = true, .tool_deadline_ms = 1}, NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

static void a_key_is_refused_while_a_run_with_it_is_not_over(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = "a", .unique = "nightly"};
    char first[IA_ID_SIZE], second[IA_ID_SIZE];
    struct ia_err err;
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, first);
    commit(tx);
    for (int claimed = 0; claimed < 2; claimed++) {
        tx = begin(s);
        ia_tx_add_run(tx, &run, second);
        assert_rc(IA_E_EXISTS, ia_tx_commit(tx, &err));
        assert_contains(err.msg, first);
        assert_int_equal(claim(s, "a").why, claimed ? IA_CLAIM_BUSY : IA_CLAIM_RUN);
    }
    finish(s, first);
    tx = begin(s);
    ia_tx_add_run(tx, &run, second);
    commit(tx);
    ia_store_close(s);
    char *why = raw_sql_error(h->db, "UPDATE runs SET state = 'queued'");
    assert_contains(why, "runs.unique_key");
    free(why);
}

static void a_retry_gates_its_lane_until_it_is_due_and_then_goes_first(void **state)
{
    struct world w;
    char id[IA_ID_SIZE], fire[IA_ID_SIZE];
    world_open(&w, *state);
    add(w.s, "a", IA_RUN_GOAL, id);
    assert_claimed(id, claim(w.s, "a"));
    assert_rc(IA_OK, move_run(w.s, id, IA_RUN_RUNNING, NULL));
    retry_later(&w, id, 5000);
    add(w.s, "a", IA_RUN_SCHEDULED, fire);
    struct ia_claimed got = claim(w.s, "a");
    assert_int_equal(got.why, IA_CLAIM_LATER);
    assert_true(got.not_before_ms == w.now_ms + 5000);
    w.now_ms += 4999;
    assert_int_equal(claim(w.s, "a").why, IA_CLAIM_LATER);
    w.now_ms += 1;
    assert_claimed(id, claim(w.s, "a"));
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(w.s, id, &row, NULL));
    assert_int_equal(row->attempt, 2);
    ia_run_row_free(row);
    assert_int_equal(claim(w.s, "a").why, IA_CLAIM_BUSY);
    finish(w.s, id);
    assert_claimed(fire, claim(w.s, "a"));
    ia_store_close(w.s);
}

static void a_clock_that_goes_back_an_hour_does_not_make_a_retry_wait_an_hour(void **state)
{
    struct world w;
    char id[IA_ID_SIZE];
    world_open(&w, *state);
    add(w.s, "a", IA_RUN_GOAL, id);
    assert_claimed(id, claim(w.s, "a"));
    retry_later(&w, id, 20000);
    w.now_ms -= HOUR_MS;
    for (int i = 0; i < 2; i++) {
        struct ia_claimed got = claim(w.s, "a");
        assert_int_equal(got.why, IA_CLAIM_LATER);
        assert_true(got.not_before_ms == (int64_t)START_MS * 1000 - HOUR_MS + 20000);
        w.now_ms += 19999;
        w.now_ms -= i ? 0 : 19999;
    }
    w.now_ms += 1;
    assert_claimed(id, claim(w.s, "a"));
    assert_int_equal(claim(w.s, "a").why, IA_CLAIM_BUSY);
    ia_store_close(w.s);
}

static void delays_double_from_five_seconds_and_respect_the_provider(void **state)
{
    (void)state;
    static const struct {
        int retry;
        int64_t provider_ms, expected_ms;
    } cases[] = {{1, -1, 5000},   {2, 0, 10000}, {3, 0, 20000},
                 {4, 0, 40000},   {5, 0, 80000}, {1, 61000, 61000},
                 {5, 100, 80000}, {0, 0, 5000},  {1 << 30, 0, 320000}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_int_equal(ia_retry_delay_ms(cases[i].retry, cases[i].provider_ms),
                         cases[i].expected_ms);
    }
}

static void a_roll_back_forgets_an_attempt_without_effects_and_no_other(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE];
    struct ia_err err;
    bool effect = true;
    struct ia_message_row m = {.role = "assistant", .content = ia_str("[{}]")};
    struct ia_call_row look = {.tool_use_id = "t1", .name = "look", .input = ia_str("{}")};
    struct ia_call_row tap = {
        .tool_use_id = "t2", .name = "tap", .input = ia_str("{}"), .has_effect = true};
    start_run(s, "a", id);
    struct ia_tx *tx = begin(s);
    ia_tx_say(tx, id, "ann", ia_str("hello"));
    ia_tx_add_message(tx, id, &m, &look.message_seq);
    ia_tx_add_call(tx, id, &look);
    ia_tx_inbox_taken(tx, id, 1);
    ia_tx_set_run_notes(tx, id, ia_str("the door is open"));
    commit(tx);
    assert_rc(IA_OK, ia_store_had_effect(s, id, &effect, NULL));
    assert_false(effect);
    tx = begin(s);
    ia_tx_roll_back_run(tx, id);
    commit(tx);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM messages"), 0);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM tool_calls"), 0);
    assert_int_equal(raw_int(h->db, "SELECT inbox_cursor FROM runs"), 0);
    assert_int_equal(raw_int(h->db, "SELECT notes IS NULL FROM runs"), 1);
    assert_int_equal(raw_int(h->db, "SELECT json ->> 'attempt' FROM events "
                                    "WHERE type = 'run.rolled_back'"),
                     1);
    tx = begin(s);
    ia_tx_add_message(tx, id, &m, &tap.message_seq);
    ia_tx_add_call(tx, id, &tap);
    commit(tx);
    assert_rc(IA_OK, ia_store_had_effect(s, id, &effect, NULL));
    assert_true(effect);
    tx = begin(s);
    ia_tx_roll_back_run(tx, id);
    assert_rc(IA_E_STATE, ia_tx_commit(tx, &err));
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM messages"), 1);
    assert_rc(IA_E_NOT_FOUND, ia_store_had_effect(s, "nobody", &effect, NULL));
    ia_store_close(s);
}

struct lanes {
    char text[400];
    int64_t not_before_ms;
};

static bool list_lane(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    struct lanes *l = ctx;
    size_t n = strlen(l->text);
    snprintf(l->text + n, sizeof(l->text) - n, "%s=%d ", lane, (int)waiting);
    l->not_before_ms = not_before_ms ? not_before_ms : l->not_before_ms;
    return true;
}

static void waiting_lanes_are_listed_once_longest_waiting_first(void **state)
{
    struct world w;
    struct lanes l = {0};
    char id[IA_ID_SIZE], retry[IA_ID_SIZE];
    world_open(&w, *state);
    assert_rc(IA_OK, ia_store_waiting(w.s, list_lane, &l, NULL));
    assert_string_equal(l.text, "");
    add(w.s, "z", IA_RUN_FOLLOW_UP, id);
    add(w.s, "r", IA_RUN_GOAL, retry);
    for (int i = 0; i < 2; i++) {
        add(w.s, "b", IA_RUN_SCHEDULED, id);
        add(w.s, "b", IA_RUN_GOAL, id);
        add(w.s, "pool", IA_RUN_GOAL, id);
    }
    for (int i = 0; i < IA_WAITING_COUNT_MAX + 5; i++) {
        add(w.s, "many", IA_RUN_GOAL, id);
    }
    assert_claimed(retry, claim(w.s, "r"));
    retry_later(&w, retry, 7000);
    assert_rc(IA_OK, ia_store_waiting(w.s, list_lane, &l, NULL));
    assert_string_equal(l.text, "z=1 r=1 b=4 pool=2 many=20 ");
    assert_true(l.not_before_ms == w.now_ms + 7000);
    ia_store_close(w.s);
}

/* True for a step of a plan that reads a whole table or index, or all runs of a state. */
static bool reads_a_table(const char *step)
{
    static const char *const tables[] = {
        "runs", "r", "goals", "g", "inbox", "sweep_goals", "schedules", "f", "messages"};
    char name[40] = "";
    bool whole = false;
    bool held_only = strstr(step, "INDEX runs_held") != NULL; /* as many rows as lanes */
    if (sscanf(step, "SCAN %39s", name) == 1 && !held_only) {
        for (size_t i = 0; i < IA_COUNTOF(tables); i++) {
            whole = whole || strcmp(name, tables[i]) == 0;
        }
    }
    return whole || strstr(step, "runs_by_state (state=?)");
}

static void expect_no_scan(sqlite3 *conn, enum ia_sql which)
{
    char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", ia_sql_text[which]);
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
    int steps = 0;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *step = (const char *)sqlite3_column_text(stmt, 3);
        steps++;
        if (reads_a_table(step)) {
            fail_msg("%s: %s", ia_sql_text[which], step);
        }
    }
    assert_true(steps > 0);
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
}

/* Neither a long queue nor a long history may be read to know what comes next. */
static void no_frequent_question_of_a_lane_scans_a_table(void **state)
{
    struct home *h = *state;
    ia_store_close(home_open(h));
    static const enum ia_sql often[] = {
        IA_SQL_CLAIM_HELD,        IA_SQL_CLAIM_RETRY,         IA_SQL_CLAIM_INTERRUPTED,
        IA_SQL_CLAIM_SCHEDULED,   IA_SQL_CLAIM_OTHER,         IA_SQL_CLAIM_ROW,
        IA_SQL_WAITING,           IA_SQL_HELD_LIST,           IA_SQL_RUN_UNIQUE,
        IA_SQL_SCHEDULE_BUSY,     IA_SQL_SCHEDULE_DUE,        IA_SQL_SCHEDULE_DUE_LATER,
        IA_SQL_SWEEP_RUNS,        IA_SQL_SWEEP_USAGE,         IA_SQL_SWEEP_GOAL_LIST,
        IA_SQL_RUN_LIST_STATE,    IA_SQL_RUN_LIST_UNFINISHED, IA_SQL_INBOX_LIST,
        IA_SQL_RUN_LIST_ALL,      IA_SQL_RUN_LIST_LANE,       IA_SQL_RUN_LIST_AGENT,
        IA_SQL_RUN_LIST_SCHEDULE, IA_SQL_RUN_LIST_SWEEP,      IA_SQL_RUN_LIST_GOAL,
        IA_SQL_RUN_COUNT_ALL,     IA_SQL_RUN_COUNT_STATE,     IA_SQL_RUN_COUNT_UNFINISHED,
        IA_SQL_RUN_COUNT_LANE,    IA_SQL_RUN_COUNT_AGENT,     IA_SQL_RUN_COUNT_SCHEDULE,
        IA_SQL_RUN_COUNT_SWEEP,   IA_SQL_RUN_COUNT_GOAL,      IA_SQL_INBOX_CHECK,
        IA_SQL_HISTORY_DAYS,      IA_SQL_HISTORY_DAYS_GOAL,   IA_SQL_HISTORY_NAME,
        IA_SQL_HISTORY_TEXT};
    sqlite3 *conn = NULL;
    assert_int_equal(sqlite3_open(h->db, &conn), SQLITE_OK);
    for (size_t i = 0; i < IA_COUNTOF(often); i++) {
        expect_no_scan(conn, often[i]);
    }
    sqlite3_close(conn);
}

static void figures_are_of_what_is_not_over(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_queue_figures f;
    char ids[4][IA_ID_SIZE];
    assert_rc(IA_OK, ia_store_queue_figures(s, &f, NULL));
    assert_int_equal(f.depth + f.lanes_busy + f.runs[IA_RUN_QUEUED], 0);
    for (int i = 0; i < 4; i++) {
        add(s, i < 2 ? "a" : "b", IA_RUN_GOAL, ids[i]);
    }
    assert_claimed(ids[0], claim(s, "a"));
    finish(s, ids[0]);
    assert_claimed(ids[2], claim(s, "b"));
    assert_rc(IA_OK, move_run(s, ids[2], IA_RUN_RUNNING, NULL));
    struct ia_lease *lease = NULL;
    assert_rc(IA_OK, ia_lease_take(s, "c", NULL, 60000, &lease, NULL));
    assert_rc(IA_OK, ia_store_queue_figures(s, &f, NULL));
    assert_int_equal(f.runs[IA_RUN_QUEUED], 2);
    assert_int_equal(f.runs[IA_RUN_RUNNING], 1);
    assert_int_equal(f.runs[IA_RUN_PASSED], 0);
    assert_int_equal(f.depth, 2);
    assert_int_equal(f.lanes_busy, 1);
    ia_lease_release(lease);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_empty_queue_gives_nothing),
        T(a_lane_gets_its_own_runs_oldest_first_and_one_at_a_time),
        T(scheduled_runs_go_first_but_the_others_get_their_turn),
        T(any_lane_of_a_pool_takes_its_runs),
        T(a_run_of_a_pool_is_bound_to_its_lane_once_it_has_a_transcript),
        T(an_interrupted_run_comes_before_what_is_older_and_says_that_it_has_begun),
        T(a_claim_is_an_event_and_makes_this_process_the_owner),
        T(a_run_has_its_tools_deadline_until_it_is_given_back),
        T(a_key_is_refused_while_a_run_with_it_is_not_over),
        T(a_retry_gates_its_lane_until_it_is_due_and_then_goes_first),
        T(a_clock_that_goes_back_an_hour_does_not_make_a_retry_wait_an_hour),
        T(figures_are_of_what_is_not_over),
        cmocka_unit_test(delays_double_from_five_seconds_and_respect_the_provider),
        T(a_roll_back_forgets_an_attempt_without_effects_and_no_other),
        T(waiting_lanes_are_listed_once_longest_waiting_first),
        T(no_frequent_question_of_a_lane_scans_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
