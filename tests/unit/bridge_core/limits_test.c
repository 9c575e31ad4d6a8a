/* limits_test.c: how much the server takes from its hosts: requests that wait, connections, time without a
 * word, bytes of a frame. */
#include "fake.h"

#include <sys/socket.h>

static void the_queue_is_bounded(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h[3], c;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 3};
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 4};
    struct ia_wire_health_reply health;
    f->hang_at = IA_WIRE_OP_TREE;
    f->opt.queue_max = 2;
    fake_start(f);
    host_open(&c, f);
    for (int i = 0; i < 3; i++) {
        host_open(&h[i], f);
        host_send_request(&h[i], i ? &tap : &tree);
        if (i == 0) {
            fake_await_hang(f);
        }
    }
    do {
        host_health(&c, &health);
    } while (health.queued < 2);
    host_expect(&c, &tap, IA_WIRE_E_BUSY, IA_WIRE_NOT_SENT);
    fake_release(f);
    for (int i = 0; i < 3; i++) {
        struct ia_wire_reply r;
        host_reply(&h[i], &r);
        assert_int_equal(r.code, IA_WIRE_OK);
        ia_wire_reply_fini(&r);
        host_close(&h[i]);
    }
    assert_int_equal(f->taps, 2);
    host_close(&c);
    fake_free(f);
}

static void one_connection_too_many_is_closed(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h[IA_BRIDGE_CONNECTIONS_MAX], one_more;
    struct ia_wire_health_reply health;
    fake_start(f);
    for (int i = 0; i < IA_BRIDGE_CONNECTIONS_MAX; i++) {
        host_open(&h[i], f);
        host_health(&h[i], &health);
    }
    host_open(&one_more, f);
    host_expect_closed(&one_more);
    host_close(&one_more);
    host_close(&h[0]);
    do { /* until there is room again */
        host_health(&h[1], &health);
    } while (health.connections == IA_BRIDGE_CONNECTIONS_MAX);
    host_open(&h[0], f);
    host_health(&h[0], &health);
    for (int i = 0; i < IA_BRIDGE_CONNECTIONS_MAX; i++) {
        host_close(&h[i]);
    }
    fake_free(f);
}

static void an_idle_connection_is_closed(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host idle, half;
    f->opt.idle_ms = 10;
    f->opt.frame_ms = 10;
    fake_start(f);
    host_open(&idle, f);
    host_expect_closed(&idle);
    host_close(&idle);
    host_open(&half, f);
    host_send_hex(&half, "0100");
    host_expect_closed(&half);
    host_close(&half);
    fake_free(f);
}

/* The few connections are reserved for hosts that know the token. */
static void a_connection_that_presents_no_token_is_closed(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host silent, busy;
    static const uint8_t beat[] = {1, 0, 0, 0, 1};
    f->opt.token = "secret";
    f->opt.frame_ms = 10;
    fake_start(f);
    host_open(&silent, f);
    host_open(&busy, f);
    while (send(busy.fd, beat, sizeof(beat), MSG_NOSIGNAL) > 0 && host_next(&busy)) {
    }
    host_expect_closed(&silent);
    host_close(&silent);
    host_close(&busy);
    fake_free(f);
}

