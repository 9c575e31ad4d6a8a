/* What each operation sends on the wire, and what becomes of the answers. */
#include "test.h"

#include "driver/snapshot/snapshot.h"
#include "fixture.h"

static const struct ia_deadline for_ever = {NULL, IA_NO_DEADLINE};

/* ---- requests ---------------------------------------------------------------------------- */

static void every_operation_sends_its_arguments(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    for (size_t i = 0; i < fixture_ops_n; i++) {
        assert_int_equal(fixture_ops[i].run(r.device, &for_ever, &r.err), IA_OK);
        assert_int_equal(fixture_ops[i].effect, ia_wire_op(fixture_ops[i].op)->effect);
    }
    fake_stop(r.fake);
    const union ia_wire_request_body *u = &fake_request(r.fake, IA_WIRE_OP_TAP_POINT)->u;
    assert_true(u->tap_point.at.x == 12.5 && u->tap_point.at.y == 30);
    u = &fake_request(r.fake, IA_WIRE_OP_LONG_PRESS_POINT)->u;
    assert_true(u->long_press_point.at.x == 3 && u->long_press_point.duration_s == 0.15);
    u = &fake_request(r.fake, IA_WIRE_OP_DRAG)->u;
    assert_true(u->drag.from.y == 2 && u->drag.to.x == 3 && u->drag.duration_s == 0.25);
    u = &fake_request(r.fake, IA_WIRE_OP_TYPE_TEXT)->u;
    assert_string_equal(u->type_text.text, "h\xc3\xa9");
    u = &fake_request(r.fake, IA_WIRE_OP_DELETE_TEXT)->u;
    assert_int_equal(u->delete_text.count, 3);
    u = &fake_request(r.fake, IA_WIRE_OP_PRESS_BUTTON)->u;
    assert_int_equal(u->press_button.button, IA_WIRE_BUTTON_VOLUME_UP);
    u = &fake_request(r.fake, IA_WIRE_OP_LAUNCH)->u;
    assert_string_equal(u->launch.bundle_id, "com.example.app");
    assert_int_equal(u->launch.mode, IA_WIRE_LAUNCH_FRONT);
    u = &fake_request(r.fake, IA_WIRE_OP_TERMINATE)->u;
    assert_string_equal(u->bundle.bundle_id, "com.example.app");
    u = &fake_request(r.fake, IA_WIRE_OP_OPEN_URL)->u;
    assert_string_equal(u->open_url.url, "https://example.com");
    u = &fake_request(r.fake, IA_WIRE_OP_ALERT_ACT)->u;
    assert_int_equal(u->alert_act.action, IA_WIRE_ALERT_BUTTON);
    assert_string_equal(u->alert_act.button, "Allow");
    u = &fake_request(r.fake, IA_WIRE_OP_ORIENTATION)->u;
    assert_int_equal(u->orientation.mode, IA_WIRE_LANDSCAPE_RIGHT);
    u = &fake_request(r.fake, IA_WIRE_OP_SCREENSHOT)->u;
    assert_int_equal(u->screenshot.scale, IA_WIRE_SCALE_POINTS);
    u = &fake_request(r.fake, IA_WIRE_OP_PINCH)->u;
    assert_null(u->pinch.target.signature); /* the whole screen */
    assert_true(u->pinch.scale == 0.5);
    u = &fake_request(r.fake, IA_WIRE_OP_PASTEBOARD)->u;
    assert_int_equal(u->pasteboard.mode, IA_WIRE_PASTEBOARD_WRITE);
    assert_string_equal(u->pasteboard.text, "copied");
    u = &fake_request(r.fake, IA_WIRE_OP_NATIVE)->u;
    assert_int_equal(u->native.action, IA_NATIVE_CALENDAR_DELETE);
    assert_string_equal(u->native.args, "{\"id\":\"8\"}");
    fixture_stop(&r);
}

