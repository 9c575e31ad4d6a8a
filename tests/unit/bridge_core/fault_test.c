/* fault_test.c: hanging operations, deadlines, cancellation, hosts that disconnect, and the stop. */
#include "fake.h"

static const struct ia_wire_request info = {.op = IA_WIRE_OP_INFO, .id = 1};

static struct fake *hanging_at(uint8_t op)
{
    struct fake *f = fake_new();
    f->hang_at = op;
    fake_start(f);
    return f;
}

/* Repeats the request until its deadline passes while it runs and not while it waits: on a busy
 * machine the first deadlines are too short. */
static void time_out_running(struct host *h, struct fake *f, struct ia_wire_request *req,
                             struct ia_wire_reply *ret)
{
    for (;; req->deadline_ms *= 2) {
        host_do(h, req, ret);
        pthread_mutex_lock(&f->lock);
        bool hanging = f->hanging;
        pthread_mutex_unlock(&f->lock);
        if (hanging) {
            return;
        }
        ia_wire_reply_fini(ret);
    }
}

static void health_is_answered_while_an_operation_hangs(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TREE);
    struct host stuck, other;
    struct ia_wire_health_reply h;
    struct ia_wire_reply r;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 77, .deadline_ms = 600000};
    host_open(&stuck, f);
    host_open(&other, f);
    host_hello(&stuck, "", &r);
    uint32_t session = r.u.hello.session;
    ia_wire_reply_fini(&r);
    host_send_request(&stuck, &tree);
    fake_await_hang(f);
    host_health(&other, &h);
    assert_true(h.busy);
    assert_int_equal(h.op, IA_WIRE_OP_TREE);
    assert_int_equal(h.session, session);
    assert_int_equal(h.request, 77);
    assert_false(h.overdue);
    assert_int_equal(h.connections, 2);
    struct ia_wire_request ask = {.op = IA_WIRE_OP_HEALTH, .id = 78};
    host_do(&stuck, &ask, &r); /* on the same connection that waits */
    assert_true(r.u.health.busy);
    ia_wire_reply_fini(&r);
    struct ia_wire_answer a;
    struct ia_wire_request beat = {.op = IA_WIRE_OP_HEARTBEAT};
    host_classic(&other, &beat, &a);
    assert_int_equal(a.kind, IA_WIRE_ANSWER_OK);
    ia_wire_answer_fini(&a);
    fake_release(f);
    host_reply(&stuck, &r);
    assert_int_equal(r.id, 77);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    host_close(&stuck);
    host_close(&other);
    fake_free(f);
}

static void a_reading_past_its_deadline_may_be_retried(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TREE);
    struct host h;
    struct ia_wire_reply r;
    struct ia_wire_health_reply health;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 2, .deadline_ms = 10};
    host_open(&h, f);
    time_out_running(&h, f, &tree, &r);
    assert_int_equal(r.code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(r.outcome, IA_WIRE_NONE);
    assert_true(r.retry_safe);
    ia_wire_reply_fini(&r);
    host_health(&h, &health);
    assert_true(health.busy);
    assert_true(health.overdue);
    /* The next one waits for the main thread until its own deadline. */
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 3, .deadline_ms = 10};
    host_expect(&h, &tap, IA_WIRE_E_TIMEOUT, IA_WIRE_NOT_SENT);
    fake_release(f);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE); /* its late reply was dropped */
    host_health(&h, &health);
    assert_int_equal(health.late, 1);
    assert_int_equal(f->taps, 0);
    host_close(&h);
    fake_free(f);
}

static void an_effect_past_its_deadline_is_unknown(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TAP_POINT);
    struct host h;
    struct ia_wire_reply r;
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 3, .deadline_ms = 10};
    host_open(&h, f);
    time_out_running(&h, f, &tap, &r);
    assert_int_equal(r.code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(r.outcome, IA_WIRE_UNKNOWN);
    assert_false(r.retry_safe);
    ia_wire_reply_fini(&r);
    fake_release(f);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE);
    host_close(&h);
    fake_free(f);
}

