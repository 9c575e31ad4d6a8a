/* When commits reach the disk: in order, several by one sync, and never again after one that failed. */
#include "faultvfs.h"
#include "home.h"

#include "store/impl.h"

#include <pthread.h>
#include <sched.h>

static const struct ia_event_notice notice = {.text = {"test", 4}};

struct stage {
    struct home *home;
    struct ia_store *s;
    char run[IA_ID_SIZE];
    struct ia_err err;
};

static struct stage stage_open(void **state)
{
    faultvfs_install();
    struct stage g = {.home = *state, .s = home_open(*state)};
    start_run(g.s, "a", g.run);
    return g;
}

static struct ia_tx *begin_event(struct stage *g)
{
    struct ia_tx *tx = NULL;
    assert_rc(IA_OK, ia_tx_begin(g->s, &tx, &g->err));
    ia_tx_add_event(tx, g->run, IA_EVENT(&notice), NULL);
    return tx;
}

static enum ia_rc add_event(struct stage *g)
{
    return ia_tx_commit(begin_event(g), &g->err);
}

static uint64_t add_event_soon(struct stage *g)
{
    uint64_t number = 0;
    assert_rc(IA_OK, ia_tx_commit_soon(begin_event(g), &number, &g->err));
    ia_store_sync_soon(g->s, number);
    return number;
}

static int64_t events(const struct stage *g)
{
    return raw_int(g->home->db, "SELECT count(*) FROM events WHERE type = 'notice'");
}

static void *release_later(void *arg)
{
    struct ia_store *s = arg;
    /* Somebody waits for the sync, which began. */
    while (ia_durable_has_room(&s->durable)) {
        sched_yield();
    }
    (void)faultvfs_hold(false);
    return NULL;
}

static void a_commit_that_is_not_waited_for_is_there_before_the_disk_has_it(void **state)
{
    struct stage g = stage_open(state);
    int syncs = faultvfs_hold(true);
    uint64_t first = add_event_soon(&g);
    uint64_t second = add_event_soon(&g);
    assert_int_equal(events(&g), 2);
    assert_true(first > 0 && second == first + 1);
    assert_true(g.s->durable.synced < first);
    assert_rc(IA_OK, ia_store_await(g.s, 0, &g.err));
    (void)faultvfs_hold(false);
    assert_rc(IA_OK, ia_store_await(g.s, second, &g.err));
    assert_true(g.s->durable.synced >= second);
    assert_true(faultvfs_hold(false) > syncs);
    ia_store_close(g.s);
}

static void no_more_commits_are_on_their_way_than_a_log_can_lose(void **state)
{
    struct stage g = stage_open(state);
    struct ia_tx *tx = NULL;
    pthread_t thread;
    (void)faultvfs_hold(true);
    uint64_t last = 0;
    for (int i = 0; i < IA_UNSYNCED_MAX; i++) {
        assert_true(ia_durable_has_room(&g.s->durable));
        last = add_event_soon(&g);
    }
    assert_rc(IA_E_DB_LOCKED, ia_tx_begin_at_once(g.s, &tx, &g.err));
    assert_int_equal(pthread_create(&thread, NULL, release_later, g.s), 0);
    uint64_t next = add_event_soon(&g); /* waits for the release */
    assert_true(next == last + 1 && g.s->durable.synced + IA_UNSYNCED_MAX >= next);
    pthread_join(thread, NULL);
    ia_store_close(g.s);
}

static void one_sync_covers_what_was_committed_before_it(void **state)
{
    struct stage g = stage_open(state);
    (void)add_event_soon(&g);
    uint64_t last = add_event_soon(&g);
    assert_rc(IA_OK, ia_store_await(g.s, last, &g.err));
    int syncs = faultvfs_hold(false);
    assert_rc(IA_OK, ia_store_await(g.s, last - 1, &g.err));
    assert_rc(IA_OK, ia_store_await(g.s, last, &g.err));
    assert_int_equal(faultvfs_hold(false), syncs);
    assert_rc(IA_OK, add_event(&g));
    assert_int_equal(faultvfs_hold(false), syncs + 1);
    ia_store_close(g.s);
}

