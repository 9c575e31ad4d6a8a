/* rules_test.c: what the decoder accepts and refuses, and that the tables cover their
 * structs. */
#include "hex.h"

#include <stdlib.h>

static bool reads(const char *hex, struct ia_wire_request *r, struct ia_wire_fault *fault)
{
    uint8_t store[512];
    struct ia_wire_frame f = hex_frame(hex, store, sizeof(store));
    return ia_wire_get_request(&f, r, fault);
}

static void bytes_after_the_last_field_are_ignored(void **state)
{
    (void)state;
    struct ia_wire_request r;
    assert_true(reads("0b00000006020000006869"
                      "dead0000",
                      &r, NULL));
    assert_string_equal(r.u.classic_text.text, "hi");
    ia_wire_request_fini(&r);
    assert_true(reads("0c000000"
                      "41"
                      "02000000"
                      "e8030000"
                      "ffffff",
                      &r, NULL));
    assert_int_equal(r.deadline_ms, 1000);
    ia_wire_request_fini(&r);
}

static void a_missing_timeout_means_none(void **state)
{
    (void)state;
    struct ia_wire_request r;
    assert_true(reads("08000000030300000062746e", &r, NULL));
    assert_false(r.u.tap_element.timeout_ms.has);
    ia_wire_request_fini(&r);
}

static void any_flag_except_zero_means_present(void **state)
{
    (void)state;
    struct ia_wire_request r;
    assert_true(reads("11000000030300000062746e7f8813000000000000", &r, NULL));
    assert_true(r.u.tap_element.timeout_ms.has);
    assert_int_equal(r.u.tap_element.timeout_ms.v, 5000);
    ia_wire_request_fini(&r);
    assert_true(reads("1600000008010000006109ff0100000058020900000000000000", &r, NULL));
    assert_true(r.u.get_value.by_label);
    assert_string_equal(r.u.get_value.type, "X");
    ia_wire_request_fini(&r);
}

static const struct {
    const char *name, *hex, *says;
    enum ia_wire_code code;
} refused[] = {
    {"a flag without its number", "0c000000030300000062746e01881300",
     "TapElement.timeout_ms: insufficient data", IA_WIRE_E_PROTO},
    {"an unknown classic opcode", "0100000017", "invalid opcode: 0x17", IA_WIRE_E_UNSUPPORTED},
    {"an unknown extension",
     "0900000070"
     "05000000"
     "00000000",
     "invalid opcode: 0x70", IA_WIRE_E_UNSUPPORTED},
    {"an answer in the place of a request", "02000000a000", "invalid opcode: 0xa0",
     IA_WIRE_E_UNSUPPORTED},
    {"a text longer than its frame", "0700000006ff0000006869", "TypeText.text: insufficient",
     IA_WIRE_E_PROTO},
    {"a text longer than its cap", "0700000006ffffff7f6869",
     "TypeText.text: 2147483647, at most", IA_WIRE_E_LIMIT},
    {"bytes that are no UTF-8", "070000000602000000ff69", "TypeText.text: not UTF-8",
     IA_WIRE_E_PROTO},
    {"a NUL in a text", "0700000006020000006800", "TypeText.text: not UTF-8", IA_WIRE_E_PROTO},
    {"a surrogate", "080000000603000000eda080", "TypeText.text: not UTF-8", IA_WIRE_E_PROTO},
    {"an overlong character", "070000000602000000c080", "TypeText.text: not UTF-8",
     IA_WIRE_E_PROTO},
    {"a duration that is no number",
     "110000000901000000020000000000"
     "00000000f87f",
     "LongPress.duration_s: a number that is not finite", IA_WIRE_E_PROTO},
    {"an extension without its head",
     "0300000041"
     "0100",
     "health: insufficient", IA_WIRE_E_PROTO},
    {"an enumeration beyond its end",
     "0a00000050"
     "01000000"
     "00000000"
     "06",
     "press_button.button: 6, at most 5", IA_WIRE_E_PROTO},
    {"a batch within a batch",
     "1f0000005d"
     "01000000"
     "00000000"
     "01000000"
     "0e000000"
     "5d"
     "02000000"
     "00000000"
     "00000000"
     "00",
     "batch.items.batch: cannot be in a batch", IA_WIRE_E_PROTO},
    {"a hello within a batch",
     "1a0000005d"
     "01000000"
     "00000000"
     "01000000"
     "09000000"
     "41"
     "02000000"
     "00000000",
     "batch.items.health: cannot be in a batch", IA_WIRE_E_PROTO},
    {"a classic request within a batch",
     "120000005d"
     "01000000"
     "00000000"
     "01000000"
     "01000000"
     "01"
     "0000000000000000",
     "batch.items.Heartbeat: cannot be in a batch", IA_WIRE_E_PROTO},
    {"an empty item",
     "110000005d"
     "01000000"
     "00000000"
     "01000000"
     "00000000",
     "batch.items: ", IA_WIRE_E_PROTO},
    {"a list longer than its frame",
     "0d0000005d"
     "01000000"
     "00000000"
     "40000000",
     "batch.items: insufficient data", IA_WIRE_E_PROTO},
};

