/* Runs: what is written is read back, every move follows the table, lists and cancels. */
#include "event_count.h"
#include "store/questions.h"
#include "store/sweeps.h"

static void a_new_run_is_queued_and_reads_back(void **state)
{
    struct ia_store *s = home_open(*state);
    const struct ia_run_new run = {
        .goal = "buy \"milk\"",
        .app = "com.example.shop",
        .model = "m",
        .lane = "embedded:demo",
        .expect = ia_str("[\"text \\\"paid\\\"\"]"),
        .budget = ia_str("{\"steps\":3}"),
        .demo = true,
    };
    char id[IA_ID_SIZE];
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_string_equal(row->goal, "buy \"milk\"");
    assert_string_equal(row->app, "com.example.shop");
    assert_string_equal(row->expect, "[\"text \\\"paid\\\"\"]");
    assert_string_equal(row->budget, "{\"steps\":3}");
    assert_string_equal(row->device, "{}");
    assert_string_equal(ia_run_state_name(row->state), "queued");
    assert_null(row->hint);
    assert_null(row->code);
    assert_int_equal(row->attempt, 1);
    assert_true(row->demo);
    assert_false(row->usage.cost_known);
    assert_true(row->created_ms > 0);
    assert_int_equal(row->started_ms, 0);
    assert_false(ia_run_owner_alive(row));
    ia_run_row_free(row);
    ia_store_close(s);
}

static void an_id_given_by_the_caller_is_kept_and_a_malformed_one_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = "l"};
    char made[IA_ID_SIZE], id[IA_ID_SIZE] = "";
    ia_id_new(ia_clock_system(), ia_rand_system(), made);
    run.id = made;
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
    assert_string_equal(id, made);

    struct ia_err err;
    tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    assert_rc(IA_E_EXISTS, ia_tx_commit(tx, &err));
    run.id = "../evil";
    tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    assert_rc(IA_E_USAGE, ia_tx_commit(tx, &err));
    ia_store_close(s);
}

static void every_move_is_allowed_or_refused_by_the_table(void **state)
{
    static const char *const allowed[] = {
        "queued claimed",       "queued cancelled", "claimed running",   "claimed queued",
        "claimed retry_wait",   "claimed error",    "claimed cancelled", "running passed",
        "running failed",       "running blocked",  "running error",     "running cancelled",
        "running retry_wait",   "running queued",   "retry_wait queued", "retry_wait error",
        "retry_wait cancelled", "running asking",   "asking queued",     "asking cancelled",
    };
    (void)state;
    int found = 0;
    for (int from = 0; from < IA_RUN_STATE_COUNT; from++) {
        for (int to = 0; to < IA_RUN_STATE_COUNT; to++) {
            char name[40];
            /* People know it as "blocked". */
            snprintf(name, sizeof(name), "%s %s",
                     from == IA_RUN_ASKING ? "asking"
                                           : ia_run_state_name((enum ia_run_state)from),
                     to == IA_RUN_ASKING ? "asking" : ia_run_state_name((enum ia_run_state)to));
            bool listed = false;
            for (size_t i = 0; i < IA_COUNTOF(allowed); i++) {
                listed = listed || strcmp(allowed[i], name) == 0;
            }
            found += listed;
            if (listed != ia_run_move_allowed((enum ia_run_state)from, (enum ia_run_state)to)) {
                fail_msg("%s: the table says otherwise", name);
            }
        }
    }
    assert_int_equal(found, IA_COUNTOF(allowed));
    assert_false(ia_run_move_allowed(IA_RUN_STATE_COUNT, IA_RUN_QUEUED));
}

static void an_illegal_move_changes_nothing(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    char id[IA_ID_SIZE];
    add_run(s, "l", id);
    int before = events_of(s, id);
    assert_rc(IA_E_STATE, move_run(s, id, IA_RUN_PASSED, &err));
    assert_contains(err.msg, "is queued and cannot become passed");
    assert_int_equal(events_of(s, id), before);
    assert_rc(IA_E_NOT_FOUND, move_run(s, "0199", IA_RUN_CLAIMED, &err));
    ia_store_close(s);
}

