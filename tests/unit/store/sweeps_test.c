/* A sweep sums up its goals and their runs; a goal's history is found by name or text. */
#include "home.h"

#include "store/sweeps.h"

static void add_sweep(struct ia_store *s, char id[IA_ID_SIZE])
{
    const struct ia_sweep_row row = {
        .title = "goals/", .options = "{\"jobs\":2}", .max_usd = 1.5};
    struct ia_tx *tx = begin(s);
    ia_tx_add_sweep(tx, &row, id);
    commit(tx);
}

static int add_goal(struct ia_store *s, const char *sweep, const char *name)
{
    const struct ia_sweep_goal_row row = {
        .name = name, .file = "a.toml", .line = 7, .tags = "[\"smoke\"]", .job = "{}"};
    int no = 0;
    struct ia_tx *tx = begin(s);
    ia_tx_add_sweep_goal(tx, sweep, &row, &no);
    commit(tx);
    return no;
}

/* A run of a goal, ended; tokens 0 leaves its cost unknown and unused. */
static void add_ended(struct ia_store *s, const char *sweep, int no, const char *name,
                      const struct ia_usage_row *usage, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {.goal = "open Settings",
                                   .model = "m",
                                   .lane = "a",
                                   .name = name,
                                   .sweep_id = sweep,
                                   .sweep_no = no};
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    ia_run_move(tx, id, IA_RUN_RUNNING, NULL, NULL);
    ia_tx_set_usage(tx, id, 1, usage);
    ia_run_move(tx, id, IA_RUN_FAILED, NULL, NULL);
    commit(tx);
}

static void a_sweep_is_found_by_a_part_of_its_id(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    struct ia_sweep_row *row = NULL;
    struct ia_err err;
    add_sweep(s, id);
    (void)add_goal(s, id, "one");
    const char *const ways[] = {id, id + 26};
    for (size_t i = 0; i < IA_COUNTOF(ways); i++) {
        assert_rc(IA_OK, ia_store_sweep(s, ways[i], &row, NULL));
        assert_string_equal(row->id, id);
        assert_string_equal(row->title, "goals/");
        assert_string_equal(row->options, "{\"jobs\":2}");
        assert_int_equal(row->state, IA_SWEEP_RUNNING);
        assert_null(row->why);
        assert_true(row->owner_alive && row->max_usd == 1.5 && row->goals == 1);
        assert_true(row->created_ms > 0 && row->finished_ms == 0);
        ia_sweep_row_free(row);
    }
    assert_rc(IA_E_NOT_FOUND, ia_store_sweep(s, "ffff", &row, &err));
    assert_contains(err.msg, "no sweep \"ffff\"");
    struct ia_tx *tx = begin(s);
    ia_tx_end_sweep(tx, id, IA_SWEEP_STOPPED, "the budget is used up");
    commit(tx);
    assert_rc(IA_OK, ia_store_sweep(s, id, &row, NULL));
    assert_int_equal(row->state, IA_SWEEP_STOPPED);
    assert_string_equal(row->why, "the budget is used up");
    assert_true(row->finished_ms > 0);
    ia_sweep_row_free(row);
    tx = begin(s);
    ia_tx_end_sweep(tx, "nobody", IA_SWEEP_DONE, NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

struct goals {
    char text[600];
};

static bool see_goal(void *ctx, const struct ia_sweep_goal_row *g)
{
    struct goals *goals = ctx;
    size_t n = strlen(goals->text);
    snprintf(goals->text + n, sizeof(goals->text) - n,
             "%d %s %s tries=%d run=%.4s $%.2f%s %s\n", g->no, g->name,
             ia_sweep_goal_state_name(g->state), g->tries, g->run_id ? g->run_id + 32 : "-",
             g->cost_usd, g->cost_known ? "" : "?", g->reason ? g->reason : "-");
    assert_string_equal(g->tags, "[\"smoke\"]");
    assert_string_equal(g->needs, "[]");
    assert_int_equal(g->line, 7);
    assert_int_equal(g->repeat, 1);
    assert_true(g->ms >= 0 && g->ms < 60000);
    return true;
}

static void goals_are_numbered_and_sum_up_their_runs(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE], other[IA_ID_SIZE], run[IA_ID_SIZE], expected[200];
    const struct ia_usage_row paid = {
        .input = 10, .output = 5, .cost_usd = 0.25, .cost_known = true};
    const struct ia_usage_row unpaid = {.input = 10, .output = 5};
    add_sweep(s, id);
    add_sweep(s, other);
    assert_int_equal(add_goal(s, id, "one"), 1);
    assert_int_equal(add_goal(s, other, "else"), 1);
    assert_int_equal(add_goal(s, id, "two"), 2);
    add_ended(s, other, 1, NULL, &unpaid, run);
    add_ended(s, id, 1, NULL, &paid, run);
    add_ended(s, id, 1, NULL, &paid, run);
    struct ia_tx *tx = begin(s);
    ia_tx_set_sweep_goal(tx, id, 1, IA_SWEEP_GOAL_FLAKY, "passed on retry");
    commit(tx);
    struct goals goals = {""};
    assert_rc(IA_OK, ia_store_sweep_goals(s, id, see_goal, &goals, NULL));
    snprintf(expected, sizeof(expected),
             "1 one flaky tries=2 run=%s $0.50 passed on retry\n"
             "2 two waiting tries=0 run=- $0.00 -\n",
             run + 32);
    assert_string_equal(goals.text, expected);
    struct ia_usage_row usage = {0};
    assert_rc(IA_OK, ia_store_sweep_usage(s, id, &usage, NULL));
    assert_true(usage.cost_known && usage.cost_usd == 0.5 && usage.input == 20 &&
                usage.output == 10);
    add_ended(s, id, 2, NULL, &unpaid, run);
    assert_rc(IA_OK, ia_store_sweep_usage(s, id, &usage, NULL));
    assert_true(!usage.cost_known && usage.cost_usd == 0.5 && usage.input == 30);
    tx = begin(s);
    ia_tx_set_sweep_goal(tx, id, 3, IA_SWEEP_GOAL_PASSED, NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    tx = begin(s);
    ia_tx_add_sweep_goal(tx, "nobody", &(struct ia_sweep_goal_row){.name = "x"}, NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

static bool see_time(void *ctx, const struct ia_sweep_goal_row *g)
{
    *(int64_t *)ctx = g->ms;
    return true;
}

static void the_time_of_a_goal_is_exact_to_the_millisecond(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE], run[IA_ID_SIZE];
    add_sweep(s, id);
    (void)add_goal(s, id, "one");
    add_ended(s, id, 1, NULL, &(struct ia_usage_row){0}, run);
    raw_sql(h->db, "UPDATE runs SET started_at = '2026-11-21T23:59:58.999Z', "
                   "finished_at = '2026-11-22T00:00:01.123Z'");
    int64_t ms = 0;
    assert_rc(IA_OK, ia_store_sweep_goals(s, id, see_time, &ms, NULL));
    assert_int_equal(ms, 2124);
    ia_store_close(s);
}

struct runs {
    int n;
    char ids[5][IA_ID_SIZE];
};

static bool see_run(void *ctx, const struct ia_run_row *row)
{
    struct runs *runs = ctx;
    snprintf(runs->ids[runs->n++], IA_ID_SIZE, "%s", row->id);
    return true;
}

static void runs_of_a_goal_come_in_the_order_of_its_tries(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE], run[3][IA_ID_SIZE];
    add_sweep(s, id);
    for (int i = 0; i < 3; i++) {
        add_ended(s, id, i == 1 ? 2 : 1, NULL, &(struct ia_usage_row){0}, run[i]);
    }
    struct runs runs = {0}, all = {0};
    assert_rc(IA_OK, ia_store_sweep_runs(s, id, 1, see_run, &runs, NULL));
    assert_int_equal(runs.n, 2);
    assert_string_equal(runs.ids[0], run[0]);
    assert_string_equal(runs.ids[1], run[2]);
    assert_rc(IA_OK, ia_store_sweep_runs(s, id, 0, see_run, &all, NULL));
    assert_int_equal(all.n, 3);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, run[1], &row, NULL));
    assert_string_equal(row->sweep_id, id);
    assert_int_equal(row->sweep_no, 2);
    ia_run_row_free(row);
    ia_store_close(s);
}

