/* refused_values_test.c: what is no secret's value, and texts in which one is written out. */
#include "test.h"

#include "lookup.h"

static void a_secret_needs_a_value_that_can_be_hidden(void **state)
{
    (void)state;
    static const char *const bad[] = {"NONE", "EMPTY", "SHORT", "HUGE"};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        const struct ia_secret_lookup from = {.value = lookup};
        struct ia_run_request req = {.secrets = &bad[i], .secret_count = 1};
        struct ia_secrets *s = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_secrets_new(NULL, &from, &req, NULL, &s, &err), IA_E_USAGE);
        assert_non_null(strstr(err.msg, bad[i]));
        assert_null(s);
    }
    const struct ia_secret_lookup from = {.value = NULL}, asks = {.value = lookup};
    static const char *const sealed = "SEALED";
    struct ia_run_request none = {.secret_count = 0},
                          one = {.secrets = &sealed, .secret_count = 1};
    struct ia_secrets *s = NULL;
    assert_int_equal(ia_secrets_new(NULL, &asks, &one, NULL, &s, NULL), IA_E_KEY_PASSPHRASE);
    assert_null(s);
    assert_int_equal(ia_secrets_new(NULL, &from, &none, NULL, &s, NULL), IA_OK);
    assert_null(s);
}

static void a_value_that_is_written_where_its_name_belongs_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        bool refused;
    } rows[] = {
        {"PW", "log in with Hunter-2", true},
        {"PW", "log in with hunter-2.", true},
        {"PW", "log in with HUNTER 2", true},
        {"PW", "xHunter-2x", true},
        {"PW", "{{secret:Hunter-2}}", true},
        {"PW", "{{secret:PW}} is Hunter-2", true},
        {"PW", "Hunter-2 is {{secret:PW}}", true},
        {"PW", "{{secret:PW}}Hunter-2{{secret:PW}}", true},
        {"PW", "log in with {{secret:PW}}", false},
        {"PW", "Hunter has 3", false},
        {"PW", "Hunter-", false},
        {"PW", "", false},
        {"PHONE", "call 5550100 77", true},
        {"MARKS", "press #!/?", true},
        {"MARKS", "press !", false},
        {"SHOP", "log in with {{secret:SHOP}}", false},
        {"SHOP", "open Shop", true},
        {"SHOP", "open the shopping list", false},
        {"SHOP", "s h o p", false},
        {"PIN", "type 1843", true},
        {"PIN", "type pin1843x", true},
        {"TINY", "open the cart", false},
        {"TINY", "open Art", false},
        {"TINY", "type art", true},
        {"EMPTY", "anything", false},
        {"SHORT", "ab", false},
        {"NONE", "anything", false},
        {"SEALED", "anything", false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct ia_secret_lookup from = {.value = lookup};
        struct ia_run_request req = {.secrets = &rows[i].name, .secret_count = 1};
        struct ia_err err = {0};
        req.goal = rows[i].text;
        enum ia_rc rc = ia_secrets_check_texts(&from, &req, &err);
        if (rc != (rows[i].refused ? IA_E_USAGE : IA_OK)) {
            fail_msg("%s in \"%s\": %s", rows[i].name, rows[i].text, ia_rc_name(rc));
        }
    }
}

static void every_text_that_is_stored_is_looked_at_and_the_value_is_not_quoted(void **state)
{
    (void)state;
    static const char *const two[] = {"PHONE", "PW"};
    static const char *const expect[] = {"text Cart is visible", "text Hunter-2 is visible"};
    static const struct ia_setup_step setup[] = {
        {IA_SETUP_RESET, NULL}, {IA_SETUP_OPEN_URL, "shop://login?pw=hunter-2"}};
    static const struct {
        struct ia_run_request req;
        const char *place;
    } rows[] = {{{.goal = "x Hunter-2"}, "the goal"},
                {{.goal = "x", .hint = "it is Hunter-2"}, "the hint"},
                {{.goal = "x", .name = "hunter-2"}, "the name"},
                {{.goal = "x", .expect = expect, .expect_count = 2}, "an expectation"},
                {{.goal = "x", .setup = setup, .setup_count = 2}, "the setup"},
                {{.goal = "x", .hint = "y", .name = "z"}, NULL}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct ia_secret_lookup from = {.value = lookup};
        struct ia_run_request req = rows[i].req;
        struct ia_err err = {0};
        req.secrets = two;
        req.secret_count = IA_COUNTOF(two);
        bool refused = ia_secrets_check_texts(&from, &req, &err) == IA_E_USAGE;
        assert_int_equal(refused, rows[i].place != NULL);
        if (refused) {
            assert_non_null(strstr(err.msg, rows[i].place));
            assert_non_null(strstr(err.hint, "{{secret:PW}}"));
            assert_null(strstr(err.msg, "unter"));
            assert_null(strstr(err.hint, "unter"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_needs_a_value_that_can_be_hidden),
        cmocka_unit_test(a_value_that_is_written_where_its_name_belongs_is_refused),
        cmocka_unit_test(every_text_that_is_stored_is_looked_at_and_the_value_is_not_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
