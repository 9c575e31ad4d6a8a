/* The disk fails at each write in turn: the transaction in hand is there as a whole or not at
 * all, the error is clear, nothing is damaged, and the same work succeeds afterwards. Where it was the
 * sync that failed, only after the store was opened again. */
#include "faultvfs.h"
#include "home.h"

#include "store/impl.h"
#include "store/queue.h"
#include "store/schedules.h"
#include "store/sweeps.h"

#include <errno.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a typical life, one transaction a step ---------------------------------------------- */

struct life {
    const struct home *home;
    struct ia_store *s;
    char run[IA_ID_SIZE], fired[IA_ID_SIZE], sweep[IA_ID_SIZE], sweep_run[IA_ID_SIZE];
    struct ia_err err;
};

/* Fills a transaction. No cmocka in here: it also runs where a failure is expected. */
typedef void step_fn(struct life *l, struct ia_tx *tx);

static void add_and_say(struct life *l, struct ia_tx *tx)
{
    const struct ia_run_new run = {.goal = "g", .model = "m", .lane = "a", .unique = "k"};
    ia_tx_add_run(tx, &run, l->run);
    ia_tx_say(tx, l->run, "ann", ia_str("hello"));
}

static void claim(struct ia_tx *tx, char id[IA_ID_SIZE])
{
    struct ia_claimed got = {.why = IA_CLAIM_NONE};
    ia_tx_claim(tx, &(struct ia_claim){.lane = "a", .pool = "sweep:x"}, &got);
    if (got.why == IA_CLAIM_RUN) {
        memcpy(id, got.run_id, IA_ID_SIZE);
    }
}

static void claim_it(struct life *l, struct ia_tx *tx)
{
    claim(tx, l->run);
}

static char big_content[100000]; /* many pages: overflow, and more than one frame a commit */

static void answer(struct life *l, struct ia_tx *tx)
{
    struct ia_message_row m = {.role = "assistant",
                               .content = {big_content, sizeof(big_content)}};
    struct ia_call_row call = {.step = 1,
                               .tool_use_id = "t1",
                               .name = "tap",
                               .input = ia_str("{}"),
                               .has_effect = true};
    ia_run_move(tx, l->run, IA_RUN_RUNNING, NULL, NULL);
    ia_tx_add_message(tx, l->run, &m, &call.message_seq);
    ia_tx_add_call(tx, l->run, &call);
    ia_tx_add_event(tx, l->run, IA_EVENT(&(struct ia_event_tool_started){.step = 1}), NULL);
}

static void result(struct life *l, struct ia_tx *tx)
{
    struct ia_message_row m = {.role = "user", .content = ia_str("[{}]")};
    struct ia_call_row call = {.tool_use_id = "t1", .result = ia_str("[]")};
    ia_tx_set_result(tx, l->run, &call);
    ia_tx_add_message(tx, l->run, &m, NULL);
    ia_tx_inbox_taken(tx, l->run, 1);
    ia_tx_set_usage(tx, l->run, 1, &(struct ia_usage_row){.output = 7});
    ia_tx_heartbeat(tx, l->run, NULL);
}

static void verdict(struct life *l, struct ia_tx *tx)
{
    ia_run_move(tx, l->run, IA_RUN_PASSED, &(struct ia_run_moved){.summary = "ok"}, NULL);
}

static void schedule(struct life *l, struct ia_tx *tx)
{
    const struct ia_schedule_row row = {.name = "nightly",
                                        .kind = IA_SCHEDULE_EVERY,
                                        .spec = "60",
                                        .zone = "UTC",
                                        .missed = IA_MISSED_LATEST,
                                        .overlap = IA_OVERLAP_SKIP,
                                        .run = "{}",
                                        .lane = "a",
                                        .next_ms = 1000};
    (void)l;
    ia_tx_add_schedule(tx, &row);
}

static void fire(struct life *l, struct ia_tx *tx)
{
    const struct ia_run_new run = {
        .goal = "g", .model = "m", .lane = "a", .kind = IA_RUN_SCHEDULED};
    bool is_new = false;
    ia_tx_add_run(tx, &run, l->fired);
    ia_tx_add_fire(tx, "nightly", 1000, l->fired, NULL, &is_new);
    ia_tx_schedule_next(tx, "nightly", 61000);
}

static void sweep(struct life *l, struct ia_tx *tx)
{
    ia_tx_add_sweep(tx, &(struct ia_sweep_row){.title = "goals"}, l->sweep);
    ia_tx_add_sweep_goal(tx, l->sweep, &(struct ia_sweep_goal_row){.name = "one"}, NULL);
}

