/* Two drivers never share a device, and what a dead one held is free again. */
#include "child.h"
#include "home.h"

#include "base/fd.h"
#include "store/lane.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TTL_MS = 60000 };

static const char run_id[] = "01999999-0000-7000-8000-00000000aaaa";

struct scene {
    struct home *h;
    const char *lane;
    int64_t ttl_ms;
    char run[IA_ID_SIZE]; /* run to take, or "" */
};

/* Child: takes the lane, says so, renews when told, ends when its input is closed. */
static int hold_lane(void *ctx, int in, int out)
{
    struct scene *scene = ctx;
    struct ia_store *s = home_open_as(scene->h, "ios-agent run", 0);
    struct ia_lease *lease = NULL;
    enum ia_rc rc = ia_lease_take(s, scene->lane, run_id, scene->ttl_ms, &lease, NULL);
    tell(out, rc == IA_OK ? 'y' : 'n');
    while (hear(in) >= 0) {
        rc = ia_lease_renew(lease, TTL_MS, NULL);
        tell(out, rc == IA_OK ? 'y' : rc == IA_E_STATE ? 's' : 'n');
    }
    ia_lease_release(lease);
    ia_store_close(s);
    return 0;
}

static bool copy_lease(void *ctx, const struct ia_lease_row *row)
{
    ia_buf_printf(ctx, "%s %s %s %s;", row->lane, row->run_id ? row->run_id : "-",
                  row->owner_command, row->owner_alive ? "alive" : "dead");
    return true;
}

static void list(struct ia_store *s, const char *expected)
{
    struct ia_buf text = IA_BUF(1000);
    assert_rc(IA_OK, ia_store_leases(s, copy_lease, &text, NULL));
    assert_string_equal(ia_buf_cstr(&text), expected);
    ia_buf_fini(&text);
}

static void a_busy_lane_says_who_holds_it_and_for_how_long(void **state)
{
    struct scene scene = {*state, "embedded:demo", TTL_MS, ""};
    struct child c = child_start(hold_lane, &scene);
    assert_int_equal(child_byte(&c), 'y');

    struct ia_vclock *later = ia_vclock_new(ia_wall_ms(ia_clock_system()) + 42500);
    struct ia_store_opts opts = {.home = scene.h->dir, .clock = ia_vclock_clock(later)};
    struct ia_store *s = NULL;
    struct ia_lease *lease = NULL;
    struct ia_err err = {0};
    char expected[200];
    assert_rc(IA_OK, ia_store_open(&opts, &s, &err));
    assert_rc(IA_E_BUSY, ia_lease_take(s, "embedded:demo", NULL, TTL_MS, &lease, &err));
    snprintf(expected, sizeof(expected),
             "embedded:demo is busy: held by run %s (ios-agent run, pid %d) for 42 s", run_id,
             (int)c.pid);
    assert_string_equal(err.msg, expected);
    assert_contains(err.hint, "ios-agent cancel 0199");
    snprintf(expected, sizeof(expected), "embedded:demo %s ios-agent run alive;", run_id);
    list(s, expected);

    assert_rc(IA_OK, ia_lease_take(s, "embedded:other", NULL, TTL_MS, &lease, &err));
    ia_lease_release(lease);
    assert_int_equal(child_wait(&c), 0);
    assert_rc(IA_OK, ia_lease_take(s, "embedded:demo", NULL, TTL_MS, &lease, &err));
    ia_lease_release(lease);
    list(s, "");
    ia_store_close(s);
    ia_vclock_free(later);
}

static void the_lane_of_a_killed_process_is_free(void **state)
{
    struct scene scene = {*state, "lane", TTL_MS, ""};
    struct child c = child_start(hold_lane, &scene);
    assert_int_equal(child_byte(&c), 'y');
    child_kill(&c);
    struct ia_store *s = home_open_as(scene.h, "ios-agent sweep", 0);
    struct ia_lease *lease = NULL;
    list(s, "lane 01999999-0000-7000-8000-00000000aaaa ios-agent run dead;");
    assert_rc(IA_OK, ia_lease_take(s, "lane", NULL, TTL_MS, &lease, NULL));
    list(s, "lane - ios-agent sweep alive;");
    ia_lease_release(lease);
    ia_store_close(s);
}

static void threads_of_one_process_exclude_each_other_too(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_lease *one = NULL, *two = NULL;
    struct ia_err err;
    assert_rc(IA_OK, ia_lease_take(s, "lane", NULL, TTL_MS, &one, NULL));
    assert_rc(IA_E_BUSY, ia_lease_take(s, "lane", NULL, TTL_MS, &two, &err));
    assert_contains(err.msg, "lane is busy: held by ios-agent, pid ");
    assert_rc(IA_OK, ia_lease_renew(one, TTL_MS, NULL));
    ia_lease_release(one);
    assert_rc(IA_OK, ia_lease_take(s, "lane", NULL, TTL_MS, &two, NULL));
    ia_lease_release(two);
    ia_lease_release(NULL);
    ia_store_close(s);
}

