/* Opening: what cannot be used is refused with a reason and left as it is. */
#include "child.h"
#include "home.h"

#include "base/clock.h"
#include "store/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

enum { FILE_MAX = 16 << 20, NOBODY = 65534 };

static enum ia_rc try_open(const struct home *h, struct ia_err *err)
{
    struct ia_store *s = NULL;
    struct ia_store_opts opts = {.home = h->dir, .busy_ms = 200};
    enum ia_rc rc = ia_store_open(&opts, &s, err);
    ia_store_close(s);
    return rc;
}

static void create(const struct home *h, char id[IA_ID_SIZE])
{
    struct ia_store *s = home_open(h);
    add_run(s, "l", id);
    ia_store_close(s);
}

/* Opening must fail with rc, mention the path, hint at something and leave the file alone. */
static void refuses_and_leaves(const struct home *h, enum ia_rc rc, const char *says)
{
    struct ia_buf before = IA_BUF(FILE_MAX), after = IA_BUF(FILE_MAX);
    struct ia_err err = {0};
    read_file(h->db, &before);
    assert_rc(rc, try_open(h, &err));
    read_file(h->db, &after);
    assert_contains(err.msg, h->db);
    assert_contains(err.msg, says);
    assert_true(strlen(err.hint) > 10);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.p, after.p, before.len);
    ia_buf_fini(&before);
    ia_buf_fini(&after);
}

/* What was committed to a file that nobody finds any more is not kept. */
static void a_database_that_is_deleted_or_replaced_while_it_is_in_use_is_noticed(void **state)
{
    struct home *h = *state;
    static const char *const suffixes[] = {"", "-wal"};
    for (size_t i = 0; i < 2 * IA_COUNTOF(suffixes); i++) {
        char path[128], aside[160], id[IA_ID_SIZE];
        struct ia_err err = {0};
        struct ia_tx *tx = NULL;
        struct ia_store *s = home_open(h);
        bool asked = false;
        add_run(s, "l", id);
        snprintf(path, sizeof(path), "%s%s", h->db, suffixes[i % 2]);
        snprintf(aside, sizeof(aside), "%s.aside", path);
        assert_int_equal(rename(path, aside), 0);
        if (i >= IA_COUNTOF(suffixes)) {
            write_file(path, "another", 7);
        }
        tx = begin(s);
        ia_tx_heartbeat(tx, id, &asked);
        assert_rc(IA_E_DB_CORRUPT, ia_tx_commit(tx, &err));
        assert_contains(err.msg, path);
        assert_contains(err.msg, "deleted or replaced");
        ia_store_close(s);
        (void)unlink(path);
        (void)unlink(h->db);
        (void)unlink(aside);
    }
}

static enum ia_rc open_long(const struct home *h, size_t bytes, struct ia_err *err)
{
    char path[1024];
    struct ia_store *s = NULL;
    size_t n = (size_t)snprintf(path, sizeof(path), "%s/", h->dir);
    for (; n < bytes; n++) {
        path[n] = n % 100 == 99 && n + 1 < bytes ? '/' : 'x';
    }
    path[n] = '\0';
    struct ia_store_opts opts = {.home = path};
    enum ia_rc rc = ia_store_open(&opts, &s, err);
    ia_store_close(s);
    return rc;
}

static void the_longest_path_that_the_hint_allows_can_be_opened(void **state)
{
    struct ia_err err = {0};
    size_t most = 0;
    assert_rc(IA_E_IO, open_long(*state, 900, &err));
    assert_contains(err.msg, "too long (900 bytes)");
    const char *number = strstr(err.hint, "at most ");
    assert_non_null(number);
    assert_int_equal(sscanf(number, "at most %zu bytes", &most), 1);
    assert_rc(IA_OK, open_long(*state, most, &err));
    assert_rc(IA_E_IO, open_long(*state, most + 1, &err));
}

