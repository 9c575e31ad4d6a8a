/* Several processes serve one queue, one of them is killed, and the wall clock jumps. */
#include "child.h"
#include "home.h"

#include "store/queue.h"

#include <unistd.h>

enum { RUNS = 200, WORKERS = 2, LANES = 4, HOUR_MS = 3600000 };

/* ---- claims ------------------------------------------------------------------------------ */

static void fill_pool(struct ia_store *s, int n)
{
    for (int i = 0; i < n; i++) {
        char id[IA_ID_SIZE];
        add_run(s, "pool", id);
    }
}

static struct ia_claimed claim_for(struct ia_store *s, const char *lane)
{
    struct ia_claimed got = {.why = IA_CLAIM_NONE};
    struct ia_tx *tx = begin(s);
    ia_tx_claim(tx, &(struct ia_claim){.lane = lane, .pool = "pool"}, &got);
    commit(tx);
    return got;
}

/* Works the pool off on its own lanes; stops to be killed after `until` runs (0: never). */
struct worker {
    const struct home *home;
    char name;
    int until;
};

static int work(void *ctx, int in, int out)
{
    const struct worker *w = ctx;
    struct ia_store *s = home_open_as(w->home, NULL, 30000);
    char lane[8];
    int done = 0, idle = 0;
    (void)hear(in);
    for (int i = 0; idle < LANES; i++) {
        snprintf(lane, sizeof(lane), "%c%d", w->name, i % LANES);
        struct ia_claimed got = claim_for(s, lane);
        if (got.why != IA_CLAIM_RUN) {
            idle++;
            continue;
        }
        idle = 0;
        (void)move_run(s, got.run_id, IA_RUN_RUNNING, NULL);
        if (w->until > 0 && ++done == w->until) {
            (void)claim_for(s, w->name == 'x' ? "x-claimed" : "y-claimed");
            tell(out, 'y');
            (void)hear(in);
        }
        (void)move_run(s, got.run_id, IA_RUN_PASSED, NULL);
    }
    ia_store_close(s);
    return 0;
}

static void processes_claim_each_run_once(void **state)
{
    struct home *h = *state;
    struct worker w[WORKERS] = {{h, 'x', 0}, {h, 'y', 0}};
    struct child c[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        c[i] = child_start(work, &w[i]);
    }
    struct ia_store *s = home_open_as(h, NULL, 30000);
    fill_pool(s, RUNS);
    for (int i = 0; i < WORKERS; i++) {
        child_go(&c[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(child_wait(&c[i]), 0);
    }
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs WHERE state = 'passed'"), RUNS);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM events WHERE type = 'run.claimed'"),
                     RUNS);
    assert_int_equal(raw_int(h->db, "SELECT count(DISTINCT run_id) FROM events "
                                    "WHERE type = 'run.claimed'"),
                     RUNS);
    assert_true(raw_int(h->db, "SELECT min(n) FROM (SELECT count(*) AS n FROM runs "
                               "GROUP BY substr(lane, 1, 1))") > 0);
    ia_store_close(s);
}

static void what_a_killed_process_claimed_comes_back_and_is_done_once(void **state)
{
    struct home *h = *state;
    struct worker w[WORKERS] = {{h, 'x', 30}, {h, 'y', 30}};
    struct child c[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        c[i] = child_start(work, &w[i]);
    }
    struct ia_store *s = home_open_as(h, NULL, 30000);
    fill_pool(s, RUNS);
    for (int i = 0; i < WORKERS; i++) {
        child_go(&c[i]);
        assert_int_equal(child_byte(&c[i]), 'y');
    }
    int back = -1;
    assert_rc(IA_OK, ia_store_recover(s, &back, NULL));
    assert_int_equal(back, 0);
    child_kill(&c[0]);
    assert_rc(IA_OK, ia_store_recover(s, &back, NULL));
    assert_int_equal(back, 2); /* one claimed, one running */
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM events WHERE type = "
                                    "'run.interrupted'"),
                     2);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs WHERE state = 'running' "
                                    "AND lane LIKE 'y%'"),
                     1);
    child_go(&c[1]);
    assert_int_equal(child_wait(&c[1]), 0);
    assert_rc(IA_OK, ia_store_recover(s, &back, NULL));
    assert_int_equal(back, 1); /* what the other one had claimed when it ended */
    assert_int_equal(claim_for(s, "z").why, IA_CLAIM_RUN);
    assert_int_equal(claim_for(s, "z2").why, IA_CLAIM_NONE);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs WHERE state = 'passed'"),
                     RUNS - 1);
    assert_int_equal(raw_int(h->db,
                             "SELECT max(n) FROM (SELECT count(*) AS n FROM events WHERE "
                             "json ->> 'to' = 'passed' GROUP BY run_id)"),
                     1);
    ia_store_close(s);
}

static int open_and_wait(void *ctx, int in, int out)
{
    struct ia_store *s = home_open(ctx);
    tell(out, 'y');
    int heard = hear(in);
    ia_store_close(s);
    return heard;
}

