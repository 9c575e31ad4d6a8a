/* resume_test.c: runs that stop in the middle and go on: interrupted, or left by a process that
 * died, whose rows are made here as it left them. */
#include "test.h"

#include "rig.h"

#include "agent/run/run_store.h"
#include "base/rand.h"
#include "store/queue.h"

#include <jansson.h>

#define GOAL "add a contact named Ada Lovelace"

/* ---- reading what a run left ------------------------------------------------------------- */

struct call {
    char name[32], code[32], outcome[16];
    bool done, is_error;
    char result[4096];
};
struct calls {
    struct call items[32];
    int n;
};

static bool take_call(void *ctx, const struct ia_call_row *row)
{
    struct calls *c = ctx;
    struct call *k = &c->items[c->n++];
    snprintf(k->name, sizeof(k->name), "%s", row->name);
    snprintf(k->code, sizeof(k->code), "%s", row->code ? row->code : "");
    snprintf(k->outcome, sizeof(k->outcome), "%s", row->outcome ? row->outcome : "");
    snprintf(k->result, sizeof(k->result), "%.*s", (int)row->result.n, row->result.p);
    k->done = row->state == IA_CALL_DONE;
    k->is_error = row->is_error;
    return c->n < 32;
}

static struct calls calls_of(struct rig *r, const char *id)
{
    struct calls c = {.n = 0};
    assert_int_equal(ia_store_calls(r->store, id, take_call, &c, NULL), IA_OK);
    return c;
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
    return ia_buf_steal(&b);
}

static json_t *event(const struct rig *r, const char *type)
{
    const char *text = rig_event(r, type);
    return text ? json_loads(text, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

static int contacts_named(struct rig *r, const char *name)
{
    char quoted[80];
    char *state = rig_phone_state(r);
    int n = 0;
    snprintf(quoted, sizeof(quoted), "\"name\":\"%s\"", name);
    for (const char *at = state; (at = strstr(at, quoted)) != NULL; at++) {
        n++;
    }
    free(state);
    return n;
}

/* ---- interrupted runs -------------------------------------------------------------------- */

static void interrupt(void *ctx)
{
    struct rig *r = ctx;
    r->interrupt = true;
    ia_cancel_fire(r->cancel);
}

static void expect_queued(struct rig *r)
{
    assert_string_equal(r->result.state, "queued");
    assert_int_equal(r->result.code, IA_E_INTERRUPTED);
    assert_int_equal(rig_count(r, "run.interrupted"), 1);
    assert_int_equal(rig_count(r, "run.finished"), 0);
}

/* In the middle of that tap. */
static void interrupt_run(struct rig *r, int tap)
{
    r->device.slow_at = tap;
    r->device.on_hang = interrupt;
    r->device.ctx = r;
    rig_run(r, GOAL);
    expect_queued(r);
}

static void interrupt_before(struct rig *r, enum ia_event_type type, struct ia_str json)
{
    (void)json;
    if (type == IA_EVENT_TOOL_STARTED) {
        interrupt(r);
    }
}

static void an_interrupted_run_finishes_the_tool_in_hand_and_goes_on(void **state)
{
    (void)state;
    static const struct {
        int tap, step;
    } rows[] = {{1, 1}, {2, 2}, {3, 4}, {4, 5}};
    for (size_t i = 0; i < 4; i++) {
        struct rig r;
        rig_open(&r, "add_contact", NULL);
        interrupt_run(&r, rows[i].tap);
        struct calls c = calls_of(&r, r.result.id);
        assert_int_equal(c.n, rows[i].step);
        assert_string_equal(c.items[c.n - 1].code, "OK");
        rig_go_on(&r, r.result.id);
        rig_expect(&r, "passed", IA_OK);
        assert_int_equal(r.result.steps, 6);
        assert_int_equal(contacts_named(&r, "Ada Lovelace"), 1);
        rig_no_rejects(&r);
        rig_close(&r);
    }
}

static void a_call_that_had_not_begun_is_answered_as_not_made(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r,
             "{\"turns\":["
             "{\"blocks\":[{\"tool_use\":\"launch_app\",\"input\":{\"bundle_id\":"
             "\"com.apple.Preferences\"}},{\"tool_use\":\"snapshot\",\"input\":{}}]},"
             "{\"blocks\":[{\"tool_use\":\"finish\",\"input\":{\"verdict\":\"failed\","
             "\"summary\":\"s\",\"evidence\":[]}}]}]}",
             NULL);
    r.on_event = interrupt_before;
    rig_run(&r, GOAL);
    r.on_event = NULL;
    expect_queued(&r);
    rig_go_on(&r, r.result.id);
    rig_expect(&r, "failed", IA_E_FAILED);
    struct calls c = calls_of(&r, r.result.id);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(c.items[i].code, "INTERRUPTED");
        assert_string_equal(c.items[i].outcome, "not_sent");
        assert_non_null(strstr(c.items[i].result, "was not made"));
    }
    char *phone = rig_phone_state(&r);
    assert_non_null(strstr(phone, "\"seq\":0"));
    free(phone);
    rig_no_rejects(&r);
    rig_close(&r);
}