static void a_move_carries_its_event_and_its_columns(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    const struct ia_event_run_finished finished = {.state = ia_str("failed")};
    const struct ia_run_moved end = {.event = IA_EVENT(&finished),
                                     .code = "BUDGET",
                                     .summary = "out of steps",
                                     .basis = "unverified",
                                     .result = ia_str("{\"a\":1}"),
                                     .screenshot = "abc"};
    struct ia_buf json = IA_BUF(4096);
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, id, IA_RUN_FAILED, &end, &json);
    commit(tx);
    assert_contains(ia_buf_cstr(&json), "{\"event\":\"run.finished\",\"seq\":4,\"ts\":\"");
    assert_contains(ia_buf_cstr(&json),
                    "\",\"state\":\"failed\",\"code\":\"\",\"message\":\"\"}");
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->state, IA_RUN_FAILED);
    assert_string_equal(row->code, "BUDGET");
    assert_string_equal(row->summary, "out of steps");
    assert_string_equal(row->basis, "unverified");
    assert_string_equal(row->result, "{\"a\":1}");
    assert_string_equal(row->screenshot, "abc");
    assert_true(row->started_ms > 0 && row->finished_ms >= row->started_ms);
    assert_true(ia_run_owner_alive(row));
    ia_run_row_free(row);
    ia_buf_fini(&json);
    ia_store_close(s);
}

static void a_retry_counts_and_waits_for_its_time(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    struct ia_tx *tx = begin(s);
    int64_t at = ia_tx_wall_ms(tx) + 5000;
    ia_run_move(tx, id, IA_RUN_RETRY_WAIT, &(struct ia_run_moved){.retry_at_ms = at}, NULL);
    commit(tx);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_true(row->retry_at_ms == at);
    assert_int_equal(row->attempt, 1);
    assert_false(ia_run_owner_alive(row));
    ia_run_row_free(row);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_QUEUED, NULL));
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->attempt, 2);
    assert_true(row->retry_at_ms == 0);
    ia_run_row_free(row);
    ia_store_close(s);
}

static void usage_and_notes_are_replaced_not_added(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_usage_row usage = {10, 20, 30, 40, 0.25, true};
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    for (int i = 0; i < 2; i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_set_usage(tx, id, 7, &usage);
        ia_tx_set_run_notes(tx, id, ia_str("the PIN is asked twice"));
        commit(tx);
    }
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->steps, 7);
    assert_memory_equal(&row->usage, &usage, offsetof(struct ia_usage_row, cost_known));
    assert_true(row->usage.cost_known);
    assert_string_equal(row->notes, "the PIN is asked twice");
    ia_run_row_free(row);
    ia_store_close(s);
}

static void a_run_is_found_by_the_start_or_the_end_of_its_id(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    struct ia_run_row *row = NULL;
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = "l"};
    static const char *const ids[] = {"01999999-0000-7000-8000-00000000aaaa",
                                      "01999999-0000-7000-8000-00000000aaab",
                                      "01999998-0000-7000-8000-00000000bbbb"};
    char id[IA_ID_SIZE];
    for (size_t i = 0; i < IA_COUNTOF(ids); i++) {
        struct ia_tx *tx = begin(s);
        run.id = ids[i];
        ia_tx_add_run(tx, &run, id);
        commit(tx);
    }
    const struct {
        const char *text;
        const char *id; /* NULL: rc */
        enum ia_rc rc;
    } cases[] = {
        {"01999998", ids[2], IA_OK},
        {"aaab", ids[1], IA_OK},
        {"01999999", NULL, IA_E_USAGE},
        {ids[0], ids[0], IA_OK},
        {"0199", NULL, IA_E_USAGE},
        {"bbb", NULL, IA_E_NOT_FOUND},
        {"", NULL, IA_E_NOT_FOUND},
        {"%%%%%", NULL, IA_E_NOT_FOUND},
        {"cccc", NULL, IA_E_NOT_FOUND},
        {"01999999-0000-7000-8000-00000000aaac", NULL, IA_E_NOT_FOUND},
        {"01999999-0000-7000-8000-00000000aaaa-and-more", NULL, IA_E_NOT_FOUND},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_rc(cases[i].rc, ia_store_run(s, cases[i].text, &row, &err));
        if (cases[i].id) {
            assert_string_equal(row->id, cases[i].id);
            ia_run_row_free(row);
        }
    }
    assert_rc(IA_E_USAGE, ia_store_run(s, "01999999", &row, &err));
    assert_contains(err.msg, ids[0]);
    assert_contains(err.msg, ids[1]);
    ia_store_close(s);
}

