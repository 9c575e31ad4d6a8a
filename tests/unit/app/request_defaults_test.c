#include "test.h"

#include "app/request_defaults.h"

#include "tmpdir.h"

#include "app/setup.h"

static void what_a_request_does_not_say_comes_from_the_configuration(void **state)
{
    (void)state;
    static const struct {
        enum ia_config_key key;
        const char *value;
    } given[] = {
        {IA_CFG_RUN_DEVICE, "embedded:kitchen"},
        {IA_CFG_RUN_MODEL, "claude-opus-5-5"},
        {IA_CFG_RUN_VERIFY, "always"},
        {IA_CFG_RUN_MAX_STEPS, "7"},
        {IA_CFG_RUN_MAX_USD, "1.5"},
    };
    struct ia_setup s = {.config = NULL};
    struct ia_err err = {.code = IA_OK};
    const struct ia_config_agent agent = {.name = "tester", .model = "claude-haiku-5"};
    char *home = tmpdir_new();
    assert_int_equal(setenv("IOS_AGENT_HOME", home, 1), 0);
    assert_int_equal(ia_setup_config(&s, &err), IA_OK);
    struct ia_run_request plain = {.goal = "g"},
                          said = {.goal = "g", .model = "own", .budget = {.max_steps = 3}},
                          named = {.goal = "g"};
    /* The agent's own model gives way to one that was set by a flag only. */
    ia_run_request_defaults(s.config, &agent, &named);
    assert_string_equal(named.model, "claude-haiku-5");
    assert_string_equal(named.agent, "tester");
    for (size_t i = 0; i < IA_COUNTOF(given); i++) {
        assert_int_equal(ia_config_set(s.config, given[i].key, "a flag", given[i].value, &err),
                         IA_OK);
    }
    ia_run_request_defaults(s.config, NULL, &plain);
    assert_string_equal(plain.device, "embedded:kitchen");
    assert_string_equal(plain.model, "claude-opus-5-5");
    assert_null(plain.app);
    assert_null(plain.agent);
    assert_int_equal(plain.verify, IA_VERIFY_ALWAYS);
    assert_int_equal(plain.budget.max_steps, 7);
    assert_true(plain.budget.max_usd > 1.4 && plain.budget.max_usd < 1.6);
    ia_run_request_defaults(s.config, NULL, &said);
    assert_string_equal(said.model, "own");
    assert_int_equal(said.budget.max_steps, 3);
    named.model = NULL;
    ia_run_request_defaults(s.config, &agent, &named);
    assert_string_equal(named.model, "claude-opus-5-5");
    ia_setup_close(&s);
    tmpdir_free(home);
}

static void
a_configured_plan_gives_way_to_an_option_and_to_a_replay_that_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *configured, *option, *asked, *replay_option, *replay_asked, *plan, *replay;
    } rows[] = {
        {"off", NULL, NULL, NULL, NULL, NULL, NULL},
        {"ask", NULL, NULL, NULL, NULL, "ask", NULL},
        {"ask", "off", NULL, NULL, NULL, NULL, NULL},
        {"ask", "show", NULL, NULL, NULL, "show", NULL},
        {"off", NULL, "show", NULL, NULL, "show", NULL},
        {"ask", NULL, "show", NULL, NULL, "show", NULL},
        {"ask", NULL, NULL, "auto", NULL, NULL, "auto"},
        {"ask", NULL, NULL, NULL, "only", NULL, "only"},
        {"ask", NULL, NULL, "off", NULL, "ask", NULL},
        {"off", "show", NULL, "auto", NULL, "show", "auto"}, /* which the run refuses */
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_setup s = {.config = NULL};
        struct ia_err err = {.code = IA_OK};
        char *home = tmpdir_new();
        assert_int_equal(setenv("IOS_AGENT_HOME", home, 1), 0);
        assert_int_equal(setenv("IOS_AGENT_RUN_PLAN", rows[i].configured, 1), 0);
        assert_int_equal(ia_setup_config(&s, &err), IA_OK);
        if (rows[i].option) {
            assert_int_equal(
                ia_config_set(s.config, IA_CFG_RUN_PLAN, "a flag", rows[i].option, &err),
                IA_OK);
        }
        if (rows[i].replay_option) {
            assert_int_equal(ia_config_set(s.config, IA_CFG_RUN_REPLAY, "a flag",
                                           rows[i].replay_option, &err),
                             IA_OK);
        }
        struct ia_run_request r = {
            .goal = "g", .plan = rows[i].asked, .replay = rows[i].replay_asked};
        ia_run_request_plan(s.config, &r);
        ia_run_request_defaults(s.config, NULL, &r);
        assert_string_equal(r.plan ? r.plan : "", rows[i].plan ? rows[i].plan : "");
        assert_string_equal(r.replay ? r.replay : "", rows[i].replay ? rows[i].replay : "");
        ia_setup_close(&s);
        assert_int_equal(unsetenv("IOS_AGENT_RUN_PLAN"), 0);
        tmpdir_free(home);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_request_does_not_say_comes_from_the_configuration),
        cmocka_unit_test(
            a_configured_plan_gives_way_to_an_option_and_to_a_replay_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