/* The prefix hash of the double: what the last request wrote and read, the next one reads. */
static void the_history_that_goes_on_is_the_same_byte_for_byte(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    interrupt_run(&r, 3);
    json_t *before = event(&r, "request.finished");
    const json_t *u = json_object_get(before, "usage");
    json_int_t cached = json_integer_value(json_object_get(u, "cache_read")) +
                        json_integer_value(json_object_get(u, "cache_write"));
    assert_true(cached > 1000);
    rig_go_on(&r, r.result.id);
    const char *first = strstr(ia_buf_cstr(&r.events), "{\"event\":\"request.finished\"");
    json_t *after = json_loads(first, JSON_DISABLE_EOF_CHECK, NULL);
    u = json_object_get(after, "usage");
    assert_true(json_integer_value(json_object_get(u, "cache_read")) >= cached);
    json_decref(before);
    json_decref(after);
    rig_close(&r);
}

static void what_was_spent_before_counts_after(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.budget.max_steps = 5;
    interrupt_run(&r, 2);
    double usd = r.result.cost_usd;
    int64_t sent = r.result.tokens_cache_read + r.result.tokens_cache_write;
    assert_true(usd > 0);
    rig_go_on(&r, r.result.id);
    rig_expect(&r, "error", IA_E_BUDGET);
    assert_int_equal(r.result.steps, 5);
    assert_true(r.result.cost_known && r.result.cost_usd > usd);
    assert_true(r.result.tokens_cache_read + r.result.tokens_cache_write > sent);
    rig_close(&r);
}

static void the_screens_of_earlier_steps_still_count_as_evidence(void **state)
{
    (void)state;
    struct rig r;
    rig_open(
        &r,
        "{\"turns\":["
        "{\"blocks\":[{\"tool_use\":\"tap\",\"input\":{\"ref\":\"$ref(\\\"Contacts\\\")\"}}]},"
        "{\"blocks\":[{\"tool_use\":\"press_button\",\"input\":{\"button\":\"home\"}}]},"
        "{\"blocks\":[{\"tool_use\":\"finish\",\"input\":{\"verdict\":\"passed\","
        "\"summary\":\"s\",\"evidence\":[{\"quote\":\"Nora Abbott\",\"step\":1},"
        "{\"quote\":\"No events today\",\"step\":0}]}}]}]}",
        NULL);
    r.req.verify = IA_VERIFY_OFF;
    interrupt_run(&r, 1);
    rig_go_on(&r, r.result.id);
    rig_expect(&r, "passed", IA_OK);
    rig_close(&r);
}

static void expectations_that_held_from_the_start_stay_no_proof(void **state)
{
    (void)state;
    static const char *const expect[] = {"visible icon \"Settings\""};
    struct rig r;
    rig_open(&r,
             "{\"turns\":["
             "{\"blocks\":[{\"tool_use\":\"press_button\",\"input\":{\"button\":\"home\"}}]},"
             "{\"blocks\":[{\"tool_use\":\"finish\",\"input\":{\"verdict\":\"passed\","
             "\"summary\":\"s\",\"evidence\":[{\"quote\":\"Settings\"}]}}]},"
             "{\"match\":{\"call\":\"verifier\"},\"blocks\":[{\"tool_use\":\"verdict\","
             "\"input\":{\"agrees\":true,\"reason\":\"r\"}}]}]}",
             NULL);
    r.req.expect = expect;
    r.req.expect_count = 1;
    r.on_event = interrupt_before;
    rig_run(&r, GOAL);
    r.on_event = NULL;
    expect_queued(&r);
    rig_go_on(&r, r.result.id);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_VERIFIER);
    rig_close(&r);
}

