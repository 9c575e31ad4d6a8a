/* run_test.c: runs that come to an end of their own. */
#include "test.h"

#include "rig.h"

/* ---- honest runs ------------------------------------------------------------------------- */

static void a_run_adds_a_contact_and_the_verifier_agrees(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    rig_run(&r, "add a contact named Ada Lovelace");
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_VERIFIER);
    assert_int_equal(r.result.steps, 6);
    assert_string_equal(r.result.summary, "Ada Lovelace is in Contacts.");
    assert_true(r.result.cost_known && r.result.cost_usd > 0);
    char *phone = rig_phone_state(&r);
    assert_non_null(strstr(phone, "Lovelace"));
    free(phone);
    rig_no_rejects(&r);
    assert_int_equal(rig_count(&r, "tool.finished"), 6);
    assert_int_equal(rig_count(&r, "request.finished"), 7);
    assert_non_null(strstr(rig_event(&r, "run.finished"), "\"state\":\"passed\""));
    assert_non_null(strstr(rig_event(&r, "run.finished"), "\"basis\":\"verifier\""));
    rig_close(&r);
}

static void the_first_screen_is_step_0_and_shows_only_what_it_showed(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "first_screen", NULL);
    r.req.verify = IA_VERIFY_OFF;
    rig_run(&r, "open Contacts");
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(rig_count(&r, "finish.refused"), 1);
    rig_close(&r);
}

static void without_a_verifier_the_pass_is_unverified_and_says_so(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.verify = IA_VERIFY_OFF;
    rig_run(&r, "add a contact named Ada Lovelace");
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_UNVERIFIED);
    assert_non_null(strstr(rig_event(&r, "run.finished"), "\"basis\":\"unverified\""));
    rig_close(&r);
}

static void evidence_may_name_the_step_that_showed_it(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "evidence_of_a_step", NULL);
    r.req.verify = IA_VERIFY_OFF;
    rig_run(&r, "check that Nora Abbott is in Contacts");
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(rig_count(&r, "finish.refused"),
                     1); /* without the step it does not hold */
    rig_close(&r);
}

static void the_model_may_say_failed_or_blocked(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "says_failed", NULL);
    rig_run(&r, "save the form");
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_string_equal(r.result.summary, "There is no Save button.");
    rig_close(&r);
    rig_open(&r, "says_blocked", NULL);
    rig_run(&r, "log in");
    rig_expect(&r, "blocked", IA_E_BLOCKED);
    rig_close(&r);
}

static void the_last_screen_is_kept_as_a_picture(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "says_failed", NULL);
    rig_run(&r, "save the form");
    assert_non_null(r.result.screenshot_path);
    FILE *f = fopen(r.result.screenshot_path, "rb");
    char head[8] = {0};
    assert_non_null(f);
    assert_int_equal(fread(head, 1, 8, f), 8);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    fclose(f);
    rig_close(&r);
}

/* ---- lies -------------------------------------------------------------------------------- */

struct lie {
    const char *script;
    const char *state;
    enum ia_rc code;
};

static void an_input_larger_than_an_event_is_left_out_of_it(void **state)
{
    (void)state;
    struct rig r;
    struct ia_buf script = IA_BUF(1 << 20);
    ia_buf_printf(&script,
                  "{\"turns\":[{\"blocks\":[{\"tool_use\":\"remember\",\"input\":{\"text\":"
                  "\"%0100000d\"}}]},{\"blocks\":[{\"tool_use\":\"finish\",\"input\":{"
                  "\"verdict\":\"failed\",\"summary\":\"no\",\"evidence\":[]}}]}]}",
                  0);
    rig_open(&r, ia_buf_cstr(&script), NULL);
    ia_buf_fini(&script);
    rig_run(&r, "save the form");
    rig_expect(&r, "failed", IA_E_FAILED);
    const char *e = rig_event(&r, "tool.started");
    assert_non_null(strstr(ia_buf_cstr(&r.events), "\"input\":null,\"input_left_out_bytes\":"));
    assert_non_null(strstr(e, "\"input\":{"));
    rig_close(&r);
}

