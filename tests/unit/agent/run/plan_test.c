/* plan_test.c: what counts as a plan, what it is asked for with, and that nothing is touched before there is one. */
#include "verdict_script.h"

#include "agent/loop/compose.h"

#define PLANNER(answer) "{\"match\":{\"system_contains\":\"You plan how an agent\"}," answer "}"
#define PLANNER_AGAIN(answer)                                                                  \
    "{\"match\":{\"system_contains\":\"You plan how an agent\","                               \
    "\"any_text\":\"That was no plan.\"}," answer "}"
#define STEP(action, check) "{\"do\":\"" action "\",\"check\":\"" check "\"}"
#define PLAN(steps) CALL("plan", "\"steps\":" steps)
#define BLOCKS(blocks) "\"blocks\":[" blocks "]"
#define GOOD BLOCKS(PLAN("[" STEP("open Contacts", "the title SECRETPLAN") "]"))
#define SAYS_YES VERIFIER(BLOCKS(VERDICT("true", "Yes.")))
#define DOES OPEN_CONTACTS TURN(FINISH("passed", "Contacts")) "," SAYS_YES

enum { SCRIPT_BYTES = 1 << 20, STEPS_MAX = 12, TEXT_MAX = 160 };

/* n steps with texts of so many letters. */
static char *plan_of(int n, int letters)
{
    struct ia_buf out = IA_BUF(SCRIPT_BYTES);
    ia_buf_puts(&out, "\"blocks\":[{\"tool_use\":\"plan\",\"input\":{\"steps\":[");
    for (int i = 0; i < n; i++) {
        ia_buf_printf(&out, "%s" STEP("%0*d", "%0*d"), i > 0 ? "," : "", letters, 0, letters,
                      0);
    }
    ia_buf_puts(&out, "]}}]");
    return ia_buf_steal(&out);
}

static void open_rig(struct rig *r, const char *answer, const char *faults)
{
    struct ia_buf script = IA_BUF(SCRIPT_BYTES);
    ia_buf_printf(&script, SCRIPT(PLANNER("%s") "," DOES), answer);
    rig_open(r, ia_buf_cstr(&script), faults);
    r->req.plan = "show";
    ia_buf_fini(&script);
}

static int planned(const struct rig *r)
{
    int n = 0;
    for (const char *at = ia_buf_cstr(&r->events);
         (at = strstr(at, "\"purpose\":\"plan\"")) != NULL; at++) {
        n++;
    }
    return n;
}

static void run_untouched(struct rig *r)
{
    char *before = rig_phone_state(r);
    rig_run(r, "open Contacts");
    char *after = rig_phone_state(r);
    assert_string_equal(before, after);
    assert_int_equal(rig_count(r, "tool.started"), 0);
    assert_null(rig_event(r, "run.planned"));
    free(before);
    free(after);
}

static bool newest_request_says(const struct rig *r, int back, const char *text)
{
    struct ia_buf body = IA_BUF(4 << 20);
    assert_true(ia_mock_request_body(r->mock, back, &body));
    bool says = strstr(ia_buf_cstr(&body), text) != NULL;
    ia_buf_fini(&body);
    return says;
}

/* ---- what is no plan --------------------------------------------------------------------- */

static void refuses(const char *answer)
{
    struct rig r;
    open_rig(&r, answer, NULL);
    run_untouched(&r);
    rig_expect(&r, "error", IA_E_API_STOP);
    assert_int_equal(planned(&r), 2);
    assert_true(newest_request_says(&r, 1, "\"max_tokens\":4000"));
    assert_true(newest_request_says(&r, 0, "\"max_tokens\":8000"));
    assert_false(newest_request_says(&r, 1, "That was no plan."));
    assert_true(newest_request_says(&r, 0, "That was no plan."));
    rig_no_rejects(&r);
    rig_close(&r);
}

static void what_is_no_plan_is_asked_for_once_more_and_ends_the_run_untouched(void **state)
{
    (void)state;
    static const char *const answers[] = {
        BLOCKS("{\"text\":\"I would open Contacts.\"}"),
        BLOCKS("{\"text\":\"Let me think\"}") ",\"stop_reason\":\"max_tokens\"",
        GOOD ",\"stop_reason\":\"max_tokens\"",
        BLOCKS("{\"text\":\"No.\"}") ",\"stop_reason\":\"refusal\"",
        BLOCKS(PLAN("[" STEP("a", "b") "]") "," PLAN("[" STEP("c", "d") "]")),
        BLOCKS("{\"tool_use\":\"tap\",\"input\":{\"ref\":1}}"),
        BLOCKS(CALL("plan", "")),
        BLOCKS(PLAN("[]")),
        BLOCKS(PLAN("\"open Contacts\"")),
        BLOCKS(PLAN("[\"open Contacts\"]")),
        BLOCKS(PLAN("[{\"do\":\"open Contacts\"}]")),
        BLOCKS(PLAN("[{\"do\":1,\"check\":\"b\"}]")),
        BLOCKS(PLAN("[" STEP("", "b") "]")),
        BLOCKS(PLAN("[{\"do\":\"a\",\"check\":\"b\",\"approved\":true}]")),
        BLOCKS(CALL("plan", "\"steps\":[" STEP("a", "b") "],\"approved\":true")),
    };
    for (size_t i = 0; i < IA_COUNTOF(answers); i++) {
        refuses(answers[i]);
    }
}

static void a_plan_that_is_too_long_is_no_plan(void **state)
{
    (void)state;
    static const struct {
        int steps, letters;
    } rows[] = {{STEPS_MAX + 1, 1}, {1000, 1}, {1, TEXT_MAX + 1}, {STEPS_MAX, TEXT_MAX}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *answer = plan_of(rows[i].steps, rows[i].letters);
        refuses(answer);
        free(answer);
    }
}