static void a_ref_from_before_is_stale_and_names_what_is_nearest(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r,
             "{\"turns\":["
             "{\"blocks\":[{\"tool_use\":\"press_button\",\"input\":{\"button\":\"home\"}}]},"
             "{\"blocks\":[{\"tool_use\":\"tap\",\"input\":{\"ref\":1}}]},"
             "{\"blocks\":[{\"tool_use\":\"finish\",\"input\":{\"verdict\":\"failed\","
             "\"summary\":\"s\",\"evidence\":[]}}]}]}",
             NULL);
    r.on_event = interrupt_before;
    rig_run(&r, GOAL);
    r.on_event = NULL;
    expect_queued(&r);
    char *before = transcript(&r, r.result.id);
    assert_non_null(strstr(before, "\\n1 other Calendar, "));
    rig_go_on(&r, r.result.id);
    struct calls c = calls_of(&r, r.result.id);
    assert_string_equal(c.items[1].code, "STALE_REF");
    assert_string_equal(c.items[1].outcome, "not_sent");
    assert_non_null(strstr(c.items[1].result, "element 1 (other Calendar, "));
    const char *nearest = strstr(c.items[1].result, "nearest: ");
    assert_non_null(nearest);
    assert_true(strtol(nearest + 9, NULL, 10) > 6);
    assert_non_null(strstr(nearest, " other Calendar, "));
    free(before);
    rig_close(&r);
}

/* ---- runs of a process that died --------------------------------------------------------- */

/* A call of the one turn that was committed. */
struct planted_call {
    const char *id, *name, *input;
    bool effect;
    const char *result; /* NULL: only its intent */
};

static void plant_calls(struct ia_tx *tx, const char *id, const struct planted_call *calls,
                        int n)
{
    for (int i = 0; i < n; i++) {
        struct ia_call_row row = {.message_seq = 2,
                                  .step = i + 1,
                                  .tool_use_id = calls[i].id,
                                  .name = calls[i].name,
                                  .input = ia_str(calls[i].input),
                                  .has_effect = calls[i].effect};
        ia_tx_add_call(tx, id, &row);
        if (calls[i].result) {
            row.result = ia_str(calls[i].result);
            row.code = "OK";
            row.outcome = "sent";
            ia_tx_set_result(tx, id, &row);
        }
    }
}

static void plant_messages(struct ia_tx *tx, const char *id, const struct planted_call *calls,
                           int n)
{
    struct ia_buf content = IA_BUF(1 << 20);
    ia_buf_puts(&content, "[{\"type\":\"text\",\"text\":\"Now.\"}");
    for (int i = 0; i < n; i++) {
        ia_buf_printf(&content,
                      ",{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"%s\",\"input\":%s}",
                      calls[i].id, calls[i].name, calls[i].input);
    }
    ia_buf_putc(&content, ']');
    struct ia_message_row user = {
        .role = "user",
        .purpose = "act",
        .content = ia_str("[{\"type\":\"text\",\"text\":\"<goal>\\nx\\n</goal>\\nScreen "
                          "boundary: abcdefgh\\nstep 0\\n<screen abcdefgh>\\n"
                          "com.apple.springboard 393x852 #1234\\n4 icon Contacts\\n"
                          "</screen abcdefgh>\"}]")};
    struct ia_message_row answer = {.role = "assistant",
                                    .purpose = "act",
                                    .content = ia_buf_str(&content),
                                    .stop_reason = n > 0 ? "tool_use" : "end_turn",
                                    .model = RIG_MODEL};
    ia_tx_add_message(tx, id, &user, NULL);
    ia_tx_add_message(tx, id, &answer, NULL);
    ia_buf_fini(&content);
}