static void no_lie_passes(void **state)
{
    (void)state;
    static const struct lie lies[] = {
        {"lie_did_nothing", "failed", IA_E_FAILED},
        {"lie_invented_step", "failed", IA_E_FAILED},
        {"lie_trivial_evidence", "failed", IA_E_FAILED},
        {"lie_overruled", "failed", IA_E_FAILED},
        {"lie_two_verdicts_in_one", "error", IA_E_API_STOP},
        {"lie_two_finishes", "failed", IA_E_FAILED},
        {"lie_malformed_finish", "blocked", IA_E_BLOCKED},
        {"verifier_talks", "error", IA_E_API_STOP},
        {"stops_early", "failed", IA_E_FAILED},
        {"loops", "blocked", IA_E_BLOCKED},
        {"same_failing_call", "blocked", IA_E_BLOCKED},
        {"wanders", "blocked", IA_E_BLOCKED},
        {"stop_refusal", "error", IA_E_API_STOP},
        {"stop_context", "error", IA_E_API_STOP},
        {"stop_unknown", "error", IA_E_API_STOP},
        {"stop_pause_forever", "error", IA_E_API_STOP},
        {"stop_pause_with_tool", "error", IA_E_API_STOP},
        {"stop_cut", "error", IA_E_API_STOP},
    };
    for (size_t i = 0; i < IA_COUNTOF(lies); i++) {
        struct rig r;
        rig_open(&r, lies[i].script, NULL);
        rig_run(&r, "add a contact named Ada Lovelace");
        if (strcmp(r.result.state, lies[i].state) != 0 || r.result.code != lies[i].code) {
            fail_msg("%s: %s %s\n%s", lies[i].script, r.result.state, ia_rc_name(r.result.code),
                     ia_buf_cstr(&r.events));
        }
        assert_int_equal(r.result.basis, IA_BASIS_NONE);
        assert_int_not_equal(ia_rc_exit(r.result.code), 0);
        rig_no_rejects(&r);
        rig_close(&r);
    }
}

static void a_pass_is_refused_twice_with_what_is_missing_and_then_fails(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "lie_did_nothing", NULL);
    rig_run(&r, "add a contact named Ada Lovelace");
    assert_int_equal(rig_count(&r, "finish.refused"), 3);
    assert_non_null(strstr(rig_event(&r, "finish.refused"), "Ada Lovelace: not on the screen"));
    assert_null(rig_event(&r, "verifier.result"));
    rig_close(&r);
}

static void an_expectation_that_does_not_hold_cannot_be_talked_away(void **state)
{
    (void)state;
    static const char *const expect[] = {"visible \"Grace Hopper\""};
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.expect = expect;
    r.req.expect_count = 1;
    r.req.verify = IA_VERIFY_ALWAYS;
    rig_run(&r, "add a contact named Grace Hopper");
    assert_string_not_equal(r.result.state, "passed");
    assert_non_null(strstr(rig_event(&r, "finish.refused"), "visible \\\"Grace Hopper\\\""));
    assert_null(rig_event(&r, "verifier.result"));
    rig_close(&r);
}

/* ---- stopping and nudging ---------------------------------------------------------------- */

static void an_end_of_turn_without_finish_is_answered_once(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "stops_once", NULL);
    rig_run(&r, "save the form");
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_string_equal(r.result.summary, "It does not work.");
    rig_close(&r);
    rig_open(&r, "stops_early", NULL);
    rig_run(&r, "save the form");
    assert_int_equal(rig_count(&r, "request.finished"), 2);
    rig_close(&r);
}

static void a_paused_turn_goes_on_with_what_was_said(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "stop_pause", NULL);
    rig_run(&r, "save the form");
    rig_expect(&r, "failed", IA_E_FAILED);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void a_cut_answer_runs_nothing_and_is_asked_for_once_more_with_room(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "stop_cut", NULL);
    rig_run(&r, "save the form");
    assert_int_equal(rig_count(&r, "request.finished"), 2);
    assert_int_equal(rig_count(&r, "tool.started"), 0);
    struct ia_buf first = IA_BUF(1 << 20), second = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 1, &first));
    assert_true(ia_mock_request_body(r.mock, 0, &second));
    assert_non_null(strstr(ia_buf_cstr(&first), "\"max_tokens\":16000"));
    assert_non_null(strstr(ia_buf_cstr(&second), "\"max_tokens\":32000"));
    ia_buf_fini(&first);
    ia_buf_fini(&second);
    rig_close(&r);
}