static void invalid_messages_are_refused_with_the_field_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct ia_wire_request r;
        struct ia_wire_fault fault = {0};
        uint8_t store[512];
        size_t n = hex_bytes(refused[i].hex, store, sizeof(store));
        struct ia_wire_frame f = {.op = store[4], .p = store + 5, .n = n - 5};
        if (ia_wire_get_request(&f, &r, &fault)) {
            fail_msg("%s was accepted", refused[i].name);
        }
        if (fault.code != refused[i].code || !strstr(fault.text, refused[i].says)) {
            fail_msg("%s: %u \"%s\"", refused[i].name, fault.code, fault.text);
        }
    }
}

static void a_refused_extension_can_still_be_answered(void **state)
{
    (void)state;
    struct ia_wire_request r;
    assert_false(reads("0900000070"
                       "05000000"
                       "00000000",
                       &r, NULL));
    assert_int_equal(r.op, 0x70);
    assert_int_equal(r.id, 5);
    assert_false(reads("0a00000050"
                       "06000000"
                       "00000000"
                       "09",
                       &r, NULL));
    assert_int_equal(r.id, 6);
}

/* ---- every cap of every field, from both sides ---- */

static char *long_text(size_t n)
{
    char *s = malloc(n + 1);
    assert_non_null(s);
    memset(s, 'x', n);
    s[n] = 0;
    return s;
}

static void texts_are_capped_as_the_tables_say(void **state)
{
    (void)state;
    const struct ia_wire_op *op;
    size_t seen = 0;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        for (size_t k = 0; k < op->request->fields_n; k++) {
            const struct ia_wire_field *f = &op->request->fields[k];
            if (f->kind != IA_WIRE_K_STR && f->kind != IA_WIRE_K_OSTR) {
                continue;
            }
            struct ia_wire_request r = {.op = op->op};
            struct ia_wire_buf out = {0};
            struct ia_wire_fault fault = {0};
            char *s = long_text(f->max + 1);
            *(const char **)((char *)&r.u + f->at) = s;
            assert_false(ia_wire_put_request(&out, &r, &fault));
            assert_int_equal(fault.code, IA_WIRE_E_LIMIT);
            assert_non_null(strstr(fault.text, f->name));
            assert_int_equal(out.len, 0);
            s[f->max] = 0;
            assert_true(ia_wire_put_request(&out, &r, &fault));
            struct ia_wire_frame frame = {.op = out.p[4], .p = out.p + 5, .n = out.len - 5};
            struct ia_wire_request back;
            assert_true(ia_wire_get_request(&frame, &back, NULL));
            assert_true(ia_wire_request_eq(&r, &back));
            ia_wire_request_fini(&back);
            ia_wire_buf_fini(&out);
            free(s);
            seen++;
        }
    }
    assert_true(seen > 15);
}