/* The snapshot before a tap hangs: the answer is not_sent, and that must stay true. */
static void no_effect_begins_after_not_sent_was_answered(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TREE);
    struct host h;
    const struct ia_wire_selector s = {.type = 2};
    struct ia_wire_request act = {
        .op = IA_WIRE_OP_ACT, .id = 3, .deadline_ms = 10, .u.act.target.selector = &s};
    host_open(&h, f);
    struct ia_wire_reply r;
    time_out_running(&h, f, &act, &r);
    assert_int_equal(r.code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(r.outcome, IA_WIRE_NOT_SENT);
    ia_wire_reply_fini(&r);
    fake_release(f);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE); /* the act has returned */
    assert_int_equal(f->taps, 0);
    host_close(&h);
    fake_free(f);
}

static void a_batch_past_its_deadline_reports_what_it_did(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_DRAG);
    struct host h;
    struct ia_wire_reply r;
    const struct ia_wire_request items[] = {{.op = IA_WIRE_OP_INFO, .id = 1},
                                            {.op = IA_WIRE_OP_DRAG, .id = 2},
                                            {.op = IA_WIRE_OP_TAP_POINT, .id = 3}};
    struct ia_wire_request batch = {
        .op = IA_WIRE_OP_BATCH, .id = 9, .deadline_ms = 10, .u.batch = {items, 3}};
    host_open(&h, f);
    time_out_running(&h, f, &batch, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.outcome, IA_WIRE_UNKNOWN);
    assert_int_equal(r.u.batch.items_n, 2);
    assert_int_equal(r.u.batch.items[0].code, IA_WIRE_OK);
    assert_string_equal(r.u.batch.items[0].u.info.name, "Fake");
    assert_int_equal(r.u.batch.items[1].code, IA_WIRE_E_TIMEOUT);
    assert_int_equal(r.u.batch.items[1].outcome, IA_WIRE_UNKNOWN);
    ia_wire_reply_fini(&r);
    fake_release(f);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE);
    assert_int_equal(f->taps, 0);
    host_close(&h);
    fake_free(f);
}

static void cancel(struct host *h, uint32_t session, uint32_t id, bool found)
{
    struct ia_wire_request c = {.op = IA_WIRE_OP_CANCEL, .id = 900};
    struct ia_wire_reply r;
    c.u.cancel = (struct ia_wire_cancel){session, id};
    host_do(h, &c, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.cancel.found, found);
    ia_wire_reply_fini(&r);
}

static uint32_t session_of(struct host *h)
{
    struct ia_wire_reply r;
    host_hello(h, "", &r);
    uint32_t session = r.u.hello.session;
    ia_wire_reply_fini(&r);
    return session;
}

static void another_connection_can_cancel_a_running_request(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TAP_POINT);
    struct host h, other;
    struct ia_wire_reply r;
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 3};
    host_open(&h, f);
    host_open(&other, f);
    uint32_t session = session_of(&h);
    host_send_request(&h, &tap);
    fake_await_hang(f);
    cancel(&other, session, 4, false);
    cancel(&other, 0, 3, false); /* the other connection has no request */
    cancel(&other, session, 3, true);
    host_reply(&h, &r);
    assert_int_equal(r.id, 3);
    assert_int_equal(r.code, IA_WIRE_E_CANCELLED);
    assert_int_equal(r.outcome, IA_WIRE_UNKNOWN);
    ia_wire_reply_fini(&r);
    fake_release(f);
    host_expect(&h, &info, IA_WIRE_OK, IA_WIRE_NONE);
    host_close(&h);
    host_close(&other);
    fake_free(f);
}

static void its_own_connection_can_cancel_a_running_request(void **state)
{
    (void)state;
    struct fake *f = fake_new();
    struct host h;
    struct ia_wire_reply r;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 3};
    f->hang_at = IA_WIRE_OP_TREE;
    f->stops_on_cancel = true; /* it returns as soon as it is cancelled, with a tree */
    f->opt.grace_ms = 60000;
    fake_start(f);
    host_open(&h, f);
    host_send_request(&h, &tree);
    fake_await_hang(f);
    cancel(&h, 0, 0, true);
    host_reply(&h, &r);
    assert_int_equal(r.id, 3);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    host_close(&h);
    fake_free(f);
}

