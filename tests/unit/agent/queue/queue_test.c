/* The order of runs on a virtual clock: claims are real transactions, the test plays the runs. */
#include "queue_rig.h"

#include <unistd.h>

static const int64_t START_MS = 1800000000000;

static void rig_open(struct rig *r, int max_runs)
{
    struct ia_err err = {0};
    r->dir = tmpdir_new();
    r->vc = ia_vclock_new(START_MS);
    struct ia_store_opts so = {.home = r->dir, .clock = ia_vclock_clock(r->vc)};
    assert_int_equal(ia_store_open(&so, &r->store, &err), IA_OK);
    struct ia_queue_opts qo = {
        .store = r->store, .clock = ia_vclock_clock(r->vc), .max_runs = max_runs};
    r->q = ia_queue_new(&qo, &err);
    assert_non_null(r->q);
}

static void rig_close(struct rig *r)
{
    ia_queue_free(r->q);
    ia_store_close(r->store);
    ia_vclock_free(r->vc);
    tmpdir_free(r->dir);
}

static bool take(struct rig *r, struct ia_queue_task *ret)
{
    bool took = false;
    assert_int_equal(ia_queue_take(r->q, &took, ret, NULL), IA_OK);
    if (took) {
        struct ia_tx *tx = begin(r);
        ia_run_move(tx, ret->run_id, IA_RUN_RUNNING, NULL, NULL);
        assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    }
    return took;
}

static bool nothing(struct rig *r)
{
    struct ia_queue_task task;
    return !take(r, &task);
}

static void pass(struct rig *r, const struct ia_queue_task *task)
{
    move(r, task->run_id, IA_RUN_PASSED, NULL);
    ia_queue_done(r->q, task);
}

/* The provider failed: the next try later, or the end after the last. */
static void break_down(struct rig *r, const struct ia_queue_task *task)
{
    struct ia_run_row *row = NULL;
    assert_int_equal(ia_store_run(r->store, task->run_id, &row, NULL), IA_OK);
    int64_t now = ia_wall_ms(ia_vclock_clock(r->vc));
    struct ia_run_moved moved = {.code = ia_rc_name(IA_E_API_OVERLOADED),
                                 .retry_at_ms = now + ia_retry_delay_ms(row->attempt, 0)};
    move(r, task->run_id, row->attempt < IA_TRIES_MAX ? IA_RUN_RETRY_WAIT : IA_RUN_ERROR,
         &moved);
    ia_run_row_free(row);
    ia_queue_done(r->q, task);
}

static void advance_ms(struct rig *r, int64_t ms)
{
    ia_vclock_advance(r->vc, ms * 1000);
}

static void is(const struct ia_queue_task *task, const struct run *run)
{
    assert_string_equal(task->run_id, run->id);
}

static void two_runs_of_a_lane_are_never_at_once(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 5);
    struct run first = add_goal(&r, "a"), second = add_goal(&r, "a");
    assert_true(take(&r, &task));
    is(&task, &first);
    assert_true(nothing(&r));
    pass(&r, &task);
    assert_true(take(&r, &task));
    is(&task, &second);
    pass(&r, &task);
    rig_close(&r);
}

static void with_two_places_the_third_lane_starts_when_one_finishes(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task a, b, c;
    rig_open(&r, 2);
    add_goal(&r, "a");
    add_goal(&r, "b");
    struct run third = add_goal(&r, "c");
    assert_true(take(&r, &a));
    assert_true(take(&r, &b));
    assert_true(nothing(&r));
    pass(&r, &a);
    assert_true(take(&r, &c));
    is(&c, &third);
    pass(&r, &b);
    pass(&r, &c);
    rig_close(&r);
}

static void a_scheduled_run_goes_before_a_follow_up_that_came_first(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    add_goal(&r, "a");
    assert_true(take(&r, &task));
    struct run follow = add(&r, "a", IA_RUN_FOLLOW_UP);
    struct run scheduled = add(&r, "a", IA_RUN_SCHEDULED);
    pass(&r, &task);
    assert_true(take(&r, &task));
    is(&task, &scheduled);
    pass(&r, &task);
    assert_true(take(&r, &task));
    is(&task, &follow);
    pass(&r, &task);
    rig_close(&r);
}

static void a_failed_run_is_tried_after_5_s_and_then_after_10_more(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    struct run run = add_goal(&r, "a");
    assert_true(take(&r, &task));
    break_down(&r, &task);
    advance_ms(&r, 4999);
    assert_true(nothing(&r));
    advance_ms(&r, 1);
    assert_true(take(&r, &task));
    is(&task, &run);
    break_down(&r, &task);
    advance_ms(&r, 9999);
    assert_true(nothing(&r));
    advance_ms(&r, 1);
    assert_true(take(&r, &task));
    pass(&r, &task);
    rig_close(&r);
}

