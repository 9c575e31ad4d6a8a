/* The worker threads: pools, dedicated lanes, stopping, serving. */
#include "queue_rig.h"

struct workers {
    struct rig r;
    atomic_int done, now, most;
    atomic_bool hold;
};

static void work(void *ctx, const struct ia_queue_task *task)
{
    struct workers *c = ctx;
    int now = atomic_fetch_add(&c->now, 1) + 1;
    int most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now)) {
    }
    move(&c->r, task->run_id, IA_RUN_RUNNING, NULL);
    while (atomic_load(&c->hold) && !ia_cancel_fired(task->cancel)) {
        (void)ia_clock_wait(ia_clock_system(), task->cancel, IA_NO_DEADLINE);
    }
    bool back = atomic_load(task->interrupt);
    move(&c->r, task->run_id, back ? IA_RUN_QUEUED : IA_RUN_PASSED, NULL);
    atomic_fetch_sub(&c->now, 1);
    atomic_fetch_add(&c->done, 1);
}

static void workers_open(struct workers *c, int max_runs)
{
    struct ia_err err = {0};
    *c = (struct workers){.r.dir = tmpdir_new()};
    struct ia_store_opts so = {.home = c->r.dir};
    assert_int_equal(ia_store_open(&so, &c->r.store, &err), IA_OK);
    struct ia_queue_opts qo = {
        .store = c->r.store, .max_runs = max_runs, .work = work, .ctx = c, .pool = "pool"};
    c->r.q = ia_queue_new(&qo, &err);
    assert_non_null(c->r.q);
}

static void workers_close(struct workers *c)
{
    ia_queue_free(c->r.q);
    ia_store_close(c->r.store);
    tmpdir_free(c->r.dir);
}

static bool count_run(void *ctx, const struct ia_run_row *row)
{
    (void)row;
    (*(int *)ctx)++;
    return true;
}

static int in_state(struct workers *c, const char *name)
{
    int n = 0;
    struct ia_run_filter f = {.limit = IA_RUN_LIST_MAX, .state = name};
    assert_int_equal(ia_store_runs(c->r.store, &f, count_run, &n, NULL), IA_OK);
    return n;
}

static void a_pool_is_emptied_by_all_its_lanes_and_no_more_than_allowed_at_once(void **state)
{
    (void)state;
    enum { RUNS = 200, LANES = 8, AT_ONCE = 3 };
    struct workers c;
    struct ia_err err = {0};
    workers_open(&c, AT_ONCE);
    struct ia_tx *tx = begin(&c.r);
    for (int i = 0; i < RUNS; i++) {
        char id[IA_ID_SIZE];
        struct ia_run_new run = {.goal = "g", .model = "m", .lane = "pool", .demo = true};
        ia_tx_add_run(tx, &run, id);
    }
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    for (int i = 0; i < LANES; i++) {
        char lane[24];
        (void)snprintf(lane, sizeof(lane), "lane-%d", i);
        ia_queue_add_lane(c.r.q, lane);
    }
    assert_int_equal(ia_queue_start(c.r.q, &err), IA_OK);
    enum ia_served served = IA_SERVED_UNTIL;
    assert_int_equal(ia_queue_serve(c.r.q, NULL, INT64_MAX, true, &served, &err), IA_OK);
    assert_int_equal(served, IA_SERVED_EMPTY);
    assert_int_equal(ia_queue_stop(c.r.q, 10000, &err), IA_OK);
    assert_int_equal(atomic_load(&c.done), RUNS);
    assert_true(atomic_load(&c.most) <= AT_ONCE);
    assert_int_equal(in_state(&c, "passed"), RUNS);
    workers_close(&c);
}

static void add_waiting(struct workers *c, const char *lane)
{
    char id[IA_ID_SIZE];
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = lane, .demo = true};
    struct ia_tx *tx = begin(&c->r);
    ia_tx_add_run(tx, &run, id);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    ia_queue_wake(c->r.q, NULL);
}

static void a_dedicated_lane_runs_nothing_of_the_pool(void **state)
{
    (void)state;
    struct workers c;
    struct ia_queue_task task;
    struct ia_err err = {0};
    bool took = true;
    workers_open(&c, 2);
    ia_queue_add_dedicated_lane(c.r.q, "mine");
    add_waiting(&c, "pool");
    assert_int_equal(ia_queue_take(c.r.q, &took, &task, &err), IA_OK);
    assert_false(took);
    add_waiting(&c, "mine");
    assert_int_equal(ia_queue_take(c.r.q, &took, &task, &err), IA_OK);
    assert_true(took);
    assert_string_equal(task.lane, "mine");
    ia_queue_done(c.r.q, &task);
    workers_close(&c);
}

