/* An agent that knows the classic requests only: found out, driven,
 * and honest about the rest. */
#include "test.h"

#include "fixture.h"

#include <math.h>

static const struct ia_deadline for_ever = {NULL, IA_NO_DEADLINE};

static void an_agent_that_does_not_know_hello_is_driven_classically(void **state)
{
    (void)state;
    static const struct {
        enum fake_hello hello;
        int connections;
    } cases[] = {{FAKE_HELLO_UNKNOWN, 1},
                 {FAKE_HELLO_BARE, 1},
                 {FAKE_HELLO_SILENT, 2},
                 {FAKE_HELLO_CLOSES, 2}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fake_script script = {.hello = cases[i].hello};
        struct fake_bridge *a = fake_start(&script);
        struct ia_bridge_client_options opt = fixture_options(a);
        struct ia_device *d = NULL;
        struct ia_device_info info;
        struct ia_bridge_client_status status;
        struct ia_err err = {.code = IA_OK};
        opt.limits.hello_ms = cases[i].hello == FAKE_HELLO_SILENT ? 40 : opt.limits.hello_ms;
        assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, &err), IA_OK);
        ia_bridge_client_status(ia_bridge_client_of(d), &status);
        assert_true(status.classic && status.up);
        assert_int_equal(status.version, 0);
        assert_string_equal(status.udid, "UDID-1");
        assert_int_equal(ia_device_info(d, &info, &err), IA_OK);
        assert_string_equal(info.id, "bridge:UDID-1");
        assert_non_null(strstr(info.name, "classic agent, no extensions"));
        assert_true(info.width_pt == 384 && info.height_pt == 800 && info.scale == 2);
        assert_false(info.simulated);
        fake_stop(a);
        assert_int_equal(fake_connections(a), cases[i].connections);
        ia_device_close(d);
        fake_free(a);
    }
}

/* It was decided once: no hello is tried on it again, whatever becomes of the link. */
static void a_classic_agent_gets_hello_only_once(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.hello = FAKE_HELLO_UNKNOWN,
                                 .op = IA_WIRE_OP_DUMP_TREE,
                                 .does = FAKE_SAYS_NOTHING,
                                 .times = 1};
    fixture_start(&r, &script);
    assert_int_equal(fixture_ops[1].run(r.device, &for_ever, &r.err), IA_OK);
    fake_stop(r.fake);
    assert_string_equal(fake_order(r.fake), "40 01 16 10 01 16 10");
    fixture_stop(&r);
}

/* A bridge of ours that is slow at hello must not be taken for one,
 * when it asks for a token. */
static void an_agent_that_refuses_the_heartbeat_is_not_a_classic_one(void **state)
{
    (void)state;
    struct fake_script script = {.hello = FAKE_HELLO_SILENT,
                                 .op = IA_WIRE_OP_HEARTBEAT,
                                 .does = FAKE_FAILS,
                                 .text = "say hello first"};
    struct fake_bridge *a = fake_start(&script);
    struct ia_bridge_client_options opt = fixture_options(a);
    struct ia_device *d = NULL;
    struct ia_err err = {.code = IA_OK};
    opt.limits.hello_ms = 40;
    assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, &err), IA_E_NO_DEVICE);
    assert_non_null(strstr(err.msg, "waiting for an answer"));
    fake_free(a);
}

static void classic_requests_have_whole_points_and_seconds(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.hello = FAKE_HELLO_UNKNOWN};
    fixture_start(&r, &script);
    for (size_t i = 0; i < fixture_ops_n; i++) {
        bool there = fixture_ops[i].classic != 0 || fixture_ops[i].op == IA_WIRE_OP_INFO;
        if (fixture_ops[i].op == IA_WIRE_OP_SCREENSHOT && !there) {
            assert_null(r.device->ops->screenshot_pt);
            continue;
        }
        r.err = (struct ia_err){.code = IA_OK};
        assert_int_equal(fixture_ops[i].run(r.device, &for_ever, &r.err),
                         there ? IA_OK : IA_E_UNSUPPORTED);
        if (!there) {
            assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
        }
        if (!there && fixture_ops[i].op != IA_WIRE_OP_RESET) {
            assert_non_null(strstr(r.err.hint, "ios-agent bridge start"));
        }
    }
    fake_stop(r.fake);
    const union ia_wire_request_body *u = &fake_request(r.fake, IA_WIRE_OP_TAP_COORD)->u;
    assert_int_equal(u->tap_coord.x, 13);
    assert_int_equal(u->tap_coord.y, 30);
    u = &fake_request(r.fake, IA_WIRE_OP_LONG_PRESS)->u;
    assert_true(u->long_press.x == 3 && u->long_press.duration_s == 0.15);
    u = &fake_request(r.fake, IA_WIRE_OP_SWIPE)->u;
    assert_true(u->swipe.x1 == 3 && u->swipe.y1 == 4 && u->swipe.duration_s.v == 0.25);
    u = &fake_request(r.fake, IA_WIRE_OP_CLASSIC_TYPE_TEXT)->u;
    assert_string_equal(u->classic_text.text, "\b\b\b"); /* delete_text came last */
    u = &fake_request(r.fake, IA_WIRE_OP_SET_TARGET)->u;
    assert_string_equal(u->classic_text.text, "com.example.app");
    fixture_stop(&r);
}

