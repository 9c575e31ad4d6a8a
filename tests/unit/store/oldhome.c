#include "oldhome.h"

#include "source_dir.h"

#include "store/schema.h"

#include <limits.h>
#include <sqlite3.h>

enum { MIGRATIONS_MAX = 100, ROWS_MAX = 1 << 20 };

static const char rows_sql[] =
    "INSERT INTO agents VALUES ('qa', 'm', NULL, '[]', 'likes tea', 'C', 'U');"
    "INSERT INTO goals VALUES ('g1', 'open Settings', NULL, 'a hint', '[]', '{}', 'C'),"
    "  ('g2', 'buy milk', 'com.shop', NULL, '[\"x\"]', '{\"max_steps\":9}', 'C');"
    "INSERT INTO runs (id, goal_id, model, lane, device, options, demo, state, attempt, "
    "  owner_pid, owner_token, heartbeat_at, created_at, started_at, steps, cost_usd) VALUES "
    "  ('r1', 'g1', 'm', 'a', '{}', '{}', 0, 'passed', 1, NULL, NULL, NULL, 'C', 'S', 4, 0.5),"
    "  ('r2', 'g2', 'm', 'a', '{}', '{}', 1, 'running', 2, 1, 't', 'H', 'C', 'S', 1, NULL),"
    "  ('r3', 'g2', 'm', 'b', '{}', '{}', 1, 'queued', 1, NULL, NULL, NULL, 'C', NULL, 0, "
    "NULL),"
    "  ('r4', 'g2', 'm', 'c', '{}', '{}', 1, 'retry_wait', 1, NULL, NULL, NULL, 'C', 'S', 0, "
    "1);"
    "INSERT INTO messages (run_id, seq, role, purpose, content, tokens_input, "
    "  tokens_cache_read, tokens_cache_write, tokens_output, ms, created_at) VALUES "
    "  ('r1', 1, 'user', 'act', '[{\"t\":1}]', 1, 2, 3, 4, 5, 'C'),"
    "  ('r1', 2, 'assistant', 'act', '[{\"t\":2}]', 1, 2, 3, 4, 5, 'C');"
    "INSERT INTO tool_calls (run_id, message_seq, step, tool_use_id, name, input, has_effect, "
    "  state, result, intent_at) VALUES ('r1', 2, 1, 't1', 'tap', '{}', 1, 'done', '[]', 'I'),"
    "  ('r1', 2, 2, 't2', 'look', '{}', 0, 'intent', NULL, 'I');"
    "INSERT INTO events (run_id, seq, type, ts, json) VALUES ('r1', 1, 'run.queued', 'T', "
    "'{}'),"
    "  ('r1', 2, 'run.finished', 'T', '{\"a\":1}'), ('r2', 1, 'run.queued', 'T', '{}');"
    "INSERT INTO cursors VALUES ('report', 2, 'U');"
    "INSERT INTO sessions VALUES ('qa', 'r1', 'U');"
    "INSERT INTO leases VALUES ('a', 'r2', 1, 't', 'ios-agent run', 'S', 'E');"
    "INSERT INTO secrets VALUES ('api', 1, 'key-file', x'00ff', x'01', x'', 0, 0, x'02', "
    "x'03', "
    "  'S');";

static void make(const struct home *h, int version, const char *rows)
{
    struct ia_embedded list[MIGRATIONS_MAX] = {{0}};
    struct ia_db db;
    struct ia_err err = {0};
    char copy[200];
    assert_in_range(version, 1, ia_store_schema_version());
    memcpy(list, ia_store_migrations, (size_t)version * sizeof(list[0]));
    assert_rc(IA_OK, ia_db_open(&db, h->db, 1000, &err));
    assert_rc(IA_OK, ia_schema_migrate(&db, list, &err));
    ia_db_close(&db);
    raw_sql(h->db, rows);
    snprintf(copy, sizeof(copy), "VACUUM INTO '%s/old.db'", h->dir);
    raw_sql(h->db, copy);
}

void oldhome_make(const struct home *h)
{
    make(h, 1, rows_sql);
}

void oldhome_make_real(const struct home *h, int version)
{
    struct ia_buf rows = IA_BUF(ROWS_MAX);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), IA_TEST_DATA "/homes/v%d/rows.sql", version);
    read_file(path, &rows);
    make(h, version, ia_buf_cstr(&rows));
    ia_buf_fini(&rows);
}

static int64_t ask(sqlite3 *conn, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(conn));
    }
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return value;
}

/* The columns that the table had. */
static char *columns_of(sqlite3 *conn, const char *table)
{
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf(
        "SELECT group_concat(name, ', ') FROM pragma_table_info('%q', 'old')", table);
    assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    char *columns = ia_strdup((const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return columns;
}

static void expect_same(sqlite3 *conn, const char *table)
{
    char *columns = columns_of(conn, table);
    char *without = sqlite3_mprintf(
        "SELECT count(*) FROM pragma_table_list WHERE schema = 'old' AND name = '%q' AND wr",
        table);
    const char *id = ask(conn, without) != 0 ? "" : "rowid, ";
    char *changed = sqlite3_mprintf("SELECT count(*) FROM (SELECT %s%s FROM old.%s EXCEPT "
                                    "SELECT %s%s FROM main.%s)",
                                    id, columns, table, id, columns, table);
    sqlite3_free(without);
    char *grown = sqlite3_mprintf(
        "SELECT (SELECT count(*) FROM main.%s) - (SELECT count(*) FROM old.%s)", table, table);
    if (ask(conn, changed) != 0 || ask(conn, grown) != 0) {
        fail_msg("%s: %d rows changed, %d came", table, (int)ask(conn, changed),
                 (int)ask(conn, grown));
    }
    sqlite3_free(changed);
    sqlite3_free(grown);
    free(columns);
}

int oldhome_expect_all(const struct home *h)
{
    sqlite3 *conn = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(h->db, &conn), SQLITE_OK);
    char *attach = sqlite3_mprintf("ATTACH '%s/old.db' AS old", h->dir);
    assert_int_equal(sqlite3_exec(conn, attach, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(attach);
    assert_int_equal(
        sqlite3_prepare_v2(conn,
                           "SELECT name FROM old.sqlite_schema WHERE type = 'table' "
                           "AND name NOT LIKE 'sqlite_%'",
                           -1, &stmt, NULL),
        SQLITE_OK);
    int tables = 0;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(stmt, 0);
        char *count = sqlite3_mprintf("SELECT count(*) FROM old.%s", table);
        tables += ask(conn, count) > 0;
        sqlite3_free(count);
        expect_same(conn, table);
    }
    sqlite3_finalize(stmt);
    sqlite3_close(conn);
    return tables;
}
