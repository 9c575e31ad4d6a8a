/* Runs that a run delegated: who may be claimed when, what a parent hears, and what ends with it. */
#include "claims.h"

#include "store/children.h"

#include <string.h>

static enum ia_rc try_child(struct ia_store *s, const char *parent, const char *call,
                            const char *lane, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {
        .goal = "say hi", .model = "m", .lane = lane, .parent_id = parent, .parent_call = call};
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    return ia_tx_commit(tx, NULL);
}

static void child(struct ia_store *s, const char *parent, const char *call, const char *lane,
                  char id[IA_ID_SIZE])
{
    assert_rc(IA_OK, try_child(s, parent, call, lane, id));
}

/* A parent that runs on lane "a" and rests with two children. */
struct family {
    char parent[IA_ID_SIZE], one[IA_ID_SIZE], two[IA_ID_SIZE];
};

static struct family rest(struct ia_store *s)
{
    struct family f;
    start_run(s, "a", f.parent);
    child(s, f.parent, "t1", "a", f.one);
    child(s, f.parent, "t2", "b", f.two);
    assert_rc(IA_OK, move_run(s, f.parent, IA_RUN_QUEUED, NULL));
    return f;
}

static void do_run(struct ia_store *s, const char *lane, const char *id, enum ia_run_state end)
{
    assert_claimed(id, claim(s, lane));
    assert_rc(IA_OK, move_run(s, id, IA_RUN_RUNNING, NULL));
    assert_rc(IA_OK, move_run(s, id, end, NULL));
}

static enum ia_run_state state_of(struct ia_store *s, const char *id)
{
    enum ia_run_state state = IA_RUN_STATE_COUNT;
    assert_rc(IA_OK, ia_store_run_state(s, id, &state, NULL));
    return state;
}

static void a_parent_is_claimed_only_when_its_last_child_is_over(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    struct ia_err err;
    assert_rc(IA_E_STATE, move_run(s, f.parent, IA_RUN_CLAIMED, &err));
    assert_contains(err.msg, "waits for 2 of its subtasks");
    do_run(s, "a", f.one, IA_RUN_PASSED);
    assert_int_equal(claim(s, "a").why, IA_CLAIM_NONE);
    do_run(s, "b", f.two, IA_RUN_FAILED);
    assert_claimed(f.parent, claim(s, "a"));
    ia_store_close(s);
}

static bool count_lane(void *ctx, const char *lane, int64_t waiting, int64_t not_before_ms)
{
    (void)not_before_ms;
    int64_t *by_lane = ctx;
    by_lane[lane[0] - 'a'] += waiting;
    return true;
}

static void a_lane_on_which_only_a_resting_parent_is_has_nothing_that_waits(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    int64_t waiting[2] = {0};
    do_run(s, "a", f.one, IA_RUN_PASSED);
    assert_rc(IA_OK, ia_store_waiting(s, count_lane, waiting, NULL));
    assert_int_equal(waiting[0], 0);
    assert_int_equal(waiting[1], 1);
    ia_store_close(s);
}

static void a_child_goes_before_what_waited_longer(void **state)
{
    struct ia_store *s = home_open(*state);
    char other[IA_ID_SIZE];
    add(s, "b", IA_RUN_SCHEDULED, other);
    struct family f = rest(s);
    assert_claimed(f.two, claim(s, "b"));
    ia_store_close(s);
}

static void a_call_has_one_run_however_often_it_is_made(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    char again[IA_ID_SIZE];
    struct ia_run_row *row = NULL;
    assert_rc(IA_E_EXISTS, try_child(s, f.parent, "t1", "b", again));
    assert_rc(IA_OK, ia_store_child_of(s, f.parent, "t1", &row, NULL));
    assert_string_equal(row->id, f.one);
    assert_string_equal(row->parent_id, f.parent);
    ia_run_row_free(row);
    assert_rc(IA_OK, ia_store_child_of(s, f.parent, "t3", &row, NULL));
    assert_null(row);
    ia_store_close(s);
}

static void the_table_itself_refuses_a_second_run_of_a_call(void **state)
{
    const struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct family f = rest(s);
    char sql[512];
    (void)snprintf(sql, sizeof(sql), "UPDATE runs SET parent_call = 't1' WHERE id = '%s'",
                   f.two);
    char *error = raw_sql_error(h->db, sql);
    assert_contains(error, "UNIQUE");
    free(error);
    ia_store_close(s);
}

