/* skills_run_test.c: skills of an agent in whole runs, by a scripted model. */
#include "test.h"

#include "rig.h"

#include <string.h>

static void put_agent(struct rig *r, const char *skills)
{
    struct ia_tx *tx = NULL;
    struct ia_err err;
    struct ia_agent_row row = {.name = "tester", .skills = skills};
    assert_int_equal(ia_tx_begin(r->store, &tx, &err), IA_OK);
    ia_tx_put_agent(tx, &row);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    r->req.agent = "tester";
}

#define CALL(tool, input) "{\"blocks\":[{\"tool_use\":\"" tool "\",\"input\":{" input "}}]},"
#define GIVE_UP                                                                                \
    "{\"repeat\":true,\"blocks\":[{\"tool_use\":\"finish\",\"input\":{"                        \
    "\"verdict\":\"failed\",\"summary\":\"no\",\"evidence\":[]}}]}]}"

static bool in_events(const struct rig *r, const char *text)
{
    return strstr(r->events.p, text) != NULL;
}

/* What the model was sent as results, all requests. */
static bool in_requests(const struct rig *r, const char *text)
{
    bool found = false;
    struct ia_buf body = IA_BUF(16 << 20);
    for (int i = 0; !found && ia_mock_request_body(r->mock, i, &body); i++) {
        found = strstr(ia_buf_cstr(&body), text) != NULL;
        ia_buf_reset(&body);
    }
    ia_buf_fini(&body);
    return found;
}

static void accessibility_is_read_used_and_fenced(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r,
             "{\"turns\":[" CALL("use_skill", "\"skill\":\"accessibility\"") CALL("audit", "")
                 CALL("voiceover_order", "") GIVE_UP,
             NULL);
    put_agent(&r, "[\"accessibility\"]");
    rig_run(&r, "judge the first screen");
    rig_expect(&r, "failed", IA_E_FAILED);
    rig_no_rejects(&r);
    assert_true(in_events(&r, "\"tool\":\"audit\",\"skill\":\"accessibility\",\"ok\":true"));
    assert_true(
        in_events(&r, "\"tool\":\"voiceover_order\",\"skill\":\"accessibility\",\"ok\":true"));
    assert_true(in_requests(&r, "Judge a screen as somebody who hears it"));
    assert_true(in_requests(&r, "Settings, button\\n"));
    rig_close(&r);
}

static void a_tool_of_a_skill_that_the_agent_does_not_have_is_unknown(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "{\"turns\":[" CALL("audit", "") GIVE_UP, NULL);
    rig_run(&r, "judge the first screen");
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_true(in_events(&r, "\"tool\":\"audit\",\"ok\":false,\"code\":\"USAGE\""));
    rig_close(&r);
}

static void bad_inputs_of_a_skills_tools_are_refused(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r,
             "{\"turns\":[" CALL("audit", "\"ref\":1") CALL("use_skill", "")
                 CALL("use_skill", "\"skill\":\"vision\"") GIVE_UP,
             NULL);
    put_agent(&r, "[\"accessibility\"]");
    rig_run(&r, "judge the first screen");
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_true(in_events(&r, "\"skill\":\"accessibility\",\"ok\":false"));
    assert_false(in_events(&r, "\"tool\":\"use_skill\",\"ok\":true"));
    rig_close(&r);
}

static void an_unknown_skill_fails_the_run_before_its_first_request(void **state)
{
    (void)state;
    struct rig r;
    struct ia_err err = {0};
    rig_open(&r, "{\"turns\":[" GIVE_UP, NULL);
    put_agent(&r, "[\"nothing\"]");
    assert_int_equal(rig_try(&r, "judge the first screen", &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "no skill nothing"));
    assert_int_equal(rig_count(&r, "request.finished"), 0);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accessibility_is_read_used_and_fenced),
        cmocka_unit_test(a_tool_of_a_skill_that_the_agent_does_not_have_is_unknown),
        cmocka_unit_test(bad_inputs_of_a_skills_tools_are_refused),
        cmocka_unit_test(an_unknown_skill_fails_the_run_before_its_first_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
