/* db.c: a connection: how it is opened, how SQLite's failures become ours, and one use of a
 * prepared statement.
 *
 * A connection belongs to one thread at a time (SQLITE_OPEN_NOMUTEX): the writer to whoever
 * has the turn, a reader to whoever took it from the pool. The use of a statement:
 *
 * struct ia_q q = ia_q(db, which);    prepared once for each connection
 * ia_q_text(&q, …);                  bound in the order of the ?
 * while (ia_q_row(&q)) ia_q_get_…    read in the order of the columns
 * ia_q_end(&q, err);                 the first failure of all of them; resets
 *
 * What is bound is not copied and must live until ia_q_end; what is read lives until the
 * next row. */
#include "store/db.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_SIZE = 4096,
    BUSY_PAUSE_US = 1000,
    CHECKPOINT_FRAMES = 500, /* few, as the writer that does it makes the others wait */
    WAL_HEAD_BYTES = 32,     /* walformat, section 4.1 */
    WAL_FRAME_BYTES = 24 + 4096,
    WAL_LEFT_BYTES = 16 * WAL_FRAME_BYTES,
    WAL_AHEAD_BYTES = 1 << 20
};

/* Asks again every millisecond. SQLite's own handler backs off up to 100 ms, so that a process
 * that waits long loses to one that just came. */
static int wait_for_others(void *ctx, int tries)
{
    (void)tries;
    struct ia_db *db = ctx;
    const struct ia_clock *clock = ia_clock_system();
    int64_t now = ia_mono_us(clock);
    if (now >= db->busy_deadline_us) {
        return 0;
    }
    (void)ia_clock_wait(clock, NULL, now + BUSY_PAUSE_US);
    return 1;
}

void ia_db_wait_from_now(struct ia_db *db)
{
    db->busy_deadline_us = ia_mono_us(ia_clock_system()) + (int64_t)db->busy_ms * 1000;
}

/* ---- the write-ahead log --------------------------------------------------------------- */

/* The errno behind an I/O error, below. */
static int io_cause(struct ia_db *db);