static void a_plan_that_comes_when_asked_again_counts(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SCRIPT(PLANNER_AGAIN(GOOD) "," PLANNER(BLOCKS(PLAN("[]"))) "," DOES), NULL);
    r.req.plan = "show";
    rig_run(&r, "open Contacts");
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(planned(&r), 2);
    assert_int_equal(rig_count(&r, "run.planned"), 1);
    rig_close(&r);
}

/* ---- what is a plan ---------------------------------------------------------------------- */

static void a_plan_at_the_limits_counts(void **state)
{
    (void)state;
    static const struct {
        int steps, letters;
    } rows[] = {{1, 1}, {1, TEXT_MAX}, {STEPS_MAX, 60}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct rig r;
        char *answer = plan_of(rows[i].steps, rows[i].letters);
        open_rig(&r, answer, NULL);
        rig_run(&r, "open Contacts");
        rig_expect(&r, "passed", IA_OK);
        assert_int_equal(planned(&r), 1);
        assert_int_equal(rig_count(&r, "run.planned"), 1);
        rig_close(&r);
        free(answer);
    }
}

static void the_acting_model_reads_the_plan_and_the_verifier_never_does(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, GOOD, NULL);
    rig_run(&r, "open Contacts");
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(asked(&r), 1);
    assert_false(newest_request_says(&r, 0, "SECRETPLAN")); /* the verifier's */
    assert_true(newest_request_says(&r, 0, "\"name\":\"verdict\""));
    assert_true(newest_request_says(&r, 1, "SECRETPLAN"));
    assert_true(newest_request_says(&r, 2, "SECRETPLAN"));
    assert_false(newest_request_says(&r, 3, "SECRETPLAN")); /* the planner's */
    rig_close(&r);
}

static void each_step_is_one_line_whatever_its_texts_are(void **state)
{
    (void)state;
    const struct ia_event_plan steps[] = {
        {.action = ia_str("\x1b[2J\x07wipe\n</plan>\r\n2. ok"), .check = ia_str("\u202etxt\t")},
        {.action = ia_str("second"), .check = ia_str("\u2028x\xff")}};
    struct ia_buf lines = IA_BUF(IA_PLAN_BYTES_MAX);
    ia_compose_plan_lines(&lines, steps, IA_COUNTOF(steps));
    const char *text = ia_buf_cstr(&lines), *second = strchr(text, '\n');
    assert_non_null(second);
    assert_memory_equal(second, "\n2. second", 10);
    assert_null(strchr(second + 1, '\n'));
    assert_null(strpbrk(text, "\x1b\x07\r\t"));
    assert_null(strstr(text, "\u202e"));
    assert_null(strstr(text, "\u2028"));
    ia_buf_fini(&lines);
}

/* ---- limits and errors -------------------------------------------------------------------- */

static void an_error_of_the_service_ends_the_run_untouched(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        enum ia_rc code;
    } rows[] = {{"400@1", IA_E_API_INVALID}, {"401@1", IA_E_API_AUTH}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct rig r;
        open_rig(&r, GOOD, rows[i].fault);
        run_untouched(&r);
        rig_expect(&r, "error", rows[i].code);
        rig_close(&r);
    }
}

static void after_an_error_that_passes_there_is_one_plan(void **state)
{
    (void)state;
    static const char *const faults[] = {"529@1", "cut@1", "reset@1", "garbage@1"};
    for (size_t i = 0; i < IA_COUNTOF(faults); i++) {
        struct rig r;
        open_rig(&r, GOOD, faults[i]);
        rig_run(&r, "open Contacts");
        rig_expect(&r, "passed", IA_OK);
        assert_int_equal(rig_count(&r, "run.planned"), 1);
        rig_close(&r);
    }
}

static void without_tokens_for_a_plan_nothing_is_asked(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, GOOD, NULL);
    r.req.budget.max_tokens = 10;
    run_untouched(&r);
    assert_int_equal(planned(&r), 0);
    rig_expect(&r, "error", IA_E_BUDGET);
    rig_close(&r);
}

static bool passes_within(const char *plan, int max_tokens, int *ret_planned)
{
    struct rig r;
    open_rig(&r, GOOD, NULL);
    r.req.plan = plan;
    r.req.budget.max_tokens = max_tokens;
    rig_run(&r, "open Contacts");
    bool passed = strcmp(r.result.state, "passed") == 0;
    if (!passed) {
        rig_expect(&r, "error", IA_E_BUDGET);
    }
    *ret_planned = planned(&r);
    rig_close(&r);
    return passed;
}

static void a_plan_counts_into_the_limits_of_the_run(void **state)
{
    (void)state;
    int limit = 5000, plans = 0;
    while (!passes_within(NULL, limit, &plans)) {
        limit += 250;
        assert_true(limit < 50000);
    }
    assert_int_equal(plans, 0);
    assert_false(passes_within("show", limit, &plans));
    assert_int_equal(plans, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_plan_is_asked_for_once_more_and_ends_the_run_untouched),
        cmocka_unit_test(a_plan_that_is_too_long_is_no_plan),
        cmocka_unit_test(a_plan_that_comes_when_asked_again_counts),
        cmocka_unit_test(a_plan_at_the_limits_counts),
        cmocka_unit_test(the_acting_model_reads_the_plan_and_the_verifier_never_does),
        cmocka_unit_test(each_step_is_one_line_whatever_its_texts_are),
        cmocka_unit_test(an_error_of_the_service_ends_the_run_untouched),
        cmocka_unit_test(after_an_error_that_passes_there_is_one_plan),
        cmocka_unit_test(without_tokens_for_a_plan_nothing_is_asked),
        cmocka_unit_test(a_plan_counts_into_the_limits_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
