/* A process that is killed at any point leaves whole transactions, whole files and a database
 * that opens. The test starts itself as the victim: kill points are read from the environment
 * once. */
#include "home.h"
#include "oldhome.h"

#include "store/blob.h"
#include "store/keyfile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 6, COMMITS = 2 * STEPS, RANDOM_KILLS = 25 };

extern char **environ;
static char *self;

/* ---- the victim -------------------------------------------------------------------------- */

static const struct ia_str big_text = {"0123456789012345678901234567890123456789", 40};

/* One byte on stdout for each commit that returned. */
static void acknowledge(void)
{
    while (write(STDOUT_FILENO, ".", 1) < 0 && errno == EINTR) {
    }
}

static void victim_step(struct ia_store *s, const char *run, int step)
{
    char id[20];
    struct ia_message_row answer = {.role = "assistant", .content = ia_str("[{}]")};
    struct ia_message_row results = {.role = "user", .content = ia_str("[{}]")};
    struct ia_call_row call = {.step = step,
                               .name = "tap",
                               .input = ia_str("{}"),
                               .has_effect = true,
                               .result = ia_str("[]")};
    snprintf(id, sizeof(id), "toolu_%d", step);
    call.tool_use_id = id;
    struct ia_tx *tx = begin(s);
    ia_tx_add_message(tx, run, &answer, &call.message_seq);
    ia_tx_add_call(tx, run, &call);
    ia_tx_add_event(tx, run, IA_EVENT(&(struct ia_event_tool_started){.element = big_text}),
                    NULL);
    commit(tx);
    acknowledge();
    tx = begin(s);
    ia_tx_set_result(tx, run, &call);
    ia_tx_add_message(tx, run, &results, NULL);
    ia_tx_add_event(tx, run, IA_EVENT(&(struct ia_event_tool_finished){.element = big_text}),
                    NULL);
    ia_tx_set_usage(tx, run, step, &(struct ia_usage_row){.output = step});
    commit(tx);
    acknowledge();
}

static int victim_turns(const struct home *h, int steps)
{
    struct ia_store *s = home_open(h);
    char run[IA_ID_SIZE];
    add_run(s, "lane", run);
    for (int step = 1; step <= steps; step++) {
        victim_step(s, run, step);
    }
    ia_store_close(s);
    return 0;
}

/* ---- several threads ---- */

enum { WRITERS = 5 };

struct writer {
    struct ia_store *s;
    char run[IA_ID_SIZE];
    int number;
};

/* Each commit of a thread is one event; it tells the parent by its own letter. */
static void *write_events(void *arg)
{
    const struct writer *w = arg;
    char letter = (char)('a' + w->number);
    for (;;) {
        struct ia_tx *tx = NULL;
        if (ia_tx_begin(w->s, &tx, NULL) != IA_OK) {
            return NULL;
        }
        ia_tx_add_event(tx, w->run, IA_EVENT(&(struct ia_event_notice){.text = big_text}),
                        NULL);
        if (ia_tx_commit(tx, NULL) != IA_OK) {
            return NULL;
        }
        while (write(STDOUT_FILENO, &letter, 1) < 0 && errno == EINTR) {
        }
    }
}

