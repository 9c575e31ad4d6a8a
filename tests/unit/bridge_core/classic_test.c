/* classic_test.c: the session of a classic host with the core, in the bytes of the protocol. */
#include "fake.h"

enum { BUTTON = 9, FIELD = 49, SWITCH = 40 };

static struct fake *phone(void)
{
    struct fake *f = fake_new();
    fake_add(f, 1, BUTTON, "btn", "OK", (struct ia_wire_rect){10, 20, 100, 40});
    fake_add(f, 1, BUTTON, NULL, "\xc3\xa9", (struct ia_wire_rect){10, 80, 100, 40});
    fake_add(f, 1, FIELD, "name", "Name", (struct ia_wire_rect){10, 140, 100, 40})->value =
        "Ann";
    fake_add(f, 1, BUTTON, "off", "Off", (struct ia_wire_rect){10, 200, 100, 40})->flags = 0;
    return f;
}

/* "0a0000..." of an Error with that text. */
static void expect_error(struct host *h, const char *text)
{
    struct ia_wire_answer a;
    assert_true(host_next(h));
    assert_true(ia_wire_get_answer(&h->frame, &a, NULL));
    assert_int_equal(a.kind, IA_WIRE_ANSWER_ERROR);
    assert_string_equal(a.text, text);
    ia_wire_answer_fini(&a);
}

static void expect_text(struct host *h, uint8_t kind, const char *text)
{
    struct ia_wire_answer a;
    assert_true(host_next(h));
    assert_true(ia_wire_get_answer(&h->frame, &a, NULL));
    assert_int_equal(a.kind, kind);
    assert_string_equal(a.text, text);
    ia_wire_answer_fini(&a);
}

static void a_classic_session_is_byte_for_byte_exact(void **state)
{
    (void)state;
    static const struct {
        const char *ask, *answer;
    } rows[] = {
        {"0100000001", "02000000a000"}, /* Heartbeat */
        {"0100000015", "02000000a000"}, /* BridgeHealth */
        {"0100000016", "0a000000a0040103000000"
                       "552d31"},                                       /* DeviceUdid: U-1 */
        {"080000001203000000612e62", "02000000a000"},                   /* SetTarget(a.b) */
        {"090000000264000000ffffffff", "02000000a000"},                 /* TapCoord(100,-1) */
        {"09000000030300000062746e00", "02000000a000"},                 /* TapElement(btn) */
        {"11000000030300000062746e018813000000000000", "02000000a000"}, /* (btn, 5000) */
        {"080000000402000000c3a900", "02000000a000"},                   /* TapByLabel(é) */
        {"0700000006020000006869", "02000000a000"},                     /* TypeText(hi) */
        {"1a00000007c300000058020000c30000002c01000001333333333333d33f", "02000000a000"},
        {"11000000090100000002000000000000000000f83f", "02000000a000"}, /* LongPress */
        {"0c00000008040000006e616d65000000",
         "0a000000a0040103000000416e6e"},               /* GetValue(name) */
        {"0100000011", "0a000000a0030400000089504e47"}, /* Screenshot */
    };
    struct fake *f = phone();
    struct host h;
    f->opt.udid = "U-1";
    fake_start(f);
    host_open(&h, f);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        host_send_hex(&h, rows[i].ask);
        host_expect_hex(&h, rows[i].answer);
    }
    assert_int_equal(f->taps, 4);
    assert_int_equal(f->presses, 1);
    assert_true(f->press_s == 1.5);
    assert_int_equal(f->drags, 1);
    assert_true(f->drag.from.x == 195 && f->drag.from.y == 600 && f->drag.to.y == 300);
    assert_true(f->drag.press_s == 0.05 && f->drag.duration_s == 0.3);
    assert_string_equal(f->field, "hi");
    assert_string_equal(f->target, "a.b");
    host_close(&h);
    fake_free(f);
}

