/* The transcript and the journal keep their bytes and their order. */
#include "event_count.h"

static const char thinking[] =
    "[{\"type\":\"thinking\",\"thinking\":\"\\u00e4  \",\"signature\":\"x==\"} ]";

static bool check_message(void *ctx, const struct ia_message_row *m)
{
    int *n = ctx;
    (*n)++;
    assert_int_equal(m->seq, *n);
    assert_string_equal(m->role, *n % 2 ? "user" : "assistant");
    assert_int_equal(m->content.n, *n == 2 ? sizeof(thinking) - 1 : 2);
    if (*n == 2) {
        assert_memory_equal(m->content.p, thinking, m->content.n);
        assert_string_equal(m->stop_reason, "tool_use");
        assert_int_equal(m->usage.output, 4);
        assert_false(m->usage.cost_known);
        assert_int_equal(m->ms, 1234);
    }
    return true;
}

static void messages_keep_their_bytes_and_their_order(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    int seq = 0, n = 0, verify = 0;
    start_run(s, "l", id);
    struct ia_message_row user = {.role = "user", .content = ia_str("[]")};
    struct ia_message_row assistant = {.role = "assistant",
                                       .content = ia_str(thinking),
                                       .stop_reason = "tool_use",
                                       .usage = {1, 2, 3, 4, 0, false},
                                       .ms = 1234};
    struct ia_tx *tx = begin(s);
    ia_tx_add_message(tx, id, &user, &seq);
    assert_int_equal(seq, 1);
    ia_tx_add_message(tx, id, &assistant, &seq);
    assert_int_equal(seq, 2);
    commit(tx);
    assert_rc(IA_OK, ia_store_messages(s, id, NULL, check_message, &n, NULL));
    assert_int_equal(n, 2);
    assert_rc(IA_OK, ia_store_messages(s, id, "verify", check_message, &verify, NULL));
    assert_int_equal(verify, 0);
    ia_store_close(s);
}

static bool copy_call(void *ctx, const struct ia_call_row *c)
{
    struct ia_buf *b = ctx;
    ia_buf_printf(b, "%d/%d %s %s %.*s %s%s", c->message_seq, c->step, c->tool_use_id, c->name,
                  (int)c->input.n, c->input.p, c->has_effect ? "effect " : "",
                  c->state == IA_CALL_DONE ? "done" : "intent");
    if (c->state == IA_CALL_DONE) {
        ia_buf_printf(b, " %.*s %s%s %s %d [%.*s]", (int)c->result.n, c->result.p,
                      c->is_error ? "error " : "", c->code, c->outcome, (int)c->ms,
                      (int)c->screen.n, c->screen.p);
    }
    ia_buf_putc(b, ';');
    return true;
}

static void add_turn(struct ia_store *s, const char *id)
{
    struct ia_message_row m = {.role = "assistant", .content = ia_str("[]")};
    struct ia_call_row tap = {.step = 1,
                              .tool_use_id = "t1",
                              .name = "tap",
                              .input = ia_str("{\"ref\":\"@e1\"}"),
                              .has_effect = true};
    struct ia_call_row look = {
        .step = 2, .tool_use_id = "t2", .name = "snapshot", .input = ia_str("{}")};
    struct ia_tx *tx = begin(s);
    ia_tx_add_message(tx, id, &m, &tap.message_seq);
    look.message_seq = tap.message_seq;
    ia_tx_add_call(tx, id, &tap);
    ia_tx_add_call(tx, id, &look);
    commit(tx);
}

static void the_journal_shows_intents_until_they_have_results(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    struct ia_err err;
    struct ia_buf text = IA_BUF(4096);
    start_run(s, "l", id);
    add_turn(s, id);
    struct ia_call_row done = {.tool_use_id = "t1",
                               .result = ia_str("[1]"),
                               .is_error = true,
                               .code = "STALE_REF",
                               .outcome = "not_sent",
                               .screen = ia_str("3 icon Contacts"),
                               .ms = 5};
    struct ia_tx *tx = begin(s);
    ia_tx_set_result(tx, id, &done);
    commit(tx);
    assert_rc(IA_OK, ia_store_calls(s, id, copy_call, &text, NULL));
    assert_string_equal(ia_buf_cstr(&text),
                        "1/1 t1 tap {\"ref\":\"@e1\"} effect done [1] error STALE_REF "
                        "not_sent 5 [3 icon Contacts];1/2 t2 snapshot {} intent;");

    tx = begin(s);
    ia_tx_set_result(tx, id, &done);
    assert_rc(IA_E_STATE, ia_tx_commit(tx, &err));
    done.tool_use_id = "t3";
    tx = begin(s);
    ia_tx_set_result(tx, id, &done);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, &err));
    struct ia_call_row again = {
        .message_seq = 1, .step = 3, .tool_use_id = "t2", .name = "tap", .input = ia_str("{}")};
    tx = begin(s);
    ia_tx_add_call(tx, id, &again);
    assert_rc(IA_E_EXISTS, ia_tx_commit(tx, &err));
    again.tool_use_id = "t4";
    again.message_seq = 99;
    tx = begin(s);
    ia_tx_add_call(tx, id, &again);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, &err));
    ia_buf_fini(&text);
    ia_store_close(s);
}

static void content_beyond_the_cap_is_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    struct ia_str big = {"", (size_t)IA_CONTENT_BYTES_MAX + 1}; /* refused before it is read */
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    add_turn(s, id);
    struct ia_message_row m = {.role = "user", .content = big};
    struct ia_call_row call = {
        .message_seq = 1, .step = 3, .tool_use_id = "t3", .name = "tap", .input = big};
    struct ia_call_row done = {.tool_use_id = "t1", .result = big};
    for (int i = 0; i < 3; i++) {
        struct ia_tx *tx = begin(s);
        if (i == 0) {
            ia_tx_add_message(tx, id, &m, NULL);
        } else if (i == 1) {
            ia_tx_add_call(tx, id, &call);
        } else {
            ia_tx_set_result(tx, id, &done);
        }
        assert_rc(IA_E_LIMIT, ia_tx_commit(tx, &err));
        assert_contains(err.msg, "is larger than 33554432");
    }
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(messages_keep_their_bytes_and_their_order),
        T(the_journal_shows_intents_until_they_have_results),
        T(content_beyond_the_cap_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
