/* server_test.c: hello, tokens, streams, several hosts, batches, stopping. */
#include "fake.h"

static const struct ia_wire_request info = {.op = IA_WIRE_OP_INFO, .id = 1};

static void hello_lists_the_supported_requests(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host a, b;
    struct ia_wire_reply ra, rb;
    f->opt.udid = "U-1";
    fake_start(f);
    host_open(&a, f);
    host_open(&b, f);
    host_hello(&a, "", &ra);
    host_hello(&b, "", &rb);
    assert_int_equal(ra.code, IA_WIRE_OK);
    assert_int_equal(ra.u.hello.version, IA_WIRE_VERSION);
    assert_string_equal(ra.u.hello.server, "fake 1");
    assert_string_equal(ra.u.hello.udid, "U-1");
    assert_int_equal(ra.u.hello.features, IA_WIRE_FEATURE_SIMULATED);
    assert_int_not_equal(ra.u.hello.session, rb.u.hello.session);
    const uint8_t served[] = {IA_WIRE_OP_HELLO, IA_WIRE_OP_HEALTH,   IA_WIRE_OP_CANCEL,
                              IA_WIRE_OP_BATCH, IA_WIRE_OP_SHUTDOWN, IA_WIRE_OP_FIND,
                              IA_WIRE_OP_ACT,   IA_WIRE_OP_WAIT,     IA_WIRE_OP_SET_TEXT,
                              IA_WIRE_OP_CLEAR, IA_WIRE_OP_TREE,     IA_WIRE_OP_TAP_POINT};
    for (size_t i = 0; i < sizeof(served); i++) {
        assert_true(ra.u.hello.ops & IA_WIRE_BIT(served[i]));
    }
    assert_false(ra.u.hello.ops & IA_WIRE_BIT(IA_WIRE_OP_RESET));
    ia_wire_reply_fini(&ra);
    ia_wire_reply_fini(&rb);
    host_close(&a);
    host_close(&b);
    fake_free(f);
}

static void versions_must_overlap(void **state)
{
    (void)state;
    const struct {
        uint16_t min, max;
        enum ia_wire_code code;
    } rows[] = {{1, 1, IA_WIRE_OK},
                {1, 9, IA_WIRE_OK},
                {2, 9, IA_WIRE_E_VERSION},
                {0, 0, IA_WIRE_E_VERSION}};
    struct fake *f = fake_new();
    struct host h;
    fake_start(f);
    host_open(&h, f);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ia_wire_request r = {.op = IA_WIRE_OP_HELLO, .id = 9};
        r.u.hello.version = rows[i].max;
        r.u.hello.version_min = rows[i].min;
        host_expect(&h, &r, rows[i].code, IA_WIRE_NONE);
    }
    host_close(&h);
    fake_free(f);
}

static void without_the_token_every_request_is_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {"", "secre", "secret!", "Secret"};
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    f->opt.token = "secret";
    fake_start(f);
    host_open(&h, f);
    host_expect(&h, &info, IA_WIRE_E_AUTH, IA_WIRE_NONE);
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 2};
    host_expect(&h, &tap, IA_WIRE_E_AUTH, IA_WIRE_NOT_SENT);
    struct ia_wire_request down = {.op = IA_WIRE_OP_SHUTDOWN, .id = 3};
    host_expect(&h, &down, IA_WIRE_E_AUTH, IA_WIRE_NOT_SENT);
    struct ia_wire_answer a;
    struct ia_wire_request classic = {.op = IA_WIRE_OP_TAP_COORD};
    host_classic(&h, &classic, &a);
    assert_int_equal(a.kind, IA_WIRE_ANSWER_ERROR);
    assert_string_equal(a.text, "present the token in a hello first");
    ia_wire_answer_fini(&a);
    host_hello(&h, "secret", &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE);
    host_close(&h);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        host_open(&h, f);
        host_hello(&h, wrong[i], &r);
        assert_int_equal(r.code, IA_WIRE_E_AUTH);
        ia_wire_reply_fini(&r);
        host_expect_closed(&h);
        host_close(&h);
    }
    assert_int_equal(f->taps, 0);
    fake_free(f);
}

