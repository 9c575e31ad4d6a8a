/* Processes that take turns on one phone, each of which keeps it open:
 * released, acquired, and what was done meanwhile is found out. */
#include "phone_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool acquire(struct ia_device *d)
{
    struct ia_err err = {0};
    bool changed = false;
    if (ia_device_acquire(d, &no_limit, &changed, &err) != IA_OK) {
        fail_msg("cannot acquire the phone: %s", err.msg);
    }
    return changed;
}

static void release(struct ia_device *d)
{
    assert_int_equal(ia_device_release(d, NULL), IA_OK);
}

/* Waits for the child and returns its exit status, or minus the signal that
 * ended it. */
static int status_of(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Another process has the phone for one operation: it opens `bundle`, or
 * nothing. */
static void visit(const char *folder, bool fresh, const char *bundle)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct ia_embedded_options opt = {.folder = folder, .name = "a", .fresh = fresh};
        struct ia_device *d = NULL;
        enum ia_rc rc = ia_embedded_open(&opt, &d, NULL);
        if (rc == IA_OK && bundle) {
            rc = ia_device_launch(d, &no_limit, bundle, NULL);
        }
        ia_device_close(d);
        _exit(rc == IA_OK ? 0 : 1);
    }
    assert_int_equal(status_of(pid), 0);
}

static void assert_same_as_its_log(struct ia_device *d, const char *folder)
{
    struct ia_buf out = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    struct ia_embedded_options opt = {.folder = folder, .name = "a"};
    assert_int_equal(ia_embedded_state_json(&opt, &w, NULL), IA_OK);
    char *live = state_of(d);
    assert_string_equal(ia_buf_cstr(&out), live);
    free(live);
    ia_buf_fini(&out);
}

static void a_phone_that_nobody_had_meanwhile_is_unchanged(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    for (int i = 0; i < 3; i++) {
        launch(d, i % 2 ? SETTINGS : CONTACTS);
        release(d);
        release(d); /* twice is once */
        assert_false(acquire(d));
        assert_false(acquire(d));
        assert_same_as_its_log(d, folder);
    }
    ia_device_close(d);
    folder_remove(folder);
}

static void what_another_process_did_is_there_and_told(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        bool fresh;
        const char *bundle, *screen;
    } rows[] = {
        {"drove it", false, SETTINGS, "\"screen\":\"Settings\""},
        {"reset it", true, NULL, "\"screen\":\"Home Screen\""},
        /* As many bytes as before it was reset. */
        {"reset and drove it alike", true, CONTACTS, "\"screen\":\"Contacts\""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *folder = folder_new();
        struct ia_device *d = phone_open(folder, "a");
        launch(d, CONTACTS);
        release(d);
        visit(folder, rows[i].fresh, rows[i].bundle);
        assert_true(acquire(d));
        assert_true(state_has(d, rows[i].screen));
        assert_same_as_its_log(d, folder);
        launch(d, SHOP);
        assert_same_as_its_log(d, folder);
        ia_device_close(d);
        folder_remove(folder);
    }
}

static void a_log_that_was_removed_or_shortened_is_noticed(void **state)
{
    (void)state;
    for (int shorten = 0; shorten < 2; shorten++) {
        char *folder = folder_new();
        struct ia_device *d = phone_open(folder, "a");
        launch(d, CONTACTS);
        release(d);
        const char *log = file_path(folder, "a.log");
        assert_int_equal(shorten ? truncate(log, 30) : unlink(log), 0);
        assert_true(acquire(d));
        assert_true(state_has(d, "\"seq\":0"));
        launch(d, SETTINGS);
        assert_same_as_its_log(d, folder);
        ia_device_close(d);
        folder_remove(folder);
    }
}

static void a_released_phone_refuses_everything_and_sends_nothing(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    struct ia_tree *t = NULL;
    struct ia_err err = {0};
    release(d);
    assert_int_equal(ia_device_tree(d, &no_limit, &t, &err), IA_E_INTERNAL);
    assert_int_equal(ia_device_launch(d, &no_limit, CONTACTS, &err), IA_E_INTERNAL);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_false(acquire(d));
    assert_true(state_has(d, "\"seq\":0"));
    ia_device_close(d);
    folder_remove(folder);
}