static void nothing_starts_after_the_stop(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 1);
    assert_int_equal(ia_queue_stop(r.q, 0, NULL), IA_OK);
    add_goal(&r, "a");
    assert_true(nothing(&r));
    rig_close(&r);
}

static void a_run_that_always_fails_is_tried_six_times_and_never_again(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    struct run run = add_goal(&r, "a");
    int tries = 0;
    for (int second = 0; second < 160 + 200; second++) {
        while (take(&r, &task)) {
            tries++;
            break_down(&r, &task);
        }
        advance_ms(&r, 1000);
    }
    assert_int_equal(tries, 6);
    struct ia_run_row *row = NULL;
    assert_int_equal(ia_store_run(r.store, run.id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_RUN_ERROR);
    assert_int_equal(row->attempt, 6);
    ia_run_row_free(row);
    rig_close(&r);
}

static void a_waiting_lane_starts_when_a_place_is_free(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    add_goal(&r, "a");
    assert_true(take(&r, &task));
    struct run run = add_goal(&r, "b");
    assert_true(nothing(&r));
    pass(&r, &task);
    assert_true(take(&r, &task));
    is(&task, &run);
    pass(&r, &task);
    rig_close(&r);
}

static void a_scheduled_run_does_not_interrupt_an_active_run(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    add_goal(&r, "a");
    assert_true(take(&r, &task));
    add(&r, "a", IA_RUN_SCHEDULED);
    assert_true(nothing(&r));
    assert_false(ia_cancel_fired(task.cancel));
    assert_false(atomic_load(task.interrupt));
    pass(&r, &task);
    rig_close(&r);
}

/* A run that ended holds nothing: there is no idle run to close. */
static void a_scheduled_run_starts_at_once_and_once_where_the_last_run_ended(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    add_goal(&r, "a");
    assert_true(take(&r, &task));
    pass(&r, &task);
    assert_true(nothing(&r));
    struct run run = add(&r, "a", IA_RUN_SCHEDULED);
    assert_true(take(&r, &task));
    is(&task, &run);
    assert_true(nothing(&r));
    pass(&r, &task);
    assert_true(nothing(&r));
    rig_close(&r);
}

static enum ia_rc say(struct rig *r, const char *id, const char *text)
{
    struct ia_tx *tx = begin(r);
    ia_tx_say(tx, id, "somebody", ia_str(text));
    return ia_tx_commit(tx, NULL);
}

static bool count_message(void *ctx, const struct ia_inbox_row *row)
{
    (void)row;
    (*(int *)ctx)++;
    return true;
}

static int pending(struct rig *r, const char *id)
{
    int n = 0;
    assert_int_equal(ia_store_inbox(r->store, id, count_message, &n, NULL), IA_OK);
    return n;
}

static void a_message_reaches_the_active_run_which_a_later_run_does_not_preempt(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    struct run run = add_goal(&r, "a");
    assert_true(take(&r, &task));
    assert_int_equal(say(&r, run.id, "also this"), IA_OK);
    add(&r, "a", IA_RUN_SCHEDULED);
    assert_true(nothing(&r));
    assert_false(ia_cancel_fired(task.cancel));
    assert_int_equal(pending(&r, run.id), 1);
    pass(&r, &task);
    rig_close(&r);
}

static void a_scheduled_run_takes_no_messages(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    struct run run = add(&r, "a", IA_RUN_SCHEDULED);
    assert_true(take(&r, &task));
    assert_int_equal(say(&r, run.id, "hello"), IA_E_STATE);
    assert_int_equal(pending(&r, run.id), 0);
    pass(&r, &task);
    rig_close(&r);
}

static void work_queued_before_a_run_ends_starts_exactly_once_after_it(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 2);
    add_goal(&r, "a");
    assert_true(take(&r, &task));
    struct run run = add(&r, "a", IA_RUN_SCHEDULED);
    pass(&r, &task);
    ia_queue_wake(r.q, "a");
    ia_queue_wake(r.q, NULL);
    assert_true(take(&r, &task));
    is(&task, &run);
    assert_true(nothing(&r));
    pass(&r, &task);
    assert_true(nothing(&r));
    rig_close(&r);
}

static void the_same_work_is_refused_while_it_is_pending_or_running(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    struct run run, other;
    rig_open(&r, 1);
    assert_int_equal(try_add(&r, "a", IA_RUN_SCHEDULED, "nightly", &run), IA_OK);
    assert_int_equal(try_add(&r, "a", IA_RUN_SCHEDULED, "nightly", &other), IA_E_EXISTS);
    assert_true(take(&r, &task));
    assert_int_equal(try_add(&r, "a", IA_RUN_SCHEDULED, "nightly", &other), IA_E_EXISTS);
    pass(&r, &task);
    assert_true(nothing(&r));
    assert_int_equal(try_add(&r, "a", IA_RUN_SCHEDULED, "nightly", &run), IA_OK);
    assert_true(take(&r, &task));
    pass(&r, &task);
    rig_close(&r);
}