static void silent_strangers_do_not_lock_the_owner_out(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host strangers[IA_BRIDGE_CONNECTIONS_MAX + 4], owner, second;
    struct ia_wire_reply r;
    f->opt.token = "secret";
    fake_start(f);
    host_open(&owner, f);
    host_hello(&owner, "secret", &r);
    ia_wire_reply_fini(&r);
    for (int i = 0; i < IA_BRIDGE_CONNECTIONS_MAX + 4; i++) {
        host_open(&strangers[i], f);
    }
    host_open(&second, f);
    host_hello(&second, "secret", &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    host_expect_closed(&strangers[0]); /* the oldest went */
    struct ia_wire_health_reply health;
    host_health(&owner, &health); /* and the owner stayed */
    assert_int_equal(health.connections, IA_BRIDGE_CONNECTIONS_MAX);
    for (int i = 0; i < IA_BRIDGE_CONNECTIONS_MAX + 4; i++) {
        host_close(&strangers[i]);
    }
    host_close(&second);
    host_close(&owner);
    fake_free(f);
}

static void an_authenticated_connection_may_be_idle_and_send_large_frames(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h, unauthenticated;
    struct ia_wire_reply r;
    struct ia_wire_answer a;
    f->opt.token = "secret";
    fake_start(f);
    host_open(&unauthenticated, f);
    host_send_hex(&unauthenticated, "0110000001"); /* 4,097 bytes */
    assert_true(host_next(&unauthenticated));
    assert_true(ia_wire_get_answer(&unauthenticated.frame, &a, NULL));
    assert_string_equal(a.text, "decode error: frame too long");
    ia_wire_answer_fini(&a);
    host_expect_closed(&unauthenticated);
    host_close(&unauthenticated);
    host_open(&h, f);
    host_hello(&h, "secret", &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    memset(text, 'x', 99999);
    struct ia_wire_request paste = {.op = IA_WIRE_OP_PASTEBOARD, .id = 3};
    paste.u.pasteboard = (struct ia_wire_pasteboard){IA_WIRE_PASTEBOARD_WRITE, text};
    host_do(&h, &paste, &r);
    assert_int_equal(
        r.code, IA_WIRE_E_UNSUPPORTED); /* it was read, but this back end does not support it */
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
    free(text);
}

static void a_host_that_does_not_read_is_dropped(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h, other;
    struct ia_wire_request info = {.op = IA_WIRE_OP_INFO, .id = 1};
    struct ia_wire_health_reply health;
    int small = 4096;
    char *text = calloc(1, IA_WIRE_TEXT_MAX);
    assert_non_null(text);
    memset(text, 'x', IA_WIRE_TEXT_MAX - 1);
    for (int i = 0; i < 10; i++) {
        fake_add(f, 1, 9, text, text, (struct ia_wire_rect){0, 0, 9, 9})->value = text;
    }
    f->opt.write_ms = 20;
    fake_start(f);
    host_open(&h, f);
    host_open(&other, f);
    (void)setsockopt(h.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    struct ia_wire_buf out = {0};
    for (uint32_t i = 0; i < 200; i++) { /* 100 MB of trees */
        struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = i};
        assert_true(ia_wire_put_request(&out, &tree, NULL));
    }
    host_send(&h, out.p, out.len);
    ia_wire_buf_fini(&out);
    do {
        host_health(&other, &health);
    } while (health.connections > 1);
    host_expect(&other, &info, IA_WIRE_OK, IA_WIRE_NONE);
    host_close(&h);
    host_close(&other);
    fake_free(f);
    free(text);
}

static void a_reply_too_long_for_a_frame_is_reported(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    char *name = calloc(1, IA_WIRE_NAME_MAX + 2);
    assert_non_null(name);
    memset(name, 'x', IA_WIRE_NAME_MAX + 1);
    f->opt.udid = name; /* the options cut it */
    fake_start(f);
    host_open(&h, f);
    host_hello(&h, "", &r);
    assert_int_equal(strlen(r.u.hello.udid), IA_WIRE_NAME_MAX);
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_is_bounded),
        cmocka_unit_test(one_connection_too_many_is_closed),
        cmocka_unit_test(an_idle_connection_is_closed),
        cmocka_unit_test(a_connection_that_presents_no_token_is_closed),
        cmocka_unit_test(silent_strangers_do_not_lock_the_owner_out),
        cmocka_unit_test(an_authenticated_connection_may_be_idle_and_send_large_frames),
        cmocka_unit_test(a_host_that_does_not_read_is_dropped),
        cmocka_unit_test(a_reply_too_long_for_a_frame_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