static void a_phone_that_another_has_is_busy_until_it_ends(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a"), *other = NULL;
    struct ia_err err = {0};
    bool changed;
    release(d);
    other = phone_open(folder, "a"); /* in this process: the same rule */
    launch(other, CONTACTS);
    assert_int_equal(ia_device_acquire(d, &no_limit, &changed, &err), IA_E_BUSY);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    release(other);
    assert_true(acquire(d));
    assert_int_equal(ia_device_acquire(other, &no_limit, &changed, &err), IA_E_BUSY);
    ia_device_close(d);
    assert_false(acquire(other)); /* it was only had, and nothing was done */
    assert_true(state_has(other, "\"screen\":\"Contacts\""));
    ia_device_close(other);
    folder_remove(folder);
}

/* Opens the phone, does something, begins to write the next line, and is
 * killed. */
static void visit_and_be_killed(const char *folder)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct ia_embedded_options opt = {.folder = folder, .name = "a"};
        struct ia_device *d = NULL;
        if (ia_embedded_open(&opt, &d, NULL) == IA_OK) {
            (void)ia_device_launch(d, &no_limit, SETTINGS, NULL);
            int fd = open(file_path(folder, "a.log"), O_WRONLY | O_APPEND);
            (void)!write(fd, "{\"seq\":3,\"at_", 13);
            (void)raise(SIGKILL);
        }
        _exit(1);
    }
    assert_int_equal(status_of(pid), -SIGKILL);
}

static void a_process_killed_in_its_turn_leaves_what_it_had_done(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, CONTACTS);
    release(d);
    visit_and_be_killed(folder);
    assert_true(acquire(d));
    assert_true(state_has(d, "\"screen\":\"Settings\""));
    launch(d, SHOP); /* behind a whole line */
    assert_same_as_its_log(d, folder);
    ia_device_close(d);
    folder_remove(folder);
}

static void a_log_that_was_damaged_stays_released_and_says_so_each_time(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    struct ia_err err = {0};
    bool changed;
    launch(d, CONTACTS);
    release(d);
    int fd = open(file_path(folder, "a.log"), O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "nonsense\n", 9), 9);
    close(fd);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ia_device_acquire(d, &no_limit, &changed, &err), IA_E_DEVICE);
        assert_non_null(strstr(err.msg, "line 3"));
    }
    visit(folder, true, SETTINGS);
    assert_true(acquire(d));
    assert_true(state_has(d, "\"screen\":\"Settings\""));
    ia_device_close(d);
    folder_remove(folder);
}

/* Another process's first line is good, its second is not: the phone came half
 * way. */
static void a_phone_that_came_half_way_is_made_anew(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    struct ia_err err = {0};
    bool changed;
    launch(d, CONTACTS);
    release(d);
    visit(folder, false, SETTINGS);
    int fd = open(file_path(folder, "a.log"), O_RDWR | O_APPEND);
    off_t good = lseek(fd, 0, SEEK_END);
    assert_int_equal(write(fd, "nonsense\n", 9), 9);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ia_device_acquire(d, &no_limit, &changed, &err), IA_E_DEVICE);
        assert_non_null(strstr(err.msg, "line 4"));
    }
    assert_int_equal(ftruncate(fd, good), 0);
    close(fd);
    assert_true(acquire(d));
    assert_true(state_has(d, "\"seq\":2,"));
    assert_same_as_its_log(d, folder);
    ia_device_close(d);
    folder_remove(folder);
}

/* Reset, and then driven further than before: the file is longer and begins
 * otherwise. */
static void a_log_that_begins_otherwise_is_replayed_from_its_beginning(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, CONTACTS);
    release(d);
    visit(folder, true, SETTINGS);
    visit(folder, false, SHOP);
    visit(folder, false, SETTINGS);
    assert_true(acquire(d));
    assert_true(state_has(d, "\"running\":[\"" SETTINGS "\",\"" SHOP "\"]"));
    assert_same_as_its_log(d, folder);
    ia_device_close(d);
    folder_remove(folder);
}

/* Each of two processes launches an app in its turn, both keep the phone open.
 */