static enum ia_rc ask_native(struct fixture *r, enum ia_native native, const char *args,
                             struct ia_buf *answer)
{
    r->err = (struct ia_err){0};
    return ia_device_native(r->device, &for_ever, native, ia_str(args), answer, &r->err);
}

static void a_native_answer_that_is_no_object_is_refused(void **state)
{
    (void)state;
    static const char *const answers[] = {"",           "[]",  "7",
                                          "\"a\"",      "{",   "{}x",
                                          "{\"a\":1,}", "nul", "{\"a\":[[[[[[[[[[1]]]]]]]]]]}"};
    for (size_t i = 0; i < IA_COUNTOF(answers); i++) {
        struct fixture r;
        struct fake_script script = {.json = answers[i]};
        struct ia_buf answer = IA_BUF(1000);
        fixture_start(&r, &script);
        assert_int_equal(ask_native(&r, IA_NATIVE_CALENDAR_READ, "{}", &answer), IA_E_PROTO);
        assert_int_equal(r.err.outcome, IA_OUTCOME_NONE);
        assert_int_equal(ask_native(&r, IA_NATIVE_CALENDAR_DELETE, "{\"id\":\"8\"}", &answer),
                         IA_E_PROTO);
        assert_int_equal(r.err.outcome, IA_OUTCOME_SENT);
        assert_int_equal(answer.len, 0);
        fixture_stop(&r);
        ia_buf_fini(&answer);
    }
}

static void bad_native_arguments_are_not_sent(void **state)
{
    (void)state;
    static const char *const args[] = {
        "", "[]", "{\"id\":8}", "{\"id\":\"\"}", "{}", "{\"id\":\"8\",\"x\":1}"};
    struct fixture r;
    struct fake_script script = {.op = 0};
    struct ia_buf answer = IA_BUF(1000);
    fixture_start(&r, &script);
    for (size_t i = 0; i < IA_COUNTOF(args); i++) {
        assert_int_equal(ask_native(&r, IA_NATIVE_CALENDAR_DELETE, args[i], &answer),
                         IA_E_USAGE);
        assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_NATIVE), 0);
    assert_int_equal(ask_native(&r, IA_NATIVE_CALENDAR_READ, "{}", &answer), IA_OK);
    assert_string_equal(ia_buf_cstr(&answer), "{\"event\":{}}");
    fixture_stop(&r);
    ia_buf_fini(&answer);
}

static void an_element_is_named_by_its_place_among_its_likes(void **state)
{
    (void)state;
    static const struct ia_wire_node nodes[] = {
        {.depth = 0, .type = 2, .frame = {0, 0, 400, 800}},
        {.depth = 1, .type = 9, .label = "Map", .frame = {0, 0, 400, 400}},
        {.depth = 1, .type = 1, .frame = {0, 400, 400, 400}},
        {.depth = 2, .type = 9, .label = "Map", .identifier = "", .frame = {0, 400, 400, 400}},
        {.depth = 2, .type = 9, .label = "Map", .identifier = "x", .frame = {0, 0, 1, 1}},
    };
    const struct ia_wire_tree_reply tree = {.nodes = nodes, .nodes_n = IA_COUNTOF(nodes)};
    struct ia_wire_signature sig;
    /* The innermost of those in that place; no text and an empty one are the same. */
    assert_true(ia_bridge_client_sign(&tree, (struct ia_rect){0, 400.2, 400, 400}, &sig));
    assert_string_equal(sig.label, "Map");
    assert_int_equal(sig.ordinal, 1);
    assert_int_equal(sig.count, 2);
    assert_true(ia_bridge_client_sign(&tree, (struct ia_rect){0, 0, 1, 1}, &sig));
    assert_string_equal(sig.identifier, "x");
    assert_int_equal(sig.count, 1);
    assert_false(ia_bridge_client_sign(&tree, (struct ia_rect){0, 390, 400, 400}, &sig));
}