static bool take_json(void *ctx, const struct ia_event_row *row)
{
    if (row->type == IA_EVENT_RUN_CHILD_FINISHED) {
        ia_buf_putstr(ctx, row->json);
    }
    return true;
}

static void a_parent_hears_of_each_child_that_ends(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    struct ia_buf json = IA_BUF(1 << 16);
    do_run(s, "b", f.two, IA_RUN_BLOCKED);
    const struct ia_event_range range = {.run_id = f.parent};
    assert_rc(IA_OK, ia_store_events(s, &range, take_json, &json, NULL, NULL));
    assert_contains(ia_buf_cstr(&json), "\"number\":2");
    assert_contains(ia_buf_cstr(&json), f.two);
    assert_contains(ia_buf_cstr(&json), "\"state\":\"blocked\"");
    assert_null(strstr(ia_buf_cstr(&json), f.one));
    ia_buf_fini(&json);
    ia_store_close(s);
}

static void who_cancels_a_parent_cancels_what_it_waits_for(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    char grandchild[IA_ID_SIZE];
    enum ia_cancel_result result;
    bool asked = false;
    /* One is in hand here and has a subtask of its own; the other waits. */
    assert_claimed(f.one, claim(s, "a"));
    child(s, f.two, "t9", "c", grandchild);
    assert_rc(IA_OK, ia_store_cancel_run(s, f.parent, &result, NULL));
    assert_int_equal(result, IA_CANCEL_DONE);
    assert_int_equal(state_of(s, f.parent), IA_RUN_CANCELLED);
    assert_int_equal(state_of(s, f.two), IA_RUN_CANCELLED);
    assert_int_equal(state_of(s, grandchild), IA_RUN_CANCELLED);
    assert_int_equal(state_of(s, f.one), IA_RUN_CLAIMED);
    assert_rc(IA_OK, ia_store_cancel_requested(s, f.one, &asked, NULL));
    assert_true(asked);
    /* It ends later; the parent's events end with its own end. */
    assert_rc(IA_OK, move_run(s, f.one, IA_RUN_CANCELLED, NULL));
    const struct ia_event_range range = {.run_id = f.parent};
    struct ia_buf json = IA_BUF(1 << 16);
    assert_rc(IA_OK, ia_store_events(s, &range, take_json, &json, NULL, NULL));
    assert_int_equal(json.len, 0);
    ia_buf_fini(&json);
    ia_store_close(s);
}

/* Its owner was asked to end it, and puts it back with its subtasks before it sees that. */
static void a_parent_that_was_asked_to_end_does_not_rest(void **state)
{
    struct ia_store *s = home_open(*state);
    char parent[IA_ID_SIZE], one[IA_ID_SIZE];
    enum ia_cancel_result result;
    start_run(s, "a", parent);
    assert_rc(IA_OK, ia_store_cancel_run(s, parent, &result, NULL));
    assert_int_equal(result, IA_CANCEL_ASKED);
    child(s, parent, "t1", "b", one);
    assert_rc(IA_OK, move_run(s, parent, IA_RUN_QUEUED, NULL));
    assert_int_equal(state_of(s, parent), IA_RUN_CANCELLED);
    assert_int_equal(state_of(s, one), IA_RUN_CANCELLED);
    ia_store_close(s);
}

static void what_is_below_a_run_is_counted_to_the_last_leaf(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    struct ia_below below;
    char grandchild[IA_ID_SIZE];
    child(s, f.two, "t9", "c", grandchild);
    const struct ia_usage_row used = {1, 2, 3, 4, 0.5, true};
    struct ia_tx *tx = begin(s);
    ia_tx_set_usage(tx, f.one, 7, &used);
    ia_tx_set_usage(tx, grandchild, 2, &used);
    ia_tx_set_usage(tx, f.parent, 100, &used);
    commit(tx);
    assert_rc(IA_OK, ia_store_below(s, f.parent, &below, NULL));
    assert_int_equal(below.runs, 3);
    assert_int_equal(below.steps, 9);
    assert_int_equal(below.tokens, 20);
    assert_true(below.usd > 0.99 && below.usd < 1.01 && below.cost_known);
    assert_true(below.usd_max > 0.99 && below.usd_max < 1.01);
    ia_store_close(s);
}

