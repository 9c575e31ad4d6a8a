/* replay_test.c: a recorded run is done again on a device that misbehaves, and with a model that does when it is given
 * a step. */
#include "test.h"

#include "rig.h"

#include "agent/recording/make.h"

#define HEALS "\"any_text\": \"done again from a recording\""
#define CALL(tool, input) "{\"blocks\": [{\"tool_use\": \"" tool "\", \"input\": " input "}]}"
#define IN_HEAL(turn, tool, input)                                                             \
    "{\"match\": {" HEALS ", \"turn\": " turn "}, \"blocks\": [{\"tool_use\": \"" tool         \
    "\", \"input\": " input "}]},"
#define TAP(what) CALL("tap", "{\"ref\": \"$ref(" what ")\"}") ","
#define TYPE(what, text)                                                                       \
    CALL("type_text", "{\"ref\": \"$ref(" what ")\", \"text\": \"" text "\"}") ","
#define PASSED(quote)                                                                          \
    CALL("finish", "{\"verdict\": \"passed\", \"summary\": \"done\", \"evidence\": "           \
                   "[{\"quote\": \"" quote "\"}]}")                                            \
    ","
#define AGREES                                                                                 \
    "{\"match\": {\"call\": \"verifier\"}, \"blocks\": [{\"tool_use\": \"verdict\", "          \
    "\"input\": {\"agrees\": true, \"reason\": \"it is so\"}}]}]}"
#define SWITCH "{\"ref\": \"$ref(switch \\\"Airplane Mode\\\")\"}"

static const char contact[] = "{\"turns\": [" TAP("\\\"Contacts\\\"") TAP("button \\\"Add\\\"")
    TYPE("field \\\"First name\\\"", "Ada") TYPE("field \\\"Last name\\\"", "Lovelace")
        TAP("button \\\"Done\\\"") PASSED("Ada Lovelace") AGREES;
#define AIRPLANE TAP("\\\"Settings\\\"") CALL("tap", SWITCH) "," PASSED("Airplane Mode") AGREES

static const struct ia_setup_step reset = {.kind = IA_SETUP_RESET};

/* Another phone, on which the app is another version. */
static void another_phone(struct rig *r, const char *query)
{
    struct ia_err err = {0};
    ia_device_close(r->phone);
    const struct ia_embedded_options other = {.name = "test", .fresh = true, .query = query};
    assert_int_equal(ia_embedded_open(&other, &r->phone, &err), IA_OK);
    faulty_init(&r->device, r->phone);
}

/* Does the goal once by the script, and makes the next runs of the rig replays of that. */
struct recorded {
    struct rig rig;
    const char *goal;
    const char *expect[1];
    char id[IA_ID_SIZE];
};