static void an_unneeded_token_is_ignored(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    fake_start(f);
    host_open(&h, f);
    host_hello(&h, "whatever", &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
}

static void a_frame_may_arrive_byte_by_byte(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_buf out = {0};
    struct ia_wire_reply r;
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "00000000"); /* of length zero: skipped */
    assert_true(ia_wire_put_request(&out, &info, NULL));
    for (size_t i = 0; i < out.len; i++) {
        host_send(&h, out.p + i, 1);
    }
    ia_wire_buf_fini(&out);
    host_reply(&h, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_string_equal(r.u.info.kind, "fake");
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
}

static void garbage_ends_only_its_own_connection(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host bad, good;
    struct ia_wire_answer a;
    fake_start(f);
    host_open(&good, f);
    host_open(&bad, f);
    host_send(&bad, "GET / HTTP/1.1\r\n\r\n", 18);
    assert_true(host_next(&bad));
    assert_true(ia_wire_get_answer(&bad.frame, &a, NULL));
    assert_string_equal(a.text, "decode error: frame too long");
    ia_wire_answer_fini(&a);
    host_expect_closed(&bad);
    host_close(&bad);
    host_expect(&good, &info, IA_WIRE_OK, IA_WIRE_NONE);
    host_close(&good);
    fake_free(f);
}

static void an_undecodable_request_keeps_the_connection(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    fake_start(f);
    host_open(&h, f);
    host_send_hex(&h, "0900000070"
                      "05000000"
                      "00000000"); /* an unknown extension */
    host_reply(&h, &r);
    assert_int_equal(r.id, 5);
    assert_int_equal(r.op, 0x70);
    assert_int_equal(r.code, IA_WIRE_E_UNSUPPORTED);
    assert_string_equal(r.text, "decode error: invalid opcode: 0x70");
    ia_wire_reply_fini(&r);
    host_send_hex(&h, "0a00000050"
                      "06000000"
                      "00000000"
                      "09"); /* no such button */
    host_reply(&h, &r);
    assert_int_equal(r.id, 6);
    assert_int_equal(r.code, IA_WIRE_E_PROTO);
    assert_int_equal(r.outcome, IA_WIRE_NOT_SENT);
    ia_wire_reply_fini(&r);
    struct ia_wire_request reset = {.op = IA_WIRE_OP_RESET, .id = 7};
    host_expect(&h, &reset, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE);
    host_close(&h);
    fake_free(f);
}

static void invalid_arguments_never_reach_the_back_end(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    fake_start(f);
    host_open(&h, f);
    const struct ia_wire_request rows[] = {
        {.op = IA_WIRE_OP_TARGET, .id = 1},
        {.op = IA_WIRE_OP_OPEN_URL, .id = 2},
        {.op = IA_WIRE_OP_ACT, .id = 3},
        {.op = IA_WIRE_OP_LONG_PRESS_POINT, .id = 4, .u.long_press_point.duration_s = -1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        host_expect(&h, &rows[i], IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT);
    }
    assert_int_equal(f->targets + f->presses, 0);
    host_close(&h);
    fake_free(f);
}

static void failures_of_the_back_end_pass_through(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    struct ia_wire_request url = {.op = IA_WIRE_OP_OPEN_URL, .id = 2, .u.open_url.url = "a:b"};
    fake_start(f);
    host_open(&h, f);
    host_do(&h, &url, &r);
    assert_int_equal(r.code, IA_WIRE_E_DEVICE);
    assert_int_equal(r.outcome, IA_WIRE_UNKNOWN);
    assert_false(r.retry_safe);
    assert_string_equal(r.text, "NSException: x");
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
}

static void an_operation_without_a_result_is_an_internal_error(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 2};
    f->no_result = true;
    fake_start(f);
    host_open(&h, f);
    host_expect(&h, &tap, IA_WIRE_E_INTERNAL, IA_WIRE_UNKNOWN);
    host_expect(&h, &info, IA_WIRE_E_INTERNAL, IA_WIRE_NONE);
    host_close(&h);
    fake_free(f);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_buf out = {0};
    fake_start(f);
    host_open(&h, f);
    for (uint32_t i = 0; i < 200; i++) {
        struct ia_wire_request r = {.op = i % 3 ? IA_WIRE_OP_INFO : IA_WIRE_OP_TAP_POINT,
                                    .id = i};
        assert_true(ia_wire_put_request(&out, &r, NULL));
    }
    host_send(&h, out.p, out.len);
    ia_wire_buf_fini(&out);
    for (uint32_t i = 0; i < 200; i++) {
        struct ia_wire_reply r;
        host_reply(&h, &r);
        assert_int_equal(r.id, i);
        assert_int_equal(r.code, IA_WIRE_OK);
        ia_wire_reply_fini(&r);
    }
    assert_int_equal(f->taps, 67);
    host_close(&h);
    fake_free(f);
}

struct many {
    struct fake *f;
    int done;
};

static void *ask_many(void *arg)
{
    struct many *m = arg;
    struct host h;
    host_open(&h, m->f);
    for (uint32_t i = 0; i < 250; i++) {
        struct ia_wire_request r = {
            .op = i % 2 ? IA_WIRE_OP_TREE : IA_WIRE_OP_TAP_POINT, .id = i, .u.tree.app = ""};
        struct ia_wire_reply reply;
        if (r.op == IA_WIRE_OP_TAP_POINT) {
            r.u.tap_point = (struct ia_wire_tap_point){{1, 2}, 1};
        }
        host_send_request(&h, &r);
        host_reply(&h, &reply);
        m->done += reply.id == i && reply.code == IA_WIRE_OK;
        ia_wire_reply_fini(&reply);
    }
    host_close(&h);
    return NULL;
}

static void a_thousand_requests_of_four_hosts_are_performed_once_each(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct many m[4];
    pthread_t t[4];
    struct host h;
    struct ia_wire_health_reply health;
    fake_start(f);
    for (int i = 0; i < 4; i++) {
        m[i] = (struct many){f, 0};
        assert_int_equal(pthread_create(&t[i], NULL, ask_many, &m[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        assert_int_equal(m[i].done, 250);
    }
    host_open(&h, f);
    host_health(&h, &health);
    assert_int_equal(health.done, 1000);
    assert_int_equal(health.late, 0);
    host_close(&h);
    assert_int_equal(f->taps, 500);
    assert_int_equal(f->snapshots, 500);
    fake_free(f);
}

/* ---- batches ---- */

static void a_batch_is_performed_in_order(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    const struct ia_wire_request items[] = {
        {.op = IA_WIRE_OP_TAP_POINT, .id = 1, .u.tap_point = {{5, 6}, 2}},
        {.op = IA_WIRE_OP_TYPE_TEXT, .id = 2, .u.type_text.text = "hi"},
        {.op = IA_WIRE_OP_INFO, .id = 3},
    };
    struct ia_wire_request batch = {.op = IA_WIRE_OP_BATCH, .id = 9, .u.batch = {items, 3}};
    fake_start(f);
    host_open(&h, f);
    host_do(&h, &batch, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.outcome, IA_WIRE_SENT);
    assert_int_equal(r.u.batch.items_n, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(r.u.batch.items[i].id, i + 1);
        assert_int_equal(r.u.batch.items[i].code, IA_WIRE_OK);
    }
    assert_string_equal(r.u.batch.items[2].u.info.name, "Fake");
    assert_int_equal(f->taps_of_last, 2);
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
}

static void a_batch_ends_at_its_first_failure(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    const struct ia_wire_request items[] = {
        {.op = IA_WIRE_OP_TAP_POINT, .id = 1},
        {.op = IA_WIRE_OP_RESET, .id = 2},
        {.op = IA_WIRE_OP_TAP_POINT, .id = 3},
    };
    struct ia_wire_request batch = {.op = IA_WIRE_OP_BATCH, .id = 9, .u.batch = {items, 3}};
    fake_start(f);
    host_open(&h, f);
    host_do(&h, &batch, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.batch.items_n, 2);
    assert_int_equal(r.u.batch.items[1].code, IA_WIRE_E_UNSUPPORTED);
    assert_int_equal(r.u.batch.items[1].outcome, IA_WIRE_NOT_SENT);
    assert_int_equal(r.outcome, IA_WIRE_SENT);
    assert_int_equal(f->taps, 1);
    ia_wire_reply_fini(&r);
    struct ia_wire_request none = {.op = IA_WIRE_OP_BATCH, .id = 10};
    host_do(&h, &none, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.outcome, IA_WIRE_NONE);
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
}

/* ---- the end ---- */

static void *wait_for_run(void *arg)
{
    struct fake *f = arg;
    pthread_join(f->thread, NULL);
    return NULL;
}

static void shutdown_is_answered_and_ends_the_run(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    pthread_t t;
    struct ia_wire_request down = {.op = IA_WIRE_OP_SHUTDOWN, .id = 3};
    fake_start(f);
    host_open(&h, f);
    host_expect(&h, &down, IA_WIRE_OK, IA_WIRE_SENT);
    assert_int_equal(pthread_create(&t, NULL, wait_for_run, f), 0);
    pthread_join(t, NULL);
    f->running = false;
    host_expect(&h, &info, IA_WIRE_E_CANCELLED,
                IA_WIRE_NONE); /* nothing is performed any more */
    host_close(&h);
    fake_free(f);
}

static void a_port_in_use_is_reported(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct ia_bridge *second = NULL;
    struct ia_wire_fault fault = {0};
    fake_start(f);
    struct ia_bridge_options opt = {.port = ia_bridge_port(f->bridge)};
    assert_false(ia_bridge_open(&opt, &f->ops, &second, &fault));
    assert_int_equal(fault.code, IA_WIRE_E_IO);
    assert_non_null(strstr(fault.text, "cannot listen on 127.0.0.1:"));
    assert_null(second);
    fake_free(f);
}

static void a_server_that_never_ran_can_be_closed(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    assert_true(ia_bridge_open(&f->opt, &f->ops, &f->bridge, NULL));
    host_open(&h, f);
    host_send_request(&h, &info);
    ia_bridge_close(f->bridge);
    f->bridge = NULL;
    host_close(&h);
    fake_free(f);
    ia_bridge_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_lists_the_supported_requests),
        cmocka_unit_test(versions_must_overlap),
        cmocka_unit_test(without_the_token_every_request_is_refused),
        cmocka_unit_test(an_unneeded_token_is_ignored),
        cmocka_unit_test(a_frame_may_arrive_byte_by_byte),
        cmocka_unit_test(garbage_ends_only_its_own_connection),
        cmocka_unit_test(an_undecodable_request_keeps_the_connection),
        cmocka_unit_test(invalid_arguments_never_reach_the_back_end),
        cmocka_unit_test(failures_of_the_back_end_pass_through),
        cmocka_unit_test(an_operation_without_a_result_is_an_internal_error),
        cmocka_unit_test(pipelined_requests_are_answered_in_order),
        cmocka_unit_test(a_thousand_requests_of_four_hosts_are_performed_once_each),
        cmocka_unit_test(a_batch_is_performed_in_order),
        cmocka_unit_test(a_batch_ends_at_its_first_failure),
        cmocka_unit_test(shutdown_is_answered_and_ends_the_run),
        cmocka_unit_test(a_port_in_use_is_reported),
        cmocka_unit_test(a_server_that_never_ran_can_be_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