static void lock_path(const struct home *h, const char *file, char path[128])
{
    snprintf(path, 128, "%s/lanes/%s", h->dir, file);
}

static void without_its_lock_file_a_live_lease_still_counts_until_it_expires(void **state)
{
    struct scene scene = {*state, "lane", TTL_MS, ""};
    struct ia_lease *lease = NULL;
    struct ia_err err;
    char path[128];
    struct child c = child_start(hold_lane, &scene);
    assert_int_equal(child_byte(&c), 'y');
    lock_path(scene.h, "lane.lock", path);
    assert_int_equal(unlink(path), 0);

    struct ia_store *s = home_open(scene.h);
    assert_rc(IA_E_BUSY, ia_lease_take(s, "lane", NULL, TTL_MS, &lease, &err));
    assert_contains(err.msg, "held by run 0199");
    ia_store_close(s);

    struct ia_vclock *later = ia_vclock_new(ia_wall_ms(ia_clock_system()) + TTL_MS + 1000);
    struct ia_store_opts opts = {.home = scene.h->dir, .clock = ia_vclock_clock(later)};
    assert_rc(IA_OK, ia_store_open(&opts, &s, &err));
    assert_rc(IA_OK, ia_lease_take(s, "lane", NULL, TTL_MS, &lease, &err));
    child_go(&c);
    assert_int_equal(child_byte(&c), 's'); /* the old holder learns it at its next renewal */
    assert_int_equal(child_wait(&c), 0);
    list(s, "lane - ios-agent alive;"); /* and its release does not remove the new one */
    ia_lease_release(lease);
    ia_store_close(s);
    ia_vclock_free(later);
}

static void names_of_lanes_cannot_lead_out_of_the_folder(void **state)
{
    static const struct {
        const char *lane;
        const char *file; /* NULL: refused */
    } cases[] = {
        {"00008110-001A2B3C4D5E", "00008110-001A2B3C4D5E.lock"},
        {"embedded:demo", "embedded%3Ademo.lock"},
        {"../../etc/passwd", "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd.lock"},
        {"a b\n%", "a%20b%0A%25.lock"},
        {"\xC3\xA4", "%C3%A4.lock"},
        {"", NULL},
        {"0123456789012345678901234567890123456789012345678901234567890123456789012345678901",
         NULL},
    };
    struct ia_store *s = home_open(*state);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_lease *lease = NULL;
        char path[128];
        enum ia_rc rc = ia_lease_take(s, cases[i].lane, NULL, TTL_MS, &lease, NULL);
        assert_rc(cases[i].file ? IA_OK : IA_E_USAGE, rc);
        if (cases[i].file) {
            lock_path(*state, cases[i].file, path);
            assert_int_equal(access(path, F_OK), 0);
        }
        ia_lease_release(lease);
    }
    ia_store_close(s);
}

/* ---- the owner of a run ------------------------------------------------------------------ */

static int hold_run(void *ctx, int in, int out)
{
    struct scene *scene = ctx;
    struct ia_store *s = home_open_as(scene->h, "ios-agent run", 0);
    bool cancel = false;
    enum ia_rc rc = move_run(s, scene->run, IA_RUN_CLAIMED, NULL);
    tell(out, rc == IA_OK ? 'y' : 'n');
    while (hear(in) >= 0) {
        (void)ia_store_heartbeat(s, scene->run, &cancel, NULL);
        tell(out, cancel ? 'c' : '-');
    }
    ia_store_close(s);
    return 0;
}

static struct child start_owner(struct scene *scene)
{
    struct ia_store *s = home_open(scene->h);
    add_run(s, "lane", scene->run);
    ia_store_close(s);
    struct child c = child_start(hold_run, scene);
    assert_int_equal(child_byte(&c), 'y');
    return c;
}

static void the_run_of_a_live_process_cannot_be_moved_by_another(void **state)
{
    struct scene scene = {*state, "lane", 0, ""};
    struct child c = start_owner(&scene);
    struct ia_store *s = home_open(scene.h);
    struct ia_err err;
    assert_rc(IA_E_BUSY, move_run(s, scene.run, IA_RUN_QUEUED, &err));
    assert_contains(err.msg, "alive");
    enum ia_cancel_result result = IA_CANCEL_DONE;
    assert_rc(IA_OK, ia_store_cancel_run(s, scene.run, &result, NULL));
    assert_int_equal(result, IA_CANCEL_ASKED);
    child_go(&c);
    assert_int_equal(child_byte(&c), 'c');
    assert_int_equal(child_wait(&c), 0);
    ia_store_close(s);
}