static void sweep_run(struct life *l, struct ia_tx *tx)
{
    const struct ia_run_new run = {.goal = "g",
                                   .model = "m",
                                   .lane = "sweep:x",
                                   .sweep_id = l->sweep,
                                   .sweep_no = 1,
                                   .name = "one"};
    ia_tx_add_run(tx, &run, l->sweep_run);
    ia_tx_set_sweep_goal(tx, l->sweep, 1, IA_SWEEP_GOAL_RUNNING, NULL);
}

static void retry_fired(struct life *l, struct ia_tx *tx)
{
    claim(tx, l->fired);
    ia_run_move(tx, l->fired, IA_RUN_RETRY_WAIT, &(struct ia_run_moved){.retry_at_ms = 1},
                NULL);
}

static void roll_back(struct life *l, struct ia_tx *tx)
{
    claim(tx, l->fired);
    ia_tx_roll_back_run(tx, l->fired);
    ia_run_move(tx, l->fired, IA_RUN_ERROR, NULL, NULL);
}

static void end_sweep(struct life *l, struct ia_tx *tx)
{
    claim(tx, l->sweep_run);
    ia_run_move(tx, l->sweep_run, IA_RUN_CANCELLED, NULL, NULL);
    ia_tx_set_sweep_goal(tx, l->sweep, 1, IA_SWEEP_GOAL_CANCELLED, "stopped");
    ia_tx_end_sweep(tx, l->sweep, IA_SWEEP_STOPPED, "signal");
    ia_tx_remove_schedule(tx, "nightly");
}

static step_fn *const steps[] = {NULL,      add_and_say, claim_it,    answer,    NULL,
                                 result,    verdict,     schedule,    fire,      sweep,
                                 sweep_run, NULL,        retry_fired, roll_back, end_sweep};
enum { STEPS = IA_COUNTOF(steps) };

/* False after a sync that failed: what was written then is there, or not, and nothing more is written. */
static bool writes(const struct ia_store *s)
{
    return !s || s->durable.why.code == IA_OK;
}

/* NULL among the steps: the store is opened, again where it is open (closing it makes SQLite
 * write the log into the database). */
static enum ia_rc do_step(struct life *l, int i)
{
    if (!steps[i]) {
        ia_store_close(l->s);
        l->s = NULL;
        return ia_store_open(&(struct ia_store_opts){.home = l->home->dir}, &l->s, &l->err);
    }
    struct ia_tx *tx = NULL;
    struct life before = *l;
    enum ia_rc rc = ia_tx_begin(l->s, &tx, &l->err);
    if (rc == IA_OK) {
        steps[i](l, tx);
        ia_tx_set_cursor(tx, "steps", i);
        rc = ia_tx_commit(tx, &l->err);
    }
    if (rc != IA_OK && writes(l->s)) {
        struct ia_err err = l->err;
        *l = before;
        l->err = err;
    }
    return rc;
}

/* ---- what is there
 * --------------------------------------------------------------------------- */

static const char *const tables[] = {
    "SELECT text, name FROM goals ORDER BY rowid",
    ("SELECT lane, state, attempt, kind, unique_key, sweep_no, schedule, inbox_cursor, steps, "
     "tokens_output, summary, owner_pid IS NULL, sweep_id IS NULL FROM runs ORDER BY rowid"),
    "SELECT seq, role, length(content) FROM messages ORDER BY id",
    "SELECT step, state, result FROM tool_calls ORDER BY id",
    "SELECT seq, type FROM events ORDER BY id",
    "SELECT sender, text FROM inbox ORDER BY id",
    "SELECT name, next_at FROM schedules",
    "SELECT schedule, scheduled_for, run_id IS NULL FROM schedule_runs",
    "SELECT title, state, why FROM sweeps",
    "SELECT no, name, state, reason FROM sweep_goals",
    "SELECT consumer, event_id FROM cursors",
};

/* All rows without ids and times. "" for an empty file. */
static void dump(const struct home *h, struct ia_buf *out)
{
    sqlite3 *conn = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(h->db, &conn), SQLITE_OK);
    for (size_t i = 0; i < IA_COUNTOF(tables); i++) {
        if (sqlite3_prepare_v2(conn, tables[i], -1, &stmt, NULL) != SQLITE_OK) {
            break; /* not migrated to the end */
        }
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            for (int c = 0; c < sqlite3_column_count(stmt); c++) {
                const char *text = (const char *)sqlite3_column_text(stmt, c);
                ia_buf_printf(out, "%s|", text ? text : "-");
            }
            ia_buf_putc(out, '\n');
        }
        sqlite3_finalize(stmt);
    }
    sqlite3_close(conn);
}

static struct ia_buf after[STEPS]; /* dumps of a life without faults */
static int operations;

