/* retry_test.c: errors that can pass, what is done before the first look, messages to a run,
 * and conversations that go on. */
#include "test.h"

#include "rig.h"

#include "agent/goal/job.h"
#include "agent/loop/run_ctx.h"
#include "agent/run/retry.h"
#include "agent/run/run_store.h"
#include "base/rand.h"
#include "store/queue.h"

#include <jansson.h>

#define GOAL "add a contact named Ada Lovelace"
#define FINISH(verdict)                                                                        \
    "{\"tool_use\":\"finish\",\"input\":{\"verdict\":\"" verdict                               \
    "\",\"summary\":\"s\",\"evidence\":[{\"quote\":\"Settings\"}]}}"

static struct ia_run_row *row_of(struct rig *r, const char *id)
{
    struct ia_run_row *row = NULL;
    struct ia_err err = {0};
    if (ia_store_run(r->store, id, &row, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return row;
}

static bool append_message(void *ctx, const struct ia_message_row *row)
{
    ia_buf_printf(ctx, "%s: %.*s\n", row->role, (int)row->content.n, row->content.p);
    return true;
}

static char *transcript(struct rig *r, const char *id)
{
    struct ia_buf b = IA_BUF(8 << 20);
    assert_int_equal(ia_store_messages(r->store, id, "act", append_message, &b, NULL), IA_OK);
    ia_buf_puts(&b, "");
    char *text = ia_buf_steal(&b);
    return text ? text : ia_strdup("");
}

static int times(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++) {
        n++;
    }
    return n;
}

/* ---- retries ----------------------------------------------------------------------------- */

/* Makes the retry due: its time is the database's, and nobody waits here. */
static void make_due(struct rig *r, const char *id)
{
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    ia_run_move(tx, id, IA_RUN_QUEUED, NULL, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

static void expect_waiting(struct rig *r, int attempt, int64_t wait_ms)
{
    struct ia_run_row *row = row_of(r, r->result.id);
    assert_string_equal(r->result.state, "retry_wait");
    assert_int_equal(row->state, IA_RUN_RETRY_WAIT);
    assert_int_equal(row->attempt, attempt);
    assert_int_equal(row->retry_at_ms, r->result.retry_at_ms);
    int64_t left = row->retry_at_ms - ia_wall_ms(ia_clock_system());
    assert_in_range(left, wait_ms - 2000, wait_ms);
    assert_int_equal(rig_count(r, "run.retry_wait"), 1);
    assert_int_equal(rig_count(r, "run.finished"), 0);
    ia_run_row_free(row);
}

static void only_what_can_pass_is_tried_again(void **state)
{
    (void)state;
    static const enum ia_rc pass[] = {IA_E_API_NETWORK, IA_E_API_STREAM,     IA_E_API_TIMEOUT,
                                      IA_E_API_RATE,    IA_E_API_OVERLOADED, IA_E_API_PROTOCOL,
                                      IA_E_API_SERVER,  IA_E_DEVICE_LOST};
    static const enum ia_rc stay[] = {IA_E_API_AUTH, IA_E_API_INVALID, IA_E_API_BILLING,
                                      IA_E_BUDGET,   IA_E_TIMEOUT,     IA_E_CANCELLED,
                                      IA_E_BLOCKED,  IA_E_DB_LOCKED,   IA_OK};
    for (size_t i = 0; i < sizeof(pass) / sizeof(*pass); i++) {
        assert_true(ia_rc_retryable(pass[i]));
    }
    for (size_t i = 0; i < sizeof(stay) / sizeof(*stay); i++) {
        assert_false(ia_rc_retryable(stay[i]));
    }
}

static void rig_without_client_retries(struct rig *r, const char *script, const char *faults)
{
    rig_open(r, script, faults);
    rig_client(r, -1);
}

static void the_transcript_of_a_try_without_an_effect_is_forgotten(void **state)
{
    (void)state;
    struct rig r;
    rig_without_client_retries(&r, "add_contact", "529@1");
    r.req.tries = 6;
    rig_run(&r, GOAL);
    expect_waiting(&r, 1, 5000);
    char *text = transcript(&r, r.result.id);
    assert_string_equal(text, "");
    free(text);
    struct ia_err err = {0};
    char id[IA_ID_SIZE];
    memcpy(id, r.result.id, sizeof(id));
    assert_int_equal(rig_try_go_on(&r, id, &err), IA_E_STATE);
    assert_in_range(err.retry_after_ms, 3000, 5000);
    make_due(&r, id);
    rig_go_on(&r, id);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(rig_count(&r, "run.started"), 1);
    assert_int_equal(r.result.steps, 6);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void after_an_effect_the_next_try_goes_on(void **state)
{
    (void)state;
    struct rig r;
    rig_without_client_retries(&r, "add_contact", "500@3");
    r.req.tries = 2;
    rig_run(&r, GOAL);
    expect_waiting(&r, 1, 5000);
    char id[IA_ID_SIZE];
    memcpy(id, r.result.id, sizeof(id));
    make_due(&r, id);
    rig_go_on(&r, id);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(rig_count(&r, "run.resumed"), 1);
    assert_int_equal(r.result.steps, 6);
    assert_true(r.result.cost_known);
    char *phone = rig_phone_state(&r);
    assert_int_equal(times(phone, "\"name\":\"Ada Lovelace\""), 1);
    free(phone);
    rig_close(&r);
}

/* How many requests the script takes when nothing fails;
 * the last asks for the second opinion. */
static int requests_of(const char *script)
{
    struct rig r;
    rig_open(&r, script, NULL);
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    char *stats = rig_mock_stats(&r);
    json_t *j = json_loads(stats, 0, NULL);
    int n = (int)json_integer_value(json_object_get(j, "messages"));
    json_decref(j);
    free(stats);
    rig_close(&r);
    return n;
}

static void a_second_opinion_that_could_not_be_asked_for_is_no_answer_to_the_model(void **state)
{
    (void)state;
    struct rig r;
    char faults[32], id[IA_ID_SIZE];
    (void)snprintf(faults, sizeof(faults), "500@%d", requests_of("add_contact"));
    rig_without_client_retries(&r, "add_contact", faults);
    r.req.tries = 2;
    rig_run(&r, GOAL);
    expect_waiting(&r, 1, 5000);
    memcpy(id, r.result.id, sizeof(id));
    char *text = transcript(&r, id);
    assert_null(strstr(text, "API_SERVER"));
    free(text);
    make_due(&r, id);
    rig_go_on(&r, id);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.steps, 6);
    char *phone = rig_phone_state(&r);
    assert_int_equal(times(phone, "\"name\":\"Ada Lovelace\""), 1);
    free(phone);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void the_wait_doubles_and_the_providers_own_counts_when_it_is_longer(void **state)
{
    (void)state;
    struct rig r;
    rig_without_client_retries(&r, "add_contact", "429@3:retry-after=60,529");
    r.req.tries = 6;
    char id[IA_ID_SIZE];
    static const int64_t waits[] = {5000, 10000, 60000, 40000, 80000};
    for (int i = 0; i < 5; i++) {
        if (i == 0) {
            rig_run(&r, GOAL);
            memcpy(id, r.result.id, sizeof(id));
        } else {
            make_due(&r, id);
            rig_go_on(&r, id);
        }
        expect_waiting(&r, i + 1, waits[i]);
    }
    make_due(&r, id);
    rig_go_on(&r, id);
    rig_expect(&r, "error", IA_E_API_OVERLOADED);
    assert_int_equal(ia_rc_exit(r.result.code), 6);
    assert_int_equal(rig_count(&r, "run.finished"), 1);
    rig_close(&r);
}

static void a_lost_device_is_tried_again_and_its_effects_are_not_repeated(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.tries = 2;
    r.device.lose_at = 3; /* the tap that gives the last name's field the focus */
    rig_run(&r, GOAL);
    expect_waiting(&r, 1, 5000);
    char id[IA_ID_SIZE];
    memcpy(id, r.result.id, sizeof(id));
    char *text = transcript(&r, id);
    assert_non_null(strstr(text, "DEVICE_LOST"));
    free(text);
    make_due(&r, id);
    r.device.lost = false;
    r.device.lose_at = r.device.taps + 1; /* and again: the last try */
    rig_go_on(&r, id);
    rig_expect(&r, "error", IA_E_DEVICE_LOST);
    assert_int_equal(ia_rc_exit(r.result.code), 3);
    rig_close(&r);
}

static void a_run_in_the_foreground_has_one_try_unless_it_asks_for_more(void **state)
{
    (void)state;
    struct rig r;
    rig_without_client_retries(&r, "add_contact", "529@1");
    rig_run(&r, GOAL);
    rig_expect(&r, "error", IA_E_API_OVERLOADED);
    rig_close(&r);
}

/* ---- setup ------------------------------------------------------------------------------- */

static const char finishes[] = "{\"turns\":[{\"blocks\":[" FINISH("failed") "]}]}";

static void setup_steps_are_done_before_the_first_look(void **state)
{
    (void)state;
    static const struct ia_setup_step setup[] = {
        {IA_SETUP_LAUNCH, "com.apple.MobileAddressBook"},
        {IA_SETUP_TERMINATE, "com.apple.MobileAddressBook"},
        {IA_SETUP_RESET, NULL},
        {IA_SETUP_OPEN_URL, "prefs:"},
    };
    struct rig r;
    rig_open(&r, finishes, NULL);
    r.req.setup = setup;
    r.req.setup_count = 4;
    rig_run(&r, GOAL);
    rig_expect(&r, "failed", IA_E_FAILED);
    char *phone = rig_phone_state(&r);
    assert_non_null(strstr(phone, "\"foreground\":\"com.apple.Preferences\""));
    free(phone);
    const char *looked = rig_event(&r, "run.looked");
    assert_non_null(strstr(looked, "{\"do\":\"open-url\",\"value\":\"prefs:\",\"ms\":"));
    assert_non_null(strstr(looked, "\"app\":\"com.apple.Preferences\""));
    char *text = transcript(&r, r.result.id);
    assert_non_null(strstr(text, "step 0\\n<screen"));
    assert_non_null(strstr(text, "com.apple.Preferences 393x852"));
    free(text);
    rig_close(&r);
}

static void a_setup_step_that_fails_is_an_error_and_no_verdict(void **state)
{
    (void)state;
    static const struct ia_setup_step setup[] = {{IA_SETUP_LAUNCH, "com.example.nothing"}};
    struct rig r;
    rig_open(&r, finishes, NULL);
    r.req.setup = setup;
    r.req.setup_count = 1;
    rig_run(&r, GOAL);
    rig_expect(&r, "error", IA_E_NO_APP);
    assert_non_null(strstr(r.result.summary, "setup: launch com.example.nothing: "));
    assert_int_equal(rig_count(&r, "request.started"), 0);
    rig_close(&r);
}

/* ---- messages ---------------------------------------------------------------------------- */

static void say(struct rig *r, const char *id, const char *sender, const char *text)
{
    struct ia_tx *tx = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    ia_tx_say(tx, id, sender, ia_str(text));
    if (ia_tx_commit(tx, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

static void say_at_the_first_step(struct rig *r, enum ia_event_type type, struct ia_str json)
{
    if (type == IA_EVENT_TOOL_STARTED && rig_count(r, "tool.started") == 1) {
        json_t *e = json_loadb(json.p, json.n, 0, NULL);
        const char *run = json_string_value(json_object_get(e, "run"));
        say(r, run, "QA \"lead\"", "use <Work> & not \"Home\"");
        say(r, run, "user", "and hurry");
        json_decref(e);
    }
}

static void messages_enter_with_the_next_results_and_once(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.on_event = say_at_the_first_step;
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    char *text = transcript(&r, r.result.id);
    assert_int_equal(times(text, "<messages>"), 1);
    assert_non_null(strstr(text, "{\"type\":\"text\",\"text\":\"<messages>\\n<message "
                                 "sender=\\\"QA &quot;lead&quot;\\\" time=\\\"20"));
    assert_non_null(strstr(
        text, "\\\">use &lt;Work&gt; &amp; not &quot;Home&quot;</message>\\n<message sender="));
    assert_non_null(strstr(text, "\\\">and hurry</message>\\n</messages>\"}]"));
    /* Right behind the first result, in the same message. */
    const char *xml = strstr(text, "<messages>");
    const char *second = strstr(text, "step 2 ok");
    assert_true(strstr(text, "step 1 ok") < xml && xml < second);
    assert_int_equal(rig_count(&r, "message.taken"), 1);
    assert_non_null(strstr(rig_event(&r, "message.taken"), "\"sender\":\"user\""));
    free(text);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void say_at_the_finish(struct rig *r, enum ia_event_type type, struct ia_str json)
{
    if (type == IA_EVENT_TOOL_STARTED && strstr(json.p, "\"tool\":\"finish\"")) {
        json_t *e = json_loadb(json.p, json.n, 0, NULL);
        say(r, json_string_value(json_object_get(e, "run")), "user", "too late");
        json_decref(e);
    }
}

static bool count_row(void *ctx, const struct ia_inbox_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return true;
}

static void a_message_that_came_too_late_is_not_taken(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, finishes, NULL);
    r.on_event = say_at_the_finish;
    rig_run(&r, GOAL);
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_int_equal(rig_count(&r, "message.taken"), 0);
    int waiting = 0;
    assert_int_equal(ia_store_inbox(r.store, r.result.id, count_row, &waiting, NULL), IA_OK);
    assert_int_equal(waiting, 1);
    rig_close(&r);
}

static void say_when_it_gives_up(struct rig *r, enum ia_event_type type, struct ia_str json)
{
    if (type == IA_EVENT_REQUEST_STARTED && rig_count(r, "request.started") == 2) {
        json_t *e = json_loadb(json.p, json.n, 0, NULL);
        say(r, json_string_value(json_object_get(e, "run")), "user", "go on");
        json_decref(e);
    }
}

static void a_message_is_given_to_a_model_that_would_have_stopped(void **state)
{
    (void)state;
    struct rig r;
    rig_open(
        &r,
        "{\"turns\":[{\"blocks\":[{\"text\":\"I stop.\"}]},"
        "{\"blocks\":[{\"text\":\"I stop again.\"}]},"
        "{\"match\":{\"user_text\":\"go on</message>\"},\"blocks\":[" FINISH("failed") "]}]}",
        NULL);
    r.on_event = say_when_it_gives_up;
    rig_run(&r, GOAL);
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_string_equal(r.result.summary, "s");
    rig_no_rejects(&r);
    rig_close(&r);
}

/* ---- conversations ----------------------------------------------------------------------- */

static void put_agent(struct rig *r)
{
    struct ia_tx *tx = NULL;
    const struct ia_agent_row agent = {.name = "qa"};
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    ia_tx_put_agent(tx, &agent);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    r->req.agent = "qa";
}

static const char two_goals[] =
    "{\"turns\":["
    "{\"match\":{\"turn\":0},\"blocks\":[{\"tool_use\":\"launch_app\",\"input\":{\"bundle_id\":"
    "\"com.apple.Preferences\"}}]},"
    "{\"match\":{\"turn\":1},\"blocks\":[" FINISH(
        "failed") "]},"
                  "{\"match\":{\"turn\":2,\"any_text\":\"second goal\"},\"blocks\":[" FINISH(
                      "failed") "]}]}";

static void a_conversation_goes_on_with_the_next_run(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, two_goals, NULL);
    put_agent(&r);
    rig_run(&r, "the first goal");
    rig_expect(&r, "failed", IA_E_FAILED);
    int64_t cached = r.result.tokens_cache_read + r.result.tokens_cache_write;
    char first[IA_ID_SIZE];
    memcpy(first, r.result.id, sizeof(first));
    r.req.continue_session = true;
    rig_run(&r, "the second goal");
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_non_null(strstr(rig_event(&r, "run.looked"), first));
    assert_true(r.result.tokens_cache_read > 0 && cached > 0);
    struct ia_buf body = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    const char *one = strstr(ia_buf_cstr(&body), "the first goal");
    const char *two = strstr(ia_buf_cstr(&body), "the second goal");
    assert_true(one && two && one < two);
    ia_buf_fini(&body);
    char *text = transcript(&r, r.result.id);
    assert_null(strstr(text, "the first goal"));
    free(text);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void a_run_is_fresh_unless_it_goes_on(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, two_goals, NULL);
    put_agent(&r);
    rig_run(&r, "the first goal");
    rig_run(&r, "another goal");
    struct ia_buf body = IA_BUF(1 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &body));
    assert_null(strstr(ia_buf_cstr(&body), "the first goal"));
    ia_buf_fini(&body);
    r.req.agent = NULL;
    r.req.continue_session = true;
    struct ia_err err = {0};
    assert_int_equal(rig_try(&r, "a goal", &err), IA_E_USAGE);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_can_pass_is_tried_again),
        cmocka_unit_test(the_transcript_of_a_try_without_an_effect_is_forgotten),
        cmocka_unit_test(after_an_effect_the_next_try_goes_on),
        cmocka_unit_test(
            a_second_opinion_that_could_not_be_asked_for_is_no_answer_to_the_model),
        cmocka_unit_test(the_wait_doubles_and_the_providers_own_counts_when_it_is_longer),
        cmocka_unit_test(a_lost_device_is_tried_again_and_its_effects_are_not_repeated),
        cmocka_unit_test(a_run_in_the_foreground_has_one_try_unless_it_asks_for_more),
        cmocka_unit_test(setup_steps_are_done_before_the_first_look),
        cmocka_unit_test(a_setup_step_that_fails_is_an_error_and_no_verdict),
        cmocka_unit_test(messages_enter_with_the_next_results_and_once),
        cmocka_unit_test(a_message_that_came_too_late_is_not_taken),
        cmocka_unit_test(a_message_is_given_to_a_model_that_would_have_stopped),
        cmocka_unit_test(a_conversation_goes_on_with_the_next_run),
        cmocka_unit_test(a_run_is_fresh_unless_it_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
