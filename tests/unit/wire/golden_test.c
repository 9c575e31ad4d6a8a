/* golden_test.c: the bytes of the protocol, in both directions. */
#include "hex.h"

struct request_row {
    const char *hex;
    struct ia_wire_request r;
};

static const struct request_row requests[] = {
    {"0100000001", {.op = IA_WIRE_OP_HEARTBEAT}},
    {"0100000010", {.op = IA_WIRE_OP_DUMP_TREE}},
    {"0100000011", {.op = IA_WIRE_OP_CLASSIC_SCREENSHOT}},
    {"0100000014", {.op = IA_WIRE_OP_GET_TARGET_INFO}},
    {"0100000015", {.op = IA_WIRE_OP_BRIDGE_HEALTH}},
    {"0100000016", {.op = IA_WIRE_OP_DEVICE_UDID}},
    {"090000000264000000ffffffff",
     {.op = IA_WIRE_OP_TAP_COORD, .u.tap_coord = {.x = 100, .y = -1}}},
    {"09000000030300000062746e00",
     {.op = IA_WIRE_OP_TAP_ELEMENT, .u.tap_element = {.selector = "btn"}}},
    {"11000000030300000062746e018813000000000000",
     {.op = IA_WIRE_OP_TAP_ELEMENT,
      .u.tap_element = {.selector = "btn", .timeout_ms = {true, 5000}}}},
    {"080000000402000000c3a900",
     {.op = IA_WIRE_OP_TAP_BY_LABEL, .u.tap_element = {.selector = "\xc3\xa9"}}},
    {"1a0000000501000000610106000000427574746f6e010100000000000000",
     {.op = IA_WIRE_OP_TAP_WITH_TYPE,
      .u.tap_with_type =
          {.selector = "a", .by_label = true, .type = "Button", .timeout_ms = {true, 1}}}},
    {"0700000006020000006869",
     {.op = IA_WIRE_OP_CLASSIC_TYPE_TEXT, .u.classic_text = {.text = "hi"}}},
    {"1a00000007c300000058020000c30000002c01000001333333333333d33f",
     {.op = IA_WIRE_OP_SWIPE,
      .u.swipe = {.x0 = 195, .y0 = 600, .x1 = 195, .y1 = 300, .duration_s = {true, 0.3}}}},
    {"12000000070100000002000000030000000400000000",
     {.op = IA_WIRE_OP_SWIPE, .u.swipe = {.x0 = 1, .y0 = 2, .x1 = 3, .y1 = 4}}},
    {"09000000080100000061000000",
     {.op = IA_WIRE_OP_GET_VALUE, .u.get_value = {.selector = "a"}}},
    {"1600000008010000006101010100000058010900000000000000",
     {.op = IA_WIRE_OP_GET_VALUE,
      .u.get_value =
          {.selector = "a", .by_label = true, .type = "X", .timeout_ms = {true, 9}}}},
    {"11000000090100000002000000000000000000f83f",
     {.op = IA_WIRE_OP_LONG_PRESS, .u.long_press = {.x = 1, .y = 2, .duration_s = 1.5}}},
    {"080000001203000000612e62",
     {.op = IA_WIRE_OP_SET_TARGET, .u.classic_text = {.text = "a.b"}}},
    {"0d00000013010000006101010100000058",
     {.op = IA_WIRE_OP_FIND_ELEMENT,
      .u.find_element = {.selector = "a", .by_label = true, .type = "X"}}},
};

static const struct {
    const char *hex;
    struct ia_wire_answer a;
} answers[] = {
    {"02000000a000", {.kind = IA_WIRE_ANSWER_OK}},
    {"08000000a001020000006e6f", {.kind = IA_WIRE_ANSWER_ERROR, .text = "no"}},
    {"08000000a002020000005b5d", {.kind = IA_WIRE_ANSWER_TREE, .text = "[]"}},
    {"0a000000a0030400000089504e47",
     {.kind = IA_WIRE_ANSWER_SCREENSHOT, .png = (const uint8_t *)"\x89PNG", .png_n = 4}},
    {"03000000a00400", {.kind = IA_WIRE_ANSWER_VALUE}},
    {"0c000000a004010500000048656c6c6f", {.kind = IA_WIRE_ANSWER_VALUE, .text = "Hello"}},
    {"0a000000a005040000006e756c6c", {.kind = IA_WIRE_ANSWER_ELEMENT, .text = "null"}},
    {"08000000a006020000007b7d", {.kind = IA_WIRE_ANSWER_TARGET_INFO, .text = "{}"}},
};

static void classic_requests_are_written_byte_for_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        struct ia_wire_buf out = {0};
        assert_true(ia_wire_put_request(&out, &requests[i].r, NULL));
        hex_equal(&out, requests[i].hex);
        ia_wire_buf_fini(&out);
    }
}

static void classic_requests_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        uint8_t store[256];
        struct ia_wire_frame f = hex_frame(requests[i].hex, store, sizeof(store));
        struct ia_wire_request r;
        assert_true(ia_wire_get_request(&f, &r, NULL));
        assert_true(ia_wire_request_eq(&r, &requests[i].r));
        ia_wire_request_fini(&r);
    }
}

static void classic_answers_are_written_and_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct ia_wire_buf out = {0};
        uint8_t store[256];
        struct ia_wire_answer a;
        assert_true(ia_wire_put_answer(&out, &answers[i].a, NULL));
        hex_equal(&out, answers[i].hex);
        ia_wire_buf_fini(&out);
        struct ia_wire_frame f = hex_frame(answers[i].hex, store, sizeof(store));
        assert_true(ia_wire_get_answer(&f, &a, NULL));
        assert_true(ia_wire_answer_eq(&a, &answers[i].a));
        ia_wire_answer_fini(&a);
    }
}