static int learn(void **state)
{
    (void)state;
    memset(big_content, 'x', sizeof(big_content));
    faultvfs_install();
    void *home = NULL;
    if (home_make(&home) != 0) {
        return -1;
    }
    struct life l = {.home = home};
    faultvfs_arm(FAULT_IO, 0);
    for (int i = 0; i < STEPS; i++) {
        if (do_step(&l, i) != IA_OK) {
            fail_msg("step %d: %s", i, l.err.msg);
        }
        after[i] = IA_BUF(1 << 20);
        dump(l.home, &after[i]);
    }
    ia_store_close(l.s);
    operations = faultvfs_heal();
    return home_remove(&home);
}

static int forget(void **state)
{
    (void)state;
    for (int i = 0; i < STEPS; i++) {
        ia_buf_fini(&after[i]);
    }
    return 0;
}

static bool is_after(const struct home *h, int step)
{
    struct ia_buf now = IA_BUF(1 << 20);
    dump(h, &now);
    bool same = strcmp(ia_buf_cstr(&now), step < 0 ? "" : ia_buf_cstr(&after[step])) == 0;
    ia_buf_fini(&now);
    return same;
}

/* Opens it again. Whether the step is there. */
static bool is_there_again(struct life *l, const struct life *before, int i)
{
    ia_store_close(l->s);
    bool there = is_after(l->home, i);
    if (!there) {
        *l = *before;
    }
    l->s = home_open(l->home);
    return there;
}