struct ids {
    char id[64][IA_ID_SIZE];
    int n;
    int stop_after;
};

static bool collect_run(void *ctx, const struct ia_run_row *row)
{
    struct ids *ids = ctx;
    memcpy(ids->id[ids->n++], row->id, IA_ID_SIZE);
    return ids->n != ids->stop_after;
}

static void runs_are_listed_newest_first_and_filtered(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_vclock *vc = ia_vclock_new(1700000000000);
    ia_store_close(s);
    struct ia_store_opts opts = {.home = ((struct home *)*state)->dir,
                                 .clock = ia_vclock_clock(vc)};
    assert_rc(IA_OK, ia_store_open(&opts, &s, NULL));
    char id[5][IA_ID_SIZE];
    for (int i = 0; i < 5; i++) {
        ia_vclock_advance(vc, 2000);
        add_run(s, i % 2 ? "odd" : "even", id[i]);
    }
    assert_rc(IA_OK, move_run(s, id[0], IA_RUN_CANCELLED, NULL));

    struct ids all = {0}, some = {0}, odd = {0}, open = {0}, page = {0},
               first = {.stop_after = 1};
    assert_rc(IA_OK, ia_store_runs(s, NULL, collect_run, &all, NULL));
    assert_int_equal(all.n, 5);
    assert_string_equal(all.id[0], id[4]);
    assert_string_equal(all.id[4], id[0]);
    struct ia_run_filter limit = {.limit = 2};
    assert_rc(IA_OK, ia_store_runs(s, &limit, collect_run, &some, NULL));
    assert_int_equal(some.n, 2);
    struct ia_run_filter lane = {.lane = "odd"};
    assert_rc(IA_OK, ia_store_runs(s, &lane, collect_run, &odd, NULL));
    assert_int_equal(odd.n, 2);
    struct ia_run_filter unfinished = {.state = "unfinished"};
    assert_rc(IA_OK, ia_store_runs(s, &unfinished, collect_run, &open, NULL));
    assert_int_equal(open.n, 4);
    struct ia_run_filter before = {.before_id = id[2]};
    assert_rc(IA_OK, ia_store_runs(s, &before, collect_run, &page, NULL));
    assert_int_equal(page.n, 2);
    assert_string_equal(page.id[0], id[1]);
    assert_rc(IA_OK, ia_store_runs(s, NULL, collect_run, &first, NULL));
    assert_int_equal(first.n, 1);
    struct ia_err err;
    struct ia_run_filter wrong = {.state = "asleep"};
    assert_rc(IA_E_USAGE, ia_store_runs(s, &wrong, collect_run, &all, &err));
    assert_contains(err.hint, "retry_wait");
    ia_store_close(s);
    ia_vclock_free(vc);
}

/* ---- six runs, found by what they belong to ------------------------------------------------ */

enum { SIX = 6 };
#define RUN "01920000-0000-7000-8000-00000000000"
static const char the_sweep[] = "of the test"; /* stands for the id that the store gives it */

