/* Messages to a run. */
#include "claims.h"

struct heard {
    int n;
    int64_t last;
    char texts[200];
};

static bool hear_message(void *ctx, const struct ia_inbox_row *row)
{
    struct heard *heard = ctx;
    heard->n++;
    heard->last = row->id;
    strncat(heard->texts, row->text, sizeof(heard->texts) - strlen(heard->texts) - 1);
    assert_string_equal(row->sender, "ann");
    return true;
}

static void messages_wait_behind_the_cursor_until_they_are_taken(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE], other[IA_ID_SIZE];
    start_run(s, "a", id);
    start_run(s, "b", other);
    static const char *const said[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_say(tx, i == 1 ? other : id, "ann", ia_str("xx"));
        ia_tx_say(tx, id, "ann", ia_str(said[i]));
        commit(tx);
    }
    struct heard heard = {0};
    assert_rc(IA_OK, ia_store_inbox(s, id, hear_message, &heard, NULL));
    assert_string_equal(heard.texts, "xxonetwoxxthree");
    struct ia_tx *tx = begin(s);
    ia_tx_inbox_taken(tx, id, heard.last - 1);
    ia_tx_inbox_taken(tx, id, heard.last - 4);
    commit(tx);
    memset(&heard, 0, sizeof(heard));
    assert_rc(IA_OK, ia_store_inbox(s, id, hear_message, &heard, NULL));
    assert_string_equal(heard.texts, "three");
    tx = begin(s);
    ia_tx_inbox_taken(tx, other, heard.last);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_store_close(s);
}

static enum ia_rc say(struct ia_store *s, const char *id, struct ia_str text)
{
    struct ia_tx *tx = begin(s);
    ia_tx_say(tx, id, "ann", text);
    return ia_tx_commit(tx, NULL);
}

static void messages_that_are_empty_too_long_or_too_many_are_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    static char big[IA_SAY_BYTES_MAX + 1];
    memset(big, '"', sizeof(big));
    char id[IA_ID_SIZE], fire[IA_ID_SIZE];
    start_run(s, "a", id);
    add(s, "b", IA_RUN_SCHEDULED, fire);
    assert_rc(IA_E_STATE, say(s, fire, ia_str("x")));
    assert_rc(IA_E_NOT_FOUND, say(s, "nobody", ia_str("x")));
    assert_rc(IA_E_USAGE, say(s, id, ia_str("")));
    assert_rc(IA_E_LIMIT, say(s, id, (struct ia_str){big, sizeof(big)}));
    assert_rc(IA_OK, say(s, id, (struct ia_str){big, sizeof(big) - 1}));
    for (int i = 1; i < IA_SAY_PENDING_MAX; i++) {
        assert_rc(IA_OK, say(s, id, ia_str("x")));
    }
    assert_rc(IA_E_LIMIT, say(s, id, ia_str("x")));
    assert_rc(IA_OK, move_run(s, id, IA_RUN_PASSED, NULL));
    assert_rc(IA_E_STATE, say(s, id, ia_str("x")));
    ia_store_close(s);
}

static void a_message_to_an_ended_run_is_refused_with_its_state(void **state)
{
    static const enum ia_run_state ends[] = {IA_RUN_PASSED, IA_RUN_ERROR, IA_RUN_CANCELLED};
    struct ia_store *s = home_open(*state);
    for (size_t i = 0; i < IA_COUNTOF(ends); i++) {
        char id[IA_ID_SIZE], expected[100];
        struct ia_err err = {0};
        start_run(s, "a", id);
        assert_rc(IA_OK, move_run(s, id, ends[i], NULL));
        struct ia_tx *tx = begin(s);
        ia_tx_say(tx, id, "ann", ia_str("x"));
        assert_rc(IA_E_STATE, ia_tx_commit(tx, &err));
        snprintf(expected, sizeof(expected), "run %s has ended: %s", id,
                 ia_run_state_name(ends[i]));
        assert_string_equal(err.msg, expected);
    }
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(messages_wait_behind_the_cursor_until_they_are_taken),
        T(messages_that_are_empty_too_long_or_too_many_are_refused),
        T(a_message_to_an_ended_run_is_refused_with_its_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
