#include "home.h"

#include "store/watch.h"

static int64_t begin_reading(struct ia_store *s)
{
    struct ia_err err;
    int64_t last = -1;
    assert_rc(ia_store_read_begin(s, &last, &err), IA_OK);
    return last;
}

static bool count_run(void *ctx, const struct ia_run_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return true;
}

static int runs_of(struct ia_store *s)
{
    const struct ia_run_filter all = {.limit = 0};
    struct ia_err err;
    int n = 0;
    assert_rc(ia_store_runs(s, &all, count_run, &n, &err), IA_OK);
    return n;
}

static void reads_that_belong_together_see_one_state(void **state)
{
    const struct home *h = *state;
    struct ia_store *s = home_open(h), *other = home_open_as(h, "other", 1000);
    char id[IA_ID_SIZE];
    add_run(s, "embedded:a", id);
    int64_t as_of = begin_reading(s);
    assert_true(as_of > 0);
    assert_int_equal(runs_of(s), 1);
    add_run(other, "embedded:a", id); /* by another process, and by this one */
    add_run(s, "embedded:a", id);
    assert_int_equal(runs_of(s), 1);
    ia_store_read_end(s);
    assert_int_equal(runs_of(s), 3);
    assert_true(begin_reading(s) > as_of);
    ia_store_read_end(s);
    ia_store_close(other);
    ia_store_close(s);
}

static void a_watch_sees_commits_of_every_connection(void **state)
{
    const struct home *h = *state;
    struct ia_store *s = home_open(h), *other = home_open_as(h, "other", 1000);
    struct ia_store_watch *w = NULL;
    struct ia_err err;
    char id[IA_ID_SIZE];
    int64_t first = 0, second = 0, third = 0, again = 0;
    add_run(s, "embedded:a", id);
    assert_rc(ia_store_watch_open(s, &w, &err), IA_OK);
    assert_rc(ia_store_watch_newest(w, &first, &err), IA_OK);
    add_run(s, "embedded:a", id);
    assert_rc(ia_store_watch_newest(w, &second, &err), IA_OK);
    add_run(other, "embedded:a", id);
    assert_rc(ia_store_watch_newest(w, &third, &err), IA_OK);
    assert_rc(ia_store_watch_newest(w, &again, &err), IA_OK);
    assert_true(0 < first && first < second && second < third);
    assert_int_equal(third, again);
    ia_store_watch_close(w);
    ia_store_close(other);
    ia_store_close(s);
}

static bool keep_last(void *ctx, const struct ia_event_row *row)
{
    *(int64_t *)ctx = row->id;
    return true;
}

static void events_of_a_lane_are_listed_and_counted(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    char a[IA_ID_SIZE], b[IA_ID_SIZE];
    int n = 0;
    int64_t last = 0, after = 0;
    for (int i = 0; i < 3; i++) {
        add_run(s, "embedded:a", a);
    }
    add_run(s, "embedded:b", b);
    const struct ia_event_range lane = {.lane = "embedded:b", .limit = 10};
    assert_rc(ia_store_events(s, &lane, keep_last, &last, &after, &err), IA_OK);
    assert_true(last == after && last > 3);
    assert_rc(ia_store_events_count(s, &lane, &n, &err), IA_OK);
    assert_int_equal(n, 1);
    const struct ia_event_range run = {.run_id = a, .limit = 10};
    assert_rc(ia_store_events_count(s, &run, &n, &err), IA_OK);
    assert_int_equal(n, 1);
    const struct ia_event_range some = {.limit = 2};
    assert_rc(ia_store_events_count(s, &some, &n, &err), IA_OK);
    assert_int_equal(n, 2);
    ia_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_that_belong_together_see_one_state, home_make,
                                        home_remove),
        cmocka_unit_test_setup_teardown(a_watch_sees_commits_of_every_connection, home_make,
                                        home_remove),
        cmocka_unit_test_setup_teardown(events_of_a_lane_are_listed_and_counted, home_make,
                                        home_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