static void add_six(struct ia_store *s, char sweep[IA_ID_SIZE])
{
    struct ia_tx *tx = begin(s);
    ia_tx_add_sweep(tx, &(struct ia_sweep_row){.title = "t", .options = "{}"}, sweep);
    ia_tx_add_sweep_goal(
        tx, sweep,
        &(struct ia_sweep_goal_row){
            .name = "b", .file = "f", .needs = "[]", .tags = "[]", .job = "{}"},
        NULL);
    const struct ia_run_new runs[SIX] = {
        {.goal = "one", .agent = "anna"},
        {.goal = "one", .name = "first", .agent = "anna"},
        {.goal = "two", .name = "b", .sweep_id = sweep, .sweep_no = 1},
        {.goal = "b", .agent = "bert"},
        {.goal = "three", .name = "b", .sweep_id = sweep, .sweep_no = 1, .agent = "anna"},
        {.goal = "one"}};
    for (size_t i = 0; i < SIX; i++) {
        struct ia_run_new run = runs[i];
        char id[IA_ID_SIZE], given[IA_ID_SIZE];
        (void)snprintf(id, sizeof(id), RUN "%zu", i);
        run.id = id;
        run.model = "m";
        run.lane = i % 2 ? "odd" : "even";
        ia_tx_add_run(tx, &run, given);
    }
    commit(tx);
}

/* The digits of the runs that a filter finds, newest first. */
static const struct {
    struct ia_run_filter filter;
    const char *finds;
} found_by[] = {
    {{.agent = "anna"}, "410"},
    {{.agent = "anna", .state = "queued"}, "10"},
    {{.agent = "anna", .state = "cancelled"}, "4"},
    {{.agent = "ann"}, ""},
    {{.agent = ""}, ""},
    {{.goal = "first"}, "1"},
    {{.goal = "one"}, "510"},
    {{.goal = "b"}, "42"}, /* a name before a text */
    {{.goal = "b", .agent = "anna"}, "4"},
    {{.goal = "b", .state = "unfinished"}, "2"},
    {{.goal = "three", .lane = "odd"}, ""},
    {{.sweep_id = the_sweep}, "42"},
    {{.sweep_id = the_sweep, .goal = "b", .state = "cancelled"}, "4"},
    {{.sweep_id = RUN "0"}, ""},
    {{.schedule = "nightly"}, "52"},
    {{.schedule = "nightly", .lane = "odd"}, "5"},
    {{.state = "unfinished", .lane = "even"}, "20"},
    {{.lane = "even", .limit = 2}, "42"},
    {{.lane = "even", .before_id = RUN "2"}, "0"},
    {{.text = "HRE"}, "4"},
    {{.text = "b"}, "432"}, /* in a name, or in a text */
    {{.text = "one", .agent = "anna"}, "10"},
    {{.text = "%"}, ""},
    {{.text = "_"}, ""},
    {{.text = "\\"}, ""},
    {{.text = "hre", .state = "cancelled"}, "4"},
    {{.goal = "one", .text = "fir"}, "1"},
    {{.skip = 4}, "10"},
    {{.skip = 1, .limit = 2}, "43"},
    {{.skip = 6}, ""},
    {{.state = "unfinished", .skip = 1, .limit = 3}, "321"},
    {{.lane = "even", .skip = 1}, "20"},
    {{.before_id = RUN "4", .skip = 1, .limit = 1}, "2"},
};

static void check_found(struct ia_store *s, const struct ia_run_filter *filter,
                        const char *finds)
{
    struct ids found = {0}, everywhere = {0};
    struct ia_run_filter all = *filter; /* the count is of all pages */
    int64_t count = -1;
    all.limit = all.skip = 0;
    all.before_id = NULL;
    assert_rc(IA_OK, ia_store_runs(s, filter, collect_run, &found, NULL));
    assert_int_equal(found.n, strlen(finds));
    for (int n = 0; n < found.n; n++) {
        assert_int_equal(found.id[n][strlen(RUN)], finds[n]);
    }
    assert_rc(IA_OK, ia_store_runs(s, &all, collect_run, &everywhere, NULL));
    assert_rc(IA_OK, ia_store_runs_count(s, filter, &count, NULL));
    assert_int_equal(count, everywhere.n);
}