static void device_enums_map_to_wire_numbers(void **state)
{
    (void)state;
    static const uint8_t buttons[] = {IA_WIRE_BUTTON_HOME, IA_WIRE_BUTTON_LOCK,
                                      IA_WIRE_BUTTON_VOLUME_UP, IA_WIRE_BUTTON_VOLUME_DOWN};
    static const uint8_t ways[] = {IA_WIRE_PORTRAIT, IA_WIRE_LANDSCAPE_LEFT,
                                   IA_WIRE_LANDSCAPE_RIGHT, IA_WIRE_UPSIDE_DOWN};
    static const uint8_t answers[] = {IA_WIRE_ALERT_ACCEPT, IA_WIRE_ALERT_DISMISS,
                                      IA_WIRE_ALERT_BUTTON};
    for (int i = 0; i < 4; i++) {
        struct fixture r;
        struct fake_script script = {.op = 0};
        fixture_start(&r, &script);
        const struct ia_device_ops *ops = r.device->ops;
        assert_int_equal(ops->press(r.device, &for_ever, (enum ia_button)i, &r.err), IA_OK);
        assert_int_equal(ops->orientation(r.device, &for_ever, (enum ia_orientation)i, &r.err),
                         IA_OK);
        assert_int_equal(
            ops->alert(r.device, &for_ever, (enum ia_alert_action)(i % 3), NULL, &r.err),
            IA_OK);
        fake_stop(r.fake);
        assert_int_equal(fake_request(r.fake, IA_WIRE_OP_PRESS_BUTTON)->u.press_button.button,
                         buttons[i]);
        assert_int_equal(fake_request(r.fake, IA_WIRE_OP_ORIENTATION)->u.orientation.mode,
                         ways[i]);
        assert_int_equal(fake_request(r.fake, IA_WIRE_OP_ALERT_ACT)->u.alert_act.action,
                         answers[i % 3]);
        fixture_stop(&r);
    }
}

static void what_the_wire_cannot_carry_is_not_sent(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    const struct ia_device_ops *ops = r.device->ops;
    char *url = ia_alloc(IA_WIRE_URL_MAX + 2);
    memset(url, 'u', IA_WIRE_URL_MAX + 1);
    url[IA_WIRE_URL_MAX + 1] = '\0';
    assert_int_equal(ops->open_url(r.device, &for_ever, url, &r.err), IA_E_LIMIT);
    assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(r.err.msg, "8193"));
    assert_int_equal(ops->type_text(r.device, &for_ever, (struct ia_str){"a\0b", 3}, &r.err),
                     IA_E_USAGE);
    assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_OPEN_URL), 0);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_TYPE_TEXT), 0);
    free(url);
    fixture_stop(&r);
}

static void what_is_not_served_is_refused_here(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.without = IA_WIRE_BIT(IA_WIRE_OP_RESET) |
                                            IA_WIRE_BIT(IA_WIRE_OP_PRESS_BUTTON)};
    fixture_start(&r, &script);
    assert_null(r.device->ops->reset);
    assert_int_equal(ia_device_press(r.device, &for_ever, IA_BUTTON_HOME, &r.err),
                     IA_E_UNSUPPORTED);
    assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_true(r.err.hint[0] != '\0');
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_PRESS_BUTTON), 0);
    fixture_stop(&r);
}

static void a_picture_in_points_is_asked_for_once_where_there_is_none(void **state)
{
    (void)state;
    struct fixture r;
    struct ia_buf b = IA_BUF(1 << 16);
    struct fake_script script = {
        .op = IA_WIRE_OP_SCREENSHOT, .does = FAKE_FAILS, .code = IA_WIRE_E_UNSUPPORTED};
    fixture_start(&r, &script);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ia_device_screenshot_pt(r.device, &for_ever, &b, &r.err),
                         IA_E_UNSUPPORTED);
    }
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_SCREENSHOT), 1);
    ia_buf_fini(&b);
    fixture_stop(&r);
}

/* ---- answers ----------------------------------------------------------------------------- */

