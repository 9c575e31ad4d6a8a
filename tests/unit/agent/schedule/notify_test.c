/* Notices: told when the verdict changes, at least once, and not for ever. */
#include "child.h"
#include "schedule_rig.h"

#include "agent/schedule/notify.h"
#include "store/notices.h"
#include "store/queue.h"

#include <unistd.h>

struct told {
    int delivered, failed, given_up;
};

static void on_told(void *ctx, const char *schedule, const char *problem, bool last)
{
    struct told *t = ctx;
    assert_string_equal(schedule, "hourly");
    t->delivered += problem == NULL;
    t->failed += problem != NULL;
    t->given_up += problem != NULL && last;
}

static struct told notify(struct rig *r)
{
    struct told told = {.delivered = 0};
    struct ia_err err = {0};
    struct ia_notify_env env = {.store = r->store,
                                .clock = ia_vclock_clock(r->vc),
                                .cancel = r->cancel,
                                .on_attempt = on_told,
                                .ctx = &told};
    if (ia_notify_tick(&env, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return told;
}

/* A schedule whose notices are lines of the file "told". */
static void add_telling(struct rig *r, const char *command)
{
    char target[400];
    struct ia_schedule_row row = hourly;
    if (command) {
        snprintf(target, sizeof(target), "{\"command\":\"%s\"}", command);
    } else {
        snprintf(target, sizeof(target), "{\"command\":\"cat >> %s/told; echo >> %s/told\"}",
                 r->home->dir, r->home->dir);
    }
    row.notify = target;
    add(r, &row);
}

/* A fire whose run comes to that end. */
static void run_to(struct rig *r, enum ia_run_state to)
{
    struct ia_claim claim = {.lane = "a"};
    struct ia_claimed got = {.why = IA_CLAIM_NONE};
    const struct ia_event_run_finished finished = {.state = ia_str(ia_run_state_name(to))};
    const struct ia_run_moved end = {.event = IA_EVENT(&finished),
                                     .code = to == IA_RUN_PASSED ? "OK" : "FAILED",
                                     .summary = "what came of it"};
    advance(r, HOUR);
    tick(r);
    struct ia_tx *tx = begin(r->store);
    ia_tx_claim(tx, &claim, &got);
    commit(tx);
    assert_int_equal(got.why, IA_CLAIM_RUN);
    assert_rc(IA_OK, move_run(r->store, got.run_id, IA_RUN_RUNNING, NULL));
    tx = begin(r->store);
    ia_run_move(tx, got.run_id, to, &end, NULL);
    commit(tx);
}

static int lines_told(const struct home *h, struct ia_buf *text)
{
    char path[120];
    int lines = 0;
    snprintf(path, sizeof(path), "%s/told", h->dir);
    if (access(path, F_OK) == 0) {
        read_file(path, text);
    }
    for (size_t i = 0; i < text->len; i++) {
        lines += text->p[i] == '\n';
    }
    return lines;
}

/* ---- when -------------------------------------------------------------------------------- */

static void only_a_change_of_verdict_is_notified(void **state)
{
    static const struct {
        enum ia_run_state end;
        int told;
        const char *verdict;
    } rows[] = {
        {IA_RUN_PASSED, 0, "passed"},   /* as it should be */
        {IA_RUN_FAILED, 1, "failed"},   /* broke */
        {IA_RUN_ERROR, 0, "error"},     /* still not passed */
        {IA_RUN_BLOCKED, 0, "blocked"}, /* likewise */
        {IA_RUN_CANCELLED, 0, "blocked"} /* is no verdict */,
        {IA_RUN_PASSED, 1, "passed"}, /* mended */
        {IA_RUN_CANCELLED, 0, "passed"},
        {IA_RUN_PASSED, 0, "passed"},
        {IA_RUN_ERROR, 1, "error"},
    };
    struct rig r;
    open_rig(&r, state);
    add_telling(&r, NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_schedule_row *row = NULL;
        run_to(&r, rows[i].end);
        if (notify(&r).delivered != rows[i].told) {
            fail_msg("row %zu", i);
        }
        assert_rc(IA_OK, ia_schedule_find(r.store, "hourly", &row, NULL));
        assert_string_equal(row->last_verdict, rows[i].verdict);
        ia_schedule_row_free(row);
        assert_int_equal(notify(&r).delivered, 0);
    }
    close_rig(&r);
}

static void a_first_run_that_does_not_pass_is_notified(void **state)
{
    static const char *const parts[] = {"\"schedule\":\"hourly\"",
                                        "\"goal\":\"g\"",
                                        "\"state\":\"failed\"",
                                        "\"was\":null",
                                        "\"passed\":false",
                                        "\"code\":\"FAILED\"",
                                        "\"summary\":\"what came",
                                        "\"demo\":false",
                                        "\"run\":\"",
                                        "\"scheduled_for\":\"2026-11-01T01:00:00.000Z\""};
    struct rig r;
    struct ia_buf text = IA_BUF(1 << 16);
    open_rig(&r, state);
    add_telling(&r, NULL);
    run_to(&r, IA_RUN_FAILED);
    assert_int_equal(notify(&r).delivered, 1);
    assert_int_equal(lines_told(r.home, &text), 1);
    for (size_t i = 0; i < IA_COUNTOF(parts); i++) {
        assert_contains(ia_buf_cstr(&text), parts[i]);
    }
    ia_buf_fini(&text);
    close_rig(&r);
}

static void without_a_target_only_the_verdict_is_kept(void **state)
{
    struct rig r;
    open_rig(&r, state);
    add(&r, &hourly);
    run_to(&r, IA_RUN_FAILED);
    assert_int_equal(notify(&r).delivered, 0);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM notices"), 0);
    assert_int_equal(
        sql_int(&r, "SELECT count(*) FROM schedules WHERE last_verdict = 'failed'"), 1);
    close_rig(&r);
}

static void changes_that_piled_up_are_notified_in_order(void **state)
{
    struct rig r;
    struct ia_buf text = IA_BUF(1 << 16);
    open_rig(&r, state);
    add_telling(&r, NULL);
    run_to(&r, IA_RUN_FAILED);
    run_to(&r, IA_RUN_PASSED);
    run_to(&r, IA_RUN_PASSED);
    run_to(&r, IA_RUN_ERROR);
    assert_int_equal(notify(&r).delivered, 3);
    assert_int_equal(lines_told(r.home, &text), 3);
    const char *failed = strstr(ia_buf_cstr(&text), "\"state\":\"failed\",\"was\":null");
    const char *passed = strstr(ia_buf_cstr(&text), "\"state\":\"passed\",\"was\":\"failed\"");
    const char *error = strstr(ia_buf_cstr(&text), "\"state\":\"error\",\"was\":\"passed\"");
    assert_true(failed && passed && error && failed < passed && passed < error);
    ia_buf_fini(&text);
    close_rig(&r);
}

static void runs_without_a_schedule_or_of_a_removed_one_are_ignored(void **state)
{
    struct rig r;
    char id[IA_ID_SIZE];
    open_rig(&r, state);
    add_telling(&r, NULL);
    run_to(&r, IA_RUN_FAILED);
    assert_rc(IA_OK, ia_schedule_remove(r.store, "hourly", NULL, NULL));
    add_run(r.store, "b", id);
    assert_rc(IA_OK, move_run(r.store, id, IA_RUN_CANCELLED, NULL));
    add_telling(&r, NULL);
    assert_int_equal(notify(&r).delivered, 0);
    close_rig(&r);
}

/* ---- attempts ---------------------------------------------------------------------------- */

static void a_failing_target_is_retried_later_but_not_forever(void **state)
{
    static const int64_t waits_ms[] = {5000, 10000, 20000, 40000, 80000};
    struct rig r;
    open_rig(&r, state);
    add_telling(&r, "echo nobody is there >&2; exit 7");
    run_to(&r, IA_RUN_FAILED);
    assert_int_equal(notify(&r).failed, 1);
    for (size_t i = 0; i < IA_COUNTOF(waits_ms); i++) {
        advance(&r, waits_ms[i] - 1);
        assert_int_equal(notify(&r).failed, 0);
        advance(&r, 1);
        struct told told = notify(&r);
        assert_int_equal(told.failed, 1);
        assert_int_equal(told.given_up, i + 1 == IA_COUNTOF(waits_ms));
    }
    advance(&r, DAY);
    assert_int_equal(notify(&r).failed, 0);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM notices WHERE state = 'given_up' AND "
                                 "attempts = 6 AND problem LIKE '%nobody is there%'"),
                     1);
    run_to(&r, IA_RUN_PASSED); /* and the next change is a notice of its own */
    assert_int_equal(notify(&r).failed, 1);
    close_rig(&r);
}