static void a_pid_that_belongs_to_another_process_now_does_not_keep_a_claim(void **state)
{
    struct home *h = *state;
    struct child other = child_start(open_and_wait, h);
    assert_int_equal(child_byte(&other), 'y');
    struct ia_store *s = home_open(h);
    char sql[200], id[IA_ID_SIZE];
    int back = 0;
    start_run(s, "a", id);
    snprintf(sql, sizeof(sql), "UPDATE runs SET owner_pid = %lld", (long long)other.pid);
    raw_sql(h->db, sql); /* its pid, but our token: an earlier process had it */
    assert_rc(IA_OK, ia_store_recover(s, &back, NULL));
    assert_int_equal(back, 1);
    child_go(&other);
    (void)child_wait(&other);
    ia_store_close(s);
}

/* ---- the wall clock ---------------------------------------------------------------------- */

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
    w->now_ms = 1790000000000;
    w->clock = (struct ia_clock){.mono_us = world_mono, .wall_ms = world_wall, .ctx = w};
    assert_rc(IA_OK, ia_store_open(&(struct ia_store_opts){.home = h->dir, .clock = &w->clock},
                                   &w->s, NULL));
}

static void a_clock_that_goes_back_changes_neither_the_order_nor_who_holds_what(void **state)
{
    struct home *h = *state;
    struct world w;
    struct ia_lease *lease = NULL, *second = NULL;
    struct ia_err err;
    char first[IA_ID_SIZE], later[IA_ID_SIZE];
    int back = -1;
    world_open(&w, h);
    add_run(w.s, "a", first);
    w.now_ms -= HOUR_MS;
    add_run(w.s, "a", later); /* younger, although its id and time are smaller */
    struct ia_claimed got = claim_for(w.s, "a");
    assert_string_equal(got.run_id, first);
    w.now_ms += HOUR_MS;
    assert_rc(IA_OK, ia_lease_take(w.s, "a", first, 10000, &lease, NULL));
    assert_rc(IA_OK, move_run(w.s, first, IA_RUN_RUNNING, NULL));
    w.now_ms -= HOUR_MS;
    assert_rc(IA_OK, ia_store_heartbeat(w.s, first, NULL, NULL));
    assert_rc(IA_OK, ia_lease_renew(lease, 10000, &err));
    assert_rc(IA_E_BUSY, ia_lease_take(w.s, "a", NULL, 10000, &second, &err));
    assert_contains(err.msg, "for 0 s");
    assert_rc(IA_OK, ia_store_recover(w.s, &back, NULL));
    assert_int_equal(back, 0);
    assert_int_equal(claim_for(w.s, "a").why, IA_CLAIM_BUSY);
    assert_rc(IA_OK, move_run(w.s, first, IA_RUN_PASSED, NULL));
    ia_lease_release(lease);
    assert_rc(IA_OK, ia_lease_take(w.s, "a", later, 10000, &lease, NULL));
    ia_lease_release(lease);
    assert_string_equal(claim_for(w.s, "a").run_id, later);
    ia_store_close(w.s);
}

static void a_clock_that_goes_forward_takes_nothing_from_a_live_process(void **state)
{
    struct home *h = *state;
    struct world w;
    struct ia_lease *lease = NULL, *second = NULL;
    char id[IA_ID_SIZE];
    int back = -1;
    world_open(&w, h);
    add_run(w.s, "a", id);
    assert_int_equal(claim_for(w.s, "a").why, IA_CLAIM_RUN);
    assert_rc(IA_OK, ia_lease_take(w.s, "a", id, 10000, &lease, NULL));
    w.now_ms += HOUR_MS;
    assert_rc(IA_OK, ia_store_recover(w.s, &back, NULL));
    assert_int_equal(back, 0);
    assert_int_equal(claim_for(w.s, "a").why, IA_CLAIM_BUSY);
    assert_rc(IA_E_BUSY, ia_lease_take(w.s, "a", NULL, 10000, &second, NULL));
    assert_rc(IA_OK, ia_lease_renew(lease, 10000, NULL));
    ia_lease_release(lease);
    ia_store_close(w.s);
}

static void a_retry_comes_once_however_often_the_clock_jumps(void **state)
{
    struct home *h = *state;
    struct world w;
    char id[IA_ID_SIZE];
    int claims = 0;
    world_open(&w, h);
    add_run(w.s, "a", id);
    assert_int_equal(claim_for(w.s, "a").why, IA_CLAIM_RUN);
    struct ia_tx *tx = begin(w.s);
    ia_run_move(tx, id, IA_RUN_RETRY_WAIT,
                &(struct ia_run_moved){.retry_at_ms = w.now_ms + 40000}, NULL);
    commit(tx);
    static const int64_t jumps_ms[] = {-HOUR_MS, 10000,       HOUR_MS / 2, -HOUR_MS, 39000,
                                       -HOUR_MS, 2 * HOUR_MS, -HOUR_MS,    HOUR_MS};
    for (size_t i = 0; i < IA_COUNTOF(jumps_ms); i++) {
        w.now_ms += jumps_ms[i];
        claims += claim_for(w.s, "a").why == IA_CLAIM_RUN;
    }
    assert_int_equal(claims, 1);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(w.s, id, &row, NULL));
    assert_int_equal(row->attempt, 2);
    ia_run_row_free(row);
    ia_store_close(w.s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(processes_claim_each_run_once),
        T(what_a_killed_process_claimed_comes_back_and_is_done_once),
        T(a_pid_that_belongs_to_another_process_now_does_not_keep_a_claim),
        T(a_clock_that_goes_back_changes_neither_the_order_nor_who_holds_what),
        T(a_clock_that_goes_forward_takes_nothing_from_a_live_process),
        T(a_retry_comes_once_however_often_the_clock_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
