/* Migrations lead forward, one transaction each, and every statement fits the last schema. */
#include "home.h"
#include "oldhome.h"

#include "base/hash.h"
#include "store/queue.h"
#include "store/schema.h"

static const struct ia_embedded first = {"0001",
                                         "CREATE TABLE t (a INTEGER PRIMARY KEY, "
                                         "b INTEGER REFERENCES t (a)) STRICT;"
                                         "INSERT INTO t VALUES (1, NULL), (2, 1);",
                                         0};

static enum ia_rc migrate(const struct home *h, const struct ia_embedded *list,
                          struct ia_err *err)
{
    struct ia_db db;
    assert_rc(IA_OK, ia_db_open(&db, h->db, 1000, err));
    enum ia_rc rc = ia_schema_migrate(&db, list, err);
    ia_db_close(&db);
    return rc;
}

static void every_statement_prepares(void **state)
{
    struct home *h = *state;
    struct ia_db db;
    struct ia_err err = {0};
    ia_store_close(home_open(h));
    assert_rc(IA_OK, ia_db_open(&db, h->db, 1000, &err));
    for (int i = 0; i < IA_SQL_COUNT; i++) {
        assert_non_null(ia_sql_text[i]);
        struct ia_q q = ia_q(&db, (enum ia_sql)i);
        if (!q.stmt) {
            (void)ia_db_fail(&db, &err);
            fail_msg("%s: %s", ia_sql_text[i], err.msg);
        }
    }
    ia_db_close(&db);
}

static void migrations_are_numbered_without_a_gap(void **state)
{
    (void)state;
    assert_true(ia_store_schema_version() >= 1);
    for (int i = 0; ia_store_migrations[i].name; i++) {
        char number[16];
        snprintf(number, sizeof(number), "%04d-", i + 1);
        const char *slash = strrchr(ia_store_migrations[i].name, '/');
        const char *file = slash ? slash + 1 : ia_store_migrations[i].name;
        assert_int_equal(strncmp(file, number, 5), 0);
    }
}

/* Whoever has a database of a version has the schema that its migrations made when it was released. */
static void a_released_migration_is_never_edited(void **state)
{
    (void)state;
    static const char *const released[] = {
        "18b43729900b902bddb26196be53a700bd2fef02d8a9763b5acf30024a1fed97",
        "fe460093b74d0b06fd02821f587a22daee75ce90108a9ec27b8c71cb234b241c",
        "5c8f5404d292b2f94971b5952970808fec674c198fa90bdc8e6b7534171b30a7",
        "d29891373785f9594e9f73ad4925263c3fcbfc1e3a62e704c6c535e9b2dd750f",
        "23a53a3fbd9daaed52eb0cde2d9b2d8ec21b458521c079a27b7408b1aa50a684",
        "73c1005a6f065b5795ab505cc35295887ffed3af911aefc21874fa453d8ab34a",
        "a4fc207c45c2a06625b522e24a8cbaa88ed47c2d0acf73b441b76ae88a31b495",
        "8b983e1d22ae1856c0f7d0b93be191fed364831afa3fce48e6fc05c4bded1d82",
    };
    assert_true(ia_store_schema_version() >= (int)IA_COUNTOF(released));
    for (size_t i = 0; i < IA_COUNTOF(released); i++) {
        char sha[IA_SHA256_HEX_SIZE];
        ia_sha256_hex(ia_store_migrations[i].data, ia_store_migrations[i].size, sha);
        if (strcmp(sha, released[i]) != 0) {
            fail_msg("%s was edited: it is %s", ia_store_migrations[i].name, sha);
        }
    }
}

static void an_older_database_is_brought_forward_with_its_rows(void **state)
{
    struct home *h = *state;
    const struct ia_embedded v1[] = {first, {0}};
    const struct ia_embedded v3[] = {
        first,
        {"0002", "ALTER TABLE t ADD COLUMN c TEXT;", 0},
        {"0003", "UPDATE t SET c = 'n' || a;", 0},
        {0},
    };
    assert_rc(IA_OK, migrate(h, v1, NULL));
    assert_int_equal(raw_int(h->db, "PRAGMA user_version"), 1);
    assert_rc(IA_OK, migrate(h, v3, NULL));
    assert_rc(IA_OK, migrate(h, v3, NULL));
    assert_int_equal(raw_int(h->db, "PRAGMA user_version"), 3);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM t WHERE c IN ('n1', 'n2')"), 2);
    struct ia_err err;
    assert_rc(IA_E_DB_NEWER, migrate(h, v1, &err));
    assert_contains(err.msg, "schema version is 3");
    assert_contains(err.msg, "up to 1");
}