enum { TURNS = 200 };
static int take_turns(const char *folder)
{
    struct ia_embedded_options opt = {.folder = folder, .name = "a"};
    struct ia_device *d = NULL;
    while (ia_embedded_open(&opt, &d, NULL) == IA_E_BUSY) {
    }
    for (int i = 0; d && i < TURNS; i++) {
        bool changed;
        if (ia_device_launch(d, &no_limit, i % 2 ? SETTINGS : CONTACTS, NULL) != IA_OK) {
            return 1;
        }
        (void)ia_device_release(d, NULL);
        enum ia_rc rc;
        while ((rc = ia_device_acquire(d, &no_limit, &changed, NULL)) == IA_E_BUSY) {
        }
        if (rc != IA_OK) {
            return 2;
        }
    }
    ia_device_close(d);
    return d ? 0 : 3;
}

static void two_processes_in_turns_lose_no_operation(void **state)
{
    (void)state;
    char *folder = folder_new();
    char seq[32];
    pid_t pids[2];
    for (size_t i = 0; i < IA_COUNTOF(pids); i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            _exit(take_turns(folder));
        }
    }
    assert_int_equal(status_of(pids[0]), 0);
    assert_int_equal(status_of(pids[1]), 0);
    struct ia_device *d = phone_open(folder, "a");
    snprintf(seq, sizeof(seq), "\"seq\":%d", 2 * TURNS);
    assert_true(state_has(d, seq));
    ia_device_close(d);
    folder_remove(folder);
}

static void a_phone_taken_back_has_the_bugs_that_its_name_asks_for(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_embedded_options opt = {
        .folder = folder, .name = "a", .query = "bugs=shop-total"};
    struct ia_device *d = NULL;
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    release(d);
    visit(folder, true, NULL);
    assert_true(acquire(d));
    assert_true(state_has(d, "\"bugs\":[\"shop-total\"]"));
    assert_same_as_its_log(d, folder);
    ia_device_close(d);
    folder_remove(folder);
}

/* A screen that loads goes on by being looked at: nobody drove the phone for that. */
static void who_only_looks_leaves_the_phone_as_it_was(void **state)
{
    (void)state;
    for (int loads = 0; loads < 2; loads++) {
        char *folder = folder_new();
        struct ia_device *d = phone_open(folder, "a"), *other = NULL;
        launch(d, loads ? SHOP : CONTACTS);
        release(d);
        other = phone_open(folder, "a");
        for (int i = 0; i < 2; i++) {
            struct ia_tree *t = NULL;
            assert_int_equal(ia_device_tree(other, &no_limit, &t, NULL), IA_OK);
            ia_tree_free(t);
        }
        release(other);
        assert_false(acquire(d));
        assert_same_as_its_log(d, folder);
        launch(d, SETTINGS);
        release(d);
        assert_true(acquire(other));
        ia_device_close(d);
        ia_device_close(other);
        folder_remove(folder);
    }
}

static void a_phone_in_memory_has_nothing_to_give(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    release(d);
    launch(d, CONTACTS);
    assert_false(acquire(d));
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phone_that_nobody_had_meanwhile_is_unchanged),
        cmocka_unit_test(what_another_process_did_is_there_and_told),
        cmocka_unit_test(a_log_that_was_removed_or_shortened_is_noticed),
        cmocka_unit_test(a_released_phone_refuses_everything_and_sends_nothing),
        cmocka_unit_test(a_phone_that_another_has_is_busy_until_it_ends),
        cmocka_unit_test(a_process_killed_in_its_turn_leaves_what_it_had_done),
        cmocka_unit_test(a_log_that_was_damaged_stays_released_and_says_so_each_time),
        cmocka_unit_test(a_phone_that_came_half_way_is_made_anew),
        cmocka_unit_test(a_log_that_begins_otherwise_is_replayed_from_its_beginning),
        cmocka_unit_test(two_processes_in_turns_lose_no_operation),
        cmocka_unit_test(a_phone_taken_back_has_the_bugs_that_its_name_asks_for),
        cmocka_unit_test(who_only_looks_leaves_the_phone_as_it_was),
        cmocka_unit_test(a_phone_in_memory_has_nothing_to_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
