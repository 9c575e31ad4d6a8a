/* serve_fault_test.c: what a client gets when the phone fails, and how the server itself begins and ends. */
#include "served.h"

static void faults_of_the_phone_reach_the_client(void **state)
{
    (void)state;
    struct pair p = pair_open("faults=unanswered@2");
    launch(&p, CONTACTS);
    ask_for(&p.c, IA_WIRE_E_DEVICE_LOST, IA_WIRE_UNKNOWN, .op = IA_WIRE_OP_TAP_POINT,
            .u.tap_point = {.at = {1, 1}});
    pair_close(&p);
    p = pair_open("faults=lost@1");
    ask_for(&p.c, IA_WIRE_E_DEVICE_LOST, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_LAUNCH,
            .u.launch = {.bundle_id = CONTACTS});
    pair_close(&p);
}

static void a_slow_tree_can_be_cancelled_and_the_phone_goes_on(void **state)
{
    (void)state;
    struct pair p = pair_open("faults=slow-tree@1:500000");
    struct client other = client_open(p.s.port);
    struct ia_wire_request slow = {.op = IA_WIRE_OP_TREE, .u.tree = {.app = ""}};
    struct ia_wire_reply r = client_hello(&p.c, "");
    uint32_t session = r.u.hello.session;
    ia_wire_reply_fini(&r);
    client_send(&p.c, &slow);
    bool found = false;
    while (!found) { /* until it has begun */
        r = client_ask(&other, (struct ia_wire_request){
                                   .op = IA_WIRE_OP_CANCEL,
                                   .u.cancel = {.session = session, .request = slow.id}});
        found = r.u.cancel.found;
        ia_wire_reply_fini(&r);
    }
    r = client_recv(&p.c);
    assert_int_equal(r.code, IA_WIRE_E_CANCELLED);
    ia_wire_reply_fini(&r);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_NONE, .op = IA_WIRE_OP_LIST_APPS);
    client_close(&other);
    pair_close(&p);
}

static void a_server_that_is_stopped_does_not_wait_for_a_slow_tree(void **state)
{
    (void)state;
    struct pair p = pair_open("faults=slow-tree@1:500000");
    struct client other = client_open(p.s.port);
    struct ia_wire_request slow = {.op = IA_WIRE_OP_TREE, .u.tree = {.app = ""}};
    client_send(&p.c, &slow);
    for (bool busy = false; !busy;) {
        struct ia_wire_reply r =
            client_ask(&other, (struct ia_wire_request){.op = IA_WIRE_OP_HEALTH});
        busy = r.u.health.busy;
        ia_wire_reply_fini(&r);
    }
    client_close(&other);
    pair_close(&p);
}

static void a_shutdown_of_a_host_ends_the_server(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_SHUTDOWN);
    pthread_join(p.s.thread, NULL);
    client_close(&p.c);
    served_end(&p.s);
}

static void a_port_in_use_is_an_error_with_a_hint(void **state)
{
    (void)state;
    struct served s = served_start(NULL, NULL);
    struct ia_serve *second = NULL;
    struct ia_err err = {0};
    struct ia_serve_options opt = {.phone = {.name = "other"}, .port = s.port};
    assert_int_equal(ia_serve_open(&opt, &second, &err), IA_E_IO);
    assert_non_null(strstr(err.hint, "--port 0"));
    opt.port = 70000;
    assert_int_equal(ia_serve_open(&opt, &second, &err), IA_E_USAGE);
    served_stop(&s);
    served_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_phone_reach_the_client),
        cmocka_unit_test(a_slow_tree_can_be_cancelled_and_the_phone_goes_on),
        cmocka_unit_test(a_server_that_is_stopped_does_not_wait_for_a_slow_tree),
        cmocka_unit_test(a_shutdown_of_a_host_ends_the_server),
        cmocka_unit_test(a_port_in_use_is_an_error_with_a_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