static void the_run_of_a_killed_process_can_be_queued_again_or_cancelled(void **state)
{
    for (int cancel = 0; cancel < 2; cancel++) {
        struct scene scene = {*state, "lane", 0, ""};
        struct child c = start_owner(&scene);
        child_kill(&c);
        struct ia_store *s = home_open(scene.h);
        struct ia_run_row *row = NULL;
        assert_rc(IA_OK, ia_store_run(s, scene.run, &row, NULL));
        assert_int_equal(row->state, IA_RUN_CLAIMED);
        assert_string_equal(row->owner_command, "ios-agent run");
        assert_false(ia_run_owner_alive(row));
        ia_run_row_free(row);
        enum ia_cancel_result result = IA_CANCEL_ASKED;
        if (cancel) {
            assert_rc(IA_OK, ia_store_cancel_run(s, scene.run, &result, NULL));
            assert_int_equal(result, IA_CANCEL_DONE);
        } else {
            assert_rc(IA_OK, move_run(s, scene.run, IA_RUN_QUEUED, NULL));
            assert_rc(IA_OK, move_run(s, scene.run, IA_RUN_CLAIMED, NULL));
            assert_rc(IA_OK, move_run(s, scene.run, IA_RUN_RUNNING, NULL));
        }
        assert_rc(IA_OK, ia_store_run(s, scene.run, &row, NULL));
        assert_int_equal(row->state, cancel ? IA_RUN_CANCELLED : IA_RUN_RUNNING);
        assert_true(cancel || ia_run_owner_alive(row));
        ia_run_row_free(row);
        ia_store_close(s);
    }
}

static void a_later_process_with_the_same_pid_is_not_the_owner(void **state)
{
    struct scene scene = {*state, "lane", 0, ""};
    struct ia_store *s = home_open(scene.h);
    start_run(s, "lane", scene.run);
    raw_sql(scene.h->db, "UPDATE runs SET owner_token = 'another boot-1'");
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, scene.run, &row, NULL));
    assert_int_equal(row->owner_pid, getpid());
    assert_false(ia_run_owner_alive(row));
    ia_run_row_free(row);
    assert_rc(IA_OK, move_run(s, scene.run, IA_RUN_QUEUED, NULL));
    ia_store_close(s);
}

