#include "home.h"

#include "base/fd.h"

#include <ftw.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

int home_make(void **state)
{
    struct home *h = ia_calloc(1, sizeof(*h));
    snprintf(h->dir, sizeof(h->dir), "/tmp/ia_store_XXXXXX");
    if (!mkdtemp(h->dir)) {
        return -1;
    }
    snprintf(h->db, sizeof(h->db), "%s/ios-agent.db", h->dir);
    *state = h;
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int home_remove(void **state)
{
    struct home *h = *state;
    int rc = nftw(h->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(h);
    return rc;
}

struct ia_store *home_open_as(const struct home *h, const char *command, int busy_ms)
{
    struct ia_store_opts opts = {.home = h->dir, .command = command, .busy_ms = busy_ms};
    struct ia_store *s = NULL;
    struct ia_err err = {0};
    if (ia_store_open(&opts, &s, &err) != IA_OK) {
        fail_msg("the store does not open: %s", err.msg);
    }
    return s;
}

struct ia_store *home_open(const struct home *h)
{
    return home_open_as(h, NULL, 0);
}

struct ia_tx *begin(struct ia_store *s)
{
    struct ia_tx *tx = NULL;
    struct ia_err err = {0};
    if (ia_tx_begin(s, &tx, &err) != IA_OK) {
        fail_msg("no transaction: %s", err.msg);
    }
    return tx;
}

void commit(struct ia_tx *tx)
{
    struct ia_err err = {0};
    if (ia_tx_commit(tx, &err) != IA_OK) {
        fail_msg("not committed: %s", err.msg);
    }
}

void add_run(struct ia_store *s, const char *lane, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {.goal = "open Settings", .model = "claude-x", .lane = lane};
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
}

void start_run(struct ia_store *s, const char *lane, char id[IA_ID_SIZE])
{
    add_run(s, lane, id);
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    ia_run_move(tx, id, IA_RUN_RUNNING, NULL, NULL);
    commit(tx);
}

enum ia_rc move_run(struct ia_store *s, const char *id, enum ia_run_state to,
                    struct ia_err *err)
{
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, id, to, NULL, NULL);
    return ia_tx_commit(tx, err);
}

static sqlite3 *raw_open(const char *path)
{
    sqlite3 *conn = NULL;
    assert_int_equal(sqlite3_open(path, &conn), SQLITE_OK);
    sqlite3_busy_timeout(conn, 5000);
    return conn;
}

void raw_sql(const char *path, const char *sql)
{
    sqlite3 *conn = raw_open(path);
    char *msg = NULL;
    if (sqlite3_exec(conn, sql, NULL, NULL, &msg) != SQLITE_OK) {
        fail_msg("%s: %s", sql, msg);
    }
    sqlite3_close(conn);
}

char *raw_sql_error(const char *path, const char *sql)
{
    sqlite3 *conn = raw_open(path);
    char *msg = NULL;
    assert_int_not_equal(sqlite3_exec(conn, sql, NULL, NULL, &msg), SQLITE_OK);
    char *copy = ia_strdup(msg);
    sqlite3_free(msg);
    sqlite3_close(conn);
    return copy;
}

int64_t raw_int(const char *path, const char *sql)
{
    sqlite3 *conn = raw_open(path);
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(conn);
    return value;
}

void write_file(const char *path, const void *bytes, size_t n)
{
    struct ia_err err = {0};
    if (ia_file_write_atomic(path, bytes, n, 0600, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

void read_file(const char *path, struct ia_buf *ret)
{
    struct ia_err err = {0};
    if (ia_file_read(path, ret, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}