static void record(struct recorded *t, const char *script, const char *goal, const char *expect)
{
    struct rig *r = &t->rig;
    struct ia_run_row *row = NULL;
    struct ia_err err = {0};
    t->goal = goal;
    t->expect[0] = expect;
    rig_open(r, script, NULL);
    r->req.expect = t->expect;
    r->req.expect_count = 1;
    r->req.setup = &reset;
    r->req.setup_count = 1;
    rig_run(r, goal);
    rig_expect(r, "passed", IA_OK);
    assert_int_equal(ia_store_run(r->store, r->result.id, &row, &err), IA_OK);
    r->req.goal = goal;
    if (ia_recording_keep(r->store, row, &r->req, t->id, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    ia_run_row_free(row);
    r->req.recording = t->id;
    r->req.replay = "only";
    r->device.taps = 0;
}

static void record_contact(struct recorded *t)
{
    record(t, contact, "add a contact named Ada Lovelace", "visible heading \"Ada Lovelace\"");
}

static int contacts(struct rig *r)
{
    char *state = rig_phone_state(r);
    int n = 0;
    for (const char *at = state; (at = strstr(at, "\"name\":\"Ada Lovelace\"")) != NULL; at++) {
        n++;
    }
    free(state);
    return n;
}

/* Of the model, so far. */
static int requests(struct rig *r)
{
    int n = -1;
    char *stats = rig_mock_stats(r);
    assert_int_equal(sscanf(stats, "{\"requests\":%d", &n), 1);
    free(stats);
    return n;
}

/* ---- the device -------------------------------------------------------------------------- */

enum { TAPS = 4 }; /* of a replay; the first field has the focus */

static void a_replay_asks_nobody_and_touches_everything_once(void **state)
{
    (void)state;
    struct recorded t;
    record_contact(&t);
    int before = requests(&t.rig);
    for (int n = 0; n < 3; n++) {
        t.rig.device.taps = 0;
        rig_run(&t.rig, t.goal);
        rig_expect(&t.rig, "passed", IA_OK);
        assert_int_equal(t.rig.device.taps, TAPS);
        assert_int_equal(contacts(&t.rig), 1);
    }
    assert_int_equal(requests(&t.rig), before);
    rig_close(&t.rig);
}

static void an_answer_that_got_lost_is_looked_for_on_the_screen(void **state)
{
    (void)state;
    for (int tap = 1; tap <= TAPS; tap++) {
        struct recorded t;
        record_contact(&t);
        t.rig.device.fail_at = tap;
        rig_run(&t.rig, t.goal);
        rig_expect(&t.rig, tap == 3 ? "error" : "passed", tap == 3 ? IA_E_DEVICE : IA_OK);
        assert_int_equal(t.rig.device.taps, tap == 3 ? 3 : TAPS);
        assert_int_equal(contacts(&t.rig), tap != 3);
        rig_close(&t.rig);
    }
}

static void a_lost_device_is_no_verdict(void **state)
{
    (void)state;
    for (int tap = 1; tap <= TAPS; tap++) {
        struct recorded t;
        record_contact(&t);
        t.rig.device.lose_at = tap;
        rig_run(&t.rig, t.goal);
        rig_expect(&t.rig, "error", IA_E_DEVICE_LOST);
        assert_int_equal(t.rig.device.taps, tap);
        rig_close(&t.rig);
    }
}

static void interrupt(void *ctx)
{
    struct rig *r = ctx;
    r->interrupt = true;
    ia_cancel_fire(r->cancel);
}

static void interrupt_before(struct rig *r, enum ia_event_type type, struct ia_str json)
{
    (void)json;
    if (type == IA_EVENT_TOOL_STARTED) {
        interrupt(r);
    }
}

static void an_interrupted_replay_goes_on_and_touches_everything_once(void **state)
{
    (void)state;
    for (int tap = 0; tap <= TAPS; tap++) {
        struct recorded t;
        record_contact(&t);
        t.rig.device.slow_at = tap;
        t.rig.device.on_hang = interrupt;
        t.rig.device.ctx = &t.rig;
        t.rig.on_event = tap == 0 ? interrupt_before : NULL;
        rig_run(&t.rig, t.goal);
        assert_string_equal(t.rig.result.state, "queued");
        t.rig.on_event = NULL;
        rig_go_on(&t.rig, t.rig.result.id);
        rig_expect(&t.rig, "passed", IA_OK);
        assert_int_equal(t.rig.device.taps, TAPS);
        assert_int_equal(contacts(&t.rig), 1);
        rig_close(&t.rig);
    }
}

/* As a person who stops it again and again: each step of it is put off once. */
static void a_replay_that_is_put_off_before_each_step_ends(void **state)
{
    (void)state;
    struct recorded t;
    record_contact(&t);
    t.rig.on_event = interrupt_before;
    rig_run(&t.rig, t.goal);
    for (int n = 0; n < 5; n++) {
        assert_string_equal(t.rig.result.state, "queued");
        t.rig.on_event = n < 4 ? interrupt_before : NULL;
        rig_go_on(&t.rig, t.rig.result.id);
    }
    rig_expect(&t.rig, "passed", IA_OK);
    assert_int_equal(t.rig.device.taps, TAPS);
    rig_close(&t.rig);
}

/* In the event that ends the run. */
static int drifted(struct rig *r)
{
    int n = -1;
    const char *end = rig_event(r, "run.finished");
    const char *at = end ? strstr(end, "\"drifted\":") : NULL;
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"drifted\":%d", &n), 1);
    return n;
}

static void a_step_that_drifted_is_counted_once_though_it_is_begun_twice(void **state)
{
    (void)state;
    struct recorded t;
    record_contact(&t);
    another_phone(&t.rig, "changes=label:#add=ADD;label:#done=DONE");
    rig_run(&t.rig, t.goal);
    rig_expect(&t.rig, "passed", IA_OK);
    int once = drifted(&t.rig);
    assert_int_equal(once, 2);
    t.rig.device.taps = 0;
    t.rig.device.hang_at = 2; /* is never done */
    t.rig.device.on_hang = interrupt;
    t.rig.device.ctx = &t.rig;
    rig_run(&t.rig, t.goal);
    assert_string_equal(t.rig.result.state, "queued");
    rig_go_on(&t.rig, t.rig.result.id);
    rig_expect(&t.rig, "passed", IA_OK);
    assert_int_equal(drifted(&t.rig), once);
    rig_close(&t.rig);
}

/* ---- what is replayed -------------------------------------------------------------------- */

static void a_recording_of_another_goal_is_refused(void **state)
{
    (void)state;
    struct recorded t;
    struct ia_err err = {0};
    record_contact(&t);
    assert_int_equal(rig_try(&t.rig, "add a contact named Ada", &err), IA_E_STATE);
    assert_non_null(strstr(err.msg, "another goal"));
    t.expect[0] = "visible heading \"Ada\"";
    assert_int_equal(rig_try(&t.rig, t.goal, &err), IA_E_STATE);
    t.rig.req.recording = "0199aaaa-0000-7000-8000-000000000000";
    assert_int_equal(rig_try(&t.rig, t.goal, &err), IA_E_NOT_FOUND);
    assert_int_equal(t.rig.device.taps, 0);
    rig_close(&t.rig);
}

/* ---- heals ------------------------------------------------------------------------------- */