static int after_commit(void *ctx, sqlite3 *conn, const char *name, int frames)
{
    struct ia_db *db = ctx;
    int rc = SQLITE_OK;
    db->wal_frames = frames;
    /* PASSIVE waits for nobody: pages that a reader still needs stay in the log for the next
     * time. This hook replaces SQLite's own automatic checkpoint. */
    if (frames >= CHECKPOINT_FRAMES) {
        rc = sqlite3_wal_checkpoint_v2(conn, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
    /* What else fails in it is done by the next one. */
    if (rc == SQLITE_IOERR_FSYNC) {
        db->copy_rc = rc;
        db->copy_errno = io_cause(db);
    }
    return SQLITE_OK;
}

sqlite3_file *ia_db_log(const struct ia_db *db)
{
    sqlite3_file *f = NULL;
    (void)sqlite3_file_control(db->conn, "main", SQLITE_FCNTL_JOURNAL_POINTER, &f);
    return f && f->pMethods ? f : NULL;
}

static uint32_t version_of(struct ia_db *db)
{
    uint32_t version = 0;
    (void)sqlite3_file_control(db->conn, "main", SQLITE_FCNTL_DATA_VERSION, &version);
    return version;
}

bool ia_db_foreign(struct ia_db *db)
{
    return version_of(db) != db->version;
}

void ia_db_wrote(struct ia_db *db)
{
    db->version = version_of(db);
}

void ia_db_room_ahead(struct ia_db *db)
{
    sqlite3_file *wal = ia_db_log(db);
    sqlite3_int64 size = 0;
    if (!wal || wal->pMethods->xFileSize(wal, &size) != SQLITE_OK ||
        size >= WAL_HEAD_BYTES + db->wal_frames * WAL_FRAME_BYTES + WAL_LEFT_BYTES) {
        return;
    }
    /* Grown in steps, so that most commits overwrite bytes the file already has: an fsync
     * that need not write a new size as well is cheaper. Best effort: without it commits are
     * only slower. */
    int chunk = WAL_AHEAD_BYTES;
    sqlite3_int64 want = size + 1;
    (void)wal->pMethods->xFileControl(wal, SQLITE_FCNTL_CHUNK_SIZE, &chunk);
    (void)wal->pMethods->xFileControl(wal, SQLITE_FCNTL_SIZE_HINT, &want);
}

/* Pragmas that hold for one connection and touch no page. fullfsync matters on macOS only,
 * where fsync(2) leaves the data in the drive's cache. */
static const char *const setup_sql = "PRAGMA foreign_keys = ON;"
                                     "PRAGMA synchronous = FULL;"
                                     "PRAGMA fullfsync = ON;"
                                     "PRAGMA checkpoint_fullfsync = ON;"
                                     "PRAGMA trusted_schema = OFF;"
                                     "PRAGMA temp_store = MEMORY;";

/* SQLite would count every byte that it allocates, under one lock for all connections. */
static void count_no_bytes(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS,
                         0); /* refused, and harmless, once it is in use */
}

void ia_db_prepare(void)
{
    static pthread_once_t configured = PTHREAD_ONCE_INIT;
    (void)pthread_once(&configured, count_no_bytes);
}

enum ia_rc ia_db_open(struct ia_db *db, const char *path, int busy_ms, struct ia_err *err)
{
    ia_db_prepare();
    *db = (struct ia_db){.path = ia_strdup(path), .busy_ms = busy_ms};
    /* The pragmas below can already meet a lock. */
    ia_db_wait_from_now(db);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int rc = sqlite3_open_v2(path, &db->conn, flags, NULL);
    if (rc != SQLITE_OK) {
        enum ia_rc failed = ia_db_fail(db, err);
        ia_db_close(db);
        return failed;
    }
    (void)sqlite3_extended_result_codes(db->conn, 1);
    (void)sqlite3_busy_handler(db->conn, wait_for_others, db);
    (void)sqlite3_wal_hook(db->conn, after_commit, db);
    (void)sqlite3_db_config(db->conn, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    enum ia_rc done = ia_db_exec(db, setup_sql, err);
    if (done != IA_OK) {
        ia_db_close(db);
    }
    return done;
}

void ia_db_close(struct ia_db *db)
{
    /* A connection with statements left would not close. */
    for (size_t i = 0; i < IA_COUNTOF(db->stmts); i++) {
        (void)sqlite3_finalize(db->stmts[i]);
    }
    (void)sqlite3_close(db->conn);
    free(db->path);
    *db = (struct ia_db){0};
}

enum ia_rc ia_db_exec(struct ia_db *db, const char *sql, struct ia_err *err)
{
    return sqlite3_exec(db->conn, sql, NULL, NULL, NULL) == SQLITE_OK ? IA_OK
                                                                      : ia_db_fail(db, err);
}

enum ia_rc ia_db_pragma(struct ia_db *db, const char *name, int64_t *ret, struct ia_err *err)
{
    /* Pragmas take no bound parameters; the names come from this program. */
    char *sql = sqlite3_mprintf("PRAGMA %s", name);
    sqlite3_stmt *stmt = NULL;
    int rc = sql ? sqlite3_prepare_v2(db->conn, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(stmt);
    }
    if (rc != SQLITE_ROW) {
        enum ia_rc failed = ia_db_fail(db, err);
        (void)sqlite3_finalize(stmt);
        return failed;
    }
    *ret = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return IA_OK;
}

/* ---- the files -------------------------------------------------------------------------- */

static struct ia_db_file file_of(const struct ia_db *db, size_t which)
{
    static const char *const suffixes[] = {"", "-wal"};
    char path[PATH_SIZE];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s%s", db->path, suffixes[which]);
    if (stat(path, &st) != 0) {
        return (struct ia_db_file){0};
    }
    return (struct ia_db_file){st.st_dev, st.st_ino};
}

void ia_db_note_files(struct ia_db *db)
{
    for (size_t i = 0; i < IA_COUNTOF(db->files); i++) {
        db->files[i] = file_of(db, i);
    }
}

enum ia_rc ia_db_check_files(const struct ia_db *db, struct ia_err *err)
{
    for (size_t i = 0; i < IA_COUNTOF(db->files); i++) {
        const struct ia_db_file was = db->files[i], is = file_of(db, i);
        if (was.ino != 0 && (was.ino != is.ino || was.dev != is.dev)) {
            ia_err_set(err, IA_E_DB_CORRUPT,
                       "%s%s was deleted or replaced while it was in use: what was recorded "
                       "since then is lost",
                       db->path, i == 0 ? "" : "-wal");
            ia_err_hint(err, "look at the device before anything is run again, and stop every "
                             "ios-agent before its folder is moved or restored");
            return IA_E_DB_CORRUPT;
        }
    }
    return IA_OK;
}

/* ---- errors ---------------------------------------------------------------------------- */

static enum ia_rc fail_locked(const struct ia_db *db, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DB_LOCKED,
                               "%s is locked: another process has been writing to it for more "
                               "than %d ms",
                               db->path, db->busy_ms);
    ia_err_hint(
        err, "wait for the other ios-agent or end it (`lsof %s` names it); nothing was changed",
        db->path);
    if (err) {
        err->retry_safe = true;
    }
    return rc;
}

static enum ia_rc fail_readonly(const struct ia_db *db, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DB_READONLY, "%s cannot be written: %s", db->path,
                               sqlite3_errmsg(db->conn));
    ia_err_hint(err, "make the file and its folder writable for you, or set IOS_AGENT_HOME to "
                     "a folder of your own");
    return rc;
}