static void lists_are_capped(void **state)
{
    (void)state;
    static struct ia_wire_request items[IA_WIRE_BATCH_MAX + 1];
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        items[i] = (struct ia_wire_request){.op = IA_WIRE_OP_INFO};
    }
    struct ia_wire_request r = {.op = IA_WIRE_OP_BATCH};
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault = {0};
    r.u.batch.items = items;
    r.u.batch.items_n = IA_WIRE_BATCH_MAX;
    assert_true(ia_wire_put_request(&out, &r, &fault));
    ia_wire_buf_fini(&out);
    r.u.batch.items_n++;
    assert_false(ia_wire_put_request(&out, &r, &fault));
    assert_int_equal(fault.code, IA_WIRE_E_LIMIT);
    ia_wire_buf_fini(&out);
}

static void depths_must_be_those_of_a_tree(void **state)
{
    (void)state;
    const struct {
        uint16_t depths[3];
        bool ok;
    } rows[] = {{{0, 1, 2}, true},  {{0, 1, 1}, true},  {{0, 2, 1}, false},
                {{1, 1, 1}, false}, {{0, 1, 0}, false}, {{0, 1, 3}, false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ia_wire_node nodes[3] = {{0}};
        for (int k = 0; k < 3; k++) {
            nodes[k].depth = rows[i].depths[k];
        }
        struct ia_wire_reply r = {.op = IA_WIRE_OP_TREE,
                                  .u.tree = {.app = "a", .nodes = nodes, .nodes_n = 3}};
        struct ia_wire_buf out = {0};
        ia_wire_reply_ok(&r, false);
        assert_int_equal(ia_wire_put_reply(&out, &r, NULL), rows[i].ok);
        ia_wire_buf_fini(&out);
    }
}

static void numbers_that_are_not_finite_are_written_as_zero(void **state)
{
    (void)state;
    struct ia_wire_request r = {.op = IA_WIRE_OP_TAP_POINT}, back;
    struct ia_wire_buf out = {0};
    double zero = 0;
    r.u.tap_point.at.x = 1 / zero;
    r.u.tap_point.at.y = 0 * (1 / zero);
    assert_true(ia_wire_put_request(&out, &r, NULL));
    struct ia_wire_frame f = {.op = out.p[4], .p = out.p + 5, .n = out.len - 5};
    assert_true(ia_wire_get_request(&f, &back, NULL));
    assert_true(back.u.tap_point.at.x == 0 && back.u.tap_point.at.y == 0);
    ia_wire_request_fini(&back);
    ia_wire_buf_fini(&out);
}

static void a_success_must_have_a_body(void **state)
{
    (void)state;
    uint8_t store[64];
    struct ia_wire_reply r;
    struct ia_wire_fault fault = {0};
    struct ia_wire_frame f = hex_frame("0f000000"
                                       "c0"
                                       "07000000"
                                       "42"
                                       "0000"
                                       "00"
                                       "01"
                                       "00000000"
                                       "00",
                                       store, 64);
    assert_false(ia_wire_get_reply(&f, &r, &fault));
    assert_non_null(strstr(fault.text, "a success without a body"));
    assert_int_equal(r.id, 7);
    struct ia_wire_reply ok = {.op = IA_WIRE_OP_DRAG, .code = IA_WIRE_OK};
    struct ia_wire_buf out = {0};
    assert_false(ia_wire_put_reply(&out, &ok, &fault));
    ia_wire_reply_ok(&ok, true);
    assert_true(ia_wire_put_reply(&out, &ok, &fault));
    ia_wire_buf_fini(&out);
}

static void a_failure_of_an_unknown_request_can_be_decoded(void **state)
{
    (void)state;
    uint8_t store[64];
    struct ia_wire_reply r;
    struct ia_wire_frame f = hex_frame("11000000"
                                       "c0"
                                       "07000000"
                                       "7f"
                                       "e803"
                                       "00"
                                       "00"
                                       "020000006e6f"
                                       "00",
                                       store, 64);
    assert_true(ia_wire_get_reply(&f, &r, NULL));
    assert_int_equal(r.op, 0x7f);
    assert_int_equal(r.code, 1000);
    assert_string_equal(ia_wire_code_name(r.code), "UNKNOWN");
    assert_string_equal(r.text, "no");
    ia_wire_reply_fini(&r);
}

/* ---- texts ---- */

static void texts_from_apps_are_sanitized(void **state)
{
    (void)state;
    const struct {
        const char *in;
        size_t n, max;
        const char *out;
    } rows[] = {
        {"abc", 3, 10, "abc"},
        {"a\xff"
         "b",
         3, 10,
         "a\xef\xbf\xbd"
         "b"},
        {"a\0b", 3, 10,
         "a\xef\xbf\xbd"
         "b"},
        {"\xed\xa0\x80", 3, 20, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc3\xa9\xc3\xa9", 4, 3, "\xc3\xa9"},
        {"\xc3", 1, 10, "\xef\xbf\xbd"},
        {"\xf0\x9f\x98\x80", 4, 4, "\xf0\x9f\x98\x80"},
        {"\xf5\x80\x80\x80", 1, 2, ""},
        {"", 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ia_wire_arena a = {0};
        assert_string_equal(ia_wire_text(&a, rows[i].in, rows[i].n, rows[i].max), rows[i].out);
        ia_wire_arena_fini(&a);
    }
    struct ia_wire_arena a = {0};
    assert_null(ia_wire_str(&a, NULL));
    ia_wire_arena_fini(&a);
}

static void an_arena_gives_aligned_zeroed_memory_of_any_size(void **state)
{
    (void)state;
    struct ia_wire_arena a = {0};
    for (size_t n = 1; n < 300000; n = n * 3 + 1) {
        unsigned char *p = ia_wire_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(p[i], 0);
        }
        memset(p, 0xee, n);
    }
    assert_null(ia_wire_alloc(&a, SIZE_MAX / 2 + 1));
    assert_true(a.failed);
    ia_wire_arena_fini(&a);
}

/* ---- tables ---- */

static size_t size_of_kind(const struct ia_wire_field *f)
{
    switch (f->kind) {
    case IA_WIRE_K_U8:
    case IA_WIRE_K_ENUM:
        return 1;
    case IA_WIRE_K_BOOL:
        return sizeof(bool);
    case IA_WIRE_K_U16:
        return 2;
    case IA_WIRE_K_U32:
    case IA_WIRE_K_I32:
        return 4;
    case IA_WIRE_K_U64:
    case IA_WIRE_K_F64:
        return 8;
    case IA_WIRE_K_POINT:
        return sizeof(struct ia_wire_point);
    case IA_WIRE_K_RECT:
        return sizeof(struct ia_wire_rect);
    case IA_WIRE_K_OU64:
        return sizeof(struct ia_wire_ou64);
    case IA_WIRE_K_OF64:
        return sizeof(struct ia_wire_of64);
    case IA_WIRE_K_PART:
        return f->shape->size;
    default:
        return sizeof(void *);
    }
}

/* Every byte of the struct belongs to a field or to padding of less than 8 bytes. */
static void shape_is_sound(const struct ia_wire_shape *s)
{
    unsigned char *map = calloc(1, s->size + 1);
    assert_non_null(map);
    for (size_t i = 0; i < s->fields_n; i++) {
        const struct ia_wire_field *f = &s->fields[i];
        bool list = f->kind == IA_WIRE_K_BYTES || f->kind >= IA_WIRE_K_U16S;
        list = list && f->kind != IA_WIRE_K_PART && f->kind != IA_WIRE_K_OPART;
        if (f->size != size_of_kind(f)) {
            fail_msg("%s.%s: %u bytes", s->name, f->name, f->size);
        }
        memset(map + f->at, 1, f->size);
        if (list) {
            assert_int_not_equal(f->max, 0);
            memset(map + f->at_n, 1, 4);
        }
        if (f->kind == IA_WIRE_K_STR || f->kind == IA_WIRE_K_OSTR) {
            assert_int_not_equal(f->max, 0);
        }
    }
    size_t gap = 0;
    for (size_t i = 0; i < s->size; i++) {
        gap = map[i] ? 0 : gap + 1;
        if (gap >= 8) {
            fail_msg("%s: no field at %zu", s->name, i);
        }
    }
    free(map);
}

static void tables_cover_their_structs(void **state)
{
    (void)state;
    const struct ia_wire_op *op;
    const struct ia_wire_shape *part;
    int last = 0;
    for (size_t i = 0; (op = ia_wire_op_at(i)); i++) {
        assert_true(op->op > last);
        last = op->op;
        assert_ptr_equal(ia_wire_op(op->op), op);
        shape_is_sound(op->request);
        assert_int_equal(op->reply != NULL, op->op >= 0x40);
        if (op->reply) {
            shape_is_sound(op->reply);
        }
    }
    for (size_t i = 0; (part = ia_wire_part_at(i)); i++) {
        shape_is_sound(part);
    }
}

static void only_readings_may_be_retried(void **state)
{
    (void)state;
    struct ia_wire_request items[2] = {{.op = IA_WIRE_OP_INFO}, {.op = IA_WIRE_OP_TREE}};
    const struct {
        struct ia_wire_request r;
        bool effect;
    } rows[] = {
        {{.op = IA_WIRE_OP_TREE}, false},
        {{.op = IA_WIRE_OP_WAIT}, false},
        {{.op = IA_WIRE_OP_ACT}, true},
        {{.op = IA_WIRE_OP_SWIPE}, true},
        {{.op = IA_WIRE_OP_GET_VALUE}, false},
        {{.op = IA_WIRE_OP_ORIENTATION}, false},
        {{.op = IA_WIRE_OP_ORIENTATION, .u.orientation.mode = IA_WIRE_PORTRAIT}, true},
        {{.op = IA_WIRE_OP_PASTEBOARD}, false},
        {{.op = IA_WIRE_OP_PASTEBOARD, .u.pasteboard.mode = IA_WIRE_PASTEBOARD_WRITE}, true},
        {{.op = IA_WIRE_OP_APPEARANCE, .u.appearance.mode = IA_WIRE_DARK}, true},
        {{.op = IA_WIRE_OP_BATCH, .u.batch = {items, 2}}, false},
        {{.op = 0x7f}, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(ia_wire_has_effect(&rows[i].r), rows[i].effect);
    }
    items[1].op = IA_WIRE_OP_RESET;
    assert_true(ia_wire_has_effect(&rows[10].r));
}

static void element_types_have_apples_numbers(void **state)
{
    (void)state;
    assert_string_equal(ia_wire_type_name(0), "Any");
    assert_string_equal(ia_wire_type_name(9), "Button");
    assert_string_equal(ia_wire_type_name(40), "Switch");
    assert_string_equal(ia_wire_type_name(75), "Cell");
    assert_string_equal(ia_wire_type_name(82), "StatusItem");
    assert_string_equal(ia_wire_type_name(83), "Other");
    assert_int_equal(ia_wire_type_number("SecureTextField"), 50);
    assert_int_equal(ia_wire_type_number("Nothing"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_after_the_last_field_are_ignored),
        cmocka_unit_test(a_missing_timeout_means_none),
        cmocka_unit_test(any_flag_except_zero_means_present),
        cmocka_unit_test(invalid_messages_are_refused_with_the_field_named),
        cmocka_unit_test(a_refused_extension_can_still_be_answered),
        cmocka_unit_test(texts_are_capped_as_the_tables_say),
        cmocka_unit_test(lists_are_capped),
        cmocka_unit_test(depths_must_be_those_of_a_tree),
        cmocka_unit_test(numbers_that_are_not_finite_are_written_as_zero),
        cmocka_unit_test(a_success_must_have_a_body),
        cmocka_unit_test(a_failure_of_an_unknown_request_can_be_decoded),
        cmocka_unit_test(texts_from_apps_are_sanitized),
        cmocka_unit_test(an_arena_gives_aligned_zeroed_memory_of_any_size),
        cmocka_unit_test(tables_cover_their_structs),
        cmocka_unit_test(only_readings_may_be_retried),
        cmocka_unit_test(element_types_have_apples_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