static void a_new_home_is_made_with_its_parents(void **state)
{
    struct home *h = *state;
    char deep[128];
    struct stat st;
    snprintf(deep, sizeof(deep), "%s/a/b", h->dir);
    struct ia_store_opts opts = {.home = deep};
    struct ia_store *s = NULL;
    assert_rc(IA_OK, ia_store_open(&opts, &s, NULL));
    assert_string_equal(ia_store_home(s), deep);
    assert_int_equal(stat(ia_store_path(s), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    ia_store_close(s);
}

static void the_database_is_durable_and_checks_references(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE];
    create(h, id);
    assert_int_equal(raw_int(h->db, "PRAGMA user_version"), ia_store_schema_version());
    assert_int_equal(raw_int(h->db, "PRAGMA application_id"), 0x494F5341);
    assert_int_equal(raw_int(h->db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
    struct ia_store *s = home_open(h);
    struct ia_tx *tx = begin(s);
    ia_tx_set_session(tx, "no such agent", id);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

static int64_t log_size(const struct home *h)
{
    char path[128];
    struct stat st;
    snprintf(path, sizeof(path), "%s-wal", h->db);
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void a_commit_finds_room_in_the_log(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE];
    struct ia_store *s = home_open(h);
    add_run(s, "l", id);
    int64_t first = log_size(h);
    int runs = 1;
    for (; runs < 300 && log_size(h) == first; runs++) {
        add_run(s, "l", id);
    }
    int64_t size = log_size(h);
    assert_true(size > first); /* by so much that the next ones need no more of the disk */
    for (int i = 0; i < 10; i++) {
        add_run(s, "l", id);
    }
    assert_int_equal(log_size(h), size);
    for (int i = 0; i < 300; i++) {
        add_run(s, "l", id);
    }
    assert_true(log_size(h) > size && log_size(h) < 8 << 20); /* and is used again */
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs"), runs + 310);
    ia_store_close(s);
}

static void a_newer_database_is_refused(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE];
    create(h, id);
    raw_sql(h->db, "PRAGMA user_version = 99");
    refuses_and_leaves(h, IA_E_DB_NEWER, "newer ios-agent: its schema version is 99");
}

static void the_database_of_another_program_is_refused(void **state)
{
    struct home *h = *state;
    raw_sql(h->db, "CREATE TABLE photos (id INTEGER PRIMARY KEY)");
    refuses_and_leaves(h, IA_E_DB_CORRUPT, "another program");
}

static void a_file_that_is_no_database_is_refused(void **state)
{
    struct home *h = *state;
    char text[8192];
    memset(text, 'x', sizeof(text));
    write_file(h->db, text, sizeof(text));
    refuses_and_leaves(h, IA_E_DB_CORRUPT, "is damaged");
}

static void an_empty_file_is_a_new_database(void **state)
{
    struct home *h = *state;
    write_file(h->db, "", 0);
    assert_rc(IA_OK, try_open(h, NULL));
}

static bool ignore_run(void *ctx, const struct ia_run_row *row)
{
    (void)ctx;
    (void)row;
    return true;
}

static void a_malformed_page_is_reported_and_nothing_crashes(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE];
    struct ia_buf bytes = IA_BUF(FILE_MAX);
    struct ia_err err = {0};
    create(h, id);
    read_file(h->db, &bytes);
    int64_t page = raw_int(h->db, "SELECT rootpage FROM sqlite_schema WHERE name = 'runs'");
    memset(bytes.p + (page - 1) * 4096, 0xA5, 4096);
    write_file(h->db, bytes.p, bytes.len);
    struct ia_store *s = home_open(h);
    assert_rc(IA_E_DB_CORRUPT, ia_store_runs(s, NULL, ignore_run, NULL, &err));
    assert_contains(err.msg, h->db);
    assert_contains(err.hint, ".recover");
    assert_rc(IA_E_DB_CORRUPT, ia_store_check(s, &err));
    assert_contains(err.msg, h->db);
    ia_store_close(s);
    ia_buf_fini(&bytes);
}

static void a_sound_database_passes_the_check(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

static void a_database_cut_short_is_reported(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE];
    create(h, id);
    assert_int_equal(truncate(h->db, 4096 * 3), 0);
    struct ia_err err = {0};
    struct ia_store *s = NULL;
    struct ia_store_opts opts = {.home = h->dir};
    enum ia_rc rc = ia_store_open(&opts, &s, &err);
    if (rc == IA_OK) {
        rc = ia_store_runs(s, NULL, ignore_run, NULL, &err);
    }
    assert_rc(IA_E_DB_CORRUPT, rc);
    ia_store_close(s);
}

/* ---- locked ------------------------------------------------------------------------------ */

static int hold_write_lock(void *ctx, int in, int out)
{
    const struct home *h = ctx;
    sqlite3 *conn = NULL;
    int ok = sqlite3_open(h->db, &conn) == SQLITE_OK &&
             sqlite3_exec(conn, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    tell(out, ok ? 'y' : 'n');
    (void)hear(in);
    sqlite3_close(conn);
    return 0;
}

static void a_lock_of_another_process_is_waited_for_but_not_forever(void **state)
{
    struct home *h = *state;
    char id[IA_ID_SIZE];
    create(h, id);
    struct child c = child_start(hold_write_lock, h);
    assert_int_equal(child_byte(&c), 'y');
    struct ia_store *s = home_open_as(h, NULL, 200);
    struct ia_tx *tx = NULL;
    struct ia_err err = {0};
    int64_t start = ia_mono_us(ia_clock_system());
    assert_rc(IA_E_DB_LOCKED, ia_tx_begin(s, &tx, &err));
    int64_t waited_ms = (ia_mono_us(ia_clock_system()) - start) / 1000;
    assert_true(waited_ms >= 200 && waited_ms < 5000);
    assert_contains(err.msg, h->db);
    assert_contains(err.msg, "200 ms");
    assert_true(err.retry_safe);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, &err)); /* readers do not wait for writers */
    ia_run_row_free(row);
    child_go(&c);
    assert_int_equal(child_wait(&c), 0);
    commit(begin(s));
    ia_store_close(s);
}

/* ---- read-only --------------------------------------------------------------------------- */

/* Root may write everything, so the child becomes nobody. The result travels as text. */
static int open_as_nobody(void *ctx, int in, int out)
{
    const struct home *h = ctx;
    struct ia_err err = {0};
    (void)in;
    if (geteuid() == 0 && setuid(NOBODY) != 0) {
        return 99;
    }
    enum ia_rc rc = try_open(h, &err);
    bool told = strstr(err.msg, h->dir) && strstr(err.msg, "cannot be written") &&
                strstr(err.hint, "IOS_AGENT_HOME");
    tell(out, told ? 'y' : 'n');
    return rc == IA_E_DB_READONLY ? 0 : 1;
}

static void a_file_or_folder_that_cannot_be_written_is_refused(void **state)
{
    static const struct {
        mode_t dir, file;
    } cases[] = {{0777, 0444}, {0555, 0666}, {0777, 0400}};
    struct home *h = *state;
    char id[IA_ID_SIZE];
    create(h, id);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_int_equal(chmod(h->db, cases[i].file), 0);
        assert_int_equal(chmod(h->dir, cases[i].dir), 0);
        struct child c = child_start(open_as_nobody, h);
        assert_int_equal(child_byte(&c), 'y');
        assert_int_equal(child_wait(&c), 0);
    }
    assert_int_equal(chmod(h->dir, 0700), 0);
    assert_int_equal(chmod(h->db, 0600), 0);
    struct ia_store *s = home_open(h);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    ia_run_row_free(row);
    ia_store_close(s);
}