static enum ia_rc fail_corrupt(const struct ia_db *db, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DB_CORRUPT, "%s is damaged: %s", db->path,
                               sqlite3_errmsg(db->conn));
    ia_err_hint(err, "it was left unchanged; move it and its -wal file away to start over; "
                     "`sqlite3 FILE .recover` may recover its rows");
    return rc;
}

static enum ia_rc fail_full(const struct ia_db *db, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DB_FULL, "no room left on the disk of %s", db->path);
    ia_err_hint(err, "free some space; what was committed before is safe");
    return rc;
}

bool ia_db_out_of_room(int system_errno)
{
    return system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG;
}

static bool no_permission(int system_errno)
{
    return system_errno == EACCES || system_errno == EPERM || system_errno == EROFS;
}

/* sqlite3_system_errno does not know it when a commit failed,
 * but the file that failed (the database or its WAL) does. */
static int io_cause(struct ia_db *db)
{
    int cause = sqlite3_system_errno(db->conn);
    int of_file = 0;
    if (cause == 0) {
        (void)sqlite3_file_control(db->conn, "main", SQLITE_FCNTL_LAST_ERRNO, &cause);
    }
    sqlite3_file *wal = ia_db_log(db);
    if (cause == 0 && wal &&
        wal->pMethods->xFileControl(wal, SQLITE_FCNTL_LAST_ERRNO, &of_file) == SQLITE_OK) {
        cause = of_file;
    }
    return cause;
}

static enum ia_rc fail_io(struct ia_db *db, struct ia_err *err)
{
    int cause = io_cause(db);
    if (ia_db_out_of_room(cause)) {
        return fail_full(db, err);
    }
    if (no_permission(cause)) {
        return fail_readonly(db, err);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_DB, "%s: %s: %s", db->path, sqlite3_errmsg(db->conn),
                               cause ? strerror(cause) : "no further reason");
    ia_err_hint(err, "check the disk and the permissions of the folder");
    return rc;
}

static enum ia_rc fail_constraint(const struct ia_db *db, int rc, struct ia_err *err)
{
    enum ia_rc code = IA_E_DB;
    if (rc == SQLITE_CONSTRAINT_FOREIGNKEY) {
        code = IA_E_NOT_FOUND;
    } else if (rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY) {
        code = IA_E_EXISTS;
    }
    return ia_err_set(err, code, "%s rejects the row: %s", db->path, sqlite3_errmsg(db->conn));
}