static int victim_threads(const struct home *h)
{
    struct ia_store *s = home_open(h);
    struct writer w[WRITERS];
    pthread_t threads[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        char lane[] = {(char)('a' + i), '\0'};
        w[i] = (struct writer){.s = s, .number = i};
        add_run(s, lane, w[i].run);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_create(&threads[i], NULL, write_events, &w[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
    }
    return 1;
}

static int victim_main(char **argv)
{
    struct home h;
    snprintf(h.dir, sizeof(h.dir), "%s", argv[3]);
    snprintf(h.db, sizeof(h.db), "%s/ios-agent.db", h.dir);
    if (strcmp(argv[2], "turns") == 0) {
        return victim_turns(&h, STEPS);
    }
    if (strcmp(argv[2], "threads") == 0) {
        return victim_threads(&h);
    }
    if (strcmp(argv[2], "forever") == 0) {
        return victim_turns(&h, 1 << 20);
    }
    struct ia_store *s = home_open(&h);
    char sha[IA_SHA256_HEX_SIZE];
    if (strcmp(argv[2], "blob") == 0) {
        (void)ia_blob_put(s, "abc", 3, sha, NULL);
    } else if (strcmp(argv[2], "keyfile") == 0) {
        (void)ia_keyfile_ensure(h.dir, NULL);
    }
    ia_store_close(s);
    return 0;
}

/* ---- starting it ------------------------------------------------------------------------- */

struct victim {
    pid_t pid;
    int out; /* read end of its stdout */
};

static struct victim start(const struct home *h, const char *what, const char *kill_at)
{
    char role[] = "victim";
    char *argv[] = {self, role, (char *)what, (char *)h->dir, NULL};
    struct victim v;
    int fds[2];
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe(fds), 0);
    setenv("IOS_AGENT_KILL_AT", kill_at, 1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, fds[0]);
    posix_spawn_file_actions_addclose(&actions, fds[1]);
    assert_int_equal(posix_spawn(&v.pid, self, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    unsetenv("IOS_AGENT_KILL_AT");
    close(fds[1]);
    v.out = fds[0];
    return v;
}

/* Reads acknowledgements until `enough` or the end. */
static int read_acks(const struct victim *v, int enough)
{
    int n = 0;
    char c;
    while (n < enough) {
        ssize_t got = read(v->out, &c, 1);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        n += got == 1;
    }
    return n;
}

static bool reap(struct victim *v)
{
    int status = 0;
    while (waitpid(v->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(v->out);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* ---- what it left ------------------------------------------------------------------------ */

/* How many of the victim's commits are there; fails when one of them is there in part. */
static int whole_commits(const struct home *h)
{
    struct ia_store *s = home_open(h);
    struct ia_err err = {0};
    if (ia_store_check(s, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    ia_store_close(s);
    int messages = (int)raw_int(h->db, "SELECT count(*) FROM messages");
    int intents = (int)raw_int(h->db, "SELECT count(*) FROM tool_calls");
    int results = (int)raw_int(h->db, "SELECT count(*) FROM tool_calls WHERE state = 'done'");
    int events = (int)raw_int(h->db, "SELECT count(*) FROM events WHERE type LIKE 'tool.%'");
    int steps = (int)raw_int(h->db, "SELECT COALESCE(SUM(steps), 0) FROM runs");
    int goals = (int)raw_int(h->db, "SELECT count(*) FROM goals");
    int runs = (int)raw_int(h->db, "SELECT count(*) FROM runs");
    int queued = (int)raw_int(h->db, "SELECT count(*) FROM events WHERE type = 'run.queued'");
    assert_int_equal(intents + results, messages);
    assert_int_equal(events, messages);
    assert_int_equal(steps, results);
    assert_int_equal(goals, runs);
    assert_int_equal(queued, runs);
    assert_true(intents - results == 0 || intents - results == 1);
    return runs + messages;
}

static void a_kill_at_a_commit_keeps_or_loses_that_commit_as_a_whole(void **state)
{
    for (int when = 0; when < 2; when++) {
        for (int nth = 1; nth <= 1 + COMMITS; nth++) {
            char at[60];
            assert_int_equal(home_make(state), 0);
            struct home *h = *state;
            snprintf(at, sizeof(at), "store.commit.%s:%d", when ? "after" : "before", nth);
            struct victim v = start(h, "turns", at);
            (void)read_acks(&v, COMMITS);
            assert_true(reap(&v));
            assert_int_equal(whole_commits(h), when ? nth : nth - 1);
            home_remove(state);
        }
    }
}

static void without_a_kill_all_commits_are_there(void **state)
{
    struct victim v = start(*state, "turns", "");
    assert_int_equal(read_acks(&v, COMMITS), COMMITS);
    assert_false(reap(&v));
    assert_int_equal(whole_commits(*state), 1 + COMMITS);
}

/* The parent's SIGKILL hits anywhere: inside SQLite's writes, its checkpoint, its fsync. */
static void a_kill_anywhere_keeps_every_commit_that_returned(void **state)
{
    for (int i = 0; i < RANDOM_KILLS; i++) {
        assert_int_equal(home_make(state), 0);
        struct victim v = start(*state, "forever", "");
        int acked = read_acks(&v, 1 + i * i);
        kill(v.pid, SIGKILL);
        acked += read_acks(&v, 1 << 30);
        assert_true(reap(&v));
        int found = whole_commits(*state);
        if (found != 1 + acked && found != 2 + acked) {
            fail_msg("%d commits returned, %d are there", 1 + acked, found);
        }
        home_remove(state);
    }
}

/* Reads letters until `enough` of them or the end. */
static void count_letters(const struct victim *v, int enough, int acked[WRITERS])
{
    char c = 0;
    for (int n = 0; n < enough; n++) {
        ssize_t got = 0;
        do {
            got = read(v->out, &c, 1);
        } while (got < 0 && errno == EINTR);
        if (got <= 0) {
            return;
        }
        acked[c - 'a']++;
    }
}

/* Threads that share a commit are told of it only after it: what was told is there, and at most
 * the one transaction of each thread besides. */
static void a_kill_among_threads_keeps_what_each_of_them_was_told(void **state)
{
    static const char *const at[] = {"", "store.commit.before:57", "store.commit.after:57"};
    for (int i = 0; i < 2 * RANDOM_KILLS / 3; i++) {
        assert_int_equal(home_make(state), 0);
        struct home *h = *state;
        int acked[WRITERS] = {0};
        struct victim v = start(h, "threads", at[i % 3]);
        count_letters(&v, i % 3 ? 1 << 30 : 1 + 20 * i, acked);
        kill(v.pid, SIGKILL);
        count_letters(&v, 1 << 30, acked);
        assert_true(reap(&v));
        ia_store_close(home_open(h));
        for (int t = 0; t < WRITERS; t++) {
            char sql[200];
            snprintf(sql, sizeof(sql),
                     "SELECT count(*) FROM events e JOIN runs r ON r.id = "
                     "e.run_id WHERE type = 'notice' AND lane = '%c'",
                     'a' + t);
            int found = (int)raw_int(h->db, sql);
            if (found != acked[t] && found != acked[t] + 1) {
                fail_msg("thread %d was told of %d, %d are there", t, acked[t], found);
            }
        }
        assert_int_equal(raw_int(h->db, "SELECT count(*) FROM pragma_integrity_check WHERE "
                                        "integrity_check <> 'ok'"),
                         0);
        home_remove(state);
    }
}

static const char *const migrate_points[] = {"store.migrate.applied", "store.migrate.before",
                                             "store.migrate.after"};

/* Counts changes of the schema; every migration makes some. */
static const char schema_changes[] = "PRAGMA schema_version";

/* Kills the victim in the nth migration that it makes. */
static void kill_in_migration(const struct home *h, const char *point, int nth)
{
    char at[60];
    snprintf(at, sizeof(at), "%s:%d", point, nth);
    struct victim v = start(h, "turns", at);
    (void)read_acks(&v, 1);
    assert_true(reap(&v));
}

static void a_kill_inside_a_migration_leaves_a_file_that_migrates_again(void **state)
{
    for (int nth = 1; nth <= ia_store_schema_version(); nth++) {
        for (size_t i = 0; i < IA_COUNTOF(migrate_points); i++) {
            assert_int_equal(home_make(state), 0);
            struct home *h = *state;
            kill_in_migration(h, migrate_points[i], nth);
            int version = nth - (strstr(migrate_points[i], "after") == NULL);
            assert_int_equal(raw_int(h->db, "PRAGMA user_version"), version);
            assert_int_equal(raw_int(h->db, "SELECT count(*) > 0 FROM sqlite_schema"),
                             version > 0);
            assert_int_equal(whole_commits(h), 0);
            assert_int_equal(raw_int(h->db, "PRAGMA user_version"), ia_store_schema_version());
            home_remove(state);
        }
    }
}

static void a_kill_inside_a_migration_loses_no_row_of_the_version_before(void **state)
{
    for (int version = 1; version < ia_store_schema_version(); version++) {
        for (size_t i = 0; i < IA_COUNTOF(migrate_points); i++) {
            assert_int_equal(home_make(state), 0);
            struct home *h = *state;
            oldhome_make_real(h, version);
            int64_t old = raw_int(h->db, schema_changes);
            kill_in_migration(h, migrate_points[i], 1);
            bool after = strstr(migrate_points[i], "after") != NULL;
            assert_int_equal(raw_int(h->db, "PRAGMA user_version"), version + after);
            assert_int_equal(raw_int(h->db, schema_changes) != old, after);
            oldhome_expect_all(h);
            ia_store_close(home_open(h));
            oldhome_expect_all(h);
            assert_int_equal(raw_int(h->db, "PRAGMA user_version"), ia_store_schema_version());
            home_remove(state);
        }
    }
}

static void a_kill_before_a_blob_has_its_name_leaves_none_and_after_a_whole_one(void **state)
{
    for (int after = 0; after < 2; after++) {
        assert_int_equal(home_make(state), 0);
        struct victim v =
            start(*state, "blob", after ? "blob.rename.after" : "blob.rename.before");
        assert_true(reap(&v));
        struct ia_store *s = home_open(*state);
        struct ia_buf bytes = IA_BUF(100);
        char sha[IA_SHA256_HEX_SIZE];
        ia_sha256_hex("abc", 3, sha);
        assert_rc(after ? IA_OK : IA_E_NOT_FOUND, ia_blob_read(s, sha, &bytes, NULL));
        assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
        ia_buf_reset(&bytes);
        assert_rc(IA_OK, ia_blob_read(s, sha, &bytes, NULL));
        assert_string_equal(ia_buf_cstr(&bytes), "abc");
        ia_buf_fini(&bytes);
        ia_store_close(s);
        home_remove(state);
    }
}

static void a_kill_before_the_key_file_has_its_name_leaves_none(void **state)
{
    struct home *h = *state;
    unsigned char master[IA_MASTER_BYTES];
    struct victim v = start(h, "keyfile", "secret.keyfile.before");
    assert_true(reap(&v));
    assert_rc(IA_E_KEY_MISSING, ia_keyfile_read(h->dir, master, NULL));
    assert_rc(IA_OK, ia_keyfile_ensure(h->dir, NULL));
    assert_rc(IA_OK, ia_keyfile_read(h->dir, master, NULL));
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(int argc, char **argv)
{
    self = argv[0];
    if (sodium_init() < 0) {
        return 1;
    }
    if (argc == 4 && strcmp(argv[1], "victim") == 0) {
        return victim_main(argv);
    }
    const struct CMUnitTest tests[] = {
        T(without_a_kill_all_commits_are_there),
        cmocka_unit_test(a_kill_at_a_commit_keeps_or_loses_that_commit_as_a_whole),
        cmocka_unit_test(a_kill_anywhere_keeps_every_commit_that_returned),
        cmocka_unit_test(a_kill_among_threads_keeps_what_each_of_them_was_told),
        cmocka_unit_test(a_kill_inside_a_migration_leaves_a_file_that_migrates_again),
        cmocka_unit_test(a_kill_inside_a_migration_loses_no_row_of_the_version_before),
        cmocka_unit_test(a_kill_before_a_blob_has_its_name_leaves_none_and_after_a_whole_one),
        T(a_kill_before_the_key_file_has_its_name_leaves_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