static void a_target_that_recovers_gets_what_it_missed(void **state)
{
    struct rig r;
    char command[300];
    struct ia_buf text = IA_BUF(1 << 16);
    open_rig(&r, state);
    snprintf(command, sizeof(command), "test -e %s/up && cat >> %s/told && echo >> %s/told",
             r.home->dir, r.home->dir, r.home->dir);
    add_telling(&r, command);
    run_to(&r, IA_RUN_FAILED);
    assert_int_equal(notify(&r).failed, 1);
    snprintf(command, sizeof(command), "%s/up", r.home->dir);
    write_file(command, "", 0);
    advance(&r, 5000);
    assert_int_equal(notify(&r).delivered, 1);
    assert_int_equal(lines_told(r.home, &text), 1);
    ia_buf_fini(&text);
    close_rig(&r);
}

/* ---- several at once, and kills ---------------------------------------------------------- */

static int notify_in_process(void *ctx, int in, int out)
{
    struct rig r;
    void *state = ctx;
    (void)out;
    (void)hear(in);
    open_at(&r, &state, START_MS + DAY);
    for (int i = 0; i < 20; i++) {
        (void)notify(&r);
    }
    close_rig(&r);
    return 0;
}

static void processes_that_notify_at_the_same_time_deliver_it_once(void **state)
{
    struct child c[3];
    struct rig r;
    struct ia_buf text = IA_BUF(1 << 16);
    for (int i = 0; i < 3; i++) {
        c[i] = child_start(notify_in_process, *state);
    }
    open_rig(&r, state);
    add_telling(&r, NULL);
    for (int i = 0; i < 6; i++) {
        run_to(&r, i % 2 == 0 ? IA_RUN_FAILED : IA_RUN_PASSED);
    }
    for (int i = 0; i < 3; i++) {
        child_go(&c[i]);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(child_wait(&c[i]), 0);
    }
    assert_int_equal(lines_told(r.home, &text), 6);
    assert_int_equal(sql_int(&r, "SELECT count(*) FROM notices WHERE state = 'sent'"), 6);
    ia_buf_fini(&text);
    close_rig(&r);
}