/* ---- full disk --------------------------------------------------------------------------- */

/* Adds events of 50 KB until one does not fit; returns how many did. */
static int fill(struct ia_store *s, const char *id, int most, enum ia_rc *ret_rc,
                struct ia_err *err)
{
    enum { SIZE = 50000 };
    char *text = ia_alloc(SIZE);
    memset(text, ' ', SIZE);
    const struct ia_event_notice notice = {.text = {text, SIZE}};
    int n = 0;
    *ret_rc = IA_OK;
    while (n < most && *ret_rc == IA_OK) {
        struct ia_tx *tx = NULL;
        *ret_rc = ia_tx_begin(s, &tx, err);
        if (*ret_rc == IA_OK) {
            ia_tx_add_event(tx, id, IA_EVENT(&notice), NULL);
            *ret_rc = ia_tx_commit(tx, err);
        }
        n += *ret_rc == IA_OK;
    }
    free(text);
    return n;
}

static bool count_event(void *ctx, const struct ia_event_row *row)
{
    *(int *)ctx += row->type == IA_EVENT_NOTICE;
    return true;
}

/* What was committed is there, what was not is not, and the database is sound. */
static int holds_exactly(struct ia_store *s, const char *id, int expected)
{
    int found = 0;
    bool ok = ia_store_events(s, &(struct ia_event_range){.run_id = id}, count_event, &found,
                              NULL, NULL) == IA_OK &&
              ia_store_check(s, NULL) == IA_OK;
    return ok && found == expected;
}

static enum ia_rc put_big_blob(struct ia_store *s, struct ia_err *err)
{
    enum { SIZE = 1200000 };
    char sha[IA_SHA256_HEX_SIZE];
    char *bytes = ia_calloc(1, SIZE);
    enum ia_rc rc = ia_blob_put(s, bytes, SIZE, sha, err);
    free(bytes);
    return rc;
}

static int run_out_of_room(const struct home *h, void (*make_room)(const struct home *))
{
    struct ia_err err = {0};
    enum ia_rc rc = IA_OK;
    char id[IA_ID_SIZE];
    struct ia_store *s = home_open(h);
    add_run(s, "l", id);
    int n = fill(s, id, 1000, &rc, &err);
    if (rc != IA_E_DB_FULL || !strstr(err.msg, h->db) || !strstr(err.hint, "free some space")) {
        fprintf(stderr, "after %d: %s: %s\n", n, ia_rc_name(rc), err.msg);
        return 1;
    }
    if (!holds_exactly(s, id, n)) {
        return 2;
    }
    if (put_big_blob(s, &err) != IA_E_DB_FULL || !strstr(err.msg, h->dir)) {
        return 4;
    }
    make_room(h);
    if (put_big_blob(s, &err) != IA_OK) {
        return 5;
    }
    int more = fill(s, id, 20, &rc, &err);
    bool continues = more == 20 && holds_exactly(s, id, n + 20);
    ia_store_close(s);
    return continues ? 0 : 3;
}