static void a_get_value_may_omit_type_and_timeout(void **state)
{
    (void)state;
    /* GetValue(a, false, None, None) as a host writes it, and without the last flag. */
    const struct ia_wire_request want = {.op = IA_WIRE_OP_GET_VALUE,
                                         .u.get_value = {.selector = "a"}};
    const char *const rows[] = {"09000000080100000061000000", "080000000801000000610000"};
    for (size_t i = 0; i < 2; i++) {
        uint8_t store[64];
        struct ia_wire_request r;
        struct ia_wire_frame f = hex_frame(rows[i], store, sizeof(store));
        assert_true(ia_wire_get_request(&f, &r, NULL));
        assert_true(ia_wire_request_eq(&r, &want));
        ia_wire_request_fini(&r);
    }
    struct ia_wire_buf out = {0};
    assert_true(ia_wire_put_request(&out, &want, NULL));
    hex_equal(&out, rows[0]);
    ia_wire_buf_fini(&out);
}

static void a_bare_error_is_an_answer(void **state)
{
    (void)state;
    uint8_t store[64];
    struct ia_wire_answer a;
    struct ia_wire_frame f = hex_frame("0700000099020000006e6f", store, sizeof(store));
    assert_true(ia_wire_get_answer(&f, &a, NULL));
    assert_int_equal(a.kind, IA_WIRE_ANSWER_ERROR);
    assert_string_equal(a.text, "no");
    ia_wire_answer_fini(&a);
}

/* Extensions: changing these bytes changes the protocol. */
static void extensions_keep_their_bytes(void **state)
{
    (void)state;
    const uint16_t path[] = {0, 3};
    const struct ia_wire_signature sig = {.identifier = "ok",
                                          .type = 9,
                                          .path = path,
                                          .path_n = 2,
                                          .frame = {1, 2, 3, 4},
                                          .ordinal = 1,
                                          .count = 2};
    const struct {
        const char *hex;
        struct ia_wire_request r;
    } rows[] = {
        {"1a000000"
         "40"
         "01000000"
         "00000000"
         "0100"
         "0100"
         "03000000746f6b"
         "02000000"
         "6331",
         {.op = IA_WIRE_OP_HELLO,
          .id = 1,
          .u.hello = {.version = 1, .version_min = 1, .token = "tok", .client = "c1"}}},
        {"09000000"
         "41"
         "02000000"
         "e8030000",
         {.op = IA_WIRE_OP_HEALTH, .id = 2, .deadline_ms = 1000}},
        {"4f000000"
         "46"
         "03000000"
         "00000000"
         "01"
         "01"
         "020000006f6b"
         "00"
         "0900"
         "02000000"
         "0000"
         "0300"
         "000000000000f03f"
         "0000000000000040"
         "0000000000000840"
         "0000000000001040"
         "0100"
         "0200"
         "00"
         "00"
         "0000000000000000"
         "88130000"
         "00",
         {.op = IA_WIRE_OP_ACT,
          .id = 3,
          .u.act = {.target.signature = &sig, .timeout_ms = 5000}}},
        {"18000000"
         "61"
         "04000000"
         "00000000"
         "04"
         "0a000000"
         "7b226964223a2238227d",
         {.op = IA_WIRE_OP_NATIVE,
          .id = 4,
          .u.native = {.action = IA_NATIVE_CALENDAR_DELETE, .args = "{\"id\":\"8\"}"}}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ia_wire_buf out = {0};
        assert_true(ia_wire_put_request(&out, &rows[i].r, NULL));
        hex_equal(&out, rows[i].hex);
        ia_wire_buf_fini(&out);
    }
}

static void replies_of_extensions_keep_their_bytes(void **state)
{
    (void)state;
    struct ia_wire_buf out = {0};
    struct ia_wire_reply r = {.op = IA_WIRE_OP_CANCEL, .id = 7, .u.cancel.found = true};
    ia_wire_reply_ok(&r, false);
    assert_true(ia_wire_put_reply(&out, &r, NULL));
    hex_equal(&out, "10000000"
                    "c0"
                    "07000000"
                    "42"
                    "0000"
                    "00"
                    "01"
                    "00000000"
                    "01"
                    "01");
    ia_wire_buf_fini(&out);
    struct ia_wire_reply bad = {.op = IA_WIRE_OP_ACT, .id = 8};
    ia_wire_reply_fail(&bad, IA_WIRE_E_MOVING, IA_WIRE_NOT_SENT, false, "no");
    assert_true(ia_wire_put_reply(&out, &bad, NULL));
    hex_equal(&out, "11000000"
                    "c0"
                    "08000000"
                    "46"
                    "1900"
                    "01"
                    "01"
                    "020000006e6f"
                    "00");
    ia_wire_reply_fini(&bad);
    ia_wire_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classic_requests_are_written_byte_for_byte),
        cmocka_unit_test(classic_requests_are_read),
        cmocka_unit_test(classic_answers_are_written_and_read),
        cmocka_unit_test(a_get_value_may_omit_type_and_timeout),
        cmocka_unit_test(a_bare_error_is_an_answer),
        cmocka_unit_test(extensions_keep_their_bytes),
        cmocka_unit_test(replies_of_extensions_keep_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