static void a_lease_can_share_the_commits_of_what_begins_and_ends_with_it(void **state)
{
    struct ia_store *s = home_open_as(*state, "ios-agent run", 0);
    struct ia_lease *lease = NULL, *other = NULL;
    struct ia_tx *tx = NULL;
    struct ia_err err = {0};
    assert_rc(IA_OK, ia_lease_lock(s, "embedded:demo", run_id, &lease, NULL));
    list(s, "");
    assert_rc(IA_E_BUSY, ia_lease_lock(s, "embedded:demo", NULL, &other, &err));
    assert_non_null(strstr(err.msg, "another process is taking it right now"));

    /* What is rolled back was never there, and the lock stays. */
    assert_rc(IA_OK, ia_tx_begin(s, &tx, NULL));
    ia_tx_put_lease(tx, lease, run_id, TTL_MS);
    ia_tx_rollback(tx);
    list(s, "");
    assert_rc(IA_OK, ia_tx_begin(s, &tx, NULL));
    ia_tx_put_lease(tx, lease, run_id, TTL_MS);
    assert_rc(IA_OK, ia_tx_commit(tx, NULL));
    list(s, "embedded:demo 01999999-0000-7000-8000-00000000aaaa ios-agent run alive;");
    assert_rc(IA_OK, ia_lease_renew(lease, TTL_MS, NULL));

    assert_rc(IA_OK, ia_tx_begin(s, &tx, NULL));
    ia_tx_drop_lease(tx, lease);
    assert_rc(IA_OK, ia_tx_commit(tx, NULL));
    ia_lease_dropped(lease);
    list(s, "");
    assert_rc(IA_E_BUSY, ia_lease_lock(s, "embedded:demo", NULL, &other, NULL));
    ia_lease_release(lease);
    assert_rc(IA_OK, ia_lease_take(s, "embedded:demo", NULL, TTL_MS, &other, NULL));
    ia_lease_release(other);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

static enum ia_rc take_for_command(struct home *h, const char *who, int64_t wait_us,
                                   struct ia_lane_hold *ret, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    return ia_lane_take(h->dir, "embedded:demo", who, clock, NULL, ia_mono_us(clock) + wait_us,
                        ret, err);
}

/* What was read of a device stays true only while nobody else had it. */
static void a_command_learns_who_had_the_device_before(void **state)
{
    struct home *h = *state;
    struct ia_lane_hold hold;
    assert_rc(IA_OK, take_for_command(h, "ios-agent tap, pid 7", 0, &hold, NULL));
    assert_string_equal(hold.previous, "");
    uint64_t first = hold.generation;
    hold.refs = 41;
    ia_lane_release(&hold);
    assert_rc(IA_OK, take_for_command(h, "ios-agent tap, pid 8", 0, &hold, NULL));
    assert_true(hold.generation == first + 1);
    assert_string_equal(hold.previous, "ios-agent tap, pid 7");
    ia_lane_release(&hold);

    struct scene scene = {h, "embedded:demo", TTL_MS, ""};
    struct child c = child_start(hold_lane, &scene);
    assert_int_equal(child_byte(&c), 'y');
    child_kill(&c);
    assert_rc(IA_OK, take_for_command(h, "ios-agent tap, pid 7", 0, &hold, NULL));
    assert_true(hold.generation == first + 3);
    assert_int_equal(hold.refs, 41);
    assert_non_null(strstr(hold.previous, run_id));
    ia_lane_release(&hold);
}

/* A run keeps its device for minutes, so a command does not wait for it. */
static void a_command_does_not_wait_for_a_run(void **state)
{
    struct home *h = *state;
    struct scene scene = {h, "embedded:demo", TTL_MS, ""};
    struct child c = child_start(hold_lane, &scene);
    assert_int_equal(child_byte(&c), 'y');
    struct ia_lane_hold hold;
    struct ia_err err;
    assert_rc(IA_E_BUSY, take_for_command(h, "tap", INT64_C(3600000000), &hold, &err));
    assert_non_null(strstr(err.msg, run_id));
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    child_kill(&c);
}

static void *release_soon(void *hold)
{
    (void)usleep(30000);
    ia_lane_release(hold);
    return NULL;
}

/* A command is over in a moment: the next one, and a run, wait for it. */
static void who_comes_second_waits_for_a_command(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    for (int run = 0; run < 2; run++) {
        struct ia_lane_hold first, second = {.fd = -1};
        struct ia_lease *lease = NULL;
        struct ia_err err;
        pthread_t thread;
        assert_rc(IA_OK, take_for_command(h, "first", 0, &first, NULL));
        assert_rc(IA_E_BUSY, take_for_command(h, "second", 1000, &second, &err));
        assert_string_equal(err.msg, "embedded:demo is busy: held by first");
        assert_int_equal(pthread_create(&thread, NULL, release_soon, &first), 0);
        if (run) {
            assert_rc(IA_OK, ia_lease_take(s, "embedded:demo", NULL, TTL_MS, &lease, &err));
        } else {
            assert_rc(IA_OK, take_for_command(h, "second", 10000000, &second, &err));
        }
        pthread_join(thread, NULL);
        ia_lane_release(&second);
        ia_lease_release(lease);
    }
    ia_store_close(s);
}

/* The note is a file that anybody may damage: then only the generation begins again. */
static void a_damaged_note_keeps_nobody_from_the_device(void **state)
{
    struct home *h = *state;
    static const char *const notes[] = {"",
                                        "\n",
                                        "x",
                                        "18446744073709551615 c",
                                        "5",
                                        "7 z who\n",
                                        "7 c 99999999999 who\n",
                                        "7 c x who\n",
                                        "99999999999999999999999999999999999 c long\n"};
    struct ia_lane_hold hold;
    assert_rc(IA_OK, take_for_command(h, "who", 0, &hold, NULL));
    ia_lane_release(&hold);
    char path[512];
    snprintf(path, sizeof(path), "%s/lanes/embedded%%3Ademo.lock", h->dir);
    for (size_t i = 0; i < IA_COUNTOF(notes); i++) {
        assert_rc(IA_OK, ia_file_write_atomic(path, notes[i], strlen(notes[i]), 0600, NULL));
        assert_rc(IA_OK, take_for_command(h, "who", 0, &hold, NULL));
        ia_lane_release(&hold);
        assert_rc(IA_OK, take_for_command(h, "who", 0, &hold, NULL));
        assert_string_equal(hold.previous, "who");
        ia_lane_release(&hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_busy_lane_says_who_holds_it_and_for_how_long),
        T(the_lane_of_a_killed_process_is_free),
        T(threads_of_one_process_exclude_each_other_too),
        T(without_its_lock_file_a_live_lease_still_counts_until_it_expires),
        T(a_lease_can_share_the_commits_of_what_begins_and_ends_with_it),
        T(names_of_lanes_cannot_lead_out_of_the_folder),
        T(the_run_of_a_live_process_cannot_be_moved_by_another),
        T(the_run_of_a_killed_process_can_be_queued_again_or_cancelled),
        T(a_later_process_with_the_same_pid_is_not_the_owner),
        T(a_command_learns_who_had_the_device_before),
        T(a_command_does_not_wait_for_a_run),
        T(who_comes_second_waits_for_a_command),
        T(a_damaged_note_keeps_nobody_from_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