static void points_off_every_screen_are_not_sent(void **state)
{
    (void)state;
    static const struct ia_point points[] = {
        {-1, 5}, {5, -0.75}, {1e9, 5}, {(double)NAN, 5}, {5, (double)INFINITY}};
    struct fixture r;
    struct fake_script script = {.hello = FAKE_HELLO_UNKNOWN};
    fixture_start(&r, &script);
    for (size_t i = 0; i < IA_COUNTOF(points); i++) {
        assert_int_equal(ia_device_tap(r.device, &for_ever, points[i], &r.err), IA_E_USAGE);
        assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_int_equal(ia_device_delete_text(r.device, &for_ever, 1000000, &r.err), IA_E_LIMIT);
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_TAP_COORD), 0);
    fixture_stop(&r);
}

static void an_app_that_is_not_in_front_is_started_elsewhere(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.hello = FAKE_HELLO_UNKNOWN,
                                 .app_state = IA_WIRE_APP_NOT_RUNNING};
    fixture_start(&r, &script);
    assert_int_equal(ia_device_launch(r.device, &for_ever, "com.example.app", &r.err),
                     IA_E_UNSUPPORTED);
    assert_non_null(strstr(r.err.hint, "xcrun simctl launch UDID-1 com.example.app"));
    fixture_stop(&r);
}

static void classic_error_texts_become_codes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ia_rc rc;
        enum ia_outcome outcome;
    } cases[] = {
        {"No keyboard visible; tap a text field first", IA_E_NO_KEYBOARD, IA_OUTCOME_NOT_SENT},
        {"Element with identifier 'x' not found", IA_E_NOT_FOUND, IA_OUTCOME_NOT_SENT},
        {"Unknown element type 'T'", IA_E_USAGE, IA_OUTCOME_NOT_SENT},
        {"decode error: invalid opcode: 0x15", IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT},
        {"decode error: insufficient data", IA_E_PROTO, IA_OUTCOME_NOT_SENT},
        {"Tap failed: something", IA_E_DEVICE, IA_OUTCOME_UNKNOWN},
        {"", IA_E_DEVICE, IA_OUTCOME_UNKNOWN},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fixture r;
        struct fake_script script = {.hello = FAKE_HELLO_UNKNOWN,
                                     .op = IA_WIRE_OP_TAP_COORD,
                                     .does = FAKE_FAILS,
                                     .text = cases[i].text};
        fixture_start(&r, &script);
        assert_int_equal(ia_device_tap(r.device, &for_ever, (struct ia_point){1, 2}, &r.err),
                         cases[i].rc);
        assert_int_equal(r.err.outcome, cases[i].outcome);
        assert_non_null(strstr(r.err.msg, cases[i].text));
        assert_true(r.err.hint[0] != '\0');
        fixture_stop(&r);
    }
}

static void the_classic_tree_is_read_as_bridge_json(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        enum ia_rc rc;
    } cases[] = {{NULL, IA_OK},
                 {"[]", IA_E_TREE_EMPTY},
                 {"[7]", IA_E_TREE_MALFORMED},
                 {"{\"type\":", IA_E_TREE_MALFORMED}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fixture r;
        struct ia_tree *t = NULL;
        struct fake_script script = {.hello = FAKE_HELLO_UNKNOWN, .json = cases[i].json};
        fixture_start(&r, &script);
        assert_int_equal(ia_device_launch(r.device, &for_ever, "com.example.app", &r.err),
                         IA_OK);
        assert_int_equal(ia_device_tree(r.device, &for_ever, &t, &r.err), cases[i].rc);
        if (t) {
            assert_int_equal(ia_tree_count(t), 2);
            assert_string_equal(ia_tree_app(t), "com.example.app");
            assert_string_equal(ia_tree_root(t)->first_child->identifier, "ok");
        }
        ia_tree_free(t);
        fixture_stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_agent_that_does_not_know_hello_is_driven_classically),
        cmocka_unit_test(a_classic_agent_gets_hello_only_once),
        cmocka_unit_test(an_agent_that_refuses_the_heartbeat_is_not_a_classic_one),
        cmocka_unit_test(classic_requests_have_whole_points_and_seconds),
        cmocka_unit_test(points_off_every_screen_are_not_sent),
        cmocka_unit_test(an_app_that_is_not_in_front_is_started_elsewhere),
        cmocka_unit_test(classic_error_texts_become_codes),
        cmocka_unit_test(the_classic_tree_is_read_as_bridge_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