static void info_describes_the_device_behind_the_bridge(void **state)
{
    (void)state;
    struct fixture r;
    struct ia_device_info info;
    struct fake_script script = {.features =
                                     IA_WIRE_FEATURE_SIMULATED | IA_WIRE_FEATURE_INSTANT};
    fixture_start(&r, &script);
    assert_int_equal(ia_device_info(r.device, &info, &r.err), IA_OK);
    assert_string_equal(info.kind, "bridge");
    assert_string_equal(info.id, "bridge:UDID-1");
    assert_string_equal(info.name, "iPhone 17");
    assert_string_equal(info.os, "iOS 26.2");
    assert_true(info.width_pt == 384 && info.height_pt == 800 && info.scale == 2);
    assert_true(info.simulated && info.instant);
    struct ia_bridge_client_status status;
    ia_bridge_client_status(r.client, &status);
    assert_true(status.up && !status.classic);
    assert_int_equal(status.version, 1);
    assert_int_equal(status.session, 7);
    assert_int_equal(status.connects, 1);
    assert_string_equal(status.server, "agent 1.0");
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_INFO), 1);
    fixture_stop(&r);
}

static void the_tree_is_the_one_that_came(void **state)
{
    (void)state;
    struct fixture r;
    struct ia_tree *t = NULL;
    struct fake_script script = {.cut = IA_WIRE_CUT_SPLICED};
    fixture_start(&r, &script);
    assert_int_equal(ia_device_tree(r.device, &for_ever, &t, &r.err), IA_OK);
    const struct ia_node *root = ia_tree_root(t);
    const struct ia_node *button = root->first_child->first_child;
    assert_int_equal(ia_tree_count(t), 4);
    assert_string_equal(ia_tree_app(t), "com.example.app");
    assert_false(ia_tree_truncated(t)); /* put together, but whole */
    assert_int_equal(button->type, IA_EL_BUTTON);
    assert_int_equal(button->flags, IA_NODE_ENABLED | IA_NODE_SELECTED);
    assert_string_equal(button->identifier, "ok");
    assert_string_equal(button->label, "OK");
    assert_string_equal(button->value, "v");
    assert_string_equal(button->placeholder, "p");
    assert_true(button->frame.x == 10 && button->frame.h == 40);
    assert_int_equal(root->last_child->type, IA_EL_OTHER); /* 999 is of no known kind */
    assert_int_equal(root->last_child->flags, 0x7f);
    ia_tree_free(t);
    fixture_stop(&r);
}

/* Who reads the screen as JSON reads why it is not whole. */
static bool is_told(const struct ia_tree *t, const char *why)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 384, 800);
    struct ia_buf b = IA_BUF(1 << 16);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_snapshot_json(s, 0, (struct ia_str){NULL, 0}, &w);
    const char *told = strstr(ia_buf_cstr(&b), "\"truncated_by\":\"");
    bool is = told && strstr(told, why);
    ia_buf_fini(&b);
    ia_snapshot_free(s);
    ia_refs_free(refs);
    return is;
}

static void a_tree_that_was_cut_says_why(void **state)
{
    (void)state;
    static const struct {
        uint8_t cut;
        const char *text;
    } cases[] = {{IA_WIRE_CUT_NODES, "more elements"},
                 {IA_WIRE_CUT_DEPTH, "nested deeper"},
                 {IA_WIRE_CUT_BYTES, "texts longer"},
                 {IA_WIRE_CUT_FAILED | IA_WIRE_CUT_NODES, "could not be read"}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fixture r;
        struct ia_tree *t = NULL;
        struct ia_bridge_client_status status;
        char text[200];
        struct fake_script script = {.cut = cases[i].cut};
        fixture_start(&r, &script);
        assert_int_equal(ia_device_tree(r.device, &for_ever, &t, &r.err), IA_OK);
        assert_true(ia_tree_truncated(t));
        assert_non_null(strstr(ia_tree_truncated_by(t), cases[i].text));
        assert_true(is_told(t, cases[i].text));
        ia_bridge_client_status(r.client, &status);
        ia_bridge_client_cut_text(status.cut, text, sizeof(text));
        assert_non_null(strstr(text, cases[i].text));
        ia_tree_free(t);
        fixture_stop(&r);
    }
    char small[8];
    ia_bridge_client_cut_text(0xff, small, sizeof(small));
    assert_int_equal(strlen(small), sizeof(small) - 1);
    ia_bridge_client_cut_text(0, small, sizeof(small));
    assert_string_equal(small, "");
}