static void who_finds_that_another_process_has_written_syncs_first(void **state)
{
    struct stage g = stage_open(state);
    struct ia_store *other = home_open(g.home);
    struct ia_tx *tx = NULL;
    assert_rc(IA_OK, ia_tx_begin(other, &tx, &g.err));
    ia_tx_rollback(tx);
    assert_rc(IA_OK, add_event(&g));
    int syncs = faultvfs_hold(false);
    assert_rc(IA_OK, ia_tx_begin(other, &tx, &g.err));
    assert_int_equal(faultvfs_hold(false), syncs + 1);
    ia_tx_add_event(tx, g.run, IA_EVENT(&notice), NULL);
    commit(tx);
    syncs = faultvfs_hold(false);
    assert_rc(IA_OK, ia_tx_begin(other, &tx, &g.err)); /* nobody else has since */
    assert_int_equal(faultvfs_hold(false), syncs);
    ia_tx_rollback(tx);
    ia_store_close(other);
    ia_store_close(g.s);
}

/* ---- a sync that fails -------------------------------------------------------------------------- */

static void expect_closed_to_writers(struct stage *g)
{
    struct ia_tx *tx = NULL;
    for (int i = 0; i < 2; i++) { /* the disk works again, and nobody is to believe it */
        g->err = (struct ia_err){0};
        assert_rc(IA_E_DB, ia_tx_begin(g->s, &tx, &g->err));
        assert_contains(g->err.msg, g->home->db);
        assert_contains(g->err.msg, "could not be made durable");
        assert_contains(g->err.hint, "start it again");
        assert_false(g->err.retry_safe);
    }
}

static void expect_open_again(struct stage *g, int64_t before)
{
    ia_store_close(g->s);
    g->s = home_open(g->home);
    assert_rc(IA_OK, ia_store_check(g->s, &g->err));
    assert_rc(IA_OK, add_event(g));
    assert_int_equal(events(g), before + 1);
    ia_store_close(g->s);
}

static void after_a_sync_that_failed_nothing_is_written(void **state)
{
    struct stage g = stage_open(state);
    assert_rc(IA_OK, add_event(&g));
    faultvfs_arm(FAULT_SYNC, 1);
    assert_rc(IA_E_DB, add_event(&g));
    (void)faultvfs_heal();
    expect_closed_to_writers(&g);
    expect_open_again(&g, 2); /* it was in the log */
}

static void whoever_waits_for_a_commit_learns_that_its_sync_failed(void **state)
{
    struct stage g = stage_open(state);
    assert_rc(IA_OK, add_event(&g));
    faultvfs_arm(FAULT_SYNC, 1);
    uint64_t number = add_event_soon(&g);
    assert_rc(IA_E_DB, ia_store_await(g.s, number, &g.err));
    (void)faultvfs_heal();
    assert_rc(IA_E_DB, ia_store_await(g.s, number, &g.err));
    assert_rc(IA_OK, ia_store_await(g.s, number - 1, &g.err));
    expect_closed_to_writers(&g);
    expect_open_again(&g, 2);
}

/* One commit that fills the log, so that SQLite copies it into the database: that syncs, too. */
static void a_sync_that_fails_while_the_log_is_copied_counts_as_well(void **state)
{
    static char text[4 << 20];
    memset(text, 'x', sizeof(text));
    struct ia_message_row big = {.role = "user", .content = {text, sizeof(text)}};
    struct stage g = stage_open(state);
    int nth = 1;
    for (;; nth++) {
        struct ia_tx *tx = begin_event(&g);
        ia_tx_add_message(tx, g.run, &big, NULL);
        faultvfs_arm(FAULT_SYNC, nth);
        enum ia_rc rc = ia_tx_commit(tx, &g.err);
        bool hit = faultvfs_hit() > 0;
        (void)faultvfs_heal();
        assert_rc(hit ? IA_E_DB : IA_OK, rc);
        if (!hit) {
            break;
        }
        if (ia_tx_begin(g.s, &tx, &g.err) == IA_OK) {
            ia_tx_rollback(tx); /* SQLite took it back */
            continue;
        }
        expect_closed_to_writers(&g);
        ia_store_close(g.s);
        g.s = home_open(g.home);
    }
    assert_true(nth > 2); /* that of the log, and that of the database */
    assert_rc(IA_OK, ia_store_check(g.s, &g.err));
    ia_store_close(g.s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_commit_that_is_not_waited_for_is_there_before_the_disk_has_it),
        T(no_more_commits_are_on_their_way_than_a_log_can_lose),
        T(one_sync_covers_what_was_committed_before_it),
        T(who_finds_that_another_process_has_written_syncs_first),
        T(after_a_sync_that_failed_nothing_is_written),
        T(whoever_waits_for_a_commit_learns_that_its_sync_failed),
        T(a_sync_that_fails_while_the_log_is_copied_counts_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