/* The rows as they are when the process died with these calls in hand, and was noticed. */
static void plant(struct rig *r, const struct planted_call *calls, int n, char id[IA_ID_SIZE])
{
    struct ia_tx *tx = NULL;
    struct ia_run_place place = {.lane = "embedded:test"};
    const struct ia_event_run_started start = {.start.goal = ia_str(GOAL)};
    const struct ia_event_run_looked looked = {
        .screen = ia_str("com.apple.springboard 393x852 #1234\n4 icon Contacts\n"), .refs = 6};
    struct ia_run_moved started = {.event = IA_EVENT(&start)};
    struct ia_usage_row usage = {.cost_known = true};
    r->req.goal = GOAL;
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    ia_run_store_add(tx, &r->req, &place, id);
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    ia_run_move(tx, id, IA_RUN_RUNNING, &started, NULL);
    ia_tx_add_event(tx, id, IA_EVENT(&looked), NULL);
    plant_messages(tx, id, calls, n);
    plant_calls(tx, id, calls, n);
    ia_tx_set_usage(tx, id, n, &usage);
    ia_run_move(tx, id, IA_RUN_QUEUED, NULL, NULL);
    struct ia_err err = {0};
    if (ia_tx_commit(tx, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

static const char looks_then_gives_up[] =
    "{\"turns\":[{\"match\":{\"turn\":1},\"blocks\":[{\"tool_use\":\"finish\",\"input\":"
    "{\"verdict\":\"failed\",\"summary\":\"s\",\"evidence\":[]}}]}]}";

static void a_verifier_that_was_perhaps_being_asked_is_counted(void **state)
{
    (void)state;
    static const struct planted_call calls[] = {
        {"toolu_1", "finish",
         "{\"verdict\":\"passed\",\"summary\":\"x\",\"evidence\":[{\"quote\":\"Settings\"}]}",
         false, NULL},
    };
    static const enum ia_verify verify[] = {IA_VERIFY_AUTO, IA_VERIFY_OFF};
    for (size_t i = 0; i < IA_COUNTOF(verify); i++) {
        struct rig r;
        char id[IA_ID_SIZE];
        rig_open(&r,
                 "{\"turns\":[{\"match\":{\"call\":\"verifier\"},\"blocks\":[{\"tool_use\":"
                 "\"verdict\",\"input\":{\"agrees\":true,\"reason\":\"r\"}}]}]}",
                 NULL);
        r.req.verify = verify[i];
        plant(&r, calls, 1, id);
        rig_go_on(&r, id);
        rig_expect(&r, "passed", IA_OK);
        assert_int_equal(r.result.cost_known, verify[i] == IA_VERIFY_OFF);
        rig_close(&r);
    }
}

static void nothing_with_an_effect_runs_after_one_of_which_nothing_is_known(void **state)
{
    (void)state;
    static const struct planted_call calls[] = {
        {"toolu_1", "press_button", "{\"button\":\"home\"}", true, "\"step 1 ok\""},
        {"toolu_2", "launch_app", "{\"bundle_id\":\"com.apple.Preferences\"}", true, NULL},
        {"toolu_3", "launch_app", "{\"bundle_id\":\"com.apple.MobileAddressBook\"}", true,
         NULL},
        {"toolu_4", "snapshot", "{}", false, NULL},
        {"toolu_5", "finish", "{\"verdict\":\"failed\",\"summary\":\"x\",\"evidence\":[]}",
         false, NULL},
    };
    struct rig r;
    char id[IA_ID_SIZE];
    rig_open(&r, looks_then_gives_up, NULL);
    plant(&r, calls, 5, id);
    rig_go_on(&r, id);
    rig_expect(&r, "failed", IA_E_FAILED);
    struct calls c = calls_of(&r, id);
    assert_string_equal(c.items[0].result, "\"step 1 ok\"");
    assert_string_equal(c.items[1].code, "INTERRUPTED");
    assert_string_equal(c.items[1].outcome, "unknown");
    assert_true(c.items[1].is_error);
    assert_non_null(strstr(c.items[1].result, "it is not known whether it was made"));
    assert_string_equal(c.items[2].code, "INTERRUPTED");
    assert_string_equal(c.items[2].outcome, "not_sent");
    assert_string_equal(c.items[3].code, "OK");
    assert_string_equal(c.items[4].outcome, "not_sent");
    char *phone = rig_phone_state(&r);
    assert_non_null(strstr(phone, "com.apple.springboard"));
    assert_non_null(strstr(phone, "\"seq\":0"));
    free(phone);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void what_only_reads_is_done_again_and_what_never_began_in_its_turn(void **state)
{
    (void)state;
    static const struct planted_call calls[] = {
        {"toolu_1", "wait_for", "{\"until\":\"settled\"}", false, NULL},
        {"toolu_2", "remember", "{\"note\":\"once\"}", false, NULL},
        {"toolu_3", "launch_app", "{\"bundle_id\":\"com.apple.Preferences\"}", true, NULL},
    };
    struct rig r;
    char id[IA_ID_SIZE];
    rig_open(&r, looks_then_gives_up, NULL);
    plant(&r, calls, 3, id);
    rig_go_on(&r, id);
    struct calls c = calls_of(&r, id);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(c.items[i].code, "OK");
    }
    char *text = transcript(&r, id);
    assert_non_null(strstr(text, "The run was interrupted and continues now"));
    free(text);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void a_turn_without_a_call_is_answered_as_it_would_have_been(void **state)
{
    (void)state;
    struct rig r;
    char id[IA_ID_SIZE];
    rig_open(&r, looks_then_gives_up, NULL);
    plant(&r, NULL, 0, id);
    rig_go_on(&r, id);
    rig_expect(&r, "failed", IA_E_FAILED);
    char *text = transcript(&r, id);
    assert_non_null(strstr(text, "You ended your turn without calling a tool"));
    assert_non_null(strstr(text, "The run was interrupted and continues now"));
    free(text);
    rig_no_rejects(&r);
    rig_close(&r);
}

/* The verdict was committed, the end was not: the model is not asked again. */
static void a_verdict_that_was_accepted_stands(void **state)
{
    (void)state;
    static const struct planted_call call = {
        "toolu_1", "finish",
        "{\"verdict\":\"passed\",\"summary\":\"It is there.\",\"evidence\":[]}", false,
        "\"step 1 ok\""};
    struct rig r;
    char id[IA_ID_SIZE];
    struct ia_tx *tx = NULL;
    rig_open(&r, looks_then_gives_up, NULL);
    r.req.verify = IA_VERIFY_OFF;
    plant(&r, &call, 1, id);
    struct ia_message_row user = {
        .role = "user",
        .purpose = "act",
        .content = ia_str("[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\","
                          "\"content\":\"step 1 ok\"}]")};
    assert_int_equal(ia_tx_begin(r.store, &tx, NULL), IA_OK);
    ia_tx_add_message(tx, id, &user, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    rig_go_on(&r, id);
    rig_expect(&r, "passed", IA_OK);
    assert_string_equal(r.result.summary, "It is there.");
    assert_int_equal(rig_count(&r, "request.finished"), 0);
    rig_close(&r);
}

static void the_time_between_two_attempts_does_not_count(void **state)
{
    (void)state;
    struct rig r;
    char id[IA_ID_SIZE];
    rig_open(&r, looks_then_gives_up, NULL);
    r.req.budget.max_seconds = 60;
    plant(&r, NULL, 0, id);
    rig_go_on(&r, id);
    rig_expect(&r, "failed", IA_E_FAILED);
    json_t *resumed = event(&r, "run.resumed");
    assert_true(json_number_value(json_object_get(resumed, "seconds")) < 10);
    json_decref(resumed);
    rig_close(&r);
}

/* ---- the request as rows ----------------------------------------------------------------- */

static void a_run_of_an_older_program_is_refused_and_ends(void **state)
{
    (void)state;
    struct rig r;
    struct ia_tx *tx = NULL;
    struct ia_err err = {0};
    char id[IA_ID_SIZE];
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = "embedded:test"};
    rig_open(&r, looks_then_gives_up, NULL);
    assert_int_equal(ia_tx_begin(r.store, &tx, NULL), IA_OK);
    ia_tx_add_run(tx, &run, id);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    assert_int_equal(rig_try_go_on(&r, id, &err), IA_E_UNSUPPORTED);
    struct ia_run_row *row = NULL;
    assert_int_equal(ia_store_run(r.store, id, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_RUN_ERROR);
    ia_run_row_free(row);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_run_finishes_the_tool_in_hand_and_goes_on),
        cmocka_unit_test(a_call_that_had_not_begun_is_answered_as_not_made),
        cmocka_unit_test(the_history_that_goes_on_is_the_same_byte_for_byte),
        cmocka_unit_test(what_was_spent_before_counts_after),
        cmocka_unit_test(the_screens_of_earlier_steps_still_count_as_evidence),
        cmocka_unit_test(expectations_that_held_from_the_start_stay_no_proof),
        cmocka_unit_test(a_ref_from_before_is_stale_and_names_what_is_nearest),
        cmocka_unit_test(a_verifier_that_was_perhaps_being_asked_is_counted),
        cmocka_unit_test(nothing_with_an_effect_runs_after_one_of_which_nothing_is_known),
        cmocka_unit_test(what_only_reads_is_done_again_and_what_never_began_in_its_turn),
        cmocka_unit_test(a_turn_without_a_call_is_answered_as_it_would_have_been),
        cmocka_unit_test(a_verdict_that_was_accepted_stands),
        cmocka_unit_test(the_time_between_two_attempts_does_not_count),
        cmocka_unit_test(a_run_of_an_older_program_is_refused_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
