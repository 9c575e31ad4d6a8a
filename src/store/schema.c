/* schema.c: what kind of database it is, and the migrations to the schema of this program, each in
 * a transaction of its own.
 *
 * read_version   refuses another program's file and a newer schema, and writes nothing
 * WAL            turned on; the file keeps it
 * each step      BEGIN IMMEDIATE, version read again, SQL, references, version written, COMMIT
 *
 * A kill leaves whole steps; the next start goes on from user_version. Two processes that
 * start at once take turns at each step, and the second finds it done. */
#include "store/schema.h"

#include "base/clock.h"
#include "base/killpoint.h"

#include <stdio.h>
#include <string.h>

enum { SQL_SIZE = 128, WAL_RETRY_US = 2000 };

int ia_schema_count(const struct ia_embedded *migrations)
{
    int n = 0;
    while (migrations[n].name) {
        n++;
    }
    return n;
}

static enum ia_rc not_ours(const struct ia_db *db, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_DB_CORRUPT,
                   "%s is a database of another program, not of ios-agent", db->path);
    ia_err_hint(err,
                "it was left unchanged; move it away, or set IOS_AGENT_HOME to another folder");
    return rc;
}

static enum ia_rc too_new(const struct ia_db *db, int64_t version, int known,
                          struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DB_NEWER,
                               "%s was written by a newer ios-agent: its schema version is "
                               "%lld, this program knows versions up to %d",
                               db->path, (long long)version, known);
    ia_err_hint(err, "update ios-agent, or set IOS_AGENT_HOME to another folder; the database "
                     "was left unchanged");
    return rc;
}

/* Reads the version of a file that is ours or empty (then 0). Writes nothing. */
static enum ia_rc read_version(struct ia_db *db, int known, int64_t *ret, struct ia_err *err)
{
    int64_t app = 0;
    int64_t version = 0;
    int64_t changes = 0;
    /* Another process may make the database meanwhile, all three in one commit: who reads the mark last
     * never finds tables without it. */
    enum ia_rc rc = ia_db_pragma(db, "schema_version", &changes, err);
    if (rc == IA_OK) {
        rc = ia_db_pragma(db, "user_version", &version, err);
    }
    if (rc == IA_OK) {
        rc = ia_db_pragma(db, "application_id", &app, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    /* schema_version counts changes of the schema: 0 means that no table was ever made. */
    bool empty = app == 0 && version == 0 && changes == 0;
    if (app != IA_DB_APPLICATION_ID && !empty) {
        return not_ours(db, err);
    }
    if (version > known) {
        return too_new(db, version, known, err);
    }
    *ret = version;
    return IA_OK;
}

/* SQLite does not call the busy handler where waiting could be a deadlock, and two processes
 * that turn on WAL at once are such a case; so this asks again by itself. */
static enum ia_rc turn_on_wal(struct ia_db *db, struct ia_err *err)
{
    static const char *const sql =
        "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864;";
    const struct ia_clock *clock = ia_clock_system();
    for (;;) {
        enum ia_rc rc = ia_db_exec(db, sql, err);
        int64_t now = ia_mono_us(clock);
        if (rc != IA_E_DB_LOCKED || now >= db->busy_deadline_us) {
            return rc;
        }
        (void)ia_clock_wait(clock, NULL, now + WAL_RETRY_US);
    }
}

static enum ia_rc check_references(struct ia_db *db, const char *name, struct ia_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db->conn, "PRAGMA foreign_key_check", -1, &stmt, NULL);
    rc = rc == SQLITE_OK ? sqlite3_step(stmt) : rc;
    (void)sqlite3_finalize(stmt);
    if (rc == SQLITE_DONE) {
        return IA_OK;
    }
    if (rc != SQLITE_ROW) {
        return ia_db_fail(db, err);
    }
    return ia_err_set(err, IA_E_DB, "%s: migration %s would leave dangling references",
                      db->path, name);
}

/* The inside of the transaction. Another process may have applied this step since. */
static enum ia_rc apply_step(struct ia_db *db, const struct ia_embedded *step, int version,
                             struct ia_err *err)
{
    int64_t now_at = 0;
    enum ia_rc rc = ia_db_pragma(db, "user_version", &now_at, err);
    if (rc != IA_OK || now_at >= version) {
        return rc;
    }
    rc = ia_db_exec(db, step->data, err);
    IA_KILL_POINT("store.migrate.applied");
    if (rc == IA_OK) {
        rc = check_references(db, step->name, err);
    }
    char sql[SQL_SIZE];
    /* Pragmas take no bound parameters; the numbers are ours. */
    (void)snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                   IA_DB_APPLICATION_ID, version);
    return rc == IA_OK ? ia_db_exec(db, sql, err) : rc;
}

static enum ia_rc migrate_step(struct ia_db *db, const struct ia_embedded *step, int version,
                               struct ia_err *err)
{
    enum ia_rc rc = ia_db_exec(db, "BEGIN IMMEDIATE", err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = apply_step(db, step, version, err);
    IA_KILL_POINT("store.migrate.before");
    if (rc == IA_OK) {
        rc = ia_db_exec(db, "COMMIT", err);
    }
    IA_KILL_POINT("store.migrate.after");
    if (rc != IA_OK && !sqlite3_get_autocommit(db->conn)) {
        (void)ia_db_exec(db, "ROLLBACK", NULL);
    }
    return rc;
}

/* With foreign keys enforced a table could not be rebuilt; they are checked before each commit
 * instead. */
static enum ia_rc migrate_from(struct ia_db *db, const struct ia_embedded *migrations,
                               int64_t version, struct ia_err *err)
{
    enum ia_rc rc = ia_db_exec(db, "PRAGMA foreign_keys = OFF", err);
    for (int i = (int)version; rc == IA_OK && migrations[i].name; i++) {
        rc = migrate_step(db, &migrations[i], i + 1, err);
        if (rc != IA_OK) {
            rc = ia_err_wrap(err, rc, "migration %s", migrations[i].name);
        }
    }
    /* Turned on again after a failure too: the connection may be used to say what is wrong. */
    enum ia_rc on = ia_db_exec(db, "PRAGMA foreign_keys = ON", rc == IA_OK ? err : NULL);
    return rc == IA_OK ? on : rc;
}

enum ia_rc ia_schema_migrate(struct ia_db *db, const struct ia_embedded *migrations,
                             struct ia_err *err)
{
    int known = ia_schema_count(migrations);
    int64_t version = 0;
    ia_db_wait_from_now(db);
    enum ia_rc rc = read_version(db, known, &version, err);
    if (rc == IA_OK) {
        rc = turn_on_wal(db, err);
    }
    if (rc == IA_OK && version < known) {
        rc = migrate_from(db, migrations, version, err);
    }
    return rc;
}