static void lift_limit(const struct home *h)
{
    (void)h;
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static int run_with_small_files(void *ctx, int in, int out)
{
    (void)in;
    (void)out;
    struct rlimit limit;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, NULL);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &limit);
    return run_out_of_room(ctx, lift_limit);
}

static void a_file_that_may_not_grow_loses_nothing_and_goes_on_when_it_may(void **state)
{
    struct child c = child_start(run_with_small_files, *state);
    assert_int_equal(child_wait(&c), 0);
}

#ifdef __linux__
static void remove_ballast(const struct home *h)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/ballast", h->dir);
    unlink(path);
}

/* 77: this user may not mount. */
static int run_on_a_small_disk(void *ctx, int in, int out)
{
    const struct home *h = ctx;
    char path[128], zeros[4096] = {0};
    (void)in;
    (void)out;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", h->dir, "tmpfs", 0, "size=8m") != 0) {
        return 77;
    }
    snprintf(path, sizeof(path), "%s/ballast", h->dir);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 1024; i++) {
        if (write(fd, zeros, sizeof(zeros)) < 0) {
            return 98;
        }
    }
    close(fd);
    return run_out_of_room(h, remove_ballast);
}

static void a_full_disk_loses_nothing_and_goes_on_with_room(void **state)
{
    struct child c = child_start(run_on_a_small_disk, *state);
    int status = child_wait(&c);
    if (status == 77) {
        print_message("no permission to mount a small disk: skipped\n");
        skip();
    }
    assert_int_equal(status, 0);
}
#endif

/* ---- at once ----------------------------------------------------------------------------- */

static int open_when_told(void *ctx, int in, int out)
{
    (void)out;
    (void)hear(in);
    struct ia_store *s = NULL;
    struct ia_err err = {0};
    struct ia_store_opts opts = {.home = ((struct home *)ctx)->dir, .busy_ms = 10000};
    enum ia_rc rc = ia_store_open(&opts, &s, &err);
    if (rc != IA_OK) {
        fprintf(stderr, "%s\n", err.msg);
    }
    ia_store_close(s);
    return rc == IA_OK ? 0 : 1;
}

static void processes_may_create_the_database_at_once(void **state)
{
    struct child c[6];
    for (size_t i = 0; i < IA_COUNTOF(c); i++) {
        c[i] = child_start(open_when_told, *state);
    }
    for (size_t i = 0; i < IA_COUNTOF(c); i++) {
        child_go(&c[i]);
    }
    for (size_t i = 0; i < IA_COUNTOF(c); i++) {
        assert_int_equal(child_wait(&c[i]), 0);
    }
    struct ia_store *s = home_open(*state);
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    struct home *h = *state;
    char path[128];
    struct ia_err err = {0};
    struct ia_store *s = NULL;
    snprintf(path, sizeof(path), "%s/file", h->dir);
    write_file(path, "x", 1);
    snprintf(path, sizeof(path), "%s/file/home", h->dir);
    struct ia_store_opts opts = {.home = path};
    assert_int_not_equal(ia_store_open(&opts, &s, &err), IA_OK);
    assert_contains(err.msg, "/file");
    assert_contains(err.hint, "IOS_AGENT_HOME");
    opts.home = "";
    assert_rc(IA_E_USAGE, ia_store_open(&opts, &s, &err));
    ia_store_close(NULL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_database_that_is_deleted_or_replaced_while_it_is_in_use_is_noticed),
        T(the_longest_path_that_the_hint_allows_can_be_opened),
        T(a_new_home_is_made_with_its_parents),
        T(the_database_is_durable_and_checks_references),
        T(a_commit_finds_room_in_the_log),
        T(a_newer_database_is_refused),
        T(the_database_of_another_program_is_refused),
        T(a_file_that_is_no_database_is_refused),
        T(an_empty_file_is_a_new_database),
        T(a_malformed_page_is_reported_and_nothing_crashes),
        T(a_sound_database_passes_the_check),
        T(a_database_cut_short_is_reported),
        T(a_lock_of_another_process_is_waited_for_but_not_forever),
        T(a_file_or_folder_that_cannot_be_written_is_refused),
        T(a_file_that_may_not_grow_loses_nothing_and_goes_on_when_it_may),
#ifdef __linux__
        T(a_full_disk_loses_nothing_and_goes_on_with_room),
#endif
        T(processes_may_create_the_database_at_once),
        T(a_folder_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