static void expect_whole(const struct home *h, int nth)
{
    if (raw_int(h->db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") != 1) {
        fail_msg("operation %d: the file is damaged", nth);
    }
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

static void expect_clear(const struct life *l, enum ia_rc rc, enum fault fault, int nth)
{
    bool full = fault == FAULT_FULL || fault == FAULT_FULL_LONG;
    if (rc != (full ? IA_E_DB_FULL : IA_E_DB) || ia_rc_exit(rc) != 3 || !l->err.hint[0] ||
        !strstr(l->err.msg, l->home->db)) {
        fail_msg("operation %d: %s: %s (%s)", nth, ia_rc_name(rc), l->err.msg, l->err.hint);
    }
}

/* ---- the tests
 * ------------------------------------------------------------------------------- */

/* A process that goes on: the step that failed is done again once the disk works. Returns
 * whether the fault was felt. */
static bool live_through(enum fault fault, int nth)
{
    void *home = NULL;
    bool felt = false;
    assert_int_equal(home_make(&home), 0);
    struct life l = {.home = home};
    faultvfs_arm(fault, nth);
    for (int i = 0; i < STEPS; i++) {
        struct life before = l;
        enum ia_rc rc = do_step(&l, i);
        if (rc == IA_OK) {
            continue;
        }
        assert_true(faultvfs_hit() > 0);
        expect_clear(&l, rc, fault, nth);
        (void)faultvfs_heal();
        assert_false(felt);
        felt = true;
        if (!writes(l.s) && is_there_again(&l, &before, i)) {
            continue;
        }
        if (l.s && !is_after(l.home, i - 1)) {
            fail_msg("operation %d: step %d failed and something of it is there", nth, i);
        }
        rc = do_step(&l, i);
        if (rc != IA_OK) {
            fail_msg("operation %d: step %d does not succeed afterwards: %s", nth, i,
                     l.err.msg);
        }
    }
    (void)faultvfs_heal();
    ia_store_close(l.s);
    if (!is_after(l.home, STEPS - 1)) {
        fail_msg("operation %d: something is missing or double", nth);
    }
    expect_whole(l.home, nth);
    home_remove(&home);
    return felt;
}

/* A process that dies where the disk fails. Returns whether the fault was felt. */
static bool die_of(enum fault fault, int nth)
{
    void *home = NULL;
    int status = 0;
    assert_int_equal(home_make(&home), 0);
    const struct home *h = home;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct life l = {.home = h};
        faultvfs_arm(fault, nth);
        int i = 0;
        while (i < STEPS && do_step(&l, i) == IA_OK) {
            i++;
        }
        _exit(i); /* nothing is closed */
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    assert_true(WIFEXITED(status));
    int failed = WEXITSTATUS(status);
    expect_whole(h, nth);
    if (!is_after(h, failed - 1) && (failed == STEPS || !is_after(h, failed))) {
        fail_msg("operation %d: step %d is there in part", nth, failed);
    }
    struct ia_store *s = home_open(h);
    assert_rc(IA_OK, ia_store_check(s, NULL));
    int n = 0;
    assert_rc(IA_OK, ia_store_recover(s, &n, NULL));
    ia_store_close(s);
    home_remove(&home);
    return failed < STEPS;
}

enum { PART = 16 };
static int stride = PART; /* every operation with the argument "full" */

static void at_each_operation(enum fault fault, bool (*test)(enum fault, int))
{
    int felt = 0, tried = 0;
    for (int nth = 1 + (int)fault % stride; nth <= operations; nth += stride) {
        felt += test(fault, nth);
        tried++;
    }
    print_message("%d of %d operations failed, %d were felt\n", tried, operations, felt);
    assert_true(felt > tried / 2);
}

static void a_full_disk_at_any_write_costs_only_the_transaction_in_hand(void **state)
{
    (void)state;
    at_each_operation(FAULT_FULL, live_through);
}

static void a_disk_that_stays_full_costs_only_the_transaction_in_hand(void **state)
{
    (void)state;
    at_each_operation(FAULT_FULL_LONG, live_through);
}

static void an_io_error_at_any_write_costs_only_the_transaction_in_hand(void **state)
{
    (void)state;
    at_each_operation(FAULT_IO, live_through);
}

static void a_torn_write_costs_only_the_transaction_in_hand(void **state)
{
    (void)state;
    at_each_operation(FAULT_TORN, live_through);
}

static void a_process_that_dies_of_a_torn_write_leaves_whole_transactions(void **state)
{
    (void)state;
    at_each_operation(FAULT_TORN, die_of);
}

static void a_process_that_dies_with_its_disk_leaves_whole_transactions(void **state)
{
    (void)state;
    at_each_operation(FAULT_DEAD, die_of);
}

/* ---- a fault inside a batch
 * -------------------------------------------------------------------- */

struct partner {
    struct ia_store *s;
    char run[IA_ID_SIZE];
    pthread_t thread;
    enum ia_rc rc;
    struct ia_err err;
};

static char huge_content[16 << 20]; /* more than SQLite's cache: written before the commit */

static void *write_huge(void *arg)
{
    struct partner *p = arg;
    struct ia_tx *tx = NULL;
    struct ia_message_row m = {.role = "user", .content = {huge_content, sizeof(huge_content)}};
    p->rc = ia_tx_begin(p->s, &tx, &p->err);
    if (p->rc == IA_OK) {
        ia_tx_add_message(tx, p->run, &m, NULL);
        p->rc = ia_tx_commit(tx, &p->err);
    }
    return NULL;
}

static bool someone_waits(struct ia_store *s)
{
    return ia_ticket_wanted(&s->ticket);
}

static void a_fault_in_one_part_of_a_batch_fails_the_others_with_an_error_to_retry(void **state)
{
    struct home *h = *state;
    memset(huge_content, 'y', sizeof(huge_content));
    struct ia_store *s = home_open(h);
    struct partner p = {.s = s};
    struct ia_err err = {0};
    char run[IA_ID_SIZE];
    start_run(s, "a", run);
    start_run(s, "b", p.run);
    for (int faulty = 1; faulty >= 0; faulty--) {
        struct ia_tx *tx = begin(s);
        s->batch.until_us = INT64_MAX;
        ia_tx_add_event(tx, run, IA_EVENT(&(struct ia_event_notice){.text = ia_str("mine")}),
                        NULL);
        assert_int_equal(pthread_create(&p.thread, NULL, write_huge, &p), 0);
        while (!someone_waits(s)) {
            sched_yield();
        }
        faultvfs_arm(FAULT_FULL, faulty ? 20 : 0);
        enum ia_rc rc = ia_tx_commit(tx, &err);
        pthread_join(p.thread, NULL);
        (void)faultvfs_heal();
        assert_rc(faulty ? IA_E_DB_FULL : IA_OK, p.rc);
        assert_rc(faulty ? IA_E_DB_FULL : IA_OK, rc);
        assert_int_equal(raw_int(h->db, "SELECT count(*) FROM events WHERE type = 'notice'"),
                         !faulty);
        assert_int_equal(raw_int(h->db, "SELECT count(*) FROM messages"), !faulty);
    }
    assert_contains(err.msg, "shared by 2 transactions");
    assert_true(err.retry_safe);
    assert_false(p.err.retry_safe);
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

int main(int argc, char **argv)
{
    stride = argc > 1 && strcmp(argv[1], "full") == 0 ? 1 : PART;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_at_any_write_costs_only_the_transaction_in_hand),
        cmocka_unit_test(a_disk_that_stays_full_costs_only_the_transaction_in_hand),
        cmocka_unit_test(an_io_error_at_any_write_costs_only_the_transaction_in_hand),
        cmocka_unit_test(a_torn_write_costs_only_the_transaction_in_hand),
        cmocka_unit_test(a_process_that_dies_of_a_torn_write_leaves_whole_transactions),
        cmocka_unit_test(a_process_that_dies_with_its_disk_leaves_whole_transactions),
        cmocka_unit_test_setup_teardown(
            a_fault_in_one_part_of_a_batch_fails_the_others_with_an_error_to_retry, home_make,
            home_remove),
    };
    return cmocka_run_group_tests(tests, learn, forget);
}