#ifdef IA_TEST_HOOKS
struct victim {
    struct home *home;
    const char *kill_at;
    int64_t at_ms;
};

static int notify_and_die(void *ctx, int in, int out)
{
    struct victim *v = ctx;
    struct rig r;
    void *state = v->home;
    (void)in;
    (void)out;
    (void)setenv("IOS_AGENT_KILL_AT", v->kill_at, 1);
    open_at(&r, &state, v->at_ms);
    (void)notify(&r);
    close_rig(&r);
    return 0;
}

static int fail_in_child(void *ctx, int in, int out)
{
    struct rig r;
    void *state = ctx;
    (void)in;
    (void)out;
    open_rig(&r, &state);
    add_telling(&r, NULL);
    run_to(&r, IA_RUN_FAILED);
    close_rig(&r);
    return 0;
}

static void after_a_kill_anywhere_a_notice_is_delivered_at_least_once(void **state)
{
    static const struct {
        const char *point;
        int told;
    } rows[] = {{"notify.take.before", 1},   {"store.commit.after:1", 1},
                {"store.commit.after:2", 1}, {"notify.deliver.before", 1},
                {"notify.deliver.after", 2}, {"store.commit.before:3", 2},
                {"store.commit.after:3", 1}};
    struct home *h = *state;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf text = IA_BUF(1 << 16);
        char path[120];
        struct child c = child_start(fail_in_child, h);
        assert_int_equal(child_wait(&c), 0);
        struct victim v = {h, rows[i].point, START_MS + 2 * HOUR};
        c = child_start(notify_and_die, &v);
        assert_int_equal(child_wait(&c), 128 + 9);
        v = (struct victim){h, "nothing", v.at_ms + IA_NOTICE_LEASE_MS};
        c = child_start(notify_and_die, &v);
        assert_int_equal(child_wait(&c), 0);
        if (lines_told(h, &text) != rows[i].told) {
            fail_msg("%s: %s", rows[i].point, ia_buf_cstr(&text));
        }
        ia_buf_fini(&text);
        snprintf(path, sizeof(path), "%s/told", h->dir);
        assert_int_equal(unlink(path), 0);
        raw_sql(h->db, "DELETE FROM notices; DELETE FROM cursors; DELETE FROM schedule_runs; "
                       "DELETE FROM schedules; DELETE FROM events; DELETE FROM runs; "
                       "DELETE FROM goals");
    }
}
#endif

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

/* The order matters: where the process shall die is read once, at the first kill point. */
int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef IA_TEST_HOOKS
        T(after_a_kill_anywhere_a_notice_is_delivered_at_least_once),
#endif
        T(processes_that_notify_at_the_same_time_deliver_it_once),
        T(only_a_change_of_verdict_is_notified),
        T(a_first_run_that_does_not_pass_is_notified),
        T(without_a_target_only_the_verdict_is_kept),
        T(changes_that_piled_up_are_notified_in_order),
        T(runs_without_a_schedule_or_of_a_removed_one_are_ignored),
        T(a_failing_target_is_retried_later_but_not_forever),
        T(a_target_that_recovers_gets_what_it_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