static void
history_is_of_a_name_or_else_of_a_text_newest_first_and_only_what_ended(void **state)
{
    struct ia_store *s = home_open(*state);
    const struct ia_usage_row none = {0};
    char named[2][IA_ID_SIZE], plain[IA_ID_SIZE], queued[IA_ID_SIZE];
    struct runs runs = {0};
    for (int i = 0; i < 2; i++) {
        add_ended(s, NULL, 0, "login", &none, named[i]);
    }
    add_ended(s, NULL, 0, NULL, &none, plain);
    add_run(s, "a", queued);
    assert_rc(IA_OK, ia_store_history(s, "login", 0, see_run, &runs, NULL));
    assert_int_equal(runs.n, 2);
    assert_string_equal(runs.ids[0], named[1]);
    assert_string_equal(runs.ids[1], named[0]);
    runs.n = 0;
    assert_rc(IA_OK, ia_store_history(s, "login", 1, see_run, &runs, NULL));
    assert_int_equal(runs.n, 1);
    runs.n = 0;
    assert_rc(IA_OK, ia_store_history(s, "open Settings", 0, see_run, &runs, NULL));
    assert_int_equal(runs.n, 3);
    assert_string_equal(runs.ids[0], plain);
    runs.n = 0;
    assert_rc(IA_OK, ia_store_history(s, "open", 0, see_run, &runs, NULL));
    assert_int_equal(runs.n, 0);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_sweep_is_found_by_a_part_of_its_id),
        T(goals_are_numbered_and_sum_up_their_runs),
        T(the_time_of_a_goal_is_exact_to_the_millisecond),
        T(runs_of_a_goal_come_in_the_order_of_its_tries),
        T(history_is_of_a_name_or_else_of_a_text_newest_first_and_only_what_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