static bool put_id(void *ctx, const struct ia_run_row *row)
{
    ia_buf_printf(ctx, "%s ", row->id);
    return true;
}

static void what_is_above_a_run_is_listed_nearest_first(void **state)
{
    struct ia_store *s = home_open(*state);
    struct family f = rest(s);
    char grandchild[IA_ID_SIZE], want[2 * IA_ID_SIZE + 8];
    struct ia_buf above = IA_BUF(1 << 10);
    child(s, f.two, "t9", "c", grandchild);
    assert_rc(IA_OK, ia_store_above(s, grandchild, put_id, &above, NULL));
    (void)snprintf(want, sizeof(want), "%s %s ", f.two, f.parent);
    assert_string_equal(ia_buf_cstr(&above), want);
    ia_buf_reset(&above);
    assert_rc(IA_OK, ia_store_above(s, f.parent, put_id, &above, NULL));
    assert_string_equal(ia_buf_cstr(&above), "");
    ia_buf_fini(&above);
    ia_store_close(s);
}

/* A request that was in flight is counted by nobody, so it may have cost all that the run was allowed. */
static void
a_child_whose_process_died_counts_with_its_whole_share_until_it_goes_on(void **state)
{
    const struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct family f = rest(s);
    struct ia_below below;
    raw_sql(h->db, "UPDATE goals SET budget = '{\"max_usd\":0.75}'");
    assert_claimed(f.two, claim(s, "b"));
    assert_rc(IA_OK, move_run(s, f.two, IA_RUN_RUNNING, NULL));
    raw_sql(h->db,
            "UPDATE runs SET owner_pid = 1, owner_token = 'gone' WHERE state = 'running'");
    assert_rc(IA_OK, ia_store_recover(s, NULL, NULL));
    assert_rc(IA_OK, ia_store_below(s, f.parent, &below, NULL));
    assert_true(below.usd_max > 0.74 && below.usd_max < 0.76);
    /* Whoever takes it up again knows better. */
    const struct ia_usage_row used = {1, 2, 3, 4, 0.25, true};
    assert_claimed(f.two, claim(s, "b"));
    struct ia_tx *tx = begin(s);
    ia_tx_set_usage(tx, f.two, 1, &used);
    commit(tx);
    assert_rc(IA_OK, ia_store_below(s, f.parent, &below, NULL));
    assert_true(below.usd_max > 0.24 && below.usd_max < 0.26);
    ia_store_close(s);
}

static bool count_run(void *ctx, const struct ia_run_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return true;
}

static void a_list_may_leave_out_what_was_delegated(void **state)
{
    struct ia_store *s = home_open(*state);
    int all = 0, top = 0, unfinished = 0;
    int64_t count = 0;
    (void)rest(s);
    struct ia_run_filter filter = {.limit = 0};
    assert_rc(IA_OK, ia_store_runs(s, &filter, count_run, &all, NULL));
    filter.top = true;
    assert_rc(IA_OK, ia_store_runs(s, &filter, count_run, &top, NULL));
    assert_rc(IA_OK, ia_store_runs_count(s, &filter, &count, NULL));
    filter.state = "unfinished";
    assert_rc(IA_OK, ia_store_runs(s, &filter, count_run, &unfinished, NULL));
    assert_int_equal(all, 3);
    assert_int_equal(top, 1);
    assert_int_equal(count, 1);
    assert_int_equal(unfinished, 1);
    ia_store_close(s);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, home_make, home_remove)
    const struct CMUnitTest tests[] = {
        TEST(a_parent_is_claimed_only_when_its_last_child_is_over),
        TEST(a_lane_on_which_only_a_resting_parent_is_has_nothing_that_waits),
        TEST(a_child_goes_before_what_waited_longer),
        TEST(a_call_has_one_run_however_often_it_is_made),
        TEST(the_table_itself_refuses_a_second_run_of_a_call),
        TEST(a_parent_hears_of_each_child_that_ends),
        TEST(who_cancels_a_parent_cancels_what_it_waits_for),
        TEST(a_parent_that_was_asked_to_end_does_not_rest),
        TEST(what_is_below_a_run_is_counted_to_the_last_leaf),
        TEST(what_is_above_a_run_is_listed_nearest_first),
        TEST(a_child_whose_process_died_counts_with_its_whole_share_until_it_goes_on),
        TEST(a_list_may_leave_out_what_was_delegated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