static void a_waiting_request_is_cancelled_at_once(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TREE);
    struct host a, b;
    struct ia_wire_reply r;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 3};
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 4};
    host_open(&a, f);
    host_open(&b, f);
    uint32_t session = session_of(&b);
    host_send_request(&a, &tree);
    fake_await_hang(f);
    host_send_request(&b, &tap);
    struct ia_wire_health_reply health;
    do {
        host_health(&a, &health);
    } while (health.queued == 0);
    cancel(&a, session, 4, true);
    host_reply(&b, &r);
    assert_int_equal(r.code, IA_WIRE_E_CANCELLED);
    assert_int_equal(r.outcome, IA_WIRE_NOT_SENT);
    assert_true(r.retry_safe);
    ia_wire_reply_fini(&r);
    fake_release(f);
    host_reply(&a, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    ia_wire_reply_fini(&r);
    host_expect(&b, &info, IA_WIRE_OK, IA_WIRE_NONE);
    assert_int_equal(f->taps, 0);
    host_close(&a);
    host_close(&b);
    fake_free(f);
}

static void a_disconnected_host_cancels_its_request(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TREE);
    struct host a, b, c;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 3};
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 4};
    struct ia_wire_health_reply health;
    host_open(&a, f);
    host_open(&b, f);
    host_open(&c, f);
    host_send_request(&a, &tree);
    fake_await_hang(f);
    host_send_request(&b, &tap);
    do {
        host_health(&c, &health);
    } while (health.queued == 0);
    host_close(&b); /* while it waits */
    host_close(&a); /* while it runs */
    do {
        host_health(&c, &health);
    } while (health.queued > 0 || health.connections > 1);
    fake_release(f);
    host_expect(&c, &info, IA_WIRE_OK, IA_WIRE_NONE);
    assert_int_equal(f->taps, 0);
    host_close(&c);
    fake_free(f);
}

static void a_running_operation_keeps_the_text_of_a_disconnected_classic_host(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TYPE_TEXT);
    struct host a, c;
    struct ia_wire_health_reply health;
    struct ia_wire_request type = {.op = IA_WIRE_OP_CLASSIC_TYPE_TEXT,
                                   .u.classic_text = {.text = "a text of the host"}};
    host_open(&a, f);
    host_open(&c, f);
    host_send_request(&a, &type);
    fake_await_hang(f);
    host_close(&a);
    do {
        host_health(&c, &health);
    } while (health.connections > 1);
    fake_release(f);
    host_expect(&c, &info, IA_WIRE_OK, IA_WIRE_NONE);
    assert_string_equal(f->field, "a text of the host");
    host_close(&c);
    fake_free(f);
}

static void requests_waiting_at_the_stop_were_not_sent(void **state)
{
    (void)state;
    struct fake *f = hanging_at(IA_WIRE_OP_TREE);
    struct host a, b, c;
    struct ia_wire_reply r;
    struct ia_wire_request tree = {.op = IA_WIRE_OP_TREE, .id = 3};
    struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT, .id = 4};
    struct ia_wire_health_reply health;
    host_open(&a, f);
    host_open(&b, f);
    host_open(&c, f);
    host_send_request(&a, &tree);
    fake_await_hang(f);
    host_send_request(&b, &tap);
    do {
        host_health(&c, &health);
    } while (health.queued == 0);
    ia_bridge_stop(f->bridge);
    fake_release(f);
    host_reply(&b, &r);
    assert_int_equal(r.code, IA_WIRE_E_CANCELLED);
    assert_int_equal(r.outcome, IA_WIRE_NOT_SENT);
    ia_wire_reply_fini(&r);
    host_reply(&a, &r);
    assert_int_equal(r.id, 3);
    ia_wire_reply_fini(&r);
    assert_int_equal(f->taps, 0);
    host_close(&a);
    host_close(&b);
    host_close(&c);
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(health_is_answered_while_an_operation_hangs),
        cmocka_unit_test(a_reading_past_its_deadline_may_be_retried),
        cmocka_unit_test(an_effect_past_its_deadline_is_unknown),
        cmocka_unit_test(no_effect_begins_after_not_sent_was_answered),
        cmocka_unit_test(a_batch_past_its_deadline_reports_what_it_did),
        cmocka_unit_test(another_connection_can_cancel_a_running_request),
        cmocka_unit_test(its_own_connection_can_cancel_a_running_request),
        cmocka_unit_test(a_waiting_request_is_cancelled_at_once),
        cmocka_unit_test(a_disconnected_host_cancels_its_request),
        cmocka_unit_test(a_running_operation_keeps_the_text_of_a_disconnected_classic_host),
        cmocka_unit_test(requests_waiting_at_the_stop_were_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