static void json_has_the_classic_keys(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    fake_add(f, 1, FIELD, "a\"b", "L\n1", (struct ia_wire_rect){0.5, 1, 10.25, 4})->value = "v";
    f->nodes[1].flags |= IA_WIRE_NODE_FOCUSED;
    fake_add(f, 2, BUTTON, NULL, "in", (struct ia_wire_rect){1, 1, 2, 2})->flags = 0;
    fake_add(f, 1, BUTTON, "last", NULL, (struct ia_wire_rect){-1, 0, 3, 3});
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "0100000010");
    expect_text(
        &h, IA_WIRE_ANSWER_TREE,
        "[{\"type\":\"Application\",\"AXLabel\":\"App\","
        "\"frame\":{\"x\":0,\"y\":0,\"width\":390,\"height\":844},\"children\":["
        "{\"type\":\"TextField\",\"AXUniqueId\":\"a\\\"b\",\"AXLabel\":\"L\\u000a1\","
        "\"AXValue\":\"v\",\"frame\":{\"x\":0.5,\"y\":1,\"width\":10.25,\"height\":4},"
        "\"focused\":true,\"children\":["
        "{\"type\":\"Button\",\"AXLabel\":\"in\",\"frame\":{\"x\":1,\"y\":1,\"width\":2,"
        "\"height\":2},\"enabled\":false,\"children\":[]}]},"
        "{\"type\":\"Button\",\"AXUniqueId\":\"last\",\"frame\":{\"x\":-1,\"y\":0,\"width\":3,"
        "\"height\":3},\"children\":[]}]}]");
    host_send_hex(&h, "0b00000013040000006c6173740000");
    expect_text(&h, IA_WIRE_ANSWER_ELEMENT,
                "{\"type\":\"Button\",\"AXUniqueId\":\"last\",\"frame\":{\"x\":-1,\"y\":0,"
                "\"width\":3,\"height\":3},\"hittable\":true,\"children\":[]}");
    host_send_hex(&h, "0a0000001303000000626164"
                      "0000");
    expect_text(&h, IA_WIRE_ANSWER_ELEMENT, "null");
    host_send_hex(&h, "0100000014");
    expect_text(&h, IA_WIRE_ANSWER_TARGET_INFO,
                "{\"state\":\"running_foreground\",\"bundle_id\":\"com.apple.springboard\","
                "\"display_name\":\"App\",\"version\":\"1.2\"}");
    host_close(&h);
    fake_free(f);
}

static void errors_have_the_classic_texts(void **state)
{
    (void)state;
    struct fake *f = phone();
    struct host h;
    f->type_failures = 1;
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "080000000302000000787800");
    expect_error(&h, "Element with identifier 'xx' not found");
    host_send_hex(&h, "080000000402000000787800");
    expect_error(&h, "Element with label 'xx' not found");
    host_send_hex(&h, "1a0000000501000000610106000000427574746f6e010100000000000000");
    expect_error(&h, "Element with label 'a' and type 'Button' not found");
    host_send_hex(&h, "0d00000005010000006101010000005800");
    expect_error(&h, "Unknown element type 'X'");
    host_send_hex(&h, "1600000008010000006101010100000058010900000000000000");
    expect_error(&h, "Element with label 'a' and type 'X' not found");
    host_send_hex(&h, "09000000080100000078000000");
    expect_error(&h, "Element with identifier 'x' not found");
    host_send_hex(&h, "0700000006020000006869");
    expect_error(&h, "No keyboard visible; tap a text field first");
    host_send_hex(&h, "0900000003030000006f666600");
    expect_error(&h, "Tap failed: Element with identifier 'off' is disabled");
    host_send_hex(&h, "0100000017");
    expect_error(&h, "decode error: invalid opcode: 0x17");
    host_send_hex(&h, "0c000000030300000062746e01881300");
    expect_error(&h, "decode error: TapElement.timeout_ms: insufficient data: 3 bytes of 8");
    host_send_hex(&h, "0100000001"); /* the connection is still open */
    host_expect_hex(&h, "02000000a000");
    assert_int_equal(f->taps, 0);
    host_close(&h);
    fake_free(f);
}

static void a_failed_snapshot_is_reported(void **state)
{
    (void)state;
    struct fake *f = phone();
    struct host h;
    f->tree_code = IA_WIRE_E_TREE_MALFORMED;
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "0100000010");
    expect_error(&h, "Failed to capture accessibility tree: no tree today");
    host_send_hex(&h, "09000000030300000062746e00");
    expect_error(&h, "Tap failed: no tree today");
    host_send_hex(&h, "0b00000013040000006c6173740000");
    expect_error(&h, "FindElement failed: no tree today");
    host_close(&h);
    fake_free(f);
}

static void a_missing_value_is_replaced_by_the_label(void **state)
{
    (void)state;
    struct fake *f = phone();
    struct host h;
    fake_add(f, 1, BUTTON, "bare", NULL, (struct ia_wire_rect){10, 300, 100, 40});
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "0b000000080300000062746e000000");
    host_expect_hex(&h, "09000000a00401020000004f4b");
    host_send_hex(&h, "0c000000080400000062617265000000");
    host_expect_hex(&h, "03000000a00400");
    host_close(&h);
    fake_free(f);
}

static struct ia_wire_answer ask_element(struct host *h, const char *selector, const char *type)
{
    struct ia_wire_answer a;
    struct ia_wire_request r = {
        .op = IA_WIRE_OP_FIND_ELEMENT,
        .u.find_element = {.selector = selector, .by_label = true, .type = type}};
    host_classic(h, &r, &a);
    assert_int_equal(a.kind, IA_WIRE_ANSWER_ELEMENT);
    return a;
}