static void add_goals(struct workers *c, const char *lanes, int n)
{
    for (int i = 0; i < n; i++) {
        char lane[24];
        (void)snprintf(lane, sizeof(lane), "%s-%d", lanes, i);
        add_goal(&c->r, lane);
    }
}

static void a_stop_sends_active_runs_back_to_the_queue(void **state)
{
    (void)state;
    struct workers c;
    struct ia_err err = {0};
    workers_open(&c, 2);
    atomic_store(&c.hold, true);
    add_goals(&c, "lane", 3);
    assert_int_equal(ia_queue_start(c.r.q, &err), IA_OK);
    while (atomic_load(&c.now) < 2) { /* both places are taken */
        enum ia_served served;
        int64_t soon = ia_wall_ms(ia_clock_system()) + 1;
        assert_int_equal(ia_queue_serve(c.r.q, NULL, soon, false, &served, &err), IA_OK);
    }
    assert_int_equal(ia_queue_stop(c.r.q, 10000, &err), IA_OK);
    assert_int_equal(in_state(&c, "queued"), 3);
    workers_close(&c);
}

static void take_expecting(struct workers *c, bool want, struct ia_queue_task *task)
{
    bool took = !want;
    assert_int_equal(ia_queue_take(c->r.q, &took, task, NULL), IA_OK);
    assert_int_equal(took, want);
}

static void the_number_at_once_can_be_changed_while_runs_are_in_hand(void **state)
{
    (void)state;
    struct workers c;
    struct ia_err err = {0};
    struct ia_queue_task task[4];
    workers_open(&c, 1);
    add_goals(&c, "by hand", 4);
    take_expecting(&c, true, &task[0]);
    take_expecting(&c, false, &task[1]);
    ia_queue_set_max_runs(c.r.q, 3);
    take_expecting(&c, true, &task[1]);
    take_expecting(&c, true, &task[2]);
    ia_queue_set_max_runs(c.r.q, 1);
    take_expecting(&c, false, &task[3]);
    for (int i = 0; i < 2; i++) {
        ia_queue_done(c.r.q, &task[i]);
        take_expecting(&c, false, &task[3]);
    }
    ia_queue_done(c.r.q, &task[2]);
    take_expecting(&c, true, &task[3]);
    ia_queue_done(c.r.q, &task[3]);
    /* The threads are as many, and those that are too many sleep. */
    add_goals(&c, "by threads", 4);
    atomic_store(&c.hold, true);
    ia_queue_set_max_runs(c.r.q, 2);
    assert_int_equal(ia_queue_start(c.r.q, &err), IA_OK);
    ia_queue_set_max_runs(c.r.q, 4);
    while (atomic_load(&c.now) < 4) {
        enum ia_served served;
        int64_t soon = ia_wall_ms(ia_clock_system()) + 1;
        assert_int_equal(ia_queue_serve(c.r.q, NULL, soon, false, &served, &err), IA_OK);
    }
    ia_queue_set_max_runs(c.r.q, 1);
    assert_int_equal(ia_queue_stop(c.r.q, 10000, &err), IA_OK);
    ia_queue_set_max_runs(c.r.q, 8); /* too late, and no harm */
    assert_int_equal(atomic_load(&c.most), 4);
    workers_close(&c);
}

static void serving_ends_when_its_token_fires(void **state)
{
    (void)state;
    struct workers c;
    struct ia_err err = {0};
    workers_open(&c, 1);
    struct ia_cancel *cancel = ia_cancel_new(&err);
    assert_non_null(cancel);
    ia_cancel_fire(cancel);
    enum ia_served served = IA_SERVED_UNTIL;
    assert_int_equal(ia_queue_serve(c.r.q, cancel, INT64_MAX, false, &served, &err), IA_OK);
    assert_int_equal(served, IA_SERVED_CANCELLED);
    ia_cancel_free(cancel);
    workers_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_is_emptied_by_all_its_lanes_and_no_more_than_allowed_at_once),
        cmocka_unit_test(a_dedicated_lane_runs_nothing_of_the_pool),
        cmocka_unit_test(a_stop_sends_active_runs_back_to_the_queue),
        cmocka_unit_test(the_number_at_once_can_be_changed_while_runs_are_in_hand),
        cmocka_unit_test(serving_ends_when_its_token_fires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
