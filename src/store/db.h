/* db.h: one SQLite connection with its prepared statements (private to store/).
 *
 * A connection is used by one thread at a time; who that is, is decided by its owner (the
 * ticket of the writer, the pool of the readers). */
#ifndef IA_STORE_DB_H
#define IA_STORE_DB_H

#include "base/base.h"
#include "base/err.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <sys/types.h>

enum { IA_DB_APPLICATION_ID = 0x494F5341 }; /* "IOSA" */

/* A file by what does not change when it is renamed; ino 0: none. */
struct ia_db_file {
    dev_t dev;
    ino_t ino;
};

struct ia_db {
    sqlite3 *conn;
    sqlite3_stmt *stmts[IA_SQL_COUNT]; /* prepared on first use */
    char *path;
    int busy_ms;
    int64_t busy_deadline_us; /* monotonic: when waiting for another process ends */
    int64_t wal_frames;       /* in the WAL after this connection's last commit */
    uint32_t version;         /* SQLite's, of what this connection wrote last */
    int copy_rc,
        copy_errno; /* why the WAL could not be synced while it was copied; 0: it was */
    struct ia_db_file files[2]; /* the database and its WAL, for ia_db_check_files */
};

/* Sets SQLite up. To be called before anything else of it, which would set it up otherwise. */
void ia_db_prepare(void);
/* Opens the file (created when missing) without reading it. The struct is the caller's and must
 * stay where it is. On failure nothing is left open. */
enum ia_rc ia_db_open(struct ia_db *db, const char *path, int busy_ms, struct ia_err *err);
/* Zeroes; a zeroed struct is fine. */
void ia_db_close(struct ia_db *db);
/* Lets the busy handler wait busy_ms from now on, or until deadline_us. */
void ia_db_wait_from_now(struct ia_db *db);
/* Makes room in the WAL ahead of what will be written, where little is left. To be called in a
 * write transaction that has written nothing yet. A commit that makes the file longer costs
 * more than one that does not, as its new length must be durable too (8 pages on ext4: 220 us
 * and 120 us). Zeros behind the last frame are no frames (sqlite.org/walformat.html, section
 * 4.4, 2026-11). Where it fails (a full disk) nothing is lost but the time. */
void ia_db_room_ahead(struct ia_db *db);
/* The file of the WAL, or of the rollback journal, or NULL. */
sqlite3_file *ia_db_log(const struct ia_db *db);
/* Whether somebody else has written since ia_db_wrote. In a write transaction. */
bool ia_db_foreign(struct ia_db *db);
/* To be called after each commit. */
void ia_db_wrote(struct ia_db *db);
/* Whether that errno says that the disk, or what one may have of it, is full. */
bool ia_db_out_of_room(int system_errno);
/* Remembers which files these are. To be called once the WAL is there: after a first read. */
void ia_db_note_files(struct ia_db *db);
/* IA_E_DB_CORRUPT when one of them was deleted or replaced since: SQLite goes on writing to a file
 * that nobody finds any more. */
enum ia_rc ia_db_check_files(const struct ia_db *db, struct ia_err *err);
/* Runs statements without parameters or rows. */
enum ia_rc ia_db_exec(struct ia_db *db, const char *sql, struct ia_err *err);
/* Runs "PRAGMA <name>" and returns its first column as an integer. */
enum ia_rc ia_db_pragma(struct ia_db *db, const char *name, int64_t *ret, struct ia_err *err);
/* Turns the connection's last error into ours, with the path and a hint. */
enum ia_rc ia_db_fail(struct ia_db *db, struct ia_err *err);

/* One use of a prepared statement: bind left to right, step, read columns left to right, end.
 * Failure is sticky; bound memory is borrowed until ia_q_end. */
struct ia_q {
    struct ia_db *db;
    sqlite3_stmt *stmt;
    int bound;  /* parameters bound so far */
    int column; /* next column to read */
    int rc;     /* SQLITE_OK, SQLITE_ROW, SQLITE_DONE or the first failure */
};

struct ia_q ia_q(struct ia_db *db, enum ia_sql which);
void ia_q_text(struct ia_q *q, const char *s);  /* NULL binds NULL */
void ia_q_str(struct ia_q *q, struct ia_str s); /* p == NULL binds NULL */
void ia_q_blob(struct ia_q *q, const void *p, size_t n);
void ia_q_int(struct ia_q *q, int64_t v);
void ia_q_real(struct ia_q *q, double v);
void ia_q_null(struct ia_q *q);
void ia_q_iso(struct ia_q *q, int64_t wall_ms); /* 0 binds NULL */

/* True when a row is there. */
bool ia_q_row(struct ia_q *q);
/* Runs a statement that writes; true when it changed a row. Cheaper than RETURNING, for which SQLite makes
 * a table. */
bool ia_q_changed(struct ia_q *q);

const char *ia_q_get_text(struct ia_q *q); /* borrowed until the next row; NULL for NULL */
struct ia_str ia_q_get_str(struct ia_q *q);
struct ia_str ia_q_get_blob(struct ia_q *q);
int64_t ia_q_get_int(struct ia_q *q);
double ia_q_get_real(struct ia_q *q, bool *ret_known); /* false for NULL */
int64_t ia_q_get_iso(struct ia_q *q);                  /* 0 for NULL */

/* Runs the statement unless ia_q_row did, and resets. Rows not yet read are dropped; what the
 * statement writes is complete after its first step. */
enum ia_rc ia_q_end(struct ia_q *q, struct ia_err *err);

#endif
