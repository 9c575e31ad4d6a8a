/* Transactions are all or nothing; events, cursors and agents read back as they were written. */
#include "event_count.h"

static void one_failed_write_undoes_the_whole_transaction(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    char id[IA_ID_SIZE], other[IA_ID_SIZE] = "";
    start_run(s, "l", id);
    int before = events_of(s, id);
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, id, IA_EVENT(&(struct ia_event_notice){.text = ia_str("a")}), NULL);
    assert_false(ia_tx_failed(tx));
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    assert_true(ia_tx_failed(tx));
    ia_tx_add_event(tx, id, IA_EVENT(&(struct ia_event_notice){.text = ia_str("b")}), NULL);
    ia_tx_add_run(tx, &(struct ia_run_new){.goal = "g", .model = "m", .lane = "l"}, other);
    assert_string_equal(other, "");
    assert_rc(IA_E_STATE, ia_tx_commit(tx, &err));
    assert_contains(err.msg, "is running and cannot become claimed");
    assert_int_equal(events_of(s, id), before);
    ia_store_close(s);
}

static void a_rollback_leaves_nothing_and_readers_see_only_commits(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    int before = events_of(s, id);
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, id, IA_EVENT(&(struct ia_event_notice){.text = ia_str("a")}), NULL);
    assert_int_equal(events_of(s, id), before);
    ia_tx_rollback(tx);
    assert_int_equal(events_of(s, id), before);
    ia_tx_rollback(NULL);
    ia_store_close(s);
}

static void a_second_transaction_on_the_same_thread_is_refused_not_a_deadlock(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_tx *tx = begin(s), *second = NULL;
    struct ia_err err;
    assert_rc(IA_E_INTERNAL, ia_tx_begin(s, &second, &err));
    assert_null(second);
    commit(tx);
    commit(begin(s));
    ia_store_close(s);
}

struct seen {
    int64_t ids[16];
    char json[512];
    int n;
};

static bool see(void *ctx, const struct ia_event_row *row)
{
    struct seen *seen = ctx;
    seen->ids[seen->n++] = row->id;
    snprintf(seen->json, sizeof(seen->json), "%.*s", (int)row->json.n, row->json.p);
    return true;
}

static void events_are_numbered_per_run_and_read_on_from_any_id(void **state)
{
    struct ia_store *s = home_open(*state);
    char a[IA_ID_SIZE], b[IA_ID_SIZE];
    struct ia_buf json = IA_BUF(1000);
    add_run(s, "l", a);
    add_run(s, "m", b);
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, a, IA_EVENT(&(struct ia_event_notice){.text = ia_str("hi")}), NULL);
    ia_tx_add_event(tx, b, IA_EVENT(&(struct ia_event_run_interrupted){.owner_pid = 0}), &json);
    commit(tx);

    struct seen all = {0}, rest = {0}, only_b = {0};
    int64_t last = 0;
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){.after_id = 0}, see, &all,
                                     &last, NULL));
    assert_int_equal(all.n, 4);
    assert_true(all.ids[0] < all.ids[1] && all.ids[1] < all.ids[2] && all.ids[2] < all.ids[3]);
    assert_true(last == all.ids[3]);
    assert_rc(IA_OK,
              ia_store_events(s, &(struct ia_event_range){.after_id = all.ids[0], .limit = 2},
                              see, &rest, &last, NULL));
    assert_int_equal(rest.n, 2);
    assert_true(last == all.ids[2]);
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){.run_id = b}, see, &only_b,
                                     &last, NULL));
    assert_int_equal(only_b.n, 2);
    assert_string_equal(only_b.json, ia_buf_cstr(&json));
    char expected[200];
    snprintf(expected, sizeof(expected), "\",\"run\":\"%s\"}", b);
    assert_contains(only_b.json, "{\"event\":\"run.interrupted\",\"seq\":2,\"ts\":\"20");
    assert_contains(only_b.json, expected);
    last = -1;
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){.run_id = b, .after_id = 1000},
                                     see, &only_b, &last, NULL));
    assert_true(last == 1000);
    ia_buf_fini(&json);
    ia_store_close(s);
}