static void waiting_is_not_going_in_circles(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "waits", NULL);
    r.req.budget.max_steps = 20;
    rig_run(&r, "wait");
    rig_expect(&r, "error", IA_E_BUDGET);
    assert_int_equal(r.result.steps, 20);
    rig_close(&r);
}

/* ---- tools of one turn ------------------------------------------------------------------- */

static void every_call_of_a_turn_gets_one_result_in_order(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "parallel", NULL);
    rig_run(&r, "look around");
    rig_expect(&r, "failed", IA_E_FAILED);
    rig_no_rejects(&r);
    struct ia_buf body = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    const char *at = ia_buf_cstr(&body);
    static const char *const want[] = {"step 1 ok", "step 2 error STALE_REF, nothing was sent",
                                       "step 3 ok", "step 4 error USAGE", "step 5 error USAGE"};
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        const char *next = strstr(at, want[i]);
        if (!next) {
            fail_msg("%s is not in %s", want[i], at);
        }
        at = next;
    }
    assert_non_null(strstr(ia_buf_cstr(&body), "tap.ref: must be an integer"));
    ia_buf_fini(&body);
    rig_close(&r);
}

static bool find_call(void *ctx, const struct ia_call_row *row)
{
    struct ia_buf *out = ctx;
    ia_buf_printf(out, "%d %s %s %s|", row->step, row->name, row->code ? row->code : "-",
                  row->outcome ? row->outcome : "-");
    assert_int_equal(row->state, IA_CALL_DONE);
    return true;
}

static void calls_behind_an_accepted_finish_are_not_made(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "parallel", NULL);
    rig_run(&r, "look around");
    struct ia_buf calls = IA_BUF(4096);
    assert_int_equal(ia_store_calls(r.store, r.result.id, find_call, &calls, NULL), IA_OK);
    assert_non_null(strstr(ia_buf_cstr(&calls), "7 press_button CANCELLED not_sent|"));
    assert_non_null(strstr(ia_buf_cstr(&calls), "6 finish OK |"));
    ia_buf_fini(&calls);
    rig_close(&r);
}

static void thinking_is_replayed_and_screenshots_are_sent_small(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "thinks", NULL);
    rig_run(&r, "open Settings");
    rig_expect(&r, "passed", IA_OK);
    rig_no_rejects(&r); /* the double checks signatures, images and their size */
    assert_null(strstr(rig_event(&r, "tool.finished"), "\"image\":\""));
    struct ia_buf body = IA_BUF(4 << 20);
    assert_true(ia_mock_request_body(r.mock, 1, &body));
    assert_non_null(strstr(ia_buf_cstr(&body), "\"media_type\":\"image/png\""));
    ia_buf_fini(&body);
    rig_close(&r);
}

/* ---- the app lock ------------------------------------------------------------------------ */

static void a_locked_run_begins_in_its_app_and_stays_there(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "leaves_app", NULL);
    r.req.app = "com.apple.MobileAddressBook";
    rig_run(&r, "add a person");
    rig_expect(&r, "failed", IA_E_FAILED);
    struct ia_buf body = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    assert_non_null(strstr(ia_buf_cstr(&body), "step 1 error APP_LOCK, nothing was sent"));
    assert_non_null(strstr(ia_buf_cstr(&body), "step 2 error APP_LOCK, nothing was sent"));
    assert_non_null(strstr(ia_buf_cstr(&body), "step 3 ok"));
    ia_buf_fini(&body);
    rig_close(&r);
}

static void nothing_is_tapped_while_a_foreign_app_is_in_front(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "taps_add_twice", NULL);
    r.req.app = "com.apple.MobileAddressBook";
    r.device.foreign_app = "com.acme.ads";
    r.device.foreign_at = 1;
    rig_run(&r, "add a person");
    struct ia_buf body = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    assert_non_null(strstr(ia_buf_cstr(&body), "Another app is in front now"));
    assert_non_null(strstr(ia_buf_cstr(&body), "com.acme.ads is in front; what it shows is"));
    assert_null(strstr(ia_buf_cstr(&body), "Cancel")); /* of the page that Add opened */
    assert_non_null(strstr(ia_buf_cstr(&body), "step 2 error APP_LOCK, nothing was sent"));
    assert_int_equal(r.device.taps, 1);
    ia_buf_fini(&body);
    rig_close(&r);
}