static void a_database_of_version_1_keeps_every_row_and_takes_part_in_the_queue(void **state)
{
    struct home *h = *state;
    oldhome_make(h);
    assert_int_equal(raw_int(h->db, "PRAGMA user_version"), 1);
    struct ia_store *s = home_open(h);
    assert_int_equal(raw_int(h->db, "PRAGMA user_version"), ia_store_schema_version());
    assert_int_equal(oldhome_expect_all(h), 10);
    assert_rc(IA_OK, ia_store_check(s, NULL));
    int recovered = 0;
    assert_rc(IA_OK, ia_store_recover(s, &recovered, NULL));
    assert_int_equal(recovered, 1);
    static const char *const expected[] = {"r2", "r3", "r4"};
    for (int i = 0; i < 3; i++) {
        const struct ia_claim claim = {.lane = (const char *[]){"a", "b", "c"}[i]};
        struct ia_claimed got = {0};
        struct ia_tx *tx = begin(s);
        ia_tx_claim(tx, &claim, &got);
        commit(tx);
        assert_int_equal(got.why, IA_CLAIM_RUN);
        assert_string_equal(got.run_id, expected[i]);
    }
    ia_store_close(s);
}

/* What each program wrote, not what this one believes that it wrote. */
static void a_database_of_every_version_keeps_every_row(void **state)
{
    for (int version = 1; version < ia_store_schema_version(); version++) {
        assert_int_equal(home_make(state), 0);
        struct home *h = *state;
        oldhome_make_real(h, version);
        assert_int_equal(raw_int(h->db, "PRAGMA user_version"), version);
        struct ia_store *s = home_open(h);
        assert_int_equal(raw_int(h->db, "PRAGMA user_version"), ia_store_schema_version());
        assert_true(oldhome_expect_all(h) >= 7);
        assert_rc(IA_OK, ia_store_check(s, NULL));
        ia_store_close(s);
        home_remove(state);
    }
}

static void a_migration_that_fails_halfway_leaves_the_version_before_it(void **state)
{
    struct home *h = *state;
    const struct ia_embedded broken[] = {
        first,
        {"0002", "ALTER TABLE t ADD COLUMN c TEXT;", 0},
        {"0003", "DELETE FROM t; CREATE TABLE u (x TEXT) STRICT; SELECT no_such_function();",
         0},
        {0},
    };
    struct ia_err err;
    assert_rc(IA_E_DB, migrate(h, broken, &err));
    assert_contains(err.msg, "migration 0003");
    assert_int_equal(raw_int(h->db, "PRAGMA user_version"), 2);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM t"), 2);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM sqlite_schema WHERE name = 'u'"), 0);
}

static void a_migration_may_rebuild_a_table_that_others_refer_to(void **state)
{
    struct home *h = *state;
    const struct ia_embedded list[] = {
        first,
        {"0002",
         "CREATE TABLE n (a INTEGER PRIMARY KEY, b INTEGER REFERENCES t (a), d TEXT) STRICT;"
         "INSERT INTO n SELECT a, b, 'x' FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;",
         0},
        {0},
    };
    struct ia_err err = {0};
    enum ia_rc rc = migrate(h, list, &err);
    assert_string_equal(err.msg, "");
    assert_rc(IA_OK, rc);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM t WHERE d = 'x'"), 2);
}

static void a_migration_that_leaves_dangling_references_is_undone(void **state)
{
    struct home *h = *state;
    const struct ia_embedded list[] = {first, {"0002", "DELETE FROM t WHERE a = 1;", 0}, {0}};
    struct ia_err err;
    assert_rc(IA_E_DB, migrate(h, list, &err));
    assert_contains(err.msg, "migration 0002");
    assert_contains(err.msg, "dangling references");
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM t"), 2);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_statement_prepares),
        T(migrations_are_numbered_without_a_gap),
        T(a_released_migration_is_never_edited),
        T(an_older_database_is_brought_forward_with_its_rows),
        T(a_database_of_version_1_keeps_every_row_and_takes_part_in_the_queue),
        cmocka_unit_test(a_database_of_every_version_keeps_every_row),
        T(a_migration_that_fails_halfway_leaves_the_version_before_it),
        T(a_migration_may_rebuild_a_table_that_others_refer_to),
        T(a_migration_that_leaves_dangling_references_is_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