enum ia_rc ia_db_fail(struct ia_db *db, struct ia_err *err)
{
    int rc = db->conn ? sqlite3_extended_errcode(db->conn) : SQLITE_NOMEM;
    switch (rc & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail_locked(db, err);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return fail_readonly(db, err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return fail_corrupt(db, err);
    case SQLITE_FULL:
        return fail_full(db, err);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return fail_io(db, err);
    case SQLITE_CONSTRAINT:
        return fail_constraint(db, rc, err);
    default:
        return ia_err_set(err, IA_E_DB, "%s: %s (SQLite code %d)", db->path,
                          db->conn ? sqlite3_errmsg(db->conn) : "out of memory", rc);
    }
}

/* ---- prepared statements --------------------------------------------------------------- */

struct ia_q ia_q(struct ia_db *db, enum ia_sql which)
{
    /* A statement that cannot be prepared fails at ia_q_end, with whatever is bound to it
     * until then ignored. */
    struct ia_q q = {.db = db, .rc = SQLITE_OK};
    if (!db->stmts[which]) {
        q.rc = sqlite3_prepare_v3(db->conn, ia_sql_text[which], -1, SQLITE_PREPARE_PERSISTENT,
                                  &db->stmts[which], NULL);
    }
    q.stmt = db->stmts[which];
    return q;
}

static void keep(struct ia_q *q, int rc)
{
    if (q->rc == SQLITE_OK) {
        q->rc = rc;
    }
}

void ia_q_str(struct ia_q *q, struct ia_str s)
{
    q->bound++;
    if (q->rc == SQLITE_OK) {
        keep(q, sqlite3_bind_text64(q->stmt, q->bound, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8));
    }
}

void ia_q_text(struct ia_q *q, const char *s)
{
    ia_q_str(q, ia_str(s));
}

void ia_q_blob(struct ia_q *q, const void *p, size_t n)
{
    q->bound++;
    /* A NULL pointer would bind NULL instead of an empty blob. */
    if (q->rc == SQLITE_OK) {
        keep(q, sqlite3_bind_blob64(q->stmt, q->bound, n ? p : "", n, SQLITE_STATIC));
    }
}

void ia_q_int(struct ia_q *q, int64_t v)
{
    q->bound++;
    if (q->rc == SQLITE_OK) {
        keep(q, sqlite3_bind_int64(q->stmt, q->bound, v));
    }
}

void ia_q_real(struct ia_q *q, double v)
{
    q->bound++;
    if (q->rc == SQLITE_OK) {
        keep(q, sqlite3_bind_double(q->stmt, q->bound, v));
    }
}

void ia_q_null(struct ia_q *q)
{
    ia_q_str(q, (struct ia_str){0});
}

void ia_q_iso(struct ia_q *q, int64_t wall_ms)
{
    if (wall_ms == 0) {
        ia_q_null(q);
        return;
    }
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    q->bound++;
    /* The one text that SQLite has to copy: it lives on this stack. */
    if (q->rc == SQLITE_OK) {
        keep(q, sqlite3_bind_text(q->stmt, q->bound, iso, -1, SQLITE_TRANSIENT));
    }
}

bool ia_q_row(struct ia_q *q)
{
    if (q->rc == SQLITE_OK || q->rc == SQLITE_ROW) {
        q->rc = sqlite3_step(q->stmt);
        q->column = 0;
    }
    return q->rc == SQLITE_ROW;
}

bool ia_q_changed(struct ia_q *q)
{
    (void)ia_q_row(q);
    return q->rc == SQLITE_DONE && sqlite3_changes(q->db->conn) > 0;
}

struct ia_str ia_q_get_blob(struct ia_q *q)
{
    int i = q->column++;
    const char *p = sqlite3_column_blob(q->stmt, i);
    return (struct ia_str){p, (size_t)sqlite3_column_bytes(q->stmt, i)};
}

struct ia_str ia_q_get_str(struct ia_q *q)
{
    int i = q->column++;
    /* The text before its length: reading a text may convert the value, and with it its
     * length. */
    const char *p = (const char *)sqlite3_column_text(q->stmt, i);
    return (struct ia_str){p, (size_t)sqlite3_column_bytes(q->stmt, i)};
}

const char *ia_q_get_text(struct ia_q *q)
{
    return ia_q_get_str(q).p;
}

int64_t ia_q_get_int(struct ia_q *q)
{
    return sqlite3_column_int64(q->stmt, q->column++);
}

double ia_q_get_real(struct ia_q *q, bool *ret_known)
{
    int i = q->column++;
    *ret_known = sqlite3_column_type(q->stmt, i) != SQLITE_NULL;
    return sqlite3_column_double(q->stmt, i);
}

int64_t ia_q_get_iso(struct ia_q *q)
{
    const char *text = ia_q_get_text(q);
    int64_t ms = 0;
    return text && ia_iso_parse(text, &ms) == IA_OK ? ms : 0;
}

enum ia_rc ia_q_end(struct ia_q *q, struct ia_err *err)
{
    /* Never stepped: a statement that is only written with, such as an INSERT, runs here. */
    if (q->rc == SQLITE_OK) {
        (void)ia_q_row(q);
    }
    bool ok = q->rc == SQLITE_DONE || q->rc == SQLITE_ROW;
    enum ia_rc rc = ok ? IA_OK : ia_db_fail(q->db, err);
    /* Without a reset the statement would keep its read transaction open, and the WAL could
     * not be checkpointed past it. */
    if (q->stmt) {
        (void)sqlite3_reset(q->stmt);
        (void)sqlite3_clear_bindings(q->stmt);
    }
    return rc;
}