static void runs_are_found_by_what_they_belong_to(void **state)
{
    struct ia_store *s = home_open(*state);
    char sweep[IA_ID_SIZE];
    add_six(s, sweep);
    assert_rc(IA_OK, move_run(s, RUN "4", IA_RUN_CANCELLED, NULL));
    raw_sql(((struct home *)*state)->db,
            "UPDATE runs SET schedule = 'nightly' WHERE agent IS NULL");
    for (size_t i = 0; i < IA_COUNTOF(found_by); i++) {
        struct ia_run_filter filter = found_by[i].filter;
        filter.sweep_id = filter.sweep_id == the_sweep ? sweep : filter.sweep_id;
        check_found(s, &filter, found_by[i].finds);
    }
    ia_store_close(s);
}

static void cancelling_asks_a_live_owner_and_ends_a_waiting_run(void **state)
{
    struct ia_store *s = home_open(*state);
    char queued[IA_ID_SIZE], running[IA_ID_SIZE];
    enum ia_cancel_result result = IA_CANCEL_TOO_LATE;
    bool asked = true;
    add_run(s, "l", queued);
    start_run(s, "m", running);

    assert_rc(IA_OK, ia_store_cancel_requested(s, running, &asked, NULL));
    assert_false(asked);
    assert_rc(IA_OK, ia_store_cancel_run(s, running, &result, NULL));
    assert_int_equal(result, IA_CANCEL_ASKED);
    assert_rc(IA_OK, ia_store_cancel_requested(s, running, &asked, NULL));
    assert_true(asked);
    asked = false;
    assert_rc(IA_OK, ia_store_heartbeat(s, running, &asked, NULL));
    assert_true(asked);

    assert_rc(IA_OK, ia_store_cancel_run(s, queued, &result, NULL));
    assert_int_equal(result, IA_CANCEL_DONE);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, queued, &row, NULL));
    assert_int_equal(row->state, IA_RUN_CANCELLED);
    assert_string_equal(row->code, "CANCELLED");
    ia_run_row_free(row);
    assert_rc(IA_OK, ia_store_cancel_run(s, queued, &result, NULL));
    assert_int_equal(result, IA_CANCEL_TOO_LATE);
    assert_rc(IA_E_NOT_FOUND, ia_store_cancel_run(s, "nobody", &result, NULL));
    assert_rc(IA_E_NOT_FOUND, ia_store_cancel_requested(s, "nobody", &asked, NULL));
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

/* Its process had not seen the request when it asked. */
static void a_run_that_asks_after_it_was_to_end_ends_and_asks_nobody(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE], question[IA_ID_SIZE];
    enum ia_cancel_result result;
    struct ia_store *s = home_open(h);
    start_run(s, "l", id);
    assert_rc(IA_OK, ia_store_cancel_run(s, id, &result, NULL));
    assert_int_equal(result, IA_CANCEL_ASKED);
    struct ia_tx *tx = begin(s);
    ia_tx_ask(tx,
              &(struct ia_question_row){
                  .run_id = id, .tool_use_id = "t", .rule = "buy", .text = "q", .detail = "{}"},
              question);
    ia_run_move(tx, id, IA_RUN_ASKING, NULL, NULL);
    commit(tx);
    enum ia_run_state now = IA_RUN_ASKING;
    struct ia_question_row *q = NULL;
    assert_rc(IA_OK, ia_store_run_state(s, id, &now, NULL));
    assert_int_equal(now, IA_RUN_CANCELLED);
    assert_rc(IA_OK, ia_store_question(s, question, &q, NULL));
    assert_int_equal(q->state, IA_QUESTION_WITHDRAWN);
    free(q);
    ia_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_new_run_is_queued_and_reads_back),
        T(an_id_given_by_the_caller_is_kept_and_a_malformed_one_refused),
        T(every_move_is_allowed_or_refused_by_the_table),
        T(an_illegal_move_changes_nothing),
        T(a_move_carries_its_event_and_its_columns),
        T(a_retry_counts_and_waits_for_its_time),
        T(usage_and_notes_are_replaced_not_added),
        T(a_run_is_found_by_the_start_or_the_end_of_its_id),
        T(runs_are_listed_newest_first_and_filtered),
        T(runs_are_found_by_what_they_belong_to),
        T(cancelling_asks_a_live_owner_and_ends_a_waiting_run),
        T(a_run_that_asks_after_it_was_to_end_ends_and_asks_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