/* ---- configured agents ------------------------------------------------------------------- */

static void put_agent(struct rig *r, const char *tools)
{
    struct ia_tx *tx = NULL;
    struct ia_agent_row row = {.name = "tester", .prompt = "Be brief.", .tools = tools};
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    ia_tx_put_agent(tx, &row);
    ia_tx_set_memory(tx, "tester", ia_str("- Contacts sorts by last name.\n"));
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

static bool read_memory(void *ctx, const struct ia_agent_row *row)
{
    ia_buf_puts(ctx, row->memory);
    return false;
}

static void an_agent_brings_its_prompt_and_memory_and_remembers(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "remembers", NULL);
    put_agent(&r, NULL);
    r.req.agent = "tester";
    rig_run(&r, "look around");
    rig_no_rejects(&r);
    struct ia_buf body = IA_BUF(1 << 20), memory = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    assert_non_null(strstr(ia_buf_cstr(&body), "<memory>- Contacts sorts by last name."));
    assert_non_null(strstr(ia_buf_cstr(&body), "\"text\":\"Be brief.\""));
    assert_int_equal(ia_store_agents(r.store, "tester", read_memory, &memory, NULL), IA_OK);
    assert_string_equal(
        ia_buf_cstr(&memory),
        "- Contacts sorts by last name.\n- The plus adds a /memory  contact.\n");
    ia_buf_fini(&body);
    ia_buf_fini(&memory);
    rig_close(&r);
}

static void tools_that_an_agent_does_not_have_are_neither_offered_nor_run(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "remembers", NULL);
    put_agent(&r, "[\"remember\",\"swipe\"]");
    r.req.agent = "tester";
    rig_run(&r, "look around");
    rig_no_rejects(&r);
    struct ia_buf body = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    assert_non_null(strstr(ia_buf_cstr(&body), "{\"name\":\"swipe\""));
    assert_non_null(strstr(ia_buf_cstr(&body), "{\"name\":\"finish\""));
    assert_null(strstr(ia_buf_cstr(&body), "{\"name\":\"tap\""));
    assert_non_null(strstr(ia_buf_cstr(&body), "step 2 error USAGE"));
    assert_int_equal(r.device.taps, 0);
    ia_buf_fini(&body);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_adds_a_contact_and_the_verifier_agrees),
        cmocka_unit_test(the_first_screen_is_step_0_and_shows_only_what_it_showed),
        cmocka_unit_test(without_a_verifier_the_pass_is_unverified_and_says_so),
        cmocka_unit_test(evidence_may_name_the_step_that_showed_it),
        cmocka_unit_test(the_model_may_say_failed_or_blocked),
        cmocka_unit_test(the_last_screen_is_kept_as_a_picture),
        cmocka_unit_test(an_input_larger_than_an_event_is_left_out_of_it),
        cmocka_unit_test(no_lie_passes),
        cmocka_unit_test(a_pass_is_refused_twice_with_what_is_missing_and_then_fails),
        cmocka_unit_test(an_expectation_that_does_not_hold_cannot_be_talked_away),
        cmocka_unit_test(an_end_of_turn_without_finish_is_answered_once),
        cmocka_unit_test(a_paused_turn_goes_on_with_what_was_said),
        cmocka_unit_test(a_cut_answer_runs_nothing_and_is_asked_for_once_more_with_room),
        cmocka_unit_test(waiting_is_not_going_in_circles),
        cmocka_unit_test(every_call_of_a_turn_gets_one_result_in_order),
        cmocka_unit_test(calls_behind_an_accepted_finish_are_not_made),
        cmocka_unit_test(thinking_is_replayed_and_screenshots_are_sent_small),
        cmocka_unit_test(a_locked_run_begins_in_its_app_and_stays_there),
        cmocka_unit_test(nothing_is_tapped_while_a_foreign_app_is_in_front),
        cmocka_unit_test(an_agent_brings_its_prompt_and_memory_and_remembers),
        cmocka_unit_test(tools_that_an_agent_does_not_have_are_neither_offered_nor_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