static void work_added_during_the_backoff_does_not_overtake_it(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    struct run run = add_goal(&r, "a");
    assert_true(take(&r, &task));
    break_down(&r, &task);
    int tries = 1;
    for (int second = 0; second < 400; second++) {
        add(&r, "a", IA_RUN_FOLLOW_UP);
        if (take(&r, &task)) {
            if (strcmp(task.run_id, run.id) != 0) {
                pass(&r, &task);
                break;
            }
            tries++;
            break_down(&r, &task);
        }
        advance_ms(&r, 1000);
    }
    assert_int_equal(tries, 6);
    rig_close(&r);
}

static void a_lane_that_refills_itself_leaves_room_for_another(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    add_goal(&r, "greedy");
    add_goal(&r, "other");
    bool served = false;
    for (int i = 0; i < 3 && !served; i++) {
        assert_true(take(&r, &task));
        served = strcmp(task.lane, "other") == 0;
        pass(&r, &task);
        add_goal(&r, "greedy");
    }
    assert_true(served);
    rig_close(&r);
}

static void scheduled_runs_do_not_starve_a_follow_up(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    struct run follow = add(&r, "a", IA_RUN_FOLLOW_UP);
    int before = -1;
    for (int i = 0; i < 10 && before < 0; i++) {
        add(&r, "a", IA_RUN_SCHEDULED);
        add(&r, "a", IA_RUN_SCHEDULED);
        assert_true(take(&r, &task));
        before = strcmp(task.run_id, follow.id) == 0 ? i : -1;
        pass(&r, &task);
    }
    assert_int_equal(before, IA_SCHEDULED_STREAK_MAX);
    rig_close(&r);
}

static void a_retry_gates_only_its_own_lane(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    rig_open(&r, 1);
    add_goal(&r, "a");
    assert_true(take(&r, &task));
    break_down(&r, &task);
    struct run other = add_goal(&r, "b");
    assert_true(take(&r, &task));
    is(&task, &other);
    pass(&r, &task);
    rig_close(&r);
}

/* The lowest number that is free: the same again where everything that was opened was closed. */
static int free_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    assert_int_equal(close(fd), 0);
    return fd;
}

static void a_lane_without_work_keeps_no_descriptors(void **state)
{
    (void)state;
    struct rig r;
    struct ia_queue_task task;
    char lane[16];
    rig_open(&r, 1);
    add_goal(&r, "first");
    assert_true(take(&r, &task));
    pass(&r, &task);
    assert_true(nothing(&r));
    int before = free_descriptor();
    for (int i = 0; i < 20; i++) {
        (void)snprintf(lane, sizeof(lane), "lane%d", i);
        add_goal(&r, lane);
        assert_true(take(&r, &task));
        pass(&r, &task);
        assert_true(nothing(&r));
    }
    assert_int_equal(free_descriptor(), before);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_of_a_lane_are_never_at_once),
        cmocka_unit_test(with_two_places_the_third_lane_starts_when_one_finishes),
        cmocka_unit_test(a_scheduled_run_goes_before_a_follow_up_that_came_first),
        cmocka_unit_test(a_failed_run_is_tried_after_5_s_and_then_after_10_more),
        cmocka_unit_test(nothing_starts_after_the_stop),
        cmocka_unit_test(a_run_that_always_fails_is_tried_six_times_and_never_again),
        cmocka_unit_test(a_waiting_lane_starts_when_a_place_is_free),
        cmocka_unit_test(a_scheduled_run_does_not_interrupt_an_active_run),
        cmocka_unit_test(a_scheduled_run_starts_at_once_and_once_where_the_last_run_ended),
        cmocka_unit_test(a_message_reaches_the_active_run_which_a_later_run_does_not_preempt),
        cmocka_unit_test(a_scheduled_run_takes_no_messages),
        cmocka_unit_test(work_queued_before_a_run_ends_starts_exactly_once_after_it),
        cmocka_unit_test(the_same_work_is_refused_while_it_is_pending_or_running),
        cmocka_unit_test(work_added_during_the_backoff_does_not_overtake_it),
        cmocka_unit_test(a_lane_that_refills_itself_leaves_room_for_another),
        cmocka_unit_test(scheduled_runs_do_not_starve_a_follow_up),
        cmocka_unit_test(a_retry_gates_only_its_own_lane),
        cmocka_unit_test(a_lane_without_work_keeps_no_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