static void a_number_in_brackets_chooses_among_equals(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *found;
    } rows[] = {{"row", "\"r0\""},      {"row[0]", "\"r0\""},
                {"row[2]", "\"r2\""},   {"row[3]", "null"},
                {"row[]", "null"},      {"row[-1]", "null"},
                {"row[abc]", "null"},   {"row[99999999999999999999]", "null"},
                {"row[65535]", "null"}, {"a [x]", "\"x\""},
                {"a [x][0]", "\"x\""},  {"row[1] ", "null"}};
    struct fake *f = fake_new();
    struct host h;
    fake_add(f, 1, BUTTON, "r0", "row", (struct ia_wire_rect){0, 0, 40, 40});
    fake_add(f, 1, BUTTON, "r1", "row", (struct ia_wire_rect){0, 50, 40, 40});
    fake_add(f, 1, FIELD, "r2", "row", (struct ia_wire_rect){0, 100, 40, 40});
    fake_add(f, 1, BUTTON, "x", "a [x]", (struct ia_wire_rect){0, 150, 40, 40});
    fake_start(f);
    host_open(&h, f);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ia_wire_answer a = ask_element(&h, rows[i].selector, NULL);
        assert_non_null(strstr(a.text, rows[i].found));
        ia_wire_answer_fini(&a);
    }
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_BY_LABEL,
                                  .u.tap_element = {.selector = "row[1]"}};
    struct ia_wire_answer a;
    host_classic(&h, &tap, &a);
    assert_int_equal(a.kind, IA_WIRE_ANSWER_OK);
    assert_true(f->at.x == 20 && f->at.y == 70);
    ia_wire_answer_fini(&a);
    host_close(&h);
    fake_free(f);
}

static void a_found_element_has_its_children_and_an_unknown_type_is_ignored(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    fake_add(f, 1, BUTTON, "outer", "row", (struct ia_wire_rect){0, 0, 40, 40});
    fake_add(f, 2, FIELD, "inner", "in", (struct ia_wire_rect){0, 0, 20, 20});
    fake_add(f, 3, FIELD, "deep", NULL, (struct ia_wire_rect){0, 0, 10, 10});
    fake_add(f, 1, BUTTON, "after", "row", (struct ia_wire_rect){0, 50, 40, 40});
    fake_start(f);
    host_open(&h, f);
    struct ia_wire_answer a = ask_element(&h, "row", "Gizmo");
    assert_string_equal(
        a.text,
        "{\"type\":\"Button\",\"AXUniqueId\":\"outer\",\"AXLabel\":\"row\",\"frame\":{\"x\":0,"
        "\"y\":0,\"width\":40,\"height\":40},\"hittable\":true,\"children\":[{\"type\":"
        "\"TextField\",\"AXUniqueId\":\"inner\",\"AXLabel\":\"in\",\"frame\":{\"x\":0,\"y\":0,"
        "\"width\":20,\"height\":20},\"children\":[{\"type\":\"TextField\",\"AXUniqueId\":"
        "\"deep\",\"frame\":{\"x\":0,\"y\":0,\"width\":10,\"height\":10},\"children\":[]}]}]}");
    ia_wire_answer_fini(&a);
    host_close(&h);
    fake_free(f);
}

static void appears(struct fake *f)
{
    if (f->snapshots == 5) {
        fake_add(f, 1, BUTTON, "late", NULL, (struct ia_wire_rect){10, 300, 100, 40});
    }
}

static void a_tap_with_a_timeout_waits_for_its_element(void **state)
{
    (void)state;
    struct fake *f = phone();
    struct host h;
    struct ia_wire_answer a;
    struct ia_wire_request r = {
        .op = IA_WIRE_OP_TAP_ELEMENT,
        .u.tap_element = {.selector = "late", .timeout_ms = {true, 60000}}};
    f->on_snapshot = appears;
    fake_start(f);
    host_open(&h, f);
    host_classic(&h, &r, &a);
    assert_int_equal(a.kind, IA_WIRE_ANSWER_OK);
    assert_int_equal(f->taps, 1);
    assert_true(f->snapshots >= 7); /* found, still, and checked again */
    ia_wire_answer_fini(&a);
    host_close(&h);
    fake_free(f);
}

static void a_simulator_without_a_name_has_no_udid(void **state)
{
    (void)state;
    struct fake *f = phone();
    struct host h;
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "0100000016");
    host_expect_hex(&h, "03000000a00400");
    host_close(&h);
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classic_session_is_byte_for_byte_exact),
        cmocka_unit_test(json_has_the_classic_keys),
        cmocka_unit_test(errors_have_the_classic_texts),
        cmocka_unit_test(a_failed_snapshot_is_reported),
        cmocka_unit_test(a_missing_value_is_replaced_by_the_label),
        cmocka_unit_test(a_number_in_brackets_chooses_among_equals),
        cmocka_unit_test(a_found_element_has_its_children_and_an_unknown_type_is_ignored),
        cmocka_unit_test(a_tap_with_a_timeout_waits_for_its_element),
        cmocka_unit_test(a_simulator_without_a_name_has_no_udid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