/* The recorded run was on a phone whose controls had identifiers; this one has none. */
static void record_airplane(struct recorded *t, const char *script)
{
    record(t, script, "turn on Airplane Mode", "value switch \"Airplane Mode\" = \"on\"");
    another_phone(&t->rig, "ids=bare");
    t->rig.req.replay = "auto";
}

static bool airplane(struct rig *r)
{
    char *state = rig_phone_state(r);
    bool on = strstr(state, "\"airplane_mode\":true") != NULL;
    free(state);
    return on;
}

static void a_model_that_does_a_step_is_held_to_it(void **state)
{
    (void)state;
    static const struct {
        const char *script, *state;
        enum ia_rc code;
        const char *says; /* in the summary, or NULL */
        int taps;
        bool on;
    } rows[] = {
        /* does it */
        {"{\"turns\": [" IN_HEAL("1", "tap", SWITCH) AIRPLANE, "passed", IA_OK, NULL, 2, true},
        /* types what nobody recorded, which is refused, and does it then */
        {"{\"turns\": [" IN_HEAL("1", "type_text",
                                 "{\"ref\": \"$ref(search)\", \"text\": \"air\"}")
             IN_HEAL("2", "tap", SWITCH) AIRPLANE,
         "passed", IA_OK, NULL, 2, true},
        /* looks and looks */
        {"{\"turns\": [{\"match\": {" HEALS
         "}, \"blocks\": [{\"tool_use\": \"snapshot\", \"input\": {}}]}," AIRPLANE,
         "failed", IA_E_FAILED, "did not complete step 2", 1, false},
        /* costs too much */
        {"{\"turns\": [{\"match\": {" HEALS
         "}, \"blocks\": [{\"tool_use\": \"snapshot\", \"input\": {}}], "
         "\"usage\": {\"input_tokens\": 60000}}," AIRPLANE,
         "failed", IA_E_FAILED, "did not complete step 2 for $0.10", 1, false},
        /* says that the app no longer does it */
        {"{\"turns\": [" IN_HEAL("1", "finish",
                                 "{\"verdict\": \"failed\", \"summary\": \"there is no such "
                                 "switch\", \"evidence\": []}") AIRPLANE,
         "failed", IA_E_FAILED, "no such switch", 1, false},
        /* says that all is done, again and again */
        {"{\"turns\": [{\"match\": {" HEALS
         "}, \"blocks\": [{\"tool_use\": \"finish\", \"input\": {\"verdict\": \"passed\", "
         "\"summary\": \"done\", \"evidence\": [{\"quote\": \"Airplane Mode\"}]}}]}," AIRPLANE,
         "failed", IA_E_FAILED, "expectation does not hold", 1, false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct recorded t;
        record_airplane(&t, rows[i].script);
        rig_run(&t.rig, t.goal);
        rig_expect(&t.rig, rows[i].state, rows[i].code);
        if (rows[i].says && !strstr(t.rig.result.summary, rows[i].says)) {
            fail_msg("row %zu: %s", i, t.rig.result.summary);
        }
        assert_int_equal(t.rig.device.taps, rows[i].taps);
        assert_int_equal(airplane(&t.rig), rows[i].on);
        assert_int_equal(rig_count(&t.rig, "replay.strayed"), 1);
        assert_int_equal(rig_count(&t.rig, "replay.rejoined"), rows[i].on);
        rig_no_rejects(&t.rig);
        rig_close(&t.rig);
    }
}

static void an_interrupted_heal_is_finished_by_what_was_touched(void **state)
{
    (void)state;
    struct recorded t;
    /* Asked again, it would turn the switch off. */
    record_airplane(&t, "{\"turns\": [{\"match\": {" HEALS "}, \"blocks\": [{\"tool_use\": "
                        "\"tap\", \"input\": " SWITCH "}]}," AIRPLANE);
    t.rig.device.slow_at = 2;
    t.rig.device.on_hang = interrupt;
    t.rig.device.ctx = &t.rig;
    rig_run(&t.rig, t.goal);
    assert_string_equal(t.rig.result.state, "queued");
    rig_go_on(&t.rig, t.rig.result.id);
    rig_expect(&t.rig, "passed", IA_OK);
    assert_int_equal(t.rig.device.taps, 2);
    assert_true(airplane(&t.rig));
    rig_close(&t.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_asks_nobody_and_touches_everything_once),
        cmocka_unit_test(an_answer_that_got_lost_is_looked_for_on_the_screen),
        cmocka_unit_test(a_lost_device_is_no_verdict),
        cmocka_unit_test(an_interrupted_replay_goes_on_and_touches_everything_once),
        cmocka_unit_test(a_replay_that_is_put_off_before_each_step_ends),
        cmocka_unit_test(a_step_that_drifted_is_counted_once_though_it_is_begun_twice),
        cmocka_unit_test(a_recording_of_another_goal_is_refused),
        cmocka_unit_test(a_model_that_does_a_step_is_held_to_it),
        cmocka_unit_test(an_interrupted_heal_is_finished_by_what_was_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