static void a_tree_without_anything_to_show_is_empty(void **state)
{
    (void)state;
    static const struct ia_wire_node flat = {.type = 2};
    const struct ia_wire_tree_reply cases[] = {{.app = "a"}, {.nodes = &flat, .nodes_n = 1}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_tree *t = NULL;
        struct ia_err err = {.code = IA_OK};
        assert_int_equal(ia_bridge_client_tree(&cases[i], &t, &err), IA_E_TREE_EMPTY);
        assert_null(t);
    }
}

/* ---- codes ------------------------------------------------------------------------------- */

static void every_code_of_the_wire_has_one_here(void **state)
{
    (void)state;
    /* Names that are not the same on both sides. */
    static const struct {
        unsigned code;
        enum ia_rc rc;
    } others[] = {{IA_WIRE_E_VERSION, IA_E_UNSUPPORTED},
                  {IA_WIRE_E_MEMORY, IA_E_DEVICE},
                  {IA_WIRE_E_CANCELLED, IA_E_DEVICE}};
    static const unsigned codes[] = {
#define CODE(code, number, name, what) code,
        IA_WIRE_CODE_LIST(CODE)
#undef CODE
    };
    for (size_t i = 0; i < IA_COUNTOF(codes); i++) {
        enum ia_rc want = ia_rc_from_name(ia_wire_code_name(codes[i]));
        for (size_t k = 0; k < IA_COUNTOF(others); k++) {
            want = others[k].code == codes[i] ? others[k].rc : want;
        }
        if (want == IA_RC_COUNT || ia_bridge_client_rc(codes[i]) != want) {
            fail_msg("%s is %s", ia_wire_code_name(codes[i]),
                     ia_rc_name(ia_bridge_client_rc(codes[i])));
        }
    }
    assert_int_equal(ia_bridge_client_rc(60000), IA_E_DEVICE);
}

static void an_operation_is_named_once(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"launch: no bundle id", "launch: no bundle id"},
        {"no bundle id", "launch: no bundle id"},
        {"launched: no", "launch: launched: no"},
    };
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        struct ia_err err = {0};
        struct ia_wire_reply reply = {
            .op = IA_WIRE_OP_LAUNCH, .code = IA_WIRE_E_USAGE, .text = texts[i][0]};
        assert_int_equal(ia_bridge_client_reply_err(&reply, true, &err), IA_E_USAGE);
        assert_string_equal(err.msg, texts[i][1]);
    }
}

