/* reader_test.c: frames are found in a stream, however it is cut. */
#include "hex.h"

static void add(struct ia_wire_reader *r, const uint8_t *p, size_t n)
{
    while (n > 0) {
        size_t room;
        uint8_t *to = ia_wire_reader_space(r, &room);
        assert_non_null(to);
        assert_true(room >= 1);
        room = room < n ? room : n;
        memcpy(to, p, room);
        ia_wire_reader_added(r, room);
        p += room;
        n -= room;
    }
}

static void frames_are_found_however_the_stream_is_cut(void **state)
{
    (void)state;
    uint8_t stream[64];
    size_t n = hex_bytes("0100000001"
                         "00000000"
                         "0700000006020000006869"
                         "0100000010",
                         stream, sizeof(stream));
    const uint8_t ops[] = {0x01, 0x06, 0x10};
    for (size_t step = 1; step <= n; step++) {
        struct ia_wire_reader r;
        struct ia_wire_frame f;
        size_t seen = 0;
        ia_wire_reader_init(&r, IA_WIRE_REQUEST_MAX);
        for (size_t at = 0; at < n; at += step) {
            add(&r, stream + at, step < n - at ? step : n - at);
            while (ia_wire_reader_next(&r, &f) == IA_WIRE_READ_FRAME) {
                assert_int_equal(f.op, ops[seen]);
                assert_int_equal(f.n, seen == 1 ? 6 : 0);
                seen++;
            }
        }
        assert_int_equal(seen, 3);
        assert_false(ia_wire_reader_midway(&r));
        ia_wire_reader_fini(&r);
    }
}

static void an_incomplete_frame_is_kept(void **state)
{
    (void)state;
    struct ia_wire_reader r;
    struct ia_wire_frame f;
    ia_wire_reader_init(&r, IA_WIRE_REQUEST_MAX);
    assert_int_equal(ia_wire_reader_next(&r, &f), IA_WIRE_READ_MORE);
    assert_false(ia_wire_reader_midway(&r));
    add(&r, (const uint8_t *)"\x02\x00", 2);
    assert_int_equal(ia_wire_reader_next(&r, &f), IA_WIRE_READ_MORE);
    assert_true(ia_wire_reader_midway(&r));
    ia_wire_reader_fini(&r);
}

static void a_frame_beyond_the_cap_ends_the_stream(void **state)
{
    (void)state;
    const char *const rows[] = {"01001000"
                                "01",
                                "ffffffff"
                                "01"};
    for (size_t i = 0; i < 2; i++) {
        uint8_t bytes[8];
        struct ia_wire_reader r;
        struct ia_wire_frame f;
        size_t n = hex_bytes(rows[i], bytes, sizeof(bytes));
        ia_wire_reader_init(&r, IA_WIRE_REQUEST_MAX);
        add(&r, bytes, n);
        assert_int_equal(ia_wire_reader_next(&r, &f), IA_WIRE_READ_TOO_LONG);
        ia_wire_reader_fini(&r);
    }
}

static void memory_grows_with_received_bytes_and_not_with_announced_lengths(void **state)
{
    (void)state;
    uint8_t bytes[8];
    struct ia_wire_reader r;
    struct ia_wire_frame f;
    size_t n = hex_bytes("0000f00301", bytes, sizeof(bytes));
    ia_wire_reader_init(&r, IA_WIRE_REPLY_MAX);
    add(&r, bytes, n);
    assert_int_equal(ia_wire_reader_next(&r, &f), IA_WIRE_READ_MORE);
    assert_true(r.cap <= 4096);
    ia_wire_reader_fini(&r);
}

static void a_frame_of_maximum_length_is_read(void **state)
{
    (void)state;
    static uint8_t bytes[4 + 10000];
    struct ia_wire_reader r;
    struct ia_wire_frame f;
    size_t room;
    bytes[0] = 10000 & 0xff;
    bytes[1] = 10000 >> 8;
    bytes[4] = 0x06;
    ia_wire_reader_init(&r, 10000);
    add(&r, bytes, sizeof(bytes));
    assert_null(ia_wire_reader_space(&r, &room));
    assert_int_equal(ia_wire_reader_next(&r, &f), IA_WIRE_READ_FRAME);
    assert_int_equal(f.n, 9999);
    assert_non_null(ia_wire_reader_space(&r, &room));
    ia_wire_reader_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_found_however_the_stream_is_cut),
        cmocka_unit_test(an_incomplete_frame_is_kept),
        cmocka_unit_test(a_frame_beyond_the_cap_ends_the_stream),
        cmocka_unit_test(memory_grows_with_received_bytes_and_not_with_announced_lengths),
        cmocka_unit_test(a_frame_of_maximum_length_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
