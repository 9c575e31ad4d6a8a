/* What dead processes held comes back. */
#include "claims.h"

static int claim_and_wait(void *ctx, int in, int out)
{
    struct ia_store *s = home_open(ctx);
    char id[IA_ID_SIZE];
    struct ia_lease *lease = NULL;
    static const char *const lanes[] = {"a", "b", "c"};
    for (size_t i = 0; i < IA_COUNTOF(lanes); i++) {
        add(s, lanes[i], IA_RUN_GOAL, id);
        (void)claim(s, lanes[i]);
    }
    assert_rc(IA_OK, move_run(s, id, IA_RUN_RUNNING, NULL));
    assert_rc(IA_OK, ia_lease_take(s, "c", id, 60000, &lease, NULL));
    tell(out, 'y');
    return hear(in);
}

static void runs_of_a_killed_process_come_back_and_those_of_a_live_one_stay(void **state)
{
    struct home *h = *state;
    struct child dead = child_start(claim_and_wait, h);
    assert_int_equal(child_byte(&dead), 'y');
    struct ia_store *s = home_open(h);
    char mine[IA_ID_SIZE];
    int n = -1;
    add(s, "mine", IA_RUN_GOAL, mine);
    assert_claimed(mine, claim(s, "mine"));
    assert_rc(IA_OK, ia_store_recover(s, &n, NULL));
    assert_int_equal(n, 0);
    assert_int_equal(claim(s, "a").why, IA_CLAIM_BUSY);
    enum ia_cancel_result asked;
    struct ia_claimed got = {0};
    char to_cancel[IA_ID_SIZE] = "";
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM leases"), 1);
    sqlite3 *conn = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(h->db, &conn), SQLITE_OK);
    sqlite3_prepare_v2(conn, "SELECT id FROM runs WHERE lane = 'b'", -1, &stmt, NULL);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(to_cancel, sizeof(to_cancel), "%s", sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_close(conn);
    assert_rc(IA_OK, ia_store_cancel_run(s, to_cancel, &asked, NULL));
    assert_int_equal(asked, IA_CANCEL_ASKED);
    child_kill(&dead);
    assert_rc(IA_OK, ia_store_recover(s, &n, NULL));
    assert_int_equal(n, 3);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM leases"), 0);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs WHERE state = 'cancelled'"), 1);
    assert_int_equal(raw_int(h->db, "SELECT count(*) FROM runs WHERE state = 'queued' "
                                    "AND owner_pid IS NULL"),
                     2);
    assert_int_equal(raw_int(h->db,
                             "SELECT count(*) FROM events WHERE type = 'run.interrupted' "
                             "AND json ->> 'owner_pid' > 0"),
                     2);
    got = claim(s, "a");
    assert_int_equal(got.why, IA_CLAIM_RUN);
    assert_int_equal(claim(s, "b").why, IA_CLAIM_NONE);
    assert_rc(IA_OK, ia_store_recover(s, &n, NULL));
    assert_int_equal(n, 0);
    ia_store_close(s);
}

static void a_later_process_with_the_same_pid_is_another_one(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE];
    int n = 0;
    add(s, "a", IA_RUN_GOAL, id);
    assert_claimed(id, claim(s, "a"));
    raw_sql(h->db, "UPDATE runs SET owner_token = 'of-an-earlier-boot'");
    assert_rc(IA_OK, ia_store_recover(s, &n, NULL));
    assert_int_equal(n, 1);
    assert_claimed(id, claim(s, "a"));
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(runs_of_a_killed_process_come_back_and_those_of_a_live_one_stay),
        T(a_later_process_with_the_same_pid_is_another_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
