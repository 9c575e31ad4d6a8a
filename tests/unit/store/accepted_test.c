/* Which definitions of a skill's tools were accepted. */
#include "home.h"

#include "store/accepted.h"

static void accept_tool(struct ia_store *s, const char *skill, const char *tool,
                        const char *digest)
{
    struct ia_tx *tx = begin(s);
    ia_tx_accept_tool(tx, skill, tool, digest);
    commit(tx);
}

static void put(void *ctx, const char *tool, const char *digest)
{
    ia_buf_printf(ctx, "%s=%s ", tool, digest);
}

static void expect(struct ia_store *s, const char *skill, const char *all)
{
    struct ia_buf got = IA_BUF(1 << 20);
    assert_int_equal(ia_store_accepted_tools(s, skill, put, &got, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&got), all);
    ia_buf_fini(&got);
}

static void the_first_definition_stays_until_all_are_forgotten(void **state)
{
    struct ia_store *s = home_open(*state);
    accept_tool(s, "files", "write", "1");
    accept_tool(s, "files", "read", "2");
    accept_tool(s, "other", "write", "3");
    accept_tool(s, "files", "write", "4");
    expect(s, "files", "read=2 write=1 ");
    expect(s, "other", "write=3 ");
    expect(s, "none", "");
    ia_store_close(s);
    s = home_open(*state);
    expect(s, "files", "read=2 write=1 ");
    struct ia_tx *tx = begin(s);
    ia_tx_forget_tools(tx, "files");
    commit(tx);
    expect(s, "files", "");
    expect(s, "other", "write=3 ");
    accept_tool(s, "files", "write", "4");
    expect(s, "files", "write=4 ");
    ia_store_close(s);
}

static void a_skill_has_a_limited_number(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_tx *tx = begin(s);
    for (int i = 0; i < IA_ACCEPTED_TOOLS_MAX + 5; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "t%d", i);
        ia_tx_accept_tool(tx, "files", name, "1");
    }
    commit(tx);
    accept_tool(s, "other", "a", "1");
    const struct home *h = *state;
    assert_int_equal(
        raw_int(h->db, "SELECT count(*) FROM accepted_tools WHERE skill = 'files'"),
        IA_ACCEPTED_TOOLS_MAX);
    expect(s, "other", "a=1 ");
    ia_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_definition_stays_until_all_are_forgotten,
                                        home_make, home_remove),
        cmocka_unit_test_setup_teardown(a_skill_has_a_limited_number, home_make, home_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