static void an_event_that_is_too_large_or_of_no_run_is_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    add_run(s, "l", id);
    struct ia_tx *tx = begin(s);
    char *big = ia_alloc(IA_EVENT_BYTES_MAX);
    memset(big, ' ', IA_EVENT_BYTES_MAX);
    const struct ia_event_notice notice = {.text = {big, IA_EVENT_BYTES_MAX}};
    ia_tx_add_event(tx, id, IA_EVENT(&notice), NULL);
    assert_rc(IA_E_LIMIT, ia_tx_commit(tx, NULL));
    tx = begin(s);
    ia_tx_add_event(tx, "no-such-run", IA_EVENT(&(struct ia_event_notice){.text = ia_str("a")}),
                    NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    free(big);
    ia_store_close(s);
}

static void events_cannot_be_rewritten(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE];
    add_run(s, "l", id);
    ia_store_close(s);
    char *error = raw_sql_error(h->db, "UPDATE events SET json = '{}'");
    assert_contains(error, "append-only");
    free(error);
}

static void a_cursor_moves_forward_only(void **state)
{
    struct ia_store *s = home_open(*state);
    int64_t id = -1;
    assert_rc(IA_OK, ia_store_cursor(s, "dashboard", &id, NULL));
    assert_true(id == 0);
    static const struct {
        int64_t set, then;
    } steps[] = {{5, 5}, {3, 5}, {9, 9}};
    for (size_t i = 0; i < IA_COUNTOF(steps); i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_set_cursor(tx, "dashboard", steps[i].set);
        commit(tx);
        assert_rc(IA_OK, ia_store_cursor(s, "dashboard", &id, NULL));
        assert_true(id == steps[i].then);
    }
    ia_store_close(s);
}

static bool copy_agent(void *ctx, const struct ia_agent_row *a)
{
    ia_buf_printf(ctx, "%s|%s|%s|%s|%s;", a->name, a->model ? a->model : "-",
                  a->prompt ? a->prompt : "-", a->tools ? a->tools : "-", a->memory);
    return true;
}

static void an_agent_keeps_its_memory_when_it_is_reconfigured(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_buf text = IA_BUF(1000);
    struct ia_agent_row agent = {.name = "qa", .model = "m1", .prompt = "be careful"};
    struct ia_tx *tx = begin(s);
    ia_tx_put_agent(tx, &agent);
    ia_tx_set_memory(tx, "qa", ia_str("# seen"));
    agent.model = "m2";
    agent.tools = "[\"tap\"]";
    agent.prompt = NULL;
    ia_tx_put_agent(tx, &agent);
    commit(tx);
    assert_rc(IA_OK, ia_store_agents(s, "qa", copy_agent, &text, NULL));
    assert_string_equal(ia_buf_cstr(&text), "qa|m2|-|[\"tap\"]|# seen;");
    assert_rc(IA_E_NOT_FOUND, ia_store_agents(s, "dev", copy_agent, &text, NULL));
    tx = begin(s);
    ia_tx_set_memory(tx, "dev", ia_str("x"));
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    tx = begin(s);
    ia_tx_remove_agent(tx, "dev");
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_buf_fini(&text);
    ia_store_close(s);
}

static void a_session_follows_its_agent(void **state)
{
    struct ia_store *s = home_open(*state);
    char run[IA_ID_SIZE], found[IA_ID_SIZE] = "x";
    add_run(s, "l", run);
    struct ia_tx *tx = begin(s);
    ia_tx_put_agent(tx, &(struct ia_agent_row){.name = "qa"});
    commit(tx);
    assert_rc(IA_OK, ia_store_session(s, "qa", found, NULL));
    assert_string_equal(found, "");
    tx = begin(s);
    ia_tx_set_session(tx, "qa", run);
    commit(tx);
    assert_rc(IA_OK, ia_store_session(s, "qa", found, NULL));
    assert_string_equal(found, run);
    tx = begin(s);
    ia_tx_remove_agent(tx, "qa");
    commit(tx);
    assert_rc(IA_OK, ia_store_session(s, "qa", found, NULL));
    assert_string_equal(found, "");
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(one_failed_write_undoes_the_whole_transaction),
        T(a_rollback_leaves_nothing_and_readers_see_only_commits),
        T(a_second_transaction_on_the_same_thread_is_refused_not_a_deadlock),
        T(events_are_numbered_per_run_and_read_on_from_any_id),
        T(an_event_that_is_too_large_or_of_no_run_is_refused),
        T(events_cannot_be_rewritten),
        T(a_cursor_moves_forward_only),
        T(an_agent_keeps_its_memory_when_it_is_reconfigured),
        T(a_session_follows_its_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