static void a_failure_keeps_its_code_outcome_and_text(void **state)
{
    (void)state;
    static const struct {
        uint8_t said;
        enum ia_outcome effect;
    } outcomes[] = {{IA_WIRE_NONE, IA_OUTCOME_UNKNOWN}, /* of an effect that is no answer */
                    {IA_WIRE_NOT_SENT, IA_OUTCOME_NOT_SENT},
                    {IA_WIRE_SENT, IA_OUTCOME_SENT},
                    {IA_WIRE_UNKNOWN, IA_OUTCOME_UNKNOWN}};
    static const uint16_t codes[] = {
#define CODE(code, number, name, what) code,
        IA_WIRE_CODE_LIST(CODE)
#undef CODE
            777};
    for (size_t i = 1; i < IA_COUNTOF(codes); i++) {
        for (size_t k = 0; k < IA_COUNTOF(outcomes); k++) {
            struct fixture r;
            struct fake_script script = {.op = IA_WIRE_OP_TAP_POINT,
                                         .does = FAKE_FAILS,
                                         .code = codes[i],
                                         .outcome = outcomes[k].said,
                                         .text = "because of this"};
            fixture_start(&r, &script);
            enum ia_rc rc = ia_device_tap(r.device, &for_ever, (struct ia_point){1, 2}, &r.err);
            assert_int_equal(rc, ia_bridge_client_rc(codes[i]));
            assert_int_equal(r.err.code, rc);
            assert_int_equal(r.err.outcome, outcomes[k].effect);
            assert_int_equal(r.err.retry_safe, outcomes[k].effect == IA_OUTCOME_NOT_SENT);
            assert_non_null(strstr(r.err.msg, "because of this"));
            assert_true(r.err.hint[0] != '\0');
            fake_stop(r.fake);
            assert_int_equal(fake_count(r.fake, IA_WIRE_OP_TAP_POINT), 1);
            assert_int_equal(fake_connections(r.fake), 1); /* the stream is in step */
            fixture_stop(&r);
        }
    }
}

/* ---- places ------------------------------------------------------------------------------ */

static void places_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text, *address;
        uint16_t port; /* 0: refused */
    } cases[] = {
        {"127.0.0.1:8100", "127.0.0.1", 8100},
        {"localhost:1", "localhost", 1},
        {"[::1]:65535", "::1", 65535},
        {"8100", "127.0.0.1", 8100},
        {"::1:8100", NULL, 0},
        {"127.0.0.1", NULL, 0},
        {"127.0.0.1:", NULL, 0},
        {":8100", NULL, 0},
        {"127.0.0.1:0", NULL, 0},
        {"127.0.0.1:65536", NULL, 0},
        {"127.0.0.1:81x", NULL, 0},
        {"127.0.0.1:-1", NULL, 0},
        {"example.com:80", NULL, 0},
        {"[::1:80", NULL, 0},
        {"[]:80", NULL, 0},
        {"", NULL, 0},
        {"1111111111111111111111111111111111111111111111111111111111111111:1", NULL, 0}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_bridge_client_place place = {.token = "kept"};
        struct ia_err err = {.code = IA_OK};
        enum ia_rc rc = ia_bridge_client_place_parse(cases[i].text, &place, &err);
        if (rc != (cases[i].port ? IA_OK : IA_E_USAGE)) {
            fail_msg("%s: %s", cases[i].text, ia_rc_name(rc));
        }
        assert_int_equal(place.port, cases[i].port);
        assert_string_equal(place.token, "kept");
        if (cases[i].port) {
            assert_string_equal(place.address, cases[i].address);
        } else {
            assert_non_null(strstr(err.hint, "HOST:PORT"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_sends_its_arguments),
        cmocka_unit_test(a_native_answer_that_is_no_object_is_refused),
        cmocka_unit_test(bad_native_arguments_are_not_sent),
        cmocka_unit_test(an_element_is_named_by_its_place_among_its_likes),
        cmocka_unit_test(device_enums_map_to_wire_numbers),
        cmocka_unit_test(what_the_wire_cannot_carry_is_not_sent),
        cmocka_unit_test(what_is_not_served_is_refused_here),
        cmocka_unit_test(a_picture_in_points_is_asked_for_once_where_there_is_none),
        cmocka_unit_test(info_describes_the_device_behind_the_bridge),
        cmocka_unit_test(the_tree_is_the_one_that_came),
        cmocka_unit_test(a_tree_that_was_cut_says_why),
        cmocka_unit_test(a_tree_without_anything_to_show_is_empty),
        cmocka_unit_test(every_code_of_the_wire_has_one_here),
        cmocka_unit_test(an_operation_is_named_once),
        cmocka_unit_test(a_failure_keeps_its_code_outcome_and_text),
        cmocka_unit_test(places_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
